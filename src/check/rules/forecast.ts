/** Forecasts a run's outcome for each row of a file, as far as payee checks show it. Pure; sends nothing. */
import type { Reason } from '../../core/change.ts';
import type { Issue, StagedRow } from '../../core/payout-file.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { BatchReason, ResultRow } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { BrakePolicy } from '../../payout/rules/brake.ts';
import { decideBreaker, openBreaker } from '../../payout/rules/circuit-breaker.ts';
import { fileWideCodes, type LimitFinding } from '../../payout/rules/limits.ts';
import { rerunHolds } from '../../payout/rules/operator.ts';
import type { PayeeVerdict } from '../../payout/rules/payee.ts';
import type { Likeness } from './like-payments.ts';

/** Outcomes of rows; each row has exactly one. */
export const forecastOutcomes = [
  /** Would be sent; nothing speaks against it. */
  'toPay',
  'held',
  'unpayable',
  'rejected',
  /** The check ended before its payee was asked about. */
  'notAsked',
  /** Sent by an earlier run of this file, and without a known outcome yet. */
  'inDoubt',
  'paidEarlier',
  /** Ended other than paid in an earlier run of this file, and not retried automatically. */
  'endedEarlier',
] as const;
export type ForecastOutcome = (typeof forecastOutcomes)[number];

/** Outcomes that need no operator. */
export const quietOutcomes: readonly ForecastOutcome[] = ['toPay', 'paidEarlier'];

export interface RowForecast {
  readonly outcome: ForecastOutcome;
  /** Holds of a row that would be held; else empty. */
  readonly holds: readonly HoldReason[];
  /** Reasons why it would not be paid. */
  readonly issues: readonly Issue[];
  /** Remarks on a row that would be paid. */
  readonly notes: readonly Issue[];
}

/** Policy of the settings for the answers of a payee check. */
export interface AnswerPolicy {
  readonly enabled: boolean;
  readonly whenUnavailable: 'hold' | 'pay';
  readonly onThaiNameMismatch: 'hold' | 'pay';
}

/** A row that the rules have accepted. */
export type GoodRow = Pick<StagedRow, 'line' | 'holds'> & {
  readonly instruction: NonNullable<StagedRow['instruction']>;
};

const holdMessages: Readonly<Record<HoldReason, string>> = {
  approval: 'held until it is approved',
  name: 'the bank holds another Thai name',
  limit: 'the amount is above limits.bahtPerPayout',
  halted: 'the payer account is halted',
  paused: 'the service could not take it',
  unavailable: 'a check before sending got no answer',
  similar: 'another payout is so like it that a person must compare the two',
  'new-payee': 'its payee was never paid before (limits.newPayeeBaht)',
  'day-limit': 'a limit of the day is used up',
  'service-day': 'nothing is sent on this day',
  resend: 'a person must decide whether its reference goes again',
};

const heldIssue = (
  { line, instruction }: GoodRow,
  code: string,
  column: string | null,
  why: string,
): Issue => ({
  line,
  column,
  code,
  value: null,
  message: `${why}: held until a person lets it go on ("paydrop resume ${instruction.payoutId}")`,
});

/** Reasons of a held row, one issue for each hold. */
export function describeHolds(row: GoodRow): Issue[] {
  return row.holds.map((hold) => {
    const column = hold === 'limit' ? 'amount' : hold === 'similar' ? 'payoutId' : null;
    return heldIssue(row, hold, column, holdMessages[hold]);
  });
}

function payeeIssue({ line, instruction }: GoodRow, reason: Reason): Issue {
  const value = maskDigits(instruction.proxyNo);
  return { line, column: 'proxyNo', code: reason.code, value, message: reason.text };
}

/** Addition of the verdict to a row: an end, a hold, a note, or none. */
interface Addition {
  readonly outcome: 'toPay' | 'unpayable' | 'notAsked';
  readonly hold?: HoldReason;
  readonly reason?: Reason;
}

function weigh(verdict: PayeeVerdict, policy: AnswerPolicy): Addition {
  switch (verdict.kind) {
    case 'payable':
      return { outcome: 'toPay' };
    case 'stopped':
      return { outcome: 'notAsked' };
    case 'unpayable': {
      const { code, text } = verdict.reason;
      const what = policy.enabled
        ? 'the payee cannot be paid'
        : 'the payee cannot be paid, and a run would only learn it from the refused transfer (verify.enabled is false)';
      return { outcome: 'unpayable', reason: { code, text: `${what}: ${text}` } };
    }
    case 'other-name':
      return weighSetting(policy.enabled && policy.onThaiNameMismatch === 'hold', 'name', {
        code: 'thai-name-differs',
        text: 'the Thai name in the file differs from the name that the bank holds',
      });
    case 'unavailable':
      return weighSetting(policy.enabled && policy.whenUnavailable === 'hold', 'unavailable', {
        code: verdict.reason.code,
        text: `the payee check gave no answer: ${verdict.reason.text}`,
      });
  }
}

