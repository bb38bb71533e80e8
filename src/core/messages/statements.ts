/** The bank's statement against the journal. */
import { wordings } from './wording.ts';

/** The source of a statement. */
const sourceWordings = wordings({
  'source.bank': ['the bank', 'รับจากธนาคาร'],
  'source.bank-insisted': ['the bank, {name} insisted', 'รับจากธนาคาร ยืนยันรับโดย {name}'],
  'source.file': ['a file given by {name}', 'ไฟล์ที่ส่งโดย {name}'],
  'source.file-insisted': ['a file given by {name}, who insisted', 'ไฟล์ที่ส่งและยืนยันรับโดย {name}'],
  'source.decided': ['{source} (proposal {id})', '{source} (คำขอ {id})'],
  'source.checked': ['{source}, checked by {name} (proposal {id})', '{source} อนุมัติโดย {name} (คำขอ {id})'],
  'source.unknown-user': ['an unknown user', 'ผู้ใช้ที่ไม่ทราบชื่อ'],
});

/** The statement's word on a row. */
const rowWordings = wordings({
  'statement.complete': [
    "the bank's statement of {day} (line {line}) shows it complete, with our amount, payee, payer account and company",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) แสดงว่าโอนสำเร็จ โดยจำนวนเงิน ผู้รับเงิน บัญชีผู้จ่าย และบริษัทตรงกัน',
  ],
  'statement.complete-too': [
    "the bank's statement of {day} (line {line}) shows attempt {ref} complete too: two transfers were made for this payoutId",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) แสดงว่า {ref} สำเร็จด้วย มีการโอนสองครั้งสำหรับ payoutId นี้',
  ],
  'statement.late-proof': [
    "the bank's statement of {day} (line {line}) shows attempt {ref}, closed before, complete",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) แสดงว่า {ref} สำเร็จ แม้ระบบเคยสรุปผลเป็นอย่างอื่น',
  ],
  'statement.failed': [
    "the bank's statement of {day} (line {line}) says that it failed",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) แจ้งว่าไม่สำเร็จ',
  ],
  'statement.failed-because': [
    "the bank's statement of {day} (line {line}) says that it failed: {why}",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) แจ้งว่าไม่สำเร็จ: {why}',
  ],
  'statement.contradicts': [
    "the bank's statement of {day} (line {line}) says that attempt {ref}, called paid before, failed",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) แจ้งว่า {ref} ไม่สำเร็จ แม้เคยยืนยันว่าจ่ายสำเร็จ',
  ],
  'statement.differs': [
    "the bank's statement of {day} (line {line}) has {ref} with another amount, payee, payer account or company",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) มี {ref} ด้วยจำนวนเงิน ผู้รับเงิน บัญชีผู้จ่าย หรือบริษัทอื่น',
  ],
  'statement.alive': [
    "the bank's statement of {day} (line {line}) has attempt {ref}, closed before, as {words}",
    'รายการเดินบัญชีวันที่ {day} (บรรทัดที่ {line}) ระบุ {ref} เป็น {words} แม้ระบบเคยสรุปผลแล้ว',
  ],
  'statement.quoted': ['"{word}"', '"{word}"'],
  'statement.withdrawn': [
    'a statement said that attempt {ref} failed, and no present one does (that of {day} was read)',
    'เคยมีรายการเดินบัญชีแจ้งว่า {ref} ไม่สำเร็จ แต่ไม่มีในฉบับปัจจุบัน (อ่านของวันที่ {day} แล้ว)',
  ],
});

