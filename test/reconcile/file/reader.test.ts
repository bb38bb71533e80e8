import { createHash } from 'node:crypto';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, test } from 'vitest';
import { formatBaht, toSatang } from '../../../src/core/money.ts';
import { makeStatementReader } from '../../../src/reconcile/file/reader.ts';
import { type StatementColumn, statementColumns } from '../../../src/reconcile/rules/statement.ts';
import {
  csv,
  header,
  place,
  read,
  readerDefaults,
  row,
  type Row,
  useStatementFolder,
} from '../../support/statement-file-kit.ts';

useStatementFolder();

const twoPayees = [{ proxyNo: '0812345678', proxyType: 'MSISDN' }, { proxyNo: '0812345678' }];
const two = [row(1), row(2, { 'PROXY NAME (TH)': 'ก ข', STATUS: 'TRANSFER_FAILED', 'REASON CODE': 'EV055' })];

describe('a sound statement', () => {
  test('gives its lines whole, and totals to the satang', async () => {
    const { lines, totals, refusal } = await read(csv(two));
    expect(refusal).toBeUndefined();
    expect(lines[0]).toEqual({
      line: 2,
      no: '1',
      effectiveDate: '20261120',
      effectiveTime: '14:03:05',
      transRefNo: 'PD000000000000000101',
      sysRefNo: 'SYS1',
      channelId: 'PAYDROP',
      payerAccount: '0000345924',
      proxyType: 'MSISDN',
      proxyNo: '0812345678',
      proxyName: 'SOMCHAI JAIDEE',
      proxyNameTh: 'สมชาย ใจดี',
      reference1: 'INV 1',
      reference2: '',
      amountSatang: 123450n,
      feeSatang: 200n,
      netSatang: 123250n,
      statusText: '010004',
      status: 'complete',
      reasonCode: 'IC000',
      reasonDesc: 'Fund transfer executed successfully',
      partnerId: 'PARTNER1',
      clientId: 'my-app',
      companyId: 'COMP000001',
      chargeType: 'Ben',
      fault: '',
    });
    expect(totals).toEqual({
      lines: 2,
      amountSatang: 246900n,
      feeSatang: 400n,
      netSatang: 246500n,
      sha256: createHash('sha256').update(csv(two)).digest('hex'),
      sizeBytes: Buffer.byteLength(csv(two)),
    });
  });

  test('may end with the end mark of DOS', async () => {
    for (const end of ['', '\r\n']) {
      const { lines, refusal } = await read(`${csv(two)}\u001a${end}`);
      expect([refusal, lines.length]).toEqual([undefined, 2]);
    }
  });

  test('may be an empty day: a header and no line', async () => {
    expect(await read(`${header}\r\n`)).toMatchObject({ lines: [], totals: { lines: 0, amountSatang: 0n } });
  });

  test.each<[string, string | Uint8Array]>([
    ['line feeds', csv(two).replaceAll('\r\n', '\n')],
    ['a byte order mark', `\ufeff${csv(two)}`],
    ['windows-874', iconv.encode(csv(two), 'windows-874')],
    ['UTF-16 with its mark', iconv.encode(csv(two), 'utf-16le', { addBOM: true })],
    ['semicolons', csv(two).replaceAll(',', ';')],
    ['tabs', csv(two).replaceAll(',', '\t')],
    ['every cell in quotation marks', csv(two).replaceAll(/[^,\r\n]+/g, '"$&"')],
    ['blanks around cells', csv(two).replaceAll(',', ' , \u00a0')],
    ['blank lines', `${csv(two)}\r\n\r\n`],
    [
      'a header in small letters with other blanks',
      csv(two).replace(header, header.toLowerCase().replaceAll(' ', '_')),
    ],
    ['columns in another order', csv(two, statementColumns.toReversed())],
    ['digits marked as text by an apostrophe', csv(two).replaceAll(/,0(\d+),/g, ",'0$1,")],
    ['digits marked as text by a formula', csv(two).replaceAll(/,0(\d+),/g, ',="0$1",')],
    ['dates with hyphens', csv(two).replaceAll('20261120', '2026-11-20')],
    ['unneeded decimals left out', csv(two).replaceAll('.50,', '.5,').replaceAll('2.00', '2')],
    ['thousands separators', csv(two).replaceAll('1234.50', '"1,234.50"')],
  ])('reads the same with %s', async (_, content) => {
    const expected = await read(csv(two));
    const found = await read(content);
    expect(found.refusal).toBeUndefined();
    expect(found.lines).toEqual(expected.lines);
  });

  test('may have columns of its own, and lack those that prove nothing', async () => {
    const lean = ['AMOUNT', 'STATUS', 'COMPANY ID', 'FEE', 'NET AMOUNT', 'PROXY NO', 'PROXY TYPE'] as const;
    const columns: StatementColumn[] = [
      ...lean,
      'CHARGE TYPE',
      'PAYER ACCOUNT',
      'TRANSREF NO',
      'EFFECTIVE DATE',
    ];
    const text = csv(two, columns).replaceAll('\r\n', ',x,\r\n').replace('DATE,x,', 'DATE,BRANCH,');
    const { lines } = await read(text);
    expect(lines).toMatchObject([
      { no: '', sysRefNo: '', amountSatang: 123450n },
      { status: 'failed', transRefNo: 'PD000000000000000201' },
    ]);
  });

  test("has the scheme's word in its columns", async () => {
    const text = csv(two).replaceAll('PROXY ', 'PROMPTPAY ');
    for (const scheme of ['promptpay', 'proxy', 'other'])
      expect((await read(text, { scheme })).lines).toMatchObject(twoPayees);
    expect((await read(csv(two), { scheme: 'promptpay' })).lines).toMatchObject(twoPayees);
    const foreign = csv(two).replaceAll('PROXY ', 'OTHER ');
    expect((await read(foreign, { scheme: 'other' })).lines).toMatchObject(twoPayees);
    const { refusal } = await read(foreign);
    expect(refusal).toMatchObject({ code: 'column-missing', line: 1, column: 'PROXY TYPE' });
    expect(refusal?.message).toContain('bank.scheme');
  });

  test('takes no columns under two words', async () => {
    const { refusal } = await read(csv(two).replace('PROXY NO', 'PROMPTPAY NO'));
    expect(refusal).toMatchObject({ code: 'column-missing', column: 'PROXY NO' });
  });

  test.each([
    ['complete', 'complete'],
    ['SUCCESSFUL', 'complete'],
    ['030002', 'failed'],
    ['Rejected', 'failed'],
    ['030004', 'in-process'],
    ['pending', 'in-process'],
    ['', 'other'],
    ['COMPLETE?', 'other'],
  ])('status %j is %s', async (word, status) => {
    const { lines } = await read(csv([row(1, { STATUS: word, 'REASON CODE': '' })]));
    expect(lines).toMatchObject([{ statusText: word, status }]);
  });

  test.each([
    ['030003', 'IC000', 'contradiction'],
    ['030003', 'ic000', 'contradiction'],
    ['FAILED', 'ET001', 'contradiction'],
    ['030002', 'EM066', 'contradiction'],
    ['030003', 'EM073', 'contradiction'],
    ['030003', 'EM001', 'contradiction'],
    ['030003', 'SUCCESS', 'contradiction'],
    ['030003', '010004', 'contradiction'],
    ['030003', 'PENDING', 'contradiction'],
    ['010004', 'EV055', 'contradiction'],
    ['COMPLETE', 'FAILED', 'contradiction'],
    ['010004', '030003', 'contradiction'],
    ['010004', 'ET001', 'contradiction'],
    ['010004', 'EM027', 'contradiction'],
    ['030003', 'EV055', 'failed'],
    ['030003', 'EM027', 'failed'],
    ['030003', '', 'failed'],
    ['030003', 'X99', 'failed'],
    ['010004', 'IC000', 'complete'],
    ['010004', 'X99', 'complete'],
    ['030004', 'ET001', 'in-process'],
    ['030004', 'IC000', 'in-process'],
    ['REVERSED', 'IC000', 'other'],
  ])('status %j with the reason code %j is %s', async (STATUS, reason, status) => {
    const { lines } = await read(csv([row(1, { STATUS, 'REASON CODE': reason })]));
    expect(lines).toMatchObject([{ status, reasonCode: reason }]);
  });

  test.each([
    ['failed', 'NOT YET', 'contradiction'],
    ['failed', 'done', 'contradiction'],
    ['done', 'NO', 'contradiction'],
    ['done', 'Done', 'complete'],
    ['no', 'EV055', 'failed'],
  ])('%s beside %s, a word of the settings: %s', async (STATUS, reason, status) => {
    const { complete, failed, inProcess } = readerDefaults.words;
    const words = {
      complete: [...complete, 'DONE'],
      failed: [...failed, 'NO'],
      inProcess: [...inProcess, 'not yet'],
    };
    const { lines } = await read(csv([row(1, { STATUS, 'REASON CODE': reason })]), { words });
    expect(lines).toMatchObject([{ status }]);
  });

  test('takes the words of its status from the settings', async () => {
    const words = { complete: ['Done'], failed: [], inProcess: [] };
    const { lines } = await read(csv([row(1, { STATUS: 'DONE' }), row(2)]), { words });
    expect(lines.map(({ status }) => status)).toEqual(['complete', 'other']);
  });

  test('tells the line of the file when cells have lines of their own', async () => {
    const rows = [row(1, { 'REASON DESC': '"one\r\ntwo, ""three"""' }), row(2)];
    const { lines } = await read(csv(rows));
    expect(lines).toMatchObject([{ line: 2, reasonDesc: 'one\r\ntwo, "three"' }, { line: 4 }]);
  });
});

