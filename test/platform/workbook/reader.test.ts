import { inEnglish } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { FileRejected } from '../../../src/platform/csv/open.ts';
import { readSheet, usualLimits } from '../../../src/platform/workbook/reader.ts';
import type { SheetChoice, SheetHead, SheetRow } from '../../../src/platform/workbook/sheet.ts';
import { makeXlsx, numberCell, textRow, type WorkbookText, zipParts } from '../../support/workbook-kit.ts';

type ReadLimits = typeof usualLimits;

async function read(
  bytes: Uint8Array<ArrayBuffer>,
  choice: SheetChoice = {},
  limits: ReadLimits = usualLimits,
) {
  const [head, ...pages] = await Array.fromAsync(readSheet(bytes, choice, limits));
  return { head: head as SheetHead, rows: pages.flat() as SheetRow[] };
}

async function refuse(bytes: Uint8Array<ArrayBuffer>, limits: ReadLimits = usualLimits): Promise<string> {
  const error: unknown = await read(bytes, {}, limits).then(
    () => undefined,
    (raised: unknown) => raised,
  );
  return error instanceof FileRejected
    ? `${error.rejection.code}: ${inEnglish(error.rejection.message)}`
    : String(error);
}

const sheet = (rows: string, more: Partial<WorkbookText> = {}) =>
  makeXlsx({ sheets: [{ name: 'Sheet1', rows }], ...more });

/** One cell a row, in column A; the texts that come out, each with the code of its fault. */
async function readColumn(
  cells: readonly string[],
  formats: readonly string[],
  sharedStrings: readonly string[] = [],
) {
  const rows = cells
    .map((cell, at) => `<row r="${at + 1}">${cell.replaceAll('@', `A${at + 1}`)}</row>`)
    .join('');
  const found = await read(await sheet(rows, { formats, sharedStrings }));
  return found.rows.map(({ cells: [text], faults: [fault] }) =>
    fault === undefined ? text : [text, fault.code],
  );
}

