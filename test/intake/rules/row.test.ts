import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { formatBaht, parseBaht, toSatang } from '../../../src/core/money.ts';
import { type RowCells, type RowColumn, rowColumns } from '../../../src/core/payout-file.ts';
import { parseRow, type RowRules } from '../../../src/intake/rules/row.ts';
import { anyCharacter } from '../../support/any-character.ts';

type ParsedRow = ReturnType<typeof parseRow>;

const good: RowCells = {
  payoutId: 'INV-1',
  proxyType: 'MSISDN',
  proxyNo: '0812345678',
  payeeName: 'Somchai Jaidee',
  amount: '1234.50',
  reference1: 'R1',
  reference2: '',
};

const noLimit: RowRules = { payoutSatangMax: null };

const parse = (changes: Partial<RowCells>, rules = noLimit): ParsedRow =>
  parseRow({ ...good, ...changes }, 7, rules);

const long = (length: number): string => 'x'.repeat(length);

describe('a good row becomes an instruction', () => {
  test('with its texts trimmed and empty ones null', () => {
    expect(parse({ payoutId: ' INV-1 ', payeeName: ' Somchai Jaidee', reference1: ' ' })).toEqual({
      instruction: {
        payoutId: 'INV-1',
        proxyType: 'MSISDN',
        proxyNo: '0812345678',
        payeeName: 'Somchai Jaidee',
        amountSatang: 123450n,
        reference1: null,
        reference2: null,
      },
      amountSatang: 123450n,
      holds: [],
      issues: [],
    });
  });

  test.each<[string, Partial<RowCells>, object]>([
    ['type inferred', { proxyType: '' }, { proxyType: 'MSISDN' }],
    ['citizen ID', { proxyType: 'NATID', proxyNo: '9100000000011' }, { proxyNo: '9100000000011' }],
    ['hyphens', { proxyNo: '081-234-5678' }, { proxyNo: '0812345678' }],
    ['Thai name', { payeeName: 'นายสมชาย ใจดี' }, { payeeName: 'นายสมชาย ใจดี' }],
    ['no name', { payeeName: '' }, { payeeName: null }],
    ['longest payoutId', { payoutId: long(64) }, { payoutId: long(64) }],
    ['longest Latin name', { payeeName: long(160) }, { payeeName: long(160) }],
    ['longest Thai name', { payeeName: 'ก'.repeat(160) }, { payeeName: 'ก'.repeat(160) }],
    ['longest references', { reference1: long(20), reference2: long(20) }, { reference2: long(20) }],
    ['payoutId with signs', { payoutId: '#1/2 "A" (b), c;' }, { payoutId: '#1/2 "A" (b), c;' }],
    ['payoutId with a minus', { payoutId: '-5' }, { payoutId: '-5' }],
    ['payoutId like an exponent', { payoutId: '12E5' }, { payoutId: '12E5' }],
    ['payoutId like a small exponent', { payoutId: '1e10' }, { payoutId: '1e10' }],
    ['payoutId with decimals', { payoutId: '1001.0' }, { payoutId: '1001.0' }],
    ['payoutId with many decimals', { payoutId: '1001.000' }, { payoutId: '1001.000' }],
    ['payoutId with thousands', { payoutId: '1,000' }, { payoutId: '1,000' }],
    ['smallest amount', { amount: '0.01' }, { amountSatang: 1n }],
    ['largest amount', { amount: '999999999999999.99' }, { amountSatang: 99999999999999999n }],
  ])('%s', (_, changes, expected) => {
    const { instruction, issues } = parse(changes);
    expect(issues).toEqual([]);
    expect(instruction).toMatchObject(expected);
  });

  test.each([
    ['2000000.00', []],
    ['2000000.01', ['limit']],
  ])('%s with a limit of two million baht is held for %j', (amount, holds) => {
    const { instruction, ...rest } = parse({ amount }, { payoutSatangMax: toSatang(200_000_000n) });
    expect(instruction).not.toBeNull();
    expect(rest).toMatchObject({ holds, issues: [] });
  });
});

