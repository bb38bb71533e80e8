/** What is refused goes again under the same reference, and what the bank may have processed does not. */
import { describe, expect, test } from 'vitest';
import { isMessage } from '../../src/core/message.ts';
import { changeEach } from '../../src/payout/operator.ts';
import { decideLift, payoutWideHolds } from '../../src/payout/rules/operator.ts';
import type { TransferFields } from '../../src/core/bank-port.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { inquiryFields, inquiryItem, lost, policy } from '../support/core-fixtures.ts';
import type { Script } from '../support/scripted-bank.ts';
import { dayMs, minuteMs, stageInMemory, type Theatre } from '../support/theatre.ts';

type Reply = ReturnType<Theatre['code']>;

/** A business refusal that bears our transRefNo, and no requestUID. */
const withoutUid = (theatre: Theatre, code: string, transRefNo: string): Reply =>
  theatre.code(code, { transRefNo, requestUid: undefined });

const bare = (theatre: Theatre, httpStatus: number): Reply =>
  theatre.answer<TransferFields>(undefined, { httpStatus });

/** The first transfers are answered so; all that come later are paid. */
const answering =
  (...answers: readonly ((theatre: Theatre, transRefNo: string) => Reply)[]) =>
  (theatre: Theatre): Script => ({
    transfer: ({ transRefNo }, no) => answers[no - 1]?.(theatre, transRefNo),
  });

const refsOf = ({ sent }: Theatre): string[] => sent.map(({ transRefNo }) => transRefNo.slice(-2));

async function rowOf({ journal }: Theatre) {
  const [history] = await journal.findPayouts('INV-1');
  if (history === undefined) throw new Error('there is no row');
  return history;
}

/** What "paydrop resume INV-1" does. */
async function resumeRow(theatre: Theatre): Promise<number> {
  const { journal } = theatre;
  const { row } = await rowOf(theatre);
  const { rowsChanged } = await changeEach([row.seq], async (seq) => {
    const payout = await journal.payout(seq);
    const change = payout && decideLift(payout, payoutWideHolds, theatre.now());
    if (change === undefined || isMessage(change)) return change ?? false;
    return (await journal.apply([change])).every(Boolean);
  });
  return rowsChanged;
}

describe('a refusal that bears our requestUID', () => {
  test.each(['TM001', 'EM058'])('%s six times uses up no number', async (code) => {
    const six = Array.from({ length: 6 }, () => (theatre: Theatre) => theatre.code(code));
    await using one = await stageInMemory(1, answering(...six));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: dayMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(refsOf(theatre)).toEqual(Array.from({ length: 7 }, () => '01'));
  });

  test('waits until "not found" can be trusted before its reference goes again', async () => {
    await using one = await stageInMemory(
      1,
      answering((theatre) => theatre.code('TM001')),
    );
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: dayMs });
    const [first, second] = theatre.sent.map(({ atMs }) => atMs);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(policy.notFoundTrustMs);
  });

  test('is followed by the next number once the bank shows it as failed', async () => {
    await using one = await stageInMemory(1, (theatre) => ({
      ...answering((it) => it.code('TM001'))(theatre),
      inquire: (inquiry) => theatre.found(inquiry, inquiry.transRefNo.endsWith('01') ? '030003' : undefined),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: dayMs });
    expect(refsOf(theatre)).toEqual(['01', '02']);
  });
});

