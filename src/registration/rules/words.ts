/** States and events of a registration in English and Thai, and reasons why something about it is not possible. */
import type { RegistrationCause, RegistrationStatus } from './registration.ts';

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

export const registrationStatusWords: Readonly<Record<RegistrationStatus, Pair>> = {
  staged: ['Being read', 'กำลังอ่านไฟล์'],
  rejected: ['Rejected', 'ไม่รับเข้าระบบ'],
  ready: ['Ready', 'พร้อมส่ง'],
  held: ['Held', 'ระงับไว้'],
  cancelled: ['Cancelled', 'ยกเลิกแล้ว'],
  submitted: ['Submitted', 'กำลังส่งธนาคาร'],
  'in-doubt': ['In doubt', 'ยังไม่ทราบผล'],
  acknowledged: ['With the bank', 'ธนาคารรับเรื่องแล้ว'],
  unanswered: ['Unanswered', 'ธนาคารไม่แจ้งผล'],
  registered: ['Registered', 'ลงทะเบียนสำเร็จ'],
  refused: ['Refused', 'ธนาคารปฏิเสธ'],
  failed: ['Failed', 'ลงทะเบียนไม่สำเร็จ'],
  contradicted: ['Contradicted', 'ผลขัดแย้งกัน'],
};

export const registrationCauseWords: Readonly<Record<RegistrationCause, Pair>> = {
  sealed: ['The whole file was read and sealed', 'อ่านไฟล์ครบและปิดผนึกแล้ว'],
  'hold-added': ['Held', 'ระงับไว้'],
  'hold-lifted': ['A hold was lifted', 'ยกเลิกการระงับ'],
  cancelled: ['Cancelled', 'ยกเลิกรายการ'],
  'intent-recorded': ['Recorded, and then sent to the bank', 'บันทึกแล้วจึงส่งให้ธนาคาร'],
  'request-renewed': [
    'Refused for its access token: recorded, and then sent again with a new one',
    'ธนาคารไม่รับโทเค็น จึงบันทึกแล้วส่งอีกครั้งด้วยโทเค็นใหม่',
  ],
  acknowledged: ['The bank works on it, and will call back', 'ธนาคารรับเรื่องแล้ว และจะแจ้งผลกลับ'],
  'outcome-in-doubt': ["No clear answer: the bank's callback is awaited", 'ไม่มีคำตอบชัดเจน จึงรอธนาคารแจ้งผล'],
  'turned-down': ['The bank has turned the request down', 'ธนาคารไม่รับคำขอ'],
  'turned-down-for-all': [
    'Turned down for the company or the service: it is as if it had not been sent',
    'ถูกปฏิเสธทั้งบริษัทหรือทั้งระบบ ถือว่ายังไม่ได้ส่ง',
  ],
  'answered-late': ['The answer came after the callback', 'คำตอบมาถึงหลังการแจ้งผล'],
  'called-back': ['The bank has told its outcome', 'ธนาคารแจ้งผลแล้ว'],
  'time-passed': ['The bank has not called back in time', 'ธนาคารไม่แจ้งผลภายในเวลาที่กำหนด'],
  'called-back-after-all': [
    'The bank tells of it after all: an alarm',
    'ปรากฏว่าธนาคารแจ้งผลรายการนี้: แจ้งเตือนสำคัญ',
  ],
  contradicted: ['The bank contradicts what it has told: an alarm', 'ธนาคารแจ้งผลขัดแย้งกับที่เคยแจ้ง: แจ้งเตือนสำคัญ'],
  decided: ['Its outcome was confirmed by people', 'ผู้มีอำนาจยืนยันผล'],
  'tried-again': ['To be registered again', 'ให้ส่งลงทะเบียนใหม่'],
  released: ['Its registrationId was released', 'ปลดเลขที่ลงทะเบียนให้ใช้ใหม่'],
  'acknowledged-by-person': ['Acknowledged by a person', 'รับทราบแล้ว'],
};

