import { expect } from 'vitest';
import { move } from '../../../src/core/change.ts';
import type { Payout } from '../../../src/core/payout.ts';
import type { Report } from '../../../src/core/ports.ts';
import type { Journal } from '../../../src/store/store.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

const {
  applied,
  bringTo,
  endOf,
  firstBatchId,
  ingest,
  ingestAs,
  ingestRunning,
  makeBadRow,
  makeRows,
  noonMs,
} = fixtures;
const { payer, readyOf, resultRows, secondBatchId, start, statusesOf, submit, why } = fixtures;

/** Submits a row and sets when it is to be inquired. */
async function askAt(journal: Journal, ready: Payout, nextInquiryAtMs: number | null): Promise<void> {
  const { payout, attempt } = await submit(journal, ready);
  const asked = { ...attempt, nextInquiryAtMs };
  await applied(journal, move({ payout, patch: {}, cause: 'inquired', nowMs: noonMs, attempt: asked }));
}

/** Five rows in two batches: three submitted, to be inquired at 30, 10 and 20, and one given up. */
async function takeDoubts(journal: Journal): Promise<void> {
  await ingestRunning(journal, makeRows(3));
  await ingestRunning(journal, makeRows(2, 11), { batchId: secondBatchId });
  const [first, second, third] = (await readyOf(journal)) as [Payout, Payout, Payout];
  const [other] = (await readyOf(journal, secondBatchId)) as [Payout];
  await askAt(journal, first, noonMs + 30);
  await askAt(journal, second, noonMs + 10);
  await askAt(journal, other, noonMs + 20);
  const givenUp = endOf(await submit(journal, third), 'unresolved');
  const { attempt } = givenUp;
  if (attempt === undefined) throw new Error('an end has an attempt');
  await applied(journal, { ...givenUp, attempt: { ...attempt, nextInquiryAtMs: noonMs + 1 } });
}

const report = (number: number, kind: Report['kind'] = 'result-update'): Report => ({
  batchId: firstBatchId,
  kind,
  number,
  path: `out/${kind}-${number}.csv`,
  temporaryPath: `out/.${kind}-${number}.tmp`,
  sha256: 'ab',
  eventSeq: number * 10,
  atMs: noonMs,
});

const doubts: readonly StoreCase[] = [
  {
    name: 'due inquiries come with the longest overdue first, of all batches or one',
    run: async (journal) => {
      await takeDoubts(journal);
      const ids = async (...asked: Parameters<Journal['dueInquiries']>) =>
        (await journal.dueInquiries(...asked)).map(({ payout }) => payout.instruction.payoutId);
      expect(await ids(noonMs + 9, 10)).toEqual([]);
      expect(await ids(noonMs + 100, 10)).toEqual(['INV-2', 'INV-11', 'INV-1']);
      expect(await ids(noonMs + 20, 10)).toEqual(['INV-2', 'INV-11']);
      expect(await ids(noonMs + 100, 1)).toEqual(['INV-2']);
      expect(await ids(noonMs + 100, 10, secondBatchId)).toEqual(['INV-11']);
      const [due] = await journal.dueInquiries(noonMs + 10, 1);
      expect(due?.attempt).toMatchObject({ payoutSeq: due?.payout.seq, nextInquiryAtMs: noonMs + 10 });
    },
  },
  {
    name: 'the next inquiry of all batches, of one, and of none',
    run: async (journal) => {
      expect(await journal.nextInquiryAtMs()).toBeUndefined();
      await takeDoubts(journal);
      expect(await journal.nextInquiryAtMs()).toBe(noonMs + 10);
      expect(await journal.nextInquiryAtMs(secondBatchId)).toBe(noonMs + 20);
      expect(await journal.nextInquiryAtMs('no batch')).toBeUndefined();
    },
  },
  {
    name: 'what is in doubt, page by page: submitted and unresolved',
    run: async (journal) => {
      await takeDoubts(journal);
      const page = await journal.inDoubt(0, 3);
      expect(page.map(({ payout }) => payout.status)).toEqual(['submitted', 'submitted', 'unresolved']);
      const rest = await journal.inDoubt(page.at(-1)?.payout.seq ?? 0, 3);
      expect(rest.map(({ payout }) => payout.instruction.payoutId)).toEqual(['INV-11']);
      expect(await journal.inDoubt(0, 10, secondBatchId)).toHaveLength(1);
      expect(await journal.countInDoubt()).toBe(4);
    },
  },
];

