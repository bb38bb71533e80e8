import { expect, test } from 'vitest';
import { describeDay, readShownDays, renderDay } from '../../src/cli/render-statements.ts';

const dayMs = 86_400_000;
const state = { date: '20261120', version: 2, acceptedAtMs: 0, openBreaks: 0, oldestOpenedAtMs: null };
const read = '2026-11-20  v2  reconciled 1970-01-01 07:00:00';

test.each([
  [0, null, 'ties out, no open breaks'],
  [1, 4 * dayMs, '1 open break, the oldest for 1 day'],
  [2, 3 * dayMs, '2 open breaks, the oldest for 2 days'],
])('a day with %i open breaks', (openBreaks, oldestOpenedAtMs, said) => {
  const day = { date: state.date, state: { ...state, openBreaks, oldestOpenedAtMs }, isWhole: true };
  expect(renderDay(day, 5 * dayMs)).toBe(`${read}  ${said}`);
});

test('a day that had not ended does not tie out', () => {
  const day = { date: state.date, state, isWhole: false };
  expect(renderDay(day, 0)).toBe(`${read}  the day had not ended: reconcile it again; no open breaks so far`);
  expect(describeDay(day, 0)).toMatchObject({ version: 2, isWhole: false });
});

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
  const days = await readShownDays(store, Date.UTC(2026, 10, 21, 5));
  expect([asked.length, asked[0], asked.at(-1)]).toEqual([31, '20261120', '20261021']);
  expect(days.map(({ date, isWhole }) => [date, isWhole])).toEqual([
    ['20261120', true],
    ['20261119', false],
    ['20261118', false],
  ]);
  expect(days.map((day) => renderDay(day, 0))[1]).toBe(
    '2026-11-19  not reconciled: payouts were sent, and no statement was accepted',
  );
  expect(days.map((day) => describeDay(day, 0))[1]).toEqual({
    date: '2026-11-19',
    version: null,
    reconciledAt: null,
    isWhole: false,
    openBreaks: null,
    oldestOpenDays: null,
  });
});
