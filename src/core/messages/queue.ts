/** Why an item of the queue waits for a person, and what that person does. */
import { wordings } from './wording.ts';

/** Thai and the page's English for each refused file. */
const handInAgain = [
  'ยังไม่มีการรับไฟล์นี้เข้าระบบ ให้แก้ไขแล้วส่งอีกครั้งด้วยชื่อเดิม หรือรับทราบ',
  'Nothing of it was taken in. Correct it and hand it in again under the same name, or acknowledge it',
] as const;

export const queueWordings = wordings({
  'queue.it-is': ['it is {status}', 'สถานะคือ {status}'],
  // ---------------------------------------------------------------- days, files
  'queue.day-without-statement': [
    'payouts were sent on this day, and the bank has given no statement of it that could be used',
    'มีการส่งรายการในวันนี้ แต่ยังไม่ได้รับรายการเดินบัญชีที่ใช้ได้จากธนาคาร',
  ],
  'queue.ask-for-statement': [
    'Ask the bank for it; then "paydrop reconcile --date {day}", or "paydrop accept {day} --file FILE" with one that it has sent; acknowledge it if none will ever come',
    'ขอรายการเดินบัญชีจากธนาคาร แล้วเลือก "ดึงรายการเดินบัญชี" หากธนาคารจะไม่ส่งรายการเดินบัญชีของวันนี้ ให้รับทราบ',
    'Ask the bank for it, then fetch it; acknowledge the day if none will ever come',
  ],
  'queue.run-payouts-again': [
    'Nothing of it was paid: correct it and run it again, under the same name, or acknowledge it if it is no longer needed',
    ...handInAgain,
  ],
  'queue.drop-payouts-again': [
    'Nothing of it was paid: correct it as its .reason.txt says and drop it again, or acknowledge it if it is no longer needed',
    ...handInAgain,
  ],
  'queue.run-registrations-again': [
    'Nothing of it was registered: correct it and register it again, under the same name, or acknowledge it if it is no longer needed',
    ...handInAgain,
  ],
  'queue.drop-registrations-again': [
    'Nothing of it was registered: correct it as its .reason.txt says and drop it again, or acknowledge it if it is no longer needed',
    ...handInAgain,
  ],

  // ---------------------------------------------------------------- batches
  'queue.rows-held': ['{rows} of its rows are held together', 'ระงับไว้พร้อมกัน {rows} รายการ'],
  'queue.rows-await-approval': ['rows of it wait for approval', 'มีรายการที่รออนุมัติ'],
  'queue.none-behind': ['nothing waits for it alone', 'ไม่มีรายการที่รอเพราะเหตุนี้'],
  'queue.propose-to-pay': ['Propose to pay it', 'เสนอจ่ายชุดนี้'],
  'queue.approve-batch': [
    'Look at it ("paydrop status {batch}"), then "paydrop approve --batch {batch}"',
    'ตรวจสอบตัวเลข แล้วเสนอจ่ายไฟล์นี้ จะไม่มีการจ่ายก่อนผู้อนุมัติอนุมัติ',
    'Look at the figures, then propose to pay the file. Nothing is paid before a checker approves it',
  ],
  'queue.look-at-holds': [
    'Look at what holds them ("paydrop status {batch}"); "paydrop resume {batch}" lets them go on, "paydrop cancel {batch}" ends them',
    'ตรวจสอบสาเหตุที่ระงับ แล้วเลือก "จ่ายชุดนี้ต่อ" หรือ "ยกเลิกการจ่ายทั้งชุด"',
    'Look at what holds them; "Resume the batch" lets them go on, "Cancel the batch" ends them',
  ],
  'queue.transfers-in-doubt': [
    'the bank has not yet said what became of {transfers}',
    'ธนาคารยังไม่แจ้งผลของ{transfers}',
  ],

  // ---------------------------------------------------------------- proposals, files of decisions, callbacks
  'queue.proposed': ['{person} has proposed it: {note}', '{person} เสนอไว้: {note}'],
  'queue.check-proposal': [
    'Another person looks at it ("paydrop proposals {proposal}"), then "paydrop approve {proposal}": {effect}',
    'ให้ผู้อนุมัติอีกคนตรวจสอบ แล้วอนุมัติหรือส่งกลับ: {effect}',
    'Another person looks at it, and approves it or sends it back: {effect}',
  ],
  'queue.decisions-dropped': [
    'a file with decisions was dropped, and no maker has confirmed them',
    'มีการวางไฟล์การตัดสินใจ ซึ่งยังไม่มีผู้ทำรายการยืนยัน',
  ],
  'queue.decisions-dropped-asking': [
    'a file with decisions was dropped, and no maker has confirmed them: {asks}',
    'มีการวางไฟล์การตัดสินใจ ซึ่งยังไม่มีผู้ทำรายการยืนยัน: {asks}',
  ],
  'queue.confirm-decisions': [
    'A maker looks at it and confirms it ("paydrop decide --dropped NAME"), or throws it away (--discard)',
    'ให้ผู้ทำรายการตรวจสอบ แล้วเสนออนุมัติตามไฟล์หรือลบไฟล์',
    'A maker looks at it and proposes its decisions, or discards it',
  ],
  'queue.unknown-callback': [
    'the bank has called back about a registration that this journal has not sent',
    'ธนาคารแจ้งผลการลงทะเบียนที่ระบบนี้ไม่ได้ส่ง',
  ],
  'queue.explain-callback': [
    'Find out whether it was made by other means or by another program. A file with it is held until a person decides; acknowledge it once it is explained',
    'ตรวจสอบว่ามีการลงทะเบียนด้วยวิธีอื่นหรือโปรแกรมอื่นหรือไม่ ไฟล์ที่มีรายการนี้จะถูกระงับไว้จนกว่าจะมีผู้ตัดสินใจ เมื่อทราบที่มาแล้วให้รับทราบ',
  ],
});
