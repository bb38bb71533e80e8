/** What one machine learns of the bank holds for all: the brake costs ten rows and not forty, and one tries whether a pause is over. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describePostgres, makeJournalDatabase, type TestDatabase } from '../support/postgres.ts';
import { openScene, type Scene, until } from './harness.ts';

const consecutiveFailures = 10;
const concurrency = 4;
const machines = ['one', 'two', 'three', 'four'];
const quick = { stillMs: 100, probeMs: 200, graceMs: 10_000 };

let database: TestDatabase;
beforeEach(async () => {
  database = await makeJournalDatabase();
  vi.stubEnv('PAYDROP_JOURNAL_URL', database.url);
});
afterEach(() => database[Symbol.asyncDispose]());

/** Each row to another payee. */
const writeFileOf = (rows: number, amount: string): string => {
  const lines = Array.from(
    { length: rows },
    (_, place) => `R-${place},MSISDN,08120${10_000 + place},${amount}`,
  );
  return `payoutId,proxyType,proxyNo,amount\n${lines.join('\n')}\n`;
};

/** Starts a watcher on each machine, one after the other. */
async function startMachines(scene: Scene, client: Client, names: readonly string[]): Promise<void> {
  const workers = async (): Promise<number> => {
    const found = await client.query('select from paydrop.worker where ended_at_ms is null');
    return found.rowCount ?? 0;
  };
  for (const [place, name] of names.entries()) {
    scene.start('watch', '--data-dir', join(scene.folder, name));
    await until(async () => (await workers().catch(() => 0)) > place);
  }
}

async function drop(scene: Scene, machine: string, csv: string): Promise<void> {
  const inbox = join(scene.folder, machine, 'inbox');
  await mkdir(inbox, { recursive: true });
  await writeFile(join(inbox, 'file.tmp'), csv);
  await rename(join(inbox, 'file.tmp'), join(inbox, 'file.csv'));
}

async function readStatus(client: Client): Promise<string | undefined> {
  const { rows } = await client.query<{ status: string }>('select status from paydrop.batch');
  return rows[0]?.status;
}

describePostgres('four machines', () => {
  test('stop together when ten rows in a row have ended otherwise than paid', async () => {
    await using scene = await openScene({
      sandbox: {
        latencyMs: 2_000,
        behaviours: [{ match: { amount: '1001.07' }, money: 'untouched', code: 'EV042' }],
      },
      bank: { timeoutMs: 20_000 },
      verify: { enabled: false },
      transfer: { concurrency, askFirst: 'never' },
      brake: { consecutiveFailures },
      watch: quick,
      ownProcesses: true,
    });
    await using client = await database.connect();
    await startMachines(scene, client, machines);
    await drop(scene, 'one', writeFileOf(240, '1001.07'));
    await until(async () => (await readStatus(client)) === 'halted');
    const halts = await client.query<{ code: string }>('select code from paydrop.payer_halt');
    expect(halts.rows).toEqual([{ code: 'brake-consecutive' }]);
    const sends = await client.query<{ worker_id: number }>(
      'select distinct worker_id from paydrop.latest_send',
    );
    expect(sends.rowCount).toBe(machines.length);
    const refused = await client.query(`select from paydrop.event where cause = 'refused-for-payout'`);
    expect(refused.rowCount).toBeGreaterThanOrEqual(consecutiveFailures);
    expect(refused.rowCount).toBeLessThanOrEqual(consecutiveFailures + machines.length * (concurrency + 1));
    const late = await client.query(
      `select from paydrop.event where cause = 'intent-recorded' and seq >
         (select seq from paydrop.event where cause = 'refused-for-payout' order by seq offset ${consecutiveFailures - 1} limit 1)`,
    );
    expect(late.rowCount).toBe(0);
  });

  test('leave a closed service alone together, and one at a time tries whether it is open', async () => {
    await using scene = await openScene({
      sandbox: { latencyMs: 200, control: true },
      verify: { enabled: false },
      transfer: { concurrency, askFirst: 'never' },
      watch: quick,
      ownProcesses: true,
    });
    await using client = await database.connect();
    const names = machines.slice(0, 3);
    await startMachines(scene, client, names);
    const refused = async (): Promise<number> => {
      const found = await client.query(
        `select from paydrop.event where cause not in ('hold-added', 'hold-lifted') and detail like '%TM001%'`,
      );
      return found.rowCount ?? 0;
    };
    const count = async (status: string): Promise<number> => {
      const found = await client.query(`select from paydrop.payout where status = $1`, [status]);
      return found.rowCount ?? 0;
    };
    const [paid, submitted] = [() => count('paid'), () => count('submitted')];
    await drop(scene, 'one', writeFileOf(450, '100.00'));
    await until(async () => (await paid()) > 150);
    await scene.bank.control({ serviceOpen: false });
    await until(async () => (await refused()) > 0);
    await until(async () => (await submitted()) === 0);
    const [first, sinceMs] = [await refused(), Date.now()];
    expect(first).toBeLessThanOrEqual(names.length * 2 * (concurrency + 1));
    await sleep(6_000);
    // Each pause is twice as long as the one before: no machine but the one that tries meets the closed service.
    const tries = (await refused()) - first;
    expect(tries).toBeLessThanOrEqual(1 + Math.floor(Math.log2((Date.now() - sinceMs) / 1_000 + 1)));
    await scene.bank.control({ serviceOpen: true });
    // What was refused on one machine waits for a while before another may try it again.
    await until(async () => (await paid()) >= 425);
    const sends = await client.query('select distinct worker_id from paydrop.latest_send');
    expect(sends.rowCount).toBe(names.length);
    const pauses = await client.query('select from paydrop.payer_pause');
    expect(pauses.rowCount).toBe(0);
  });
});
