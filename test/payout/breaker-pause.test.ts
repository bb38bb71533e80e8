/** Pauses of the line that outlive a run: a service closed for hours, a bank that says when to come back. */
import { describe, expect, test } from 'vitest';
import { PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import { payoutLines } from '../../src/reports/rules/report-rows.ts';
import { noonMs, payer } from '../support/core-fixtures.ts';
import { ingest, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { minuteMs, stageInMemory, type Theatre } from '../support/theatre.ts';

const hourMs = 60 * minuteMs;

/** The exceptions of a batch, by row number: reason and remedy. */
async function exceptionsOf({ journal }: Theatre, batchId: string) {
  await using snapshot = await journal.snapshot();
  const told: { reasonCode: string; reason: string; remedy: string }[] = [];
  for (const row of (await Array.fromAsync(snapshot.resultRows(batchId))).flat()) {
    const [reasonCode = '', reason = '', remedy = ''] = payoutLines
      .renderException(batchId, row)
      .slice(10, 13);
    told.push({ reasonCode, reason, remedy });
  }
  return told;
}

const pauseOf = ({ journal }: Theatre) => journal.payerPause(payer.companyId, payer.payerAccount);

describe('a service that is closed for hours', () => {
  test('costs few attempts though the file is run every five minutes, and goes on when it opens', async () => {
    let isClosed = true;
    await using one = await stageInMemory(3, (theatre) => ({
      transfer: () => (isClosed ? theatre.code('TM001') : undefined),
      inquire: (inquiry) => theatre.found(inquiry, undefined),
    }));
    const { theatre, batchId } = one;
    for (let runs = 0; runs < 72; runs += 1) {
      await theatre.run(batchId, { waitMs: minuteMs });
      expect([await theatre.exitCode(batchId), await theatre.statuses(batchId)]).toEqual([6, { held: 3 }]);
      theatre.time.jump(5 * minuteMs);
    }
    // Twice as late each time: fourteen in the first four hours and a half, and one after three hours more.
    expect(theatre.sent.length).toBeLessThan(18);
    expect(await pauseOf(theatre)).toMatchObject({ code: 'TM001', isTransfer: true });
    for (const { reasonCode, reason, remedy } of await exceptionsOf(theatre, batchId)) {
      expect(reasonCode).toBe('TM001');
      expect(reason).toMatch(/left alone until 2026-11-2\d \d\d:\d\d:\d\d Bangkok time \(held: paused\)$/);
      expect(remedy).toContain('Sent again when the service opens');
    }
    isClosed = false;
    theatre.time.jump(3 * hourMs);
    await theatre.run(batchId, { waitMs: minuteMs });
    expect([await theatre.exitCode(batchId), await theatre.statuses(batchId)]).toEqual([0, { paid: 3 }]);
    expect(await pauseOf(theatre)).toBeUndefined();
  });

  test('is waited for by a run that has the time', async () => {
    await using one = await stageInMemory(3, (theatre) => ({
      transfer: () => (theatre.now() < noonMs + hourMs ? theatre.code('TM001') : undefined),
    }));
    await one.theatre.run(one.batchId, { waitMs: 3 * hourMs });
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 3 });
    // The pause is as long as all those before it together.
    expect(one.theatre.now()).toBeLessThan(noonMs + 2 * hourMs + 16 * minuteMs);
  });
});

describe('a bank that says when to come back', () => {
  const slow = (theatre: Theatre) => ({
    transfer: (_order: unknown, no: number) =>
      no === 1
        ? theatre.answer<never>(undefined, { httpStatus: 429, retryAfterMs: 20 * minuteMs })
        : undefined,
  });

  test('is left alone until then, by later runs too, which end at once', async () => {
    await using one = await stageInMemory(5, slow);
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 5 * minuteMs });
    expect(await theatre.exitCode(batchId)).toBe(6);
    const sent = theatre.sent.length;
    for (const jumpMs of [2 * minuteMs, 6 * minuteMs]) {
      theatre.time.jump(jumpMs);
      const beganMs = theatre.now();
      await theatre.run(batchId, { waitMs: minuteMs });
      expect([await theatre.exitCode(batchId), theatre.sent.length]).toEqual([6, sent]);
      expect(theatre.now() - beganMs).toBeLessThanOrEqual(minuteMs);
    }
    theatre.time.jump(12 * minuteMs);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 5 });
    expect(theatre.sent[sent]?.atMs).toBeGreaterThanOrEqual(noonMs + 20 * minuteMs);
  });

  test('holds the next file of the same process up, too', async () => {
    await using one = await stageInMemory(1, slow);
    const { theatre } = one;
    const breaker = new PayerBreaker();
    await theatre.run(one.batchId, { waitMs: minuteMs, breaker });
    const next = await ingest(theatre.journal, makeRows(4, 100), { batchId: secondBatchId });
    await theatre.run(next.batchId, { waitMs: minuteMs, breaker });
    expect([await theatre.exitCode(next.batchId), theatre.sent.length]).toEqual([6, 1]);
    const [told] = await exceptionsOf(theatre, next.batchId);
    expect(told).toMatchObject({ reasonCode: 'http-429' });
  });

  test('is not waited for in vain: with nothing in doubt the run ends at once', async () => {
    await using one = await stageInMemory(1, slow);
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: minuteMs });
    const next = await ingest(theatre.journal, makeRows(4, 100), { batchId: secondBatchId });
    const beganMs = theatre.now();
    await theatre.run(next.batchId, { waitMs: 5 * minuteMs });
    expect(theatre.now() - beganMs).toBeLessThan(5_000);
    expect([await theatre.exitCode(next.batchId), await theatre.statuses(next.batchId)]).toEqual([
      6,
      { held: 4 },
    ]);
  });

  test('is tried at once when a person resumes, by the next run or by one that waits', async () => {
    await using one = await stageInMemory(5, slow);
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 5 * minuteMs });
    await theatre.resume(batchId);
    expect(await pauseOf(theatre)).toBeUndefined();
    const run = theatre.start(batchId, { waitMs: 2 * hourMs });
    await theatre.time.drive(run);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 5 });
    expect(theatre.now()).toBeLessThan(noonMs + 20 * minuteMs);
  });

  test('is tried by a run that waits when a person resumes meanwhile', async () => {
    await using one = await stageInMemory(5, slow);
    const { theatre, batchId } = one;
    const run = theatre.start(batchId, { waitMs: 2 * hourMs });
    await theatre.time.advanceTo(noonMs + 4 * minuteMs);
    expect(await pauseOf(theatre)).toMatchObject({ code: 'http-429', untilMs: noonMs + 20 * minuteMs });
    await theatre.resume(batchId);
    await theatre.time.drive(run);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 5 });
    expect(theatre.sent.every(({ atMs }) => atMs < noonMs + 5 * minuteMs)).toBe(true);
  });

  test('does not hold us up for longer when our clock is set back', async () => {
    await using one = await stageInMemory(5, slow);
    const { theatre, batchId } = one;
    const interrupt = new AbortController();
    const run = theatre.start(batchId, { waitMs: 8 * hourMs, interrupted: interrupt.signal });
    await theatre.time.advanceTo(noonMs + 4 * minuteMs);
    theatre.time.jump(-3 * hourMs);
    await theatre.time.advanceTo(theatre.now() + 22 * minuteMs);
    // The fifth, which the bank turned away, may have been sent again by now or not.
    const { paid = 0 } = await theatre.statuses(batchId);
    expect(paid).toBeGreaterThanOrEqual(4);
    interrupt.abort();
    await theatre.time.drive(run);
  });
});
