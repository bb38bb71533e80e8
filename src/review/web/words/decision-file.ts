/** Words of a file of decisions that was dropped. */
import type { Words } from './pair.ts';

export const decisionFileWords = {
  decisionFile: ['Dropped file of decisions', 'ไฟล์การตัดสินใจที่ถูกวางไว้'],
  asksFor: ['It asks for', 'ไฟล์นี้ขอให้'],
  confirmFile: ['Propose its decisions', 'เสนออนุมัติตามไฟล์'],
  confirmFileHint: [
    'You propose all of it in your own name, or nothing: each line is checked anew. Another person approves it where two are needed.',
    'คุณเสนอทั้งไฟล์ในนามของคุณเอง หรือไม่เสนอเลย ระบบจะตรวจทุกบรรทัดใหม่ และผู้อนุมัติอีกคนต้องอนุมัติหากต้องใช้สองคน',
  ],
  discardFile: ['Throw the file away', 'ทิ้งไฟล์'],
  fileNotPossible: ['Nothing was decided by this file', 'ยังไม่มีการตัดสินใจจากไฟล์นี้'],
} as const satisfies Words;
