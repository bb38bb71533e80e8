/** The list of what needs a person: headings, remedies and the words of the queue. */
import { wordings } from './wording.ts';

/** Headings of entries that are no cause of rows. */
const subjects = wordings({
  'attention.alarm': ['{what}', '{what}'],
  'attention.payer-halted': ['Account {number} is halted', 'บัญชี {number} ถูกระงับการจ่าย'],
  'attention.registrations-halted': ['Registrations are halted', 'การลงทะเบียนถูกระงับ'],
  'attention.breaks': ['Breaks of {day}', 'ผลต่างวันที่ {day}'],
  'attention.breaks-by-severity': ['{parts}', '{parts}'],
  'attention.statement-late': ['Statement of {day} is missing', 'ยังไม่ได้รับรายการเดินบัญชีวันที่ {day}'],
  'attention.unknown-callback': ['Callbacks of unknown registrations', 'การแจ้งผลที่ไม่ตรงกับรายการลงทะเบียน'],
  'attention.more': ['{count} more: {what}', 'อีก {count} รายการ: {what}'],
  'attention.sent-back-because': ['{person}: {note}', '{person}: {note}'],
  'attention.in-files': ['in {count} files', 'ใน {count} ไฟล์'],
  'attention.in-file': ['in one file', 'ในไฟล์เดียว'],

  'break-severity.critical': ['{count} critical', 'ร้ายแรง {count}'],
  'break-severity.high': ['{count} high', 'สำคัญ {count}'],
  'break-severity.medium': ['{count} medium', 'ปานกลาง {count}'],
  'break-severity.low': ['{count} low', 'เล็กน้อย {count}'],
});

/** Kinds of entries, of which the many beyond those shown are one. */
const kinds = wordings({
  'attention-kind.alarm': ['alarms', 'แจ้งเตือนสำคัญ'],
  'attention-kind.registration-alarm': ['alarms of registrations', 'แจ้งเตือนสำคัญของการลงทะเบียน'],
  'attention-kind.payer-halted': ['halted accounts', 'บัญชีที่ถูกระงับการจ่าย'],
  'attention-kind.critical-breaks': ['days with critical breaks', 'วันที่มีผลต่างร้ายแรง'],
  'attention-kind.high-breaks': ['days with high breaks', 'วันที่มีผลต่างสำคัญ'],
  'attention-kind.breaks': ['days with breaks', 'วันที่มีผลต่าง'],
  'attention-kind.proposal': ['proposals', 'รายการรออนุมัติ'],
  'attention-kind.sent-back': ['proposals sent back', 'รายการที่ส่งกลับให้แก้ไข'],
  'attention-kind.decisions-dropped': ['files of decisions', 'ไฟล์การตัดสินใจ'],
  'attention-kind.in-doubt': ['in doubt', 'ยังไม่ทราบผล'],
  'attention-kind.unresolved': ['unresolved', 'ยังสรุปผลไม่ได้'],
  'attention-kind.disputed': ['disputed', 'ผลขัดแย้งกับธนาคาร'],
  'attention-kind.batch-halted': ['halted batches', 'ชุดจ่ายเงินที่หยุดจ่าย'],
  'attention-kind.batch-approval': ['batches to approve', 'ชุดจ่ายเงินรออนุมัติ'],
  'attention-kind.batch-held': ['held batches', 'ชุดจ่ายเงินที่ระงับไว้'],
  'attention-kind.file-refused': ['refused files', 'ไฟล์ที่ไม่รับเข้าระบบ'],
  'attention-kind.statement-late': ['days without a statement', 'วันที่ยังไม่ได้รับรายการเดินบัญชี'],
  'attention-kind.not-paid': ['not paid', 'จ่ายไม่สำเร็จ'],
  'attention-kind.rejected': ['rejected rows', 'รายการที่ไม่รับเข้าระบบ'],
  'attention-kind.held': ['held payouts', 'รายการที่ระงับไว้'],
  'attention-kind.registration-in-doubt': ['registrations in doubt', 'การลงทะเบียนที่ยังไม่ทราบผล'],
  'attention-kind.not-registered': ['not registered', 'ลงทะเบียนไม่สำเร็จ'],
  'attention-kind.registration-rejected': ['rejected registrations', 'การลงทะเบียนที่ไม่รับเข้าระบบ'],
  'attention-kind.registration-held': ['held registrations', 'การลงทะเบียนที่ระงับไว้'],
  'attention-kind.unknown-callback': ['unknown callbacks', 'การแจ้งผลที่ไม่ตรงกับรายการ'],
});

