/** The ends of all machines are counted together, and halt the payer account with the last of too many. */
import { counted as countThings, message } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { afterChange } from '../../../src/core/change.ts';
import type { BrakeLimits, Change } from '../../../src/core/ports.ts';
import { type CountedEnds, noEnds } from '../../../src/payout/rules/brake.ts';
import { lastSendOverMs, leaseMs } from '../../../src/payout/rules/lease.ts';
import { payerBreakerReads, payerBreakerWrites } from '../../../src/store/payouts/batches.ts';
import { liftPayerHalt, readCounts } from '../../../src/store/postgres/payer-breakers.ts';
import { type Cluster, type Machine, openCluster } from '../../support/cluster.ts';
import { endOf, intentOf, noonMs, payer, type Submitted, why } from '../../support/journal-fixtures.ts';
import { describePostgres } from '../../support/postgres.ts';

const limits: BrakeLimits = { consecutiveFailures: 10, failureShare: 0.5, window: 20 };

async function openMachines(cluster: Cluster, count: number): Promise<Machine[]> {
  const machines: Machine[] = [];
  for (let pid = 1; pid <= count; pid += 1) {
    const machine = cluster.open();
    machine.workerId = await machine.workers.joinAsHelper({ machine: `pay-${pid}`, pid, command: 'watch' });
    machines.push(machine);
  }
  return machines;
}

async function isApplied({ apply }: Machine, change: Change): Promise<boolean> {
  const [applied] = await apply([change]);
  return applied === true;
}

async function submit(machine: Machine, rowNo: number): Promise<Submitted> {
  const { change, attempt } = intentOf(await machine.payout(rowNo));
  if (!(await isApplied(machine, change))) throw new Error(`the intent of row ${rowNo} was refused`);
  return { payout: afterChange(change), attempt };
}

const counted = (sent: Submitted, isPaid: boolean): Change => ({
  ...endOf(sent, isPaid ? 'paid' : 'failed'),
  end: { kind: 'counted', isPaid, limits },
});

const readHalt = ({ engine }: Cluster) =>
  engine.read(() => payerBreakerReads.payerHalt(payer.companyId, payer.payerAccount));

async function readCounted({ engine }: Cluster): Promise<CountedEnds> {
  const counts = await engine.read(() => readCounts());
  return counts.get(`${payer.companyId} ${payer.payerAccount}`)?.counted ?? noEnds;
}

const rowsTo = (count: number): number[] => Array.from({ length: count }, (_, place) => place + 1);

/** Has each of these end on the next machine in turn. */
async function endInTurn(
  machines: readonly Machine[],
  sent: readonly Submitted[],
  isPaid: boolean,
): Promise<void> {
  for (const [place, one] of sent.entries())
    expect(await isApplied(machines[place % machines.length] as Machine, counted(one, isPaid))).toBe(true);
}

async function openWithSent(rows: number, machinesCount = 4) {
  const cluster = await openCluster();
  await cluster.ready(...rowsTo(rows + 5));
  const machines = await openMachines(cluster, machinesCount);
  const sent: Submitted[] = [];
  for (const rowNo of rowsTo(rows))
    sent.push(await submit(machines[rowNo % machinesCount] as Machine, rowNo));
  return { cluster, machines, sent, [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose]() };
}

describePostgres('the brake of several machines', () => {
  test('halts with the tenth end in a row, whichever machine each of them was on', async () => {
    await using scene = await openWithSent(10);
    const { cluster, machines, sent } = scene;
    await endInTurn(machines, sent.slice(0, 9), false);
    expect(await readHalt(cluster)).toBeUndefined();
    await endInTurn(machines, sent.slice(9), false);
    expect(await readHalt(cluster)).toMatchObject({
      code: 'brake-consecutive',
      reason: message('brake.payouts-in-a-row', { payouts: countThings(10, 'payout') }),
      sinceMs: noonMs + 9,
    });
    for (const machine of machines)
      expect(await isApplied(machine, intentOf(await machine.payout(11)).change)).toBe(false);
  });

  test('begins anew with one that was paid, and looks back on the window', async () => {
    await using scene = await openWithSent(20);
    const { cluster, machines, sent } = scene;
    await endInTurn(machines, sent.slice(0, 9), false);
    await endInTurn(machines, sent.slice(9, 19), true);
    expect(await readHalt(cluster)).toBeUndefined();
    await endInTurn(machines, sent.slice(19), false);
    expect(await readHalt(cluster)).toMatchObject({
      code: 'brake-share',
      reason: message('brake.payouts-of-the-last', { bad: 10, payouts: countThings(20, 'payout') }),
    });
  });

  test('keeps back the intents that come with the end that halts, of its machine and of others', async () => {
    await using scene = await openWithSent(10);
    const { cluster, machines, sent } = scene;
    const [one] = machines as [Machine];
    await endInTurn(machines, sent.slice(0, 9), false);
    const intents = await Promise.all(
      machines.map(async (machine, place) => intentOf(await machine.payout(11 + place)).change),
    );
    const ended = isApplied(one, counted(sent[9] as Submitted, false));
    const asked = machines.map((machine, place) => isApplied(machine, intents[place] as Change));
    expect(await ended).toBe(true);
    // Of the same commit on the first; on the others before it or after it.
    expect(await asked[0]).toBe(false);
    await Promise.all(asked);
    const late = await cluster.sql(
      `select seq from event where cause = 'intent-recorded'
         and seq > (select max(seq) from event where cause <> 'intent-recorded')`,
    );
    expect(late).toEqual([]);
  });

  test('counts each end once, however many are committed at once', async () => {
    await using scene = await openWithSent(12);
    const { cluster, machines, sent } = scene;
    await Promise.all(
      sent.map((one, place) =>
        isApplied(machines[place % 4] as Machine, counted(one, place === 11 || place < 5)),
      ),
    );
    const { blocks, ends, failures } = await readCounted(cluster);
    expect(blocks).toHaveLength(12);
    expect([ends, failures]).toEqual([12, 6]);
  });

  test('counts nothing that the journal refuses', async () => {
    await using scene = await openWithSent(1);
    const { cluster, machines, sent } = scene;
    const [one, other] = machines as [Machine, Machine];
    expect(await isApplied(one, counted(sent[0] as Submitted, false))).toBe(true);
    expect(await isApplied(other, counted(sent[0] as Submitted, false))).toBe(false);
    expect((await readCounted(cluster)).consecutiveFailures).toBe(1);
  });

  test('forgets what it has counted when an operator resumes', async () => {
    await using scene = await openWithSent(12);
    const { cluster, machines, sent } = scene;
    await endInTurn(machines, sent.slice(0, 10), false);
    expect(await cluster.engine.write(() => liftPayerHalt(payer.companyId, payer.payerAccount, noonMs))).toBe(
      true,
    );
    await endInTurn(machines, sent.slice(10), false);
    expect(await readHalt(cluster)).toBeUndefined();
    expect((await readCounted(cluster)).consecutiveFailures).toBe(2);
  });

  test('halts with the row that shows the payer’s own trouble, whose cause stays the first', async () => {
    await using scene = await openWithSent(2);
    const { cluster, machines, sent } = scene;
    const [one, other] = machines as [Machine, Machine];
    const halting = { ...endOf(sent[0] as Submitted, 'failed'), end: { kind: 'halts', why } } as const;
    const later = { kind: 'halts', why: { ...why, code: 'EM999' } } as const;
    const intent = intentOf(await one.payout(3)).change;
    expect(await one.apply([halting, intent])).toEqual([true, false]);
    expect(await isApplied(other, { ...endOf(sent[1] as Submitted, 'failed'), end: later })).toBe(true);
    expect(await readHalt(cluster)).toMatchObject(why);
  });
});

