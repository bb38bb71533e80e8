/**
 * Why something waits or is not possible, in the words of the rules, with the Thai. Names in braces are filled in, and
 * name the kind of Thai text: `{status}`, `{role}`, `{action}`, `{holds}`, `{causes}`, `{break}`, and `{why}` for a
 * sentence within one. Any other value stays as it is.
 */
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

/** Approval, and where a statement came from. */
const ofSources: readonly Pair[] = [
  ['waits for approval', 'รออนุมัติ'],
  ['{why}; {why2}', '{why} {why2}'],
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
  ...ofSources,
  ...ofTargets,
];
