import { verbatim } from '../../src/core/message.ts';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { StatusInquiry } from '../../src/core/bank-port.ts';
import { computeTransRefNo } from '../../src/core/reference.ts';
import { readTimeLimits } from '../../src/payout/rules/limits.ts';
import { probeBeyond, probeLostJournal } from '../../src/payout/lost-journal.ts';
import { settleOnce } from '../../src/payout/settle.ts';
import { openJournal } from '../../src/store/open.ts';
import { noonMs, payer, policy } from '../support/core-fixtures.ts';
import {
  firstReady,
  ingest,
  ingestRunning,
  makeRows,
  secondBatchId,
  submit,
} from '../support/journal-fixtures.ts';
import type { Script } from '../support/scripted-bank.ts';
import { minuteMs, Theatre } from '../support/theatre.ts';

const settle = { ...policy, lostUntilMs: noonMs };
const refOf = (rowNo: number, attemptNo = 1): string =>
  computeTransRefNo(payer.companyId, `INV-${rowNo}`, attemptNo);

/**
 * A theatre whose journal went on after a loss, at noon; what it knows then was there before.
 * @param formerTermId the terminal that it was bound to before the loss
 */
async function openRecovered(
  write: (theatre: Theatre) => Script,
  {
    sinceDate = '20261120',
    before = async (_theatre: Theatre): Promise<unknown> => undefined,
    formerTermId = payer.termId,
  } = {},
): Promise<Theatre> {
  const dataDir = await mkdtemp(join(tmpdir(), 'paydrop-loss-'));
  const { companyId, termId } = payer;
  const stamp = { bankAddress: 'https://bank.example', companyId, isSandbox: false, termId };
  const opening = {
    dataDir,
    stamp: { ...stamp, termId: formerTermId },
    access: 'own',
    nowMs: noonMs,
  } as const;
  const first = new Theatre(await openJournal(opening), dataDir, noonMs);
  await before(first);
  await first.journal[Symbol.asyncDispose]();
  const recovery = { sinceDate };
  const theatre = new Theatre(await openJournal({ ...opening, stamp, recovery }), dataDir, noonMs);
  theatre.script = write(theatre);
  return theatre;
}

interface Asked extends StatusInquiry {
  readonly atMs: number;
  readonly sentBefore: number;
}

/** What the bank knows by reference, each on its day and under its terminal; everything that was asked is noted. */
function knowing(
  known: Readonly<Record<string, { on: string; status: string; from?: string }>>,
  asked: Asked[] = [],
) {
  return (theatre: Theatre): Script => ({
    inquire: (inquiry) => {
      asked.push({ ...inquiry, atMs: theatre.now(), sentBefore: theatre.sent.length });
      const found = known[inquiry.transRefNo];
      const { from = payer.termId } = found ?? {};
      const isIt = found?.on === inquiry.tranDate && from === inquiry.termId;
      return theatre.found(inquiry, isIt ? found.status : undefined);
    },
  });
}

async function reasonsOf({ journal }: Theatre, rowNo: number) {
  const [history] = await journal.findPayouts(`INV-${rowNo}`);
  if (history === undefined) throw new Error(`there is no row ${rowNo}`);
  const { status, reasonCode, attemptNo } = history.row;
  return { status, reasonCode, attemptNo };
}

