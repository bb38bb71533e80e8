/** A file that was paid in the sandbox, and every way to find, write out and decide what became of its rows. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unescapeSpreadsheetCell } from '../../src/platform/csv/spreadsheet-cells.ts';
import { readSheet } from '../../src/platform/workbook/reader.ts';
import type { SheetRow } from '../../src/platform/workbook/sheet.ts';
import { readTable } from '../support/tables.ts';
import { makeTextXlsx } from '../support/workbook-kit.ts';
import { callPaydrop } from './call-paydrop.ts';

const root = join(import.meta.dirname, '../..');
/** Each ends at once, in a way of its own. */
const lines = [
  'PAY-1,0810000001,Somchai Jaidee,100.00,INV-1,,BKK',
  'PAY-2,0810000002,Malee Srisuk,980.50,INV-2,NOV,BKK',
  'PAY-3,0810000003,Anan Thongdee,1001.07,INV-3,,CNX',
  'PAY-4,0890000033,Inactive Payee,500.00,INV-4,,CNX',
  'PAY-5,0890000052,ดวงใจ ใจดี,1200.00,INV-5,,CNX',
  'PAY-6,0995000000023,Rung Arun Transport,2500000.00,INV-6,,HDY',
  'PAY-7,081000001,Somchai Jaidee,450.00,INV-7,,HDY',
  'PAY-8,9100000000011,นิรันดร์ วงษา,980.50,INV-8,NOV,HDY',
];
const csv = `payoutId,proxyNo,payeeName,amount,reference1,reference2,branch\n${lines.join('\n')}\n`;
let sample = '';
let folder = '';
let batchId = '';
const call = (...args: readonly string[]) =>
  callPaydrop(...args, '--config', join(root, 'config/sandbox.yaml'), '--data-dir', folder);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-find-'));
  sample = join(folder, 'payouts.csv');
  await writeFile(sample, csv);
  expect(await call('run', sample)).toEndWith(3);
  [batchId = ''] = (await readdir(join(folder, 'outbox'))).flatMap(
    (name) => /^payouts\.(\w{10})\.result\.csv$/.exec(name)?.[1] ?? [],
  );
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('result', () => {
  test('writes what is so now, under names of their own, beside what was written before', async () => {
    const out = join(folder, 'now');
    const before = await readFile(join(folder, 'outbox', `payouts.${batchId}.result.csv`), 'utf8');
    expect(await call('cancel', 'PAY-6')).toEndWith(0);
    const ended = await call('result', batchId, '--out', out);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(/^As of {6}20\d\d-[\s\S]*adds up to the file[\s\S]*^Files$/m);
    const names = await readdir(out);
    expect(names.toSorted().map((name) => name.replaceAll(/\d{8}-\d{6}/g, 'NOW'))).toEqual([
      `payouts.${batchId}.exceptions-at-NOW.csv`,
      `payouts.${batchId}.result-at-NOW.csv`,
      `payouts.${batchId}.summary-at-NOW.json`,
    ]);
    const [now = ''] = names.filter((name) => name.includes('result-at'));
    const rowOf = async (path: string) =>
      (await readTable(path)).find((row) => row['payoutId'] === 'PAY-6')?.['status'];
    expect(await rowOf(join(out, now))).toBe('cancelled');
    // What was written when it came to rest is what it was.
    const after = await readFile(join(folder, 'outbox', `payouts.${batchId}.result.csv`), 'utf8');
    expect(after).toBe(before);
  });

  test('goes to the outbox, and again without a name twice', async () => {
    const listed = async () =>
      (await readdir(join(folder, 'outbox'))).filter((name) => name.includes('-at-'));
    const ends = [
      await call('result', batchId, '--json'),
      await call('result', batchId.toLowerCase(), '--json'),
    ];
    expect(ends.map(({ code }) => code)).toEqual([0, 0]);
    expect(await listed()).toHaveLength(6);
    const { files, exceptions } = JSON.parse(ends[0]?.stdout ?? '');
    expect(files.map(({ kind, rows }: { kind: string; rows: number }) => [kind, rows])).toEqual([
      ['result', 8],
      ['exceptions', exceptions],
      ['summary', 0],
    ]);
    // Nothing of it is due, or was changed by anybody.
    expect(await call('verify', batchId)).toEndWith(0);
    expect((await call('run', sample)).stdout).not.toContain('-at-');
  });

  test('of a batch that is not there says so', async () => {
    const ended = await call('result', 'XXXXXXXXXX');
    expect(ended).toEndWith(2);
    expect(ended.stderr).toContain('there is no batch XXXXXXXXXX');
  });
});

