/**
 * The circuit breaker of a payer account (design: "Stop the line"): open to requests, paused while the service is sick,
 * or halted until an operator resumes. Transfers and questions have one each, by the same rules: trouble of transfers
 * never keeps what is in doubt from being asked about. Pure; asked before each send.
 */
import { computeBackoffMs } from '../../core/backoff.ts';
import { formatBangkokMoment } from '../../core/bangkok-time.ts';
import type { Reason } from '../../core/change.ts';
import { countOf } from '../../core/figures.ts';
import type { BatchReason, BrakeLimits, PayerPause, PayoutEnd } from '../../core/ports.ts';
import { findBankStatus } from '../../core/status-codes.ts';
import { findRegistrationCode } from '../../registration/rules/status-codes.ts';
import { type BrakePolicy, type CountedEnds, countEnd, noEnds, payoutWords } from './brake.ts';
import { aroundMidnight, clocksDiffer } from './clock-skew.ts';
import { type BreakerSignal, replyLost } from './read-reply.ts';
import { nextOpeningAfterMs, type ServiceHours } from './service-hours.ts';

export interface BreakerState extends CountedEnds {
  readonly status: 'open' | 'paused' | 'halted';
  readonly why: BatchReason | null;
  /** While paused: when the pause began, or was last made longer, and when a request may be tried again. */
  readonly pausedAtMs: number;
  readonly pausedUntilMs: number;
  /** Troubles met one after another; the pause doubles with each. */
  readonly troubles: number;
  /** Transfers one after another that got no answer at all. */
  readonly unanswered: number;
}

/** What a request is: transfers move money; questions are payee checks and inquiries, with the token that they need. */
export type RequestKind = 'transfers' | 'questions';

/** Both breakers of a payer account. What halts it is kept with the transfers; questions pass a halt, or never meet it. */
export type PayerState = Readonly<Record<RequestKind, BreakerState>>;

/** Our code for a payer account that waits for the service to open. */
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
/** A bank that answers transfers so is left alone for longer. */
const refusedPauseMaxMs = 15 * 60_000;
/** A definite refusal uses up an attempt of the payout that is tried, of which it has 99: so it is left alone for longest. */
const usedUpPauseMaxMs = 3 * 3_600_000;
/** Longest wish of the bank that is followed; a slip of its server must not stop the account for years. */
const retryAfterMaxMs = 24 * 3_600_000;
/** A pause that has been over for so long says nothing about the service any more. */
const staleAfterMs = 36 * 3_600_000;
/** The bank's code for a service that is closed (§7.3). */
const serviceClosed = 'TM001';

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

/** What an operator should do about a halt, from the bank's code where it has one; registrations have codes of their own. */
function remedyOf({ code }: Reason, fallback: string): string {
  return (findBankStatus(code) ?? findRegistrationCode(code))?.remedy ?? fallback;
}

/** The payer's own trouble, as the halt for it says. */
function describePayerStop(reason: Reason): BatchReason {
  const remedy =
    'Clear it with the bank and correct the settings; "paydrop config --login" proves them; then "paydrop resume" the batch';
  return { code: reason.code, reason: reason.text, remedy: remedyOf(reason, remedy) };
}

/** What a signal says of the rows that come after, for a journal that counts the ends of several machines. */
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

/** The breaker after a transfer has ended, by its own reply or by an inquiry: it counts, and says nothing of the service. */
export function afterEnd(state: BreakerState, isPaid: boolean, brake: BrakePolicy): BreakerState {
  const { counted, why } = countEnd(state, isPaid, brake, brake.words);
  const next = { ...state, ...counted };
  return why === undefined ? next : halt(next, why);
}

type Trouble = Extract<BreakerSignal, { kind: 'service-trouble' }>;

/** How long a pause may grow: where the bank itself answered a transfer so, the next one would fare no better. */
function pauseMaxFor(kind: RequestKind, { code }: Reason): number {
  if (kind === 'questions') return pauseMaxMs;
  const outcome = (findBankStatus(code) ?? findRegistrationCode(code))?.outcome;
  if (outcome === 'failed' || outcome === 'not-taken') return usedUpPauseMaxMs;
  return outcome !== undefined || code.startsWith('http-') ? refusedPauseMaxMs : pauseMaxMs;
}

/**
 * The signal of a transfer to a service with known hours: one that says that it is closed is left alone until it opens
 * next, since each try in between would use up an attempt.
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
  // Callers that were under way when the trouble began report the same trouble: one pause, not one each.
  const remedy = remedyOf(
    trouble.reason,
    'Goes on by itself when the bank answers again; or run the same command later',
  );
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

/** A trouble during a pause: the bank's own wish alone makes it longer. */
function prolong(state: BreakerState, why: BatchReason, wishedUntilMs: number, nowMs: number): BreakerState {
  if (wishedUntilMs <= state.pausedUntilMs) return state;
  return { ...state, why, pausedAtMs: nowMs, pausedUntilMs: wishedUntilMs };
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
  };
}

