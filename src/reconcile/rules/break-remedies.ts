/** Remedies for breaks, in words that a finance officer can act on. Every kind has one. */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../../core/bangkok-time.ts';
import type { AttemptStatus } from '../../core/payout.ts';
import type { Language } from '../../core/language.ts';
import { showDate } from '../../payout/rules/lost-journal.ts';
import { findDamagedCode } from './statement.ts';
import type { BreakKind, BreakRecord } from './types.ts';

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

const kindRemedies: Record<BreakKind, Pair> = {
  'paid-twice': [
    'Two transfers were made for this payout: make sure with both transRefNos that the payee got both, have one of them returned, ' +
      'and tell the partner',
    'มีการโอนสองครั้งสำหรับรายการนี้ ตรวจสอบด้วย transRefNo ทั้งสองว่าผู้รับได้เงินทั้งสองครั้ง ขอคืนหนึ่งรายการ และแจ้งคู่ค้า',
  ],
  'status-mismatch': [
    'Do not pay it again: the lines of the statement contradict each other; ask the bank with the transRefNo which of them holds',
    'ห้ามจ่ายซ้ำ บรรทัดในรายการเดินบัญชีขัดแย้งกันเอง ให้สอบถามธนาคารด้วย transRefNo ว่าบรรทัดใดถูกต้อง',
  ],
  'status-contradiction': [
    'Do not pay it again: one code of the line says that it failed, and another that it did not; ask what became of it with ' +
      '"paydrop settle", and ask the bank with the transRefNo which of the two holds',
    'ห้ามจ่ายซ้ำ รหัสหนึ่งในบรรทัดแจ้งว่าไม่สำเร็จ แต่อีกรหัสหนึ่งแจ้งเป็นอย่างอื่น ให้สอบถามสถานะ และสอบถามธนาคารด้วย transRefNo ว่ารหัสใดถูกต้อง',
  ],
  'line-unreadable': [
    'Do not pay it again before the line is known: fetch the statement of the day anew, since a spreadsheet may have damaged this ' +
      'file; if the line stays so, ask the bank what it says, and for a corrected statement',
    'ห้ามจ่ายซ้ำก่อนทราบข้อมูลในบรรทัดนี้ ให้ขอรายการเดินบัญชีของวันนั้นใหม่ เพราะโปรแกรมตารางคำนวณอาจทำให้ไฟล์เสียหาย ถ้ายังอ่านไม่ได้ ให้สอบถามธนาคารและขอฉบับแก้ไข',
  ],
  'payee-mismatch': [
    "Ask the bank with the transRefNo and sysRefNo who was credited; if it was not the row's payee, have the transfer returned " +
      'before it is paid again',
    'สอบถามธนาคารด้วย transRefNo และ sysRefNo ว่าเงินเข้าบัญชีใคร ถ้าไม่ใช่ผู้รับของรายการนี้ ให้ขอคืนเงินก่อนจ่ายใหม่',
  ],
  'amount-mismatch': [
    'Ask the bank with the transRefNo and sysRefNo which amount was moved, and have the difference put right; do not pay the rest in ' +
      'a new file before',
    'สอบถามธนาคารด้วย transRefNo และ sysRefNo ว่าโอนจำนวนเท่าใด และให้แก้ไขส่วนต่าง ห้ามจ่ายส่วนที่เหลือในไฟล์ใหม่ก่อนทราบผล',
  ],
  'other-company': [
    'Ask the bank with the transRefNo why a transfer of ours is booked for another company, and have it put right',
    'สอบถามธนาคารด้วย transRefNo ว่าเหตุใดรายการของเราจึงลงในชื่อบริษัทอื่น และให้แก้ไข',
  ],
  'payer-mismatch': [
    'Ask the bank with the transRefNo why another account was debited, and have it put right',
    'สอบถามธนาคารด้วย transRefNo ว่าเหตุใดจึงหักจากบัญชีอื่น และให้แก้ไข',
  ],
  'duplicate-line': [
    'Ask the bank whether one transfer is listed twice or two were made, and have the second one returned; one listed twice is put ' +
      'right in a corrected statement',
    'สอบถามธนาคารว่าเป็นการแสดงรายการซ้ำหรือโอนสองครั้ง ถ้าโอนสองครั้งให้ขอคืนรายการที่สอง ถ้าแสดงซ้ำธนาคารจะแก้ในรายการเดินบัญชีฉบับแก้ไข',
  ],
  'unmatched-bank-line': [
    'Find out who sent it: another program with the same company ID, or this one with a journal that was lost ("paydrop show" and ' +
      'the transRefNo); if neither did, ask the bank at once',
    'ตรวจสอบว่าใครเป็นผู้ส่ง อาจเป็นโปรแกรมอื่นที่ใช้รหัสบริษัทเดียวกัน หรือระบบนี้ก่อนข้อมูลสูญหาย ถ้าไม่มีผู้ใดส่ง ให้แจ้งธนาคารทันที',
  ],
  'missing-at-bank': [
    "Look for it in the next day's statement; if it is not there either, ask the bank with the transRefNo and sysRefNo, and do not " +
      'pay it again meanwhile',
    'ค้นหาในรายการเดินบัญชีของวันถัดไป ถ้ายังไม่พบ ให้สอบถามธนาคารด้วย transRefNo และ sysRefNo ระหว่างนี้ห้ามจ่ายซ้ำ',
  ],
  'no-trace': [
    'It stays unresolved: ask the bank in writing whether it knows the transRefNo; do not pay it again before it has answered',
    'ยังสรุปผลไม่ได้ ให้สอบถามธนาคารเป็นลายลักษณ์อักษรว่ามี transRefNo นี้หรือไม่ ห้ามจ่ายซ้ำก่อนได้รับคำตอบ',
  ],
  'unknown-status-word': [
    'Ask the bank what the word in STATUS means and add it to reconcile.words in the settings, then reconcile the day again',
    'สอบถามธนาคารว่าคำในช่อง STATUS หมายถึงอะไร เพิ่มในการตั้งค่า reconcile.words แล้วกระทบยอดวันนั้นใหม่',
  ],
  'fee-mismatch': [
    'Compare with the fee that is agreed with the bank, and have the difference put right',
    'เทียบกับค่าธรรมเนียมที่ตกลงกับธนาคาร และให้แก้ไขส่วนต่าง',
  ],
  'net-mismatch': [
    'Compare amount, fee and net amount with the charge type that is agreed with the bank, and ask it for the figures',
    'เทียบจำนวนเงิน ค่าธรรมเนียม และยอดสุทธิกับเงื่อนไขที่ตกลงกับธนาคาร และสอบถามตัวเลขจากธนาคาร',
  ],
  'date-mismatch': [
    'Make sure in which day it is to be booked, and that no other statement has it too; ask the bank for a corrected statement',
    'ตรวจสอบว่าควรลงรายการในวันใด และไม่อยู่ในรายการเดินบัญชีอื่นด้วย ขอรายการเดินบัญชีฉบับแก้ไขจากธนาคาร',
  ],
  'pending-at-bank': [
    'Do not pay it again: wait for a later statement, or ask what became of it with "paydrop settle"',
    'ห้ามจ่ายซ้ำ รอรายการเดินบัญชีฉบับถัดไป หรือสอบถามสถานะกับธนาคาร',
  ],
  'pending-not-in-statement': [
    'Do not pay it again, absence proves nothing: ask what became of it with "paydrop settle", and reconcile the next day\'s statement',
    'ห้ามจ่ายซ้ำ การไม่พบรายการไม่ใช่หลักฐานว่าไม่ได้จ่าย ให้สอบถามสถานะ และกระทบยอดกับรายการเดินบัญชีของวันถัดไป',
  ],
};

