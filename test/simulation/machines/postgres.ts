/**
 * A real journal on PostgreSQL that several simulated machines work. Its clock is the simulated one: the schema of the
 * journal, which is looked through first, has a function of that name. What is looked at from outside is read after each
 * write.
 */
import { formatBaht, toSatang } from '../../../src/core/money.ts';
import { makePostgresEngine, type PostgresEngine } from '../../../src/store/postgres/engine.ts';
import { makePostgresJournal } from '../../../src/store/postgres/journal.ts';
import { makeWorkerStore } from '../../../src/store/postgres/workers.ts';
import { decodeHolds } from '../../../src/store/schema.ts';
import { makeJournalDatabase, type TestDatabase } from '../../support/postgres.ts';
import type { DiskView, SeenAttempt, SeenEvent, SeenRow } from '../disk-view.ts';
import type { Database, OpenedJournal } from './database.ts';
import type { OwnWorker } from './leases.ts';

const makeClock = `
  create table paydrop.simulated_clock (shown timestamptz not null);
  insert into paydrop.simulated_clock values (to_timestamp(0));
  create function paydrop.clock_timestamp() returns timestamptz language sql volatile
    as 'select shown from paydrop.simulated_clock'`;

const attemptsText = `
  select payout_seq as seq, attempt_no as "attemptNo", status, sends, intent_at_ms as "intentAtMs",
    acknowledged <> 0 as acknowledged, reference_conflict <> 0 as "referenceConflict", last_finding as "lastFinding",
    trans_ref_no as "transRefNo", channel_id as "channelId", term_id as "termId", company_id as "companyId",
    payer_account as "payerAccount", tran_date as "tranDate", tran_time as "tranTime", proxy_type as "proxyType",
    proxy_no as "proxyNo", proxy_name as "proxyName", amount_text as "amountText", reference1, reference2
  from attempt order by payout_seq, attempt_no`;

const rowsText = `
  select p.seq, p.batch_id as "batchId", p.status, p.attempt_no as "attemptNo", p.holds,
    p.amount_satang::text as amount, coalesce(r.proxy_no, '') as "proxyNo", r.payout_id as "payoutId",
    p.is_alarm as "isAlarm", b.status = 'running' and not exists (select from payer_halt s
      where s.company_id = b.company_id and s.payer_account = b.payer_account and s.lifted_at_ms is null) as "isOpen"
  from payout p join payout_row r using (seq) join batch b on b.batch_id = p.batch_id`;

const eventsText = `
  select seq, payout_seq as "payoutSeq", from_status as "from", to_status as "to", cause, detail::text as detail
  from event where seq > $1 order by seq`;

type ReadAttempt = Omit<SeenAttempt, 'order' | 'acknowledged' | 'referenceConflict'> &
  SeenAttempt['order'] & { readonly acknowledged: number; readonly referenceConflict: number };

type ReadRow = Omit<SeenRow, 'holds' | 'references' | 'amountText' | 'isAlarm'> & {
  readonly holds: number;
  readonly amount: string | null;
  readonly isAlarm: number;
  readonly isOpen: number;
};

/** What the database showed when it was read last. */
class Mirror {
  readonly attempts = new Map<string, SeenAttempt[]>();
  readonly rows = new Map<number, SeenRow & { readonly isOpen: boolean }>();
  readonly events: SeenEvent[] = [];