/** The text as UTF-8, with a byte that no encoding of ours has in place of its @. */
function damageByte(text: string): Buffer {
  const bytes = Buffer.from(text);
  bytes[bytes.indexOf('@')] = 0xff;
  return bytes;
}

describe('a damaged statement is refused as a whole', () => {
  const one = (changes: Row) => csv([row(1), row(2, changes), row(3)]);
  test.each<[string, string | Uint8Array, string, number | null, string | null]>([
    ['an empty file', '', 'file-empty', null, null],
    ['a mark alone', '\ufeff', 'file-empty', null, null],
    [
      'no header',
      csv([row(1)])
        .split('\r\n')
        .slice(1)
        .join('\r\n'),
      'header-missing',
      1,
      null,
    ],
    ['a missing column', one({}).replaceAll(',AMOUNT,', ',SUM,'), 'column-missing', 1, 'AMOUNT'],
    ['a column twice', one({}).replace('REFERENCE2', 'Fee'), 'column-doubled', 1, 'FEE'],
    ['an extra column twice', one({}).replaceAll('\r\n', ',x,x\r\n'), 'column-doubled', 1, 'x'],
    ['a cell too many', one({ REFERENCE1: 'a,b' }), 'cell-count', 3, null],
    ['a line lost', csv([row(1), row(3)]), 'number-gap', 3, 'NO'],
    ['the first line lost', csv([row(2), row(3)]), 'number-gap', 2, 'NO'],
    ['a line doubled', csv([row(1), row(1)]), 'number-gap', 3, 'NO'],
    ['a number missing', one({ NO: '' }), 'number-gap', 3, 'NO'],
    ['numbers that begin late', csv([row(1, { NO: '' }), row(2)]), 'number-gap', 3, 'NO'],
    ['an open quotation mark', one({ REFERENCE1: '"a' }), 'quote-unclosed', 3, null],
    ['a quotation mark inside a cell', one({ REFERENCE1: 'a"b"' }), 'quote-misplaced', 3, null],
    ['damaged UTF-8', damageByte(one({ REFERENCE1: '@' })), 'undecodable', 3, null],
    ['a NUL', one({ REFERENCE1: '\0' }), 'nul-bytes', 3, null],
    ['a last line cut short in an amount', one({}).slice(0, -100), 'cell-count', 4, null],
    ['a last line without its end', one({}).slice(0, -2), 'line-end-missing', 4, null],
    ['a header without its end', header, 'line-end-missing', 1, null],
    ['too many bytes', one({ REFERENCE1: 'x'.repeat(2_000) }), 'bytes-over-limit', null, null],
  ])('%s', async (_, content, code, line, column) => {
    const { totals, refusal } = await read(content, { bytesMax: 2_000 });
    expect(totals).toBeUndefined();
    expect(refusal).toMatchObject({ code, line, column });
    expect(refusal?.message).toMatch(/: .+/);
    expect(refusal?.message).not.toMatch(/input\.|limits\./);
  });

  const blanks = { AMOUNT: '', FEE: '', 'NET AMOUNT': '', 'EFFECTIVE DATE': '' };

  test.each(['030002', 'failed'])('but a failed line (%s) may have no figures and no day', async (status) => {
    const { lines, totals } = await read(one({ ...blanks, STATUS: status, 'REASON CODE': 'EV055' }));
    expect(lines[1]).toMatchObject({ status: 'failed', amountSatang: 0n, feeSatang: 0n, netSatang: 0n });
    expect(lines.map(({ effectiveDate }) => effectiveDate)).toEqual(['20261120', '', '20261120']);
    expect(totals).toMatchObject({ lines: 3, amountSatang: 2_469_00n });
  });

  test.each(['010004', '010002', 'REVERSED', ''])('any other (%j) may not', async (status) => {
    const { lines } = await read(one({ ...blanks, STATUS: status }));
    expect(lines[1]?.fault).toBe('AMOUNT: the amount is empty (amount-missing)');
  });

  test('naming both numbers of a gap', async () => {
    const { refusal } = await read(csv([row(1), row(4)]));
    expect(refusal?.message).toContain('should be 2 and is "4"');
  });

  test('without showing a long number', async () => {
    const { lines } = await read(csv([row(1, { AMOUNT: '0812345678x' })]));
    expect(lines[0]?.fault).toMatch(/^AMOUNT: the amount "\*+5678x" is no amount/);
  });

  test.each(['missing', 'folder'])('a %s file is refused too', async (name) => {
    const path = name === 'folder' ? (await place('x')).replace(/[^/]+$/, '') : `${await place('x')}.not`;
    const parts = [];
    for await (const part of makeStatementReader(readerDefaults).read(path)) parts.push(part);
    expect(parts).toMatchObject([{ kind: 'refused' }]);
  });

  test('a file that changes while it is read', async () => {
    const path = await place(csv(Array.from({ length: 2_000 }, (_, at) => row(at + 1))));
    const kinds = [];
    for await (const part of makeStatementReader(readerDefaults).read(path)) {
      if (kinds.length === 0) await place(csv([row(1)]), path.split('/').at(-1));
      kinds.push(part.kind === 'refused' ? part.refusal.code : part.kind);
    }
    expect(kinds).not.toContain('summary');
    expect(kinds.at(-1)).not.toBe('lines');
  });
});

