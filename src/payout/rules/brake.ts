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

/** Ends that are counted together. */
export interface EndBlock {
  readonly ends: number;
  /** How many of them are otherwise than paid. */
  readonly failures: number;
}

/** What the brake of one payer account has counted since an operator last resumed. */
export interface CountedEnds extends EndBlock {
  /** Ends otherwise than paid since the last that was paid. */
  readonly consecutiveFailures: number;
  /** The latest ends, oldest first; they add up to `ends` and `failures`. */
  readonly blocks: readonly EndBlock[];
}

export const noEnds: CountedEnds = { consecutiveFailures: 0, ends: 0, failures: 0, blocks: [] };

/**
 * Blocks that are kept of a window: a window of up to so many ends has each end as a block of its own, a larger one has a
 * thousandth of itself in a block. So counting an end costs the same for every window.
 */
const blocksMax = 1_000;

/** The ring of blocks: an end joins the newest block, and the oldest one goes once the window is full without it. */
function pushEnd({ ends, failures, blocks }: CountedEnds, isPaid: boolean, window: number) {
  const end: EndBlock = { ends: 1, failures: isPaid ? 0 : 1 };
  const newest = blocks.at(-1);
  const isFull = newest === undefined || newest.ends >= Math.ceil(window / blocksMax);
  const kept = isFull ? [...blocks, end] : [...blocks.slice(0, -1), add(newest, end)];
  let total = add({ ends, failures }, end);
  let gone = 0;
  for (const block of kept) {
    if (total.ends - block.ends < window) break;
    total = { ends: total.ends - block.ends, failures: total.failures - block.failures };
    gone += 1;
  }
  return { ...total, blocks: gone === 0 ? kept : kept.slice(gone) };
}

const add = (one: EndBlock, other: EndBlock): EndBlock => ({
  ends: one.ends + other.ends,
  failures: one.failures + other.failures,
});

/** One more end. @returns with why it halts the account; undefined when it does not */
export function countEnd(
  before: CountedEnds,
  isPaid: boolean,
  limits: BrakeLimits,
  { thing, endedBadly }: Pick<BrakeWords, 'thing' | 'endedBadly'> = payoutWords,
): { readonly counted: CountedEnds; readonly why: BatchReason | undefined } {
  const consecutiveFailures = isPaid ? 0 : before.consecutiveFailures + 1;
  const counted = { consecutiveFailures, ...pushEnd(before, isPaid, limits.window) };
  if (isPaid) return { counted, why: undefined };
  const remedy = 'Look at the reasons of these rows; when the cause is mended, resume the batch';
  const brakeFor = (code: string, rows: string) => ({
    counted,
    why: { code, reason: `${rows} ${endedBadly}`, remedy },
  });
  if (consecutiveFailures >= limits.consecutiveFailures)
    return brakeFor('brake-consecutive', `${countOf(consecutiveFailures, thing)} in a row`);
  const { ends, failures } = counted;
  return ends >= limits.window && failures >= limits.failureShare * ends
    ? brakeFor('brake-share', `${failures} of the last ${countOf(ends, thing)}`)
    : { counted, why: undefined };
}

/** `brake.window` where the settings do not name one. Smaller batches are common: nothing is said of them. */
export const usualWindow = 100;

/** The warning about a batch too small for the window that the settings name; undefined for any other. */
export function describeIdleShare({ window }: BrakeLimits, rows: number): string | undefined {
  if (window <= Math.max(rows, usualWindow)) return undefined;
  return (
    `brake.window is ${window} and the batch has ${countOf(rows, 'row')}: brake.failureShare cannot halt this batch ` +
    `alone, brake.consecutiveFailures and brake.inDoubtMax can; lower brake.window to ${Math.max(1, rows)}, or leave it out`
  );
}

/** True of an end by which the account may be halted; one that was paid never does so. */
export const mayHalt = (end: PayoutEnd): boolean => end.kind === 'halts' || !end.isPaid;

/** True when both have counted the same: nothing is to be written then. */
export const isSameCount = (one: CountedEnds, other: CountedEnds): boolean =>
  one.consecutiveFailures === other.consecutiveFailures &&
  one.blocks.length === other.blocks.length &&
  one.blocks.every(({ ends, failures }, place) => {
    const beside = other.blocks[place];
    return ends === beside?.ends && failures === beside.failures;
  });

/** The counted ends as text: `1` for an end that was paid, `0` for any other, ` 3/50 ` for a block of 50 with 3 others. */
export const formatBlocks = (blocks: readonly EndBlock[]): string =>
  blocks.map(({ ends, failures }) => (ends === 1 ? `${1 - failures}` : ` ${failures}/${ends} `)).join('');

/** Reads what `formatBlocks` has written. */
export function parseCounted(consecutiveFailures: number, text: string): CountedEnds {
  const blocks = Array.from(text.matchAll(/(\d+)\/(\d+)|[01]/g), ([end, failures, ends]): EndBlock => {
    return ends === undefined
      ? { ends: 1, failures: end === '1' ? 0 : 1 }
      : { ends: Number(ends), failures: Number(failures) };
  });
  let total: EndBlock = { ends: 0, failures: 0 };
  for (const block of blocks) total = add(total, block);
  return { consecutiveFailures, ...total, blocks };
}

/** The change, and what the journal is to count with it; the change itself where it has nothing to count. */
export const withEnd = (change: Change, end: PayoutEnd | undefined): Change =>
  end === undefined ? change : { ...change, end };
