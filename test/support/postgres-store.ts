/** A journal in a PostgreSQL database of its own. */
import type { Store } from '../../src/store/store.ts';
import { makePostgresEngine } from '../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../src/store/postgres/journal.ts';
import { makeWorkerStore } from '../../src/store/postgres/workers.ts';
import type { TestStore } from '../store/suite/suite.ts';
import { makeJournalDatabases } from './postgres.ts';

interface PostgresStore extends TestStore {
  readonly store: Store;
  readonly url: string;
  openAnother(): Promise<Store>;
}

/** As whom processes of tests send: the first worker, whose lease outlives every test. */
const workerId = 1;

async function joinForLong(url: string): Promise<void> {
  await using engine = makePostgresEngine(url);
  const joined = await makeWorkerStore(engine).joinAsHelper({ machine: 'test', pid: 1, command: 'run' });
  if (joined !== workerId) throw new Error(`worker ${joined} is the first`);
  await engine.pool.query('update worker set lease_until_ms = lease_until_ms + 86400000');
}

const makeDatabase = makeJournalDatabases('joined', joinForLong);

export async function makePostgresStore(): Promise<PostgresStore> {
  await using stack = new AsyncDisposableStack();
  const { url } = stack.use(await makeDatabase());
  const own = { workerId, noteRefused: () => {} };
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
