/** Lines of a person's statement file that contradict themselves, cannot be read, or lost their zeros in a spreadsheet. */
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { expect, test } from 'vitest';
import { dayOf, findPaidTwice, openBankScene, passTo, showDay } from './as-bank.ts';
import type { Scene } from './harness.ts';

const payouts = `payoutId,proxyType,proxyNo,payeeName,amount,reference1
P1,MSISDN,0810000001,,1001.25,R1
P2,MSISDN,0810000002,,1002.25,R2
P3,NATID,0995000000023,,1003.25,R3
P4,MSISDN,0810000004,,1004.25,R4
`;

type Line = Record<string, string>;

const isStuck = { money: 'stuck', reply: 'lost' };

/** Pays; the last payout gets no answer, and its transfer is stuck at the bank, unless told otherwise. */
async function openPaidScene(last: object = isStuck): Promise<Scene> {
  const behaviours = [{ match: { amount: '1004.25' }, ...last }];
  const scene = await openBankScene({ sandbox: { behaviours, statement: { emptyDays: true } } });
  const paid = await scene.run('run', await scene.addFile('p.csv', payouts), '--wait', '0');
  expect(paid.code).toBe(last === isStuck ? 4 : 3);
  return scene;
}

/** Reconciles a copy of the bank's file with lines changed by row (P1 is 0), as `paydrop reconcile --file` does. */
async function reconcileChanged(scene: Scene, date: string, changes: readonly Line[]) {
  const folder = join(scene.dataDir, 'statements');
  const fetched = await scene.run('reconcile', '--date', showDay(date));
  expect([0, 3]).toContain(fetched.code);
  const [name = ''] = (await readdir(folder)).filter((one) => one.endsWith('.original.csv'));
  const rows = parse<Line>(await readFile(join(folder, name)), { columns: true, bom: true });
  // Transfers that run at once stand in the file in any order.
  const amounts = rows.map((row) => row['AMOUNT'] ?? '').toSorted();
  const path = join(scene.dataDir, `changed_${date}.csv`);
  await writeFile(
    path,
    stringify(
      rows.map((row) => ({ ...row, ...changes[amounts.indexOf(row['AMOUNT'] ?? '')] })),
      { header: true },
    ),
  );
  const { code, stdout } = await scene.run('reconcile', '--file', path, '--force', '--json');
  const json = JSON.parse(stdout) as {
    readonly worstBreaks: readonly Line[];
    readonly statement: { readonly matched: { readonly count: number } };
    readonly isWhole: boolean;
  };
  const breaks = json.worstBreaks.map(({ kind, severity, payoutId }) => `${payoutId} ${kind} ${severity}`);
  const { isWhole, statement } = json;
  const reasons = json.worstBreaks.map(({ reason }) => reason);
  return { code, breaks, reasons, isWhole, matched: statement.matched.count };
}

async function statusOf(scene: Scene, payoutId: string): Promise<unknown> {
  const { stdout } = await scene.run('show', payoutId, '--json');
  const [shown] = JSON.parse(stdout) as { readonly status: string }[];
  return shown?.status;
}

test('a line that failed by its STATUS and succeeded by its REASON CODE leaves its payout in doubt: no retry pays it', async () => {
  await using scene = await openPaidScene();
  const date = dayOf(scene);
  passTo(scene, '09:00');
  const failed = { STATUS: '030003', 'REASON CODE': 'IC000', 'REASON DESC': '' };
  const done = await reconcileChanged(scene, date, [{}, {}, {}, failed]);
  expect([done.code, done.breaks]).toEqual([3, ['P4 status-contradiction critical']]);
  expect(await statusOf(scene, 'P4')).not.toBe('failed');
  const retried = await scene.run('retry', 'P4');
  expect(retried.code).not.toBe(0);
  const ledger = await scene.bank.ledger();
  expect([findPaidTwice(ledger), ledger.entries.length]).toEqual([[], 4]);
});

test('a line that contradicts itself puts in doubt what had failed here: no retry pays it', async () => {
  await using scene = await openPaidScene({ money: 'fails', code: 'EV055' });
  const date = dayOf(scene);
  expect(await statusOf(scene, 'P4')).toBe('failed');
  passTo(scene, '09:00');
  const done = await reconcileChanged(scene, date, [{}, {}, {}, { 'REASON CODE': 'IC000' }]);
  expect([done.code, done.breaks]).toEqual([3, ['P4 status-contradiction critical']]);
  expect(await statusOf(scene, 'P4')).toBe('unresolved');
  expect((await scene.run('retry', 'P4')).code).not.toBe(0);
  const ledger = await scene.bank.ledger();
  expect([findPaidTwice(ledger), ledger.entries.length]).toEqual([[], 4]);
});

test('a line that cannot be read is a break, and the others are reconciled', async () => {
  await using scene = await openPaidScene();
  const date = dayOf(scene);
  passTo(scene, '09:00');
  const buddhist = `${Number(date.slice(0, 4)) + 543}${date.slice(4)}`;
  const changes = [{ AMOUNT: '-1001.25' }, { 'EFFECTIVE DATE': buddhist }, {}, { AMOUNT: '' }];
  const done = await reconcileChanged(scene, date, changes);
  expect([done.code, done.matched, done.isWhole]).toEqual([3, 1, true]);
  expect(done.breaks.toSorted()).toEqual([
    'P1 line-unreadable high',
    'P2 line-unreadable high',
    expect.stringMatching(/^P4 (?:line-unreadable medium|pending-at-bank low)$/),
    expect.stringMatching(/^P4 (?:line-unreadable medium|pending-at-bank low)$/),
  ]);
  expect(done.reasons.join('\n')).toContain(
    `the date "${buddhist}" is of the Buddhist era: ${date} is meant`,
  );
  expect(await statusOf(scene, 'P1')).toBe('paid');
});

test('a line of which nothing can be read may be any payout’s: the day is not complete', async () => {
  await using scene = await openPaidScene();
  const date = dayOf(scene);
  passTo(scene, '09:00');
  const blank = { AMOUNT: 'x', 'TRANSREF NO': '', 'SYS REF NO': '' };
  const done = await reconcileChanged(scene, date, [blank]);
  expect([done.code, done.isWhole]).toEqual([3, false]);
  expect(done.breaks).toContain('P1 line-unreadable medium');
  expect(done.breaks.join()).not.toContain('missing');
});

test('numbers without their zeros are what they were', async () => {
  await using scene = await openPaidScene();
  const date = dayOf(scene);
  passTo(scene, '09:00');
  const strip = (proxyNo: string): Line => ({ 'PAYER ACCOUNT': '345924', 'PROXY NO': proxyNo });
  const done = await reconcileChanged(scene, date, [
    strip('810000001'),
    strip('810000002'),
    strip('995000000023'),
    { ...strip('81000000'), STATUS: '010004', 'REASON CODE': 'IC000' },
  ]);
  expect([done.matched, done.breaks]).toEqual([3, ['P4 line-unreadable medium']]);
  expect(done.reasons[0]).toMatch(/^line \d: PROXY NO: .*\(number-damaged\)$/);
  expect(await statusOf(scene, 'P4')).not.toBe('paid');
});
