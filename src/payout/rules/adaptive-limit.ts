/**
 * How many requests of a kind are with the bank at once: additive increase, multiplicative decrease. A bank that
 * does not answer, or asks us to slow down, gets half as many; every `limit` good answers it gets one more.
 * Never more than the settings allow, never fewer than one. Pure and without a clock.
 */
import type { BankReply, BusinessFields } from '../../core/bank-port.ts';
import { findBankStatus } from '../../core/status-codes.ts';

export interface PaceState {
  /** Requests at once, from 1 to `ceiling`. */
  readonly limit: number;
  /** What the settings allow. */
  readonly ceiling: number;
  /** Good answers since the limit last changed. */
  readonly answers: number;
  /** Counts the halvings. A request remembers the one it began under, so that one burst of losses counts once. */
  readonly round: number;
  /** Why it last fell. */
  readonly why: string | null;
}

export const fullPace = (ceiling: number): PaceState => ({
  limit: ceiling,
  ceiling,
  answers: 0,
  round: 0,
  why: null,
});

/** What a reply says about the bank's load. */
export type PaceSignal =
  | { readonly kind: 'good' }
  | { readonly kind: 'trouble'; readonly why: string }
  | { readonly kind: 'nothing' };

const firstHttpError = 500;

/** Reads a reply of any endpoint: no answer, 429, a server error or a code of the whole service are trouble. */
export function readPaceSignal(reply: BankReply<BusinessFields>): PaceSignal {
  switch (reply.kind) {
    case 'lost':
      return { kind: 'trouble', why: 'no answer' };
    case 'not-sent':
      return { kind: 'trouble', why: 'no connection' };
    case 'withheld':
    case 'credentials-refused':
      return { kind: 'nothing' };
    case 'answered': {
      const { httpStatus, fields } = reply;
      if (httpStatus === 429) return { kind: 'trouble', why: 'HTTP 429' };
      const code = fields?.statusCode;
      if (code !== undefined && findBankStatus(code)?.scope === 'service')
        return { kind: 'trouble', why: code };
      if (fields !== undefined) return { kind: 'good' };
      return httpStatus >= firstHttpError
        ? { kind: 'trouble', why: `HTTP ${httpStatus}` }
        : { kind: 'nothing' };
    }
  }
}

/**
 * The pace after a reply.
 * @param round that of the pace when the request began
 */
export function decidePace(state: PaceState, signal: PaceSignal, round: number): PaceState {
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
      if (state.limit >= state.ceiling) return state;
      const answers = state.answers + 1;
      return answers < state.limit ? { ...state, answers } : { ...state, limit: state.limit + 1, answers: 0 };
    }
  }
}

/** The slowest that the bank let us go, for those who ask afterwards. */
export interface LowestPace {
  readonly limit: number;
  readonly ceiling: number;
  readonly why: string;
}

/** The slower of the two; undefined while the pace has never been below the settings. */
export function lowerPace(lowest: LowestPace | undefined, state: PaceState): LowestPace | undefined {
  const { limit, ceiling, why } = state;
  if (limit >= ceiling || why === null || (lowest !== undefined && lowest.limit <= limit)) return lowest;
  return { limit, ceiling, why };
}
