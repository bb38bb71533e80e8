import { inEnglish, stopInEnglish } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { findTooOld } from '../../../src/payout/rules/batch-age.ts';
import { noonMs } from '../../support/core-fixtures.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dropped = { startedAtMs: noonMs, ageFromMs: noonMs };

describe('a batch', () => {
  test.each([
    { name: 'at once', hoursMax: 24, ageMs: 0 },
    { name: 'for just as long as it may', hoursMax: 24, ageMs: 24 * hourMs },
    { name: 'for a year without a limit', hoursMax: 0, ageMs: 365 * 24 * hourMs },
    { name: 'when the clock was set back', hoursMax: 24, ageMs: -48 * hourMs },
  ])('may be sent from $name', ({ hoursMax, ageMs }) => {
    expect(findTooOld(dropped, hoursMax, noonMs + ageMs)).toBeUndefined();
  });

  test.each([
    [24, 24 * hourMs + 1, 'its file was dropped 24 h 1 min ago; after 24 h '],
    [24, 25 * hourMs, 'its file was dropped 25 h 0 min ago; after 24 h '],
    [1, 90 * minuteMs, 'its file was dropped 1 h 30 min ago; after 1 h '],
    [24, 1_000 * hourMs, 'its file was dropped 1000 h 0 min ago; after 24 h '],
  ])('with a limit of %d h is too old after %d ms: %s', (hoursMax, ageMs, reason) => {
    const why = findTooOld(dropped, hoursMax, noonMs + ageMs);
    expect(why && stopInEnglish(why)).toEqual({
      code: 'batch-too-old',
      reason: expect.stringContaining(reason) as string,
      remedy: expect.stringMatching(/resume.*cancel/) as string,
    });
  });

  test('dropped long before it was read counts from the drop', () => {
    const batch = { startedAtMs: noonMs, ageFromMs: noonMs - 25 * hourMs };
    const why = findTooOld(batch, 24, noonMs);
    expect(why && inEnglish(why.reason)).toMatch(/^its file was dropped 25 h 0 min ago/);
  });

  test('that a person let go on counts from then, and says so', () => {
    const batch = { startedAtMs: noonMs, ageFromMs: noonMs + 30 * hourMs };
    expect(findTooOld(batch, 24, noonMs + 54 * hourMs)).toBeUndefined();
    const why = findTooOld(batch, 24, noonMs + 55 * hourMs);
    expect(why && inEnglish(why.reason)).toMatch(/^a person last let it go on 25 h 0 min ago/);
  });
});
