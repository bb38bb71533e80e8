/**
 * What a payout is to every peer: an intent in a table of its own, one transfer, an outcome. A job that runs again looks at
 * its intent and does not send again: what has an intent and no outcome is in doubt.
 */
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { parse } from 'csv-parse';
import pg from 'pg';
import { makeBankClient } from '../../../src/bank/client.ts';
import { formatBangkokDate, formatBangkokTime } from '../../../src/core/bangkok-time.ts';
import type { TransferOrder } from '../../../src/core/payout.ts';
import { computeTransRefNo } from '../../../src/core/reference.ts';
import { systemClock } from '../../../src/platform/clock.ts';
import { partner } from '../rehearsal.ts';

/** What a peer's process is to do, as its only argument names the file of it. */
export interface PeerTask {
  /** Its tables are made first, which is not measured. */
  readonly act: 'prepare' | 'pay';
  /** Of the ways in which the peer can be set. */
  readonly way: string;
  /** Where its packages are installed. */
  readonly packagesFolder: string;
  readonly payoutsPath: string;
  readonly databaseUrl: string;
  /** NaN where there is none. */
  readonly redisPort: number;
  readonly baseUrl: string;
  /** Jobs at once. */
  readonly atOnce: number;
}

/** A row of the file, and the work of a job. */
export interface Payout {
  readonly payoutId: string;
  readonly proxyType: TransferOrder['proxyType'];
  readonly proxyNo: string;
  readonly payeeName: string;
  readonly amount: string;
  readonly reference1: string;
  readonly reference2: string;
}

/** Connections of the intents' table, and as many of the peer's own. */
export const connectionsMax = 16;

/** Jobs that are handed to a peer in one call. */
const jobsOfCall = 500;

async function readTask(): Promise<PeerTask> {
  return JSON.parse(await readFile(process.argv[2] ?? '', 'utf8')) as PeerTask;
}

export async function* readJobs({ payoutsPath }: PeerTask): AsyncGenerator<readonly Payout[]> {
  let jobs: Payout[] = [];
  for await (const row of createReadStream(payoutsPath).pipe(parse({ columns: true }))) {
    jobs.push(row as Payout);
    if (jobs.length < jobsOfCall) continue;
    yield jobs;
    jobs = [];
  }
  if (jobs.length > 0) yield jobs;
}

// ---------------------------------------------------------------- intents

/** What may be done about a payout now. */
type Standing =
  | { readonly kind: 'new'; readonly order: TransferOrder }
  | { readonly kind: 'in-doubt' }
  | { readonly kind: 'settled'; readonly statusCode: string };

export interface Answer {
  readonly statusCode: string;
  readonly sysRefNo: string | null;
}

export interface Intents {
  /** Durable when it resolves; `new` once in all the life of a payout. */
  record(payout: Payout): Promise<Standing>;
  settle(payoutId: string, answer: Answer): Promise<void>;
}

/** Makes the table of the intents. */
export async function createIntents(pool: pg.Pool): Promise<void> {
  await pool.query(`create table intent (
    payout_id text primary key,
    trans_ref_no text not null unique,
    tran_date text not null,
    tran_time text not null,
    intent_at_ms bigint not null,
    status_code text,
    sys_ref_no text,
    settled_at_ms bigint)`);
}

export function openIntents(pool: pg.Pool): Intents {
  return {
    record: async (payout) => {
      const nowMs = Date.now();
      const order = makeOrder(payout, nowMs);
      const { rowCount } = await pool.query({
        name: 'record',
        text: `insert into intent (payout_id, trans_ref_no, tran_date, tran_time, intent_at_ms)
          values ($1, $2, $3, $4, $5) on conflict (payout_id) do nothing`,
        values: [payout.payoutId, order.transRefNo, order.tranDate, order.tranTime, nowMs],
      });
      if (rowCount === 1) return { kind: 'new', order };
      const held = await pool.query<{ status_code: string | null }>(
        'select status_code from intent where payout_id = $1',
        [payout.payoutId],
      );
      const statusCode = held.rows[0]?.status_code ?? null;
      return statusCode === null ? { kind: 'in-doubt' } : { kind: 'settled', statusCode };
    },
    settle: async (payoutId, { statusCode, sysRefNo }) => {
      await pool.query({
        name: 'settle',
        text: 'update intent set status_code = $2, sys_ref_no = $3, settled_at_ms = $4 where payout_id = $1',
        values: [payoutId, statusCode, sysRefNo, Date.now()],
      });
    },
  };
}

