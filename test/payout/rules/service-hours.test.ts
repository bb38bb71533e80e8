import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  isOpen,
  mayBeginAtMs,
  nextOpeningMs,
  parseTimeOfDay,
  readServiceHours,
  type ServiceHours,
} from '../../../src/payout/rules/service-hours.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;

function hoursOf(text: string): ServiceHours {
  const [open = '', close = ''] = text.split('-');
  const hours = readServiceHours({ open, close });
  if (hours === undefined) throw new Error('no hours');
  return hours;
}

const at = (bangkok: string): number => Date.parse(`${bangkok}+07:00`);

describe('service hours', () => {
  test.each([
    ['06:00-22:30', '2026-11-21T05:59:59.999', false, '2026-11-21T06:00'],
    ['06:00-22:30', '2026-11-21T06:00:00.000', true, '2026-11-21T06:00'],
    ['06:00-22:30', '2026-11-21T22:29:59.999', true, '2026-11-21T22:29:59.999'],
    ['06:00-22:30', '2026-11-21T22:30:00.000', false, '2026-11-22T06:00'],
    ['06:00-22:30', '2026-12-31T23:00:00.000', false, '2027-01-01T06:00'],
    ['22:00-06:00', '2026-11-21T21:59:59.999', false, '2026-11-21T22:00'],
    ['22:00-06:00', '2026-11-21T23:59:59.999', true, '2026-11-21T23:59:59.999'],
    ['22:00-06:00', '2026-11-22T05:59:59.999', true, '2026-11-22T05:59:59.999'],
    ['22:00-06:00', '2026-11-22T06:00:00.000', false, '2026-11-22T22:00'],
    ['06:00-24:00', '2026-11-21T23:59:59.999', true, '2026-11-21T23:59:59.999'],
    ['06:00-24:00', '2026-11-22T00:00:00.000', false, '2026-11-22T06:00'],
    ['00:00-23:00', '2026-11-21T23:00:00.000', false, '2026-11-22T00:00'],
    ['00:00-24:00', '2026-11-21T00:00:00.000', true, '2026-11-21T00:00'],
  ])('%s at %s', (text, moment, open, opening) => {
    const hours = hoursOf(text);
    expect(isOpen(hours, at(moment))).toBe(open);
    expect(nextOpeningMs(hours, at(moment))).toBe(at(opening));
  });

  test('begins nothing in the last half minute', () => {
    const hours = hoursOf('06:00-22:30');
    expect(mayBeginAtMs(hours, at('2026-11-21T22:29:29.999'))).toBe(at('2026-11-21T22:29:29.999'));
    expect(mayBeginAtMs(hours, at('2026-11-21T22:29:30'))).toBe(at('2026-11-22T06:00'));
    expect(mayBeginAtMs(hours, at('2026-11-22T05:59:45'))).toBe(at('2026-11-22T06:00'));
    expect(mayBeginAtMs(hoursOf('00:00-24:00'), at('2026-11-21T23:59:59'))).toBe(at('2026-11-21T23:59:59'));
  });

  test.each([
    ['00:00', 0],
    ['06:05', 365],
    ['23:59', 1439],
    ['24:00', 1440],
    ['24:01', undefined],
    ['6:00', undefined],
    ['06:60', undefined],
    ['06.00', undefined],
    ['', undefined],
  ])('reads "%s"', (text, minutes) => expect(parseTimeOfDay(text)).toBe(minutes));
});

const anyHours = fc
  .record({ openMinute: fc.integer({ min: 0, max: 1439 }), closeMinute: fc.integer({ min: 1, max: 1440 }) })
  .filter(({ openMinute, closeMinute }) => openMinute !== closeMinute);
const anyMoment = fc.integer({ min: 0, max: 4_102_444_800_000 });

describe('laws of service hours', () => {
  test('the next opening is open, is the first such moment, and comes within a day', () => {
    fc.assert(
      fc.property(anyHours, anyMoment, fc.double({ min: 0, max: 1, noNaN: true }), (hours, nowMs, share) => {
        const openingMs = nextOpeningMs(hours, nowMs);
        expect(isOpen(hours, openingMs)).toBe(true);
        expect(openingMs - nowMs).toBeLessThan(dayMs);
        const before = nowMs + Math.floor((openingMs - nowMs) * share);
        if (before < openingMs) expect(isOpen(hours, before)).toBe(false);
      }),
    );
  });

  test('every day is the same, and the minutes open are those of the setting', () => {
    fc.assert(
      fc.property(anyHours, anyMoment, (hours, nowMs) => {
        expect(isOpen(hours, nowMs + dayMs)).toBe(isOpen(hours, nowMs));
      }),
    );
    fc.assert(
      fc.property(anyHours, (hours) => {
        const minutes = Array.from({ length: 1440 }, (_, minute) => isOpen(hours, minute * minuteMs));
        const length = hours.closeMinute - hours.openMinute;
        expect(minutes.filter(Boolean).length).toBe(length > 0 ? length : length + 1440);
      }),
      { numRuns: 20 },
    );
  });

  test('what may begin now has half a minute left', () => {
    fc.assert(
      fc.property(anyHours, anyMoment, (hours, nowMs) => {
        const beginMs = mayBeginAtMs(hours, nowMs);
        expect(isOpen(hours, beginMs) && isOpen(hours, beginMs + 29_999)).toBe(true);
        expect(beginMs).toBeGreaterThanOrEqual(nowMs);
        expect(mayBeginAtMs(hours, beginMs)).toBe(beginMs);
      }),
    );
  });
});
