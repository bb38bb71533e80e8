/** How full the lanes to the bank are: by a clock of the test, so that no machine is too slow for it. */
import { expect, test } from 'vitest';
import type { Change } from '../../src/core/ports.ts';
import type { Journal } from '../../src/store/store.ts';
import { ingest, makeRows } from '../support/journal-fixtures.ts';
import { openMachines, paidOnce } from '../support/machines.ts';
import { minuteMs, openMemoryTheatre, type Theatre, verify } from '../support/theatre.ts';

const answerMs = 100;

/** A journal whose commits take a while, one after the other; what comes meanwhile goes with the next. */
function withSlowCommits({ journal, time }: Theatre, commitMs: number): Journal {
  let waiting: (() => void)[] = [];
  let isCommitting = false;
  const commit = async (): Promise<void> => {
    while (waiting.length > 0) {
      const committed = waiting;
      waiting = [];
      await time.sleep(commitMs);
      for (const resolve of committed) resolve();
    }
    isCommitting = false;
  };
  const apply = async (changes: readonly Change[]): Promise<readonly boolean[]> => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (isCommitting) return;
      isCommitting = true;
      void commit();
    });
    return journal.apply(changes);
  };
  return { ...journal, apply };
}

test.each([16, 64, 256])(
  '%i transfers at a time fill the lanes of a bank that takes 100 ms',
  async (width) => {
    await using theatre = openMemoryTheatre();
    const { time } = theatre;
    const answer = async (): Promise<undefined> => {
      // Answers that all took the same would come in step.
      await time.sleep(answerMs - 10 + ((theatre.sent.length * 7) % 21));
      return undefined;
    };
    let [underWay, most] = [0, 0];
    const transfer = async (): Promise<undefined> => {
      underWay += 1;
      most = Math.max(most, underWay);
      await answer();
      underWay -= 1;
    };
    theatre.script = { check: answer, transfer };
    const rows = Math.min(width * 10, 1_280);
    const { batchId } = await ingest(theatre.journal, makeRows(rows));
    await theatre.run(batchId, {
      journal: withSlowCommits(theatre, 2),
      transferConcurrency: width,
      verify: { ...verify, concurrency: width },
    });
    expect(await theatre.statuses(batchId)).toEqual({ paid: rows });
    expect(most).toBe(width);
    // The last ones that leave have no others behind them.
    const sentMs = theatre.sent.map(({ atMs }) => atMs);
    const tookMs = (sentMs.at(-1) ?? NaN) - (sentMs[0] ?? NaN);
    const bound = (width * 1_000) / answerMs;
    expect(((rows - width) / tookMs) * 1_000).toBeGreaterThan(0.95 * bound);
  },
);

test('an intent that a bank which has become slow keeps waiting is not sent: others count from it', async () => {
  const [rows, quickRows] = [800, 600];
  await using one = await openMachines(rows);
  const { theatre, batchId, sender } = one;
  const { time } = theatre;
  const agesMs: number[] = [];
  theatre.script.transfer = async ({ transRefNo }, no) => {
    const found = (await theatre.journal.inDoubt(0, rows)).find(
      ({ attempt }) => attempt.order.transRefNo === transRefNo,
    );
    agesMs.push(theatre.now() - (found?.attempt.intentAtMs ?? NaN));
    await time.sleep(no <= quickRows ? 5 : 29_000);
    return undefined;
  };
  const lanes = { transferConcurrency: 32, verify: { ...verify, concurrency: 32 } };
  await time.drive(sender.send(batchId, { journal: withSlowCommits(theatre, 40), ...lanes }));
  expect(await theatre.statuses(batchId)).toEqual({ paid: rows });
  expect(paidOnce(theatre)).toBe(true);
  expect(Math.max(...agesMs)).toBeLessThanOrEqual(minuteMs);
  const histories = await Promise.all(
    Array.from({ length: rows }, (_, index) => theatre.journal.findPayouts(`INV-${index + 1}`)),
  );
  expect(histories.flat().filter(({ attempts }) => attempts.length > 1).length).toBeGreaterThan(0);
});
