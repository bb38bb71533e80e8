/** Attacks on what comes after a first attempt: retries, late proofs, stops and persons beside a running sender. */
import { inEnglish, verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import type { InquiryFields, StatusInquiry, TransferFields } from '../../src/core/bank-port.ts';
import { probeBeyond } from '../../src/payout/lost-journal.ts';
import { cancelBatch, retryBatch } from '../../src/payout/operator.ts';
import { settleOnce } from '../../src/payout/settle.ts';
import { payoutLines } from '../../src/reports/rules/report-rows.ts';
import type { Journal } from '../../src/store/store.ts';
import { lost, noonMs, policy } from '../support/core-fixtures.ts';
import {
  firstReady,
  ingest,
  ingestRunning,
  makeRow,
  secondBatchId,
  submit,
} from '../support/journal-fixtures.ts';
import type { Script } from '../support/scripted-bank.ts';
import { dayMs, minuteMs, openTheatre, stageInMemory, type Theatre, verify } from '../support/theatre.ts';

const rules = { payoutSatangMax: null };

async function retry(theatre: Theatre, batchId: string): Promise<number> {
  const { rowsChanged } = await retryBatch(
    theatre.journal,
    await theatre.batch(batchId),
    rules,
    theatre.now(),
  );
  return rowsChanged;
}

/** The watch goes round every few seconds, while a transfer is still with the bank. */
const oftenAsked = { ...policy, maxDelayMs: 5_000 };

const settle = (theatre: Theatre): Promise<number> =>
  theatre.time.drive(settleOnce(theatre.context(), 'all'));

/** What the bank says of each attempt, by its number; what is left out it does not find. */
type Says = Record<string, string | undefined>;
const noOf = ({ transRefNo }: { transRefNo: string }): string => transRefNo.slice(-2);
const byAttempt =
  (theatre: Theatre, says: Says) =>
  (inquiry: StatusInquiry): ReturnType<Theatre['found']> =>
    theatre.found(inquiry, says[noOf(inquiry)]);

/** Attempt 1 is refused for good, and shown as failed; what becomes of the next is up to the test. */
const refusedFirst = (theatre: Theatre, says: Says, next: Script['transfer']): Script => {
  says['01'] ??= '030002';
  return {
    transfer: (order, no) => (noOf(order) === '01' ? theatre.code('EV042') : next?.(order, no)),
    inquire: byAttempt(theatre, says),
  };
};

async function historyOf(theatre: Theatre, payoutId = 'INV-1') {
  const [history] = await theatre.journal.findPayouts(payoutId);
  if (history === undefined) throw new Error(`there is no ${payoutId}`);
  return history;
}

describe('an earlier attempt that the bank works on after all', () => {
  /** Attempt 2 is with the bank when attempt 1 comes alive. */
  async function aliveBeside(theatre: Theatre, batchId: string, says: Says): Promise<void> {
    await theatre.run(batchId);
    expect(await retry(theatre, batchId)).toBe(1);
    await theatre.run(batchId, { waitMs: 5_000 });
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1 });
    says['01'] = '010003';
    await settle(theatre);
    expect((await historyOf(theatre)).row.isAlarm).toBe(true);
  }

  test('does not keep the later one from being asked about', async () => {
    const says: Says = { '02': '010003' };
    await using one = await stageInMemory(1, (theatre) =>
      refusedFirst(theatre, says, () => theatre.code('EM073')),
    );
    const { theatre, batchId } = one;
    await aliveBeside(theatre, batchId, says);
    says['02'] = '010004';
    await theatre.run(batchId, { waitMs: 30 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });

  test('is not asked about without a pause', async () => {
    const says: Says = { '02': '010003' };
    let asked = 0;
    await using one = await stageInMemory(1, (theatre) => {
      const script = refusedFirst(theatre, says, () => theatre.code('EM073'));
      return {
        ...script,
        inquire: (inquiry) => {
          asked += 1;
          return byAttempt(theatre, says)(inquiry);
        },
      };
    });
    const { theatre, batchId } = one;
    await aliveBeside(theatre, batchId, says);
    asked = 0;
    await theatre.run(batchId, { waitMs: 10 * minuteMs });
    expect(asked).toBeLessThan(20);
  });

  test('keeps the row in doubt when the later one has failed', async () => {
    const says: Says = { '02': '010003' };
    await using one = await stageInMemory(1, (theatre) =>
      refusedFirst(theatre, says, () => theatre.code('EM073')),
    );
    const { theatre, batchId } = one;
    await aliveBeside(theatre, batchId, says);
    says['02'] = '030003';
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1 });
    says['01'] = '030002';
    await settle(theatre);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
  });

  test('keeps the row in doubt when the bank refuses the later one', async () => {
    const says: Says = {};
    await using one = await stageInMemory(1, (theatre) =>
      refusedFirst(theatre, says, async () => {
        says['01'] = '010003';
        await theatre.time.sleep(90_000);
        return theatre.code('EV042');
      }),
    );
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre, batchId);
    await theatre.run(batchId, { settle: oftenAsked, waitMs: 3 * minuteMs });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1 });
  });

  test('keeps the later one from being sent again', async () => {
    const says: Says = {};
    await using one = await stageInMemory(1, (theatre) => refusedFirst(theatre, says, () => lost));
    const { theatre, batchId } = one;
    await aliveBeside(theatre, batchId, says);
    await theatre.run(batchId, { waitMs: 30 * minuteMs });
    expect(theatre.sent.map(noOf)).toEqual(['01', '02']);
  });

  test('and has failed in the end does not hold the payout for ever', async () => {
    const says: Says = {};
    await using one = await stageInMemory(1, (theatre) => refusedFirst(theatre, says, undefined));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const later = await ingest(theatre.journal, [makeRow(1)], {
      batchId: secondBatchId,
      fileName: 'later.csv',
    });
    says['01'] = '010003';
    await theatre.run(later.batchId);
    expect(await theatre.statuses(later.batchId)).toEqual({ held: 1 });
    says['01'] = '030002';
    await theatre.run(later.batchId);
    await theatre.run(later.batchId);
    expect(await theatre.statuses(later.batchId)).toEqual({ paid: 1 });
  });
});

