import { expect, test } from 'vitest';
import { computeBackoffMs } from '../../src/core/backoff.ts';

test.each([
  [0, 500],
  [1, 1_000],
  [6, 32_000],
  [7, 60_000],
  [5_000, 60_000],
])('after %d tries it is waited for %d ms', (tries, ms) => {
  expect(computeBackoffMs({ baseMs: 500, maxMs: 60_000 }, tries)).toBe(ms);
});

test('the limit holds for the first try, too', () => {
  expect(computeBackoffMs({ baseMs: 1_000, maxMs: 20 }, 0)).toBe(20);
});

test('a factor other than two', () => {
  const waits = [0, 1, 2, 3].map((tries) => computeBackoffMs({ baseMs: 10, maxMs: 200, factor: 3 }, tries));
  expect(waits).toEqual([10, 30, 90, 200]);
});

test.each([
  [0, 1_000],
  [0.5, 875],
  [0.999, 750],
])('with jitter, chance %d makes it %d ms', (chance, ms) => {
  expect(computeBackoffMs({ baseMs: 1_000, maxMs: 1_000, jitterShare: 0.25 }, 3, chance)).toBe(ms);
});
