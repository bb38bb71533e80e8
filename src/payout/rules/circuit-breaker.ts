/**
 * The circuit breaker of a payer account (design: "Stop the line"): open to requests, paused while the service is in
 * trouble, or halted until an operator resumes it. Transfers and questions have one each, with the same rules, so that
 * trouble of transfers never stops inquiries about doubts. Pure; asked before each send.
 */
import { type Message, message } from '../../core/message.ts';
import { computeBackoffMs } from '../../core/backoff.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { Reason } from '../../core/change.ts';
import type { BatchReason, BrakeLimits, PayerPause, PayoutEnd } from '../../core/ports.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import { findRegistrationCode } from '../../core/direct-debit-codes.ts';
import { type BrakePolicy, type CountedEnds, countEnd, describeDoubt, noEnds } from './brake.ts';
import { aroundMidnight, clocksDiffer } from './clock-skew.ts';
import { type BreakerSignal, replyLost } from './read-reply.ts';
import { nextOpeningAfterMs, type ServiceHours } from './service-hours.ts';

export interface BreakerState extends CountedEnds {
  readonly status: 'open' | 'paused' | 'halted';
  readonly why: BatchReason | null;
  /** While paused: start of the pause or of its last extension, and the time of the next try. */
  readonly pausedAtMs: number;
  readonly pausedUntilMs: number;
  /** Troubles in a row; the pause doubles with each. */
  readonly troubles: number;
  /** Transfers in a row without any answer. */
  readonly unanswered: number;
}

/**
 * The kind of a request: transfers move money; questions are payee checks and inquiries, with the token that they need.
 */
export type RequestKind = 'transfers' | 'questions';

/**
 * Both breakers of a payer account. A halt of the account is stored with the transfers; questions pass it or never meet
 * it.
 */
export type PayerState = Readonly<Record<RequestKind, BreakerState>>;

/** Code for a payer account that waits for the service to open. */
export const outsideHours = 'outside-service-hours';

export const openBreaker: BreakerState = {
  status: 'open',
  why: null,
  pausedAtMs: 0,
  pausedUntilMs: 0,
  troubles: 0,
  unanswered: 0,
  ...noEnds,
};

export const openPayer: PayerState = { transfers: openBreaker, questions: openBreaker };

const pauseFirstMs = 1_000;
const pauseMaxMs = 60_000;
/** Longest pause in ms after such an answer of the bank to transfers. */
const refusedPauseMaxMs = 15 * 60_000;
/**
 * Longest pause in ms after a definite refusal, the longest of all: each such try uses up one of the payout's 99
 * attempts.
 */
const usedUpPauseMaxMs = 3 * 3_600_000;
/** Longest Retry-After in ms that is honoured; a server's error must not stop the account for years. */
const retryAfterMaxMs = 24 * 3_600_000;
/** Time in ms after which an ended pause says nothing about the service any more. */
const staleAfterMs = 36 * 3_600_000;
/** The bank's code for a service that is closed (§7.3). */
const serviceClosed = 'TM001';

/** Transfers in a row without an answer that count as an outage; a single lost reply does not. */
const unansweredMax = 2;

/** Length of a pause in ms: doubles from one second up to the limit, or as long as the bank asks if that is longer. @forTests */
export function computePauseMs(
  troubles: number,
  retryAfterMs: number | undefined,
  maxMs: number = pauseMaxMs,
): number {
  const backoffMs = computeBackoffMs({ baseMs: pauseFirstMs, maxMs }, troubles);
  return Math.max(backoffMs, computeWishMs(retryAfterMs));
}

const computeWishMs = (retryAfterMs: number | undefined): number =>
  Math.min(retryAfterMs ?? 0, retryAfterMaxMs);

function halt(state: BreakerState, why: BatchReason): BreakerState {
  return state.status === 'halted' ? state : { ...state, status: 'halted', why };
}

/** Remedy for a halt, by the bank's code if it has one; registrations have their own codes. */
function remedyOf({ code }: Reason, fallback: Message): Message {
  return (findBankStatus(code) ?? findRegistrationCode(code))?.remedy ?? fallback;
}

