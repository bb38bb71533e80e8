/** The digest over a batch is one over all of its rows, in their order, however many are read at a time. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { computeInstructionDigest, DigestOfAll } from '../../../src/core/reference.ts';
import { firstBatchId, ingest, makeBadRow, makeRows, payer } from '../../support/journal-fixtures.ts';
import { makeSqliteStore, openWithThread } from '../../support/sqlite-store.ts';

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

test('many rows are read by stretches, as of one moment, and a changed one is seen', async () => {
  await using store = await makeSqliteStore();
  await ingest(store.journal, makeRows(4_100));
  const whole = await store.journal.readSeal(firstBatchId);
  expect(whole.present.digest).toBe(whole.recorded.digest);
  await using journal = openWithThread(store.path, 1);
  const reading = journal.readSeal(firstBatchId);
  using db = new DatabaseSync(store.path);
  db.exec('drop trigger payout_row_never_changes');
  const change = (rowNo: number): void =>
    db.exec(`update payout_row set digest = 'x' where line = ${rowNo + 1}`);
  // In the stretch that is read last; the first was read when the reading began.
  change(4_050);
  expect(await reading).toEqual(whole);
  const { recorded, present } = await journal.readSeal(firstBatchId);
  expect(recorded).toEqual(whole.recorded);
  expect(present.digest).not.toBe(recorded.digest);
});
