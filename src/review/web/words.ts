/** Every word of the page, in both languages, in one place. */
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import type { Role } from '../rules/people.ts';

export const languages = ['en', 'th'] as const;
export type Language = (typeof languages)[number];

/** English, ไทย. */
type Pair = readonly [en: string, th: string];

const words = {
  product: ['paydrop', 'paydrop'],
  sandbox: ['Sandbox, no real money', 'ระบบทดสอบ ไม่มีเงินจริง'],
  skip: ['Skip to the content', 'ข้ามไปที่เนื้อหา'],
  menu: ['Views', 'เมนู'],
  queue: ['Review queue', 'คิวรอตรวจสอบ'],
  proposals: ['Waiting for a check', 'รายการรออนุมัติ'],
  payout: ['Payout', 'รายการจ่าย'],
  batch: ['Batch', 'ชุดจ่ายเงิน'],
  row: ['row', 'แถว'],
  payee: ['Payee', 'ผู้รับเงิน'],
  amount: ['Amount', 'จำนวนเงิน'],
  baht: ['baht', 'บาท'],
  status: ['Status', 'สถานะ'],
  money: ['Money', 'เงิน'],
  day: ['Day', 'วันที่'],
  any: ['Any', 'ทั้งหมด'],
  why: ['Why', 'สาเหตุ'],
  remedy: ['What to do', 'วิธีแก้ไข'],
  age: ['Age', 'ค้างมาแล้ว'],
  alarm: ['Alarm', 'แจ้งเตือนสำคัญ'],
  search: ['Search', 'ค้นหา'],
  searchHint: ['Payee number, name, reference, amount or day', 'เลขผู้รับเงิน ชื่อ เลขอ้างอิง จำนวนเงิน หรือวันที่'],
  find: ['Find', 'ค้นหา'],
  clear: ['Clear', 'ล้างตัวกรอง'],
  older: ['Older', 'รายการก่อนหน้า'],
  newest: ['Newest', 'รายการล่าสุด'],
  needPerson: ['need a person', 'รายการรอดำเนินการ'],
  oldest: ['oldest', 'ค้างนานสุด'],
  nothingWaits: ['Nothing needs a person', 'ไม่มีรายการรอดำเนินการ'],
  noMatch: ['No match', 'ไม่พบรายการที่ตรงกัน'],
  shown: ['Figures of', 'ข้อมูล ณ'],
  wrongDay: ['The day is not one of the calendar', 'วันที่ไม่ถูกต้อง'],
  problem: ['There is a problem', 'พบข้อผิดพลาด'],
  signIn: ['Sign in', 'เข้าสู่ระบบ'],
  signOut: ['Sign out', 'ออกจากระบบ'],
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
  ourName: ['Name in the file', 'ชื่อในไฟล์'],
  bankName: ['Name at the bank', 'ชื่อที่ธนาคาร'],
  payeeNumber: ['Payee number', 'เลขผู้รับเงิน'],
  reveal: ['Reveal (recorded)', 'แสดงเลขเต็ม (มีการบันทึก)'],
  references: ['References', 'เลขอ้างอิง'],
  transfer: ['Transfer', 'เลขที่โอน'],
  fee: ['Fee', 'ค่าธรรมเนียม'],
  file: ['File', 'ไฟล์'],
  decisions: ['Decisions', 'การตัดสินใจ'],
  notPossible: ['Not possible now', 'ทำไม่ได้ในขณะนี้'],
  second: ['Needs a second person', 'ต้องมีผู้อนุมัติอีกคน'],
  history: ['What happened', 'ประวัติรายการ'],
  time: ['Time', 'เวลา'],
  event: ['Event', 'เหตุการณ์'],
  code: ['Code', 'รหัส'],
} as const satisfies Readonly<Record<string, Pair>>;

export type Word = keyof typeof words;

const place = (language: Language): 0 | 1 => (language === 'th' ? 1 : 0);

export const say = (language: Language, word: Word): string => words[word][place(language)];

