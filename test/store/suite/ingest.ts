import { joined, verbatim } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { expect } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { HoldReason } from '../../../src/core/payout.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

const { firstBatchId, ingest, makeBadRow, makeRow, makeRows, noonMs, resultRows, satang, start, totalsOf } =
  fixtures;

/** Texts that a spreadsheet or another program may have left. */
const text = fc.string({ unit: 'grapheme', maxLength: 12 }).filter((cell) => !cell.includes('\0'));

const anyRow = (rowNo: number) =>
  fc
    .record({
      texts: fc.array(text, { minLength: 6, maxLength: 6 }),
      extras: fc.array(text, { maxLength: 3 }),
      amount: fc.option(fc.bigInt({ min: 0n, max: 10n ** 17n })),
      holds: fc.subarray<HoldReason>(['limit', 'approval']),
      isValid: fc.boolean(),
    })
    .map(({ texts, extras, amount, holds, isValid }): StagedRow => {
      const row = makeRow(rowNo, amount === null ? {} : { amountSatang: satang(amount) });
      const [payoutId = '', proxyType = '', proxyNo = '', payeeName = '', reference1 = '', reference2 = ''] =
        texts;
      if (isValid) return { ...row, holds, extras };
      const cells = { payoutId, proxyType, proxyNo, payeeName, amount: 'abc', reference1, reference2 };
      const issues = [
        {
          line: rowNo,
          column: 'amount',
          code: 'amount-text',
          value: payeeName,
          message: verbatim(reference1),
        },
      ];
      const amountSatang = amount === null ? null : satang(amount);
      return { ...row, cells, extras, issues, instruction: null, amountSatang };
    });

const anyRows = fc.integer({ min: 1, max: 8 }).chain((count) => {
  const rowNos = Array.from({ length: count }, (_, place) => place + 1);
  return fc.tuple(...rowNos.map(anyRow));
});