const payouts: readonly StoreCase[] = [
  {
    name: 'ready rows come in input order, page by page',
    run: async (journal) => {
      await ingestAs(journal, ['paid'], makeRows(5));
      const rowNos = async (after: number) =>
        (await journal.readyPage(firstBatchId, after, 2)).map(({ payout }) => payout.rowNo);
      expect(await rowNos(0)).toEqual([2, 3]);
      expect(await rowNos(3)).toEqual([4, 5]);
      expect(await rowNos(5)).toEqual([]);
    },
  },
  {
    name: 'payouts are found by payoutId, over all files, and by transRefNo',
    run: async (journal) => {
      await ingestAs(journal, ['failed'], makeRows(2));
      await ingestRunning(journal, makeRows(1), { batchId: secondBatchId, fileName: 'second.csv' });
      await bringTo(journal, 'paid', secondBatchId, 1);
      const found = await journal.findPayouts('INV-1');
      expect(found.map(({ row, batch }) => [batch.fileName, row.status])).toEqual([
        ['second.csv', 'paid'],
        ['payouts.csv', 'failed'],
      ]);
      const transRefNo = found[1]?.attempts[0]?.order.transRefNo ?? '';
      expect(await journal.findPayouts(transRefNo)).toEqual([found[1]]);
      expect(await journal.findPayouts('INV-99')).toEqual([]);
    },
  },
  {
    name: 'a rejected row is found, and is no payout when it has no instruction',
    run: async (journal) => {
      await ingest(journal, [makeBadRow(1)]);
      const [found] = await journal.findPayouts('INV-1');
      expect(found?.row).toMatchObject({ status: 'rejected', amountSatang: null, instruction: null });
      expect(await journal.payout(found?.row.seq ?? 0)).toBeUndefined();
      expect(await journal.payout(999)).toBeUndefined();
    },
  },
  {
    name: 'a result row shows its latest attempt',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const { payout, attempt } = await submit(journal, (await readyOf(journal))[0] as Payout);
      const proved = endOf({ payout, attempt: { ...attempt, sysRefNo: 'SYS1', feeText: '5.00' } }, 'paid');
      await applied(journal, proved);
      const { transRefNo } = attempt.order;
      const latest = { attemptNo: 1, transRefNo, sysRefNo: 'SYS1', feeText: '5.00' };
      expect(await resultRows(journal)).toMatchObject([{ ...latest, status: 'paid', settledBy: 'reply' }]);
    },
  },
];