const statusWords: Readonly<Record<PayoutStatus, Pair>> = {
  staged: ['Being read', 'กำลังอ่านไฟล์'],
  ready: ['Ready', 'พร้อมจ่าย'],
  held: ['Held', 'ระงับไว้'],
  submitted: ['In doubt', 'ยังไม่ทราบผล'],
  unresolved: ['Unresolved', 'ยังสรุปผลไม่ได้'],
  paid: ['Paid', 'จ่ายสำเร็จ'],
  failed: ['Failed', 'จ่ายไม่สำเร็จ'],
  unpayable: ['Unpayable', 'ตรวจผู้รับไม่ผ่าน'],
  rejected: ['Rejected', 'ไม่รับเข้าระบบ'],
  cancelled: ['Cancelled', 'ยกเลิกแล้ว'],
  disputed: ['Disputed', 'ผลขัดแย้งกับธนาคาร'],
};

export const sayStatus = (language: Language, status: PayoutStatus): string =>
  statusWords[status][place(language)];

const movedWords: Readonly<Record<MoneyMoved, Pair>> = {
  no: ['No money moved', 'เงินยังไม่ออก'],
  unknown: ['Unknown if it moved', 'ไม่ทราบว่าเงินออกหรือไม่'],
  yes: ['Money moved', 'เงินออกแล้ว'],
};

export const sayMoved = (language: Language, moved: MoneyMoved): string => movedWords[moved][place(language)];

const roleWords: Readonly<Record<Role, Pair>> = {
  viewer: ['viewer', 'ผู้ดูข้อมูล'],
  maker: ['maker', 'ผู้ทำรายการ'],
  checker: ['checker', 'ผู้อนุมัติ'],
  admin: ['admin', 'ผู้ดูแลระบบ'],
};

export const sayRole = (language: Language, role: Role): string => roleWords[role][place(language)];

// ---------------------------------------------------------------- moments

const months: readonly Pair[] = [
  ['Jan', 'ม.ค.'],
  ['Feb', 'ก.พ.'],
  ['Mar', 'มี.ค.'],
  ['Apr', 'เม.ย.'],
  ['May', 'พ.ค.'],
  ['Jun', 'มิ.ย.'],
  ['Jul', 'ก.ค.'],
  ['Aug', 'ส.ค.'],
  ['Sep', 'ก.ย.'],
  ['Oct', 'ต.ค.'],
  ['Nov', 'พ.ย.'],
  ['Dec', 'ธ.ค.'],
];

/** Years of the Buddhist era are so many more. */
const buddhistYears = 543;

/** `22 Nov 2026 01:00`, `22 พ.ย. 2569 01:00 น.`, in Bangkok. */
export function sayMoment(language: Language, epochMs: number): string {
  const [date = '', time = ''] = formatBangkokMoment(epochMs).split(' ');
  const [year = '', month = '', day = ''] = date.split('-');
  const name = months[Number(month) - 1]?.[place(language)] ?? month;
  const clock = time.slice(0, 'HH:mm'.length);
  return language === 'th'
    ? `${Number(day)} ${name} ${Number(year) + buddhistYears} ${clock} น.`
    : `${Number(day)} ${name} ${year} ${clock}`;
}

const [minuteMs, hourMs, dayMs] = [60_000, 3_600_000, 86_400_000];

const ageUnits: readonly (readonly [ms: number, unit: Pair])[] = [
  [dayMs, ['d', ' วัน']],
  [hourMs, ['h', ' ชม.']],
  [minuteMs, ['min', ' นาที']],
];

/** The two largest units: `2d 4h`, `2 วัน 4 ชม.`. */
export function sayAge(language: Language, ms: number): string {
  const first = ageUnits.findIndex(([unitMs]) => ms >= unitMs);
  if (first === -1) return language === 'th' ? 'ไม่ถึง 1 นาที' : 'under 1min';
  let left = ms;
  const parts: string[] = [];
  for (const [unitMs, unit] of ageUnits.slice(first, first + 2)) {
    const count = Math.floor(left / unitMs);
    left -= count * unitMs;
    if (count > 0) parts.push(`${count}${unit[place(language)]}`);
  }
  return parts.join(' ');
}
