/**
 * The brake: halts a payer account when too many of its payouts end other than paid. When several machines send from
 * one journal, the journal counts the ends of all of them, each in the transaction that records it. Pure.
 */
import { countOf } from '../../core/figures.ts';
import { counted as countThings, type Message, message } from '../../core/message.ts';
import type { BatchReason, BrakeLimits, Change, PayoutEnd } from '../../core/ports.ts';

/** The things that a brake counts. */
type Braked = 'payout' | 'registration';

export interface BrakePolicy extends BrakeLimits {
  readonly inDoubtMax: number;
  /** Left out: payouts. */
  readonly things?: Braked;
}

/** Ends that are counted together. */
interface EndBlock {
  readonly ends: number;
  /** Ends other than paid among them. */
  readonly failures: number;
}

/** Ends counted for one payer account since an operator last resumed it. */
export interface CountedEnds extends EndBlock {
  /** Ends other than paid since the last paid one. */
  readonly consecutiveFailures: number;
  /** The latest ends, oldest first; they add up to `ends` and `failures`. */
  readonly blocks: readonly EndBlock[];
}

export const noEnds: CountedEnds = { consecutiveFailures: 0, ends: 0, failures: 0, blocks: [] };

/**
 * Most blocks kept of a window: a window of up to this size has a block for each end, a larger one has a thousandth of
 * itself in a block. Counting an end therefore costs the same for every window.
 */
const blocksMax = 1_000;

/** The ring of blocks: an end joins the newest block, and the oldest block goes once the window is full without it. */
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

/**
 * Counts one more end.
 * @returns the counts, and why they halt the account; undefined when they do not
 */
export function countEnd(
  before: CountedEnds,
  isPaid: boolean,
  limits: BrakeLimits,
  thing: Braked = 'payout',
): { readonly counted: CountedEnds; readonly why: BatchReason | undefined } {
  const consecutiveFailures = isPaid ? 0 : before.consecutiveFailures + 1;
  const counted = { consecutiveFailures, ...pushEnd(before, isPaid, limits.window) };
  if (isPaid) return { counted, why: undefined };
  const brakeFor = (code: string, reason: Message) => ({
    counted,
    why: { code, reason, remedy: message('brake.look-at-rows') },
  });
  if (consecutiveFailures >= limits.consecutiveFailures)
    return brakeFor('brake-consecutive', describeInARow[thing](consecutiveFailures));
  const { ends, failures } = counted;
  return ends >= limits.window && failures >= limits.failureShare * ends
    ? brakeFor('brake-share', describeShare[thing](failures, ends))
    : { counted, why: undefined };
}

const describeInARow: Readonly<Record<Braked, (count: number) => Message>> = {
  payout: (count) => message('brake.payouts-in-a-row', { payouts: countThings(count, 'payout') }),
  registration: (count) =>
    message('brake.registrations-in-a-row', { registrations: countThings(count, 'registration') }),
};

const describeShare: Readonly<Record<Braked, (bad: number, count: number) => Message>> = {
  payout: (bad, count) =>
    message('brake.payouts-of-the-last', { bad, payouts: countThings(count, 'payout') }),
  registration: (bad, count) =>
    message('brake.registrations-of-the-last', { bad, registrations: countThings(count, 'registration') }),
};

/** Why too many things in doubt halt the account. */
export const describeDoubt: Readonly<Record<Braked, (count: number) => Omit<BatchReason, 'code'>>> = {
  payout: (count) => ({
    reason: message(count === 1 ? 'brake.transfer-in-doubt' : 'brake.transfers-in-doubt', {
      transfers: countThings(count, 'transfer'),
    }),
    remedy: message('brake.await-inquiries'),
  }),
  registration: (count) => ({
    reason: message(count === 1 ? 'brake.registration-in-doubt' : 'brake.registrations-in-doubt', {
      registrations: countThings(count, 'registration'),
    }),
    remedy: message('brake.await-callbacks'),
  }),
};

/** Default of `brake.window`. Smaller batches are common, so they get no warning. */
export const usualWindow = 100;

/** Warning about a batch that is too small for the window of the settings; undefined for any other. */
export function describeIdleShare({ window }: BrakeLimits, rows: number): string | undefined {
  if (window <= Math.max(rows, usualWindow)) return undefined;
  return (
    `brake.window is ${window} and the batch has ${countOf(rows, 'row')}: brake.failureShare cannot halt this batch ` +
    `alone, brake.consecutiveFailures and brake.inDoubtMax can; lower brake.window to ${Math.max(1, rows)}, or leave it out`
  );
}

/** True for an end that may halt the account; a paid one never does. */
export const mayHalt = (end: PayoutEnd): boolean => end.kind === 'halts' || !end.isPaid;

/** True when both counts are equal, so that nothing needs to be written. */
export const isSameCount = (one: CountedEnds, other: CountedEnds): boolean =>
  one.consecutiveFailures === other.consecutiveFailures &&
  one.blocks.length === other.blocks.length &&
  one.blocks.every(({ ends, failures }, place) => {
    const beside = other.blocks[place];
    return ends === beside?.ends && failures === beside.failures;
  });

/** The counted ends as text: `1` for a paid end, `0` for any other, ` 3/50 ` for a block of 50 with 3 others. */
export const formatBlocks = (blocks: readonly EndBlock[]): string =>
  blocks.map(({ ends, failures }) => (ends === 1 ? `${1 - failures}` : ` ${failures}/${ends} `)).join('');

/** Parses the text of `formatBlocks`. */
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

/** The change with the end that the journal counts; unchanged without an end. */
export const withEnd = (change: Change, end: PayoutEnd | undefined): Change =>
  end === undefined ? change : { ...change, end };
