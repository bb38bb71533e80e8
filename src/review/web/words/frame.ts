/** Words of the frame around every view, and what every view may say. */
import type { Words } from './pair.ts';

export const frameWords = {
  product: ['paydrop', 'paydrop'],
  sandbox: ['Sandbox, no real money', 'ระบบทดสอบ ไม่มีเงินจริง'],
  skip: ['Skip to the content', 'ข้ามไปที่เนื้อหา'],
  menu: ['Views', 'เมนู'],
  today: ['Today', 'วันนี้'],
  queue: ['Review queue', 'คิวรอตรวจสอบ'],
  proposals: ['Waiting for a check', 'รายการรออนุมัติ'],
  batches: ['Batches', 'ชุดจ่ายเงิน'],
  reconciliation: ['Reconciliation', 'กระทบยอด'],
  payees: ['Payees', 'ผู้รับเงิน'],
  people: ['People', 'ผู้ใช้งาน'],
  problem: ['There is a problem', 'พบข้อผิดพลาด'],
  signOut: ['Sign out', 'ออกจากระบบ'],
  dark: ['Dark', 'โหมดมืด'],
  light: ['Light', 'โหมดสว่าง'],
  notAllowed: ['You may not do this', 'คุณไม่มีสิทธิ์ทำรายการนี้'],
  notFound: ['There is nothing here', 'ไม่พบหน้านี้'],
  outOfDate: [
    'This page was open for too long, or in another browser: load it again',
    'หน้านี้เปิดไว้นานเกินไป กรุณาโหลดใหม่',
  ],
  tooMany: ['Too many requests: wait a minute', 'มีคำขอมากเกินไป กรุณารอสักครู่'],
  broken: ['Something went wrong here: the log says what', 'เกิดข้อผิดพลาดภายในระบบ รายละเอียดอยู่ในบันทึก'],
  back: ['Back to the queue', 'กลับไปที่คิว'],
} as const satisfies Words;
