/**
 * Why something waits or is not possible, in the words of the rules, with the Thai. Names in braces are filled in, and
 * name the kind of Thai text: `{status}`, `{role}`, `{action}`, `{holds}`, `{causes}`, `{break}`, and `{why}` for a
 * sentence within one. Any other value stays as it is.
 */
import { issuePairs } from './issue-why-texts.ts';
import { personPairs } from './person-why-texts.ts';

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

/** Decisions about one payout. */
const ofPayouts: readonly Pair[] = [
  [
    'it is {status}, and its number is free: a new file may use it',
    'สถานะคือ {status} และเลขรายการว่างแล้ว ใช้ในไฟล์ใหม่ได้',
  ],
  [
    'it is {status}: only the number of what was cancelled can be released',
    'สถานะคือ {status} ปลดเลขได้เฉพาะรายการที่ยกเลิกแล้ว',
  ],
  ['its number was released before', 'เลขรายการนี้ถูกปลดไปแล้ว'],
  ['its transfer {ref} is paid, or may be', 'การโอน {ref} จ่ายสำเร็จแล้ว หรืออาจจ่ายแล้ว'],
  [
    'the bank is still being asked about it: wait until it is unresolved',
    'กำลังสอบถามธนาคารอยู่ กรุณารอจนสรุปผลไม่ได้ก่อน',
  ],
  [
    'it is {status}: only what is unresolved or disputed can be confirmed',
    'สถานะคือ {status} ยืนยันได้เฉพาะรายการที่ยังสรุปผลไม่ได้หรือขัดแย้งกับธนาคาร',
  ],
  [
    'it is {status}: only what is unresolved can be confirmed',
    'สถานะคือ {status} ยืนยันได้เฉพาะรายการที่ยังสรุปผลไม่ได้',
  ],
  ['the bank says that {ref} is in process', 'ธนาคารแจ้งว่า {ref} กำลังดำเนินการ'],
  ['the bank says that {ref} is complete', 'ธนาคารแจ้งว่า {ref} เสร็จสมบูรณ์แล้ว'],
  ['a statement has a line of {ref}: reconcile its day', 'มี {ref} ในรายการเดินบัญชี ให้กระทบยอดของวันนั้น'],
  [
    'the bank has known {ref}: the statements of its day and of the next must be read first',
    'ธนาคารเคยรับทราบ {ref} ต้องอ่านรายการเดินบัญชีของวันนั้นและวันถัดไปก่อน',
  ],
  ['it has no transfer that is in doubt', 'ไม่มีการโอนที่ยังไม่ทราบผล'],
  [
    'it is {status}, without an alarm: there is nothing to take note of',
    'สถานะคือ {status} และไม่มีแจ้งเตือนสำคัญ จึงไม่มีสิ่งที่ต้องรับทราบ',
  ],
  ['it was acknowledged before', 'มีผู้รับทราบไปแล้ว'],
  [
    'row {row} was rejected: correct it and send it in a new file, or acknowledge it',
    'แถวที่ {row} ไม่รับเข้าระบบ แก้ไขแล้วส่งในไฟล์ใหม่ หรือรับทราบ',
  ],
  ['{why} is {status}, not held: there is nothing to let go on', '{why} มีสถานะ {status} ไม่ได้ระงับไว้'],
  ['{why} is held for {holds}, which this does not lift', '{why} ระงับไว้เพราะ {holds} ซึ่งการตัดสินใจนี้ไม่ปลดให้'],
  [
    '{why} is {status}: only what is ready or held can be cancelled',
    '{why} มีสถานะ {status} ยกเลิกได้เฉพาะรายการที่พร้อมจ่ายหรือระงับไว้',
  ],
  [
    '{why} was sent as {ref}, and the bank says that it is complete: {command} tells how it stands',
    '{why} ส่งแล้วเป็น {ref} และธนาคารแจ้งว่าเสร็จสมบูรณ์แล้ว {command} แสดงสถานะปัจจุบัน',
  ],
  [
    '{why} was sent as {ref}, and the bank may yet complete it: {command} asks until it has ended',
    '{why} ส่งแล้วเป็น {ref} และธนาคารอาจยังโอนให้เสร็จ {command} สอบถามจนกว่าจะสิ้นสุด',
  ],
  [
    '{why} was sent as {ref}, and the bank does not say what became of it ({note}): once it answers, {command} asks again',
    '{why} ส่งแล้วเป็น {ref} และธนาคารยังไม่แจ้งผล ({note}) เมื่อธนาคารตอบได้แล้ว ให้ใช้ {command} อีกครั้ง',
  ],
  [
    '{why} was sent as {ref} a moment ago: that the bank does not find it counts from {moment} Bangkok time on; then {command} asks again',
    '{why} เพิ่งส่งเป็น {ref} ผลที่ว่าธนาคารไม่พบรายการเชื่อถือได้ตั้งแต่ {moment} ตามเวลากรุงเทพ หลังจากนั้นให้ใช้ {command} อีกครั้ง',
  ],
  [
    '{why} was sent as {ref}, and it is not settled whose transfer that is: {command} tells how it stands',
    '{why} ส่งแล้วเป็น {ref} และยังไม่ชัดเจนว่าเป็นการโอนของใคร {command} แสดงสถานะปัจจุบัน',
  ],
  [
    '{why} was sent as {ref}, and the bank cannot be asked about that here: {command} asks it',
    '{why} ส่งแล้วเป็น {ref} และที่นี่สอบถามธนาคารไม่ได้ ให้ใช้ {command}',
  ],
  [
    '{why} was sent as {ref}, and the bank cannot be asked about that: {note}',
    '{why} ส่งแล้วเป็น {ref} และสอบถามธนาคารไม่ได้: {note}',
  ],
  [
    '{rows} row that was sent has come back: {command} once more asks the bank about that',
    'มี {rows} แถวที่ส่งแล้วกลับมารอ ให้ใช้ {command} อีกครั้งเพื่อสอบถามธนาคาร',
  ],
  [
    '{rows} rows that were sent have come back: {command} once more asks the bank about that',
    'มี {rows} แถวที่ส่งแล้วกลับมารอ ให้ใช้ {command} อีกครั้งเพื่อสอบถามธนาคาร',
  ],
  ['nothing of batch {batch} waits to be sent: see {command}', 'ไม่มีรายการรอส่งในชุด {batch} ดู {command}'],
  [
    '{why} bears an alarm: clear with the bank what it says; then {command} with --note ends the alarm, and it can be tried again',
    '{why} มีแจ้งเตือนสำคัญ ต้องชี้แจงผลกับธนาคารก่อน แล้วเลือก "รับทราบ" ({command}) เพื่อปิดการแจ้งเตือน จึงจะส่งจ่ายใหม่ได้',
  ],
  [
    '{why} is {status}: only what failed, is unpayable or was rejected can be tried again',
    '{why} มีสถานะ {status} ส่งใหม่ได้เฉพาะรายการที่จ่ายไม่สำเร็จ ตรวจผู้รับไม่ผ่าน หรือไม่รับเข้าระบบ',
  ],
  [
    '{why} was rejected for what its file holds: send it in a new file',
    '{why} ไม่รับเข้าระบบเพราะข้อมูลในไฟล์ ให้ส่งในไฟล์ใหม่',
  ],
  ['{why} is still wrong ({whys})', '{why} ยังไม่ถูกต้อง ({whys})'],
  [
    '{why}: its amount could not be read when the file was taken in: send it in a new file',
    '{why}: อ่านจำนวนเงินไม่ได้ตั้งแต่รับไฟล์ ให้ส่งในไฟล์ใหม่',
  ],
  ['payout {payoutId} (row {row} of batch {batch})', 'รายการ {payoutId} (แถวที่ {row} ของชุด {batch})'],
  ['row {row} of batch {batch}', 'แถวที่ {row} ของชุด {batch}'],
  [
    'it bears an alarm: clear with the bank what it says, then acknowledge it',
    'มีแจ้งเตือนสำคัญ ต้องชี้แจงผลกับธนาคารก่อน แล้วเลือก "รับทราบ"',
  ],
  [
    'it is {status}: only what moved no money, and waits or has ended, can be corrected',
    'สถานะคือ {status} แก้ไขได้เฉพาะรายการที่เงินยังไม่ออก และกำลังรอหรือสิ้นสุดแล้ว',
  ],
  [
    'it was rejected for what its file holds: send it in a new file',
    'ไม่รับเข้าระบบเพราะข้อมูลในไฟล์ ให้ส่งในไฟล์ใหม่',
  ],
  [
    "its amount could not be read, and the file's total is without it: send it in a new file",
    'อ่านจำนวนเงินไม่ได้ และยอดรวมของไฟล์ไม่รวมรายการนี้ ให้ส่งในไฟล์ใหม่',
  ],
  ['corrected it is still wrong ({whys})', 'แก้ไขแล้วยังไม่ถูกต้อง ({whys})'],
  ['the correction changes nothing', 'การแก้ไขไม่เปลี่ยนข้อมูลใด'],
  ['it is not the row that was decided on', 'ไม่ใช่แถวที่ตัดสินใจไว้'],
  ['it has changed since ({causes})', 'มีการเปลี่ยนแปลงหลังจากนั้น ({causes})'],
  [
    'it was {status} then, and is {status2} now ({causes})',
    'ขณะนั้นสถานะคือ {status} ตอนนี้คือ {status2} ({causes})',
  ],
];