describe('a refusal without our requestUID', () => {
  const refusals = [
    ['HTTP 403', (theatre: Theatre) => bare(theatre, 403), 'held'],
    ['EM053', (theatre: Theatre, ref: string) => withoutUid(theatre, 'EM053', ref), 'held'],
    ['TM001', (theatre: Theatre, ref: string) => withoutUid(theatre, 'TM001', ref), 'paid'],
    ['EV042', (theatre: Theatre, ref: string) => withoutUid(theatre, 'EV042', ref), 'failed'],
  ] as const;

  test.each(refusals)('%s counts once "not found" can be trusted', async (_name, refusal, end) => {
    await using one = await stageInMemory(1, answering(refusal));
    const { theatre, batchId } = one;
    const running = theatre.start(batchId, { waitMs: 20 * minuteMs });
    await theatre.time.advance(30_000);
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1 });
    await theatre.time.drive(running);
    expect(await theatre.statuses(batchId)).toEqual({ [end]: 1 });
  });

  test.each(refusals)('%s proves nothing of what the bank completes', async (_name, refusal) => {
    let isDone = false;
    await using one = await stageInMemory(1, (theatre) => ({
      ...answering(refusal)(theatre),
      inquire: (inquiry) => theatre.found(inquiry, isDone ? '010004' : '010003'),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1 });
    isDone = true;
    await theatre.resume(batchId);
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(theatre.sent).toHaveLength(1);
  });

  test('goes on with one resume of the account, on the same day', async () => {
    await using one = await stageInMemory(
      1,
      answering((theatre) => bare(theatre, 403)),
    );
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ held: 1 });
    await theatre.resume(batchId);
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(refsOf(theatre)).toEqual(['01', '01']);
  });

  test('is for a person on another day', async () => {
    await using one = await stageInMemory(
      1,
      answering((theatre) => bare(theatre, 403)),
    );
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    theatre.time.jump(dayMs);
    await theatre.resume(batchId);
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect((await rowOf(theatre)).row).toMatchObject({
      status: 'held',
      holds: ['resend'],
      reasonCode: 'resend-undecided',
    });
    expect(theatre.sent).toHaveLength(1);
    expect(await resumeRow(theatre)).toBe(1);
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    expect(refsOf(theatre)).toEqual(['01', '01']);
  });

  test('is not believed by a "not found" of another day: the bank may have forgotten', async () => {
    let isAnswering = false;
    await using one = await stageInMemory(1, (theatre) => ({
      ...answering((it) => bare(it, 403))(theatre),
      inquire: (inquiry) => (isAnswering ? theatre.found(inquiry, undefined) : lost),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: minuteMs });
    theatre.time.jump(3 * dayMs);
    isAnswering = true;
    await theatre.resume(batchId);
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1 });
  });
});

describe('a reference that the bank holds', () => {
  test('is asked about, and never sent again on any day', async () => {
    await using one = await stageInMemory(
      1,
      answering(
        (theatre) => theatre.code('TM001'),
        (theatre) => theatre.code('EM001'),
      ),
    );
    const { theatre, batchId } = one;
    for (let day = 0; day < 3; day += 1) {
      await theatre.resume(batchId);
      await theatre.run(batchId, { waitMs: 2 * dayMs });
      theatre.time.jump(dayMs);
    }
    expect(theatre.sent).toHaveLength(2);
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1 });
  });
});

describe('two sends under one reference', () => {
  test('of which the first is completed: the row is paid by that one, and the other is asked about on', async () => {
    let isDone = false;
    let first: Pick<TransferOrder, 'tranDate' | 'tranTime'> | undefined;
    await using one = await stageInMemory(1, (theatre) => ({
      transfer: (order, no) => {
        first ??= order;
        return no === 1 ? bare(theatre, 403) : lost;
      },
      inquire: (inquiry) => {
        if (!isDone || first === undefined) return theatre.found(inquiry, undefined);
        const { tranDate, tranTime } = first;
        return inquiry.tranDate === tranDate
          ? theatre.answer(
              inquiryFields([{ ...inquiryItem(inquiry.transRefNo, '010004'), tranDate, tranTime }]),
            )
          : theatre.found(inquiry, undefined);
      },
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    theatre.time.jump(dayMs);
    await theatre.resume(batchId);
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    expect(await resumeRow(theatre)).toBe(1);
    await theatre.run(batchId, { waitMs: minuteMs });
    expect(theatre.sent.length).toBeGreaterThanOrEqual(2);
    isDone = true;
    await theatre.run(batchId, { waitMs: 20 * minuteMs });
    const { row, attempts } = await rowOf(theatre);
    expect(row).toMatchObject({ status: 'paid', isAlarm: false });
    expect(attempts.map(({ status }) => status)).toEqual(['paid', expect.not.stringMatching(/^paid$/)]);
  });
});
