/** Ways in which a stop or a doubt was once lost, each played through to its end. */
import { describe, expect, test } from 'vitest';
import { cancelBatch } from '../../src/payout/operator.ts';
import { lost, noonMs, payer, policy } from '../support/core-fixtures.ts';
import { notSent, stage, type Theatre } from '../support/theatre.ts';

/** Two attempts, both refused for the payer; afterwards `late` decides what is said about the first. */
async function refusedTwice(late: { code: string | undefined }) {
  const one = await stage(1, (theatre: Theatre) => ({
    transfer: () => theatre.code('EM053'),
    inquire: (inquiry) =>
      theatre.found(inquiry, inquiry.transRefNo === theatre.sent[0]?.transRefNo ? late.code : '030002'),
  }));
  await one.theatre.run(one.batchId);
  await one.theatre.resume(one.batchId);
  await one.theatre.run(one.batchId);
  return one;
}

describe('what was once lost', () => {
  test('doubt stays with the attempt that is alive', async () => {
    const late: { code: string | undefined } = { code: undefined };
    await using one = await refusedTwice(late);
    late.code = '010003';
    await one.theatre.resume(one.batchId);
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ unresolved: 1 });
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ unresolved: 1 });
    late.code = '010004';
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 1 });
  });
  test('the result shows the reference that was paid', async () => {
    const late: { code: string | undefined } = { code: undefined };
    await using one = await refusedTwice(late);
    late.code = '010004';
    await one.theatre.resume(one.batchId);
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 1 });
    await using snapshot = await one.theatre.journal.snapshot();
    for (const row of (await Array.fromAsync(snapshot.resultRows(one.batchId))).flat())
      expect(row.transRefNo).toBe(one.theatre.sent[0]?.transRefNo);
  });
  test('the stop is durable while others still wait for their answers', async () => {
    await using one = await stage(20, (theatre) => ({
      transfer: async ({ transRefNo }, no) => {
        if (no > 1) return theatre.code('EM053');
        await theatre.time.sleep(20_000);
        return theatre.code('IC000', { transRefNo });
      },
    }));
    void one.theatre.start(one.batchId);
    await one.theatre.time.advanceTo(noonMs + 10_000);
    expect(await one.theatre.journal.payerHalt(payer.companyId, payer.payerAccount)).toBeDefined();
  });
  test('a bank out of reach while earlier attempts are asked about is waited for', async () => {
    let asks = 0;
    await using one = await stage(1, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? theatre.code('EM053') : undefined),
      inquire: (inquiry) => ((asks += 1) < 3 ? notSent : theatre.found(inquiry, undefined)),
    }));
    await one.theatre.run(one.batchId);
    await one.theatre.resume(one.batchId);
    await one.theatre.run(one.batchId);
    expect([await one.theatre.statuses(one.batchId), await one.theatre.exitCode(one.batchId)]).toEqual([
      { paid: 1 },
      0,
    ]);
  });
  test('a cancelled batch is not asked about every second', async () => {
    let checks = 0;
    await using one = await stage(2, (theatre) => ({
      check: () => {
        checks += 1;
        return theatre.checked('IC001');
      },
      transfer: async (_order, no) => {
        if (no === 1) return theatre.code('EM073');
        await theatre.time.sleep(20_000);
        return theatre.code('TM001');
      },
      inquire: (inquiry) =>
        theatre.found(inquiry, inquiry.transRefNo === theatre.sent[0]?.transRefNo ? '010003' : '030002'),
    }));
    const run = one.theatre.start(one.batchId);
    await one.theatre.time.advanceTo(noonMs + 10_000);
    await cancelBatch(one.theatre.journal, await one.theatre.batch(one.batchId), one.theatre.now());
    await one.theatre.time.drive(run);
    expect(checks).toBeLessThan(10);
  });
  test('six rows without a usable answer count six times', async () => {
    await using one = await stage(6, (theatre) => ({
      transfer: () => theatre.answer<never>(undefined, { httpStatus: 500 }),
    }));
    await one.theatre.run(one.batchId, { settle: { ...policy, resendsMax: 0 } });
    expect((await one.theatre.batch(one.batchId)).status).toBe('done');
  });
});
void lost;