const paidAfterAll = (before: string, beforeTh: string): Pair => [
  `It is paid, though ${before}: make sure that it was not paid by other means meanwhile, have one of the two ` +
    'returned if so, and tell the partner',
  `รายการนี้จ่ายแล้ว แม้${beforeTh} ตรวจสอบว่าไม่มีการจ่ายด้วยวิธีอื่นไปแล้ว ถ้ามีให้ขอคืนหนึ่งรายการ และแจ้งคู่ค้า`,
];

/** Remedies for settled attempts, about which only the bank's staff can tell more. */
const settledRemedies: Partial<Record<BreakKind, Pair>> = {
  'status-contradiction': [
    'Do not pay it again: one code of the line says that it failed, and another that it did not, and what we know of it is settled; ask ' +
      'the bank with the transRefNo which of the two holds, and for a corrected statement',
    'ห้ามจ่ายซ้ำ รหัสหนึ่งในบรรทัดแจ้งว่าไม่สำเร็จ แต่อีกรหัสหนึ่งแจ้งเป็นอย่างอื่น และระบบสรุปผลรายการนี้แล้ว ให้สอบถามธนาคารด้วย transRefNo ว่ารหัสใดถูกต้อง และขอรายการเดินบัญชีฉบับแก้ไข',
  ],
  'pending-at-bank': [
    'Do not pay it again: what we know of it is settled; wait for a later statement, or ask the bank with the transRefNo',
    'ห้ามจ่ายซ้ำ ระบบสรุปผลรายการนี้แล้ว รอรายการเดินบัญชีฉบับถัดไป หรือสอบถามธนาคารด้วย transRefNo',
  ],
};

