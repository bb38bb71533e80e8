import { inEnglish, inEnglishIfAny } from '../../../src/core/message.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseRegistrationRow } from '../../../src/registration/rules/registration-row.ts';
import {
  type RegistrationCells,
  type RegistrationColumn,
  registrationColumns,
} from '../../../src/registration/rules/registration-file.ts';
import { anyCharacter } from '../../support/any-character.ts';

const defaults = { vendorId: 'VENDOR0001', companyId: 'COMP000001' };
const noDefaults = { vendorId: '', companyId: '' };

const good: RegistrationCells = {
  registrationId: 'REG-1',
  customerId: '9100000000011',
  vendorId: '',
  companyId: '',
  accountNo: '1234567890',
  ref1: '',
  ref2: '',
  ref3: '',
  ref4: '',
};

const parse = (cells: Partial<RegistrationCells>, besides = defaults) =>
  parseRegistrationRow({ ...good, ...cells }, 7, besides);

describe('a good row becomes an instruction', () => {
  test('with its texts trimmed, empty ones null, and what it leaves out from the settings', () => {
    const { instruction, issues } = parse({ registrationId: ' REG-1 ', ref1: ' POL 7 ', ref3: '0' });
    expect(issues).toEqual([]);
    expect(instruction).toEqual({
      registrationId: 'REG-1',
      customerId: '9100000000011',
      vendorId: 'VENDOR0001',
      companyId: 'COMP000001',
      accountNo: '1234567890',
      refs: ['POL 7', null, '0', null],
    });
  });

  test('with a company code and ID of its own', () => {
    const { instruction } = parse({ vendorId: 'V'.repeat(10), companyId: 'C'.repeat(15) });
    expect(instruction).toMatchObject({ vendorId: 'V'.repeat(10), companyId: 'C'.repeat(15) });
  });

  test.each([
    ['1234567890', '1234567890'],
    [' 1234567890 ', '1234567890'],
    ['0000000001', '0000000001'],
    ['1234567890123', '1234567890123'],
    ['123-4-56789-0', '1234567890'],
    ['123 4 56789 0', '1234567890'],
    ['02-000-1234-567-8', '0200012345678'],
  ])('account %j is %s', (cell, accountNo) => {
    expect(parse({ accountNo: cell }).instruction?.accountNo).toBe(accountNo);
  });
});

