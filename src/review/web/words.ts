/** The words of the page, in both languages; those of each view are in `words/`. */
import { catalogue } from '../../core/messages/catalogue.ts';
import { holdReasons } from '../../core/payout.ts';
import { isTranslated, type Message, say as sayMessage, sayCode } from '../../core/message.ts';
import type { QueueKind } from '../rules/queue.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { Language } from '../../core/language.ts';
import type { AttemptStatus, BatchStatus, PayoutCause, PayoutStatus } from '../../core/payout.ts';
import type { MoneyMoved } from '../../payout/rules/search.ts';
import { breakWords } from '../../reconcile/rules/break-words.ts';
import type { RegistrationStatus } from '../../registration/rules/registration.ts';
import {
  registrationCauseWords,
  registrationStatusWords,
  registrationWhyPairs,
} from '../../registration/rules/words.ts';
import { whyPairs } from '../../reports/rules/why-texts.ts';
import { causesParted, causeWithin, causeWords } from '../rules/cause-words.ts';
import { type Action, actions, actionWords, type Role } from '../rules/people.ts';
import type { ProposalStatus, TargetKind } from '../rules/proposal.ts';
import {
  type Decision,
  type DecisionTerms,
  decisionTerms,
  isRegistrationDecision,
  registrationTerms,
  termsOf,
} from '../rules/terms.ts';
import type { BatchStep } from '../rules/batch-steps.ts';
import { batchWords, stepWords } from './words/batch.ts';
import { attemptPairs, factWords } from './words/causes.ts';
import { decideWords, effectWords, registrationEffectWords } from './words/decide.ts';
import { decisionFileWords } from './words/decision-file.ts';
import { frameWords } from './words/frame.ts';
import type { Pair } from './words/pair.ts';
import { passkeyWords } from './words/passkeys.ts';
import { sessionWords } from './words/sessions.ts';
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
  ...sessionWords,
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

export const sayRegistrationStatus = (language: Language, status: RegistrationStatus): string =>
  registrationStatusWords[status][place(language)];

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

/** @param kind the kind of the target */
export function sayDecision(language: Language, decision: Decision, kind?: TargetKind): string {
  const { label, labelTh } = termsOf(decision, kind);
  return language === 'th' ? labelTh : label;
}

export const sayKind = (language: Language, kind: QueueKind): string => kindWords[kind][place(language)];

export const sayStep = (language: Language, step: BatchStep): string => stepWords[step][place(language)];

/**
 * The effect of a decision.
 * @param what the target in words
 * @param kind the kind of the target
 */
export function sayEffect(language: Language, decision: Decision, what: string, kind?: TargetKind): string {
  const isOfRegistration = kind === 'registration' && isRegistrationDecision(decision);
  const pair = isOfRegistration ? registrationEffectWords[decision] : effectWords[decision];
  return pair[place(language)].replace('{}', () => what);
}

export const sayProposalStatus = (language: Language, status: ProposalStatus): string =>
  proposalStatusPairs[status][place(language)];

export const sayCause = (language: Language, cause: PayoutCause): string =>
  causeWords[cause][place(language)];

export const sayAttempt = (language: Language, status: AttemptStatus): string =>
  attemptPairs[status][place(language)];

/** The name of an event's fact. */
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

// ---------------------------------------------------------------- why

const actionPairs: Readonly<Record<Action, string>> = {
  see: 'ดูรายการตรวจสอบ',
  reveal: 'เปิดดูเลขเต็ม',
  take: 'รับดูแลเรื่องที่รอ',
  propose: 'เสนอการตัดสินใจ',
  check: 'ตรวจสิ่งที่ผู้อื่นเสนอ',
  people: 'เปลี่ยนแปลงผู้ใช้',
  settings: 'เปลี่ยนจำนวนผู้อนุมัติ',
};

/** Translates each part of a separated list into Thai; undefined where a part has no Thai. */
function eachInThai(
  text: string,
  parted: string,
  inThai: (one: string) => string | undefined,
): string | undefined {
  const said = text.split(parted).map(inThai);
  return said.includes(undefined) ? undefined : said.join(parted === ' or ' ? 'หรือ' : ', ');
}

const thaiOf = (table: Readonly<Record<string, Pair>>, name: string): string | undefined =>
  Object.hasOwn(table, name) ? table[name]?.[1] : undefined;

const sayRoleName = (role: string): string | undefined => thaiOf(roleWords, role.replace(/^an? /, ''));
const actionsByWords = new Map(actions.map((action) => [actionWords[action], actionPairs[action]]));

const causesByWords = new Map(
  [causeWords, registrationCauseWords]
    .flatMap(Object.values<Pair>)
    .map(([english, thai]) => [causeWithin(english), thai]),
);
const breaksByWords = new Map(Object.values(breakWords));

const labels = new Map(
  [decisionTerms, registrationTerms]
    .flatMap(Object.values<DecisionTerms>)
    .map(({ label, labelTh }) => [label, labelTh]),
);

