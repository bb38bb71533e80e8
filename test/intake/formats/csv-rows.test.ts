/** Rows that are rejected alone, while the others of their file go on. */
import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { file, row, useFolder, type WholeReading } from '../../support/payout-file-kit.ts';

const folder = useFolder();

/** Each row as "line payoutId codes", a good one without codes. */
const outline = ({ rows }: WholeReading): string[] =>
  rows.map(({ line, cells, issues }) =>
    [line, cells.payoutId, ...issues.map(({ code }) => code)].join(' ').trim(),
  );

describe('a bad row never stops the good ones', () => {
  test.each<[string, string[], string[]]>([
    ['too few cells', [row('A'), 'B,,0812345678', row('C')], ['2 A', '3 B cell-count', '4 C']],
    ['too many cells', [row('A'), `${row('B')},`, row('C')], ['2 A', '3 B cell-count', '4 C']],
    [
      'a thousands separator without quotation marks',
      [row('A'), row('B', '1,234.50'), row('C')],
      ['2 A', '3 B cell-count', '4 C'],
    ],
    ['nothing but separators', [row('A'), ',,,,,,', row('C')], ['2 A', '3  row-empty', '4 C']],
    [
      'a quotation mark inside a cell',
      [row('A'), row('B', '1.00', 'Somchai "Lek" Jaidee'), row('C', '2.00', '"Anan, ""Noi"""')],
      ['2 A', '3 B quote-misplaced', '4 C'],
    ],
    [
      'letters after a closing quotation mark',
      [row('A'), row('B', '1.00', '"Somchai" Jaidee'), row('C')],
      ['2 A', '3 B quote-misplaced', '4 C'],
    ],
    [
      'a lone quotation mark',
      [row('A'), row('B', '1.00', 'Somchai"'), row('C')],
      ['2 A', '3 B quote-misplaced', '4 C'],
    ],
    [
      'quotation marks and too many cells',
      [row('A'), 'B",x,,,,,,,', row('C')],
      ['2 A', '3 B" quote-misplaced cell-count', '4 C'],
    ],
    [
      'quotation marks and other issues',
      [row('A'), row('B', '1e3', 'So"m'), row('C')],
      ['2 A', '3 B quote-misplaced amount-exponent', '4 C'],
    ],
    [
      'a line break in a name',
      [row('A'), row('B', '1.00', '"Som\r\nchai"'), row('C')],
      ['2 A', '3 B name-control', '5 C'],
    ],
  ])('%s', async (_, rows, expected) => {
    const reading = await folder.read(file(...rows));
    expect(outline(reading)).toEqual(expected);
    expect(reading.rows.map(({ instruction }) => instruction !== null)).toEqual(
      [true, false, true].slice(0, rows.length),
    );
    expect(reading.totals?.rows).toBe(rows.length);
  });

  test.each([
    ['', ''],
    ['before a line end', '\r\n'],
  ])('the end mark of DOS is no row %s', async (_, end) => {
    const text = file(row('A'), row('B'));
    const wide = Buffer.from(`\ufeff${text}\u001a${end}`, 'utf16le');
    for (const [content, control] of [
      [`${text}\u001a${end}`, 'none'],
      [wide, 'none'],
      [`${text}TRAILER,2,200.00\n\u001a${end}`, 'trailer'],
    ] as const) {
      const reading = await folder.read(content, { control });
      expect([reading.rejection, ...outline(reading)]).toEqual([undefined, '2 A', '3 B']);
    }
    const cut = await folder.read(`${text.trimEnd()}\u001a`);
    expect(cut.rejection).toMatchObject({ code: 'line-end-missing', line: 3 });
  });

  test.each([
    ['a payment with such a payoutId', row('TOTAL'), ['2 A', '3 TOTAL']],
    ['a broken row', 'B,,0812345678,,abc,,', ['2 A', '3 B']],
    ['a row cut short', 'B,,0812345678', ['2 A', '3 B']],
    ['a row with a short number', 'B,,81234,,100.00,5,', ['2 A', '3 B']],
  ])('a last row that is no trailer: %s', async (_, last, expected) => {
    const reading = await folder.read(file(row('A'), last));
    expect(reading.rejection).toBeUndefined();
    const places = reading.rows.map(({ line, cells }) => `${line} ${cells.payoutId}`);
    expect(places).toEqual(expected);
  });

  test('a trailer is a row like any other where no trailer is expected', async () => {
    const { rows } = await folder.read(`${file(row('A'))}TRAILER,1,100.00\n`);
    expect(rows[1]?.issues.map(({ code }) => code)).toEqual(['cell-count']);
    expect(inEnglishIfAny(rows[1]?.issues[0]?.message)).toContain('set input.control to trailer');
  });

  test('the number of cells is told, and no cell of such a row is believed', async () => {
    const { rows, totals } = await folder.read(file(row('A', '1,234.50')));
    expect(rows[0]).toMatchObject({ amountSatang: null, instruction: null });
    expect(rows[0]?.issues[0]).toMatchObject({ line: 2, column: null, value: null });
    expect(inEnglishIfAny(rows[0]?.issues[0]?.message)).toContain('8 cells where the header has 7');
    expect(totals).toMatchObject({ totalSatang: 0n, unreadableAmounts: 1 });
  });

  test('amounts of rejected rows count in the total as far as they can be read', async () => {
    const { totals } = await folder.read(
      file(row('A', '1'), row('', '2'), row('C', '4,00'), row('D', '8', 'x"y'), row('E', '0')),
    );
    expect(totals).toMatchObject({ rows: 5, totalSatang: 1_100n, unreadableAmounts: 1 });
  });
});

