/** What halts the line of a payer account: the payer's trouble wherever it shows, and the brake over all files. */
import { message, verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { Log } from '../../src/core/ports.ts';
import { PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import { inquiryFields, inquiryItem, lost, payer } from '../support/core-fixtures.ts';
import { ingest, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { minuteMs, stage } from '../support/theatre.ts';

const brake = { consecutiveFailures: 10, failureShare: 0.5, window: 100, inDoubtMax: 200 };

describe('a trouble of the payer that an inquiry shows', () => {
  test('halts the line as one in a reply does', async () => {
    await using one = await stage(40, (theatre) => ({
      transfer: ({ transRefNo }, no) =>
        no === 1 ? lost : theatre.time.sleep(1_000).then(() => theatre.code('IC000', { transRefNo })),
      inquire: (inquiry) => {
        const item = {
          ...inquiryItem(inquiry.transRefNo, '030002'),
          statusCode: 'EM053',
          statusDesc: 'no funds',
        };
        return theatre.answer(inquiryFields([item]));
      },
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: minuteMs });
    expect(await theatre.exitCode(batchId)).toBe(6);
    expect(await theatre.journal.payerHalt(payer.companyId, payer.payerAccount)).toMatchObject({
      code: 'EM053',
      remedy: message('bank-remedy.EM053'),
    });
    const { held = 0, failed = 0 } = await theatre.statuses(batchId);
    expect(failed).toBe(1);
    expect(held).toBeGreaterThan(30);
  });
});

describe('the brake', () => {
  test('counts over the files of one process', async () => {
    await using one = await stage(6, (theatre) => ({ transfer: () => theatre.code('EM069') }));
    const { theatre } = one;
    const breaker = new PayerBreaker();
    await theatre.run(one.batchId, { breaker, brake });
    expect(await theatre.statuses(one.batchId)).toEqual({ failed: 6 });
    const next = await ingest(theatre.journal, makeRows(30, 100), { batchId: secondBatchId });
    await theatre.run(next.batchId, { breaker, brake });
    const { failed = 0, held = 0 } = await theatre.statuses(next.batchId);
    expect([failed + held, await theatre.exitCode(next.batchId)]).toEqual([30, 6]);
    expect(failed).toBeLessThanOrEqual(4 + 2);
    expect(await theatre.batch(next.batchId)).toMatchObject({ reasonCode: 'brake-consecutive' });
  });

  test('forgets what it counted when a person has lifted the stop between two files', async () => {
    await using one = await stage(12, (theatre) => ({ transfer: () => theatre.code('EM069') }));
    const { theatre } = one;
    const breaker = new PayerBreaker();
    await theatre.run(one.batchId, { breaker, brake });
    expect(await theatre.batch(one.batchId)).toMatchObject({ status: 'halted' });
    await theatre.resume(one.batchId);
    theatre.script = {};
    const next = await ingest(theatre.journal, makeRows(3, 100), { batchId: secondBatchId });
    await theatre.run(next.batchId, { breaker, brake });
    expect(await theatre.statuses(next.batchId)).toEqual({ paid: 3 });
  });

  test('says of a batch that cannot fill its window, once, and of no other', async () => {
    const told: string[] = [];
    const log: Log = (level, text) => void (text.startsWith('brake.') && told.push(`${level} ${text}`));
    await using one = await stage(12, () => ({}));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { log, brake: { ...brake, window: 500 } });
    await theatre.run(batchId, { log, brake: { ...brake, window: 500 } });
    expect(told).toEqual([
      'warn brake.window is 500 and the batch has 12 rows: brake.failureShare cannot halt this batch alone, ' +
        'brake.consecutiveFailures and brake.inDoubtMax can; lower brake.window to 12, or leave it out',
    ]);
    const next = await ingest(theatre.journal, makeRows(3, 100), { batchId: secondBatchId });
    await theatre.run(next.batchId, { log, brake });
    expect(told).toHaveLength(1);
  });

  test('does not hold up the next file for a batch that was halted alone', async () => {
    await using one = await stage(2, () => ({}));
    const { theatre } = one;
    const breaker = new PayerBreaker();
    const why = { code: 'batch-too-old', reason: verbatim('old'), remedy: verbatim('resume') };
    await theatre.journal.moveBatch(one.batchId, 'running', null, theatre.now());
    await theatre.journal.moveBatch(one.batchId, 'halted', why, theatre.now());
    await theatre.run(one.batchId, { breaker });
    expect(await theatre.statuses(one.batchId)).toEqual({ held: 2 });
    const next = await ingest(theatre.journal, makeRows(3, 100), { batchId: secondBatchId });
    await theatre.run(next.batchId, { breaker });
    expect(await theatre.statuses(next.batchId)).toEqual({ paid: 3 });
  });
});

describe('the brake on doubt', () => {
  const doubtful = { ...brake, inDoubtMax: 4 };

  /** Six rows in doubt from a first run; `isKnown` tells what later inquiries say. */
  const leaveDoubt = async (isKnown: { yes: boolean }) => {
    const one = await stage(6, (theatre) => ({
      transfer: () => theatre.code('EM073'),
      inquire: (inquiry) => theatre.found(inquiry, isKnown.yes ? '010004' : '010003'),
    }));
    await one.theatre.run(one.batchId, { waitMs: 1_000 });
    expect(await one.theatre.statuses(one.batchId)).toEqual({ submitted: 6 });
    const next = await ingest(one.theatre.journal, makeRows(3, 100), { batchId: secondBatchId });
    return { ...one, next };
  };

  test('looks when a run begins, before anything is sent', async () => {
    await using one = await leaveDoubt({ yes: false });
    const { theatre, next } = one;
    await theatre.run(next.batchId, { brake: doubtful, waitMs: 1_000 });
    expect([theatre.sent.length, await theatre.statuses(next.batchId)]).toEqual([6, { held: 3 }]);
    expect(await theatre.batch(next.batchId)).toMatchObject({
      status: 'halted',
      reasonCode: 'brake-in-doubt',
    });
  });

  test('asks first, and lets the run go on when that settles it', async () => {
    const isKnown = { yes: false };
    await using one = await leaveDoubt(isKnown);
    const { theatre, next } = one;
    isKnown.yes = true;
    theatre.script = { ...theatre.script, transfer: () => undefined };
    await theatre.run(next.batchId, { brake: doubtful });
    expect(await theatre.statuses(next.batchId)).toEqual({ paid: 3 });
    expect(await theatre.statuses(one.batchId)).toEqual({ paid: 6 });
  });
});
