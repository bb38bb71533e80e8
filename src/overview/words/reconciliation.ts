/** Words about reconciliation. */
import type { Words } from '../../review/web/words/pair.ts';

export const reconciliationWords = {
  ours: ['Paid by us', 'ระบบบันทึกว่าจ่าย'],
  theirs: ["Bank's statement", 'รายการเดินบัญชีธนาคาร'],
  difference: ['Difference', 'ผลต่าง'],
  breaksOpen: ['Open breaks', 'ผลต่างค้าง'],
  version: ['Version', 'ฉบับที่'],
  acceptedAt: ['Accepted', 'รับเข้าระบบเมื่อ'],
  noStatement: ['No statement', 'ยังไม่มีรายการเดินบัญชี'],
  dayNotWhole: [
    'Not complete: the day had not ended when it was read, or a line cannot be read',
    'ยังไม่ครบ อ่านก่อนสิ้นวัน หรือมีบรรทัดที่อ่านไม่ได้',
  ],
  tiesOut: ['Ties out', 'ยอดตรงกัน'],
  noDays: ['No day has been reconciled yet', 'ยังไม่เคยกระทบยอด'],
  place: ['Found as', 'ผลการเทียบ'],
  count: ['Count', 'จำนวน'],
  kind: ['Break', 'ผลต่าง'],
  severity: ['Severity', 'ความรุนแรง'],
  openSince: ['Open since', 'ค้างตั้งแต่'],
  waitsCheck: ['A decision waits for a check', 'มีคำขอรออนุมัติ'],
  acceptedBreaks: ['accepted by people', 'รายการที่ยอมรับแล้ว'],
  versions: ['Versions of the statement', 'ฉบับของรายการเดินบัญชี'],
  fromWhere: ['From', 'ที่มา'],
  noBreaks: ['No break is open', 'ไม่มีผลต่างค้าง'],
  backToDays: ['Back to all days', 'กลับไปหน้ากระทบยอด'],
  moreBreaks: ['The most severe 200 are shown', 'แสดง 200 รายการที่รุนแรงที่สุด'],
} as const satisfies Words;
