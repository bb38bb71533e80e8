/**
 * The tables that people fill in, through a real spreadsheet and back: LibreOffice opens and saves them, as a person would.
 * Where it is not installed nothing of this is tested.
 */
import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { payoutLines } from '../../src/reports/rules/report-rows.ts';
import { byteOrderMark } from '../../src/platform/csv/spreadsheet-cells.ts';
import { formatExceptionRecords } from '../../src/reports/outbox.ts';
import { payoutTables } from '../../src/reports/rules/payout-tables.ts';
import { makeHowToSheet, makeListsSheet, makeTableSheet } from '../../src/reports/rules/workbook.ts';
import { registrationTables } from '../../src/registration/rules/report-tables.ts';
import { registrationLines } from '../../src/registration/rules/report-rows.ts';
import { readDecisionFile } from '../../src/review/read-decision-file.ts';
import { makeWorkbook } from '../../src/platform/workbook/writer.ts';
import { makeRow } from '../support/report-fixtures.ts';
import { makeInstruction, makeRegistrationRow } from '../support/registration-report-fixtures.ts';
import { readPath } from '../support/payout-file-kit.ts';
import { makeXlsx, numberCell, textRow } from '../support/workbook-kit.ts';

function findOffice(): string | undefined {
  try {
    return execFileSync('which', ['soffice'], { encoding: 'utf8' }).trim();
  } catch {
    return undefined;
  }
}

const office = findOffice();
if (office === undefined)
  console.warn('LibreOffice (soffice) is not installed: nothing is tested of what it does to a table.');

let folder = '';
const run = promisify(execFile);

/** Opens files and saves them in another form; several cost hardly more than one. */
async function save(
  form: string,
  to: string,
  options: readonly string[],
  ...paths: readonly string[]
): Promise<void> {
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const args = [
    profile,
    '--headless',
    ...options,
    '--convert-to',
    form,
    '--outdir',
    join(folder, to),
    ...paths,
  ];
  await run(office ?? '', args, { env: { ...process.env, HOME: folder } });
}

/** UTF-8, commas, cells as they are shown. */
const csvForm = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false';
const csvImport = '--infilter=Text - txt - csv (StarCalc):44,34,76,1';

/** Ids, numbers and texts that spreadsheets like to change. */
const payoutIds = [
  '000123',
  '12345678901234567890',
  '2026-11-20',
  'JAN-24',
  '1E5',
  '007/2',
  'PAY-7',
  "'quoted",
];
const notes = ['เปิดบัญชีแล้ว "ครับ"', '=1+1', '@SUM(A1)', '20/11/2026', '0.10', 'TRUE', 'two lines', "'tis"];

const rows = payoutIds.map((payoutId, at) => {
  const row = makeRow({ rowNo: at + 1, status: 'failed', version: 3 });
  const instruction = row.instruction && {
    ...row.instruction,
    payoutId,
    proxyNo: '0812345678',
    reference1: '0000000000000000001',
  };
  return { ...row, instruction, extras: ['01/02/2026', '=HYPERLINK("http://x")', 'ที่อยู่ ๑๒๓'] };
});
const carried = ['due', 'link', 'ที่อยู่'];
const header = payoutLines.renderExceptionHeader(carried);

/** As somebody has filled it in. */
const filled = rows.map((row, at) => {
  const decided: Readonly<Record<string, string>> = {
    decision: at === 0 ? 'retry-corrected' : at === 1 ? 'ส่งจ่ายใหม่' : 'retry',
    newProxyNo: at === 0 ? '0998765432' : '',
    newAmount: at === 0 ? '1250.50' : '',
    note: notes[at] ?? '',
  };
  const cells = payoutLines.renderException('4K7Q2M9XWD', row, carried.length);
  return header.map((column, place) => decided[column] ?? cells[place] ?? '');
});

const expected = {
  kind: 'decisions',
  undecided: 0,
  decisions: payoutIds.map((payoutId, at) => ({
    batchId: '4K7Q2M9XWD',
    rowNo: at + 1,
    version: 3,
    payoutId,
    decision: at === 0 ? 'retry-corrected' : 'retry',
    newProxyNo: at === 0 ? '0998765432' : null,
    newAmount: at === 0 ? '1250.50' : null,
    note: notes[at] ?? '',
  })),
};

/** The same of registrations. */
const registrationHeader = registrationLines.renderExceptionHeader([]);
const filledRegistrations = ['000123', '1E5', 'JAN-24'].map((registrationId, at) => {
  const row = makeRegistrationRow({ rowNo: at + 1, status: 'failed', version: 3 });
  const instruction = { ...makeInstruction(), registrationId, accountNo: '0012345678' };
  const cells = registrationLines.renderException('4K7Q2M9XWD', { ...row, currentInstruction: instruction });
  const decided: Readonly<Record<string, string>> = {
    decision: at === 0 ? 'Retry corrected' : 'retry',
    newAccountNo: at === 0 ? '0098765432' : '',
    note: notes[at] ?? '',
  };
  return registrationHeader.map((column, place) => decided[column] ?? cells[place] ?? '');
});
const expectedRegistrations = {
  kind: 'decisions',
  decisions: ['000123', '1E5', 'JAN-24'].map((registrationId, at) => ({
    registrationId,
    decision: at === 0 ? 'retry-corrected' : 'retry',
    newAccountNo: at === 0 ? '0098765432' : null,
    note: notes[at] ?? '',
  })),
};