describe('a cell is read as it is shown', () => {
  // [what, format, cell ("@" stands for its name), what is read]
  const examples: readonly (readonly [string, string, string, unknown])[] = [
    [
      'a text',
      '',
      '<c r="@" t="inlineStr"><is><t xml:space="preserve"> 0812345678 </t></is></c>',
      ' 0812345678 ',
    ],
    ['a shared text', '', '<c r="@" t="s"><v>0</v></c>', 'กมล & <ข>'],
    ['a text in several colours', '', '<c r="@" t="s"><v>1</v></c>', 'one two'],
    ['a text like a formula', '', '<c r="@" t="inlineStr"><is><t>=1+1</t></is></c>', '=1+1'],
    ['its own apostrophe', '', `<c r="@" t="inlineStr"><is><t>'007</t></is></c>`, "'007"],
    [
      'a long text of digits',
      '',
      '<c r="@" t="inlineStr"><is><t>12345678901234567890</t></is></c>',
      '12345678901234567890',
    ],
    ['an amount', '0.00', '<c r="@" s="N"><v>1250.5</v></c>', '1250.50'],
    ['an amount with thousands', '#,##0.00', '<c r="@" s="N"><v>1234567.5</v></c>', '1234567.50'],
    [
      'an amount as books show it',
      '_(* #,##0.00_);_(* (#,##0.00)',
      '<c r="@" s="N"><v>1250.5</v></c>',
      '1250.50',
    ],
    ['a number as it is', 'General', '<c r="@" s="N"><v>1250.5</v></c>', '1250.5'],
    ['a sum of fractions', 'General', '<c r="@" s="N"><v>0.30000000000000004</v></c>', '0.3'],
    [
      'a mobile number whose format shows its zero',
      '0000000000',
      '<c r="@" s="N"><v>812345678</v></c>',
      '0812345678',
    ],
    ['13 digits', 'General', '<c r="@" s="N"><v>9100000000011</v></c>', '9100000000011'],
    ['what shows to the satang', '0.00', '<c r="@" s="N"><v>35.6631</v></c>', '35.66'],
    ['what hides satang', '#,##0', '<c r="@" s="N"><v>1250.49</v></c>', ['1250', 'cell-rounded']],
    ['what shows thousands', '#,##0,', '<c r="@" s="N"><v>1250000</v></c>', ['1250', 'cell-rounded']],
    [
      '20 digits that a spreadsheet has cut',
      'General',
      '<c r="@" s="N"><v>1.23456789012345E+19</v></c>',
      ['12345678901234500000', 'cell-digits'],
    ],
    [
      '16 digits in a format of digits',
      '0',
      '<c r="@" s="N"><v>1234567890123456</v></c>',
      ['1234567890123460', 'cell-digits'],
    ],
    ['an exponent that is shown', '0.00E+00', '<c r="@" s="N"><v>9100000000011</v></c>', '9.10E+12'],
    ['half a satang', '0.00', '<c r="@" s="N"><v>2.675</v></c>', '2.68'],
    [
      'half a satang that is shown otherwise elsewhere',
      '0.00',
      '<c r="@" s="N"><v>1.005</v></c>',
      ['1.00', 'cell-rounded'],
    ],
    [
      'less than nothing that is shown as more',
      '0.00;0.00',
      '<c r="@" s="N"><v>-5</v></c>',
      ['5.00', 'cell-rounded'],
    ],
    ['a telephone number', '000-000-0000', '<c r="@" s="N"><v>812345678</v></c>', '081-234-5678'],
    ['a citizen ID', '0-0000-00000-00-0', '<c r="@" s="N"><v>9100000000011</v></c>', '9-1000-00000-01-1'],
    ['a number with more before it', '"+66"0', '<c r="@" s="N"><v>812345678</v></c>', '+66812345678'],
    ['a fraction of a day', '#,##0.00', '<c r="@" s="N"><v>1e-9</v></c>', ['0.00', 'cell-rounded']],
    ['a currency', '"THB" 0.00', '<c r="@" s="N"><v>5</v></c>', 'THB 5.00'],
    ['a percentage', '0%', '<c r="@" s="N"><v>0.5</v></c>', '50%'],
    ['a date', 'dd/mm/yyyy', '<c r="@" s="N"><v>46346</v></c>', ['2026-11-20', 'cell-date']],
    [
      'a moment',
      'dd/mm/yyyy hh:mm',
      '<c r="@" s="N"><v>46346.5</v></c>',
      ['2026-11-20 12:00:00', 'cell-date'],
    ],
    [
      'a moment as text',
      '',
      '<c r="@" t="d"><v>2026-11-20T12:00:00</v></c>',
      ['2026-11-20 12:00:00', 'cell-date'],
    ],
    ['a day as text', '', '<c r="@" t="d"><v>2026-11-20T00:00:00.000Z</v></c>', ['2026-11-20', 'cell-date']],
    ['a time as text', '', '<c r="@" t="d"><v>12:00:00</v></c>', ['12:00:00', 'cell-date']],
    [
      'a text in a format of books',
      '_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)',
      '<c r="@" s="N" t="str"><v>PAY-1</v></c>',
      'PAY-1',
    ],
    ['a text in a format of numbers', '0;"none"', '<c r="@" s="N" t="str"><v>PAY-1</v></c>', 'PAY-1'],
    [
      'a text in place of which another is shown',
      '0;0;0;"0810000001"',
      '<c r="@" s="N" t="str"><v>0810000002</v></c>',
      ['0810000002', 'cell-format'],
    ],
    [
      'a text that is shown with more',
      '"081"@',
      '<c r="@" s="N" t="str"><v>0000002</v></c>',
      ['0000002', 'cell-format'],
    ],
    ['a text that is not shown', ';;;', '<c r="@" s="N" t="str"><v>x</v></c>', ['x', 'cell-format']],
    [
      'a number in a format that nothing can apply',
      `0.${'0'.repeat(120)}`,
      '<c r="@" s="N"><v>5.5</v></c>',
      ['5.5', 'cell-rounded'],
    ],
    ['a truth value', '', '<c r="@" t="b"><v>1</v></c>', 'TRUE'],
    ['an error', '', '<c r="@" t="e"><v>#REF!</v></c>', ['#REF!', 'cell-error']],
    ['the result of a formula', '0.00', '<c r="@" s="N"><f>50*2</f><v>100</v></c>', '100.00'],
    ['a text as the result of one', '', '<c r="@" t="str"><f>"a"&amp;"b"</f><v>ab</v></c>', 'ab'],
    [
      'an error as the result of one',
      '',
      '<c r="@" t="e"><f>1/0</f><v>#DIV/0!</v></c>',
      ['#DIV/0!', 'cell-error'],
    ],
    ['a formula without a result', '', '<c r="@"><f>1+1</f></c>', ['', 'cell-formula']],
    ['a shared formula without a result', '', '<c r="@"><f t="shared" si="0"/></c>', ['', 'cell-formula']],
  ];

  test('each in its way', async () => {
    const shared = [
      '<t>กมล &amp; &lt;ข&gt;</t>',
      '<r><t xml:space="preserve">one </t></r><r><rPr><b/></rPr><t>two</t></r>',
    ];
    const cells = examples.map(([, , cell], at) => cell.replace('"N"', `"${at + 1}"`));
    const found = await readColumn(
      cells,
      examples.map(([, format]) => format || 'General'),
      shared,
    );
    expect(examples.map(([what], at) => [what, found[at]])).toEqual(
      examples.map(([what, , , text]) => [what, text]),
    );
  });

  test('hidden rows, merged cells and hidden columns are told, rows that show nothing are left out', async () => {
    const rows = [
      textRow(1, ['a', 'b', 'c']),
      textRow(3, ['1', '2', '3'], ' hidden="1"'),
      textRow(4, ['', '  ', '']),
      textRow(5, ['1', '', '3']),
    ].join('');
    const columns = '<cols><col min="2" max="2" width="9" hidden="1"/></cols>';
    const tail = '<mergeCells count="1"><mergeCell ref="A5:B6"/></mergeCells>';
    const found = await read(await makeXlsx({ sheets: [{ name: 'S', rows, columns, tail }] }));
    expect(found.head).toEqual({ name: 'S', hiddenColumns: [1] });
    expect(found.rows.map(({ line, isHidden }) => [line, isHidden])).toEqual([
      [1, false],
      [3, true],
      [5, false],
    ]);
    expect(
      found.rows
        .at(-1)
        ?.faults.map(({ place, code, message }) => [place, code, inEnglish(message).slice(0, 40)]),
    ).toEqual([
      [0, 'cell-merged', 'the cell is part of a merged one (A5:B6)'],
      [1, 'cell-merged', 'the cell is part of a merged one (A5:B6)'],
    ]);
  });

  test('of the sheet that is meant', async () => {
    const of = (name: string, state?: string) => ({
      name,
      rows: textRow(1, [`of ${name}`]),
      ...(state === undefined ? {} : { state }),
    });
    const make = () => makeXlsx({ sheets: [of('Notes', 'hidden'), of('First'), of('Exceptions')] });
    const readOf = async (choice: SheetChoice) => (await read(await make(), choice)).rows[0]?.cells;
    const found = [readOf({ preferredName: 'Exceptions' }), readOf({ preferredName: 'Absent' })];
    expect(await Promise.all(found)).toEqual([['of Exceptions'], ['of First']]);
    expect(await refuse(await makeXlsx({ sheets: [of('Notes', 'veryHidden')] }))).toMatch(/^workbook-empty/);
  });
});

