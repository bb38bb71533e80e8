/**
 * Leases: decide which of several processes on one journal may send. A lease runs by the database's clock, which all
 * share. Whether bytes may still leave is decided by the machine's own clocks, since the database cannot be asked at
 * that moment.
 */
import type { Attempt } from '../../core/payout.ts';

/** Time in ms for which a silent worker keeps its place. */
export const leaseMs = 10_000;

/** Interval in ms of renewals. */
export const renewEveryMs = 2_000;

/**
 * Age in ms of the last renewal up to which bytes may leave: the rest of the lease covers requests on their way, and a
 * machine that is slow at that moment.
 */
const renewalAgeMaxMs = 5_000;

/**
 * Time in ms after which no send is on its way any more: the longest wait for a request, and the same again for a
 * process that was frozen as its bytes left.
 */
export const lastSendOverMs = 60_000;

/** Longest wait in ms for a request, when several machines send. */
const timeoutMaxMs = lastSendOverMs / 2;

/**
 * Least trust time in ms of "not found", when several machines send: the clocks of the sender and of the one that asks
 * may differ by as much as a send may be late.
 */
const notFoundTrustMinMs = 2 * lastSendOverMs;

/**
 * True for an intent that has waited for its place at the bank for too long: if this machine dies, another counts the
 * trust time from the intent, not from the moment the bytes left.
 */
export const hasWaitedTooLong = ({ intentAtMs }: Pick<Attempt, 'intentAtMs'>, nowMs: number): boolean =>
  nowMs - intentAtMs > notFoundTrustMinMs - lastSendOverMs;

/** The settings `bank.timeoutMs` and `settle.notFoundTrustMs`. */
interface SendTimeouts {
  readonly timeoutMs: number;
  readonly notFoundTrustMs: number;
}

/**
 * Reason why a process with these settings may not send beside others; undefined when it may.
 * @param isReal false for a rehearsal, which may hurry: its bank pays no one
 */
export function complainAboutTimes(
  { timeoutMs, notFoundTrustMs }: SendTimeouts,
  isReal: boolean,
): string | undefined {
  if (timeoutMs > timeoutMaxMs)
    return (
      `bank.timeoutMs is ${timeoutMs}: machines that share a journal wait ${timeoutMaxMs} at most, since one makes the ` +
      `next attempt ${lastSendOverMs} ms after another's last send; lower it to ${timeoutMaxMs}`
    );
  if (isReal && notFoundTrustMs < notFoundTrustMinMs)
    return (
      `settle.notFoundTrustMs is ${notFoundTrustMs}: on machines that share a journal "not found" counts ` +
      `${notFoundTrustMinMs} ms after a send at the earliest, since one that stood still may have sent late and their ` +
      `clocks may differ; raise it to ${notFoundTrustMinMs}`
    );
  return undefined;
}

/** One moment by both clocks of a machine: the one that people set, and the one that cannot be set. */
export interface ClockMoment {
  readonly wallMs: number;
  readonly elapsedMs: number;
}

const isRecent = (fromMs: number, nowMs: number): boolean => {
  const ageMs = nowMs - fromMs;
  return ageMs >= 0 && ageMs <= renewalAgeMaxMs;
};

/**
 * True while bytes may leave, by both clocks: a machine restored from a snapshot shows another wall time, and one whose
 * time was set shows another elapsed time.
 * @param renewedAt start of the latest granted renewal; undefined before the first, or after a refusal
 */
export const mayBytesLeave = (renewedAt: ClockMoment | undefined, now: ClockMoment): boolean =>
  renewedAt !== undefined &&
  isRecent(renewedAt.wallMs, now.wallMs) &&
  isRecent(renewedAt.elapsedMs, now.elapsedMs);

/** A worker's lease in the journal, by the database's clock. */
export interface Lease {
  readonly leaseUntilMs: number;
  /** Time at which the worker reported its end, with nothing under way; null until then. */
  readonly endedAtMs: number | null;
  /** Time at which another worker took its place or rows; null until then. */
  readonly supersededAtMs: number | null;
}

/** True when a worker may renew: no other has taken anything from it since its lease expired. */
export const mayRenew = ({ endedAtMs, supersededAtMs }: Omit<Lease, 'leaseUntilMs'>): boolean =>
  endedAtMs === null && supersededAtMs === null;

/** Latest end of a lease in ms from now. Twice `leaseMs`: a small correction of the clock is no reason for doubt. */
export const leaseAheadMaxMs = 2 * leaseMs;

/**
 * True for a lease that cannot have been granted by the present clock: the database's clock was put back since. A live
 * holder renews it soon; otherwise it would last until the clock has caught up.
 * @param nowMs by the database's clock
 */
export const isLeaseAhead = (lease: Lease, nowMs: number): boolean =>
  mayRenew(lease) && lease.leaseUntilMs > nowMs + leaseAheadMaxMs;

/**
 * True while the worker may send, and no other may take its place or rows.
 * @param nowMs by the database's clock
 */
export const isLeaseRunning = (lease: Lease, nowMs: number): boolean =>
  mayRenew(lease) && nowMs < lease.leaseUntilMs;

/** The last send of an attempt, and its sender. */
export interface LastSend {
  readonly workerId: number;
  /** Time by the database's clock. */
  readonly sentAtMs: number;
  /** Time at which the sender reported its end, with nothing under way; null while that is not proved. */
  readonly endedAtMs: number | null;
}

/**
 * Time in ms for which the next attempt of a payoutId waits for those before it: until their senders have provably
 * ended, or none of their requests can be on its way. This worker knows that its own sends are over.
 * @param workerId the worker that makes the next attempt
 * @param nowMs by the database's clock
 */
export function computeAttemptWaitMs(sends: readonly LastSend[], workerId: number, nowMs: number): number {
  const waits = sends
    .filter((send) => send.workerId !== workerId && send.endedAtMs === null)
    .map(({ sentAtMs }) => sentAtMs + lastSendOverMs - nowMs);
  return Math.max(0, ...waits);
}

/** Rows between two others; both are excluded. */
export interface RowGap {
  readonly afterRow: number;
  readonly beforeRow: number;
}

/**
 * Ranges of rows after a row that no worker has.
 * @param taken ranges of other workers, in order of their first rows
 */
export function* listGaps(
  taken: readonly { readonly fromRow: number; readonly toRow: number }[],
  afterRow: number,
): Generator<RowGap> {
  let after = afterRow;
  for (const { fromRow, toRow } of taken) {
    if (toRow <= after) continue;
    if (fromRow > after + 1) yield { afterRow: after, beforeRow: fromRow };
    after = toRow;
  }
  yield { afterRow: after, beforeRow: Number.MAX_SAFE_INTEGER };
}
