/**
 * The adaptive limit of several machines that share a bank: what it bears of all of them together moves as the limit of
 * one process with so many places does, and is divided among those that are at work. Pure.
 */
import { fullLimit, type LimitState } from './adaptive-limit.ts';

/** The kinds of request that every machine makes. */
export type SharedKind = 'transfers' | 'checks';

/** What the machines at work have as their limit together. */
export type WholeLimit = Pick<LimitState, 'limit' | 'ceiling' | 'answers' | 'round' | 'why'>;

/** What one machine has heard of the bank since it last told the others. */
export interface HeardOfBank {
  /** Good answers. */
  readonly answers: number;
  /** Why its own limit fell; null when it did not. */
  readonly trouble: string | null;
  /** That of the whole as it knew it then: all machines meet a sick bank at once, and one burst counts once. */
  readonly round: number;
}

/** Who is at work, and where among them one machine stands. */
export interface AtWork {
  readonly machines: number;
  /** From 0. */
  readonly place: number;
}

/** What a bank has borne longer ago says nothing any more. */
export const limitStaleAfterMs = 15 * 60_000;

/**
 * The whole as it is for those who are at work now: whoever comes to a limit that is not lowered brings a full one.
 * @param round of one that nobody remembers
 */
export function fitWhole(
  whole: WholeLimit | undefined,
  ceilingOfOne: number,
  machines: number,
  round = 0,
): WholeLimit {
  const ceiling = ceilingOfOne * Math.max(1, machines);
  if (whole === undefined) return { ...fullLimit(ceiling), round };
  if (whole.limit >= whole.ceiling) return { ...whole, ceiling, limit: ceiling, answers: 0, why: null };
  return { ...whole, ceiling, limit: Math.min(whole.limit, ceiling) };
}

/** The whole after what one machine has heard; each machine keeps one place at least. */
export function decideWhole(
  whole: WholeLimit,
  { answers: heard, trouble, round }: HeardOfBank,
  machines: number,
): WholeLimit {
  if (trouble !== null && round !== whole.round) return whole;
  if (trouble !== null) {
    const limit = Math.max(machines, 1, Math.floor(whole.limit / 2));
    return { ...whole, limit, answers: 0, round: whole.round + 1, why: trouble };
  }
  let { limit, answers } = whole;
  answers += heard;
  while (limit < whole.ceiling && answers >= limit) {
    answers -= limit;
    limit += 1;
  }
  return { ...whole, limit, answers: limit < whole.ceiling ? answers : 0 };
}

/** What one machine may have of the whole. */
export function shareOfWhole({ limit }: WholeLimit, { machines, place }: AtWork): number {
  const [each, left] = [Math.floor(limit / machines), limit % machines];
  return Math.max(1, each + (place < left ? 1 : 0));
}