describe('a payoutId twice in a file', () => {
  test.each<[string, string[], string[], number[]]>([
    [
      'identical rows: the first is paid',
      [row('A'), row('B'), row('A')],
      ['2 A', '3 B', '4 A duplicate-repeat'],
      [],
    ],
    [
      'differing rows: none is',
      [row('A'), row('B'), row('A', '2')],
      ['2 A', '3 B', '4 A duplicate-differs'],
      [1],
    ],
    ['spaces around it', [row('A'), row(' A ')], ['2 A', '3  A  duplicate-differs'], [1]],
    ['a broken twin', [row('A'), row('A', 'x')], ['2 A', '3 A amount-characters duplicate-differs'], [1]],
    [
      'a twin of a broken one',
      [row('A', 'x'), row('A')],
      ['2 A amount-characters', '3 A duplicate-differs'],
      [],
    ],
    [
      'a twin with too few cells',
      [row('A'), 'A,,0812345678'],
      ['2 A', '3 A cell-count duplicate-differs'],
      [1],
    ],
    ['empty ones', [row(''), row('')], ['2  payout-id-missing', '3  payout-id-missing'], []],
  ])('%s', async (_, rows, expected, conflicting) => {
    const reading = await folder.read(file(...rows));
    expect(outline(reading)).toEqual(expected.map((line) => line.trim()));
    expect(reading.totals?.conflictingRowNos).toEqual(conflicting);
    const repeats = reading.rows.filter(({ issues }) =>
      issues.some(({ code }) => code.startsWith('duplicate')),
    );
    expect(repeats.every(({ instruction, holds }) => instruction === null && holds.length === 0)).toBe(true);
  });

  test('the first row is named by line and number', async () => {
    const { rows } = await folder.read(file('', row('A'), row('A')));
    expect(rows[1]?.issues[0]).toMatchObject({ line: 4, column: 'payoutId', value: 'A' });
    expect(inEnglishIfAny(rows[1]?.issues[0]?.message)).toContain('line 3 (row 1)');
  });

  test('carried-through cells make a difference too', async () => {
    const content = 'payoutId,proxyNo,amount,note\nA,0812345678,1,x\nA,0812345678,1,x\nA,0812345678,1,y\n';
    expect(outline(await folder.read(content))).toEqual([
      '2 A',
      '3 A duplicate-repeat',
      '4 A duplicate-differs',
    ]);
  });
});

const heads = { two: 'payoutId,proxyNo,amount', more: 'payoutId,proxyNo,amount,reference1,reference2' };
const lines = (...all: readonly string[]): string => `${all.join('\n')}\n`;

