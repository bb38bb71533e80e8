/** Bad days, seen from the shell: no funds, a closed service, too many requests, a bank that is dead or hangs. */
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import { isSending, TransferCount } from '../chaos/moments.ts';
import { planGoodRows, type PlannedRow, writeRows } from '../chaos/plan.ts';
import { findBrokenPromises, gatherEvidence } from '../chaos/verdict.ts';
import { Dice } from '../support/dice.ts';
import {
  findReports,
  openScene,
  type Program,
  type ProgramEnd,
  readPresentResult,
  readTable,
  type Scene,
  until,
} from './harness.ts';

const seed = 11;
const concurrency = 4;
const controlled = { control: true, latencyMs: 10 };

/** Brakes as they come with paydrop. */
const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };

interface Outcome {
  readonly batchId: string;
  readonly status: string;
  readonly exitCode: number;
  readonly reasonCode: string | null;
}

const outcomeOf = ({ stdout }: ProgramEnd): Outcome => JSON.parse(stdout) as Outcome;

/** Every row is paid once, by the ledger, and the last run says so. */
async function expectAllPaid(scene: Scene, planned: readonly PlannedRow[], end: ProgramEnd): Promise<void> {
  expect(end).toEndWith(0);
  const evidence = await gatherEvidence(scene, planned, end.code);
  expect(findBrokenPromises(evidence)).toEqual([]);
  expect(evidence.ledger.totals.count).toBe(planned.length);
}

async function startRun(scene: Scene, file: string, ...more: string[]): Promise<Program> {
  const program = scene.start('run', file, '--json', ...more);
  await until(() => isSending(scene, program));
  return program;
}

async function countTransferRequests({ bank }: Scene): Promise<number> {
  return (await bank.ledger()).requests.transfer;
}

describe.concurrent('a payer account that is empty at row 3', () => {
  test('costs no more refusals than there are transfers at once; filled, the rest is paid', async () => {
    const rows = 80;
    const sandbox = { control: true, payerBalanceBaht: '200.00' };
    await using scene = await openScene({
      sandbox,
      brake,
      transfer: { concurrency },
      verify: { enabled: false },
      // No reply is lost, however busy the machine is.
      bank: { timeoutMs: 10_000 },
    });
    const amountSatang = toSatang(10_000n);
    const planned = planGoodRows(Math.ceil(rows * 1.05), 'E', new Dice(seed))
      .slice(0, rows)
      .map((row) => ({ ...row, amountSatang }));
    expect(planned).toHaveLength(rows);
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const first = await scene.run('run', file, '--json');
    expect(first).toEndWith(6);
    const { batchId, ...outcome } = outcomeOf(first);
    expect(outcome).toMatchObject({ status: 'halted', reasonCode: 'EM053', exitCode: 6 });
    const before = await scene.bank.ledger();
    expect(before.totals.count).toBe(2);
    expect(before.requests.transfer).toBeLessThanOrEqual(2 + concurrency);
    await expectHeldRowsSayWhy(scene, planned.length - 2);
    const again = await scene.run('run', file, '--json');
    expect(again).toEndWith(6);
    expect(await countTransferRequests(scene)).toBe(before.requests.transfer);
    await scene.bank.control({ payerBalanceBaht: '' });
    expect(await scene.run('resume', batchId, '--json')).toEndWith(0);
    await expectAllPaid(scene, planned, await scene.run('run', file, '--json'));
  });
});

async function expectHeldRowsSayWhy(scene: Scene, heldRows: number): Promise<void> {
  const held = (await readPresentResult(scene.outbox)).filter(({ status }) => status === 'held');
  expect(held).toHaveLength(heldRows);
  expect(new Set(held.map(({ reasonCode }) => reasonCode))).toEqual(new Set(['EM053']));
  const [path = ''] = await findReports(scene.outbox, /\.exceptions\.csv$/);
  const exceptions = await readTable(path);
  expect(exceptions).toHaveLength(heldRows);
  for (const { moneyMoved, reason = '', remedy = '' } of exceptions) {
    expect(moneyMoved).toBe('no');
    expect(reason).not.toBe('');
    expect(remedy).toMatch(/fund|account|balance/i);
  }
}

