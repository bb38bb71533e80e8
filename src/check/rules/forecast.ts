/** Forecasts a run's outcome for each row of a file, as far as payee checks show it. Pure; sends nothing. */
import { listed, message, type Message } from '../../core/message.ts';
import type { Reason } from '../../core/change.ts';
import type { Issue, StagedRow } from '../../core/payout-file.ts';
import type { HoldReason } from '../../core/payout.ts';
import type { BatchReason, ResultRow } from '../../core/ports.ts';
import { maskDigits } from '../../core/proxy-id.ts';
import type { BrakePolicy } from '../../payout/rules/brake.ts';
import { decideBreaker, openBreaker } from '../../payout/rules/circuit-breaker.ts';
import { fileWideCodes, type LimitFinding } from '../../payout/rules/limits.ts';
import { accountHolds } from '../../payout/rules/operator.ts';
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

const heldIssue = (
  { line, instruction }: GoodRow,
  code: string,
  column: string | null,
  why: Message,
): Issue => ({
  line,
  column,
  code,
  value: null,
  message: message('forecast.held-until', { why, payoutId: instruction.payoutId }),
});

/** Reasons of a held row, one issue for each hold. */
export function describeHolds(row: GoodRow): Issue[] {
  return row.holds.map((hold) => {
    const column = hold === 'limit' ? 'amount' : hold === 'similar' ? 'payoutId' : null;
    return heldIssue(row, hold, column, message(`forecast.${hold}`));
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
      const what = policy.enabled ? 'forecast.unpayable' : 'forecast.unpayable-unchecked';
      return { outcome: 'unpayable', reason: { code, text: message(what, { why: text }) } };
    }
    case 'other-name':
      return weighSetting(policy.enabled && policy.onThaiNameMismatch === 'hold', 'name', {
        code: 'thai-name-differs',
        text: message('payee.other-thai-name'),
      });
    case 'unavailable':
      return weighSetting(policy.enabled && policy.whenUnavailable === 'hold', 'unavailable', {
        code: verdict.reason.code,
        text: message('payee.no-answer', { why: verdict.reason.text }),
      });
  }
}

function weighSetting(isHeld: boolean, hold: HoldReason, { code, text: why }: Reason): Addition {
  const text = message(isHeld ? 'forecast.would-be-held' : 'forecast.paid-all-the-same', { why });
  return { outcome: 'toPay', ...(isHeld ? { hold } : {}), reason: { code, text } };
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
    const why = message('forecast.all-held-now', { why: text });
    return [{ line: 1, column: null, code, value: null, message: why }];
  });
}

/** The issue of a row that is like a payout that was paid, or would be. */
const likePaymentIssue = (row: GoodRow): Issue =>
  heldIssue(row, 'similar-payment', 'payoutId', message('forecast.like-payment'));

const otherReferenceNote = ({ line }: GoodRow): Issue => ({
  line,
  column: 'reference1',
  code: 'similar-reference',
  value: null,
  message: message('forecast.other-reference'),
});

type EarlierRow = Pick<
  ResultRow,
  'line' | 'status' | 'holds' | 'issues' | 'reason' | 'reasonCode' | 'instruction'
>;

/** Forecasts another run's outcome for a row that an earlier run has read; `ask` when it would send it. */
export function forecastEarlierRow(row: EarlierRow): RowForecast | 'ask' {
  const none = { holds: [], issues: [], notes: [] } as const;
  const code = row.reasonCode ?? row.status;
  const end = (outcome: ForecastOutcome, found: Message): RowForecast => ({
    ...none,
    outcome,
    issues: [{ line: row.line, column: null, code, value: null, message: found }],
  });
  const why = row.reason === null ? '' : message('forecast.because', { reason: row.reason });
  switch (row.status) {
    case 'staged':
    case 'ready':
      return 'ask';
    case 'held': {
      const holds = row.holds.filter((hold) => !accountHolds.includes(hold));
      if (holds.length === 0) return 'ask';
      const named = listed(holds.map((hold) => message(`hold-is.${hold}`)));
      return { ...end('held', message('forecast.held-since', { holds: named, why })), holds };
    }
    case 'paid':
      return { ...none, outcome: 'paidEarlier' };
    case 'submitted':
    case 'unresolved':
    case 'disputed':
      return end(
        'inDoubt',
        message('forecast.in-doubt-since', { status: message(`payout-is.${row.status}`) }),
      );
    case 'rejected':
      return row.issues.length > 0
        ? { ...none, outcome: 'rejected', issues: row.issues }
        : end('rejected', message('forecast.rejected', { why }));
    case 'unpayable':
      return end('unpayable', message('forecast.unpayable-since', { why }));
    case 'failed':
    case 'cancelled':
      return end(
        'endedEarlier',
        message('forecast.ended', { status: message(`payout-is.${row.status}`), why }),
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
