/** Reports from the journal that the program really keeps. */
import { verbatim } from '../../src/core/message.ts';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import { openOutbox } from '../../src/reports/outbox.ts';
import type { ReportOutbox } from '../../src/reports/ports.ts';
import { finishReports } from '../../src/reports/batch-reports.ts';
import { writeReports } from '../../src/reports/write-reports.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Journal } from '../../src/store/store.ts';
import { makeRejectedRow, makeRow, noonMs } from '../support/report-fixtures.ts';

const batchId = '4K7Q2M9XWD';
const rowCount = 1_203;
const prefix = `pay.${batchId}`;
const bank = { isSandbox: false, bankAddress: 'https://bank.example' };
const context = { ...bank, nowMs: noonMs, exceptionsOk: false, guardFormulas: true, similarDays: 3 };
const halt = {
  code: 'EM053',
  reason: verbatim('Insufficient funds'),
  remedy: verbatim('Fund the payer account'),
};

let folder = '';
let journal: Journal;
let outbox: ReportOutbox;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-reports-'));
  const stamp = { bankAddress: 'https://bank.example', companyId: 'COMP000001', isSandbox: false };
  journal = await openJournal({ dataDir: folder, stamp, access: 'own', nowMs: noonMs });
  outbox = await openOutbox(join(folder, 'outbox'));
  await fillBatch();
});
afterEach(async () => {
  await journal[Symbol.asyncDispose]();
  await rm(folder, { recursive: true });
});

/** Every 400th row is rejected: three of them. */
function stagedRow(rowNo: number): StagedRow {
  const row = rowNo % 400 === 0 ? makeRejectedRow(rowNo) : makeRow({ rowNo });
  const { line, cells, instruction, amountSatang, issues } = row;
  return { rowNo, line, cells, instruction, amountSatang, issues, holds: [], extras: [`note ${rowNo}`] };
}

/** A batch that was halted before anything was sent. */
async function fillBatch(): Promise<void> {
  const companyId = 'COMP000001';
  const sha256 = createHash('sha256').update('pay').digest('hex');
  const extraColumns = ['note'];
  await journal.startIngest({
    batchId,
    sha256,
    fileName: 'pay.csv',
    companyId,
    payerAccount: '0000345924',
    extraColumns,
    nowMs: noonMs,
  });
  const rows = Array.from({ length: rowCount }, (_, index) => stagedRow(index + 1));
  await journal.stage(batchId, rows);
  const totalSatang = toSatang(10_050n * 1_200n);
  await journal.seal(
    batchId,
    { rows: rowCount, totalSatang, unreadableAmounts: 3, conflictingRowNos: [] },
    noonMs,
  );
  await journal.moveBatch(batchId, 'running', null, noonMs);
  await journal.holdReady(batchId, 'halted', halt, noonMs);
  await journal.moveBatch(batchId, 'halted', halt, noonMs);
}

const readTable = async (ending: string) =>
  parse<Record<string, string>>(await readFile(join(folder, 'outbox', `${prefix}.${ending}`), 'utf8'), {
    columns: true,
    bom: true,
  });

test('a halted batch is reported whole, and adds up', async () => {
  const { summary } = await writeReports(journal, outbox, batchId, context);
  expect(summary).toMatchObject({ addsUp: true, rows: rowCount, exceptionRows: rowCount, exitCode: 6 });
  const result = await readTable('result.csv');
  expect(result.map((row) => row['rowNo'])).toEqual(
    Array.from({ length: rowCount }, (_, index) => String(index + 1)),
  );
  expect(result[0]).toMatchObject({
    status: 'held',
    reason: 'Insufficient funds (held: halted)',
    note: 'note 1',
  });
  expect(result[399]).toMatchObject({
    status: 'rejected',
    amount: '1.005',
    reasonCode: 'amount-decimals cells-missing',
  });
  const exceptions = await readTable('exceptions.csv');
  expect(exceptions).toHaveLength(rowCount);
  expect(exceptions[0]?.['remedy']).toMatch(/^Fund the payer account then resume the batch/);
});

test('what changes later follows in an update, once', async () => {
  await writeReports(journal, outbox, batchId, context);
  expect((await writeReports(journal, outbox, batchId, context)).filesWritten).toBe(0);
  await journal.cancelUnsent(batchId, noonMs + 1000);
  const { files } = await writeReports(journal, outbox, batchId, context);
  expect((await writeReports(journal, outbox, batchId, context)).filesWritten).toBe(0);
  const update = await readTable('result-update-1.csv');
  expect(update).toHaveLength(1_200);
  expect(new Set(update.map((row) => row['status']))).toEqual(new Set(['cancelled']));
  expect(files.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
    'result already-there',
    'exceptions already-there',
    'summary already-there',
    'result-update published',
  ]);
});

test('a report that was recorded and not published appears at the next start', async () => {
  const dying: ReportOutbox = { ...outbox, publish: () => Promise.reject(new Error('killed')) };
  await expect(writeReports(journal, dying, batchId, context)).rejects.toThrow('killed');
  expect((await readdir(join(folder, 'outbox'))).every((name) => name.startsWith('.'))).toBe(true);
  expect((await finishReports(journal, outbox, batchId)).map((file) => file.state)).toEqual(
    Array(3).fill('published'),
  );
  expect(await readTable('result.csv')).toHaveLength(rowCount);
  expect(await readdir(join(folder, 'outbox'))).toHaveLength(3);
});
