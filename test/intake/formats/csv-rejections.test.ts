/** What becomes of a payout file that is rejected as a whole: a code, a line, and words that help. */
import { writeFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../../src/core/money.ts';
import type { PayoutFileOptions } from '../../../src/intake/formats/payout-file.ts';
import { payoutLines } from '../../../src/reports/rules/report-rows.ts';
import { columns, file, noLimits, readPath, row, useFolder } from '../../support/payout-file-kit.ts';

const folder = useFolder();

type Case = [
  name: string,
  content: string | Uint8Array,
  code: string,
  line: number | null,
  words: string,
  options?: Partial<PayoutFileOptions>,
];

const limit = (changes: Partial<PayoutFileOptions['limits']>): Partial<PayoutFileOptions> => ({
  limits: { ...noLimits, ...changes },
});
const trailer: Partial<PayoutFileOptions> = { control: 'trailer' };
/** Its first row corrected by a person, in the columns that are there for it. */
const exceptionsFile = (delimiter: string): string =>
  [
    payoutLines.renderExceptionHeader(['costCentre']),
    payoutLines.renderExceptionHeader(['costCentre']).map(() => "'0812345678"),
  ]
    .map((cells) => `${cells.join(delimiter)}\n`)
    .join('');
/** A workbook that a password locks, as its writer wraps it: what it is stands in the directory alone. */
function lockedWorkbook(directorySector: number): Buffer {
  const bytes = Buffer.alloc((directorySector + 2) * 512);
  bytes.set([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]);
  bytes.writeUInt32LE(directorySector, 48);
  bytes.write('Root Entry', (directorySector + 1) * 512, 'utf16le');
  bytes.write('EncryptedPackage', (directorySector + 1) * 512 + 128, 'utf16le');
  return bytes;
}
const unclosed = file(row('A'), 'B,,0812345678,"Somchai,100.00,,', row('C'), row('D'));

describe('a file that is rejected as a whole says where and why', () => {
  test.each<Case>([
    ['empty', '', 'file-empty', null, 'is empty'],
    ['a mark alone', '\ufeff', 'file-empty', null, 'is empty'],
    ['blank lines alone', '\n \r\n\n', 'file-empty', null, 'is empty'],
    ['header only', `${columns}\n`, 'rows-missing', 2, 'no rows'],
    ['header and blank lines', `${columns}\n\n\n`, 'rows-missing', 2, 'no rows'],
    ['no header', `${row('A')}\n${row('B')}\n`, 'header-missing', 1, 'no header'],
    ['a text', 'Dear Sirs,\nplease pay.\n', 'header-missing', 1, 'payoutId, proxyNo, amount'],
    [
      'a header with another delimiter',
      `${columns.replaceAll(',', '|')}\n`,
      'header-missing',
      1,
      'semicolons',
    ],
    [
      'a header that never closes its quotation mark',
      `"${columns}\n${row('A')}\n`,
      'header-unreadable',
      1,
      'quotation',
    ],
    ['a column missing', 'payoutId,proxyNo\nA,0812345678\n', 'column-missing', 1, 'lacks amount'],
    [
      'a required column with a name all but right',
      'payout_id,proxyNo,amount\n',
      'column-missing',
      1,
      '"payout_id"',
    ],
    [
      'our exceptions file',
      exceptionsFile(','),
      'exceptions-file',
      1,
      'newProxyNo and newAmount would not be read',
    ],
    [
      'the same, saved by a spreadsheet',
      exceptionsFile(';'),
      'exceptions-file',
      1,
      'under the same payoutId',
    ],
    [
      'an optional column with a name all but right',
      'payoutId,proxyNo,amount,payee name\n',
      'column-unclear',
      1,
      'payeeName',
    ],
    ['a column twice', 'payoutId,proxyNo,amount,amount\n', 'column-doubled', 1, 'as number 3 and 4'],
    [
      'a column twice in other letters',
      'payoutId,proxyNo,AMOUNT,Amount\n',
      'column-doubled',
      1,
      'as number 3 and 4',
    ],
    [
      'a column twice, one of them in capitals',
      'payoutId,proxyNo,amount,AMOUNT\n',
      'column-doubled',
      1,
      'as number 3 and 4',
    ],
    [
      'a carried column twice in other letters',
      'payoutId,proxyNo,amount,note,Note\n',
      'column-doubled',
      1,
      'as number 4 and 5',
    ],
    [
      'a mapped column twice in other letters',
      'payoutId,proxyNo,amount,Total,TOTAL\n',
      'column-doubled',
      1,
      'as number 4 and 5',
      { columns: { amount: 'TOTAL' } },
    ],
    ...[
      'TRAILER,2,200.00',
      'TRAILER,2,200.00,,,,',
      'TRAILER,5,500.00',
      'Total,,,,200.00,,',
      'Grand Total:,,,,200.00,,',
      'ยอดรวม,2,200.00,,,,',
      'T,2,200.00',
      'T,5,500.00',
      '99,,,2,200.00,,',
      'TRAILER,2,200.00\n,,,,,,',
    ].map((last): Case => [
      `a last row that looks like a trailer, unread (${last})`,
      file(row('A'), row('B'), last),
      'trailer-unread',
      4,
      'input.control is none',
    ]),
    [
      'a trailer of three columns with rows and sum',
      'payoutId,proxyNo,amount\nA,0812345678,100.00\nT,1,100.00\n',
      'trailer-unread',
      3,
      'set input.control',
    ],
    ['another column twice', 'payoutId,proxyNo,amount,note,note\n', 'column-doubled', 1, 'as number 4 and 5'],
    [
      'a mapped column missing',
      file(row('A')),
      'column-missing',
      1,
      'lacks ผู้รับ',
      { columns: { payeeName: 'ผู้รับ' } },
    ],
    [
      "headers of the partner's own, with what to paste",
      'Payment No;PromptPay;ยอดเงิน\nA;0812345678;1.00\n',
      'header-missing',
      1,
      'input: { columns: { payoutId: "Payment No", proxyNo: "PromptPay", amount: "ยอดเงิน" } }',
    ],
    [
      'a workbook that is cut short',
      Buffer.from('PK\u0003\u0004\u0014\0\u0006\0'),
      'workbook-damaged',
      null,
      'save the sheet as "CSV UTF-8"',
    ],
    ['an old workbook', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1]), 'not-a-csv', null, '(.xls, .doc)'],
    ['a workbook with a password', lockedWorkbook(1), 'not-a-csv', null, 'save it without a password'],
    [
      'one with its directory at its end',
      lockedWorkbook(600),
      'not-a-csv',
      null,
      'a workbook with a password',
    ],
    ['a PDF', '%PDF-1.7\n', 'not-a-csv', null, 'a PDF'],
    [
      'a web page',
      '\ufeff\n<HTML><table><tr><td>payoutId',
      'not-a-csv',
      null,
      'save the sheet as "CSV UTF-8"',
    ],
    ['a workbook in XML', '<?xml version="1.0"?>\n<Workbook/>\n', 'not-a-csv', null, 'an XML file'],
    ['an encrypted file', '-----BEGIN PGP MESSAGE-----\n\nhQEM\n', 'not-a-csv', null, 'decrypt it'],
    ['a JSON list', '[\n  {"payoutId":"A"}\n]\n', 'not-a-csv', null, 'exported as CSV'],
    ['a RAR archive', Buffer.from('Rar!\u001a\u0007\0\0', 'latin1'), 'not-a-csv', null, 'unpack it'],
    ['a 7z archive', Buffer.from("7z\u00bc\u00af'\u001c\0\u0004", 'latin1'), 'not-a-csv', null, 'unpack it'],
    ['what is compressed', Buffer.from([0x1f, 0x8b, 8, 0]), 'not-a-csv', null, 'unpack it first'],
    ['NUL bytes', file(row('A\0')), 'nul-bytes', 2, 'offset 67'],
    [
      'UTF-16 without its mark',
      Buffer.from(file(row('A')), 'utf16le'),
      'nul-bytes',
      1,
      'set input.encoding to utf-16le',
    ],
    [
      'damaged UTF-8',
      Buffer.concat([Buffer.from(file(row('A', '1', 'กขค'))), Buffer.from([0xe0, 0xb8, 10])]),
      'undecodable',
      3,
      'offset',
    ],
    [
      'Latin-1 set as UTF-8',
      Buffer.from(file(row('A', '1', 'José')), 'latin1'),
      'undecodable',
      2,
      'is no utf-8',
      { encoding: 'utf-8' },
    ],
    [
      'another mark than the setting',
      `\ufeff${file(row('A'))}`,
      'encoding-contradicts',
      1,
      'mark of utf-8',
      { encoding: 'windows-874' },
    ],
    [
      'an odd half in UTF-16',
      Buffer.concat([Buffer.from(`\ufeff${file(row('A'))}`, 'utf16le'), Buffer.from([65])]),
      'undecodable',
      3,
      'utf-16le',
    ],
    [
      'half a character in UTF-16',
      Buffer.from(`\ufeff${file(row('A', '1', 'ชช\ud83d'))}`, 'utf16le'),
      'undecodable',
      2,
      'utf-16le',
    ],
    ['a quotation mark that never closes', unclosed, 'quote-unclosed', 3, 'opens a cell'],
    [
      'one that a later cell closes',
      `${unclosed}${row('E', '1', '"Lek, Dee"')}\n`,
      'quote-unclosed',
      3,
      'opens a cell',
    ],
    [
      'one that a stray mark closes',
      `${unclosed}${row('E', '1', 'Lek"')}\n`,
      'quote-unclosed',
      3,
      'opens a cell',
    ],
    ['10 MB in one cell', file(row('A'), row('B', '1', 'x'.repeat(10_000_000))), 'row-too-long', 3, '65536'],
    [
      '10 MB in one quoted cell',
      file(row('A'), row('B', '1', `"${'x\n'.repeat(5_000_000)}"`)),
      'quote-unclosed',
      3,
      'close it',
    ],
    ['10 MB in its header', `${'x'.repeat(10_000_000)}\n`, 'header-unreadable', 1, 'too long'],
    [
      'a row of 100 KB',
      file(row('A'), row('B', '1', 'x'.repeat(100_000)), row('C')),
      'row-too-long',
      3,
      '65536',
    ],
    ['no last line end', file(row('A'), row('B')).slice(0, -1), 'line-end-missing', 3, 'cut short'],
    [
      'too many rows',
      file(row('A'), '', row('B'), row('C')),
      'rows-over-limit',
      5,
      '(2)',
      limit({ rowsMax: 2 }),
    ],
    ['too many bytes', file(row('A')), 'bytes-over-limit', null, '(100)', limit({ bytesMax: 100 })],
    [
      'too much money',
      file(row('A', '60'), row('B', '60')),
      'total-over-limit',
      null,
      '120.00 baht',
      limit({ fileSatangMax: toSatang(10_000n) }),
    ],
    [
      'more money than there is',
      file(...Array.from({ length: 93 }, (_, n) => row(`P${n}`, '999999999999999'))),
      'total-over-limit',
      null,
      'any batch',
    ],
    ['no trailer', file(row('A')), 'control-missing', null, 'TRAILER,<rows>,<total>', trailer],
    [
      'a trailer that cannot be read',
      `${file(row('A'))}TRAILER,one,100\n`,
      'control-unreadable',
      3,
      'in digits',
      trailer,
    ],
    [
      'rows after the trailer',
      `${file(row('A'))}TRAILER,1,100\n${row('B')}\n`,
      'control-not-last',
      3,
      'must be the last',
      trailer,
    ],
    [
      'two trailers',
      `${file(row('A'))}TRAILER,1,100\nTRAILER,1,100\n`,
      'control-not-last',
      3,
      'must be the last',
      trailer,
    ],
    ['a trailer alone', `${columns}\nTRAILER,0,0.00\n`, 'rows-missing', 2, 'no rows', trailer],
    [
      'a row less than the trailer says',
      `${file(row('A'))}TRAILER,2,100\n`,
      'control-rows',
      3,
      '2 rows',
      trailer,
    ],
    [
      'a satang less than the trailer says',
      `${file(row('A'))}TRAILER,1,100.01\n`,
      'control-total',
      3,
      '100.01',
      trailer,
    ],
    [
      'an amount that no total can prove',
      `${file(row('A'), row('B', '1e3'))}TRAILER,2,1100\n`,
      'control-unproved',
      3,
      'cannot be proved',
      trailer,
    ],
    ['no control file', file(row('A')), 'control-missing', null, '.control.json', { control: 'sidecar' }],
  ])('%s', async (_, content, code, line, words, options = {}) => {
    const { rejection, totals } = await folder.read(content, options);
    expect(rejection).toMatchObject({ code, line });
    expect(rejection?.message).toContain(words);
    expect(totals).toBeUndefined();
  });

  test.each([
    ['{"rows": 2, "total": "100.00"}', 'control-rows'],
    ['{"rows": 1, "total": "100.01"}', 'control-total'],
    ['{"rows": 1, "total": 100.01}', 'control-unreadable'],
    [`{"rows": 1, "total": "100.00"}${' '.repeat(70_000)}`, 'control-unreadable'],
  ])('a control file with %s', async (control, code) => {
    const path = await folder.write(file(row('A')));
    await writeFile(`${path}.control.json`, control);
    expect((await readPath(path, { control: 'sidecar' })).rejection?.code).toBe(code);
  });
});

