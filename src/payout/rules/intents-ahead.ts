/**
 * How many intents are recorded before a place at the bank is free for them: as many as are sent while a commit lasts, so
 * that no place waits for the journal. No more, since each of them is in doubt when the process dies.
 */

/** What the steps of a send take, in milliseconds, on average; undefined until one was seen. */
export interface SendTimes {
  /** From the ask to record an intent until it is durable. */
  readonly commitMs: number | undefined;
  /** From the place at the bank until its answer. */
  readonly sendMs: number | undefined;
}

export const noSendTimes: SendTimes = { commitMs: undefined, sendMs: undefined };

/** Of the latest in the average. */
const weight = 0.05;

export const withSendTime = (times: SendTimes, step: keyof SendTimes, ms: number): SendTimes => {
  const before = times[step] ?? ms;
  return { ...times, [step]: before + weight * (ms - before) };
};

/** In shares of the transfers at once. */
const shareMin = 0.25;
/** Of all machines together: at a bank that answers at once half of them are sent while the others are recorded. */
const shareOfAllMax = 3;

/**
 * All that machines which die have recorded counts for the brake on doubt: with what is sent at once, and what is in doubt
 * already, it is no more than this part of what halts, or as little as it can be.
 */
const partOfDoubtMax = 0.75;

/** What bounds the intents that are recorded ahead. */
export interface AheadBounds {
  /** Transfers at once of this machine, and machines that pay from the journal. */
  readonly limit: number;
  readonly machines: number;
  /** So many rows in doubt halt (`brake.inDoubtMax`). */
  readonly inDoubtMax: number;
  /** Rows in doubt that no machine has under way: one that has died may have left them, to be believed only later. */
  readonly inDoubt: number;
}

/** @returns how many intents besides those whose transfers are at the bank */
export function computeAhead({ commitMs, sendMs }: SendTimes, bounds: AheadBounds): number {
  const { limit, machines, inDoubtMax, inDoubt } = bounds;
  // None of either takes any time in a rehearsal.
  const isTimed = commitMs !== undefined && sendMs !== undefined && sendMs > 0;
  const share = isTimed ? Math.min(commitMs / sendMs, shareOfAllMax / machines) : shareMin;
  const room = Math.floor((partOfDoubtMax * inDoubtMax - inDoubt) / machines) - limit;
  return Math.ceil(Math.max(Math.min(share * limit, room), shareMin * limit));
}
