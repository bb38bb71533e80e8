/** Batches that waited too long: held for a person, each on its own, before anything more of them is sent. */
import { inEnglish } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { StatusInquiry } from '../../src/core/bank-port.ts';
import { resumePayouts } from '../../src/payout/operator.ts';
import { lost, noonMs, payer } from '../support/core-fixtures.ts';
import { ingest, makeRow, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { dayMs, minuteMs, openTheatre, stageInMemory, type Theatre } from '../support/theatre.ts';

const hourMs = 60 * minuteMs;

const rowOf = async ({ journal }: Theatre, payoutId: string) => {
  const [found] = await journal.findPayouts(payoutId);
  if (found === undefined) throw new Error(`no ${payoutId}`);
  return found.row;
};

const payerHalt = ({ journal }: Theatre) => journal.payerHalt(payer.companyId, payer.payerAccount);

/** Too busy to take a transfer: the line pauses for as long as the bank asks. */
const busyFor = (theatre: Theatre, retryAfterMs: number) =>
  retryAfterMs === 0 ? undefined : theatre.answer<never>(undefined, { httpStatus: 429, retryAfterMs });

/** The bank knows the first transfer alone, and completes it at a moment. */
const completeFrom = (theatre: Theatre, atMs: number) => (inquiry: StatusInquiry) => {
  const code = theatre.now() < atMs ? '010003' : '010004';
  return theatre.found(inquiry, inquiry.transRefNo === theatre.sent[0]?.transRefNo ? code : undefined);
};

/** One batch of two rows whose file was dropped 25 hours ago. */
async function stageOld() {
  const one = await stageInMemory(2, () => ({}));
  one.theatre.time.jump(25 * hourMs);
  return one;
}

describe('a file that waited longer than a batch may', () => {
  test('is held before its first row is sent, and says why', async () => {
    await using one = await stageOld();
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    const batch = await theatre.batch(batchId);
    expect(batch).toMatchObject({ status: 'halted', reasonCode: 'batch-too-old' });
    expect(batch.reason && inEnglish(batch.reason)).toMatch(
      /^its file was dropped 25 h 0 min ago; after 24 h /,
    );
    expect(batch.remedy && inEnglish(batch.remedy)).toContain('then resume the batch');
    expect(await rowOf(theatre, 'INV-1')).toMatchObject({
      status: 'held',
      holds: ['halted'],
      reasonCode: 'batch-too-old',
    });
    expect(await theatre.exitCode(batchId)).toBe(6);
    expect(await payerHalt(theatre)).toBeUndefined();
  });

  test('stays held when the file is run again, and is paid when a person resumes the batch', async () => {
    await using one = await stageOld();
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    await theatre.resume(batchId);
    await theatre.run(batchId);
    expect([await theatre.statuses(batchId), await theatre.exitCode(batchId)]).toEqual([{ paid: 2 }, 0]);
  });

  test('gets old anew when a person resumes it and nobody runs it', async () => {
    await using one = await stageOld();
    const { theatre, batchId } = one;
    await theatre.resume(batchId);
    theatre.time.jump(25 * hourMs);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    const { reason } = await theatre.batch(batchId);
    expect(reason && inEnglish(reason)).toMatch(/^a person last let it go on 25 h 0 min ago/);
  });

  test('stays held when a person lets one of its rows go on: they have looked at the row alone', async () => {
    await using one = await stageOld();
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await resumePayouts(theatre.journal, [(await rowOf(theatre, 'INV-1')).seq], theatre.now());
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', ageFromMs: noonMs });
  });

  test('stops no other batch of the payer account', async () => {
    await using one = await stageOld();
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const young = await ingest(theatre.journal, makeRows(2, 11), { batchId: secondBatchId });
    await theatre.resume(young.batchId);
    await theatre.run(young.batchId);
    expect(await theatre.statuses(young.batchId)).toEqual({ paid: 2 });
    expect((await theatre.batch(batchId)).status).toBe('halted');
  });

  test('goes on at once when the setting is 0', async () => {
    await using one = await stageOld();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { limits: { batchMaxAgeHours: 0, similarDays: 0 } });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });

  test('is young on a clock that was set back', async () => {
    await using one = await stageInMemory(2, () => ({}));
    one.theatre.time.jump(-3 * dayMs);
    await one.theatre.run(one.batchId);
    expect(await one.theatre.statuses(one.batchId)).toEqual({ paid: 2 });
  });
});