describe('a late proof for the row of an earlier file', () => {
  test('keeps the later row from being sent again', async () => {
    const says: Says = {};
    await using one = await stageInMemory(1, (theatre) => refusedFirst(theatre, says, () => lost));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const later = await ingest(theatre.journal, [makeRow(1)], {
      batchId: secondBatchId,
      fileName: 'later.csv',
    });
    await theatre.run(later.batchId, { waitMs: 5_000 });
    says['01'] = '010004';
    await settle(theatre);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
    await theatre.run(later.batchId, { waitMs: 30 * minuteMs });
    expect(theatre.sent.map(noOf)).toEqual(['01', '02']);
  });
});

describe('one proof', () => {
  test('that two look at is not called two transfers', async () => {
    const says: Says = { '02': '030003' };
    await using one = await stageInMemory(1, (theatre) => {
      const script = refusedFirst(theatre, says, (order) =>
        noOf(order) === '02' ? theatre.code('EV042') : undefined,
      );
      return {
        ...script,
        inquire: async (inquiry) => {
          await theatre.time.sleep(1_000);
          return byAttempt(theatre, says)(inquiry);
        },
      };
    });
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre, batchId);
    await theatre.run(batchId);
    await retry(theatre, batchId);
    says['01'] = '010004';
    await theatre.run(batchId);
    const { row } = await historyOf(theatre);
    expect(row).toMatchObject({ status: 'paid', isAlarm: true, reasonCode: 'late-proof' });
  });

  test('after an older answer does not break the run', async () => {
    const says: Says = { '02': '030003' };
    let isSlow = false;
    await using one = await stageInMemory(1, (theatre) => {
      const script = refusedFirst(theatre, says, (order) =>
        noOf(order) === '02' ? theatre.code('EV042') : undefined,
      );
      let asked = 0;
      return {
        ...script,
        inquire: async (inquiry) => {
          if (!isSlow || noOf(inquiry) !== '01') return byAttempt(theatre, says)(inquiry);
          asked += 1;
          if (asked > 1) return theatre.found(inquiry, '010004');
          await theatre.time.sleep(20_000);
          return theatre.found(inquiry, '010003');
        },
        check: async () => {
          await theatre.time.sleep(1_000);
          return theatre.checked('IC001');
        },
      };
    });
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre, batchId);
    await theatre.run(batchId);
    await retry(theatre, batchId);
    isSlow = true;
    await theatre.run(batchId);
    const { row } = await historyOf(theatre);
    expect(row).toMatchObject({ status: 'paid', isAlarm: true, reasonCode: 'late-proof' });
  });
});

describe('what was cleared', () => {
  test('before a long pause is asked about again after it', async () => {
    const says: Says = {};
    await using one = await stageInMemory(2, (theatre) => refusedFirst(theatre, says, undefined));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre, batchId);
    const [first] = theatre.sent.map(({ transRefNo }) => transRefNo);
    theatre.script = {
      transfer: async ({ transRefNo }, no) => {
        if (no > 3) return theatre.code('IC000', { transRefNo });
        await theatre.time.sleep(50);
        says['01'] = '010004';
        return theatre.answer<TransferFields>(undefined, { httpStatus: 429, retryAfterMs: 30 * minuteMs });
      },
      inquire: async (inquiry) => {
        if (inquiry.transRefNo === first) return theatre.found(inquiry, '030002');
        // Answered as the bank knows it now, which comes when the line is paused.
        const answer = byAttempt(theatre, says)(inquiry);
        await theatre.time.sleep(100);
        return answer;
      },
    };
    await theatre.run(batchId, { waitMs: dayMs, verify: { ...verify, concurrency: 1 } });
    expect((await historyOf(theatre, 'INV-2')).attempts).toHaveLength(1);
  });
});