describe('after the journal was lost', () => {
  test('nobody is paid twice: what the bank knows is in doubt, the others are paid', async () => {
    const known = {
      [refOf(1)]: { on: '20261120', status: '010004' },
      [refOf(2)]: { on: '20261121', status: '010001' },
      [refOf(3, 2)]: { on: '20261121', status: '010004' },
      [refOf(4)]: { on: '20261120', status: '030003' },
    };
    await using theatre = await openRecovered(knowing(known));
    const { batchId } = await ingest(theatre.journal, makeRows(6));
    await theatre.run(batchId, { settle });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 3, failed: 1, paid: 2 });
    expect(theatre.sent.map(({ transRefNo }) => transRefNo).toSorted()).toEqual(
      [refOf(5), refOf(6)].toSorted(),
    );
    expect(await reasonsOf(theatre, 1)).toMatchObject({ reasonCode: 'found-after-loss', attemptNo: 1 });
    expect(await reasonsOf(theatre, 3)).toMatchObject({ reasonCode: 'found-after-loss', attemptNo: 1 });
    expect(await reasonsOf(theatre, 4)).toMatchObject({ status: 'failed', reasonCode: '030003' });
    expect(await theatre.exitCode(batchId)).toBe(4);
  });

  test('what the bank knows counts on the day on which it was sent', async () => {
    const known = {
      [refOf(1)]: { on: '20261121', status: '010004' },
      [refOf(2)]: { on: '20261121', status: '010003' },
      [refOf(3)]: { on: '20261120', status: '010004' },
      [refOf(4)]: { on: '20261121', status: '030003' },
    };
    await using theatre = await openRecovered(knowing(known));
    const settings = { bahtPerDay: '410', bahtPerPayeePerDay: '0', filesPerDay: 0, newPayeeBaht: '0' };
    const overTime = readTimeLimits({ ...settings, serviceDays: [], closedDates: [] });
    const options = { settle, limits: { batchMaxAgeHours: 0, similarDays: 0, overTime } };
    const lost = await ingest(theatre.journal, makeRows(4));
    await theatre.run(lost.batchId, options);
    expect(await theatre.statuses(lost.batchId)).toEqual({ unresolved: 3, failed: 1 });
    const next = await ingest(theatre.journal, makeRows(4, 5), { batchId: secondBatchId });
    await theatre.run(next.batchId, options);
    // Two of today and one of yesterday were sent by the journal that was lost: 200 of 410 baht are left.
    expect(await theatre.statuses(next.batchId)).toEqual({ paid: 2, held: 2 });
    const [history] = await theatre.journal.findPayouts('INV-3');
    expect(history?.row.submittedAtMs).toBe(Date.parse('2026-11-20T00:00:00+07:00'));
  });

  test('each of the five references is asked for on each day, before the row is sent and not before it can be trusted', async () => {
    const asked: Asked[] = [];
    await using theatre = await openRecovered(knowing({}, asked), { sinceDate: '20261119' });
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    await theatre.run(batchId, { settle, waitMs: policy.notFoundTrustMs / 4 });
    const wanted = [1, 2, 3, 4, 5].flatMap((attemptNo) =>
      ['20261121', '20261120', '20261119'].map((tranDate) => ({ transRefNo: refOf(1, attemptNo), tranDate })),
    );
    expect(asked.map(({ transRefNo, tranDate }) => ({ transRefNo, tranDate }))).toEqual(wanted);
    expect(asked.every(({ sentBefore }) => sentBefore === 0)).toBe(true);
    expect(Math.min(...asked.map(({ atMs }) => atMs))).toBe(noonMs + policy.notFoundTrustMs);
    expect(theatre.sent).toHaveLength(1);
    expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'paid', attemptNo: 1 });
  });

  test('each reference is asked for under each terminal that the journal was bound to, too', async () => {
    const asked: Asked[] = [];
    const known = {
      [refOf(1)]: { on: '20261120', status: '010004', from: 'TERM0000' },
      [refOf(2)]: { on: '20261121', status: '030003', from: 'TERM0000' },
    };
    await using theatre = await openRecovered(knowing(known, asked), { formerTermId: 'TERM0000' });
    const { batchId } = await ingest(theatre.journal, makeRows(3));
    await theatre.run(batchId, { settle });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1, failed: 1, paid: 1 });
    expect(theatre.sent.map(({ transRefNo }) => transRefNo)).toEqual([refOf(3)]);
    const ofThird = asked.filter(({ transRefNo }) => transRefNo === refOf(3));
    expect(ofThird.map(({ tranDate, termId }) => `${tranDate} ${termId}`)).toEqual([
      '20261121 TERM0001',
      '20261121 TERM0000',
      '20261120 TERM0001',
      '20261120 TERM0000',
    ]);
    // It is asked about on under the terminal that has sent it.
    asked.length = 0;
    await theatre.time.drive(settleOnce(theatre.context({ settle }), 'all'));
    expect(asked).toMatchObject([{ transRefNo: refOf(1), termId: 'TERM0000' }]);
    expect(await theatre.journal.attemptsOf(payer.companyId, 'INV-1')).toMatchObject([
      { order: { termId: 'TERM0000', transRefNo: refOf(1) } },
    ]);
  });

  test('what was found stays in doubt whatever inquiries say later, and is asked about on', async () => {
    const known = { [refOf(1)]: { on: '20261121', status: '010004' } };
    await using theatre = await openRecovered(knowing(known));
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    await theatre.run(batchId, { settle });
    for (const status of ['010004', '030002', '010001']) {
      Object.assign(known[refOf(1)] ?? {}, { status });
      await theatre.time.drive(settleOnce(theatre.context({ settle }), 'all'));
      expect(await reasonsOf(theatre, 1)).toMatchObject({
        status: 'unresolved',
        reasonCode: 'found-after-loss',
      });
    }
    await theatre.run(batchId, { settle });
    expect(theatre.sent).toEqual([]);
  });

  test('a bank that gives no answer holds the row; the next run asks again', async () => {
    let isSilent = true;
    await using theatre = await openRecovered((stage) => ({
      inquire: (inquiry) => (isSilent ? stage.answer(undefined) : stage.found(inquiry, undefined)),
    }));
    const { batchId } = await ingest(theatre.journal, makeRows(2));
    await theatre.run(batchId, { settle });
    expect(await theatre.statuses(batchId)).toEqual({ held: 2 });
    expect(await reasonsOf(theatre, 1)).toMatchObject({ reasonCode: 'look-up-unanswered', attemptNo: 0 });
    expect(theatre.sent).toEqual([]);
    isSilent = false;
    await theatre.run(batchId, { settle });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });

  test('a halted line asks and sends nothing, and leaves the row as it was', async () => {
    const asked: Asked[] = [];
    await using theatre = await openRecovered(knowing({}, asked));
    const batch = await ingestRunning(theatre.journal, makeRows(1));
    const context = theatre.context({ settle });
    context.gate.haltFor({ code: 'EM053', reason: verbatim('no funds'), remedy: verbatim('fund it') });
    const ready = { payout: await firstReady(theatre.journal), attemptsRecorded: 0 };
    const looking = probeLostJournal(context, batch, ready);
    await theatre.time.drive(looking);
    expect(await looking).toBe('blocked');
    expect(asked).toEqual([]);
    expect(await theatre.statuses(batch.batchId)).toEqual({ ready: 1 });
  });

  test('a row is looked up once in a run', async () => {
    const asked: Asked[] = [];
    await using theatre = await openRecovered(knowing({}, asked), { sinceDate: '20261121' });
    const batch = await ingestRunning(theatre.journal, makeRows(1));
    const ready = { payout: await firstReady(theatre.journal), attemptsRecorded: 0 };
    const context = theatre.context({ settle });
    for (const remembered of [0, 1]) {
      expect(context.run.probed.size).toBe(remembered);
      const looking = probeLostJournal(context, batch, ready);
      await theatre.time.drive(looking);
      expect(await looking).toBe('clear');
    }
    expect(asked).toHaveLength(5);
  });

  test('a clock that was set back holds the row instead of waiting for ever', async () => {
    await using theatre = await openRecovered(knowing({}));
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    theatre.time.jump(-10 * minuteMs);
    await theatre.run(batchId, { settle });
    expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'held', reasonCode: 'clock-behind-journal' });
  });
});

