/** The bank dies, was never there, a second run comes, a signal comes: nothing is lost, and the same command goes on. */
import { describe, expect, test } from 'vitest';
import { isSending, TransferCount } from '../chaos/moments.ts';
import { planGoodRows, type PlannedRow, writeRows } from '../chaos/plan.ts';
import { findBrokenPromises, gatherEvidence } from '../chaos/verdict.ts';
import { Dice } from '../support/dice.ts';
import { openScene, type Program, type ProgramEnd, readPresentResult, type Scene, until } from './harness.ts';

const dice = new Dice(7);

async function startRun(scene: Scene, file: string, ...more: string[]): Promise<Program> {
  const program = scene.start('run', file, '--json', ...more);
  await until(() => isSending(scene, program));
  return program;
}

/** What `status --json` says of the only batch. */
async function readStatus(scene: Scene): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await scene.run('status', '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const [batch] = JSON.parse(stdout) as Record<string, unknown>[];
  if (batch === undefined) throw new Error('status shows no batch');
  return batch;
}

async function countByStatus(scene: Scene): Promise<Record<string, number>> {
  const { byStatus } = (await readStatus(scene)) as { byStatus: Record<string, { rows: number }> };
  return Object.fromEntries(Object.entries(byStatus).map(([status, { rows }]) => [status, rows]));
}

/** Everything is paid once, by the ledger, when the same command has gone on to its end. */
async function expectAllPaid(scene: Scene, planned: readonly PlannedRow[], end: ProgramEnd): Promise<void> {
  expect(end).toEndWith(0);
  expect(findBrokenPromises(await gatherEvidence(scene, planned, end.code))).toEqual([]);
  expect((await scene.bank.ledger()).totals.count).toBe(planned.length);
}

const defaultBrake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };

describe('a bank out of reach', () => {
  test('that dies midway ends the run with exit 6; the same command goes on when it is back', async () => {
    // More under way than the brake allows to fail in a row: the line must wait for the bank, not for a person.
    const settings = { sandbox: { latencyMs: 40 }, transfer: { concurrency: 16 }, brake: defaultBrake };
    await using scene = await openScene(settings);
    const planned = planGoodRows(100, 'D', dice);
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const count = new TransferCount(scene);
    const run = await startRun(scene, file, '--wait', '1');
    await until(() => count.read() >= 60);
    await scene.bank.kill();
    const first = await run.ended;
    expect(first).toMatchObject({ code: 6, signal: null });
    expect(JSON.parse(first.stdout)).toMatchObject({ status: 'paused', addsUp: true, exitCode: 6 });
    const lines = await readPresentResult(scene.outbox);
    expect(lines.map(({ payoutId }) => payoutId)).toEqual(planned.map(({ payoutId }) => payoutId));
    const claimed = lines.filter(({ status }) => status === 'paid').map(({ payoutId }) => payoutId);
    // Sixty had entered the bank, sixteen at most without an answer.
    expect(claimed.length).toBeGreaterThan(40);
    await scene.bank.reopen();
    const { entries } = await scene.bank.ledger();
    expect(entries.map(({ reference1 }) => reference1)).toEqual(expect.arrayContaining(claimed));
    await expectAllPaid(scene, planned, await scene.run('run', file, '--json'));
  });

  test('that was never there ends the run with exit 6, and nothing is lost', async () => {
    await using scene = await openScene();
    const planned = planGoodRows(40, 'N', dice);
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    // Nobody says that it is a sandbox: no other command makes a journal for it.
    expect(await scene.run('init')).toEndWith(0);
    await scene.bank.kill();
    const first = await scene.run('run', file, '--json', '--wait', '1');
    expect(first).toEndWith(6);
    expect(JSON.parse(first.stdout)).toMatchObject({
      status: 'paused',
      reasonCode: 'not-sent',
      addsUp: true,
    });
    expect(await countByStatus(scene)).toEqual({ held: planned.length });
    await scene.bank.reopen();
    await expectAllPaid(scene, planned, await scene.run('run', file, '--json'));
  });
});

describe('a run under way', () => {
  test('keeps a second one out, lets people work beside it, and ends cleanly on SIGTERM', async () => {
    await using scene = await openScene({ sandbox: { latencyMs: 400 }, bank: { timeoutMs: 10_000 } });
    // More than are sent while six programs start on a busy machine.
    const planned = planGoodRows(160, 'B', dice);
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const count = new TransferCount(scene);
    const run = await startRun(scene, file);
    await until(() => count.read() >= 3);
    const [second, settle, batch] = await Promise.all([
      scene.run('run', file),
      scene.run('settle'),
      readStatus(scene),
    ]);
    const named = `"paydrop run" \\(process ${run.pid},.*`;
    const holder = new RegExp(`${named}holds the right to send`);
    expect(second).toMatchObject({ code: 6, stdout: '' });
    expect(second.stderr).toMatch(holder);
    // It has the run ask; what is under way is not in doubt.
    expect(settle).toMatchObject({ code: 0, stderr: '' });
    expect(settle.stdout).toMatch(new RegExp(`${named}is the process that sends: it asked the bank`));
    expect(batch).toMatchObject({ status: 'running', rows: planned.length });
    const [late, later] = planned.toReversed().map(({ payoutId }) => payoutId);
    const [shown, cancelled, resumed] = await Promise.all([
      scene.run('show', String(later)),
      scene.run('cancel', String(late), '--json'),
      scene.run('resume', String(later)),
    ]);
    expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('ready') as string });
    expect(cancelled).toEndWith(0);
    expect(JSON.parse(cancelled.stdout)).toMatchObject({ rowsChanged: 1 });
    expect(resumed).toMatchObject({ code: 2, stdout: expect.stringContaining('not held') as string });
    run.kill('SIGTERM');
    await expectInterrupted(scene, await run.ended);
    await scene.bank.kill();
    await scene.bank.reopen(0);
    const last = await scene.run('run', file, '--json');
    const ends = planned.map((row) =>
      row.payoutId === late ? { ...row, endsAs: 'cancelled' as const } : row,
    );
    expect(last).toEndWith(3);
    expect(findBrokenPromises(await gatherEvidence(scene, ends, last.code))).toEqual([]);
    expect((await scene.bank.ledger()).totals.count).toBe(planned.length - 1);
  });
});

/** What was in flight is recorded, nothing is in doubt, and the user reads how to go on. */
async function expectInterrupted(scene: Scene, end: ProgramEnd): Promise<void> {
  expect(end).toMatchObject({ code: 6, signal: null });
  expect(end.stderr).toMatch(/what is in flight is finished and recorded/);
  expect(JSON.parse(end.stdout)).toMatchObject({ status: 'interrupted', exitCode: 6 });
  const batch = await readStatus(scene);
  expect(batch).toMatchObject({ status: 'paused', reasonCode: 'interrupted' });
  expect(String(batch['remedy'])).toMatch(/Run the same file again/);
  const rows = await countByStatus(scene);
  expect(rows['submitted']).toBeUndefined();
  expect(rows['paid']).toBe((await scene.bank.ledger()).totals.count);
}
