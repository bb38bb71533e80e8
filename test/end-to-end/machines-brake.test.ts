/** Four machines pay a file that the bank refuses row by row: it costs ten rows and what was under way, not forty. */
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { describePostgres, makeJournalDatabase, type TestDatabase } from '../support/postgres.ts';
import { openScene, until } from './harness.ts';

const consecutiveFailures = 10;
const concurrency = 4;
const machines = ['one', 'two', 'three', 'four'];

let database: TestDatabase;
beforeEach(async () => {
  database = await makeJournalDatabase();
  vi.stubEnv('PAYDROP_JOURNAL_URL', database.url);
});
afterEach(() => database[Symbol.asyncDispose]());

/** Each to another payee, over an amount that the sandbox refuses (EV042). */
const refusedFile = (rows: number): string => {
  const lines = Array.from(
    { length: rows },
    (_, place) => `R-${place},MSISDN,08120${10_000 + place},1001.07`,
  );
  return `payoutId,proxyType,proxyNo,amount\n${lines.join('\n')}\n`;
};

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
      watch: { stillMs: 100, probeMs: 200, graceMs: 10_000 },
      ownProcesses: true,
    });
    await using client = await database.connect();
    const workers = async (): Promise<number> => {
      const found = await client.query('select from paydrop.worker where ended_at_ms is null');
      return found.rowCount ?? 0;
    };
    const inbox = join(scene.folder, 'one', 'inbox');
    await mkdir(inbox, { recursive: true });
    for (const [place, machine] of machines.entries()) {
      scene.start('watch', '--data-dir', join(scene.folder, machine));
      await until(async () => (await workers().catch(() => 0)) > place);
    }
    await writeFile(join(inbox, 'refused.tmp'), refusedFile(400));
    await rename(join(inbox, 'refused.tmp'), join(inbox, 'refused.csv'));
    await until(async () => {
      const { rows } = await client.query<{ status: string }>('select status from paydrop.batch');
      return rows[0]?.status === 'halted';
    });
    const halts = await client.query<{ code: string }>('select code from paydrop.line_stop');
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
});
