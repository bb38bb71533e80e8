import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  computePresentName,
  computeReportName,
  presentForm,
  readReportName,
} from '../../../src/reports/rules/report-names.ts';
import { anyCharacter } from '../../support/any-character.ts';

const name = (fileName: string) => computeReportName(fileName, '4K7Q2M9XWD', 'result', 0);

describe('the name of a report', () => {
  test.each([
    ['result', 0, 'payouts.4K7Q2M9XWD.result.csv'],
    ['exceptions', 0, 'payouts.4K7Q2M9XWD.exceptions.csv'],
    ['summary', 0, 'payouts.4K7Q2M9XWD.summary.json'],
    ['result-update', 12, 'payouts.4K7Q2M9XWD.result-update-12.csv'],
  ] as const)('%s %i', (kind, number, expected) => {
    expect(computeReportName('payouts.csv', '4K7Q2M9XWD', kind, number)).toBe(expected);
  });

  test.each([
    ['PAYOUTS.CSV', 'PAYOUTS'],
    ['เงินเดือน พ.ย..csv', 'เงินเดือน พ.ย.'],
    ['payouts.txt', 'payouts.txt'],
    ['a.csv.csv', 'a.csv'],
    ['../../etc/passwd', '__.._etc_passwd'],
    ['..\\x.csv', '__x'],
    ['.hidden.csv', '_hidden'],
    ['.csv', 'payouts'],
    ['', 'payouts'],
    ['  .csv', 'payouts'],
    ['a\nb\u0000c\u202Ed\uD800.csv', 'a_b_c_d_'],
    ['a:b*c?"<>|.csv', 'a_b_c_____'],
  ])('of %j begins with %j', (fileName, stem) => {
    expect(name(fileName)).toBe(`${stem}.4K7Q2M9XWD.result.csv`);
  });

  test('is cut at a whole letter', () => {
    expect(name(`${'ก'.repeat(200)}.csv`)).toBe(`${'ก'.repeat(63)}.4K7Q2M9XWD.result.csv`);
  });

  test('leaves room for a temporary name and stays in its folder, whatever the file was called', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: anyCharacter, maxLength: 400 }),
        fc.nat(99_999_999),
        (fileName, number) => {
          const reportName = computeReportName(fileName, '4K7Q2M9XWD', 'result-update', number);
          expect(Buffer.byteLength(reportName)).toBeLessThanOrEqual(255 - 18);
          expect(reportName).not.toMatch(/[/\\\p{C}]/u);
          expect(reportName).not.toMatch(/^\./);
          expect(Buffer.from(reportName).toString()).toBe(reportName);
        },
      ),
    );
  });
});

describe('the name of what an operator has written', () => {
  const present = (kind: 'result' | 'summary', copy = 1) =>
    computePresentName('payouts.csv', '4K7Q2M9XWD', kind, Date.UTC(2026, 10, 21, 17, 3, 5), copy);

  test('tells the moment in Bangkok, and is no name of a report that is written once', () => {
    expect(present('result')).toBe('payouts.4K7Q2M9XWD.result-at-20261122-000305.csv');
    expect(present('summary', 3)).toBe('payouts.4K7Q2M9XWD.summary-at-20261122-000305-3.json');
    expect(present('result')).not.toMatch(/\.result\.csv$/);
  });

  test('bears witness of its batch, as every report does', () => {
    for (const report of [present('result'), present('summary', 12), 'a.4K7Q2M9XWD.exceptions.csv'])
      expect(readReportName(report)).toBe('4K7Q2M9XWD');
    expect(readReportName('a.4K7Q2M9XWD.result-at-noon.csv')).toBeUndefined();
  });

  test('leaves room for a temporary name', () => {
    const long = computePresentName(`${'x'.repeat(300)}.csv`, '4K7Q2M9XWD', 'exceptions', 0, 2);
    expect(Buffer.byteLength(long)).toBeLessThanOrEqual(255 - 18);
    expect(long).toMatch(presentForm);
  });
});
