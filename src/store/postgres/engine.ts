/**
 * Runs the journal's bodies on PostgreSQL. One transaction writes at a time, over all machines: it begins with the
 * journal's write lock, so that whatever holds of one that excludes all others holds here, and the numbers of events
 * follow the order of their commits.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ClientBase, Pool, PoolClient } from 'pg';
import { KeyedMutex } from '../../platform/keyed-mutex.ts';
import { JournalWriteError } from '../connection.ts';
import type { Engine, Gathering, View } from '../engine.ts';
import type { Body, Reading } from '../statements.ts';
import { type Answer, driveEachOn, driveOn, settle, UnplacedFailure } from './drive.ts';
import { asPostgresWriteError, isAnswered, isOfEndedTransaction, isOfOne, isPassing } from './errors.ts';
import {
  type Greeting,
  openPool,
  pipelined,
  readersMax,
  soonAnswered,
  viewSetUp,
  wholeSetUp,
} from './pool.ts';

/** Names the journal's write lock among the advisory locks of its database. */
export const writeLockKey = 7_202_611_523;

const gathering: Gathering = {
  // A server that is fast would have a transaction for every two or three changes, and the disk a sync. Intents are
  // recorded ahead of their turn at the bank by more than that.
  everyMs: 10,
  // One of two groups of rows is sent while the other is written. Smaller groups would be too many.
  callsMax: 128,
  // So many are worth a transaction of their own: the server has something to do while the others are told.
  callsNext: 32,
};

/** The longest time that a write or a read goes on trying while the server is away. */
const awayMaxMs = 60_000;
const retryMs = 100;

/** The error of a commit that was asked for, and whose answer never came. */
class CommitUnansweredError extends Error {}

const leaveMark = `
insert into write_mark values ($1, $2, (extract(epoch from clock_timestamp()) * 1000)::bigint)
on conflict (writer) do update set mark = excluded.mark, at_ms = excluded.at_ms`;

/**
 * Tells this process's transactions apart: each leaves its number in the journal with what it writes. The server's own
 * numbers would not do: one that a crash has taken back is given to another transaction.
 */
class WriteMarks {
  readonly #writer = randomUUID();
  #latest = 0;

