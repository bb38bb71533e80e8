/** Texts about decisions: what may be decided, why not, and about what. Codes of one table begin with the same word. */
import { wordings } from './wording.ts';

/** Statuses and reasons within a sentence; English names them as files and JSON do. */
const statusWordings = wordings({
  'payout-is.staged': ['staged', 'กำลังอ่านไฟล์'],
  'payout-is.ready': ['ready', 'พร้อมจ่าย'],
  'payout-is.held': ['held', 'ระงับไว้'],
  'payout-is.submitted': ['submitted', 'ยังไม่ทราบผล'],
  'payout-is.unresolved': ['unresolved', 'ยังสรุปผลไม่ได้'],
  'payout-is.paid': ['paid', 'จ่ายสำเร็จ'],
  'payout-is.failed': ['failed', 'จ่ายไม่สำเร็จ'],
  'payout-is.unpayable': ['unpayable', 'ตรวจผู้รับไม่ผ่าน'],
  'payout-is.rejected': ['rejected', 'ไม่รับเข้าระบบ'],
  'payout-is.cancelled': ['cancelled', 'ยกเลิกแล้ว'],
  'payout-is.disputed': ['disputed', 'ผลขัดแย้งกับธนาคาร'],

  'batch-is.ingesting': ['ingesting', 'กำลังอ่านไฟล์'],
  'batch-is.sealed': ['sealed', 'ล็อกข้อมูลแล้ว'],
  'batch-is.running': ['running', 'กำลังจ่าย'],
  'batch-is.paused': ['paused', 'พักการจ่าย'],
  'batch-is.halted': ['halted', 'ระงับการจ่าย'],
  'batch-is.done': ['done', 'เสร็จสิ้น'],
  'batch-is.rejected': ['rejected', 'ไม่รับเข้าระบบ'],

  'registration-is.staged': ['staged', 'กำลังอ่านไฟล์'],
  'registration-is.rejected': ['rejected', 'ไม่รับเข้าระบบ'],
  'registration-is.ready': ['ready', 'พร้อมส่ง'],
  'registration-is.held': ['held', 'ระงับไว้'],
  'registration-is.cancelled': ['cancelled', 'ยกเลิกแล้ว'],
  'registration-is.submitted': ['submitted', 'กำลังส่งธนาคาร'],
  'registration-is.in-doubt': ['in-doubt', 'ยังไม่ทราบผล'],
  'registration-is.acknowledged': ['acknowledged', 'ธนาคารรับเรื่องแล้ว'],
  'registration-is.unanswered': ['unanswered', 'ธนาคารไม่แจ้งผล'],
  'registration-is.registered': ['registered', 'ลงทะเบียนสำเร็จ'],
  'registration-is.refused': ['refused', 'ธนาคารปฏิเสธ'],
  'registration-is.failed': ['failed', 'ลงทะเบียนไม่สำเร็จ'],
  'registration-is.contradicted': ['contradicted', 'ผลขัดแย้งกัน'],
});

/** Rows as a decision names them. */
const rowWordings = wordings({
  'place.number': ['row {seq}, in an archive', 'แถวที่ {seq} ในที่เก็บถาวร'],
  'place.payout': [
    'payout {payoutId} (row {row} of batch {batch})',
    'รายการ {payoutId} (แถวที่ {row} ของชุด {batch})',
  ],
  'place.row': ['row {row} of batch {batch}', 'แถวที่ {row} ของชุด {batch}'],
  /** A reason in front of which its row is named. */
  'place.with-why': ['{where}: {why}', '{where}: {why}'],
});

