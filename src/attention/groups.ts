/** Groups rows that wait by what a person decides them by: one entry for each kind and cause. */
import { joined, type Message, message } from '../core/message.ts';
import { findCause } from '../core/messages/causes.ts';
import { sumSatang } from '../core/money.ts';
import type { PayoutStatus } from '../core/payout.ts';
import { findBankStatus } from '../core/status-codes.ts';
import type { WaitingByCause } from '../payout/ports.ts';
import { waitsFor } from '../payout/rules/operator.ts';
import type { RegistrationsByCause } from '../registration/ports.ts';
import type { RegistrationStatus } from '../registration/rules/registration.ts';
import { findRegistrationCode } from '../core/direct-debit-codes.ts';
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

interface Held {
  readonly status: string;
  readonly isAlarm: boolean;
  readonly holds: readonly string[];
  readonly cause: string;
}

/** True of rows that wait only for their batch or their account, and move with it. */
const waitsForBatch = ({ status, isAlarm, holds, cause }: Held): boolean =>
  status === 'held' && !isAlarm && holds.length > 0 && waitsFor(holds, cause) !== 'row';

function causeOf({ status, isAlarm, holds, cause }: Held): string {
  if (isAlarm) return cause;
  if (status === 'rejected') return causeOfFile(cause);
  if (status !== 'held') return cause;
  const hold = holds.find((one) => waitsFor([one], '') === 'row');
  if (hold === undefined) return cause;
  return hold === 'similar' && cause !== '' ? cause : hold;
}

/** The remedy of a code of the bank. */
export const bankRemedyOf = (code: string): Message | undefined =>
  findBankStatus(code)?.remedy ?? findRegistrationCode(code)?.remedy;

/** The heading of a cause. */
function nameCause(cause: string): Message {
  if (cause === '') return message('cause.none');
  const known = findCause(cause);
  return known === undefined ? message('cause.code', { code: cause }) : message(known);
}

// ---------------------------------------------------------------- groups

interface Kind<Status> {
  readonly statuses: readonly Status[];
  readonly decisions: readonly Decision[];
}

const payoutKinds = {
  alarm: { statuses: [], decisions: ['acknowledge', 'confirm-paid', 'confirm-failed', 'cancel'] },
  'in-doubt': { statuses: ['submitted'], decisions: [] },
  unresolved: { statuses: ['unresolved'], decisions: ['confirm-failed', 'confirm-paid', 'acknowledge'] },
  disputed: { statuses: ['disputed'], decisions: ['confirm-paid', 'acknowledge'] },
  'not-paid': { statuses: ['failed', 'unpayable'], decisions: ['retry', 'acknowledge'] },
  rejected: { statuses: ['rejected'], decisions: ['acknowledge', 'retry'] },
  held: { statuses: ['held'], decisions: ['go-on', 'cancel', 'acknowledge'] },
} as const satisfies Readonly<Record<string, Kind<PayoutStatus>>>;

const registrationKinds = {
  'registration-alarm': { statuses: [], decisions: ['acknowledge'] },
  'registration-in-doubt': {
    statuses: ['in-doubt', 'unanswered', 'contradicted'],
    decisions: ['confirm-registered', 'confirm-refused', 'confirm-failed', 'retry'],
  },
  'not-registered': { statuses: ['refused', 'failed'], decisions: ['retry', 'acknowledge'] },
  'registration-rejected': { statuses: ['rejected'], decisions: ['acknowledge', 'retry'] },
  'registration-held': { statuses: ['held'], decisions: ['go-on', 'cancel'] },
} as const satisfies Readonly<Record<string, Kind<RegistrationStatus>>>;

/** A registration that was not sent is treated as a payout that was not. */
function remedyOf(code: KindCode) {
  if (code === 'registration-rejected') return 'attention-remedy.rejected';
  return code === 'registration-held' ? 'attention-remedy.held' : (`attention-remedy.${code}` as const);
}

