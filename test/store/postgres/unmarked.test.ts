/** A machine without a mark joins a journal in a database, which may be an older copy: it could not tell. */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MarkCopies } from '../../../src/app/journal/mark-copies.ts';
import { formatBangkokDate } from '../../../src/core/bangkok-time.ts';
import type { JournalOpening } from '../../../src/store/opening.ts';
import { prepareJournal } from '../../../src/store/postgres/open.ts';
import { makeWorkerStore } from '../../../src/store/postgres/workers.ts';
import type { Store } from '../../../src/store/store.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { ingest, makeRows } from '../../support/journal-fixtures.ts';
import {
  copyDatabase,
  describePostgres,
  makeJournalDatabase,
  replaceDatabase,
  type TestDatabase,
} from '../../support/postgres.ts';
import { makeFolder, stamp } from '../../support/sqlite-store.ts';

const dayMs = 86_400_000;

/** A process of a machine that works the journal. */
interface WorkerPosition extends AsyncDisposable {
  readonly journal: Store;
  /** What it asks the bank first by. */
  moments(): Promise<Awaited<ReturnType<NonNullable<Store['readMoments']>>>>;
}

interface Scene extends AsyncDisposable {
  readonly database: TestDatabase;
  /** The data directory of a machine. */
  folderOf(machine: string): string;
  open(machine: string, changes?: Partial<JournalOpening>): Promise<WorkerPosition>;
  /** As a snapshot of the server's disk is: by its identity the database is the same. */
  putBack(copy: TestDatabase): Promise<void>;
  /** Opens it and ends at once. */
  work(machine: string, changes?: Partial<JournalOpening>): Promise<void>;
}

