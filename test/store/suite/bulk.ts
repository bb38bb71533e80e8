import { verbatim } from '../../../src/core/message.ts';
import { expect } from 'vitest';
import { afterChange, move } from '../../../src/core/change.ts';
import type { HoldReason } from '../../../src/core/payout.ts';
import { decideReply } from '../../../src/payout/rules/after-transfer.ts';
import type { Journal } from '../../../src/store/store.ts';
import { caseAt } from '../../support/core-fixtures.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

const { applied, bringTo, firstBatchId, firstReady, holdOf, ingestAs, ingestRunning, intentOf, makeBadRow } =
  fixtures;
const { makeRow, makeRows, noonMs, readyOf, resultRows, statusesOf, why } = fixtures;

/** Rows: ready, held for approval and limit, held for limit, rejected. */
async function takeMixed(journal: Journal): Promise<void> {
  const rows = [
    makeRow(1),
    makeRow(2, { holds: ['approval', 'limit'] }),
    makeRow(3, { holds: ['limit'] }),
    makeBadRow(4),
  ];
  await ingestRunning(journal, rows);
}

async function latestEvent(journal: Journal, payoutId: string) {
  const [history] = await journal.findPayouts(payoutId);
  return history?.events.at(-1);
}

async function holdsOf(journal: Journal): Promise<(readonly HoldReason[])[]> {
  return (await resultRows(journal)).map((row) => row.holds);
}

