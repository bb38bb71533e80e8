/** `payerAccount` is changed in the settings while a file waits: it is not moved to another account behind anybody's back. */
import { readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { partner } from '../support/core-fixtures.ts';
import { Dice } from '../support/dice.ts';
import { openScene, type Scene } from './harness.ts';

const other = '0000345932';

async function setPayer({ configPath }: Scene, from: string, to: string): Promise<void> {
  const settings = await readFile(configPath, 'utf8');
  expect(settings).toContain(`"${from}"`);
  await writeFile(configPath, settings.replace(`"${from}"`, `"${to}"`));
}

test('a file that waits is paid from neither account until an operator resumes it', async () => {
  const companies = [{ companyId: partner.companyId, payerAccounts: [other] }];
  await using scene = await openScene({ sandbox: { companies } });
  const planned = planGoodRows(6, 'A', new Dice(5));
  const file = await scene.addFile('payouts.csv', writeRows(planned));
  expect(await scene.run('init')).toEndWith(0);
  await scene.bank.kill();
  expect(await scene.run('run', file, '--wait', '0')).toEndWith(6);
  await scene.bank.reopen();
  await setPayer(scene, partner.payerAccount, other);
  for (const _ of ['once', 'again']) {
    const held = await scene.run('run', file, '--json');
    expect(held).toEndWith(6);
    const said = JSON.parse(held.stdout) as { batchId: string };
    expect(said).toMatchObject({ status: 'halted', reasonCode: 'payer-account-changed' });
    expect((await scene.bank.ledger()).totals.count).toBe(0);
  }
  const [batch] = JSON.parse((await scene.run('status', '--json')).stdout) as { batchId: string }[];
  const shown = await scene.run('status', String(batch?.batchId));
  expect(shown.stdout).toMatch(/from account \*{6}5924, the settings name account \*{6}5932/);
  const history = await scene.run('show', planned[0]?.payoutId ?? '', '--json');
  expect(history.stdout).toMatch(/hold-added.*from account \*{6}5924, the settings name account \*{6}5932/s);
  const resumed = await scene.run('resume', String(batch?.batchId));
  expect(resumed.stdout).toMatch(/from account \*{6}5932 from now on, instead of \*{6}5924/);
  expect(await scene.run('run', file, '--json')).toEndWith(0);
  const { entries } = await scene.bank.ledger();
  expect(entries.map(({ payerAccount }) => payerAccount)).toEqual(planned.map(() => other));
});