  /** Leaves the next number in the transaction that has begun. */
  async leave(client: ClientBase): Promise<void> {
    this.#latest += 1;
    await client.query({
      name: 'paydrop_write_mark',
      text: leaveMark,
      values: [this.#writer, this.#latest],
    });
  }

  /** True when the transaction with the latest number was committed; with the write lock, when it is required over. */
  async wasCommitted(client: ClientBase): Promise<boolean> {
    await Promise.all([client.query('begin'), client.query(takeWriteLock)]);
    const kept = await client.query<{ mark: number }>('select mark from write_mark where writer = $1', [
      this.#writer,
    ]);
    await client.query('rollback');
    return kept.rows[0]?.mark === this.#latest;
  }

  /** Removes the mark, which is not asked for any more. */
  async forget(client: ClientBase): Promise<void> {
    await client.query('delete from write_mark where writer = $1', [this.#writer]);
  }
}

const takeWriteLock = `select pg_advisory_xact_lock(${writeLockKey})::text`;

/**
 * From here on rows are looked up in an index, one by one: the server may have seen a table when it was
 * empty, and would go through it whole for ever.
 */
const writePlanByIndex = (isForTransaction: boolean): string => `
select set_config(name, setting, ${isForTransaction}) from (values ('enable_seqscan', 'off'), ('enable_hashjoin', 'off'),
  ('enable_mergejoin', 'off'), ('jit', 'off'), ('plan_cache_mode', 'force_generic_plan')) as wanted (name, setting)`;

const planByIndex = { name: 'paydrop_plan_by_index', text: writePlanByIndex(true) };

/**
 * How a transaction is run, the quickest first. `ahead`: a body goes on before it is known what a statement has done
 * that does the same as a rule; `heard`: each answer is waited for; `alone`: each statement goes out for itself, too.
 */
const paces = ['ahead', 'heard', 'alone'] as const;
type Pace = (typeof paces)[number];

/** Runs a body of a transaction that has begun. @param unheard takes the answers that come as late as the commit's */
async function driveWrite<Result>(
  client: ClientBase,
  body: Body<Result>,
  pace: Pace,
  unheard: Promise<Answer>[],
  begun: Promise<unknown>,
): Promise<Result> {
  let isPlanned = false;
  const beforeMany = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    // A failure here fails whatever comes after it, and says why.
    unheard.push(settle(client.query(planByIndex)));
  };
  return driveOn(client, body, {
    isAlone: pace === 'alone',
    beforeMany,
    begun,
    ...(pace === 'ahead' && { unheard }),
  });
}

/**
 * Runs one transaction.
 * @throws CommitUnansweredError when it is unknown whether it has happened; UnplacedFailure when nothing of it has,
 * and a slower pace tells why
 */
async function transact<Result>(
  client: ClientBase,
  marks: WriteMarks,
  body: Body<Result>,
  pace: Pace,
): Promise<Result> {
  // The first statements of the body go out behind these: the server runs them once it has the lock.
  const begun = Promise.all([client.query('begin'), client.query(takeWriteLock), marks.leave(client)]);
  // The error is told below, when the body has ended.
  begun.catch(() => {});
  const unheard: Promise<Answer>[] = [];
  let result: Result;
  try {
    result = await driveWrite(client, body, pace, unheard, begun);
  } catch (error) {
    await begun;
    // An error in the body may come of what it took for done and was not.
    const failure = (await findFailure(unheard)) ?? error;
    if (failure instanceof UnplacedFailure) await client.query('rollback');
    throw failure;
  }
  // The begin is awaited before the commit goes out: a transaction that fails by then was required not made.
  await begun;
  await commit(client, unheard);
  return result;
}

/** The failure that ended the transaction, if any: as it is, or UnplacedFailure where a slower pace says more. */
async function findFailure(unheard: readonly Promise<Answer>[]): Promise<Error | undefined> {
  for (const answer of await Promise.all(unheard)) {
    if (!('failure' in answer) || isOfEndedTransaction(answer.failure)) continue;
    const { failure } = answer;
    if (failure instanceof Error && !isOfOne(failure)) return failure;
    return new UnplacedFailure('a statement that was sent ahead has failed', { cause: failure });
  }
  return undefined;
}

/**
 * @param unheard answers of statements that have gone out before it
 * @throws Error when the server has rolled back: it does so without an error where a statement has failed before
 */
async function commit(client: ClientBase, unheard: readonly Promise<Answer>[]): Promise<void> {
  let done: string;
  try {
    done = (await client.query('commit')).command;
  } catch (error) {
    // An error of the server itself means that nothing is committed; any other leaves it unknown.
    if (isAnswered(error)) throw error;
    throw new CommitUnansweredError('the answer to a commit was lost', { cause: error });
  }
  const failure = await findFailure(unheard);
  if (done !== 'COMMIT')
    throw failure ?? new Error(`a transaction of the journal ended with ${done}: nothing of it is kept`);
  // The server never got this statement, and has kept the rest: nothing is done on the strength of that.
  if (failure !== undefined)
    throw new Error('a part of a transaction of the journal was never asked for', {
      cause: failure instanceof UnplacedFailure ? failure.cause : failure,
    });
}

/** Uses a connection, which is thrown away when anything fails on it, unless the server has nothing of it left. */
async function withClient<T>(pool: Pool, use: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  // No call listens between two statements: what breaks then is met by the next.
  const ignore = (): void => {};
  client.on('error', ignore);
  let isBroken = true;
  try {
    const result = await use(client);
    isBroken = false;
    return result;
  } catch (error) {
    isBroken = !(error instanceof UnplacedFailure && client.getTransactionStatus() === 'I');
    throw error;
  } finally {
    client.off('error', ignore);
    client.release(isBroken);
  }
}

/** Tries again while the server is away. `work` has done nothing when it fails so. */
async function whileAway<T>(work: () => Promise<T>): Promise<T> {
  const endsAtMs = performance.now() + awayMaxMs;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || performance.now() >= endsAtMs) throw error;
      await sleep(retryMs);
    }
  }
}