/** Why a break is one. */
const breakWordings = wordings({
  'break-reason.fault': ['line {line}: {fault}', 'บรรทัดที่ {line}: {fault}'],
  'break-reason.lost-digits': [
    '{column}: "{number}" has lost digits, as in a spreadsheet (number-damaged)',
    '{column}: ตัวเลข "{number}" หายไปบางหลัก อาจเพราะโปรแกรมตารางคำนวณ (number-damaged)',
  ],
  'break-reason.nothing': ['nothing', 'ว่างเปล่า'],
  'break-reason.payee': [
    'sent to {type} {ours}, the statement says {banksType} {banks}',
    'ส่งให้ {type} {ours} แต่รายการเดินบัญชีระบุ {banksType} {banks}',
  ],
  'break-reason.amount': [
    '{ours} was sent, the statement says {banks}',
    'ส่ง {ours} แต่รายการเดินบัญชีระบุ {banks}',
  ],
  'break-reason.company': [
    'sent for company {ours}, the statement says {banks}',
    'ส่งในชื่อบริษัท {ours} แต่รายการเดินบัญชีระบุ {banks}',
  ],
  'break-reason.payer': [
    'to be paid from {ours}, the statement says {banks}',
    'ต้องจ่ายจาก {ours} แต่รายการเดินบัญชีระบุ {banks}',
  ],
  'break-reason.fee': [
    'the reply to the transfer said {ours}, the statement {banks}',
    'คำตอบของการโอนระบุ {ours} แต่รายการเดินบัญชีระบุ {banks}',
  ],
  'break-reason.net': [
    'the net amount is {net}, with charge type {chargeType}, fee {fee} it would be {expected}',
    'ยอดสุทธิคือ {net} แต่ประเภทค่าธรรมเนียม {chargeType} ค่าธรรมเนียม {fee} ควรเป็น {expected}',
  ],
  'break-reason.day': [
    'effective on {effective}, in the statement of {day}, sent on {sent}',
    'มีผลวันที่ {effective} อยู่ในรายการเดินบัญชีวันที่ {day} ส่งวันที่ {sent}',
  ],
  'break-reason.earlier-day': [
    'effective on {effective}, in the statement of {day}, sent on {sent}: that is another transfer, made before it under the same reference, and settles nothing of it',
    'มีผลวันที่ {effective} อยู่ในรายการเดินบัญชีวันที่ {day} ส่งวันที่ {sent} เป็นการโอนอื่นก่อนหน้าด้วยเลขอ้างอิงเดียวกัน จึงไม่ยืนยันผลของรายการนี้',
  ],

  'break-reason.says': ['the statement says {word}', 'รายการเดินบัญชีระบุ {word}'],
  'break-reason.paid-after-all': [
    'we had called it failed, {said}: the bank has paid it',
    'ระบบบันทึกว่าจ่ายไม่สำเร็จ แต่{said} คือธนาคารจ่ายแล้ว',
  ],
  'break-reason.not-paid': [
    'we had called it paid, {said}: the bank has not paid it',
    'ระบบบันทึกว่าจ่ายสำเร็จ แต่{said} คือธนาคารไม่ได้จ่าย',
  ],
  'break-reason.contradicted': ['{said}, and another line contradicts it', '{said} และมีบรรทัดอื่นขัดแย้ง'],
  'break-reason.waits': ['{said}, and {why}', '{said} และ{why}'],
  'break-reason.unfinished': ['{said}: the bank has not finished it', '{said} ธนาคารยังดำเนินการไม่เสร็จ'],
  'break-reason.unknown-word': ['{said}: the settings do not know this word', '{said} ไม่มีคำนี้ในการตั้งค่า'],
  'break-reason.damaged-word': [
    '{said}: a spreadsheet has dropped the zero of {code}',
    '{said} แต่โปรแกรมตารางคำนวณตัดเลขศูนย์หน้า {code} ออก',
  ],
  'break-reason.contradiction': [
    'STATUS says {status} and REASON CODE says {code}: the two contradict each other',
    'STATUS ระบุ {status} แต่ REASON CODE ระบุ {code} ซึ่งขัดแย้งกัน',
  ],
  'break-reason.paid-twice': [
    'attempt {number} is complete, and another attempt of this payout is paid, too: money went out twice',
    'การส่งครั้งที่ {number} สำเร็จ และการส่งอีกครั้งของรายการนี้ก็จ่ายสำเร็จ เงินออกสองครั้ง',
  ],
  'break-reason.repeated': [
    'the statement of an earlier day has it complete already',
    'รายการเดินบัญชีของวันก่อนหน้าระบุว่าสำเร็จแล้ว',
  ],
  'break-reason.several-lines': [
    '{lines} lines for one transfer (lines {numbers} of the file), {complete} of them complete',
    'การโอนเดียวมี {lines} บรรทัด (บรรทัดที่ {numbers} ของไฟล์) สำเร็จ {complete} บรรทัด',
  ],
  'break-reason.one-reference': ['{lines} lines with one reference', 'เลขอ้างอิงเดียวมี {lines} บรรทัด'],
  'break-reason.no-reference': ['the line names no transfer reference', 'บรรทัดนี้ไม่มีเลขอ้างอิงการโอน'],
  'break-reason.own-reference': [
    'sent under a reference of paydrop that this journal does not contain',
    'เลขอ้างอิงเป็นรูปแบบของระบบนี้ แต่ไม่มีในฐานข้อมูลของระบบ',
  ],
  'break-reason.foreign-reference': [
    'not sent by paydrop: the bank shows a transfer that this journal does not contain',
    'ไม่ใช่รายการที่ส่งจาก paydrop ธนาคารแสดงการโอนที่ไม่มีในฐานข้อมูลของระบบ',
  ],

  'break-reason.under-way': [
    'our request for it is under way, and not answered yet',
    'คำขอของระบบกำลังส่งอยู่ และยังไม่ได้รับคำตอบ',
  ],
  'break-reason.later-attempt': [
    'a lost part of the journal may have made a later attempt that was not looked for yet',
    'ข้อมูลส่วนที่สูญหายอาจมีการส่งครั้งหลัง ซึ่งยังไม่ได้ค้นหา',
  ],
  'break-reason.nothing-sent': [
    'nothing was sent under its reference on {day}',
    'ไม่มีการส่งด้วยเลขอ้างอิงนี้ในวันที่ {day}',
  ],
  'break-reason.other-reference1': ['its REFERENCE1 is not the one that was sent', 'REFERENCE1 ไม่ตรงกับที่ส่ง'],
  'break-reason.sent-twice-that-day': [
    'its reference went twice on that day: the line does not tell which send failed',
    'ส่งเลขอ้างอิงนี้สองครั้งในวันนั้น บรรทัดนี้ไม่บอกว่าครั้งใดไม่สำเร็จ',
  ],

  'break-reason.missing': [
    'we call it paid, and the statement of its day does not have it',
    'ระบบบันทึกว่าจ่ายสำเร็จ แต่รายการเดินบัญชีของวันนั้นไม่มี',
  ],
  'break-reason.maybe-unread': [
    'we call it paid, and no line names it: one that cannot be read may be it',
    'ระบบบันทึกว่าจ่ายสำเร็จ แต่ไม่มีบรรทัดใดระบุรายการนี้ อาจเป็นบรรทัดที่อ่านไม่ได้',
  ],
  'break-reason.retracted': [
    'a statement said that it failed, and the one that has superseded it does not have it: the bank may yet complete it',
    'รายการเดินบัญชีฉบับก่อนแจ้งว่าไม่สำเร็จ แต่ฉบับที่ใช้แทนไม่มีรายการนี้ ธนาคารอาจยังโอนสำเร็จภายหลัง',
  ],
  'break-reason.no-trace': [
    "in doubt, in neither its day's statement nor the next day's; inquiry finds nothing, and the bank never acknowledged it",
    'ยังไม่ทราบผล ไม่มีในรายการเดินบัญชีของวันนั้นและวันถัดไป สอบถามแล้วไม่พบ และธนาคารไม่เคยรับทราบ',
  ],
  'break-reason.not-in-statement': [
    'in doubt, and the statement of its day does not have it; {why}',
    'ยังไม่ทราบผล และไม่มีในรายการเดินบัญชีของวันนั้น {why}',
  ],
  'absent.known': ['the bank has shown that it knows the reference', 'ธนาคารเคยแสดงว่ามีเลขอ้างอิงนี้'],
  'absent.unread-line': ['a line that cannot be read may be it', 'อาจเป็นบรรทัดที่อ่านไม่ได้'],
  'absent.read-early': [
    "its day's statement was read before the day had ended",
    'อ่านรายการเดินบัญชีของวันนั้นก่อนสิ้นวัน',
  ],
  'absent.next-day-unread': ["the next day's statement has not been read", 'ยังไม่ได้อ่านรายการเดินบัญชีของวันถัดไป'],
  'absent.not-asked': [
    'the bank has not been asked about it since its day was over',
    'ยังไม่ได้สอบถามธนาคารหลังสิ้นวันนั้น',
  ],
  'absent.not-said': ['the last inquiry did not say that it is not found', 'การสอบถามครั้งล่าสุดไม่ได้แจ้งว่าไม่พบ'],
});

export const statementWordings = { ...sourceWordings, ...rowWordings, ...breakWordings };
