/** `paydrop settle`: asks once about everything in doubt, never for ever, and brings to rest what is settled by it. */
import { describe, expect, test } from 'vitest';
import { type Settled, settleOnRequest, settleNow } from '../../src/payout/settle.ts';
import { lost, policy } from '../support/core-fixtures.ts';
import { firstBatchId, ingest, makeRows } from '../support/journal-fixtures.ts';
import { minuteMs, notSent, openMemoryTheatre, stage, type Theatre } from '../support/theatre.ts';

async function settle(theatre: Theatre, waitMs = minuteMs, batchId?: string): Promise<Settled> {
  const waitOver = new AbortController();
  const settling = settleNow(theatre.context({}, waitOver.signal), { batchId, waitMs, waitOver });
  await theatre.time.drive(settling);
  return settling;
}

/** Rows in doubt after a run; the bank's answer to inquiries can be changed. */
async function leaveDoubt(rows: number) {
  const bank = { says: '010003' };
  const one = await stage(rows, (theatre) => ({
    transfer: () => theatre.code('EM073'),
    inquire: async (inquiry) => {
      await theatre.time.sleep(100);
      if (bank.says === 'dead') return notSent;
      if (bank.says === 'silent') return lost;
      if (bank.says === 'sick') return theatre.answer(undefined, { httpStatus: 429 });
      return theatre.found(inquiry, bank.says);
    },
  }));
  await one.theatre.run(one.batchId, { waitMs: 1_000 });
  expect(await one.theatre.statuses(one.batchId)).toEqual({ submitted: rows });
  return { ...one, bank };
}

describe('settling by hand', () => {
  test.each(['dead', 'silent', 'sick'] as const)('ends by itself when the bank is %s', async (says) => {
    await using one = await leaveDoubt(30);
    const { theatre, bank } = one;
    bank.says = says;
    const beganMs = theatre.now();
    expect(await settle(theatre)).toEqual({ asked: 30, answers: 0, ended: [] });
    expect(theatre.now() - beganMs).toBeLessThan(2 * minuteMs);
    expect(await theatre.statuses(one.batchId)).toEqual({ submitted: 30 });
  });

  test('goes on as long as the bank tells something', async () => {
    await using one = await leaveDoubt(60);
    one.bank.says = '010004';
    expect(await settle(one.theatre, 250)).toEqual({ asked: 60, answers: 60, ended: [firstBatchId] });
  });

  test('ends a batch that has nothing left to send', async () => {
    await using one = await leaveDoubt(3);
    one.bank.says = '010004';
    expect(await settle(one.theatre, minuteMs, one.batchId)).toMatchObject({ ended: [one.batchId] });
    expect((await one.theatre.batch(one.batchId)).status).toBe('done');
    expect(await one.theatre.exitCode(one.batchId)).toBe(0);
    expect(await settle(one.theatre)).toEqual({ asked: 0, answers: 0, ended: [] });
  });

  test('leaves alone a batch with rows that are still to be sent', async () => {
    await using one = await stage(5, (theatre) => ({
      transfer: (_order, no) => (no <= 2 ? theatre.code('EM073') : theatre.code('TM001')),
      inquire: (inquiry) => theatre.found(inquiry, isDone ? '010004' : '010003'),
    }));
    let isDone = false;
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 1_000 });
    isDone = true;
    expect(await settle(theatre)).toMatchObject({ ended: [] });
    expect([(await theatre.batch(batchId)).status, await theatre.statuses(batchId)]).toEqual([
      'paused',
      { held: 3, paid: 2 },
    ]);
  });
});

describe('settling beside a run', () => {
  const timeoutMs = 30_000;

  /** A run that has asked about its rows for half an hour, and asks again in minutes. */
  async function runInDoubt(rows: number, says: string) {
    const theatre = openMemoryTheatre();
    const bank = { says, inquiries: 0 };
    theatre.script = {
      transfer: () => theatre.code('EM073'),
      inquire: (inquiry) => {
        bank.inquiries += 1;
        return bank.says === 'dead' ? notSent : theatre.found(inquiry, bank.says);
      },
    };
    const { batchId } = await ingest(theatre.journal, makeRows(rows));
    const interrupted = new AbortController();
    const running = theatre.start(batchId, { waitMs: 600 * minuteMs, interrupted: interrupted.signal });
    await theatre.time.advance(30 * minuteMs);
    bank.inquiries = 0;
    const settleNext = async (isInProgress: () => boolean, waitMs = minuteMs) => {
      const context = { journal: theatre.journal, clock: theatre.time, settle: policy };
      const limits = { batchId: undefined, waitMs, timeoutMs, isInProgress };
      const beganMs = theatre.now();
      const settled = await theatre.time.drive(
        settleOnRequest(context, limits, new AbortController().signal),
      );
      return { ...settled, tookMs: theatre.now() - beganMs };
    };
    const end = async (): Promise<void> => {
      interrupted.abort();
      await theatre.time.drive(running);
    };
    return { theatre, bank, batchId, settleNext, end };
  }

  test('has it ask about each row at once, and waits for what it learns', async () => {
    const { theatre, bank, batchId, settleNext, end } = await runInDoubt(30, '010003');
    bank.says = '010004';
    const { tookMs, ...settled } = await settleNext(() => true);
    expect(settled).toEqual({
      asked: 30,
      unasked: 0,
      answers: 30,
      settled: 30,
      inDoubt: 0,
      batchIds: [batchId],
    });
    expect(tookMs).toBeLessThan(10_000);
    expect(bank.inquiries).toBe(30);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 30 });
    await end();
  });

  test('says how many are in doubt still, and asks about each once', async () => {
    const { bank, settleNext, end } = await runInDoubt(4, '010003');
    expect(await settleNext(() => true)).toMatchObject({ asked: 4, answers: 4, settled: 0, inDoubt: 4 });
    expect(bank.inquiries).toBe(4);
    await end();
  });

  test('waits no longer than it is told to, and leaves alone what the run does not see to', async () => {
    const { bank, settleNext, end } = await runInDoubt(4, '010003');
    expect(await settleNext(() => false)).toMatchObject({ asked: 0, unasked: 0, inDoubt: 4, tookMs: 0 });
    bank.says = 'dead';
    const silent = await settleNext(() => true);
    expect(silent).toMatchObject({ answers: 0, settled: 0, inDoubt: 4 });
    expect(silent.tookMs).toBeLessThan(5 * minuteMs);
    await end();
  });
});