/** The journal began on machine "one", nine days ago, and has a file. */
async function makeScene(): Promise<Scene> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await makeJournalDatabase());
  const folder = stack.use(await makeFolder());
  const folderOf = (machine: string): string => join(folder.path, machine);
  const address = { url: database.url, name: 'the test database' };
  const open: Scene['open'] = async (machine, changes) => {
    await using opening = new AsyncDisposableStack();
    const asked = { dataDir: folderOf(machine), stamp, access: 'own', nowMs: noonMs, ...changes } as const;
    await mkdir(asked.dataDir, { recursive: true });
    const prepared = await prepareJournal(asked, address);
    if (prepared === undefined) throw new Error('there is no journal');
    opening.use(prepared);
    const workers = makeWorkerStore(prepared.engine);
    const workerId = await workers.joinAsHelper({ machine, pid: 1, command: 'watch' });
    opening.defer(() => workers.endWorker(workerId));
    const journal = opening.use(await prepared.takeUp({ workerId, noteRefused: () => {} }));
    const owned = opening.move();
    const moments = async () => {
      const told = await journal.readMoments?.();
      if (told === undefined) throw new Error('it tells no moments');
      return told;
    };
    return { journal, moments, [Symbol.asyncDispose]: () => owned.disposeAsync() };
  };
  const putBack: Scene['putBack'] = async (copy) => {
    await replaceDatabase(database, copy);
    await using client = await database.connect();
    const oid = '(select oid::text from pg_database where datname = current_database())';
    await client.query(`update paydrop.meta set value = ${oid} where key = 'databaseOid'`);
  };
  const work: Scene['work'] = async (...asked) => (await open(...asked))[Symbol.asyncDispose]();
  {
    await using first = await open('one', { nowMs: noonMs - 9 * dayMs });
    await ingest(first.journal, makeRows(2));
  }
  const owned = stack.move();
  return { database, folderOf, open, putBack, work, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** It is as old as it is, and nothing is asked first. */
const old = { newSinceMs: noonMs - 9 * dayMs, missesSinceMs: undefined, isUnmarked: false };
/** The latest that is recorded is the file's seal. */
const unmarked = { newSinceMs: noonMs, missesSinceMs: noonMs + 1, isUnmarked: true };

describePostgres('a machine without a mark', () => {
  test('makes the journal count as new, for all, from the latest that it knows of', async () => {
    await using scene = await makeScene();
    await using other = await scene.open('two');
    expect(await other.moments()).toEqual(unmarked);
    await using third = await scene.open('three', { nowMs: noonMs + dayMs });
    expect(await third.moments()).toEqual({ ...unmarked, newSinceMs: noonMs + dayMs });
    expect(await other.moments()).toEqual(await third.moments());
  });

  test('does not while one with a mark is at work', async () => {
    await using scene = await makeScene();
    await using one = await scene.open('one');
    await using other = await scene.open('two');
    expect(await other.moments()).toEqual(old);
    await one[Symbol.asyncDispose]();
    // It has joined one that knew, and knows itself from then on.
    await using third = await scene.open('three');
    expect(await third.moments()).toEqual(old);
  });

  test('does until one with a mark is at work, by which nothing is missing', async () => {
    await using scene = await makeScene();
    await using other = await scene.open('two');
    await scene.work('three');
    expect(await other.moments()).toEqual(unmarked);
    await scene.work('one');
    expect(await other.moments()).toEqual(old);
    await using fourth = await scene.open('four');
    expect(await fourth.moments()).toEqual(unmarked);
  });

  test('has none by what it has written itself meanwhile, until that is proved', async () => {
    await using scene = await makeScene();
    await using copy = await copyDatabase(scene.database);
    await scene.work('two');
    const at = async (nowMs: number) => {
      await using two = await scene.open('two', { nowMs });
      return await two.moments();
    };
    expect(await at(noonMs + 1)).toEqual({ ...unmarked, newSinceMs: noonMs + 1 });
    await scene.work('one');
    expect(await at(noonMs + 2)).toEqual(old);
    await scene.putBack(copy);
    expect(await at(noonMs + 3)).toEqual(old);
    // Its mark is of a time when the journal was unmarked, of which the copy knows nothing.
    await rm(scene.folderOf('two'), { recursive: true });
    expect(await at(noonMs + 4)).toEqual({ ...unmarked, newSinceMs: noonMs + 4 });
    await scene.putBack(copy);
    expect(await at(noonMs + 5)).toEqual({ ...unmarked, newSinceMs: noonMs + 5 });
  });

  test('is not vouched for by one that has seen more than the journal had when it joined', async () => {
    await using scene = await makeScene();
    await using copy = await copyDatabase(scene.database);
    {
      await using one = await scene.open('one');
      await ingest(one.journal, makeRows(3), { batchId: 'ABCDEFGHJK' });
    }
    await scene.putBack(copy);
    await using other = await scene.open('two');
    await ingest(other.journal, makeRows(9, 20), { batchId: 'ABCDEFGHJM' });
    // As far as its mark tells, nothing is missing: the journal has grown beyond it since.
    await using one = await scene.open('one');
    expect(await one.moments()).toEqual(unmarked);
    expect(await other.moments()).toEqual(unmarked);
  });

  test('has one that stands in a shared folder', async () => {
    await using scene = await makeScene();
    const outbox = scene.folderOf('outbox');
    await mkdir(outbox);
    const openMarks = (journalId: string): MarkCopies => new MarkCopies([outbox], journalId);
    await scene.work('one', { openMarks });
    await using other = await scene.open('two', { openMarks });
    expect(await other.moments()).toEqual(old);
  });

  test('is one that has its mark from before a loss, too', async () => {
    await using scene = await makeScene();
    {
      await using first = await scene.open('one');
      await scene.work('two');
      expect((await first.moments()).isUnmarked).toBe(false);
    }
    await scene.work('one', { recovery: { sinceDate: formatBangkokDate(noonMs) }, restores: true });
    await using one = await scene.open('one');
    expect(await one.moments()).toEqual({ newSinceMs: noonMs, missesSinceMs: undefined, isUnmarked: false });
    await one[Symbol.asyncDispose]();
    await using two = await scene.open('two', { nowMs: noonMs + 1 });
    expect(await two.moments()).toMatchObject({ newSinceMs: noonMs + 1, isUnmarked: true });
  });

  test('that makes the journal, or adopts it, is none', async () => {
    await using scene = await makeScene();
    const mark = JSON.parse(await readFile(join(scene.folderOf('one'), 'journal.mark'), 'utf8'));
    expect(mark).toMatchObject({ unmarkedSinceMs: 0 });
    await using other = await scene.open('two', { adopts: true });
    expect(await other.moments()).toMatchObject({ newSinceMs: noonMs, isUnmarked: false });
  });
});