describePostgres('the turn to try whether a pause is over', () => {
  async function openProbing() {
    const cluster = await openCluster();
    const machines = await openMachines(cluster, 2);
    const [first, second] = machines as [Machine, Machine];
    const turnOf = ({ workers, workerId = 0 }: Machine) => workers.takeProbe(payer, workerId);
    const end = ({ workers, workerId = 0 }: Machine, isAnswered: boolean) =>
      workers.endProbe(payer, workerId, isAnswered);
    return {
      cluster,
      first,
      second,
      turnOf,
      end,
      [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
    };
  }

  test('is one machine’s at a time, however many ask at once', async () => {
    await using scene = await openProbing();
    const { first, second, turnOf, end } = scene;
    const turns = await Promise.all([turnOf(first), turnOf(second)]);
    expect(turns.toSorted()).toEqual(['held', 'taken']);
    const [owner, other] = turns[0] === 'taken' ? [first, second] : [second, first];
    expect(await turnOf(owner)).toBe('taken');
    // It is not another's to give back.
    await end(other, false);
    expect(await turnOf(other)).toBe('held');
    await end(owner, false);
    expect(await turnOf(other)).toBe('taken');
  });

  test('is free when its owner is gone, or has ended, or has it for too long', async () => {
    await using scene = await openProbing();
    const { cluster, first, second, turnOf } = scene;
    await turnOf(first);
    await cluster.age(first.workerId ?? 0, leaseMs + 1);
    expect(await turnOf(second)).toBe('taken');
    await first.workers.renew(first.workerId ?? 0);
    expect(await turnOf(first)).toBe('held');
    await second.workers.endWorker(second.workerId ?? 0);
    expect(await turnOf(first)).toBe('taken');
    const third = await openMachines(cluster, 1);
    await cluster.sql(`update payer_breaker set probe_until_ms = probe_until_ms - ${lastSendOverMs}`);
    expect(await turnOf(third[0] as Machine)).toBe('taken');
  });

  test('is not needed when the bank has answered another, until there is a pause again', async () => {
    await using scene = await openProbing();
    const { cluster, first, second, turnOf, end } = scene;
    await turnOf(first);
    await end(first, true);
    expect(await second.workers.wasAnswered(payer)).toBe(true);
    expect(await turnOf(second)).toBe('answered');
    const { companyId, payerAccount } = payer;
    const pause = { ...why, troubles: 1, isTransfer: true, sinceMs: noonMs, untilMs: noonMs + 1_000 };
    await cluster.engine.write(() =>
      payerBreakerWrites.recordPayerPause({ companyId, payerAccount, ...pause }),
    );
    expect(await turnOf(second)).toBe('taken');
    expect(await first.workers.wasAnswered(payer)).toBe(false);
  });

  test('keeps what was counted, and the count keeps the turn', async () => {
    await using scene = await openWithSent(2);
    const { cluster, machines, sent } = scene;
    const [one, other] = machines as [Machine, Machine];
    await endInTurn(machines, sent.slice(0, 1), false);
    expect(await one.workers.takeProbe(payer, one.workerId ?? 0)).toBe('taken');
    await endInTurn(machines, sent.slice(1), false);
    expect(await other.workers.takeProbe(payer, other.workerId ?? 0)).toBe('held');
    await one.workers.endProbe(payer, one.workerId ?? 0, false);
    expect((await readCounted(cluster)).consecutiveFailures).toBe(2);
  });
});