/** Decisions about one payout. */
const payoutWordings = wordings({
  'go-on.not-held': [
    '{where} is {status}, not held: there is nothing to let go on',
    '{where} มีสถานะ {status} ไม่ได้ระงับไว้ จึงไม่มีรายการให้ดำเนินการต่อ',
  ],
  'go-on.held-otherwise': [
    '{where} is held for {holds}, which this does not lift',
    '{where} ระงับไว้เพราะ{holds} ต้องแก้สาเหตุนี้ก่อน',
  ],

  'cancel.too-late': [
    '{where} is {status}: only what is ready or held can be cancelled',
    '{where} มีสถานะ {status} ยกเลิกได้เฉพาะรายการที่พร้อมจ่ายหรือระงับไว้',
  ],
  'cancel.sent': ['{where} was sent as {ref}', '{where} ส่งแล้วด้วยเลขอ้างอิง {ref}'],
  'cancel.may-be-sent': [
    '{where} may have been sent by a lost part of the journal',
    '{where} อาจส่งไปแล้วตามข้อมูลส่วนที่สูญหาย',
  ],
  'cancel.not-ruled-out': [
    '{sent}, and the bank does not rule it out: "{command}" tells how it stands',
    '{sent} และธนาคารยังไม่ยืนยันว่าไม่ได้รับ',
    '{sent}, and the bank does not rule it out',
  ],
  'cancel.complete': [
    '{sent}, and the bank says that it is complete: "{command}" tells how it stands',
    '{sent} และธนาคารแจ้งว่าเสร็จสมบูรณ์แล้ว',
    '{sent}, and the bank says that it is complete',
  ],
  'cancel.in-process': [
    '{sent}, and the bank may yet complete it: "{command}" asks until it has ended',
    '{sent} และธนาคารอาจยังโอนสำเร็จภายหลัง ระบบจะสอบถามจนทราบผล',
    '{sent}, and the bank may yet complete it: it is asked again until it has ended',
  ],
  'cancel.nothing-said': [
    '{sent}, and the bank does not say what became of it ({why}): once it answers, "{command}" asks again',
    '{sent} และธนาคารยังไม่แจ้งผล ({why}) เมื่อธนาคารตอบได้แล้ว ให้เลือกอีกครั้ง',
    '{sent}, and the bank does not say what became of it ({why}): decide once more when it answers',
  ],
  'cancel.whose': [
    '{sent}, and it is not settled whose transfer that is: "{command}" tells how it stands',
    '{sent} และยังไม่ชัดเจนว่าเป็นการโอนของรายการใด',
    '{sent}, and it is not settled whose transfer that is',
  ],
  'cancel.too-young': [
    '{sent} a moment ago: that the bank does not find it counts from {moment} Bangkok time on; then "{command}" asks again',
    '{sent} เมื่อสักครู่ ธนาคารอาจยังค้นไม่พบ ให้เลือกอีกครั้งตั้งแต่ {moment} ตามเวลากรุงเทพ',
    '{sent} a moment ago: that the bank does not find it counts from {moment} Bangkok time on; decide once more then',
  ],
  'cancel.not-asked-here': [
    '{sent}, and the bank cannot be asked about that here: "{command}" asks it',
    '{sent} และสอบถามธนาคารจากที่นี่ไม่ได้ โปรแกรมที่ส่งรายการจะสอบถาม',
    '{sent}, and the bank cannot be asked about that here: the process that sends asks it',
  ],
  'cancel.not-asked': [
    '{sent}, and the bank cannot be asked about that: {why}',
    '{sent} และสอบถามธนาคารไม่ได้: {why}',
  ],
  'cancel.sandbox-busy': [
    'the built-in sandbox is that of {owner}: try again when that has ended',
    '{owner} กำลังใช้ระบบทดสอบในโปรแกรมอยู่ กรุณาลองใหม่เมื่อเลิกใช้แล้ว',
  ],
  'cancel.nothing-waits': [
    'nothing of batch {batch} waits to be sent: see "{command}"',
    'ไม่มีรายการรอส่งในชุด {batch}',
    'nothing of batch {batch} waits to be sent',
  ],
  'cancel.one-came-back': [
    '{rows} row that was sent has come back: "{command}" once more asks the bank about that',
    'รายการที่ส่งแล้ว {rows} รายการกลับมารอส่ง ให้ยกเลิกอีกครั้งเพื่อสอบถามธนาคาร',
    '{rows} row that was sent has come back: cancel once more, and the bank is asked about it',
  ],
  'cancel.some-came-back': [
    '{rows} rows that were sent have come back: "{command}" once more asks the bank about that',
    'รายการที่ส่งแล้ว {rows} รายการกลับมารอส่ง ให้ยกเลิกอีกครั้งเพื่อสอบถามธนาคาร',
    '{rows} rows that were sent have come back: cancel once more, and the bank is asked about them',
  ],
  'cancel.halted': [
    'Batch {batch} is halted: nothing more of it is sent',
    'ระงับชุด {batch} แล้ว จะไม่ส่งรายการใดอีก',
  ],
  'cancel.halted-one-in-doubt': [
    'Batch {batch} is halted: nothing more of it is sent; {rows} row is in doubt: "{command}" asks the bank what became of it',
    'ระงับชุด {batch} แล้ว จะไม่ส่งรายการใดอีก ยังไม่ทราบผล {rows} รายการ ระบบจะสอบถามธนาคาร',
    'Batch {batch} is halted: nothing more of it is sent; {rows} row is in doubt, and the bank is asked what became of it',
  ],
  'cancel.halted-some-in-doubt': [
    'Batch {batch} is halted: nothing more of it is sent; {rows} rows are in doubt: "{command}" asks the bank what became of them',
    'ระงับชุด {batch} แล้ว จะไม่ส่งรายการใดอีก ยังไม่ทราบผล {rows} รายการ ระบบจะสอบถามธนาคาร',
    'Batch {batch} is halted: nothing more of it is sent; {rows} rows are in doubt, and the bank is asked what became of them',
  ],

  'retry.alarm': [
    '{where} bears an alarm: clear with the bank what it says; then "{command}" with --note ends the alarm, and it can be tried again',
    '{where} มีแจ้งเตือนสำคัญ ต้องตรวจสอบกับธนาคารก่อน แล้วเลือก "รับทราบ" เพื่อปิดการแจ้งเตือน จึงจะส่งจ่ายใหม่ได้',
    '{where} bears an alarm: clear with the bank what it says; "Acknowledge" ends the alarm, and then it can be tried again',
  ],
  'retry.not-ended': [
    '{where} is {status}: only what failed, is unpayable or was rejected can be tried again',
    '{where} มีสถานะ {status} ส่งใหม่ได้เฉพาะรายการที่จ่ายไม่สำเร็จ ตรวจผู้รับไม่ผ่าน หรือไม่รับเข้าระบบ',
  ],
  'retry.wrong-file': [
    '{where} was rejected for what its file holds: send it in a new file',
    '{where} ไม่รับเข้าระบบเพราะข้อมูลในไฟล์ไม่ถูกต้อง ให้ส่งในไฟล์ใหม่',
  ],
  'retry.still-wrong': ['{where} is still wrong ({whys})', '{where} ยังไม่ถูกต้อง ({whys})'],
  'retry.amount-unread': [
    '{where}: its amount could not be read when the file was taken in: send it in a new file',
    '{where}: อ่านจำนวนเงินไม่ได้ตั้งแต่รับไฟล์ ให้ส่งในไฟล์ใหม่',
  ],
  'retry.id-taken': [
    '{where}: row {row2} of {file} (batch {batch2}) has its payoutId and is {status}',
    '{where}: แถวที่ {row2} ของ {file} (ชุด {batch2}) ใช้ payoutId เดียวกัน และมีสถานะ {status}',
  ],
  'retry.asks-for-nothing': ['{where} asks for nothing', '{where} ไม่ต้องดำเนินการ'],
  'retry.nothing': ['nothing of it can be tried again', 'ไม่มีรายการที่ส่งใหม่ได้'],

  'correct.alarm': [
    'it bears an alarm: clear with the bank what it says, then acknowledge it',
    'มีแจ้งเตือนสำคัญ ต้องตรวจสอบกับธนาคารก่อน แล้วเลือก "รับทราบ"',
  ],
  'correct.too-late': [
    'it is {status}: only what moved no money, and waits or has ended, can be corrected',
    'สถานะคือ {status} แก้ไขได้เฉพาะรายการที่เงินยังไม่ออก และกำลังรอหรือสิ้นสุดแล้ว',
  ],
  'correct.wrong-file': [
    'it was rejected for what its file holds: send it in a new file',
    'ไม่รับเข้าระบบเพราะข้อมูลในไฟล์ไม่ถูกต้อง ให้ส่งในไฟล์ใหม่',
  ],
  'correct.amount-unread': [
    "its amount could not be read, and the file's total is without it: send it in a new file",
    'อ่านจำนวนเงินไม่ได้ และยอดรวมของไฟล์ไม่รวมรายการนี้ ให้ส่งในไฟล์ใหม่',
  ],
  'correct.still-wrong': ['corrected it is still wrong ({whys})', 'แก้ไขแล้วยังไม่ถูกต้อง ({whys})'],
  'correct.changes-nothing': ['the correction changes nothing', 'ข้อมูลที่แก้ไขเหมือนข้อมูลเดิม'],
  'correct.to-what': [
    'what it is corrected to must be said: another payee number, or another amount',
    'ต้องระบุเลขผู้รับเงินใหม่หรือจำนวนเงินใหม่',
  ],

  'release.number-is-free': [
    'it is {status}, and its number is free: a new file may use it',
    'สถานะคือ {status} และเลขที่รายการจ่ายว่างแล้ว ใช้ในไฟล์ใหม่ได้',
  ],
  'release.not-cancelled': [
    'it is {status}: only the number of what was cancelled can be released',
    'สถานะคือ {status} ปลดเลขที่ได้เฉพาะรายการที่ยกเลิกแล้ว',
  ],
  'release.before': ['its number was released before', 'เลขที่รายการจ่ายนี้ปลดไปแล้ว'],
  'release.may-be-paid': [
    'its transfer {ref} is paid, or may be',
    'การโอน {ref} ของรายการนี้จ่ายสำเร็จแล้ว หรืออาจจ่ายแล้ว',
  ],

  'confirm.still-asked': [
    'the bank is still being asked about it: wait until it is unresolved',
    'ระบบกำลังสอบถามธนาคารอยู่ กรุณารอจนกว่าสถานะเป็น "ยังสรุปผลไม่ได้"',
  ],
  'confirm.not-open': [
    'it is {status}: only what is unresolved or disputed can be confirmed',
    'สถานะคือ {status} ยืนยันได้เฉพาะรายการที่ยังสรุปผลไม่ได้ หรือผลขัดแย้งกับธนาคาร',
  ],
  'confirm.not-unresolved': [
    'it is {status}: only what is unresolved can be confirmed',
    'สถานะคือ {status} ยืนยันได้เฉพาะรายการที่ยังสรุปผลไม่ได้',
  ],
  'confirm.in-process': ['the bank says that {ref} is in process', 'ธนาคารแจ้งว่า {ref} กำลังดำเนินการ'],
  'confirm.complete': ['the bank says that {ref} is complete', 'ธนาคารแจ้งว่า {ref} เสร็จสมบูรณ์แล้ว'],
  'confirm.in-statement': [
    'a statement has a line of {ref}: reconcile its day',
    'มี {ref} ในรายการเดินบัญชี ให้กระทบยอดของวันนั้น',
  ],
  'confirm.statement-unread': [
    'the bank has known {ref}: the statements of its day and of the next must be read first',
    'ธนาคารเคยรับรายการ {ref} ต้องอ่านรายการเดินบัญชีของวันนั้นและวันถัดไปก่อน',
  ],
  'confirm.no-transfer': ['it has no transfer that is in doubt', 'ไม่มีการโอนที่ยังไม่ทราบผล'],

  'acknowledge.nothing': [
    'it is {status}, without an alarm: there is nothing to take note of',
    'สถานะคือ {status} และไม่มีแจ้งเตือนสำคัญ จึงไม่ต้องรับทราบ',
  ],
  'acknowledge.before': ['it was acknowledged before', 'มีผู้รับทราบแล้ว'],
  'decide.row-rejected': [
    'row {row} was rejected: correct it and send it in a new file, or acknowledge it',
    'แถวที่ {row} ไม่รับเข้าระบบ แก้ไขแล้วส่งในไฟล์ใหม่ หรือรับทราบ',
  ],
});

