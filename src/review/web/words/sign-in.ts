/** Words of signing in. */
import type { Words } from './pair.ts';

export const signInWords = {
  signIn: ['Sign in', 'เข้าสู่ระบบ'],
  signedOut: ['You have signed out', 'คุณออกจากระบบแล้ว'],
  name: ['Name', 'ชื่อผู้ใช้'],
  password: ['Password', 'รหัสผ่าน'],
  ownPassword: ['Set a password of your own', 'ตั้งรหัสผ่านของคุณเอง'],
  ownPasswordWhy: [
    'The one-time password was right. It opens nothing until you have set one of your own, at least 12 characters long.',
    'รหัสผ่านครั้งเดียวถูกต้อง กรุณาตั้งรหัสผ่านของคุณเองอย่างน้อย 12 ตัวอักษรก่อนเข้าใช้งาน',
  ],
  presentPassword: ['One-time password', 'รหัสผ่านครั้งเดียว'],
  newPassword: ['New password', 'รหัสผ่านใหม่'],
  newAgain: ['New password again', 'รหัสผ่านใหม่อีกครั้ง'],
  notAlike: ['The two new passwords differ', 'รหัสผ่านใหม่ทั้งสองช่องไม่ตรงกัน'],
  setIt: ['Set it and sign in', 'ตั้งรหัสผ่านและเข้าสู่ระบบ'],
  signInRefused: [
    'The name or the password is not right, or too many wrong ones were given: wait, or ask an admin',
    'ชื่อผู้ใช้หรือรหัสผ่านไม่ถูกต้อง หรือใส่ผิดหลายครั้งเกินไป กรุณารอสักครู่หรือติดต่อผู้ดูแล',
  ],
} as const satisfies Words;
