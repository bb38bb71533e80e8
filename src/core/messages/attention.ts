/** The list of what needs a person: headings, remedies and the words of the queue. */
import { wordings } from './wording.ts';

/** Headings of entries that are no cause of rows. */
const subjects = wordings({
  'attention.payer-halted': ['Account {number} is halted', 'บัญชี {number} ถูกระงับการจ่าย'],
  'attention.registrations-halted': ['Registrations are halted', 'การลงทะเบียนถูกระงับ'],
  'attention.breaks': ['Breaks of {day}', 'ผลต่างวันที่ {day}'],
  'attention.breaks-by-severity': ['{parts}', '{parts}'],
  'attention.statement-late': ['Statement of {day} is missing', 'ยังไม่ได้รับรายการเดินบัญชีวันที่ {day}'],
  'attention.unknown-callback': ['Callbacks of unknown registrations', 'การแจ้งผลที่ไม่ตรงกับรายการลงทะเบียน'],
  'attention.more': ['{count} more: {what}', 'อีก {count} รายการ: {what}'],
  'attention.sent-back-because': ['{person}: {note}', '{person}: {note}'],

  'break-severity.critical': ['{count} critical', 'ร้ายแรง {count}'],
  'break-severity.high': ['{count} high', 'สำคัญ {count}'],
  'break-severity.medium': ['{count} medium', 'ปานกลาง {count}'],
  'break-severity.low': ['{count} low', 'เล็กน้อย {count}'],
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
  'attention-remedy.sent-back': [
    'Correct it and propose it again, or leave it',
    'แก้ไขแล้วเสนอใหม่ หรือไม่ดำเนินการต่อ',
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
});

/** The words of the queue. */
const queue = wordings({
  'attention-section.act': ['Act now', 'ต้องดำเนินการทันที'],
  'attention-section.check': ['Waits for a checker', 'รอผู้อนุมัติ'],
  'attention-section.sent-back': ['Sent back to you', 'ส่งกลับให้คุณแก้ไข'],
  'attention-section.unknown': ['Unknown if it moved', 'ยังไม่ทราบว่าเงินออกหรือไม่'],
  'attention-section.batches': ['Batches, files and days', 'ชุดจ่ายเงิน ไฟล์ และวัน'],
  'attention-section.not-paid': ['Not paid', 'จ่ายไม่สำเร็จ'],
  'attention-section.registrations': ['Registrations', 'การลงทะเบียนหักบัญชี'],

  'attention-chip.all': ['All', 'ทั้งหมด'],
  'attention-chip.mine': ['Mine', 'งานของฉัน'],
  'attention-chip.alarms': ['Alarms', 'แจ้งเตือนสำคัญ'],
  'attention-chip.unknown': ['Unknown', 'ยังไม่ทราบผล'],
  'attention-chip.batches': ['Batches', 'ชุดจ่ายเงิน'],
  'attention-chip.not-paid': ['Not paid', 'จ่ายไม่สำเร็จ'],
  'attention-chip.breaks': ['Breaks', 'ผลต่าง'],
  'attention-chip.registrations': ['Registrations', 'การลงทะเบียน'],

  'attention-order.severity': ['Most severe, then oldest', 'สำคัญที่สุด แล้วค้างนานสุด'],
  'attention-order.amount': ['Largest amount', 'ยอดสูงสุด'],
  'attention-order.age': ['Oldest', 'ค้างนานสุด'],

  'attention.count-and-sum': ['{count}, {sum}', '{count} {sum}'],

  'attention.decision': ['1 decision', 'ต้องตัดสินใจ 1 เรื่อง'],
  'attention.decisions': ['{count} decisions', 'ต้องตัดสินใจ {count} เรื่อง'],
  'attention.parts': ['Parts of the queue', 'ส่วนของรายการรอดำเนินการ'],
  'attention.order': ['Order', 'เรียงตาม'],
  'attention.sort': ['Sort', 'เรียง'],
  'attention.rows': ['The payouts', 'รายการจ่าย'],
  'attention.since': ['since', 'ตั้งแต่'],
  'attention.all-together': ['All together', 'รวม'],
  'attention.look-at-it': ['Look at it whole', 'ดูรายละเอียดทั้งหมด'],
  'attention.decide-all-hint': [
    'Each row is judged before you decide; a row for which the decision is impossible is left out, with the reason.',
    'ระบบตรวจสอบทุกรายการก่อนตัดสินใจ รายการที่ทำไม่ได้จะถูกตัดออกพร้อมเหตุผล',
  ],
  'attention.other-decisions': ['Other decisions', 'การตัดสินใจอื่น'],
  'attention.back': ['Back', 'ก่อนหน้า'],
  'attention.next': ['Next', 'ถัดไป'],
  'attention.moved-rows': [
    '{count} rows wait only for one of these batches or accounts, and move with it.',
    'อีก {count} รายการรอเพียงชุดจ่ายเงินหรือบัญชีเหล่านี้ และจะดำเนินการไปพร้อมกัน',
  ],
});

export const attentionWordings = { ...subjects, ...remedies, ...queue };
