/** Cancelling rows whose request has left: the bank is asked about every send first. */
import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { cancelBatch, cancelPayouts, type OperatorResult } from '../../src/payout/operator.ts';
import { askBeforeCancel } from '../../src/payout/superseded.ts';
import { inquiryFields, inquiryItem, lost, policy } from '../support/core-fixtures.ts';
import { minuteMs, notSent, type Script, stage, type StoreTheatre } from '../support/theatre.ts';
import { inWords } from '../support/in-words.ts';

/** A batch whose first row is refused for the payer: it is held after a send, and the others before one. */
async function stageRefused(rows: number, script: (theatre: StoreTheatre) => Script = () => ({})) {
  const one = await stage(rows, (theatre) => ({
    transfer: (_order, no) => (no === 1 ? theatre.code('EM053') : undefined),
    ...script(theatre),
  }));
  await one.theatre.run(one.batchId, { transferConcurrency: 1 });
  expect(await one.theatre.statuses(one.batchId)).toEqual({ held: rows });
  expect(one.theatre.sent).toHaveLength(1);
  return one;
}

/** Cancels these rows, or the whole batch, as the shell does beside whoever is sending. */
async function cancel(theatre: StoreTheatre, batchId: string, rowNos?: readonly number[]) {
  const asked: string[] = [];
  const { journal, time } = theatre;
  const batch = await theatre.batch(batchId);
  const context = theatre.context();
  const ask: Parameters<typeof cancelBatch>[3] = (payout, attempt) => {
    asked.push(`${payout.rowNo}`);
    return askBeforeCancel(context, payout, attempt);
  };
  const seqs = await Promise.all((rowNos ?? []).map((rowNo) => seqOf(theatre, batchId, rowNo)));
  const work =
    rowNos === undefined
      ? cancelBatch(journal, batch, theatre.now(), ask)
      : cancelPayouts(journal, seqs, theatre.now(), ask);
  const done: OperatorResult = await time.drive(work);
  return { ...done, asked };
}

async function seqOf({ journal }: StoreTheatre, batchId: string, rowNo: number): Promise<number> {
  await using snapshot = await journal.snapshot();
  for await (const rows of snapshot.resultRows(batchId))
    for (const row of rows) if (row.rowNo === rowNo) return row.seq;
  throw new Error(`there is no row ${rowNo}`);
}

const rowOf = async (theatre: StoreTheatre, batchId: string, rowNo: number) =>
  theatre.journal.payout(await seqOf(theatre, batchId, rowNo));

async function latestEventOf(theatre: StoreTheatre, batchId: string) {
  const row = await rowOf(theatre, batchId, 1);
  const [history] = await theatre.journal.findPayouts(row?.instruction.payoutId ?? '');
  return history?.events.at(-1);
}

