/**
 * Decides how many intents are recorded before a place at the bank is free: as many as are sent during one commit, so
 * that no place waits for the journal. No more, since each of them is in doubt when the process dies.
 */

/** Average durations of the steps of a send, in ms; undefined before the first. */
export interface SendTimes {
  /** From the request to record an intent until it is durable. */
  readonly commitMs: number | undefined;
  /** From taking a place at the bank until its answer. */
  readonly sendMs: number | undefined;
}

export const noSendTimes: SendTimes = { commitMs: undefined, sendMs: undefined };

/** Weight of the latest value in the average. */
const weight = 0.05;

export const withSendTime = (times: SendTimes, step: keyof SendTimes, ms: number): SendTimes => {
  const before = times[step] ?? ms;
  return { ...times, [step]: before + weight * (ms - before) };
};

/** Least number ahead, as a share of the transfers at once. */
const shareMin = 0.25;
/**
 * Highest share, over all machines: at a bank that answers at once, half of the intents are sent while the others are
 * recorded.
 */
const shareOfAllMax = 3;

/**
 * Share of `brake.inDoubtMax` for the intents of machines that may die, together with the transfers at once and the
 * present doubts. The floor of `shareMin` may exceed it.
 */
const partOfDoubtMax = 0.75;

/** Bounds of the intents that are recorded ahead. */
interface AheadBounds {
  /** Transfers at once of this machine, and number of machines that pay from the journal. */
  readonly limit: number;
  readonly machines: number;
  /** Rows in doubt that halt (`brake.inDoubtMax`). */
  readonly inDoubtMax: number;
  /**
   * Rows in doubt that no machine has under way: a machine that died may have left them, and "not found" about them is
   * not trusted yet.
   */
  readonly inDoubt: number;
}

/** @returns the number of intents besides those whose transfers are at the bank */
export function computeAhead({ commitMs, sendMs }: SendTimes, bounds: AheadBounds): number {
  const { limit, machines, inDoubtMax, inDoubt } = bounds;
  // Neither takes any time in a rehearsal.
  const isTimed = commitMs !== undefined && sendMs !== undefined && sendMs > 0;
  const share = isTimed ? Math.min(commitMs / sendMs, shareOfAllMax / machines) : shareMin;
  const room = Math.floor((partOfDoubtMax * inDoubtMax - inDoubt) / machines) - limit;
  return Math.ceil(Math.max(Math.min(share * limit, room), shareMin * limit));
}
