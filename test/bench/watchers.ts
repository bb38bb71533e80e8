/** Several watchers on one journal in PostgreSQL, each with a data directory of its own, and one drop folder. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { judgeLedger, type LedgerVerdict, type Owed } from './peers/ledger.ts';
import { journalInPostgres, makeTables } from './peers/measure.ts';
import type { PostgresServer } from './peers/postgres-server.ts';
import {
  type BankProcess,
  computeBusyShare,
  type CoreTimes,
  memoryOptions,
  paydropPath,
  readCoreTimes,
  readCpuMs,
} from './processes.ts';
import { computePerSecond, writePaydropSettings, writePayouts } from './rehearsal.ts';

export interface Crew {
  readonly bank: BankProcess;
  readonly folder: string;
  readonly server: PostgresServer;
  readonly workers: number;
  readonly payouts: number;
  /** Transfers of each worker at once, and payee checks. */
  readonly atOnce: number;
}

/** Of a payout where nothing else is said. */
export interface CrewFigures {
  /** From the first outcome to the last. */
  readonly perSecondWhilePaying: number;
  /** The same without the first and last tenth of them: before all take part, and when some have ended. */
  readonly perSecondSteady: number;
  /** How busy the cores were while the file was paid: 0 to 1. */
  readonly busyShare: number;
  /** What part of the rows each worker has had, the sender's first. */
  readonly shares: readonly number[];
  readonly commits: number;
  readonly writes: number;
  /** Of all watchers. */
  readonly processCpuMs: number;
  readonly serverCpuMs: number;
  readonly bankCpuMs: number;
  readonly ledger: LedgerVerdict;
}

const pollMs = 250;
const joinMaxMs = 60_000;
const payMaxMs = 180_000;

/** @throws Error when it takes too long */
async function until(what: string, waitMaxMs: number, isSo: () => Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + waitMaxMs;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`waited ${waitMaxMs / 1_000} s in vain: ${what}`);
    await wait(pollMs);
  }
}

/** Watchers that end, at the latest, with their owner. */
class Watchers implements AsyncDisposable {
  readonly #children: ChildProcess[] = [];

  async start({ folder, bank, atOnce }: Crew, databaseUrl: string, name: string): Promise<void> {
    const own = join(folder, name);
    await mkdir(own);
    const shared = (kind: string): string => join(folder, kind);
    const settingsPath = await writePaydropSettings(
      own,
      bank.baseUrl,
      { checks: atOnce, transfers: atOnce },
      {
        ...journalInPostgres.settings(databaseUrl),
        folders: {
          inbox: shared('inbox'),
          work: shared('work'),
          outbox: shared('outbox'),
          archive: shared('archive'),
          rejected: shared('rejected'),
        },
        watch: { listen: '', stillMs: 200, inquiryAt: '' },
        reconcile: { at: '' },
      },
    );
    const args = [...memoryOptions, paydropPath, 'watch', '--config', settingsPath];
    this.#children.push(spawn(process.execPath, args, { stdio: 'ignore' }));
  }

  readCpuMs(): number {
    return this.#children.reduce((sum, { pid }) => sum + readCpuMs(pid), 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(
      this.#children.splice(0).map(async (child) => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const ended = once(child, 'close');
        child.kill('SIGTERM');
        await ended;
      }),
    );
  }
}

async function readFirst<Row extends object>(client: pg.Client, text: string): Promise<Row | undefined> {
  return (await client.query<Row>(text)).rows[0];
}

const workersText = `select count(*)::int as present, (count(*) filter (where role = 'sender'))::int as senders
  from paydrop.worker where ended_at_ms is null and superseded_at_ms is null`;

/** A shard that was taken over counts for both. */
const sharesText = `select w.role, sum(s.to_row - s.from_row + 1)::int as rows
  from paydrop.worker w left join paydrop.shard s using (worker_id)
  group by w.worker_id, w.role order by w.role = 'sender' desc, w.worker_id`;

async function readShares(client: pg.Client): Promise<readonly number[]> {
  const { rows } = await client.query<{ readonly rows: number | null }>(sharesText);
  const all = rows.reduce((sum, one) => sum + (one.rows ?? 0), 0);
  return rows.map((one) => (one.rows ?? 0) / all);
}

interface Paid {
  readonly from: CoreTimes;
  readonly to: CoreTimes;
  readonly shares: readonly number[];
}

/** Waits for all workers, drops the file, and looks on until its batch is done. */
async function payFile(crew: Crew, client: pg.Client, payoutsPath: string): Promise<Paid> {
  await until('all watchers are there', joinMaxMs, async () => {
    const found = await readFirst<{ present: number; senders: number }>(client, workersText);
    return found?.present === crew.workers && found.senders === 1;
  });
  await mkdir(join(crew.folder, 'inbox'), { recursive: true, mode: 0o700 });
  await rename(payoutsPath, join(crew.folder, 'inbox', 'payouts.csv'));
  await until('the first payout is paid', joinMaxMs, async () => {
    const text = `select 1 from paydrop.payout where status = 'paid' limit 1`;
    return (await readFirst(client, text)) !== undefined;
  });
  const from = readCoreTimes();
  await until('the batch is done', payMaxMs, async () => {
    const batch = await readFirst<{ status: string }>(client, 'select status from paydrop.batch');
    return batch?.status === 'done';
  });
  return { from, to: readCoreTimes(), shares: await readShares(client) };
}

/** Has a file paid by so many watchers, and reads every count before and after. */
export async function measureCrew(crew: Crew): Promise<CrewFigures> {
  const { folder, bank, payouts, server } = crew;
  await using stack = new AsyncDisposableStack();
  const database = stack.use(await server.createDatabase());
  await makeTables(database.url);
  const payoutsPath = join(folder, 'payouts.csv.part');
  await writePayouts(payoutsPath, payouts, 'M');
  const owed = parse(await readFile(payoutsPath), { columns: true }) as readonly Owed[];
  const before = await database.count();
  const bankCpuMs = bank.readCpuMs();
  const watchers = stack.use(new Watchers());
  for (let place = 1; place <= crew.workers; place += 1)
    await watchers.start(crew, database.url, `machine-${place}`);
  const client = new pg.Client(database.url);
  await client.connect();
  stack.defer(() => client.end().catch(() => {}));
  const { from, to, shares } = await payFile(crew, client, payoutsPath);
  await client.end();
  const processCpuMs = watchers.readCpuMs();
  await watchers[Symbol.asyncDispose]();
  const after = await database.count();
  const { entries } = await bank.readLedger();
  const settledMs = await database.readSettledMs(`${journalInPostgres.table} where status = 'paid'`);
  return {
    perSecondWhilePaying: computePerSecond(settledMs, 0, 1),
    perSecondSteady: computePerSecond(settledMs, 0.1, 0.9),
    busyShare: computeBusyShare(from, to),
    shares,
    commits: (after.commits - before.commits) / payouts,
    writes: (after.writes - before.writes) / payouts,
    processCpuMs: processCpuMs / payouts,
    serverCpuMs: (after.cpuMs - before.cpuMs) / payouts,
    bankCpuMs: (bank.readCpuMs() - bankCpuMs) / payouts,
    ledger: judgeLedger(entries, owed),
  };
}
