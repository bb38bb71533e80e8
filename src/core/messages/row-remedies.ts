/** Remedies of rows and breaks, in words that a finance officer can act on; the Thai names the page's decisions, not commands. */
import { wordings } from './wording.ts';

/** Payouts: every status and every hold has a remedy; codes make them more precise. */
const payoutRemedies = wordings({
  'payout-remedy.staged': ['The file was not read to its end: run it again', 'อ่านไฟล์ไม่จบ ให้วางไฟล์เดิมอีกครั้ง'],
  'payout-remedy.ready': [
    'Not paid yet: run the same file again',
    'ยังไม่ได้จ่าย ระบบจะส่งจ่ายเมื่อชุดจ่ายเงินดำเนินการต่อ หากชุดถูกระงับการจ่าย ให้เลือก "จ่ายชุดนี้ต่อ"',
    'Not paid yet: it is sent when its batch goes on. Where the batch is halted, choose "Resume the batch"',
  ],
  'payout-remedy.held': [
    'Not paid: clear what holds it, then let it go on with "paydrop resume" or stop it with "paydrop cancel"',
    'ยังไม่ได้จ่าย แก้สาเหตุที่ระงับก่อน แล้วเลือก "ดำเนินการต่อ" หรือ "ยกเลิกรายการ"',
    'Not paid: clear what holds it, then choose "Go on" or "Cancel payout"',
  ],
  'payout-remedy.rejected': [
    'Nothing was sent: correct the row as the reason says and send it in a new file, under the same payoutId',
    'ยังไม่ได้ส่งธนาคาร ให้แก้ไขรายการตามสาเหตุ แล้วส่งในไฟล์ใหม่โดยใช้ payoutId เดิม',
  ],
  'payout-remedy.cancelled': [
    'Nothing to do: a person cancelled it and nothing more is sent',
    'ไม่ต้องดำเนินการ มีผู้ยกเลิกรายการนี้แล้ว และจะไม่มีการส่งธนาคารอีก',
  ],
  'payout-remedy.unpayable': [
    'No money moved: the bank says that this payee cannot be paid; ask the payee, then "paydrop retry" it as it is, or correct it in a new file, under the same payoutId',
    'เงินยังไม่ออก ธนาคารแจ้งว่าจ่ายให้ผู้รับเงินรายนี้ไม่ได้ ให้สอบถามผู้รับเงิน แล้วเลือก "ส่งจ่ายใหม่" หรือแก้ไขในไฟล์ใหม่โดยใช้ payoutId เดิม',
    'No money moved: the bank says that this payee cannot be paid; ask the payee, then "Retry" it as it is, or correct it in a new file, under the same payoutId',
  ],
  'payout-remedy.submitted': [
    'Do not pay it again by hand: it may be with the bank; "paydrop settle" asks the bank what became of it',
    'ห้ามจ่ายซ้ำด้วยวิธีอื่น รายการอาจอยู่ที่ธนาคารแล้ว ระบบจะสอบถามสถานะกับธนาคาร',
    'Do not pay it again by hand: it may be with the bank; "Ask the bank now" asks what became of it',
  ],
  'payout-remedy.paid': ['Nothing to do', 'ไม่ต้องดำเนินการ'],
  'payout-remedy.failed': [
    'No money moved: remove the cause, then "paydrop retry" it as it is, or correct it in a new file, under the same payoutId',
    'เงินยังไม่ออก แก้สาเหตุก่อน แล้วเลือก "ส่งจ่ายใหม่" หรือแก้ไขในไฟล์ใหม่โดยใช้ payoutId เดิม',
    'No money moved: remove the cause, then "Retry" it as it is, or correct it in a new file, under the same payoutId',
  ],
  'payout-remedy.unresolved': [
    'Do not pay it again by hand before the bank has said what became of it: ask the bank with the transRefNo; "paydrop settle" asks it once more, and the statement of its day settles it ("paydrop reconcile"). What the bank has told you by phone or in writing two people record: "paydrop confirm" and its payoutId, with --paid or --failed, --evidence and --note',
    'ห้ามจ่ายซ้ำจนกว่าธนาคารจะแจ้งผล ให้สอบถามธนาคารด้วย transRefNo รายการเดินบัญชีของวันที่ส่งจะยืนยันผลเมื่อกระทบยอด เมื่อธนาคารแจ้งผลทางโทรศัพท์หรือเป็นหนังสือ ให้สองคนบันทึกผลด้วย "ยืนยันว่าจ่ายสำเร็จ" หรือ "ยืนยันว่าจ่ายไม่สำเร็จ" พร้อมหลักฐาน',
    'Do not pay it again by hand before the bank has said what became of it: ask the bank with the transRefNo; "Ask the bank now" asks it once more, and the statement of its day settles it. What the bank has told you by phone or in writing two people record with "Confirm paid" or "Confirm failed", with evidence',
  ],
  'payout-remedy.disputed': [
    `Do not pay it again: the bank's statement contradicts a payment that the bank had confirmed; ask the bank with the transRefNo. If it says that the payee has it, two people record that: "paydrop confirm" and its payoutId, with --paid, --evidence and --note`,
    'ห้ามจ่ายซ้ำ รายการเดินบัญชีขัดแย้งกับผลที่ธนาคารเคยยืนยันว่าจ่ายแล้ว ให้สอบถามธนาคารด้วย transRefNo ถ้าธนาคารยืนยันว่าผู้รับเงินได้รับเงินแล้ว ให้สองคนบันทึกผลด้วย "ยืนยันว่าจ่ายสำเร็จ" พร้อมหลักฐาน',
    `Do not pay it again: the bank's statement contradicts a payment that the bank had confirmed; ask the bank with the transRefNo. If it says that the payee has it, two people record that with "Confirm paid", with evidence`,
  ],
  'payout-remedy.rejected-for-its-id': [
    'Nothing was sent: correct the row as the reason says and send it in a new file',
    'ยังไม่ได้ส่งธนาคาร ให้แก้ไขรายการตามสาเหตุ แล้วส่งในไฟล์ใหม่',
  ],
  'payout-remedy.by-statement': [
    `An inquiry shows neither amount nor payee: do not pay it again; find it in the bank's statement with both, which settles it here, too ("paydrop reconcile --date" and its day). If it says that the payee has it, two people record that: "paydrop confirm" and its payoutId, with --paid, --evidence and --note`,
    'การสอบถามไม่แสดงจำนวนเงินและผู้รับเงิน ห้ามจ่ายซ้ำ ค้นหาในรายการเดินบัญชีด้วยจำนวนเงินและผู้รับเงิน แล้วกระทบยอดเพื่อสรุปผล ถ้าธนาคารยืนยันว่าผู้รับเงินได้รับเงินแล้ว ให้สองคนบันทึกผลด้วย "ยืนยันว่าจ่ายสำเร็จ" พร้อมหลักฐาน',
    `An inquiry shows neither amount nor payee: do not pay it again; find it in the bank's statement with both, which settles it here, too. If it says that the payee has it, two people record that with "Confirm paid", with evidence`,
  ],

  'hold-remedy.approval': [
    'It waits for approval: have the batch approved; nothing of it is sent before',
    'รออนุมัติ ต้องอนุมัติชุดจ่ายเงินนี้ก่อน จึงจะส่งรายการได้',
  ],
  'hold-remedy.name': [
    'Compare the name in the file with the names that the bank holds: "paydrop resume" and its payoutId lets it go on if they are the same payee, "paydrop cancel" and its payoutId ends it if they are not',
    'เทียบชื่อในไฟล์กับชื่อที่ธนาคาร ถ้าเป็นผู้รับเงินรายเดียวกัน ให้เลือก "ดำเนินการต่อ" ถ้าไม่ใช่ ให้เลือก "ยกเลิกรายการ"',
    'Compare the name in the file with the names that the bank holds: "Go on" if they are the same payee, "Cancel payout" if they are not',
  ],
  'hold-remedy.limit': [
    'Make sure that the amount is right, then let this payout go on with "paydrop resume" and its payoutId, or stop it with "paydrop cancel" and its payoutId',
    'ตรวจสอบว่าจำนวนเงินถูกต้อง ถ้าถูกต้อง ให้เลือก "ดำเนินการต่อ" ถ้าไม่ถูกต้อง ให้เลือก "ยกเลิกรายการ"',
    'Make sure that the amount is right: "Go on" if it is, "Cancel payout" if it is not',
  ],
  'hold-remedy.halted': [
    'Sending is halted: remove the cause of the halt, then let the batch go on with "paydrop resume" and its batch id',
    'ถูกระงับการจ่าย แก้สาเหตุก่อน แล้วเลือก "จ่ายชุดนี้ต่อ" ที่ชุดจ่ายเงิน',
    'Sending is halted: remove the cause of the halt, then let the batch go on with "Resume the batch"',
  ],
  'hold-remedy.paused': [
    'The service could not take it: run the same file again later, or have it tried at once with "paydrop resume" and the batch',
    'บริการของธนาคารยังไม่พร้อม ให้วางไฟล์เดิมอีกครั้งภายหลัง หรือเลือก "จ่ายชุดนี้ต่อ" ที่ชุดจ่ายเงินเพื่อลองทันที',
    'The service could not take it: hand the same file in again later, or have it tried at once with "Resume the batch"',
  ],
  'hold-remedy.unavailable': [
    'A check before sending got no answer: run the same file again later, or have it tried at once with "paydrop resume" and the batch',
    'การตรวจสอบก่อนส่งไม่ได้รับคำตอบ ให้วางไฟล์เดิมอีกครั้งภายหลัง หรือเลือก "จ่ายชุดนี้ต่อ" ที่ชุดจ่ายเงินเพื่อลองทันที',
    'A check before sending got no answer: hand the same file in again later, or have it tried at once with "Resume the batch"',
  ],
  'hold-remedy.similar': [
    'Another payoutId looks like this one, or has paid the same payee the same amount: compare the two: "paydrop resume" and its payoutId lets it go on if it is another payment, "paydrop cancel" and its payoutId ends it if it is the same',
    'มี payoutId อื่นที่คล้ายกัน หรือเคยจ่ายผู้รับเงินรายเดียวกันด้วยจำนวนเงินเท่ากัน ให้เทียบทั้งสองรายการ ถ้าเป็นคนละรายการ ให้เลือก "ดำเนินการต่อ" ถ้าเป็นรายการเดียวกัน ให้เลือก "ยกเลิกรายการ"',
    'Another payoutId looks like this one, or has paid the same payee the same amount: compare the two: "Go on" if it is another payment, "Cancel payout" if it is the same',
  ],
  'hold-remedy.new-payee': [
    `No payee was proved paid under this number before: make sure that it is the payee's: "paydrop resume" and its payoutId lets it go on if it is, "paydrop cancel" and its payoutId ends it if it is not`,
    'ยังไม่เคยมีการจ่ายสำเร็จให้เลขนี้ ตรวจสอบว่าเป็นเลขของผู้รับเงินจริง ถ้าใช่ ให้เลือก "ดำเนินการต่อ" ถ้าไม่ใช่ ให้เลือก "ยกเลิกรายการ"',
    `No payee was proved paid under this number before: make sure that it is the payee's: "Go on" if it is, "Cancel payout" if it is not`,
  ],
  'hold-remedy.day-limit': [
    'The limits of the day are used up: on another day "paydrop resume" and the batch lets go on what the limits of that day leave room for; "paydrop resume" and its payoutId pays it in spite of them',
    'ใช้วงเงินของวันเต็มแล้ว ในวันถัดไปเลือก "จ่ายชุดนี้ต่อ" ที่ชุดจ่ายเงินเพื่อจ่ายเท่าที่วงเงินของวันนั้นเหลือ หรือเลือก "ดำเนินการต่อ" ที่รายการเพื่อจ่ายโดยยกเว้นวงเงิน',
    'The limits of the day are used up: on another day "Resume the batch" lets go on what the limits of that day leave room for; "Go on" pays this payout in spite of them',
  ],
  'hold-remedy.service-day': [
    'Nothing is sent on such a day: on another day "paydrop resume" and the batch lets go on what the limits of that day leave room for; "paydrop resume" and its payoutId pays it in spite of them',
    'วันนี้ไม่ใช่วันทำการส่งรายการ ในวันถัดไปเลือก "จ่ายชุดนี้ต่อ" ที่ชุดจ่ายเงินเพื่อจ่ายเท่าที่วงเงินของวันนั้นเหลือ หรือเลือก "ดำเนินการต่อ" ที่รายการเพื่อจ่ายโดยยกเว้นวงเงิน',
    'Nothing is sent on such a day: on another day "Resume the batch" lets go on what the limits of that day leave room for; "Go on" pays this payout in spite of them',
  ],
  'hold-remedy.resend': [
    'The bank refused it without naming our request, or people called it failed: ask the bank whether its transRefNo was ever processed. "paydrop resume" and its payoutId lets it go on if it was not, "paydrop cancel" and its payoutId ends it if it was',
    'ธนาคารปฏิเสธรายการโดยไม่ได้อ้างถึงคำขอของระบบ หรือมีผู้ยืนยันว่าไม่สำเร็จ ให้สอบถามธนาคารว่าเคยทำรายการตาม transRefNo นี้หรือไม่ ถ้าไม่เคย ให้เลือก "ดำเนินการต่อ" ถ้าเคย ให้เลือก "ยกเลิกรายการ"',
    'The bank refused it without naming our request, or people called it failed: ask the bank whether its transRefNo was ever processed: "Go on" if it was not, "Cancel payout" if it was',
  ],
  'hold-remedy.similar.similar': [
    'Another payoutId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks: compare the two: "paydrop resume" and its payoutId lets it go on if it is another payment, "paydrop cancel" and its payoutId ends it if it is the same',
    'มี payoutId อื่นที่ต่างกันเพียงตัวพิมพ์ใหญ่เล็ก เลขศูนย์นำหน้า ทศนิยมที่เป็นศูนย์ เครื่องหมาย หรือช่องว่าง ให้เทียบทั้งสองรายการ ถ้าเป็นคนละรายการ ให้เลือก "ดำเนินการต่อ" ถ้าเป็นรายการเดียวกัน ให้เลือก "ยกเลิกรายการ"',
    'Another payoutId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks: compare the two: "Go on" if it is another payment, "Cancel payout" if it is the same',
  ],
  'hold-remedy.similar.similar-payment': [
    'Another payoutId has paid, or may have paid, the same payee the same amount a short time ago: compare the two: "paydrop resume" and its payoutId lets it go on if it is another payment, "paydrop cancel" and its payoutId ends it if it is the same',
    'payoutId อื่นจ่ายหรืออาจจ่ายผู้รับเงินรายเดียวกันด้วยจำนวนเงินเท่ากันไปเมื่อไม่นานมานี้ ให้เทียบทั้งสองรายการ ถ้าเป็นคนละรายการ ให้เลือก "ดำเนินการต่อ" ถ้าเป็นรายการเดียวกัน ให้เลือก "ยกเลิกรายการ"',
    'Another payoutId has paid, or may have paid, the same payee the same amount a short time ago: compare the two: "Go on" if it is another payment, "Cancel payout" if it is the same',
  ],
  'hold-remedy.similar.like-file': [
    'Compare its file with the one that the reason names: let all of it go on with "paydrop resume" and the batch if these are other payments, stop it with "paydrop cancel" and the batch if they are the same',
    'ให้เทียบไฟล์นี้กับไฟล์ที่ระบุในสาเหตุ ถ้าเป็นการจ่ายคนละรายการ ให้เลือก "จ่ายชุดนี้ต่อ" ถ้าเป็นรายการเดียวกัน ให้เลือก "ยกเลิกการจ่ายทั้งชุด"',
    'Compare its file with the one that the reason names: "Resume the batch" if these are other payments, "Cancel the batch" if they are the same',
  ],
  'hold-remedy.similar.in-like-file': [
    'Compare its file with the one that the reason names: let all of it go on with "paydrop resume" and the batch if these are other payments, stop it with "paydrop cancel" and the batch if they are the same',
    'ให้เทียบไฟล์นี้กับไฟล์ที่ระบุในสาเหตุ ถ้าเป็นการจ่ายคนละรายการ ให้เลือก "จ่ายชุดนี้ต่อ" ถ้าเป็นรายการเดียวกัน ให้เลือก "ยกเลิกการจ่ายทั้งชุด"',
    'Compare its file with the one that the reason names: "Resume the batch" if these are other payments, "Cancel the batch" if they are the same',
  ],
  'hold-remedy.paused.outside-service-hours': [
    'Run the same file again when the service is open. A watcher goes on with its files by itself',
    'นอกเวลาให้บริการ ระบบจะส่งต่อเองเมื่อบริการเปิด หรือวางไฟล์เดิมอีกครั้ง',
  ],
  'hold-remedy.paused.wait-over': [
    'Run the same file again: it goes on where it was. A watcher goes on with its files by itself',
    'ให้วางไฟล์เดิมอีกครั้ง ระบบจะทำงานต่อจากเดิม หากโปรแกรมรับไฟล์อัตโนมัติทำงานอยู่ ระบบจะทำต่อเอง',
  ],

  'code-remedy.look-up-unanswered': [
    'The journal was lost, and the bank did not say whether it was sent before',
    'ข้อมูลเดิมสูญหาย และธนาคารไม่ได้แจ้งว่าเคยส่งรายการนี้แล้วหรือไม่',
  ],
  'code-remedy.clock-behind-journal': ['Set the clock of this machine right', 'ตั้งนาฬิกาของเครื่องให้ถูกต้อง'],
  'code-remedy.030002': [
    'The bank refused it at validation: check limit, payer, profile, citizen ID and payee name with the bank',
    'ธนาคารไม่รับในขั้นตรวจสอบ ให้ตรวจสอบวงเงิน บัญชีผู้จ่าย โปรไฟล์ เลขประจำตัวประชาชน และชื่อผู้รับเงินกับธนาคาร',
  ],
  'code-remedy.030003': [
    'The transfer failed inside the bank or at the proxy lookup: it can be tried again later',
    'โอนไม่สำเร็จภายในธนาคารหรือที่ระบบพร้อมเพย์ ส่งจ่ายใหม่ภายหลังได้',
  ],
  'code-remedy.EM003': [
    'The bank executed it and it failed: where the reason does not tell why, ask the bank with the transRefNo',
    'ธนาคารทำรายการแล้วไม่สำเร็จ ถ้าสาเหตุไม่ชัดเจน ให้สอบถามธนาคารด้วย transRefNo',
  ],
  'code-remedy.batch-too-old': [
    'Make sure that it is still to be paid and was not paid by other means: its file has waited too long',
    'ไฟล์ค้างนานเกินไป ตรวจสอบว่ายังต้องจ่าย และยังไม่ได้จ่ายด้วยวิธีอื่น',
  ],
  'code-remedy.brake-consecutive': [
    'Look at the reasons of the rows of this batch that ended otherwise than paid',
    'ตรวจสอบสาเหตุของรายการในชุดนี้ที่จ่ายไม่สำเร็จ',
  ],
  'code-remedy.brake-share': [
    'Look at the reasons of the rows of this batch that ended otherwise than paid',
    'ตรวจสอบสาเหตุของรายการในชุดนี้ที่จ่ายไม่สำเร็จ',
  ],
  'code-remedy.brake-in-doubt': [
    'Have the bank asked what became of those with "paydrop settle"',
    'ให้ระบบสอบถามสถานะรายการที่ยังไม่ทราบผลกับธนาคาร',
    'Ask the bank what became of those that are in doubt',
  ],
  'code-remedy.EM027': [
    'The destination bank timed out and the transfer failed: it can be tried again later',
    'ธนาคารปลายทางไม่ตอบภายในเวลาและโอนไม่สำเร็จ ส่งจ่ายใหม่ภายหลังได้',
  ],
  'code-remedy.reference-kept': [
    'Stop it with "paydrop cancel" and its payoutId. Once the bank says that no money moved, pay the payee under another payoutId in a new file',
    'ให้ยกเลิกรายการ เมื่อธนาคารยืนยันว่าเงินไม่ออก ให้จ่ายผู้รับเงินรายนี้ในไฟล์ใหม่ด้วย payoutId อื่น',
    'Stop it with "Cancel payout". Once the bank says that no money moved, pay the payee under another payoutId in a new file',
  ],
  'code-remedy.attempts-used-up': [
    'Stop it with "paydrop cancel" and its payoutId, and pay the payee under another payoutId in a new file',
    'ให้ยกเลิกรายการ แล้วจ่ายผู้รับเงินรายนี้ในไฟล์ใหม่ด้วย payoutId อื่น',
    'Stop it with "Cancel payout", and pay the payee under another payoutId in a new file',
  ],
  'code-remedy.earlier-attempt-open': [
    'Do not pay it by hand: an earlier attempt is not settled; ask the bank about its transRefNo, or run the file again later',
    'ห้ามจ่ายด้วยวิธีอื่น การส่งครั้งก่อนยังไม่ทราบผล ให้สอบถามธนาคารด้วย transRefNo ของครั้งนั้น หรือวางไฟล์เดิมอีกครั้งภายหลัง',
  ],

  'rejection-remedy.payout-id-claimed': [
    'Nothing was sent for this row. Do not pay it again: the payout that the reason names has its payoutId; "paydrop show" and the payoutId tells what became of it. Only if another payment was meant, or that one was cancelled and is to be paid after all, send it in a new file under another payoutId',
    'รายการนี้ยังไม่ได้ส่งธนาคาร ห้ามจ่ายซ้ำ รายการที่ระบุในสาเหตุใช้ payoutId นี้แล้ว ให้ดูผลที่รายการนั้น หากเป็นการจ่ายคนละรายการ หรือรายการเดิมยกเลิกแล้วแต่ต้องจ่าย ให้ส่งในไฟล์ใหม่ด้วย payoutId อื่น',
    'Nothing was sent for this row. Do not pay it again: the payout that the reason names has its payoutId; look what became of that one. Only if another payment was meant, or that one was cancelled and is to be paid after all, send it in a new file under another payoutId',
  ],
  'rejection-remedy.duplicate-repeat': [
    'Nothing was sent for this row: the first row with its payoutId stands; do nothing if one payment was meant, send a second one in a new file under a payoutId of its own',
    'แถวนี้ยังไม่ได้ส่งธนาคาร ระบบใช้แถวแรกของ payoutId นี้ หากต้องการจ่ายครั้งเดียว ไม่ต้องดำเนินการ หากต้องจ่ายสองครั้ง ให้ส่งรายการที่สองในไฟล์ใหม่ด้วย payoutId อื่น',
  ],
  'rejection-remedy.duplicate-differs': [
    'Nothing was sent: rows of this file share the payoutId and differ; send the right one in a new file under that payoutId, and what is another payment under one of its own',
    'ยังไม่ได้ส่งธนาคาร หลายแถวในไฟล์ใช้ payoutId เดียวกันแต่ข้อมูลต่างกัน ให้ส่งรายการที่ถูกต้องในไฟล์ใหม่ด้วย payoutId เดิม และใช้ payoutId อื่นสำหรับการจ่ายคนละรายการ',
  ],

  'alarm-remedy.late-proof': [
    'It is paid, though it was called otherwise before: make sure that it was not paid by other means meanwhile, and tell the partner',
    'รายการนี้จ่ายสำเร็จแล้ว แม้ก่อนหน้านี้สรุปผลเป็นอย่างอื่น ให้ตรวจสอบว่าไม่มีการจ่ายด้วยวิธีอื่นไปแล้ว และแจ้งคู่ค้า',
  ],
  'alarm-remedy.paid-twice': [
    'Two transfers were made for it: ask the bank with both transRefNos ("paydrop show" lists them) to return one',
    'มีการโอนสองครั้ง ให้แจ้งธนาคารด้วย transRefNo ทั้งสองเพื่อขอคืนเงินหนึ่งรายการ',
    'Two transfers were made for it: ask the bank with both transRefNos to return one',
  ],
  'alarm-remedy.paid-by-earlier-attempt': [
    'Do not pay it: an earlier row with its payoutId is paid; cancel it, or ask the bank what became of its own attempt',
    'ห้ามจ่าย แถวก่อนหน้าที่ใช้ payoutId นี้จ่ายแล้ว ให้ยกเลิกรายการ หรือสอบถามธนาคารถึงผลของการส่งครั้งนี้',
  ],
  'alarm-remedy.other': [
    'The bank contradicts what it had said before: ask it about every transRefNo of this payout ("paydrop show" lists them)',
    'ธนาคารแจ้งขัดแย้งกับที่เคยแจ้ง ให้สอบถามธนาคารด้วย transRefNo ทุกครั้งของรายการนี้',
    'The bank contradicts what it had said before: ask it about every transRefNo of this payout',
  ],
  'alarm-remedy.end': [
    'Once that is cleared, "paydrop ack" and its payoutId, with --note, ends the alarm; nothing is tried again before',
    'เมื่อทราบผลแล้ว ให้เลือก "รับทราบ" เพื่อปิดการแจ้งเตือน ก่อนหน้านั้นจะไม่มีการส่งจ่ายใหม่',
    'Once that is cleared, "Acknowledge" ends the alarm; nothing is tried again before',
  ],
});