describe('a bad cell is told: its column, the rule, what to do', () => {
  test.each<[RowColumn, string, string, string]>([
    ['payoutId', '', 'payout-id-missing', 'give every payout'],
    ['payoutId', '   ', 'payout-id-missing', 'give every payout'],
    ['payoutId', long(65), 'payout-id-length', 'at most 64'],
    ['payoutId', 'จ่าย-1', 'payout-id-characters', 'U+0E08'],
    ['payoutId', 'INV\u20131', 'payout-id-characters', 'U+2013'],
    ['payoutId', 'INV\u00a01', 'payout-id-characters', 'U+00A0'],
    ['payoutId', 'INV\t1', 'payout-id-control', 'U+0009'],
    ['payoutId', '=cmd|A1', 'formula', 'starts with ='],
    ['payoutId', '@SUM(A1)', 'formula', 'starts with @'],
    ['payoutId', '+1', 'formula', 'starts with +'],
    ['payoutId', '1.10E+12', 'payout-id-damaged', 'exponent'],
    ['payoutId', '1.2e+05', 'payout-id-damaged', 'exponent'],
    ['payoutId', "'1.2E+05", 'payout-id-damaged', 'exponent'],
    ['payoutId', '1.000', 'payout-id-ambiguous', 'may be 1 or 1000'],
    ['payoutId', '120.000', 'payout-id-ambiguous', 'may be 120 or 120000'],
    ['payoutId', '#REF!', 'payout-id-damaged', 'shows an error'],
    ['payoutId', '######', 'payout-id-damaged', 'shows an error'],
    ['proxyType', 'MOBILE', 'proxy-type', 'NATID'],
    ['proxyType', 'natid', 'proxy-type', 'NATID'],
    ['proxyNo', '', 'proxy-missing', 'is empty'],
    ['proxyNo', '1.10E+12', 'proxy-damaged', 'exponent'],
    ['proxyNo', '="0812345678"', 'formula', 'give the number itself'],
    ['proxyNo', '๐๘๑๒๓๔๕๖๗๘', 'proxy-thai-digits', '0-9'],
    ['payeeName', long(161), 'name-length', 'at most 160'],
    ['payeeName', 'ก'.repeat(161), 'name-length', 'at most 160'],
    ['payeeName', 'José García', 'name-script', 'U+00E9 "é"'],
    ['payeeName', '王小明', 'name-script', 'U+738B'],
    ['payeeName', '\u0e49\u0e31', 'name-script', 'no letter'],
    ['payeeName', 'Som\u0000chai', 'name-control', 'U+0000'],
    ['payeeName', 'Som\nchai', 'name-control', 'U+000A'],
    ['payeeName', 'สมชาย\u0007', 'name-control', 'U+0007'],
    ['payeeName', 'Somchai\t', 'name-control', 'U+0009'],
    ['payeeName', '=HYPERLINK("x")', 'formula', 'starts with ='],
    ['payeeName', '#N/A', 'name-damaged', 'shows an error'],
    ['amount', '', 'amount-missing', 'is empty'],
    ['amount', '0', 'amount-zero', 'nothing can be paid'],
    ['amount', '0.00', 'amount-zero', 'nothing can be paid'],
    ['amount', '-1', 'amount-negative', 'negative'],
    ['amount', '(100.00)', 'amount-negative', 'negative'],
    ['amount', '100-', 'amount-negative', 'negative'],
    ['amount', '\u2212100', 'amount-negative', 'negative'],
    ['amount', '+1', 'amount-sign', 'plus sign'],
    ['amount', '1.005', 'amount-decimals', 'two decimals'],
    ['amount', '1.0050', 'amount-decimals', 'two decimals'],
    ['amount', '1,234.50', 'amount-separator', 'separators'],
    ['amount', '1234,50', 'amount-separator', 'separators'],
    ['amount', '1.234,50', 'amount-separator', 'separators'],
    ['amount', '1.234.567', 'amount-separator', 'separators'],
    ['amount', "1'234.50", 'amount-separator', 'separators'],
    ['amount', '1 234.50', 'amount-separator', 'separators'],
    ['amount', '฿100', 'amount-currency', 'currency'],
    ['amount', '100 THB', 'amount-currency', 'currency'],
    ['amount', '100 บาท', 'amount-currency', 'currency'],
    ['amount', '$1,000', 'amount-currency', 'currency'],
    ['amount', '1e3', 'amount-exponent', 'exponent'],
    ['amount', '1.10E+12', 'amount-exponent', 'exponent'],
    ['amount', ' 12 ', 'amount-spaces', 'spaces'],
    ['amount', '12.50\t', 'amount-spaces', 'spaces'],
    ['amount', '1234567890123456', 'amount-digits', '15 digits'],
    ['amount', '1234567890123456.00', 'amount-digits', '15 digits'],
    ['amount', '๑๐๐', 'amount-thai-digits', 'Thai digits'],
    ['amount', '12.', 'amount-point', 'after the point'],
    ['amount', '.50', 'amount-point', 'before the point'],
    ['amount', '=A1*2', 'amount-formula', 'formula'],
    ['amount', '#VALUE!', 'amount-damaged', 'shows an error'],
    ['amount', 'hundred', 'amount-characters', 'no amount'],
    ['amount', long(100_000), 'amount-characters', 'no amount'],
    ['reference1', long(21), 'reference-length', 'at most 20'],
    ['reference2', 'ค่าขนส่ง', 'reference-characters', 'U+0E04'],
    ['reference1', 'a\rb', 'reference-control', 'U+000D'],
    ['reference2', '@x', 'formula', 'starts with @'],
    ['reference1', '1.10E+12', 'reference-damaged', 'exponent'],
  ])('%s %j: %s', (column, cell, code, words) => {
    const { instruction, issues } = parse({ [column]: cell });
    expect(instruction).toBeNull();
    expect(issues.map((issue) => issue.code)).toEqual([code]);
    expect(issues[0]).toMatchObject({ line: 7, column, code });
    expect(inEnglishIfAny(issues[0]?.message)).toContain(words);
    expect(issues[0]?.value === null).toBe(cell === '');
  });

  test.each<[RowColumn, string, string, string]>([
    ['payeeName', 'Somchai\u00a0Jaidee', 'U+00A0 (no-break space)', 'Somchai Jaidee'],
    ['payeeName', 'Malee\u200b Srisuk', 'U+200B (zero-width space)', 'Malee Srisuk'],
    ['payeeName', 'Anan\u2060 Thongdee', 'U+2060 (word joiner)', 'Anan Thongdee'],
    ['payeeName', 'Kanya\ufeffRungruang', 'U+FEFF (byte order mark)', 'Kanya Rungruang'],
    ['payeeName', 'Prasert\u200dBoonmee', 'U+200D (zero-width joiner)', 'Prasert Boonmee'],
    ['payeeName', 'Somchai\u2009Jaidee', 'U+2009 (thin space)', 'Somchai Jaidee'],
    ['payeeName', 'สม\u200eชาย', 'U+200E (left-to-right mark)', 'สมชาย'],
    ['payeeName', 'Somchai ๒', 'U+0E52 "๒" (a digit of another script)', 'Somchai 2'],
    ['payeeName', 'Niran\u0e49', 'U+0E49', 'Niran'],
    ['payoutId', 'INV\u200b1', 'U+200B (zero-width space)', 'INV1'],
    ['reference1', 'INV\u20111', 'U+2011 "\u2011" (non-breaking hyphen)', 'INV-1'],
    ['amount', '1\u200b00', 'U+200B (zero-width space)', '100'],
    ['amount', '１００', 'U+FF11 "１" (a digit of another script)', '100'],
    ['proxyNo', '\u202a0812345678\u202c', 'U+202A (left-to-right embedding)', '0812345678'],
    ['proxyNo', '081\u00a0234\u00a05678', 'U+00A0 (no-break space)', '081 234 5678'],
    ['proxyNo', '081\u2011234\u20115678', 'U+2011 "\u2011" (non-breaking hyphen)', '081-234-5678'],
    ['proxyNo', '081\u2013234\u20135678', 'U+2013 "\u2013" (en dash)', '081-234-5678'],
    ['proxyNo', '081\ufe0d2345678', 'U+FE0D (an invisible character)', '0812345678'],
    ['proxyNo', '0812345678\u200b', 'U+200B (zero-width space)', '0812345678'],
    ['proxyNo', '０８１２３４５６７８', '(a digit of another script)', '0812345678'],
    ['proxyNo', '\u2212812345678', 'U+2212 "\u2212" (minus sign)', '0812345678'],
    ['proxyNo', '081.234.5678', '"." stands in this number', '0812345678'],
    ['proxyNo', '(081) 234-5678', '"(" stands in this number', '081-234-5678'],
    ['proxyNo', 'O812345678', 'the first is "O"', '0812345678'],
    ['proxyNo', '081  234 5678', 'single hyphens or spaces', '081 234 5678'],
    ['proxyNo', '021234567', 'a landline number', '0812345678'],
  ])('%s %j names what keeps it from being read (%s); %j is read', (column, cell, words, cured) => {
    const { issues } = parse({ [column]: cell });
    expect(issues.map(({ message }) => inEnglish(message))).toEqual([expect.stringContaining(words)]);
    expect(parse({ [column]: cured }).issues).toEqual([]);
  });

  test('every issue of a row is reported, in the order of the columns', () => {
    const { issues, amountSatang, instruction } = parse({
      payoutId: `=${long(70)}ก`,
      proxyType: 'X',
      proxyNo: '12345',
      payeeName: `é${long(170)}\u0001`,
      amount: '0.001',
      reference1: `${long(22)}é`,
      reference2: '@1',
    });
    expect(issues.map(({ column, code }) => [column, code])).toEqual([
      ['payoutId', 'formula'],
      ['payoutId', 'payout-id-length'],
      ['payoutId', 'payout-id-characters'],
      ['proxyType', 'proxy-type'],
      ['proxyNo', 'proxy-length'],
      ['payeeName', 'name-length'],
      ['payeeName', 'name-control'],
      ['amount', 'amount-decimals'],
      ['reference1', 'reference-length'],
      ['reference1', 'reference-characters'],
      ['reference2', 'formula'],
    ]);
    expect([amountSatang, instruction]).toEqual([null, null]);
  });

  test('an amount that can be read counts even when the row is rejected', () => {
    expect(parse({ payoutId: '' }).amountSatang).toBe(123450n);
    expect(parse({ amount: '0' }).amountSatang).toBe(0n);
    expect(parse({ amount: '-1' }).amountSatang).toBeNull();
  });

  test('an unreadable proxyType is told once, not as a contradiction too', () => {
    expect(parse({ proxyType: 'X', proxyNo: '0066812345678' }).issues.map(({ code }) => code)).toEqual([
      'proxy-type',
    ]);
  });
});

