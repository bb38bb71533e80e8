import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { writePresentRegistrations, writeRegistrationReports } from '../../src/registration/write-reports.ts';
import { readSheet } from '../../src/platform/workbook/reader.ts';
import type { SheetRow } from '../../src/platform/workbook/sheet.ts';
import { registrationTables } from '../../src/registration/rules/report-tables.ts';
import { finishReports } from '../../src/reports/batch-reports.ts';
import { openOutbox } from '../../src/reports/outbox.ts';
import type { ReportOutbox } from '../../src/reports/ports.ts';
import {
  makeRegistrationBatch,
  makeRegistrationRow,
  makeRejectedRegistration,
  MemoryRegistrations,
} from '../support/registration-report-fixtures.ts';
import { noonMs } from '../support/report-fixtures.ts';

type RegistrationReportContext = Parameters<typeof writeRegistrationReports>[3];

const context: RegistrationReportContext = {
  isSandbox: true,
  bankAddress: 'http://127.0.0.1:1',
  nowMs: noonMs,
  exceptionsOk: false,
  guardFormulas: true,
};
const batchId = '4K7Q2M9XWD';
const prefix = `ลงทะเบียน november.${batchId}`;
const awaited = { settledAtMs: null, settledBy: null, respCode: null, respDesc: null, applyDtm: null };
const rows = [
  makeRegistrationRow({ rowNo: 1, extras: ['0812345678'] }),
  makeRejectedRegistration(2),
  makeRegistrationRow({ rowNo: 3, status: 'acknowledged', ...awaited }),
  makeRegistrationRow({ rowNo: 4, status: 'in-doubt', extras: ['=cmd'], ...awaited }),
];

let folder = '';
let outbox: ReportOutbox;
let journal: MemoryRegistrations;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-registered-'));
  outbox = await openOutbox(folder);
  journal = new MemoryRegistrations(
    rows,
    makeRegistrationBatch({ rows: rows.length, extraColumns: ['branch'] }),
  );
});
afterEach(() => rm(folder, { recursive: true }));

const names = async () => (await readdir(folder)).toSorted();
const read = (end: string) => readFile(join(folder, `${prefix}.${end}`), 'utf8');
const readTable = async (end: string) =>
  parse<Record<string, string>>(await read(end), { columns: true, bom: true });
const write = () => writeRegistrationReports(journal, outbox, batchId, context);

describe('when a batch of registrations first comes to rest', () => {
  test('there are a result with every row, the exceptions and a summary that adds up', async () => {
    const { files, filesWritten, summary } = await write();
    expect(filesWritten).toBe(3);
    expect(files.map(({ kind, state }) => `${kind} ${state}`)).toEqual([
      'result published',
      'exceptions published',
      'summary published',
    ]);
    expect((await readTable('result.csv')).map(({ rowNo, status }) => `${rowNo} ${status}`)).toEqual([
      '1 registered',
      '2 rejected',
      '3 acknowledged',
      '4 in-doubt',
    ]);
    expect((await readTable('exceptions.csv')).map(({ rowNo }) => rowNo)).toEqual(['2', '4']);
    const parsed = JSON.parse(await read('summary.json'));
    expect(parsed).toMatchObject({ kind: 'registrations', addsUp: true, rows: 4, exceptions: 2, awaited: 2 });
    expect(
      parsed.files.map(({ name, rows: count }: { name: string; rows: number }) => [name, count]),
    ).toEqual([
      [`${prefix}.result.csv`, 4],
      [`${prefix}.exceptions.csv`, 2],
    ]);
    expect(summary.exitCode).toBe(4);
    expect(journal.snapshotsOpen).toBe(0);
    expect(journal.recorded.map(({ eventSeq }) => eventSeq)).toEqual([100, 100, 100]);
  });

  test('a spreadsheet opens the exceptions without damage, a program gets the result as it is', async () => {
    await write();
    expect(await read('exceptions.csv')).toMatch(/^\uFEFFbatchId,/);
    const [rejected, doubted] = await readTable('exceptions.csv');
    expect(rejected).toMatchObject({ registrationId: "'=cmd", accountNo: "'1.10E+12" });
    expect(doubted).toMatchObject({
      accountNo: "'0012345678",
      customerId: "'9000000000004",
      branch: "'=cmd",
    });
    expect((await readTable('result.csv'))[0]).toMatchObject({
      accountNo: '0012345678',
      branch: '0812345678',
    });
  });

  test.each(['rejected', 'ingesting'] as const)('%s leaves no file', async (status) => {
    journal = new MemoryRegistrations([], makeRegistrationBatch({ status }));
    expect((await write()).files).toEqual([]);
    expect(await names()).toEqual([]);
  });

  test('a journal that gives other rows than it counts is not believed', async () => {
    journal = new MemoryRegistrations(rows, makeRegistrationBatch({ rows: 5 }));
    await expect(write()).rejects.toThrow('has 5 rows but the journal gave 4: no report is written');
    expect(await names()).toEqual([]);
    journal = new MemoryRegistrations([rows[1]!, rows[0]!], makeRegistrationBatch({ rows: 2 }));
    await expect(write()).rejects.toThrow('row 1 after row 2');
  });
});

