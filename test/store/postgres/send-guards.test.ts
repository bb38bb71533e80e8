/** What keeps two machines from sending the same, and a machine that has lost its place from sending at all. */
import { expect, test } from 'vitest';
import { inEnglish, isMessage } from '../../../src/core/message.ts';
import { afterChange, move } from '../../../src/core/change.ts';
import type { Change, PaymentLikeness } from '../../../src/core/ports.ts';
import { lastSendOverMs, leaseMs } from '../../../src/payout/rules/lease.ts';
import { decideCancel } from '../../../src/payout/rules/operator.ts';
import { batchWrites, payerBreakerWrites } from '../../../src/store/payouts/batches.ts';
import { payoutReads } from '../../../src/store/payouts/payout-queries.ts';
import { readLatestEventSeq } from '../../../src/store/payouts/rows.ts';
import type { Body } from '../../../src/store/statements.ts';
import { batchId, type Cluster, type Machine, openCluster } from '../../support/cluster.ts';
import {
  endOf,
  intentOf,
  makeRow,
  makeRows,
  noonMs,
  payer,
  type Submitted,
  why,
} from '../../support/journal-fixtures.ts';
import { describePostgres } from '../../support/postgres.ts';

/** A process that has the sender's place. */
async function openSender(cluster: Cluster): Promise<Machine> {
  const machine = cluster.open();
  const place = await machine.workers.takeSenderPlace({ machine: 'pay-1', pid: 1, command: 'watch' });
  if (place.kind === 'held') throw new Error(`${place.by.workerId} has it`);
  machine.workerId = place.workerId;
  return machine;
}

async function openHelping(cluster: Cluster): Promise<Machine> {
  const machine = cluster.open();
  machine.workerId = await machine.workers.joinAsHelper({ machine: 'pay-2', pid: 2, command: 'watch' });
  return machine;
}

async function isApplied({ apply }: Machine, change: Change): Promise<boolean> {
  const [applied] = await apply([change]);
  return applied === true;
}

/** Records the intent to pay a row. */
async function submit(machine: Machine, rowNo: number, attemptsRecorded = 0): Promise<Submitted> {
  const { change, attempt } = intentOf(await machine.payout(rowNo), attemptsRecorded);
  if (!(await isApplied(machine, change))) throw new Error('the intent was refused');
  return { payout: afterChange(change), attempt };
}

/** Has the same attempt sent again. */
function repeat({ payout, attempt }: Submitted): Change {
  const again = { ...attempt, status: 'sent' as const, sends: attempt.sends + 1 };
  const change = move({ payout, patch: {}, cause: 'sending-again', nowMs: noonMs + 9, attempt: again });
  return { ...change, isRepetition: true };
}

/** Fails the first attempt of a row, and has it ready again. */
async function failOnce(machine: Machine, rowNo: number): Promise<void> {
  const failed = endOf(await submit(machine, rowNo), 'failed');
  expect(await isApplied(machine, failed)).toBe(true);
  const ready = move({
    payout: afterChange(failed),
    patch: { status: 'ready', settledAtMs: null, settledBy: null },
    cause: 'tried-again',
    nowMs: noonMs + 10,
  });
  expect(await isApplied(machine, ready)).toBe(true);
}

describePostgres('the fence', () => {
  test('lets the sender and its helpers record intents, and nobody else', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1, 2, 3);
    await submit(await openSender(cluster), 1);
    await submit(await openHelping(cluster), 2);
    const nobody = cluster.open();
    expect(await isApplied(nobody, intentOf(await nobody.payout(3)).change)).toBe(false);
    expect(nobody.refused).toBe(1);
    expect((await nobody.payout(3)).status).toBe('ready');
  });

  test('refuses a worker whose lease is over, until it is renewed', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1);
    const sender = await openSender(cluster);
    await cluster.age(sender.workerId ?? 0, leaseMs + 1);
    expect(await isApplied(sender, intentOf(await sender.payout(1)).change)).toBe(false);
    expect(await sender.workers.renew(sender.workerId ?? 0)).toBe(true);
    await submit(sender, 1);
  });

  test('refuses what a worker whose place was taken would send, and takes what it has learnt', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1, 2);
    const zombie = await openSender(cluster);
    const sent = await submit(zombie, 1);
    await cluster.age(zombie.workerId ?? 0, leaseMs + 1);
    await openSender(cluster);
    expect(await isApplied(zombie, intentOf(await zombie.payout(2)).change)).toBe(false);
    expect(await isApplied(zombie, repeat(sent))).toBe(false);
    expect(zombie.refused).toBe(2);
    expect(await isApplied(zombie, endOf(sent, 'paid'))).toBe(true);
    expect((await zombie.payout(1)).status).toBe('paid');
  });

  test('refuses what was to be sent before a loss was recorded, until that is known', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1, 2);
    const sender = await openSender(cluster);
    expect(await sender.loss()).toBeUndefined();
    await cluster.sql(`insert into journal_loss (recovered_at_ms, since_date, until_date)
      values (${noonMs}, '20261121', '20261122')`);
    expect(await isApplied(sender, intentOf(await sender.payout(1)).change)).toBe(false);
    expect(await isApplied(sender, intentOf(await sender.payout(2)).change)).toBe(false);
    expect(sender.refused).toBe(0);
    expect(await sender.loss()).toMatchObject({ recoveredAtMs: noonMs });
    await submit(sender, 1);
    // Looked at before, as another row of this process has made the loss known.
    const { change } = intentOf(await sender.payout(2));
    expect(await isApplied(sender, { ...change, lossKnownMs: null })).toBe(false);
    expect(await isApplied(sender, { ...change, lossKnownMs: noonMs })).toBe(true);
  });

  test('lets the next sender repeat what the last one has sent', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1);
    const first = await openSender(cluster);
    const sent = await submit(first, 1);
    await first.workers.endWorker(first.workerId ?? 0);
    expect(await isApplied(first, repeat(sent))).toBe(false);
    expect(await isApplied(await openSender(cluster), repeat(sent))).toBe(true);
  });

  test('tells apart the changes of one commit', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1, 2);
    const zombie = await openSender(cluster);
    const sent = await submit(zombie, 1);
    await cluster.age(zombie.workerId ?? 0, leaseMs + 1);
    const intent = intentOf(await zombie.payout(2)).change;
    expect(await zombie.apply([intent, endOf(sent, 'paid'), repeat(sent)])).toEqual([false, true, false]);
  });
});

