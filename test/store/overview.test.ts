/** The reads of the page Today: each row counts once. */
import { expect, test } from 'vitest';
import {
  ingest,
  ingestAs,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  firstBatchId,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';

test('money of days counts each row of batches under way once, by status, hold and day of its send', async () => {
  await using sqlite = await makeSqliteStore();
  const journal = sqlite.store;
  await ingestAs(journal, ['paid', 'submitted', 'failed'], makeRows(5));
  await ingest(journal, [makeRow(1, { payoutId: 'X-1', holds: ['approval'] }), makeBadRow(2)], {
    batchId: secondBatchId,
  });
  const rows = await journal.moneySince(noonMs);
  const short = rows.map(({ batchId, status, sentOn, isForApproval, rows: count, amountSatang }) =>
    [batchId === firstBatchId ? 1 : 2, status, sentOn ?? '-', isForApproval, count, amountSatang].join(' '),
  );
  expect(short.toSorted()).toEqual([
    '1 failed 20261121 false 1 10003',
    '1 paid 20261121 false 1 10001',
    '1 ready - false 2 20009',
    '1 submitted 20261121 false 1 10002',
    '2 held - true 1 10001',
    '2 rejected - false 1 0',
  ]);
  expect(rows.find(({ status }) => status === 'rejected')?.unreadableAmounts).toBe(1);
});

test('money of days leaves out what came to rest before them', async () => {
  await using sqlite = await makeSqliteStore();
  const journal = sqlite.store;
  const { batchId } = await ingestAs(journal, ['paid']);
  await journal.moveBatch(batchId, 'done', null, noonMs);
  expect(await journal.moneySince(noonMs)).toHaveLength(1);
  expect(await journal.moneySince(noonMs + 1)).toEqual([]);
});

test('unknown rows are counted by age, those that are asked about apart', async () => {
  await using sqlite = await makeSqliteStore();
  const journal = sqlite.store;
  await ingestAs(journal, ['submitted', 'submitted', 'unresolved', 'paid'], makeRows(4));
  const hour = 3_600_000;
  const read = async (nowMs: number) =>
    (await journal.unknownByAge(nowMs, [hour, 2 * hour, 3 * hour]))
      .map(({ age, isAsked, rows, amountSatang }) => [age, isAsked, rows, amountSatang].join(' '))
      .toSorted();
  expect(await read(noonMs + 1)).toEqual(['0 false 1 10003', '0 true 2 20003']);
  expect(await read(noonMs + 2 * hour + 1_000)).toEqual(['2 false 1 10003', '2 true 2 20003']);
  expect(await read(noonMs + 9 * hour)).toEqual(['3 false 1 10003', '3 true 2 20003']);
});

test("the bank's answers are read from the latest events of the hour", async () => {
  await using sqlite = await makeSqliteStore();
  const journal = sqlite.store;
  await ingestAs(journal, ['paid', 'failed'], makeRows(3));
  const causes = async (sinceMs: number, eventsMax: number) =>
    (await journal.bankEvents(sinceMs, eventsMax)).map(({ cause }) => cause);
  expect(await causes(noonMs, 100)).toEqual([
    'intent-recorded',
    'proved',
    'intent-recorded',
    'refused-for-payout',
  ]);
  expect(await causes(noonMs, 1)).toEqual(['refused-for-payout']);
  expect(await causes(noonMs + 3_600_000, 100)).toEqual([]);
});
