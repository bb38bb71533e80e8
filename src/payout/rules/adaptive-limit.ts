/**
 * The adaptive limit on requests of a kind at once, by additive increase and multiplicative decrease. It is halved when
 * the bank does not answer or asks us to slow down, and grows by one after every `limit` good answers; never above the
 * settings, never below one. Pure, and without a clock.
 */
import type { LimitSignal } from './read-reply.ts';

export interface LimitState {
  /** Requests at once, from 1 to `ceiling`. */
  readonly limit: number;
  /** Maximum of the settings. */
  readonly ceiling: number;
  /** This process's share of the limit of several machines; the ceiling when it is alone. */
  readonly bound: number;
  /** Good answers since the limit last changed. */
  readonly answers: number;
  /** Number of halvings. A request remembers the round in which it began, so that one burst of losses counts once. */
  readonly round: number;
  /** Reason of the last decrease. */
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
 * @param round round of the limit when the request began
 */
export function decideLimit(state: LimitState, signal: LimitSignal, round: number): LimitState {
  // A request from before the last halving has met the load of that time.
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
 * The limit with another bound: a limit above the bound falls, and one that only the bound held back follows it.
 * @param why reason of the bound
 */
export function bindLimit(state: LimitState, asked: number, why: string | null): LimitState {
  const bound = Math.max(1, Math.min(asked, state.ceiling));
  if (bound === state.bound && state.limit <= bound) return state;
  // Requests from before say nothing about the bank from now on.
  if (bound < state.limit) return { ...state, bound, limit: bound, answers: 0, round: state.round + 1, why };
  const isHeldBack = state.limit >= state.bound;
  return isHeldBack ? { ...state, bound, limit: bound, answers: 0 } : { ...state, bound };
}

/** The lowest value of the limit, for later reports. */
export interface LowestLimit extends Pick<LimitState, 'limit' | 'ceiling'> {
  readonly why: string;
}

/** The lower of the two; undefined while the limit has never been below the settings. */
export function lowerLimit(lowest: LowestLimit | undefined, state: LimitState): LowestLimit | undefined {
  const { limit, ceiling, why } = state;
  if (limit >= ceiling || why === null || (lowest !== undefined && lowest.limit <= limit)) return lowest;
  return { limit, ceiling, why };
}
