/** Remedies for a registration, cause by cause, in English and in Thai. */
import type { RegistrationHold, RegistrationStatus } from './registration.ts';

/** The texts of one language. */
export interface RegistrationRemedies {
  /** Total: every status and every hold has an answer. */
  readonly statuses: Readonly<Record<RegistrationStatus, string>>;
  readonly holds: Readonly<Record<RegistrationHold, string>>;
  /** Reason for a held row that has none of its own. */
  readonly holdReasons: Readonly<Record<RegistrationHold, string>>;
  /** Rows that no correction of a cell makes right; every other rejected row is corrected as its reason says. */
  readonly rejections: Readonly<Record<Rejection, string>>;
  /** Remedy for a wrong registrationId, which cannot stay the same. */
  readonly rejectedForItsId: string;
  /** Remedy for a row that the bank has reported, though it was believed not to be with the bank. */
  readonly toldAfterAll: string;
  readonly otherAlarm: string;
}

type Rejection = 'registration-id-claimed' | 'same-as-another' | 'duplicate-repeat' | 'duplicate-differs';

/** Commands for one held row, after a look at it. */
const resumeOrCancel = (goesOnIf: string, endsIf: string): string =>
  `"paydrop resume" and its registrationId lets it go on if ${goesOnIf}, "paydrop cancel" and its registrationId ends it if ${endsIf}`;

export const englishRemedies: RegistrationRemedies = {
  statuses: {
    staged: 'The file was not read to its end: register it again',
    ready: 'Not registered yet: register the same file again',
    held: 'Not registered: clear what holds it, then let it go on with "paydrop resume" or stop it with "paydrop cancel"',
    rejected:
      'Nothing was sent: correct the row as the reason says and send it in a new file, under the same registrationId',
    cancelled: 'Nothing to do: a person cancelled it and nothing is sent',
    submitted: 'Do not register it again: it may be with the bank, and its callback tells what became of it',
    'in-doubt':
      'Do not register it again: the bank may have it, and its callback alone tells; see that callbacks get here ' +
      '("paydrop callbacks"), and ask the bank with the requestUID',
    acknowledged:
      'Nothing to do yet: the bank has taken it and calls back; see that callbacks get here ("paydrop callbacks")',
    unanswered:
      'The bank has not called back in time: ask it with the requestUID what became of it; if it has none, ' +
      '"paydrop retry" registers it anew',
    registered: 'Nothing to do',
    refused:
      'The bank has refused it: ask the customer or the bank why, then "paydrop retry" it as it is, or correct it in a new ' +
      'file, under the same registrationId',
    failed:
      'Nothing was registered: remove the cause, then "paydrop retry" it as it is, or correct it in a new file, under the ' +
      'same registrationId',
    contradicted:
      'Rely on neither: the bank has called it registered and refused; debit nothing, and ask the bank with the requestUID ' +
      'which of the two is true; "paydrop confirm" records its answer',
  },
  holds: {
    paused:
      'The service could not take it: it goes on by itself when the pause is over, with a watcher or when the same file is ' +
      'registered again; "paydrop resume" and the batch has it tried at once',
    halted:
      'Registering is halted: remove the cause of the halt, then let the batch go on with "paydrop resume" ' +
      'and its batch id',
    similar: `Another registrationId differs from this one only in case, leading zeros, decimals of zeros, punctuation or blanks: compare the two: ${resumeOrCancel('it is another registration', 'it is the same')}`,
    'called-back': `The bank has told of such a registration before this one was sent: see whether it was made by other means: ${resumeOrCancel('it is to be made all the same', 'it is made')}`,
  },
  holdReasons: {
    paused: 'the service could not take it',
    halted: 'registering is halted',
    similar: 'another registrationId is like it',
    'called-back': 'the bank has told of such a registration before',
  },
  rejections: {
    'registration-id-claimed':
      'Nothing was sent for this row. Do not register it again: the registration that the reason names has its ' +
      'registrationId; "paydrop show" and the registrationId tells what became of it. Only if another one was meant, send it ' +
      'in a new file under another registrationId',
    'same-as-another':
      'Nothing was sent for this row: another one with the same company, account and references is under way, and a callback ' +
      'could not tell the two apart; wait until that one has ended, or give this one other references in a new file',
    'duplicate-repeat':
      'Nothing was sent for this row: the first row with its registrationId stands; do nothing if one registration was meant',
    'duplicate-differs':
      'Nothing was sent: rows of this file share the registrationId and differ; send the right one in a new file under that ' +
      'registrationId, and what is another registration under one of its own',
  },
  rejectedForItsId: 'Nothing was sent: correct the row as the reason says and send it in a new file',
  toldAfterAll:
    'The bank has told how it ended, though it was not believed to be with the bank: see that no other registration was made ' +
    'in its place, and tell the partner',
  otherAlarm: 'The bank contradicts what it had said before: ask it with the requestUID',
};

const goOnOrCancel = (goesOnIf: string, endsIf: string): string =>
  `ถ้า${goesOnIf} ให้เลือก "ดำเนินการต่อ" ถ้า${endsIf} ให้เลือก "ยกเลิกรายการ"`;