/** Registrations. */
const registrationRemedies = wordings({
  'registered-remedy.staged': [
    'The file was not read to its end: register it again',
    'อ่านไฟล์ไม่จบ ให้วางไฟล์เดิมอีกครั้ง',
  ],
  'registered-remedy.ready': [
    'Not registered yet: register the same file again',
    'ยังไม่ได้ลงทะเบียน ให้วางไฟล์เดิมอีกครั้ง',
  ],
  'registered-remedy.held': [
    'Not registered: clear what holds it, then let it go on with "paydrop resume" or stop it with "paydrop cancel"',
    'ยังไม่ได้ลงทะเบียน แก้สาเหตุที่ระงับก่อน แล้วเลือก "ดำเนินการต่อ" หรือ "ยกเลิกรายการ"',
    'Not registered: clear what holds it, then choose "Go on" or "Cancel registration"',
  ],
  'registered-remedy.rejected': [
    'Nothing was sent: correct the row as the reason says and send it in a new file, under the same registrationId',
    'ยังไม่ได้ส่งธนาคาร ให้แก้ไขรายการตามสาเหตุ แล้วส่งในไฟล์ใหม่โดยใช้ registrationId เดิม',
  ],
  'registered-remedy.cancelled': [
    'Nothing to do: a person cancelled it and nothing is sent',
    'ไม่ต้องดำเนินการ มีผู้ยกเลิกรายการนี้แล้ว และจะไม่มีการส่งธนาคาร',
  ],
  'registered-remedy.submitted': [
    'Do not register it again: it may be with the bank, and its callback tells what became of it',
    'ห้ามลงทะเบียนซ้ำ รายการอาจอยู่ที่ธนาคารแล้ว ธนาคารจะแจ้งผล',
  ],
  'registered-remedy.in-doubt': [
    'Do not register it again: the bank may have it, and its callback alone tells; see that callbacks get here ("paydrop callbacks"), and ask the bank with the requestUID',
    'ห้ามลงทะเบียนซ้ำ ธนาคารอาจได้รับรายการแล้ว ต้องรอการแจ้งผลจากธนาคาร ตรวจสอบว่าระบบรับการแจ้งผลได้ และสอบถามธนาคารด้วย requestUID',
    'Do not register it again: the bank may have it, and its callback alone tells; have it checked that callbacks get here, and ask the bank with the requestUID',
  ],
  'registered-remedy.acknowledged': [
    'Nothing to do yet: the bank has taken it and calls back; see that callbacks get here ("paydrop callbacks")',
    'ยังไม่ต้องดำเนินการ ธนาคารรับเรื่องแล้วและจะแจ้งผล ให้ตรวจสอบว่าระบบรับการแจ้งผลได้',
    'Nothing to do yet: the bank has taken it and calls back; have it checked that callbacks get here',
  ],
  'registered-remedy.unanswered': [
    'The bank has not called back in time: ask it with the requestUID what became of it; if it has none, "paydrop retry" registers it anew',
    'ธนาคารไม่แจ้งผลภายในเวลาที่กำหนด ให้สอบถามธนาคารด้วย requestUID ถ้าธนาคารไม่มีรายการนี้ ให้ส่งลงทะเบียนใหม่',
    'The bank has not called back in time: ask it with the requestUID what became of it; if it has none, "Retry" registers it anew',
  ],
  'registered-remedy.registered': ['Nothing to do', 'ไม่ต้องดำเนินการ'],
  'registered-remedy.refused': [
    'The bank has refused it: ask the customer or the bank why, then "paydrop retry" it as it is, or correct it in a new file, under the same registrationId',
    'ธนาคารปฏิเสธการลงทะเบียน สอบถามลูกค้าหรือธนาคารถึงสาเหตุ แล้วส่งลงทะเบียนใหม่ หรือแก้ไขในไฟล์ใหม่โดยใช้ registrationId เดิม',
    'The bank has refused it: ask the customer or the bank why, then "Retry" it as it is, or correct it in a new file, under the same registrationId',
  ],
  'registered-remedy.failed': [
    'Nothing was registered: remove the cause, then "paydrop retry" it as it is, or correct it in a new file, under the same registrationId',
    'ยังไม่ได้ลงทะเบียน แก้สาเหตุก่อน แล้วส่งลงทะเบียนใหม่ หรือแก้ไขในไฟล์ใหม่โดยใช้ registrationId เดิม',
    'Nothing was registered: remove the cause, then "Retry" it as it is, or correct it in a new file, under the same registrationId',
  ],
  'registered-remedy.contradicted': [
    'Rely on neither: the bank has called it registered and refused; debit nothing, and ask the bank with the requestUID which of the two is true; "paydrop confirm" records its answer',
    'ธนาคารแจ้งผลขัดแย้งกันว่าลงทะเบียนสำเร็จและถูกปฏิเสธ ห้ามหักบัญชี ให้สอบถามธนาคารด้วย requestUID ว่าผลใดถูกต้อง แล้วบันทึกคำตอบ',
    'Rely on neither: the bank has called it registered and refused; debit nothing, and ask the bank with the requestUID which of the two is true; "Confirm registered" or "Confirm refused" records its answer',
  ],
  'registered-remedy.rejected-for-its-id': [
    'Nothing was sent: correct the row as the reason says and send it in a new file',
    'ยังไม่ได้ส่งธนาคาร ให้แก้ไขรายการตามสาเหตุ แล้วส่งในไฟล์ใหม่',
  ],
  'registered-remedy.told-after-all': [
    'The bank has told how it ended, though it was not believed to be with the bank: see that no other registration was made in its place, and tell the partner',
    'ธนาคารแจ้งผลของรายการที่ระบบถือว่าไม่ได้อยู่ที่ธนาคาร ตรวจสอบว่าไม่มีการลงทะเบียนอื่นแทนรายการนี้ และแจ้งคู่ค้า',
  ],
  'registered-remedy.other-alarm': [
    'The bank contradicts what it had said before: ask it with the requestUID',
    'ธนาคารแจ้งผลขัดแย้งกับที่เคยแจ้ง ให้สอบถามธนาคารด้วย requestUID',
  ],

  'registration-hold-remedy.paused': [
    'The service could not take it: it goes on by itself when the pause is over, with a watcher or when the same file is registered again; "paydrop resume" and the batch has it tried at once',
    'บริการของธนาคารยังไม่พร้อม ระบบจะส่งต่อเองเมื่อพ้นเวลาพัก หรือเลือก "ส่งชุดนี้ต่อ" ที่ชุดลงทะเบียนเพื่อลองทันที',
    'The service could not take it: it goes on by itself when the pause is over, or when the same file is handed in again; "Resume the batch" has it tried at once',
  ],
  'registration-hold-remedy.halted': [
    'Registering is halted: remove the cause of the halt, then let the batch go on with "paydrop resume" and its batch id',
    'ถูกระงับการส่ง แก้สาเหตุก่อน แล้วเลือก "ส่งชุดนี้ต่อ" ที่ชุดลงทะเบียน',
    'Registering is halted: remove the cause of the halt, then let the batch go on with "Resume the batch"',
  ],
  'registration-hold-remedy.similar': [
    'Another registrationId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks: compare the two: "paydrop resume" and its registrationId lets it go on if it is another registration, "paydrop cancel" and its registrationId ends it if it is the same',
    'มี registrationId อื่นที่ต่างกันเพียงตัวพิมพ์ใหญ่เล็ก เลขศูนย์นำหน้า ทศนิยมที่เป็นศูนย์ เครื่องหมาย หรือช่องว่าง ให้เทียบทั้งสองรายการ ถ้าเป็นคนละรายการ ให้เลือก "ดำเนินการต่อ" ถ้าเป็นรายการเดียวกัน ให้เลือก "ยกเลิกรายการ"',
    'Another registrationId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks: compare the two: "Go on" if it is another registration, "Cancel registration" if it is the same',
  ],
  'registration-hold-remedy.called-back': [
    'The bank has told of such a registration before this one was sent: see whether it was made by other means: "paydrop resume" and its registrationId lets it go on if it is to be made all the same, "paydrop cancel" and its registrationId ends it if it is made',
    'ธนาคารแจ้งผลของการลงทะเบียนแบบนี้มาก่อนที่รายการนี้จะส่ง ตรวจสอบว่ามีการลงทะเบียนด้วยวิธีอื่นแล้วหรือไม่ ถ้ายังต้องลงทะเบียน ให้เลือก "ดำเนินการต่อ" ถ้าลงทะเบียนแล้ว ให้เลือก "ยกเลิกรายการ"',
    'The bank has told of such a registration before this one was sent: see whether it was made by other means: "Go on" if it is to be made all the same, "Cancel registration" if it is made',
  ],
  'registration-rejection-remedy.registration-id-claimed': [
    'Nothing was sent for this row. Do not register it again: the registration that the reason names has its registrationId; "paydrop show" and the registrationId tells what became of it. Only if another one was meant, send it in a new file under another registrationId',
    'ยังไม่ได้ส่งธนาคาร และห้ามลงทะเบียนซ้ำ registrationId นี้เป็นของรายการที่ระบุในสาเหตุ ดูผลของรายการนั้นก่อน ถ้าเป็นคนละรายการ ให้ส่งในไฟล์ใหม่โดยใช้ registrationId อื่น',
    'Nothing was sent for this row. Do not register it again: the registration that the reason names has its registrationId; look what became of that one. Only if another one was meant, send it in a new file under another registrationId',
  ],
  'registration-rejection-remedy.same-as-another': [
    'Nothing was sent for this row: another one with the same company, account and references is under way, and a callback could not tell the two apart; wait until that one has ended, or give this one other references in a new file',
    'ยังไม่ได้ส่งธนาคาร มีรายการอื่นที่บริษัท บัญชี และเลขอ้างอิงเหมือนกันกำลังดำเนินการ จึงแยกไม่ได้ว่าการแจ้งผลเป็นของรายการใด รอให้รายการนั้นสิ้นสุดก่อน หรือใช้เลขอ้างอิงอื่นในไฟล์ใหม่',
  ],
  'registration-rejection-remedy.duplicate-repeat': [
    'Nothing was sent for this row: the first row with its registrationId stands; do nothing if one registration was meant',
    'ยังไม่ได้ส่งธนาคาร ระบบใช้แถวแรกที่มี registrationId นี้ ถ้าตั้งใจลงทะเบียนครั้งเดียว ไม่ต้องดำเนินการ',
  ],
  'registration-rejection-remedy.duplicate-differs': [
    'Nothing was sent: rows of this file share the registrationId and differ; send the right one in a new file under that registrationId, and what is another registration under one of its own',
    'ยังไม่ได้ส่งธนาคาร หลายแถวในไฟล์ใช้ registrationId เดียวกันแต่ข้อมูลต่างกัน ส่งแถวที่ถูกต้องในไฟล์ใหม่โดยใช้ registrationId นั้น และใช้ registrationId อื่นสำหรับคนละรายการ',
  ],
});

