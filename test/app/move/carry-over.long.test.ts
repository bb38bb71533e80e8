/** A journal in the middle of its day goes from its file into a database whole, and is never in both. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { MoveStep } from '../../../src/app/move/move.ts';
import { JournalRefusedError, JournalWriteError, openConnection } from '../../../src/store/connection.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { openJournal } from '../../../src/store/open.ts';
import {
  type AllRows,
  countRows,
  readDatabaseRows,
  readFileRows,
  withoutOwnFacts,
} from '../../support/both-sides.ts';
import { makeBusyJournal } from '../../support/busy-journal.ts';
import { fillTables, readColumns } from '../../support/filled-tables.ts';
import { bringTo } from '../../support/journal-fixtures.ts';
import { moveJournal } from '../../support/moves.ts';
import { describePostgres, makeDatabase, type TestDatabase } from '../../support/postgres.ts';
import { makeFolder, openingIn, type SqliteStore } from '../../support/sqlite-store.ts';

const script = fileURLToPath(new URL('move-until-killed.ts', import.meta.url));

async function expectSame(path: string, { url }: TestDatabase): Promise<AllRows> {
  const [here, there] = [withoutOwnFacts(readFileRows(path)), withoutOwnFacts(await readDatabaseRows(url))];
  for (const name of Object.keys(here)) expect([name, there[name]]).toEqual([name, here[name]]);
  return here;
}

/** True of the file whose journal may be worked by whoever has the right to send. */
async function mayWorkFile({ dataDir }: SqliteStore): Promise<boolean> {
  try {
    await using journal = await openJournal(openingIn(dataDir));
    return (await journal.batches()).length > 0;
  } catch (error) {
    expect(String(error)).toContain('was moved to postgres://');
    return false;
  }
}

/** Of the database: there is none, one that has not arrived, or one that may be worked. */
async function standingOf(database: TestDatabase): Promise<'none' | 'arriving' | 'there'> {
  const { meta = [] } = await readDatabaseRows(database.url).catch((): AllRows => ({}));
  if (!meta.some((row) => row.includes('"journalId"'))) return 'none';
  return meta.some((row) => row.includes('"isArriving"')) ? 'arriving' : 'there';
}

