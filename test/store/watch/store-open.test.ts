/** The tables of a watcher in journals old and new, and in copies of them. */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { backUpJournal, placeBackup } from '../../../src/app/backup.ts';
import { inTransaction, JournalWriteError, openConnection } from '../../../src/store/connection.ts';
import { migrate, schemaVersion } from '../../../src/store/migrations.ts';
import { writeIdentity } from '../../../src/store/identity.ts';
import { openJournal } from '../../../src/store/open.ts';
import { drive } from '../../../src/store/statements.ts';
import { makeJournal } from '../../../src/store/store.ts';
import {
  firstReady,
  ingest,
  makeRow,
  noonMs,
  secondBatchId,
  submit,
} from '../../support/journal-fixtures.ts';
import { makeFolder, makeSqliteStore, openingIn, stamp } from '../../support/sqlite-store.ts';
import { findContradictions } from '../../support/store-consistency.ts';
import { fileOf, noticeOf, tamper } from '../../support/store-fixtures.ts';

/** A journal as an older version wrote it, before the watcher's tables or since: one batch halted, another sealed. */
async function makeOldJournal(path: string, version = 2): Promise<void> {
  new DatabaseSync(path).close();
  const db = openConnection(path);
  inTransaction(db, () => {
    migrate(db, noonMs, version);
    drive(db, writeIdentity(stamp));
  });
  // What the seal of today fills beside the tables of then.
  db.exec('create temp table payee_place (proxy_no text, amount_satang integer, payout_seq integer) strict');
  db.exec('create temp table instruction_version (payout_seq integer, version integer, digest text) strict');
  db.exec(
    'create temp table person_event (seq, subject, kind, at_ms, by_person, proof, text, previous_hash, hash, cells)',
  );
  // What tells of archives, of which there were none.
  db.exec('create temp table archived_batch (batch_id text, totals text, latest_event_seq integer) strict');
  db.exec(
    `create temp table archived_rows (
      first_seq integer, last_seq integer, batch_id text, first_row_no integer, status text) strict`,
  );
  for (const name of ['payout_listed', 'open_payout'])
    db.exec(`create temp table ${name} (seq integer, batch_id text, status text, is_alarm integer)`);
  db.exec('create temp table day_use (company_id, date, kind, key, rows, high, low)');
  for (const [table, column, type] of laterColumns)
    db.exec(`alter table ${table} add column ${column} ${type}`);
  await using journal = makeJournal({ db, path, journalId: '' });
  const { batchId } = await ingest(journal, [makeRow(1, { payoutId: 'A1' }), makeRow(2, { payoutId: 'A2' })]);
  db.exec(`update batch set status = 'running' where batch_id = '${batchId}'`);
  await submit(journal, await firstReady(journal));
  db.exec(`update batch set status = 'halted', rested_at_ms = ${noonMs} where batch_id = '${batchId}'`);
  const others = [makeRow(11, { payoutId: 'A11' }), makeRow(12, { payoutId: 'A12' })];
  await ingest(journal, others, { batchId: secondBatchId });
  for (const [table, column] of laterColumns) db.exec(`alter table ${table} drop column ${column}`);
}

/** Columns that the program of today writes into the tables of then. */
const laterColumns = [
  ['payout_row', 'digest', 'text'],
  ['payout_row', 'salt', 'text'],
  ['payout_row', 'commitment', 'text'],
  ['payout_row', 'similar_key', 'text'],
  ['batch', 'digest', 'text'],
  ['attempt', 'refusals', 'integer not null default 0'],
  ['attempt', 'unproven_refusals', 'integer not null default 0'],
  ['attempt', 'refusal_code', 'text'],
  ['attempt', 'uncounted_sends', 'integer not null default 0'],
  ['attempt', 'has_failed_item', 'integer not null default 0'],
  ['batch', 'like_reason', 'text'],
  ['payout', 'is_acknowledged', 'integer not null default 0'],
  ['payout', 'sealed_satang', 'integer'],
  ['event', 'hash', 'text'],
  ['batch', 'approval_people', 'integer'],
  ['batch', 'approval_bound_satang', 'text'],
  ['batch', 'approval_bound_people', 'integer'],
  ['batch', 'approved_digest', 'text'],
  ['batch', 'approved_payer', 'text'],
] as const;

test('an empty file gets at once the very tables, indexes, views and triggers that the migrations leave', () => {
  const listTables = (...targets: readonly number[]) => {
    using db = openConnection(':memory:');
    for (const target of targets) inTransaction(db, () => migrate(db, noonMs, target));
    return ['select type, name, tbl_name, sql from sqlite_schema', 'select * from schema_version'].map(
      (rows) => db.prepare(`${rows} order by rowid`).all(),
    );
  };
  const byEach = listTables(...Array.from({ length: schemaVersion }, (_, index) => index + 1));
  // The first of a process is made by the migrations, and the second like it.
  expect([listTables(schemaVersion), listTables(schemaVersion)]).toEqual([byEach, byEach]);
});

