/** Whether every satang is accounted for where several machines have paid: reports and ledger as ever, and the journal itself. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { formatBaht, toSatang } from '../../../src/core/money.ts';
import { type Line, readTable, type Scene } from '../../end-to-end/harness.ts';
import { gatherDropEvidence } from '../drop-evidence.ts';
import type { DropPlan } from '../drop-plan.ts';
import { findBrokenDrops, readPresent } from '../drop-verdict.ts';
import type { Machine } from './fleet.ts';
import type { Recovery } from './recoveries.ts';

/** How long rows of a machine that was killed may stand still. */
const goneOnWithinMs = 15_000;
/** Rows that whoever takes others over may have before it sends them. */
const rowsAheadMax = 24;
/** A check and a transfer. */
const requestsOfRow = 2;

/** The folder for files of registrations stands in the inbox of payouts. */
export const leftInInbox: readonly string[] = ['registrations'];

export interface JournalRow {
  readonly batchId: string;
  readonly rowNo: string;
  readonly payoutId: string;
  readonly amount: string;
  readonly status: string;
}

/** What the journal says of itself. */
export interface JournalState {
  readonly rows: readonly JournalRow[];
  /** Shards that nobody has ended. */
  readonly openShards: number;
  /** Workers that are not known to be gone. */
  readonly workers: number;
}

const allRows = `
select p.batch_id as "batchId", p.row_no::text as "rowNo", r.payout_id as "payoutId", p.status,
  p.amount_satang::text as satang
from payout p join payout_row r using (seq) order by p.batch_id, p.row_no`;

/** Asks the database past every rule of the program. @param url of a superuser */
async function askDatabase<Answer>(url: string, ask: (client: Client) => Promise<Answer>): Promise<Answer> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('set search_path = paydrop, pg_catalog');
    return await ask(client);
  } finally {
    await client.end();
  }
}

export const readJournal = (url: string): Promise<JournalState> =>
  askDatabase(url, async (client) => {
    const rows = await client.query<Omit<JournalRow, 'amount'> & { readonly satang: string }>(allRows);
    const count = async (from: string): Promise<number> =>
      Number((await client.query<{ n: string }>(`select count(*) as n from ${from}`)).rows[0]?.n);
    return {
      rows: rows.rows.map(({ satang, ...row }) => ({ ...row, amount: formatBaht(toSatang(BigInt(satang))) })),
      openShards: await count(openShards),
      workers: await count('worker where ended_at_ms is null and superseded_at_ms is null'),
    };
  });

/** Of a batch that is done those of the dead are left: nobody looks there any more until they are let go. */
const openShards = `shard s join worker w using (worker_id) join batch b using (batch_id)
where s.ended_at_ms is null and (b.status <> 'done' or (w.ended_at_ms is null and w.superseded_at_ms is null))`;

const machineHistory = `
select json_build_object(
  'workers', (select json_agg(w order by worker_id) from worker w),
  'shards', (select json_agg(s order by shard_id) from shard s),
  'events', (select json_agg(json_build_array(e.seq, e.at_ms, p.batch_id, p.row_no, e.from_status, e.to_status, e.cause) order by e.seq)
    from event e join payout p on p.seq = e.payout_seq))::text as history`;

/** Who had which rows when, and what became of each: for whoever looks why something took long. */
export const readMachineHistory = (url: string): Promise<string> =>
  askDatabase(url, async (client) => {
    const found = await client.query<{ readonly history: string }>(machineHistory);
    return found.rows[0]?.history ?? '';
  });

/** Statuses in which something is still to come. */
const unsettled: readonly string[] = ['staged', 'ready', 'submitted'];

/** Each row of a batch as result and updates tell it; undefined where there is no result. */
async function readTold(outbox: string, batchId: string): Promise<readonly Line[] | undefined> {
  const names = (await readdir(outbox)).filter(
    (name) => !name.startsWith('.') && name.includes(`.${batchId}.`),
  );
  const result = names.find((name) => name.endsWith('.result.csv'));
  if (result === undefined) return undefined;
  const updates = names.filter((name) => /\.result-update-\d+\.csv$/.test(name));
  return readPresent(outbox, await readTable(join(outbox, result)), updates);
}