describe('a bad cell is told: its column, the rule, what to do', () => {
  test.each<[RegistrationColumn, string, string, string]>([
    ['registrationId', '', 'registration-id-missing', 'a name of its own'],
    ['registrationId', '  ', 'registration-id-missing', 'a name of its own'],
    ['registrationId', 'R'.repeat(65), 'registration-id-length', 'at most 64'],
    ['registrationId', 'สมัคร-1', 'registration-id-characters', 'plain ASCII'],
    ['registrationId', '=A1', 'formula', 'run as a formula'],
    ['registrationId', '2.6E+11', 'registration-id-damaged', 'exponent'],
    ['registrationId', '2.6e+11', 'registration-id-damaged', 'exponent'],
    ['registrationId', '26.000', 'registration-id-ambiguous', 'may be 26 or 26000'],
    ['registrationId', 'a\nb', 'registration-id-control', 'U+000A'],
    ['customerId', '', 'customer-id-missing', 'whose account'],
    ['customerId', '9.1E+12', 'customer-id-damaged', 'exponent'],
    ['customerId', '9.1e+12', 'customer-id-damaged', 'exponent'],
    ['customerId', '9100000000011.0', 'customer-id-damaged', 'decimals'],
    ['customerId', "'9100000000011", 'customer-id-apostrophe', 'apostrophe'],
    ['customerId', 'ลูกค้า', 'customer-id-characters', 'plain ASCII'],
    ['customerId', 'C-1\r\nx-evil: 1', 'customer-id-control', 'U+000D'],
    ['customerId', 'C'.repeat(65), 'customer-id-length', 'at most 64'],
    ['vendorId', 'V'.repeat(11), 'vendor-id-length', 'at most 10'],
    ['vendorId', 'VEN DOR', 'vendor-id-spaces', 'remove it'],
    ['companyId', 'C'.repeat(16), 'company-id-length', 'at most 15'],
    ['companyId', 'บริษัท', 'company-id-characters', 'plain ASCII'],
    ['accountNo', '', 'account-missing', 'to be debited'],
    ['accountNo', '12345678901234', 'account-length', '14 digits'],
    ['accountNo', '123456789', 'account-damaged', 'a leading zero is gone'],
    ['accountNo', '12-34', 'account-damaged', '4 digits'],
    ['accountNo', '1.23E+09', 'account-damaged', 'exponent'],
    ['accountNo', '1234567890.00', 'account-damaged', 'decimals'],
    ['accountNo', "'1234567890", 'account-apostrophe', 'apostrophe'],
    ['accountNo', '=1234567890', 'formula', 'give the digits alone'],
    ['accountNo', '+1234567890', 'formula', 'give the digits alone'],
    ['accountNo', '๑๒๓๔๕๖๗๘๙๐', 'account-thai-digits', '0-9'],
    ['accountNo', '123456789O', 'account-characters', 'letters'],
    ['accountNo', '123--4567890', 'account-characters', 'single hyphens'],
    ['accountNo', '-1234567890', 'account-characters', 'single hyphens'],
    ['accountNo', '1,234,567,890', 'account-characters', '"," stands in this number: only the digits'],
    ['accountNo', '123\u00a04567890', 'account-characters', 'U+00A0 (no-break space)'],
    ['accountNo', '123\u20134567890', 'account-characters', 'U+2013 "\u2013" (en dash)'],
    ['accountNo', '#N/A', 'account-characters', 'letters'],
    ['ref1', 'R'.repeat(21), 'reference-length', 'at most 20'],
    ['ref2', 'อ้างอิง', 'reference-characters', 'plain ASCII'],
    ['ref3', '#REF!', 'reference-damaged', 'error'],
    ['ref4', '@SUM', 'formula', 'run as a formula'],
  ])('%s %j: %s', (column, cell, code, words) => {
    const { instruction, issues } = parse({ [column]: cell });
    expect(instruction).toBeNull();
    const found = issues.find((issue) => issue.code === code);
    expect(found).toMatchObject({ line: 7, column, code });
    expect(inEnglishIfAny(found?.message)).toContain(words);
  });

  test.each(['vendorId', 'companyId'] as const)('%s that neither row nor settings name', (column) => {
    const { instruction, issues } = parse({}, { ...defaults, [column]: '' });
    expect(instruction).toBeNull();
    expect(issues.map(({ code, message }) => [code, inEnglish(message)])).toEqual([
      [
        `${column.replace('Id', '-id')}-missing`,
        `${column} is empty: give it, or set registration.${column} for all rows`,
      ],
    ]);
  });

  test('every issue of a row is reported, in the order of the columns', () => {
    const { issues } = parse(
      { registrationId: '', customerId: 'ก', accountNo: '1', ref1: 'R'.repeat(21), ref4: '=1' },
      noDefaults,
    );
    expect(issues.map(({ column, code }) => `${column} ${code}`)).toEqual([
      'registrationId registration-id-missing',
      'customerId customer-id-characters',
      'vendorId vendor-id-missing',
      'companyId company-id-missing',
      'accountNo account-damaged',
      'ref1 reference-length',
      'ref4 formula',
    ]);
  });

  test.each<[RegistrationColumn, string, string | null]>([
    ['accountNo', '12345678901234', '**********1234'],
    ['accountNo', '', null],
    ['customerId', '9100000000011.0', '***********11.0'],
    ['ref1', '0812345678 of somebody', '******5678 of somebody'],
  ])('an issue shows %s %j as %j', (column, cell, shown) => {
    const { issues } = parse({ [column]: cell });
    expect(issues.find((issue) => issue.column === column)?.value).toBe(shown);
  });
});

describe('laws', () => {
  const anyCells = fc.record(
    Object.fromEntries(registrationColumns.map((column) => [column, fc.string({ unit: anyCharacter })])) as {
      [column in RegistrationColumn]: fc.Arbitrary<string>;
    },
  );

  test('a row is either instructed or has an issue, whatever stands in it', () => {
    fc.assert(
      fc.property(anyCells, (cells) => {
        const { instruction, issues } = parseRegistrationRow(cells, 1, defaults);
        expect(instruction === null).toBe(issues.length > 0);
      }),
    );
  });

  test('what is instructed fits the bank and can be carried by a header', () => {
    const fitting = fc.record({
      customerId: fc.string({ unit: anyCharacter, maxLength: 66 }),
      accountNo: fc.stringMatching(/^[0-9][0-9 -]{8,14}[0-9]$/),
      ref1: fc.string({ maxLength: 22 }),
      ref4: fc.string({ unit: 'grapheme', maxLength: 22 }),
    });
    fc.assert(
      fc.property(fitting, (cells) => {
        const { instruction } = parse(cells);
        if (instruction === null) return;
        expect(instruction.customerId).toMatch(/^[!-~]([ -~]{0,62}[!-~])?$/);
        expect(instruction.accountNo).toMatch(/^\d{10,13}$/);
        expect(cells.accountNo.replaceAll(/[ -]/g, '')).toBe(instruction.accountNo);
        for (const ref of instruction.refs) expect(ref ?? '1').toMatch(/^[ -~]{1,20}$/);
      }),
    );
  });

  test('an issue names a known column, and shows no run of nine digits nor a control character', () => {
    const tails = fc.string({ unit: anyCharacter });
    fc.assert(
      fc.property(anyCells, fc.constantFrom(...registrationColumns), tails, (cells, column, tail) => {
        const { issues } = parseRegistrationRow({ ...cells, [column]: `1234567890${tail}` }, 1, defaults);
        for (const issue of issues) {
          expect(registrationColumns).toContain(issue.column);
          expect(issue.value ?? '').not.toMatch(/\d{9}|\p{Cc}/u);
          expect(inEnglishIfAny(issue.message)).not.toMatch(/\d{9}|\p{Cc}/u);
        }
      }),
    );
  });
});
