/** A journal that is moved in the middle of a batch goes on where it came to, as if nothing had happened. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { TransferCount, waitForMoment } from '../chaos/moments.ts';
import { faultyBehaviours, planGoodRows, planRows, writeRows } from '../chaos/plan.ts';
import { findBrokenPromises, gatherEvidence } from '../chaos/verdict.ts';
import { Dice } from '../support/dice.ts';
import { describePostgres, makeDatabase, type TestDatabase } from '../support/postgres.ts';
import { findFiles } from '../support/tables.ts';
import { findPaidTwice } from './as-bank.ts';
import { openScene, type Scene } from './harness.ts';

const seed = 20_261_121;

/** The scene's settings with the journal in a database. */
async function writeWithUrl({ folder, configPath }: Scene, { url }: TestDatabase): Promise<string> {
  const path = join(folder, 'paydrop-database.yaml');
  const settings = parse(await readFile(configPath, 'utf8')) as object;
  await writeFile(path, stringify({ ...settings, journal: { url } }), { mode: 0o600 });
  return path;
}

/** Runs a file until so many transfers have entered the bank. @returns the code that it ends with */
async function runUntil(scene: Scene, file: string, transfers: number, signal: NodeJS.Signals) {
  const program = scene.start('run', file, '--json');
  await waitForMoment(scene, program, { after: 'transfers', transfers, waitMs: 0 }, new TransferCount(scene));
  program.kill(signal);
  return (await program.ended).code;
}

const moments = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.]\d+)?(?:\+07:00)?/g;

async function readResult({ outbox }: Scene): Promise<string> {
  const [path = ''] = await findFiles(outbox, /^[^.].*\.result\.csv$/);
  const text = await readFile(path, 'utf8');
  // The bank counts what it is sent at once in the order in which it comes.
  return text.replaceAll(moments, 'MOMENT').replaceAll(/\bSB\d{18}\b/g, 'BANK REFERENCE');
}

/** One at a time, so that the bank numbers its transfers in one order. */
const openQuietScene = (): Promise<Scene> =>
  openScene({
    ownProcesses: true,
    sandbox: { latencyMs: 10 },
    verify: { concurrency: 1 },
    transfer: { concurrency: 1 },
  });

describePostgres('a batch whose journal is moved while it is paid', () => {
  test('has the result that it would have had', async () => {
    await using database = await makeDatabase();
    await using scene = await openQuietScene();
    await using control = await openQuietScene();
    const csv = writeRows(planGoodRows(40, 'M', new Dice(seed)));
    const [file, same] = [await scene.addFile('payouts.csv', csv), await control.addFile('payouts.csv', csv)];
    expect(await runUntil(scene, file, 12, 'SIGINT')).toBe(6);
    const settings = await writeWithUrl(scene, database);
    expect(await scene.runWith(settings, 'move')).toMatchObject({ code: 0, stderr: '' });
    const refused = await scene.run('run', file);
    expect(refused).toEndWith(2);
    expect(refused.stderr).toContain('was moved to postgres://');
    const [end, whole] = [await scene.runWith(settings, 'run', file), await control.run('run', same)];
    expect([end.code, end.stderr]).toEqual([whole.code, '']);
    const result = await readResult(control);
    expect(result.match(/,paid,/g)?.length).toBeGreaterThan(35);
    expect(await readResult(scene)).toBe(result);
    const ledger = await scene.bank.ledger();
    expect(findPaidTwice(ledger)).toEqual([]);
    expect(ledger.totals).toEqual((await control.bank.ledger()).totals);
  });

  test('keeps every promise after a kill, with a bank that misbehaves', async () => {
    await using database = await makeDatabase();
    await using scene = await openScene({
      ownProcesses: true,
      sandbox: { latencyMs: 12, behaviours: faultyBehaviours },
      transfer: { concurrency: 6 },
    });
    const planned = planRows(120, 'K', new Dice(seed));
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    expect(await runUntil(scene, file, 50, 'SIGKILL')).toBeNull();
    const settings = await writeWithUrl(scene, database);
    for (const waitMs of [250, 500, 750, 1_000]) {
      const moving = scene.startWith(settings, 'move');
      await Promise.race([sleep(waitMs), moving.ended]);
      moving.kill('SIGKILL');
      await moving.ended;
    }
    expect(await scene.runWith(settings, 'move')).toMatchObject({ code: 0, stderr: '' });
    const end = await scene.runWith(settings, 'run', file, '--json');
    const evidence = await gatherEvidence(scene, planned, end.code);
    expect(findBrokenPromises(evidence)).toEqual([]);
    expect(evidence.ledger.totals.count).toBeGreaterThan(100);
  });
});