/** The reason of a halt for trouble of the payer. */
function describePayerStop(reason: Reason): BatchReason {
  const remedy = remedyOf(reason, message('payer.clear-with-bank'));
  return { code: reason.code, reason: reason.text, remedy };
}

/** Meaning of a signal for the rows that follow, when a journal counts the ends of several machines. */
export function endOf(signal: BreakerSignal, limits: BrakeLimits): PayoutEnd | undefined {
  switch (signal.kind) {
    case 'paid':
    case 'ended-otherwise':
      return { kind: 'counted', isPaid: signal.kind === 'paid', limits };
    case 'payer-stop':
      return { kind: 'halts', why: describePayerStop(signal.reason) };
    case 'service-trouble':
    case 'unanswered':
    case 'taken':
    case 'answered':
    case 'nothing':
      return undefined;
  }
}

/**
 * The breaker after the end of a transfer, shown by its reply or by an inquiry: the end counts, and says nothing about
 * the service.
 */
export function afterEnd(state: BreakerState, isPaid: boolean, brake: BrakePolicy): BreakerState {
  const { counted, why } = countEnd(state, isPaid, brake, brake.things);
  const next = { ...state, ...counted };
  return why === undefined ? next : halt(next, why);
}

type Trouble = Extract<BreakerSignal, { kind: 'service-trouble' }>;

/** Longest pause for a reason: after the bank's own answer to a transfer, the next transfer would get the same. */
function pauseMaxFor(kind: RequestKind, { code }: Reason): number {
  if (kind === 'questions') return pauseMaxMs;
  const outcome = (findBankStatus(code) ?? findRegistrationCode(code))?.outcome;
  if (outcome === 'failed' || outcome === 'not-taken') return usedUpPauseMaxMs;
  return outcome !== undefined || code.startsWith('http-') ? refusedPauseMaxMs : pauseMaxMs;
}

/**
 * The signal of a transfer to a service with known hours. When the service says that it is closed, the pause lasts
 * until the next opening, because each try in between would use up an attempt.
 */
export function waitForOpening(signal: BreakerSignal, hours: ServiceHours, nowMs: number): BreakerSignal {
  if (signal.kind !== 'service-trouble' || signal.reason.code !== serviceClosed) return signal;
  const untilOpeningMs = nextOpeningAfterMs(hours, nowMs) - nowMs;
  const retryAfterMs = Math.max(untilOpeningMs, signal.reason.retryAfterMs ?? 0);
  return { ...signal, reason: { ...signal.reason, retryAfterMs } };
}

function pause(state: BreakerState, trouble: Trouble, kind: RequestKind, nowMs: number): BreakerState {
  if (state.status === 'halted') return state;
  const { code, text, retryAfterMs } = trouble.reason;
  // Callers under way at the start of a trouble all report it: they cause one pause, not one each.
  const remedy = remedyOf(trouble.reason, message('payer.goes-on'));
  const why = { code, reason: text, remedy };
  if (isPausing(state, nowMs)) return prolong(state, why, nowMs + computeWishMs(retryAfterMs), nowMs);
  const maxMs = pauseMaxFor(kind, trouble.reason);
  return {
    ...state,
    status: 'paused',
    why,
    pausedAtMs: nowMs,
    pausedUntilMs: nowMs + computePauseMs(state.troubles, retryAfterMs, maxMs),
    troubles: state.troubles + 1,
  };
}

/** Handles trouble during a pause: only the bank's Retry-After extends it. */
function prolong(state: BreakerState, why: BatchReason, wishedUntilMs: number, nowMs: number): BreakerState {
  if (wishedUntilMs <= state.pausedUntilMs) return state;
  return { ...state, why, pausedAtMs: nowMs, pausedUntilMs: wishedUntilMs };
}

/** True until the pause is over; the first request afterwards is a probe. */
export const isPausing = (state: BreakerState, nowMs: number): boolean =>
  state.status === 'paused' && nowMs < state.pausedUntilMs;

/** Adapts a pause to a clock that was set back: counted from now, the pause keeps its length. */
export function fitPause(state: BreakerState, nowMs: number): BreakerState {
  if (state.status !== 'paused' || nowMs >= state.pausedAtMs) return state;
  const setBackMs = state.pausedAtMs - nowMs;
  return {
    ...state,
    pausedAtMs: nowMs,
    pausedUntilMs: state.pausedUntilMs - setBackMs,
  };
}

