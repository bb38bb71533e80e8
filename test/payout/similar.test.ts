/** Like payouts: the same amount to the same payee under another payoutId waits for a person, if the setting says so. */
import { inEnglish, inEnglishIfAny } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { parseBaht, toSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import { cancelPayouts, resumeBatch, resumePayouts } from '../../src/payout/operator.ts';
import { followPayer } from '../../src/payout/run-batch.ts';
import { lost } from '../support/core-fixtures.ts';
import { ingest, makeRow, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { noOtherReferences } from '../support/report-fixtures.ts';
import { dayMs, minuteMs, openTheatre, type Theatre, verify } from '../support/theatre.ts';

const proxyNo = '0810000001';
const amountSatang = parseBaht('750.00') ?? toSatang(0n);

/** A row that pays one payee one amount, under a payoutId of its own. */
function likeRow(
  rowNo: number,
  payoutId = `INV-${rowNo}`,
  reference1: string | null = null,
  payee = proxyNo,
): StagedRow {
  const row = makeRow(rowNo, { amountSatang, payoutId });
  if (row.instruction === null) throw new Error('a valid row has an instruction');
  return { ...row, instruction: { ...row.instruction, proxyNo: payee, reference1 } };
}

const likeRows = (count: number, from = 1): StagedRow[] =>
  Array.from({ length: count }, (_, place) => likeRow(from + place));

const week = { limits: { batchMaxAgeHours: 0, similarDays: 7 } };

async function rowOf({ journal }: Theatre, payoutId: string) {
  const [found] = await journal.findPayouts(payoutId);
  if (found === undefined) throw new Error(`no ${payoutId}`);
  return found.row;
}

const letGo = async (theatre: Theatre, payoutId: string) =>
  resumePayouts(theatre.journal, [(await rowOf(theatre, payoutId)).seq], theatre.now());

async function tellOf({ journal }: Theatre, batchId: string, days: number) {
  await using snapshot = await journal.snapshot();
  return await snapshot.otherReferences(batchId, days);
}

/** A file that is paid, and some time later another one with a like row. */
async function payTwice(theatre: Theatre, betweenMs: number) {
  const first = await ingest(theatre.journal, likeRows(1), { fileName: 'first.csv' });
  await theatre.run(first.batchId, week);
  theatre.time.jump(betweenMs);
  const second = await ingest(theatre.journal, likeRows(1, 2), { batchId: secondBatchId });
  await theatre.run(second.batchId, week);
  return second.batchId;
}

describe('a payout like one that was paid under another payoutId', () => {
  test('is held before it is sent, and names the earlier one', async () => {
    await using theatre = await openTheatre();
    const batchId = await payTwice(theatre, 3 * dayMs);
    expect(theatre.sent).toHaveLength(1);
    const row = await rowOf(theatre, 'INV-2');
    expect(row).toMatchObject({ status: 'held', holds: ['similar'], reasonCode: 'similar-payment' });
    expect(inEnglishIfAny(row.reason)).toMatch(
      /payoutId INV-1 \(row 1 of first\.csv, batch 0123456789, sent on 2026-11-21\)$/,
    );
    expect(inEnglishIfAny(row.reason)).not.toContain(proxyNo);
    expect(await theatre.exitCode(batchId)).toBe(3);
  });

  test('is paid when a person lets the row go on, and not held for it again', async () => {
    await using theatre = await openTheatre();
    const batchId = await payTwice(theatre, 0);
    await letGo(theatre, 'INV-2');
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(theatre.sent).toHaveLength(2);
  });

  test('stays held when a person lets the batch go on: nobody has looked at the row', async () => {
    await using theatre = await openTheatre();
    const batchId = await payTwice(theatre, 0);
    await resumeBatch(theatre.journal, await theatre.batch(batchId), theatre.now());
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual({ held: 1 });
  });

  test('is paid when the earlier one was sent longer ago than the days that count', async () => {
    await using theatre = await openTheatre();
    const batchId = await payTwice(theatre, 7 * dayMs + minuteMs);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });

  test('is paid when the setting is 0', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, likeRows(3));
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('is paid when nothing came of the earlier one', async () => {
    await using theatre = await openTheatre();
    theatre.script = { transfer: (_order, no) => (no === 1 ? theatre.code('EM069') : undefined) };
    const batchId = await payTwice(theatre, 0);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect((await rowOf(theatre, 'INV-1')).status).toBe('failed');
  });
});

describe('like rows of one file', () => {
  test('are sent one, the others held, however many are under way at once', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, likeRows(12));
    await theatre.run(batchId, { ...week, transferConcurrency: 8, verify: { ...verify, concurrency: 8 } });
    expect(theatre.sent).toHaveLength(1);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1, held: 11 });
  });

  test('are held while it is not known what became of the first', async () => {
    await using theatre = await openTheatre();
    theatre.script = {
      transfer: (_order, no) => (no === 1 ? lost : undefined),
      inquire: (inquiry) => theatre.found(inquiry, '010003'),
    };
    const { batchId } = await ingest(theatre.journal, likeRows(2));
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1, held: 1 });
    const [held] = (await theatre.journal.holdTotals(batchId)).filter(({ hold }) => hold === 'similar');
    expect(held).toEqual({ hold: 'similar', rows: 1 });
  });

  test('that were each let go on are all paid', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, likeRows(3));
    await theatre.run(batchId, week);
    for (const payoutId of ['INV-1', 'INV-2', 'INV-3']) {
      if ((await rowOf(theatre, payoutId)).status === 'held') await letGo(theatre, payoutId);
    }
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('can be cancelled', async () => {
    await using theatre = await openTheatre();
    const batchId = await payTwice(theatre, 0);
    const { seq } = await rowOf(theatre, 'INV-2');
    expect(await cancelPayouts(theatre.journal, [seq], theatre.now())).toMatchObject({ rowsChanged: 1 });
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual({ cancelled: 1 });
  });
});

