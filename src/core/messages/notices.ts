/** The reasons and remedies of notices, by their kinds. A `{why}` alone in English is led in by a sentence in Thai. */
import { wordingsOffPage } from './wording.ts';

const ofBatches = wordingsOffPage({
  'notice.counts': ['{what}: {counts}', '{what}: {counts}'],
  'notice-rows.staged': ['{rows} staged', 'กำลังอ่านไฟล์ {rows}'],
  'notice-rows.ready': ['{rows} ready', 'พร้อมจ่าย {rows}'],
  'notice-rows.held': ['{rows} held', 'ระงับไว้ {rows}'],
  'notice-rows.submitted': ['{rows} submitted', 'ยังไม่ทราบผล {rows}'],
  'notice-rows.unresolved': ['{rows} unresolved', 'ยังสรุปผลไม่ได้ {rows}'],
  'notice-rows.paid': ['{rows} paid', 'จ่ายสำเร็จ {rows}'],
  'notice-rows.failed': ['{rows} failed', 'จ่ายไม่สำเร็จ {rows}'],
  'notice-rows.unpayable': ['{rows} unpayable', 'ตรวจผู้รับไม่ผ่าน {rows}'],
  'notice-rows.rejected': ['{rows} rejected', 'ไม่รับเข้าระบบ {rows}'],
  'notice-rows.cancelled': ['{rows} cancelled', 'ยกเลิกแล้ว {rows}'],
  'notice-rows.disputed': ['{rows} disputed', 'ผลขัดแย้งกับธนาคาร {rows}'],
  'notice.batch-done': ['the batch has come to its end', 'ชุดจ่ายเงินดำเนินการเสร็จแล้ว'],
  'notice.batch-done-why': ['{why}', 'ชุดจ่ายเงินดำเนินการเสร็จแล้ว: {why}'],
  'notice.look-at-exceptions': [
    'Look at its exceptions: each says what to do',
    'ให้ตรวจสอบรายการที่ต้องดำเนินการ แต่ละรายการมีวิธีแก้ไข',
  ],
  'notice.batch-halted': ['the batch waits for a person', 'ระงับการจ่ายชุดจ่ายเงินนี้ รอดำเนินการ'],
  'notice.batch-halted-why': ['{why}', 'ระงับการจ่ายชุดจ่ายเงินนี้ รอดำเนินการ: {why}'],
  'notice.remove-cause': [
    'Remove the cause, then let it go on with "paydrop resume" and its batch id',
    'เมื่อแก้สาเหตุแล้ว เลือก "จ่ายชุดนี้ต่อ" ที่ชุดจ่ายเงิน หรือใช้คำสั่ง "paydrop resume" ตามด้วยรหัสชุด',
  ],
  'notice.in-doubt': [
    'transfers have been in doubt for too long',
    'มีรายการที่ส่งธนาคารแล้วแต่ยังไม่ทราบผลนานเกินกำหนด',
  ],
  'notice.in-doubt-why': ['{why}', 'มีรายการที่ส่งธนาคารแล้วแต่ยังไม่ทราบผลนานเกินกำหนด: {why}'],
  'notice.settle-them': [
    'Do not pay them again by other means: "paydrop settle" asks the bank what became of them, and the statement of their day settles them ("paydrop reconcile --date")',
    'ห้ามจ่ายซ้ำด้วยวิธีอื่น ใช้คำสั่ง "paydrop settle" สอบถามผลกับธนาคาร หรือกระทบยอดกับรายการเดินบัญชีของวันนั้นด้วย "paydrop reconcile --date"',
  ],
  'notice.settle-them-first': [
    '{remedy}',
    'ห้ามจ่ายซ้ำด้วยวิธีอื่น ใช้คำสั่ง "paydrop settle" สอบถามผลกับธนาคาร หรือกระทบยอดกับรายการเดินบัญชีของวันนั้นด้วย "paydrop reconcile --date" {remedy}',
  ],
  'notice.settled-by-statement': [
    'Do not pay them again by other means: another journal, or a lost part of this one, has sent them, and only a statement settles them ("paydrop reconcile --date" with their day or the next), or two people with "paydrop confirm"',
    'ห้ามจ่ายซ้ำด้วยวิธีอื่น รายการเหล่านี้ส่งจากฐานข้อมูล journal อื่นหรือจากส่วนที่สูญหาย สรุปผลได้จากรายการเดินบัญชีเท่านั้น ให้ใช้ "paydrop reconcile --date" ของวันนั้นหรือวันถัดไป หรือให้สองคนบันทึกผลที่ธนาคารแจ้งด้วย "paydrop confirm"',
  ],
});

