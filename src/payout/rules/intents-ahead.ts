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

const shareMin = 0.25;
/** Of all machines together: the brake on doubt counts what they have recorded and not sent, too. */
const shareOfAllMax = 1;

/** In shares of the transfers at once. @param machines that pay from the journal */
export function computeAheadShare({ commitMs, sendMs }: SendTimes, machines: number): number {
  if (commitMs === undefined || sendMs === undefined) return shareMin;
  // None of either takes any time in a rehearsal.
  const share = sendMs > 0 ? commitMs / sendMs : shareMin;
  return Math.max(Math.min(share, shareOfAllMax / machines), shareMin);
}
