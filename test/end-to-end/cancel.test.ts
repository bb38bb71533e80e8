/** Cancelling in the shell and by a filled-in file what was sent before; the bank's ledger judges. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { stringify as stringifyYaml } from 'yaml';
import { partner } from '../support/core-fixtures.ts';
import { openScene, type Scene, type SceneSettings } from './harness.ts';
import { addPeople } from './scene-people.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const csvOf = (rows: number): string =>
  `${[header, ...Array.from({ length: rows }, (_, no) => `P${no + 1},MSISDN,081000000${no},,${no + 1001}.25,,`)].join('\n')}\n`;

const minuteMs = 60_000;

/** A run whose first transfer the bank refuses for want of funds; all rows are held then. */
async function openRefused(money: 'untouched' | 'moves', rows = 2, changes: SceneSettings = {}) {
  const scene = await openScene({
    sandbox: { behaviours: [{ match: { amount: '1001.25' }, money, code: 'EM053' }] },
    settle: { notFoundTrustMs: minuteMs },
    transfer: { concurrency: 1, askFirst: 'never' },
    ...changes,
  });
  const file = await scene.addFile('a.csv', csvOf(rows));
  expect(await scene.run('run', file)).toEndWith(6);
  return { scene, file, [Symbol.asyncDispose]: () => scene[Symbol.asyncDispose]() };
}

/** Types the command that a message offers. */
async function typeFrom(scene: Scene, message: string) {
  const [, command = ''] = /"paydrop ([^"]+)"/.exec(message) ?? [];
  expect(command).not.toBe('');
  return scene.run(...command.split(' '));
}

test('a row that was sent is cancelled once its "not found" is to be trusted, by the command that the refusal names', async () => {
  await using refused = await openRefused('untouched');
  const { scene } = refused;
  const early = await scene.run('cancel', 'P1');
  expect(early).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(/P1 .* was sent as PD\w{18} a moment ago/),
  });
  expect(await scene.run('cancel', 'P2')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 row cancelled'),
  });
  scene.clocks.pass(2 * minuteMs);
  expect(await typeFrom(scene, early.stdout)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 row cancelled'),
  });
  expect((await scene.bank.ledger()).totals.count).toBe(0);
});

test('a row that the bank has paid all the same is not cancelled: it is paid, and bears an alarm', async () => {
  await using refused = await openRefused('moves');
  const { scene } = refused;
  const said = await scene.run('cancel', 'P1');
  expect(said).toMatchObject({
    code: 2,
    stdout: expect.stringContaining('the bank says that it is complete'),
  });
  expect((await typeFrom(scene, said.stdout)).stdout).toMatch(/paid/);
  expect(JSON.parse((await scene.run('list', '--alarms', '--json')).stdout)).toMatchObject({
    payoutId: 'P1',
    status: 'paid',
  });
});

test('without the bank only what was never sent is cancelled, of a batch too', async () => {
  await using refused = await openRefused('untouched', 3);
  const { scene, file } = refused;
  scene.clocks.pass(2 * minuteMs);
  await scene.bank.kill();
  expect(await scene.run('cancel', 'P1')).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(
      /the bank does not say what became of it .*: once it answers, "paydrop cancel P1"/,
    ),
  });
  expect(await scene.run('cancel', 'P2')).toEndWith(0);
  const [, batchId = ''] = /batch ([0-9A-Z]{10})/.exec((await scene.run('show', 'P1')).stdout) ?? [];
  expect((await scene.run('cancel', batchId)).stdout).toMatch(/1 row cancelled[^]*P1 .* was sent as/);
  await scene.bank.reopen();
  expect(await scene.run('run', file)).toEndWith(6);
  expect(await scene.run('cancel', batchId)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 row cancelled'),
  });
  expect((await scene.bank.ledger()).totals.count).toBe(0);
  expect((await scene.run('status', batchId)).stdout).not.toContain('before its turn');
});

test('a filled-in file cancels what was sent by the same rule', async () => {
  await using refused = await openRefused('untouched');
  const { scene } = refused;
  const become = await addPeople(scene);
  await become('mali');
  const fill = async (name: string) => {
    const path = join(scene.folder, name);
    expect(await scene.run('exceptions', '--out', path)).toEndWith(0);
    const records = parse<Record<string, string>>(await readFile(path), { bom: true, columns: true });
    const decided = records.map((record) => ({ ...record, decision: 'cancel', note: 'not to be made' }));
    await writeFile(path, stringify(decided, { header: true }));
    return path;
  };
  const early = await scene.run('decide', await fill('early.csv'));
  expect(early.stdout).toMatch(/1 item applied, 1 item refused:[^]*P1 .* was sent as PD\w{18} a moment ago/);
  scene.clocks.pass(2 * minuteMs);
  expect((await scene.run('decide', await fill('later.csv'))).stdout).toMatch(/1 item applied\./);
});

test('the sandbox that is built in is asked, unless it is that of a process that sends', async () => {
  await using scene = await openScene();
  const configPath = join(scene.folder, 'built-in.yaml');
  const sandbox = { behaviours: [{ match: { amount: '1001.25' }, money: 'untouched', code: 'EM053' }] };
  const settings = {
    dataDir: './built-in',
    bank: { baseUrl: 'sandbox', ...partner },
    sandbox,
    settle: { notFoundTrustMs: minuteMs },
    transfer: { concurrency: 1 },
    watch: { listen: '' },
  };
  await writeFile(configPath, stringifyYaml(settings));
  const paydrop = (...args: string[]) => scene.runWith(configPath, ...args);
  expect(await paydrop('run', await scene.addFile('a.csv', csvOf(2)))).toEndWith(6);
  scene.clocks.pass(2 * minuteMs);
  const watcher = scene.startWith(configPath, 'watch');
  await expect.poll(() => watcher.stdout, { timeout: 20_000 }).toContain('inbox');
  expect(await paydrop('cancel', 'P1')).toMatchObject({
    code: 2,
    stdout: expect.stringMatching(
      /the built-in sandbox is that of "paydrop watch" .*: try again when that has ended/,
    ),
  });
  watcher.kill('SIGTERM');
  await watcher.ended;
  expect(await paydrop('cancel', 'P1')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('1 row cancelled'),
  });
});
