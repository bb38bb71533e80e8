/**
 * The adaptive limit of several machines that share a bank: the limit of all together moves like that of one process
 * with as many places, and is divided among the machines at work. Pure.
 */
import { fullLimit, type LimitState } from './adaptive-limit.ts';

/** Kinds of request that every machine makes. */
export type SharedKind = 'transfers' | 'checks';

/** The joint limit of the machines at work. */
export type SharedLimit = Pick<LimitState, 'limit' | 'ceiling' | 'answers' | 'round' | 'why'>;

/** One machine's news of the bank since its last report to the others. */
export interface HeardOfBank {
  /** Good answers. */
  readonly answers: number;
  /** Reason why its own limit fell; null when it did not. */
  readonly trouble: string | null;
  /** Round of the joint limit at that time: all machines meet a bank in trouble at once, and one burst counts once. */
  readonly round: number;
}

/** The machines at work, and the position of one among them. */
export interface WorkerPosition {
  readonly machines: number;
  /** Position, from 0. */
  readonly place: number;
}

/** Time in ms after which a limit says nothing about the bank any more. */
export const limitStaleAfterMs = 15 * 60_000;

/**
 * The joint limit for the machines now at work: a machine that joins a limit that is not lowered adds its full limit.
 * @param round round for a limit that the journal does not have
 */
export function clampLimit(
  whole: SharedLimit | undefined,
  ceilingOfOne: number,
  machines: number,
  round = 0,
): SharedLimit {
  const ceiling = ceilingOfOne * Math.max(1, machines);
  if (whole === undefined) return { ...fullLimit(ceiling), round };
  if (whole.limit >= whole.ceiling) return { ...whole, ceiling, limit: ceiling, answers: 0, why: null };
  return { ...whole, ceiling, limit: Math.min(whole.limit, ceiling) };
}

/** The joint limit after one machine's news; each machine keeps at least one place. */
export function decideWhole(
  whole: SharedLimit,
  { answers: heard, trouble, round }: HeardOfBank,
  machines: number,
): SharedLimit {
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

/** One machine's share of the joint limit. */
export function shareOf({ limit }: SharedLimit, { machines, place }: WorkerPosition): number {
  const [each, left] = [Math.floor(limit / machines), limit % machines];
  return Math.max(1, each + (place < left ? 1 : 0));
}