/** Rows in doubt are asked about, and count once they have been so for long. */
const doubtStatuses: readonly string[] = ['submitted', 'in-doubt'];

interface Group extends Held {
  readonly rows: number;
  readonly oldestMs: number;
}

/** The rows that are decided on together, and what all entries say of them. */
function groupRows<One extends Group>(
  own: readonly One[],
  codes: Readonly<Partial<Record<KindCode, Kind<string>>>>,
  alarm: KindCode,
  inDoubtBeforeMs: number,
) {
  const codeOf = ({ status, isAlarm }: Held): KindCode => {
    const found = Object.entries(codes).find(([, kind]) => kind.statuses.includes(status));
    return isAlarm || found === undefined ? alarm : (found[0] as KindCode);
  };
  const isInDoubt = ({ status, isAlarm }: Held): boolean => !isAlarm && doubtStatuses.includes(status);
  const keyOf = (group: One): string =>
    [codeOf(group), causeOf(group), ...(group.status === 'in-doubt' ? ['open'] : [])].join('.');
  return [...Map.groupBy(own, keyOf).values()].flatMap((groups) => {
    const [first] = groups;
    if (first === undefined) return [];
    const [code, cause] = [codeOf(first), causeOf(first)];
    const bankRemedy = bankRemedyOf(cause);
    const ofKind = message(remedyOf(code));
    const statuses = distinct(groups.map(({ status }) => status as One['status']));
    const entry = {
      groups,
      filter: {
        statuses: first.isAlarm ? [] : statuses,
        causes: distinct(groups.map((group) => group.cause)),
        isAlarm: first.isAlarm,
        ...(isInDoubt(first) ? { untilMs: inDoubtBeforeMs } : { isWaiting: true }),
      },
      draft: {
        code,
        cause: first.status === 'in-doubt' ? `${cause}.open` : cause,
        subject: nameCause(cause),
        reason: null,
        remedy: bankRemedy === undefined ? ofKind : joined([bankRemedy, ofKind], 'sentences'),
        sinceMs: Math.min(...groups.map(({ oldestMs }) => oldestMs)),
        count: groups.reduce((sum, { rows }) => sum + rows, 0),
        args: { cause },
        decisions: kinds[code].decisions,
      },
    };
    return [entry];
  });
}

const kinds = { ...payoutKinds, ...registrationKinds };
type KindCode = keyof typeof kinds;

const distinct = <Value>(values: readonly Value[]): readonly Value[] => [...new Set(values)];

/** The entries of payouts, one for each kind and cause. @param inDoubtBeforeMs the moment before which doubt counts */
export const groupPayouts = (
  waiting: readonly WaitingByCause[],
  inDoubtBeforeMs: number,
): readonly AttentionEntry[] =>
  groupRows(
    waiting.filter((group) => !waitsForBatch(group)),
    payoutKinds,
    'alarm',
    inDoubtBeforeMs,
  ).map(({ groups, filter, draft }) =>
    makeEntry({
      ...draft,
      amountSatang: sumSatang(groups.map(({ amountSatang }) => amountSatang)),
      commands: [draft.code === 'in-doubt' ? 'settle' : 'exceptions'],
      rows: {
        of: 'payouts',
        filter: draft.code === 'held' ? { ...filter, holdSets: groups.map(({ holds }) => holds) } : filter,
      },
    }),
  );

/** The entries of registrations. @param isHalted registrations are halted: what the halt holds moves with it */
export const groupRegistrations = (
  waiting: readonly RegistrationsByCause[],
  inDoubtBeforeMs: number,
  isHalted: boolean,
): readonly AttentionEntry[] =>
  groupRows(
    waiting.filter((group) => !isHalted || !group.holds.includes('halted') || !waitsForBatch(group)),
    registrationKinds,
    'registration-alarm',
    inDoubtBeforeMs,
  ).map(({ filter, draft }) =>
    makeEntry({
      ...draft,
      amountSatang: null,
      commands: ['exceptions --registrations'],
      rows: { of: 'registrations', filter },
    }),
  );