/** Translators for the text in braces, by its name. Undefined means no Thai, so that the sentence does not match. */
const blanks: Readonly<Record<string, (text: string) => string | undefined>> = {
  status: (text) => thaiOf(statusWords, text) ?? thaiOf(batchStatusWords, text),
  state: (text) => thaiOf(registrationStatusWords, text),
  role: sayRoleName,
  roles: (text) => eachInThai(text, ' or ', sayRoleName),
  action: (text) => actionsByWords.get(text),
  holds: (text) =>
    eachInThai(text, ', ', (hold) => {
      const code = holdReasons.find((one) => one === hold);
      return code && sayCode('th', `hold-reason.${code}`);
    }),
  causes: (text) => eachInThai(text, causesParted, (cause) => causesByWords.get(cause)),
  break: (text) => breaksByWords.get(text),
  decision: (text) => labels.get(text),
  why: (text) => sayInThai(text),
  // Translates several reasons one by one; a reason without Thai stays as it is.
  whys: (text) =>
    text
      .split('; ')
      .map((one) => sayInThai(one) ?? one)
      .join(' '),
};

/** The blanks that stand for one word; others stand for any text. */
const oneWord =
  /^(?:code|column|name|id|ref|row|rows|batch|count|number|status|state|hours|account|from|to|digest|day)$/;

interface Sentence {
  readonly pattern: RegExp;
  /** The names of its blanks, in their order; repeated ones have a number. */
  readonly names: readonly string[];
  readonly thai: string;
  readonly letters: number;
}

function readSentence([english, thai]: Pair): Sentence {
  const names: string[] = [];
  const source = english
    .split(/\{(\w+)\}/)
    .map((part, at) => {
      if (at % 2 === 0) return RegExp.escape(part);
      names.push(part);
      return oneWord.test(part.replace(/\d$/, '')) ? String.raw`(\S+)` : '(.+?)';
    })
    .join('');
  const letters = english.replaceAll(/\{\w+\}/g, '').length;
  return { pattern: new RegExp(`^${source}$`, 's'), names, thai, letters };
}

/** Sorts the sentences so that those with the most letters of their own are tried first. */
const sentences: readonly Sentence[] = [...whyPairs, ...registrationWhyPairs]
  .map(readSentence)
  .toSorted((one, other) => other.letters - one.letters);

/** Whole texts of the catalogue, by their English. Until every reason and remedy is a message. */
const wholes: ReadonlyMap<string, string> = new Map(Object.values<readonly [string, string]>(catalogue));

/** The length of the longest sentence of paydrop. */
const sentenceLengthMax = 600;

/** Translates a text of the rules into Thai; undefined for others, such as those of the bank, a file or a person. */
function sayInThai(english: string): string | undefined {
  if (english.length > sentenceLengthMax) return undefined;
  const whole = wholes.get(english);
  if (whole !== undefined) return whole;
  for (const { pattern, names, thai } of sentences) {
    const found = pattern.exec(english);
    if (found === null) continue;
    const said = names.map((name, at) => {
      const text = found[at + 1] ?? '';
      const blank = blanks[name.replace(/\d$/, '')];
      return blank === undefined ? text : blank(text);
    });
    if (said.includes(undefined)) continue;
    return thai.replaceAll(/\{(\w+)\}/g, (_, name: string) => said[names.indexOf(name)] ?? '');
  }
  return undefined;
}

/** A reason in the reader's language, with the language that it is in; texts without Thai stay as they are. */
export function sayWhy(
  language: Language,
  why: Message | string,
): { readonly text: string; readonly language: Language } {
  if (typeof why === 'object') {
    // Until every reason is a message.
    const verbatim = isTranslated(why) ? undefined : sayMessage('en', why);
    return verbatim === undefined
      ? { text: sayMessage(language, why), language }
      : sayWhy(language, verbatim);
  }
  const thai = language === 'th' ? sayInThai(why) : undefined;
  return thai === undefined ? { text: why, language: 'en' } : { text: thai, language: 'th' };
}

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

/** The difference between years of the Buddhist and the common era. */
const buddhistYears = 543;

/** Returns `22 Nov 2026 01:00` or `22 พ.ย. 2569 01:00 น.`, in Bangkok time. */
export function sayMoment(language: Language, epochMs: number): string {
  const [date = '', time = ''] = formatBangkokMoment(epochMs).split(' ');
  const [year = '', month = '', day = ''] = date.split('-');
  const name = months[Number(month) - 1]?.[place(language)] ?? month;
  const clock = time.slice(0, 'HH:mm'.length);
  return language === 'th'
    ? `${Number(day)} ${name} ${Number(year) + buddhistYears} ${clock} น.`
    : `${Number(day)} ${name} ${year} ${clock}`;
}

/** Returns `22 Nov 2026` or `22 พ.ย. 2569` for a day YYYYMMDD. */
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

/** Returns the two largest units: `2d 4h` or `2 วัน 4 ชม.`. */
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
