/** Why files are not worked now, and other facts of a watcher's health. */
import { wordings } from './wording.ts';

const ofWatcher = wordings({
  'health.loop-stalled': [
    'the watcher has done nothing for more than {seconds} seconds',
    'โปรแกรมรับไฟล์อัตโนมัติไม่ทำงานนานกว่า {seconds} วินาที',
  ],
  'health.restart': [
    'Restart it: nothing is lost, and nothing is paid twice',
    'ให้เริ่มโปรแกรมใหม่ ข้อมูลไม่สูญหาย และไม่มีการจ่ายซ้ำ',
  ],
  'health.standby': ['another process has the right to send', 'โปรแกรมอื่นกำลังส่งรายการจากข้อมูลชุดนี้'],
  'health.takes-over': [
    'Nothing to do: this one takes over when the other ends',
    'ไม่ต้องดำเนินการ ระบบจะทำงานแทนเมื่ออีกโปรแกรมหยุด',
  ],
  'health.starting': [
    'the watcher is starting: what was left open before is taken up first',
    'โปรแกรมรับไฟล์อัตโนมัติกำลังเริ่มทำงาน จะทำงานที่ค้างไว้ก่อน',
  ],
  'health.passes': ['Nothing to do: it passes', 'ไม่ต้องดำเนินการ'],
  'health.stopping': [
    'the watcher is being stopped: no new file is taken',
    'โปรแกรมรับไฟล์อัตโนมัติกำลังหยุด จะไม่รับไฟล์ใหม่',
  ],
  'health.start-again': ['Start it again: what is open goes on', 'เริ่มโปรแกรมอีกครั้ง ระบบจะทำงานที่ค้างไว้ต่อ'],
});

const ofFolders = wordings({
  'health.inbox': ['the inbox', 'โฟลเดอร์รับไฟล์ (inbox)'],
  'health.registrations-inbox': ['the inbox of registrations', 'โฟลเดอร์รับไฟล์ลงทะเบียน (inbox/registrations)'],
  'health.inbox-unresponsive': [
    '{inbox}, or the way from it into work/, has not answered for {seconds} seconds',
    '{inbox} หรือเส้นทางไปยัง work/ ไม่ตอบสนองนาน {seconds} วินาที',
  ],
  'health.look-at-share': [
    'Look at the disk or the share that it is on; goes on by itself when that answers',
    'ตรวจสอบดิสก์หรือที่เก็บไฟล์ร่วม ระบบจะทำงานต่อเองเมื่อโฟลเดอร์ตอบสนอง',
  ],
  'health.inbox-gone': ['{why}', 'ใช้โฟลเดอร์รับไฟล์ไม่ได้: {why}'],
  'health.make-folder': [
    'Make the folder: files dropped into it are worked by themselves',
    'สร้างโฟลเดอร์นี้ ระบบจะดำเนินการไฟล์ที่วางโดยอัตโนมัติ',
  ],
  'health.follow-text': [
    'Follow the text; files are worked by themselves when the inbox is there again',
    'ดำเนินการตามข้อความ ระบบจะดำเนินการไฟล์ต่อเองเมื่อใช้โฟลเดอร์ได้อีกครั้ง',
  ],
  'health.file-stuck': ['{file} cannot be brought into work/: {why}', 'นำไฟล์ {file} เข้า work/ ไม่ได้: {why}'],
  'health.payouts-stuck': [
    'It is tried again by itself; nothing of it is paid before',
    'ระบบจะลองใหม่เอง ยังไม่มีการจ่ายจากไฟล์นี้',
  ],
  'health.registrations-stuck': [
    'It is tried again by itself; nothing of it is sent before',
    'ระบบจะลองใหม่เอง ยังไม่มีการส่งจากไฟล์นี้',
  ],
  'health.payouts-left': [
    'left in the inbox, and not paid: {names}',
    'มีไฟล์ค้างในโฟลเดอร์รับไฟล์ ซึ่งยังไม่ได้จ่าย: {names}',
  ],
  'health.registrations-left': [
    'left in the inbox of registrations, and not sent: {names}',
    'มีไฟล์ค้างในโฟลเดอร์รับไฟล์ลงทะเบียน ซึ่งยังไม่ได้ส่ง: {names}',
  ],
  'health.names-and-more': ['{names}, and {count} more', '{names} และอีก {count} ชื่อ'],
  'health.drop-files': [
    'Drop payout files themselves, not folders or links; the log says why each one stays',
    'วางเฉพาะไฟล์จ่ายเงิน ไม่ใช่โฟลเดอร์หรือลิงก์ บันทึกการทำงานแสดงสาเหตุของแต่ละไฟล์',
  ],
});

