/** What is in doubt when its batch has come to rest: who asks about it, and that no two ask at once. */
import { describe, expect, test } from 'vitest';
import type { StatusInquiry } from '../../src/core/bank-port.ts';
import { RunState } from '../../src/payout/context.ts';
import { cancelBatch } from '../../src/payout/operator.ts';
import { BatchScheduler } from '../../src/watch/batch-queue.ts';
import { InDoubtLoop } from '../../src/watch/watcher.ts';
import { answered, inquiryFields, inquiryItem } from '../support/core-fixtures.ts';
import { bringTo, ingest, ingestRunning, makeRows } from '../support/journal-fixtures.ts';
import { csvOf } from '../support/payout-csv.ts';
import { type KitOptions, openWatchKit, type WatchKit } from '../support/watch-kit.ts';

const restedSoon: KitOptions = { watch: { waitMs: 1_000 }, settle: { firstDelayMs: 2_000 } };

/** A bank that takes no note of transfers and its time for inquiries; `tranStatusCode` is what it will say. */
function makeBank(kit: WatchKit) {
  const bank = { tranStatusCode: undefined as string | undefined, most: 0, asked: [] as string[] };
  const asking = new Map<string, number>();
  kit.script = {
    transfer: () => kit.code('EM027'),
    inquire: async (inquiry) => {
      const { transRefNo } = inquiry;
      const now = (asking.get(transRefNo) ?? 0) + 1;
      asking.set(transRefNo, now);
      bank.most = Math.max(bank.most, now);
      bank.asked.push(transRefNo);
      await kit.clock.sleep(300);
      asking.set(transRefNo, (asking.get(transRefNo) ?? 0) - 1);
      return kit.found(inquiry, bank.tranStatusCode);
    },
  };
  return bank;
}

/** A batch at rest with every row in doubt, and a watcher at work. */
async function leaveInDoubt(kit: WatchKit, rows: number) {
  const bank = makeBank(kit);
  await kit.drop('a.csv', csvOf('A', rows));
  const life = await kit.work();
  await kit.time.until(() => kit.told.includes('a.csv archived'));
  return { bank, life };
}

/** A batch whose rows a killed process has left in doubt, and a watcher that is not at work yet. */
async function findInDoubt(kit: WatchKit, rows: number) {
  const bank = makeBank(kit);
  bank.tranStatusCode = '010003';
  const { batchId } = await ingestRunning(kit.store, makeRows(rows), { fileName: 'a.csv' });
  for (let row = 1; row <= rows; row += 1) await bringTo(kit.store, 'submitted', batchId);
  return { bank, batchId, life: await kit.begin() };
}

describe('one attempt', () => {
  test('is asked about by one at a time, though two parts of the watcher want to', async () => {
    await using kit = await openWatchKit();
    const { bank, life } = await findInDoubt(kit, 4);
    await kit.time.advance(3_000);
    const { doubt } = life.watcher;
    await kit.time.drive(Promise.all([doubt.askAll(), doubt.step()]));
    expect([bank.most, bank.asked.length, new Set(bank.asked).size]).toEqual([1, 4, 4]);
    await kit.time.drive(doubt.askAll());
    expect([bank.most, bank.asked.length]).toEqual([1, 8]);
  });

  test('that somebody else asks about is waited for in peace', async () => {
    await using kit = await openWatchKit();
    const { life } = await findInDoubt(kit, 1);
    const inquire = kit.script.inquire;
    kit.script.inquire = async (inquiry) => {
      await kit.clock.sleep(20_000);
      return inquire?.(inquiry);
    };
    let looks = 0;
    kit.before = {
      dueInquiries: () => {
        looks += 1;
        if (looks > 1_000) throw new Error('the loop runs hot');
      },
    };
    const asked = life.watcher.doubt.askAll();
    await kit.time.advance(3_000);
    life.work();
    await kit.time.drive(asked);
    expect(looks).toBeGreaterThan(5);
    expect(looks).toBeLessThan(400);
  });

  test('whose request is under way in any run is left to it', async () => {
    await using kit = await openWatchKit();
    const { bank, life } = await findInDoubt(kit, 3);
    const [first] = await kit.store.inDoubt(0, 3);
    const run = new RunState(kit.clock);
    life.setup.runs.add(run);
    run.inFlight.add(first?.payout.seq ?? 0);
    await kit.time.drive(life.watcher.doubt.askAll());
    expect(bank.asked).toHaveLength(2);
    expect(bank.asked).not.toContain(first?.attempt.order.transRefNo);
  });

  test('of a batch that is being run is left to its run', async () => {
    await using kit = await openWatchKit();
    const { bank, life, batchId } = await findInDoubt(kit, 3);
    await kit.time.advance(3_000);
    const running = new Set([batchId]);
    const loop = new InDoubtLoop(life.setup, { running, noteChange: () => undefined });
    await kit.time.drive(Promise.all([loop.step(), loop.askAll()]));
    expect(bank.asked).toEqual([]);
    running.clear();
    await kit.time.drive(loop.step());
    expect(bank.asked).toHaveLength(3);
  });
});