describe('a workbook that nobody should open', () => {
  test('costs its thread the memory and the time that it is given, and no more', async () => {
    const rows = `<row>${'<c t="inlineStr"><is><t>x</t></is></c>'.repeat(100)}</row>`.repeat(800);
    const bytes = await sheet(rows);
    expect(await refuse(new Uint8Array(bytes), { ...usualLimits, heapMb: 12 })).toMatch(
      /^workbook-too-large: .*memory/,
    );
    expect(await refuse(bytes, { ...usualLimits, timeoutMs: 20 })).toMatch(
      /^workbook-too-large: .*0\.02 seconds/,
    );
  });

  test('is refused in words that say what to do', async () => {
    const cut = (await sheet('<row><c><v>1</v></c></row>')).slice(0, -200);
    expect(await refuse(cut)).toMatch(
      /^workbook-damaged: the workbook is damaged or cut short: save it again/,
    );
    expect(await refuse(await zipParts({ 'xl/workbook.xml': '<workbook/>' }))).toMatch(
      /^workbook-damaged: the workbook is damaged, its part _rels\/\.rels is missing: .* give the rows as "CSV UTF-8"$/,
    );
  });

  test('has no entities that multiply: it is refused', async () => {
    const dtd = '<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><sst/>';
    const bytes = await sheet('<row><c t="inlineStr"><is><t>&b;</t></is></c></row>', {
      parts: { 'xl/sharedStrings.xml': dtd },
    });
    expect(await refuse(bytes)).toMatch(/^workbook-damaged: .*xl\/sharedStrings\.xml has a document type/);
  });

  test('has cells in far corners, and nothing between them', async () => {
    const corners = '<row><c><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>';
    const { rows } = await read(await sheet(corners));
    expect(rows.map(({ line, cells }) => [line, cells.length])).toEqual([
      [1, 1],
      [1_048_576, 16_384],
    ]);
  });

  test('numbers in cells out of place keep to their row', async () => {
    const rows = `<row r="2">${numberCell('C2', '7')}</row>${textRow(1, ['late'])}`;
    const found = await read(await sheet(rows));
    expect(found.rows.map(({ line, cells }) => [line, cells])).toEqual([
      [1, ['late']],
      [2, ['', '', '7']],
    ]);
  });
});