/** Changes between a decision and its execution. */
const changeWordings = wordings({
  'change.other-row': ['it is not the row that was decided on', 'ไม่ใช่แถวที่ตัดสินใจไว้'],
  'change.same-status': ['it has changed since ({causes})', 'มีการเปลี่ยนแปลงหลังจากนั้น ({causes})'],
  'change.other-status': [
    'it was {before} then, and is {now} now ({causes})',
    'เดิมสถานะคือ {before} ปัจจุบันคือ {now} ({causes})',
  ],
  'change.since': ['it has changed since: look again', 'มีการเปลี่ยนแปลงหลังจากนั้น กรุณาตรวจสอบอีกครั้ง'],
  'change.while-applied': [
    'it has changed while this was applied: look again',
    'มีการเปลี่ยนแปลงระหว่างดำเนินการ กรุณาตรวจสอบอีกครั้ง',
  ],
  'change.kept-changing': [
    'it kept changing while this was applied: decide again',
    'ข้อมูลเปลี่ยนแปลงอยู่ตลอดระหว่างดำเนินการ กรุณาตัดสินใจใหม่',
  ],
  'change.at-same-moment': [
    '{where} changed at the same moment: look again',
    '{where} เปลี่ยนแปลงในขณะเดียวกัน กรุณาตรวจสอบอีกครั้ง',
  ],
  'change.other-decision': [
    'another person has decided on it at the same moment: look again',
    'มีผู้อื่นตัดสินใจในขณะเดียวกัน กรุณาตรวจสอบอีกครั้ง',
  ],
  'change.more-left': ['{rows} further rows stay as they are.', 'อีก {rows} รายการคงเดิม'],
  'decide.no-row': ['there is no such row in the journal', 'ไม่มีแถวนี้ในระบบ'],
  'decide.no-batch': ['there is no batch {batch}', 'ไม่มีชุด {batch}'],
});

