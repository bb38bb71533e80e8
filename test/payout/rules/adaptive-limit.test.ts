import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  decideLimit,
  fullLimit,
  type LimitState,
  lowerLimit,
} from '../../../src/payout/rules/adaptive-limit.ts';
import type { LimitSignal } from '../../../src/payout/rules/read-reply.ts';

const good: LimitSignal = { kind: 'good' };
const trouble: LimitSignal = { kind: 'trouble', why: 'HTTP 429' };

/** Replies to requests that each began when the one before had its reply. */
const play = (signals: readonly LimitSignal[], from: LimitState): LimitState =>
  signals.reduce((state, signal) => decideLimit(state, signal, state.round), from);

const times = (count: number, signal: LimitSignal): LimitSignal[] =>
  Array.from({ length: count }, () => signal);

describe('the adaptive limit', () => {
  test('halves with each trouble, down to one', () => {
    let state = fullLimit(16);
    const limits = times(6, trouble).map((signal) => (state = play([signal], state)).limit);
    expect(limits).toEqual([8, 4, 2, 1, 1, 1]);
    expect(state.why).toBe('HTTP 429');
  });

  test('counts the losses of one burst once', () => {
    const { round } = fullLimit(16);
    const state = times(16, trouble).reduce(
      (before, signal) => decideLimit(before, signal, round),
      fullLimit(16),
    );
    expect(state.limit).toBe(8);
    expect(decideLimit(state, good, round)).toBe(state);
  });

  test('gains one place for each round of good answers, and never more than the settings', () => {
    const two = play([trouble, trouble], fullLimit(8));
    expect(play(times(1, good), two).limit).toBe(2);
    expect(play(times(2, good), two).limit).toBe(3);
    expect(play(times(5, good), two).limit).toBe(4);
    expect(play(times(9, good), two).limit).toBe(5);
    expect(play(times(100, good), two).limit).toBe(8);
  });

  test('remembers the slowest, and why', () => {
    expect(lowerLimit(undefined, fullLimit(4))).toBeUndefined();
    const slow = play([trouble], fullLimit(4));
    const lowest = lowerLimit(undefined, slow);
    expect(lowest).toEqual({ limit: 2, ceiling: 4, why: 'HTTP 429' });
    expect(lowerLimit(lowest, play(times(9, good), slow))).toBe(lowest);
    expect(lowerLimit(undefined, play([trouble], fullLimit(1)))).toBeUndefined();
  });

  const signals = fc.array(
    fc.record({
      signal: fc.constantFrom<LimitSignal>(good, good, good, trouble, { kind: 'nothing' }),
      lateBy: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 200 },
  );

  test('stays between one and the settings, grows by at most one, and shrinks to no less than half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), signals, (ceiling, observed) => {
        let state = fullLimit(ceiling);
        for (const { signal, lateBy } of observed) {
          const before = state;
          state = decideLimit(state, signal, state.round - lateBy);
          expect(state.limit).toBeGreaterThanOrEqual(Math.max(1, Math.floor(before.limit / 2)));
          expect(state.limit).toBeLessThanOrEqual(Math.min(ceiling, before.limit + 1));
          if (signal.kind === 'nothing' || lateBy > 0) expect(state).toBe(before);
        }
      }),
    );
  });

  test('always comes back to the settings', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 9 }), (ceiling, troubles) => {
        const slow = play(times(troubles, trouble), fullLimit(ceiling));
        expect(play(times(ceiling * ceiling, good), slow).limit).toBe(ceiling);
      }),
    );
  });
});
