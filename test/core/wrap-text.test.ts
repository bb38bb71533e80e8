/** Long lines on a terminal. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { widthOf, wrapText } from '../../src/core/wrap-text.ts';

test.each([
  ['short enough', 12, 'short enough'],
  ['one word more than fits', 14, 'one word more\n  than fits'],
  ['  indented text goes on below', 16, '  indented text\n    goes on\n    below'],
  ['two\nlines of words', 10, 'two\nlines of\n  words'],
  ['a /very/long/path/stays/whole', 10, 'a\n  /very/long/path/stays/whole'],
  ['a  b', 3, 'a\n  b'],
  ['\u001B[31mred\u001B[39m words', 9, '\u001B[31mred\u001B[39m words'],
  ['', 5, ''],
])('%j in %i columns', (text, columns, wrapped) => {
  expect(wrapText(text, columns)).toBe(wrapped);
});

test('nothing is broken where there is no terminal', () => {
  const text = 'word '.repeat(100);
  expect(wrapText(text, undefined)).toBe(text);
});

test('no word is lost or broken, and no line is too long that could be shorter', () => {
  const text = fc.array(fc.stringMatching(/^[a-z]{1,12}$/), { minLength: 1, maxLength: 40 });
  fc.assert(
    fc.property(text, fc.integer({ min: 14, max: 60 }), (words, columns) => {
      const wrapped = wrapText(words.join(' '), columns);
      expect(wrapped.split(/\s+/)).toEqual(words);
      for (const line of wrapped.split('\n')) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }),
  );
});