const hourMs = 3_600_000;

describePostgres('the next attempt', () => {
  test('is made at once by who has sent the one before, and later by anybody else', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1, 2);
    const sender = await openSender(cluster);
    const helper = await openHelping(cluster);
    await failOnce(sender, 1);
    await failOnce(sender, 2);
    expect(await isApplied(helper, intentOf(await helper.payout(1), 1).change)).toBe(false);
    const waitMs = await helper.attemptWaitMs(payer.companyId, 'INV-1');
    expect(waitMs).toBeGreaterThan(lastSendOverMs / 2);
    expect(waitMs).toBeLessThanOrEqual(lastSendOverMs);
    expect(await sender.attemptWaitMs(payer.companyId, 'INV-1')).toBe(0);
    await submit(sender, 1, 1);
    await cluster.sql(
      `update latest_send set sent_at_ms = sent_at_ms - ${lastSendOverMs} where payout_seq = 2`,
    );
    await submit(helper, 2, 1);
  });

  test('is made at once when who has sent the one before has ended', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1);
    const first = await openSender(cluster);
    await failOnce(first, 1);
    await first.workers.endWorker(first.workerId ?? 0);
    const next = await openSender(cluster);
    expect(await next.attemptWaitMs(payer.companyId, 'INV-1')).toBe(0);
    await submit(next, 1, 1);
  });

  test('waits for the last send of an attempt, not for its first', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1);
    const first = await openSender(cluster);
    const sent = await submit(first, 1);
    await cluster.sql(`update latest_send set sent_at_ms = sent_at_ms - ${hourMs}`);
    expect(await isApplied(first, repeat(sent))).toBe(true);
    await cluster.age(first.workerId ?? 0, leaseMs + 1);
    const next = await openSender(cluster);
    expect(await next.attemptWaitMs(payer.companyId, 'INV-1')).toBeGreaterThan(lastSendOverMs / 2);
  });

  test('of a send that nobody remembers waits for nothing', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1);
    const first = await openSender(cluster);
    await failOnce(first, 1);
    await cluster.sql(`update latest_send set sent_at_ms = sent_at_ms - ${hourMs}`);
    const helper = await openHelping(cluster);
    await helper.workers.claimShard(batchId, helper.workerId ?? 0, { rowsMax: 1, afterRow: undefined });
    expect(await cluster.sql('select 1 from latest_send')).toEqual([]);
    await submit(helper, 1, 1);
  });
});

describePostgres('like payouts', () => {
  const likeness = (payoutId: string, changes: Partial<PaymentLikeness> = {}): PaymentLikeness => {
    const { instruction } = makeRow(1);
    if (instruction === null) throw new Error('a valid row has an instruction');
    const { proxyType, proxyNo, amountSatang } = instruction;
    const like = { proxyType, proxyNo, amountSatang, reference1: null, companyId: payer.companyId };
    return { ...like, payoutId, sinceMs: noonMs - hourMs, ...changes };
  };
  const likeRows = makeRows(2).map((row, place) => {
    const [like] = makeRows(1);
    if (row.instruction === null || like?.instruction === undefined || like.instruction === null)
      throw new Error('no instruction');
    const { amountSatang, proxyNo } = like.instruction;
    const instruction = { ...row.instruction, amountSatang, proxyNo, reference1: null };
    return { ...row, rowNo: place + 1, amountSatang, instruction };
  });

  test('of two machines that look at the same time are not both sent', async () => {
    await using cluster = await openCluster();
    await cluster.ready(...likeRows);
    const machines = [await openSender(cluster), await openHelping(cluster)];
    const changes = await Promise.all(
      machines.map(async (machine, place) => {
        const { change } = intentOf(await machine.payout(place + 1));
        return { ...change, likeness: likeness(`INV-${place + 1}`) };
      }),
    );
    const applied = await Promise.all(
      machines.map((machine, place) => isApplied(machine, changes[place] as Change)),
    );
    expect(applied.filter(Boolean)).toHaveLength(1);
  });

  test('of one commit are not both sent', async () => {
    await using cluster = await openCluster();
    await cluster.ready(...likeRows);
    const sender = await openSender(cluster);
    const intents = await Promise.all(
      [1, 2].map(async (rowNo) => {
        const { change } = intentOf(await sender.payout(rowNo));
        return isApplied(sender, { ...change, likeness: likeness(`INV-${rowNo}`) });
      }),
    );
    expect(intents.filter(Boolean)).toHaveLength(1);
  });

  test('that an operator has looked at are both sent', async () => {
    await using cluster = await openCluster();
    await cluster.ready(...likeRows);
    await submit(await openSender(cluster), 1);
    await submit(await openHelping(cluster), 2);
  });
});