/** The breaker with an earlier run's pause; unchanged when the pause is too old. */
export function restorePause(state: BreakerState, recorded: PayerPause, nowMs: number): BreakerState {
  const { code, reason, remedy, troubles, sinceMs, untilMs } = recorded;
  if (nowMs - untilMs > staleAfterMs) return state;
  const paused: BreakerState = {
    ...state,
    status: 'paused',
    why: { code, reason, remedy },
    pausedAtMs: sinceMs,
    pausedUntilMs: untilMs,
    troubles,
  };
  return fitPause(paused, nowMs);
}

/** The breaker outside the service hours. */
export function closeBreaker(state: BreakerState, opensAtMs: number): BreakerState {
  const reason = message('payer.service-closed', { moment: formatBangkokMoment(opensAtMs) });
  const remedy = message('payer.opens-by-itself');
  return holdBack(state, { code: outsideHours, reason, remedy }, opensAtMs);
}

/**
 * The breaker while transfers wait for a reason other than the bank's trouble; a halt or a longer pause stays visible.
 */
export function holdBack(state: BreakerState, why: BatchReason, untilMs: number): BreakerState {
  if (state.status === 'halted' || (state.status === 'paused' && state.pausedUntilMs >= untilMs))
    return state;
  return { ...state, status: 'paused', why, pausedUntilMs: untilMs };
}

/** Codes whose reason is complete: the pause is not caused by trouble of the service. */
const ownReasons: readonly string[] = [outsideHours, clocksDiffer, aroundMidnight];

/** Reason and end of the wait, for a row that waits for the account. */
export function describePause(state: BreakerState): BatchReason | null {
  const { why } = state;
  if (state.status !== 'paused' || why === null || ownReasons.includes(why.code)) return why;
  const moment = formatBangkokMoment(state.pausedUntilMs);
  return { ...why, reason: message('payer.left-alone', { why: why.reason, moment }) };
}

/** Ends the trouble. A reply during a pause belongs to a request from before it, and proves nothing. */
function reopen(state: BreakerState, nowMs: number): BreakerState {
  if (isPausing(state, nowMs)) return state;
  const calm = { ...state, troubles: 0, unanswered: 0 };
  return state.status === 'paused' ? { ...calm, status: 'open', why: null } : calm;
}

/**
 * Counts a transfer without an answer. A bank that fails leaves all transfers under way unanswered: one trouble of the
 * service, not that many bad ends, so the account waits for the bank and not for an operator.
 */
function afterNoAnswer(state: BreakerState, reason: Reason, kind: RequestKind, nowMs: number): BreakerState {
  const next = { ...state, unanswered: state.unanswered + 1 };
  if (next.unanswered < unansweredMax && state.status !== 'paused') return next;
  return pause(next, { kind: 'service-trouble', reason }, kind, nowMs);
}

/** True for a signal by which the bank has answered a request, which shows that the trouble is over. */
export const isAnswer = ({ kind }: BreakerSignal): boolean =>
  kind === 'paid' || kind === 'ended-otherwise' || kind === 'taken' || kind === 'answered';

/** One breaker after the signal of a reply to a request of its kind. */
export function decideBreaker(
  state: BreakerState,
  signal: BreakerSignal,
  brake: BrakePolicy,
  nowMs: number,
  kind: RequestKind = 'transfers',
): BreakerState {
  switch (signal.kind) {
    case 'paid':
      return afterEnd(reopen(state, nowMs), true, brake);
    case 'ended-otherwise':
      return afterEnd(reopen(state, nowMs), false, brake);
    case 'payer-stop':
      return halt(state, describePayerStop(signal.reason));
    case 'service-trouble':
      return pause(state, signal, kind, nowMs);
    case 'unanswered':
      return afterNoAnswer(state, signal.reason, kind, nowMs);
    case 'taken':
    case 'answered':
      return reopen(state, nowMs);
    case 'nothing':
      return state;
  }
}

/** Code of HTTP 429 with a time to come back; it limits the client for all kinds of request. */
const tooManyRequests = 'http-429';

