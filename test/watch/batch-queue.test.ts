/** Batches of the watcher: when they are run, reported and told of, and what one that fails keeps from the others. */
import { hash } from 'node:crypto';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { computeBatchId } from '../../src/core/reference.ts';
import { cancelBatch, resumeBatch } from '../../src/payout/operator.ts';
import { bringTo, ingestRunning, makeRows } from '../support/journal-fixtures.ts';
import { csvOf } from '../support/payout-csv.ts';
import { openWatchKit, type WatchKit } from '../support/watch-kit.ts';

const firstReports = ['exceptions 0', 'result 0', 'summary 0'];

/** A bank that takes its time. */
const slow = (kit: WatchKit, ms = 100) => ({
  transfer: async () => {
    await kit.clock.sleep(ms);
    return undefined;
  },
});

const isArchived =
  (kit: WatchKit, ...files: readonly string[]) =>
  (): boolean =>
    files.every((file) => kit.told.includes(`${file} archived`));

/** Each payout of the file left once. */
function expectSentOnce(kit: WatchKit, prefix: string, rows: number): void {
  const ids = kit.sent.filter(({ payoutId }) => payoutId.startsWith(prefix)).map(({ payoutId }) => payoutId);
  expect(ids.toSorted()).toEqual(
    Array.from({ length: rows }, (_, place) => `${prefix}${place + 1}`).toSorted(),
  );
}

