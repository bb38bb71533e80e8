/**
 * The brake: halts a payer account when too many of its payouts end otherwise than paid. Where several machines send from
 * one journal, the journal counts the ends of all of them, each in the transaction that records it. Pure.
 */
import { countOf } from '../../core/figures.ts';
import type { BatchReason, BrakeLimits, Change, PayoutEnd } from '../../core/ports.ts';

/** What a brake counts, in words. */
export interface BrakeWords {
  /** "payout" */
  readonly thing: string;
  /** "ended otherwise than paid" */
  readonly endedBadly: string;
  /** "transfer is", "transfers are": before "in doubt at once". */
  readonly inDoubt: readonly [one: string, more: string];
  readonly inDoubtRemedy: string;
}

export const payoutWords: BrakeWords = {
  thing: 'payout',
  endedBadly: 'ended otherwise than paid',
  inDoubt: ['transfer is', 'transfers are'],
  inDoubtRemedy:
    'Wait until inquiries have settled them (paydrop settle), ask the bank, then resume the batch',
};

export interface BrakePolicy extends BrakeLimits {
  readonly inDoubtMax: number;
  /** Those of payouts when left out. */
  readonly words?: BrakeWords;
}

/** What the brake of one payer account has counted since an operator last resumed. */
export interface CountedEnds {
  /** Ends otherwise than paid since the last that was paid. */
  readonly consecutiveFailures: number;
  /** The latest ends, oldest first: true for paid. */
  readonly ends: readonly boolean[];
}

export const noEnds: CountedEnds = { consecutiveFailures: 0, ends: [] };

/** One more end. @returns with why it halts the account; undefined when it does not */
export function countEnd(
  before: CountedEnds,
  isPaid: boolean,
  limits: BrakeLimits,
  { thing, endedBadly }: Pick<BrakeWords, 'thing' | 'endedBadly'> = payoutWords,
): { readonly counted: CountedEnds; readonly why: BatchReason | undefined } {
  const ends = [...before.ends, isPaid].slice(-limits.window);
  const consecutiveFailures = isPaid ? 0 : before.consecutiveFailures + 1;
  const counted = { consecutiveFailures, ends };
  if (isPaid) return { counted, why: undefined };
  const remedy = 'Look at the reasons of these rows; when the cause is mended, resume the batch';
  const brakeFor = (code: string, rows: string) => ({
    counted,
    why: { code, reason: `${rows} ${endedBadly}`, remedy },
  });
  if (consecutiveFailures >= limits.consecutiveFailures)
    return brakeFor('brake-consecutive', `${countOf(consecutiveFailures, thing)} in a row`);
  const failures = ends.filter((paid) => !paid).length;
  return ends.length >= limits.window && failures >= limits.failureShare * limits.window
    ? brakeFor('brake-share', `${failures} of the last ${countOf(ends.length, thing)}`)
    : { counted, why: undefined };
}

/** True of an end by which the account may be halted; one that was paid never does so. */
export const mayHalt = (end: PayoutEnd): boolean => end.kind === 'halts' || !end.isPaid;

/** True when both have counted the same: nothing is to be written then. */
export const isSameCount = (one: CountedEnds, other: CountedEnds): boolean =>
  one.consecutiveFailures === other.consecutiveFailures &&
  one.ends.length === other.ends.length &&
  one.ends.every((isPaid, place) => isPaid === other.ends[place]);

/** The change, and what the journal is to count with it; the change itself where it has nothing to count. */
export const withEnd = (change: Change, end: PayoutEnd | undefined): Change =>
  end === undefined ? change : { ...change, end };