/** Decisions about registrations, whose number is the registrationId. */
const registrationWordings = wordings({
  'register.not-held': [
    'it is {status}, not held: nothing of it waits to go on',
    'สถานะคือ {status} ไม่ได้ระงับไว้ จึงไม่มีรายการให้ดำเนินการต่อ',
  ],
  'register.too-late-to-cancel': [
    'it is {status}: only a registration that was not sent can be cancelled',
    'สถานะคือ {status} ยกเลิกได้เฉพาะการลงทะเบียนที่ยังไม่ได้ส่ง',
  ],
  'register.id-is-free': [
    'it is {status}, and its registrationId is free: a new file may use it',
    'สถานะคือ {status} และเลขที่ลงทะเบียนว่างแล้ว ใช้ในไฟล์ใหม่ได้',
  ],
  'register.not-cancelled': [
    'it is {status}: only the registrationId of what was cancelled can be released',
    'สถานะคือ {status} ปลดเลขที่ลงทะเบียนได้เฉพาะรายการที่ยกเลิกแล้ว',
  ],
  'register.id-taken': ['its registrationId is held by {where}', 'เลขที่ลงทะเบียนนี้ใช้อยู่ใน{where}'],
  'register.awaited': [
    'it is {status}: the bank may yet tell its outcome, and nothing is sent again until then',
    'สถานะคือ {status} ธนาคารอาจยังแจ้งผล จึงยังส่งใหม่ไม่ได้',
  ],
  'register.not-ended': [
    'it is {status}: only what failed, was refused, rejected or never answered can be tried again',
    'สถานะคือ {status} ส่งใหม่ได้เฉพาะรายการที่ลงทะเบียนไม่สำเร็จ ธนาคารปฏิเสธ ไม่รับเข้าระบบ หรือธนาคารไม่แจ้งผล',
  ],
  'register.same-awaited': [
    "{where} has the same account and references and awaits the bank's callback, which could not tell the two apart",
    '{where} มีบัญชีและเลขอ้างอิงเดียวกันและกำลังรอธนาคารแจ้งผล ซึ่งจะแยกสองรายการนี้ไม่ได้',
  ],
  'register.same-waits': [
    '{where} has the same account and references and waits to be sent: a callback could not tell the two apart',
    '{where} มีบัญชีและเลขอ้างอิงเดียวกันและกำลังรอส่ง การแจ้งผลจะแยกสองรายการนี้ไม่ได้',
  ],
  'register.still-wrong': ['it is still wrong ({whys})', 'ข้อมูลยังไม่ถูกต้อง ({whys})'],
  'register.may-be-with-bank': [
    'the bank may yet tell of the account that was sent: confirm first how that ended',
    'ธนาคารอาจยังแจ้งผลของบัญชีที่ส่งไปแล้ว กรุณายืนยันผลของรายการนั้นก่อน',
  ],
  'register.being-sent': [
    'it is being sent at this moment: look again',
    'กำลังส่งธนาคารในขณะนี้ กรุณาตรวจสอบอีกครั้ง',
  ],
  'register.bank-works': [
    'the bank works on it and will call back: wait, until it is unanswered at the latest',
    'ธนาคารกำลังดำเนินการและจะแจ้งผล กรุณารอ หากครบเวลาแล้วธนาคารไม่แจ้งผล จึงยืนยันผลได้',
  ],
  'register.outcome-told': [
    'the bank has told an outcome: it can be confirmed as registered or as refused',
    'ธนาคารแจ้งผลมาแล้ว ยืนยันได้ว่าลงทะเบียนสำเร็จหรือธนาคารปฏิเสธ',
  ],
  'register.not-open': [
    'it is {status}: only what is in doubt, unanswered or contradicted can be confirmed',
    'สถานะคือ {status} ยืนยันได้เฉพาะรายการที่ยังไม่ทราบผล ธนาคารไม่แจ้งผล หรือผลขัดแย้งกัน',
  ],
  'register.nothing-to-note': [
    'it is {status}, without an alarm: nothing of it is to be taken note of',
    'สถานะคือ {status} และไม่มีแจ้งเตือนสำคัญ จึงไม่ต้องรับทราบ',
  ],
  'register.to-what': ['what it is corrected to must be said: another account number', 'ต้องระบุเลขที่บัญชีใหม่'],
  'register.batch-unsealed': [
    'it is {status}: nothing of it can be registered',
    'สถานะคือ {status} จึงลงทะเบียนรายการในชุดนี้ไม่ได้',
  ],
  'register.batch-sent': ['all of it was sent, or has ended', 'ส่งครบทุกรายการแล้ว หรือสิ้นสุดแล้ว'],
  'register.batch-decisions': [
    'a batch of registrations can be resumed or cancelled, and nothing else',
    'ชุดลงทะเบียนดำเนินการต่อหรือยกเลิกได้เท่านั้น',
  ],
  'callback.decisions': [
    'a callback of an unknown registration can be taken note of, and nothing else',
    'การแจ้งผลที่ไม่ตรงกับรายการใด ทำได้เพียงรับทราบ',
  ],
  'callback.waits-no-more': [
    'it no longer waits: its registration was found, or it was acknowledged before',
    'ไม่ต้องดำเนินการแล้ว เพราะพบรายการลงทะเบียน หรือมีผู้รับทราบแล้ว',
  ],
});

