/** Words about direct-debit registrations. */
import type { Words } from '../../review/web/words/pair.ts';

export const registrationWords = {
  registration: ['Registration', 'การลงทะเบียน'],
  registrationsHint: [
    'Direct-debit registrations, the latest first. The bank tells how each ended by a callback.',
    'การลงทะเบียนหักบัญชี เรียงจากรายการล่าสุด ธนาคารจะแจ้งผลแต่ละรายการกลับมา',
  ],
  registrationSearchHint: [
    'registrationId, reference, request, customer, account or its last four digits',
    'เลขที่ลงทะเบียน เลขอ้างอิง เลขที่คำขอ ลูกค้า เลขที่บัญชีหรือเลขท้ายสี่ตัว',
  ],
  needsPersonOnly: ['Needs a person', 'รอดำเนินการ'],
  noRegistrations: ['No registration yet', 'ยังไม่มีการลงทะเบียน'],
  registrationBatches: ['Files', 'ไฟล์'],
  registrationBatch: ['File of registrations', 'ไฟล์ลงทะเบียน'],
  goneBatch: ['There is no such file', 'ไม่พบไฟล์นี้'],
  registrationRows: ['Registrations', 'รายการลงทะเบียน'],
  account: ['Account', 'เลขที่บัญชี'],
  customer: ['Customer', 'ลูกค้า'],
  company: ['Company', 'บริษัท'],
  vendor: ['Vendor', 'ผู้ให้บริการ'],
  requestUid: ['Request', 'เลขที่คำขอ'],
  bankAnswer: ["The bank's answer", 'คำตอบของธนาคาร'],
  callbackWord: ['Callback', 'การแจ้งผล'],
  callbackKept: ['The bank called back', 'ธนาคารแจ้งผล'],
  callbackRepeats: ['Told again', 'แจ้งซ้ำ'],
  callbackFrom: ['From', 'จากที่อยู่'],
  callbackTime: ['Time at the bank', 'เวลาที่ธนาคาร'],
  awaitedUntil: ['Awaited until', 'รอผลถึง'],
  customerRevealed: ['You see whole numbers. That is recorded.', 'คุณกำลังดูเลขเต็ม ระบบบันทึกการดูนี้แล้ว'],
  goneRegistration: ['There is no such registration', 'ไม่พบการลงทะเบียนนี้'],
  requestNo: ['Request no.', 'คำขอครั้งที่'],
  wholeRegistrationBatch: ['the file of registrations', 'ไฟล์ลงทะเบียน'],
  registrationsForPerson: ['Registrations that need a person', 'การลงทะเบียนที่รอดำเนินการ'],
  registrationsAwaited: [
    'Registrations with the bank: its callback is awaited',
    'การลงทะเบียนที่ธนาคารกำลังดำเนินการ รอแจ้งผล',
  ],
  directDebitHalted: ['Sending of registrations is halted', 'หยุดส่งการลงทะเบียน'],
  directDebitPaused: ['Sending of registrations is paused until', 'พักส่งการลงทะเบียนถึง'],
} as const satisfies Words;