/** Breaks, by their kind, and by what is known of the transfer. */
const breakRemedies = wordings({
  'break-remedy.paid-twice': [
    'Two transfers were made for this payout: make sure with both transRefNos that the payee got both, have one of them returned, and tell the partner',
    'มีการโอนสองครั้งสำหรับรายการนี้ ตรวจสอบด้วย transRefNo ทั้งสองว่าผู้รับเงินได้รับเงินทั้งสองครั้ง ขอคืนหนึ่งรายการ และแจ้งคู่ค้า',
  ],
  'break-remedy.status-mismatch': [
    'Do not pay it again: the lines of the statement contradict each other; ask the bank with the transRefNo which of them holds',
    'ห้ามจ่ายซ้ำ บรรทัดในรายการเดินบัญชีขัดแย้งกันเอง ให้สอบถามธนาคารด้วย transRefNo ว่าบรรทัดใดถูกต้อง',
  ],
  'break-remedy.status-contradiction': [
    'Do not pay it again: one code of the line says that it failed, and another that it did not; ask what became of it with "paydrop settle", and ask the bank with the transRefNo which of the two holds',
    'ห้ามจ่ายซ้ำ รหัสหนึ่งในบรรทัดแจ้งว่าไม่สำเร็จ แต่อีกรหัสหนึ่งแจ้งเป็นอย่างอื่น ให้สอบถามสถานะ และสอบถามธนาคารด้วย transRefNo ว่ารหัสใดถูกต้อง',
    'Do not pay it again: one code of the line says that it failed, and another that it did not; "Ask the bank now" asks what became of it; ask the bank with the transRefNo which of the two holds',
  ],
  'break-remedy.line-unreadable': [
    'Do not pay it again before the line is known: fetch the statement of the day anew, since a spreadsheet may have damaged this file; if the line stays so, ask the bank what it says, and for a corrected statement',
    'ห้ามจ่ายซ้ำก่อนทราบข้อมูลในบรรทัดนี้ ให้ขอรายการเดินบัญชีของวันนั้นใหม่ เพราะโปรแกรมตารางคำนวณอาจทำให้ไฟล์เสียหาย ถ้ายังอ่านไม่ได้ ให้สอบถามธนาคารและขอฉบับแก้ไข',
  ],
  'break-remedy.payee-mismatch': [
    "Ask the bank with the transRefNo and sysRefNo who was credited; if it was not the row's payee, have the transfer returned before it is paid again",
    'สอบถามธนาคารด้วย transRefNo และ sysRefNo ว่าเงินเข้าบัญชีใคร ถ้าไม่ใช่ผู้รับเงินของรายการนี้ ให้ขอคืนเงินก่อนจ่ายใหม่',
  ],
  'break-remedy.amount-mismatch': [
    'Ask the bank with the transRefNo and sysRefNo which amount was moved, and have the difference put right; do not pay the rest in a new file before',
    'สอบถามธนาคารด้วย transRefNo และ sysRefNo ว่าโอนจำนวนเท่าใด และให้แก้ไขส่วนต่าง ห้ามจ่ายส่วนที่เหลือในไฟล์ใหม่ก่อนทราบผล',
  ],
  'break-remedy.other-company': [
    'Ask the bank with the transRefNo why a transfer of ours is booked for another company, and have it put right',
    'สอบถามธนาคารด้วย transRefNo ว่าเหตุใดรายการของบริษัทจึงลงในชื่อบริษัทอื่น และให้แก้ไข',
  ],
  'break-remedy.payer-mismatch': [
    'Ask the bank with the transRefNo why another account was debited, and have it put right',
    'สอบถามธนาคารด้วย transRefNo ว่าเหตุใดจึงหักจากบัญชีอื่น และให้แก้ไข',
  ],
  'break-remedy.duplicate-line': [
    'Ask the bank whether one transfer is listed twice or two were made, and have the second one returned; one listed twice is put right in a corrected statement',
    'สอบถามธนาคารว่าเป็นการแสดงรายการซ้ำหรือโอนสองครั้ง ถ้าโอนสองครั้งให้ขอคืนรายการที่สอง ถ้าแสดงซ้ำธนาคารจะแก้ในรายการเดินบัญชีฉบับแก้ไข',
  ],
  'break-remedy.unmatched-bank-line': [
    'Find out who sent it: another program with the same company ID, or this one with a journal that was lost ("paydrop show" and the transRefNo); if neither did, ask the bank at once',
    'ตรวจสอบว่าใครเป็นผู้ส่ง อาจเป็นโปรแกรมอื่นที่ใช้รหัสบริษัทเดียวกัน หรือระบบนี้ก่อนข้อมูลสูญหาย ถ้าไม่มีผู้ใดส่ง ให้แจ้งธนาคารทันที',
    'Find out who sent it: another program with the same company ID, or this one with a journal that was lost; if neither did, ask the bank at once',
  ],
  'break-remedy.missing-at-bank': [
    "Look for it in the next day's statement; if it is not there either, ask the bank with the transRefNo and sysRefNo, and do not pay it again meanwhile",
    'ค้นหาในรายการเดินบัญชีของวันถัดไป ถ้ายังไม่พบ ให้สอบถามธนาคารด้วย transRefNo และ sysRefNo ระหว่างนี้ห้ามจ่ายซ้ำ',
  ],
  'break-remedy.no-trace': [
    'It stays unresolved: ask the bank in writing whether it knows the transRefNo; do not pay it again before it has answered',
    'ยังสรุปผลไม่ได้ ให้สอบถามธนาคารเป็นลายลักษณ์อักษรว่ามี transRefNo นี้หรือไม่ ห้ามจ่ายซ้ำก่อนได้รับคำตอบ',
  ],
  'break-remedy.unknown-status-word': [
    'Ask the bank what the word in STATUS means and add it to reconcile.words in the settings, then reconcile the day again',
    'สอบถามธนาคารว่าคำในช่อง STATUS หมายถึงอะไร เพิ่มในการตั้งค่า reconcile.words แล้วกระทบยอดวันนั้นใหม่',
  ],
  'break-remedy.fee-mismatch': [
    'Compare with the fee that is agreed with the bank, and have the difference put right',
    'เทียบกับค่าธรรมเนียมที่ตกลงกับธนาคาร และให้แก้ไขส่วนต่าง',
  ],
  'break-remedy.net-mismatch': [
    'Compare amount, fee and net amount with the charge type that is agreed with the bank, and ask it for the figures',
    'เทียบจำนวนเงิน ค่าธรรมเนียม และยอดสุทธิกับเงื่อนไขที่ตกลงกับธนาคาร และสอบถามตัวเลขจากธนาคาร',
  ],
  'break-remedy.date-mismatch': [
    'Make sure in which day it is to be booked, and that no other statement has it too; ask the bank for a corrected statement',
    'ตรวจสอบว่าควรลงรายการในวันใด และไม่อยู่ในรายการเดินบัญชีอื่นด้วย ขอรายการเดินบัญชีฉบับแก้ไขจากธนาคาร',
  ],
  'break-remedy.pending-at-bank': [
    'Do not pay it again: wait for a later statement, or ask what became of it with "paydrop settle"',
    'ห้ามจ่ายซ้ำ รอรายการเดินบัญชีฉบับถัดไป หรือสอบถามสถานะกับธนาคาร',
    'Do not pay it again: wait for a later statement, or ask what became of it with "Ask the bank now"',
  ],
  'break-remedy.pending-not-in-statement': [
    `Do not pay it again, absence proves nothing: ask what became of it with "paydrop settle", and reconcile the next day's statement`,
    'ห้ามจ่ายซ้ำ การไม่พบรายการไม่ใช่หลักฐานว่าไม่ได้จ่าย ให้สอบถามสถานะ และกระทบยอดกับรายการเดินบัญชีของวันถัดไป',
    `Do not pay it again, absence proves nothing: ask what became of it with "Ask the bank now", and reconcile the next day's statement`,
  ],

  'break-remedy-settled.status-contradiction': [
    'Do not pay it again: one code of the line says that it failed, and another that it did not, and what we know of it is settled; ask the bank with the transRefNo which of the two holds, and for a corrected statement',
    'ห้ามจ่ายซ้ำ รหัสหนึ่งในบรรทัดแจ้งว่าไม่สำเร็จ แต่อีกรหัสหนึ่งแจ้งเป็นอย่างอื่น และระบบสรุปผลรายการนี้แล้ว ให้สอบถามธนาคารด้วย transRefNo ว่ารหัสใดถูกต้อง และขอรายการเดินบัญชีฉบับแก้ไข',
  ],
  'break-remedy-settled.pending-at-bank': [
    'Do not pay it again: what we know of it is settled; wait for a later statement, or ask the bank with the transRefNo',
    'ห้ามจ่ายซ้ำ ระบบสรุปผลรายการนี้แล้ว รอรายการเดินบัญชีฉบับถัดไป หรือสอบถามธนาคารด้วย transRefNo',
  ],
  'break-remedy-called.paid': [
    'Do not pay it again: the bank had confirmed it, and its statement says that it failed; ask the bank with the transRefNo and sysRefNo which of the two holds, and tell the partner that the payment is disputed',
    'ห้ามจ่ายซ้ำ ธนาคารเคยยืนยันว่าจ่ายแล้ว แต่รายการเดินบัญชีแจ้งว่าไม่สำเร็จ ให้สอบถามธนาคารด้วย transRefNo และ sysRefNo ว่าผลใดถูกต้อง และแจ้งคู่ค้า',
  ],
  'break-remedy-called.failed': [
    'It is paid, though we had called it failed: make sure that it was not paid by other means meanwhile, have one of the two returned if so, and tell the partner',
    'รายการนี้จ่ายแล้ว แม้ระบบเคยสรุปว่าไม่สำเร็จ ตรวจสอบว่าไม่มีการจ่ายด้วยวิธีอื่นไปแล้ว ถ้ามีให้ขอคืนหนึ่งรายการ และแจ้งคู่ค้า',
  ],
  'break-remedy-called.refused': [
    'It is paid, though the bank had refused it: make sure that it was not paid by other means meanwhile, have one of the two returned if so, and tell the partner',
    'รายการนี้จ่ายแล้ว แม้ธนาคารเคยปฏิเสธ ตรวจสอบว่าไม่มีการจ่ายด้วยวิธีอื่นไปแล้ว ถ้ามีให้ขอคืนหนึ่งรายการ และแจ้งคู่ค้า',
  ],
  'break-remedy-word.paid': [
    'Do not pay it again: the word may mean that the money went back; ask the bank what it means and add it to reconcile.words in the settings, then reconcile the day again',
    'ห้ามจ่ายซ้ำ คำนี้อาจหมายความว่าเงินถูกส่งคืนแล้ว ให้สอบถามธนาคาร เพิ่มในการตั้งค่า reconcile.words แล้วกระทบยอดวันนั้นใหม่',
  ],
  'break-remedy-word.failed': [
    'Do not pay it again: the word may mean that the bank has paid what we call failed; ask the bank what it means and add it to reconcile.words in the settings, then reconcile the day again',
    'ห้ามจ่ายซ้ำ คำนี้อาจหมายความว่าธนาคารจ่ายรายการที่ระบบสรุปว่าไม่สำเร็จ ให้สอบถามธนาคาร เพิ่มในการตั้งค่า reconcile.words แล้วกระทบยอดวันนั้นใหม่',
  ],
  'break-remedy-word.refused': [
    'Do not pay it again: the word may mean that the bank has paid what it had refused; ask the bank what it means and add it to reconcile.words in the settings, then reconcile the day again',
    'ห้ามจ่ายซ้ำ คำนี้อาจหมายความว่าธนาคารจ่ายรายการที่เคยปฏิเสธ ให้สอบถามธนาคาร เพิ่มในการตั้งค่า reconcile.words แล้วกระทบยอดวันนั้นใหม่',
  ],

  'break-remedy.damaged-code': [
    'Do not pay it again before the line is known: fetch the statement of the day from the bank again ("paydrop reconcile --date" and the day) and give it to paydrop without saving it in a spreadsheet',
    'ห้ามจ่ายซ้ำก่อนตรวจบรรทัดนี้ ให้ดึงรายการเดินบัญชีของวันนั้นจากธนาคารใหม่ และห้ามบันทึกไฟล์ด้วยโปรแกรมตารางคำนวณก่อนนำเข้า',
    'Do not pay it again before the line is known: fetch the statement of the day from the bank again, and give it to paydrop without saving it in a spreadsheet',
  ],
  'break-remedy.waits': [
    'Do not pay it again: the line says that it failed, and does not settle it yet; ask what became of it with "paydrop settle", then reconcile the day again',
    'ห้ามจ่ายซ้ำ บรรทัดนี้แจ้งว่าไม่สำเร็จ แต่ยังสรุปผลไม่ได้ ให้สอบถามสถานะ แล้วกระทบยอดวันนั้นใหม่',
    'Do not pay it again: the line says that it failed, and does not settle it yet; ask what became of it with "Ask the bank now", then reconcile the day again',
  ],
  'break-remedy.earlier-transfer': [
    'Do not pay it again: find out who sent the transfer of that day, such as this program with a journal that was lost ("paydrop show" and the transRefNo); if it was complete, ask the bank whether the payee was paid twice',
    'ห้ามจ่ายซ้ำ ตรวจสอบว่าใครส่งรายการของวันนั้น อาจเป็นระบบนี้ก่อนข้อมูลสูญหาย ถ้าจ่ายสำเร็จแล้ว ให้สอบถามธนาคารว่าผู้รับเงินได้รับเงินสองครั้งหรือไม่',
    'Do not pay it again: find out who sent the transfer of that day, such as this program with a journal that was lost; if it was complete, ask the bank whether the payee was paid twice',
  ],
  'break-remedy-failed.payee-mismatch': [
    'The failed transfer names another payee: no money moved by it, but ask the bank whether the reference is ours before it is tried again',
    'รายการที่ไม่สำเร็จระบุผู้รับเงินรายอื่น เงินไม่ออกจากรายการนั้น แต่ให้สอบถามธนาคารว่าเลขอ้างอิงเป็นของเราหรือไม่ก่อนส่งจ่ายใหม่',
  ],
  'break-remedy-failed.amount-mismatch': [
    'The failed transfer names another amount: no money moved by it, but ask the bank whether the reference is ours before it is tried again',
    'รายการที่ไม่สำเร็จระบุจำนวนเงินอื่น เงินไม่ออกจากรายการนั้น แต่ให้สอบถามธนาคารว่าเลขอ้างอิงเป็นของเราหรือไม่ก่อนส่งจ่ายใหม่',
  ],
  'break-remedy.by-statement': [
    'Do not pay it again: a part of the journal that was lost has sent it, and only a statement settles it. Reconcile that day once more, or the next ("paydrop reconcile --date {day}" or "paydrop reconcile --date {next}"); what the bank has told you otherwise is recorded with "paydrop confirm"',
    'ห้ามจ่ายซ้ำ รายการนี้ส่งก่อนข้อมูลสูญหาย สรุปผลได้จากรายการเดินบัญชีเท่านั้น ให้ดึงรายการเดินบัญชีของวันที่ {day} อีกครั้งหรือของวันที่ {next} หรือบันทึกสิ่งที่ธนาคารแจ้งด้วย "ยืนยันว่าจ่ายสำเร็จ" หรือ "ยืนยันว่าจ่ายไม่สำเร็จ"',
    'Do not pay it again: a part of the journal that was lost has sent it, and only a statement settles it. Fetch the statement of {day} once more, or that of {next}; what the bank has told you otherwise is recorded with "Confirm paid" or "Confirm failed"',
  ],
});

export const rowRemedyWordings = { ...payoutRemedies, ...registrationRemedies, ...breakRemedies };

type RemedyCode = Exclude<keyof typeof rowRemedyWordings, 'break-remedy.by-statement'>;

/** The code of a remedy; undefined for any other text: the code of a reason may be any text of the bank's. */
export const findRemedy = (code: string): RemedyCode | undefined =>
  Object.hasOwn(rowRemedyWordings, code) ? (code as RemedyCode) : undefined;