/** Statuses about which "paydrop settle" asks no more. */
const settledStatuses: readonly (AttemptStatus | undefined)[] = ['paid', 'failed', 'refused'];

/** Remedies for `status-mismatch`, by our own status before. */
const statusRemedies: Partial<Record<AttemptStatus, Pair>> = {
  paid: [
    'Do not pay it again: the bank had confirmed it, and its statement says that it failed; ask the bank with the transRefNo and ' +
      'sysRefNo which of the two holds, and tell the partner that the payment is disputed',
    'ห้ามจ่ายซ้ำ ธนาคารเคยยืนยันว่าจ่ายแล้ว แต่รายการเดินบัญชีแจ้งว่าไม่สำเร็จ ให้สอบถามธนาคารด้วย transRefNo และ sysRefNo ว่าผลใดถูกต้อง และแจ้งคู่ค้า',
  ],
  failed: paidAfterAll('we had called it failed', 'ระบบเคยสรุปว่าไม่สำเร็จ'),
  refused: paidAfterAll('the bank had refused it', 'ธนาคารเคยปฏิเสธ'),
};

const mayMean = (meaning: string, meaningTh: string): Pair => [
  `Do not pay it again: the word may mean that ${meaning}; ask the bank what it means and add it to reconcile.words in ` +
    'the settings, then reconcile the day again',
  `ห้ามจ่ายซ้ำ คำนี้อาจหมายความว่า${meaningTh} ให้สอบถามธนาคาร เพิ่มในการตั้งค่า reconcile.words แล้วกระทบยอดวันนั้นใหม่`,
];

/** Remedies for an unknown word of STATUS, by our own status before. */
const wordRemedies: Partial<Record<AttemptStatus, Pair>> = {
  paid: mayMean('the money went back', 'เงินถูกส่งคืนแล้ว'),
  failed: mayMean('the bank has paid what we call failed', 'ธนาคารจ่ายรายการที่ระบบสรุปว่าไม่สำเร็จ'),
  refused: mayMean('the bank has paid what it had refused', 'ธนาคารจ่ายรายการที่เคยปฏิเสธ'),
};

/**
 * Remedy for a code that has lost its zero. It is no word of the bank's, so it belongs neither in a question to the
 * bank nor in the settings.
 */
const damagedRemedy: Pair = [
  'Do not pay it again before the line is known: fetch the statement of the day from the bank again ("paydrop reconcile --date" and ' +
    'the day) and give it to paydrop without saving it in a spreadsheet',
  'ห้ามจ่ายซ้ำก่อนตรวจบรรทัดนี้ ให้ดึงรายการเดินบัญชีของวันนั้นจากธนาคารใหม่ ("paydrop reconcile --date" และวันที่) และห้ามบันทึกไฟล์ด้วยโปรแกรมตารางก่อนนำเข้า',
];

/** The reason of the break says why it waits. */
const waitingRemedy: Pair = [
  'Do not pay it again: the line says that it failed, and does not settle it yet; ask what became of it with "paydrop settle", ' +
    'then reconcile the day again',
  'ห้ามจ่ายซ้ำ บรรทัดนี้แจ้งว่าไม่สำเร็จ แต่ยังสรุปผลไม่ได้ ให้สอบถามสถานะ แล้วกระทบยอดวันนั้นใหม่',
];

