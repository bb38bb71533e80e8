import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  encodeJson,
  maskForeignNumbers,
  maskNumbers,
  printable,
  showText,
  toLines,
  toMessage,
} from '../../src/core/outgoing-text.ts';
import { anyCharacter } from '../support/any-character.ts';

const unprintable = /[\p{C}\p{Zl}\p{Zp}]/u;

describe('the one masking rule', () => {
  test.each([
    ['to 0812345678 now', 'to ******5678 now'],
    ['9-1000-00000-01-1', '*************01-1'],
    ['081 234 5678', '********5678'],
    ['081\u00a0234\u20115678', '********5678'],
    ['card 4000123412341234', 'card ************1234'],
    ['เลข๙๑๐๐๐๐๐๐๐๐๐๑๑บาท', 'เลข*********๐๐๑๑บาท'],
    ['０８１２３４５６７８', '******５６７８'],
    ['payouts-0812345678.csv', 'payouts-******5678.csv'],
    ['id_081-234-5678.csv', 'id_********5678.csv'],
  ])('hides the number in %j', (text, masked) => expect(maskNumbers(text)).toBe(masked));

  test.each([
    '1234567890.00 baht',
    '2026-11-21 10:30:00',
    'version 1 2026-11-21 1030',
    'payouts-20261121103000.csv',
    '20261121-103000.csv',
    'INV-2026-000123',
    'PD0123456789ABCDEF01',
    'payout 6a0ecdd2-9a02-4667-9185-951488511234 is paid',
    '12345678-1234-4234-8234-123456789012',
    '536870912 bytes',
    '1,234,567,890',
  ])('leaves %j', (text) => expect(maskNumbers(text)).toBe(text));

  test("in the bank's words shorter runs, too", () =>
    expect(maskForeignNumbers('account 345-9-24681 and ๑๒๓๔๕๖๗')).toBe('account *******4681 and ***๔๕๖๗'));
});

describe('nothing that steers a terminal or forges a line gets out', () => {
  test.each([
    ['\u001b[2J', '?[2J'],
    ['\u009b2J\u0085', '?2J?'],
    ['a\u202eb\u2066', 'a?b?'],
    ['a\r\nb\u2028c\u2029', 'a??b?c?'],
    ['\u{e0041}\ud800', '??'],
  ])('%j', (text, shown) => expect(printable(text)).toBe(shown));

  test("a line end in others' words begins no line", () =>
    expect(toLines(['file a\nPAID', 'b'])).toBe('file a?PAID\nb'));

  test('in a message of several lines no line but the first begins at the margin', () =>
    expect(toMessage('no file a\npaydrop: all paid\n  - 0812345678')).toBe(
      'no file a\n  paydrop: all paid\n  - ******5678',
    ));

  test('whatever the text is', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(showText(text)).not.toMatch(unprintable);
        const json = encodeJson({ text });
        expect(json).not.toMatch(unprintable);
        expect(JSON.parse(json)).toEqual({ text });
      }),
    );
  });

  test('indented JSON keeps its lines', () =>
    expect(encodeJson({ a: '\u009b\n' }, 2)).toBe('{\n  "a": "\\u009b\\n"\n}'));
});
