/** Statements that come early, empty, or are another day's or company's, over a change of day, at a bank that says nothing of a sandbox. */
import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { askBank, dayOf, findPaidTwice, openBankScene, passTo, showDay } from './as-bank.ts';
import { readTables } from '../support/tables.ts';
import { type Scene, type SceneSettings, until } from './harness.ts';

const rows = 4;
/** A file of payouts, each with a payee, an amount and a reference of its own. */
const csvOf = (name: string): string =>
  [
    'payoutId,proxyType,proxyNo,amount,reference1',
    ...Array.from({ length: rows }, (_, at) => {
      const number = at + 1;
      return `${name}-${number},MSISDN,081${name.charCodeAt(0)}0000${number},${number}0.00,${name}-${number}`;
    }),
    '',
  ].join('\n');

const sister = { companyId: 'COMP000002', payerAccounts: ['0000456780'] };
const drop = { edit: 'drop', match: {} };

const openBank = (edits: readonly object[] = [], changes: SceneSettings = {}): Promise<Scene> =>
  openBankScene({
    sandbox: { statement: { emptyDays: true, edits }, companies: [sister], control: true },
    ...changes,
  });

async function pay(scene: Scene, name: string): Promise<void> {
  const { code, stderr } = await scene.run('run', await scene.addFile(`${name}.csv`, csvOf(name)));
  expect([code, stderr]).toEqual([0, '']);
}

const reconcile = (scene: Scene, date: string, ...args: string[]) =>
  scene.run('reconcile', '--date', showDay(date), ...args);

/** The day as `status --statements` has it; undefined for one without an accepted statement. */
async function readDay(scene: Scene, date: string): Promise<Record<string, unknown> | undefined> {
  const { stdout } = await scene.run('status', '--statements', '--json');
  const days = JSON.parse(stdout) as Record<string, unknown>[];
  return days.find(
    (day) => String(day['date']).replaceAll('-', '') === date && day['statementVersion'] !== null,
  );
}

async function judge(scene: Scene, paid: number): Promise<void> {
  const ledger = await scene.bank.ledger();
  expect([findPaidTwice(ledger), ledger.totals.count]).toEqual([[], paid]);
}

describe('an early empty file of the bank', () => {
  test('does not close the day: it is kept, not applied, and asked for again', async () => {
    await using scene = await openBank([{ ...drop, toIssue: 1 }]);
    await pay(scene, 'A');
    const date = dayOf(scene);
    passTo(scene, '00:30');
    const early = await reconcile(scene, date);
    expect([early.code, early.stderr]).toEqual([5, expect.stringContaining('not complete yet')]);
    expect(await readDay(scene, date)).toBeUndefined();
    expect(await readdir(join(scene.dataDir, 'statements'))).toHaveLength(1);
    const late = await reconcile(scene, date);
    expect([late.code, late.stderr]).toEqual([0, '']);
    expect(await readDay(scene, date)).toMatchObject({ statementVersion: 1, openBreaks: 0 });
    await judge(scene, rows);
  });

  test('is asked for again by the watcher, too, also by one that was started anew', async () => {
    await using scene = await openBank([{ ...drop, toIssue: 1 }], { reconcile: { at: '01:00' } });
    await pay(scene, 'A');
    const date = dayOf(scene);
    passTo(scene, '01:30');
    const first = scene.start('watch', '--json');
    await until(() => first.stderr.includes('not complete yet'));
    first.kill('SIGTERM');
    expect(await first.ended).toEndWith(0);
    expect(await readDay(scene, date)).toBeUndefined();
    const second = scene.start('watch', '--json');
    await until(() => second.stderr.includes('a statement was reconciled'));
    second.kill('SIGTERM');
    await second.ended;
    expect(await readDay(scene, date)).toMatchObject({ statementVersion: 1, openBreaks: 0 });
    await judge(scene, rows);
  });
});

describe('a file that lacks lines of the one before', () => {
  test('changes nothing, whatever day it comes on', async () => {
    await using scene = await openBank([{ ...drop, match: { row: 2 }, fromIssue: 2, toIssue: 2 }]);
    await pay(scene, 'A');
    const date = dayOf(scene);
    passTo(scene, '09:00');
    expect(await reconcile(scene, date)).toEndWith(0);
    passTo(scene, '09:00');
    const { code, stderr } = await reconcile(scene, date);
    expect([code, stderr]).toEqual([5, expect.stringContaining('lacks 1 transfer')]);
    expect(await readDay(scene, date)).toMatchObject({ statementVersion: 1, openBreaks: 0 });
    expect(await reconcile(scene, date)).toEndWith(0);
    await judge(scene, rows);
  });
});