describe('the cure of a message works', () => {
  test.each([
    [
      'a separator too many at the end of each line: without it',
      lines(heads.two, 'A,0812345678,1.00,', 'B,0812345678,2.00,'),
      'the line ends in a separator too many: remove it, or end the header in one, too',
      lines(heads.two, 'A,0812345678,1.00', 'B,0812345678,2.00'),
    ],
    [
      'a separator too many at the end of each line: in the header, too',
      lines(heads.two, 'A,0812345678,1.00,,', 'B,0812345678,2.00,,'),
      'the line ends in 2 separators too many: remove them, or end the header in as many',
      lines(`${heads.two},,`, 'A,0812345678,1.00,,', 'B,0812345678,2.00,,'),
    ],
    [
      'a separator too many at the end of the header: without it',
      lines(`${heads.two},`, 'A,0812345678,1.00', 'B,0812345678,2.00'),
      'the header ends in a separator too many: remove it, or end each line in one, too',
      lines(heads.two, 'A,0812345678,1.00', 'B,0812345678,2.00'),
    ],
    [
      'empty cells without their separators',
      lines(heads.more, 'A,0812345678,1.00', 'B,0812345678,2.00,x'),
      'empty ones need their separators too',
      lines(heads.more, 'A,0812345678,1.00,,', 'B,0812345678,2.00,x,'),
    ],
    [
      'an amount that a comma has cut, with an empty cell behind it: without the comma',
      lines(heads.two, 'A,0812345678,1,500.00,', 'B,0812345678,2,500.00,'),
      'write an amount without it, as 1234.50',
      lines(heads.two, 'A,0812345678,1500.00', 'B,0812345678,2500.00'),
    ],
    [
      'a separator inside a cell: in quotation marks',
      lines(`${heads.two},note`, 'A,0812345678,1.00,x, y', 'B,0812345678,2.00,y, z'),
      'put any other such cell in quotation marks',
      lines(`${heads.two},note`, 'A,0812345678,1.00,"x, y"', 'B,0812345678,2.00,"y, z"'),
    ],
    [
      'formulas that keep digits: what they keep',
      lines(heads.two, '="A",="0812345678",="1.00"', '="B",="0812345678",="2.00"'),
      'payoutId, proxyNo and amount are written as formulas',
      lines(heads.two, 'A,0812345678,1.00', 'B,0812345678,2.00'),
    ],
    [
      'the same in one cell',
      lines(heads.two, 'A,="0812345678",1.00', 'B,="0812345678",2.00'),
      'proxyNo is written as a formula',
      lines(heads.two, 'A,0812345678,1.00', 'B,0812345678,2.00'),
    ],
    [
      'quoted formulas: the number itself',
      lines(heads.two, 'A,"=""0812345678""",1.00', 'B,"=""0812345678""",2.00'),
      'a formula stands here: give the number itself',
      lines(heads.two, 'A,0812345678,1.00', 'B,0812345678,2.00'),
    ],
    [
      'an apostrophe before an amount',
      lines(heads.two, "A,0812345678,'1.00", "B,0812345678,'2.00"),
      'an apostrophe stands before the number',
      lines(heads.two, 'A,0812345678,1.00', 'B,0812345678,2.00'),
    ],
  ])('%s', async (_, text, words, cured) => {
    const { rows } = await folder.read(text);
    expect(rows.map(({ issues }) => issues.map(({ message }) => inEnglish(message)))).toEqual([
      [expect.stringContaining(words)],
      [expect.stringContaining(words)],
    ]);
    const after = await folder.read(cured);
    expect([after.rejection, ...after.rows.map(({ issues }) => issues)]).toEqual([undefined, [], []]);
  });

  test.each([
    [
      'after the trailer',
      ['A,0812345678,1.00', 'TRAILER,1,1.00', ',,', ',,'],
      'empty rows stand after it (from line 4)',
    ],
    ['before it', ['A,0812345678,1.00', ',,', 'TRAILER,1,1.00'], 'of which 1 is empty (line 3)'],
  ])('empty rows %s are removed', async (_, rows, words) => {
    const { rejection } = await folder.read(lines(heads.two, ...rows), { control: 'trailer' });
    expect(rejection?.message).toContain(words);
    expect(rejection?.message).toContain('remove the empty lines');
    const cured = lines(heads.two, ...rows.filter((line) => line !== ',,'));
    expect((await folder.read(cured, { control: 'trailer' })).rejection).toBeUndefined();
  });

  test('other rows after the trailer, and rows that are lost, are told as such', async () => {
    const after = lines(heads.two, 'A,0812345678,1.00', 'TRAILER,1,1.00', 'B,0812345678,1.00');
    const told = (await folder.read(after, { control: 'trailer' })).rejection;
    expect(told?.message).toContain('rows stand after it (from line 4)');
    const lost = lines(heads.two, 'A,0812345678,1.00', ',,', 'TRAILER,3,3.00');
    expect((await folder.read(lost, { control: 'trailer' })).rejection?.message).toContain('written again');
  });
});
