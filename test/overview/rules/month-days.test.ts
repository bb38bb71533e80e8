/** The days of a month and their reconciliation. */
import { expect, test } from 'vitest';
import { listMonth, readMonth } from '../../../src/overview/rules/month-days.ts';
import { noonMs } from '../../support/core-fixtures.ts';

test('a month has its days, and no others', () => {
  expect(listMonth(noonMs)).toHaveLength(30);
  expect(listMonth(noonMs).at(-1)).toBe('20261130');
  expect(listMonth(Date.UTC(2027, 1, 10))).toHaveLength(28);
});

test('each day has one state: a missing statement is never an agreement', () => {
  const facts = {
    breaks: new Map([
      ['20261102', 0],
      ['20261103', 4],
      ['20261104', 0],
    ]),
    missing: new Set(['20261104', '20261105', '20261120']),
    inPart: new Set(['20261104']),
  };
  const states = new Map(readMonth(facts, noonMs).map(({ date, state }) => [date, state]));
  expect(states.get('20261101')).toEqual({ kind: 'unpaid' });
  expect(states.get('20261102')).toEqual({ kind: 'agrees' });
  expect(states.get('20261103')).toEqual({ kind: 'breaks', breaks: 4 });
  expect(states.get('20261104')).toEqual({ kind: 'in-part' });
  expect(states.get('20261105')).toEqual({ kind: 'missing' });
  // Yesterday's statement is not due yet.
  expect(states.get('20261120')).toEqual({ kind: 'open' });
  expect(states.get('20261121')).toEqual({ kind: 'open' });
});
