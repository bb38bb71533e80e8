import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareThaiNames, payeeNameScript } from '../../src/core/payee-name.ts';

describe('the script of a name', () => {
  test.each([
    ['Somchai Jaidee', 'latin'],
    ["Anan O'Brien-Thongdee (Jr.)", 'latin'],
    ['7-Eleven', 'latin'],
    ['สมชาย ใจดี', 'thai'],
    ['บริษัท ABC เทรดดิ้ง จำกัด', 'thai'],
    ['สม\u200bชาย', 'thai'],
    ['ร้าน 9', 'thai'],
    ['', 'other'],
    ['José', 'other'],
    ['王小明', 'other'],
    ['สมชาย 王', 'other'],
    ['\u0e49\u0e31', 'other'],
    ['฿100', 'other'],
    ['Som\tchai', 'other'],
    ['สม\nชาย', 'other'],
  ])('%j is %s', (name, script) => expect(payeeNameScript(name)).toBe(script));
});

describe('Thai names that are the same', () => {
  test.each([
    ['สมชาย ใจดี', 'สมชาย ใจดี'],
    ['สมชาย ใจดี', 'สมชาย  ใจดี'],
    ['สมชายใจดี', 'สมชาย\u00a0ใจดี'],
    ['นายสมชาย ใจดี', 'สมชาย ใจดี'],
    ['นาย สมชาย ใจดี', 'สมชาย ใจดี'],
    ['นางมาลี ศรีสุข', 'มาลี ศรีสุข'],
    ['นางสาวมาลี ศรีสุข', 'น.ส. มาลี ศรีสุข'],
    ['น.ส.มาลี ศรีสุข', 'มาลี ศรีสุข'],
    ['สม\u200bชาย ใจดี\ufeff', 'สมชาย ใจดี'],
    // Sara am typed as its two parts, sara ae as two sara e.
    ['ค\u0e4d\u0e32', 'คำ'],
    ['เเก้ว', 'แก้ว'],
    // Tone mark and vowel in either order.
    ['ท\u0e35\u0e48', 'ท\u0e35\u0e48'.normalize('NFD')],
    ['ก\u0e48\u0e38', 'ก\u0e38\u0e48'],
  ])('%s = %s', (ours, banks) => {
    expect(compareThaiNames(ours, banks)).toBe(true);
    expect(compareThaiNames(banks, ours)).toBe(true);
  });
});

describe('Thai names that differ', () => {
  test.each([
    ['สมชาย ใจดี', 'สมชาย ใจร้าย'],
    ['สมชาย ใจดี', 'สมหญิง ใจดี'],
    ['สมชาย ใจดี', 'สมชาย'],
    ['สมชาย ใจดี', ''],
    ['', ''],
    ['นาย', 'นาง'],
    ['ปา', 'ป้า'],
  ])('%s ≠ %s', (ours, banks) => {
    expect(compareThaiNames(ours, banks)).toBe(false);
    expect(compareThaiNames(banks, ours)).toBe(false);
  });
});

describe('laws of comparing', () => {
  const letters = fc.constantFrom(...'กขคงจชดตนบปพมยรลวสหอ');
  const names = fc
    .array(
      fc.tuple(letters, fc.constantFrom('', 'า', 'ี', 'ุ', '้')).map((parts) => parts.join('')),
      { minLength: 2 },
    )
    .map((syllables) => syllables.join(''))
    .filter((name) => !/^(นาย|นาง)/.test(name));
  const titles = fc.constantFrom('', 'นาย', 'นาง', 'นางสาว', 'น.ส.');

  test('a title and spaces change nothing', () => {
    fc.assert(
      fc.property(names, names, titles, titles, (first, last, one, other) => {
        expect(compareThaiNames(`${one}${first} ${last}`, `${other} ${first}${last}`)).toBe(true);
      }),
    );
  });

  test('another name is another name', () => {
    fc.assert(
      fc.property(names, names, titles, (one, other, title) => {
        expect(compareThaiNames(`${title}${one}`, other)).toBe(
          one.normalize('NFC') === other.normalize('NFC'),
        );
      }),
    );
  });
});
