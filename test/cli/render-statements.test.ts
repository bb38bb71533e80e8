import { expect, test } from 'vitest';
import { renderDay } from '../../src/cli/render-statements.ts';

const dayMs = 86_400_000;
const day = { date: '20261120', version: 2, acceptedAtMs: 0 };

test.each([
  [0, null, 'ties out, no open breaks'],
  [1, 4 * dayMs, '1 open break, the oldest for 1 day'],
  [2, 3 * dayMs, '2 open breaks, the oldest for 2 days'],
])('a day with %i open breaks', (openBreaks, oldestOpenedAtMs, said) => {
  expect(renderDay({ ...day, openBreaks, oldestOpenedAtMs }, 5 * dayMs)).toBe(
    `2026-11-20  v2  reconciled 1970-01-01 07:00:00  ${said}`,
  );
});
