/**
 * A payout that the bank refuses before it pays it, and a journal that is lost then. The bank keeps no trace of what it
 * has refused; its ledger is the only judge. A day goes by before the loss, since on one day the bank refuses a reference
 * that it has paid.
 */
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BehaviourInput } from '../../src/sandbox/table.ts';
import { dayOf, findPaidTwice, openBankScene, passTo, showDay } from './as-bank.ts';
import { findReports, type Scene } from './harness.ts';

interface Refusal {
  readonly name: string;
  readonly behaviour: Pick<BehaviourInput, 'code' | 'reply' | 'httpStatus'>;
  /** A person resumes the payer account. */
  readonly halts: boolean;
  /** How a run may end: a refusal without our requestUID leaves the row in doubt until "not found" can be trusted. */
  readonly ends: readonly number[];
}

const refusals: readonly Refusal[] = [
  { name: 'TM001', behaviour: { code: 'TM001' }, halts: false, ends: [6] },
  { name: 'HTTP 403', behaviour: { reply: 'http', httpStatus: 403 }, halts: true, ends: [4, 6] },
  { name: 'EM053', behaviour: { code: 'EM053' }, halts: true, ends: [6] },
];

/** Longer than any pause of a service that is left alone, and than a not-found has to age. */
const laterMs = 10 * 60_000;

const csv = 'payoutId,proxyType,proxyNo,amount,reference1\nR-1,MSISDN,0811111111,1250.00,R-1\n';

/** Opens a bank that refuses the first so many transfers, and then pays. */
function openRefusingScene({ behaviour }: Refusal, times: number): Promise<Scene> {
  return openBankScene({
    sandbox: { behaviours: [{ match: {}, money: 'untouched', times, ...behaviour }] },
    verify: { enabled: false },
    settle: { firstDelayMs: 100, maxDelayMs: 200, notFoundTrustMs: 1_000, giveUpAfterMs: 86_400_000 },
    // No reply is lost, however busy the machine is.
    bank: { timeoutMs: 30_000 },
  });
}

/** Runs the file again and again, until the bank has paid it. @returns the file */
async function payAfter(scene: Scene, { halts, ends }: Refusal, times: number): Promise<string> {
  const file = await scene.addFile('payouts.csv', csv);
  for (;;) {
    const end = await scene.run('run', file, '--json', '--wait', '1');
    const { requests, totals } = await scene.bank.ledger();
    if (totals.count > 0) {
      expect(end).toEndWith(0);
      expect(requests.transfer).toBe(times + 1);
      return file;
    }
    expect(ends).toContain(end.code);
    const { batchId } = JSON.parse(end.stdout) as { batchId: string };
    scene.clocks.pass(laterMs);
    if (halts) expect(await scene.run('resume', batchId)).toEndWith(0);
  }
}

async function expectPaidOnce(scene: Scene): Promise<void> {
  const ledger = await scene.bank.ledger();
  expect(findPaidTwice(ledger)).toEqual([]);
  expect(ledger.totals.count).toBe(1);
}

test.each(refusals)('six times $name, paid, and the journal lost: paid once', async (refusal) => {
  await using scene = await openRefusingScene(refusal, 6);
  const since = showDay(dayOf(scene));
  const file = await payAfter(scene, refusal, 6);
  for (const side of ['', '-wal', '-shm'])
    await rm(join(scene.dataDir, `journal.db${side}`), { force: true });
  for (const path of await findReports(scene.outbox, /^[^.]/)) await rename(path, `${path}.old`);
  passTo(scene, '11:00');
  const end = await scene.run('run', file, '--json', '--journal-lost', '--since', since);
  await expectPaidOnce(scene);
  expect(end).toEndWith(4);
});

test.each(refusals)('$name once, paid, and the volume gone: paid once', async (refusal) => {
  await using scene = await openRefusingScene(refusal, 1);
  const file = await payAfter(scene, refusal, 1);
  await rm(scene.dataDir, { recursive: true });
  passTo(scene, '11:00');
  expect(await scene.run('init')).toEndWith(0);
  const end = await scene.run('run', file, '--json');
  await expectPaidOnce(scene);
  expect(end).toEndWith(4);
});

describe('a backup from before a refused row was paid with another amount', () => {
  const rowOf = (amount: string): string => csv.replace('1250.00', amount);

  /** Refused over 10.11, backed up, paid over 22.22 under the same reference, and put back. */
  async function payOtherThanBackup(): Promise<{ readonly scene: Scene; readonly file: string }> {
    const scene = await openBankScene({
      sandbox: { behaviours: [{ match: {}, money: 'untouched', times: 1, code: 'EV042' }] },
      verify: { enabled: false },
      settle: { firstDelayMs: 100, maxDelayMs: 200, notFoundTrustMs: 1_000, giveUpAfterMs: 86_400_000 },
    });
    const file = await scene.addFile('first.csv', rowOf('10.11'));
    expect(await scene.run('run', file)).toEndWith(3);
    const backup = join(scene.folder, 'backup.db');
    expect(await scene.run('backup', backup)).toEndWith(0);
    scene.clocks.pass(laterMs);
    expect(await scene.run('run', await scene.addFile('second.csv', rowOf('22.22')))).toEndWith(0);
    for (const side of ['', '-wal', '-shm'])
      await rm(join(scene.dataDir, `journal.db${side}`), { force: true });
    scene.clocks.pass(laterMs);
    expect(await scene.run('restore', backup, '--since', showDay(dayOf(scene)))).toEndWith(0);
    return { scene, file };
  }

  test('is not called paid by an inquiry once the row is to go again', async () => {
    const { scene: opened, file } = await payOtherThanBackup();
    await using scene = opened;
    expect(await scene.run('retry', 'R-1')).toEndWith(0);
    expect(await scene.run('run', file)).toEndWith(4);
    const shown = await scene.run('show', 'R-1', '--json');
    expect(JSON.parse(shown.stdout)).toMatchObject([
      { status: 'unresolved', reasonCode: 'found-after-loss' },
    ]);
    const { entries } = await scene.bank.ledger();
    expect(entries.map(({ amount }) => amount)).toEqual(['22.22']);
  });
});
