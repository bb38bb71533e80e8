/** One payer at one file: what it took, by the payer's process, the servers it works with, and the bank's book. */
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import pg from 'pg';
import { migrateTables } from '../../../src/store/postgres/migrations.ts';
import { paydropPath, runProgram, type BankProcess, type Usage } from '../processes.ts';
import { computePerSecond, readSettledMs, writePaydropSettings, writePayouts } from '../rehearsal.ts';
import type { PeerTask } from './desk.ts';
import { judgeLedger, type LedgerVerdict, type Owed } from './ledger.ts';
import { installPeer, packages, type PeerName } from './packages.ts';
import type { PostgresServer, ServerCounts, TestDatabase } from './postgres-server.ts';
import { openRedisServer, type RedisCounts, type RedisSync } from './redis-server.ts';

/** Of a payout where nothing else is said. */
export interface Figures {
  /** From the start of the process to its end. */
  readonly wallMs: number;
  /** Payouts a second from the first outcome to the last, by the payer's own record. */
  readonly perSecondWhilePaying: number;
  /** The same without the first and last tenth of them, in which the lanes fill and drain. */
  readonly perSecondSteady: number;
  /** The same of each quarter of them: in the first, what runs often is still being compiled. */
  readonly perSecondByQuarter: readonly number[];
  /** Transactions that committed, in SQLite and PostgreSQL. */
  readonly commits: number;
  /** Of these, the ones that wrote. */
  readonly writes: number;
  /** Undefined where Redis has no part in it. */
  readonly redisCommands: number | undefined;
  readonly processCpuMs: number;
  /** Of PostgreSQL and Redis; 0 for who uses neither. */
  readonly serverCpuMs: number;
  readonly ledger: LedgerVerdict;
  /** Commits of others on the server meanwhile, not of a payout: what they cost is in the figures, too. */
  readonly elsewhere: number;
}

/** Whoever can pay a file. */
export interface Payer {
  readonly name: string;
  /** @returns why it cannot be measured here */
  measure(stand: Stand): Promise<Figures | { readonly why: string }>;
}

interface Stand {
  readonly bank: BankProcess;
  /** Of this measure alone. */
  readonly folder: string;
  readonly payouts: number;
  readonly atOnce: number;
  /** Why not, where there is none. */
  readonly postgres: PostgresServer | { readonly why: string };
}

interface Meters {
  /** When each payout was settled. */
  readonly readSettledMs: () => Promise<readonly number[]> | readonly number[];
  readonly database?: TestDatabase;
  readonly redis?: { count(): Promise<RedisCounts> };
  /** A byte a commit. */
  readonly commitsPath?: string;
}

const quarters = [0, 0.25, 0.5, 0.75] as const;

/** Writes the file, has it paid, and reads every count before and after. */
async function measure(
  { bank, folder, payouts }: Stand,
  { readSettledMs: readSettled, database, redis, commitsPath }: Meters,
  pay: (payoutsPath: string) => Promise<Usage>,
): Promise<Figures> {
  const payoutsPath = join(folder, 'payouts.csv');
  await writePayouts(payoutsPath, payouts, 'P');
  const owed = parse(await readFile(payoutsPath), { columns: true }) as readonly Owed[];
  const entered = (await bank.readLedger()).entries.length;
  const before = { server: await database?.count(), redis: await redis?.count() };
  const usage = await pay(payoutsPath);
  const after = { server: await database?.count(), redis: await redis?.count() };
  const { entries } = await bank.readLedger();
  const server = (key: keyof ServerCounts): number =>
    (after.server?.[key] ?? 0) - (before.server?.[key] ?? 0);
  const redisDid = (key: keyof RedisCounts): number => (after.redis?.[key] ?? 0) - (before.redis?.[key] ?? 0);
  const settledMs = await readSettled();
  const sqliteCommits = commitsPath === undefined ? 0 : (await stat(commitsPath)).size;
  return {
    wallMs: usage.wallMs,
    perSecondWhilePaying: computePerSecond(settledMs, 0, 1),
    perSecondSteady: computePerSecond(settledMs, 0.1, 0.9),
    perSecondByQuarter: quarters.map((from) => computePerSecond(settledMs, from, from + 0.25)),
    commits: (sqliteCommits + server('commits')) / payouts,
    writes: (sqliteCommits + server('writes')) / payouts,
    redisCommands: redis === undefined ? undefined : redisDid('commands') / payouts,
    processCpuMs: usage.cpuMs / payouts,
    serverCpuMs: (server('cpuMs') + redisDid('cpuMs')) / payouts,
    ledger: judgeLedger(entries.slice(entered), owed),
    elsewhere: server('elsewhere'),
  };
}

