/**
 * The pause of a payer account that several machines use: whoever meets trouble records it, one of them tries at a time
 * whether it is over, and what comes of that holds for all. Pure.
 */
import type { PayerPause } from '../../core/ports.ts';
import { type BreakerState, takeUpPause } from './circuit-breaker.ts';
import { lastSendOverMs } from './lease.ts';

/** The latest pause that a machine knows the journal to have. */
export type KnownPause = Pick<BreakerState, 'pausedAtMs' | 'pausedUntilMs'>;

/** True when the journal does not know what has become of the pause. */
export const isUnrecorded = (
  { status, pausedAtMs, pausedUntilMs }: BreakerState,
  known: KnownPause | undefined,
): boolean =>
  status === 'paused'
    ? known?.pausedAtMs !== pausedAtMs || known.pausedUntilMs !== pausedUntilMs
    : status === 'open' && known !== undefined;

interface Followed {
  readonly state: BreakerState;
  readonly known: KnownPause | undefined;
}

/** What the journal has of an account. */
export interface SharedPauseFacts {
  readonly pause: PayerPause | undefined;
  /** A machine's probe was answered since the latest pause was recorded. */
  readonly isAnswered: boolean;
}

const isOver = ({ status, pausedUntilMs }: BreakerState, nowMs: number): boolean =>
  status !== 'paused' || pausedUntilMs <= nowMs;

/** A pause that a machine has ended by what it knows is not made longer again by one that began before. */
function isLonger(own: BreakerState, { sinceMs, untilMs }: PayerPause): boolean {
  const isEnded = own.pausedUntilMs <= own.pausedAtMs && own.pausedAtMs >= sinceMs;
  return !isEnded && untilMs > own.pausedUntilMs;
}

/**
 * The breaker of a machine after a look at what the journal has; what it knows and the others do not is still to be
 * recorded.
 * @param own the transfers' breaker of this machine
 * @param known what the journal had when this machine last looked or wrote
 */
export function followPause(
  own: BreakerState,
  known: KnownPause | undefined,
  { pause, isAnswered }: SharedPauseFacts,
  nowMs: number,
): Followed {
  if (own.status === 'halted') return { state: own, known };
  if (pause === undefined) return followEnd(own, known, isAnswered, nowMs);
  const { sinceMs, untilMs } = pause;
  const isKnown = known?.pausedAtMs === sinceMs && known.pausedUntilMs === untilMs;
  if (isKnown || (own.status === 'paused' && !isLonger(own, pause))) return { state: own, known };
  const taken = { pausedAtMs: sinceMs, pausedUntilMs: untilMs };
  return { state: takeUpPause(own, pause, nowMs), known: taken };
}

/** The journal has no pause: an answer has ended it, or an operator, who knows that the service is back. */
function followEnd(
  own: BreakerState,
  known: KnownPause | undefined,
  isAnswered: boolean,
  nowMs: number,
): Followed {
  if (own.status === 'open' || known === undefined) return { state: own, known: undefined };
  // Another trouble since, which is still to be recorded.
  if (own.pausedAtMs !== known.pausedAtMs) return { state: own, known: undefined };
  if (isAnswered) return { state: openAgain(own), known: undefined };
  if (isOver(own, nowMs)) return { state: own, known };
  const over = { pausedAtMs: nowMs, pausedUntilMs: nowMs };
  return { state: { ...own, ...over }, known: over };
}

/** The breaker when the probe of another machine was answered. */
export const openAgain = (own: BreakerState): BreakerState =>
  own.status === 'paused' ? { ...own, status: 'open', why: null, troubles: 0, unanswered: 0 } : own;

/** Who tries whether a pause is over, as the journal has it. */
export interface Probe {
  readonly workerId: number;
  /** By the clock of the database. */
  readonly untilMs: number;
  /** Its lease runs. */
  readonly isThere: boolean;
}

/** Longer than the longest request: nobody keeps the turn for ever. */
export const probeMaxMs = lastSendOverMs;

/**
 * True when a worker may try: nobody else is at it, or whoever was is gone or has taken too long. One whose time ends later
 * than it can was at it before the clock of the database was put back.
 */
export const mayProbe = (present: Probe | undefined, workerId: number, nowMs: number): boolean =>
  present === undefined ||
  present.workerId === workerId ||
  !present.isThere ||
  nowMs >= present.untilMs ||
  present.untilMs > nowMs + 2 * probeMaxMs;
