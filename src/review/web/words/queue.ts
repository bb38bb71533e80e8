/** Words of the queue. */
import type { QueueKind } from '../../rules/queue.ts';
import type { Pair, Words } from './pair.ts';

export const queueWords = {
  any: ['Any', 'ทั้งหมด'],
  search: ['Search', 'ค้นหา'],
  searchHint: [
    'Payee number or its last four digits, letters of a name, reference, amount or day',
    'เลขผู้รับเงินหรือเลขท้ายสี่ตัว ตัวอักษรในชื่อ เลขอ้างอิง จำนวนเงิน หรือวันที่',
  ],
  searchedWhole: [
    'This search compared whole numbers. That is recorded.',
    'การค้นหานี้เทียบกับเลขเต็ม ระบบบันทึกการค้นหานี้แล้ว',
  ],
  searchedEnd: [
    'You see masked numbers: this search compared the last four digits alone.',
    'คุณเห็นเฉพาะเลขที่ปิดบัง การค้นหานี้จึงเทียบเฉพาะเลขท้ายสี่ตัว',
  ],
  find: ['Find', 'ค้นหา'],
  clear: ['Clear', 'ล้างตัวกรอง'],
  older: ['Older', 'รายการก่อนหน้า'],
  newest: ['Newest', 'รายการล่าสุด'],
  needPerson: ['need a person', 'รายการรอดำเนินการ'],
  oldest: ['oldest', 'ค้างนานสุด'],
  nothingWaits: ['Nothing needs a person', 'ไม่มีรายการรอดำเนินการ'],
  noMatch: ['No match', 'ไม่พบรายการที่ตรงกัน'],
  shown: ['Figures of', 'ข้อมูล ณ'],
  wrongDay: [
    'This is no day: write YYYY-MM-DD, by the Christian era, such as 2026-11-28',
    'วันที่ไม่ถูกต้อง: เขียนเป็น ปี ค.ศ.-เดือน-วัน เช่น 2026-11-28',
  ],
  others: ['Beside the payouts', 'รายการอื่นที่รอดำเนินการ'],
  waits: ['What waits', 'รายการที่รอ'],
  owner: ['Owner', 'ผู้รับเรื่อง'],
  takeIt: ['Take it', 'รับเรื่อง'],
  giveBack: ['Give it back', 'คืนเรื่อง'],
  inShell: ['by the command under “What to do”', 'ใช้คำสั่งที่ระบุในวิธีแก้ไข'],
  waitsNoMore: ['It does not wait for anybody any more', 'รายการนี้ไม่รอดำเนินการแล้ว'],
} as const satisfies Words;

export const kindWords: Readonly<Record<QueueKind, Pair>> = {
  break: ['Break', 'ผลต่าง'],
  day: ['Day without a statement', 'วันที่ไม่มีรายการเดินบัญชี'],
  file: ['Refused file', 'ไฟล์ที่ไม่รับเข้าระบบ'],
  payer: ['Halted account', 'บัญชีที่หยุดจ่าย'],
  batch: ['Held batch', 'ชุดจ่ายเงินที่ระงับไว้'],
  doubt: ['Long in doubt', 'ยังไม่ทราบผลเป็นเวลานาน'],
  registration: ['Registration', 'การลงทะเบียนหักบัญชี'],
  callback: ['Unknown callback', 'การแจ้งผลที่ไม่ทราบรายการ'],
  proposal: ['Waits for a check', 'รออนุมัติ'],
  decisions: ['File of decisions', 'ไฟล์การตัดสินใจ'],
};
