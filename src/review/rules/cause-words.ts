/** What happens to a payout, in English and Thai. */
import type { PayoutCause } from '../../core/payout.ts';

export const causeWords: Readonly<Record<PayoutCause, readonly [en: string, th: string]>> = {
  sealed: ['The whole file was read and sealed', 'อ่านไฟล์ครบและปิดผนึกแล้ว'],
  'hold-added': ['Held', 'ระงับไว้'],
  'hold-lifted': ['A hold was lifted', 'ยกเลิกการระงับ'],
  cancelled: ['Cancelled', 'ยกเลิกรายการ'],
  'payee-check-refused': ['The bank says that this payee cannot be paid', 'ธนาคารแจ้งว่าจ่ายให้ผู้รับรายนี้ไม่ได้'],
  'intent-recorded': ['Recorded, and then sent to the bank', 'บันทึกแล้วจึงส่งให้ธนาคาร'],
  'earlier-attempt-alive': [
    'An earlier transfer is in process at the bank after all',
    'การโอนครั้งก่อนยังดำเนินการอยู่ที่ธนาคาร',
  ],
  'found-after-loss': [
    'The bank knows a transfer that the lost journal had made',
    'ธนาคารมีรายการโอนที่สมุดบันทึกเดิมเคยส่ง',
  ],
  'outcome-in-doubt': ['No clear answer: the bank is asked', 'ไม่มีคำตอบชัดเจน จึงสอบถามธนาคาร'],
  inquired: ['The bank was asked: nothing new', 'สอบถามธนาคารแล้ว ไม่มีข้อมูลใหม่'],
  'inquiry-requested': ['Somebody wants the bank asked now', 'มีผู้ขอให้สอบถามธนาคารทันที'],
  'sending-again': ['The same transfer sent again', 'ส่งการโอนเดิมซ้ำ'],
  proved: ['The bank has proved the payment', 'ธนาคารยืนยันว่าจ่ายแล้ว'],
  'refused-for-payout': ['The bank has refused it', 'ธนาคารปฏิเสธรายการ'],
  'inquiry-failed': ['The bank says that it failed', 'ธนาคารแจ้งว่าจ่ายไม่สำเร็จ'],
  'refused-for-line': [
    'Refused for the payer account or the service; no money moved',
    'ถูกปฏิเสธเพราะบัญชีผู้จ่ายหรือระบบบริการ เงินยังไม่ออก',
  ],
  'given-up': ['Inquiries have proved nothing', 'สอบถามจนครบแล้วยังสรุปผลไม่ได้'],
  'decided-paid': ['Confirmed as paid by people', 'ผู้มีอำนาจยืนยันว่าจ่ายสำเร็จ'],
  'decided-failed': ['Confirmed as failed by people', 'ผู้มีอำนาจยืนยันว่าจ่ายไม่สำเร็จ'],
  'statement-failed': ['The statement says that it failed', 'รายการเดินบัญชีระบุว่าจ่ายไม่สำเร็จ'],
  'tried-again': ['To be tried again', 'ให้ส่งจ่ายใหม่'],
  corrected: ['Corrected', 'แก้ไขข้อมูล'],
  released: ['Its number was released', 'ปลดเลขที่ให้ใช้ใหม่'],
  acknowledged: ['A person acknowledged it', 'รับทราบแล้ว'],
  'late-proof': ['Paid after all: an alarm', 'ปรากฏว่าจ่ายแล้ว: แจ้งเตือนสำคัญ'],
  'second-proof': ['Paid a second time: an alarm', 'ปรากฏว่าจ่ายซ้ำ: แจ้งเตือนสำคัญ'],
  'alarm-raised': [
    'The bank contradicts what was proved: an alarm',
    'ข้อมูลธนาคารขัดแย้งกับที่พิสูจน์แล้ว: แจ้งเตือนสำคัญ',
  ],
  'statement-read': ['A statement tells of it', 'ปรากฏในรายการเดินบัญชี'],
  'statement-contradicts': [
    'A statement contradicts the payment: an alarm',
    'รายการเดินบัญชีขัดแย้งกับผลการจ่าย: แจ้งเตือนสำคัญ',
  ],
};

/** What has happened, one after another, within a sentence; none of the words has it. */
export const causesParted = ', then ';

/** Within a sentence. @param words of a cause, in English */
export const causeWithin = (words: string): string => words.slice(0, 1).toLowerCase() + words.slice(1);

/** @param causes in their order */
export const describeCauses = (causes: readonly PayoutCause[]): string =>
  causes.map((cause) => causeWithin(causeWords[cause][0])).join(causesParted);
