import { expect, test } from 'vitest';
import { showDay, showDays } from '../../../src/cli/views/status.ts';

const dayMs = 86_400_000;
const state = {
  date: '20261120',
  version: 2,
  acceptedAtMs: 0,
  openBreaks: 0,
  oldestOpenedAtMs: null,
  provenance: null,
};
const read = '2026-11-20  v2  reconciled 1970-01-01 07:00:00';

test.each([
  [0, null, 'ties out, no open breaks'],
  [1, 4 * dayMs, '1 open break, the oldest for 1 day'],
  [2, 3 * dayMs, '2 open breaks, the oldest for 2 days'],
])('a day with %i open breaks', (openBreaks, oldestOpenedAtMs, said) => {
  const day = { date: state.date, state: { ...state, openBreaks, oldestOpenedAtMs }, isWhole: true };
  expect(showDay(day, 5 * dayMs).text).toBe(`${read}  ${said}`);
});

test('a day that had not ended does not tie out', () => {
  const day = { date: state.date, state, isWhole: false };
  expect(showDay(day, 0)).toMatchObject({
    json: { statementVersion: 2, isWhole: false },
    text: `${read}  the day is not complete: reconcile it again; no open breaks so far`,
  });
});

test.each([
  [{ from: 'bank', user: null, isForced: false }, 'the bank'],
  [{ from: 'file', user: 'alice', isForced: false }, 'a file given by alice'],
  [{ from: 'file', user: 'alice', isForced: true }, 'a file given by alice, who insisted'],
  [{ from: 'bank', user: 'alice', isForced: true }, 'the bank, alice insisted'],
] as const)('a day says where its statement came from', (provenance, said) => {
  const day = { date: state.date, state: { ...state, provenance }, isWhole: true };
  expect(showDay(day, 0)).toMatchObject({
    json: { source: provenance },
    text: `${read}  ties out, no open breaks; from ${said}`,
  });
});

test('a day without any statement says so', () => {
  const day = { date: '20261119', state: undefined, isWhole: false };
  expect(showDay(day, 0)).toEqual({
    text: '2026-11-19  not reconciled: payouts were sent, and no statement was accepted',
    json: {
      date: '2026-11-19',
      statementVersion: null,
      reconciledAt: null,
      isWhole: false,
      openBreaks: null,
      oldestOpenDays: null,
      source: null,
    },
  });
});

test('of more days than fit those without open breaks are counted, and a program gets them all', () => {
  const days = [0, 0, 1].map((openBreaks) => ({
    date: state.date,
    state: { ...state, openBreaks },
    isWhole: true,
  }));
  const { json, text } = showDays(days, 0, 1);
  expect(json).toHaveLength(3);
  expect(text).toBe(`
Statements by day
${read}  ties out, no open breaks
${read}  1 open break
1 more without open breaks: paydrop status --statements`);
  expect(showDays([], 0)).toEqual({ json: [], text: 'No day was reconciled yet.' });
});