const batches: readonly StoreCase[] = [
  {
    name: 'batches come newest first',
    run: async (journal) => {
      await start(journal, {}, noonMs);
      await start(journal, { batchId: secondBatchId }, noonMs + 1);
      expect((await journal.batches()).map(({ batchId }) => batchId)).toEqual([secondBatchId, firstBatchId]);
      await start(journal, {}, noonMs + 2);
      expect((await journal.batches()).map(({ batchId }) => batchId)).toEqual([firstBatchId, secondBatchId]);
      expect(await journal.batch('no batch')).toBeUndefined();
    },
  },
  {
    name: 'a batch moves only as its table says, and remembers why and when it rested',
    run: async (journal) => {
      await ingest(journal, makeRows(1));
      expect(await journal.moveBatch(firstBatchId, 'done', null, noonMs)).toBe(false);
      expect(await journal.moveBatch('no batch', 'running', null, noonMs)).toBe(false);
      expect(await journal.moveBatch(firstBatchId, 'running', null, noonMs)).toBe(true);
      expect(await journal.batch(firstBatchId)).toMatchObject({ status: 'running', restedAtMs: null });
      expect(await journal.moveBatch(firstBatchId, 'halted', why, noonMs + 3)).toBe(true);
      const halted = { status: 'halted', restedAtMs: noonMs + 3, reasonCode: why.code, remedy: why.remedy };
      expect(await journal.batch(firstBatchId)).toMatchObject(halted);
      expect(await journal.moveBatch(firstBatchId, 'running', null, noonMs + 4)).toBe(true);
      expect(await journal.batch(firstBatchId)).toMatchObject({ reasonCode: null, restedAtMs: noonMs + 3 });
      await expect(journal.moveBatch(firstBatchId, 'sealed', null, noonMs)).rejects.toThrow(
        'its file is read',
      );
    },
  },
  {
    name: 'a batch is moved only as it was seen, where somebody has decided on that',
    run: async (journal) => {
      const seen = await ingest(journal, makeRows(1));
      expect(await journal.moveBatch(firstBatchId, 'running', null, noonMs, seen)).toBe(true);
      expect(await journal.moveBatch(firstBatchId, 'halted', why, noonMs, seen)).toBe(false);
      const running = { status: 'running', reasonCode: null } as const;
      expect(await journal.moveBatch(firstBatchId, 'halted', why, noonMs, running)).toBe(true);
      const otherwise = { status: 'halted', reasonCode: 'cancelled' } as const;
      expect(await journal.moveBatch(firstBatchId, 'running', null, noonMs, otherwise)).toBe(false);
      const halted = { status: 'halted', reasonCode: why.code } as const;
      expect(await journal.moveBatch(firstBatchId, 'running', null, noonMs, halted)).toBe(true);
    },
  },
  {
    name: 'the first stop of a line stays in force until it is lifted',
    run: async (journal) => {
      const { companyId, payerAccount } = payer;
      const stop = { companyId, payerAccount, ...why, sinceMs: noonMs };
      expect(await journal.liftPayerHalt(companyId, payerAccount, noonMs)).toBe(false);
      await journal.recordPayerHalt(stop);
      await journal.recordPayerHalt({ ...stop, code: 'EM004', sinceMs: noonMs + 1 });
      expect(await journal.payerHalt(companyId, payerAccount)).toEqual(stop);
      expect(await journal.liftPayerHalt(companyId, payerAccount, noonMs + 2)).toBe(true);
      expect(await journal.payerHalt(companyId, payerAccount)).toBeUndefined();
      await journal.recordPayerHalt({ ...stop, code: 'EM004' });
      expect(await journal.payerHalt(companyId, payerAccount)).toMatchObject({ code: 'EM004' });
    },
  },
  {
    name: 'a batch that is halted with its account goes on with it, unless it is halted for a cause of its own',
    run: async (journal) => {
      const { companyId, payerAccount } = payer;
      await ingestRunning(journal, makeRows(1));
      await ingestRunning(journal, makeRows(1, 11), { batchId: secondBatchId });
      expect(await journal.haltWithPayer(firstBatchId, noonMs)).toBeUndefined();
      await journal.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
      for (const batchId of [firstBatchId, secondBatchId]) {
        expect(await journal.haltWithPayer(batchId, noonMs + 1)).toEqual(why);
        const halted = { status: 'halted', reasonCode: why.code, reason: why.reason, restedAtMs: noonMs + 1 };
        expect(await journal.batch(batchId)).toMatchObject(halted);
        expect(await journal.haltWithPayer(batchId, noonMs + 2)).toBeUndefined();
      }
      const own = { ...why, code: 'cancelled' };
      expect(await journal.moveBatch(secondBatchId, 'halted', own, noonMs + 3)).toBe(true);
      expect(await journal.liftPayerHalt(companyId, '0000000000', noonMs + 4)).toBe(false);
      expect(await journal.batch(firstBatchId)).toMatchObject({ status: 'halted' });
      expect(await journal.liftPayerHalt(companyId, payerAccount, noonMs + 5)).toBe(true);
      expect(await journal.batch(firstBatchId)).toMatchObject({
        status: 'running',
        reasonCode: null,
        reason: null,
        remedy: null,
        restedAtMs: noonMs + 1,
        ageFromMs: noonMs + 5,
      });
      expect(await journal.batch(secondBatchId)).toMatchObject({ status: 'halted', reasonCode: 'cancelled' });
    },
  },
  {
    name: 'the latest pause of a line is kept until it is cleared',
    run: async (journal) => {
      const { companyId, payerAccount } = payer;
      const line = { companyId, payerAccount };
      const times = { sinceMs: noonMs, untilMs: noonMs + 60_000 };
      const pause = { ...line, ...why, troubles: 3, isTransfer: true, ...times };
      expect(await journal.payerPause(companyId, payerAccount)).toBeUndefined();
      await journal.clearPayerPause(companyId, payerAccount);
      await journal.recordPayerPause(pause);
      expect(await journal.payerPause(companyId, payerAccount)).toEqual(pause);
      const next = { ...pause, code: 'ET004', troubles: 4, isTransfer: false, untilMs: noonMs + 90_000 };
      await journal.recordPayerPause(next);
      await journal.recordPayerPause({ ...next, payerAccount: '0000000000', troubles: 9 });
      expect(await journal.payerPause(companyId, payerAccount)).toEqual(next);
      await journal.clearPayerPause(companyId, payerAccount);
      expect(await journal.payerPause(companyId, payerAccount)).toBeUndefined();
      expect(await journal.payerPause(companyId, '0000000000')).toMatchObject({ troubles: 9 });
    },
  },
  {
    name: 'reports are recorded once, all of a call or none',
    run: async (journal) => {
      await ingest(journal, makeRows(1));
      await journal.recordReports([report(0, 'summary'), report(2), report(1)]);
      expect(await journal.reports(firstBatchId)).toEqual([report(0, 'summary'), report(1), report(2)]);
      await expect(journal.recordReports([report(3), report(1)])).rejects.toThrow();
      expect(await journal.reports(firstBatchId)).toHaveLength(3);
      expect(await journal.reports(secondBatchId)).toEqual([]);
    },
  },
];

