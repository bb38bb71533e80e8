/** The right to send where several machines work one journal, on a real PostgreSQL. */
import { hostname } from 'node:os';
import { expect, test } from 'vitest';
import { type MachinePlace, takeMachinePlace } from '../../../src/app/machines/machine-place.ts';
import { nameOwner } from '../../../src/app/session.ts';
import type { WorkerStore } from '../../../src/payout/ports.ts';
import { leaseMs } from '../../../src/payout/rules/lease.ts';
import { describePostgres } from '../../support/postgres.ts';
import { makeVirtualClock, type VirtualClock } from '../../support/virtual-clock.ts';
import { batchId, openCluster } from '../../support/cluster.ts';

const logged: string[] = [];
const log = (_level: string, message: string): void => void logged.push(message);

async function acquire(workers: WorkerStore, clock: VirtualClock): Promise<MachinePlace> {
  const right = await takeMachinePlace(workers, { command: 'watch', clock, log });
  if ('heldBy' in right) throw new Error(`taken by ${nameOwner(right.heldBy)}`);
  return right;
}

describePostgres('the right to send', () => {
  test('is refused while another has it, who is named', async () => {
    await using cluster = await openCluster();
    const clock = makeVirtualClock();
    await using first = await acquire(cluster.workers, clock);
    expect(first.keeper.isHeld).toBe(true);
    const second = await takeMachinePlace(cluster.workers, { command: 'run', clock, log });
    expect('heldBy' in second && nameOwner(second.heldBy)).toMatch(
      new RegExp(`^"paydrop watch" \\(process ${process.pid} on ${hostname()}, since 20`),
    );
  });

  test('goes to the next as soon as it is given back', async () => {
    await using cluster = await openCluster();
    const clock = makeVirtualClock();
    const first = await acquire(cluster.workers, clock);
    await first[Symbol.asyncDispose]();
    expect(first.keeper.isHeld).toBe(false);
    await using second = await acquire(cluster.workers, clock);
    expect(second.keeper.isHeld).toBe(true);
  });

  test('of a process that ends at once runs out by itself, and is not said to be over', async () => {
    await using cluster = await openCluster();
    const clock = makeVirtualClock();
    const first = await acquire(cluster.workers, clock);
    first[Symbol.dispose]();
    expect(first.keeper.isHeld).toBe(false);
    expect(await cluster.workers.workers()).toMatchObject([{ workerId: first.workerId, endedAtMs: null }]);
    await expect(acquire(cluster.workers, clock)).rejects.toThrow('taken by');
    await cluster.age(first.workerId, leaseMs + 1);
    await using second = await acquire(cluster.workers, clock);
    expect(second.workerId).toBeGreaterThan(first.workerId);
  });

  test.each([-3_600_000, 0, 3_600_000])(
    'is kept, and lost, whatever the clock of the machine shows (%d ms off)',
    async (offMs) => {
      await using cluster = await openCluster();
      const [clock, other] = [makeVirtualClock(Date.now() + offMs), makeVirtualClock(Date.now())];
      await using first = await acquire(cluster.workers, clock);
      await expect(acquire(cluster.workers, other)).rejects.toThrow('taken by');
      await cluster.age(first.workerId, leaseMs + 1);
      await using second = await acquire(cluster.workers, other);
      expect(second.keeper.isHeld).toBe(true);
      first.noteRefused();
      await expect.poll(() => first.keeper.lost.aborted).toBe(true);
      expect(first.keeper.isHeld).toBe(false);
    },
  );

  test('counts what it has under way as the helper that it was for its own', async () => {
    await using cluster = await openCluster();
    await cluster.ready(1, 2, 3);
    const asked = { command: 'watch', clock: makeVirtualClock(), log, mayHelp: true };
    const take = async () => (await takeMachinePlace(cluster.workers, asked)) as MachinePlace;
    const [first, second] = [await take(), await take()];
    await using third = await take();
    expect([first.role, second.role, third.role]).toEqual(['sender', 'helper', 'helper']);
    await second.share.claim(batchId, { rowsMax: 50, afterRow: undefined });
    await cluster.sql(`update payout set status = 'submitted', attempt_no = 1, submitted_at_ms = 1 where row_no < 3;
      insert into attempt (payout_seq, attempt_no, status, trans_ref_no, channel_id, term_id, company_id, payer_account,
        tran_date, tran_time, proxy_type, proxy_no, amount_text, order_hash, intent_at_ms, sends, acknowledged, reference_conflict,
        inquiries)
      select seq, 1, 'recorded', 'R' || seq, '', '', '', '', '', '', '', '', '', '', 1, 1, 0, 0, 0
      from payout where row_no < 3`);
    expect(await third.share.countUnderWayElsewhere()).toBe(2);
    await first[Symbol.asyncDispose]();
    await second.step();
    expect([second.role, await second.share.countUnderWayElsewhere()]).toEqual(['sender', 0]);
    expect(await third.share.countUnderWayElsewhere()).toBe(2);
    await second[Symbol.asyncDispose]();
  });

  test('that cannot be given back is left to run out', async () => {
    await using cluster = await openCluster();
    const refused = { ...cluster.workers, endWorker: () => Promise.reject(new Error('away')) };
    const first = await acquire(refused, makeVirtualClock());
    await first[Symbol.asyncDispose]();
    expect(logged.at(-1)).toMatch(/runs out by itself/);
  });

  test('is not said to be over while a request is under way', async () => {
    await using cluster = await openCluster();
    const first = await acquire(cluster.workers, makeVirtualClock());
    const answered = await first.follow(Promise.resolve('answered'));
    const request = Promise.withResolvers<string>();
    const followed = first.follow(request.promise);
    // What fails elsewhere ends the process meanwhile.
    first.beginEnding();
    expect(first.keeper.mayTransmit()).toBe(false);
    request.resolve('late');
    expect([answered, await followed]).toEqual(['answered', 'late']);
    await first[Symbol.asyncDispose]();
    expect(logged.at(-1)).toMatch(/requests are still under way/);
    expect(await cluster.workers.workers()).toMatchObject([{ workerId: first.workerId, endedAtMs: null }]);
  });

  test('is over at once when all its requests were answered, or have failed', async () => {
    await using cluster = await openCluster();
    const first = await acquire(cluster.workers, makeVirtualClock());
    await first.follow(Promise.resolve());
    await expect(first.follow(Promise.reject(new Error('cut')))).rejects.toThrow('cut');
    await first[Symbol.asyncDispose]();
    expect(await cluster.workers.workers()).toEqual([]);
  });
});
