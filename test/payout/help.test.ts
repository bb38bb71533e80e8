/** Several machines that pay one batch: each row once, whoever dies, and nothing is concluded before all have ended. */
import { describe, expect, test } from 'vitest';
import { interruptedReason } from '../../src/payout/conclude.ts';
import { cancelBatch } from '../../src/payout/operator.ts';
import { lost, noonMs } from '../support/core-fixtures.ts';
import { firstShard, openMachines, paidOnce, slowly } from '../support/machines.ts';
import { Mortality } from '../support/mortality.ts';
import { minuteMs, type Script } from '../support/theatre.ts';

describe('a batch that several machines pay', () => {
  test('is shared out, paid once, and done when all have ended', async () => {
    await using one = await openMachines(600, (theatre) => slowly(theatre, 400));
    const { theatre, batchId, sender, second, third } = one;
    const helping = [second.help(), third.help()];
    const startedMs = theatre.now();
    await theatre.time.drive(sender.send(batchId));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 600 });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done' });
    expect(theatre.sent).toHaveLength(600);
    expect(paidOnce(theatre)).toBe(true);
    for (const { rows } of [sender, second, third]) expect(rows).toBeGreaterThan(150);
    // One alone, with two at a time, takes 120 s.
    expect(theatre.now() - startedMs).toBeLessThan(48_000);
    for (const machine of [second, third]) machine.stop();
    await theatre.time.drive(Promise.all(helping));
    expect(one.workers.openShards).toBe(0);
  });

  test('is not concluded while another machine pays rows of it', async () => {
    await using one = await openMachines(60);
    const { theatre, batchId, sender, second } = one;
    const script = slowly(theatre, 4 * minuteMs);
    const fast: Script = {};
    // Whoever has the first row is slow in all of its shard.
    theatre.script.transfer = async (order, no) =>
      Number(order.reference1?.slice(4)) <= 10 ? script.transfer?.(order, no) : fast.transfer?.(order, no);
    void second.help();
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    await theatre.time.advance(2_000);
    const sending = sender.send(batchId, { waitMs: minuteMs });
    await theatre.time.advance(10 * minuteMs);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'running' });
    expect(sender.rows).toBe(50);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 60 });
    expect(paidOnce(theatre)).toBe(true);
  });

  test('is not concluded while another machine only checks its payees', async () => {
    await using one = await openMachines(60);
    const { theatre, batchId, sender, second } = one;
    theatre.script.check = async () => {
      await theatre.time.sleep(2 * minuteMs);
      return undefined;
    };
    const helping = second.help();
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    await theatre.time.advance(2_000);
    theatre.script = {};
    const sending = sender.send(batchId, { waitMs: minuteMs });
    await theatre.time.advance(minuteMs);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'running' });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 50, ready: 10 });
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 60 });
    second.stop();
    await theatre.time.drive(helping);
  });

  test('is asked about by the sender once the outcome of another machine is in doubt, and not before', async () => {
    await using one = await openMachines(1);
    const { theatre, batchId, sender, second } = one;
    const inquiredAtMs: number[] = [];
    theatre.script.inquire = (inquiry) => {
      inquiredAtMs.push(theatre.now());
      return theatre.found(inquiry, '010004');
    };
    theatre.script.transfer = async () => {
      await theatre.time.sleep(30_000);
      return lost;
    };
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    const helping = second.help();
    await theatre.time.advance(1_000);
    const sentAtMs = theatre.sent[0]?.atMs ?? 0;
    await theatre.time.drive(sender.send(batchId));
    expect(inquiredAtMs[0]).toBeGreaterThanOrEqual(sentAtMs + 30_000);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(theatre.sent).toHaveLength(1);
    second.stop();
    await theatre.time.drive(helping);
  });

  test('goes on with what a machine that was killed has left', async () => {
    await using one = await openMachines(120, (theatre) => slowly(theatre, 1_000));
    const { theatre, batchId, workers, sender, second } = one;
    const mortality = new Mortality();
    const [journal, clock] = [mortality.wrap(theatre.journal), mortality.wrap(theatre.time)];
    theatre.script.inquire = (inquiry) => theatre.found(inquiry, '010004');
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    void second.help({ journal, clock });
    await theatre.time.advance(5_500);
    mortality.isDead = true;
    const atKill = await theatre.statuses(batchId);
    expect(atKill['submitted']).toBeGreaterThan(0);
    const sending = sender.send(batchId);
    await theatre.time.advance(10_000);
    expect(await theatre.statuses(batchId)).toMatchObject({ submitted: expect.any(Number) as number });
    workers.gone.add(second.workerId);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 120 });
    expect(paidOnce(theatre)).toBe(true);
    // It might have woken, and been renewed, while others asked about its rows.
    expect(workers.superseded).toEqual(new Set([second.workerId]));
  });

  test.each([500, 1_500, 2_500, 3_500, 4_500])(
    'is paid to its end when the lease of a machine that was killed runs out %i ms into the run',
    async (goneAtMs) => {
      await using one = await openMachines(60, (theatre) => slowly(theatre, 1_000));
      const { theatre, batchId, workers, sender, second } = one;
      await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
      await second.share.claim(batchId, firstShard);
      // The ten rows that are left take it 5 s.
      const sending = sender.send(batchId);
      await theatre.time.advance(goneAtMs);
      workers.gone.add(second.workerId);
      await theatre.time.drive(sending);
      expect(await theatre.statuses(batchId)).toEqual({ paid: 60 });
      expect(await theatre.batch(batchId)).toMatchObject({ status: 'done' });
    },
  );

  test('is paid to its end when a machine never hears what it was given', async () => {
    await using one = await openMachines(300, (theatre) => slowly(theatre, 400));
    const { theatre, batchId, workers, sender, second } = one;
    const { claimShard } = workers.store;
    let claims = 0;
    workers.store.claimShard = async (...asked) => {
      const shard = await claimShard(...asked);
      const isLost = asked[1] === second.workerId && (claims += 1) === 2;
      if (isLost) throw new Error('it is not known whether what was written last is in the journal');
      return shard;
    };
    const helping = second.help();
    await theatre.time.drive(sender.send(batchId));
    expect(claims).toBeGreaterThan(2);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 300 });
    expect(theatre.sent).toHaveLength(300);
    second.stop();
    await theatre.time.drive(helping);
    expect(workers.openShards).toBe(0);
  });

  test('is concluded when it is cancelled while a machine has rows that it has not heard of', async () => {
    await using one = await openMachines(300, (theatre) => slowly(theatre, 400));
    const { theatre, batchId, workers, sender, second } = one;
    const { claimShard } = workers.store;
    let claims = 0;
    workers.store.claimShard = async (...asked) => {
      if (asked[1] === second.workerId) claims += 1;
      // Without the database its lease is over by then, and renewed later.
      if (asked[1] === second.workerId && claims === 3) return undefined;
      const shard = await claimShard(...asked);
      if (asked[1] !== second.workerId || claims !== 2) return shard;
      await cancelBatch(theatre.journal, await theatre.batch(batchId), theatre.now());
      throw new Error('it is not known whether what was written last is in the journal');
    };
    const helping = second.help();
    await theatre.time.drive(sender.send(batchId));
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done' });
    expect(workers.openShards).toBe(0);
    expect(paidOnce(theatre)).toBe(true);
    second.stop();
    await theatre.time.drive(helping);
  });

  test('stops on all of them when one meets what halts the account', async () => {
    await using one = await openMachines(300);
    const { theatre, batchId, sender, second, third } = one;
    theatre.script = slowly(theatre, 400, {
      transfer: (_order, no) => (no === 20 ? theatre.code('EM053') : undefined),
    });
    const helping = [second.help(), third.help()];
    await theatre.time.drive(sender.send(batchId));
    // Those whose intents were recorded before the halt: on each machine two on their way, and one ahead.
    expect(theatre.sent.length).toBeLessThanOrEqual(20 + 3 * 3);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted' });
    const sentUntilThen = theatre.sent.length;
    await theatre.time.advance(5 * minuteMs);
    expect(theatre.sent).toHaveLength(sentUntilThen);
    await theatre.resume(batchId);
    await theatre.time.drive(sender.send(batchId));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 300 });
    for (const machine of [second, third]) machine.stop();
    await theatre.time.drive(Promise.all(helping));
  });

  test('waits on all of them while the bank is sick, of which one tries at a time whether it is back', async () => {
    await using one = await openMachines(600);
    const { theatre, batchId, sender, second, third } = one;
    const [sickAtMs, wellAtMs] = [noonMs + 5_000, noonMs + 125_000];
    const isSick = (): boolean => theatre.now() >= sickAtMs && theatre.now() < wellAtMs;
    theatre.script.transfer = async () => {
      const code = isSick() ? theatre.code('ET004') : undefined;
      await theatre.time.sleep(400);
      return code;
    };
    const helping = [second.help(), third.help()];
    const sending = sender.send(batchId, { waitMs: 10 * minuteMs });
    await theatre.time.advance(wellAtMs - noonMs);
    const whileSick = theatre.sent.filter(({ atMs }) => atMs >= sickAtMs);
    // Of each machine those that are on their way when the trouble begins, and one ahead of each; then one at a time.
    const first = whileSick.filter(({ atMs }) => atMs < sickAtMs + 1_000);
    expect(first.length).toBeLessThanOrEqual(3 * 3);
    const probes = whileSick.slice(first.length).map(({ atMs }) => atMs);
    expect(probes.length).toBeGreaterThanOrEqual(4);
    // As many as one process makes in two minutes: after 1 s, 2 s, 4 s …
    expect(probes.length).toBeLessThanOrEqual(7);
    // Each pause is longer than the one before, whichever machine has tried.
    const gaps = probes.slice(1).map((atMs, place) => atMs - (probes[place] ?? 0));
    expect(gaps).toEqual(gaps.toSorted((a, b) => a - b));
    await theatre.time.until(() => (theatre.sent.at(-1)?.atMs ?? 0) >= wellAtMs, 10 * minuteMs);
    await theatre.time.advance(3_000);
    const rowsThen = [sender, second, third].map(({ rows }) => rows);
    await theatre.time.advance(3_000);
    for (const [place, { rows }] of [sender, second, third].entries())
      expect(rows).toBeGreaterThan(rowsThen[place] ?? 0);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 600 });
    for (const machine of [second, third]) machine.stop();
    await theatre.time.drive(Promise.all(helping));
  });

  test('is tried by another when the machine whose turn it is dies', async () => {
    await using one = await openMachines(300);
    const { theatre, batchId, workers, sender, second, third } = one;
    let isSick = false;
    theatre.script.transfer = async () => {
      const code = isSick ? theatre.code('ET004') : undefined;
      await theatre.time.sleep(400);
      return code;
    };
    const sending = sender.send(batchId, { waitMs: 10 * minuteMs });
    const helping = second.help();
    await theatre.time.advance(2_000);
    isSick = true;
    await theatre.time.advance(1_100);
    expect(await theatre.journal.payerPause('COMP000001', '0000345924')).toBeDefined();
    const turn = await third.share.takeProbe({ companyId: 'COMP000001', payerAccount: '0000345924' });
    isSick = false;
    const { length } = theatre.sent;
    await theatre.time.advance(minuteMs);
    expect([turn, theatre.sent.length]).toEqual(['taken', length]);
    workers.gone.add(third.workerId);
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 300 });
    second.stop();
    await theatre.time.drive(helping);
  });

  test('is paid with fewer transfers at a time on all machines when one of them finds the bank slow', async () => {
    await using one = await openMachines(1_000);
    const { theatre, batchId, sender, second, third } = one;
    let underWay = 0;
    const atOnce: (readonly [atMs: number, count: number])[] = [];
    const lostAtMs = noonMs + 10_000;
    let isLost = false;
    theatre.script.inquire = (inquiry) => theatre.found(inquiry, '010004');
    theatre.script.transfer = async () => {
      atOnce.push([theatre.now(), (underWay += 1)]);
      const isToBeLost = !isLost && theatre.now() >= lostAtMs;
      isLost ||= isToBeLost;
      await theatre.time.sleep(1_000);
      underWay -= 1;
      return isToBeLost ? lost : undefined;
    };
    const peakIn = (fromMs: number, toMs: number): number =>
      Math.max(...atOnce.flatMap(([atMs, count]) => (atMs >= fromMs && atMs < toMs ? [count] : [])));
    const transferConcurrency = 8;
    const helping = [second.help({ transferConcurrency }), third.help({ transferConcurrency })];
    await theatre.time.drive(sender.send(batchId, { transferConcurrency }));
    expect(peakIn(lostAtMs - 3_000, lostAtMs)).toBe(3 * 8);
    // The reply would have come a second after it was sent; the others hear of it within one more, and end what they are at.
    const [heardMs, later] = [lostAtMs + 3_500, lostAtMs + 5_500];
    expect(peakIn(heardMs, later)).toBeLessThanOrEqual(12 + 4);
    expect(peakIn(heardMs, later)).toBeGreaterThanOrEqual(12 - 3);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1_000 });
    for (const machine of [second, third]) machine.stop();
    await theatre.time.drive(Promise.all(helping));
  });

  test('is not halted for what others have under way, however much it is', async () => {
    await using one = await openMachines(200);
    const { theatre, batchId, sender, second } = one;
    const brake = { consecutiveFailures: 1_000, failureShare: 1, window: 1_000, inDoubtMax: 4 };
    // One of the sender's is lost while as many as may be in doubt are under way elsewhere.
    theatre.script = slowly(theatre, 20_000, { inquire: (inquiry) => theatre.found(inquiry, '010004') });
    const slow = theatre.script.transfer;
    theatre.script.transfer = async (order, no) => {
      if (order.reference1 === 'ref 51') return lost;
      return slow?.(order, no);
    };
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    void second.help({ transferConcurrency: 10 });
    await theatre.time.advance(1_000);
    const sending = sender.send(batchId, { brake });
    await theatre.time.advance(minuteMs);
    expect(await theatre.journal.payerHalt('COMP000001', '0000345924')).toBeUndefined();
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 200 });
  });

  test('goes on though a process that was frozen as it ended its run pauses it', async () => {
    await using one = await openMachines(200, (theatre) => slowly(theatre, 400));
    const { theatre, batchId, sender, second } = one;
    const helping = second.help();
    const sending = sender.send(batchId);
    await theatre.time.advance(5_000);
    const { journal } = theatre;
    await journal.holdReady(batchId, 'paused', interruptedReason, theatre.now());
    await journal.moveBatch(batchId, 'paused', interruptedReason, theatre.now());
    await theatre.time.drive(sending);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 200 });
    expect(paidOnce(theatre)).toBe(true);
    second.stop();
    await theatre.time.drive(helping);
  });

  test('tries rows that do not get on less and less often', async () => {
    await using one = await openMachines(3);
    const { theatre, batchId, sender, second } = one;
    await theatre.journal.moveBatch(batchId, 'running', null, noonMs);
    let tries = 0;
    const journal = new Proxy(theatre.journal, {
      get: (target, name) =>
        name === 'apply'
          ? async () => {
              tries += 1;
              return [false];
            }
          : (Reflect.get(target, name) as unknown),
    });
    const helping = second.help({ journal });
    await theatre.time.advance(10 * minuteMs);
    expect(tries).toBeGreaterThan(10);
    expect(tries).toBeLessThan(3 * 30);
    second.stop();
    await theatre.time.drive(helping);
    await theatre.time.drive(sender.send(batchId));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('is paid to its end though the end of a shard could not be recorded at once', async () => {
    await using one = await openMachines(120);
    const { theatre, batchId, sender, workers } = one;
    const { endShard } = workers.store;
    let failures = 0;
    workers.store.endShard = async (shardId) => {
      failures += 1;
      if (failures <= 2) throw new Error('the database cannot be reached');
      await endShard(shardId);
    };
    await theatre.time.drive(sender.send(batchId));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 120 });
    expect(workers.openShards).toBe(0);
  });
});
