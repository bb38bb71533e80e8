import { expect, test } from 'vitest';
import { readDays } from '../../src/app/status.ts';

const state = {
  date: '20261120',
  version: 2,
  acceptedAtMs: 0,
  openBreaks: 0,
  oldestOpenedAtMs: null,
  provenance: null,
};

test('a day whose statement never came is listed, for a month', async () => {
  const asked: string[] = [];
  const store = {
    statementDays: async () => [state, { ...state, date: '20261118' }],
    daysReadInPart: async () => ['20261118'],
    daysWithoutStatement: async (dates: readonly string[]) => {
      asked.push(...dates);
      return ['20261119', '20261118'];
    },
  };
  const days = await readDays(store, Date.UTC(2026, 10, 21, 5));
  expect([asked.length, asked[0], asked.at(-1)]).toEqual([31, '20261120', '20261021']);
  expect(days.map(({ date, isWhole }) => [date, isWhole])).toEqual([
    ['20261120', true],
    ['20261119', false],
    ['20261118', false],
  ]);
});
