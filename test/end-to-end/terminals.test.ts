/** A terminal that was changed, and a journal that is lost: a bank that keeps transfers by terminal is asked under each. */
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { dayMs, formatBangkokDate } from '../../src/core/bangkok-time.ts';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import { dayOf, openBankScene, showDay } from './as-bank.ts';
import { findReports, openScene, readPresentResult, type Scene } from './harness.ts';

const rowCount = 3;
/** The bank refuses a duplicate on the same day and terminal only (§4 rule 2). */
const nightMs = 20 * 3_600_000;
const yesterday = formatBangkokDate(Date.now() - dayMs);
const since = ['--since', yesterday] as const;
const lost = ['--journal-lost', ...since] as const;
const foundRows = Array.from({ length: rowCount }, () => 'unresolved found-after-loss');

interface Paid {
  readonly scene: Scene;
  readonly file: string;
}

/** A scene with a bank in which a file was paid from TERM0001, the day before. */
async function payYesterday(seed: number): Promise<Paid> {
  const scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
  const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'M', new Dice(seed))));
  expect(await scene.run('init')).toEndWith(0);
  expect(await scene.run('run', file)).toEndWith(0);
  scene.clocks.pass(nightMs);
  return { scene, file };
}

async function changeTerminal({ configPath }: Scene, termId: string): Promise<void> {
  const text = await readFile(configPath, 'utf8');
  await writeFile(configPath, text.replace(/termId: .*/, `termId: ${termId}`));
}

async function loseJournal({ dataDir, outbox }: Scene): Promise<void> {
  for (const side of ['', '-wal', '-shm']) await rm(join(dataDir, `journal.db${side}`), { force: true });
  for (const path of await findReports(outbox, /^[^.]/)) await rename(path, `${path}.old`);
}

/** All that paydrop knows is gone. */
async function loseAll({ dataDir }: Scene): Promise<void> {
  await rm(dataDir, { recursive: true });
  await mkdir(dataDir);
}

/** What was asked of the bank, but for what kind of server it is. */
async function countQuestions({ bank }: Scene): Promise<object> {
  const { other: _, ...requests } = (await bank.ledger()).requests;
  return requests;
}

/** The bank's own count: nobody is paid twice, and each row waits for a person who sees it. */
async function expectPaidOnce(scene: Scene): Promise<void> {
  expect((await scene.bank.ledger()).totals.count).toBe(rowCount);
  const lines = await readPresentResult(scene.outbox);
  expect(lines.map(({ status, reasonCode }) => `${status} ${reasonCode}`)).toEqual(foundRows);
}

const wait = ['--wait', '1'] as const;
/** A wait long enough for an event within it, however busy the machine is. */
const patiently = ['--wait', '10'] as const;

describe('a journal that is lost, with another terminal in the settings since', () => {
  test('asks under those that its mark names', async () => {
    const { scene: opened, file } = await payYesterday(1);
    await using scene = opened;
    await loseJournal(scene);
    await changeTerminal(scene, 'TERM0002');
    const end = await scene.run('run', file, ...lost, ...wait);
    expect(end).toEndWith(4);
    expect(end.stderr).toContain('It is asked under the terminals TERM0001, TERM0002.');
    await expectPaidOnce(scene);
  });

  test('asks under each that it was bound to, when it is lost again', async () => {
    const { scene: opened, file } = await payYesterday(2);
    await using scene = opened;
    for (const termId of ['TERM0002', 'TERM0003']) {
      await changeTerminal(scene, termId);
      expect(await scene.run('run', file)).toEndWith(2);
      expect(await scene.run('adopt')).toEndWith(0);
    }
    await loseJournal(scene);
    await changeTerminal(scene, 'TERM0004');
    expect(await scene.run('run', file, ...lost, ...wait)).toEndWith(4);
    await expectPaidOnce(scene);
    await loseJournal(scene);
    await changeTerminal(scene, 'TERM0005');
    expect(await scene.run('run', file, ...lost, ...wait)).toEndWith(4);
    await expectPaidOnce(scene);
  });

  test.each<[string, (scene: Scene) => Promise<void>]>([
    ['with its mark', loseAll],
    [
      'beside a mark that cannot be read',
      async (scene) => {
        await loseJournal(scene);
        await writeFile(join(scene.dataDir, 'journal.mark'), '{');
      },
    ],
    [
      'beside a mark of an earlier version, which names no terminal',
      async (scene) => {
        await loseJournal(scene);
        const path = join(scene.dataDir, 'journal.mark');
        const { terminals: _, ...mark } = JSON.parse(await readFile(path, 'utf8'));
        await writeFile(path, JSON.stringify(mark));
      },
    ],
  ])('is refused %s, until a person names them', async (_name, lose) => {
    const { scene: opened, file } = await payYesterday(3);
    await using scene = opened;
    await lose(scene);
    await changeTerminal(scene, 'TERM0002');
    const before = await countQuestions(scene);
    for (const tries of [1, 2]) {
      const refused = await scene.run('run', file, ...lost);
      expect([tries, refused]).toMatchObject([tries, { code: 2, stdout: '' }]);
      expect(refused.stderr).toContain(
        'give the same command with --sent-from TERMINAL, once for each of them',
      );
      // Nothing has begun that would go on without a question.
      expect(await scene.run('run', file)).toEndWith(2);
    }
    expect(await countQuestions(scene)).toEqual(before);
    expect(await scene.run('run', file, ...lost, '--sent-from', 'TERM0001', ...wait)).toEndWith(4);
    await expectPaidOnce(scene);
  });
});