describe('a cell that cannot be read', () => {
  test.each<[string, Row, string]>([
    [
      'an amount that is none',
      { AMOUNT: '12E4' },
      'AMOUNT: the amount "12E4" is an exponent.* (amount-exponent)',
    ],
    ['a negative amount', { FEE: '-1.00' }, 'FEE: the amount "-1.00" is negative (amount-negative)'],
    [
      'one in brackets',
      { 'NET AMOUNT': '(1.00)' },
      'NET AMOUNT: the amount "(1.00)" is negative (amount-negative)',
    ],
    ['an empty amount', { 'NET AMOUNT': '' }, 'NET AMOUNT: the amount is empty (amount-missing)'],
    ['a third decimal', { AMOUNT: '1.005' }, 'AMOUNT: the amount "1.005" is no amount.* (amount-unreadable)'],
    ['a decimal comma', { AMOUNT: '"1234,50"' }, 'AMOUNT: the amount "1234,50" is no.* (amount-unreadable)'],
    ['odd thousands', { AMOUNT: '"12,34.50"' }, 'AMOUNT: the amount "12,34.50" is no.* (amount-unreadable)'],
    [
      'no day',
      { 'EFFECTIVE DATE': '20261131' },
      'EFFECTIVE DATE: the date "20261131" names no day.* (date-unreadable)',
    ],
    [
      'another form',
      { 'EFFECTIVE DATE': '28/11/2026' },
      'EFFECTIVE DATE: the date "28/11/2026" names.* (date-unreadable)',
    ],
    [
      'a day of the Buddhist era',
      { 'EFFECTIVE DATE': '25691120' },
      'EFFECTIVE DATE: the date "25691120" is of the Buddhist era: 20261120 is meant (date-unreadable)',
    ],
    [
      'an empty date',
      { 'EFFECTIVE DATE': '' },
      'EFFECTIVE DATE: the date "" names no day.* (date-unreadable)',
    ],
    ['a spoilt number', { 'PROXY NO': '8.12E+08' }, 'PROXY NO: a spreadsheet has turned .* (number-damaged)'],
    [
      'a lost number',
      { 'PAYER ACCOUNT': '#####' },
      'PAYER ACCOUNT: a spreadsheet shows an error.* (number-damaged)',
    ],
  ])('%s is the fault of its line alone', async (_, changes, fault) => {
    const { lines, totals, refusal } = await read(csv([row(1), row(2, changes), row(3)]));
    expect([refusal, totals?.lines]).toEqual([undefined, 3]);
    const pattern = fault.replaceAll(/[()]/g, '\\$&');
    expect(lines.map((line) => line.fault)).toEqual([
      '',
      expect.stringMatching(new RegExp(`^${pattern}$`)),
      '',
    ]);
    expect(lines[1]).toMatchObject({ transRefNo: row(2)['TRANSREF NO'], status: 'complete' });
  });

  test('is told of first by its first, with a sum that leaves it out', async () => {
    const { lines, totals } = await read(csv([row(1), row(2, { AMOUNT: 'x', FEE: 'y' })]));
    expect(lines[1]).toMatchObject({ amountSatang: 0n, fault: expect.stringMatching(/^AMOUNT: /) });
    expect(totals?.amountSatang).toBe(123450n);
  });

  test('is none where decimals alone were put to a number', async () => {
    const { lines } = await read(csv([row(1, { 'PROXY NO': '812345678.0', 'PAYER ACCOUNT': '345924.00' })]));
    expect(lines[0]).toMatchObject({ proxyNo: '812345678', payerAccount: '345924', fault: '' });
  });

  const empty = Object.fromEntries(statementColumns.map((column) => [column, ''])) as Row;

  test.each<[string, readonly Row[], readonly string[]]>([
    ['beside the numbers', [row(1), empty, row(2)], ['1', '', '2']],
    ['in the place of a number', [row(1), empty, row(3)], ['1', '', '3']],
    ['before the first', [empty, row(1)], ['', '1']],
    ['at the end', [row(1), empty], ['1', '']],
    ['without numbers', [row(1, { NO: '' }), empty, row(2, { NO: '' })], ['', '', '']],
  ])('is each of an empty line, %s', async (_, rows, numbers) => {
    const { lines, refusal } = await read(csv(rows));
    expect([refusal, lines.map(({ no }) => no)]).toEqual([undefined, numbers]);
    const faults = rows.map((one) => (one === empty ? 'the line is empty (line-empty)' : ''));
    expect(lines.map(({ fault }) => fault)).toEqual(faults);
  });

  test('an empty line stands for one number at most', async () => {
    expect((await read(csv([row(1), empty, row(4)]))).refusal).toMatchObject({ code: 'number-gap', line: 4 });
  });
});

