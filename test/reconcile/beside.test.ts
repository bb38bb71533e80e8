/** A statement that is judged while inquiries go on. */
import { expect, test } from 'vitest';
import { move } from '../../src/core/change.ts';
import type { Store } from '../../src/store/store.ts';
import { describeOnEngines } from '../support/engines.ts';
import { noonMs } from '../support/journal-fixtures.ts';
import { lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

/** The store, with an inquiry that ends the first attempt as failed just before the first breaks are recorded. */
function withInquiry({ store, attempts }: ReconcileDay): Store {
  let isSettled = false;
  const settle = async (): Promise<void> => {
    const [known] = attempts;
    if (isSettled || known === undefined) return;
    isSettled = true;
    const payout = await store.payout(known.payoutSeq);
    const [attempt] = await store.attemptsOf(known.order.companyId, known.payoutId);
    if (payout === undefined || attempt === undefined) throw new Error('there is no such attempt');
    const ended = { ...attempt, status: 'failed', nextInquiryAtMs: null } as const;
    const patch = { status: 'failed', settledAtMs: noonMs, settledBy: 'inquiry' } as const;
    const change = move({ payout, patch, cause: 'inquiry-failed', nowMs: noonMs, attempt: ended });
    expect(await store.apply([change])).toEqual([true]);
  };
  return {
    ...store,
    recordBreaks: async (run, moves) => {
      await settle();
      await store.recordBreaks(run, moves);
    },
  };
}

describeOnEngines('an attempt that is settled the other way while its statement is judged', (makeStore) => {
  test('is judged again as what it is: the most severe break is named', async () => {
    await using day = await openDay(['unresolved', 'paid'], makeStore);
    const lines = day.attempts.map((attempt) => lineFor(attempt));
    await day.reconcile(lines, { through: withInquiry(day) });
    expect(await openKinds(day)).toEqual(['status-mismatch']);
    const [row] = await Promise.all(day.attempts.map(({ payoutSeq }) => day.store.payout(payoutSeq)));
    expect(row).toMatchObject({ status: 'paid', isAlarm: true });
    expect(await day.reconcile(lines)).toMatchObject({ isRepeat: true });
    expect(await openKinds(day)).toEqual(['status-mismatch']);
  });
});

describeOnEngines('what a judging has changed before it was overtaken', (makeStore) => {
  test('is told by the one that follows', async () => {
    await using day = await openDay(['unresolved', 'failed', 'failed', 'failed'], makeStore);
    const lines = day.attempts.map((attempt) => lineFor(attempt));
    const { recorded } = await day.reconcile(lines, { through: withInquiry(day) });
    expect(recorded.causes).toEqual(new Map([['late-proof', 4]]));
  });
});

describeOnEngines(
  'an attempt of the day before that is settled while the statement of the next is judged',
  (makeStore) => {
    test('is judged again, with the lines of other days that were kept already', async () => {
      await using day = await openDay(['unresolved', 'paid'], makeStore);
      day.daysLater = 2;
      const lines = day.attempts.map((attempt) => lineFor(attempt, { effectiveDate: nextDate }));
      await day.reconcile(lines, { on: nextDate, through: withInquiry(day) });
      expect(await openKinds(day, nextDate)).toEqual(['status-mismatch']);
      expect(await day.reconcile(lines, { on: nextDate })).toMatchObject({ isRepeat: true });
    });
  },
);

describeOnEngines('two statements that are judged at once', (makeStore) => {
  test('of two days: whoever begins later ends the judging of whoever began first', async () => {
    await using day = await openDay(['paid', 'paid'], makeStore);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    const own = [lineFor(one), lineFor(two)];
    const next = [lineFor(one, { effectiveDate: nextDate })];
    const overtaken: Store = {
      ...day.store,
      acceptStatement: async (run, statement) => {
        await day.reconcile(next, { on: nextDate });
        return await day.store.acceptStatement(run, statement);
      },
    };
    await expect(day.reconcile(own, { through: overtaken })).rejects.toThrow('another paydrop has begun');
    expect(await day.store.statementDays()).toMatchObject([{ date: nextDate, version: 1 }]);
    await day.reconcile(own);
    expect(await openKinds(day, nextDate)).toEqual(['duplicate-line']);
  });
});

describeOnEngines('a statement of a day that has not ended', (makeStore) => {
  test('is no statement in which anything is absent for good', async () => {
    await using day = await openDay(['unresolved', 'paid'], makeStore);
    await day.reconcile([lineFor(day.attempts[1])]);
    expect(await openKinds(day)).toEqual(['pending-not-in-statement']);
    // Today's, half an hour after midnight, with nothing in it.
    await day.reconcile([], { on: nextDate });
    expect(await openKinds(day, date)).toEqual(['pending-not-in-statement']);
    await using view = await day.store.openStatementView();
    expect([...view.days().wholeDates]).toEqual([date]);
  });
});
