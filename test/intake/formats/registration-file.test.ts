/** Registration files, read as payout files are: what differs is their columns, and that they have no total. */
import { inEnglishIfAny } from '../../../src/core/message.ts';
import { writeFile } from 'node:fs/promises';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { makeRegistrationFileReader } from '../../../src/intake/formats/registration-file.ts';
import { registrationLines } from '../../../src/registration/rules/report-rows.ts';
import { payoutLines } from '../../../src/reports/rules/report-rows.ts';
import {
  columns as payoutColumns,
  defaults,
  noLimits,
  readPath,
  readWhole,
  row as payoutRow,
  useFolder,
} from '../../support/payout-file-kit.ts';
import { makeTextXlsx, makeXlsx, textRow } from '../../support/workbook-kit.ts';

type RegistrationFileOptions = Parameters<typeof makeRegistrationFileReader>[0];

const folder = useFolder();

const head = 'registrationId,customerId,accountNo,ref1';
const row = (id: string, accountNo = '1234567890', ref1 = id): string =>
  `${id},CUST-${id},${accountNo},${ref1}`;
const file = (...lines: readonly string[]): string => [head, ...lines].map((line) => `${line}\n`).join('');

const options: RegistrationFileOptions = {
  ...defaults,
  columns: {},
  limits: { rowsMax: null, bytesMax: null },
  defaults: { vendorId: 'VENDOR0001', companyId: 'COMP000001' },
};

const readAt = (path: string, changes: Partial<RegistrationFileOptions> = {}) =>
  readWhole(makeRegistrationFileReader({ ...options, ...changes }), path);
const read = async (content: string | Uint8Array, changes?: Partial<RegistrationFileOptions>) =>
  readAt(await folder.write(content), changes);

