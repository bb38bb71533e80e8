/**
 * Why something waits or is not possible, in the words of the rules, with the Thai. Names in braces are filled in, and
 * name the kind of Thai text: `{status}`, `{role}`, `{action}`, `{holds}`, `{causes}`, `{break}`, and `{why}` for a
 * sentence within one. Any other value stays as it is.
 */
import { issuePairs } from './issue-why-texts.ts';

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

/** Items that wait, and what is done about them. */
const ofQueue: readonly Pair[] = [
  [
    'payouts were sent on this day, and the bank has given no statement of it that could be used',
    'มีการส่งรายการในวันนี้ แต่ธนาคารยังไม่ให้รายการเดินบัญชีที่ใช้ได้',
  ],
  [
    'Ask the bank for it; then {commands} with one that it has sent; acknowledge it if none will ever come',
    'ขอจากธนาคาร แล้วใช้คำสั่ง {commands} กับไฟล์ที่ธนาคารส่งมา ถ้าไม่มีวันได้รับให้รับทราบ',
  ],
  [
    'Nothing of it was paid: correct it and run it again, under the same name, or acknowledge it if it is no longer needed',
    'ยังไม่มีการจ่ายจากไฟล์นี้ ให้แก้ไขแล้วรันใหม่ด้วยชื่อเดิม หรือรับทราบเมื่อไม่มีผู้รอแล้ว',
  ],
  [
    'Nothing of it was paid: correct it as its .reason.txt says and drop it again, or acknowledge it if it is no longer needed',
    'ไม่มีการจ่ายจากไฟล์นี้ แก้ไขตามไฟล์ .reason.txt แล้ววางใหม่ ถ้าไม่มีผู้ใดรอแล้วให้รับทราบ',
  ],
  ['{rows} of its rows are held together', 'ระงับไว้พร้อมกัน {rows} แถว'],
  ['rows of it wait for approval', 'มีรายการที่รออนุมัติ'],
  ['it waits for approval: nothing that was not approved is paid', 'รออนุมัติ จะไม่จ่ายรายการที่ยังไม่อนุมัติ'],
  ['Look at it ("{command}"), then "{command2}"', 'เปิดดู ("{command}") แล้วใช้ "{command2}"'],
  [
    'Look at what holds them ("{command}"); "{command2}" lets them go on, "{command3}" ends them',
    'ดูสาเหตุที่ระงับ ("{command}") ใช้ "{command2}" เพื่อดำเนินการต่อ หรือ "{command3}" เพื่อยกเลิก',
  ],
  [
    'the bank has not yet said what became of {count} transfer of it',
    'ธนาคารยังไม่แจ้งผลของการโอน {count} รายการ',
  ],
  [
    'the bank has not yet said what became of {count} transfers of it',
    'ธนาคารยังไม่แจ้งผลของการโอน {count} รายการ',
  ],
  [
    'Do not pay them again by hand: "{command}" asks at once, and the statement of their day settles them; what stays open becomes unresolved, and is then decided on row by row',
    'ห้ามจ่ายซ้ำด้วยวิธีอื่น ใช้คำสั่ง "{command}" สอบถามได้ทันที รายการเดินบัญชีของวันนั้นจะยืนยันผล ที่ยังค้างจะสรุปผลไม่ได้ และตัดสินใจทีละรายการ',
  ],
  ['{name} has proposed it: {note}', '{name} เสนอไว้: {note}'],
  [
    'Another person looks at it ("{command}"), then "{command2}": {effect}',
    'ให้ผู้อื่นเปิดดู ("{command}") แล้วใช้ "{command2}"',
  ],
  [
    'a file with decisions was dropped, and no maker has confirmed them',
    'มีการวางไฟล์การตัดสินใจ ซึ่งยังไม่มีผู้ยืนยันว่าเป็นของตน',
  ],
  [
    'a file with decisions was dropped, and no maker has confirmed them: {asks}',
    'มีการวางไฟล์การตัดสินใจ ซึ่งยังไม่มีผู้ยืนยันว่าเป็นของตน: {asks}',
  ],
  [
    'A maker looks at it and confirms it ("{command}"), or throws it away (--discard)',
    'ให้ผู้ทำรายการเปิดดูแล้วยืนยัน ("{command}") หรือทิ้ง (--discard)',
  ],
  ['{name} has halted it: {note}', '{name} สั่งหยุดจ่าย: {note}'],
  [
    'Ask the person who halted it; "paydrop halt --lift" lets it go on',
    'สอบถามผู้ที่สั่งหยุด ใช้คำสั่ง "paydrop halt --lift" เพื่อดำเนินการต่อ',
  ],
];

