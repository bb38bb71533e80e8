/** What one day's statement says of another day. */
import { describe, expect, test } from 'vitest';
import { date, nextDate } from '../core/statement-fixtures.ts';
import { lineFor, openDay, openKinds } from './reconcile-kit.ts';

describe('a file of another day', () => {
  test('is refused: absence from it says nothing about this one', async () => {
    await using day = await openDay(['paid', 'unresolved']);
    const lines = day.attempts.map((attempt) => lineFor(attempt));
    day.daysLater = 2;
    await expect(day.reconcile(lines, { on: nextDate })).rejects.toThrow(
      'no line of the file is of 2026-11-22; the first is of 2026-11-21',
    );
    expect(await day.store.statementDays()).toEqual([]);
    expect((await day.store.payout(day.attempts[1]?.payoutSeq ?? 0))?.status).toBe('unresolved');
  });

  test('is taken when one line is of the day, and when it has none at all', async () => {
    await using day = await openDay(['paid']);
    const own = lineFor(day.attempts[0]);
    day.daysLater = 2;
    await day.reconcile(
      [own, { ...own, transRefNo: 'FOREIGN', companyId: 'OTHER', effectiveDate: nextDate }],
      {
        on: nextDate,
      },
    );
    await day.reconcile([], { on: '20261123' });
    expect(await day.store.statementDays()).toHaveLength(2);
  });
});

describe('a transfer that is complete in two days', () => {
  const twice = ['twice'];

  test.each([
    ['the earlier day first', [date, nextDate]],
    ['the later day first', [nextDate, date]],
  ])('is named, %s', async (_order, dates) => {
    await using day = await openDay(['paid', 'paid']);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    for (const on of dates) {
      const lines = on === date ? [lineFor(one), lineFor(two)] : [lineFor(one, { effectiveDate: on })];
      await day.reconcile(lines, { on });
    }
    expect([...(await openKinds(day, date)), ...(await openKinds(day, nextDate))]).toEqual(twice);
    // And it stays so when either is read again.
    for (const on of dates) {
      const lines = on === date ? [lineFor(one), lineFor(two)] : [lineFor(one, { effectiveDate: on })];
      expect(await day.reconcile(lines, { on })).toMatchObject({ isRepeat: true });
    }
    expect([...(await openKinds(day, date)), ...(await openKinds(day, nextDate))]).toEqual(twice);
  });
});