/** Decisions about batches, payer accounts, statements, days, files and breaks. */
const otherWordings = wordings({
  'batch.not-sealed': ['it is {status}: nothing of it can be paid', 'สถานะคือ {status} จึงจ่ายรายการในชุดนี้ไม่ได้'],
  'batch.all-sent': ['all of it is with the bank, or has ended', 'ส่งธนาคารครบทุกรายการแล้ว หรือสิ้นสุดแล้ว'],
  'batch.approve-first': [
    'it waits for approval, which this does not lift: "{command}"',
    'ต้องอนุมัติชุดนี้ก่อน: ให้เสนอจ่าย',
    'it waits for approval, which this does not lift: propose to pay it',
  ],
  'batch.went-on-with-account': ['it goes on with its payer account', 'จ่ายชุดนี้ต่อพร้อมกับบัญชีผู้จ่าย'],
  'batch.nothing-held': [
    'it is {status}, and nothing of it is held as a whole',
    'สถานะคือ {status} และไม่ได้ระงับไว้ทั้งชุด',
  ],
  'batch.unsigned': [
    '{why}: nothing of it is paid; propose it anew, and sign that',
    '{why} จึงไม่จ่ายรายการใด กรุณาเสนอใหม่แล้วลงนาม',
  ],
  'batch.in-doubt-under-other': [
    'rows of batch {batch} are in doubt under account {from}: it goes on from {to} when they are settled ("{command}")',
    'บางรายการของชุด {batch} ที่ส่งจากบัญชี {from} ยังไม่ทราบผล เมื่อทราบผลแล้วจะจ่ายต่อจากบัญชี {to}',
    'rows of batch {batch} are in doubt under account {from}: it goes on from {to} when they are settled',
  ],
  'batch.like-row-stays': [
    '{rows} row stays held as like others, alone or with the whole file: compare first ("{command}"). "{command2}" once more lets a file go on that is held as a whole, "paydrop resume PAYOUT" one row',
    'ยังระงับไว้ {rows} รายการเพราะคล้ายรายการอื่น ทีละรายการหรือทั้งไฟล์ กรุณาเปรียบเทียบก่อน เลือก "จ่ายชุดนี้ต่อ" อีกครั้งเพื่อดำเนินการต่อทั้งไฟล์ หรือ "ดำเนินการต่อ" ทีละรายการ',
    '{rows} row stays held as like others, alone or with the whole file: compare first. "Resume the batch" once more lets a file go on that is held as a whole, "Go on" one row',
  ],
  'batch.like-rows-stay': [
    '{rows} rows stay held as like others, alone or with the whole file: compare first ("{command}"). "{command2}" once more lets a file go on that is held as a whole, "paydrop resume PAYOUT" one row',
    'ยังระงับไว้ {rows} รายการเพราะคล้ายรายการอื่น ทีละรายการหรือทั้งไฟล์ กรุณาเปรียบเทียบก่อน เลือก "จ่ายชุดนี้ต่อ" อีกครั้งเพื่อดำเนินการต่อทั้งไฟล์ หรือ "ดำเนินการต่อ" ทีละรายการ',
    '{rows} rows stay held as like others, alone or with the whole file: compare first. "Resume the batch" once more lets a file go on that is held as a whole, "Go on" one row',
  ],

  'approve.not-needed': ['it needs no approval', 'ไม่ต้องอนุมัติ'],
  'approve.nothing-waits': ['nothing of it waits for approval', 'ไม่มีรายการที่รออนุมัติ'],
  'approve.not-seen': [
    'what waits of it is not what you have looked at: its digest is {digest}',
    'รายการที่รอไม่ตรงกับที่คุณเปิดดู ค่าแฮชคือ {digest}',
  ],
  'approve.decide-first': [
    'proposal {id} is about it: decide on that first',
    'มีคำขอ {id} เกี่ยวกับเรื่องนี้ ให้ตัดสินใจเรื่องคำขอนั้นก่อน',
  ],
  'approve.sign-it': [
    'proposal {id} waits for your signature: sign it with your passkey on the review page',
    'คำขอ {id} รอลายมือชื่อของคุณ ให้ลงนามด้วยพาสคีย์บนหน้าตรวจสอบ',
  ],
  'approve.by-another': [
    'you have proposed it (proposal {id}): another person approves it',
    'คุณเป็นผู้เสนอ (คำขอ {id}) ต้องให้ผู้อื่นอนุมัติ',
  ],
  'approve.changed': [
    'it has changed since proposal {id} was made: send that back, then propose it anew',
    'ข้อมูลเปลี่ยนหลังจากเสนอคำขอ {id} ให้ส่งกลับแล้วเสนอใหม่',
  ],
  'approve.sign-on-page': [
    'approval.signed is required: approve it on the review page, with your passkey',
    'ต้องลงนามด้วยพาสคีย์ (approval.signed) ให้อนุมัติบนหน้าตรวจสอบ',
  ],
  'approve.other-signed': ['something else was signed', 'ลายมือชื่อเป็นของเรื่องอื่น'],

  'payer.halted-already': ['it is halted already', 'ถูกระงับการจ่ายอยู่แล้ว'],
  'payer.not-stopped': ['it is neither halted nor paused', 'ไม่ได้ระงับหรือพักการจ่าย'],

  'break.closed': [
    'no such break is open: it was closed or accepted since, or never opened',
    'ไม่มีผลต่างนี้คงค้าง อาจปิดหรือยอมรับไปแล้ว หรือไม่เคยมี',
  ],
  'break.says-otherwise': [
    'it says something else by now: {severity}, {reason}',
    'ผลต่างนี้เปลี่ยนไปแล้ว: {severity}, {reason}',
  ],
  'break.decisions': ['a break can be accepted, and nothing else', 'ผลต่าง ทำได้เพียงยอมรับ'],

  'statement.decisions': [
    'a statement can be accepted or adopted, and nothing else',
    'รายการเดินบัญชี ทำได้เพียงยอมรับหรือนำมาใช้',
  ],
  'statement.from-bank': ['the bank has given it: reconcile the day', 'ได้รับจากธนาคารแล้ว ให้กระทบยอดของวันนั้น'],
  'statement.lacks-nothing': [
    'it lacks nothing: there is nothing to insist on',
    'รายการเดินบัญชีครบถ้วน จึงไม่ต้องยืนยันรับ',
  ],
  'statement.not-here': [
    'statements are not reconciled here: decide with the command "paydrop approve"',
    'โปรแกรมนี้กระทบยอดไม่ได้ ให้ผู้ดูแลโปรแกรมอนุมัติ',
    'statements are not reconciled by this process: the person who runs paydrop approves it in the shell',
  ],
  'statement.none-named': ['it names no statement', 'ไม่ได้ระบุรายการเดินบัญชี'],
  'statement.bytes-gone': [
    'its bytes are not in the statements folder any more: propose it again',
    'ไม่พบไฟล์รายการเดินบัญชีนี้ในโฟลเดอร์แล้ว กรุณาเสนอใหม่',
  ],
  'statement.other-version': [
    'the statement of the day is version {version} by now, and was {version2}',
    'รายการเดินบัญชีของวันนั้นเป็นฉบับที่ {version} แล้ว เดิมเป็นฉบับที่ {version2}',
  ],

  'day.decisions': [
    'a day without a statement can be taken note of, or gets one, and nothing else',
    'วันที่ยังไม่ได้รับรายการเดินบัญชี ทำได้เพียงรับทราบ หรือนำรายการเดินบัญชีมาใช้',
  ],
  'day.has-statement': [
    'its statement is there, or nothing was sent on it',
    'มีรายการเดินบัญชีแล้ว หรือวันนั้นไม่มีการส่งรายการ',
  ],
  'day.propose-statement': [
    'a statement of it is proposed as one: "paydrop accept"',
    'ให้เสนอรายการเดินบัญชีของวันนี้',
    'a statement of it is proposed as one',
  ],

  'file.decisions': [
    'a refused file can be taken note of, and nothing else: drop a better one',
    'ไฟล์ที่ไม่รับเข้าระบบ ทำได้เพียงรับทราบ ให้วางไฟล์ที่แก้ไขแล้ว',
  ],
  'file.waits-no-more': [
    'it no longer waits: it was accepted since, or acknowledged before',
    'ไม่ต้องดำเนินการแล้ว เพราะรับไฟล์แล้ว หรือมีผู้รับทราบแล้ว',
  ],
});