describe('a header that is not in the first line is found there once the lines above it are removed', () => {
  test.each([
    ['the separator, as Excel reads it', ['sep=,']],
    ['the separator, quoted', ['"sep=,"']],
    ['the encoding', ['UTF-8']],
    ['a comment', ['# exported 2026-11-28']],
    ['titles and an empty row', ['Payroll November,,', 'as of 28/11,,', ',,']],
    ['a blank line, too', ['Payroll November', '']],
    ['a quotation mark that never closes', ['Payroll "November"', '"Bangkok']],
  ])('%s', async (_, above) => {
    const { rejection } = await folder.read(`${above.join('\r\n')}\r\n${file(row('A'))}`);
    expect(rejection).toMatchObject({ code: 'header-missing', line: 1 });
    const [, at = '', removed = '1'] =
      /in line (\d+), remove the (?:(\d+) )?lines? above it$/.exec(rejection?.message ?? '') ?? [];
    expect([at, removed].map(Number)).toEqual([above.length + 1, above.length]);
    expect((await folder.read(file(row('A')))).rejection).toBeUndefined();
  });

  test('with another delimiter, and where it has its own faults, which are told next', async () => {
    const text = 'sep=;\npayoutId;proxy_no;amount\nA;0812345678;1.00\n';
    expect((await folder.read(text)).rejection?.message).toContain('remove the line above it');
    const [, cured = ''] = text.split('sep=;\n');
    expect((await folder.read(cured)).rejection?.message).toContain('proxyNo: "proxy_no"');
  });

  test('but not after twenty lines', async () => {
    const text = `${'a letter\n'.repeat(20)}${file(row('A'))}`;
    expect((await folder.read(text)).rejection?.message).toContain('it must name payoutId');
  });
});

test('a header of formulas is read once its names stand alone', async () => {
  const { rejection } = await folder.read('="payoutId",="proxyNo",="amount"\nA,0812345678,1.00\n');
  expect(rejection).toMatchObject({ code: 'header-unreadable', line: 1 });
  expect(rejection?.message).toContain('write the names alone');
  expect((await folder.read('payoutId,proxyNo,amount\nA,0812345678,1.00\n')).rejection).toBeUndefined();
});
