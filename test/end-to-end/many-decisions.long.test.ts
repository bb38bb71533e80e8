/** A shell and the page decide on the same rows beside a watcher; `npm run decide-soak` takes 40,000 decisions, two shells. */
import { expect, test } from 'vitest';
import { besiegeDecisions } from '../chaos/decide-siege.ts';

test('no decision is lost or applied twice, and the ledger agrees', async () => {
  const options = { decisions: 40, shells: 1, rows: 60, rowsPerFile: 30, seed: 1, waitMs: 120_000 };
  const { verdict, shells, page } = await besiegeDecisions(options, () => undefined);
  expect(verdict.complaints).toEqual([]);
  expect(shells.every(({ told }) => told.length > 0)).toBe(true);
  // How many of its proposals come before the shell's hangs on who is faster.
  expect(page.proposed).toBeGreaterThan(0);
  expect(verdict.decided).toBeGreaterThan(20);
});