export const thaiRemedies: RegistrationRemedies = {
  statuses: {
    staged: 'อ่านไฟล์ไม่จบ ให้วางไฟล์เดิมอีกครั้ง',
    ready: 'ยังไม่ได้ลงทะเบียน ให้วางไฟล์เดิมอีกครั้ง',
    held: 'ยังไม่ได้ลงทะเบียน แก้สาเหตุที่ระงับก่อน แล้วเลือก "ดำเนินการต่อ" หรือ "ยกเลิกรายการ"',
    rejected: 'ยังไม่ได้ส่งธนาคาร แก้ไขรายการตามสาเหตุ แล้วส่งในไฟล์ใหม่โดยใช้ registrationId เดิม',
    cancelled: 'ไม่ต้องดำเนินการ มีผู้ยกเลิกรายการนี้แล้ว และจะไม่มีการส่งธนาคาร',
    submitted: 'ห้ามลงทะเบียนซ้ำ รายการอาจอยู่ที่ธนาคารแล้ว ธนาคารจะแจ้งผลกลับ',
    'in-doubt':
      'ห้ามลงทะเบียนซ้ำ ธนาคารอาจได้รับรายการแล้ว ต้องรอการแจ้งผลจากธนาคาร ตรวจสอบว่าระบบรับการแจ้งผลได้ และสอบถามธนาคารด้วย requestUID',
    acknowledged: 'ยังไม่ต้องดำเนินการ ธนาคารรับคำขอแล้วและจะแจ้งผลกลับ ตรวจสอบว่าระบบรับการแจ้งผลได้',
    unanswered:
      'ธนาคารไม่แจ้งผลภายในเวลาที่กำหนด ให้สอบถามธนาคารด้วย requestUID ถ้าธนาคารไม่มีรายการนี้ ให้ส่งลงทะเบียนใหม่',
    registered: 'ไม่ต้องดำเนินการ',
    refused:
      'ธนาคารปฏิเสธการลงทะเบียน สอบถามลูกค้าหรือธนาคารถึงสาเหตุ แล้วส่งลงทะเบียนใหม่ หรือแก้ไขในไฟล์ใหม่โดยใช้ registrationId เดิม',
    failed: 'ยังไม่ได้ลงทะเบียน แก้สาเหตุก่อน แล้วส่งลงทะเบียนใหม่ หรือแก้ไขในไฟล์ใหม่โดยใช้ registrationId เดิม',
    contradicted:
      'ธนาคารแจ้งผลขัดแย้งกันว่าลงทะเบียนสำเร็จและถูกปฏิเสธ ห้ามหักบัญชี ให้สอบถามธนาคารด้วย requestUID ว่าผลใดถูกต้อง แล้วบันทึกคำตอบ',
  },
  holds: {
    paused: 'บริการของธนาคารยังไม่พร้อม ระบบจะส่งต่อเองเมื่อพ้นเวลาพัก หรือเลือก "ดำเนินการต่อ" ที่ชุดลงทะเบียนเพื่อลองทันที',
    halted: 'หยุดส่งอยู่ แก้สาเหตุที่หยุดก่อน แล้วเลือก "ดำเนินการต่อ" ที่ชุดลงทะเบียน',
    similar: `มี registrationId อื่นที่ต่างกันเพียงตัวพิมพ์ใหญ่เล็ก เลขศูนย์นำหน้า ทศนิยมที่เป็นศูนย์ เครื่องหมาย หรือช่องว่าง ให้เทียบทั้งสองรายการ ${goOnOrCancel('เป็นคนละรายการ', 'เป็นรายการเดียวกัน')}`,
    'called-back': `ธนาคารแจ้งผลของการลงทะเบียนแบบนี้มาก่อนที่รายการนี้จะส่ง ตรวจสอบว่ามีการลงทะเบียนด้วยวิธีอื่นแล้วหรือไม่ ${goOnOrCancel('ยังต้องลงทะเบียน', 'ลงทะเบียนแล้ว')}`,
  },
  holdReasons: {
    paused: 'บริการของธนาคารยังไม่พร้อม',
    halted: 'หยุดส่งอยู่',
    similar: 'มี registrationId อื่นที่คล้ายกัน',
    'called-back': 'ธนาคารเคยแจ้งผลของการลงทะเบียนแบบนี้แล้ว',
  },
  rejections: {
    'registration-id-claimed':
      'ยังไม่ได้ส่งธนาคาร และห้ามลงทะเบียนซ้ำ registrationId นี้เป็นของรายการที่ระบุในสาเหตุ ดูผลของรายการนั้นก่อน ถ้าเป็นคนละรายการ ให้ส่งในไฟล์ใหม่โดยใช้ registrationId อื่น',
    'same-as-another':
      'ยังไม่ได้ส่งธนาคาร มีรายการอื่นที่บริษัท บัญชี และเลขอ้างอิงเหมือนกันกำลังดำเนินการ จึงแยกไม่ได้ว่าการแจ้งผลเป็นของรายการใด รอให้รายการนั้นสิ้นสุดก่อน หรือใช้เลขอ้างอิงอื่นในไฟล์ใหม่',
    'duplicate-repeat': 'ยังไม่ได้ส่งธนาคาร ระบบใช้แถวแรกที่มี registrationId นี้ ถ้าตั้งใจลงทะเบียนครั้งเดียว ไม่ต้องดำเนินการ',
    'duplicate-differs':
      'ยังไม่ได้ส่งธนาคาร หลายแถวในไฟล์ใช้ registrationId เดียวกันแต่ข้อมูลต่างกัน ส่งแถวที่ถูกต้องในไฟล์ใหม่โดยใช้ registrationId นั้น และใช้ registrationId อื่นสำหรับคนละรายการ',
  },
  rejectedForItsId: 'ยังไม่ได้ส่งธนาคาร แก้ไขรายการตามสาเหตุ แล้วส่งในไฟล์ใหม่',
  toldAfterAll: 'ธนาคารแจ้งผลของรายการที่ระบบถือว่าไม่ได้อยู่ที่ธนาคาร ตรวจสอบว่าไม่มีการลงทะเบียนอื่นแทนรายการนี้ และแจ้งคู่ค้า',
  otherAlarm: 'ธนาคารแจ้งผลขัดแย้งกับที่เคยแจ้ง ให้สอบถามธนาคารด้วย requestUID',
};