function weighSetting(isHeld: boolean, hold: HoldReason, { code, text }: Reason): Addition {
  if (isHeld) return { outcome: 'toPay', hold, reason: { code, text: `${text}: it would be held` } };
  return { outcome: 'toPay', reason: { code, text: `${text}: the settings pay it all the same` } };
}

/**
 * Forecasts a run's outcome for a row that the rules have accepted.
 * @param isHalted true: nothing is sent until an operator resumes; reported once, not for each row
 */
export function forecastRow(
  row: GoodRow,
  verdict: PayeeVerdict,
  policy: AnswerPolicy,
  isHalted: boolean,
): RowForecast {
  const { outcome, hold, reason } = weigh(verdict, policy);
  if (outcome === 'notAsked') return { outcome, holds: [], issues: [], notes: [] };
  const holds = [...row.holds, ...(hold === undefined ? [] : [hold])];
  const ownIssues = describeHolds(row);
  const found = reason === undefined ? [] : [payeeIssue(row, reason)];
  const isNote = outcome === 'toPay' && hold === undefined;
  const issues = isNote ? ownIssues : [...ownIssues, ...found];
  const notes = isNote ? found : [];
  // The hold comes first: a run asks about a held row only after its release.
  if (outcome === 'unpayable' && row.holds.length === 0) return { outcome, holds: [], issues, notes };
  if (isHalted) holds.push('halted');
  return { outcome: holds.length > 0 ? 'held' : 'toPay', holds, issues, notes };
}

/** Adds a row's likeness to a forecast that would pay it: a run would hold the row, or pay it without a report. */
export function addLikeness(row: GoodRow, forecast: RowForecast, likeness: Likeness): RowForecast {
  switch (likeness) {
    case 'none':
      return forecast;
    case 'other-reference':
      return { ...forecast, notes: [...forecast.notes, otherReferenceNote(row)] };
    case 'same-payment':
      return { outcome: 'held', holds: ['similar'], issues: [likePaymentIssue(row)], notes: [] };
  }
}

/**
 * Adds the limits over time to a forecast that would pay a row.
 * @param mentioned issues common to all rows that have been reported
 */
export function addLimits(
  row: GoodRow,
  forecast: RowForecast,
  found: readonly LimitFinding[],
  mentioned: Set<string>,
): RowForecast {
  if (found.length === 0) return forecast;
  const holds = [...new Set(found.map(({ hold }) => hold))];
  return { outcome: 'held', holds, issues: describeLimits(row, found, mentioned), notes: [] };
}

const limitColumns: Readonly<Record<LimitFinding['code'], string | null>> = {
  'new-payee': 'proxyNo',
  'baht-per-day': 'amount',
  'payee-per-day': 'amount',
  'files-per-day': null,
  'service-day': null,
};

/** One issue for each limit that the row would exceed; an issue common to all rows is reported once. */
export function describeLimits(
  row: GoodRow,
  found: readonly LimitFinding[],
  mentioned: Set<string>,
): Issue[] {
  return found.flatMap(({ code, text }) => {
    if (!fileWideCodes.includes(code)) return [heldIssue(row, code, limitColumns[code], text)];
    if (mentioned.has(code)) return [];
    mentioned.add(code);
    const message = `${text}: a run would hold all of it now`;
    return [{ line: 1, column: null, code, value: null, message }];
  });
}

/** The issue of a row that is like a payout that was paid, or would be. */
const likePaymentIssue = (row: GoodRow): Issue =>
  heldIssue(
    row,
    'similar-payment',
    'payoutId',
    'the same amount was paid, or would be, to the same payee under another payoutId (limits.similarDays)',
  );

const otherReferenceNote = ({ line }: GoodRow): Issue => ({
  line,
  column: 'reference1',
  code: 'similar-reference',
  value: null,
  message:
    'the same amount was paid, or would be, to the same payee with another reference1 (limits.similarDays): it is paid, make sure that it is another payment',
});

type EarlierRow = Pick<
  ResultRow,
  'line' | 'status' | 'holds' | 'issues' | 'reason' | 'reasonCode' | 'instruction'
>;

