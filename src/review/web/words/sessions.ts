/** Words of one's own sessions. */
import type { Words } from './pair.ts';

export const sessionWords = {
  sessions: ['Where you are signed in', 'การเข้าสู่ระบบของคุณ'],
  sessionsWhy: [
    'If one of these is not yours, sign out everywhere and ask an admin for a new password.',
    'หากมีรายการที่ไม่ใช่ของคุณ กรุณาออกจากระบบทุกอุปกรณ์และขอรหัสผ่านใหม่จากผู้ดูแลระบบ',
  ],
  sessionBegan: ['Signed in', 'เข้าสู่ระบบเมื่อ'],
  sessionUsed: ['Last used', 'ใช้งานล่าสุด'],
  sessionWhere: ['Where', 'อุปกรณ์'],
  thisBrowser: ['this browser', 'เบราว์เซอร์นี้'],
  anotherBrowser: ['another browser', 'เบราว์เซอร์อื่น'],
  signOutEverywhere: ['Sign out everywhere', 'ออกจากระบบทุกอุปกรณ์'],
} as const satisfies Words;