/** Why a decision about a registration is not possible, or a row waits; `{state}` is one of its statuses. */
export const registrationWhyPairs: readonly Pair[] = [
  [
    'it is {state}, and its registrationId is free: a new file may use it',
    'สถานะคือ {state} และเลขที่ลงทะเบียนว่างแล้ว ใช้ในไฟล์ใหม่ได้',
  ],
  [
    'it is {state}: only the registrationId of what was cancelled can be released',
    'สถานะคือ {state} ปลดเลขที่ลงทะเบียนได้เฉพาะรายการที่ยกเลิกแล้ว',
  ],
  [
    'Nothing of it was registered: correct it and register it again, under the same name, or acknowledge it if it is no longer needed',
    'ยังไม่มีการลงทะเบียนจากไฟล์นี้ ให้แก้ไขแล้วใช้ register ใหม่ด้วยชื่อเดิม หรือรับทราบเมื่อไม่มีผู้รอแล้ว',
  ],
  [
    'Nothing of it was registered: correct it as its .reason.txt says and drop it again, or acknowledge it if it is no longer needed',
    'ไม่มีการลงทะเบียนจากไฟล์นี้ แก้ไขตามไฟล์ .reason.txt แล้ววางใหม่ ถ้าไม่มีผู้ใดรอแล้วให้รับทราบ',
  ],
  ['its registrationId is held by row {row} of batch {batch}', 'เลขที่ลงทะเบียนนี้เป็นของแถว {row} ในชุด {batch}'],
  [
    'it is {state}, not held: nothing of it waits to go on',
    'สถานะคือ {state} ไม่ได้ถูกระงับ จึงไม่มีอะไรให้ดำเนินการต่อ',
  ],
  [
    'it is {state}: only a registration that was not sent can be cancelled',
    'สถานะคือ {state} ยกเลิกได้เฉพาะการลงทะเบียนที่ยังไม่ได้ส่ง',
  ],
  [
    'it is {state}: the bank may yet tell its outcome, and nothing is sent again until then',
    'สถานะคือ {state} ธนาคารยังอาจแจ้งผล จึงยังส่งใหม่ไม่ได้',
  ],
  [
    'it is {state}: only what failed, was refused, rejected or never answered can be tried again',
    'สถานะคือ {state} ส่งใหม่ได้เฉพาะรายการที่ไม่สำเร็จ ธนาคารปฏิเสธ ไม่รับเข้าระบบ หรือธนาคารไม่แจ้งผล',
  ],
  [
    'it was rejected for what its file holds: send it in a new file',
    'ถูกปฏิเสธเพราะเนื้อหาของไฟล์ กรุณาส่งในไฟล์ใหม่',
  ],
  ['it is still wrong ({text})', 'ข้อมูลยังไม่ถูกต้อง ({text})'],
  [
    "row {row} of batch {batch} has the same account and references and awaits the bank's callback, which could not tell the two apart",
    'แถว {row} ในชุด {batch} มีบัญชีและข้อมูลอ้างอิงเดียวกันและกำลังรอธนาคารแจ้งผล จะแยกไม่ได้ว่าเป็นผลของรายการใด',
  ],
  [
    'row {row} of batch {batch} has the same account and references and waits to be sent: a callback could not tell the two apart',
    'แถว {row} ในชุด {batch} มีบัญชีและข้อมูลอ้างอิงเดียวกันและกำลังรอส่ง จะแยกไม่ได้ว่าเป็นผลของรายการใด',
  ],
  [
    'the bank may yet tell of the account that was sent: confirm first how that ended',
    'ธนาคารยังอาจแจ้งผลของบัญชีที่ส่งไปแล้ว กรุณายืนยันผลของรายการนั้นก่อน',
  ],
  ['it is being sent at this moment: look again', 'กำลังส่งอยู่ในขณะนี้ กรุณาดูใหม่อีกครั้ง'],
  [
    'the bank works on it and will call back: wait, until it is unanswered at the latest',
    'ธนาคารกำลังดำเนินการและจะแจ้งผลกลับ กรุณารอ หากครบเวลาแล้วไม่แจ้งจึงยืนยันผลได้',
  ],
  [
    'the bank has told an outcome: it can be confirmed as registered or as refused',
    'ธนาคารแจ้งผลมาแล้ว ยืนยันได้ว่าลงทะเบียนสำเร็จหรือถูกปฏิเสธ',
  ],
  [
    'it is {state}: only what is in doubt, unanswered or contradicted can be confirmed',
    'สถานะคือ {state} ยืนยันได้เฉพาะรายการที่ยังไม่ทราบผล ธนาคารไม่แจ้งผล หรือผลขัดแย้งกัน',
  ],
  ['it is {state}', 'สถานะคือ {state}'],
  [
    'the bank has called back about a registration that this journal has not sent',
    'ธนาคารแจ้งผลการลงทะเบียนที่ระบบนี้ไม่ได้ส่ง',
  ],
  [
    'Find out whether it was made by other means or by another program. A file with it is held until a person decides; acknowledge it once it is explained',
    'ตรวจสอบว่ามีการลงทะเบียนด้วยวิธีอื่นหรือโปรแกรมอื่นหรือไม่ ไฟล์ที่มีรายการนี้จะถูกระงับจนกว่าจะมีผู้ตรวจ รับทราบเมื่อไม่มีผู้รอแล้ว',
  ],
  [
    'a callback of an unknown registration can be taken note of, and nothing else',
    'การแจ้งผลที่ไม่ทราบรายการรับทราบได้เท่านั้น',
  ],
  [
    'it no longer waits: its registration was found, or it was acknowledged before',
    'ไม่รอแล้ว เพราะพบรายการลงทะเบียนแล้ว หรือมีผู้รับทราบแล้ว',
  ],
  [
    'it is {state}, without an alarm: nothing of it is to be taken note of',
    'สถานะคือ {state} และไม่มีการแจ้งเตือน จึงไม่มีอะไรให้รับทราบ',
  ],
];