describe('when callbacks come later', () => {
  test('one file has the rows that have changed, and another those of them that need a person', async () => {
    await write();
    expect((await write()).filesWritten).toBe(0);
    journal.change(3, { status: 'refused', reasonCode: 'I0001', respCode: 'I0001', respDesc: 'Reject' });
    journal.change(4, { status: 'registered', respCode: 'I0000' });
    const { files, filesWritten } = await write();
    expect(filesWritten).toBe(2);
    expect(files.slice(-2).map(({ kind, number }) => `${kind} ${number}`)).toEqual([
      'result-update 1',
      'exceptions-update 1',
    ]);
    expect((await readTable('result-update-1.csv')).map(({ rowNo, status }) => `${rowNo} ${status}`)).toEqual(
      ['3 refused', '4 registered'],
    );
    expect((await readTable('exceptions-update-1.csv')).map(({ rowNo }) => rowNo)).toEqual(['3']);
  });

  test('what was recorded and not yet published is published after a crash', async () => {
    const dying: ReportOutbox = { ...outbox, publish: () => Promise.reject(new Error('killed')) };
    await expect(writeRegistrationReports(journal, dying, batchId, context)).rejects.toThrow('killed');
    expect(journal.recorded).toHaveLength(3);
    const again = await openOutbox(folder);
    const finished = await finishReports(journal, again, batchId);
    expect(finished.map(({ state }) => state)).toEqual(['published', 'published', 'published']);
    expect((await names()).length).toBe(3);
    expect((await write()).filesWritten).toBe(0);
  });
});

test('with output.workbook a batch has a workbook, whose rows, words and sums are those of registrations', async () => {
  await writeRegistrationReports(journal, outbox, batchId, { ...context, workbookRowsMax: 4 });
  const sheetOf = async (preferredName: string) => {
    const bytes = new Uint8Array(await readFile(join(folder, `${prefix}.workbook.xlsx`)));
    const pages = await Array.fromAsync(readSheet(bytes, { preferredName }));
    return (pages.slice(1).flat() as readonly SheetRow[]).map(({ cells }) => cells);
  };
  const [head = [], first = []] = await sheetOf('Exceptions');
  expect(head.slice(0, 4).map((cell) => cell.split('\n')[0])).toEqual([
    'batchId',
    'rowNo',
    'version',
    'registrationId',
  ]);
  // All but what is carried through is headed in both languages.
  expect(head.filter((cell) => !cell.includes('\n'))).toEqual(['branch']);
  expect(first).toContain('=cmd');
  expect((await sheetOf('Summary')).map(([name]) => name?.split('\n')[0])).toEqual([
    'status',
    'rejected',
    'in-doubt',
    'acknowledged',
    'registered',
    'total',
    'as of',
    'sandbox',
    `batch ${batchId}`,
    'state',
    'adds up to the file',
  ]);
  const { decisions, lists } = registrationTables.book;
  expect(decisions.map(([code]) => code)).toContain('confirm-registered');
  expect(lists.map(([code]) => code)).toContain('BSN004');
});

test('the present state is written at any time, and the journal knows nothing of it', async () => {
  const present = await openOutbox(folder);
  const nameOf = (kind: string): string => `${kind}-at-noon`;
  const written = await writePresentRegistrations(journal, present, batchId, nameOf, context);
  expect(written?.files.map(({ kind, rows: count }) => [kind, count])).toEqual([
    ['result', 4],
    ['exceptions', 2],
    ['summary', 0],
  ]);
  expect(await names()).toEqual(['exceptions-at-noon', 'result-at-noon', 'summary-at-noon']);
  expect(journal.recorded).toEqual([]);
  expect(await writePresentRegistrations(journal, present, 'XXXXXXXXXX', nameOf, context)).toBeUndefined();
});