describe('the statement of an earlier day', () => {
  test('in the place of the day’s own is refused, from the bank and by hand, and the right one is taken', async () => {
    await using scene = await openBank();
    await pay(scene, 'A');
    const before = dayOf(scene);
    passTo(scene, '10:00');
    expect(await reconcile(scene, before)).toEndWith(0);
    await pay(scene, 'B');
    const date = dayOf(scene);
    passTo(scene, '09:00');
    const folder = join(scene.dataDir, 'statements');
    const [original = ''] = (await readdir(folder)).filter((name) => name.includes('.original.'));
    const renamed = join(scene.folder, `PARTNER001_COMP000001_PROXY_${date}.csv`);
    await copyFile(join(folder, original), renamed);
    const byHand = await scene.run('reconcile', '--file', renamed);
    expect([byHand.code, byHand.stderr]).toEqual([5, expect.stringContaining('no line of the file is of')]);
    const columns = { 'EFFECTIVE DATE': before };
    await scene.bank.control({ statement: { edits: [{ edit: 'alter', match: {}, columns, toIssue: 1 }] } });
    const fromBank = await reconcile(scene, date);
    expect([fromBank.code, fromBank.stderr]).toEqual([
      5,
      expect.stringContaining('no line of the file is of'),
    ]);
    expect(await readDay(scene, date)).toBeUndefined();
    expect(await reconcile(scene, date)).toEndWith(0);
    for (const day of [before, date]) expect(await readDay(scene, day)).toMatchObject({ openBreaks: 0 });
    await judge(scene, 2 * rows);
  });
});

describe('the statement of another company of the partner', () => {
  /** A transfer of the sister company that paydrop knows nothing of. */
  const payAsSister = (scene: Scene, date: string): Promise<unknown> =>
    askBank(scene, 'transfer', {
      channelID: 'PAYDROP',
      termID: 'TERM0009',
      tranDate: date,
      tranTime: '12:00:00',
      compId: sister.companyId,
      requestUID: 'R1',
      payerBankCode: '006',
      payerAccount: sister.payerAccounts[0],
      transRefNo: 'SISTER1',
      tranAmount: '77.00',
      proxyType: 'MSISDN',
      proxyNo: '0812345678',
      resendFlag: 'N',
    });

  test('is refused, and the right one is taken afterwards', async () => {
    await using scene = await openBank();
    await pay(scene, 'A');
    const date = dayOf(scene);
    expect(await payAsSister(scene, date)).toMatchObject({ statusCode: 'IC000' });
    passTo(scene, '09:00');
    const asked = { date: showDay(date), companyID: sister.companyId };
    const { storageSignedUrl = '' } = await askBank(scene, 'statement', asked);
    const file = join(scene.folder, 'theirs.csv');
    await writeFile(file, await (await fetch(storageSignedUrl)).text());
    const byHand = await scene.run('reconcile', '--file', file, '--date', showDay(date), '--force');
    expect([byHand.code, byHand.stderr]).toEqual([5, expect.stringContaining(sister.companyId)]);
    expect(await readDay(scene, date)).toBeUndefined();
    expect(await reconcile(scene, date)).toEndWith(0);
    expect(await readDay(scene, date)).toMatchObject({ statementVersion: 1, openBreaks: 0 });
    await judge(scene, rows + 1);
  });

  test('beside ours, in the file of all companies, is left aside', async () => {
    await using scene = await openBank([], { reconcile: { companyId: '' } });
    await pay(scene, 'A');
    const date = dayOf(scene);
    await payAsSister(scene, date);
    passTo(scene, '09:00');
    expect(await reconcile(scene, date)).toEndWith(0);
    expect(await readDay(scene, date)).toMatchObject({ statementVersion: 1, openBreaks: 0 });
    const matched = await readTables(join(scene.dataDir, 'statements'), /matched\.csv$/);
    expect(matched).toHaveLength(rows);
    await judge(scene, rows + 1);
  });
});
