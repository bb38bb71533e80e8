/** Words of the form of a decision. */
import type { Decision, RegistrationDecision } from '../../rules/terms.ts';
import type { Pair, Words } from './pair.ts';

export const decideWords = {
  decideOn: ['Decide', 'ตัดสินใจ'],
  decideOnChosen: ['Decide on the selected', 'ตัดสินใจรายการที่เลือก'],
  choose: ['Select', 'เลือก'],
  decideOnAll: ['Decide on all that match', 'ตัดสินใจทุกรายการที่ตรงเงื่อนไข'],
  selected: ['selected', 'รายการที่เลือก'],
  onePayout: ['payout', 'รายการ'],
  manyPayouts: ['payouts', 'รายการ'],
  oneRegistration: ['registration', 'รายการลงทะเบียน'],
  registrationHead: ['Registration', 'การลงทะเบียน'],
  accountHead: ['Account', 'เลขที่บัญชี'],
  oneRegistrationFile: ['file of registrations', 'ไฟล์ลงทะเบียน'],
  manyRegistrationFiles: ['files of registrations', 'ไฟล์ลงทะเบียน'],
  manyRegistrations: ['registrations', 'รายการลงทะเบียน'],
  together: ['together', 'รวม'],
  frozen: [
    'This list is frozen: what matches later does not join it, and what has changed is refused.',
    'รายการชุดนี้ถูกตรึงไว้แล้ว รายการที่ตรงเงื่อนไขภายหลังจะไม่ถูกรวม และรายการที่เปลี่ยนไปจะไม่ถูกดำเนินการ',
  ],
  andMore: ['and more:', 'และอีก'],
  possibleFor: ['possible for', 'ทำได้'],
  of: ['of', 'จาก'],
  leftOutOfList: ['Left out, because it is not possible for them', 'ไม่รวม เพราะทำไม่ได้'],
  whyNote: ['Why', 'เหตุผล'],
  whyHint: [
    'The checker reads this, and so does anyone who asks in later years',
    'ผู้อนุมัติและผู้ตรวจสอบในภายหลังจะอ่านเหตุผลนี้',
  ],
  evidenceHint: [
    'Where the proof stands: a letter, a call, its date and number',
    'หลักฐานอยู่ที่ใด เช่น หนังสือ บันทึกการโทร วันที่ และเลขที่',
  ],
  evidenceFile: ['The proof as a file', 'ไฟล์หลักฐาน'],
  evidenceFileHint: [
    'In addition or instead: any kind of file, up to 16 MiB. It is kept permanently, and approvers can open it',
    'แนบเพิ่มหรือแทนข้อความได้ ทุกชนิดไฟล์ ไม่เกิน 16 MiB ระบบจะเก็บไว้ถาวร และผู้อนุมัติเปิดดูได้',
  ],
  evidenceEmpty: ['This file is empty: it proves nothing', 'ไฟล์นี้ว่างเปล่า ใช้เป็นหลักฐานไม่ได้'],
  evidenceTooLarge: ['This file has more than 16 MiB, or broke off', 'ไฟล์นี้ใหญ่เกิน 16 MiB หรือส่งมาไม่ครบ'],
  evidenceGone: [
    'This file is gone, or is not what was kept: an admin runs paydrop audit',
    'ไฟล์นี้หายไปหรือไม่ตรงกับที่เก็บไว้ ให้ผู้ดูแลระบบรัน paydrop audit',
  ],
  openEvidence: ['Download it', 'ดาวน์โหลด'],
  newNumber: ['Right payee number', 'เลขผู้รับเงินที่ถูกต้อง'],
  newAmount: ['Right amount (baht)', 'จำนวนเงินที่ถูกต้อง (บาท)'],
  leaveEmpty: ['Leave empty what stays', 'เว้นว่างหากไม่เปลี่ยน'],
  effect: ['What follows', 'ผลที่จะเกิดขึ้น'],
  afterApproval: ['after another person approves', 'หลังจากผู้อนุมัติอีกคนอนุมัติ'],
  atOnce: ['at once', 'ทันที'],
  propose: ['Propose', 'เสนออนุมัติ'],
  applyNow: ['Apply', 'ดำเนินการ'],
  notDone: ['Back without deciding', 'กลับโดยไม่ตัดสินใจ'],
  missingWhy: ['Say why it is decided so', 'กรุณาระบุเหตุผล'],
  missingEvidence: ['Say where the proof stands', 'กรุณาระบุหลักฐาน'],
  newAccount: ['Right account number', 'เลขที่บัญชีที่ถูกต้อง'],
  missingAccount: ['Give the right account number', 'กรุณาระบุเลขที่บัญชีที่ถูกต้อง'],
  missingCorrection: [
    'Give the right payee number, or the right amount',
    'กรุณาระบุเลขผู้รับเงินหรือจำนวนเงินที่ถูกต้อง',
  ],
  changedSince: ['Changed since you opened it', 'รายการนี้เปลี่ยนไปหลังจากที่คุณเปิดดู'],
  nothingDecided: ['Nothing was decided', 'ยังไม่มีการตัดสินใจใด ๆ'],
  leaveOut: ['Leave these out and go on', 'ตัดรายการเหล่านี้ออกแล้วดำเนินการต่อ'],
  noneChosen: ['Choose at least one payout', 'กรุณาเลือกอย่างน้อยหนึ่งรายการ'],
  tooManyChosen: [
    'Too many match to be decided at once: narrow the search down to',
    'รายการที่ตรงเงื่อนไขมีมากเกินไป กรุณากรองให้เหลือไม่เกิน',
  ],
  listGone: ['This list is no longer kept.', 'ไม่มีรายการชุดนี้แล้ว'],
  listOld: ['This list was kept for an hour, which is over.', 'รายการชุดนี้เก็บไว้หนึ่งชั่วโมงและหมดเวลาแล้ว'],
  listOfBefore: [
    'This list is gone: the page was started again since it was made, and keeps lists only while it runs.',
    'รายการชุดนี้หายไปแล้ว เพราะระบบหน้านี้ถูกเริ่มใหม่หลังจากสร้างรายการ และเก็บรายการไว้เฉพาะขณะทำงาน',
  ],
  listReplaced: [
    'This list is gone: you have frozen five newer ones since.',
    'รายการชุดนี้หายไปแล้ว เพราะคุณตรึงรายการใหม่กว่าไว้ห้าชุด',
  ],
  chooseAgain: [
    'Nothing was decided by it: choose again in the queue.',
    'ยังไม่มีการตัดสินใจจากรายการนี้ กรุณาเลือกใหม่จากคิว',
  ],
  wholeBatch: ['the batch', 'ชุดจ่ายเงิน'],
  nowIt: ['Look at it as it is now', 'ดูข้อมูลปัจจุบัน'],
} as const satisfies Words;