const earlierRemedy: Pair = [
  'Do not pay it again: find out who sent the transfer of that day, such as this program with a journal that was lost ("paydrop ' +
    'show" and the transRefNo); if it was complete, ask the bank whether the payee was paid twice',
  'ห้ามจ่ายซ้ำ ตรวจสอบว่าใครส่งรายการของวันนั้น อาจเป็นระบบนี้ก่อนข้อมูลสูญหาย ถ้าจ่ายสำเร็จแล้ว ให้สอบถามธนาคารว่าผู้รับได้เงินสองครั้งหรือไม่',
];

const deadEnds: Partial<Record<BreakKind, Pair>> = {
  'payee-mismatch': ['The failed transfer names another payee', 'รายการที่ไม่สำเร็จระบุผู้รับเงินคนอื่น'],
  'amount-mismatch': ['The failed transfer names another amount', 'รายการที่ไม่สำเร็จระบุจำนวนเงินอื่น'],
};

/** Remedies that send to "paydrop settle", for a send that only a statement settles: another journal has made it. */
function byStatement(date: string): Pair {
  const [day, next] = [date, nextDay(date)].map(showDate);
  return [
    'Do not pay it again: a part of the journal that was lost has sent it, and only a statement settles it. Reconcile that day ' +
      `once more, or the next ("paydrop reconcile --date ${day ?? ''}" or "paydrop reconcile --date ${next ?? ''}"); what the bank has ` +
      'told you otherwise is recorded with "paydrop confirm"',
    'ห้ามจ่ายซ้ำ รายการนี้ส่งก่อนข้อมูลสูญหาย สรุปผลได้จากรายการเดินบัญชีเท่านั้น ให้กระทบยอดวันนั้นอีกครั้งหรือวันถัดไป ' +
      `("paydrop reconcile --date ${day ?? ''}" หรือ "paydrop reconcile --date ${next ?? ''}") หรือบันทึกสิ่งที่ธนาคารแจ้งด้วย "paydrop confirm"`,
  ];
}

const nextDay = (date: string): string => formatBangkokDate((parseBangkokDate(date) ?? 0) + dayMs);

type Remedied = Pick<BreakRecord, 'kind' | 'severity' | 'attempt' | 'lines' | 'lineAt' | 'date'>;

/** The remedy for a break; never empty. */
export function describeBreakRemedy(record: Remedied, language: Language = 'en'): string {
  const found = findRemedy(record);
  const isInVain = record.attempt?.isByStatement === true && found[0].includes('"paydrop settle"');
  return (isInVain ? byStatement(record.date) : found)[language === 'th' ? 1 : 0];
}

function findRemedy({ kind, severity, attempt, lines, lineAt }: Remedied): Pair {
  const line = lines[lineAt ?? -1];
  if (kind === 'status-mismatch') {
    if (severity === 'low') return waitingRemedy;
    const isContradicted = lines.some(({ status }) => status !== line?.status);
    if (isContradicted) return kindRemedies[kind];
    const known = attempt === null ? undefined : statusRemedies[attempt.attemptStatus];
    return known ?? kindRemedies[kind];
  }
  if (kind === 'date-mismatch' && severity === 'high') return earlierRemedy;
  const settled = settledStatuses.includes(attempt?.attemptStatus) ? settledRemedies[kind] : undefined;
  if (settled !== undefined) return settled;
  if (kind === 'unknown-status-word') {
    if (line !== undefined && findDamagedCode(line.statusText) !== undefined) return damagedRemedy;
    const known = attempt === null ? undefined : wordRemedies[attempt.attemptStatus];
    return known ?? kindRemedies[kind];
  }
  if (line?.status === 'failed') {
    const deadEnd = deadEnds[kind];
    if (deadEnd !== undefined) {
      const [english, thai] = deadEnd;
      return [
        `${english}: no money moved by it, but ask the bank whether the reference is ours before it is tried again`,
        `${thai} เงินไม่ออกจากรายการนั้น แต่ให้สอบถามธนาคารว่าเลขอ้างอิงเป็นของเราหรือไม่ก่อนส่งจ่ายใหม่`,
      ];
    }
  }
  return kindRemedies[kind];
}

/** All possible remedies of a break. */
export const breakRemedyPairs: readonly Pair[] = [
  ...Object.values(kindRemedies),
  ...Object.values(settledRemedies),
  ...Object.values(statusRemedies),
  ...Object.values(wordRemedies),
  damagedRemedy,
  waitingRemedy,
  earlierRemedy,
];
