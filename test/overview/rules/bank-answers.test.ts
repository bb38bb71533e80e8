/** The bank's answers of an hour: each send counts once, by what came first after it. */
import { expect, test } from 'vitest';
import { type BankEvent, measureHour, minuteMs, shadeOf } from '../../../src/overview/rules/bank-answers.ts';
import { noonMs } from '../../support/core-fixtures.ts';

const event = (payoutSeq: number, cause: BankEvent['cause'], afterMs: number): BankEvent => ({
  payoutSeq,
  cause,
  atMs: noonMs + afterMs,
});

test('the time of an answer runs from the send to the first event after it', () => {
  const hour = measureHour(
    [
      event(1, 'intent-recorded', 0),
      event(2, 'intent-recorded', 100),
      event(2, 'outcome-in-doubt', 5_100),
      event(1, 'proved', 400),
      event(2, 'proved', 60_000),
      event(3, 'proved', 1_000),
      event(4, 'intent-recorded', minuteMs),
      event(4, 'refused-for-payout', minuteMs + 600),
    ],
    noonMs,
  );
  expect(hour.whole).toEqual({ answers: 3, medianMs: 600, p95Ms: 5_000, unclear: 1 });
  expect(hour.minutes[0]).toEqual({ answers: 2, medianMs: 400, p95Ms: 5_000, unclear: 1 });
  expect(hour.minutes[1]).toEqual({ answers: 1, medianMs: 600, p95Ms: 600, unclear: 0 });
  expect(hour.minutes).toHaveLength(60);
  expect(hour.minutes.slice(2).every((minute) => minute === undefined)).toBe(true);
});

test('an hour without a send has no figures', () => {
  expect(measureHour([], noonMs).whole).toBeUndefined();
});

test('a pause is shaded as far as it lies within the hour', () => {
  const hour = { fromMs: noonMs };
  expect(shadeOf(hour, noonMs - 5 * minuteMs, noonMs + 2 * minuteMs)).toEqual({ from: 0, to: 2 });
  expect(shadeOf(hour, noonMs + 50 * minuteMs, noonMs + 90 * minuteMs)).toEqual({ from: 50, to: 60 });
  expect(shadeOf(hour, noonMs - 5 * minuteMs, noonMs - minuteMs)).toBeUndefined();
});