describe('an old batch with nothing left to send', () => {
  test('is not held for its age: what is in doubt is settled', async () => {
    await using one = await stageInMemory(2, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? lost : undefined),
      inquire: completeFrom(theatre, noonMs + 30 * hourMs),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1, submitted: 1 });
    theatre.time.jump(31 * hourMs);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done', reasonCode: null });
  });

  test('settles what is in doubt when it is held, too', async () => {
    await using one = await stageInMemory(4, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? lost : busyFor(theatre, hourMs)),
      inquire: completeFrom(theatre, noonMs + 20 * hourMs),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toMatchObject({
      submitted: expect.any(Number) as number,
      held: expect.any(Number) as number,
    });
    const sentBefore = theatre.sent.length;
    theatre.time.jump(25 * hourMs);
    await theatre.run(batchId);
    expect(theatre.sent).toHaveLength(sentBefore);
    // A day later a bank that finds nothing may have forgotten what it refused without naming our request.
    const { paid = 0, held = 0, unresolved = 0, ...others } = await theatre.statuses(batchId);
    expect({ total: paid + held + unresolved, others }).toEqual({ total: 4, others: {} });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'batch-too-old' });
  });
});

describe('a batch that gets old while its run waits for the bank', () => {
  const limits = { batchMaxAgeHours: 2, similarDays: 0 };

  /** The bank's first answer asks for three hours of quiet. */
  const quiet = (theatre: Theatre) => ({
    transfer: (_order: unknown, no: number) => (no === 1 ? busyFor(theatre, 3 * hourMs) : undefined),
  });

  test('is held before the next intent', async () => {
    await using one = await stageInMemory(6, quiet);
    const { theatre, batchId } = one;
    await theatre.run(batchId, { limits, waitMs: 48 * hourMs });
    const late = theatre.sent.filter(({ atMs }) => atMs > noonMs + 2 * hourMs);
    expect(late).toEqual([]);
    const { held = 0, paid = 0, ...others } = await theatre.statuses(batchId);
    expect({ total: held + paid, others }).toEqual({ total: 6, others: {} });
    expect(held).toBeGreaterThan(2);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'batch-too-old' });
    expect(await payerHalt(theatre)).toBeUndefined();
  });

  test('goes on in the same run when a person has resumed it before', async () => {
    await using one = await stageInMemory(6, quiet);
    const { theatre, batchId } = one;
    const running = theatre.start(batchId, { limits, waitMs: 48 * hourMs });
    await theatre.time.advanceTo(noonMs + 1.5 * hourMs);
    await theatre.resume(batchId);
    await theatre.time.drive(running);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 6 });
  });

  test('goes on in the same run when a person lets first a row and then the batch go on', async () => {
    await using theatre = await openTheatre();
    theatre.script = {
      transfer: (_order, no) => (no === 1 ? lost : undefined),
      inquire: completeFrom(theatre, noonMs + 12 * minuteMs),
    };
    const rows = [makeRow(1), makeRow(2, { holds: ['limit'] })];
    const { batchId } = await ingest(theatre.journal, rows);
    // Six minutes.
    const shortLimits = { ...limits, batchMaxAgeHours: 0.1 };
    const running = theatre.start(batchId, { limits: shortLimits, waitMs: hourMs });
    await theatre.time.advanceTo(noonMs + 7 * minuteMs);
    await resumePayouts(theatre.journal, [(await rowOf(theatre, 'INV-2')).seq], theatre.now());
    await theatre.time.advanceTo(noonMs + 8 * minuteMs);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'batch-too-old' });
    expect(theatre.sent).toHaveLength(1);
    await theatre.resume(batchId);
    await theatre.time.advanceTo(noonMs + 9 * minuteMs);
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1, paid: 1 });
    await theatre.time.drive(running);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
    expect(await payerHalt(theatre)).toBeUndefined();
  });
});
