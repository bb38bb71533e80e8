/** Batches that move into an archive and back, on each engine: whoever asks for them is told the same. */
import { inEnglishIfAny } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import { openConnection } from '../../src/store/connection.ts';
import type { Store } from '../../src/store/store.ts';
import { look, makeDone, search } from './archive-fixtures.ts';
import { describeOnEngines, type MakeStore } from '../support/engines.ts';
import {
  firstBatchId,
  ingest,
  makeRow,
  makeRows,
  payer,
  resultRows,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { openSqlBeside } from '../support/postgres.ts';
import { archiveAll, laterMs } from '../support/store-fixtures.ts';

interface Archiving extends AsyncDisposable {
  readonly store: Store;
  run(statements: string): void | Promise<void>;
  /** Rows of a table of the journal itself. */
  count(table: string): Promise<number>;
}

async function openArchiving(makeStore: MakeStore): Promise<Archiving> {
  await using stack = new AsyncDisposableStack();
  const { store, path, url } = stack.use(await makeStore());
  const sql = stack.use(url === undefined ? openFileBeside(path ?? '') : await openSqlBeside(url));
  const owned = stack.move();
  return {
    store,
    run: async (statements) => void (await sql(statements)),
    count: async (table) => Number((await sql(`select count(*) as rows from ${table}`))[0]?.['rows']),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** As `openSqlBeside` of a journal in a file. */
function openFileBeside(path: string) {
  const db = openConnection(path);
  const run = async (text: string) => {
    if (text.startsWith('select')) return db.prepare(text).all();
    db.exec(text);
    return [];
  };
  return Object.assign(run, { [Symbol.asyncDispose]: async () => db.close() });
}

describeOnEngines('a batch in an archive', (makeStore) => {
  test('is shown as before, and its rows have left the journal', async () => {
    await using journal = await openArchiving(makeStore);
    const { store, count } = journal;
    await makeDone(journal);
    const before = await look(store);
    const latest = await eventSeqOf(store);
    expect(await archiveAll(store)).toEqual([true]);
    expect(await look(store)).toBe(before);
    for (const table of ['payout', 'payout_row', 'attempt', 'event', 'payee_place', 'open_payout'])
      expect([table, await count(table)]).toEqual([table, 0]);
    expect(await count('used_reference')).toBe(4);
    expect(await eventSeqOf(store)).toBe(latest);
    const [transfer] = await store.findPayouts('INV-3');
    const reference = transfer?.attempts[0]?.order.transRefNo ?? '';
    expect((await store.findPayouts(reference)).map(({ row }) => row.rowNo)).toEqual([3]);
    expect(await store.archives()).toMatchObject([{ batches: 1, isThere: true }]);
  });

  test('is listed once, among those of the journal, though an archive that it has left has it too', async () => {
    await using journal = await openArchiving(makeStore);
    const { store } = journal;
    await makeDone(journal);
    await makeDone(journal, secondBatchId, 20);
    const all = await search(store, {}, 20);
    await archiveAll(store);
    expect(await search(store, {}, 20)).toEqual(all);
    await store.recall('batch', [firstBatchId]);
    await archiveAll(store, [secondBatchId]);
    expect(await search(store, {}, 20)).toEqual(all);
    await archiveAll(store);
    for (const limit of [1, 2, 7, 8, 20]) expect(await search(store, {}, limit)).toEqual(all.slice(0, limit));
    const [{ attempts } = { attempts: [] }] = await store.findPayouts('INV-3');
    expect(await store.findOwners(attempts[0]?.order.transRefNo ?? '')).toContain(3);
  });

  test('comes back whole, when its payoutId is looked at, and goes again', async () => {
    await using journal = await openArchiving(makeStore);
    const { store, count } = journal;
    await makeDone(journal);
    const before = await look(store);
    await archiveAll(store);
    expect(await store.attemptsOf(payer.companyId, 'INV-2')).toMatchObject([{ status: 'failed' }]);
    expect([await count('payout'), await count('used_reference'), await count('archived_batch')]).toEqual([
      7, 0, 0,
    ]);
    expect(await look(store)).toBe(before);
    expect(await archiveAll(store)).toEqual([true]);
    expect(await look(store)).toBe(before);
    // Who brought it back may still work with it.
    expect(await store.recall('date', ['20261121'], laterMs)).toBe(1);
    expect(await archiveAll(store)).toEqual([false]);
  });

  test('comes back by any of its names, and by no other', async () => {
    await using journal = await openArchiving(makeStore);
    const { store } = journal;
    await makeDone(journal);
    const [transfer] = await store.findPayouts('INV-3');
    const reference = transfer?.attempts[0]?.order.transRefNo ?? '';
    for (const [by, value] of [
      ['batch', firstBatchId],
      ['date', '20261121'],
      ['payoutId', 'INV-2'],
      ['transRefNo', reference],
    ] as const) {
      await archiveAll(store);
      expect(await store.recall(by, ['20261122', 'INV-99', secondBatchId])).toBe(0);
      expect(await store.archived(by, [value])).toEqual([firstBatchId]);
      expect(await store.recall(by, [value, value], 1)).toBe(1);
    }
  });

  test('keeps its payoutIds: the same rows again are rejected, and like ones are held', async () => {
    await using journal = await openArchiving(makeStore);
    const { store } = journal;
    await makeDone(journal);
    await archiveAll(store);
    const again = [...makeRows(6), makeRow(7, { payoutId: 'inv1' })];
    await ingest(store, again, { batchId: secondBatchId, fileName: 'again.csv' });
    const rows = await resultRows(store, secondBatchId);
    expect(rows.map(({ status, reasonCode }) => [status, reasonCode])).toEqual([
      ['rejected', 'payout-id-claimed'],
      ['ready', null],
      ['rejected', 'payout-id-claimed'],
      ['ready', null],
      ['rejected', 'payout-id-claimed'],
      ['rejected', 'payout-id-claimed'],
      ['held', 'similar'],
    ]);
    expect(inEnglishIfAny(rows[0]?.reason)).toContain(
      'row 1 of payouts.csv (batch 0123456789), which is paid: do not pay it again',
    );
    expect(inEnglishIfAny(rows[4]?.reason)).toContain('which is cancelled');
    expect(Math.min(...rows.map(({ seq }) => seq))).toBeGreaterThan(7);
    // What failed may be tried again by its new row: its earlier attempt is known by then.
    const [second] = await store.readyPage(secondBatchId, 0, 1);
    expect(second?.attemptsRecorded).toBe(1);
    expect(await store.attemptsOf(payer.companyId, 'INV-2')).toHaveLength(1);
  });

  test('is told with why it stays while a report of it is due', async () => {
    await using journal = await openArchiving(makeStore);
    const { store, run } = journal;
    await makeDone(journal);
    const [facts] = await store.archiveFacts(laterMs);
    expect(facts).toMatchObject({
      batchId: firstBatchId,
      isDone: true,
      isReported: true,
      isFileOpen: false,
      openRows: 0,
      alarmRows: 0,
      openAttempts: 0,
      openDecisions: 0,
      days: [{ date: '20261121', isReconciled: true, openBreaks: 0 }],
    });
    await run('update batch set reported_event_seq = -1');
    await run('update payout set holds = 4, is_alarm = 1 where row_no = 1');
    await run('update attempt set next_inquiry_at_ms = 1');
    await run(`insert into statement_break values (1, '20261123', (select min(trans_ref_no) from attempt),
      'duplicate-line', 'open', 1, 'high', 1, 'r', null, '[]', 1, null, null, 'r')`);
    expect(await store.archiveFacts(laterMs)).toMatchObject([
      {
        isReported: false,
        openRows: 1,
        alarmRows: 1,
        openAttempts: 4,
        days: [
          { date: '20261121', isReconciled: true, openBreaks: 0 },
          { date: '20261123', isReconciled: false, openBreaks: 1 },
        ],
      },
    ]);
    expect(await archiveAll(store)).toEqual([false]);
    expect(await look(store)).toBe(await look(store));
  });
});

async function eventSeqOf(store: Store): Promise<number> {
  await using view = await store.snapshot();
  return view.eventSeq;
}
