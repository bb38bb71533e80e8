/** What one day's statement says of another day. */
import { describe, expect, test } from 'vitest';
import { move, settled } from '../../src/core/change.ts';
import { applied, noonMs, statusesOf } from '../support/journal-fixtures.ts';
import { dayMs, lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

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
  const twice = ['duplicate-line'];

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

describe('a transfer that fails on its day and completes on the next', () => {
  test.each([[[date, nextDate]], [[nextDate, date]]])(
    'is paid, whichever is read first: %j',
    async (dates) => {
      await using day = await openDay(['unresolved', 'paid']);
      const [one, two] = day.attempts;
      day.daysLater = 2;
      const statements = new Map([
        [date, [lineFor(one, { status: 'failed' }), lineFor(two)]],
        [nextDate, [lineFor(one, { effectiveDate: nextDate })]],
      ]);
      for (const on of [...dates, ...dates, ...dates]) {
        await day.reconcile(statements.get(on) ?? [], { on });
      }
      expect(await statusesOf(day.store)).toEqual(['paid', 'paid']);
      const kinds = [...(await openKinds(day, date)), ...(await openKinds(day, nextDate))];
      expect(kinds).toEqual(['status-mismatch']);
    },
  );
});

describe('a corrected version of an earlier day', () => {
  const onNext = { on: nextDate };
  const late = { effectiveDate: nextDate };
  const rest = { ...late, transRefNo: 'FOREIGN', companyId: 'OTHER' };

  /** The first row is in the statement of its day, or not; the second always is. */
  async function readDay(day: ReconcileDay, isThere: boolean): Promise<void> {
    const [one, two] = day.attempts;
    await day.reconcile(isThere ? [lineFor(one), lineFor(two)] : [lineFor(two)]);
  }

  const readNext = (day: ReconcileDay, isThere = true) =>
    day.reconcile([lineFor(day.attempts[0], isThere ? late : rest)], onNext);

  const open = async (day: ReconcileDay): Promise<readonly string[][]> => [
    await openKinds(day, date),
    await openKinds(day, nextDate),
  ];

  test.each(['paid', 'unresolved'] as const)(
    'brings a line that the next day has, too: named, and closed when it is taken away (%s)',
    async (ending) => {
      await using day = await openDay([ending, 'paid']);
      day.daysLater = 2;
      await readDay(day, false);
      await readNext(day);
      expect(await open(day)).toEqual([[], []]);
      for (let again = 0; again < 2; again += 1) {
        await readDay(day, true);
        expect(await open(day)).toEqual([[], ['duplicate-line']]);
        // And it stays so when the next day is read again, in the same words or others.
        await readNext(day);
        await day.reconcile([lineFor(day.attempts[0], late)], { ...onNext, reading: `again ${again}` });
        expect(await open(day)).toEqual([[], ['duplicate-line']]);
        await readDay(day, false);
        expect(await open(day)).toEqual([[], []]);
        await readNext(day);
        expect(await open(day)).toEqual([[], []]);
      }
      expect(await statusesOf(day.store)).toEqual(['paid', 'paid']);
      const closed = (await day.tables('breaks')).filter((row) => row['kind'] === 'duplicate-line');
      expect(closed.filter((row) => row['state'] === 'closed').map((row) => row['closedBy'])).toContain(
        'the statement of 2026-11-21',
      );
    },
  );

  test('takes away the line of a transfer that the next day has, too', async () => {
    await using day = await openDay(['paid', 'paid']);
    day.daysLater = 2;
    await readDay(day, true);
    await readNext(day);
    expect(await open(day)).toEqual([[], ['duplicate-line']]);
    await readDay(day, false);
    expect(await open(day)).toEqual([[], []]);
  });

  test('lacks a line that came to it before the next day was read', async () => {
    await using day = await openDay(['paid', 'paid']);
    day.daysLater = 2;
    await readDay(day, false);
    await readDay(day, true);
    await readNext(day);
    expect(await open(day)).toEqual([[], ['duplicate-line']]);
  });

  test('of the later day, takes away the line of a transfer that its own day lacks: missing again', async () => {
    await using day = await openDay(['paid', 'unresolved', 'paid']);
    const [one, two, three] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(three)]);
    await day.reconcile([lineFor(one, late), lineFor(two, late)], onNext);
    expect(await statusesOf(day.store)).toEqual(['paid', 'paid', 'paid']);
    expect(await open(day)).toEqual([[], []]);
    const { recorded } = await day.reconcile([lineFor(one, rest)], onNext);
    expect(recorded.openedOnOtherDays).toBe(2);
    expect(await open(day)).toEqual([['missing-at-bank', 'missing-at-bank'], []]);
    await day.reconcile([lineFor(one, late), lineFor(two, late)], onNext);
    expect(await open(day)).toEqual([[], []]);
  });
});