/** The breaker as a pause of an earlier run leaves it; as it was when that is too long ago. */
export function takeUpPause(state: BreakerState, recorded: PayerPause, nowMs: number): BreakerState {
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

/** The breaker as it stands outside the service hours. */
export function closeBreaker(state: BreakerState, opensAtMs: number): BreakerState {
  const opens = `the service is closed now and opens at ${formatBangkokMoment(opensAtMs)} Bangkok time`;
  const remedy = 'Goes on by itself when the service opens; or run the same file again then';
  return holdBack(state, { code: outsideHours, reason: opens, remedy }, opensAtMs);
}

/** The breaker while transfers have to wait for what is no trouble of the bank's; neither a halt nor a longer pause is hidden. */
export function holdBack(state: BreakerState, why: BatchReason, untilMs: number): BreakerState {
  if (state.status === 'halted' || (state.status === 'paused' && state.pausedUntilMs >= untilMs))
    return state;
  return { ...state, status: 'paused', why, pausedUntilMs: untilMs };
}

/** Codes whose reason says all: the service is not left alone for any trouble of its own. */
const ownReasons: readonly string[] = [outsideHours, clocksDiffer, aroundMidnight];

/** What a row that waits for the account is told: why, and until when. */
export function describePause(state: BreakerState): BatchReason | null {
  const { why } = state;
  if (state.status !== 'paused' || why === null || ownReasons.includes(why.code)) return why;
  const until = `the service is left alone until ${formatBangkokMoment(state.pausedUntilMs)} Bangkok time`;
  return { ...why, reason: `${why.reason}; ${until}` };
}

/** The trouble is over; what comes back during a pause was under way before it and proves nothing. */
function reopen(state: BreakerState, nowMs: number): BreakerState {
  if (isPausing(state, nowMs)) return state;
  const calm = { ...state, troubles: 0, unanswered: 0 };
  return state.status === 'paused' ? { ...calm, status: 'open', why: null } : calm;
}

/**
 * A bank that dies leaves all that was under way without an answer: that is one trouble of the service, not as many
 * payouts that ended badly, so the account waits for the bank instead of for an operator.
 */
function afterNoAnswer(state: BreakerState, reason: Reason, kind: RequestKind, nowMs: number): BreakerState {
  const next = { ...state, unanswered: state.unanswered + 1 };
  if (next.unanswered < unansweredMax && state.status !== 'paused') return next;
  return pause(next, { kind: 'service-trouble', reason }, kind, nowMs);
}

/** True for a signal by which the bank has answered a request: it shows that the trouble is over. */
export const isAnswer = ({ kind }: BreakerSignal): boolean =>
  kind === 'paid' || kind === 'ended-otherwise' || kind === 'taken' || kind === 'answered';

/** One breaker after what a reply to a request of its kind signals. */
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

/** HTTP 429 with the time to come back limits the client, whatever it asked for: it holds for all requests. */
const tooManyRequests = 'http-429';

/**
 * Both breakers after what a reply signals: each is moved by requests of its own kind alone, but for what concerns the
 * whole account: a payer's trouble, a payee check that ends a payout, and the bank's wish to be left alone.
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
      // Of a payee check: it counts for the brake, and says nothing of how the bank takes transfers.
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
 * The transfers' breaker when an inquiry has shown that one of those without an answer is with the bank: the bank lives,
 * and the pause ends; whether it answers transfers, too, the next one tries. What another trouble has paused stays so.
 */
export function afterUnansweredKnown(state: BreakerState, nowMs: number): BreakerState {
  const isOver = isPausing(state, nowMs) && state.why?.code === replyLost;
  return isOver ? { ...state, pausedAtMs: nowMs, pausedUntilMs: nowMs, troubles: 0 } : state;
}

/** An attempt that is to go again. */
export interface Repetition {
  /** Nothing of it was ever delivered: it is as good as a first send. */
  readonly isUndelivered: boolean;
  readonly notFoundTrustMs: number;
}

/**
 * Shares of `notFoundTrustMs`. So long after the end of a pause nobody else has tried: there is nothing else to try
 * with.
 */
const probeGraceShare = 1 / 12;
/** While transfers are paused, the bank is asked so often about what is to go again: it goes when they go on. */
const repetitionPollShare = 1 / 6;
/** A pause that lasts for longer than this is worth no such round. */
const longPauseMs = 60_000;

const graceOf = ({ isUndelivered, notFoundTrustMs }: Repetition): number =>
  isUndelivered ? 0 : notFoundTrustMs * probeGraceShare;

/**
 * Says whether the same attempt may go again now. It goes when transfers are answered; it tries whether they are again
 * only when nothing else is there to try with.
 */
export function mayRepeat(state: BreakerState, repetition: Repetition, nowMs: number): boolean {
  if (state.status !== 'paused') return state.status === 'open';
  return nowMs >= state.pausedUntilMs + graceOf(repetition);
}

/**
 * When a repetition is looked at again that may not go now; undefined when nobody knows when it may: transfers are
 * halted, or paused for long.
 */
export function computeNextRepetitionAtMs(
  { status, pausedUntilMs }: BreakerState,
  repetition: Repetition,
  nowMs: number,
): number | undefined {
  if (status === 'halted' || pausedUntilMs - nowMs > longPauseMs) return undefined;
  const latestMs = nowMs + Math.max(10, repetition.notFoundTrustMs * repetitionPollShare);
  const probeAtMs = pausedUntilMs + graceOf(repetition);
  // The journal keeps whole milliseconds.
  return Math.ceil(probeAtMs > nowMs ? Math.min(probeAtMs, latestMs) : latestMs);
}

/** The breaker after a count of what is in doubt. */
export function decideOnInDoubt(state: BreakerState, inDoubt: number, brake: BrakePolicy): BreakerState {
  if (inDoubt < brake.inDoubtMax) return state;
  const { inDoubt: words, inDoubtRemedy: remedy } = brake.words ?? payoutWords;
  return halt(state, {
    code: 'brake-in-doubt',
    reason: `${countOf(inDoubt, ...words)} in doubt at once`,
    remedy,
  });
}