/** Why a batch or an account does not go on. */
const ofStops: readonly Pair[] = [
  [
    '"paydrop resume {batch}" pays what is left from {to}; or put {from} back in the settings, then resume',
    'คำสั่ง "paydrop resume {batch}" จ่ายส่วนที่เหลือจากบัญชี {to} หรือแก้การตั้งค่ากลับเป็น {from} แล้วดำเนินการต่อ',
  ],
  ['the run was interrupted; what was in flight is recorded', 'การทำงานถูกขัดจังหวะ รายการที่ส่งไปแล้วบันทึกไว้ครบ'],
  ['the time to wait was over before every row was sent', 'หมดเวลารอก่อนส่งครบทุกรายการ'],
  ['cancelled by a person', 'มีผู้ยกเลิก'],
  ['cancelled by a person before it was sent', 'มีผู้ยกเลิกก่อนส่ง'],
  [
    'Nothing more is sent, and what was under way is settled; where rows stay held, cancel the batch once more',
    'ไม่ส่งเพิ่ม และติดตามรายการที่ส่งไปแล้วจนทราบผล ถ้ายังมีแถวที่ระงับไว้ ให้ยกเลิกชุดอีกครั้ง',
  ],
  ['{count} payouts in a row ended otherwise than paid', 'จ่ายไม่สำเร็จติดต่อกัน {count} รายการ'],
  [
    '{count} of the last {count2} payouts ended otherwise than paid',
    'จ่ายไม่สำเร็จ {count} จาก {count2} รายการล่าสุด',
  ],
  [
    'Look at the reasons of these rows; when the cause is mended, resume the batch',
    'ดูสาเหตุของรายการเหล่านี้ เมื่อแก้สาเหตุแล้วให้ดำเนินการต่อทั้งชุด',
  ],
  ['{count} transfers are in doubt at once', 'มีการโอนที่ยังไม่ทราบผลพร้อมกัน {count} รายการ'],
  ['{count} transfer is in doubt at once', 'มีการโอนที่ยังไม่ทราบผล {count} รายการ'],
  [
    'Wait until inquiries have settled them (paydrop settle), ask the bank, then resume the batch',
    'รอให้สอบถามผลจนครบ (paydrop settle) สอบถามธนาคาร แล้วดำเนินการต่อทั้งชุด',
  ],
  [
    'the service is closed now and opens at {moment} Bangkok time',
    'นอกเวลาให้บริการ เปิดเวลา {moment} ตามเวลากรุงเทพ',
  ],
  [
    'Goes on by itself when the service opens; or run the same file again then',
    'จะส่งต่อเองเมื่อบริการเปิด หรือวางไฟล์เดิมอีกครั้งเมื่อถึงเวลา',
  ],
  ['{why}; the service is left alone until {moment} Bangkok time', '{why} พักการส่งถึง {moment} ตามเวลากรุงเทพ'],
  ['the bank refuses our access token even after it was renewed', 'ธนาคารไม่รับโทเคนของระบบแม้ขอใหม่แล้ว'],
  ['the bank forbids this request (HTTP 403)', 'ธนาคารไม่อนุญาตคำขอนี้ (HTTP 403)'],
  ['the bank asks us to slow down (HTTP 429)', 'ธนาคารขอให้ส่งช้าลง (HTTP 429)'],
  [
    'the file was taken in to be paid from account {from}, the settings name account {to} now',
    'รับไฟล์เพื่อจ่ายจากบัญชี {from} แต่การตั้งค่าระบุบัญชี {to}',
  ],
  [
    '{since}; after {hours} h (limits.batchMaxAgeHours) a person decides before anything more of it is sent',
    'ค้างนานกว่า {hours} ชม. (limits.batchMaxAgeHours) ต้องมีผู้ตัดสินใจก่อนส่งต่อ',
  ],
  [
    'Make sure that its unsent rows are still to be paid and were not paid by other means, then resume the batch; or cancel it',
    'ตรวจสอบว่ารายการที่ยังไม่ส่งต้องจ่ายจริงและยังไม่ได้จ่ายด้วยวิธีอื่น แล้วดำเนินการต่อ หรือยกเลิกทั้งชุด',
  ],
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

export const whyPairs: readonly Pair[] = [...ofQueue, ...ofStops, ...ofRows, ...ofBreaks, ...issuePairs];