// ---------------------------------------------------------------- paydrop

/** Loaded before paydrop, and in each of its threads: leaves a byte in a file for every transaction that commits. */
const noteCommitsUrl = (path: string): string =>
  `data:text/javascript,${encodeURIComponent(`
    import { openSync, writeSync } from 'node:fs';
    import { DatabaseSync } from 'node:sqlite';
    const file = openSync(${JSON.stringify(path)}, 'a');
    const { exec } = DatabaseSync.prototype;
    DatabaseSync.prototype.exec = function (text) {
      exec.call(this, text);
      if (/^commit/i.test(text)) writeSync(file, '.');
    };
  `)}`;

/** A journal in a database of its own. */
export interface ServerJournal {
  readonly settings: (databaseUrl: string) => Readonly<Record<string, unknown>>;
  /** The table that holds its payouts: "schema.payout". */
  readonly table: string;
}

/** In PostgreSQL, under paydrop's own name for its schema. */
export const journalInPostgres: ServerJournal = {
  settings: (url) => ({ journal: { url } }),
  table: 'paydrop.payout',
};

/** Makes the journal's tables, as `paydrop init` does. */
export async function makeTables(databaseUrl: string): Promise<void> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    await migrateTables(client, { journal: 'bench', nowMs: Date.now() });
  } finally {
    await client.end();
  }
}

/** paydrop itself. @param checksPayees else with transfers alone, as the peers make them */
export function paydropOn(where: string, journal?: ServerJournal, checksPayees = false): Payer {
  return {
    name: `paydrop on ${where}`,
    measure: async (stand) => {
      const { folder, bank, atOnce } = stand;
      await using stack = new AsyncDisposableStack();
      let more = {};
      let meters: Meters = { readSettledMs: () => readSettledMs(folder) };
      if (journal !== undefined) {
        if ('why' in stand.postgres) return stand.postgres;
        const database = stack.use(await stand.postgres.createDatabase());
        await makeTables(database.url);
        more = journal.settings(database.url);
        meters = {
          database,
          readSettledMs: () => database.readSettledMs(`${journal.table} where status = 'paid'`),
        };
      }
      const lanes = { checks: checksPayees ? atOnce : 0, transfers: atOnce };
      const settingsPath = await writePaydropSettings(folder, bank.baseUrl, lanes, more);
      const commitsPath = join(folder, 'commits');
      await writeFile(commitsPath, '');
      return await measure(stand, { ...meters, commitsPath }, (payoutsPath) =>
        runProgram(folder, paydropPath, ['run', payoutsPath, '--config', settingsPath], 0, [
          noteCommitsUrl(commitsPath),
        ]),
      );
    },
  };
}

// ---------------------------------------------------------------- peers

/** A peer, set in one of its ways. */
export function peer(name: PeerName, way: string, redisSync?: RedisSync): Payer {
  const version = packages[name][0].replace(/^@[^/]+\//, '').replace(/@/, ' ');
  const script = fileURLToPath(new URL(`${name}.ts`, import.meta.url));
  return {
    name: [version, way].filter((word) => word !== '').join(', '),
    measure: async (stand) => {
      if ('why' in stand.postgres) return stand.postgres;
      const installed = await installPeer(name);
      if ('why' in installed) return installed;
      await using stack = new AsyncDisposableStack();
      const database = stack.use(await stand.postgres.createDatabase());
      const redisFolder = join(stand.folder, 'redis');
      await mkdir(redisFolder);
      const redis = redisSync === undefined ? undefined : await openRedisServer(redisFolder, redisSync);
      if (redis !== undefined) {
        if ('why' in redis) return redis;
        stack.use(redis);
      }
      const { folder, bank, atOnce } = stand;
      const taskPath = join(folder, 'task.json');
      const act = async (one: PeerTask['act'], payoutsPath: string): Promise<Usage> => {
        const task: PeerTask = {
          act: one,
          way,
          packagesFolder: installed.folder,
          payoutsPath,
          databaseUrl: database.url,
          redisPort: redis?.port ?? NaN,
          baseUrl: bank.baseUrl,
          atOnce,
        };
        await writeFile(taskPath, JSON.stringify(task));
        return runProgram(folder, script, [taskPath]);
      };
      await act('prepare', '');
      const meters: Meters = {
        database,
        ...(redis === undefined ? {} : { redis }),
        readSettledMs: () => database.readSettledMs(`intent where status_code = 'IC000'`),
      };
      return await measure(stand, meters, (payoutsPath) => act('pay', payoutsPath));
    },
  };
}