const ofFiles = wordingsOffPage({
  'notice.file-rejected': ['{why}', 'ไม่รับไฟล์นี้เข้าระบบทั้งไฟล์ และไม่มีการส่งรายการจากไฟล์นี้: {why}'],
  'notice.rows-stand-in-batch': [
    'Nothing to do for the rows that its batch has: they stand there. Rows that are new need ids of their own: drop them as a file of their own',
    'รายการที่อยู่ในชุดจ่ายเงินแล้วไม่ต้องดำเนินการ ให้ดูผลที่ชุดนั้น รายการใหม่ต้องใช้เลขที่รายการของตนเอง และวางเป็นไฟล์ใหม่',
  ],
  'notice.correct-payouts': [
    'Nothing of it was paid: correct it as the reason says, and drop or run it again under any name',
    'ยังไม่มีการจ่ายจากไฟล์นี้ ให้แก้ไขตามสาเหตุ แล้ววางไฟล์หรือใช้คำสั่ง run อีกครั้ง ใช้ชื่อใดก็ได้',
  ],
  'notice.correct-registrations': [
    'Nothing of it was registered: correct it as the reason says, and drop it again under any name',
    'ยังไม่มีการลงทะเบียนจากไฟล์นี้ ให้แก้ไขตามสาเหตุ แล้ววางไฟล์อีกครั้ง ใช้ชื่อใดก็ได้',
  ],
  'notice.correct-decisions': [
    'Nothing was decided by it: correct it as the reason says, and drop it again',
    'ยังไม่มีการตัดสินใจจากไฟล์นี้ ให้แก้ไขตามสาเหตุ แล้ววางไฟล์อีกครั้ง',
  ],
  'notice.drop-whole-file': [
    'Have the partner send the whole file again, or drop it again: {others}',
    'ให้คู่ค้าส่งไฟล์ฉบับเต็มอีกครั้ง หรือวางไฟล์ฉบับเต็มใหม่: {others}',
  ],
  'notice.journal-refused': [
    '{why}',
    'หยุดส่งทุกรายการ เพราะไม่พบฐานข้อมูล journal หรือไม่ใช่ฐานข้อมูลเดิมที่เคยใช้งาน: {why}',
  ],
  'notice.find-journal': [
    'The reason names the trouble. New here, never any journal: "paydrop init". Lost, and a backup exists: "paydrop restore FILE --since YYYY-MM-DD". Lost without a backup: "paydrop run --journal-lost --since YYYY-MM-DD FILE..". The day is the first that may lack payouts; the bank is asked about them, and nothing is paid twice',
    'สาเหตุแสดงปัญหาที่พบ เริ่มใช้งานครั้งแรก: "paydrop init" ข้อมูลสูญหายแต่มีสำเนาสำรอง: "paydrop restore FILE --since YYYY-MM-DD" ข้อมูลสูญหายและไม่มีสำเนาสำรอง: "paydrop run --journal-lost --since YYYY-MM-DD FILE.." ระบุวันแรกที่ข้อมูลอาจขาดหายไป ระบบจะสอบถามธนาคารก่อนส่ง จึงไม่มีการจ่ายซ้ำ',
  ],
  'notice.decisions-dropped': [
    'a file with decisions was dropped, and no maker has confirmed them: {asks}',
    'มีการวางไฟล์การตัดสินใจ และยังไม่มีผู้ทำรายการยืนยัน: {asks}',
  ],
  'notice.confirm-decisions': [
    'A maker looks at it, on the page or with "paydrop decide --waiting", and proposes its decisions with "paydrop decide --dropped {file}", or throws it away with --discard',
    'ให้ผู้ทำรายการตรวจสอบในหน้าตรวจสอบหรือด้วย "paydrop decide --waiting" แล้วเสนออนุมัติตามไฟล์ด้วย "paydrop decide --dropped {file}" หรือลบไฟล์ด้วย --discard',
  ],
});