describe('an issue shows a cell without giving anything away', () => {
  test.each<[RowColumn, string, string | null]>([
    ['proxyNo', '081234567', '*****4567'],
    ['proxyNo', '9100000000012', '*********0012'],
    ['proxyNo', '1.10E+12', '****E+12'],
    ['proxyNo', '08123456x8\u001b', '*******6x8\\u001b'],
    ['payoutId', '=9100000000011', '=*********0011'],
    ['payeeName', 'é 081-234-5678', 'é ********5678'],
    ['payeeName', 'é ๐๘๑๒๓๔๕๖๗๘', 'é ******๕๖๗๘'],
    ['amount', '1234567890123456', '************3456'],
    ['reference1', 'account 123456789 of é', 'account *****6789 of é'],
    ['reference1', '2026-11-21 é too long for it', '2026-11-21 é too long for it'],
    ['payoutId', long(65), `${long(40)}…`],
    ['payeeName', `${long(36)}0812345678 é`, `${long(36)}****…`],
    ['payeeName', 'a\u001b[31m\u202eb', 'a\\u001b[31m\\u202eb'],
    ['payeeName', 'Som\r\nchai', 'Som\\u000d\\u000achai'],
  ])('%s %j as %j', (column, cell, shown) => {
    const { issues } = parse({ [column]: cell });
    expect(issues.find((issue) => issue.column === column)?.value).toBe(shown);
  });
});

