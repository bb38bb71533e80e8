/** Groups rows that wait by what a person decides them by: one entry for each kind and cause. */
import { joined, type Message, message } from '../core/message.ts';
import { findCause } from '../core/messages/causes.ts';
import { sumSatang } from '../core/money.ts';
import type { PayoutStatus } from '../core/payout.ts';
import { findBankStatus } from '../core/status-codes.ts';
import type { WaitingByCause } from '../payout/ports.ts';
import { batchWideHolds, ownCauses } from '../payout/rules/operator.ts';
import { likeFileCodes } from '../payout/rules/similar.ts';
import type { RegistrationsByCause } from '../registration/ports.ts';
import type { RegistrationStatus } from '../registration/rules/registration.ts';
import { findRegistrationCode } from '../registration/rules/status-codes.ts';
import type { Decision } from '../review/rules/terms.ts';
import { type AttentionEntry, makeEntry } from './rules/entry.ts';

// ---------------------------------------------------------------- causes

/** Causes of rows of a file, each of many codes that begin with it; the longest first. */
const fileCauses = [
  'registration-id-claimed',
  'payout-id-claimed',
  'same-as-another',
  'registration-id',
  'payee-name',
  'payout-id',
  'duplicate',
  'account',
  'amount',
  'number',
  'proxy',
  'cell',
] as const;

/** Digits that a spreadsheet has taken from a cell. */
const lostDigits = /damaged|exponent|decimals|rounded|digits$/;

function causeOfFile(cause: string): string {
  if (lostDigits.test(cause) && !cause.startsWith('amount')) return 'damaged';
  return fileCauses.find((beginning) => cause.startsWith(beginning)) ?? cause;
}

/** Holds that end with the batch or the account, whatever the row. */
const batchHolds: readonly string[] = ['approval', ...batchWideHolds];

interface Held {
  readonly status: string;
  readonly isAlarm: boolean;
  readonly holds: readonly string[];
  readonly cause: string;
}

/** True of rows that wait only for their batch or their account, and move with it. */
const waitsForBatch = ({ status, isAlarm, holds, cause }: Held): boolean =>
  status === 'held' &&
  !isAlarm &&
  holds.length > 0 &&
  !ownCauses.includes(cause) &&
  holds.every(
    (hold) =>
      batchHolds.includes(hold) ||
      (hold === 'similar' && Object.values<string>(likeFileCodes).includes(cause)),
  );

function causeOf({ status, isAlarm, holds, cause }: Held): string {
  if (isAlarm) return cause;
  if (status === 'rejected') return causeOfFile(cause);
  if (status !== 'held') return cause;
  const hold = holds.find((one) => !batchHolds.includes(one));
  if (hold === undefined) return cause;
  return hold === 'similar' && cause !== '' ? cause : hold;
}

/** The heading of a cause. */
function nameCause(cause: string): Message {
  if (cause === '') return message('cause.none');
  const known = findCause(cause);
  return known === undefined ? message('cause.code', { code: cause }) : message(known);
}

// ---------------------------------------------------------------- payouts

type PayoutCode = 'alarm' | 'in-doubt' | 'unresolved' | 'disputed' | 'not-paid' | 'rejected' | 'held';

interface PayoutKind {
  readonly statuses: readonly PayoutStatus[];
  readonly decisions: readonly Decision[];
}

const payoutKinds: Readonly<Record<PayoutCode, PayoutKind>> = {
  alarm: { statuses: [], decisions: ['acknowledge', 'confirm-paid', 'confirm-failed', 'cancel'] },
  'in-doubt': { statuses: ['submitted'], decisions: [] },
  unresolved: { statuses: ['unresolved'], decisions: ['confirm-failed', 'confirm-paid', 'acknowledge'] },
  disputed: { statuses: ['disputed'], decisions: ['confirm-paid', 'acknowledge'] },
  'not-paid': { statuses: ['failed', 'unpayable'], decisions: ['retry', 'acknowledge'] },
  rejected: { statuses: ['rejected'], decisions: ['acknowledge', 'retry'] },
  held: { statuses: ['held'], decisions: ['go-on', 'cancel', 'acknowledge'] },
};

function codeOfPayouts({ status, isAlarm }: WaitingByCause): PayoutCode {
  if (isAlarm) return 'alarm';
  const found = Object.entries(payoutKinds).find(([, kind]) => kind.statuses.includes(status));
  return (found?.[0] as PayoutCode | undefined) ?? 'alarm';
}

const groupBy = <Row>(rows: readonly Row[], keyOf: (row: Row) => string): readonly (readonly Row[])[] => [
  ...Map.groupBy(rows, keyOf).values(),
];

const distinct = <Value>(values: readonly Value[]): readonly Value[] => [...new Set(values)];

/** The remedy of the bank's code, where it has one, before that of the kind. */
const withOwn = (own: Message | undefined, ofKind: Message): Message =>
  own === undefined ? ofKind : joined([own, ofKind], 'sentences');

const oldestOf = (groups: readonly { readonly oldestMs: number }[]): number =>
  Math.min(...groups.map(({ oldestMs }) => oldestMs));