const ofJournal = wordingsOffPage({
  'notice.not-ready': ['{reasons}', 'ระบบไม่พร้อม ไฟล์ที่วางขณะนี้จะยังไม่ได้ดำเนินการ: {reasons}'],
  'notice.ready': ['files that are dropped are worked again', 'ระบบพร้อมแล้ว และจะดำเนินการไฟล์ที่วางตามปกติ'],
  'notice.standby': [
    'this watcher stands by again: nothing keeps it from taking over',
    'เครื่องสำรองพร้อมแล้ว และจะทำงานแทนเมื่อเครื่องหลักหยุด',
  ],
  'notice.statement-late': [
    'payouts were sent on {day}, and there is no whole statement of the day yet',
    'มีการส่งรายการจ่ายในวันที่ {day} แต่ยังไม่ได้รับรายการเดินบัญชีครบทั้งวัน',
  ],
  'notice.ask-for-statement': [
    'It is asked for by itself for a week; ask the bank where it stays, or hand in a file that you have with --file',
    'ระบบจะขอซ้ำเองหนึ่งสัปดาห์ ให้สอบถามธนาคาร หรือส่งไฟล์ที่มีอยู่ด้วย --file',
  ],
  'notice.statement-came': [
    'the statement of {day} is there, and was reconciled',
    'ได้รับรายการเดินบัญชีวันที่ {day} และกระทบยอดแล้ว',
  ],
  'notice.critical-break': [
    'the statement of {day} says that money moved which the journal calls unmoved: {count} critical break',
    'รายการเดินบัญชีวันที่ {day} แสดงว่าเงินออกแล้ว แต่ระบบบันทึกว่าเงินยังไม่ออก ผลต่างร้ายแรง {count} รายการ',
  ],
  'notice.critical-breaks': [
    'the statement of {day} says that money moved which the journal calls unmoved: {count} critical breaks',
    'รายการเดินบัญชีวันที่ {day} แสดงว่าเงินออกแล้ว แต่ระบบบันทึกว่าเงินยังไม่ออก ผลต่างร้ายแรง {count} รายการ',
  ],
  'notice.row-alarm': [
    'ALARM: {count} row that contradicts what was called proved',
    'แจ้งเตือนสำคัญ: {count} รายการขัดแย้งกับผลที่เคยยืนยันแล้ว',
  ],
  'notice.row-alarms': [
    'ALARM: {count} rows that contradict what was called proved',
    'แจ้งเตือนสำคัญ: {count} รายการขัดแย้งกับผลที่เคยยืนยันแล้ว',
  ],
  'notice.look-at-alarms': [
    'Do not pay them again: look at each, and ask the bank with its references (docs/files.md, Alarms)',
    'ห้ามจ่ายซ้ำ ตรวจสอบทุกรายการ และสอบถามธนาคารด้วยเลขอ้างอิง (docs/files.md, Alarms)',
  ],
  'notice.set-clock': [
    'Set the clock of this machine by a time server; transfers wait while the days differ',
    'ตั้งนาฬิกาของเครื่องจากเซิร์ฟเวอร์เวลา จะไม่มีการส่งรายการขณะที่วันที่ไม่ตรงกัน',
  ],
  'notice.let-server-set-clock': [
    'Let only a time server set the clock of this machine',
    'ให้เซิร์ฟเวอร์เวลาเท่านั้นเป็นผู้ตั้งนาฬิกาของเครื่อง',
  ],
  'notice.ask-for-date': [
    'Ask the bank for the Date header in its replies: without it nothing is sent a second time',
    'ขอให้ธนาคารส่งส่วนหัว Date ในคำตอบ หากไม่มี ระบบจะไม่ส่งรายการใดซ้ำ',
  ],
  'notice.journal-changed': ['{why}', 'ระงับการจ่าย เพราะข้อมูลของชุดจ่ายเงินไม่ตรงกับที่รับเข้าระบบ: {why}'],
  'notice.does-not-add-up': [
    'the rows of batch {batch} do not add up to its file',
    'ยอดรวมของชุดจ่ายเงิน {batch} ไม่ตรงกับไฟล์',
  ],
  'notice.report-sums': [
    'Pay nothing of it by other means: make a copy with "paydrop backup", and report it',
    'ห้ามจ่ายรายการในชุดนี้ด้วยวิธีอื่น ทำสำเนาด้วยคำสั่ง "paydrop backup" แล้วแจ้งผู้ดูแลระบบ',
  ],
  'notice.does-not-tie-out': ['{why}', 'รายการเดินบัญชีกระทบยอดไม่ลงตัว: {why}'],
  'notice.report-statement': [
    'Nothing of the statement was used: make a copy with "paydrop backup", keep the statement, and report it',
    'ระบบไม่ได้ใช้ข้อมูลจากรายการเดินบัญชีนี้ ทำสำเนาด้วยคำสั่ง "paydrop backup" เก็บไฟล์รายการเดินบัญชีไว้ แล้วแจ้งผู้ดูแลระบบ',
  ],
  'notice.day-head': [
    'the head of {day}: keep it out of reach of everyone who can write the journal',
    'ค่าแฮชประจำวันที่ {day}: ให้เก็บไว้ในที่ที่ผู้มีสิทธิ์แก้ไขฐานข้อมูล journal เข้าถึงไม่ได้',
  ],
  'notice.person-proposal': [
    'proposal {id} of {name} ({wanted}) {status}',
    'คำขอ {id} ของ {name} ({wanted}) {status}',
  ],
  'notice.person-critical': [
    'Ask who did it, and why: if no person did, disable the user, and change who may write to the journal',
    'สอบถามว่าผู้ใดเป็นผู้ดำเนินการและเพราะเหตุใด หากไม่มีผู้ใดยืนยัน ให้ปิดใช้งานผู้ใช้นั้น และเปลี่ยนสิทธิ์ของผู้ที่แก้ไขฐานข้อมูล journal ได้',
  ],
  'notice.person-high': [
    'Ask whether it was the user: if so, an admin lets the user try again; if not, another person guesses the password',
    'สอบถามเจ้าของบัญชีผู้ใช้ว่าใส่รหัสผ่านผิดเองหรือไม่ ถ้าใช่ ให้ผู้ดูแลระบบเปิดให้ลองใหม่ ถ้าไม่ใช่ แสดงว่ามีผู้อื่นเดารหัสผ่าน',
  ],
});