/** Rows of which result and updates tell something else than the journal. */
export async function findUntold(outbox: string, { rows }: JournalState): Promise<string[]> {
  const complaints: string[] = [];
  for (const [batchId, own] of Map.groupBy(rows, (row) => row.batchId)) {
    const told = await readTold(outbox, batchId);
    if (told === undefined) {
      complaints.push(`batch ${batchId} has no result`);
      continue;
    }
    if (told.length !== own.length)
      complaints.push(`batch ${batchId} has ${own.length} rows, and ${told.length} are told`);
    for (const { rowNo, payoutId, amount, status } of own) {
      const line = told[Number(rowNo) - 1];
      const isTold =
        line?.['payoutId'] === payoutId && line['amount'] === amount && line['status'] === status;
      if (!isTold)
        complaints.push(`${payoutId} (row ${rowNo} of ${batchId}) is ${status}, told ${line?.['status']}`);
    }
  }
  return complaints;
}

export const findUnsettled = ({ rows }: JournalState): readonly JournalRow[] =>
  rows.filter(({ status }) => unsettled.includes(status));

export interface MachinesEvidence {
  readonly scene: Scene;
  readonly machines: readonly Machine[];
  readonly plan: DropPlan;
  readonly adminUrl: string;
  readonly recoveries: readonly Recovery[];
  /** `bank.requestsPerSecond`; 0: not set. */
  readonly rate: number;
}

/** What came out, and everything that is wrong with it. */
export interface Verdict {
  readonly complaints: readonly string[];
  readonly payouts: number;
  readonly total: string;
  readonly statuses: ReadonlyMap<string, number>;
  readonly busiestSecond: number;
}

/** Judges, when all machines have stopped. */
export async function judgeMachines(evidence: MachinesEvidence): Promise<Verdict> {
  const { scene, machines, plan, adminUrl, recoveries, rate } = evidence;
  const inbox = join(scene.dataDir, 'inbox');
  const dropped = await gatherDropEvidence(scene, plan, inbox);
  const journal = await readJournal(adminUrl);
  const { totals, busiestSecond } = dropped.ledger;
  const [first] = machines;
  const audit = first && (await scene.runWith(first.configPath, 'audit'));
  // Where the rate is set, rows wait for those before them.
  const waitMs = rate > 0 ? (rowsAheadMax * machines.length * requestsOfRow * 1_000) / rate : 0;
  const withinMs = goneOnWithinMs + waitMs;
  const complaints = [
    ...(await findBrokenDrops(dropped, leftInInbox)),
    ...findUnsettled(journal).map(({ payoutId, status }) => `${payoutId} is ${status} in the end`),
    ...(await findUntold(scene.outbox, journal)),
    ...(audit?.code === 0 ? [] : [`the audit ends with ${audit?.code}: ${audit?.stdout}${audit?.stderr}`]),
    ...(journal.openShards === 0 ? [] : [`${journal.openShards} shards are left`]),
    ...(rate > 0 && busiestSecond > rate
      ? [`the bank had ${busiestSecond} requests in a second, not ${rate} at the most`]
      : []),
    ...recoveries
      .filter(({ isAlone, tookMs, placeMs = 0 }) => isAlone && Math.max(tookMs, placeMs) > withinMs)
      .map(
        ({ role, tookMs, placeMs = 0, rows, inDoubt }) =>
          `${rows} rows of a ${role} that was killed, ${inDoubt} in doubt, stood still for ${Math.round(Math.max(tookMs, placeMs))} ms`,
      ),
  ];
  const byStatus = Map.groupBy(journal.rows, ({ status }) => status);
  return {
    complaints,
    payouts: totals.count,
    total: totals.amount,
    statuses: new Map([...byStatus].map(([status, rows]) => [status, rows.length])),
    busiestSecond,
  };
}
