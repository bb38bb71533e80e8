/** Words of passkeys, and of signing with one. */
import type { Words } from './pair.ts';

export const passkeyWords = {
  passkeys: ['Passkeys', 'พาสคีย์'],
  ownPasskeys: ['Your passkeys', 'พาสคีย์ของคุณ'],
  passkeysWhy: [
    'With a passkey you sign what you approve. It is bound to this page’s name, and counts once an admin has confirmed that it is yours: tell the admin the digits of your key.',
    'ใช้พาสคีย์ลงนามรายการที่คุณอนุมัติ พาสคีย์ผูกกับชื่อเว็บไซต์นี้ และใช้ได้เมื่อผู้ดูแลระบบยืนยันแล้วว่าเป็นของคุณ กรุณาแจ้งเลขคีย์ให้ผู้ดูแลระบบ',
  ],
  noPasskeys: ['You have no passkey yet', 'คุณยังไม่มีพาสคีย์'],
  passkeyLabel: ['Name of the key', 'ชื่อคีย์'],
  passkeyLabelHint: ['such as phone, or blue key', 'เช่น โทรศัพท์ หรือ คีย์สีน้ำเงิน'],
  enrol: ['Enrol a passkey', 'ลงทะเบียนพาสคีย์'],
  enrolled: ['Enrolled', 'ลงทะเบียนเมื่อ'],
  lastUsed: ['Last used', 'ใช้ล่าสุด'],
  never: ['never', 'ยังไม่เคย'],
  keyDigits: ['Key', 'คีย์'],
  owner: ['Owner', 'เจ้าของ'],
  standing: ['Standing', 'สถานะ'],
  standingGood: ['Counts', 'ใช้ได้'],
  standingWaits: ['Waits for an admin', 'รอผู้ดูแลระบบยืนยัน'],
  standingRevoked: ['Revoked', 'เพิกถอนแล้ว'],
  standingOfBefore: [
    'Counts no more: the password or the user changed since',
    'ใช้ไม่ได้แล้ว เพราะรหัสผ่านหรือผู้ใช้เปลี่ยนไปหลังจากนั้น',
  ],
  backupNone: ['on one device', 'อยู่ในอุปกรณ์เดียว'],
  backupPossible: ['may be copied to other devices', 'อาจคัดลอกไปยังอุปกรณ์อื่นได้'],
  backupDone: ['kept by its maker, too', 'มีสำเนาอยู่กับผู้ให้บริการ'],
  revoke: ['Revoke', 'เพิกถอน'],
  confirmKey: ['Confirm', 'ยืนยัน'],
  othersPasskeys: ['Passkeys of others', 'พาสคีย์ของผู้อื่น'],
  confirmKeyWhy: [
    'Ask the owner for the digits of the key, in person or by telephone, and confirm it only when they are the same.',
    'สอบถามเลขคีย์จากเจ้าของโดยตรงหรือทางโทรศัพท์ และยืนยันเมื่อเลขตรงกันเท่านั้น',
  ],
  secondAdmin: ['a second admin has yet to confirm it', 'รอผู้ดูแลระบบอีกคนยืนยัน'],
  passkeyFailed: [
    'The passkey did not answer. Try again, and see that this page is open at',
    'พาสคีย์ไม่ตอบ กรุณาลองใหม่ และตรวจว่าเปิดหน้านี้ที่',
  ],
  needsScript: ['A passkey needs JavaScript in this browser.', 'การใช้พาสคีย์ต้องเปิด JavaScript ในเบราว์เซอร์'],
} as const satisfies Words;
