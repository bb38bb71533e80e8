/** Limits over time: what a day has used up, payees never paid before and closed days hold a row, until people let it go on. */
import { inEnglishIfAny, message } from '../../src/core/message.ts';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import { resumePayouts } from '../../src/payout/operator.ts';
import { readTimeLimits } from '../../src/payout/rules/limits.ts';
import { settingsSchema } from '../../src/settings/schema.ts';
import { lost, payer } from '../support/core-fixtures.ts';
import { ingest, makeRow, secondBatchId } from '../support/journal-fixtures.ts';
import { findContradictions } from '../support/store-consistency.ts';
import { dayMs, minuteMs, openMemoryTheatre, openTheatre, type Theatre, verify } from '../support/theatre.ts';

const bank = { baseUrl: 'sandbox', ...payer };

/** The limits of a worker under these settings. */
const under = (limits: object) => {
  const { limits: settings } = settingsSchema.parse({ bank, limits });
  return { limits: { batchMaxAgeHours: 0, similarDays: 0, overTime: readTimeLimits(settings) } };
};

/** Rows of 100 baht, each to a payee of its own or all to one. */
const hundreds = (count: number, from = 1, proxyNo?: string): StagedRow[] =>
  Array.from({ length: count }, (_, place) => {
    const row = makeRow(from + place, { amountSatang: toSatang(10_000n) });
    if (row.instruction === null || proxyNo === undefined) return row;
    return { ...row, instruction: { ...row.instruction, proxyNo } };
  });

async function rowOf({ journal }: Theatre, payoutId: string) {
  const [found] = await journal.findPayouts(payoutId);
  if (found === undefined) throw new Error(`no ${payoutId}`);
  return found.row;
}

const letGo = async (theatre: Theatre, payoutId: string) =>
  resumePayouts(theatre.journal, [(await rowOf(theatre, payoutId)).seq], theatre.now());

const busy = { transferConcurrency: 16, verify: { ...verify, concurrency: 16 } };

/** Both kinds of journal keep the same promise. */
const journals = [
  ['on a disk', openTheatre],
  ['in memory', async (startMs?: number) => openMemoryTheatre(startMs)],
] as const;