async function writeOnce<Result>(
  pool: Pool,
  marks: WriteMarks,
  makeBody: () => Body<Result>,
): Promise<Result> {
  const done: { result?: Result } = {};
  const keep = function* (): Body<Result> {
    return (done.result = yield* makeBody());
  };
  const left: Pace[] = [...paces];
  for (;;) {
    try {
      return await whileAway(() =>
        withClient(pool, (client) => transact(client, marks, keep(), left[0] ?? 'alone')),
      );
    } catch (error) {
      if (error instanceof UnplacedFailure && left.length > 1) left.shift();
      else if (!(error instanceof CommitUnansweredError)) throw error;
      else if (await wasCommitted(pool, marks)) return done.result as Result;
    }
  }
}

/** @throws JournalWriteError when the server is away for too long */
async function wasCommitted(pool: Pool, marks: WriteMarks): Promise<boolean> {
  try {
    return await whileAway(() => withClient(pool, (client) => marks.wasCommitted(client)));
  } catch (error) {
    const why =
      'it is not known whether what was written last is in the journal: the database was away when it was committed';
    throw new JournalWriteError(why, { cause: error });
  }
}

async function openView(pool: Pool, setUp: string): Promise<View> {
  const client = await whileAway(() => pool.connect());
  client.on('error', () => {});
  let isBroken = false;
  const guard = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      isBroken = true;
      throw asPostgresWriteError(error);
    }
  };
  await guard(() => client.query(`begin isolation level repeatable read read only; ${setUp}`));
  return {
    read: (makeBody) => guard(() => driveOn(client, makeBody())),
    [Symbol.asyncDispose]: async () => {
      await client.query('rollback').catch(() => void (isBroken = true));
      client.removeAllListeners('error');
      client.release(isBroken);
    },
  };
}

/** The tables among these that the connected role may not vacuum: the server would pass over them with a warning. */
const othersTables = `
select coalesce(string_agg(relname, ', ' order by relname), '') as names from pg_class
where oid = any(array(select to_regclass(name) from unnest($1::text[]) as name)) and not pg_has_role(relowner, 'usage')`;

/** Lets go of what is dead: its place in the tables' files is written over by and by. */
async function vacuum(client: ClientBase, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<{ readonly names: string }>(othersTables, [tables]);
  const names = rows[0]?.names ?? '';
  if (names !== '')
    throw new JournalWriteError(
      `what was erased is not in the journal any more, but its place on the disk is kept: as the owner of the tables, run "vacuum ${names}"`,
    );
  await client.query(`vacuum ${tables.join(', ')}`);
}

/** The engine on a PostgreSQL database; its owner closes it. */
export interface PostgresEngine extends Engine, AsyncDisposable {
  /** The pool for work that is no statement of the journal: opening, locks of a session, copying many rows in. */
  readonly pool: Pool;
  /** A view that shows what stands in the archive as if it stood in the journal. */
  openWholeView(): Promise<View>;
  /**
   * Runs a body of one statement on a connection of its own: it waits for no machine that writes, and fails when it is
   * not answered soon.
   */
  writeAside<Result>(makeBody: () => Body<Result>): Promise<Result>;
}

/**
 * @param url `postgres://…` of the database
 * @param greet looks at each connection before it is used
 */