const ofRegistrations = wordingsOffPage({
  'notice.registrations-done': [
    'the batch of registrations has come to its end',
    'ชุดลงทะเบียนหักบัญชีดำเนินการเสร็จแล้ว',
  ],
  'notice.registrations-done-why': ['{why}', 'ชุดลงทะเบียนหักบัญชีดำเนินการเสร็จแล้ว: {why}'],
  'notice.registrations-halted': [
    'the batch of registrations waits for a person',
    'ระงับการส่งชุดลงทะเบียนหักบัญชีนี้ รอดำเนินการ',
  ],
  'notice.registrations-halted-why': ['{why}', 'ระงับการส่งชุดลงทะเบียนหักบัญชีนี้ รอดำเนินการ: {why}'],
  'notice.registration-alarm': [
    'ALARM: {count} registration that contradicts what was called ended',
    'แจ้งเตือนสำคัญ: การลงทะเบียนหักบัญชี {count} รายการขัดแย้งกับผลที่เคยทราบแล้ว',
  ],
  'notice.registration-alarms': [
    'ALARM: {count} registrations that contradict what was called ended',
    'แจ้งเตือนสำคัญ: การลงทะเบียนหักบัญชี {count} รายการขัดแย้งกับผลที่เคยทราบแล้ว',
  ],
  'notice.unknown-callback': [
    'the bank tells of {count} registration that were not made here',
    'ธนาคารแจ้งผลการลงทะเบียนหักบัญชี {count} รายการที่ระบบนี้ไม่ได้ส่ง',
  ],
  'notice.unknown-callbacks': [
    'the bank tells of {count} registrations that were not made here',
    'ธนาคารแจ้งผลการลงทะเบียนหักบัญชี {count} รายการที่ระบบนี้ไม่ได้ส่ง',
  ],
  'notice.explain-callbacks': [
    'See whether they were made by other means, or with another journal; they are kept, and matched if such a registration turns up',
    'ตรวจสอบว่ามีการลงทะเบียนด้วยวิธีอื่นหรือจากฐานข้อมูล journal อื่นหรือไม่ ระบบเก็บการแจ้งผลไว้ และจะจับคู่เมื่อพบการลงทะเบียนนั้น',
  ],
});

export const noticeWordings = { ...ofBatches, ...ofFiles, ...ofJournal, ...ofRegistrations };
