/** Several machines that work one journal on PostgreSQL: real processes, which are killed and frozen. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { computeBatchId } from '../../src/core/reference.ts';
import { hashOf, planSoundRows } from '../chaos/drop-plan.ts';
import { TransferCount } from '../chaos/moments.ts';
import { writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import { describePostgres, makeJournalDatabase, type TestDatabase } from '../support/postgres.ts';
import {
  findReports,
  openScene,
  type Program,
  readTable,
  type Scene,
  type SceneSettings,
  until,
} from './harness.ts';

const quick = { stillMs: 100, probeMs: 200, graceMs: 10_000 };
const dice = new Dice(15);

let database: TestDatabase;
beforeEach(async () => {
  database = await makeJournalDatabase();
  vi.stubEnv('PAYDROP_JOURNAL_URL', database.url);
});
afterEach(() => database[Symbol.asyncDispose]());

const folderOf = ({ folder }: Scene, machine: string): string => join(folder, machine);

const startOn = (scene: Scene, machine: string): Program =>
  scene.start('watch', '--data-dir', folderOf(scene, machine));

interface Dropped {
  readonly batchId: string;
  readonly rows: number;
}

/** Drops a file into the inbox of a machine. */
async function drop(scene: Scene, machine: string, rowsMax: number, prefix = 'A'): Promise<Dropped> {
  const inbox = join(folderOf(scene, machine), 'inbox');
  await mkdir(inbox, { recursive: true });
  const planned = planSoundRows(rowsMax, prefix, dice);
  const csv = writeRows(planned);
  await writeFile(join(inbox, `${prefix}.tmp`), csv);
  await rename(join(inbox, `${prefix}.tmp`), join(inbox, `${prefix}.csv`));
  return { batchId: computeBatchId(hashOf(Buffer.from(csv))), rows: planned.length };
}

interface WorkerRow {
  readonly workerId: string;
  readonly pid: number;
  readonly role: 'sender' | 'helper';
  readonly sends: number;
}

async function readWorkers(client: Client): Promise<readonly WorkerRow[]> {
  const { rows } = await client.query<WorkerRow>(
    `select w.worker_id as "workerId", w.pid::int as pid, w.role,
       (select count(*)::int from paydrop.latest_send s where s.worker_id = w.worker_id) as sends
     from paydrop.worker w where w.ended_at_ms is null and w.superseded_at_ms is null order by w.worker_id`,
  );
  return rows;
}

const isA = async (client: Client, program: Program, role: WorkerRow['role']): Promise<boolean> =>
  (await readWorkers(client)).some((worker) => worker.pid === program.pid && worker.role === role);

async function statusOf(client: Client, batchId: string): Promise<string> {
  const { rows } = await client.query<{ readonly status: string }>(
    'select status from paydrop.batch where batch_id = $1',
    [batchId],
  );
  return rows[0]?.status ?? 'none';
}

/** Each row is paid once, and its sender says so. */
async function expectPaid(scene: Scene, machine: string, { batchId, rows }: Dropped): Promise<void> {
  const { entries, totals } = await scene.bank.ledger();
  expect(new Set(entries.map(({ reference1 }) => reference1)).size).toBe(rows);
  expect(totals.count).toBe(rows);
  const outbox = join(folderOf(scene, machine), 'outbox');
  await until(async () => (await findReports(outbox, new RegExp(`${batchId}\\.result\\.csv$`))).length === 1);
  const [result = ''] = await findReports(outbox, new RegExp(`${batchId}\\.result\\.csv$`));
  const statuses = (await readTable(result)).map(({ status }) => status);
  expect(statuses).toEqual(Array.from({ length: rows }, () => 'paid'));
}

/** Files in a folder and below it, without what is paydrop's own. */
async function readFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((one) => one.isFile() && !`${one.parentPath}/${one.name}`.includes('/.'))
    .map(({ name }) => name);
}