/** More than any round takes. */
const readyAtOnce = 50;
const tries = 10_000;

describePostgres('after a committed stop', () => {
  const halt = { ...why, companyId: payer.companyId, payerAccount: payer.payerAccount, sinceMs: noonMs };
  const stops: readonly { name: string; stop: () => Body<unknown>; lift: () => Body<unknown> }[] = [
    {
      name: 'of the payer account',
      stop: () => payerBreakerWrites.recordPayerHalt(halt),
      lift: () => payerBreakerWrites.liftPayerHalt(payer.companyId, payer.payerAccount, noonMs + 1),
    },
    {
      name: 'of the batch',
      stop: () => batchWrites.moveBatch(batchId, 'halted', why, noonMs),
      lift: () => batchWrites.moveBatch(batchId, 'running', null, noonMs + 1),
    },
  ];

  function* withEventSeq(work: () => Body<unknown>): Body<number> {
    yield* work();
    return yield* readLatestEventSeq();
  }

  test.each(stops)('$name no intent is recorded', async ({ stop, lift }) => {
    await using cluster = await openCluster();
    await cluster.ready(...Array.from({ length: tries / 2 }, (_, place) => place + 1));
    const senders = [await openSender(cluster), await openHelping(cluster)];
    const operator = cluster.open();
    const stopped: (readonly [from: number, to: number])[] = [];
    let [asked, recorded, afterStop, afterRow] = [0, 0, 0, 0];
    for (let round = 0; asked < tries; round += 1) {
      const page = await operator.engine.read(() => payoutReads.readyPage(batchId, afterRow, readyAtOnce));
      if (page.length === 0) {
        afterRow = 0;
        continue;
      }
      const intents = () =>
        Promise.all(
          page.map(({ payout }, place) => isApplied(senders[place % 2] as Machine, intentOf(payout).change)),
        );
      // Recorded before, asked for at the same time, and afterwards.
      const early = round % 3 === 0 ? [] : intents();
      if (round % 3 === 1) await early;
      const from = await operator.engine.write(() => withEventSeq(stop));
      const late = await intents();
      stopped.push([from, await operator.engine.write(() => withEventSeq(lift))]);
      asked += page.length * (round % 3 === 0 ? 1 : 2);
      recorded += (await early).filter(Boolean).length;
      afterStop += late.filter(Boolean).length;
      afterRow = page.at(-1)?.payout.rowNo ?? 0;
    }
    expect(afterStop).toBe(0);
    expect(recorded).toBeGreaterThan(0);
    const intents = await cluster.sql(`select seq from event where cause = 'intent-recorded'`);
    expect(intents).toHaveLength(recorded);
    const during = intents.filter(({ seq }) =>
      stopped.some(([from, to]) => Number(seq) > from && Number(seq) <= to),
    );
    expect(during).toEqual([]);
  });

  test('of a row, its cancellation, no intent is recorded, and the other way round', async () => {
    await using cluster = await openCluster();
    const count = 400;
    await cluster.ready(...Array.from({ length: count }, (_, place) => place + 1));
    const [sender, operator] = [await openSender(cluster), cluster.open()];
    const page = await operator.engine.read(() => payoutReads.readyPage(batchId, 0, count));
    const ends = await Promise.all(
      page.map(async ({ payout }, place) => {
        const cancel = decideCancel(payout, noonMs);
        if (isMessage(cancel)) throw new Error(inEnglish(cancel));
        const orders = [() => isApplied(sender, intentOf(payout).change), () => isApplied(operator, cancel)];
        const asked = (place % 2 === 0 ? orders : orders.toReversed()).map((ask) => ask());
        return (await Promise.all(asked)).filter(Boolean).length;
      }),
    );
    expect(ends.every((applied) => applied === 1)).toBe(true);
    const both = await cluster.sql(
      `select 1 from payout p join attempt a on a.payout_seq = p.seq where p.status = 'cancelled'`,
    );
    expect(both).toEqual([]);
  });
});
