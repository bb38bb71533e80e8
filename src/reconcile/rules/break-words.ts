/** Names for the places of a day's totals, in English and Thai, including the kinds of breaks. */
import type { BreakKind, LineClass, PaidClass } from './types.ts';

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

export const breakWords: Readonly<Record<BreakKind, Pair>> = {
  'paid-twice': ['paid twice', 'จ่ายซ้ำสองครั้ง'],
  'status-mismatch': ['status differs', 'สถานะไม่ตรงกัน'],
  'status-contradiction': ['codes of one line contradict each other', 'รหัสในบรรทัดเดียวกันขัดแย้งกัน'],
  'line-unreadable': ['line that cannot be read', 'อ่านบรรทัดไม่ได้'],
  'payee-mismatch': ['payee differs', 'ผู้รับเงินไม่ตรงกัน'],
  'amount-mismatch': ['amount differs', 'จำนวนเงินไม่ตรงกัน'],
  'other-company': ['booked for another company', 'ลงรายการในชื่อบริษัทอื่น'],
  'payer-mismatch': ['another account was debited', 'หักจากบัญชีอื่น'],
  'duplicate-line': ['the same transfer twice', 'รายการซ้ำในรายการเดินบัญชี'],
  'unmatched-bank-line': ['unknown to us', 'มีที่ธนาคาร แต่ไม่มีในระบบ'],
  'missing-at-bank': ['missing at the bank', 'มีในระบบ แต่ไม่มีที่ธนาคาร'],
  'no-trace': ['no trace at the bank', 'ธนาคารไม่มีร่องรอยของรายการ'],
  'unknown-status-word': ['unknown word for the status', 'ไม่รู้จักคำบอกสถานะของธนาคาร'],
  'fee-mismatch': ['fee differs', 'ค่าธรรมเนียมไม่ตรงกัน'],
  'net-mismatch': ['net amount differs', 'ยอดสุทธิไม่ตรงกัน'],
  'date-mismatch': ['date differs', 'วันที่ไม่ตรงกัน'],
  'pending-at-bank': ['in process at the bank', 'ธนาคารกำลังดำเนินการ'],
  'pending-not-in-statement': ['in doubt, and not in the statement', 'ยังไม่ทราบผล และไม่มีในรายการเดินบัญชี'],
};

/** Names for places on which both sides agree. */
export const agreedWords: Readonly<Record<Exclude<LineClass | PaidClass, BreakKind>, Pair>> = {
  matched: ['paid on both sides', 'จ่ายสำเร็จตรงกันทั้งสองฝ่าย'],
  'matched-other-day': ['paid, sent on another day', 'จ่ายสำเร็จ ส่งในวันอื่น'],
  'settled-paid': ['paid, in doubt before', 'จ่ายสำเร็จ ก่อนหน้านี้ยังไม่ทราบผล'],
  'settled-paid-other-day': [
    'paid, in doubt before, sent on another day',
    'จ่ายสำเร็จ ก่อนหน้านี้ยังไม่ทราบผล ส่งในวันอื่น',
  ],
  'agreed-failed': ['failed on both sides', 'ไม่สำเร็จตรงกันทั้งสองฝ่าย'],
  'settled-failed': ['failed, in doubt before', 'ไม่สำเร็จ ก่อนหน้านี้ยังไม่ทราบผล'],
  others: ["other companies'", 'รายการของบริษัทอื่น'],
  'found-other-day': ["in another day's statement", 'อยู่ในรายการเดินบัญชีของวันอื่น'],
};