/** The reason why a batch stays in the journal and is not archived. */
const archiveWordings = wordings({
  'archive.not-done': ['it is not done', 'ยังไม่เสร็จสิ้น'],
  'archive.too-young': ['something happened to it since the day asked for', 'มีความเคลื่อนไหวหลังจากวันที่ระบุ'],
  'archive.still-compared': [
    'too recent: new files are compared with it, or it is asked about',
    'ยังใช้เปรียบเทียบกับไฟล์ใหม่ หรือยังสอบถามธนาคารอยู่ จึงย้ายไปเก็บถาวรไม่ได้',
  ],
  'archive.rows-open': ['{count} of its rows have not ended', 'ยังไม่สิ้นสุด {count} รายการ'],
  'archive.alarm': ['{count} of its rows bear an alarm', 'มีแจ้งเตือนสำคัญ {count} รายการ'],
  'archive.attempts-open': ['{count} of its transfers are not settled', 'การโอนยังไม่ทราบผล {count} รายการ'],
  'archive.not-reported': ['a report of it is due', 'ยังไม่ได้ออกรายงาน'],
  'archive.file-open': [
    'its file is in work, or has been changed since it was read',
    'ไฟล์กำลังใช้งานอยู่ หรือเปลี่ยนไปหลังจากอ่าน',
  ],
  'archive.one-decision-open': [
    'a proposal is about it, and is not decided yet',
    'มีคำขอเกี่ยวกับชุดนี้ซึ่งยังไม่ได้ตัดสินใจ',
  ],
  'archive.decisions-open': [
    'a proposal is about {count} things of it, and is not decided yet',
    'มีคำขอเกี่ยวกับ {count} รายการในชุดนี้ซึ่งยังไม่ได้ตัดสินใจ',
  ],
  'archive.not-reconciled': ['no statement was accepted of {days}', 'ยังไม่ได้รับรายการเดินบัญชีของ{days}'],
  'archive.breaks-open': ['breaks are open on {days}', 'มีผลต่างคงค้างของ{days}'],
  'archive.large': [
    'more than {rows} would keep those at work from writing: archive while no watcher works',
    'มากกว่า {rows} จะทำให้งานอื่นบันทึกข้อมูลไม่ได้ ให้ย้ายไปเก็บถาวรขณะที่โปรแกรมรับไฟล์อัตโนมัติไม่ทำงาน',
  ],
  'archive.changed': ['it has changed meanwhile', 'มีการเปลี่ยนแปลงระหว่างนั้น'],
  'archive.one-day': ['{day}', 'วันที่ {day}'],
  'archive.days': ['{day} and {count} more', 'วันที่ {day} และอีก {count} วัน'],
});

