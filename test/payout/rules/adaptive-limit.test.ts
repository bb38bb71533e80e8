import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BankReply, BusinessFields } from '../../../src/core/bank-port.ts';
import {
  decidePace,
  fullPace,
  lowerPace,
  type PaceSignal,
  type PaceState,
  readPaceSignal,
} from '../../../src/payout/rules/adaptive-limit.ts';
import { transferFields } from '../../support/core-fixtures.ts';

const good: PaceSignal = { kind: 'good' };
const trouble: PaceSignal = { kind: 'trouble', why: 'HTTP 429' };

/** Replies to requests that each began when the one before had its reply. */
const play = (signals: readonly PaceSignal[], from: PaceState): PaceState =>
  signals.reduce((state, signal) => decidePace(state, signal, state.round), from);

const times = (count: number, signal: PaceSignal): PaceSignal[] =>
  Array.from({ length: count }, () => signal);

describe('the pace', () => {
  test('halves with each trouble, down to one', () => {
    let state = fullPace(16);
    const limits = times(6, trouble).map((signal) => (state = play([signal], state)).limit);
    expect(limits).toEqual([8, 4, 2, 1, 1, 1]);
    expect(state.why).toBe('HTTP 429');
  });

  test('counts the losses of one burst once', () => {
    const { round } = fullPace(16);
    const state = times(16, trouble).reduce(
      (before, signal) => decidePace(before, signal, round),
      fullPace(16),
    );
    expect(state.limit).toBe(8);
    expect(decidePace(state, good, round)).toBe(state);
  });

  test('gains one place for each round of good answers, and never more than the settings', () => {
    const two = play([trouble, trouble], fullPace(8));
    expect(play(times(1, good), two).limit).toBe(2);
    expect(play(times(2, good), two).limit).toBe(3);
    expect(play(times(5, good), two).limit).toBe(4);
    expect(play(times(9, good), two).limit).toBe(5);
    expect(play(times(100, good), two).limit).toBe(8);
  });

  test('remembers the slowest, and why', () => {
    expect(lowerPace(undefined, fullPace(4))).toBeUndefined();
    const slow = play([trouble], fullPace(4));
    const lowest = lowerPace(undefined, slow);
    expect(lowest).toEqual({ limit: 2, ceiling: 4, why: 'HTTP 429' });
    expect(lowerPace(lowest, play(times(9, good), slow))).toBe(lowest);
    expect(lowerPace(undefined, play([trouble], fullPace(1)))).toBeUndefined();
  });

  const signals = fc.array(
    fc.record({
      signal: fc.constantFrom<PaceSignal>(good, good, good, trouble, { kind: 'nothing' }),
      lateBy: fc.integer({ min: 0, max: 3 }),
    }),
    { maxLength: 200 },
  );

  test('stays between one and the settings, grows by at most one, and shrinks to no less than half', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), signals, (ceiling, heard) => {
        let state = fullPace(ceiling);
        for (const { signal, lateBy } of heard) {
          const before = state;
          state = decidePace(state, signal, state.round - lateBy);
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
        const slow = play(times(troubles, trouble), fullPace(ceiling));
        expect(play(times(ceiling * ceiling, good), slow).limit).toBe(ceiling);
      }),
    );
  });
});

const exchange = { requestUid: 'R', xRequestId: 'X', elapsedMs: 1 };
const answered = (httpStatus: number, code?: string): BankReply<BusinessFields> => ({
  kind: 'answered',
  httpStatus,
  fields: code === undefined ? undefined : transferFields(code),
  bankDateMs: undefined,
  retryAfterMs: undefined,
  ...exchange,
});

describe('what a reply says about the load', () => {
  test.each([
    ['a timeout', { kind: 'lost', why: 'timed out', ...exchange }, 'no answer'],
    ['no connection', { kind: 'not-sent', why: 'ECONNREFUSED' }, 'no connection'],
    ['429', answered(429), 'HTTP 429'],
    ['429 with a code', answered(429, 'IC000'), 'HTTP 429'],
    ['503 from a gateway', answered(503), 'HTTP 503'],
    ['ET004', answered(200, 'ET004'), 'ET004'],
    ['a closed service', answered(500, 'TM001'), 'TM001'],
    ['success', answered(200, 'IC000'), 'good'],
    ['a refused payee', answered(200, 'EM069'), 'good'],
    ['HTTP 500 with a code of one payout', answered(500, 'EM053'), 'good'],
    ['a page for people', answered(200), 'nothing'],
    ['nothing sent', { kind: 'withheld' }, 'nothing'],
    ['refused credentials', { kind: 'credentials-refused', code: 'TK001' }, 'nothing'],
  ] as const)('%s', (_name, reply, said) => {
    const signal = readPaceSignal(reply);
    expect(signal.kind === 'trouble' ? signal.why : signal.kind).toBe(said);
  });
});