describe('what is left in doubt', () => {
  test('ends its batch when it is settled, which is reported at once', async () => {
    await using kit = await openWatchKit(restedSoon);
    const { bank } = await leaveInDoubt(kit, 3);
    expect(kit.told.toSorted()).toEqual(['a.csv archived', 'a.csv running']);
    bank.tranStatusCode = '010004';
    await kit.time.until(() => kit.told.includes('a.csv done'), 20_000);
    expect(await kit.rowsOf('a.csv')).toEqual({ paid: 3 });
    expect(await kit.reportsOf('a.csv')).toContain('result-update 1');
    expect(await kit.notices()).toEqual(['batch-done a.csv']);
  });

  test('is sent again by the rule, and counted', async () => {
    await using kit = await openWatchKit(restedSoon);
    const { bank } = await leaveInDoubt(kit, 2);
    kit.script = { ...kit.script, transfer: (order) => kit.paid(order) };
    await kit.time.until(() => kit.told.includes('a.csv done'), 60_000);
    expect(kit.sent).toHaveLength(4);
    expect(bank.most).toBe(1);
    for (const { transRefNo, atMs } of kit.sent.slice(2)) {
      const first = kit.sent.find((one) => one.transRefNo === transRefNo);
      expect(atMs - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(6_000);
    }
  });

  test('is left alone while the disk takes nothing', async () => {
    await using kit = await openWatchKit(restedSoon);
    const { bank, life } = await leaveInDoubt(kit, 2);
    bank.tranStatusCode = '010003';
    kit.diskWhy = 'the disk is full';
    await life.setup.disk.look();
    await kit.time.advance(2_000);
    const before = bank.asked.length;
    await kit.time.advance(20_000);
    expect(bank.asked).toHaveLength(before);
    kit.diskWhy = undefined;
    await kit.time.advance(10_000);
    expect(bank.asked.length).toBeGreaterThan(before);
  });
});

describe('a row that nothing may be sent of any more', () => {
  test.each([
    ['cancelled', true],
    ['halted', false],
  ])(
    'is asked about at growing delays, though it is due to be sent again: %s',
    async (_name, isCancelled) => {
      await using kit = await openWatchKit(restedSoon);
      const { bank } = await leaveInDoubt(kit, 1);
      const batch = await kit.batchOf('a.csv');
      if (isCancelled) await cancelBatch(kit.store, batch, kit.clock.now());
      else await kit.store.moveBatch(batch.batchId, 'halted', null, kit.clock.now());
      const before = bank.asked.length;
      await kit.time.advance(60_000);
      expect(bank.asked.length - before).toBeGreaterThan(8);
      expect(bank.asked.length - before).toBeLessThan(25);
      expect(kit.sent).toHaveLength(1);
      bank.tranStatusCode = '010004';
      await kit.time.until(async () => (await kit.rowsOf('a.csv'))['paid'] === 1, 10_000);
    },
  );
});

describe('what is in doubt of another payer account than the settings name', () => {
  /** The bank's word that the payer has no funds. */
  const noFunds = (kit: WatchKit, { transRefNo }: StatusInquiry) => {
    const item = { ...inquiryItem(transRefNo, '030002'), statusCode: 'EM053' };
    return answered(inquiryFields([item]), { bankDateMs: kit.clock.now() });
  };

  test('stops that account alone when its payer is in trouble, in the round of every day too', async () => {
    await using kit = await openWatchKit(restedSoon);
    const { life: first } = await leaveInDoubt(kit, 1);
    const { companyId, payerAccount } = first.setup.payer;
    await first.stop();
    await kit.correct('0000345925');
    kit.script = { inquire: (inquiry) => noFunds(kit, inquiry) };
    const life = await kit.begin();
    await kit.time.drive(life.watcher.doubt.askAll());
    expect(await kit.rowsOf('a.csv')).toEqual({ failed: 1 });
    expect(await kit.store.payerHalt(companyId, payerAccount)).toMatchObject({ code: 'EM053' });
    const { setup } = life;
    expect(setup.openContext(setup.stop, () => undefined, setup.payer).gate.state.status).toBe('open');
  });

  test('stops that account alone when a batch of the other asks about it, under too much doubt', async () => {
    const seldom = { firstDelayMs: 60_000, maxDelayMs: 60_000 };
    await using kit = await openWatchKit({ ...restedSoon, settle: seldom, brake: { inDoubtMax: 1 } });
    const { life: first } = await leaveInDoubt(kit, 1);
    await first.stop();
    await kit.correct('0000345925');
    kit.script = { inquire: (inquiry) => noFunds(kit, inquiry) };
    const { batchId } = await ingest(kit.store, makeRows(3), { fileName: 'b.csv' });
    expect(await kit.store.movePayer(batchId, '0000345925', kit.clock.now())).toBe(true);
    const { setup } = await kit.begin();
    const { gate } = setup.openContext(setup.stop, () => undefined, setup.payer);
    const seen = new Set<string>();
    kit.before = { countInDoubt: () => void seen.add(gate.state.status) };
    const loop = new BatchScheduler(setup, async () => undefined);
    await kit.time.drive(loop.step());
    await kit.time.drive(loop.ended());
    expect([...seen]).toEqual(['open']);
    expect(await kit.rowsOf('a.csv')).toEqual({ failed: 1 });
    expect(await kit.store.batch(batchId)).toMatchObject({ status: 'done', payerAccount: '0000345925' });
    expect(await kit.rowsOf('b.csv')).toEqual({ paid: 3 });
  });
});

describe('a stop that nobody runs into', () => {
  test('is over when a person has lifted it', async () => {
    await using kit = await openWatchKit();
    kit.script = { transfer: () => kit.code('EM053') };
    await kit.drop('a.csv', csvOf('A', 1));
    const life = await kit.work();
    await kit.time.until(() => kit.told.includes('a.csv archived'));
    const { setup } = life;
    const { gate } = setup.openContext(setup.stop, () => undefined, setup.payer);
    await kit.time.advance(5_000);
    expect(gate.breaker.state.status).toBe('halted');
    kit.script = {};
    await kit.store.liftPayerHalt(setup.payer.companyId, setup.payer.payerAccount, kit.clock.now());
    await kit.time.until(() => gate.breaker.state.status === 'open', 5_000);
  });
});
