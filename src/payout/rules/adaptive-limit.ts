/**
 * The adaptive limit: how many requests of a kind are with the bank at once, by additive increase and multiplicative
 * decrease. A bank that does not answer, or asks us to slow down, gets half as many; every `limit` good answers it gets
 * one more. Never more than the settings allow, never fewer than one. Pure and without a clock.
 */
import type { LimitSignal } from './read-reply.ts';

export interface LimitState {
  /** Requests at once, from 1 to `ceiling`. */
  readonly limit: number;
  /** What the settings allow. */
  readonly ceiling: number;
  /** What is this process's part of what the bank bears of several machines; the ceiling where it is alone. */
  readonly bound: number;
  /** Good answers since the limit last changed. */
  readonly answers: number;
  /** Counts the halvings. A request remembers the one it began under, so that one burst of losses counts once. */
  readonly round: number;
  /** Why it last fell. */
  readonly why: string | null;
}

export const fullLimit = (ceiling: number): LimitState => ({
  limit: ceiling,
  ceiling,
  bound: ceiling,
  answers: 0,
  round: 0,
  why: null,
});

/**
 * The limit after a reply.
 * @param round that of the limit when the request began
 */
export function decideLimit(state: LimitState, signal: LimitSignal, round: number): LimitState {
  // What began before the last halving has met the load of that time.
  if (round !== state.round) return state;
  switch (signal.kind) {
    case 'nothing':
      return state;
    case 'trouble': {
      const limit = Math.max(1, Math.floor(state.limit / 2));
      return { ...state, limit, answers: 0, round: state.round + 1, why: signal.why };
    }
    case 'good': {
      if (state.limit >= state.bound) return state;
      const answers = state.answers + 1;
      return answers < state.limit ? { ...state, answers } : { ...state, limit: state.limit + 1, answers: 0 };
    }
  }
}

/**
 * The limit with another bound: one that is above it falls, and one that the bound alone held back follows it.
 * @param why the bound is as it is
 */
export function bindLimit(state: LimitState, asked: number, why: string | null): LimitState {
  const bound = Math.max(1, Math.min(asked, state.ceiling));
  if (bound === state.bound && state.limit <= bound) return state;
  // What began before says nothing of what the bank bears from now on.
  if (bound < state.limit) return { ...state, bound, limit: bound, answers: 0, round: state.round + 1, why };
  const isHeldBack = state.limit >= state.bound;
  return isHeldBack ? { ...state, bound, limit: bound, answers: 0 } : { ...state, bound };
}

/** The lowest that the bank brought the limit to, for those who ask afterwards. */
export interface LowestLimit extends Pick<LimitState, 'limit' | 'ceiling'> {
  readonly why: string;
}

/** The lower of the two; undefined while the limit has never been below the settings. */
export function lowerLimit(lowest: LowestLimit | undefined, state: LimitState): LowestLimit | undefined {
  const { limit, ceiling, why } = state;
  if (limit >= ceiling || why === null || (lowest !== undefined && lowest.limit <= limit)) return lowest;
  return { limit, ceiling, why };
}
