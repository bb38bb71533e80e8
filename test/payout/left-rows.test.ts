/** How soon rows go on that a machine has left, dead or not, and who goes on with them. */
import { describe, expect, test } from 'vitest';
import { retryBatch } from '../../src/payout/operator.ts';
import { noonMs } from '../support/core-fixtures.ts';
import { ingest, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { firstShard, openMachines, paidOnce, slowly } from '../support/machines.ts';
import { minuteMs, verify } from '../support/theatre.ts';

const small = secondBatchId;

/** A large file and a small one, whose rows the third machine has taken; each row takes a second. */
async function openSmallBesideLarge() {
  const one = await openMachines(2_000, (theatre) => slowly(theatre, 1_000));
  const { theatre, batchId, third } = one;
  await ingest(theatre.journal, makeRows(20, 3_001), { batchId: small });
  for (const id of [batchId, small]) await theatre.journal.moveBatch(id, 'running', null, noonMs);
  await third.share.claim(small, firstShard);
  return one;
}

describe('a batch of which a machine has left rows', () => {
  test('is left for another of which a machine that was killed has left rows', async () => {
    await using one = await openSmallBesideLarge();
    const { theatre, workers, second, third } = one;
    const helping = second.help();
    await theatre.time.advance(5_000);
    expect(await theatre.statuses(small)).toEqual({ ready: 20 });
    workers.gone.add(third.workerId);
    await theatre.time.advance(5_000);
    expect(await theatre.statuses(small)).toMatchObject({ paid: expect.any(Number) as number });
    await theatre.time.advance(10_000);
    expect(await theatre.statuses(small)).toEqual({ paid: 20 });
    second.stop();
    await theatre.time.drive(helping);
  });

  test('is left for another whose rows have waited longer, though machines leave rows of it all the time', async () => {
    await using one = await openSmallBesideLarge();
    const { theatre, batchId, workers, second, third } = one;
    const others = [4, 5, 6, 7, 8];
    for (const workerId of others) await workers.store.claimShard(batchId, workerId, firstShard);
    workers.gone.add(4);
    const helping = second.help();
    await theatre.time.advance(1_000);
    for (const workerId of [third.workerId, 5, 6, 7, 8]) workers.gone.add(workerId);
    await theatre.time.advance(45_000);
    expect(await theatre.statuses(small)).toMatchObject({ paid: expect.any(Number) as number });
    // What it had taken over before is paid first.
    const firstOfSmall = theatre.sent.findIndex(({ payoutId }) => Number(payoutId.slice(4)) > 3_000);
    const rowsBefore = theatre.sent.slice(0, firstOfSmall).map(({ payoutId }) => Number(payoutId.slice(4)));
    expect(rowsBefore.filter((rowNo) => rowNo <= 50)).toHaveLength(50);
    second.stop();
    await theatre.time.drive(helping);
    expect(paidOnce(theatre)).toBe(true);
  });

  test('is helped at once when a machine leaves rows of it, however often that was in vain before', async () => {
    await using one = await openMachines(60);
    const { theatre, batchId, workers, second, third } = one;
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    await third.share.claim(batchId, firstShard);
    let isVain = true;
    const journal = new Proxy(theatre.journal, {
      get: (target, name) =>
        name === 'apply' && isVain ? async () => [false] : (Reflect.get(target, name) as unknown),
    });
    const helping = second.help({ journal });
    await theatre.time.advance(5 * minuteMs);
    isVain = false;
    workers.gone.add(third.workerId);
    await theatre.time.advance(3_000);
    expect(await theatre.statuses(batchId)).toMatchObject({ paid: expect.any(Number) as number });
    second.stop();
    await theatre.time.drive(helping);
  });

  test('goes on soon with rows that a machine has left which is there', async () => {
    await using one = await openMachines(2_000, (theatre) => slowly(theatre, 1_000));
    const { theatre, batchId, workers, sender, second } = one;
    const sending = sender.send(batchId);
    await theatre.time.advance(2_000);
    const left = await second.share.claim(batchId, firstShard);
    if (left === undefined) throw new Error('there are no rows');
    const countReady = async (): Promise<number> => {
      const page = await theatre.journal.readyPage(batchId, left.fromRow - 1, 50);
      return page.filter(({ payout }) => payout.rowNo <= left.toRow).length;
    };
    await theatre.time.advance(40_000);
    expect(await countReady()).toBe(50);
    await second.share.end(left);
    // It ends the shard that it has, of 50 rows a second each, two at a time.
    await theatre.time.advance(50_000);
    expect(await countReady()).toBeLessThan(50);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2_000 });
    expect(paidOnce(theatre)).toBe(true);
    expect(workers.openShards).toBe(0);
  });

  test('goes on with what a dead machine has left before the new rows that are made ready ahead', async () => {
    await using one = await openMachines(500, (theatre) => slowly(theatre, 1_000));
    const { theatre, batchId, workers, sender, second } = one;
    const left = await second.share.claim(batchId, firstShard);
    expect(left).toMatchObject({ fromRow: 1, toRow: 50 });
    // Two rows a second get on, and 22 are checked and wait.
    const sending = sender.send(batchId, { verify: { ...verify, concurrency: 20 } });
    await theatre.time.advance(60_000);
    workers.gone.add(second.workerId);
    const isLeft = ({ payoutId }: { payoutId: string }): boolean => Number(payoutId.slice(4)) <= 50;
    await theatre.time.advance(10_000);
    expect(theatre.sent.filter(isLeft).length).toBeGreaterThan(2);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 500 });
    expect(paidOnce(theatre)).toBe(true);
  });

  test('is left to others by a machine whose bank is slow, but for the rows that it comes to soon', async () => {
    let checks = 0;
    await using one = await openMachines(500, (theatre) => ({
      ...slowly(theatre, 1_000),
      check: () => void (checks += 1),
    }));
    const { theatre, batchId, sender } = one;
    // With 22 places for rows that are checked and sent.
    const sending = sender.send(batchId, { verify: { ...verify, concurrency: 20 } });
    await theatre.time.advance(30_000);
    expect(theatre.sent.length).toBeGreaterThan(50);
    expect(checks - theatre.sent.length).toBeLessThanOrEqual(22);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 500 });
  });

  test('asks soon whether a machine has left rows, however slow the bank is', async () => {
    await using one = await openMachines(500, (theatre) => slowly(theatre, 1_000));
    const { theatre, batchId, workers, sender, second } = one;
    await second.share.claim(batchId, firstShard);
    const sending = sender.send(batchId);
    await theatre.time.advance(500);
    workers.gone.add(second.workerId);
    await theatre.time.advance(8_000);
    const [first] = await theatre.journal.readyPage(batchId, 0, 1);
    expect(first?.payout.rowNo).not.toBe(1);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 500 });
  });

  test('goes on past rows whose next attempt waits until nothing of a dead machine is on its way', async () => {
    await using one = await openMachines(40, (theatre) => ({
      transfer: (order) => (order.transRefNo.endsWith('01') ? theatre.code('EV042') : undefined),
      inquire: (inquiry) => theatre.found(inquiry, '030002'),
    }));
    const { theatre, batchId, sender } = one;
    const brake = { consecutiveFailures: 100, failureShare: 1, window: 100, inDoubtMax: 200 };
    await theatre.run(batchId, { brake });
    await retryBatch(theatre.journal, await theatre.batch(batchId), { payoutSatangMax: null }, theatre.now());
    expect(await theatre.statuses(batchId)).toEqual({ ready: 40 });
    const firstPage = await theatre.journal.readyPage(batchId, 0, 9);
    const waiting = new Set(firstPage.map(({ payout }) => payout.instruction.payoutId));
    const endsAtMs = theatre.now() + minuteMs;
    const attemptWaitMs = async (_companyId: string, payoutId: string): Promise<number> =>
      waiting.has(payoutId) ? Math.max(0, endsAtMs - theatre.now()) : 0;
    const journal = new Proxy(theatre.journal, {
      get: (target, name) =>
        name === 'attemptWaitMs' ? attemptWaitMs : (Reflect.get(target, name) as unknown),
    });
    const sending = sender.send(batchId, { journal, brake, waitMs: 20_000 });
    await theatre.time.advance(10_000);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 31, ready: 9 });
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 40 });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done' });
    for (const { atMs } of theatre.sent.slice(-9)) expect(atMs).toBeGreaterThanOrEqual(endsAtMs);
  });
});
