import { describe, expect, test } from 'vitest';
import {
  completeFilter,
  isBeyondMask,
  parsePayee,
  parseSearch,
  readPayee,
} from '../../../src/payout/rules/search.ts';

const mobile = { kind: 'number', proxyNo: '0812345678', end: '812345678' };
const citizen = { kind: 'number', proxyNo: '9100000000011', end: '9100000000011' };

describe('a payee as it is typed', () => {
  test.each([
    ['0812345678', mobile],
    ['081-234-5678', mobile],
    ['+66812345678', mobile],
    ['0066812345678', mobile],
    [' 9100000000011 ', citizen],
    ['9-1000-00000-01-1', citizen],
    // As screens show it.
    ['******5678', { kind: 'number-end', end: '5678' }],
    ['5678', { kind: 'number-end', end: '5678' }],
    // The check digit is wrong: only a rejected row can have it.
    ['9100000000012', { kind: 'number-end', end: '9100000000012' }],
    ['Somchai', { kind: 'name', part: 'Somchai' }],
    ['บริษัท 9', { kind: 'name', part: 'บริษัท 9' }],
    ['*', { kind: 'name', part: '*' }],
  ])('%j', (text, wanted) => expect(parsePayee(text)).toEqual(wanted));
});

describe('a payee of whom the number is masked', () => {
  const end = { kind: 'number-end', end: '5678' };
  test.each([
    ['0812345678', end, mobile],
    ['9100000000012', { kind: 'number-end', end: '0012' }],
    ['*****45678', end],
    ['678', { kind: 'number-end', end: '678' }],
    ['Somchai', { kind: 'name', part: 'Somchai' }],
    // A name may hold a number, which screens mask.
    ['Somchai 08', undefined],
    ['สมชาย ๐๘๑', undefined],
  ])('%j', (text, shown, whole = shown) => {
    expect(readPayee(text, 'shown')).toEqual(shown);
    expect(readPayee(text, 'whole')).toEqual(whole);
  });

  test.each([
    ['0812345678', true],
    ['45678', true],
    ['Somchai 0', true],
    ['5678', false],
    ['Somchai', false],
  ])('%j asks for more than screens show: %j', (text, isBeyond) =>
    expect(isBeyondMask(parsePayee(text))).toBe(isBeyond),
  );
});

test('a reference that screens mask is compared with the names alone that they show', () => {
  for (const text of ['9100000000011', '0812345678', 'INV 081-234-5678']) {
    expect(parseSearch(text, 'shown')).toContainEqual({ ownName: text });
    expect(parseSearch(text, 'whole')).toContainEqual({ reference: text });
  }
  expect(parseSearch('INV-2026-0001', 'shown')).toEqual([{ reference: 'INV-2026-0001' }]);
});

test('a day is searched for by its hyphens: eight digits are the end of a number', () => {
  const sinceMs = Date.UTC(2026, 10, 20, 17);
  expect(parseSearch('2026-11-21', 'shown')).toContainEqual({ sinceMs, untilMs: sinceMs + 86_400_000 });
  for (const text of ['20261121', '2569-11-21', '2026-11-31'])
    expect(parseSearch(text, 'shown').some((filter) => filter.sinceMs !== undefined)).toBe(false);
});

test('a hold is looked for among what is held, unless statuses are given', () => {
  expect(completeFilter({ hold: 'name' })).toEqual({ hold: 'name', statuses: ['held'] });
  expect(completeFilter({ hold: 'name', statuses: ['paid'] })).toEqual({ hold: 'name', statuses: ['paid'] });
  expect(completeFilter({ isAlarm: true })).toEqual({ isAlarm: true });
});