test('an older journal is brought up to date by the sender, and by no other', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'journal.db');
  await makeOldJournal(path);
  await expect(openJournal(openingIn(folder.path, 'beside'))).rejects.toThrow('older paydrop');
  await using store = await openJournal(openingIn(folder.path));
  const open = (await store.batches()).toSorted((one, other) => (one.status < other.status ? -1 : 1));
  expect(open.map(({ status, rows }) => [status, rows])).toEqual([
    ['halted', 2],
    ['sealed', 2],
  ]);
  expect(await store.oldestInDoubtAtMs()).toBe(noonMs);
  expect(await store.unreportedBatches()).toEqual([open[0]?.batchId]);
  expect(await store.startIntake(fileOf('a'))).toEqual({ kind: 'owner' });
  await using beside = await openJournal(openingIn(folder.path, 'beside'));
  expect(await beside.intakeRecord('item-a')).toMatchObject({ fileName: 'a.csv' });
  expect(findContradictions(path)).toEqual([]);
  using db = new DatabaseSync(path);
  expect(db.prepare('select max(version) as version from schema_version').get()).toEqual({
    version: schemaVersion,
  });
});

test('what an older journal has reported and told of is not due again', async () => {
  const insertReport = `insert into report (batch_id, kind, number, path, temporary_path, sha256, event_seq, at_ms)
    select batch_id, 'result', 0, 'a', 'b', 'c', 9, ${noonMs} from batch where status = 'halted';`;
  const insertNotice = `insert into notice (key, kind, batch_id, at_ms, body)
    select 'a', 'batch-halted', batch_id, ${noonMs}, '{}' from batch where status = 'halted';`;
  const left: unknown[] = [];
  for (const made of ['', insertReport, insertReport + insertNotice]) {
    await using folder = await makeFolder();
    const path = join(folder.path, 'journal.db');
    await makeOldJournal(path, 4);
    tamper(path, made);
    await using store = await openJournal(openingIn(folder.path));
    left.push([(await store.unreportedBatches()).length, (await store.untoldBatches(noonMs)).length]);
  }
  expect(left).toEqual([
    [1, 0],
    [0, 1],
    [0, 0],
  ]);
});

test('an older journal has the very tables of a new one when it is up to date', async () => {
  await using folder = await makeFolder();
  const tablesIn = (path: string): unknown[] => {
    using db = new DatabaseSync(path);
    return db.prepare('select name, sql from sqlite_master order by name').all();
  };
  const old = join(folder.path, 'journal.db');
  await makeOldJournal(old);
  await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
  await using opened = await makeSqliteStore();
  expect(tablesIn(old)).toEqual(tablesIn(opened.path));
});

test('the id of a journal stays with it, and another journal has another', async () => {
  await using opened = await makeSqliteStore();
  await using other = await makeSqliteStore();
  expect((await opened.openAnother()).journalId).toBe(opened.store.journalId);
  expect(other.store.journalId).not.toBe(opened.store.journalId);
});

test('a backup has what the watcher keeps', async () => {
  await using folder = await makeFolder();
  const restored = join(folder.path, 'restored');
  await using store = await openJournal(openingIn(folder.path));
  await store.startIntake(fileOf('a'));
  await store.addNotice(noticeOf('one'), ['webhook']);
  await store.recordDailyJob('inquiry', '20261121');
  await store.probe(noonMs);
  const copy = join(folder.path, 'copy.db');
  backUpJournal(folder.path, copy);
  placeBackup(copy, restored, stamp, noonMs);
  const recovery = { sinceDate: '20261121' };
  await using again = await openJournal({ ...openingIn(restored), recovery, restores: true });
  expect(again.journalId).toBe(store.journalId);
  expect(await again.startIntake(fileOf('b'))).toMatchObject({ first: { fileName: 'a.csv' } });
  expect(await again.dueNotices(noonMs, 9)).toEqual(await store.dueNotices(noonMs, 9));
  expect(await again.lastDailyJob('inquiry')).toBe('20261121');
});

test('a mark that a full disk does not take is no failure of the close; anything else is', async () => {
  await using folder = await makeFolder();
  const path = join(folder.path, 'journal.db');
  await (await openJournal(openingIn(folder.path)))[Symbol.asyncDispose]();
  const close = (error: Error): Promise<void> => {
    const advance = (): never => {
      throw error;
    };
    const highWaterMark = { advance, note: () => {}, close: () => {} };
    return Promise.resolve(
      makeJournal({ db: openConnection(path), path, journalId: '', highWaterMark })[Symbol.asyncDispose](),
    );
  };
  await expect(close(new JournalWriteError('the disk is full'))).resolves.toBeUndefined();
  await expect(close(new Error('a bug'))).rejects.toThrow('a bug');
});
