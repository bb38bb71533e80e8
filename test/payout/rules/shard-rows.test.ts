import { expect, test } from 'vitest';
import { computeRowsAhead, computeShardRows } from '../../../src/payout/rules/shard-rows.ts';

test.each([
  { done: 0, elapsedMs: 200, rows: 10 },
  { done: 9, elapsedMs: 1_000, rows: 18 },
  { done: 40, elapsedMs: 1_000, rows: 50 },
  { done: 62, elapsedMs: 200, rows: 124 },
  { done: 1_500, elapsedMs: 1_000, rows: 600 },
  { done: 9_000, elapsedMs: 1_000, rows: 800 },
])('who is done with $done rows in $elapsedMs ms takes $rows at a time', ({ done, elapsedMs, rows }) => {
  expect(computeShardRows(done, elapsedMs)).toBe(rows);
});

test.each([
  { done: 0, elapsedMs: 200, rows: 12 },
  { done: 18, elapsedMs: 2_000, rows: 18 },
  { done: 500, elapsedMs: 1_000, rows: 48 },
])(
  'who is done with $done rows in $elapsedMs ms has $rows under way and ahead',
  ({ done, elapsedMs, rows }) => {
    expect(computeRowsAhead(done, elapsedMs, 12)).toBe(rows);
  },
);
