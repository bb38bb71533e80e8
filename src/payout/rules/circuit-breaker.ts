/**
 * The circuit breaker of a payer account (design: "Stop the line"). One state for all that is sent from the account:
 * open to requests, paused while the service is sick, or halted until an operator resumes. Pure; asked before each send.
 */
import { computeBackoffMs } from '../../core/backoff.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { Reason } from '../../core/change.ts';
import type { BatchReason, PayerPause } from '../../core/ports.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import type { BreakerSignal } from './read-reply.ts';

export interface BrakePolicy {
  readonly consecutiveFailures: number;
  /** Share of the window, 0–1. */
  readonly failureShare: number;
  /** Ends looked back on. */
  readonly window: number;
  readonly inDoubtMax: number;
}

export interface BreakerState {
  readonly status: 'open' | 'paused' | 'halted';
  readonly why: BatchReason | null;
  /** While paused: when the pause began, or was last made longer, and when a transfer may be tried again. */
  readonly pausedAtMs: number;
  readonly pausedUntilMs: number;
  /** While paused: when a question may be asked again; the bank may answer it while it refuses transfers. */
  readonly questionsUntilMs: number;
  /** A transfer met the trouble: that questions are answered again does not end it. */
  readonly isTransferTrouble: boolean;
  /** Troubles met one after another; the pause doubles with each. */
  readonly troubles: number;
  /** Transfers one after another that got no answer at all. */
  readonly unanswered: number;
  readonly consecutiveFailures: number;
  /** The latest ends, oldest first: true for paid. */
  readonly ends: readonly boolean[];
}

/** Our code for a payer account that waits for the service to open. */
export const outsideHours = 'outside-service-hours';

export const openBreaker: BreakerState = {
  status: 'open',
  why: null,
  pausedAtMs: 0,
  pausedUntilMs: 0,
  questionsUntilMs: 0,
  isTransferTrouble: false,
  troubles: 0,
  unanswered: 0,
  consecutiveFailures: 0,
  ends: [],
};

const pauseFirstMs = 1_000;
const pauseMaxMs = 60_000;
/** A bank that refuses transfers uses up an attempt with each that is tried, so it is left alone for longer. */
const refusedPauseMaxMs = 15 * 60_000;
/** Longest wish of the bank that is followed; a slip of its server must not stop the account for years. */
const retryAfterMaxMs = 24 * 3_600_000;
/** A pause that has been over for so long says nothing about the service any more. */
const staleAfterMs = 6 * 3_600_000;

/** One lost reply happens; when so many transfers in a row get none, the bank is out of reach. */
const unansweredMax = 2;

/** Length of a pause: doubling from a second to its limit, or what the bank asks for when that is longer. */
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

/** What an operator should do about a halt, from the bank's code where it has one. */
function remedyOf(reason: Reason, fallback: string): string {
  return findBankStatus(reason.code)?.remedy ?? fallback;
}

/** The breaker after a transfer has ended, by its own reply or by an inquiry: it counts, and says nothing of the service. */
export function afterEnd(state: BreakerState, isPaid: boolean, brake: BrakePolicy): BreakerState {
  const ends = [...state.ends, isPaid].slice(-brake.window);
  const consecutiveFailures = isPaid ? 0 : state.consecutiveFailures + 1;
  const next: BreakerState = { ...state, ends, consecutiveFailures };
  if (isPaid) return next;
  const brakeFor = (code: string, rows: string): BreakerState => {
    const remedy = 'Look at the reasons of these rows; when the cause is mended, resume the batch';
    return halt(next, { code, reason: `${rows} ended otherwise than paid`, remedy });
  };
  if (consecutiveFailures >= brake.consecutiveFailures)
    return brakeFor('brake-consecutive', `${consecutiveFailures} payouts in a row`);
  const failures = ends.filter((paid) => !paid).length;
  return ends.length >= brake.window && failures >= brake.failureShare * brake.window
    ? brakeFor('brake-share', `${failures} of the last ${ends.length} payouts`)
    : next;
}

type Trouble = Extract<BreakerSignal, { kind: 'service-trouble' }>;

/** The bank itself answered a transfer so: the next one would use up an attempt, too, or be in doubt. */
function isRefusal({ isTransfer, reason }: Trouble): boolean {
  return isTransfer && (findBankStatus(reason.code) !== undefined || reason.code.startsWith('http-'));
}

function pause(state: BreakerState, trouble: Trouble, nowMs: number): BreakerState {
  if (state.status === 'halted') return state;
  const isTransferTrouble = trouble.isTransfer || (state.status === 'paused' && state.isTransferTrouble);
  // Callers that were under way when the trouble began report the same trouble: one pause, not one each.
  if (isPausing(state, nowMs)) return prolong({ ...state, isTransferTrouble }, trouble, nowMs);
  const { code, text } = trouble.reason;
  const remedy = remedyOf(
    trouble.reason,
    'Goes on by itself when the bank answers again; or run the same command later',
  );
  const maxMs = isRefusal(trouble) ? refusedPauseMaxMs : pauseMaxMs;
  return {
    ...state,
    status: 'paused',
    why: { code, reason: text, remedy },
    pausedAtMs: nowMs,
    pausedUntilMs: nowMs + computePauseMs(state.troubles, trouble.reason.retryAfterMs, maxMs),
    questionsUntilMs: nowMs + computePauseMs(state.troubles, trouble.reason.retryAfterMs),
    isTransferTrouble,
    troubles: state.troubles + 1,
  };
}