describe('a person who cancels beside the run', () => {
  test('is told of what comes back refused at that very moment, and cancels it once more', async () => {
    let refuse = (): void => undefined;
    const refused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    await using one = await stageInMemory(1, (theatre) => ({
      transfer: async () => {
        await refused;
        return theatre.code('EM053');
      },
    }));
    const { theatre, batchId } = one;
    const run = theatre.start(batchId);
    await theatre.time.advanceTo(noonMs + minuteMs);
    expect(await theatre.statuses(batchId)).toEqual({ submitted: 1 });
    const { journal } = theatre;
    const slow: Journal = Object.assign(Object.create(journal) as Journal, {
      cancelUnsent: async (id: string, nowMs: number) => {
        const rows = await journal.cancelUnsent(id, nowMs);
        refuse();
        await theatre.time.drive(run);
        return rows;
      },
    });
    const done = await cancelBatch(slow, await theatre.batch(batchId), theatre.now());
    expect(done.rowsChanged).toBe(0);
    expect(done.refusals.map(inEnglish)).toEqual([expect.stringContaining('was sent as')]);
    theatre.script = {};
    await theatre.run(batchId);
    expect([await theatre.statuses(batchId), theatre.sent.length]).toEqual([{ held: 1 }, 1]);
    await cancelBatch(journal, await theatre.batch(batchId), theatre.now(), async () => undefined);
    expect(await theatre.statuses(batchId)).toEqual({ cancelled: 1 });
  });
});

describe('a row that the bank contradicts', () => {
  test('is not reported as one of which no money moved', async () => {
    const says: Says = {};
    await using one = await stageInMemory(1, (theatre) => refusedFirst(theatre, says, undefined));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await ingest(theatre.journal, [makeRow(1)], { batchId: secondBatchId, fileName: 'later.csv' });
    says['01'] = '010003';
    await theatre.run(secondBatchId);
    await using snapshot = await theatre.journal.snapshot();
    for (const row of (await Array.fromAsync(snapshot.resultRows(batchId))).flat()) {
      expect(row).toMatchObject({ status: 'failed', isAlarm: true });
      const moneyMoved = payoutLines.renderException(batchId, row)[
        payoutLines.exceptionColumns.indexOf('moneyMoved')
      ];
      expect(moneyMoved).toBe('unknown');
    }
  });
});

describe('a later attempt whose payout a late proof has paid', () => {
  test('and that the bank calls another’s is not called paid by an inquiry', async () => {
    const says: Says = {};
    await using one = await stageInMemory(1, (theatre) =>
      refusedFirst(theatre, says, async () => {
        says['01'] = '010004';
        await theatre.time.sleep(90_000);
        return theatre.code('EM001');
      }),
    );
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    await retry(theatre, batchId);
    await theatre.run(batchId, { settle: oftenAsked, waitMs: 3 * minuteMs });
    says['02'] = '010004';
    await theatre.run(batchId, { waitMs: 30 * minuteMs });
    const { row, attempts } = await historyOf(theatre);
    expect(row).toMatchObject({ status: 'paid', isAlarm: true });
    expect(attempts[1]).toMatchObject({ referenceConflict: true });
    expect(attempts[1]?.status).not.toBe('paid');
  });
});

describe('after a loss, under a halted line', () => {
  test('a bank in trouble is not asked without a pause', async () => {
    await using theatre = await openTheatre();
    const { journal } = theatre;
    const batch = await ingestRunning(journal, [makeRow(1)]);
    const { payout, attempt } = await submit(journal, await firstReady(journal));
    let asked = 0;
    theatre.script = {
      inquire: () => {
        asked += 1;
        return theatre.answer<InquiryFields>(undefined, { httpStatus: 429 });
      },
    };
    const loss = {
      recoveredAtMs: noonMs + 1,
      sinceDate: attempt.order.tranDate,
      untilDate: attempt.order.tranDate,
    };
    const recovered: Journal = Object.assign(Object.create(journal) as Journal, { loss: async () => loss });
    const context = theatre.context({ journal: recovered });
    context.gate.haltFor({ code: 'EM053', reason: verbatim('no funds'), remedy: verbatim('fund it') });
    const looking = probeBeyond(context, { payout, attempt });
    await theatre.time.drive(looking);
    expect([await looking, asked]).toEqual(['blocked', 3]);
    expect(await journal.nextInquiryAtMs(batch.batchId)).toBeGreaterThan(theatre.now());
  });
});