describe('a registration file', () => {
  test('gives its rows, its number of rows, and carries other columns through', async () => {
    const found = await read(`branch,${head}\nBKK,${row('R1')}\n\nCNX,${row('R2', '12-34')}\n`);
    expect(found).toMatchObject({ extraColumns: ['branch'], rejection: undefined });
    expect(found.totals).toEqual({ rows: 2, conflictingRowNos: [] });
    const [first, second] = found.rows;
    expect(first).toEqual({
      rowNo: 1,
      line: 2,
      cells: {
        registrationId: 'R1',
        customerId: 'CUST-R1',
        vendorId: '',
        companyId: '',
        accountNo: '1234567890',
        ref1: 'R1',
        ref2: '',
        ref3: '',
        ref4: '',
      },
      instruction: {
        registrationId: 'R1',
        customerId: 'CUST-R1',
        vendorId: 'VENDOR0001',
        companyId: 'COMP000001',
        accountNo: '1234567890',
        refs: ['R1', null, null, null],
      },
      holds: [],
      issues: [],
      extras: ['BKK'],
    });
    expect(second).toMatchObject({ rowNo: 2, line: 4, instruction: null, extras: ['CNX'] });
  });

  test('is read in every encoding, under headers of its own, and as a workbook alike', async () => {
    const columns = { registrationId: 'เลขที่', accountNo: 'บัญชี' };
    const table = [
      ['เลขที่', 'customerId', 'บัญชี', 'ชื่อ'],
      ['R1', 'C1', '123-4-56789-0', 'สมชาย'],
    ];
    const csv = table.map((cells) => `${cells.join(';')}\r\n`).join('');
    const readings = await Promise.all([
      read(csv, { columns }),
      read(iconv.encode(csv, 'win874'), { columns }),
      read(iconv.encode(csv, 'utf16le', { addBOM: true }), { columns }),
      read(await makeTextXlsx(table), { columns }),
    ]);
    for (const found of readings) expect(found).toEqual(readings[0]);
    expect(readings[0]?.rows[0]?.instruction).toMatchObject({
      registrationId: 'R1',
      accountNo: '1234567890',
    });
    expect(readings[0]?.extraColumns).toEqual(['ชื่อ']);
  });

  test('takes an empty cell of a workbook for empty, and refuses one that points to no text', async () => {
    const make = (cell: string) => {
      const ids = ['registrationId', 'customerId', 'accountNo'];
      const xml = textRow(1, ids) + textRow(2, ['R1', 'C1', cell]);
      return makeXlsx({ sheets: [{ name: 'S', rows: xml }], sharedStrings: ['<t>1234567890</t>'] });
    };
    const [pointed, empty, beyond] = await Promise.all(
      ['<c r="C2" t="s"><v>0</v></c>', '<c r="C2" t="s"/>', '<c r="C2" t="s"><v>1</v></c>'].map(
        async (cell) => read(await make(cell)),
      ),
    );
    expect(pointed?.rows[0]?.instruction).toMatchObject({ accountNo: '1234567890' });
    expect(empty?.rows[0]).toMatchObject({ instruction: null, issues: [{ column: 'accountNo' }] });
    expect(beyond?.rejection).toMatchObject({ code: 'workbook-damaged', line: 2 });
  });

  test('has a repeated row once, and differing ones never', async () => {
    const found = await read(file(row('R1'), row('R1'), row('R2'), row('R2', '9876543210')));
    expect(found.rows.map(({ instruction, issues }) => [instruction !== null, issues[0]?.code])).toEqual([
      [true, undefined],
      [false, 'duplicate-repeat'],
      [true, undefined],
      [false, 'duplicate-differs'],
    ]);
    expect(found.totals?.conflictingRowNos).toEqual([3]);
    expect(inEnglishIfAny(found.rows[3]?.issues[0]?.message)).toContain(
      'give each registration a registrationId of its own',
    );
  });

  test('rejects rows with too many cells, and shows no number of a workbook whole', async () => {
    const [miscounted] = (await read(file(`${row('R1')},`))).rows;
    expect(miscounted).toMatchObject({ instruction: null, issues: [{ code: 'cell-count' }] });
    const account = '<c r="C2"><v>1.23456789012345E+19</v></c>';
    const sheet = textRow(1, head.split(',')) + textRow(2, ['R1', 'C1', account, '']);
    const [damaged] = (await read(await makeXlsx({ sheets: [{ name: 'S', rows: sheet }], formats: [] })))
      .rows;
    expect(damaged?.instruction).toBeNull();
    expect(damaged?.issues.map(({ value }) => value ?? '').join()).not.toMatch(/\d{5}/);
  });

  test('is proved whole by its number of rows', async () => {
    const trailer = { control: 'trailer' } as const;
    expect((await read(`${file(row('R1'))}TRAILER,1,,\n`, trailer)).totals?.rows).toBe(1);
    const path = await folder.write(file(row('R1')));
    await writeFile(`${path}.control.json`, '{"rows": 1}');
    expect((await readAt(path, { control: 'sidecar' })).totals?.rows).toBe(1);
    await writeFile(`${path}.control.json`, '{"rows": 2, "total": "not read"}');
    expect((await readAt(path, { control: 'sidecar' })).rejection?.code).toBe('control-rows');
    await writeFile(`${path}.control.json`, '{"total": "1.00"}');
    expect((await readAt(path, { control: 'sidecar' })).rejection?.message).toContain(
      'needs the key rows: {"rows": 3}',
    );
  });
});

type Case = [
  name: string,
  content: string,
  code: string,
  line: number | null,
  words: string,
  changes?: Partial<RegistrationFileOptions>,
];
const trailer = { control: 'trailer' } as const;

