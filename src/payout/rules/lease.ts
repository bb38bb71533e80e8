/**
 * Leases: which of several processes that work one journal may send. A lease runs by the clock of the database, which
 * all of them share; whether bytes may still leave under it is told by the machine's own clocks, since nobody can ask
 * the database at that moment.
 */
import type { Attempt } from '../../core/payout.ts';

/** How long a worker that is not heard of keeps its place. */
export const leaseMs = 10_000;

/** How often it says that it is there. */
export const renewEveryMs = 2_000;

/**
 * Bytes leave only while the last renewal began no longer ago: what is left of the lease then is for those that are on
 * their way, and for a machine that is slow just then.
 */
const renewalAgeMaxMs = 5_000;

/**
 * After this time nothing of a send is on its way any more, whoever sent it: the longest that a request is waited for,
 * and the same again for a process that was frozen as its bytes left.
 */
export const lastSendOverMs = 60_000;

/** A request is waited for no longer where several machines send. */
const timeoutMaxMs = lastSendOverMs / 2;

/**
 * "Not found" counts no earlier there: the clocks of two machines, of which one sends and the other asks, may differ by
 * as much as a send may be late.
 */
const notFoundTrustMinMs = 2 * lastSendOverMs;

/**
 * True of an intent that has waited for its place at the bank for longer than what is left for a send on its way: whoever
 * asks about it after this machine has died counts from the intent, not from when the bytes left.
 */
export const hasWaitedTooLong = ({ intentAtMs }: Pick<Attempt, 'intentAtMs'>, nowMs: number): boolean =>
  nowMs - intentAtMs > notFoundTrustMinMs - lastSendOverMs;

/** Of the settings `bank.timeoutMs` and `settle.notFoundTrustMs`. */
export interface SendTimes {
  readonly timeoutMs: number;
  readonly notFoundTrustMs: number;
}

/**
 * Why a process with these settings may not send beside others; undefined when it may.
 * @param isReal a rehearsal may hurry: its bank pays nobody
 */
export function complainAboutTimes(
  { timeoutMs, notFoundTrustMs }: SendTimes,
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

/** What both clocks of a machine show at one moment: the one that people set, and the one that nobody sets. */
export interface ClockMoment {
  readonly wallMs: number;
  readonly elapsedMs: number;
}

const isRecent = (fromMs: number, nowMs: number): boolean => {
  const ageMs = nowMs - fromMs;
  return ageMs >= 0 && ageMs <= renewalAgeMaxMs;
};

/**
 * True while bytes may leave, by both clocks: a machine that was restored from a snapshot shows another wall time, and
 * one whose time was set shows another time elapsed.
 * @param renewedAt when the latest renewal that was granted began; undefined before the first, or once one was refused
 */
export const mayBytesLeave = (renewedAt: ClockMoment | undefined, now: ClockMoment): boolean =>
  renewedAt !== undefined &&
  isRecent(renewedAt.wallMs, now.wallMs) &&
  isRecent(renewedAt.elapsedMs, now.elapsedMs);

/** What the journal keeps of a worker's lease, by the clock of the database. */
export interface Lease {
  readonly leaseUntilMs: number;
  /** When it said that it has ended, and has nothing under way any more; null until then. */
  readonly endedAtMs: number | null;
  /** When another took its place, or rows of its; null until then. */
  readonly supersededAtMs: number | null;
}

/** True when it may say again that it is there: nobody has taken anything from it since its lease was over. */
export const mayRenew = ({ endedAtMs, supersededAtMs }: Omit<Lease, 'leaseUntilMs'>): boolean =>
  endedAtMs === null && supersededAtMs === null;

/** No lease is given that ends later; twice as much, since a clock that is put right by a little is no reason to doubt it. */
export const leaseAheadMaxMs = 2 * leaseMs;

/**
 * True of a lease that nobody can have been given now: the clock of the database was put back since. Whoever has it renews
 * it soon, if it lives; else it would be over only when the clock has come so far again.
 * @param nowMs by the clock of the database
 */
export const isLeaseAhead = (lease: Lease, nowMs: number): boolean =>
  mayRenew(lease) && lease.leaseUntilMs > nowMs + leaseAheadMaxMs;

/** True while it may send, and nobody may take its place or its rows. @param nowMs by the clock of the database */
export const isLeaseRunning = (lease: Lease, nowMs: number): boolean =>
  mayRenew(lease) && nowMs < lease.leaseUntilMs;

/** When an attempt was last sent, and by whom. */
export interface LastSend {
  readonly workerId: number;
  /** By the clock of the database. */
  readonly sentAtMs: number;
  /** When whoever sent it has ended, having nothing under way; null while that is not proved. */
  readonly endedAtMs: number | null;
}

/**
 * How long the next attempt of a payoutId waits for those before it: until whoever sent them is proved gone, or nothing
 * of them can be on its way any more. What this worker sent itself it knows to be over.
 * @param workerId who wants to make it
 * @param nowMs by the clock of the database
 */
export function computeAttemptWaitMs(sends: readonly LastSend[], workerId: number, nowMs: number): number {
  const waits = sends
    .filter((send) => send.workerId !== workerId && send.endedAtMs === null)
    .map(({ sentAtMs }) => sentAtMs + lastSendOverMs - nowMs);
  return Math.max(0, ...waits);
}

/** Rows between two, which are not of it. */
export interface RowGap {
  readonly afterRow: number;
  readonly beforeRow: number;
}

/**
 * Where rows after one may stand that nobody has.
 * @param taken what others have, in the order of their first rows
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
