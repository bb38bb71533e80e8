/** The history of the tables, and what a copy of a journal has of a watcher's. */
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { backUpJournal, placeBackup } from '../../../src/app/backup.ts';
import { siteOfFile } from '../../../src/payout/rules/journal-place.ts';
import { inTransaction, JournalWriteError, openConnection } from '../../../src/store/connection.ts';
import { migrate, schemaVersion, tablesHistory } from '../../../src/store/migrations.ts';
import { openJournal } from '../../../src/store/open.ts';
import { decideTables, readOpening } from '../../../src/store/opening.ts';
import { makeJournal } from '../../../src/store/store.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { makeFolder, makeSqliteStore, openingIn, stamp } from '../../support/sqlite-store.ts';
import { fileOf, noticeOf } from '../../support/store-fixtures.ts';

/** A later program: it has one more table. */
const oneMore = 'create table one_more (id integer primary key) strict;';
const later = { whole: tablesHistory.whole + oneMore, changes: [...tablesHistory.changes, oneMore] };

const versionsIn = (db: DatabaseSync): unknown[] =>
  db
    .prepare('select version from schema_version order by 1')
    .all()
    .map(({ version }) => version);

test('a later program makes what is new in a journal of this one, once, and in a new journal all', () => {
  const made = [tablesHistory, later].map((first) => {
    using db = openConnection(':memory:');
    for (const history of [first, later, later]) inTransaction(db, () => migrate(db, noonMs, history));
    const tables = db.prepare('select type, name, tbl_name, sql from sqlite_schema order by name').all();
    return { versions: versionsIn(db), tables };
  });
  expect(made.map(({ versions }) => versions)).toEqual([
    [schemaVersion, schemaVersion + 1],
    [schemaVersion + 1],
  ]);
  expect(made[0]?.tables).toEqual(made[1]?.tables);
});

test('an older journal is brought up to date by the sender, and by no other', () => {
  const opening = (access: 'own' | 'beside') => readOpening(openingIn('/nowhere', access), siteOfFile);
  const known = { oldest: 40, latest: 42 };
  const decide = (access: 'own' | 'beside', version: number) =>
    decideTables(opening(access), version, known, true);
  expect([decide('own', 41), decide('own', 42), decide('beside', 42)]).toEqual([
    'to-be-made',
    'ready',
    'ready',
  ]);
  expect(() => decide('beside', 41)).toThrow('is of an older paydrop');
  expect(() => decide('own', 43)).toThrow('newer paydrop (tables 43, this one knows 42)');
  expect(() => decide('own', 39)).toThrow('from before the first release');
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