describe('a file that is rejected as a whole says where and why', () => {
  test.each<Case>([
    ['empty', '', 'file-empty', null, 'is empty'],
    ['header only', `${head}\n`, 'rows-missing', 2, 'no rows'],
    ['no header', `${row('R1')}\n`, 'header-missing', 1, 'registrationId, customerId, accountNo'],
    [
      'other words',
      'เลขที่คำขอ,ลูกค้า,เลขที่บัญชี\n',
      'header-missing',
      1,
      'registration: { columns: { registrationId: "เลขที่คำขอ", customerId: "ลูกค้า", accountNo: "เลขที่บัญชี" } }',
    ],
    [
      'English words',
      'Mandate no,Member,Bank account\n',
      'header-missing',
      1,
      '{ registrationId: "Mandate no", customerId: "Member", accountNo: "Bank account" }',
    ],
    ['a column missing', 'registrationId,accountNo\n', 'column-missing', 1, 'lacks customerId'],
    [
      'a mapped column missing',
      `${head}\n`,
      'column-missing',
      1,
      'lacks Policy',
      { columns: { ref2: 'Policy' } },
    ],
    ['a name all but right', `${head},Ref 2\n`, 'column-unclear', 1, 'columns: { ref2: "Ref 2" }'],
    ['a column twice', `${head},ref1\n`, 'column-doubled', 1, 'as number 4 and 5'],
    ['no end', file(row('R1')).trimEnd(), 'line-end-missing', 2, 'no line end'],
    [
      'too many rows',
      file(row('R1'), row('R2')),
      'rows-over-limit',
      3,
      'split it',
      { limits: { rowsMax: 1, bytesMax: null } },
    ],
    [
      'too many bytes',
      file(row('R1')),
      'bytes-over-limit',
      null,
      'limits.bytesPerFile',
      { limits: { rowsMax: null, bytesMax: 9 } },
    ],
    ...['TRAILER,1', 'Total,,,', 'T,1,,', 'รวม,,1,'].map((last): Case => [
      `a trailer that is not read (${last})`,
      file(row('R1'), last),
      'trailer-unread',
      3,
      'input.control is none',
    ]),
    ['no trailer', file(row('R1')), 'control-missing', null, 'must be TRAILER,<rows>:', trailer],
    [
      'another number of rows',
      `${file(row('R1'))}TRAILER,2\n`,
      'control-rows',
      3,
      'speak of 2 rows',
      trailer,
    ],
    [
      'a total',
      `${file(row('R1'))}TRAILER,1,0.00\n`,
      'control-unreadable',
      3,
      'which registrations do not have',
      trailer,
    ],
    [
      'rows after the trailer',
      `${file(row('R1'))}TRAILER,1\n${row('R2')}\n`,
      'control-not-last',
      3,
      'rows stand after it',
      trailer,
    ],
    ['payouts', `${payoutColumns}\n${payoutRow('A')}\n`, 'payout-file', 1, '"paydrop run"'],
    [
      'payouts under their own headers',
      'id,payee,sum\n',
      'payout-file',
      1,
      'the inbox itself',
      { otherColumns: { payoutId: 'id', proxyNo: 'payee', amount: 'sum' } },
    ],
    [
      'our exceptions file',
      `${registrationLines.renderExceptionHeader(['branch']).join(',')}\n`,
      'exceptions-file',
      1,
      'newAccountNo would not be read',
    ],
    [
      'our exceptions file of payouts',
      `${payoutLines.renderExceptionHeader([]).join(',')}\n`,
      'exceptions-file',
      1,
      'your own payout file',
    ],
  ])('%s', async (_name, content, code, line, words, changes) => {
    const { rejection } = await read(content, changes);
    expect(rejection).toMatchObject({ code, line });
    expect(rejection?.message).toContain(words);
  });

  test('a row that begins like a trailer and is a good one is no trailer', async () => {
    expect((await read(file(row('R1'), row('TOTAL-2')))).totals?.rows).toBe(2);
  });
});

describe('a registration file that came the way of payouts', () => {
  test.each([
    ['its own', `${head},amount\n${row('R1')},5.00\n`, {}],
    [
      'mapped',
      'Mandate,Member,Account\n',
      { registrationId: 'Mandate', customerId: 'Member', accountNo: 'Account' },
    ],
    ['part of its own', 'registrationId,Member,Account\n', {}],
  ])('is known by %s headers, and sent the right way', async (_name, content, otherColumns) => {
    const { rejection } = await readPath(await folder.write(content), { otherColumns });
    expect(rejection).toMatchObject({ code: 'registration-file', line: 1 });
    expect(rejection?.message).toMatch(/"paydrop register".*folder registrations of the inbox/);
  });

  test.each([
    [
      'payouts that carry columns of registrations through',
      `${payoutColumns},registrationId,customerId,accountNo`,
      undefined,
    ],
    ['a header that names neither', 'customerId,accountNo,when', 'header-missing'],
    ['payouts that lack a column', 'payoutId,proxyNo,registrationId', 'column-missing'],
  ])('is none of these: %s', async (_name, header, code) => {
    const content = `${header}\n${header.includes('registrationId,c') ? `${payoutRow('A')},R1,C1,1\n` : ''}`;
    const found = await readPath(await folder.write(content), { limits: noLimits });
    expect(found.rejection?.code).toBe(code);
  });
});
