/** A journal that is deleted, or replaced by an older copy, in the middle of a run: nobody is paid twice. */
import { copyFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { formatBangkokDate } from '../../src/core/bangkok-time.ts';
import type { Ledger } from '../../src/sandbox/book.ts';
import { TransferCount } from '../chaos/moments.ts';
import { faultyBehaviours, planGoodRows, planRows, writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import {
  findReports,
  type Line,
  openScene,
  readPresentResult,
  readTable,
  type Scene,
  until,
} from './harness.ts';

const rowCount = 60;
const sides = ['', '-wal', '-shm'];

/** A client that is slow enough to be killed midway, and a bank that is faulty, and answers for the right day alone. */
const openFaultyScene = (): Promise<Scene> =>
  openScene({
    sandbox: { latencyMs: 15, inquiryDate: 'transfer', behaviours: faultyBehaviours },
    transfer: { concurrency: 6 },
    settle: { notFoundTrustMs: 1_000, giveUpAfterMs: 5_000 },
  });

/** The day on which a scene begins. */
const firstDay = (): string => {
  const noon = new Date();
  noon.setUTCHours(5, 0, 0, 0);
  return formatBangkokDate(noon.getTime());
};

const journalIn = (scene: Scene): string => join(scene.dataDir, 'journal.db');

/** Every row is looked up on each day first, which a busy machine takes its time for. */

/** Pays until so many transfers have entered the bank, and is killed then. */
async function payUntil(
  scene: Scene,
  args: readonly string[],
  transfers: number,
  midway?: () => Promise<void>,
): Promise<void> {
  const count = new TransferCount(scene);
  const program = scene.start('run', '--json', ...args);
  if (midway !== undefined) {
    await until(() => count.read() >= transfers / 2);
    await midway();
  }
  await until(() => count.read() >= transfers);
  program.kill('SIGKILL');
  expect((await program.ended).signal).toBe('SIGKILL');
}

const movedIds = ({ entries }: Ledger): string[] =>
  entries.filter(({ movedAt }) => movedAt !== null).map(({ reference1 }) => reference1);

/** Everything that is not as it must be, in words. */
function judge(lines: readonly Line[], exceptions: readonly Line[], ledger: Ledger): string[] {
  const complaints: string[] = [];
  const moved = movedIds(ledger);
  for (const id of new Set(moved)) {
    const times = moved.filter((one) => one === id).length;
    if (times > 1) complaints.push(`${id} was paid ${times} times`);
  }
  if (lines.length !== rowCount) complaints.push(`the result has ${lines.length} rows`);
  const named = new Set(exceptions.map(({ rowNo }) => rowNo));
  for (const { rowNo, payoutId = '', status = '', reasonCode } of lines) {
    const isMoved = moved.includes(payoutId);
    const where = `${payoutId} (row ${rowNo}) is ${status} (${reasonCode})`;
    if (status === 'paid' && !isMoved) complaints.push(`${where} and never moved`);
    const mayBeMoved = ['paid', 'unresolved', 'submitted', 'rejected'].includes(status);
    if (isMoved && !mayBeMoved) complaints.push(`${where} and has moved`);
    if (status !== 'paid' && !named.has(rowNo)) complaints.push(`${where} and is no exception`);
  }
  return complaints;
}

async function readReports(scene: Scene) {
  const lines = await readPresentResult(scene.outbox);
  const [exceptionsPath = ''] = await findReports(scene.outbox, /^[^.].*\.exceptions\.csv$/);
  return { lines, exceptions: await readTable(exceptionsPath) };
}

/** The bank refuses a duplicate on the same day only (§4 rule 2): on the next one nothing but the search protects. */
const nightMs = 20 * 3_600_000;

async function expectRefusal(scene: Scene, file: string): Promise<Ledger> {
  scene.clocks.pass(nightMs);
  const before = await scene.bank.ledger();
  const refused = await scene.run('run', file, '--json');
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('paydrop run --journal-lost --since YYYY-MM-DD FILE..');
  expect((await scene.bank.ledger()).requests).toEqual(before.requests);
  return before;
}

async function runAndJudge(scene: Scene, args: readonly string[]) {
  const end = await scene.run('run', '--json', ...args);
  const ledger = await scene.bank.ledger();
  const { lines, exceptions } = await readReports(scene);
  expect(judge(lines, exceptions, ledger)).toEqual([]);
  expect(end).toEndWith(4);
  expect(end.stderr).toMatch(/"msg":"The journal was lost or restored: .* the bank is asked/);
  expect(JSON.parse(end.stdout)).toMatchObject({ addsUp: true, journalLoss: { until: expect.any(String) } });
  return { ledger, lines, exceptions };
}

/** Moves away what a message names, as it says. */
async function moveAway(message: string): Promise<number> {
  const [, first = '', others = ''] =
    /cannot publish (\S+): another file has this name already; move it away and run it again(?:; so it is with (.+))?$/m.exec(
      message,
    ) ?? [];
  const paths = [first, ...others.split(' and ')];
  for (const path of paths) await rename(path, `${path}.old`);
  return paths.length;
}

describe('a run whose journal is lost midway', () => {
  test('is refused, and with --journal-lost pays nobody twice', async () => {
    await using scene = await openFaultyScene();
    const file = await scene.addFile('payouts.csv', writeRows(planRows(rowCount, 'L', new Dice(4))));
    await payUntil(scene, [file], 30);
    await Promise.all(sides.map((side) => rm(`${journalIn(scene)}${side}`, { force: true })));
    const before = await expectRefusal(scene, file);
    // The recovery is killed as well; the journal remembers that it was lost.
    await payUntil(scene, [file, '--journal-lost', '--since', firstDay()], 35);
    const { ledger, exceptions } = await runAndJudge(scene, [file]);
    const found = exceptions.filter(({ reasonCode }) => reasonCode === 'found-after-loss');
    expect(found.length).toBeGreaterThan(22);
    expect(found.every(({ moneyMoved, status }) => status === 'unresolved' && moneyMoved === 'unknown')).toBe(
      true,
    );
    const foundIds = new Set(found.map(({ payoutId }) => payoutId));
    expect(movedIds(before).filter((id) => !foundIds.has(id))).toEqual([]);
    expect(ledger.totals.count).toBeGreaterThan(rowCount * 0.8);

    const again = await scene.run('run', file, '--json');
    expect(again).toEndWith(4);
    expect(again.stderr).toContain('The journal was lost or restored');
    expect((await scene.bank.ledger()).totals).toEqual(ledger.totals);
  });

  test('is refused with an older copy in its place, and with --journal-lost pays nobody twice', async () => {
    await using scene = await openFaultyScene();
    const file = await scene.addFile('payouts.csv', writeRows(planRows(rowCount, 'R', new Dice(5))));
    const copyPath = join(scene.folder, 'older.db');
    await payUntil(scene, [file], 40, async () => {
      using reader = new DatabaseSync(journalIn(scene), { readOnly: true });
      await backup(reader, copyPath);
    });
    await Promise.all(sides.map((side) => rm(`${journalIn(scene)}${side}`, { force: true })));
    await copyFile(copyPath, journalIn(scene));
    await expectRefusal(scene, file);
    const { lines } = await runAndJudge(scene, [file, '--journal-lost', '--since', firstDay()]);
    const paid = lines.filter(({ status }) => status === 'paid').length;
    const found = lines.filter(({ reasonCode }) => reasonCode === 'found-after-loss').length;
    expect({ paidByBoth: paid > 25, found: found > 12 }).toEqual({ paidByBoth: true, found: true });
  });
});

describe('a journal that is lost when all was paid and reported', () => {
  test('keeps the old reports: they are found before the bank is asked, moved away by a person, and nobody is paid twice', async () => {
    await using scene = await openScene({ settle: { notFoundTrustMs: 500 } });
    const rows = planGoodRows(6, 'D', new Dice(6));
    const file = await scene.addFile('payouts.csv', writeRows(rows));
    expect(await scene.run('run', file)).toEndWith(0);
    const { totals, requests } = await scene.bank.ledger();
    await Promise.all(sides.map((side) => rm(`${journalIn(scene)}${side}`, { force: true })));
    const end = await scene.run('run', file, '--journal-lost', '--since', firstDay());
    expect(end).toEndWith(1);
    expect(await moveAway(end.stderr)).toBe(3);
    expect((await scene.bank.ledger()).requests).toEqual(requests);
    expect(await scene.run('run', file)).toEndWith(4);
    const { lines } = await readReports(scene);
    expect(lines.map(({ status, reasonCode }) => `${status} ${reasonCode}`)).toEqual(
      rows.map(() => 'unresolved found-after-loss'),
    );
    expect((await scene.bank.ledger()).totals).toEqual(totals);
  });

  test('and was restored from a copy that knows the file finds the reports before the bank is asked', async () => {
    await using scene = await openFaultyScene();
    const file = await scene.addFile('payouts.csv', writeRows(planRows(rowCount, 'B', new Dice(7))));
    const copyPath = join(scene.folder, 'backup.db');
    await payUntil(scene, [file], 20);
    expect(await scene.run('backup', copyPath)).toEndWith(0);
    await scene.run('run', file, '--wait', '5');
    await Promise.all(sides.map((side) => rm(`${journalIn(scene)}${side}`, { force: true })));
    expect(await scene.run('restore', copyPath, '--since', firstDay())).toEndWith(0);
    const { requests } = await scene.bank.ledger();
    const refused = await scene.run('run', file);
    expect([1, 4]).toContain(refused.code);
    expect(await moveAway(refused.stderr)).toBe(3);
    expect((await scene.bank.ledger()).requests).toEqual(requests);
    await runAndJudge(scene, [file]);
  });
});