/** The effect of each decision; `{}` stands for the target: "12,500.00 baht to ••5678". */
export const effectWords: Readonly<Record<Decision, Pair>> = {
  'go-on': ['Lifts the holds, and the next run pays {}', 'ยกเลิกการระงับ และรอบจ่ายถัดไปจะจ่าย {}'],
  cancel: [
    'Never sends {}; the payoutId stays taken until it is released',
    'จะไม่ส่งจ่าย {} และเลขที่รายการยังใช้ซ้ำไม่ได้จนกว่าจะปลด',
  ],
  release: ['Lets another file pay under the same payoutId: {}', 'ให้ไฟล์อื่นใช้เลขที่รายการเดิมจ่ายได้: {}'],
  retry: [
    'Pays {} once with a new transfer, when the bank was asked about those before',
    'ส่งจ่าย {} ใหม่หนึ่งครั้ง เมื่อสอบถามธนาคารเรื่องการโอนก่อนหน้าแล้ว',
  ],
  'retry-corrected': [
    'Pays once as corrected, when the bank was asked about transfers before; it was {}',
    'ส่งจ่ายหนึ่งครั้งตามที่แก้ไข เมื่อสอบถามธนาคารเรื่องการโอนก่อนหน้าแล้ว เดิมคือ {}',
  ],
  'confirm-paid': ['Counts {} as paid, by your evidence', 'ถือว่าจ่าย {} สำเร็จแล้ว ตามหลักฐานของคุณ'],
  'confirm-failed': [
    'Counts {} as failed, by your evidence; it may then be paid again',
    'ถือว่าจ่าย {} ไม่สำเร็จ ตามหลักฐานของคุณ และส่งจ่ายใหม่ได้',
  ],
  'confirm-registered': [
    'Counts {} as registered, by your evidence',
    'ถือว่าลงทะเบียน {} สำเร็จแล้ว ตามหลักฐานของคุณ',
  ],
  'confirm-refused': [
    'Counts {} as refused, by your evidence; it may then be registered again',
    'ถือว่าธนาคารปฏิเสธ {} ตามหลักฐานของคุณ และส่งลงทะเบียนใหม่ได้',
  ],
  acknowledge: [
    'Takes {} out of the queue, and ends an alarm; nothing else changes',
    'นำ {} ออกจากคิวและปิดการแจ้งเตือน โดยไม่เปลี่ยนแปลงอย่างอื่น',
  ],
  'approve-batch': [
    'Pays exactly the rows that wait, as they were sealed: {}',
    'จ่ายเฉพาะแถวที่รออนุมัติ ตามที่ปิดผนึกไว้: {}',
  ],
  'resume-batch': ['Sends what waits: {}', 'ส่งจ่ายรายการที่รออยู่: {}'],
  'cancel-batch': [
    'Sends nothing more, once the bank was asked about what was sent: {}',
    'จะไม่ส่งจ่ายอีก หลังสอบถามธนาคารถึงรายการที่ส่งแล้ว: {}',
  ],
  'resume-payer': ['Sends what waits on this account: {}', 'ส่งจ่ายรายการที่รออยู่ของบัญชีนี้: {}'],
  'halt-payer': ['Sends nothing more from this account: {}', 'หยุดส่งจ่ายจากบัญชีนี้: {}'],
  'accept-break': ['Counts as explained: {}', 'ถือว่าอธิบายได้แล้ว: {}'],
  'accept-statement': ['Takes the place of the version before: {}', 'ใช้แทนฉบับก่อนหน้า: {}'],
  'adopt-statement': ['Reconciles the day with this file: {}', 'กระทบยอดวันนั้นด้วยไฟล์นี้: {}'],
};

