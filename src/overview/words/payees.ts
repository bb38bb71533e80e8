/** Words about payees. */
import type { Words } from '../../review/web/words/pair.ts';

export const payeesWords = {
  payeesHint: [
    'Payees named last come first. Archived payouts are not counted.',
    'เรียงจากผู้รับเงินที่มีรายการล่าสุด ไม่รวมรายการที่ย้ายไปเก็บถาวรแล้ว',
  ],
  payeeSearchHint: ['Number, its last four digits, or letters of a name', 'เลขเต็ม เลขท้ายสี่ตัว หรือตัวอักษรในชื่อ'],
  firstPaid: ['First paid', 'จ่ายครั้งแรก'],
  lastPaid: ['Last paid', 'จ่ายครั้งล่าสุด'],
  timesPaid: ['Times paid', 'จำนวนครั้งที่จ่าย'],
  sumPaid: ['Paid in all, baht', 'ยอดรวม (บาท)'],
  failures: ['Failures', 'ไม่สำเร็จ (ครั้ง)'],
  namesSeen: ['Names seen', 'ชื่อที่พบ'],
  neverPaid: ['never', 'ยังไม่เคย'],
  inFiles: ['in files', 'รายการในไฟล์'],
  lookFurther: ['Look further back', 'ค้นย้อนหลังต่อ'],
  noneSoFar: ['None among the rows looked at so far', 'ยังไม่พบในรายการที่ค้นแล้ว'],
  noPayees: ['No file has named a payee yet', 'ยังไม่มีผู้รับเงินในระบบ'],
} as const satisfies Words;
