/**
 * Why something waits or is not possible, in the words of the rules, with the Thai. Names in braces are filled in, and
 * name the kind of Thai text: `{status}`, `{role}`, `{action}`, `{holds}`, `{causes}`, `{break}`, and `{why}` for a
 * sentence within one. Any other value stays as it is.
 */
import { issuePairs } from './issue-why-texts.ts';

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

/** Why a batch or an account does not go on. */
const ofStops: readonly Pair[] = [
  ['cancelled by a person before it was sent', 'มีผู้ยกเลิกก่อนส่ง'],
  ['the bank refuses our access token even after it was renewed', 'ธนาคารไม่รับโทเคนของระบบแม้ขอใหม่แล้ว'],
  ['the bank forbids this request (HTTP 403)', 'ธนาคารไม่อนุญาตคำขอนี้ (HTTP 403)'],
  ['the bank asks us to slow down (HTTP 429)', 'ธนาคารขอให้ส่งช้าลง (HTTP 429)'],
  [
    'its file may have been paid before: {count} of {count2} rows share payee and amount with rows that are paid or under way ({place})',
    'ไฟล์นี้อาจจ่ายไปแล้ว: {count} จาก {count2} แถวมีผู้รับและจำนวนเงินตรงกับรายการที่จ่ายแล้วหรือกำลังจ่าย ({place})',
  ],
];

/** Why a row is held or has ended, in paydrop's own words. */
const ofRows: readonly Pair[] = [
  ['{why} (held: {holds})', '{why} (ระงับ: {holds})'],
  ['{why}; {why2}', '{why} {why2}'],
  ['waits for approval', 'รออนุมัติ'],
  ['the amount is over limits.bahtPerPayout', 'จำนวนเงินเกิน limits.bahtPerPayout'],
  [
    'differs from payoutId {payoutId} only in case, leading zeros, decimals of zeros, punctuation or blanks',
    'ต่างจาก payoutId {payoutId} เพียงตัวพิมพ์ใหญ่เล็ก เลขศูนย์นำหน้า ทศนิยมที่เป็นศูนย์ เครื่องหมาย หรือช่องว่าง',
  ],
  [
    'the same amount was paid to the same payee as payoutId {payoutId} ({place})',
    'เคยจ่ายจำนวนเงินเท่ากันให้ผู้รับเดียวกันใน payoutId {payoutId} ({place})',
  ],
  [
    'the same amount may have been paid to the same payee as payoutId {payoutId} ({place})',
    'อาจเคยจ่ายจำนวนเงินเท่ากันให้ผู้รับเดียวกันใน payoutId {payoutId} ({place})',
  ],
  [
    'this payoutId is already taken by {place}, which is {status}: {why}',
    'payoutId นี้ใช้แล้วใน {place} ซึ่งมีสถานะ {status} {why}',
  ],
  [
    'do not send it twice; it goes on or is cancelled there, and only another payment gets another payoutId',
    'ห้ามส่งซ้ำ ให้ดำเนินการต่อหรือยกเลิกที่รายการนั้น ใช้ payoutId ใหม่เฉพาะเมื่อเป็นการจ่ายอื่น',
  ],
  [
    'a person has cancelled it, and it keeps its payoutId; if it is to be paid after all, send it under another one',
    'มีผู้ยกเลิกแล้ว และยังถือ payoutId นี้อยู่ ถ้าต้องการจ่ายให้ส่งด้วย payoutId อื่น',
  ],
  [
    'do not pay it again; a payoutId is paid once, and only another payment gets another one',
    'ห้ามจ่ายซ้ำ payoutId หนึ่งจ่ายได้ครั้งเดียว ใช้ payoutId ใหม่เฉพาะเมื่อเป็นการจ่ายอื่น',
  ],
  [
    'with it {amount} baht would be sent on {day}, more than {amount2} (limits.bahtPerDay)',
    'ถ้ารวมรายการนี้จะส่ง {amount} บาทในวันที่ {day} เกิน {amount2} (limits.bahtPerDay)',
  ],
  [
    'with it {amount} baht would be sent to this payee on {day}, more than {amount2} (limits.bahtPerPayeePerDay)',
    'ถ้ารวมรายการนี้จะส่ง {amount} บาทให้ผู้รับรายนี้ในวันที่ {day} เกิน {amount2} (limits.bahtPerPayeePerDay)',
  ],
  [
    '{day} is a day on which nothing is sent (limits.closedDates)',
    '{day} เป็นวันที่ไม่ส่งรายการ (limits.closedDates)',
  ],
  [
    'no payment to this number has been proved before, and the amount is above {amount} baht (limits.newPayeeBaht)',
    'ยังไม่เคยจ่ายสำเร็จให้เลขนี้ และเกิน {amount} บาท (limits.newPayeeBaht)',
  ],
  ['confirmed as paid by people, with evidence', 'มีผู้ยืนยันว่าจ่ายสำเร็จ พร้อมหลักฐาน'],
  ['confirmed as failed by people, with evidence', 'มีผู้ยืนยันว่าจ่ายไม่สำเร็จ พร้อมหลักฐาน'],
  ['earlier attempt {ref} is paid', 'การส่งครั้งก่อน {ref} จ่ายสำเร็จแล้ว'],
  [
    'the bank completed attempt {ref} too: two transfers were made for this payoutId',
    'ธนาคารโอน {ref} สำเร็จด้วย มีการโอนสองครั้งสำหรับ payoutId นี้',
  ],
];