describe.each(journals)('what a day has used up, with a journal %s', (_name, open) => {
  test('holds what would pass it, however many rows are under way at once', async () => {
    await using theatre = await open();
    const { batchId } = await ingest(theatre.journal, hundreds(40));
    await theatre.run(batchId, { ...under({ bahtPerDay: '750' }), ...busy });
    expect(theatre.sent).toHaveLength(7);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 7, held: 33 });
    expect(await theatre.exitCode(batchId)).toBe(3);
  });

  test('two batches that are sent at once share it', async () => {
    await using theatre = await open();
    const first = await ingest(theatre.journal, hundreds(12));
    const second = await ingest(theatre.journal, hundreds(12, 21), { batchId: secondBatchId });
    const options = { ...under({ bahtPerDay: '1000' }), ...busy };
    await theatre.time.drive(
      Promise.all([theatre.start(first.batchId, options), theatre.start(second.batchId, options)]),
    );
    expect(theatre.sent).toHaveLength(10);
  });

  test('counts what is in doubt, and no longer what is proved to have failed', async () => {
    await using theatre = await open();
    theatre.script = { transfer: () => lost, inquire: (inquiry) => theatre.found(inquiry, '010003') };
    const options = { ...under({ bahtPerDay: '200' }), waitMs: minuteMs };
    const { batchId } = await ingest(theatre.journal, hundreds(2));
    await theatre.run(batchId, options);
    const second = await ingest(theatre.journal, hundreds(1, 11), { batchId: secondBatchId });
    await theatre.run(second.batchId, options);
    expect(await theatre.statuses(second.batchId)).toEqual({ held: 1 });
    theatre.script = { inquire: (inquiry) => theatre.found(inquiry, '030003') };
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 2 });
    await theatre.resume(second.batchId);
    await theatre.run(second.batchId, options);
    expect(await theatre.statuses(second.batchId)).toEqual({ paid: 1 });
    if ('oldestInDoubtAtMs' in theatre.journal)
      expect(findContradictions(join(theatre.folder, 'journal.db'))).toEqual([]);
  });

  test('of one payee holds what would pass it', async () => {
    await using theatre = await open();
    const rows = [...hundreds(6, 1, '0812345678'), ...hundreds(3, 11)];
    const { batchId } = await ingest(theatre.journal, rows);
    await theatre.run(batchId, { ...under({ bahtPerPayeePerDay: '350' }), ...busy });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 6, held: 3 });
    const held = await rowOf(theatre, 'INV-6');
    expect(held).toMatchObject({ status: 'held', holds: ['day-limit'], reasonCode: 'payee-per-day' });
    expect(inEnglishIfAny(held.reason)).toBe(
      'with it 400.00 baht would be sent to this payee on 2026-11-21, more than 350.00 (limits.bahtPerPayeePerDay)',
    );
    expect(inEnglishIfAny(held.reason)).not.toContain('0812345678');
  });

  test('holds the rows of one file too many, and not those of a file that goes on', async () => {
    await using theatre = await open();
    const options = under({ filesPerDay: 1 });
    theatre.script = { transfer: (_order, no) => (no === 1 ? theatre.code('EM069') : undefined) };
    const first = await ingest(theatre.journal, hundreds(3));
    await theatre.run(first.batchId, options);
    expect(await theatre.statuses(first.batchId)).toEqual({ failed: 1, paid: 2 });
    const second = await ingest(theatre.journal, hundreds(2, 11), { batchId: secondBatchId });
    await theatre.run(second.batchId, options);
    expect(await theatre.statuses(second.batchId)).toEqual({ held: 2 });
    expect(await rowOf(theatre, 'INV-11')).toMatchObject({
      reasonCode: 'files-per-day',
      reason: message('limit.file-per-day', { files: '1', day: '2026-11-21' }),
    });
  });

  test('opens no file for the rest of its rows when people let one of them go on', async () => {
    await using theatre = await open();
    const options = under({ filesPerDay: 1 });
    const first = await ingest(theatre.journal, hundreds(1));
    await theatre.run(first.batchId, options);
    const second = await ingest(theatre.journal, hundreds(3, 11), { batchId: secondBatchId });
    await theatre.run(second.batchId, options);
    await letGo(theatre, 'INV-11');
    await theatre.resume(second.batchId);
    await theatre.run(second.batchId, options);
    expect(await theatre.statuses(second.batchId)).toEqual({ paid: 1, held: 2 });
    const read = (batchId: string) => theatre.journal.dayUse(payer.companyId, '20261121', batchId);
    expect([await read(first.batchId), await read(second.batchId)]).toEqual([
      { satang: 20_000n, files: expect.any(Number), isFileCounted: true },
      { satang: 20_000n, files: 1, isFileCounted: false },
    ]);
  });

  test('is another one on the next day: the batch is resumed, and what fits is paid', async () => {
    await using theatre = await open();
    const options = under({ bahtPerDay: '200' });
    const { batchId } = await ingest(theatre.journal, hundreds(5));
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2, held: 3 });
    // By itself nothing goes on, on whatever day.
    theatre.time.jump(dayMs);
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2, held: 3 });
    await theatre.resume(batchId);
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 4, held: 1 });
    // On the same day again a batch that is resumed is held to the same limit.
    await theatre.resume(batchId);
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 4, held: 1 });
  });

  test('does not hold again what people let go on, which counts all the same', async () => {
    await using theatre = await open();
    const options = under({ bahtPerDay: '200' });
    const { batchId } = await ingest(theatre.journal, hundreds(4));
    await theatre.run(batchId, options);
    await letGo(theatre, 'INV-4');
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3, held: 1 });
    const use = await theatre.journal.dayUse(payer.companyId, '20261121', batchId);
    expect(use).toEqual({ satang: 30_000n, files: expect.any(Number), isFileCounted: true });
  });
});

describe('what was sent before the limits were set', () => {
  test('counts, and after another process has begun anew, too', async () => {
    const theatre = await openTheatre();
    const first = await ingest(theatre.journal, hundreds(3));
    await theatre.run(first.batchId);
    await theatre.journal[Symbol.asyncDispose]();
    await using again = await openTheatre(theatre.now(), theatre.folder);
    const second = await ingest(again.journal, hundreds(4, 11), { batchId: secondBatchId });
    await again.run(second.batchId, under({ bahtPerDay: '500' }));
    expect(await again.statuses(second.batchId)).toEqual({ paid: 2, held: 2 });
    expect(again.sent).toHaveLength(2);
  });
});