describe('exceptions', () => {
  const readBook = async (path: string, preferredName: string) => {
    const bytes = new Uint8Array(await readFile(path));
    const pages = await Array.fromAsync(readSheet(bytes, { preferredName }));
    return (pages.slice(1).flat() as readonly SheetRow[]).map(({ cells }) => cells);
  };

  test('are CSV for a program, CSV for a spreadsheet and a workbook, all of the same rows', async () => {
    const [out, book] = [join(folder, 'review', 'open.csv'), join(folder, 'review', 'open.xlsx')];
    expect(await call('exceptions', '--out', out)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('there is no folder'),
    });
    await mkdir(dirname(out));
    const screen = await call('exceptions', '--batch', batchId.toLowerCase());
    const json = await call('exceptions', '--json');
    const file = await call('exceptions', '--out', out);
    const workbook = await call('exceptions', '--out', book, '--json');
    for (const ended of [screen, json, file, workbook]) expect(ended).toMatchObject({ code: 0, stderr: '' });
    const rows = await readTable(out);
    expect(rows.map(({ payoutId }) => payoutId)).toEqual(['PAY-3', 'PAY-4', 'PAY-5', 'PAY-7']);
    expect(`\ufeff${screen.stdout}`).toBe((await readFile(out, 'utf8')).replaceAll('\r\n', '\n'));
    const plain = rows.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([column, cell]) => [column, unescapeSpreadsheetCell(cell)]),
      ),
    );
    const records = json.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const asJson = plain.map(({ version: rowVersion, ...cells }) => ({ version: 1, ...cells, rowVersion }));
    expect(records).toEqual(asJson);
    expect(JSON.parse(workbook.stdout)).toEqual({
      version: 1,
      path: book,
      form: 'xlsx',
      exceptions: 4,
      batches: 1,
      isTooLong: false,
    });
    expect(file.stdout).toMatch(/open\.csv: 4 exceptions of 1 batch\n$/);
    // The workbook's head is in both languages, and the bank's names stand beside the file's own.
    const [head = [], ...cells] = await readBook(book, 'Exceptions');
    const names = head.map((cell) => cell.split('\n')[0] ?? '');
    const filed = cells.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));
    const remedies = filed.map(({ remedy = '' }) => remedy.split('\n'));
    expect(filed.map((row, at) => ({ ...row, remedy: remedies[at]?.[0] }))).toEqual(plain);
    for (const [, inThai, ...more] of remedies)
      expect([inThai, more]).toEqual([expect.stringMatching(/[\u0E01-\u0E5B]/), []]);
    expect(head.slice(6, 9)).toEqual([
      'payeeName\nชื่อผู้รับเงิน',
      'bankPayeeName\nชื่อที่ธนาคาร (อังกฤษ)',
      'bankPayeeNameTh\nชื่อที่ธนาคาร (ไทย)',
    ]);
    expect((await readBook(book, 'Lists')).slice(1, 9).map(([code]) => code)).toEqual([
      'go-on',
      'cancel',
      'release',
      'retry',
      'retry-corrected',
      'confirm-paid',
      'confirm-failed',
      'acknowledge',
    ]);
    expect((await readBook(book, 'Summary')).find(([status]) => status?.startsWith('total'))).toEqual([
      'total\nรวม',
      '',
      '4',
      '3,151.07',
    ]);
  });

  test('are CSV where a workbook would have too many rows, which is said; no file is overwritten', async () => {
    const settings = await readFile(join(root, 'config/sandbox.yaml'), 'utf8');
    const config = join(folder, 'few.yaml');
    await writeFile(config, `${settings}\noutput: { workbookRows: 3 }\n`);
    const ask = (out: string) =>
      callPaydrop('exceptions', '--out', join(folder, out), '--config', config, '--data-dir', folder);
    expect((await ask('long.xlsx')).stdout).toMatch(
      /long\.csv: 4 exceptions of 1 batch\nCSV, not a workbook: more than output\.workbookRows \(3 rows\)\n$/,
    );
    expect(await ask('long.xlsx')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('long.csv is there already'),
    });
    expect(await ask('long.pdf')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('ends in .xlsx or .csv'),
    });
    expect(await call('exceptions', '--batch', 'XXXXXXXXXX')).toMatchObject({ code: 2, stdout: '' });
  });
});

