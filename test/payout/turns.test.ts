/** A run that waits for its turns under `bank.requestsPerSecond` ends as soon as it is told to. */
import { describe, expect, test } from 'vitest';
import { makeRateLimiter } from '../../src/bank/rate.ts';
import type { Bank, BankReply } from '../../src/core/bank-port.ts';
import { lost } from '../support/core-fixtures.ts';
import { minuteMs, stage, type Theatre } from '../support/theatre.ts';

const withheld = { kind: 'withheld' } as const;

/** The bank of a theatre behind the rate limit of a process. */
function limit({ bank, time }: Theatre, perSecond: number): Bank {
  const takeTurn = makeRateLimiter(perSecond, time);
  const never = new AbortController().signal;
  const inTurn = async <Fields>(
    send: () => Promise<BankReply<Fields>>,
    stop = never,
  ): Promise<BankReply<Fields>> => ((await takeTurn(stop)) === undefined ? withheld : send());
  return {
    checkPayee: (check, stop) => inTurn(() => bank.checkPayee(check), stop),
    transfer: (order, mayTransmit, stop) => inTurn(() => bank.transfer(order, mayTransmit), stop),
    inquire: (inquiry, stop) => inTurn(() => bank.inquire(inquiry), stop),
  };
}

/** Runs the batch and has it stopped after a while. @returns how long it took to end then */
async function stopAfter(theatre: Theatre, batchId: string, ms: number, slow: Bank): Promise<number> {
  const interrupt = new AbortController();
  let stoppedAtMs = 0;
  const stop = async (): Promise<void> => {
    await theatre.time.sleep(ms);
    stoppedAtMs = theatre.now();
    interrupt.abort();
  };
  const stopping = stop();
  await theatre.run(batchId, { bank: slow, interrupted: interrupt.signal });
  const endedAtMs = theatre.now();
  await stopping;
  return endedAtMs - stoppedAtMs;
}

describe('a run under bank.requestsPerSecond that is told to stop', () => {
  test('ends at once, leaves no transfer in doubt that never left, and pays the rest once when it goes on', async () => {
    await using one = await stage(20, () => ({}));
    const { theatre, batchId } = one;
    const tookMs = await stopAfter(theatre, batchId, minuteMs + 35_000, limit(theatre, 0.1));
    expect(tookMs).toBeLessThan(10_000);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'paused', reasonCode: 'interrupted' });
    const { paid, held = 0, ready = 0 } = await theatre.statuses(batchId);
    expect([paid, held + ready]).toEqual([theatre.sent.length, 20 - theatre.sent.length]);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 20 });
    expect(theatre.sent).toHaveLength(20);
  });

  test('counts no inquiry that never left', async () => {
    await using one = await stage(3, () => ({ transfer: () => lost }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 1_000 });
    const before = await theatre.journal.inDoubt(0, 10);
    expect(before).toHaveLength(3);
    const tookMs = await stopAfter(theatre, batchId, 5_000, limit(theatre, 0.01));
    expect(tookMs).toBeLessThan(10_000);
    const after = await theatre.journal.inDoubt(0, 10);
    const asked = after.filter(
      ({ attempt }, place) => attempt.inquiries > (before[place]?.attempt.inquiries ?? 0),
    );
    expect(asked.length).toBeLessThanOrEqual(1);
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 3 });
  });
});