describe('a corrected version of the later day that lacks what it had finished', () => {
  test.each([
    ['complete', ['paid', 'paid']],
    ['failed', ['unresolved', 'paid']],
  ] as const)('%s: its own day shows it in process, as before', async (status, statuses) => {
    await using day = await openDay(['unresolved', 'paid']);
    const [one, two] = day.attempts;
    const late = { effectiveDate: nextDate };
    const foreign = lineFor(two, { ...late, transRefNo: 'FOREIGN', companyId: 'OTHER' });
    day.daysLater = 2;
    await day.reconcile([lineFor(one, { status: 'in-process' }), lineFor(two)]);
    const effectiveDate = status === 'failed' ? date : nextDate;
    await day.reconcile([lineFor(one, { effectiveDate, status }), foreign], { on: nextDate });
    expect(await openKinds(day)).toEqual([]);
    await day.reconcile([foreign], { on: nextDate });
    expect(await openKinds(day)).toEqual(['pending-at-bank']);
    expect(await statusesOf(day.store)).toEqual(statuses);
    const again = await day.reconcile([foreign], { on: nextDate });
    expect(again.recorded).toMatchObject({ opened: 0, changed: 0, closed: 0 });
  });
});

describe('a corrected version that lacks what an earlier one called failed', () => {
  test('has it in doubt again, so that it is not tried again, until a version says so again', async () => {
    await using day = await openDay(['unresolved', 'failed', 'paid']);
    const [one, , three] = day.attempts;
    const failed = [lineFor(one, { status: 'failed' }), lineFor(three)];
    await day.reconcile(failed);
    expect([await statusesOf(day.store), await openKinds(day)]).toEqual([['failed', 'failed', 'paid'], []]);
    const withdrawn = [lineFor(three)];
    await day.reconcile(withdrawn);
    expect(await day.store.openBreaks(date, 10)).toMatchObject([
      { kind: 'pending-not-in-statement', severity: 'high', attempt: { payoutId: one?.payoutId } },
    ]);
    expect(await day.store.payout(one?.payoutSeq ?? 0)).toMatchObject({
      status: 'unresolved',
      isAlarm: true,
      reasonCode: 'earlier-attempt-open',
    });
    const again = await day.reconcile(withdrawn);
    expect(again).toMatchObject({ isRepeat: true, recorded: { opened: 0, changed: 0, closed: 0 } });
    await day.reconcile(failed);
    expect([await statusesOf(day.store), await openKinds(day)]).toEqual([['failed', 'failed', 'paid'], []]);
  });
});

describe('what was failed here when its day was read', () => {
  test('and is called paid by an inquiry since is missing at the bank', async () => {
    await using day = await openDay(['failed', 'paid', 'paid']);
    const lines = [lineFor(day.attempts[1]), lineFor(day.attempts[2])];
    await day.reconcile(lines);
    await proveLate(day);
    for (const opened of [1, 0]) {
      const done = await day.reconcile(lines);
      expect([done.isRepeat, done.recorded.opened]).toEqual([true, opened]);
      expect(await openKinds(day)).toEqual(['missing-at-bank']);
    }
    // What its day agrees on is left alone, alarm or not.
    expect(await day.store.countOpenBreaks(date)).toEqual(new Map([['missing-at-bank', 1]]));
  });

  async function proveLate({ store, attempts: [known] }: ReconcileDay): Promise<void> {
    const payout = await store.payout(known?.payoutSeq ?? 0);
    const [attempt] = await store.attemptsOf(known?.order.companyId ?? '', known?.payoutId ?? '');
    if (payout === undefined || attempt === undefined) throw new Error('there is no such attempt');
    const nowMs = noonMs + 2 * dayMs;
    const paid = { ...attempt, status: 'paid', lastInquiryAtMs: nowMs, lastFinding: 'complete' } as const;
    const patch = { status: 'paid', isAlarm: true, ...settled('inquiry', nowMs) } as const;
    await applied(store, move({ payout, patch, cause: 'late-proof', nowMs, attempt: paid }));
  }

  test('and was proved paid by an inquiry before the next day lists it is not called twice', async () => {
    await using day = await openDay(['failed', 'paid', 'paid']);
    const [one, two, three] = day.attempts;
    await day.reconcile([lineFor(two), lineFor(three)]);
    await proveLate(day);
    day.daysLater = 2;
    const late = [lineFor(one, { effectiveDate: nextDate })];
    for (const isRepeat of [false, true]) {
      expect((await day.reconcile(late, { on: nextDate })).isRepeat).toBe(isRepeat);
      expect([await openKinds(day), await openKinds(day, nextDate)]).toEqual([[], []]);
    }
  });

  test('and is complete on the next day alone is not called twice', async () => {
    await using day = await openDay(['failed', 'paid']);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(two)]);
    const late = lineFor(one, { effectiveDate: nextDate });
    for (const reading of ['words', 'words', 'others']) {
      await day.reconcile([late], { on: nextDate, reading });
      expect(await openKinds(day, nextDate)).toEqual(['status-mismatch']);
    }
    expect(await statusesOf(day.store)).toEqual(['paid', 'paid']);
  });
});
