/** Names and effects of decisions. */
import { wordings } from './wording.ts';

export const decisionWordings = wordings({
  // ---------------------------------------------------------------- names of decisions

  'decision.go-on': ['Go on', 'ดำเนินการต่อ'],
  'decision.cancel': ['Cancel payout', 'ยกเลิกรายการ'],
  'decision.release': ['Release the number', 'ปลดเลขที่ให้ใช้ใหม่'],
  'decision.retry': ['Retry', 'ส่งจ่ายใหม่'],
  'decision.retry-corrected': ['Retry corrected', 'แก้ไขแล้วส่งจ่ายใหม่'],
  'decision.confirm-paid': ['Confirm paid', 'ยืนยันว่าจ่ายสำเร็จ'],
  'decision.confirm-failed': ['Confirm failed', 'ยืนยันว่าจ่ายไม่สำเร็จ'],
  'decision.confirm-registered': ['Confirm registered', 'ยืนยันว่าลงทะเบียนสำเร็จ'],
  'decision.confirm-refused': ['Confirm refused', 'ยืนยันว่าธนาคารปฏิเสธ'],
  'decision.acknowledge': ['Acknowledge', 'รับทราบ'],
  'decision.approve': ['Approve', 'อนุมัติ'],
  'decision.send-back': ['Send back', 'ส่งกลับ'],
  'decision.withdraw': ['Withdraw', 'ถอนรายการที่เสนอ'],
  'decision.confirm-file': ['Propose its decisions', 'เสนออนุมัติตามไฟล์'],
  'decision.approve-batch': ['Approve', 'อนุมัติ'],
  'decision.resume-batch': ['Resume the batch', 'จ่ายชุดนี้ต่อ'],
  'decision.cancel-batch': ['Cancel the batch', 'ยกเลิกการจ่ายทั้งชุด'],
  'decision.resume-payer': ['Resume the account', 'เปิดจ่ายจากบัญชีนี้อีกครั้ง'],
  'decision.halt-payer': ['Halt the account', 'ระงับการจ่ายจากบัญชีนี้'],
  'decision.accept-break': ['Accept break', 'ยอมรับผลต่างนี้'],
  'decision.accept-statement': ['Accept the statement', 'ยอมรับรายการเดินบัญชี'],
  'decision.adopt-statement': ['Adopt the statement', 'ใช้รายการเดินบัญชีจากไฟล์'],

  // ---------------------------------------------------------------- names of those that a registration calls otherwise

  'registration-decision.go-on': ['Go on', 'ดำเนินการต่อ'],
  'registration-decision.cancel': ['Cancel registration', 'ยกเลิกการลงทะเบียน'],
  'registration-decision.release': ['Release the number', 'ปลดเลขที่ให้ใช้ใหม่'],
  'registration-decision.retry': ['Retry', 'ส่งลงทะเบียนใหม่'],
  'registration-decision.retry-corrected': ['Retry corrected', 'แก้ไขแล้วส่งลงทะเบียนใหม่'],
  'registration-decision.confirm-failed': ['Confirm failed', 'ยืนยันว่าลงทะเบียนไม่สำเร็จ'],
  'registration-decision.resume-batch': ['Resume the batch', 'ส่งชุดนี้ต่อ'],
  'registration-decision.cancel-batch': ['Cancel the batch', 'ยกเลิกการลงทะเบียนทั้งชุด'],

  // ---------------------------------------------------------------- acts; {what} is counted: "27 payouts, 110,802.83 baht"

  'decision-act.go-on': ['let {what} go on', 'ดำเนินการต่อ {what}'],
  'decision-act.cancel': ['cancel {what}', 'ยกเลิก {what}'],
  'decision-act.release': ['release the number of {what}', 'ปลดเลขที่ {what}'],
  'decision-act.retry': ['retry {what}', 'ส่งใหม่ {what}'],
  'decision-act.retry-corrected': ['correct and retry {what}', 'แก้ไขแล้วส่งใหม่ {what}'],
  'decision-act.confirm-paid': ['confirm {what} as paid', 'ยืนยันว่าจ่ายสำเร็จ {what}'],
  'decision-act.confirm-failed': ['confirm {what} as failed', 'ยืนยันว่าไม่สำเร็จ {what}'],
  'decision-act.confirm-registered': ['confirm {what} as registered', 'ยืนยันว่าลงทะเบียนสำเร็จ {what}'],
  'decision-act.confirm-refused': ['confirm {what} as refused', 'ยืนยันว่าธนาคารปฏิเสธ {what}'],
  'decision-act.acknowledge': ['acknowledge {what}', 'รับทราบ {what}'],
  'decision-act.approve-batch': ['pay {what}', 'จ่าย {what}'],
  'decision-act.resume-batch': ['resume the batch ({what})', 'ส่งรายการในชุดนี้ต่อ ({what})'],
  'decision-act.cancel-batch': ['cancel the batch ({what})', 'ยกเลิกทั้งชุด ({what})'],
  'decision-act.resume-payer': ['resume the account ({what})', 'เปิดจ่ายจากบัญชีนี้อีกครั้ง ({what})'],
  'decision-act.halt-payer': ['halt the account ({what})', 'ระงับการจ่ายจากบัญชีนี้ ({what})'],
  'decision-act.accept-break': ['accept {what}', 'ยอมรับ{what}'],
  'decision-act.accept-statement': ['accept the statement ({what})', 'ยอมรับรายการเดินบัญชี ({what})'],
  'decision-act.adopt-statement': ['adopt the statement ({what})', 'ใช้รายการเดินบัญชีจากไฟล์ ({what})'],

  // ---------------------------------------------------------------- effects; {what} is the target: "12,500.00 baht to ••5678"

  'decision-effect.go-on': [
    'Lifts the holds, and the next run pays {what}',
    'ยกเลิกการระงับ และส่งจ่ายในรอบถัดไป: {what}',
  ],
  'decision-effect.cancel': [
    'Never sends {what}; the payoutId stays taken until it is released',
    'ไม่ส่งจ่าย {what} และเลขที่รายการจ่ายยังใช้ซ้ำไม่ได้จนกว่าจะปลด',
  ],
  'decision-effect.release': [
    'Lets another file pay under the same payoutId: {what}',
    'ไฟล์อื่นใช้เลขที่รายการจ่ายเดิมได้: {what}',
  ],
  'decision-effect.retry': [
    'Pays {what} once with a new transfer, when the bank was asked about those before',
    'ส่งจ่ายใหม่หนึ่งครั้ง หลังสอบถามธนาคารถึงผลการโอนครั้งก่อนแล้ว: {what}',
  ],
  'decision-effect.retry-corrected': [
    'Pays once as corrected, when the bank was asked about transfers before; it was {what}',
    'ส่งจ่ายหนึ่งครั้งตามข้อมูลที่แก้ไข หลังสอบถามธนาคารถึงผลการโอนครั้งก่อนแล้ว ข้อมูลเดิม: {what}',
  ],
  'decision-effect.confirm-paid': [
    'Counts {what} as paid, by your evidence',
    'ถือว่าจ่ายสำเร็จ ตามหลักฐานของผู้ทำรายการ: {what}',
  ],
  'decision-effect.confirm-failed': [
    'Counts {what} as failed, by your evidence; it may then be paid again',
    'ถือว่าจ่ายไม่สำเร็จ ตามหลักฐานของผู้ทำรายการ และส่งจ่ายใหม่ได้: {what}',
  ],
  'decision-effect.confirm-registered': [
    'Counts {what} as registered, by your evidence',
    'ถือว่าลงทะเบียนสำเร็จ ตามหลักฐานของผู้ทำรายการ: {what}',
  ],
  'decision-effect.confirm-refused': [
    'Counts {what} as refused, by your evidence; it may then be registered again',
    'ถือว่าธนาคารปฏิเสธ ตามหลักฐานของผู้ทำรายการ และส่งลงทะเบียนใหม่ได้: {what}',
  ],
  'decision-effect.acknowledge': [
    'Takes {what} out of the queue, and ends an alarm; nothing else changes',
    'นำออกจากรายการรอดำเนินการและปิดการแจ้งเตือน โดยไม่เปลี่ยนแปลงข้อมูลอื่น: {what}',
  ],
  'decision-effect.approve-batch': [
    'Pays exactly the rows that wait, as they were sealed: {what}',
    'จ่ายเฉพาะรายการที่รออนุมัติ ตามข้อมูลที่ล็อกไว้: {what}',
  ],
  'decision-effect.resume-batch': ['Sends what waits: {what}', 'ส่งรายการที่รอส่ง: {what}'],
  'decision-effect.cancel-batch': [
    'Sends nothing more, once the bank was asked about what was sent: {what}',
    'ไม่ส่งรายการใดอีก หลังสอบถามธนาคารถึงรายการที่ส่งแล้ว: {what}',
  ],
  'decision-effect.resume-payer': [
    'Sends what waits on this account: {what}',
    'ส่งรายการที่รอส่งจากบัญชีนี้: {what}',
  ],
  'decision-effect.halt-payer': [
    'Sends nothing more from this account: {what}',
    'ไม่ส่งรายการใดจากบัญชีนี้อีก: {what}',
  ],
  'decision-effect.accept-break': ['Counts as explained: {what}', 'ถือว่าผลต่างนี้มีคำอธิบายแล้ว: {what}'],
  'decision-effect.accept-statement': [
    'Takes the place of the version before: {what}',
    'ใช้แทนฉบับก่อนหน้า: {what}',
  ],
  'decision-effect.adopt-statement': [
    'Reconciles the day with this file: {what}',
    'กระทบยอดวันนั้นด้วยไฟล์นี้: {what}',
  ],

  // ---------------------------------------------------------------- effects on a registration; {what} is the target: "REG-1, account ••5678"

  'registration-effect.go-on': [
    'Lifts the holds, and the next run sends {what}',
    'ยกเลิกการระงับ และส่งธนาคารในรอบถัดไป: {what}',
  ],
  'registration-effect.cancel': [
    'Never sends {what}; the registrationId stays taken until it is released',
    'ไม่ส่ง {what} และเลขที่ลงทะเบียนยังใช้ซ้ำไม่ได้จนกว่าจะปลด',
  ],
  'registration-effect.release': [
    'Lets another file register under the same registrationId: {what}',
    'ไฟล์อื่นใช้เลขที่ลงทะเบียนเดิมได้: {what}',
  ],
  'registration-effect.retry': ['Sends {what} once more, as a new request', 'ส่งลงทะเบียนใหม่หนึ่งครั้ง: {what}'],
  'registration-effect.retry-corrected': [
    'Sends it once with the new account; it was {what}',
    'ส่งลงทะเบียนหนึ่งครั้งด้วยเลขที่บัญชีใหม่ ข้อมูลเดิม: {what}',
  ],
  'registration-effect.confirm-failed': [
    'Counts {what} as failed, by your evidence; it may then be registered again',
    'ถือว่าลงทะเบียนไม่สำเร็จ ตามหลักฐานของผู้ทำรายการ และส่งลงทะเบียนใหม่ได้: {what}',
  ],

  // ---- what a decision does

  'decision-outcome.go-on': ['lifts its holds: it is paid by the next run', 'ยกเลิกการระงับ และส่งจ่ายในรอบถัดไป'],
  'decision-outcome.cancel': [
    'it is never sent, and keeps its number until that is released',
    'ไม่ส่งจ่าย และเลขที่รายการจ่ายยังใช้ซ้ำไม่ได้จนกว่าจะปลด',
  ],
  'decision-outcome.release': [
    'another file may pay under its payoutId from then on',
    'ไฟล์อื่นใช้เลขที่รายการจ่ายนี้ได้',
  ],
  'decision-outcome.retry': [
    'it gets its next attempt, after the bank was asked about those before',
    'ส่งจ่ายใหม่หนึ่งครั้ง หลังสอบถามธนาคารถึงผลการโอนครั้งก่อนแล้ว',
  ],
  'decision-outcome.retry-corrected': [
    'it gets its next attempt with the new payee or amount',
    'ส่งจ่ายใหม่ด้วยผู้รับเงินหรือจำนวนเงินที่แก้ไข',
  ],
  'decision-outcome.confirm-paid': ['it counts as paid, by your proof', 'ถือว่าจ่ายสำเร็จ ตามหลักฐานของผู้ทำรายการ'],
  'decision-outcome.confirm-failed': [
    'it counts as failed, by your proof, and may be paid again',
    'ถือว่าจ่ายไม่สำเร็จ ตามหลักฐานของผู้ทำรายการ และส่งจ่ายใหม่ได้',
  ],
  'decision-outcome.confirm-registered': [
    'it counts as registered, by your proof',
    'ถือว่าลงทะเบียนสำเร็จ ตามหลักฐานของผู้ทำรายการ',
  ],
  'decision-outcome.confirm-refused': [
    'it counts as refused, by your proof, and may be registered again',
    'ถือว่าธนาคารปฏิเสธ ตามหลักฐานของผู้ทำรายการ และส่งลงทะเบียนใหม่ได้',
  ],
  'decision-outcome.acknowledge': [
    'it leaves the queue, and an alarm ends; nothing else changes',
    'นำออกจากรายการรอดำเนินการและปิดการแจ้งเตือน โดยไม่เปลี่ยนแปลงข้อมูลอื่น',
  ],
  'decision-outcome.approve-batch': ['its rows are paid as they were sealed', 'จ่ายทุกรายการตามข้อมูลที่ล็อกไว้'],
  'decision-outcome.resume-batch': ['what waits of it is sent', 'ส่งรายการที่รอส่งในชุดนี้'],
  'decision-outcome.cancel-batch': [
    'nothing more of it is sent; the bank is asked about what was',
    'ไม่ส่งรายการใดอีก และสอบถามธนาคารถึงรายการที่ส่งแล้ว',
  ],
  'decision-outcome.resume-payer': ['what waits on this account is sent', 'ส่งรายการที่รอส่งจากบัญชีนี้'],
  'decision-outcome.halt-payer': ['nothing more is sent from this account', 'ไม่ส่งรายการใดจากบัญชีนี้อีก'],
  'decision-outcome.accept-break': ['it counts as explained', 'ถือว่าผลต่างนี้มีคำอธิบายแล้ว'],
  'decision-outcome.accept-statement': [
    'it takes the place of the version before, though it has fewer lines',
    'ใช้แทนฉบับก่อนหน้า แม้มีจำนวนบรรทัดน้อยกว่า',
  ],
  'decision-outcome.adopt-statement': ['the day is reconciled with this file', 'กระทบยอดวันนั้นด้วยไฟล์นี้'],

  'registration-outcome.go-on': [
    'lifts its holds: it is sent to the bank by the next run',
    'ยกเลิกการระงับ และส่งธนาคารในรอบถัดไป',
  ],
  'registration-outcome.cancel': [
    'it is never sent, and keeps its number until that is released',
    'ไม่ส่ง และเลขที่ลงทะเบียนยังใช้ซ้ำไม่ได้จนกว่าจะปลด',
  ],
  'registration-outcome.release': [
    'another file may register under its registrationId from then on',
    'ไฟล์อื่นใช้เลขที่ลงทะเบียนนี้ได้',
  ],
  'registration-outcome.retry': [
    'it is sent to the bank once more, as a new request',
    'ส่งธนาคารอีกหนึ่งครั้ง เป็นคำขอใหม่',
  ],
  'registration-outcome.retry-corrected': [
    'it is sent to the bank with the new account, as a new request',
    'ส่งธนาคารด้วยเลขที่บัญชีใหม่ เป็นคำขอใหม่',
  ],
  'registration-outcome.confirm-failed': [
    'it counts as failed, by your proof, and may be registered again',
    'ถือว่าลงทะเบียนไม่สำเร็จ ตามหลักฐานของผู้ทำรายการ และส่งลงทะเบียนใหม่ได้',
  ],
});