/** Two machines: the first sends, the second helps. */
async function openTwo(latencyMs: number, { sandbox, ...changes }: SceneSettings = {}) {
  const settings = { sandbox: { latencyMs, ...sandbox }, watch: quick, ownProcesses: true, ...changes };
  const scene = await openScene(settings);
  const client = await database.connect();
  const sender = startOn(scene, 'one');
  await until(() => isA(client, sender, 'sender'));
  const standby = startOn(scene, 'two');
  await until(() => isA(client, standby, 'helper'));
  const dispose = async (): Promise<void> => {
    await client[Symbol.asyncDispose]();
    await scene[Symbol.asyncDispose]();
  };
  return { scene, client, sender, standby, [Symbol.asyncDispose]: dispose };
}

/** A killed or frozen sender keeps its place for 10 s. */
const takeOverMaxMs = 15_000;

describePostgres('two machines', () => {
  test('share one access token, by the setting, with a bank where a new one ends the old', async () => {
    const startedMs = Date.now();
    const seconds = 2;
    const ending = { newTokenEndsOld: true, accessTokenSeconds: seconds };
    await using two = await openTwo(200, { sandbox: ending, bank: { accessToken: 'shared' } });
    const { scene, client } = two;
    const file = await drop(scene, 'one', 110);
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    await expectPaid(scene, 'one', file);
    const { rows } = await client.query<{ readonly generation: string; readonly sealed: string }>(
      'select generation, sealed from paydrop.shared_token',
    );
    expect(rows).toHaveLength(1);
    // Renewed in the last fifth of its life, and never because the other process had ended it.
    expect(Number(rows[0]?.generation)).toBeGreaterThan(1);
    expect(Number(rows[0]?.generation)).toBeLessThan(2 + (Date.now() - startedMs) / (seconds * 800));
    expect(rows[0]?.sealed).not.toContain('Bearer');
  });

  test('pay one file together, each row once', async () => {
    await using two = await openTwo(200);
    const { scene, client, sender, standby } = two;
    const file = await drop(scene, 'one', 300);
    const count = new TransferCount(scene);
    await until(() => count.read() >= 20);
    const { stdout } = await scene.run('status', '--data-dir', folderOf(scene, 'two'));
    const work = String.raw`, with \d shards?, \d+ transfers? in the last minute`;
    for (const [word, { pid }] of [
      ['Sending', sender],
      ['Helping', standby],
    ] as const)
      expect(stdout).toMatch(new RegExp(`^${word}: "paydrop watch" \\(process ${pid} on .+\\)${work}$`, 'm'));
    expect(stdout).toMatch(/^Together: \d+ transfers in the last minute$/m);
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    const sends = await readWorkers(client);
    for (const program of [sender, standby])
      expect(sends.find(({ pid }) => pid === program.pid)?.sends).toBeGreaterThan(50);
    await expectPaid(scene, 'one', file);
    for (const program of [sender, standby]) program.kill('SIGTERM');
    for (const program of [sender, standby])
      expect(await program.ended).toMatchObject({ code: 0, signal: null });
    expect(await readWorkers(client)).toEqual([]);
  });

  test('go on with one when the sender is killed, within 15 s', async () => {
    await using two = await openTwo(200);
    const { scene, client, sender, standby } = two;
    const count = new TransferCount(scene);
    const file = await drop(scene, 'one', 400);
    await until(() => count.read() >= 50);
    sender.kill('SIGKILL');
    const killedMs = performance.now();
    await until(() => isA(client, standby, 'sender'));
    expect(performance.now() - killedMs).toBeLessThan(takeOverMaxMs);
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    await expectPaid(scene, 'two', file);
  });

  test('go on with one when the helper is killed: its rows are paid by the sender', async () => {
    await using two = await openTwo(200);
    const { scene, client, standby } = two;
    const count = new TransferCount(scene);
    const file = await drop(scene, 'one', 200);
    await until(() => count.read() >= 50);
    standby.kill('SIGKILL');
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    await expectPaid(scene, 'one', file);
  });

  test('pay nobody twice when the sender stands still for longer than its lease, and stands by afterwards', async () => {
    await using two = await openTwo(200);
    const { scene, client, sender, standby } = two;
    const count = new TransferCount(scene);
    const file = await drop(scene, 'one', 400);
    await until(() => count.read() >= 50);
    sender.kill('SIGSTOP');
    await until(() => isA(client, standby, 'sender'));
    sender.kill('SIGCONT');
    await until(() => isA(client, sender, 'helper'));
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    await expectPaid(scene, 'two', file);
  });

  test('go on when their connections are cut again and again', async () => {
    await using two = await openTwo(200);
    const { scene, client } = two;
    const count = new TransferCount(scene);
    const file = await drop(scene, 'one', 200);
    for (const transfers of [10, 30, 50, 75, 100]) {
      await until(() => count.read() >= transfers);
      await client.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and pid <> pg_backend_pid() and application_name like 'paydrop %'`,
      );
    }
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    await expectPaid(scene, 'one', file);
  });

  test('pay what is dropped into the inbox of the one that helps, where the file ends', async () => {
    await using two = await openTwo(20);
    const { scene, client } = two;
    const file = await drop(scene, 'two', 60);
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    await expectPaid(scene, 'one', file);
    await until(async () => (await readFiles(join(folderOf(scene, 'two'), 'archive'))).length === 1);
    await until(async () => (await readFiles(join(folderOf(scene, 'two'), 'work'))).length === 0);
  });

  test('work an inbox that both see when the helper ends that took it while the database was away', async () => {
    const names = ['inbox', 'work', 'archive', 'rejected', 'outbox'] as const;
    const folders = Object.fromEntries(names.map((name) => [name, `./shared/${name}`]));
    await using two = await openTwo(20, { folders });
    const { scene, client, sender, standby } = two;
    const path = join(folderOf(scene, 'shared/inbox'), '.paydrop', 'journal.json');
    const nameOf = async (pid: number): Promise<string> =>
      `worker-${(await readWorkers(client)).find((worker) => worker.pid === pid)?.workerId}`;
    const readStamp = async () => JSON.parse(await readFile(path, 'utf8')) as { readonly holder: string };
    await until(async () => (await readStamp()).holder === (await nameOf(sender.pid)));
    // As the helper does that finds the lease of the sender over, since the database was away.
    await writeFile(
      `${path}.new`,
      JSON.stringify({ ...(await readStamp()), holder: await nameOf(standby.pid) }),
    );
    await rename(`${path}.new`, path);
    await until(async () => (await readStamp()).holder === (await nameOf(sender.pid)));
    standby.kill('SIGKILL');
    const file = await drop(scene, 'shared', 20);
    await until(async () => (await statusOf(client, file.batchId)) === 'done');
    const { totals } = await scene.bank.ledger();
    expect(totals.count).toBe(file.rows);
  });

  test('work folders that both see: a file of one that is killed, or frozen, ends once', async () => {
    const names = ['inbox', 'work', 'archive', 'rejected', 'outbox'] as const;
    const folders = Object.fromEntries(names.map((name) => [name, `./shared/${name}`]));
    await using two = await openTwo(200, { folders });
    const { scene, client, sender, standby } = two;
    const count = new TransferCount(scene);
    const frozen = await drop(scene, 'shared', 250);
    await until(() => count.read() >= 30);
    sender.kill('SIGSTOP');
    await until(() => isA(client, standby, 'sender'));
    sender.kill('SIGCONT');
    await until(() => isA(client, sender, 'helper'));
    await until(async () => (await statusOf(client, frozen.batchId)) === 'done');
    await until(async () => (await readFiles(folderOf(scene, 'shared/archive'))).length === 1);
    const killed = await drop(scene, 'shared', 200, 'B');
    await until(() => count.read() >= frozen.rows + 30);
    standby.kill('SIGKILL');
    await until(async () => (await statusOf(client, killed.batchId)) === 'done');
    await until(async () => (await readFiles(folderOf(scene, 'shared/archive'))).length === 2);
    // A file has its name in the archive before it leaves work/.
    await until(async () => (await readFiles(folderOf(scene, 'shared/work'))).length === 0);
    expect(await readFiles(folderOf(scene, 'shared/rejected'))).toEqual([]);
    expect(await readFiles(folderOf(scene, 'shared/outbox'))).toHaveLength(6);
    const { totals } = await scene.bank.ledger();
    expect(totals.count).toBe(frozen.rows + killed.rows);
  });
});
