/** What the table makes of a day's lines, so that every break can be produced from outside. */
import { describe, expect, test } from 'vitest';
import type { StatementTableInput } from '../../../src/sandbox/statement/table.ts';
import { companyId, payerAccount } from '../../support/sandbox-kit.ts';
import { columnOf, openStatementBank, payThree, today } from '../../support/sandbox-statement-kit.ts';

type Edits = NonNullable<StatementTableInput['edits']>;

/** The references of the day after the edits, over the lines A, B and C. */
async function referencesAfter(edits: Edits): Promise<string> {
  const bank = await openStatementBank({ edits });
  await payThree(bank);
  const lines = await bank.lines();
  expect(columnOf(lines, 'NO')).toEqual(lines.map((_, place) => String(place + 1)));
  return columnOf(lines, 'TRANSREF NO').join(' ');
}

describe('which lines', () => {
  test.each<readonly [string, Edits[number]['match'], string]>([
    ['by transRefNo', { transRefNo: 'B' }, 'A C'],
    ['by reference1', { reference1: 'INV-C' }, 'A B'],
    ['by amount', { amount: '2000' }, 'A C'],
    ['by row', { row: 3 }, 'A B'],
    ['by all that is given', { row: 3, transRefNo: 'B' }, 'A B C'],
    ['by proxyNo', { proxyNo: '0812345678' }, ''],
    ['all', {}, ''],
    ['none', { reference2: 'X' }, 'A B C'],
  ])('%s', async (_, match, left) => {
    expect(await referencesAfter([{ edit: 'drop', match }])).toBe(left);
  });

  test('only the first so many', async () => {
    expect(await referencesAfter([{ edit: 'drop', match: {}, times: 2 }])).toBe('C');
  });

  test('rows are counted before any edit', async () => {
    const edits: Edits = [
      { edit: 'drop', match: { row: 1 } },
      { edit: 'double', match: { row: 2 } },
      { edit: 'double', match: { row: 3 }, date: today },
      { edit: 'drop', match: { row: 3 }, date: '2026-11-20' },
    ];
    expect(await referencesAfter(edits)).toBe('B B C C');
  });
});

describe('altered columns', () => {
  test.each<readonly [Record<string, string>, Record<string, string>]>([
    [{ AMOUNT: '90.00' }, { AMOUNT: '90.00', FEE: '5.00', 'NET AMOUNT': '90.00' }],
    [
      { AMOUNT: '90.00', 'NET AMOUNT': '1.00' },
      { AMOUNT: '90.00', 'NET AMOUNT': '1.00' },
    ],
    [
      { FEE: '7.00', 'CHARGE TYPE': 'Ben' },
      { FEE: '7.00', 'NET AMOUNT': '93.25' },
    ],
    [{ 'NET AMOUNT': '1.00' }, { AMOUNT: '100.25', 'NET AMOUNT': '1.00' }],
    [{ AMOUNT: 'damaged' }, { AMOUNT: 'damaged', 'NET AMOUNT': '' }],
    [{ NO: '77' }, { NO: '77' }],
    [{ 'EFFECTIVE DATE': '20261120' }, { 'EFFECTIVE DATE': '20261120' }],
    [{ 'PROXY NO': '0811111111' }, { 'PROXY NO': '0811111111', AMOUNT: '100.25' }],
    [
      { STATUS: '030003', 'COMPANY ID': 'OTHER', 'PAYER ACCOUNT': '1' },
      { STATUS: '030003', 'COMPANY ID': 'OTHER', 'PAYER ACCOUNT': '1' },
    ],
  ])('%j', async (columns, expected) => {
    const edits = [{ edit: 'alter', match: { transRefNo: 'A' }, columns } as const];
    const bank = await openStatementBank({ edits }, { feeBaht: '5.00' });
    await payThree(bank);
    const lines = await bank.lines();
    expect(lines[0]).toMatchObject(expected);
    expect(columnOf(lines, 'AMOUNT').slice(1)).toEqual(['2000.00', '3.50']);
  });

  test('every edit that matches acts, in order', async () => {
    const edits: Edits = [
      { edit: 'alter', match: { amount: '3.5' }, columns: { AMOUNT: '4.00', STATUS: 'X' } },
      { edit: 'double', match: { transRefNo: 'C' } },
      { edit: 'alter', match: {}, columns: { STATUS: 'Y' } },
    ];
    const bank = await openStatementBank({ edits });
    await payThree(bank);
    const lines = await bank.lines();
    expect(columnOf(lines, 'AMOUNT')).toEqual(['100.25', '2000.00', '4.00', '4.00']);
    expect(new Set(columnOf(lines, 'STATUS'))).toEqual(new Set(['Y']));
  });
});

test('a foreign line is a complete transfer of ours but for what is given', async () => {
  const bank = await openStatementBank({
    edits: [{ edit: 'add', columns: { 'TRANSREF NO': 'STRANGE', AMOUNT: '12.50' } }, { edit: 'add' }],
  });
  await payThree(bank);
  const [, , , strange, usual] = await bank.lines();
  expect(strange).toMatchObject({
    NO: '4',
    'EFFECTIVE DATE': '20261121',
    'TRANSREF NO': 'STRANGE',
    'PAYER ACCOUNT': payerAccount,
    AMOUNT: '12.50',
    'NET AMOUNT': '12.50',
    STATUS: '010004',
    'COMPANY ID': companyId,
  });
  expect(usual?.['TRANSREF NO']).toMatch(/^[A-Z0-9]{20}$/);
});

test('versions: edits of one issue are not those of the next', async () => {
  const bank = await openStatementBank({
    edits: [
      { edit: 'drop', match: { transRefNo: 'A' }, toIssue: 1 },
      { edit: 'drop', match: { transRefNo: 'B' }, fromIssue: 2, toIssue: 2 },
      { edit: 'drop', match: { transRefNo: 'C' }, fromIssue: 3 },
    ],
  });
  await payThree(bank);
  const seen: string[] = [];
  for (let issue = 1; issue <= 4; issue += 1)
    seen.push(columnOf(await bank.lines(), 'TRANSREF NO').join(' '));
  expect(seen).toEqual(['B C', 'A C', 'A B', 'A B']);
});