/** Findings in a statement. */
const ofBreaks: readonly Pair[] = [
  ['sent to {ours}, the statement says {banks}', 'ส่งให้ {ours} แต่รายการเดินบัญชีระบุ {banks}'],
  ['{ours} was sent, the statement says {banks}', 'ส่ง {ours} แต่รายการเดินบัญชีระบุ {banks}'],
  ['sent for company {ours}, the statement says {banks}', 'ส่งในชื่อบริษัท {ours} แต่รายการเดินบัญชีระบุ {banks}'],
  ['to be paid from {ours}, the statement says {banks}', 'ต้องจ่ายจาก {ours} แต่รายการเดินบัญชีระบุ {banks}'],
  [
    'the reply to the transfer said {ours}, the statement {banks}',
    'คำตอบของการโอนระบุ {ours} แต่รายการเดินบัญชีระบุ {banks}',
  ],
  ['we had called it failed, {why}: the bank has paid it', 'ระบบบันทึกว่าจ่ายไม่สำเร็จ {why} ธนาคารจ่ายแล้ว'],
  ['we had called it paid, {why}: the bank has not paid it', 'ระบบบันทึกว่าจ่ายสำเร็จ {why} ธนาคารไม่ได้จ่าย'],
  ['{why}, and another line contradicts it', '{why} และมีบรรทัดอื่นขัดแย้ง'],
  ['{why}: the bank has not finished it', '{why} ธนาคารยังดำเนินการไม่เสร็จ'],
  ['{why}: the settings do not know this word', '{why} ไม่มีคำนี้ในการตั้งค่า'],
  ['{why}: a spreadsheet has dropped the zero of {code}', '{why} โปรแกรมตารางตัดเลขศูนย์หน้า {code}'],
  ['the statement says {word}', 'รายการเดินบัญชีระบุ {word}'],
  [
    'attempt {number} is complete, and another attempt of this payout is paid, too: money went out twice',
    'การส่งครั้งที่ {number} สำเร็จ และการส่งอีกครั้งของรายการนี้ก็จ่ายแล้ว เงินออกสองครั้ง',
  ],
  ['the statement of an earlier day has it complete already', 'รายการเดินบัญชีของวันก่อนหน้าระบุว่าสำเร็จแล้ว'],
  ['a file given by {name}', 'ไฟล์จาก {name}'],
  ['a file given by {name}, who insisted', 'ไฟล์จาก {name} ซึ่งยืนยันรับ'],
  ['the bank', 'ธนาคาร'],
  ['the bank, {name} insisted', 'ธนาคาร โดย {name} ยืนยันรับ'],
  ['{why} (proposal {id})', '{why} (คำขอ {id})'],
  ['{why}, checked by {name} (proposal {id})', '{why} ตรวจโดย {name} (คำขอ {id})'],
];

export const whyPairs: readonly Pair[] = [...ofStops, ...ofRows, ...ofBreaks, ...issuePairs];
