/** Words of the queue. */
import type { Words } from './pair.ts';

export const queueWords = {
  any: ['Any', 'ทั้งหมด'],
  search: ['Search', 'ค้นหา'],
  searchHint: ['Payee number, name, reference, amount or day', 'เลขผู้รับเงิน ชื่อ เลขอ้างอิง จำนวนเงิน หรือวันที่'],
  find: ['Find', 'ค้นหา'],
  clear: ['Clear', 'ล้างตัวกรอง'],
  older: ['Older', 'รายการก่อนหน้า'],
  newest: ['Newest', 'รายการล่าสุด'],
  needPerson: ['need a person', 'รายการรอดำเนินการ'],
  oldest: ['oldest', 'ค้างนานสุด'],
  nothingWaits: ['Nothing needs a person', 'ไม่มีรายการรอดำเนินการ'],
  noMatch: ['No match', 'ไม่พบรายการที่ตรงกัน'],
  shown: ['Figures of', 'ข้อมูล ณ'],
  wrongDay: ['The day is not one of the calendar', 'วันที่ไม่ถูกต้อง'],
} as const satisfies Words;
