/** A day with a line that cannot be read: the others count, and nothing is concluded from what may be that line. */
import { inEnglish, message, verbatim, encodeMessage } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import { isOfWholeDay } from '../../src/reconcile/ports.ts';
import { lineFor, openDay, openKinds } from '../support/reconcile-kit.ts';
import { describeOnEngines } from '../support/engines.ts';
import { statusesOf } from '../support/journal-fixtures.ts';
import { baht, date } from '../support/statement-fixtures.ts';

const said = 'AMOUNT: the amount "-100.00" is negative (amount-negative)';
const fault = verbatim(said);
const unread = { fault: encodeMessage(fault), amountSatang: baht('0.00') };
/** Nothing of it tells whose it is. */
const unplaced = { ...unread, transRefNo: '', sysRefNo: '' };

describeOnEngines('a line that cannot be read', (makeStore) => {
  test('is its payout’s where its reference is: that one waits, and the day is complete', async () => {
    await using day = await openDay(['paid', 'unresolved', 'paid'], makeStore);
    const [one, two, three] = day.attempts;
    const done = await day.reconcile([lineFor(one), lineFor(two, unread), lineFor(three)]);
    expect(await statusesOf(day.store)).toEqual(['paid', 'unresolved', 'paid']);
    expect(await day.store.openBreaks(date, 10)).toMatchObject([
      {
        kind: 'line-unreadable',
        severity: 'medium',
        reason: message('break-reason.fault', { line: 3, fault }),
        attempt: { rowNo: 2 },
      },
    ]);
    expect(isOfWholeDay(done.statement.reading)).toBe(true);
    expect(done.totals.lines.get('line-unreadable')).toEqual({ count: 1, satang: 0n });
    const again = await day.reconcile([lineFor(one), lineFor(two, unread), lineFor(three)]);
    expect(again).toMatchObject({ isRepeat: true, recorded: { opened: 0, changed: 0, closed: 0 } });
    await day.reconcile([lineFor(one), lineFor(two), lineFor(three)], { isForced: false });
    expect([await openKinds(day), await statusesOf(day.store)]).toEqual([[], ['paid', 'paid', 'paid']]);
  });

  test('may be any payout’s where nothing tells whose: the day is not complete until it is corrected', async () => {
    await using day = await openDay(['paid', 'paid', 'unresolved'], makeStore);
    const [one, two, three] = day.attempts;
    const lines = [lineFor(one), lineFor(two, unplaced)];
    const done = await day.reconcile(lines, { isForced: false });
    expect(isOfWholeDay(done.statement.reading)).toBe(false);
    expect(await day.store.daysWithoutStatement([date])).toEqual([date]);
    const breaks = await day.store.openBreaks(date, 10);
    const reasons = breaks
      .map(({ kind, reason }) => [kind, inEnglish(reason)])
      .toSorted((a, b) => String(a).localeCompare(String(b)));
    expect(reasons).toEqual([
      ['line-unreadable', `line 3: ${said}`],
      ['line-unreadable', 'we call it paid, and no line names it: one that cannot be read may be it'],
      ['pending-not-in-statement', expect.stringMatching(/a line that cannot be read may be it$/)],
    ]);
    expect(await day.reconcile(lines, { isForced: false })).toMatchObject({ isRepeat: true });
    // The bank corrects it: no transfer is missed that the unread line may have been.
    const corrected = [lineFor(one), lineFor(two), lineFor(three)];
    const whole = await day.reconcile(corrected, { isForced: false });
    expect(isOfWholeDay(whole.statement.reading)).toBe(true);
    expect([await openKinds(day), await statusesOf(day.store)]).toEqual([[], ['paid', 'paid', 'paid']]);
    expect(await day.store.daysWithoutStatement([date])).toEqual([]);
  });

  test('of another company leaves the day complete', async () => {
    await using day = await openDay(['paid'], makeStore);
    const [one] = day.attempts;
    const done = await day.reconcile([lineFor(one), lineFor(one, { ...unplaced, companyId: 'COMP000002' })]);
    expect([isOfWholeDay(done.statement.reading), await openKinds(day)]).toEqual([true, []]);
  });

  test('takes no place of one that could be read', async () => {
    await using day = await openDay(['paid', 'paid'], makeStore);
    const [one, two] = day.attempts;
    await day.reconcile([lineFor(one), lineFor(two)]);
    const damaged = day.reconcile([lineFor(one), lineFor(two, unplaced)], { isForced: false });
    await expect(damaged).rejects.toThrow('lacks 1 transfer');
  });
});

describeOnEngines('a file that is written in another form', (makeStore) => {
  test('is refused with its first fault where no line tells its day', async () => {
    await using day = await openDay(['paid', 'paid'], makeStore);
    const why = 'EFFECTIVE DATE: the date "25691121" is of the Buddhist era';
    const old = { effectiveDate: '', fault: encodeMessage(verbatim(why)) };
    const lines = day.attempts.map((attempt) => lineFor(attempt, old));
    await expect(day.reconcile(lines)).rejects.toThrow(
      `${why}, and 1 line more cannot be read: fetch the statement again`,
    );
    expect(await openKinds(day)).toEqual([]);
  });

  test('is refused where more of its lines cannot be read than help anybody as breaks', async () => {
    await using day = await openDay(['paid'], makeStore);
    const [one] = day.attempts;
    const lines = Array.from({ length: 101 }, (_, at) => lineFor(one, { ...unread, transRefNo: `X${at}` }));
    await expect(day.reconcile([lineFor(one), ...lines])).rejects.toThrow(
      'and 100 lines more cannot be read',
    );
    const done = await day.reconcile([lineFor(one), ...lines.slice(1)]);
    expect(done.totals.breaks.get('line-unreadable')).toBe(100);
  });
});
