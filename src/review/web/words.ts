/** Every word of the page, in both languages: those of each view stand in `words/`. */
import type { QueueKind } from '../rules/queue.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { Language } from '../../core/language.ts';
import type { BatchStatus, PayoutCause, PayoutStatus } from '../../core/payout.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import type { Role } from '../rules/people.ts';
import type { ProposalStatus } from '../rules/proposal.ts';
import { type Decision, decisionTerms } from '../rules/terms.ts';
import type { BatchStep } from '../rules/batch-steps.ts';
import { batchWords, stepWords } from './words/batch.ts';
import { causeWords, factWords } from './words/causes.ts';
import { decideWords, effectWords } from './words/decide.ts';
import { decisionFileWords } from './words/decision-file.ts';
import { frameWords } from './words/frame.ts';
import type { Pair } from './words/pair.ts';
import { passkeyWords } from './words/passkeys.ts';
import { payoutWords } from './words/payout.ts';
import { proposalStatusPairs, proposalWords } from './words/proposals.ts';
import { kindWords, queueWords } from './words/queue.ts';
import { signInWords } from './words/sign-in.ts';

export { type Language, languages } from '../../core/language.ts';

const words = {
  ...frameWords,
  ...signInWords,
  ...payoutWords,
  ...queueWords,
  ...decideWords,
  ...proposalWords,
  ...batchWords,
  ...passkeyWords,
  ...decisionFileWords,
} as const;

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

const batchStatusWords: Readonly<Record<BatchStatus, Pair>> = {
  ingesting: ['Being read', 'กำลังอ่านไฟล์'],
  sealed: ['Sealed', 'ปิดยอดแล้ว'],
  running: ['Paying', 'กำลังจ่าย'],
  paused: ['Paused', 'พักการจ่าย'],
  halted: ['Halted', 'หยุดจ่าย'],
  done: ['Done', 'เสร็จสิ้น'],
  rejected: ['Rejected', 'ไม่รับเข้าระบบ'],
};

export const sayBatchStatus = (language: Language, status: BatchStatus): string =>
  batchStatusWords[status][place(language)];

export const sayDecision = (language: Language, decision: Decision): string =>
  language === 'th' ? decisionTerms[decision].labelTh : decisionTerms[decision].label;

export const sayKind = (language: Language, kind: QueueKind): string => kindWords[kind][place(language)];

export const sayStep = (language: Language, step: BatchStep): string => stepWords[step][place(language)];

/** What follows of a decision. @param what it is about, in words */
export const sayEffect = (language: Language, decision: Decision, what: string): string =>
  effectWords[decision][place(language)].replace('{}', () => what);

export const sayProposalStatus = (language: Language, status: ProposalStatus): string =>
  proposalStatusPairs[status][place(language)];

export const sayCause = (language: Language, cause: PayoutCause): string =>
  causeWords[cause][place(language)];

/** Of what an event is told with. */
export const sayFact = (language: Language, name: string): string =>
  factWords[name]?.[place(language)] ?? name;

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

/** Of a day YYYYMMDD: `22 Nov 2026`, `22 พ.ย. 2569`. */
export function sayDate(language: Language, date: string): string {
  const [, year = '', month = '', day = ''] = /^(\d{4})(\d\d)(\d\d)$/.exec(date) ?? [];
  const name = months[Number(month) - 1]?.[place(language)] ?? month;
  return `${Number(day)} ${name} ${language === 'th' ? Number(year) + buddhistYears : year}`;
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