function makeOrder(payout: Payout, nowMs: number): TransferOrder {
  const { channelId, termId, companyId, payerAccount } = partner;
  return {
    transRefNo: computeTransRefNo(companyId, payout.payoutId, 1),
    channelId,
    termId,
    companyId,
    payerAccount,
    tranDate: formatBangkokDate(nowMs),
    tranTime: formatBangkokTime(nowMs),
    proxyType: payout.proxyType,
    proxyNo: payout.proxyNo,
    proxyName: payout.payeeName === '' ? null : payout.payeeName,
    amountText: payout.amount,
    reference1: payout.reference1,
    reference2: payout.reference2 === '' ? null : payout.reference2,
  };
}

// ---------------------------------------------------------------- the desk

export interface Desk {
  readonly intents: Intents;
  /** @throws Error where no whole answer came back: the payout is in doubt */
  send(order: TransferOrder): Promise<Answer>;
}

/** The work of one job: what is new is sent. @throws Error for a payout that is in doubt or was not paid */
export async function payOnce({ intents, send }: Desk, payout: Payout): Promise<void> {
  const standing = await intents.record(payout);
  switch (standing.kind) {
    case 'new': {
      const answer = await send(standing.order);
      await intents.settle(payout.payoutId, answer);
      requirePaid(payout, answer);
      return;
    }
    case 'in-doubt':
      throw new Error(`${payout.payoutId} is in doubt: it has an intent and no outcome`);
    case 'settled':
      requirePaid(payout, standing);
  }
}

export function requirePaid({ payoutId }: Payout, { statusCode }: Pick<Answer, 'statusCode'>): void {
  if (statusCode !== 'IC000') throw new Error(`${payoutId} was not paid: ${statusCode}`);
}

/** The way to the bank that paydrop has itself, and the table. */
function openDesk({ databaseUrl, baseUrl }: PeerTask): Desk & AsyncDisposable {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: connectionsMax });
  const bank = makeBankClient({
    ...partner,
    baseUrl,
    scheme: 'proxy',
    timeoutMs: 30_000,
    requestsPerSecond: 0,
    clock: systemClock,
  });
  return {
    intents: openIntents(pool),
    send: async (order) => {
      const reply = await bank.transfer(order, () => true);
      if (reply.kind !== 'answered' || reply.fields === undefined)
        throw new Error(`${order.transRefNo} is in doubt: ${reply.kind}`);
      return { statusCode: reply.fields.statusCode, sysRefNo: reply.fields.sysRefNo ?? null };
    },
    [Symbol.asyncDispose]: async () => {
      await bank[Symbol.asyncDispose]();
      await pool.end();
    },
  };
}

/** Does what is asked: `prepare` beside the table of the intents, or `pay` with a desk. */
export async function runPeer(acts: {
  prepare(task: PeerTask): Promise<void>;
  pay(task: PeerTask, desk: Desk): Promise<void>;
}): Promise<void> {
  const task = await readTask();
  if (task.act === 'pay') {
    await using desk = openDesk(task);
    await acts.pay(task, desk);
    return;
  }
  const pool = new pg.Pool({ connectionString: task.databaseUrl });
  await createIntents(pool);
  await pool.end();
  await acts.prepare(task);
}

// ---------------------------------------------------------------- the end of a run

/** Counts the jobs that have ended, for a peer that does not tell when its queue is empty. */
export class Tally {
  #left = 0;
  #isWhole = false;
  readonly #ended = Promise.withResolvers<void>();

  /** Wraps the work of a job. The first that fails ends the wait. */
  count<Args extends readonly unknown[]>(
    work: (...args: Args) => Promise<void>,
  ): (...args: Args) => Promise<void> {
    return async (...args) => {
      try {
        await work(...args);
        this.#left -= 1;
        this.#look();
      } catch (error) {
        this.#ended.reject(error);
        throw error;
      }
    };
  }

  expect(jobs: number): void {
    this.#left += jobs;
  }

  /** Resolves when every job has ended well; to be called when all are expected. */
  async wait(): Promise<void> {
    this.#isWhole = true;
    this.#look();
    await this.#ended.promise;
  }

  #look(): void {
    if (this.#isWhole && this.#left === 0) this.#ended.resolve();
  }
}

/** Proves by the peer's own tables that all is completed. @param what "table where …": the jobs that are not */
export async function requireNoneLeft({ databaseUrl }: PeerTask, what: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  const { rows } = await client.query<{ left: string }>(`select count(*) as left from ${what}`);
  await client.end();
  if (rows[0]?.left !== '0') throw new Error(`${rows[0]?.left} jobs are not completed`);
}
