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
  proxyOnly: [
    'You are signed in by the proxy of your organisation: passwords are switched off on this page',
    'พร็อกซีขององค์กรเป็นผู้ยืนยันตัวตนของคุณ หน้านี้ปิดการเข้าสู่ระบบด้วยรหัสผ่าน',
  ],
  proxySignedOut: [
    'You have signed out here. The proxy still knows you, and going on signs you in again: sign out there, too',
    'คุณออกจากระบบของหน้านี้แล้ว แต่พร็อกซียังรู้จักคุณ หากไปต่อจะเข้าสู่ระบบอีกครั้ง กรุณาออกจากระบบที่พร็อกซีด้วย',
  ],
  proxyGoOn: ['Go on', 'ไปต่อ'],
  proxyRefused: ['The proxy has not signed you in', 'พร็อกซีไม่ได้ยืนยันตัวตนของผู้ใช้'],
  proxyUnnamed: [
    'It sent no user name: sign in at the proxy, or have it set up to send your name',
    'พร็อกซีไม่ได้ระบุชื่อผู้ใช้ กรุณาเข้าสู่ระบบที่พร็อกซี หรือให้ผู้ดูแลตั้งค่าให้ส่งชื่อผู้ใช้',
  ],
  proxyDoubled: [
    'It sent a user name more than once: set it up to remove that header from the requests of browsers',
    'พร็อกซีระบุชื่อผู้ใช้มากกว่าหนึ่งครั้ง ต้องตั้งค่าพร็อกซีให้ลบหัวข้อนี้ที่เบราว์เซอร์ส่งมา',
  ],
  proxyUnknown: [
    'The user name that it sent may not use this page: ask an admin',
    'ชื่อผู้ใช้ที่พร็อกซีระบุไม่มีสิทธิ์ใช้หน้านี้ กรุณาติดต่อผู้ดูแล',
  ],
  proxyBeforeRestore: [
    'The journal was restored since: an admin has to enable you again',
    'มีการกู้คืนข้อมูลหลังจากนั้น ผู้ดูแลต้องเปิดใช้งานชื่อผู้ใช้ของคุณอีกครั้ง',
  ],
} as const satisfies Words;