const snapshots: readonly StoreCase[] = [
  {
    name: 'a snapshot shows one moment, whatever is written meanwhile',
    run: async (journal, store) => {
      await ingestRunning(journal, makeRows(1_200));
      const other = await store.openAnother();
      await using snapshot = await journal.snapshot();
      const seen: string[] = [];
      for await (const rows of snapshot.resultRows(firstBatchId)) {
        if (seen.length === 0) await other.holdReady(firstBatchId, 'halted', why, noonMs);
        else await journal.cancelUnsent(firstBatchId, noonMs);
        seen.push(...rows.map(({ status }) => status));
      }
      expect(seen).toEqual(Array.from({ length: 1_200 }, () => 'ready'));
      expect(await snapshot.totals(firstBatchId)).toMatchObject([{ status: 'ready', rows: 1_200 }]);
      expect(await snapshot.holdTotals(firstBatchId)).toEqual([]);
      expect(await snapshot.batch(firstBatchId)).toMatchObject({ status: 'running' });
      expect(await journal.totals(firstBatchId)).toMatchObject([{ status: 'cancelled', rows: 1_200 }]);
    },
  },
  {
    name: 'only the rows changed after an event, in input order',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(5));
      await using before = await journal.snapshot();
      expect(await resultRows(journal, firstBatchId, before.eventSeq)).toEqual([]);
      const [, second, , fourth] = (await readyOf(journal)) as [Payout, Payout, Payout, Payout];
      await submit(journal, fourth);
      await submit(journal, second);
      const changed = await resultRows(journal, firstBatchId, before.eventSeq);
      expect(changed.map((row) => [row.rowNo, row.status])).toEqual([
        [2, 'submitted'],
        [4, 'submitted'],
      ]);
      expect(await statusesOf(journal)).toHaveLength(5);
    },
  },
];

export const readCases: readonly StoreCase[] = [...doubts, ...payouts, ...batches, ...snapshots];