export const ingestCases: readonly StoreCase[] = [
  {
    name: 'the seal makes rows ready, held or rejected, and tells why',
    run: async (journal) => {
      const rows = [makeRow(1), makeRow(2, { holds: ['limit', 'approval'] }), makeBadRow(3)];
      const batch = await ingest(journal, rows);
      const { totalSatang } = totalsOf(rows);
      expect(batch).toMatchObject({ status: 'sealed', rows: 3, totalSatang, unreadableAmounts: 1 });
      expect(batch).toMatchObject({ startedAtMs: noonMs, sealedAtMs: noonMs + 1, extraColumns: ['note'] });
      expect(await resultRows(journal)).toMatchObject([
        { rowNo: 1, status: 'ready', holds: [], reasonCode: null, issues: [] },
        { rowNo: 2, status: 'held', holds: ['approval', 'limit'], reasonCode: 'limit' },
        {
          rowNo: 3,
          status: 'rejected',
          reasonCode: 'amount-text',
          reason: joined([verbatim('no amount'), verbatim('no number')]),
          issues: rows[2]?.issues,
          settledBy: 'rules',
        },
      ]);
      const [found] = await journal.findPayouts('INV-1');
      expect(found?.events).toMatchObject([
        { from: 'staged', to: 'ready', cause: 'sealed', atMs: noonMs + 1 },
      ]);
    },
  },
  {
    name: 'nothing can be paid before the seal',
    run: async (journal) => {
      await start(journal);
      await journal.stage(firstBatchId, makeRows(3));
      expect(await journal.readyPage(firstBatchId, 0, 10)).toEqual([]);
      expect(await journal.totals(firstBatchId)).toMatchObject([{ status: 'staged', rows: 3 }]);
      expect(await journal.moveBatch(firstBatchId, 'running', null, noonMs)).toBe(false);
    },
  },
  {
    name: 'an unfinished reading is dropped when the file is read again',
    run: async (journal) => {
      await start(journal);
      await journal.stage(firstBatchId, makeRows(5));
      const batch = await ingest(journal, makeRows(2), { fileName: 'again.csv' });
      expect(batch).toMatchObject({ rows: 2, fileName: 'again.csv' });
      expect(await resultRows(journal)).toHaveLength(2);
    },
  },
  {
    name: 'what was staged must be what was read: rows, amounts and unreadable amounts',
    run: async (journal) => {
      const rows = [...makeRows(3), makeBadRow(4)];
      await start(journal);
      await journal.stage(firstBatchId, rows);
      const totals = totalsOf(rows);
      const wrong = [
        { ...totals, rows: 5 },
        { ...totals, totalSatang: satang(totals.totalSatang + 1n) },
        { ...totals, unreadableAmounts: 0 },
      ];
      for (const one of wrong)
        await expect(journal.seal(firstBatchId, one, noonMs)).rejects.toThrow('4 rows');
      expect(await journal.batch(firstBatchId)).toMatchObject({ status: 'ingesting' });
      expect(await journal.seal(firstBatchId, totals, noonMs)).toMatchObject({ status: 'sealed' });
    },
  },
  {
    name: 'a file rejected as a whole leaves no rows and may be read again',
    run: async (journal) => {
      await start(journal);
      await journal.stage(firstBatchId, makeRows(3));
      await journal.rejectBatch(firstBatchId, 'control-total', verbatim('the totals differ'), noonMs + 5);
      expect(await journal.batch(firstBatchId)).toMatchObject({
        status: 'rejected',
        reasonCode: 'control-total',
        reason: verbatim('the totals differ'),
      });
      expect(await journal.totals(firstBatchId)).toEqual([]);
      expect(await ingest(journal, makeRows(3))).toMatchObject({ status: 'sealed', reasonCode: null });
    },
  },
  {
    name: 'only a batch that is being read takes rows, a seal or a rejection',
    run: async (journal) => {
      await expect(journal.stage(firstBatchId, makeRows(1))).rejects.toThrow('not there');
      await ingest(journal, makeRows(1));
      await expect(journal.stage(firstBatchId, makeRows(1))).rejects.toThrow('sealed');
      await expect(journal.seal(firstBatchId, totalsOf(makeRows(1)), noonMs)).rejects.toThrow('sealed');
      await expect(journal.rejectBatch(firstBatchId, 'x', verbatim('y'), noonMs)).rejects.toThrow('sealed');
      await expect(start(journal)).rejects.toThrow('not read again');
    },
  },
  {
    name: 'other bytes never pass for a batch that is known',
    run: async (journal) => {
      await start(journal);
      const other = { batchId: firstBatchId, sha256: 'f'.repeat(64), fileName: 'x.csv', ...fixtures.payer };
      const ingestStart = journal.startIngest({ ...other, extraColumns: [], nowMs: noonMs });
      await expect(ingestStart).rejects.toThrow('share the batch id');
    },
  },
  {
    name: 'amounts whose sum passes 2^63 add up to the satang',
    run: async (journal) => {
      const amountSatang = satang(10n ** 17n - 1n);
      const rows = Array.from({ length: 200 }, (_, place) => makeRow(place + 1, { amountSatang }));
      const batch = await ingest(journal, rows);
      expect(batch.totalSatang).toBe(200n * (10n ** 17n - 1n));
      expect(await journal.totals(firstBatchId)).toEqual([
        { status: 'ready', rows: 200, amountSatang: batch.totalSatang, unreadableAmounts: 0, alarmRows: 0 },
      ]);
      expect((await fixtures.firstReady(journal)).instruction.amountSatang).toBe(amountSatang);
    },
  },
  {
    name: 'every row comes back as it was staged',
    run: async (journal) => {
      let files = 0;
      const property = fc.asyncProperty(anyRows, async (rows) => {
        files += 1;
        const file = { batchId: `FILE${files}`, companyId: `COMP${files}` };
        await ingest(journal, rows, file);
        const kept = await resultRows(journal, file.batchId);
        const fields = ['rowNo', 'line', 'cells', 'instruction', 'amountSatang', 'issues', 'extras'] as const;
        const shown = (row: Pick<StagedRow, (typeof fields)[number]>) => fields.map((field) => row[field]);
        expect(kept.map(shown)).toEqual(rows.map(shown));
        expect(kept.map((row) => row.holds.toSorted())).toEqual(rows.map((row) => row.holds.toSorted()));
      });
      await fc.assert(property, { numRuns: 25 });
    },
  },
];
