/** A journal in a PostgreSQL database of its own. */
import type { Store } from '../../src/store/store.ts';
import { makePostgresEngine } from '../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../src/store/postgres/journal.ts';
import { makeWorkerStore } from '../../src/store/postgres/workers.ts';
import type { TestStore } from '../store/suite/suite.ts';
import { makeJournalDatabase } from './postgres.ts';

interface PostgresStore extends TestStore {
  readonly store: Store;
  readonly url: string;
  openAnother(): Promise<Store>;
}

/** As whom processes of tests send: its lease outlives every test. */
async function joinForLong(url: string): Promise<number> {
  await using engine = makePostgresEngine(url);
  const workerId = await makeWorkerStore(engine).joinAsHelper({ machine: 'test', pid: 1, command: 'run' });
  await engine.pool.query('update worker set lease_until_ms = lease_until_ms + 3600000');
  return workerId;
}

export async function makePostgresStore(): Promise<PostgresStore> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await makeJournalDatabase());
  const own = { workerId: await joinForLong(url), noteRefused: () => {} };
  const openOn = (owner: AsyncDisposableStack): Store =>
    owner.use(makePostgresJournal({ engine: owner.use(makePostgresEngine(url)), journalId: 'journal', own }));
  const store = openOn(stack);
  const owned = stack.move();
  return {
    journal: store,
    store,
    url,
    openAnother: async () => openOn(owned),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
