/** Reasons why something about a registration is not possible. */

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

/** Issues of a file's rows, or why they wait. */
const filePairs: readonly Pair[] = [
  [
    'registrationId is empty: give every registration a name of its own',
    'ไม่มี registrationId ให้ใส่ชื่อเฉพาะของทุกรายการ',
  ],
  [
    'customerId is empty: say whose account it is, by your own number of the customer',
    'ไม่มี customerId ให้ระบุว่าเป็นบัญชีของลูกค้ารายใด ด้วยเลขลูกค้าของคุณ',
  ],
  [
    '{column} is empty: give it, or set registration.{column2} for all rows',
    'ไม่มี {column} ให้ใส่ค่า หรือตั้ง registration.{column2} สำหรับทุกแถว',
  ],
  ['a space stands inside: remove it', 'มีช่องว่างอยู่ข้างใน ให้ลบออก'],
  ['accountNo is empty: give the account to be debited', 'ไม่มี accountNo ให้ใส่เลขที่บัญชีที่จะหัก'],
  [
    '{count} digits: an account number has at most {max}, digits are too many',
    'มี {count} หลัก เลขที่บัญชีมีไม่เกิน {max} หลัก',
  ],
  [
    '{count} digits: an account number has {min} or more; a leading zero is gone, as when a spreadsheet takes it for a number, or digits are missing: format the column as text and write it again',
    'มี {count} หลัก เลขที่บัญชีมีอย่างน้อย {min} หลัก เลขศูนย์นำหน้าอาจหายไปในโปรแกรมตาราง หรือตัวเลขไม่ครบ ให้ตั้งคอลัมน์เป็นข้อความแล้วเขียนใหม่',
  ],
  [
    'a later row has the same registrationId and other cells: all such rows are rejected, give each registration a registrationId of its own',
    'มีแถวถัดไปที่ใช้ registrationId เดียวกันแต่ข้อมูลต่างกัน จึงไม่รับทุกแถวเหล่านี้ ให้ใช้ registrationId คนละเลข',
  ],
  [
    'this registrationId is already taken by row {row} of batch {batch}, which is {state}: {why}',
    'registrationId นี้ใช้แล้วในแถวที่ {row} ของชุด {batch} ซึ่งมีสถานะ {state} {why}',
  ],
  [
    'do not register it again; another registration gets another registrationId',
    'ห้ามลงทะเบียนซ้ำ ถ้าเป็นคนละรายการให้ใช้ registrationId อื่น',
  ],
  [
    'do not send it twice; it goes on or ends there, and another registration gets another registrationId',
    'ห้ามส่งซ้ำ ให้ดำเนินการที่รายการนั้นจนสิ้นสุด ถ้าเป็นคนละรายการให้ใช้ registrationId อื่น',
  ],
  [
    'a person has cancelled it, and it keeps its registrationId until it is released; else send it under another one',
    'มีผู้ยกเลิกแล้ว และยังถือ registrationId นี้อยู่จนกว่าจะปลดเลข มิฉะนั้นให้ส่งด้วย registrationId อื่น',
  ],
  [
    'company code, company ID, account and references are those of {why}, which has not ended: a callback could not tell the two apart; give it another reference, or send it when the other has ended',
    'บริษัท บัญชี และเลขอ้างอิงเหมือนกับ{why} ซึ่งยังไม่สิ้นสุด จึงแยกไม่ได้ว่าการแจ้งผลเป็นของรายการใด ให้ใช้เลขอ้างอิงอื่น หรือส่งเมื่อรายการนั้นสิ้นสุดแล้ว',
  ],
  [
    'differs from {why} only in case, leading zeros, decimals of zeros, punctuation or blanks: let it go on if both are meant, else cancel it',
    'ต่างจาก{why} เพียงตัวพิมพ์ใหญ่เล็ก เลขศูนย์นำหน้า ทศนิยมที่เป็นศูนย์ เครื่องหมาย หรือช่องว่าง ถ้าตั้งใจทั้งสองรายการให้ดำเนินการต่อ มิฉะนั้นให้ยกเลิก',
  ],
  [
    'the bank has called such a registration {state} before, for {why}: let it go on if it is to be registered nevertheless, else cancel it',
    'ธนาคารเคยแจ้งผลว่า {state} สำหรับ{why} ถ้ายังต้องการลงทะเบียนให้ดำเนินการต่อ มิฉะนั้นให้ยกเลิก',
  ],
  [
    'this row repeats line {row} (row {row2}) in every cell: only that one counts, remove the repeat',
    'แถวนี้ซ้ำกับบรรทัดที่ {row} (แถวที่ {row2}) ทุกช่อง ระบบนับแถวนั้นเท่านั้น ให้ลบแถวที่ซ้ำ',
  ],
  ['row {row} of this file', 'แถวที่ {row} ของไฟล์นี้'],
  ['that of row {row} of this file', 'แถวที่ {row} ของไฟล์นี้'],
  ['that of a later row of this file', 'แถวถัดไปในไฟล์นี้'],
  ['registrationId {id} (row {row} of batch {batch})', 'registrationId {id} (แถวที่ {row} ของชุด {batch})'],
  ['no registration that is known here', 'รายการที่ระบบนี้ไม่รู้จัก'],
];

/** Why a decision about a registration is not possible, or a row waits; `{state}` is one of its statuses. */
export const registrationWhyPairs: readonly Pair[] = [
  ...filePairs,
  [
    'it is {state}, and its registrationId is free: a new file may use it',
    'สถานะคือ {state} และเลขที่ลงทะเบียนว่างแล้ว ใช้ในไฟล์ใหม่ได้',
  ],
  [
    'it is {state}: only the registrationId of what was cancelled can be released',
    'สถานะคือ {state} ปลดเลขที่ลงทะเบียนได้เฉพาะรายการที่ยกเลิกแล้ว',
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
