/** What keeps a journal from being moved, and what keeps the file of one that was moved from being worked. */
import { copyFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { JournalRefusedError, openConnection } from '../../../src/store/connection.ts';
import { openJournal } from '../../../src/store/open.ts';
import { openDatabaseJournal } from '../../../src/store/postgres/open.ts';
import { readDatabaseRows, readFileRows } from '../../support/both-sides.ts';
import {
  bringTo,
  firstBatchId,
  ingestAs,
  makeRows,
  noonMs,
  statusesOf,
} from '../../support/journal-fixtures.ts';
import { moveJournal, moveOf } from '../../support/moves.ts';
import { copyDatabase, describePostgres, makeDatabase, makeJournalDatabase } from '../../support/postgres.ts';
import { makeFolder, makeSqliteStore, openingIn, type SqliteStore } from '../../support/sqlite-store.ts';
import { tamper } from '../../support/store-fixtures.ts';

async function makePaid(): Promise<SqliteStore> {
  await using stack = new AsyncDisposableStack();
  const journal = stack.use(await makeSqliteStore());
  await ingestAs(journal.store, ['paid'], makeRows(2));
  const owned = stack.move();
  return { ...journal, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** @returns why it was refused; nothing of the file is changed then */
async function refusalOf(path: string, url: string): Promise<string> {
  const before = readFileRows(path);
  const error: unknown = await moveJournal(path, url).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(JournalRefusedError);
  expect(readFileRows(path)).toEqual(before);
  return (error as Error).message;
}

describePostgres('a journal is not moved', () => {
  test('where there is one', async () => {
    await using journal = await makePaid();
    await using other = await makePaid();
    await using database = await makeDatabase();
    await moveJournal(other.path, database.url);
    const before = await readDatabaseRows(database.url);
    const why = await refusalOf(journal.path, database.url);
    expect(why).toMatch(/^there is a journal at postgres:\/\/[^ ]* already: name a database without one$/);
    expect(await readDatabaseRows(database.url)).toEqual(before);
  });

  test('where another one is on its way', async () => {
    await using journal = await makePaid();
    await using other = await makePaid();
    await using database = await makeDatabase();
    const onStep = (step: string): void => {
      if (step === 'committed') throw new Error('cut short');
    };
    await expect(moveJournal(other.path, database.url, { onStep })).rejects.toThrow('cut short');
    expect(await refusalOf(journal.path, database.url)).toContain(
      'another journal is on its way to postgres://',
    );
    expect(await moveJournal(other.path, database.url)).toMatchObject({ kind: 'moved' });
  });

  test('among rows of nobody, or tables of another program', async () => {
    await using journal = await makePaid();
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await client.query(`insert into paydrop.daily_job values ('a', 'b')`);
    expect(await refusalOf(journal.path, database.url)).toContain('and rows of one (paydrop.daily_job)');
    await client.query(
      'drop schema paydrop cascade; create schema paydrop; create table paydrop.other (id int)',
    );
    expect(await refusalOf(journal.path, database.url)).toContain('another program’s');
  });

  test('with a character that the database cannot keep', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    tamper(journal.path, `insert into daily_job values ('a' || char(0), 'b')`);
    const why = await refusalOf(journal.path, database.url);
    expect(why).toContain('a row of daily_job (name a');
    expect(why).toContain('holds the character NUL, which PostgreSQL cannot keep: nothing has been moved');
    await expect(readDatabaseRows(database.url)).rejects.toThrow('paydrop');
  });

  test('into tables that are there, and empty, it is', async () => {
    await using journal = await makePaid();
    await using database = await makeJournalDatabase();
    expect(await moveJournal(journal.path, database.url)).toMatchObject({ kind: 'moved' });
  });

  test('to a second database', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    await using second = await makeDatabase();
    const onStep = (step: string): void => {
      if (step === 'committed') throw new Error('cut short');
    };
    await expect(moveJournal(journal.path, second.url, { onStep })).rejects.toThrow('cut short');
    await moveJournal(journal.path, database.url);
    const why = await refusalOf(journal.path, second.url);
    expect(why).toMatch(
      /^the journal in .* went to postgres:.*, and what is at postgres:.* is not that journal: name the/,
    );
    await using third = await makeDatabase();
    expect(await refusalOf(journal.path, third.url)).toContain('is not that journal');
    expect(await moveJournal(journal.path, database.url)).toEqual({ kind: 'was-there' });
  });
});

describePostgres('the file of a journal that was moved', () => {
  const gone =
    /^the journal in .* was moved to postgres:\/\/\S+, and goes on there: name that database in journal\.url\./;

  test('is opened by nobody', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    await moveJournal(journal.path, database.url);
    const opening = openingIn(journal.dataDir);
    const recovery = { sinceDate: '20261121' };
    for (const way of [{}, { access: 'beside' }, { adopts: true }, { recovery }] as const)
      await expect(openJournal({ ...opening, ...way })).rejects.toThrow(gone);
  });

  test('takes nothing from whoever has it open', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    await using beside = await journal.openAnother();
    await moveJournal(journal.path, database.url);
    const before = readFileRows(journal.path);
    for (const store of [journal.store, beside]) {
      await expect(bringTo(store, 'paid')).rejects.toThrow(gone);
      await expect(store.moveBatch(firstBatchId, 'done', null, noonMs)).rejects.toThrow(JournalRefusedError);
      await expect(store.recordDailyJob('heads', '20261121')).rejects.toThrow(gone);
    }
    expect(readFileRows(journal.path)).toEqual(before);
    expect(await statusesOf(beside)).toEqual(['paid', 'ready']);
  });

  test('keeps others from writing while it is moved', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    const onStep = (step: string): void => {
      if (step !== 'copied') return;
      using other = openConnection(journal.path);
      other.exec('pragma busy_timeout = 1');
      expect(() => other.exec(`insert into daily_job values ('a', 'b')`)).toThrow('locked');
    };
    await moveJournal(journal.path, database.url, { onStep });
  });

  test('is a backup of that moment to whoever has lost the database', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    await moveJournal(journal.path, database.url);
    await journal.store[Symbol.asyncDispose]();
    await using folder = await makeFolder();
    await copyFile(journal.path, join(folder.path, 'journal.db'));
    await rename(join(journal.dataDir, 'journal.mark'), join(folder.path, 'journal.mark'));
    const recovery = { sinceDate: '20261121' };
    const opening = { ...openingIn(folder.path), recovery };
    await expect(openJournal(opening)).rejects.toThrow(gone);
    {
      await using restored = await openJournal({ ...opening, restores: true });
      await bringTo(restored, 'paid');
      expect(await restored.loss()).toMatchObject({ sinceDate: '20261121' });
    }
    await using again = await openJournal(openingIn(folder.path));
    expect(await statusesOf(again)).toEqual(['paid', 'paid']);
  });
});