describe('the result of a batch', () => {
  test('is written when it has come to rest, not when it was interrupted in the midst', async () => {
    await using kit = await openWatchKit();
    kit.script = slow(kit);
    await kit.drop('a.csv', csvOf('A', 12));
    const first = await kit.work();
    await kit.time.until(() => kit.sent.length >= 4);
    await first.stop();
    expect(await kit.batchOf('a.csv')).toMatchObject({ status: 'paused', reasonCode: 'interrupted' });
    await kit.work();
    await kit.time.until(() => kit.sent.length >= 8);
    expect([kit.told, await kit.reportsOf('a.csv'), await kit.names('work')]).toEqual([[], [], ['a.csv']]);
    await kit.time.until(isArchived(kit, 'a.csv'));
    expect(await kit.reportsOf('a.csv')).toEqual(firstReports);
    expect(kit.told.toSorted()).toEqual(['a.csv archived', 'a.csv done']);
    expectSentOnce(kit, 'A', 12);
  });

  test('is not written when the run has failed, nor by whoever settles a row of it meanwhile', async () => {
    await using kit = await openWatchKit();
    kit.script = {
      transfer: async (_order, no) => {
        await kit.clock.sleep(100);
        return no === 1 ? kit.code('EM027') : undefined;
      },
      inquire: (inquiry) => kit.found(inquiry, '010004'),
    };
    let failures = 0;
    kit.before = {
      apply: () => {
        if (kit.sent.length < 4 || failures > 0) return;
        failures += 1;
        throw new Error('the disk is full');
      },
    };
    await kit.drop('a.csv', csvOf('A', 12));
    const life = await kit.work();
    await kit.time.until(() => life.watcher.batches.failing.length > 0);
    expect(await kit.rowsOf('a.csv')).toHaveProperty('ready');
    life.watcher.batches.noteChange((await kit.batchOf('a.csv')).batchId, true);
    await kit.time.advance(450);
    expect([kit.told, await kit.reportsOf('a.csv'), await kit.names('work')]).toEqual([[], [], ['a.csv']]);
    await kit.time.until(isArchived(kit, 'a.csv'));
    expect([failures, await kit.reportsOf('a.csv')]).toEqual([1, firstReports]);
    expect(await kit.rowsOf('a.csv')).toEqual({ paid: 12 });
    expect(life.watcher.batches.failing).toEqual([]);
    expectSentOnce(kit, 'A', 12);
  });

  test('is told once, though rows are settled by others while the batch is taken up again', async () => {
    await using kit = await openWatchKit();
    kit.script = {
      transfer: async () => {
        await kit.clock.sleep(100);
        return kit.code('EM027');
      },
      inquire: (inquiry) => kit.found(inquiry, '010004'),
    };
    await kit.drop('a.csv', csvOf('A', 4));
    const first = await kit.work();
    await kit.time.until(() => kit.sent.length === 4);
    first.kill();
    await kit.time.advance(10_000);
    await kit.work();
    await kit.time.until(isArchived(kit, 'a.csv'));
    await kit.time.advance(60_000);
    expect(kit.told.filter((line) => line === 'a.csv done')).toHaveLength(1);
    expect([await kit.reportsOf('a.csv'), await kit.notices()]).toEqual([firstReports, ['batch-done a.csv']]);
  });

  test('is written for a batch that a killed process left running with nothing to send and without a file', async () => {
    await using kit = await openWatchKit();
    const { batchId } = await ingestRunning(kit.store, makeRows(2), { fileName: 'a.csv' });
    await bringTo(kit.store, 'paid', batchId);
    await bringTo(kit.store, 'paid', batchId);
    await kit.work();
    await kit.time.until(() => kit.told.length > 0, 60_000);
    expect([kit.told, await kit.reportsOf('a.csv')]).toEqual([['a.csv done'], firstReports]);
  });

  test('is published by the next process when its own was killed before it could', async () => {
    await using kit = await openWatchKit();
    const { batchId } = await ingestRunning(kit.store, makeRows(1), { fileName: 'a.csv' });
    await bringTo(kit.store, 'paid', batchId);
    const first = await kit.work();
    let isKilled = false;
    kit.before = {
      publish: () => {
        first.kill();
        isKilled = true;
      },
    };
    await kit.time.until(() => isKilled, 60_000);
    expect([await kit.names('outbox'), await kit.reportsOf('a.csv')]).toEqual([[], firstReports]);
    kit.before = {};
    await kit.work();
    await kit.time.until(async () => (await kit.names('outbox')).length === 3, 60_000);
    expect(await kit.read('outbox', '.result.csv')).toContain(',paid,');
  });

  test.each([[[]], [['old.csv']]])(
    'is told of by the next process when its own was killed before it could, though the file ended before; after %j',
    async (earlier) => {
      await using kit = await openWatchKit({ watch: { waitMs: 1_000 } });
      for (const file of earlier) await kit.drop(file, csvOf('O', 1));
      const life = await kit.work();
      await kit.time.until(isArchived(kit, ...earlier));
      let code = '010003';
      kit.script = {
        transfer: () => kit.code('EM027'),
        inquire: (inquiry) => kit.found(inquiry, code),
      };
      await kit.drop('a.csv', csvOf('A', 1));
      await kit.time.until(isArchived(kit, 'a.csv'));
      let isKilled = false;
      kit.before = {
        addNotice: () => {
          life.kill();
          isKilled = true;
        },
      };
      code = '010004';
      await kit.time.until(() => isKilled);
      kit.before = {};
      const { status, batchId } = await kit.batchOf('a.csv');
      expect([status, await kit.store.untoldBatches(0)]).toEqual(['done', [batchId]]);
      await kit.work();
      await kit.time.until(async () => (await kit.notices()).includes('batch-done a.csv'), 60_000);
      expect([(await kit.notices()).length, await kit.store.untoldBatches(0)]).toEqual([
        earlier.length + 1,
        [],
      ]);
    },
  );

  test('has to find room in the outbox before anything is sent, and the batch goes on once it has', async () => {
    await using kit = await openWatchKit();
    const batchId = computeBatchId(hash('sha256', csvOf('B', 3), 'hex'));
    const { outbox } = kit.loaded.folders;
    const taken = join(outbox, `b.${batchId}.summary.json`);
    await mkdir(outbox, { recursive: true });
    await writeFile(taken, 'theirs');
    await kit.drop('b.csv', csvOf('B', 3));
    await kit.work();
    await kit.time.until(() =>
      kit.logged.some((line) => line.includes('another file has this name already')),
    );
    expect(kit.sent).toEqual([]);
    expect(await kit.batchOf('b.csv')).toMatchObject({ status: 'sealed' });
    await rename(taken, `${taken}.old`);
    await kit.time.until(isArchived(kit, 'b.csv'), 600_000);
    expectSentOnce(kit, 'B', 3);
    expect(await kit.reportsOf('b.csv')).toEqual(firstReports);
  });

  test('comes once more when another process has ended the batch', async () => {
    await using kit = await openWatchKit();
    kit.script = { transfer: (_order, no) => (no === 3 ? kit.code('EM053') : undefined) };
    await kit.drop('a.csv', csvOf('A', 9));
    await kit.work();
    await kit.time.until(isArchived(kit, 'a.csv'));
    expect(await kit.batchOf('a.csv')).toMatchObject({ status: 'halted' });
    // The bank was asked about the one that was refused.
    await cancelBatch(kit.store, await kit.batchOf('a.csv'), kit.clock.now(), async () => undefined);
    await kit.time.until(() => kit.told.includes('a.csv done'), 60_000);
    expect(await kit.reportsOf('a.csv')).toContain('result-update 1');
    expect((await kit.notices()).toSorted()).toEqual(['batch-done a.csv', 'batch-halted a.csv']);
  });
});

