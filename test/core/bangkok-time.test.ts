import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  explainDay,
  formatBangkokDate,
  formatBangkokDateTime,
  formatBangkokTime,
  isSameBangkokDay,
  msFromBangkokMidnight,
  readDay,
} from '../../src/core/bangkok-time.ts';

const dayMs = 86_400_000;

describe('an instant in Bangkok', () => {
  test.each([
    ['2026-11-21T00:00:00.000Z', '20261121', '07:00:00', '2026-11-21T07:00:00+07:00'],
    ['2026-11-21T16:59:59.999Z', '20261121', '23:59:59', '2026-11-21T23:59:59+07:00'],
    ['2026-11-21T17:00:00.000Z', '20261122', '00:00:00', '2026-11-22T00:00:00+07:00'],
    ['2026-12-31T17:00:00.000Z', '20270101', '00:00:00', '2027-01-01T00:00:00+07:00'],
    ['2028-02-28T18:30:00.000Z', '20280229', '01:30:00', '2028-02-29T01:30:00+07:00'],
  ])('%s', (instant, date, time, stamp) => {
    const epochMs = Date.parse(instant);
    expect(formatBangkokDate(epochMs)).toBe(date);
    expect(formatBangkokTime(epochMs)).toBe(time);
    expect(formatBangkokDateTime(epochMs)).toBe(stamp);
  });
});

describe('the distance to midnight', () => {
  test.each([
    ['2026-11-21T17:00:00.000Z', 0],
    ['2026-11-21T17:00:00.001Z', 1],
    ['2026-11-21T16:59:59.999Z', 1],
    ['2026-11-21T16:45:00.000Z', 900_000],
    ['2026-11-21T05:00:00.000Z', dayMs / 2],
  ])('%s', (instant, ms) => expect(msFromBangkokMidnight(Date.parse(instant))).toBe(ms));
});

describe('a day that is written', () => {
  test.each(['2026-11-21', '20261121'])('%s is whole, in Bangkok', (text) => {
    const startMs = Date.UTC(2026, 10, 20, 17);
    expect(readDay(text)).toEqual({ ok: true, date: '20261121', startMs, endMs: startMs + dayMs });
  });

  test.each(['1970-01-01', '2199-12-31', '2024-02-29'])('%s is taken', (text) =>
    expect(readDay(text).ok).toBe(true),
  );

  test.each([
    ['2569-11-28', '2026-11-28'],
    ['25691128', '20261128'],
    // 2567 of the Buddhist era is a leap year; 2567 of the Christian one is none.
    ['2567-02-29', '2024-02-29'],
    ['2513-01-01', '1970-01-01'],
    ['2742-12-31', '2199-12-31'],
  ])('%s is refused, and %s is to be written', (text, cure) => {
    const reading = readDay(text);
    expect(reading).toEqual({ ok: false, what: 'is of the Buddhist era', meant: cure });
    if (!reading.ok) expect(explainDay(reading)).toBe(`is of the Buddhist era: write ${cure}`);
    expect(readDay(cure).ok).toBe(true);
  });

  test.each([
    '',
    'today',
    '21.11.2026',
    '2026-1121',
    '202611-21',
    '2026-11-31',
    '2569-02-29',
    '2569-11-31',
    '1969-12-31',
    '2200-01-01',
    '2512-12-31',
    '2743-01-01',
    '1483-11-28',
    '0069-11-28',
    '9999-12-31',
    '๒๕๖๙-๑๑-๒๘',
    ' 2026-11-21',
    '2026-11-21\n',
  ])('%j is none', (text) => {
    const reading = readDay(text);
    expect(reading).toMatchObject({ ok: false, meant: undefined });
    if (!reading.ok)
      expect(explainDay(reading)).toBe('names no day of the years 1970 to 2199: write it as YYYY-MM-DD');
  });
});

const instants = fc.integer({ min: 0, max: 4_102_444_800_000 });

describe('laws', () => {
  test('the stamp names the same instant', () => {
    fc.assert(
      fc.property(instants, (epochMs) => {
        expect(Date.parse(formatBangkokDateTime(epochMs))).toBe(epochMs - (epochMs % 1000));
      }),
    );
  });

  test('date and time are those of the stamp', () => {
    fc.assert(
      fc.property(instants, (epochMs) => {
        const [date = '', time = ''] = formatBangkokDateTime(epochMs).split('T');
        expect(formatBangkokDate(epochMs)).toBe(date.replaceAll('-', ''));
        expect(formatBangkokTime(epochMs)).toBe(time.slice(0, 8));
      }),
    );
  });

  test('a date is the same whatever was written before it', () => {
    fc.assert(
      fc.property(instants, fc.integer({ min: -2, max: 2 }), (epochMs, hours) => {
        const alone = formatBangkokDateTime(epochMs).slice(0, 10).replaceAll('-', '');
        formatBangkokDate(epochMs + hours * 3_600_000);
        expect(formatBangkokDate(epochMs)).toBe(alone);
      }),
    );
  });

  test('midnight is never further than twelve hours, and the date changes there', () => {
    fc.assert(
      fc.property(instants, (epochMs) => {
        const distance = msFromBangkokMidnight(epochMs);
        expect(distance).toBeGreaterThanOrEqual(0);
        expect(distance).toBeLessThanOrEqual(dayMs / 2);
        const dates = [-distance - 1, distance].map((shift) => formatBangkokDate(epochMs + shift));
        expect(new Set([formatBangkokDate(epochMs), ...dates]).size).toBeGreaterThan(1);
      }),
    );
  });
});

test('two instants are on one day exactly when their dates are the same', () => {
  const instant = fc.integer({
    min: Date.parse('2026-11-01T00:00:00Z'),
    max: Date.parse('2026-11-08T00:00:00Z'),
  });
  fc.assert(
    fc.property(instant, instant, (one, other) => {
      expect(isSameBangkokDay(one, other)).toBe(formatBangkokDate(one) === formatBangkokDate(other));
    }),
  );
  const midnight = Date.parse('2026-11-21T17:00:00Z');
  expect([
    isSameBangkokDay(midnight, midnight - 1),
    isSameBangkokDay(midnight, midnight + dayMs - 1),
  ]).toEqual([false, true]);
});
