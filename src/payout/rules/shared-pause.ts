/**
 * The pause of a payer account that several machines use: the machine that meets trouble records it, one of them at a
 * time probes whether it is over, and the result holds for all. Pure.
 */
import type { PayerPause } from '../../core/ports.ts';
import { type BreakerState, restorePause } from './circuit-breaker.ts';
import { lastSendOverMs } from './lease.ts';

/** The latest pause that a machine has seen in the journal. */
export type KnownPause = Pick<BreakerState, 'pausedAtMs' | 'pausedUntilMs'>;

/** True when the journal does not have the present state of the pause. */
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

/** The journal's state of an account. */
export interface SharedPauseFacts {
  readonly pause: PayerPause | undefined;
  /** True when a machine's probe was answered since the latest pause was recorded. */
  readonly isAnswered: boolean;
}

const isOver = ({ status, pausedUntilMs }: BreakerState, nowMs: number): boolean =>
  status !== 'paused' || pausedUntilMs <= nowMs;

/** True for a longer pause. A pause that this machine has ended is not extended by one that began before. */
function isLonger(own: BreakerState, { sinceMs, untilMs }: PayerPause): boolean {
  const isEnded = own.pausedUntilMs <= own.pausedAtMs && own.pausedAtMs >= sinceMs;
  return !isEnded && untilMs > own.pausedUntilMs;
}

/**
 * The breaker of a machine after a reading of the journal; news that only this machine has must still be recorded.
 * @param own the transfers' breaker of this machine
 * @param known the pause that this machine last read or wrote
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
  return { state: restorePause(own, pause, nowMs), known: taken };
}

/** Handles a journal without a pause: an answer has ended it, or an operator, who knows that the service is back. */
function followEnd(
  own: BreakerState,
  known: KnownPause | undefined,
  isAnswered: boolean,
  nowMs: number,
): Followed {
  if (own.status === 'open' || known === undefined) return { state: own, known: undefined };
  // Another trouble came up since, and must still be recorded.
  if (own.pausedAtMs !== known.pausedAtMs) return { state: own, known: undefined };
  if (isAnswered) return { state: openAgain(own), known: undefined };
  if (isOver(own, nowMs)) return { state: own, known };
  const over = { pausedAtMs: nowMs, pausedUntilMs: nowMs };
  return { state: { ...own, ...over }, known: over };
}

/** The breaker after another machine's probe was answered. */
export const openAgain = (own: BreakerState): BreakerState =>
  own.status === 'paused' ? { ...own, status: 'open', why: null, troubles: 0, unanswered: 0 } : own;

/** The worker that probes whether a pause is over, as the journal has it. */
interface Probe {
  readonly workerId: number;
  /** End of its turn, by the database's clock. */
  readonly untilMs: number;
  /** True while its lease runs. */
  readonly isThere: boolean;
}

/** Longest turn in ms, above the longest request, so that no worker keeps the turn for ever. */
export const probeMaxMs = lastSendOverMs;

/**
 * True when a worker may probe: no other does, or the other is gone or has taken too long. A turn that ends later than
 * possible is from before the database's clock was put back.
 */
export const mayProbe = (present: Probe | undefined, workerId: number, nowMs: number): boolean =>
  present === undefined ||
  present.workerId === workerId ||
  !present.isThere ||
  nowMs >= present.untilMs ||
  present.untilMs > nowMs + 2 * probeMaxMs;