test('a workbook is checked and paid like any file, and once', async () => {
  const home = await mkdtemp(join(tmpdir(), 'paydrop-workbook-'));
  const path = join(home, 'เงินเดือน.xlsx');
  const table = [
    ['payoutId', 'proxyNo', 'amount', 'memo'],
    ['0002', '810000001', '5', ''],
    ['0001', '0810000001', '100.00', 'ก'],
  ];
  await writeFile(path, await makeTextXlsx(table));
  const here = (...args: readonly string[]) =>
    callPaydrop(...args, '--config', join(root, 'config/sandbox.yaml'), '--data-dir', home);
  const checked = await here('check', path);
  expect(checked).toEndWith(3);
  expect(checked.stdout).toMatch(/เงินเดือน\.xlsx:2: proxyNo .* the leading zero is gone/);
  expect(await here('run', path)).toEndWith(3);
  expect((await here('run', path)).stdout).toContain('no payee is paid again');
  const names = await readdir(join(home, 'outbox'));
  const [result = ''] = names.filter((name) => name.endsWith('.result.csv'));
  expect(result).toMatch(/^เงินเดือน\.\w{10}\.result\.csv$/);
  const found = await readTable(join(home, 'outbox', result));
  expect(found.map(({ payoutId, status, memo }) => [payoutId, status, memo])).toEqual([
    ['0002', 'rejected', ''],
    ['0001', 'paid', 'ก'],
  ]);
  await rm(home, { recursive: true });
});

describe('list', () => {
  const idsOf = (stdout: string) => stdout.split('\n').flatMap((line) => /PAY-\d/.exec(line)?.[0] ?? []);
  const list = async (...args: readonly string[]) => {
    const { code, stdout } = await call('list', ...args);
    expect(code).toBe(0);
    return idsOf(stdout);
  };

  test('finds rows by each of the ways, the newest first', async () => {
    expect(await list()).toEqual(['PAY-8', 'PAY-7', 'PAY-6', 'PAY-5', 'PAY-4', 'PAY-3', 'PAY-2', 'PAY-1']);
    expect(await list('--status', 'failed', 'unpayable')).toEqual(['PAY-4', 'PAY-3']);
    expect(await list('--status', 'failed', '--status', 'rejected')).toEqual(['PAY-7', 'PAY-3']);
    expect(await list('--hold', 'name', '--batch', batchId.toLowerCase())).toEqual(['PAY-5']);
    expect(await list('--reference', 'INV-4')).toEqual(['PAY-4']);
    expect(await list('--reference', 'NOV', '--limit', '1')).toEqual(['PAY-8']);
    expect(await list('--amount', '2,500,000')).toEqual(['PAY-6']);
    expect(await list('--payee', '081-000-0001')).toEqual(['PAY-1']);
    expect(await list('--payee', 'นิรันดร์')).toEqual(['PAY-8']);
    expect(await list('--since', '2020-01-01', '--status', 'failed')).toEqual(['PAY-3']);
    expect(await list('--until', '2020-01-01')).toEqual([]);
    expect(await list('--alarms')).toEqual([]);
  });

  test('says that there are more, and that there is none', async () => {
    expect((await call('list', '--limit', '3')).stdout).toContain('The newest 3, ');
    expect((await call('list', '--amount', '1')).stdout).toMatch(/\nNo payout matches\.\n$/);
    const none = await call('list', '--amount', '1', '--json');
    expect(none).toMatchObject({ code: 0, stdout: '' });
    expect(JSON.parse(none.stderr)).toMatchObject({ level: 'info', msg: 'No payout matches.' });
  });

  test('cuts a screen without --limit, and gives a program everything', async () => {
    const home = await mkdtemp(join(tmpdir(), 'paydrop-list-'));
    const path = join(home, 'many.csv');
    const wrong = Array.from({ length: 61 }, (_, at) => `MANY-${at},0810000001,Somchai Jaidee,none\n`);
    await writeFile(path, `payoutId,proxyNo,payeeName,amount\n${wrong.join('')}`);
    const here = (...args: readonly string[]) =>
      callPaydrop(...args, '--config', join(root, 'config/sandbox.yaml'), '--data-dir', home);
    expect(await here('run', path)).toEndWith(3);
    expect((await here('list')).stdout).toContain('The newest 50, ');
    const linesOf = async (...args: readonly string[]) =>
      (await here('list', '--json', ...args)).stdout.trim().split('\n');
    expect(await linesOf()).toHaveLength(61);
    expect(await linesOf('--limit', '7')).toHaveLength(7);
    await rm(home, { recursive: true });
  });

  test('gives a program one line for each', async () => {
    const { stdout } = await call('list', '--status', 'failed', 'held', '--json');
    const records = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.at(-1)).toMatchObject({
      version: 1,
      payoutId: 'PAY-3',
      batchId,
      status: 'failed',
      reference1: 'INV-3',
    });
    expect(stdout).not.toContain('0810000003');
  });

  test.each([
    [['--since', 'yesterday'], '--since: "yesterday" names no day of the years'],
    [['--since', '2026-11-21', '--until', '2026-11-20'], '--since is after --until'],
    [['--amount', 'ten'], '--amount takes baht such as 1250.00, not "ten"'],
    [['--limit', '1.5'], '--limit takes a whole number'],
    [['--batch', 'XXXXXXXXXX'], 'there is no batch XXXXXXXXXX'],
    [['--status', 'lost'], '--status takes one of staged, rejected'],
  ])('%j makes no sense', async (args, message) => {
    const ended = await call('list', ...args);
    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(message);
  });
});