describe.concurrent('a service that closes', () => {
  test('pauses the run, which goes on by itself when it opens', async () => {
    await using scene = await openScene({ sandbox: controlled, brake, transfer: { concurrency } });
    const planned = planGoodRows(90, 'S', new Dice(seed));
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const count = new TransferCount(scene);
    const run = await startRun(scene, file);
    await until(() => count.read() >= 50);
    await scene.bank.control({ serviceOpen: false });
    const before = await countTransferRequests(scene);
    await wait(closedMs);
    const refused = (await countTransferRequests(scene)) - before;
    expect(refused).toBeGreaterThan(0);
    expect(refused).toBeLessThanOrEqual(concurrency * 2);
    await scene.bank.control({ serviceOpen: true });
    await expectAllPaid(scene, planned, await run.ended);
  });
});

const closedMs = 2_500;
const wait = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

const retryAfterSeconds = 6;
/** What was under way has been answered by then. */
const answeredWithinMs = 1_500;
const tooManyRequests = {
  match: {},
  money: 'untouched',
  reply: 'http',
  httpStatus: 429,
  retryAfterSeconds,
} as const;

describe.concurrent('429 with Retry-After', () => {
  test('is waited out: only a probe asks each time, and the run goes on by itself', async () => {
    await using scene = await openScene({ sandbox: controlled, brake, transfer: { concurrency } });
    const planned = planGoodRows(90, 'R', new Dice(seed));
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const count = new TransferCount(scene);
    const run = await startRun(scene, file);
    await until(() => count.read() >= 50);
    await scene.bank.control({ behaviours: [tooManyRequests] });
    const before = await countTransferRequests(scene);
    await until(async () => (await countTransferRequests(scene)) > before);
    await wait(answeredWithinMs);
    const refusedAtOnce = (await countTransferRequests(scene)) - before;
    expect(refusedAtOnce).toBeLessThanOrEqual(concurrency);
    // A busy machine is late: well before the moment.
    await wait(retryAfterSeconds * 500 - answeredWithinMs);
    expect((await countTransferRequests(scene)) - before).toBe(refusedAtOnce);
    // The run has not ended: it asks again by itself.
    await until(async () => (await countTransferRequests(scene)) - before > refusedAtOnce);
    await scene.bank.control({ behaviours: [] });
    await expectAllPaid(scene, planned, await run.ended);
  });
});

describe.concurrent('a bank that takes connections and never answers', () => {
  test.each([true, false])(
    'ends the run with exit 6 when the wait is over, and nothing is lost (payee checks: %s)',
    async (enabled) => {
      // Long for a busy machine: without a reply before the bank stands still the run would end early.
      const settings = { brake, verify: { enabled }, transfer: { concurrency }, bank: { timeoutMs: 5_000 } };
      await using scene = await openScene({ sandbox: controlled, ...settings });
      const planned = planGoodRows(80, 'H', new Dice(seed));
      const file = await scene.addFile('payouts.csv', writeRows(planned));
      const count = new TransferCount(scene);
      const run = await startRun(scene, file, '--wait', '2');
      await until(() => count.read() >= 40);
      scene.bank.signal('SIGSTOP');
      const first = await run.ended;
      expect(first).toMatchObject({ code: 6, signal: null });
      const lines = await readPresentResult(scene.outbox);
      expect(lines.map(({ payoutId }) => payoutId)).toEqual(planned.map(({ payoutId }) => payoutId));
      const byStatus = Map.groupBy(lines, ({ status = '' }) => status);
      expect(byStatus.get('paid')?.length).toBeGreaterThan(30);
      expect([...byStatus.keys()].toSorted()).toEqual(['held', 'paid', 'submitted']);
      scene.bank.signal('SIGCONT');
      const { batchId, status } = outcomeOf(first);
      if (status === 'halted') await scene.run('resume', batchId);
      await expectAllPaid(scene, planned, await scene.run('run', file, '--json'));
    },
  );
});
