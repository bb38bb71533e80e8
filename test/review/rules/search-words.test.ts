/** What a typed search asks for. */
import { expect, test } from 'vitest';
import { isOfPayouts, readSearchWords } from '../../../src/review/rules/search-words.ts';

const parts = (typed: string) =>
  Object.fromEntries(
    Object.entries(readSearchWords(typed)).filter(
      ([, part]) => part !== undefined && part !== false && part !== '',
    ),
  );

test.each([
  ['', {}],
  ['  สมชาย   ใจดี ', { text: 'สมชาย ใจดี' }],
  ['081-234-5678', { text: '081-234-5678' }],
  ['12,500', { text: '12,500' }],
  ['2026-11-30', { text: '2026-11-30' }],
  ['file:salary', { file: 'salary' }],
  ['FILE:"salary november"', { file: 'salary november' }],
  ['hold:approval', { hold: 'approval' }],
  ['hold:nothing', { text: 'hold:nothing' }],
  ['cause:em012', { cause: 'EM012' }],
  ['owner:me', { owner: 'me' }],
  ['alarm', { isAlarm: true }],
  ['"alarm"', { text: 'alarm' }],
  ['alarms', { text: 'alarms' }],
  ['waiting', { isWaiting: true }],
  ['>100000', { aboveSatang: 10_000_000n }],
  ['>100,000.50 <200000', { aboveSatang: 10_000_050n, belowSatang: 20_000_000n }],
  ['>', { text: '>' }],
  ['>many', { text: '>many' }],
  ['file:', { text: 'file:' }],
  ['a:b', { text: 'a:b' }],
  ['"', {}],
  ['"not closed', { text: 'not closed' }],
  [
    'malee file:salary hold:limit cause:EM012 alarm owner:boon >5 waiting',
    {
      text: 'malee',
      file: 'salary',
      hold: 'limit',
      cause: 'EM012',
      isAlarm: true,
      owner: 'boon',
      aboveSatang: 500n,
      isWaiting: true,
    },
  ],
])('%s', (typed, expected) => {
  expect(parts(typed)).toEqual(expected);
});

test.each([
  ['malee', false],
  ['file:salary malee', false],
  ['malee alarm', true],
  ['<5', true],
  ['hold:name', true],
])('only payouts answer to %s: %s', (typed, is) => {
  expect(isOfPayouts(readSearchWords(typed))).toBe(is);
});