/** Proposals, from the wish to the verdict. */
const proposalWordings = wordings({
  'proposal-is.proposed': ['waits for a second person', 'รอผู้อนุมัติ'],
  'proposal-is.approved': ['is being applied', 'กำลังดำเนินการ'],
  'proposal-is.applied': ['was applied', 'ดำเนินการแล้ว'],
  'proposal-is.sent-back': ['was sent back', 'ส่งกลับแล้ว'],
  'proposal-is.withdrawn': ['was withdrawn', 'ถอนแล้ว'],
  'proposal-is.stale': [
    'is out of date: what it is about has changed since',
    'ใช้ไม่ได้แล้ว เพราะข้อมูลเปลี่ยนไปหลังจากเสนอ',
  ],
  'proposal-is.expired': ['has lapsed: it was not checked in time', 'หมดอายุ เพราะไม่ได้รับอนุมัติภายในกำหนด'],

  'proposal.closed': ['it {status}', 'คำขอนี้{status}'],
  'proposal.open': [
    'proposal {id} is about it, and is not decided yet',
    'มีคำขอ {id} เกี่ยวกับเรื่องนี้ซึ่งยังไม่ได้ตัดสินใจ',
  ],
  'proposal.unknown': ['there is no proposal {id}', 'ไม่มีคำขอ {id}'],
  'proposal.none': ['nothing was proposed', 'ไม่มีคำขอ'],
  'proposal.mixed': [
    'registrations are decided on apart from everything else',
    'การลงทะเบียนต้องตัดสินใจแยกจากรายการอื่น',
  ],
  'proposal.about-nothing': ['nothing is named that it is about', 'ไม่ได้ระบุว่าเกี่ยวกับรายการใด'],
  'proposal.note-missing': ['why it is decided so must be said', 'ต้องระบุเหตุผลของการตัดสินใจ'],
  'proposal.evidence-missing': [
    '{decision} needs evidence: say where the proof stands, or add a file',
    '{decision} ต้องมีหลักฐาน กรุณาระบุที่มาของหลักฐาน หรือแนบไฟล์',
  ],
  'proposal.why-back-missing': ['why it is sent back must be said', 'ต้องระบุเหตุผลที่ส่งกลับ'],
  'proposal.not-seen': ['it is not what you have looked at', 'ไม่ตรงกับที่คุณเปิดดู'],
  'proposal.more-now': [
    'more would be sent by it now than was proposed, of {file} (batch {batch}): send it back, to be proposed anew',
    'ขณะนี้จะส่งจ่ายมากกว่าที่เสนอไว้ ในไฟล์ {file} (ชุด {batch}) กรุณาส่งกลับเพื่อเสนอใหม่',
  ],
  'proposal.title': ['{id}: {decision}, {counted}', '{id}: {decision} {counted}'],
});

/** Subjects of decisions. */
const targetWordings = wordings({
  'target.batch': ['batch {batch}', 'ชุดจ่ายเงิน {batch}'],
  'target.payer': ['payer account {account}', 'บัญชีผู้จ่าย {account}'],
  'target.direct-debit': ['direct debit', 'บริการหักบัญชี'],
  'target.direct-debit-of': ['direct debit of {company}', 'บริการหักบัญชีของ {company}'],
  'target.registrations': ['registrations {batch}', 'ชุดลงทะเบียน {batch}'],
  'target.break': ['break of {day}: {what}', 'ผลต่างวันที่ {day}: {what}'],
  'target.day-break': ['{day}: {break} ({about})', '{day}: {break} ({about})'],
  'target.statement': ['statement of {day}', 'รายการเดินบัญชีวันที่ {day}'],
  'target.missing-statement': ['the missing statement of {day}', 'รายการเดินบัญชีวันที่ {day} ที่ยังไม่ได้รับ'],
  'target.callback': ['callback {id} of an unknown registration', 'การแจ้งผล {id} ที่ไม่ตรงกับรายการใด'],
  'target.file': ['refused file {name}', 'ไฟล์ที่ไม่รับเข้าระบบ {name}'],
  'target.row': ['{id} (row {row} of batch {batch})', '{id} (แถวที่ {row} ของชุด {batch})'],
  'target.account-outcome': ['{company}, account {account}: {outcome}', '{company} บัญชี {account}: {outcome}'],
});