/** Batches, payer accounts, statements, days, files and breaks. */
const ofOthers: readonly Pair[] = [
  ['it is {status}: nothing of it can be paid', 'สถานะคือ {status} จ่ายรายการใดไม่ได้'],
  ['all of it is with the bank, or has ended', 'อยู่ที่ธนาคารทั้งหมดแล้ว หรือสิ้นสุดแล้ว'],
  ['it waits for approval, which this does not lift: "{command}"', 'รออนุมัติ ซึ่งการตัดสินใจนี้ไม่ปลดให้: "{command}"'],
  ['it is {status}, and nothing of it is held as a whole', 'สถานะคือ {status} และไม่มีส่วนใดระงับไว้ทั้งชุด'],
  ['it is halted already', 'หยุดจ่ายอยู่แล้ว'],
  ['it is neither halted nor paused', 'ไม่ได้หยุดหรือพักการจ่าย'],
  ['it needs no approval', 'ไม่ต้องอนุมัติ'],
  ['nothing of it waits for approval', 'ไม่มีรายการที่รออนุมัติ'],
  [
    'what waits of it is not what you have looked at: its digest is {digest}',
    'รายการที่รอไม่ใช่รายการที่คุณเปิดดู ค่าสรุปคือ {digest}',
  ],
  ['there is no batch {batch}', 'ไม่มีชุด {batch}'],
  ['a statement can be accepted or adopted, and nothing else', 'รายการเดินบัญชีทำได้เพียงยอมรับหรือนำมาใช้'],
  ['the bank has given it: reconcile the day', 'ธนาคารให้มาแล้ว ให้กระทบยอดของวันนั้น'],
  ['it lacks nothing: there is nothing to insist on', 'ไม่มีส่วนใดขาด จึงไม่ต้องยืนยันรับ'],
  [
    'a day without a statement can be taken note of, or gets one, and nothing else',
    'วันที่ไม่มีรายการเดินบัญชีทำได้เพียงรับทราบ หรือนำรายการเดินบัญชีมาใช้',
  ],
  ['its statement is there, or nothing was sent on it', 'มีรายการเดินบัญชีแล้ว หรือวันนั้นไม่มีการส่งรายการ'],
  [
    'a refused file can be taken note of, and nothing else: drop a better one',
    'ไฟล์ที่ไม่รับทำได้เพียงรับทราบ ให้วางไฟล์ที่แก้ไขแล้ว',
  ],
  [
    'it no longer waits: it was accepted since, or acknowledged before',
    'ไม่ได้รอผู้ใด มีการรับไฟล์แล้ว หรือมีผู้รับทราบแล้ว',
  ],
];