describe('rows that settle one after the other when the batch has been reported', () => {
  test('are reported together, once a minute, and the last of them at once', async () => {
    await using kit = await openWatchKit({ watch: { waitMs: 2_000 }, settle: { maxDelayMs: 10_000 } });
    const startMs = kit.clock.now();
    const settledAtS: Record<string, number> = {};
    kit.script = {
      transfer: ({ transRefNo, reference1 }) => {
        settledAtS[transRefNo] = { A1: 12, A2: 24, A3: 36, A4: 100 }[reference1 ?? ''] ?? 0;
        return kit.code('EM027');
      },
      inquire: (inquiry) => {
        const isSettled = kit.clock.now() - startMs >= (settledAtS[inquiry.transRefNo] ?? 0) * 1_000;
        return kit.found(inquiry, isSettled ? '010004' : '010003');
      },
    };
    await kit.drop('a.csv', csvOf('A', 4));
    await kit.work();
    await kit.time.until(isArchived(kit, 'a.csv'));
    expect(await kit.rowsOf('a.csv')).toEqual({ submitted: 4 });
    await kit.time.until(() => kit.told.includes('a.csv done'));
    const reports = await kit.store.reports((await kit.batchOf('a.csv')).batchId);
    const updates = reports.filter(({ kind }) => kind === 'result-update');
    const atS = updates.map(({ atMs }) => Math.round((atMs - startMs) / 1_000));
    expect(atS).toHaveLength(2);
    expect(atS[0]).toBeGreaterThanOrEqual(60);
    expect(atS[0]).toBeLessThan(80);
    expect(atS[1]).toBeGreaterThanOrEqual(100);
    expect(atS[1]).toBeLessThan(115);
    expect(kit.sent).toHaveLength(4);
  });
});

describe('a batch that cannot be reported', () => {
  test('leaves the others going, is tried again later and later, and goes on', async () => {
    await using kit = await openWatchKit();
    let isSick = true;
    let tries = 0;
    kit.before = {
      recordReports: async (...[reports]: never[]) => {
        const [{ batchId } = { batchId: '' }] = reports as unknown as { batchId: string }[];
        if (!isSick || batchId !== (await kit.batchOf('a.csv')).batchId) return;
        tries += 1;
        throw new Error('the name is taken');
      },
    };
    await kit.drop('a.csv', csvOf('A', 2));
    const life = await kit.work();
    await kit.time.until(() => tries > 0);
    await kit.drop('b.csv', csvOf('B', 2));
    await kit.time.until(isArchived(kit, 'b.csv'), 10_000);
    await kit.time.advance(60_000);
    expect(tries).toBeGreaterThan(4);
    expect(tries).toBeLessThan(9);
    const { batchId } = await kit.batchOf('a.csv');
    expect(life.watcher.batches.failing).toEqual([{ batchId, why: 'the name is taken', namesTaken: [] }]);
    expect(await kit.names('work')).toEqual(['a.csv']);
    isSick = false;
    await kit.time.until(isArchived(kit, 'a.csv'), 70_000);
    expect(life.watcher.batches.failing).toEqual([]);
    expectSentOnce(kit, 'A', 2);
  });

  test('does not wait for a clock that was set back', async () => {
    await using kit = await openWatchKit();
    let tries = 0;
    kit.before = {
      recordReports: () => {
        tries += 1;
        if (tries <= 3) throw new Error('the name is taken');
      },
    };
    await kit.drop('a.csv', csvOf('A', 2));
    await kit.work();
    await kit.time.until(() => tries === 3);
    kit.time.jump(-2 * 3_600_000);
    await kit.time.until(isArchived(kit, 'a.csv'), 70_000);
    expect(kit.told.toSorted()).toEqual(['a.csv archived', 'a.csv done']);
  });
});