/**
 * Both breakers after the signal of a reply. Requests of its own kind move each; both react to what concerns the whole
 * account: a payer's trouble, a payee check that ends a payout, and the bank's wish to be left alone.
 */
export function decidePayer(
  state: PayerState,
  signal: BreakerSignal,
  kind: RequestKind,
  brake: BrakePolicy,
  nowMs: number,
): PayerState {
  const after = (one: RequestKind): BreakerState => decideBreaker(state[one], signal, brake, nowMs, one);
  const { transfers, questions } = state;
  switch (signal.kind) {
    case 'service-trouble': {
      const { code, retryAfterMs } = signal.reason;
      const isForAll = code === tooManyRequests && retryAfterMs !== undefined;
      return isForAll
        ? { transfers: after('transfers'), questions: after('questions') }
        : { ...state, [kind]: after(kind) };
    }
    case 'payer-stop':
      return { ...state, transfers: after('transfers') };
    case 'ended-otherwise':
      // The end of a payee check counts for the brake, and says nothing about transfers.
      return kind === 'questions'
        ? { transfers: afterEnd(transfers, false, brake), questions: reopen(questions, nowMs) }
        : { ...state, transfers: after('transfers') };
    case 'paid':
    case 'unanswered':
    case 'taken':
    case 'answered':
    case 'nothing':
      return { ...state, [kind]: after(kind) };
  }
}

/**
 * The breaker of transfers when an inquiry has shown that an unanswered one is with the bank: the bank works, and the
 * pause ends; the next transfer shows whether it answers transfers, too. A pause for another trouble stays.
 */
export function afterUnansweredKnown(state: BreakerState, nowMs: number): BreakerState {
  const isOver = isPausing(state, nowMs) && state.why?.code === replyLost;
  return isOver ? { ...state, pausedAtMs: nowMs, pausedUntilMs: nowMs, troubles: 0 } : state;
}

/** An attempt to send again. */
export interface Repetition {
  /** True when no send of it was delivered: it counts as a first send. */
  readonly isUndelivered: boolean;
  readonly notFoundTrustMs: number;
}

/**
 * Shares of `notFoundTrustMs`. This long after the end of a pause a repetition may be the probe, because no other
 * transfer has tried.
 */
const probeGraceShare = 1 / 12;
/** Interval of inquiries about a repetition while transfers are paused; it is sent when they go on. */
const repetitionPollShare = 1 / 6;
/** Length in ms of a pause beyond which such inquiries are not worth it. */
const longPauseMs = 60_000;

const graceOf = ({ isUndelivered, notFoundTrustMs }: Repetition): number =>
  isUndelivered ? 0 : notFoundTrustMs * probeGraceShare;

/**
 * True when the same attempt may be sent again now: while transfers are answered, or as the probe when no other
 * transfer is there to try.
 */
export function mayRepeat(state: BreakerState, repetition: Repetition, nowMs: number): boolean {
  if (state.status !== 'paused') return state.status === 'open';
  return nowMs >= state.pausedUntilMs + graceOf(repetition);
}

/**
 * Time of the next check of a delayed repetition; undefined when unknown, because transfers are halted or paused for
 * long.
 */
export function computeNextRepetitionAtMs(
  { status, pausedUntilMs }: BreakerState,
  repetition: Repetition,
  nowMs: number,
): number | undefined {
  if (status === 'halted' || pausedUntilMs - nowMs > longPauseMs) return undefined;
  const latestMs = nowMs + Math.max(10, repetition.notFoundTrustMs * repetitionPollShare);
  const probeAtMs = pausedUntilMs + graceOf(repetition);
  // The journal stores whole milliseconds.
  return Math.ceil(probeAtMs > nowMs ? Math.min(probeAtMs, latestMs) : latestMs);
}

/** The breaker after a count of the rows in doubt. */
export function decideOnInDoubt(state: BreakerState, inDoubt: number, brake: BrakePolicy): BreakerState {
  if (inDoubt < brake.inDoubtMax) return state;
  return halt(state, { code: 'brake-in-doubt', ...describeDoubt[brake.things ?? 'payout'](inDoubt) });
}
