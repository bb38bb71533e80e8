/** A journal that the version before has left in the midst of its work, and that this one opens. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { formatBaht } from '../../src/core/money.ts';
import { readSchemaVersion, schemaVersion } from '../../src/store/migrations.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { readyOf, submit } from '../support/journal-fixtures.ts';
import { makeFolder } from '../support/sqlite-store.ts';
import { findContradictions } from '../support/store-consistency.ts';
import { tamper } from '../support/store-fixtures.ts';

/**
 * Everything in the tables of version 5, with triggers and indexes: the first file done, a row of it cancelled; the
 * second with rows in doubt; the day reconciled in part; then the third begun, and the process killed. A notice is due. Times
 * with the check digit of a citizen ID are a millisecond later than they were.
 */
const written = new URL('journals/version-5.sql', import.meta.url);
const [done, inDoubt, killed] = ['0ZEJBG25N5', '2ET21BHA4R', 'WJG04C3P7Y'] as const;
const date = '20261122';
/** As it stood beside the journal. */
const mark = {
  journalId: '7738e0f8-4e41-4155-8635-8c7c219e256a',
  recoveredAtMs: 0,
  sealedBatches: 3,
  latestEventSeq: 257,
};
const stamp = { bankAddress: 'http://127.0.0.1:9473', companyId: 'COMP000001', isSandbox: false };

interface Upgraded extends AsyncDisposable {
  readonly store: Store;
  readonly path: string;
}