describe('like rows with a reference1', () => {
  test.each([
    ['both have one and these differ', 'march', 'april', { paid: 2 }],
    ['both have the same', 'march', 'march', { paid: 1, held: 1 }],
    ['only the first has one', 'march', null, { paid: 1, held: 1 }],
    ['only the second has one', null, 'april', { paid: 1, held: 1 }],
    ['none has one', null, null, { paid: 1, held: 1 }],
  ])('of one file, when %s', async (_, first, second, statuses) => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, [
      likeRow(1, 'INV-1', first),
      likeRow(2, 'INV-2', second),
    ]);
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual(statuses);
    // Only what is paid untold is told of; whoever looks for nothing is told of nothing.
    const told = { rows: 1, firstRowNos: [2] };
    expect(await tellOf(theatre, batchId, 7)).toEqual('held' in statuses ? noOtherReferences : told);
    expect(await tellOf(theatre, batchId, 0)).toEqual(noOtherReferences);
  });

  test('of an earlier file are told of within the days that count, and those of which nothing came are not', async () => {
    await using theatre = await openTheatre();
    theatre.script = { transfer: (_order, no) => (no === 2 ? theatre.code('EM069') : undefined) };
    const one = { transferConcurrency: 1, verify: { ...verify, concurrency: 1 } };
    const march = [likeRow(1, 'INV-1', 'march'), likeRow(2, 'INV-2', 'march', '0810000002')];
    const first = await ingest(theatre.journal, march, { fileName: 'first.csv' });
    await theatre.run(first.batchId, { ...week, ...one });
    theatre.time.jump(3 * dayMs);
    const april = ['0810000002', '0810000003', proxyNo].map((payee, place) =>
      likeRow(place + 1, `INV-${place + 3}`, 'april', payee),
    );
    const { batchId } = await ingest(theatre.journal, april, { batchId: secondBatchId });
    await theatre.run(batchId, { ...week, ...one });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
    expect(await tellOf(theatre, batchId, 4)).toEqual({ rows: 1, firstRowNos: [3] });
    expect(await tellOf(theatre, batchId, 2)).toEqual(noOtherReferences);
    expect(await tellOf(theatre, first.batchId, 4)).toEqual(noOtherReferences);
  });

  test('that differs from the latest payment’s are held for an earlier one with the same', async () => {
    await using theatre = await openTheatre();
    const references = ['march', 'april', 'march'];
    const rows = references.map((reference1, place) => likeRow(place + 1, `INV-${place + 1}`, reference1));
    const { batchId } = await ingest(theatre.journal, rows);
    await theatre.run(batchId, { ...week, transferConcurrency: 1, verify: { ...verify, concurrency: 1 } });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2, held: 1 });
    expect(inEnglishIfAny((await rowOf(theatre, 'INV-3')).reason)).toContain('INV-1');
  });
});

describe('like rows of two batches that are paid at the same moment', () => {
  test('are sent one, the other held', async () => {
    await using theatre = await openTheatre();
    const first = await ingest(theatre.journal, likeRows(3));
    const second = await ingest(theatre.journal, likeRows(3, 11), { batchId: secondBatchId });
    const runs = [first, second].map(({ batchId }) => theatre.start(batchId, week));
    await theatre.time.drive(Promise.all(runs));
    expect(theatre.sent).toHaveLength(1);
  });
});

describe('a payoutId that differs only in case', () => {
  test('keeps its own reason and, once a person has looked at it, is not held for the payment either', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, [likeRow(1, 'A-1'), likeRow(2, 'a-1')]);
    await theatre.run(batchId, week);
    const row = await rowOf(theatre, 'a-1');
    expect(row).toMatchObject({ status: 'held', holds: ['similar'], reasonCode: 'similar' });
    expect(inEnglishIfAny(row.reason)).toMatch(
      /only in case, leading zeros, decimals of zeros, punctuation or blanks$/,
    );
    for (const payoutId of ['A-1', 'a-1']) await letGo(theatre, payoutId);
    await theatre.run(batchId, week);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });
});

test('whoever resumes a batch for what halted it lets no file go on that is like another one', async () => {
  await using theatre = await openTheatre();
  const first = await ingest(theatre.journal, makeRows(5));
  await theatre.run(first.batchId);
  const again = Array.from({ length: 5 }, (_, at) => makeRow(at + 1, { payoutId: `AGAIN-${at + 1}` }));
  const file = { batchId: secondBatchId, likeFileDays: 3, sealedAtMs: theatre.now() };
  const { batchId } = await ingest(theatre.journal, again, file);
  const other = '0000345925';
  const resume = async () => resumeBatch(theatre.journal, await theatre.batch(batchId), theatre.now(), other);
  await followPayer(theatre.journal, await theatre.batch(batchId), other, () => {}, theatre.now());
  expect(await theatre.batch(batchId)).toMatchObject({ reasonCode: 'payer-account-changed' });
  const { notes, payerMoved } = await resume();
  expect(payerMoved?.to).toMatch(/5925$/);
  expect(notes?.map(inEnglish)).toEqual([expect.stringMatching(/5 rows .* like .*resume/)]);
  await theatre.run(batchId);
  expect(theatre.sent).toHaveLength(5);
  expect(await rowOf(theatre, 'AGAIN-1')).toMatchObject({ holds: ['similar'], reasonCode: 'like-file' });
  expect((await resume()).notes).toEqual([]);
  await theatre.run(batchId);
  expect(theatre.sent).toHaveLength(10);
});