describe('a line that a person must open', () => {
  /** a.csv has halted the line, b.csv and c.csv wait. */
  async function halted(kit: WatchKit) {
    kit.script = { transfer: (_order, no) => (no === 1 ? kit.code('EM004') : undefined) };
    await kit.drop('a.csv', csvOf('A', 1));
    const life = await kit.work();
    await kit.time.until(isArchived(kit, 'a.csv'));
    await kit.drop('b.csv', csvOf('B', 2));
    await kit.drop('c.csv', csvOf('C', 2));
    await kit.time.until(() => life.watcher.batches.waiting === 2);
    await kit.time.advance(10_000);
    expect([(await kit.batchOf('b.csv')).status, kit.sent.length]).toEqual(['sealed', 1]);
    return life;
  }

  test('keeps what has not begun waiting, which goes on by itself when the stop is lifted', async () => {
    await using kit = await openWatchKit();
    const life = await halted(kit);
    await resumeBatch(kit.store, await kit.batchOf('a.csv'), kit.clock.now());
    await kit.time.until(isArchived(kit, 'b.csv', 'c.csv'), 20_000);
    expectSentOnce(kit, 'B', 2);
    expectSentOnce(kit, 'C', 2);
    expect(life.watcher.batches.waiting).toBe(0);
  });

  test('does not keep what waits when the settings name another payer account, and an operator approves', async () => {
    await using kit = await openWatchKit();
    await (await halted(kit)).stop();
    await kit.correct('0000345925');
    await kit.work();
    await kit.time.until(() => kit.told.includes('b.csv archived') && kit.told.includes('c.csv archived'));
    expect(kit.sent).toHaveLength(1);
    for (const name of ['b.csv', 'c.csv']) {
      const batch = await kit.batchOf(name);
      expect(batch).toMatchObject({ status: 'halted', reasonCode: 'payer-account-changed' });
      await resumeBatch(kit.store, batch, kit.clock.now(), '0000345925');
    }
    await kit.time.until(async () => (await kit.rowsOf('c.csv'))['paid'] === 2, 20_000);
    await kit.time.until(isArchived(kit, 'b.csv', 'c.csv'), 20_000);
    expect(await kit.batchOf('b.csv')).toMatchObject({ status: 'done', payerAccount: '0000345925' });
    expect(await kit.rowsOf('a.csv')).not.toHaveProperty('paid');
    expectSentOnce(kit, 'B', 2);
  });

  test('does not keep a batch from ending whose rows a person has cancelled', async () => {
    await using kit = await openWatchKit();
    const life = await halted(kit);
    await cancelBatch(kit.store, await kit.batchOf('b.csv'), kit.clock.now());
    await kit.time.until(isArchived(kit, 'b.csv'), 20_000);
    expect([await kit.rowsOf('b.csv'), await kit.reportsOf('b.csv')]).toEqual([
      { cancelled: 2 },
      firstReports,
    ]);
    expect([life.watcher.batches.waiting, kit.sent.length]).toEqual([1, 1]);
  });
});

describe('places', () => {
  test('one is kept from the big files, so that a small one does not wait for them', async () => {
    await using kit = await openWatchKit({ watch: { filesAtOnce: 2 } });
    kit.script = slow(kit);
    await kit.drop('a.csv', csvOf('A', 1_001));
    await kit.drop('b.csv', csvOf('B', 1_001));
    const life = await kit.work();
    await kit.time.until(() => kit.sent.length >= 4);
    await kit.time.until(async () => life.watcher.batches.waiting === 1);
    await kit.drop('c.csv', csvOf('C', 3));
    await kit.time.until(isArchived(kit, 'c.csv'), 60_000);
    expect([(await kit.batchOf('a.csv')).status, (await kit.batchOf('b.csv')).status].toSorted()).toEqual([
      'running',
      'sealed',
    ]);
  });

  test('are given up while nothing is left but to wait for what is in doubt', async () => {
    await using kit = await openWatchKit({ watch: { filesAtOnce: 1, waitMs: 60_000 } });
    kit.script = {
      transfer: (_order, no) => (no === 1 ? kit.code('EM027') : undefined),
      inquire: (inquiry) => kit.found(inquiry, '010003'),
    };
    await kit.drop('a.csv', csvOf('A', 1));
    const life = await kit.work();
    await kit.time.until(() => kit.sent.length === 1);
    await kit.drop('b.csv', csvOf('B', 2));
    await kit.time.until(isArchived(kit, 'b.csv'), 20_000);
    expect([kit.told.includes('a.csv archived'), life.watcher.batches.running.size]).toEqual([false, 1]);
  });
});

describe('a disk that refuses writes', () => {
  test('holds up what is being sent, and it goes on to the end when the disk is well', async () => {
    await using kit = await openWatchKit();
    kit.script = slow(kit);
    await kit.drop('a.csv', csvOf('A', 20));
    const life = await kit.work();
    await kit.time.until(() => kit.sent.length >= 4);
    kit.diskWhy = 'outbox cannot be written: the disk is full';
    await life.setup.disk.look();
    const before = kit.sent.length;
    await kit.time.advance(40_000);
    // What had its intent recorded still leaves.
    expect(kit.sent.length).toBeLessThanOrEqual(before + 8);
    const held = kit.sent.length;
    await kit.time.advance(20_000);
    expect([kit.sent.length, kit.told, held < 20]).toEqual([held, [], true]);
    kit.diskWhy = undefined;
    await kit.time.until(isArchived(kit, 'a.csv'), 20_000);
    expectSentOnce(kit, 'A', 20);
    expect(await kit.reportsOf('a.csv')).toEqual(firstReports);
  });
});
