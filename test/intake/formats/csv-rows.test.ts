/** Rows that are rejected alone, while the others of their file go on. */
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
    expect(rows[1]?.issues[0]?.message).toContain('set input.control to trailer');
  });

  test('the number of cells is told, and no cell of such a row is believed', async () => {
    const { rows, totals } = await folder.read(file(row('A', '1,234.50')));
    expect(rows[0]).toMatchObject({ amountSatang: null, instruction: null });
    expect(rows[0]?.issues[0]).toMatchObject({ line: 2, column: null, value: null });
    expect(rows[0]?.issues[0]?.message).toContain('8 cells where the header has 7');
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
    expect(rows[1]?.issues[0]?.message).toContain('line 3 (row 1)');
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