export const bulkCases: readonly StoreCase[] = [
  {
    name: 'a hold is added to every ready row, with its reason and an event',
    run: async (journal) => {
      await takeMixed(journal);
      expect(await journal.holdReady(firstBatchId, 'halted', why, noonMs + 7)).toBe(1);
      expect(await statusesOf(journal)).toEqual(['held', 'held', 'held', 'rejected']);
      expect(await holdsOf(journal)).toEqual([['halted'], ['approval', 'limit'], ['limit'], []]);
      const [first] = await resultRows(journal);
      expect(first).toMatchObject({ reasonCode: why.code, reason: why.reason, version: 3 });
      const event = {
        from: 'ready',
        to: 'held',
        cause: 'hold-added',
        atMs: noonMs + 7,
        detail: { hold: 'halted' },
      };
      expect(await latestEvent(journal, 'INV-1')).toMatchObject(event);
      expect(await journal.holdReady(firstBatchId, 'halted', why, noonMs)).toBe(0);
    },
  },
  {
    name: 'holds are lifted one by one; a row goes on when it has none left',
    run: async (journal) => {
      await takeMixed(journal);
      expect(await journal.liftHolds(firstBatchId, ['halted'], noonMs)).toBe(0);
      expect(await journal.liftHolds(firstBatchId, ['limit', 'halted'], noonMs + 8)).toBe(2);
      expect(await holdsOf(journal)).toEqual([[], ['approval'], [], []]);
      expect(await statusesOf(journal)).toEqual(['ready', 'held', 'ready', 'rejected']);
      expect(await latestEvent(journal, 'INV-2')).toMatchObject({
        from: 'held',
        to: 'held',
        cause: 'hold-lifted',
      });
      expect(await latestEvent(journal, 'INV-3')).toMatchObject({
        from: 'held',
        to: 'ready',
        cause: 'hold-lifted',
      });
      expect(await resultRows(journal)).toMatchObject([{}, {}, { reasonCode: null, reason: null }, {}]);
    },
  },
  {
    name: 'what is unsent is cancelled and keeps its claim; the rest stays',
    run: async (journal) => {
      await takeMixed(journal);
      await bringTo(journal, 'submitted');
      expect(await journal.cancelUnsent(firstBatchId, noonMs + 9)).toBe(2);
      expect(await statusesOf(journal)).toEqual(['submitted', 'cancelled', 'cancelled', 'rejected']);
      const cancelled = { settledBy: 'decision', settledAtMs: noonMs + 9, holds: [] };
      expect(await resultRows(journal)).toMatchObject([{}, cancelled, cancelled, {}]);
      expect(await latestEvent(journal, 'INV-2')).toMatchObject({
        from: 'held',
        to: 'cancelled',
        cause: 'cancelled',
      });
      expect(await journal.claimHolders('COMP000001', ['INV-2'])).toMatchObject([{ status: 'cancelled' }]);
      expect(await journal.cancelUnsent(firstBatchId, noonMs)).toBe(0);
    },
  },
  {
    name: 'what was sent and came back is not cancelled with the rest',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(3));
      const ready = await firstReady(journal);
      const { change, attempt } = intentOf(ready);
      expect(await journal.apply([change])).toEqual([true]);
      const known = caseAt(noonMs, { payout: afterChange(change), attempt });
      const reason = { code: 'EM053', text: verbatim('no funds') };
      const held = decideReply(known, { kind: 'failed', scope: 'payer', reason, bearsRequestUid: true });
      expect(await journal.apply([held])).toEqual([true]);
      expect(await journal.cancelUnsent(firstBatchId, noonMs + 9)).toBe(2);
      expect(await statusesOf(journal)).toEqual(['held', 'cancelled', 'cancelled']);
    },
  },
  {
    name: 'a change decided before is refused after',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(1));
      const { change } = intentOf(await firstReady(journal));
      await journal.holdReady(firstBatchId, 'paused', why, noonMs);
      await journal.liftHolds(firstBatchId, ['paused'], noonMs);
      expect(await statusesOf(journal)).toEqual(['ready']);
      expect(await journal.apply([change])).toEqual([false]);
    },
  },
  {
    name: 'other batches are left alone',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(2));
      await ingestRunning(journal, makeRows(2, 5), { batchId: fixtures.secondBatchId });
      await journal.holdReady(firstBatchId, 'paused', why, noonMs);
      await journal.cancelUnsent(firstBatchId, noonMs);
      expect(await readyOf(journal, fixtures.secondBatchId)).toHaveLength(2);
    },
  },
  {
    name: 'rows are counted by hold, one with two holds under both',
    run: async (journal) => {
      await takeMixed(journal);
      await applied(journal, holdOf(await firstReady(journal), 'name'));
      const totals = (await journal.holdTotals(firstBatchId)).map(({ hold, rows }) => [hold, rows]);
      expect(Object.fromEntries(totals)).toEqual({ approval: 1, limit: 2, name: 1 });
    },
  },
  {
    name: 'rows that are held with their whole file are told from others that are held as like',
    run: async (journal) => {
      await ingestRunning(journal, makeRows(10));
      for (let row = 0; row < 10; row += 1) await bringTo(journal, 'paid');
      const again = makeRows(10).map((row) => ({
        ...row,
        ...makeRow(row.rowNo, { payoutId: `B${row.rowNo}` }),
      }));
      const file = { batchId: fixtures.secondBatchId, likeFileDays: 3, sealedAtMs: noonMs + 80_000 };
      await fixtures.ingest(journal, again, file);
      expect(await journal.holdTotals(fixtures.secondBatchId)).toEqual([
        { hold: 'similar', rows: 10, isOfFile: true },
      ]);
      await ingestRunning(journal, [makeRow(31, { holds: ['similar'] })], { batchId: 'THIRDBATCH' });
      expect(await journal.holdTotals('THIRDBATCH')).toEqual([{ hold: 'similar', rows: 1 }]);
    },
  },
  {
    name: 'rows in doubt that a statement settles, and no inquiry does, are counted',
    run: async (journal) => {
      await ingestAs(journal, ['submitted', 'unresolved'], makeRows(3));
      const [, second] = await resultRows(journal);
      const payout = await journal.payout(second?.seq ?? 0);
      if (payout === undefined) throw new Error('there is no second row');
      const patch = { reasonCode: 'found-after-loss', reason: verbatim('the bank knows it') };
      await applied(journal, move({ payout, patch, cause: 'inquired', nowMs: noonMs }));
      const totals = await journal.totals(firstBatchId);
      const found = { rows: 1, firstSentAtMs: payout.submittedAtMs };
      expect(totals.map(({ status, byStatement }) => [status, byStatement])).toEqual([
        ['ready', undefined],
        ['submitted', undefined],
        ['unresolved', found],
      ]);
    },
  },
];