describePostgres('the database of a journal that is moved', () => {
  const recovery = { sinceDate: '20261121' };
  const ways = [{}, { access: 'beside' }, { adopts: true }, { recovery, restores: true }] as const;

  test.each([
    ['on another machine', 'has not arrived there yet: it is being moved'],
    [
      'on the same machine',
      'is a journal that was not moved there: both would pay. "paydrop move" carries it over',
    ],
  ])('is opened by nobody before it has arrived, %s', async (where, message) => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    await using folder = await makeFolder();
    const { address } = moveOf(journal.path, database.url);
    const opening = openingIn(where === 'on another machine' ? folder.path : journal.dataDir);
    const onStep = async (step: string): Promise<void> => {
      if (step !== 'committed' && step !== 'compared') return;
      for (const way of ways)
        await expect(openDatabaseJournal({ ...opening, ...way }, address)).rejects.toThrow(message);
    };
    await moveJournal(journal.path, database.url, { onStep });
    await using opened = await openDatabaseJournal(opening, address);
    expect(await statusesOf(opened!)).toEqual(['paid', 'ready']);
  });

  test('is not begun beside a journal that was forgotten', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    const { address } = moveOf(journal.path, database.url);
    for (const way of ways) {
      const opened = openDatabaseJournal({ ...openingIn(journal.dataDir), ...way }, address);
      await expect(opened).rejects.toThrow('"paydrop move" carries it over');
    }
  });

  test('is the only one that it may be worked in', async () => {
    await using journal = await makePaid();
    await using database = await makeDatabase();
    await moveJournal(journal.path, database.url);
    await using copy = await copyDatabase(database);
    const { address } = moveOf(journal.path, copy.url);
    const refused = openDatabaseJournal(openingIn(journal.dataDir), address);
    await expect(refused).rejects.toThrow('is a copy: it is in another database');
  });
});