/** @param more SQL that the version before might have run, too */
async function openOlder(more = ''): Promise<Upgraded> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder());
  const dataDir = join(folder.path, 'data');
  const path = join(dataDir, 'journal.db');
  await mkdir(dataDir);
  await writeFile(join(dataDir, 'journal.mark'), `${JSON.stringify(mark)}\n`);
  tamper(path, `begin; ${await readFile(written, 'utf8')}; ${more}; commit;`);
  using db = new DatabaseSync(path);
  expect(readSchemaVersion(db)).toBe(5);
  const store = stack.use(await openJournal({ dataDir, stamp, access: 'own' }));
  expect(readSchemaVersion(db)).toBe(schemaVersion);
  const owned = stack.move();
  return { store, path, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

test('contradicts itself nowhere, and has every event as it was', async () => {
  await using older = await openOlder();
  expect(findContradictions(older.path)).toEqual([]);
  using db = new DatabaseSync(older.path);
  const events = db.prepare('select seq, detail from event order by seq').all();
  expect(events).toHaveLength(256);
  expect(events.filter(({ detail }) => String(detail).includes('"by":"people"'))).toHaveLength(1);
});

test('has its batches, and their rows by status', async () => {
  await using older = await openOlder();
  const batches = await older.store.batches();
  expect(batches.map(({ batchId, status, rows }) => [batchId, status, rows])).toEqual([
    [killed, 'running', 30],
    [inDoubt, 'running', 19],
    [done, 'done', 27],
  ]);
  const totals = await Promise.all(
    [done, inDoubt, killed].map(async (batchId) =>
      Object.fromEntries(
        (await older.store.totals(batchId)).map(({ status, rows, amountSatang }) => [
          status,
          `${rows} ${formatBaht(amountSatang)}`,
        ]),
      ),
    ),
  );
  expect(totals).toEqual([
    {
      cancelled: '1 2500000.00',
      failed: '4 503003.22',
      held: '1 1200.00',
      paid: '16 290447.02',
      rejected: '2 15450.00',
      unpayable: '3 2110.00',
    },
    { paid: '11 3262.31', submitted: '1 9009.01', unresolved: '7 63063.53' },
    { paid: '10 1065.50', ready: '15 1840.75', submitted: '5 566.25' },
  ]);
});

test('says in the words of today what has settled a row', async () => {
  await using older = await openOlder();
  const [cancelled] = await older.store.findPayouts('PAY-0026');
  expect(cancelled?.row).toMatchObject({ status: 'cancelled', settledBy: 'decision' });
  const [paid] = await older.store.findPayouts('PAY-0001');
  expect(paid?.row).toMatchObject({ status: 'paid', settledBy: 'reply' });
});

test('finds its claims by the keys of today', async () => {
  await using older = await openOlder("insert into claim values ('COMP000001', '1001.0', '1001.0', 47, 1)");
  const like = await older.store.similarHolders('COMP000001', '1001');
  expect(like.map(({ payoutId }) => payoutId)).toEqual(['1001.0']);
  using db = new DatabaseSync(older.path);
  const keys = db
    .prepare("select distinct similar_key as key from payout_row where payout_id = 'UP-10'")
    .all();
  expect(keys).toEqual([{ key: 'up10' }]);
});

test('names the breaks that are open in the words of today', async () => {
  await using older = await openOlder();
  const open = await older.store.openBreaks(date, 100);
  expect(open.map(({ kind, severity }) => `${kind} ${severity}`)).toEqual([
    'date-mismatch high',
    'amount-mismatch high',
    'duplicate-line high',
    'unmatched-bank-line high',
    'missing-at-bank high',
    'pending-at-bank low',
    ...Array.from({ length: 7 }, () => 'pending-not-in-statement low'),
  ]);
  expect(Object.fromEntries(await older.store.countOpenBreaks(date))).toEqual({
    'amount-mismatch': 1,
    'duplicate-line': 1,
    'unmatched-bank-line': 1,
    'missing-at-bank': 1,
    'date-mismatch': 1,
    'pending-at-bank': 1,
    'pending-not-in-statement': 7,
  });
});

/** One break of each other kind and severity, and of a row that people had settled. */
const others = [
  ['loudest', 'status-differs', 'critical', 'status-mismatch'],
  ['loud', 'payee-differs', 'high', 'payee-mismatch'],
  ['loud', 'other-payer', 'high', 'payer-mismatch'],
  ['plain', 'fee-differs', 'medium', 'fee-mismatch'],
  ['plain', 'net-differs', 'medium', 'net-mismatch'],
  ['plain', 'no-trace', 'medium', 'no-trace'],
] as const;

test.each(others)('has a %s break %s as %s %s', async (loudness, kind, severity, now) => {
  await using older = await openOlder(`update statement_break set loudness = '${loudness}', kind = '${kind}',
    attempt = json_set(attempt, '$.settledBy', 'people') where id = 6`);
  const all = await older.store.openBreaks(date, 100);
  expect(all.filter((one) => one.attempt?.settledBy === 'decision')).toMatchObject([{ kind: now, severity }]);
  expect(all.map((one) => one.attempt?.settledBy)).not.toContain('people');
});

test('has the figures of the statement under the names of today', async () => {
  const figures = ['in-doubt-absent', 'matched', 'twice'].map((place, count) => ({
    side: 'paid',
    place,
    count,
  }));
  await using older = await openOlder(
    `update statement_version set changes = json_set(changes, '$.figures', json('${JSON.stringify(figures)}'))`,
  );
  const statement = await older.store.statement(date);
  const { lines, paid, breaks } = statement?.totals ?? {};
  expect(lines).toEqual({
    matched: { count: 24, satang: '28963805' },
    'agreed-failed': { count: 3, satang: '50200215' },
    'amount-mismatch': { count: 1, satang: '500' },
    'duplicate-line': { count: 1, satang: '98050' },
    'unmatched-bank-line': { count: 1, satang: '1250' },
    'date-mismatch': { count: 1, satang: '275025' },
    'pending-at-bank': { count: 1, satang: '900901' },
  });
  expect(paid).toEqual({
    matched: { count: 24, satang: '28963805' },
    'amount-mismatch': { count: 1, satang: '32000' },
    'missing-at-bank': { count: 1, satang: '100103' },
    'date-mismatch': { count: 1, satang: '275025' },
  });
  expect(breaks).toEqual(Object.fromEntries(await older.store.countOpenBreaks(date)));
  expect(statement?.changes).toEqual({
    opened: 13,
    changed: 0,
    closed: 0,
    figures: ['pending-not-in-statement', 'matched', 'duplicate-line'].map((place, count) => ({
      side: 'paid',
      place,
      count,
    })),
  });
});

test('still has the notice to deliver that was due, as it was', async () => {
  await using older = await openOlder();
  const dueAtMs = (await older.store.nextNoticeAtMs()) ?? 0;
  expect(await older.store.dueNotices(dueAtMs, 10)).toMatchObject([
    {
      channel: 'webhook',
      tries: 2,
      key: `batch-done:${done}:85`,
      body: { rows: 27, amount: '3312210.24', exitCode: 3, byStatus: { paid: { rows: 16 } } },
    },
  ]);
});

test('goes on with the batch in whose midst the process was killed', async () => {
  await using older = await openOlder();
  const { store } = older;
  const asked = await store.inDoubt(0, 100, killed);
  expect(asked.map(({ payout, attempt }) => [payout.status, attempt.status, attempt.attemptNo])).toEqual(
    Array.from({ length: 5 }, () => ['submitted', 'recorded', 1]),
  );
  expect(await store.inDoubt(0, 100, inDoubt)).toHaveLength(8);
  const ready = await readyOf(store, killed);
  expect(ready).toHaveLength(15);
  for (const payout of ready) await submit(store, payout);
  expect(await readyOf(store, killed)).toEqual([]);
  expect(await store.inDoubt(0, 100, killed)).toHaveLength(20);
  expect(findContradictions(older.path)).toEqual([]);
});
