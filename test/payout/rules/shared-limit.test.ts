import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bindLimit, decideLimit, fullLimit } from '../../../src/payout/rules/adaptive-limit.ts';
import {
  decideWhole,
  clampLimit,
  type HeardOfBank,
  shareOf,
  type SharedLimit,
} from '../../../src/payout/rules/shared-limit.ts';

/** After so many halvings. */
const troubleIn = (round: number): HeardOfBank => ({ answers: 0, trouble: 'HTTP 429', round });
const good = (answers: number): HeardOfBank => ({ answers, trouble: null, round: 0 });
const wholeOf = (limit: number, ceiling: number): SharedLimit => ({
  limit,
  ceiling,
  answers: 0,
  round: 0,
  why: 'HTTP 429',
});

describe('the limit of all machines', () => {
  test('is what the settings allow each of them while the bank bears it', () => {
    const whole = clampLimit(undefined, 4, 3);
    expect(whole).toMatchObject({ limit: 12, ceiling: 12 });
    const shares = [0, 1, 2].map((place) => shareOf(whole, { machines: 3, place }));
    expect(shares).toEqual([4, 4, 4]);
  });

  test('halves with each trouble, down to one for each machine', () => {
    let whole = clampLimit(undefined, 4, 4);
    const limits = [0, 1, 2].map((round) => (whole = decideWhole(whole, troubleIn(round), 4)).limit);
    expect(limits).toEqual([8, 4, 4]);
    expect(whole.why).toBe('HTTP 429');
  });

  test('is halved once by a burst that several machines meet', () => {
    const whole = decideWhole(clampLimit(undefined, 4, 4), troubleIn(0), 4);
    expect(decideWhole(whole, troubleIn(0), 4)).toBe(whole);
    // Nobody remembers it any more.
    expect(decideWhole(clampLimit(undefined, 4, 4, 7), troubleIn(7), 4)).toMatchObject({
      limit: 8,
      round: 8,
    });
  });

  test.each([
    [wholeOf(8, 16), good(7), 8],
    [wholeOf(8, 16), good(8), 9],
    [wholeOf(8, 16), good(17), 10],
    [wholeOf(15, 16), good(1_000), 16],
    [wholeOf(16, 16), good(1_000), 16],
  ])('of %j after %j is %i', (whole, heard, limit) => {
    expect(decideWhole(whole, heard, 4).limit).toBe(limit);
  });

  test.each([
    ['of a full one that more machines come to', wholeOf(8, 8), 4, 3, 12],
    ['of a full one that a machine leaves', wholeOf(8, 8), 4, 1, 4],
    ['of a lowered one that more machines come to', wholeOf(3, 8), 4, 3, 3],
    ['of a lowered one that machines leave', wholeOf(6, 16), 4, 1, 4],
  ])('%s is fitted', (_name, whole, ceilingOfOne, machines, limit) => {
    expect(clampLimit(whole, ceilingOfOne, machines)).toMatchObject({
      limit,
      ceiling: ceilingOfOne * machines,
    });
  });

  test('is divided without a rest, and leaves nobody without a place', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 200 }), fc.integer({ min: 1, max: 20 }), (limit, machines) => {
        const whole = wholeOf(limit, 1_000);
        const shares = Array.from({ length: machines }, (_, place) => shareOf(whole, { machines, place }));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(Math.max(limit, machines));
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

describe('the limit of one machine', () => {
  test('falls with its part of the whole at once, and rises with it', () => {
    const low = bindLimit(fullLimit(4), 2, 'HTTP 429');
    expect(low).toMatchObject({ limit: 2, bound: 2, ceiling: 4, why: 'HTTP 429' });
    expect(bindLimit(low, 3, 'HTTP 429')).toMatchObject({ limit: 3, bound: 3 });
    expect(bindLimit(low, 9, null)).toMatchObject({ limit: 4, bound: 4 });
  });

  test('stays below its part while it has met trouble itself, and never gains more', () => {
    const low = decideLimit(fullLimit(8), { kind: 'trouble', why: 'HTTP 503' }, 0);
    let bound = bindLimit(low, 5, 'HTTP 503');
    expect(bound.limit).toBe(4);
    for (let answers = 0; answers < 100; answers += 1)
      bound = decideLimit(bound, { kind: 'good' }, bound.round);
    expect(bound.limit).toBe(5);
  });

  test('is not halved by requests that began before its part fell', () => {
    const full = fullLimit(8);
    const low = bindLimit(full, 4, 'HTTP 429');
    expect(decideLimit(low, { kind: 'trouble', why: 'HTTP 429' }, full.round)).toBe(low);
  });

  test('is as before where nothing has changed', () => {
    const full = fullLimit(8);
    expect(bindLimit(full, 8, null)).toBe(full);
    expect(bindLimit(full, 20, null)).toBe(full);
  });
});
