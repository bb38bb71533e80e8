/** A journal in a temporary folder. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openConnection } from '../../src/store/connection.ts';
import { openJournal } from '../../src/store/open.ts';
import type { JournalOpening } from '../../src/store/opening.ts';
import { makeJournal } from '../../src/store/store.ts';
import type { Journal, Store } from '../../src/store/store.ts';
import type { TestStore } from '../store/suite/suite.ts';
import { noonMs, payer } from './journal-fixtures.ts';

export const stamp = { bankAddress: 'https://bank.example', companyId: payer.companyId, isSandbox: false };

export const openingIn = (dataDir: string, access: JournalOpening['access'] = 'own'): JournalOpening => ({
  dataDir,
  stamp,
  access,
  nowMs: noonMs,
});

/** A temporary folder that goes when its owner does. */
export async function makeFolder(): Promise<{ readonly path: string } & AsyncDisposable> {
  const path = await mkdtemp(join(tmpdir(), 'paydrop-journal-'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }) };
}

export interface SqliteStore extends TestStore {
  /** The journal, with all that a watcher keeps in it. */
  readonly store: Store;
  openAnother(): Promise<Store>;
  readonly dataDir: string;
  /** Of the database file. */
  readonly path: string;
}

/** The journal at a path, which has its tables, on one more connection: a thread works on batches of so many rows. */
export function openWithThread(path: string, threadRowsMin: number): Journal {
  return makeJournal({ db: openConnection(path), path, journalId: '', threadRowsMin });
}

export async function makeSqliteStore(): Promise<SqliteStore> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder());
  const dataDir = join(folder.path, 'data');
  const store = stack.use(await openJournal(openingIn(dataDir)));
  const owned = stack.move();
  return {
    journal: store,
    store,
    dataDir,
    path: join(dataDir, 'journal.db'),
    openAnother: async () => owned.use(await openJournal(openingIn(dataDir, 'beside'))),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