describe('after an older copy was put back', () => {
  test('what it knows as in doubt is inquired, and never sent again', async () => {
    const before = async ({ journal }: Theatre): Promise<void> => {
      await ingestRunning(journal, makeRows(1));
      await submit(journal, await firstReady(journal));
    };
    await using theatre = await openRecovered(knowing({}), { before });
    const [batch] = await theatre.journal.batches();
    await theatre.run(batch?.batchId ?? '', { settle });
    expect(theatre.sent).toEqual([]);
    expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'unresolved', reasonCode: 'not-found' });
  });

  test('the number that it knows and those beyond are looked up, and a refused one goes again', async () => {
    const before = async (theatre: Theatre): Promise<void> => {
      theatre.script = { transfer: () => theatre.code('EV055') };
      const { batchId } = await ingest(theatre.journal, makeRows(2));
      await theatre.run(batchId);
      expect(await theatre.statuses(batchId)).toEqual({ failed: 2 });
    };
    const asked: Asked[] = [];
    const known = { [refOf(1, 2)]: { on: '20261121', status: '010004' } };
    await using theatre = await openRecovered(knowing(known, asked), { before, sinceDate: '20261121' });
    const { batchId } = await ingest(theatre.journal, makeRows(2), { batchId: 'ABCDEFGHJK' });
    await theatre.run(batchId, { settle });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1, paid: 1 });
    expect(theatre.sent.map(({ transRefNo }) => transRefNo)).toEqual([refOf(2, 1)]);
    const ofFirst = asked.filter(
      ({ transRefNo }) => transRefNo === refOf(1, 6) || transRefNo === refOf(1, 7),
    );
    expect(ofFirst).toHaveLength(2);
  });

  describe('and an attempt of it has failed', () => {
    const before = async ({ journal }: Theatre): Promise<void> => {
      await ingestRunning(journal, makeRows(1));
      await submit(journal, await firstReady(journal));
    };
    const lookBeyond = async (theatre: Theatre) => {
      const [one] = await theatre.journal.inDoubt(0, 9);
      if (one === undefined) throw new Error('nothing is in doubt');
      const looking = probeBeyond(theatre.context({ settle }), one);
      await theatre.time.drive(looking);
      return await looking;
    };

    test('a later one that may have moved money keeps it in doubt', async () => {
      const known = { [refOf(1, 2)]: { on: '20261121', status: '010004' } };
      await using theatre = await openRecovered(knowing(known), { before });
      expect(await lookBeyond(theatre)).toBe('blocked');
      expect(await reasonsOf(theatre, 1)).toEqual({
        status: 'unresolved',
        reasonCode: 'found-after-loss',
        attemptNo: 2,
      });
      expect(await theatre.journal.attemptsOf(payer.companyId, 'INV-1')).toMatchObject([
        { attemptNo: 1, status: 'failed', referenceConflict: false },
        { attemptNo: 2, status: 'unresolved', referenceConflict: true },
      ]);
    });

    test('a bank without an answer leaves it in doubt, to be asked later', async () => {
      await using theatre = await openRecovered((stage) => ({ inquire: () => stage.answer(undefined) }), {
        before,
      });
      expect(await lookBeyond(theatre)).toBe('blocked');
      expect(await reasonsOf(theatre, 1)).toMatchObject({ status: 'submitted', attemptNo: 1 });
      expect(await theatre.journal.nextInquiryAtMs()).toBeGreaterThan(theatre.now());
    });

    test('without a later one it may be called failed', async () => {
      await using theatre = await openRecovered(knowing({}), { before });
      expect(await lookBeyond(theatre)).toBe('clear');
    });
  });
});