/** Forecasts another run's outcome for a row that an earlier run has read; `ask` when it would send it. */
export function forecastEarlierRow(row: EarlierRow): RowForecast | 'ask' {
  const none = { holds: [], issues: [], notes: [] } as const;
  const code = row.reasonCode ?? row.status;
  const end = (outcome: ForecastOutcome, message: string): RowForecast => ({
    ...none,
    outcome,
    issues: [{ line: row.line, column: null, code, value: null, message }],
  });
  const why = row.reason === null ? '' : `: ${row.reason}`;
  switch (row.status) {
    case 'staged':
    case 'ready':
      return 'ask';
    case 'held': {
      const holds = row.holds.filter((hold) => !rerunHolds.includes(hold));
      if (holds.length === 0) return 'ask';
      const text = `held since an earlier run (${holds.join(', ')})${why}; a person must let it go on`;
      return { ...end('held', text), holds };
    }
    case 'paid':
      return { ...none, outcome: 'paidEarlier' };
    case 'submitted':
    case 'unresolved':
    case 'disputed':
      return end('inDoubt', `${row.status} since an earlier run: a run asks the bank and sends nothing`);
    case 'rejected':
      return row.issues.length > 0
        ? { ...none, outcome: 'rejected', issues: row.issues }
        : end('rejected', `rejected by an earlier run${why}`);
    case 'unpayable':
      return end('unpayable', `unpayable since an earlier run${why}`);
    case 'failed':
    case 'cancelled':
      return end(
        'endedEarlier',
        `${row.status} in an earlier run${why}; running the file again does not try it again`,
      );
  }
}

/** The row at which the brake would stop a run. */
export interface BrakeStop extends BatchReason {
  readonly rowNo: number;
}

/** Forecasts the brake: payees in a row that cannot be paid stop a run before the rows behind them. */
export class BrakeForecast {
  readonly #policy: BrakePolicy;
  #breaker = openBreaker;
  /** Rows that a run would ask about before sending. */
  checks = 0;
  stop: BrakeStop | undefined;

  constructor(policy: BrakePolicy) {
    this.#policy = policy;
  }

  /** Counts a row that a run would have asked about; a payable one counts as paid. */
  observe({ outcome, holds }: RowForecast, rowNo: number): void {
    if (outcome === 'notAsked') return;
    this.checks += 1;
    const isEndOtherwise = outcome === 'unpayable' || holds.includes('unavailable');
    if (!isEndOtherwise && outcome !== 'toPay') return;
    const signal = { kind: isEndOtherwise ? 'ended-otherwise' : 'paid' } as const;
    this.#breaker = decideBreaker(this.#breaker, signal, this.#policy, 0);
    const { status, why } = this.#breaker;
    if (status === 'halted' && why !== null) this.stop ??= { ...why, rowNo };
  }
}

/** The pace by the settings, and the measured speed of the bank. */
interface ExpectedRate {
  /** Rows that would be sent. */
  readonly transfers: number;
  /** Inquiries about each row before it is sent, one after another. */
  readonly inquiriesEach: number;
  /** Rows that a run would first ask about; 0 without such questions. */
  readonly checks: number;
  /** Transfers at once, and as many inquiries. */
  readonly transferConcurrency: number;
  /** Rows at once between their first inquiry and the answer to their transfer. */
  readonly rowsAtOnce: number;
  readonly checkConcurrency: number;
  /** Limit on all requests together; 0 = no limit. */
  readonly requestsPerSecond: number;
  /** Mean time of an answer in ms. */
  readonly latencyMs: number;
}

export interface ExpectedTime {
  readonly ms: number;
  /** The slowest part: checks and transfers run side by side, and the rate counts both. */
  readonly boundBy: 'transfers' | 'checks' | 'requestsPerSecond';
}

/** Duration of a run without trouble; a transfer and an inquiry count as fast as a payee check. */
export function computeExpectedTime(pace: ExpectedRate): ExpectedTime {
  const { transfers, inquiriesEach, checks, latencyMs, requestsPerSecond } = pace;
  const roundsEach = Math.max(
    1 / pace.transferConcurrency,
    inquiriesEach / pace.transferConcurrency,
    (1 + inquiriesEach) / pace.rowsAtOnce,
  );
  const times: readonly ExpectedTime[] = [
    { boundBy: 'transfers', ms: transfers * latencyMs * roundsEach },
    { boundBy: 'checks', ms: (checks * latencyMs) / pace.checkConcurrency },
    {
      boundBy: 'requestsPerSecond',
      ms:
        requestsPerSecond > 0 ? ((checks + transfers * (1 + inquiriesEach)) * 1_000) / requestsPerSecond : 0,
    },
  ];
  let longest: ExpectedTime = { boundBy: 'transfers', ms: 0 };
  for (const time of times) if (time.ms > longest.ms) longest = time;
  return longest;
}