/** Filled-in exceptions files. */
const decisionFileWordings = wordings({
  'decision-file.key-changed': [
    '{column} must stay as it was written: take it from the file again',
    'ต้องคง {column} ไว้ตามเดิม ให้คัดลอกจากไฟล์ต้นฉบับอีกครั้ง',
  ],
  'decision-file.no-batch-id': [
    'this is no batch id: take it from the file again, and format the column as text and write it again',
    'ไม่ใช่รหัสชุด ให้คัดลอกจากไฟล์ต้นฉบับ ตั้งคอลัมน์เป็นข้อความแล้วกรอกใหม่',
  ],
  'decision-file.id-missing': [
    '{column} is empty: take it from the file again',
    'ไม่มี {column} ให้คัดลอกจากไฟล์ต้นฉบับอีกครั้ง',
  ],
  'decision-file.id-damaged': [
    '{damage}: format the column as text and write it again',
    '{damage} ให้ตั้งคอลัมน์เป็นข้อความแล้วกรอกใหม่',
  ],
  'decision-file.new-amount': [
    'this is no amount that can be paid: write baht in digits with at most two decimals, as 1234.50',
    'ไม่ใช่จำนวนเงินที่จ่ายได้ กรอกเป็นตัวเลขบาท ทศนิยมไม่เกินสองตำแหน่ง เช่น 1234.50',
  ],
  'decision-file.correction-missing': [
    'retry-corrected needs {columns}: give what is right, or choose retry',
    'เมื่อเลือก retry-corrected ต้องกรอก {columns} ให้กรอกข้อมูลที่ถูกต้อง หรือเลือก retry',
  ],
  'decision-file.new-proxy-or-amount': [
    'newProxyNo, newAmount or both',
    'newProxyNo หรือ newAmount หรือทั้งสองช่อง',
  ],
  'decision-file.correction-unread': [
    '{column} counts with retry-corrected alone, not with {decision}: choose that, or empty the cell',
    '{column} ใช้กับ retry-corrected เท่านั้น ไม่ใช้กับ {decision} ให้เลือก retry-corrected หรือล้างช่องนี้',
  ],
  'decision-file.decision-missing': [
    '{column} is filled in and decision is empty: choose retry-corrected, or empty the cell',
    'กรอก {column} แล้ว แต่ช่อง decision ว่าง ให้เลือก retry-corrected หรือล้างช่องนี้',
  ],
  'decision-file.decision-unknown': [
    'no decision is called so: did you mean {nearest}?',
    'ไม่มีการตัดสินใจชื่อนี้ คุณหมายถึง {nearest} ใช่หรือไม่',
  ],
  'decision-file.row-hidden': [
    'the row is hidden and has a decision: show it, look at it, and save the file again',
    'แถวนี้ซ่อนอยู่แต่มีการตัดสินใจ ให้แสดงแถว ตรวจสอบ แล้วบันทึกไฟล์ใหม่',
  ],
  'decision-file.note-missing': [
    'note is empty: say why, it is kept with the decision',
    'ช่อง note ว่าง ให้ระบุเหตุผล ระบบจะเก็บไว้กับการตัดสินใจ',
  ],
  'decision-file.row-repeated': [
    'line {line} decides about the same row: leave one of the two',
    'บรรทัดที่ {line} เป็นการตัดสินใจของแถวเดียวกัน ให้เหลือเพียงบรรทัดเดียว',
  ],
  'decision-file.empty': ['the file is empty: have it written again', 'ไฟล์ว่างเปล่า ให้ออกไฟล์ใหม่'],
  'decision-file.column-doubled': [
    'the head has this column twice: remove one',
    'หัวตารางมีคอลัมน์นี้ซ้ำ ให้ลบออกหนึ่งคอลัมน์',
  ],
  'decision-file.column-unclear': [
    'is {heading} meant as {column}? write it as {column}; if it is a column of your own, add an empty column {column}',
    '{heading} หมายถึง {column} ใช่หรือไม่ ให้กรอกเป็น {column} ถ้าเป็นคอลัมน์ของคุณเอง ให้เพิ่มคอลัมน์ {column} ที่ว่าง',
  ],
  'decision-file.column-missing': [
    'the head lacks {columns}: is this an exceptions file of paydrop? keep these columns and their headings',
    'หัวตารางไม่มี {columns} กรุณาตรวจสอบว่าเป็นไฟล์รายการที่ต้องตรวจสอบซึ่ง paydrop สร้าง และคงคอลัมน์และหัวตารางไว้',
  ],
  'decision-file.no-such-payout': [
    'there is no {where} with the payoutId {id}',
    'ไม่มี{where} ที่ใช้ payoutId {id}',
  ],
  'decision-file.no-such-registration': [
    'there is no {where} with the registrationId {id}',
    'ไม่มี{where} ที่ใช้ registrationId {id}',
  ],
  'decision-file.none-waits': [
    'no dropped file {name} waits: "paydrop decide --waiting" lists them',
    'ไม่มีไฟล์ {name} ที่รออยู่',
    'no dropped file {name} waits',
  ],
  'decision-file.several-wait': [
    '{count} dropped files are called {name}: name one by its number, {ids}',
    'มี {count} ไฟล์ชื่อ {name} ให้ระบุด้วยหมายเลข {ids}',
  ],
  'decision-file.being-written': [
    '{name} was written to at this moment: throw it away',
    'มีการเขียนไฟล์ {name} อยู่ในขณะนี้ กรุณาลบไฟล์',
  ],
  'decision-file.discard-why': ['--note is missing: say why', 'ต้องระบุเหตุผล', 'say why'],
  'decision-file.not-as-dropped': [
    '{name} is not as it was dropped: throw it away, and drop it again',
    '{name} ไม่ตรงกับตอนที่วางไว้ กรุณาลบไฟล์แล้ววางใหม่',
  ],
  'decision-file.waits-no-more': [
    'it is not what you have looked at, or waits no more',
    'ไม่ตรงกับที่คุณเปิดดู หรือไม่ต้องดำเนินการแล้ว',
  ],
});

/** Owners of what waits. */
const ownerWordings = wordings({
  'owner.you': ['you look after it already', 'คุณรับเรื่องนี้ไว้แล้ว'],
  'owner.none': ['it has no owner', 'ยังไม่มีผู้รับเรื่องนี้'],
  'owner.another': [
    '{name} looks after it: take it yourself instead',
    '{name} รับเรื่องนี้ไว้ หากต้องการรับแทน ให้เลือก "รับเรื่อง"',
  ],
  'owner.waits-not': ['it does not wait for anybody', 'เรื่องนี้ไม่ต้องดำเนินการแล้ว'],
});

export const whyWordings = {
  ...statusWordings,
  ...rowWordings,
  ...payoutWordings,
  ...changeWordings,
  ...registrationWordings,
  ...otherWordings,
  ...archiveWordings,
  ...proposalWordings,
  ...targetWordings,
  ...decisionFileWordings,
  ...ownerWordings,
};