const countOf = (groups: readonly { readonly rows: number }[]): number =>
  groups.reduce((sum, { rows }) => sum + rows, 0);

const causesOf = (groups: readonly { readonly cause: string }[]): readonly string[] =>
  distinct(groups.map(({ cause }) => cause));

/** The entries of payouts, one for each kind and cause. @param inDoubtBeforeMs the moment before which doubt counts */
export const groupPayouts = (
  waiting: readonly WaitingByCause[],
  inDoubtBeforeMs: number,
): readonly AttentionEntry[] =>
  groupBy(
    waiting.filter((group) => !waitsForBatch(group)),
    (group) => `${codeOfPayouts(group)}.${causeOf(group)}`,
  ).map((groups) => payoutEntry(groups, inDoubtBeforeMs));

function payoutEntry([first, ...others]: readonly WaitingByCause[], inDoubtBeforeMs: number): AttentionEntry {
  if (first === undefined) throw new RangeError('a group has rows');
  const groups = [first, ...others];
  const [code, cause] = [codeOfPayouts(first), causeOf(first)];
  const { statuses, decisions } = payoutKinds[code];
  const filter = {
    statuses,
    causes: causesOf(groups),
    isAlarm: code === 'alarm',
    ...(code === 'in-doubt' ? { untilMs: inDoubtBeforeMs } : { isWaiting: true }),
    ...(code === 'held' ? { holdSets: groups.map(({ holds }) => holds) } : {}),
  };
  return makeEntry({
    code,
    cause,
    subject: nameCause(cause),
    reason: null,
    remedy: withOwn(findBankStatus(cause)?.remedy, message(`attention-remedy.${code}`)),
    sinceMs: oldestOf(groups),
    count: countOf(groups),
    amountSatang: sumSatang(groups.map(({ amountSatang }) => amountSatang)),
    args: { cause },
    commands: [code === 'in-doubt' ? 'settle' : 'exceptions'],
    decisions,
    rows: { of: 'payouts', filter },
  });
}

// ---------------------------------------------------------------- registrations

type RegistrationCode =
  | 'registration-alarm'
  | 'registration-in-doubt'
  | 'not-registered'
  | 'registration-rejected'
  | 'registration-held';

interface RegistrationKind {
  readonly statuses: readonly RegistrationStatus[];
  readonly decisions: readonly Decision[];
}

const registrationKinds: Readonly<Record<RegistrationCode, RegistrationKind>> = {
  'registration-alarm': { statuses: [], decisions: ['acknowledge'] },
  'registration-in-doubt': {
    statuses: ['in-doubt', 'unanswered', 'contradicted'],
    decisions: ['confirm-registered', 'confirm-refused', 'confirm-failed', 'retry'],
  },
  'not-registered': { statuses: ['refused', 'failed'], decisions: ['retry', 'acknowledge'] },
  'registration-rejected': { statuses: ['rejected'], decisions: ['acknowledge', 'retry'] },
  'registration-held': { statuses: ['held'], decisions: ['go-on', 'cancel'] },
};

function codeOfRegistrations({ status, isAlarm }: RegistrationsByCause): RegistrationCode {
  const found = Object.entries(registrationKinds).find(([, kind]) => kind.statuses.includes(status));
  return isAlarm
    ? 'registration-alarm'
    : ((found?.[0] as RegistrationCode | undefined) ?? 'registration-alarm');
}

/** The entries of registrations; those in doubt count once they have been so for long. */
export const groupRegistrations = (
  waiting: readonly RegistrationsByCause[],
  inDoubtBeforeMs: number,
): readonly AttentionEntry[] =>
  groupBy(
    waiting.filter((group) => !waitsForBatch(group)),
    (group) => `${codeOfRegistrations(group)}.${group.status === 'in-doubt'}.${causeOf(group)}`,
  ).map((groups) => registrationEntry(groups, inDoubtBeforeMs));

function registrationEntry(
  [first, ...others]: readonly RegistrationsByCause[],
  inDoubtBeforeMs: number,
): AttentionEntry {
  if (first === undefined) throw new RangeError('a group has rows');
  const groups = [first, ...others];
  const [code, cause] = [codeOfRegistrations(first), causeOf(first)];
  const { statuses, decisions } = registrationKinds[code];
  const isInDoubt = first.status === 'in-doubt' && !first.isAlarm;
  const filter = {
    statuses: isInDoubt ? (['in-doubt'] as const) : statuses.filter((status) => status !== 'in-doubt'),
    causes: causesOf(groups),
    isAlarm: code === 'registration-alarm',
    ...(isInDoubt ? { untilMs: inDoubtBeforeMs } : { isWaiting: true }),
  };
  return makeEntry({
    code,
    cause: isInDoubt ? `${cause}.open` : cause,
    subject: nameCause(cause),
    reason: null,
    remedy: withOwn(findRegistrationCode(cause)?.remedy, message(`attention-remedy.${code}`)),
    sinceMs: oldestOf(groups),
    count: countOf(groups),
    amountSatang: null,
    args: { cause },
    commands: ['exceptions --registrations'],
    decisions,
    rows: { of: 'registrations', filter },
  });
}
