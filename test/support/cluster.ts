/** A journal on a real PostgreSQL that several machines work, with a running batch of rows that are ready. */
import { sql } from 'kysely';
import type { Payout } from '../../src/core/payout.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import type { Change } from '../../src/core/ports.ts';
import type { WorkerStore } from '../../src/payout/ports.ts';
import { computeSimilarKey } from '../../src/payout/rules/similar.ts';
import { makeApplier } from '../../src/store/payouts/apply.ts';
import { readLoss } from '../../src/store/loss.ts';
import { payoutReads } from '../../src/store/payouts/payout-queries.ts';
import { makePostgresEngine, type PostgresEngine } from '../../src/store/postgres/engine.ts';
import { KnownLoss, makeSendGuards, makeSendReads } from '../../src/store/postgres/send-guards.ts';
import { makeWorkerStore } from '../../src/store/postgres/workers.ts';
import { type Body, change, query, textStatement } from '../../src/store/statements.ts';
import { firstBatchId, makeRow, noonMs, payer } from './journal-fixtures.ts';
import { makeJournalDatabase, type TestDatabase } from './postgres.ts';

type Applier = ReturnType<typeof makeApplier>;

export const batchId = firstBatchId;

/** A process on a machine of its own, as far as it changes payouts. */
export interface Machine extends AsyncDisposable {
  readonly engine: PostgresEngine;
  readonly workers: WorkerStore;
  /** As which it sends. */
  workerId: number | undefined;
  /** How often the journal has told it that its lease is over. */
  refused: number;
  /** Whether each change was applied. */
  readonly apply: Applier['apply'];
  readonly attemptWaitMs: (companyId: string, payoutId: string) => Promise<number>;
  payout(rowNo: number): Promise<Payout>;
  /** The latest loss, as whoever sends is told. */
  readonly loss: KnownLoss['read'];
}

export interface Cluster extends AsyncDisposable {
  readonly database: TestDatabase;
  readonly engine: PostgresEngine;
  readonly workers: WorkerStore;
  /** Rows come as text. */
  sql(text: string): Promise<readonly Record<string, unknown>[]>;
  /** As if a worker had not been heard of for so long. */
  age(workerId: number, ms: number): Promise<void>;
  /** Makes these rows of the running batch ready, or ready again. */
  ready(...rows: readonly (number | StagedRow)[]): Promise<void>;
  /** One more process. @param url its own way to the database */
  open(url?: string): Machine;
}

const batchRow = {
  batch_id: batchId,
  sha256: batchId.padEnd(64, '0'),
  file_name: 'payouts.csv',
  company_id: payer.companyId,
  payer_account: payer.payerAccount,
  status: 'running' as const,
  rows: 0,
  total_satang: '0',
  unreadable_amounts: 0,
  extra_columns: '[]',
  started_at_ms: noonMs,
  age_from_ms: noonMs,
};

/** Rows as `makeRow` makes them, all in one transaction: a test may need thousands. */
function* addRows(rows: readonly StagedRow[]): Body<void> {
  const asked = rows.map(({ rowNo, instruction }) => {
    if (instruction === null) throw new Error('a row that is ready has an instruction');
    const similarKey = computeSimilarKey(instruction.payoutId);
    return { ...instruction, similarKey, amountSatang: String(instruction.amountSatang), rowNo };
  });
  const given = sql`json_to_recordset(${JSON.stringify(asked)}::json) as g ("rowNo" bigint, "payoutId" text, "similarKey" text,
    "proxyType" text, "proxyNo" text, "payeeName" text, "amountSatang" bigint, reference1 text, reference2 text)`;
  const statements = [
    sql`insert into payout (seq, batch_id, row_no, amount_satang, status, holds, version, attempt_no, last_event_seq)
      select "rowNo", ${batchId}, "rowNo", "amountSatang", 'ready', 0, 1, 0, 0 from ${given}
      on conflict (seq) do update set status = 'ready'`,
    sql`insert into payout_row (seq, payout_id, similar_key, line, cells, proxy_type, proxy_no, payee_name, reference1, reference2)
      select "rowNo", "payoutId", "similarKey", "rowNo" + 1, '[]', "proxyType", "proxyNo", "payeeName", reference1, reference2
      from ${given} on conflict do nothing`,
    sql`insert into payout_place select "payoutId", "rowNo" from ${given} on conflict do nothing`,
    sql`insert into claim select ${payer.companyId}, "similarKey", "payoutId", "rowNo", 0 from ${given}
      on conflict do nothing`,
  ];
  for (const statement of statements) yield* change(textStatement(statement));
}

function openMachine(url: string): Machine {
  const engine = makePostgresEngine(url);
  const own = {
    workerId: undefined as number | undefined,
    refused: 0,
    noteRefused: () => void (own.refused += 1),
  };
  const loss = new KnownLoss(() => engine.look(readLoss));
  const applier = makeApplier(engine, () => {}, makeSendGuards(own, loss));
  const reads = makeSendReads(own);
  return Object.assign(own, {
    engine,
    workers: makeWorkerStore(engine),
    loss: loss.read,
    apply: (changes: readonly Change[]) => applier.apply(changes),
    attemptWaitMs: (companyId: string, payoutId: string) =>
      engine.read(() => reads.attemptWaitMs(companyId, payoutId)),
    payout: async (rowNo: number) => {
      const found = await engine.read(() => payoutReads.payout(rowNo));
      if (found === undefined) throw new Error(`no row ${rowNo}`);
      return found;
    },
    [Symbol.asyncDispose]: async () => {
      await applier.end();
      await engine[Symbol.asyncDispose]();
    },
  });
}

export async function openCluster(): Promise<Cluster> {
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await makeJournalDatabase());
  const client = stack.use(await database.connect());
  await client.query('set search_path = paydrop, pg_catalog');
  const first = stack.use(openMachine(database.url));
  const { engine, workers } = first;
  await engine.write(() => change(query.insertInto('batch').values(batchRow)));
  const owned = stack.move();
  const run: Cluster['sql'] = async (text) => (await client.query<Record<string, unknown>>(text)).rows;
  return {
    database,
    engine,
    workers,
    sql: run,
    age: async (workerId, ms) =>
      void (await run(
        `update worker set lease_until_ms = lease_until_ms - ${ms} where worker_id = ${workerId}`,
      )),
    ready: (...rows) =>
      engine.write(() => addRows(rows.map((row) => (typeof row === 'number' ? makeRow(row) : row)))),
    open: (url = database.url) => owned.use(openMachine(url)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