async function moveUntilKilled(path: string, url: string, step: MoveStep): Promise<void> {
  const child = spawn(process.execPath, [script, path, url, step], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
}

const largest = 9_223_372_036_854_775_807n;

/** One row in each table, each of its columns with a value, and what is at the edges of what a value can be. */
function fillFile(path: string): void {
  using db = openConnection(path);
  migrate(db, 0);
  db.exec('pragma foreign_keys = off');
  for (const statement of fillTables(readColumns(db), 'full')) db.exec(statement);
  db.exec(`insert into meta values ('journalId', 'filled')`);
  db.prepare('insert into day_use values (?, ?, ?, ?, ?, ?, ?)').run(
    'C',
    'd',
    'day',
    '',
    0,
    largest,
    -largest,
  );
  const texts = ['"', '\\', "'", '{a,"b"}', 'null', 'NULL', '', ' ', '\r\n', 'ฟ้า', '😀', '\u0001', '\uffff'];
  for (const text of texts) db.prepare('insert into paid_payee values (?, ?)').run(text, `${text}${text}`);
}

describePostgres('a journal that is moved', () => {
  test('has every row of every table there, and goes on counting after them', async () => {
    await using journal = await makeBusyJournal();
    await using database = await makeDatabase();
    const before = readFileRows(journal.path);
    const told = new Map<string, number>();
    const onTable = (name: string, rows: number) => void told.set(name, rows);
    const end = await moveJournal(journal.path, database.url, { onTable });
    const moved = await expectSame(journal.path, database);
    expect(moved).toEqual(withoutOwnFacts(before));
    expect(end).toEqual({ kind: 'moved', rows: countRows(moved) });
    expect(told.get('payout')).toBe(51);
    await using client = await database.connect();
    const next = await client.query(
      `insert into paydrop.notice (key, kind, at_ms, body) values ('next', 'k', 0, '') returning seq::int`,
    );
    expect(next.rows).toEqual([{ seq: 1 + before['notice']!.length }]);
  });

  test('has what every column can hold', async () => {
    await using folder = await makeFolder();
    await using database = await makeDatabase();
    const path = `${folder.path}/journal.db`;
    fillFile(path);
    await moveJournal(path, database.url);
    const moved = await expectSame(path, database);
    expect(Object.entries(moved).filter(([name, rows]) => rows.length === 0 && name !== 'meta')).toEqual([]);
    expect(moved['day_use']!.join()).toContain(`["high","${largest}"]`);
  });

  test('has people who were made before those that they name', async () => {
    await using folder = await makeFolder();
    await using database = await makeDatabase();
    const path = `${folder.path}/journal.db`;
    fillFile(path);
    {
      using db = new DatabaseSync(path);
      const one = 'name, display_name, role, is_disabled, made_at_ms, handed_at_ms, stands_since_ms';
      const all = Array.from({ length: 2_500 }, (_, at) => `('k${at}', 'n', 'n', 'maker', 0, 0, 0, 0, 2500)`);
      db.exec(`insert into person (name_key, ${one}, made_by) values ${all.join()}`);
    }
    await moveJournal(path, database.url);
    expect((await expectSame(path, database))['person']).toHaveLength(2_501);
  });

  test.each<[MoveStep, boolean, 'none' | 'arriving' | 'there']>([
    ['locked', true, 'none'],
    ['copied', true, 'none'],
    ['committed', true, 'arriving'],
    ['compared', true, 'arriving'],
    ['marked', false, 'arriving'],
    ['arrived', false, 'there'],
  ])(
    'is in one place alone after a kill when it was %s, and the same command goes on',
    async (step, isHere, there) => {
      await using journal = await makeBusyJournal();
      await using database = await makeDatabase();
      await journal.store[Symbol.asyncDispose]();
      await moveUntilKilled(journal.path, database.url, step);
      expect(await mayWorkFile(journal)).toBe(isHere);
      expect(await standingOf(database)).toBe(there);
      if (isHere) {
        await using again = await openJournal(openingIn(journal.dataDir));
        await bringTo(again, 'paid');
      }
      const before = readFileRows(journal.path);
      const end = await moveJournal(journal.path, database.url);
      const moved = await expectSame(journal.path, database);
      expect(moved).toEqual(withoutOwnFacts(before));
      expect(end.kind).toBe(isHere ? 'moved' : there === 'arriving' ? 'ended' : 'was-there');
      expect([await mayWorkFile(journal), await standingOf(database)]).toEqual([false, 'there']);
      expect(await moveJournal(journal.path, database.url)).toEqual({ kind: 'was-there' });
    },
  );

  test('stays where it is when the database is cut off, and goes once it is back', async () => {
    await using journal = await makeBusyJournal();
    await using database = await makeDatabase();
    await using other = await database.connect();
    const onStep = async (step: MoveStep): Promise<void> => {
      if (step === 'copied' || step === 'marked')
        await other.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and usename = current_user and pid <> pg_backend_pid()`,
        );
    };
    const cut = moveJournal(journal.path, database.url, { onStep });
    await expect(cut).rejects.toThrow(JournalWriteError);
    await expect(cut).rejects.toThrow(/cannot be reached/);
    expect([await mayWorkFile(journal), await standingOf(database)]).toEqual([true, 'none']);
    const second = await moveJournal(journal.path, database.url, {
      onStep: (step) => (step === 'marked' ? onStep(step) : undefined),
    });
    expect(second.kind).toBe('moved');
    await expectSame(journal.path, database);
    expect([await mayWorkFile(journal), await standingOf(database)]).toEqual([false, 'there']);
  });

  test.each([
    [
      'a cell',
      `update paydrop.payout set reason = 'other' where row_no = 3`,
      'the rows of payout: number 3 is another',
    ],
    ['a row that is not there', 'delete from paydrop.day_use', 'the rows of day_use end there'],
    ['a row that nobody has', `insert into paydrop.daily_job values ('a', 'b')`, 'the rows of daily_job'],
  ])('stays where it is while %s differs', async (_what, statement, message) => {
    await using folder = await makeFolder();
    await using database = await makeDatabase();
    const path = `${folder.path}/journal.db`;
    fillFile(path);
    {
      using db = new DatabaseSync(path);
      db.exec(`insert into batch select '9', sha256, file_name, company_id, payer_account, status, reason_code, reason,
        remedy, rows, total_satang, unreadable_amounts, extra_columns, started_at_ms, sealed_at_ms, rested_at_ms,
        age_from_ms, rested_event_seq, reported_event_seq, noticed_event_seq, digest, versions_digest, like_reason,
        recalled_at_ms, approval_people, approved_digest, approved_payer, approval_bound_satang, approval_bound_people, is_halted_with_payer
          from batch`);
      for (const row of [2, 3])
        db.exec(`insert into payout (seq, batch_id, row_no, status, holds, version, attempt_no, last_event_seq)
          values (${row}, '9', ${row}, 'ready', 0, 1, 0, 0)`);
    }
    const before = readFileRows(path);
    await using there = await database.connect();
    const changing = moveJournal(path, database.url, {
      onStep: async (step) => {
        if (step === 'committed') await there.query(statement);
      },
    });
    await expect(changing).rejects.toThrow(message);
    await expect(changing).rejects.toThrow(JournalRefusedError);
    expect(readFileRows(path)).toEqual(before);
    expect(await standingOf(database)).toBe('arriving');
    expect(await moveJournal(path, database.url)).toMatchObject({ kind: 'moved' });
    await expectSame(path, database);
  });
});