/** The effect of each decision on a registration; `{}` stands for the target: "REG-1, account ••5678". */
export const registrationEffectWords: Readonly<Record<RegistrationDecision, Pair>> = {
  'go-on': ['Lifts the holds, and the next run sends {}', 'ยกเลิกการระงับ และรอบถัดไปจะส่ง {}'],
  cancel: [
    'Never sends {}; the registrationId stays taken until it is released',
    'จะไม่ส่ง {} และเลขที่ลงทะเบียนยังใช้ซ้ำไม่ได้จนกว่าจะปลด',
  ],
  release: ['Lets another file register under the same registrationId: {}', 'ให้ไฟล์อื่นใช้เลขที่ลงทะเบียนเดิมได้: {}'],
  retry: ['Sends {} once more, as a new request', 'ส่งลงทะเบียน {} ใหม่หนึ่งครั้ง'],
  'retry-corrected': ['Sends it once with the new account; it was {}', 'ส่งลงทะเบียนหนึ่งครั้งด้วยบัญชีใหม่ เดิมคือ {}'],
  'confirm-registered': effectWords['confirm-registered'],
  'confirm-refused': effectWords['confirm-refused'],
  'confirm-failed': [
    'Counts {} as failed, by your evidence; it may then be registered again',
    'ถือว่าลงทะเบียน {} ไม่สำเร็จ ตามหลักฐานของคุณ และส่งใหม่ได้',
  ],
  acknowledge: effectWords.acknowledge,
};
