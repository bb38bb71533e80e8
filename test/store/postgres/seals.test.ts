/** Files with the same payoutIds that two machines seal at the same moment: each payoutId is paid by one of them. */
import { expect, test } from 'vitest';
import {
  makeRows,
  secondBatchId,
  firstBatchId,
  start,
  totalsOf,
  noonMs,
} from '../../support/journal-fixtures.ts';
import { makePostgresStore } from '../../support/postgres-store.ts';
import { describePostgres } from '../../support/postgres.ts';

describePostgres('two seals at once', () => {
  test('of files with the same payoutIds give each to one row', async () => {
    await using store = await makePostgresStore();
    const machines = [store.journal, await store.openAnother()];
    const rows = makeRows(50);
    // The second has the same payoutIds, and asks for other amounts.
    const others = makeRows(50, 1_001).map((row, place) => {
      if (row.instruction === null) throw new Error('a valid row has an instruction');
      const payoutId = `INV-${place + 1}`;
      return {
        ...row,
        rowNo: place + 1,
        instruction: { ...row.instruction, payoutId },
        cells: { ...row.cells, payoutId },
      };
    });
    const files = [
      { batchId: firstBatchId, rows },
      { batchId: secondBatchId, rows: others },
    ];
    await Promise.all(
      files.map(async (file, place) => {
        const journal = machines[place];
        if (journal === undefined) throw new Error('no such machine');
        await start(journal, { batchId: file.batchId });
        await journal.stage(file.batchId, file.rows);
      }),
    );
    await Promise.all(
      files.map(
        (file, place) =>
          machines[place]?.seal(file.batchId, totalsOf(file.rows), noonMs + 1) ??
          Promise.reject(new Error('no such machine')),
      ),
    );
    const statuses = await Promise.all(
      files.map(async ({ batchId }) => {
        const totals = await store.journal.totals(batchId);
        return Object.fromEntries(totals.map(({ status, rows: count }) => [status, count]));
      }),
    );
    // Whoever comes first has them all: a seal is one transaction.
    expect(statuses.toSorted((one, other) => (other['ready'] ?? 0) - (one['ready'] ?? 0))).toEqual([
      { ready: 50 },
      { rejected: 50 },
    ]);
    const holders = await store.journal.claimHolders(
      'COMP000001',
      rows.map(({ rowNo }) => `INV-${rowNo}`),
    );
    expect(new Set(holders.map(({ batchId }) => batchId)).size).toBe(1);
    expect(holders).toHaveLength(50);
  });
});