describe('a payee never paid before', () => {
  const options = under({ newPayeeBaht: '99.99' });

  test('is held above the amount, and pays no more attention once proved paid', async () => {
    await using theatre = await openTheatre();
    const first = await ingest(theatre.journal, hundreds(1, 1, '0812345678'));
    await theatre.run(first.batchId, options);
    expect(await rowOf(theatre, 'INV-1')).toMatchObject({
      status: 'held',
      holds: ['new-payee'],
      reasonCode: 'new-payee',
    });
    await letGo(theatre, 'INV-1');
    await theatre.run(first.batchId, options);
    expect(await theatre.statuses(first.batchId)).toEqual({ paid: 1 });
    const second = await ingest(theatre.journal, hundreds(2, 11, '0812345678'), { batchId: secondBatchId });
    await theatre.run(second.batchId, options);
    expect(await theatre.statuses(second.batchId)).toEqual({ paid: 2 });
  });

  test('stays held when the batch is resumed: nobody has looked at the payee', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, hundreds(1));
    await theatre.run(batchId, options);
    await theatre.resume(batchId);
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ held: 1 });
  });

  test.each([
    ['up to the amount', '100'],
    ['where there is no limit', '0'],
  ])('is paid %s', async (_when, newPayeeBaht) => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, hundreds(1));
    await theatre.run(batchId, under({ newPayeeBaht }));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });

  test('is still one while the payment before is in doubt, or has failed', async () => {
    await using theatre = await openTheatre();
    theatre.script = {
      transfer: (_order, no) => (no === 1 ? theatre.code('EM069') : lost),
      inquire: (inquiry) => theatre.found(inquiry, '010003'),
    };
    const first = await ingest(theatre.journal, hundreds(2, 1, '0812345678'));
    await theatre.run(first.batchId, { transferConcurrency: 1, waitMs: minuteMs });
    expect(await theatre.statuses(first.batchId)).toEqual({ failed: 1, submitted: 1 });
    const second = await ingest(theatre.journal, hundreds(1, 11, '0812345678'), { batchId: secondBatchId });
    await theatre.run(second.batchId, options);
    expect(await theatre.statuses(second.batchId)).toEqual({ held: 1 });
  });
});

describe('outside service days', () => {
  // 2026-11-21 is a Saturday.
  test.each([
    [
      'another day of the week',
      { serviceDays: ['mon', 'fri'] },
      /^nothing is sent on a sat, and 2026-11-21 is one/,
    ],
    ['a closed day', { closedDates: ['2026-11-21'] }, /^2026-11-21 is a day on which nothing is sent/],
  ])('%s holds, until the batch is resumed on one', async (_name, limits, reason) => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, hundreds(2));
    await theatre.run(batchId, under(limits));
    expect(theatre.sent).toEqual([]);
    const row = await rowOf(theatre, 'INV-1');
    expect(row).toMatchObject({ holds: ['service-day'], reasonCode: 'service-day' });
    expect(inEnglishIfAny(row.reason)).toMatch(reason);
    theatre.time.jump(2 * dayMs);
    await theatre.resume(batchId);
    await theatre.run(batchId, under(limits));
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });

  test('what people let go on is paid', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, hundreds(2));
    const options = under({ closedDates: ['2026-11-21'] });
    await theatre.run(batchId, options);
    await letGo(theatre, 'INV-2');
    await theatre.run(batchId, options);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1, held: 1 });
  });
});

test('every limit that a row passes is told at once, and let go on at once', async () => {
  await using theatre = await openTheatre();
  const { batchId } = await ingest(theatre.journal, hundreds(1));
  const options = under({ bahtPerDay: '50', newPayeeBaht: '10', closedDates: ['2026-11-21'] });
  await theatre.run(batchId, options);
  const row = await rowOf(theatre, 'INV-1');
  expect(row).toMatchObject({
    holds: ['new-payee', 'day-limit', 'service-day'],
    reasonCode: 'new-payee',
  });
  expect(inEnglishIfAny(row.reason)).toMatch(/newPayeeBaht.*; .*bahtPerDay.*; .*closedDates/);
  await letGo(theatre, 'INV-1');
  await theatre.run(batchId, options);
  expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
});