  async refresh({ pool }: PostgresEngine): Promise<void> {
    this.attempts.clear();
    const references = new Map<number, Set<string>>();
    for (const read of (await pool.query<ReadAttempt>(attemptsText)).rows) {
      const {
        seq,
        attemptNo,
        status,
        sends,
        intentAtMs,
        acknowledged,
        referenceConflict,
        lastFinding,
        ...order
      } = read;
      const known = {
        acknowledged: acknowledged === 1,
        referenceConflict: referenceConflict === 1,
        lastFinding,
      };
      const attempt = { seq, attemptNo, status, sends, intentAtMs, ...known, order };
      this.attempts.set(order.transRefNo, [...(this.attempts.get(order.transRefNo) ?? []), attempt]);
      references.set(seq, (references.get(seq) ?? new Set()).add(order.transRefNo));
    }
    for (const { seq, holds, amount, isAlarm, isOpen, ...shown } of (await pool.query<ReadRow>(rowsText))
      .rows)
      this.rows.set(seq, {
        ...shown,
        seq,
        holds: decodeHolds(holds),
        references: [...(references.get(seq) ?? [])],
        amountText: amount === null ? '' : formatBaht(toSatang(BigInt(amount))),
        isAlarm: isAlarm === 1,
        isOpen: isOpen === 1,
      });
    const latest = this.events.at(-1)?.seq ?? 0;
    this.events.push(...(await pool.query<SeenEvent>(eventsText, [latest])).rows);
  }

  #row(seq: number): SeenRow & { readonly isOpen: boolean } {
    const row = this.rows.get(seq);
    if (row === undefined) throw new Error(`there is no row ${seq}`);
    return row;
  }

  readonly view: DiskView = {
    isOpen: (seq) => this.#row(seq).isOpen,
    attempts: (transRefNo) => this.attempts.get(transRefNo) ?? [],
    row: (seq) => this.#row(seq),
    eventsAfter: (seq) => this.events.filter((event) => event.seq > seq),
    proposal: () => undefined,
    proposals: () => [],
    resumes: () => ({ resumes: 0, halts: new Map() }),
  };
}

class PostgresDatabase implements Database {
  readonly view: DiskView;
  onWritten = (): void => {};
  readonly #database: TestDatabase;
  readonly #engine: PostgresEngine;
  readonly #mirror = new Mirror();
  readonly #open = new Set<() => Promise<void>>();
  readonly #shardRowsMax: number;
  #shownMs = -1;

  constructor(database: TestDatabase, engine: PostgresEngine, shardRowsMax: number) {
    this.#database = database;
    this.#engine = engine;
    this.#shardRowsMax = shardRowsMax;
    this.view = this.#mirror.view;
  }

  async showTime(nowMs: number): Promise<void> {
    if (nowMs === this.#shownMs) return;
    this.#shownMs = nowMs;
    await this.#engine.pool.query('update simulated_clock set shown = to_timestamp($1::float8 / 1000)', [
      nowMs,
    ]);
  }

  async refresh(): Promise<void> {
    await this.#mirror.refresh(this.#engine);
  }

  async open(own: OwnWorker): Promise<OpenedJournal> {
    const engine = makePostgresEngine(this.#database.url);
    const journal = makePostgresJournal({ engine, journalId: 'journal', own });
    const workers = makeWorkerStore(engine);
    const rowsMax = this.#shardRowsMax;
    const close = async (): Promise<void> => {
      if (!this.#open.delete(close)) return;
      await journal[Symbol.asyncDispose]();
      await engine[Symbol.asyncDispose]();
    };
    this.#open.add(close);
    return {
      journal,
      workers: {
        ...workers,
        claimShard: (batchId, workerId, asked) =>
          workers.claimShard(batchId, workerId, { ...asked, rowsMax: Math.min(rowsMax, asked.rowsMax) }),
      },
      close,
    };
  }

  findSharedTwice(): string | undefined {
    return undefined;
  }

  findContradictions(): string[] {
    return [];
  }

  async close(): Promise<void> {
    for (const close of this.#open) await close();
    await this.#engine[Symbol.asyncDispose]();
    await this.#database[Symbol.asyncDispose]();
  }
}

export async function makePostgresDatabase(shardRowsMax: number): Promise<Database> {
  const database = await makeJournalDatabase();
  const engine = makePostgresEngine(database.url);
  await engine.pool.query(makeClock);
  return new PostgresDatabase(database, engine, shardRowsMax);
}