const ofTroubles = wordings({
  'health.trouble': ['{what}: {why}', '{what}: {why}'],
  'health.trouble-since': [
    '{what} since {moment} Bangkok time: {why}',
    '{what} ตั้งแต่ {moment} ตามเวลากรุงเทพ: {why}',
  ],
  'health.disk': ['the disk refuses writes', 'บันทึกข้อมูลลงดิสก์ไม่ได้'],
  'health.journal-locked': ['the journal is locked', 'ฐานข้อมูล journal ถูกโปรแกรมอื่นล็อกไว้'],
  'health.journal-away': ['the journal cannot be written', 'บันทึกข้อมูลลงฐานข้อมูล journal ไม่ได้'],
  'health.journal-damaged': ['nothing is sent any more', 'ฐานข้อมูล journal เสียหาย จึงหยุดส่งทุกรายการ'],
  'health.bank': ['the bank is out of reach', 'ติดต่อธนาคารไม่ได้'],
  'health.goes-on-when-over': [
    'Nothing is sent meanwhile; goes on by itself when the trouble is over',
    'ระหว่างนี้ไม่มีการส่งรายการ และจะทำงานต่อเองเมื่อแก้ปัญหาแล้ว',
  ],
  'health.restore-journal': [
    'Pay nothing by other means; put a backup in its place with "paydrop restore FILE --since YYYY-MM-DD" (docs/runbook.md, Journal lost)',
    'ห้ามจ่ายด้วยวิธีอื่น ให้ผู้ดูแลโปรแกรมกู้คืนจากสำเนาสำรอง (docs/runbook.md, Journal lost)',
    'Pay nothing by other means; the person who runs paydrop puts a backup in its place (docs/runbook.md, Journal lost)',
  ],
  'health.after-loss-on': [
    'The journal was lost or restored: before a payout is sent, the bank is asked whether it was sent on {day}',
    'ฐานข้อมูล journal สูญหายหรือกู้คืนจากสำเนาสำรอง: ก่อนส่งแต่ละรายการ ระบบจะสอบถามธนาคารว่าส่งไปแล้วในวันที่ {day} หรือไม่',
  ],
  'health.after-loss-between': [
    'The journal was lost or restored: before a payout is sent, the bank is asked whether it was sent from {first} to {last}',
    'ฐานข้อมูล journal สูญหายหรือกู้คืนจากสำเนาสำรอง: ก่อนส่งแต่ละรายการ ระบบจะสอบถามธนาคารว่าส่งไปแล้วในวันที่ {first} ถึง {last} หรือไม่',
  ],
  'health.move-old-reports': [
    'Nothing to do for that. Reports in outbox/ of that time keep their batches from being sent until they are moved away: the command is named for each',
    'ไม่ต้องดำเนินการ แต่หากมีไฟล์รายงานของช่วงนั้นใน outbox/ ระบบจะยังไม่ส่งชุดนั้นจนกว่าจะย้ายไฟล์ออก โดยมีคำสั่งแสดงไว้สำหรับแต่ละชุด',
  ],
});