export function makePostgresEngine(url: string, greet?: Greeting): PostgresEngine {
  const readers = openPool(url, readersMax, greet);
  const writer = openPool(url, 1, greet, pipelined);
  const aside = openPool(url, 1, greet, soonAnswered);
  const greetLooks: Greeting = async (client) => {
    await greet?.(client);
    await client.query(writePlanByIndex(false));
  };
  const looks = openPool(url, 1, greetLooks, pipelined);
  const pools = [readers, writer, aside, looks];
  const turns = new KeyedMutex();
  const marks = new WriteMarks();
  const explained = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw asPostgresWriteError(error);
    }
  };
  const read = <Result>(makeBody: () => Reading<Result>): Promise<Result> =>
    explained(() => whileAway(() => withClient(readers, (client) => driveOn(client, makeBody()))));
  const gathered = new GatheredReads({
    withClient: (use) => withClient(looks, use),
    readAlone: (makeBody) =>
      explained(() => whileAway(() => withClient(looks, (client) => driveOn(client, makeBody())))),
  });
  return {
    pool: readers,
    gathering,
    read,
    look: (makeBody) => gathered.read(makeBody),
    write: (makeBody) => turns.run('write', () => explained(() => writeOnce(writer, marks, makeBody))),
    writeAside: (makeBody) => explained(() => withClient(aside, (client) => driveOn(client, makeBody()))),
    openView: () => openView(readers, viewSetUp),
    openWholeView: () => openView(readers, wholeSetUp),
    wipe: (tables) => explained(() => withClient(readers, (client) => vacuum(client, tables))),
    [Symbol.asyncDispose]: async () => {
      // A server that is away keeps its row, which is never asked for.
      await withClient(writer, (client) => marks.forget(client)).catch(() => {});
      await Promise.all(pools.map((pool) => pool.end()));
    },
  };
}

interface Waiting {
  readonly makeBody: () => Reading<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

interface Ways {
  /** Uses a connection that sends without waiting for the answers before. */
  readonly withClient: (use: (client: ClientBase) => Promise<void>) => Promise<void>;
  /** Runs one read by itself. */
  readonly readAlone: (makeBody: () => Reading<unknown>) => Promise<unknown>;
}

// ---------------------------------------------------------------- reads that go together

/** Turns of the loop that reads wait while each of them brings more. */
const gatherTurnsMax = 4;

/**
 * Gathers short reads that are asked for at once: they go to the server together, in one transaction that only reads, since
 * each of its own would be a way to the server and back. The next go out when those before are answered.
 */
class GatheredReads {
  readonly #ways: Ways;
  #waiting: Waiting[] = [];
  #isReading = false;

  constructor(ways: Ways) {
    this.#ways = ways;
  }

  /** Sees whatever was committed when it was asked for. */
  read<Result>(makeBody: () => Reading<Result>): Promise<Result> {
    return new Promise<unknown>((resolve, reject) => {
      this.#waiting.push({ makeBody, resolve, reject });
      if (this.#waiting.length === 1 && !this.#isReading) setImmediate(this.#gather, 0, 1);
    }) as Promise<Result>;
  }

  readonly #gather = (seen: number, turn: number): void => {
    if (this.#isReading) return;
    if (this.#waiting.length === seen || turn >= gatherTurnsMax) void this.#readWaiting();
    else setImmediate(this.#gather, this.#waiting.length, turn + 1);
  };

  async #readWaiting(): Promise<void> {
    this.#isReading = true;
    const reads = this.#waiting;
    this.#waiting = [];
    const [first] = reads;
    if (first !== undefined && reads.length === 1) await this.#readOne(first);
    else await this.#readAll(reads);
    this.#isReading = false;
    if (this.#waiting.length > 0) setImmediate(this.#gather, 0, 1);
  }

  async #readOne({ makeBody, resolve, reject }: Waiting): Promise<void> {
    try {
      resolve(await this.#ways.readAlone(makeBody));
    } catch (error) {
      reject(error);
    }
  }

  /** Reads together; a read that fails is read again by itself: another's failure may have ended the transaction. */
  async #readAll(reads: readonly Waiting[]): Promise<void> {
    const left = new Set(reads);
    try {
      await this.#ways.withClient(async (client) => {
        const begun = client.query('begin read only');
        begun.catch(() => {});
        await driveEachOn(
          client,
          reads.map(({ makeBody }) => makeBody()),
          (place, end) => {
            const read = reads[place];
            if (read === undefined || 'failure' in end) return;
            left.delete(read);
            read.resolve(end.value);
          },
        );
        await begun;
        await client.query('commit');
      });
    } catch {
      // Each read that is left is read alone, and meets what is wrong.
    }
    await Promise.all([...left].map((read) => this.#readOne(read)));
  }
}
