/** Texts of the approval: the sentence, the figures before the button, what to look at first, and the decision. */
import { wordings } from './wording.ts';

export const approvalWordings = wordings({
  // ---------------------------------------------------------------- the sentence

  'person.one': ['{count} person', '{count} คน'],
  'person.many': ['{count} people', '{count} คน'],
  'file.one': ['{count} file', '{count} ไฟล์'],
  'file.many': ['{count} files', '{count} ไฟล์'],
  'approval.pay-people': [
    'Pay {people} {amount} baht from {account}',
    'จ่าย {people} {amount} บาท จาก {account}',
  ],
  'approval.pay-payouts': [
    'Pay {payouts} to {people}, {amount} baht from {account}',
    'จ่าย {payouts} ให้ {people} {amount} บาท จาก {account}',
  ],
  'approval.pay-and-hold-one': [
    'Approve {counted}: pay {paid} from {account}; {held} stays held',
    'อนุมัติ {counted}: จ่าย {paid} จาก {account} ส่วน {held} ยังระงับไว้',
  ],
  'approval.pay-and-hold': [
    'Approve {counted}: pay {paid} from {account}; {held} stay held',
    'อนุมัติ {counted}: จ่าย {paid} จาก {account} ส่วน {held} ยังระงับไว้',
  ],
  'approval.sent.one': ['{counted} of {files} is sent at once', 'ส่งจ่ายทันที {counted} ของ {files}'],
  'approval.sent.many': ['{counted} of {files} are sent at once', 'ส่งจ่ายทันที {counted} ของ {files}'],
  'approval.nothing-sent': ['nothing waits to be sent now', 'ขณะนี้ไม่มีรายการรอส่งจ่าย'],
  'approval.after-approval': [
    'Sent at once after the approval, batch {batch}',
    'ส่งจ่ายทันทีหลังอนุมัติ ชุดจ่ายเงิน {batch}',
  ],
  'approval.of-batch': ['Batch {batch}', 'ชุดจ่ายเงิน {batch}'],
  'approval.propose-to-pay': ['Propose to pay {file}', 'เสนอจ่าย {file}'],

  // ---------------------------------------------------------------- the figures

  'approval.to-be-paid': ['To be paid', 'จะจ่าย'],
  'approval.not-paid': ['Not paid', 'ไม่จ่าย'],
  'approval.none-unpaid': ['none', 'ไม่มี'],
  'approval.to-new-payees': ['To new payees', 'ให้ผู้รับเงินรายใหม่'],
  'approval.new-share': ['{people}, {share}%', '{people} {share}%'],
  'approval.none-new': ['all were paid before', 'เคยจ่ายให้ทุกคนแล้ว'],
  'approval.against': ['Against {file}', 'เทียบกับ {file}'],
  'approval.against-file': ['{amount}, {payouts} payouts', '{amount} {payouts} รายการ'],
  'approval.first-of-name': ['First file of this name', 'ไฟล์แรกของชื่อนี้'],
  'approval.last-archived': [
    '{file} is archived: its rows are not compared',
    'ย้าย {file} ไปเก็บถาวรแล้ว จึงไม่ได้เทียบรายการ',
  ],
  'approval.accounts': ['From', 'จากบัญชี'],
  'approval.held-besides': [
    '{rows} held for another reason, {amount} baht',
    'ระงับไว้ด้วยเหตุอื่น {rows} {amount} บาท',
  ],
  'approval.before': ['{rows} sent or approved before, {amount} baht', 'ส่งหรืออนุมัติไปแล้ว {rows} {amount} บาท'],

  // ---------------------------------------------------------------- what to look at first

  'approval.look-first': ['Look at these first', 'ตรวจรายการเหล่านี้ก่อน'],
  'approval.nothing-unusual': ['Nothing unusual', 'ไม่พบสิ่งผิดปกติ'],
  'approval.changed': ['Changed since it was proposed', 'ข้อมูลเปลี่ยนไปหลังจากที่เสนอ'],
  'approval.changed-remedy': ['Send it back, and propose it again', 'ส่งกลับ แล้วเสนอใหม่'],
  'approval.halted': ['Account {account} is halted', 'บัญชี {account} ถูกระงับการจ่าย'],
  'approval.halted-remedy': [
    'Nothing is paid before the account is resumed',
    'ยังไม่จ่ายจนกว่าจะเปิดจ่ายจากบัญชีนี้อีกครั้ง',
  ],
  'approval.like': ['{payout} looks paid already', '{payout} อาจจ่ายไปแล้ว'],
  'approval.like-detail': [
    '{payee}, {amount} · sent {moment} by {file}',
    '{payee} {amount} · ส่งจ่ายเมื่อ {moment} โดย {file}',
  ],
  'approval.like-more': ['{rows} more look paid already', 'อีก {rows} อาจจ่ายไปแล้ว'],
  'approval.like-all': [
    '{rows} like earlier payments, {amount} baht in all',
    'คล้ายรายการที่จ่ายก่อนหน้า {rows} รวม {amount} บาท',
  ],
  'approval.compare': ['Compare', 'เปรียบเทียบ'],
  'approval.like-file': ['The file is like another one', 'ไฟล์นี้คล้ายกับไฟล์อื่น'],
  'approval.name-paid': ['A file of this name was paid before', 'เคยจ่ายไฟล์ชื่อนี้แล้ว'],
  'approval.limit': ['{rows} would be held by a limit', 'จะติดวงเงิน {rows}'],
  'approval.limit-detail': ['{amount} baht, if it was sent now', '{amount} บาท หากส่งขณะนี้'],
  'approval.held': ['Held even after the approval: {rows}, {why}', 'หลังอนุมัติแล้วยังถูกระงับไว้ {rows}: {why}'],
  'approval.grown': ['{payee} gets {times} times the amount of {file}', '{payee} ได้รับ {times} เท่าของ {file}'],
  'approval.grown-more': ['{people} more get over twice as much', 'อีก {people} ได้รับเกิน 2 เท่า'],
  'approval.was': ['{now}, was {before}', '{now} เดิม {before}'],
  'approval.row': ['Row {row}', 'แถว {row}'],
  'approval.never-paid.one': ['{people} was never paid before', 'ไม่เคยจ่ายให้ {people} มาก่อน'],
  'approval.never-paid.many': ['{people} were never paid before', 'ไม่เคยจ่ายให้ {people} มาก่อน'],
  'approval.never-paid-sum': ['{amount} baht', '{amount} บาท'],
  'approval.never-paid-detail': ['{amount} baht, the largest {largest}', '{amount} บาท สูงสุด {largest}'],
  'approval.names-differ': ['{rows} whose name at the bank differs', 'ชื่อที่ธนาคารไม่ตรงกัน {rows}'],
  'approval.total-up': ['The sum is {percent}% above {file}', 'ยอดรวมสูงกว่า {file} {percent}%'],
  'approval.total-down': ['The sum is {percent}% below {file}', 'ยอดรวมต่ำกว่า {file} {percent}%'],
  'approval.clean': ['Checked and clean: {checks}', 'ตรวจแล้วไม่พบปัญหา: {checks}'],
  'approval.clean.likes': ['earlier payments', 'รายการที่จ่ายก่อนหน้า'],
  'approval.clean.limits': ['limits', 'วงเงิน'],
  'approval.clean.account': ['the account', 'บัญชีที่จ่าย'],
  'approval.clean.name': ['the name of the file', 'ชื่อไฟล์'],
  'approval.clean.payees': ['the payees', 'ผู้รับเงิน'],
  'approval.clean.amounts': ['the amounts', 'จำนวนเงิน'],
  'approval.clean.names': ["the bank's names", 'ชื่อที่ธนาคาร'],
  'approval.clean.total': ['the sum', 'ยอดรวม'],

  // ---------------------------------------------------------------- sizes, the largest, the comparison

  'approval.amounts': ['Amounts', 'จำนวนเงิน'],
  'approval.amounts-hint': [
    'payouts by size in baht; blue: holds the five largest',
    'จำนวนรายการตามยอดเงิน (บาท) สีน้ำเงิน: มี 5 รายการยอดสูงสุด',
  ],
  'approval.size-under': ['under {to} baht: {payouts}', 'ต่ำกว่า {to} บาท: {payouts}'],
  'approval.size-between': ['{from} to {to} baht: {payouts}', '{from} ถึง {to} บาท: {payouts}'],
  'approval.size-over': ['from {from} baht: {payouts}', 'ตั้งแต่ {from} บาท: {payouts}'],
  'approval.against-last': ['Against the last file', 'เทียบกับไฟล์ก่อน'],
  'approval.as-before': ['as before', 'เท่าเดิม'],
  'approval.not-in-last': ['not in that file', 'ไม่มีในไฟล์ก่อน'],
  'approval.times-before': ['{times} times: {before}', '{times} เท่า: {before}'],
  'approval.compared': ['Compared with {file}', 'เทียบกับ {file}'],
  'approval.last-file': ['Last file', 'ไฟล์ก่อน'],
  'approval.this-file': ['This file', 'ไฟล์นี้'],
  'approval.change': ['Change', 'เปลี่ยนแปลง'],
  'approval.payouts': ['Payouts', 'จำนวนรายการ'],
  'approval.baht': ['Baht', 'บาท'],
  'approval.largest': ['Largest', 'ยอดสูงสุด'],
  'approval.change-new': ['New payees', 'ผู้รับเงินรายใหม่'],
  'approval.change-gone': ['No longer in it', 'ไม่มีในไฟล์นี้แล้ว'],
  'approval.change-changed': ['Changed by over 20%', 'เปลี่ยนเกิน 20%'],
  'approval.change-other': ['Other payees', 'ผู้รับเงินรายอื่น'],
  'approval.difference': ['Difference', 'ผลต่าง'],
  'approval.all-rows': ['All {rows}', 'ทั้งหมด {rows}'],
  'approval.open-rows': ['Open, row 1 first', 'เปิดดู เริ่มที่แถว 1'],
  'approval.for-auditors': [
    'For auditors: digest, hash of the file, text that is signed',
    'สำหรับผู้ตรวจสอบ: ค่าแฮชของรายการ ค่าแฮชของไฟล์ ข้อความที่ลงนาม',
  ],
  'approval.text-at-signing': [
    'The signing page shows the text in full; it is kept with the signature',
    'หน้าลงนามแสดงข้อความทั้งหมด และเก็บไว้พร้อมลายเซ็น',
  ],

  // ---------------------------------------------------------------- a batch

  'batch-outcome.paid': ['Paid', 'จ่ายสำเร็จ'],
  'batch-outcome.unknown': ['Unknown if it moved', 'ยังไม่ทราบว่าเงินออกหรือไม่'],
  'batch-outcome.alarm': ['Contradicts the bank', 'ผลขัดแย้งกับธนาคาร'],
  'batch-outcome.wait': ['Not sent yet', 'ยังไม่ส่งจ่าย'],
  'batch-outcome.none': ['Not paid', 'ไม่จ่าย'],
  'batch.by-outcome': ['Money of this batch', 'ยอดเงินของชุดนี้'],
  'batch.result-so-far': ['Result so far', 'ผลล่าสุด'],
  'batch.waits-for-approval': ['Waits for approval', 'รออนุมัติ'],
  'batch.every-status': ['All', 'ทั้งหมด'],
  'batch.none-found': ['No batch matches', 'ไม่พบชุดจ่ายเงินที่ตรงกับเงื่อนไข'],
  'batch.search-hint': ['file or batch', 'ไฟล์หรือชุดจ่ายเงิน'],
  'batch.upload-corrected': ['Upload corrected', 'อัปโหลดไฟล์ที่แก้ไขแล้ว'],
  'batch.from-first': ['From row 1', 'กลับไปแถว 1'],
  'batch.further-rows': ['Further rows', 'แถวถัดไป'],

  // ---------------------------------------------------------------- the list

  'approval.for-my-check': ['Waits for your check', 'รอคุณอนุมัติ'],
  'approval.needs-proposal': ['Needs your proposal', 'รอคุณเสนออนุมัติ'],
  'approval.sent-back-to-you': ['Sent back to you', 'ส่งกลับให้คุณแก้ไข'],
  'approval.waits-for-checker': ['Waits for a checker', 'รอผู้อนุมัติ'],
  'approval.decided': ['Decided', 'ตัดสินใจแล้ว'],

  // ---------------------------------------------------------------- the decision

  'approval.you-sign': ['You sign', 'คุณลงนาม'],
  'approval.you-propose': ['You propose', 'คุณเสนอ'],
  'approval.sign-and-pay': ['Sign and pay {amount} baht', 'ลงนามและจ่าย {amount} บาท'],
  'approval.approve-and-pay': ['Approve and pay {amount} baht', 'อนุมัติและจ่าย {amount} บาท'],
  'approval.approve-and-pay-unsigned': [
    'Approve and pay {amount} baht without a signature',
    'อนุมัติและจ่าย {amount} บาท โดยไม่ลงนาม',
  ],
  'approval.sign': ['Sign and approve', 'ลงนามและอนุมัติ'],
  'approval.proposed-by': ['{person} proposed it, {moment}', '{person} เสนอเมื่อ {moment}'],
  'approval.back-without': ['Send back without {id}…', 'ส่งกลับให้ตัด {id} ออก…'],
  'approval.without': ['Without {id}: it looks paid already', 'ให้ตัด {id} ออก: อาจจ่ายไปแล้ว'],
  'approval.send-back-to': ['Send it back to {person}…', 'ส่งกลับให้ {person}…'],
  'approval.send-back-what': ['What should be corrected?', 'ต้องแก้ไขอะไร'],
  'approval.send-back': ['Send back {file}', 'ส่งกลับ {file}'],
  'approval.lapses': ['Lapses on {moment}', 'หมดอายุ {moment}'],
  'approval.your-passkey': ['Your passkey: “{label}”, key {key}', 'พาสคีย์ของคุณ: “{label}” รหัส {key}'],
  'approval.approved-by-line': [
    'Approved by ______________________ Date ____________',
    'ผู้อนุมัติ ______________________ วันที่ ____________',
  ],
  'approval.proposed': ['Proposed: {what}', 'เสนอแล้ว: {what}'],
  'approval.can-approve': ['{people} can approve', '{people} อนุมัติได้'],
  'approval.no-checker': [
    'No other person can approve it: an admin has to add a checker',
    'ยังไม่มีผู้อนุมัติ ผู้ดูแลระบบต้องเพิ่มผู้อนุมัติ',
  ],
  'approval.wait-for-you': ['waiting for you: {count}', 'รอคุณ {count} รายการ'],
  'approval.next': ['next', 'ถัดไป'],
  'approval.next.one': ['Next: 1 more waits for you', 'ถัดไป: รอคุณอีก 1 รายการ'],
  'approval.next.many': ['Next: {count} more wait for you', 'ถัดไป: รอคุณอีก {count} รายการ'],
  'approval.correct-again': ['Correct and propose again', 'แก้ไขแล้วเสนอใหม่'],
  'again.leave-out': ['Leave out', 'ตัดออก'],
  'again.back-without': ['Send back without it', 'ส่งกลับให้ตัดออก'],
  'again.leave-out-hint': [
    'A ticked one is left out. The sum is counted anew before anything is proposed.',
    'รายการที่เลือกจะถูกตัดออก ระบบคำนวณยอดใหม่ก่อนเสนอ',
  ],
  'again.leave-out-row': ['Leave out {what}', 'ตัด {what} ออก'],
  'again.with-them': ['Propose with it all the same…', 'เสนอโดยไม่ตัดออก…'],
  'again.counted-anew': [
    'what is left out has changed, and the sum with it: look at it, then propose',
    'รายการที่ตัดออกเปลี่ยนไป ยอดจึงเปลี่ยนด้วย กรุณาตรวจสอบแล้วเสนอ',
  ],
  'again.all-left-out': ['all of it is left out', 'ตัดออกทุกรายการ'],
  'again.file-stays': ['{file} stays, unless you choose another file', 'ใช้ {file} ต่อไป เว้นแต่เลือกไฟล์อื่น'],
  'again.gone': [
    'Nothing of yours was sent back here that could be corrected',
    'ไม่มีรายการของคุณที่ถูกส่งกลับให้แก้ไข',
  ],
  'approval.sent-back-by': ['Sent back by {person}, {moment}', '{person} ส่งกลับเมื่อ {moment}'],
});