test('a statement that is cut anywhere but after a line is refused', async () => {
  const text = csv([row(1), row(2)]);
  for (let end = 0; end < text.length; end += 7) {
    const { totals, refusal } = await read(text.slice(0, end));
    const endsWhole = /[\r\n]$/.test(text.slice(0, end));
    expect(refusal === undefined).toBe(endsWhole);
    expect(totals !== undefined).toBe(endsWhole);
  }
});

const separated = (text: string) => text.replaceAll(/\B(?=(?:\d{3})+\.)/g, ',');

test('any amount comes back as it was written, with separators and without', async () => {
  const amounts = fc.array(fc.bigInt({ min: 0n, max: 10n ** 17n - 1n }), { minLength: 1, maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(amounts, async (satang) => {
      const rows = satang.map((amount, at) => {
        const text = formatBaht(toSatang(amount));
        return row(at + 1, { AMOUNT: text, FEE: `"${separated(text)}"`, 'NET AMOUNT': '0' });
      });
      const { lines, totals } = await read(csv(rows));
      expect(lines.map(({ amountSatang }) => amountSatang)).toEqual(satang);
      expect(lines.map(({ feeSatang }) => feeSatang)).toEqual(satang);
      expect(totals?.amountSatang).toBe(satang.reduce((sum, amount) => sum + amount, 0n));
    }),
    { numRuns: 40 },
  );
});