/** A payout file as a partner makes it: formulas, formats, a date. */
const makePayouts = () =>
  makeXlsx({
    formats: ['0000000000', '#,##0.00', 'dd/mm/yyyy'],
    sheets: [
      {
        name: 'จ่ายเงิน',
        rows: [
          textRow(1, ['payoutId', 'proxyNo', 'payeeName', 'amount', 'due']),
          textRow(2, [
            '0001',
            numberCell('B2', '812345678', 1),
            'สมชาย',
            numberCell('D2', '1250.5', 2),
            numberCell('E2', '46346', 3),
          ]),
          textRow(3, ['0002', '9100000000011', 'Malee', '<c r="D3" s="2"><f>D2*2</f><v>2501</v></c>']),
          textRow(4, [
            '0003',
            numberCell('B4', '1.23456789012345E+19'),
            '=1+1',
            '<c r="D4" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
          ]),
        ].join(''),
      },
    ],
  });

describe.skipIf(office === undefined)('through LibreOffice', () => {
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paydrop-office-'));
    for (const name of ['made', 'saved', 'csv']) await mkdir(join(folder, name));
    const made = (name: string) => join(folder, 'made', name);
    await writeFile(made('table.csv'), byteOrderMark + formatExceptionRecords([header, ...filled]));
    const table = makeTableSheet(
      payoutTables.book,
      'Exceptions',
      header,
      payoutLines.exceptionColumns.length,
      filled,
    );
    await writeFile(
      made('book.xlsx'),
      await makeWorkbook([table, makeListsSheet(payoutTables.book), makeHowToSheet(payoutTables.book)]),
    );
    await writeFile(made('payouts.xlsx'), await makePayouts());
    await writeFile(
      made('rtable.csv'),
      byteOrderMark + formatExceptionRecords([registrationHeader, ...filledRegistrations]),
    );
    const { book, exceptionColumns: ours } = registrationTables;
    const sheet = makeTableSheet(book, 'Exceptions', registrationHeader, ours.length, filledRegistrations);
    const registrationSheets = [sheet, makeListsSheet(book), makeHowToSheet(book)];
    await writeFile(made('rbook.xlsx'), await makeWorkbook(registrationSheets));
    await save('xlsx', 'saved', [csvImport], made('table.csv'), made('rtable.csv'));
    await save('xlsx', 'saved', [], made('book.xlsx'), made('rbook.xlsx'), made('payouts.xlsx'));
    const saved = ['table', 'rtable', 'book', 'rbook'].map((name) => join(folder, `saved/${name}.xlsx`));
    await save(csvForm, 'csv', [], ...saved);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test.each([
    'made/table.csv',
    'saved/table.xlsx',
    'csv/table.csv',
    'made/book.xlsx',
    'saved/book.xlsx',
    'csv/book.csv',
  ])('the decisions of %s are those that were made', async (name) => {
    expect(await readDecisionFile(join(folder, name))).toMatchObject(expected);
  });

  test.each([
    'made/rtable.csv',
    'saved/rtable.xlsx',
    'csv/rtable.csv',
    'made/rbook.xlsx',
    'saved/rbook.xlsx',
    'csv/rbook.csv',
  ])('the decisions about registrations of %s are those that were made', async (name) => {
    expect(await readDecisionFile(join(folder, name))).toMatchObject(expectedRegistrations);
  });

  test('no carried cell is changed, and nothing becomes a formula', async () => {
    const sheet = await readFile(join(folder, 'csv/book.csv'), 'utf8');
    for (const cell of ['01/02/2026', '"=HYPERLINK(""http://x"")"', 'ที่อยู่ ๑๒๓', '0000000000000000001'])
      expect(sheet).toContain(cell);
  });

  test('a payout file is what it was: formats, formulas, dates, damage', async () => {
    const found = await readPath(join(folder, 'saved/payouts.xlsx'));
    expect(found.rejection).toBeUndefined();
    expect(
      found.rows.map(({ instruction, issues }) =>
        instruction === null
          ? issues.map(({ code }) => code)
          : [instruction.payoutId, instruction.proxyNo, instruction.amountSatang],
      ),
    ).toEqual([
      ['0001', '0812345678', 125_050n],
      ['0002', '9100000000011', 250_100n],
      ['cell-digits', 'cell-error', 'formula'],
    ]);
    expect(found.rows[0]?.extras).toEqual(['2026-11-20']);
    expect(await readPath(join(folder, 'made/payouts.xlsx'))).toMatchObject({
      rows: [{ instruction: { proxyNo: '0812345678' } }, {}, {}],
    });
  });
});
