/** A run against `paydrop sandbox` says everywhere that it is a rehearsal, and is never taken for the real one. */
import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { sandboxBanner } from '../../src/cli/views/shown.ts';
import { findReports, openScene, type Scene } from './harness.ts';

const csv = 'payoutId,proxyType,proxyNo,amount,reference1\nA-1,MSISDN,0812345678,10.00,INV-1\n';

async function pay(scene: Scene): Promise<string> {
  const { code, stdout, stderr } = await scene.run('run', await scene.addFile('payouts.csv', csv));
  expect([code, stderr]).toEqual([0, '']);
  return stdout;
}

async function readSummary({ outbox }: Scene): Promise<unknown> {
  const [path = ''] = await findReports(outbox, /summary\.json$/);
  return JSON.parse(await readFile(path, 'utf8'));
}

describe('a bank that says that it is a sandbox', () => {
  test('gives the banner to screens and files, also while it does not answer', async () => {
    await using scene = await openScene();
    expect(await pay(scene)).toContain(sandboxBanner);
    expect(await readSummary(scene)).toMatchObject({ isSandbox: true });
    await scene.bank.kill();
    for (const args of [['status'], ['show', 'A-1']])
      expect((await scene.run(...args)).stdout).toMatch(/^\*\*\* SANDBOX/);
    expect(JSON.parse((await scene.run('config', '--json')).stdout)).toMatchObject({ isSandbox: true });
  });

  test('that then says it no more is refused by the same journal, and nothing is sent', async () => {
    await using scene = await openScene();
    await pay(scene);
    await scene.bank.kill();
    await scene.bank.reopen(undefined, true);
    const file = await scene.addFile('more.csv', csv.replaceAll('1', '2'));
    const { code, stderr } = await scene.run('run', file);
    expect([code, stderr]).toEqual([2, expect.stringContaining('was made for a paydrop sandbox')]);
    expect(await scene.run('status')).toEndWith(2);
    expect((await scene.bank.ledger()).totals.count).toBe(1);
  });
});

describe('a bank that keeps it to itself', () => {
  test('is taken for a real one, and the sandbox that stands in its place later is refused', async () => {
    await using scene = await openScene({ asBank: true });
    expect(await scene.run('init')).toEndWith(0);
    expect(await pay(scene)).not.toContain('SANDBOX');
    expect(await readSummary(scene)).toMatchObject({ isSandbox: false });
    await scene.bank.kill();
    expect((await scene.run('status')).stdout).not.toContain('SANDBOX');
    await scene.bank.reopen(undefined, false);
    const { code, stderr } = await scene.run(
      'run',
      await scene.addFile('more.csv', csv.replaceAll('1', '2')),
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('there is now a paydrop sandbox')]);
    expect((await scene.bank.ledger()).totals.count).toBe(1);
  });
});
