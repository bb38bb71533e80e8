/** The digest over a batch is one over all of its rows, in their order, however many are read at a time. */
import { expect, test } from 'vitest';
import { computeInstructionDigest, DigestOfAll } from '../../../src/core/reference.ts';
import { firstBatchId, ingest, makeBadRow, makeRows, payer } from '../../support/journal-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

test('every row that has an instruction counts, in row order', async () => {
  await using store = await makeSqliteStore();
  const rows = [...makeRows(2_100), makeBadRow(2_101), ...makeRows(2_100, 2_102)];
  await ingest(store.journal, rows);
  const all = new DigestOfAll();
  for (const { rowNo, instruction } of rows) {
    if (instruction === null) continue;
    all.add(computeInstructionDigest({ ...payer, batchId: firstBatchId, rowNo }, instruction));
  }
  const { recorded, present } = await store.journal.readSeal(firstBatchId);
  expect([recorded.digest, present.digest]).toEqual([all.end(), recorded.digest]);
});
