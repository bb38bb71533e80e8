/** Why a batch or a payer account does not go on, and what ends that. */
import { wordings } from './wording.ts';

export const stopWordings = wordings({
  // ---------------------------------------------------------------- the brake
  'brake.payouts-in-a-row': ['{payouts} in a row ended otherwise than paid', 'จ่ายไม่สำเร็จติดต่อกัน {payouts}'],
  'brake.payouts-of-the-last': [
    '{bad} of the last {payouts} ended otherwise than paid',
    'จ่ายไม่สำเร็จ {bad} จาก {payouts}ล่าสุด',
  ],
  'brake.registrations-in-a-row': [
    '{registrations} in a row were turned down or left in doubt by the bank',
    'ธนาคารปฏิเสธหรือไม่แจ้งผล{registrations}ติดต่อกัน',
  ],
  'brake.registrations-of-the-last': [
    '{bad} of the last {registrations} were turned down or left in doubt by the bank',
    'ธนาคารปฏิเสธหรือไม่แจ้งผล {bad} จาก{registrations}ล่าสุด',
  ],
  'brake.look-at-rows': [
    'Look at the reasons of these rows; when the cause is mended, resume the batch',
    'ตรวจสอบสาเหตุของรายการเหล่านี้ เมื่อแก้สาเหตุแล้วให้ดำเนินการต่อทั้งชุด',
  ],
  'brake.transfer-in-doubt': ['{transfers} is in doubt at once', '{transfers}ยังไม่ทราบผล'],
  'brake.transfers-in-doubt': ['{transfers} are in doubt at once', '{transfers}ยังไม่ทราบผลพร้อมกัน'],
  'brake.registration-in-doubt': ['{registrations} is in doubt at once', '{registrations}ยังไม่ทราบผล'],
  'brake.registrations-in-doubt': ['{registrations} are in doubt at once', '{registrations}ยังไม่ทราบผลพร้อมกัน'],
  'brake.await-inquiries': [
    'Wait until inquiries have settled them ("paydrop settle"), ask the bank, then resume the batch',
    'ห้ามจ่ายซ้ำ รอให้สอบถามผลจนครบ สอบถามธนาคาร แล้วดำเนินการต่อทั้งชุด',
    'Do not pay them again: wait until inquiries have settled them, ask the bank, then resume the batch',
  ],
  'brake.await-callbacks': [
    'Wait for the callbacks ("paydrop callbacks"), ask the bank, then resume the batch',
    'รอการแจ้งผลจากธนาคาร สอบถามธนาคาร แล้วดำเนินการต่อทั้งชุด',
    'Wait for the callbacks, ask the bank, then resume the batch',
  ],
  'brake.rejected-by-callback': [
    'the bank has rejected {count} registrations of {company} in a row by callback',
    'ธนาคารแจ้งผลปฏิเสธการลงทะเบียนของ {company} ติดต่อกัน {count} รายการ',
  ],

  // ---------------------------------------------------------------- payer accounts
  'payer.clear-with-bank': [
    'Clear it with the bank and correct the settings; "paydrop config --login" proves them; then "paydrop resume" the batch',
    'ตรวจสอบกับธนาคารและแก้ไขการตั้งค่า แล้วเลือก "เปิดจ่ายจากบัญชีนี้อีกครั้ง" หรือ "จ่ายชุดนี้ต่อ"',
    'Clear it with the bank and have the settings corrected; then "Resume the account" or "Resume the batch"',
  ],
  'payer.halted-by': ['{person} has halted it: {note}', '{person} สั่งระงับ: {note}'],
  'payer.lift': [
    'Ask the person who halted it; "paydrop halt --lift" lets it go on',
    'สอบถามผู้ที่สั่งระงับ แล้วเลือก "เปิดจ่ายจากบัญชีนี้อีกครั้ง"',
    'Ask the person who halted it; then "Resume the account"',
  ],
  'payer.goes-on': [
    'Goes on by itself when the bank answers again; or run the same command later',
    'ระบบจะดำเนินการต่อเองเมื่อธนาคารตอบอีกครั้ง หรือใช้คำสั่งเดิมอีกครั้งภายหลัง',
  ],
  'payer.left-alone': [
    '{why}; the service is left alone until {moment} Bangkok time',
    '{why} พักการส่งถึง {moment} ตามเวลากรุงเทพ',
  ],
  'payer.service-closed': [
    'the service is closed now and opens at {moment} Bangkok time',
    'นอกเวลาให้บริการ เปิดเวลา {moment} ตามเวลากรุงเทพ',
  ],
  'payer.opens-by-itself': [
    'Goes on by itself when the service opens; or run the same file again then',
    'ระบบจะส่งต่อเองเมื่อบริการเปิด หรือใช้คำสั่ง run กับไฟล์เดิมอีกครั้งเมื่อถึงเวลา',
  ],
  'payer.midnight': [
    'it is midnight in Bangkok, or nearly: the day of a transfer would be in doubt',
    'ถึงหรือใกล้เวลาเที่ยงคืนตามเวลากรุงเทพ วันที่ของการโอนจะไม่แน่นอน',
  ],
  'payer.after-midnight': [
    'Goes on by itself a minute after midnight; or run the same file again then',
    'ระบบจะส่งต่อเองหลังเที่ยงคืนหนึ่งนาที หรือใช้คำสั่ง run กับไฟล์เดิมอีกครั้งเมื่อถึงเวลา',
  ],
  'payer.days-differ': [
    "the day is {ours} by the clock of this machine and {banks} by the bank's",
    'วันที่ตามนาฬิกาของเครื่องคือ {ours} แต่ของธนาคารคือ {banks}',
  ],
  'payer.set-clock': [
    'Set the clock of this machine by a time server; goes on by itself when the days agree',
    'ตั้งนาฬิกาของเครื่องจากเซิร์ฟเวอร์เวลา ระบบจะส่งต่อเองเมื่อวันที่ตรงกัน',
  ],

  'payer.registrations-lost': [
    'the journal was lost or restored: the bank may have registrations from {first} to {last} that it does not know',
    'ฐานข้อมูล journal สูญหายหรือกู้คืนจากสำเนาสำรอง: ธนาคารอาจมีการลงทะเบียนของวันที่ {first} ถึง {last} ที่ระบบไม่ทราบ',
  ],
  'payer.cancel-lost-registrations': [
    'Have the bank say which it has from these days, and cancel those; then resume the batch',
    'สอบถามธนาคารว่ามีการลงทะเบียนใดของช่วงวันดังกล่าว และยกเลิกรายการเหล่านั้น แล้วดำเนินการต่อทั้งชุด',
  ],

  // ---------------------------------------------------------------- batches
  'batch.halted': ['the batch was halted', 'ชุดนี้ถูกระงับ'],
  'batch.resume-when-mended': ['Resume the batch when the cause is mended', 'เมื่อแก้สาเหตุแล้วให้ดำเนินการต่อทั้งชุด'],
  'batch.interrupted': [
    'the run was interrupted; what was in flight is recorded',
    'การทำงานถูกขัดจังหวะ ระบบบันทึกรายการที่ส่งไปแล้วไว้ครบถ้วน',
  ],
  'batch.wait-over': ['the time to wait was over before every row was sent', 'หมดเวลารอก่อนส่งครบทุกรายการ'],
  'batch.run-again': [
    'Run the same file again: it goes on where it was. A watcher goes on with its files by itself',
    'ให้ใช้คำสั่ง run กับไฟล์เดิมอีกครั้ง ระบบจะทำงานต่อจากเดิม หากโปรแกรมรับไฟล์อัตโนมัติทำงานอยู่ ระบบจะทำต่อเอง',
  ],
  'batch.cancelled': ['cancelled by a person', 'มีผู้ยกเลิก'],
  'batch.what-is-cancelled': [
    'Nothing more is sent, and what was under way is settled; where rows stay held, cancel the batch once more',
    'จะไม่ส่งรายการใดอีก และติดตามรายการที่ส่งไปแล้วจนทราบผล หากยังมีรายการที่ระงับไว้ ให้ยกเลิกชุดนี้อีกครั้ง',
  ],
  'batch.payer-changed': [
    'the file was taken in to be paid from account {from}, the settings name account {to} now',
    'รับไฟล์เพื่อจ่ายจากบัญชี {from} แต่การตั้งค่าระบุบัญชี {to}',
  ],
  'batch.choose-payer': [
    '"paydrop resume {batch}" pays what is left from {to}; or put {from} back in the settings, then resume',
    '"จ่ายชุดนี้ต่อ" จ่ายส่วนที่เหลือจากบัญชี {to} หรือแก้การตั้งค่ากลับเป็น {from} แล้วดำเนินการต่อ',
    '"Resume the batch" pays what is left from {to}; or have {from} put back in the settings, then resume',
  ],
  'batch.too-old': [
    '{since}; after {hours} h (limits.batchMaxAgeHours) a person decides before anything more of it is sent',
    '{since} เกิน {hours} ชม. (limits.batchMaxAgeHours) ต้องมีผู้ตัดสินใจก่อนส่งต่อ',
  ],
  'batch.let-go-on-ago': [
    'a person last let it go on {hours} h {minutes} min ago',
    'ดำเนินการต่อครั้งล่าสุดเมื่อ {hours} ชม. {minutes} นาทีก่อน',
  ],
  'batch.dropped-ago': [
    'its file was dropped {hours} h {minutes} min ago',
    'วางไฟล์เมื่อ {hours} ชม. {minutes} นาทีก่อน',
  ],
  'batch.still-to-be-paid': [
    'Make sure that its unsent rows are still to be paid and were not paid by other means, then resume the batch; or cancel it',
    'ตรวจสอบว่ารายการที่ยังไม่ส่งต้องจ่ายจริงและยังไม่ได้จ่ายด้วยวิธีอื่น แล้วดำเนินการต่อทั้งชุด หรือยกเลิกทั้งชุด',
  ],
  'batch.file-grown': [
    '{file} was written to after its {rows} had been read: nothing of it was sent',
    'มีการเขียนไฟล์ {file} หลังจากอ่าน {rows}แล้ว จึงยังไม่ส่งรายการใด',
  ],
  'batch.have-whole-file.one': [
    'Have the whole file: "paydrop resume {batch}" pays the {rows} that was read, and the whole file, dropped again, the others. If these rows are wrong: "paydrop cancel {batch}"',
    'ขอไฟล์ฉบับเต็มก่อน "จ่ายชุดนี้ต่อ" จ่าย {rows}ที่อ่านแล้ว และไฟล์ฉบับเต็มที่ส่งใหม่จ่ายรายการที่เหลือ ถ้ารายการเหล่านี้ไม่ถูกต้อง ให้เลือก "ยกเลิกการจ่ายทั้งชุด"',
    'Have the whole file: "Resume the batch" pays the {rows} that was read, and the whole file, handed in again, the others. If these rows are wrong: "Cancel the batch"',
  ],
  'batch.have-whole-file.many': [
    'Have the whole file: "paydrop resume {batch}" pays the {rows} that were read, and the whole file, dropped again, the others. If these rows are wrong: "paydrop cancel {batch}"',
    'ขอไฟล์ฉบับเต็มก่อน "จ่ายชุดนี้ต่อ" จ่าย {rows}ที่อ่านแล้ว และไฟล์ฉบับเต็มที่ส่งใหม่จ่ายรายการที่เหลือ ถ้ารายการเหล่านี้ไม่ถูกต้อง ให้เลือก "ยกเลิกการจ่ายทั้งชุด"',
    'Have the whole file: "Resume the batch" pays the {rows} that were read, and the whole file, handed in again, the others. If these rows are wrong: "Cancel the batch"',
  ],
  'batch.company-held': ['rows are held for their company', 'ระงับบางรายการไว้เพราะบริษัทถูกระงับการส่ง'],
  'batch.look-at-company': [
    'Look at the reasons of these rows; resume the batch when the cause is mended',
    'ตรวจสอบสาเหตุของรายการเหล่านี้ เมื่อแก้สาเหตุแล้วให้ดำเนินการต่อทั้งชุด',
  ],

  // ---------------------------------------------------------------- approval
  'batch.awaits-approval': [
    'it waits for approval; nothing is paid before that',
    'ต้องอนุมัติก่อน จะไม่จ่ายรายการที่ยังไม่ได้รับอนุมัติ',
  ],
  'batch.approve-it': [
    'Look at it ("paydrop status {batch}"), then approve it ("paydrop approve --batch {batch}"); it goes on when its file is run again, or with a watcher',
    'ตรวจสอบแล้วเสนอจ่าย เมื่ออนุมัติแล้วระบบจะส่งต่อเอง หรือส่งต่อเมื่อได้รับไฟล์เดิมอีกครั้ง',
    'Look at it, then propose to pay it; once it is approved it goes on by itself, or when its file is handed in again',
  ],
  'batch.approval-taken-back': [
    'row {row} is not what a signed approval names: {why}; the batch waits for approval again',
    'แถวที่ {row} ไม่ตรงกับที่ลงนามอนุมัติไว้: {why} ต้องอนุมัติชุดนี้อีกครั้ง',
  ],
  'batch.find-out-what-changed': [
    'Find out whether the journal ("paydrop audit") or approval.keys was changed. {remedy}',
    'ตรวจสอบว่าฐานข้อมูล journal หรือ approval.keys ถูกแก้ไขหรือไม่ {remedy}',
    'Have the journal audited, and find out whether it or approval.keys was changed. {remedy}',
  ],

  // ---------------------------------------------------------------- the seal
  'seal.row-changed': [
    'row {row} of batch {batch} is not what was sealed: it was changed in the journal',
    'แถวที่ {row} ของชุด {batch} ไม่ตรงกับที่ล็อกไว้: มีการแก้ไขในฐานข้อมูล journal',
  ],
  'seal.batch-changed': [
    'batch {batch} is not what was sealed: the journal shows {differences}',
    'ชุด {batch} ไม่ตรงกับที่ล็อกไว้: ในฐานข้อมูล journal มี {differences}',
  ],
  'seal.other-rows': ['{rows} instead of {before}', '{rows} จากเดิม {before}'],
  'seal.other-sum': ['{amount} baht instead of {before}', '{amount} บาท จากเดิม {before}'],
  'seal.other-digests': ['other digests of its rows', 'ค่าแฮชของแถวไม่ตรงกัน'],
  'seal.other-kept-digests': ['other digests than were kept outside it', 'ค่าแฮชไม่ตรงกับที่เก็บไว้ภายนอก'],
  'seal.find-out': [
    'Nothing more is sent from this payer account. Find out who or what has changed journal.db. Then {restore}; or stop this batch with "paydrop cancel" and its id, pay what is left of it from a new file, and let the others go on with "paydrop resume"',
    'จะไม่มีการส่งรายการใดจากบัญชีผู้จ่ายนี้อีก ตรวจสอบว่าใครหรือสิ่งใดแก้ไขฐานข้อมูล journal.db จากนั้น{restore} หรือเลือก "ยกเลิกการจ่ายทั้งชุด" จ่ายส่วนที่เหลือจากไฟล์ใหม่ แล้วเลือก "จ่ายชุดนี้ต่อ" ที่ชุดอื่น',
    'Nothing more is sent from this payer account. Find out who or what has changed journal.db. Then {restore}; or stop this batch with "Cancel the batch", pay what is left of it from a new file, and let the others go on with "Resume the batch"',
  ],
  'journal.restore-backup': [
    'move journal.db away with its -wal and -shm, and put the newest backup in their place with "paydrop restore FILE --since YYYY-MM-DD"',
    'ให้ผู้ดูแลโปรแกรมย้าย journal.db พร้อมไฟล์ -wal และ -shm ออกไป แล้วกู้คืนสำเนาสำรองล่าสุด (docs/runbook.md, Journal lost)',
    'the person who runs paydrop moves journal.db away with its -wal and -shm, and puts the newest backup in their place (docs/runbook.md, Journal lost)',
  ],

  // ---------------------------------------------------------------- the check of a file
  'check.interrupted': ['the check was interrupted', 'การตรวจไฟล์ถูกขัดจังหวะ'],
  'check.check-the-rest': ['Check the file again for the rest', 'ตรวจไฟล์อีกครั้งสำหรับส่วนที่เหลือ'],
  'check.wait-over': ['the bank did not answer in time', 'ธนาคารไม่ตอบภายในเวลา'],
  'check.check-later': ['Check the file again later', 'ตรวจไฟล์อีกครั้งภายหลัง'],
  'check.no-answers': [
    'the bank gives no usable answers to payee checks',
    'ไม่ได้รับคำตอบที่ใช้ได้จากธนาคารในการตรวจผู้รับเงิน',
  ],
  'check.correct-bank': [
    'Check bank.baseUrl and bank.scheme in the settings, or check the file again later',
    'ตรวจสอบ bank.baseUrl และ bank.scheme ในการตั้งค่า หรือตรวจไฟล์อีกครั้งภายหลัง',
  ],

  // ---------------------------------------------------------------- clocks
  'clock.hours': ['{count} hours', '{count} ชั่วโมง'],
  'clock.behind': [
    "the clock of this machine is {span} behind the bank's: set it by a time server; nothing is sent a second time unless it is the same day by both",
    'นาฬิกาของเครื่องช้ากว่านาฬิกาของธนาคาร {span}: ให้ตั้งจากเซิร์ฟเวอร์เวลา ระบบจะไม่ส่งรายการใดซ้ำเว้นแต่วันที่ตรงกัน',
  ],
  'clock.ahead': [
    "the clock of this machine is {span} ahead of the bank's: set it by a time server; nothing is sent a second time unless it is the same day by both",
    'นาฬิกาของเครื่องเร็วกว่านาฬิกาของธนาคาร {span}: ให้ตั้งจากเซิร์ฟเวอร์เวลา ระบบจะไม่ส่งรายการใดซ้ำเว้นแต่วันที่ตรงกัน',
  ],
  'clock.agrees': [
    "the clock of this machine and the bank's are together again",
    'นาฬิกาของเครื่องตรงกับนาฬิกาของธนาคารแล้ว',
  ],
  'clock.untold': [
    "the bank's replies bear no Date header: whether its day is ours cannot be told, and nothing is sent again",
    'คำตอบของธนาคารไม่มีส่วนหัว Date จึงไม่ทราบว่าวันที่ตรงกันหรือไม่ และจะไม่มีการส่งซ้ำ',
  ],
  'clock.jumped': [
    "the clock of this machine, or the bank's, has jumped by {span}",
    'นาฬิกาของเครื่องหรือของธนาคารเปลี่ยนไปกะทันหัน {span}',
  ],
});