describe('a row that was sent and is held', () => {
  test('is refused while "not found" is too young, with the time, and cancelled afterwards', async () => {
    await using one = await stageRefused(1);
    const { theatre, batchId } = one;
    const refused = await cancel(theatre, batchId, [1]);
    expect(refused).toMatchObject({ rowsChanged: 0, asked: ['1'] });
    expect(inWords(refused.refusals)).toEqual([
      expect.stringMatching(
        /^payout INV-1 \(row 1 of batch \w+\) was sent as PD\w{18} a moment ago: .* counts from 2026-11-21 12:02:\d\d Bangkok time on; then "paydrop cancel INV-1" asks again$/,
      ),
    ]);
    expect(await theatre.statuses(batchId)).toEqual({ held: 1 });
    const transRefNo = expect.stringMatching(/^PD\w{18}$/);
    expect(await latestEventOf(theatre, batchId)).toMatchObject({
      cause: 'inquired',
      detail: { for: 'cancel', transRefNo, finding: 'not-found' },
    });
    theatre.time.jump(policy.notFoundTrustMs);
    expect(await cancel(theatre, batchId, [1])).toMatchObject({ rowsChanged: 1, refusals: [], asked: ['1'] });
    expect(await rowOf(theatre, batchId, 1)).toMatchObject({ status: 'cancelled', settledBy: 'decision' });
    expect(await latestEventOf(theatre, batchId)).toMatchObject({
      cause: 'cancelled',
      detail: { asked: [transRefNo], moneyMoved: 'no' },
    });
  });

  test('is cancelled at once where the bank shows a failed transfer', async () => {
    await using one = await stageRefused(1, (theatre) => ({
      inquire: (inquiry) => theatre.found(inquiry, '030002'),
    }));
    expect(await cancel(one.theatre, one.batchId, [1])).toMatchObject({ rowsChanged: 1, refusals: [] });
  });

  test.each([
    ['is complete', '010004', /the bank says that it is complete: "paydrop show INV-1"/, 'paid'],
    ['is in process', '010003', /the bank may yet complete it: "paydrop settle \w{10}"/, 'unresolved'],
  ])('stays, loudly, where the bank says that it %s', async (_name, tranStatusCode, why, status) => {
    await using one = await stageRefused(1, (theatre) => ({
      inquire: (inquiry) => theatre.found(inquiry, tranStatusCode),
    }));
    one.theatre.time.jump(10 * minuteMs);
    const { rowsChanged, refusals } = await cancel(one.theatre, one.batchId, [1]);
    expect(inWords([rowsChanged, refusals])).toEqual([0, [expect.stringMatching(why)]]);
    expect(await rowOf(one.theatre, one.batchId, 1)).toMatchObject({ status, isAlarm: true });
  });

  test('stays where an item contradicts itself', async () => {
    await using one = await stageRefused(1, (theatre) => ({
      inquire: ({ transRefNo }) =>
        theatre.answer(inquiryFields([{ ...inquiryItem(transRefNo, '030003'), statusCode: 'IC000' }])),
    }));
    one.theatre.time.jump(10 * minuteMs);
    expect(await cancel(one.theatre, one.batchId, [1])).toMatchObject({ rowsChanged: 0 });
    expect(await one.theatre.statuses(one.batchId)).toEqual({ unresolved: 1 });
  });

  test.each([
    ['out of reach', notSent],
    ['silent', lost],
  ])('cannot be cancelled while the bank is %s', async (_name, reply) => {
    await using one = await stageRefused(1, () => ({ inquire: () => reply }));
    const { theatre, batchId } = one;
    theatre.time.jump(10 * minuteMs);
    const beganAtMs = theatre.now();
    const { rowsChanged, refusals } = await cancel(theatre, batchId, [1]);
    expect(rowsChanged).toBe(0);
    expect(inWords(refusals)).toEqual([
      expect.stringMatching(
        /the bank does not say what became of it \(.*\): once it answers, "paydrop cancel INV-1"/,
      ),
    ]);
    expect(theatre.now() - beganAtMs).toBeLessThan(minuteMs);
    expect(await theatre.statuses(batchId)).toEqual({ held: 1 });
  });

  test('is cancelled without a question where no byte of it has left', async () => {
    await using one = await stage(1, () => ({ transfer: () => notSent }));
    await one.theatre.run(one.batchId, { waitMs: minuteMs });
    expect(await rowOf(one.theatre, one.batchId, 1)).toMatchObject({ status: 'held', attemptNo: 1 });
    expect(await cancel(one.theatre, one.batchId, [1])).toMatchObject({ rowsChanged: 1, asked: [] });
  });

  test('is asked about though its account is halted', async () => {
    await using one = await stageRefused(1);
    const { theatre, batchId } = one;
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'EM053' });
    theatre.time.jump(10 * minuteMs);
    const context = theatre.context();
    context.gate.observe({ kind: 'payer-stop', reason: { code: 'EM053', text: verbatim('no funds') } });
    const { journal } = theatre;
    const seq = await seqOf(theatre, batchId, 1);
    const ask: Parameters<typeof cancelBatch>[3] = (...asked) => askBeforeCancel(context, ...asked);
    const done = theatre.time.drive(cancelPayouts(journal, [seq], theatre.now(), ask));
    expect(await done).toMatchObject({ rowsChanged: 1 });
  });
});

