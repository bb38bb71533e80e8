/** A result in a spreadsheet runs nothing that a file has brought, and reads as it was when it comes back. */
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readTable } from '../support/tables.ts';
import { callPaydrop } from './call-paydrop.ts';

const root = join(import.meta.dirname, '../..');
let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'paydrop-guarded-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const formula = '=HYPERLINK(1)';
const columns = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2,memo,=note';
const lines = [
  `PAY-1,,+66810000001,Somchai Jaidee,100.00,-R1,,${formula},-12.50`,
  `PAY-2,,0810000002,${formula},980.50,@R2,,'=x,+5`,
  `=PAY,,=1+1,Anan Thongdee,+cmd|x,R3,-,- none,-`,
];

async function makeHome(
  output = '',
): Promise<(...args: readonly string[]) => ReturnType<typeof callPaydrop>> {
  const sandbox = await readFile(join(root, 'config/sandbox.yaml'), 'utf8');
  const config = join(folder, 'paydrop.yaml');
  await writeFile(config, `${sandbox}\n${output}`);
  return (...args) => callPaydrop(...args, '--config', config, '--data-dir', join(folder, 'data'));
}

async function readResult(name: string): Promise<{ readonly text: string; readonly path: string }> {
  const outbox = join(folder, 'data/outbox');
  const found = (await readdir(outbox)).find(
    (one) => one.startsWith(`${name}.`) && one.endsWith('.result.csv'),
  );
  const path = join(outbox, found ?? '');
  return { text: await readFile(path, 'utf8'), path };
}

const cellsOf = (row: Readonly<Record<string, string>> | undefined, names: readonly string[]) =>
  names.map((name) => row?.[name]);

test('formulas have an apostrophe before them, and come back as the cells that they were', async () => {
  const call = await makeHome();
  const path = join(folder, 'first.csv');
  await writeFile(path, `${columns}\n${lines.join('\n')}\n`);
  expect(await call('run', path)).toEndWith(3);
  const first = await readResult('first');
  const rows = await readTable(first.path);
  const [one, two, three] = rows;
  expect(cellsOf(one, ['status', 'proxyNo', 'reference1', 'memo', "'=note"])).toEqual([
    'paid',
    '0810000001',
    "'-R1",
    `'${formula}`,
    '-12.50',
  ]);
  expect(cellsOf(two, ['status', 'payeeName', 'reference1', 'memo', "'=note"])).toEqual([
    'rejected',
    `'${formula}`,
    "'@R2",
    "'=x",
    '+5',
  ]);
  // The name of a row is what programs find it by.
  expect(cellsOf(three, ['payoutId', 'proxyNo', 'amount', 'reference2', 'memo', "'=note"])).toEqual([
    '=PAY',
    "'=1+1",
    "'+cmd|x",
    '-',
    "'- none",
    '-',
  ]);
  // Fed in again: no cell has become another, and what was rejected as a formula is no name with an apostrophe.
  const back = join(folder, 'back.csv');
  await copyFile(first.path, back);
  expect(await call('run', back)).toEndWith(3);
  const again = await readTable((await readResult('back')).path);
  const own = ['payoutId', 'payeeName', 'proxyNo', 'amount', 'reference1', 'reference2', 'memo', "'=note"];
  expect(again.map((row) => cellsOf(row, own))).toEqual(rows.map((row) => cellsOf(row, own)));
  expect(again.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  expect(again[1]?.['reasonCode']).toContain('formula');
});

test('output.guardFormulas: false leaves every cell as it is', async () => {
  const call = await makeHome('output: { guardFormulas: false }\n');
  const path = join(folder, 'first.csv');
  await writeFile(path, `${columns}\n${lines.join('\n')}\n`);
  expect(await call('run', path)).toEndWith(3);
  const [, two, three] = await readTable((await readResult('first')).path);
  expect(cellsOf(two, ['payeeName', 'memo', '=note'])).toEqual([formula, "'=x", '+5']);
  expect(three?.['proxyNo']).toBe('=1+1');
});

test('a name that was guarded is no name where nothing is guarded', async () => {
  const call = await makeHome('output: { guardFormulas: false }\n');
  const path = join(folder, 'guarded.csv');
  await writeFile(path, `payoutId,proxyNo,payeeName,amount\nPAY-9,0810000002,'${formula},980.50\n`);
  const checked = await call('check', path);
  expect(checked).toEndWith(3);
  expect(checked.stdout).toContain('a text that starts with = would run as a formula');
});

test('a result of registrations is guarded, too', async () => {
  const call = await makeHome();
  const head = 'registrationId,customerId,accountNo,ref1,memo';
  const path = join(folder, 'registrations.csv');
  await writeFile(path, `${head}\n=R,9000000000001,0012345601,=ref,${formula}\n`);
  expect(await call('register', path)).toEndWith(3);
  const [row] = await readTable((await readResult('registrations')).path);
  expect(cellsOf(row, ['registrationId', 'ref1', 'memo'])).toEqual(['=R', "'=ref", `'${formula}`]);
});