describe('show', () => {
  test('has names, references and what to type next', async () => {
    const { stdout } = await call('show', 'PAY-5');
    expect(stdout).toMatch(
      /name in the file {2}ดวงใจ ใจดี\n {2}name at the bank {2}Duangjai Meesuk, ดวงใจ มีสุข/,
    );
    expect(stdout).toMatch(/references {8}INV-5\n {2}branch {12}CNX/);
    expect(stdout).toMatch(/What to type next\n {2}paydrop resume PAY-5 --config \S+ .* lets it go on/);
  });

  test('says how a payout is found that it does not know by this', async () => {
    const reference = await call('show', 'INV-3');
    expect(reference).toMatchObject({ code: 2, stdout: '' });
    expect(reference.stderr).toContain('"paydrop list --reference INV-3" lists the rows');
    expect((await call('show', 'NOWHERE')).stderr).toContain('"paydrop list" finds payouts by name');
  });
});

describe('several targets', () => {
  test('are each done or refused with its reason, and the worst tells', async () => {
    const ended = await call('retry', 'PAY-3', 'PAY-1', 'NOPE', 'PAY-4', 'PAY-3');
    expect(ended).toEndWith(2);
    expect(ended.stdout.trim().split('\n').slice(2)).toEqual([
      'PAY-3: 1 row tried again.',
      expect.stringMatching(/^PAY-1: payout PAY-1 .* is paid: only what failed/),
      expect.stringMatching(/^NOPE: no batch, payout or registration is called NOPE; "paydrop list"/),
      'PAY-4: 1 row tried again.',
      'The running sender sends them, or the next run of the file.',
    ]);
    expect((await call('list', '--status', 'ready')).stdout).toContain('2 payouts, 1,501.07 baht.');
    const cancelled = await call('cancel', 'PAY-3', 'PAY-4', '--json');
    expect(cancelled).toMatchObject({ code: 0, stderr: '' });
    const records = cancelled.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(records.map(({ target, rowsChanged }) => [target, rowsChanged])).toEqual([
      ['PAY-3', 1],
      ['PAY-4', 1],
    ]);
  });
});