/** Remedies, by the code of the entry. */
const remedies = wordings({
  'attention-remedy.alarm': [
    'Do not pay it again. Ask the bank about every reference of these payouts; acknowledge the alarm once it is cleared',
    'ห้ามจ่ายซ้ำ สอบถามธนาคารด้วยเลขอ้างอิงทุกเลขของรายการ เมื่อทราบผลแล้วให้รับทราบ',
  ],
  'attention-remedy.registration-alarm': [
    'Debit nothing by it. Ask the bank which of its answers holds; acknowledge the alarm once it is cleared',
    'ห้ามหักบัญชี สอบถามธนาคารว่าผลใดถูกต้อง เมื่อทราบผลแล้วให้รับทราบ',
  ],
  'attention-remedy.payer-halted': [
    'Remove the cause. If the rest may be paid, propose to resume the account',
    'แก้สาเหตุก่อน ถ้ารายการที่เหลือจ่ายได้ ให้เสนอเปิดจ่ายจากบัญชีนี้อีกครั้ง',
  ],
  'attention-remedy.breaks': [
    'Look at each break with the bank; accept what is explained',
    'ตรวจสอบผลต่างแต่ละรายการกับธนาคาร แล้วยอมรับรายการที่อธิบายได้',
  ],
  'attention-remedy.proposal': [
    'A second person looks at it, and approves it or sends it back',
    'ให้ผู้อนุมัติอีกคนตรวจสอบ แล้วอนุมัติหรือส่งกลับ',
  ],
  'attention-remedy.sent-back': [
    'Correct it and propose it again, or leave it',
    'แก้ไขแล้วเสนอใหม่ หรือไม่ดำเนินการต่อ',
  ],
  'attention-remedy.decisions-dropped': [
    'A maker looks at the file, and proposes its decisions or discards it',
    'ให้ผู้ทำรายการตรวจสอบไฟล์ แล้วเสนออนุมัติหรือลบไฟล์',
  ],
  'attention-remedy.in-doubt': [
    'Do not pay it again. paydrop goes on asking the bank; the statement of the day settles it',
    'ห้ามจ่ายซ้ำ ระบบสอบถามธนาคารต่อไป และรายการเดินบัญชีของวันนั้นจะยืนยันผล',
  ],
  'attention-remedy.unresolved': [
    'Do not pay it again. Ask the bank with the reference; two people confirm with evidence what it says',
    'ห้ามจ่ายซ้ำ สอบถามธนาคารด้วยเลขอ้างอิง แล้วให้สองคนยืนยันผลพร้อมหลักฐาน',
  ],
  'attention-remedy.disputed': [
    'Do not pay it again. The statement contradicts a confirmed payment: ask the bank which of the two holds',
    'ห้ามจ่ายซ้ำ รายการเดินบัญชีขัดแย้งกับผลที่ยืนยันแล้ว ให้สอบถามธนาคารว่าผลใดถูกต้อง',
  ],
  'attention-remedy.batch-halted': [
    'Remove the cause, then resume the batch or cancel it',
    'แก้สาเหตุก่อน แล้วจ่ายชุดนี้ต่อหรือยกเลิกการจ่ายทั้งชุด',
  ],
  'attention-remedy.batch-approval': [
    'Look at the figures, then propose to pay the file. Nothing is paid before a checker approves it',
    'ตรวจสอบตัวเลข แล้วเสนอจ่ายไฟล์นี้ จะไม่มีการจ่ายก่อนผู้อนุมัติอนุมัติ',
  ],
  'attention-remedy.batch-held': [
    'Look at what holds the rows, then resume the batch or cancel it',
    'ตรวจสอบสาเหตุที่ระงับ แล้วจ่ายชุดนี้ต่อหรือยกเลิกการจ่ายทั้งชุด',
  ],
  'attention-remedy.file-refused': [
    'Nothing of it was taken in. Correct it and hand it in again under the same name, or acknowledge it',
    'ยังไม่มีการรับไฟล์นี้เข้าระบบ ให้แก้ไขแล้วส่งอีกครั้งด้วยชื่อเดิม หรือรับทราบ',
  ],
  'attention-remedy.statement-late': [
    'Ask the bank for the statement and fetch it; acknowledge the day if none will ever come',
    'ขอรายการเดินบัญชีจากธนาคารแล้วดึงมา หากธนาคารจะไม่ส่ง ให้รับทราบ',
  ],
  'attention-remedy.not-paid': [
    'No money moved. Remove the cause, then retry, or pay it corrected in a new file',
    'เงินยังไม่ออก แก้สาเหตุก่อน แล้วส่งจ่ายใหม่ หรือแก้ไขแล้วจ่ายในไฟล์ใหม่',
  ],
  'attention-remedy.rejected': [
    'Nothing was sent. Correct the row in a new file, then acknowledge it here',
    'ยังไม่ได้ส่งธนาคาร ให้แก้ไขรายการในไฟล์ใหม่ แล้วรับทราบที่นี่',
  ],
  'attention-remedy.held': [
    'Nothing was sent. Let go on what is right, and cancel what is not',
    'ยังไม่ได้ส่งธนาคาร รายการที่ถูกต้องให้ดำเนินการต่อ รายการที่ไม่ถูกต้องให้ยกเลิก',
  ],
  'attention-remedy.registration-in-doubt': [
    'Do not register it again. Ask the bank with the requestUID, and confirm with evidence what it says',
    'ห้ามลงทะเบียนซ้ำ สอบถามธนาคารด้วย requestUID แล้วยืนยันผลพร้อมหลักฐาน',
  ],
  'attention-remedy.not-registered': [
    'Ask the customer or the bank about the cause, then send it again or acknowledge it',
    'สอบถามลูกค้าหรือธนาคารถึงสาเหตุ แล้วส่งลงทะเบียนใหม่หรือรับทราบ',
  ],
  'attention-remedy.registration-rejected': [
    'Nothing was sent. Correct the row in a new file, then acknowledge it here',
    'ยังไม่ได้ส่งธนาคาร ให้แก้ไขรายการในไฟล์ใหม่ แล้วรับทราบที่นี่',
  ],
  'attention-remedy.registration-held': [
    'Nothing was sent. Let go on what is right, and cancel what is not',
    'ยังไม่ได้ส่งธนาคาร รายการที่ถูกต้องให้ดำเนินการต่อ รายการที่ไม่ถูกต้องให้ยกเลิก',
  ],
  'attention-remedy.unknown-callback': [
    'Find out who registered it, then acknowledge it',
    'ตรวจสอบว่าใครเป็นผู้ลงทะเบียน แล้วรับทราบ',
  ],
});

export const attentionWordings = { ...subjects, ...kinds, ...remedies };
