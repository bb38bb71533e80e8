import { expect, test } from 'vitest';
import type { PayoutStatus } from '../../src/core/payout.ts';
import { makeRowCounter } from '../../src/core/progress.ts';

type Heard = readonly [rowNo: number, status: PayoutStatus];

test.each<readonly [string, readonly Heard[], object]>([
  [
    'one that is paid',
    [
      [1, 'submitted'],
      [1, 'paid'],
    ],
    { rowsDone: 2, paid: 1, inDoubt: 0 },
  ],
  ['one under way', [[1, 'submitted']], { rowsDone: 1, paid: 0, inDoubt: 1 }],
  [
    'one that is held, let go and paid',
    [
      [2, 'held'],
      [2, 'ready'],
      [2, 'paid'],
    ],
    { rowsDone: 2, paid: 1, inDoubt: 0 },
  ],
  [
    'one that ends twice',
    [
      [2, 'unresolved'],
      [2, 'paid'],
    ],
    { rowsDone: 2, paid: 1, inDoubt: 0 },
  ],
  [
    'one that is no longer paid',
    [
      [2, 'paid'],
      [2, 'disputed'],
    ],
    { rowsDone: 2, paid: 0, inDoubt: 0 },
  ],
  [
    'all, and the one that was unresolved at the start',
    [
      [1, 'paid'],
      [2, 'paid'],
      [3, 'failed'],
      [4, 'paid'],
    ],
    { rowsDone: 4, paid: 3, inDoubt: 0 },
  ],
])('counts once: %s', (_name, heard, expected) => {
  const count = makeRowCounter(4, [
    { status: 'ready', rows: 2 },
    { status: 'held', rows: 1 },
    { status: 'unresolved', rows: 1 },
  ]);
  const figures = heard.map(([rowNo, status]) => count({ rowNo, status }));
  expect(figures.at(-1)).toEqual(expected);
  for (const { rowsDone, inDoubt } of figures) expect(rowsDone + inDoubt).toBeLessThanOrEqual(4);
});