test('a row that was never sent is cancelled without asking', async () => {
  await using one = await stageRefused(3, () => ({ inquire: () => notSent }));
  expect(await cancel(one.theatre, one.batchId, [2, 3])).toMatchObject({ rowsChanged: 2, asked: [] });
  expect(await one.theatre.statuses(one.batchId)).toEqual({ held: 1, cancelled: 2 });
});

test('where the bank cannot be asked, what was sent is refused and the rest cancelled', async () => {
  await using one = await stageRefused(3);
  const { theatre, batchId } = one;
  const done = await cancelBatch(theatre.journal, await theatre.batch(batchId), theatre.now());
  expect(inWords(done)).toMatchObject({
    rowsChanged: 2,
    refusals: [expect.stringContaining('cannot be asked')],
  });
});

describe('a batch', () => {
  test('keeps a row that was sent until the bank shows that no money moved, and sends nothing of it meanwhile', async () => {
    await using one = await stageRefused(4);
    const { theatre, batchId } = one;
    const first = await cancel(theatre, batchId);
    expect(inWords(first)).toMatchObject({
      rowsChanged: 3,
      asked: ['1'],
      refusals: [expect.stringMatching(/a moment ago/)],
    });
    const { companyId, payerAccount, status } = await theatre.batch(batchId);
    expect(status).toBe('halted');
    await theatre.journal.liftPayerHalt(companyId, payerAccount, theatre.now());
    await theatre.run(batchId);
    expect([theatre.sent.length, await theatre.statuses(batchId)]).toEqual([1, { held: 1, cancelled: 3 }]);
    theatre.time.jump(10 * minuteMs);
    expect(await cancel(theatre, batchId)).toMatchObject({ rowsChanged: 1, refusals: [] });
    expect(await theatre.statuses(batchId)).toEqual({ cancelled: 4 });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done' });
  });

  test('that is cancelled while transfers are under way keeps those that come back refused', async () => {
    await using one = await stage(8, (theatre) => ({
      transfer: async () => {
        await theatre.time.sleep(20_000);
        return theatre.code('TM001');
      },
    }));
    const { theatre, batchId } = one;
    const run = theatre.start(batchId, { transferConcurrency: 1 });
    await theatre.time.advance(10_000);
    await cancelBatch(theatre.journal, await theatre.batch(batchId), theatre.now());
    await theatre.time.drive(run);
    const { held = 0, cancelled = 0 } = await theatre.statuses(batchId);
    expect([held > 0, cancelled > 0, held + cancelled]).toEqual([true, true, 8]);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted', reasonCode: 'cancelled' });
    theatre.time.jump(10 * minuteMs);
    expect(await cancel(theatre, batchId)).toMatchObject({ rowsChanged: held, refusals: [] });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done' });
  });
});

describe('a halted batch', () => {
  test('comes to its end when its last rows are cancelled one by one, and not before', async () => {
    await using one = await stageRefused(2);
    const { theatre, batchId } = one;
    theatre.time.jump(60 * minuteMs);
    expect((await theatre.batch(batchId)).status).toBe('halted');
    await cancel(theatre, batchId, [2]);
    expect((await theatre.batch(batchId)).status).toBe('halted');
    await cancel(theatre, batchId, [1]);
    expect(await theatre.statuses(batchId)).toEqual({ cancelled: 2 });
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'done', reasonCode: null, remedy: null });
  });

  test('stays halted while a row of it is in doubt', async () => {
    await using one = await stage(2, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? lost : theatre.code('EM053')),
      inquiry: () => lost,
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1, held: 1 });
    theatre.time.jump(60 * minuteMs);
    const { journal } = theatre;
    await cancelPayouts(journal, [await seqOf(theatre, batchId, 2)], theatre.now(), async () => undefined);
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1, cancelled: 1 });
    expect((await theatre.batch(batchId)).status).toBe('halted');
  });
});