test('a journal that is lost with its mark is refused with the terminal of the settings, too: it may be a new one', async () => {
  const { scene: opened, file } = await payYesterday(4);
  await using scene = opened;
  await loseAll(scene);
  const refused = await scene.run('run', file, ...lost);
  expect(refused).toEndWith(2);
  const [, cure = ''] = /\("(--sent-from TERM\d+)" if it has had no other/.exec(refused.stderr) ?? [];
  expect(await scene.run('run', file, ...lost, ...cure.split(' '), ...wait)).toEndWith(4);
  await expectPaidOnce(scene);
});

describe('a backup from before the terminal was changed', () => {
  /** The backup is older than all that was paid. */
  async function payAfterBackup(seed: number): Promise<Paid & { readonly restore: readonly string[] }> {
    const scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
    const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'B', new Dice(seed))));
    const backup = join(scene.folder, 'backup.db');
    expect(await scene.run('init')).toEndWith(0);
    expect(await scene.run('backup', backup)).toEndWith(0);
    await changeTerminal(scene, 'TERM0002');
    expect(await scene.run('adopt')).toEndWith(0);
    expect(await scene.run('run', file)).toEndWith(0);
    scene.clocks.pass(nightMs);
    await changeTerminal(scene, 'TERM0003');
    return { scene, file, restore: ['restore', backup, ...since] };
  }

  test('is asked under those that the mark names', async () => {
    const { scene: opened, file, restore } = await payAfterBackup(5);
    await using scene = opened;
    await loseJournal(scene);
    const restored = await scene.run(...restore);
    expect(restored).toEndWith(0);
    expect(restored.stdout).toContain(
      'under the terminals TERM0001, TERM0002, TERM0003: run the files again',
    );
    expect(await scene.run('run', file, ...wait)).toEndWith(4);
    await expectPaidOnce(scene);
  });

  test('is not put in place without a mark until a person names them', async () => {
    const { scene: opened, file, restore } = await payAfterBackup(6);
    await using scene = opened;
    await loseAll(scene);
    expect((await scene.run(...restore)).stderr).toContain('--sent-from TERMINAL');
    expect(await scene.run(...restore, '--sent-from', 'TERM0002')).toEndWith(0);
    expect(await scene.run('run', file, ...wait)).toEndWith(4);
    await expectPaidOnce(scene);
  });
});

test('a journal that begins anew asks under the terminals that init is told of', async () => {
  const { scene: opened, file } = await payYesterday(7);
  await using scene = opened;
  await loseAll(scene);
  await changeTerminal(scene, 'TERM0002');
  expect((await scene.run('init', '--sent-from', 'TERM 1')).stderr).toContain(
    '--sent-from: "TERM 1" must be',
  );
  expect(await scene.run('init', '--sent-from', 'TERM0001')).toEndWith(0);
  expect(await scene.run('run', file, ...wait)).toEndWith(4);
  await expectPaidOnce(scene);
});

