/** Words of the time line: states of a transfer, and facts of a payout's events. */
import type { AttemptStatus } from '../../../core/payout.ts';
import type { Pair, Words } from './pair.ts';

/** The states of a transfer. */
export const attemptPairs: Readonly<Record<AttemptStatus, Pair>> = {
  recorded: ['recorded', 'บันทึกแล้ว'],
  sent: ['sent', 'ส่งแล้ว'],
  paid: ['paid', 'จ่ายสำเร็จ'],
  failed: ['failed', 'ไม่สำเร็จ'],
  refused: ['refused', 'ธนาคารปฏิเสธ'],
  unresolved: ['unresolved', 'ยังสรุปผลไม่ได้'],
};

/** The facts of events, by their names in the journal; other facts are displayed by that name. */
export const factWords: Words = {
  transRefNo: ['Transfer', 'เลขที่โอน'],
  sysRefNo: ["Bank's reference", 'เลขอ้างอิงธนาคาร'],
  severity: ['Severity', 'ระดับ'],
  transFee: ['Fee', 'ค่าธรรมเนียม'],
  httpStatus: ['HTTP status', 'สถานะ HTTP'],
  why: ['Why', 'สาเหตุ'],
  reason: ['Why', 'สาเหตุ'],
  remedy: ['What to do', 'วิธีแก้ไข'],
  elapsedMs: ['Answered after (ms)', 'เวลาตอบ (มิลลิวินาที)'],
  finding: ['The bank says', 'ธนาคารแจ้งว่า'],
  hold: ['Hold', 'เหตุที่ระงับ'],
  lifted: ['Holds lifted', 'เหตุที่ยกเลิกการระงับ'],
  was: ['It was', 'สถานะก่อนหน้า'],
  proxyNo: ['Payee number', 'เลขผู้รับเงิน'],
  amount: ['Amount', 'จำนวนเงิน'],
  statement: ['Statement of', 'รายการเดินบัญชีวันที่'],
  version: ['Version', 'ฉบับที่'],
  line: ['Line', 'บรรทัดที่'],
  statusText: ['Status there', 'สถานะในรายการ'],
  source: ['Came from', 'ที่มา'],
  sends: ['Sent so often', 'จำนวนครั้งที่ส่ง'],
  clearedRefs: ['After', 'ต่อจาก'],
  changed: ['Changed', 'สิ่งที่เปลี่ยน'],
  open: ['Still open', 'ยังไม่จบ'],
  earlier: ['Earlier payment', 'รายการก่อนหน้า'],
  requestUid: ['Request', 'เลขที่คำขอ'],
  accountNo: ['Account', 'เลขที่บัญชี'],
  respCode: ['Code', 'รหัส'],
  respDesc: ['Told', 'ผลที่แจ้ง'],
  ddrOapiSeqId: ["Bank's reference", 'เลขอ้างอิงธนาคาร'],
  wasInDoubt: ['It was in doubt', 'ยังไม่ทราบผลมาก่อน'],
  xRequestId: ['x-request-id', 'x-request-id'],
  asksFor: ['Hash of what it asks for now', 'แฮชของข้อมูลที่ขอจ่ายใหม่'],
  orderHash: ['Hash of what was sent', 'แฮชของข้อมูลที่ส่ง'],
};
