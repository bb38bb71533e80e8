/** Connections to the journal on PostgreSQL, each set up in the same way. */
import { Socket } from 'node:net';
import { hostname } from 'node:os';
import { type ClientBase, Pool, type PoolConfig, types } from 'pg';

/** The schema of the journal's tables, apart from whatever else the database holds. */
export const schemaName = 'paydrop';

/** Views by the names of tables, which show what stands in the archive as if it stood with the rest. */
export const wholeSchemaName = `${schemaName}_whole`;

/** The longest wait of a write for other machines that write. */
const lockWaitMs = 30_000;

/**
 * The longest time that a transaction may stand still before the server ends it: a machine that was frozen in one must
 * not keep the others from writing.
 */
const idleWriteMaxMs = 5_000;

/** The longest pause of a view: a report that is written to a slow disk reads on in a while. */
const idleViewMaxMs = 600_000;

const connectWaitMs = 10_000;

/** Timeouts of a question that must be answered soon: it fails then, and is asked again on another connection. */
export const soonAnswered: PoolConfig = { connectionTimeoutMillis: 3_000, query_timeout: 3_000 };

/** Collects the writes of one go of the loop in one packet, however many statements they are; through TLS one by one. */
class GatheringSocket extends Socket {
  #isGathering = false;

  override write(...asked: unknown[]): boolean {
    if (!this.#isGathering) {
      this.#isGathering = true;
      this.cork();
      process.nextTick(this.#letGo);
    }
    return super.write(...(asked as Parameters<Socket['write']>));
  }

  readonly #letGo = (): void => {
    this.#isGathering = false;
    this.uncork();
  };
}

/** The settings by which statements go out without waiting for earlier answers, as many at once as there are. */
export const pipelined: PoolConfig = { pipeline: true, stream: () => new GatheringSocket() };

/** The most long reads at once; one more connection has all the short ones, and two write. */
export const readersMax = 5;

const typeIds = { bool: 16, int8: 20, int2: 21, int4: 23, numeric: 1700 } as const;

/** Reads whole numbers as SQLite hands them out. @throws RangeError for one that JavaScript would round */
function readInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError(
    `the journal holds ${text}, which is no exact number: it is read as text where it can be`,
  );
}

const readers: Readonly<Record<number, (text: string) => unknown>> = {
  [typeIds.bool]: (text) => (text === 't' ? 1 : 0),
  [typeIds.int8]: readInteger,
  [typeIds.int2]: Number,
  [typeIds.int4]: Number,
  [typeIds.numeric]: (text) => (text.includes('.') ? text : readInteger(text)),
};

const asTables = {
  getTypeParser: (id: number, format?: 'text' | 'binary') =>
    readers[id] ?? (types.getTypeParser as (id: number, format?: string) => unknown)(id, format),
} as PoolConfig['types'];

const searchPath = `${schemaName}, pg_catalog`;

/** The statements that each connection is told first. */
const setUp = [
  `set search_path = ${searchPath}`,
  `set lock_timeout = ${lockWaitMs}`,
  `set idle_in_transaction_session_timeout = ${idleWriteMaxMs}`,
  // A commit that was answered is on the server's disk, whatever its default.
  'set synchronous_commit = on',
  // A writer that has waited for the write lock sees what was written meanwhile: a snapshot of the transaction would be
  // older than the lock.
  `set default_transaction_isolation = 'read committed'`,
  // NULL in a list of texts is none, and no word.
  'set array_nulls = on',
  `set time zone 'UTC'`,
  'set client_min_messages = warning',
].join('; ');

/** The further setting of a view. */
export const viewSetUp = `set local idle_in_transaction_session_timeout = ${idleViewMaxMs}`;

/** The settings of a view that sees what stands in the archive, too. */
export const wholeSetUp = `${viewSetUp}; set local search_path = ${wholeSchemaName}, ${searchPath}`;

/** Looks at each connection before it is used; what it throws meets the caller that wanted to use it. */
export type Greeting = (client: ClientBase) => Promise<void>;

/** @param more where it differs from others */
export function openPool(
  url: string,
  connectionsMax: number,
  greet: Greeting | undefined,
  more: PoolConfig = {},
): Pool {
  const config = {
    connectionString: url,
    max: connectionsMax,
    types: asTables,
    application_name: `paydrop ${hostname()}:${process.pid}`,
    connectionTimeoutMillis: connectWaitMs,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    allowExitOnIdle: true,
    onConnect: async (client: ClientBase) => {
      await client.query(setUp);
      await greet?.(client);
    },
    ...more,
  };
  const pool = new Pool(config);
  // A connection that breaks while idle is thrown away; the next caller gets another.
  pool.on('error', () => {});
  return pool;
}