const ofAccounts = wordings({
  'account.payer': ['account {number}', 'บัญชี {number}'],
  'account.registrations': ['registrations', 'การลงทะเบียนหักบัญชี'],
  'account.registrations-of': ['registrations of {company}', 'การลงทะเบียนหักบัญชีของ {company}'],
  'account.earlier': ['the earlier {account}', '{account} เดิม'],
  'health.halted': ['sending is halted for {account}', 'ระงับการส่งรายการของ{account}'],
  'health.halted-since': [
    'sending is halted for {account} since {moment} Bangkok time',
    'ระงับการส่งรายการของ{account} ตั้งแต่ {moment} ตามเวลากรุงเทพ',
  ],
  'health.closed': ['files are read and wait', 'รับไฟล์แล้ว รอส่ง'],
  'health.paused-until': [
    'sending is paused until {moment} Bangkok time',
    'พักการส่งรายการถึง {moment} ตามเวลากรุงเทพ',
  ],
  'health.probing': ['sending was paused and is tried again', 'พักการส่งรายการไว้ และกำลังลองส่งอีกครั้ง'],
  'health.account-for': ['{what}: {why} ({code})', '{what}: {why} ({code})'],
  'health.goes-on': ['Goes on by itself', 'ระบบจะดำเนินการต่อเอง'],
});

const ofBatches = wordings({
  'health.batch-failing': ['batch {batch} does not get on: {why}', 'ชุดจ่ายเงิน {batch} ดำเนินการต่อไม่ได้: {why}'],
  'health.log-says-more': [
    'It is tried again by itself; the log says more',
    'ระบบจะลองใหม่เอง ดูรายละเอียดในบันทึกการทำงาน',
  ],
  'health.name-taken': [
    'nothing of batch {batch} is sent: {count} other file has the name of a report, as reports of before a loss of the journal have: {names}',
    'ยังไม่ส่งชุดจ่ายเงิน {batch}: มีไฟล์อื่น {count} ไฟล์ใช้ชื่อเดียวกับรายงาน เช่น รายงานก่อนฐานข้อมูล journal สูญหาย: {names}',
  ],
  'health.names-taken': [
    'nothing of batch {batch} is sent: {count} other files have the names of its reports, as reports of before a loss of the journal have: {names}',
    'ยังไม่ส่งชุดจ่ายเงิน {batch}: มีไฟล์อื่น {count} ไฟล์ใช้ชื่อเดียวกับรายงาน เช่น รายงานก่อนฐานข้อมูล journal สูญหาย: {names}',
  ],
  'health.move-them-away': [
    'Move them away with the command, and keep them: they say what was paid before the loss. A watcher then goes on by itself; without one, run the same file again',
    'ย้ายไฟล์เหล่านั้นออกด้วยคำสั่งที่แสดงไว้ และเก็บรักษาไว้ เพราะแสดงรายการที่จ่ายก่อนข้อมูลสูญหาย จากนั้นโปรแกรมรับไฟล์อัตโนมัติจะทำงานต่อเอง หากโปรแกรมนี้ไม่ทำงาน ให้ใช้คำสั่ง run กับไฟล์เดิมอีกครั้ง',
  ],
  'health.alarm': ['ALARM: {what}', 'แจ้งเตือนสำคัญ: {what}'],
  'health.statement-late': [
    'the statement of {day} is late: payouts were sent on that day',
    'ยังไม่ได้รับรายการเดินบัญชีของวันที่ {day} ซึ่งมีการส่งรายการ',
  ],
  'health.ask-for-statement': [
    'It is asked for by itself for a week; ask the bank where it stays',
    'ระบบจะขอซ้ำเองหนึ่งสัปดาห์ ให้สอบถามธนาคาร',
  ],
  'health.critical-break': [
    '{count} critical break is open on {day}',
    'มีผลต่างร้ายแรงคงค้าง {count} รายการในวันที่ {day}',
  ],
  'health.critical-breaks': [
    '{count} critical breaks are open on {day}',
    'มีผลต่างร้ายแรงคงค้าง {count} รายการในวันที่ {day}',
  ],
  'health.look-at-breaks': [
    'Money moved that the journal calls unmoved: the breaks file says of each what to do',
    'เงินออกแล้ว แต่ระบบบันทึกว่าเงินยังไม่ออก ห้ามจ่ายซ้ำ ไฟล์ผลต่างแสดงวิธีดำเนินการของแต่ละรายการ',
  ],
  'health.row-contradicts': [
    '{count} row contradicts what was called proved',
    'มี {count} รายการขัดแย้งกับผลที่เคยยืนยันแล้ว',
  ],
  'health.rows-contradict': [
    '{count} rows contradict what was called proved',
    'มี {count} รายการขัดแย้งกับผลที่เคยยืนยันแล้ว',
  ],
  'health.look-at-exceptions': [
    'Do not pay them again: the exceptions of their batches say of each what to do',
    'ห้ามจ่ายซ้ำ รายการที่ต้องตรวจสอบของแต่ละชุดแสดงวิธีดำเนินการ',
  ],
  'health.set-clock': ['Set the clock by a time server', 'ตั้งนาฬิกาของเครื่องจากเซิร์ฟเวอร์เวลา'],
});