/** Items that wait, and what is done about them. */
const ofQueue: readonly Pair[] = [
  ['{id} {decision}, 1 payout', '{id} {decision} 1 รายการ'],
  ['{id} {decision}, {count} payouts', '{id} {decision} {count} รายการ'],
  ['{id} {decision}, 1 payout, {amount} baht', '{id} {decision} 1 รายการ {amount} บาท'],
  ['{id} {decision}, {count} payouts, {amount} baht', '{id} {decision} {count} รายการ {amount} บาท'],
  ['{id} {decision}, 1 registration', '{id} {decision} ลงทะเบียน 1 รายการ'],
  ['{id} {decision}, {count} registrations', '{id} {decision} ลงทะเบียน {count} รายการ'],
  ['{id} {decision}, 1 item', '{id} {decision} 1 รายการ'],
  ['{id} {decision}, {count} items', '{id} {decision} {count} รายการ'],
  ['{id} {decision}, 1 item, {amount} baht', '{id} {decision} 1 รายการ {amount} บาท'],
  ['{id} {decision}, {count} items, {amount} baht', '{id} {decision} {count} รายการ {amount} บาท'],
  [
    'more would be sent by it now than was proposed, of {file} (batch {name2}): send it back, to be proposed anew',
    'ตอนนี้จะส่งจ่ายมากกว่าที่เสนอไว้ ในไฟล์ {file} (ชุด {name2}) กรุณาส่งกลับเพื่อเสนอใหม่',
  ],
];

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

/** Subjects of decisions. */
const ofTargets: readonly Pair[] = [
  ['batch {batch}', 'ชุดจ่ายเงิน {batch}'],
  ['payer account {account}', 'บัญชีผู้จ่าย {account}'],
  ['break of {day}: {what}', 'ผลต่างวันที่ {day}: {what}'],
  ['statement of {day}', 'รายการเดินบัญชีวันที่ {day}'],
  ['{day}: {break} ({about})', '{day}: {break} ({about})'],
  ['the missing statement of {day}', 'รายการเดินบัญชีที่ยังไม่ได้รับของวันที่ {day}'],
  ['refused file {name}', 'ไฟล์ที่ไม่รับ {name}'],
];

export const whyPairs: readonly Pair[] = [
  ...ofPayouts,
  ...ofOthers,
  ...personPairs,
  ...ofQueue,
  ...ofStops,
  ...ofRows,
  ...ofBreaks,
  ...ofTargets,
  ...issuePairs,
];
