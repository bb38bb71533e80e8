/**
 * Journals that were put back or adopted, while the lost part, or the original, has gone on. The bank's ledger is the only
 * judge of what was paid.
 */
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { BehaviourInput } from '../../src/sandbox/table.ts';
import { dayOf, findPaidTwice, openBankScene, passTo, showDay } from './as-bank.ts';
import { findReports, type Scene, type SceneSettings } from './harness.ts';

const laterMs = 10 * 60_000;
const header = 'payoutId,proxyType,proxyNo,amount,reference1\n';
const rowOf = (number: number): string => `R-${number},MSISDN,081111111${number},1${number}.00,R-${number}\n`;
const fileOf = (rows: number): string =>
  header + Array.from({ length: rows }, (_, index) => rowOf(index + 1)).join('');

type Behaviour = Omit<BehaviourInput, 'match'>;

/** A bank that begins with these answers to transfers, one each. */
const openScene = (answers: readonly Behaviour[], changes: SceneSettings = {}): Promise<Scene> =>
  openBankScene({
    verify: { enabled: false },
    transfer: { concurrency: 1 },
    ...changes,
    settle: { firstDelayMs: 100, maxDelayMs: 200, notFoundTrustMs: 600, giveUpAfterMs: 86_400_000 },
    sandbox: {
      behaviours: answers.map((answer) => ({ match: {}, times: 1, ...answer })),
      ...changes.sandbox,
    },
  });

const backupOf = ({ folder }: Scene): string => join(folder, 'backup.db');

/** The journal is lost with its reports, and the backup put back. */
async function restore(scene: Scene): Promise<void> {
  for (const side of ['', '-wal', '-shm'])
    await rm(join(scene.dataDir, `journal.db${side}`), { force: true });
  for (const path of await findReports(scene.outbox, /^[^.]/)) await rename(path, `${path}.old`);
  scene.clocks.pass(laterMs);
  expect(await scene.run('restore', backupOf(scene), '--since', showDay(dayOf(scene)))).toEndWith(0);
}

const copyOf = ({ dataDir }: Scene): string => `${dataDir}-copy`;
const copy = (scene: Scene): Promise<void> => cp(scene.dataDir, copyOf(scene), { recursive: true });

/** The copy takes the place of its original. */
async function adopt(scene: Scene): Promise<void> {
  await rm(scene.dataDir, { recursive: true });
  await rename(copyOf(scene), scene.dataDir);
  scene.clocks.pass(laterMs);
  expect(await scene.run('adopt')).toEndWith(0);
}

async function statusOf(scene: Scene, payoutId: string): Promise<string> {
  const [row] = JSON.parse((await scene.run('show', payoutId, '--json')).stdout) as { status: string }[];
  return row?.status ?? '';
}

async function expectPaid(scene: Scene, count: number): Promise<void> {
  const ledger = await scene.bank.ledger();
  expect(findPaidTwice(ledger)).toEqual([]);
  expect(ledger.totals.count).toBe(count);
}

describe('a backup that was put back', () => {
  test('asks with today’s date, too, on a later day: a bank may find by nothing else', async () => {
    await using scene = await openScene([], { sandbox: { inquiryDate: 'today' } });
    const file = await scene.addFile('payouts.csv', fileOf(1));
    expect(await scene.run('backup', backupOf(scene))).toEndWith(0);
    expect(await scene.run('run', file)).toEndWith(0);
    await restore(scene);
    passTo(scene, '09:00');
    expect(await scene.run('run', file, '--wait', '1')).toEndWith(4);
    await expectPaid(scene, 1);
  });

  test('leaves what the lost part called failed to a person, after a refusal of the same day', async () => {
    const fails = { money: 'fails', code: 'EM003' } as const;
    await using scene = await openScene([{ money: 'untouched', code: 'TM001' }, fails]);
    const file = await scene.addFile('payouts.csv', fileOf(1));
    expect(await scene.run('run', file, '--wait', '0')).toEndWith(6);
    expect(await scene.run('backup', backupOf(scene))).toEndWith(0);
    scene.clocks.pass(laterMs);
    expect(await scene.run('run', file, '--wait', '1')).toEndWith(3);
    await restore(scene);
    expect(await scene.run('run', file, '--wait', '1')).toEndWith(3);
    expect(await statusOf(scene, 'R-1')).toBe('failed');
    await expectPaid(scene, 0);
  });

  test.each(['one row', 'the batch'])('asks about rows without a send before it cancels %s', async (what) => {
    await using scene = await openScene([{ money: 'untouched', code: 'EM053' }]);
    const file = await scene.addFile('payouts.csv', fileOf(3));
    const halted = await scene.run('run', file, '--json', '--wait', '1');
    expect(halted).toEndWith(6);
    const { batchId } = JSON.parse(halted.stdout) as { batchId: string };
    expect(await scene.run('backup', backupOf(scene))).toEndWith(0);
    scene.clocks.pass(laterMs);
    expect(await scene.run('resume', batchId)).toEndWith(0);
    expect(await scene.run('run', file, '--wait', '1')).toEndWith(0);
    await restore(scene);
    const cancelled = await scene.run('cancel', what === 'one row' ? 'R-3' : batchId);
    expect(cancelled.stdout + cancelled.stderr).toContain('may have been sent by a lost part of the journal');
    expect(await statusOf(scene, 'R-3')).toBe('unresolved');
    await expectPaid(scene, 3);
  });
});

describe('a copy that was adopted', () => {
  test('looks beyond a failed transfer before it calls the row failed', async () => {
    const failsLater = { money: 'fails-later', afterMs: 3_000, code: 'EM066', failCode: 'EM003' } as const;
    await using scene = await openScene([failsLater]);
    const file = await scene.addFile('payouts.csv', fileOf(1));
    expect(await scene.run('run', file, '--wait', '0')).toEndWith(4);
    await copy(scene);
    scene.clocks.pass(laterMs);
    expect(await scene.run('run', file, '--wait', '4')).toEndWith(3);
    expect(await scene.run('retry', 'R-1')).toEndWith(0);
    expect(await scene.run('run', file, '--wait', '1')).toEndWith(0);
    await adopt(scene);
    expect(await scene.run('run', file, '--wait', '3')).toEndWith(4);
    expect(await statusOf(scene, 'R-1')).toBe('unresolved');
    await expectPaid(scene, 1);
  });
});