test('a copy asks under the terminals that its original got since, which adopt is told of', async () => {
  await using scene = await openScene({ asBank: true, settle: { notFoundTrustMs: 200 } });
  const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'M', new Dice(8))));
  expect(await scene.run('init')).toEndWith(0);
  const copy = `${scene.dataDir}-copy`;
  await cp(scene.dataDir, copy, { recursive: true });
  await changeTerminal(scene, 'TERM0002');
  expect(await scene.run('adopt')).toEndWith(0);
  expect(await scene.run('run', file)).toEndWith(0);
  scene.clocks.pass(nightMs);
  await rm(scene.dataDir, { recursive: true });
  await rename(copy, scene.dataDir);
  await changeTerminal(scene, 'TERM0003');
  const adopted = await scene.run('adopt');
  expect(adopted).toEndWith(0);
  expect(adopted.stdout).toContain('under TERM0001, TERM0003: if it got another terminal meanwhile');
  const again = await scene.run('adopt', '--sent-from', 'TERM0002');
  expect(again).toEndWith(0);
  expect(again.stdout).toContain('TERM0002');
  expect(await scene.run('run', file, ...wait)).toEndWith(4);
  await expectPaidOnce(scene);
});

test('a transfer in doubt is asked about under the terminal that has sent it, whatever the journal is bound to', async () => {
  const behaviours = [{ match: {}, endpoint: 'transfer', money: 'moves', reply: 'lost' }];
  const settle = { firstDelayMs: 5_000, maxDelayMs: 5_000, resendsMax: 0 };
  await using scene = await openScene({ asBank: true, sandbox: { behaviours }, settle });
  const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(1, 'D', new Dice(8))));
  expect(await scene.run('init')).toEndWith(0);
  expect(await scene.run('run', file, '--wait', '0')).toEndWith(4);
  await changeTerminal(scene, 'TERM0002');
  expect(await scene.run('adopt')).toEndWith(0);
  scene.clocks.pass(60_000);
  expect(await scene.run('run', file)).toEndWith(0);
  expect((await scene.bank.ledger()).totals.count).toBe(1);
});

describe('a send that the bank refused, and another of the same day from another terminal', () => {
  /** Refused from TERM0001, which the copy of the journal knows; paid from TERM0002, which it does not. */
  async function payBesideCopy(makeCopy: (scene: Scene) => Promise<unknown>): Promise<Paid> {
    const refusals = [{ match: {}, money: 'untouched', times: 1, code: 'TM001' }];
    const scene = await openBankScene({
      sandbox: { behaviours: refusals },
      settle: { notFoundTrustMs: 200 },
      transfer: { concurrency: 1 },
    });
    const file = await scene.addFile('payouts.csv', writeRows(planGoodRows(rowCount, 'R', new Dice(9))));
    expect(await scene.run('run', file, '--wait', '0')).toEndWith(6);
    scene.clocks.pass(20 * 60_000);
    await makeCopy(scene);
    await changeTerminal(scene, 'TERM0002');
    expect(await scene.run('adopt')).toEndWith(0);
    expect(await scene.run('run', file)).toEndWith(0);
    expect((await scene.bank.ledger()).totals.count).toBe(rowCount);
    scene.clocks.pass(20 * 60_000);
    return { scene, file };
  }

  test.each(['TERM0001', 'TERM0002', 'TERM0003'])(
    'is found for a backup of before, with %s in the settings',
    async (termId) => {
      const { scene: opened, file } = await payBesideCopy((scene) =>
        scene.run('backup', join(scene.folder, 'backup.db')),
      );
      await using scene = opened;
      await loseJournal(scene);
      await changeTerminal(scene, termId);
      const today = showDay(dayOf(scene));
      expect(await scene.run('restore', join(scene.folder, 'backup.db'), '--since', today)).toEndWith(0);
      expect(await scene.run('run', file, ...patiently)).toEndWith(4);
      expect((await scene.bank.ledger()).totals.count).toBe(rowCount);
    },
  );

  test('is found for a copy that is told of the terminal', async () => {
    const { scene: opened, file } = await payBesideCopy(({ dataDir }) =>
      cp(dataDir, `${dataDir}-copy`, { recursive: true }),
    );
    await using scene = opened;
    await rm(scene.dataDir, { recursive: true });
    await rename(`${scene.dataDir}-copy`, scene.dataDir);
    await changeTerminal(scene, 'TERM0001');
    expect(await scene.run('adopt', '--sent-from', 'TERM0002')).toEndWith(0);
    expect(await scene.run('run', file, ...patiently)).toEndWith(4);
    expect((await scene.bank.ledger()).totals.count).toBe(rowCount);
  });
});