/** A file that was written to after its rows had been read. */
const ofGrowth = wordings({
  'growth.file': [
    '{file} was written to after batch {batch} had been read from it: {what}',
    'มีการเขียนไฟล์ {file} หลังจากอ่านเป็นชุด {batch} แล้ว: {what}',
  ],
  'growth.replaced': [
    'it had {before} bytes and has {bytes}, and what it holds now is not what was read with rows added',
    'ขนาดเดิม {before} ไบต์ ขณะนี้ {bytes} ไบต์ และข้อมูลปัจจุบันไม่ใช่ข้อมูลเดิมที่มีแถวเพิ่ม',
  ],
  'growth.of-amount': ['{rows} of {amount} baht', '{rows} รวม {amount} บาท'],
  'growth.with-ids': ['{rows} ({ids})', '{rows} ({ids})'],
  'growth.payout-added': ['{rows} was added, and not paid', 'มีรายการเพิ่ม {rows} ซึ่งยังไม่ได้จ่าย'],
  'growth.payouts-added': ['{rows} were added, and not paid', 'มีรายการเพิ่ม {rows} ซึ่งยังไม่ได้จ่าย'],
  'growth.registration-added': ['{rows} was added, and not registered', 'มีรายการเพิ่ม {rows} ซึ่งยังไม่ได้ลงทะเบียน'],
  'growth.registrations-added': [
    '{rows} were added, and not registered',
    'มีรายการเพิ่ม {rows} ซึ่งยังไม่ได้ลงทะเบียน',
  ],
  'growth.drop-whole-file': [
    'Have the partner send the whole file again, or drop {whole} into {inbox}: {others}. "paydrop verify {batch} --seen" ends the alarm otherwise',
    'ให้คู่ค้าส่งไฟล์ฉบับเต็มอีกครั้ง หรือวาง {whole} ใน{inbox}: {others}',
    'Have the partner send the whole file again, or drop {whole} into {inbox}: {others}',
  ],
  'growth.from-rejected': ['it from rejected/, where it ends,', 'ไฟล์นี้จาก rejected/'],
  'growth.registrations-inbox': ['inbox/registrations', 'โฟลเดอร์ inbox/registrations'],
  'growth.other-payouts': [
    'rows of batch {batch} are refused by their payoutIds, the others are paid',
    'แถวที่อยู่ในชุด {batch} แล้วจะไม่รับซ้ำตาม payoutId และจ่ายเฉพาะแถวที่เหลือ',
  ],
  'growth.other-registrations': [
    'rows of batch {batch} are refused by their registrationIds, the others are registered',
    'แถวที่อยู่ในชุด {batch} แล้วจะไม่รับซ้ำตาม registrationId และลงทะเบียนเฉพาะแถวที่เหลือ',
  ],
});

export const healthWordings = {
  ...ofWatcher,
  ...ofFolders,
  ...ofTroubles,
  ...ofAccounts,
  ...ofBatches,
  ...ofGrowth,
};