describe('laws', () => {
  const amounts = fc.bigInt({ min: 1n, max: 99_999_999_999_999_999n }).map(toSatang);
  const ids = fc.stringMatching(/^[A-Za-z0-9][ -~]{0,61}[A-Za-z0-9]$/).filter((id) => !id.includes('E+'));
  const cells = fc.record<RowCells>({
    payoutId: fc.string({ unit: anyCharacter }),
    proxyType: fc.string(),
    proxyNo: fc.string(),
    payeeName: fc.string({ unit: 'grapheme' }),
    amount: fc.string(),
    reference1: fc.string(),
    reference2: fc.string({ unit: anyCharacter }),
  });

  test('a plain payoutId and a formatted amount come out as they went in', () => {
    fc.assert(
      fc.property(ids, amounts, (payoutId, amount) => {
        const { instruction, issues } = parse({ payoutId, amount: formatBaht(amount) });
        expect(issues).toEqual([]);
        expect(instruction).toMatchObject({ payoutId, amountSatang: amount });
      }),
    );
  });

  test('a row is either instructed or has an issue, and its amount is the one that money reads', () => {
    fc.assert(
      fc.property(cells, (row) => {
        const { instruction, issues, amountSatang } = parseRow(row, 1, noLimit);
        expect(instruction === null).toBe(issues.length > 0);
        expect(amountSatang).toBe(parseBaht(row.amount) ?? null);
      }),
    );
  });

  test('an issue names a known column, and shows no run of nine digits nor a control character', () => {
    fc.assert(
      fc.property(
        cells,
        fc.constantFrom(...rowColumns),
        fc.string({ unit: anyCharacter }),
        (row, column, tail) => {
          const { issues } = parseRow({ ...row, [column]: `0812345678${tail}` }, 1, noLimit);
          for (const issue of issues) {
            expect(rowColumns).toContain(issue.column);
            expect(issue.value ?? '').not.toMatch(/\d{9}|\p{Cc}/u);
            expect(inEnglishIfAny(issue.message)).not.toMatch(/\d{9}|\p{Cc}/u);
          }
        },
      ),
    );
  });
});
