/** Days that are told of because their statement is still to come. */
import { expect, test } from 'vitest';
import { listPastDays } from '../../src/core/bangkok-time.ts';
import { lineFor, openDay } from '../support/reconcile-kit.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

test('the last days, the newest first, and those before a week', () => {
  const nowMs = Date.UTC(2026, 10, 21, 17);
  const days = listPastDays(nowMs);
  expect([days.length, days[0], days.at(-1)]).toEqual([31, '20261121', '20261022']);
  expect(listPastDays(nowMs, 7)).toEqual(days.slice(7));
});

test('nothing was sent yet', async () => {
  await using opened = await makeSqliteStore();
  expect(await opened.store.firstDaySent()).toBeUndefined();
  expect(await opened.store.daysReadInPart()).toEqual([]);
  expect(await opened.store.daysWithoutStatement([date])).toEqual([]);
});

test('a day wants its statement until one was accepted when it had ended', async () => {
  await using day = await openDay(['paid']);
  const { store } = day;
  const lines = day.attempts.map((attempt) => lineFor(attempt));
  const look = async () => ({
    without: await store.daysWithoutStatement([nextDate, date]),
    inPart: await store.daysReadInPart(),
  });
  expect(await store.firstDaySent()).toBe(date);
  expect(await look()).toEqual({ without: [date], inPart: [] });
  day.daysLater = 0;
  await day.reconcile(lines);
  expect(await look()).toEqual({ without: [date], inPart: [date] });
  day.daysLater = 1;
  await day.reconcile([...lines, { ...lineFor(day.attempts[0]), transRefNo: 'OTHER', companyId: 'OTHER' }]);
  expect(await look()).toEqual({ without: [], inPart: [] });
});