/** A trouble during a pause: the bank's own wish makes it longer, and a question that met it waits again. */
function prolong(state: BreakerState, trouble: Trouble, nowMs: number): BreakerState {
  const wishedUntilMs = nowMs + computeWishMs(trouble.reason.retryAfterMs);
  const isQuestions = !trouble.isTransfer && nowMs >= state.questionsUntilMs;
  const askAgainAtMs = isQuestions ? nowMs + computePauseMs(state.troubles, undefined) : nowMs;
  const isLonger = wishedUntilMs > state.pausedUntilMs;
  return {
    ...state,
    pausedAtMs: isLonger ? nowMs : state.pausedAtMs,
    pausedUntilMs: Math.max(state.pausedUntilMs, wishedUntilMs),
    questionsUntilMs: Math.max(state.questionsUntilMs, wishedUntilMs, askAgainAtMs),
  };
}

/** True until the pause is over; what is sent afterwards is a probe. */
export const isPausing = (state: BreakerState, nowMs: number): boolean =>
  state.status === 'paused' && nowMs < state.pausedUntilMs;

/** A clock that was set back does not make a pause longer: counted from now, it lasts as long as it was to last. */
export function fitPause(state: BreakerState, nowMs: number): BreakerState {
  if (state.status !== 'paused' || nowMs >= state.pausedAtMs) return state;
  const setBackMs = state.pausedAtMs - nowMs;
  return {
    ...state,
    pausedAtMs: nowMs,
    pausedUntilMs: state.pausedUntilMs - setBackMs,
    questionsUntilMs: state.questionsUntilMs - setBackMs,
  };
}

/** The breaker as a pause of an earlier run leaves it; as it was when that is too long ago. */
export function takeUpPause(state: BreakerState, recorded: PayerPause, nowMs: number): BreakerState {
  const { code, reason, remedy, troubles, isTransfer, sinceMs, untilMs } = recorded;
  if (nowMs - untilMs > staleAfterMs) return state;
  const questionsUntilMs = Math.min(untilMs, sinceMs + pauseMaxMs);
  const paused: BreakerState = {
    ...state,
    status: 'paused',
    why: { code, reason, remedy },
    pausedAtMs: sinceMs,
    pausedUntilMs: untilMs,
    questionsUntilMs,
    isTransferTrouble: isTransfer,
    troubles,
  };
  return fitPause(paused, nowMs);
}

/** The breaker as it stands outside the service hours. */
export function closeBreaker(state: BreakerState, opensAtMs: number): BreakerState {
  if (state.status === 'halted' || (state.status === 'paused' && state.pausedUntilMs >= opensAtMs))
    return state;
  const opens = `the service is closed now and opens at ${formatBangkokMoment(opensAtMs)} Bangkok time`;
  const remedy = 'Goes on by itself when the service opens; or run the same file again then';
  const why = { code: outsideHours, reason: opens, remedy };
  return { ...state, status: 'paused', why, pausedUntilMs: opensAtMs };
}

/** What a row that waits for the account is told: why, and until when. */
export function describePause(state: BreakerState): BatchReason | null {
  if (state.status !== 'paused' || state.why === null || state.why.code === outsideHours) return state.why;
  const until = `the service is left alone until ${formatBangkokMoment(state.pausedUntilMs)} Bangkok time`;
  return { ...state.why, reason: `${state.why.reason}; ${until}` };
}

/** The trouble is over; what comes back during a pause was under way before it and proves nothing. */
function reopen(state: BreakerState, nowMs: number): BreakerState {
  if (isPausing(state, nowMs)) return state;
  const calm = { ...state, troubles: 0, unanswered: 0, isTransferTrouble: false };
  return state.status === 'paused' ? { ...calm, status: 'open', why: null } : calm;
}

/**
 * A bank that dies leaves all that was under way without an answer: that is one trouble of the service, not as many
 * payouts that ended badly, so the account waits for the bank instead of for an operator.
 */
function afterNoAnswer(state: BreakerState, reason: Reason, nowMs: number): BreakerState {
  const next = { ...state, unanswered: state.unanswered + 1 };
  if (next.unanswered < unansweredMax && state.status !== 'paused') return next;
  return pause(next, { kind: 'service-trouble', reason, isTransfer: true }, nowMs);
}

/** The breaker after what a reply signals. */
export function decideBreaker(
  state: BreakerState,
  signal: BreakerSignal,
  brake: BrakePolicy,
  nowMs: number,
): BreakerState {
  switch (signal.kind) {
    case 'paid':
      return afterEnd(reopen(state, nowMs), true, brake);
    case 'ended-otherwise':
      return afterEnd(reopen(state, nowMs), false, brake);
    case 'payer-stop':
      return halt(state, {
        code: signal.reason.code,
        reason: signal.reason.text,
        remedy: remedyOf(
          signal.reason,
          'Clear it with the bank, correct the settings, then resume the batch',
        ),
      });
    case 'service-trouble':
      return pause(state, signal, nowMs);
    case 'unanswered':
      return afterNoAnswer(state, signal.reason, nowMs);
    case 'taken':
      return reopen(state, nowMs);
    case 'answered':
      return state.isTransferTrouble ? state : { ...reopen(state, nowMs), unanswered: state.unanswered };
    case 'nothing':
      return state;
  }
}

/** The breaker after a count of what is in doubt. */
export function decideOnInDoubt(state: BreakerState, inDoubt: number, brake: BrakePolicy): BreakerState {
  if (inDoubt < brake.inDoubtMax) return state;
  return halt(state, {
    code: 'brake-in-doubt',
    reason: `${inDoubt} transfers are in doubt at once`,
    remedy: 'Wait until inquiries have settled them (paydrop settle), ask the bank, then resume the batch',
  });
}
