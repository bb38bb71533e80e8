/** Registrations in a journal of each engine: the cases know the port, and what somebody does by hand beside it. */
import { describe, test } from 'vitest';
import { openConnection } from '../../src/store/connection.ts';
import { makePostgresEngine } from '../../src/store/postgres/engine.ts';
import { makeRegistrationStore } from '../../src/store/registration/registration-store.ts';
import { describePostgres, makeJournalDatabase } from './postgres.ts';
import type { Registrations } from './registration-journal.ts';
import { makeSqliteStore } from './sqlite-store.ts';

export interface RegistrationJournal extends AsyncDisposable {
  readonly store: Registrations;
  openAnother(): Promise<Registrations>;
  /** Runs statements, as somebody who has opened the journal. */
  tamper(statements: string): Promise<void>;
  look(select: string): Promise<readonly object[]>;
  /** Transactions so far that have sent or heard of something. */
  countCommits(): Promise<number>;
}

async function makeOnSqlite(): Promise<RegistrationJournal> {
  await using stack = new AsyncDisposableStack();
  const { store, path, openAnother } = stack.use(await makeSqliteStore());
  const byHand = stack.use(openConnection(path));
  const owned = stack.move();
  return {
    store,
    openAnother,
    tamper: async (statements) => byHand.exec(statements),
    look: async (select) => byHand.prepare(select).all(),
    countCommits: async () => Number(byHand.prepare('pragma data_version').get()?.['data_version']),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

async function makeOnPostgres(): Promise<RegistrationJournal> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await makeJournalDatabase());
  const open = (): Registrations => {
    const engine = owned.use(makePostgresEngine(database.url));
    const parts = makeRegistrationStore({ engine, fenced: engine, onCommit: () => {}, onSeal: () => {} });
    owned.defer(parts.end);
    return parts.store;
  };
  const byHand = stack.use(await database.connect());
  await byHand.query('set search_path = paydrop, pg_catalog');
  const owned = stack.move();
  return {
    store: open(),
    openAnother: async () => open(),
    tamper: async (statements) => void (await byHand.query(statements)),
    look: async (select) => (await byHand.query<object>(select)).rows,
    countCommits: async () => {
      const writers =
        'select xmin::text from registration_attempt union select xmin::text from registration_callback';
      return (await byHand.query(writers)).rows.length;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

type Run = (journal: RegistrationJournal, makeAnother: () => Promise<RegistrationJournal>) => Promise<void>;

/** The same test on each engine, on an empty journal. */
export function testOnEngines(name: string, run: Run): void {
  for (const [engine, describeEngine, makeJournal] of [
    ['SQLite', describe, makeOnSqlite],
    ['PostgreSQL', describePostgres, makeOnPostgres],
  ] as const)
    describeEngine(engine, () => {
      test(name, async () => {
        await using journal = await makeJournal();
        await run(journal, makeJournal);
      });
    });
}
