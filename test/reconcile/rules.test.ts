/** What a statement may not do: settle what it does not speak of, hide money that went out twice, or undo itself. */
import { expect, test } from 'vitest';
import { isQuiet } from '../../src/reconcile/rules/attention.ts';
import { move } from '../../src/core/change.ts';
import type { Store } from '../../src/store/store.ts';
import { describeOnEngines } from '../support/engines.ts';
import { applied, noonMs, statusesOf, submit } from '../support/journal-fixtures.ts';
import {
  attemptsOn,
  dayMs,
  lineFor,
  openDay,
  openKinds,
  type ReconcileDay,
} from '../support/reconcile-kit.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

const late = { effectiveDate: nextDate };
const nothingMoved = { recorded: { opened: 0, changed: 0, closed: 0 } };

/** Another company's line, so that a statement of the next day is none of another one. */
const foreign = ({ attempts }: ReconcileDay) =>
  lineFor(attempts.at(-1), { ...late, transRefNo: 'FOREIGN', companyId: 'OTHER' });

async function ownerOf({ store, attempts }: ReconcileDay, at = 0) {
  const payout = await store.payout(attempts[at]?.payoutSeq ?? 0);
  if (payout === undefined) throw new Error('there is no such payout');
  return payout;
}

describeOnEngines('a statement of a day before the attempt was made', (makeStore) => {
  test.each(['failed', 'complete'] as const)('settles nothing: %s', async (status) => {
    const earlier = { on: '20261101' };
    await using day = await openDay(['unresolved', 'submitted'], makeStore);
    const lines = day.attempts.map((one) => lineFor(one, { status, effectiveDate: earlier.on }));
    await day.reconcile(lines, earlier);
    expect(await statusesOf(day.store)).toEqual(['unresolved', 'submitted']);
    expect(await day.store.openBreaks(earlier.on, 10)).toMatchObject([
      { kind: 'date-mismatch', severity: 'high' },
      { kind: 'date-mismatch', severity: 'high' },
    ]);
    expect(await day.reconcile(lines, earlier)).toMatchObject(nothingMoved);
    // Its own day settles it, whatever the earlier one said.
    await day.reconcile(day.attempts.map((one) => lineFor(one)));
    expect(await statusesOf(day.store)).toEqual(['paid', 'paid']);
    const kinds = status === 'complete' ? ['duplicate-line', 'duplicate-line'] : [];
    expect(await openKinds(day)).toEqual(kinds);
  });
});

describeOnEngines('a failure that the bank has taken back', (makeStore) => {
  test('of another day than the transfer’s, whose own was never read: in doubt again', async () => {
    await using day = await openDay(['unresolved', 'paid'], makeStore);
    day.daysLater = 2;
    await day.reconcile([lineFor(day.attempts[0], { status: 'failed' }), foreign(day)], {
      on: nextDate,
    });
    expect(await statusesOf(day.store)).toEqual(['failed', 'paid']);
    const { recorded } = await day.reconcile([foreign(day)], { on: nextDate });
    expect(await ownerOf(day)).toMatchObject({ status: 'unresolved', isAlarm: true });
    expect(isQuiet(await day.store.countOpenBreaks(nextDate), recorded)).toBe(false);
    expect(await day.reconcile([foreign(day)], { on: nextDate })).toMatchObject(nothingMoved);
  });

  test('for a word that nobody knows: in doubt again', async () => {
    await using day = await openDay(['unresolved', 'paid'], makeStore);
    const [one, two] = day.attempts;
    await day.reconcile([lineFor(one, { status: 'failed' }), lineFor(two)]);
    const reversed = [lineFor(one, { status: 'other', statusText: 'REVERSED' }), lineFor(two)];
    await day.reconcile(reversed);
    expect(await ownerOf(day)).toMatchObject({ status: 'unresolved', isAlarm: true });
    expect(await day.store.openBreaks(date, 10)).toMatchObject([
      { kind: 'unknown-status-word', severity: 'high' },
    ]);
    expect(await day.reconcile(reversed)).toMatchObject(nothingMoved);
  });
});

describeOnEngines('a completion on the next day that the bank has taken back', (makeStore) => {
  test('leaves what its own day says: failed, and disputed here', async () => {
    await using day = await openDay(['unresolved', 'paid'], makeStore);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(one, { status: 'failed' }), lineFor(two)]);
    await day.reconcile([lineFor(one, late), foreign(day)], { on: nextDate });
    expect([await openKinds(day), await openKinds(day, nextDate)]).toEqual([[], ['status-mismatch']]);
    await day.reconcile([foreign(day)], { on: nextDate });
    expect([await openKinds(day), await openKinds(day, nextDate)]).toEqual([['status-mismatch'], []]);
    expect(await statusesOf(day.store)).toEqual(['disputed', 'paid']);
    expect(await day.reconcile([foreign(day)], { on: nextDate })).toMatchObject(nothingMoved);
  });
});

describeOnEngines('a day of which only a part was read', (makeStore) => {
  test('is none whose statement lacks a transfer for good', async () => {
    await using day = await openDay(['unresolved', 'paid'], makeStore);
    const [one, two] = day.attempts;
    day.daysLater = 0;
    await day.reconcile([lineFor(two)]);
    const payout = await ownerOf(day);
    const [attempt] = await day.store.attemptsOf(one?.order.companyId ?? '', one?.payoutId ?? '');
    if (attempt === undefined) throw new Error('there is no such attempt');
    const asked = {
      ...attempt,
      inquiries: 1,
      lastInquiryAtMs: noonMs + dayMs,
      lastFinding: 'not-found' as const,
    };
    await applied(
      day.store,
      move({ payout, patch: {}, cause: 'inquired', nowMs: noonMs + dayMs, attempt: asked }),
    );
    day.daysLater = 2;
    await day.reconcile([], { on: nextDate });
    expect(await openKinds(day)).toEqual(['pending-not-in-statement']);
    await day.reconcile([lineFor(two)]);
    expect(await openKinds(day)).toEqual(['no-trace']);
  });

  test('stays so when a person hands in the same bytes the next day; the bank’s own are of the whole', async () => {
    await using day = await openDay(['paid', 'paid'], makeStore);
    const lines = [lineFor(day.attempts[0])];
    day.daysLater = 0;
    await day.reconcile(lines);
    day.daysLater = 1;
    const handed = await day.reconcile(lines, { isHandedIn: true });
    expect(handed).toMatchObject({ isRepeat: true, statement: { version: 1, reading: 'words part' } });
    const again = await day.reconcile(lines, { isHandedIn: true, reading: 'others' });
    expect(again.statement.reading).toBe('others part');
    expect((await day.reconcile(lines)).statement.reading).toBe('words whole');
    expect((await day.reconcile(lines, { isHandedIn: true })).isRepeat).toBe(true);
  });
});

describeOnEngines('bytes of a superseded version', (makeStore) => {
  test('are refused when a person hands them in, and taken when the bank gives them', async () => {
    await using day = await openDay(['paid', 'paid'], makeStore);
    const [one, two] = day.attempts;
    const [first, second] = [[lineFor(one)], [lineFor(one), lineFor(two)]];
    const byHand = { isHandedIn: true, isForced: false };
    await day.reconcile(first, byHand);
    await day.reconcile(second, byHand);
    await expect(day.reconcile(first, byHand)).rejects.toThrow(
      'version 1 of the statement of 2026-11-21, which version 2 has superseded',
    );
    expect([await openKinds(day), (await day.store.statement(date))?.version]).toEqual([[], 2]);
    expect(await day.reconcile(second, byHand)).toMatchObject({ isRepeat: true });
    expect(await day.reconcile(first)).toMatchObject({ supersedes: 2 });
    expect(await openKinds(day)).toEqual(['missing-at-bank']);
  });
});

describeOnEngines('a judging that broke off before its version was accepted', (makeStore) => {
  const dying = ({ store }: ReconcileDay): Store => ({
    ...store,
    acceptStatement: async () => {
      throw new Error('killed');
    },
  });

  test('is told by the next: breaks of other days and alarms', async () => {
    await using day = await openDay(['paid', 'failed', 'paid'], makeStore);
    const [one, two, three] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(one, late), foreign(day)], { on: nextDate });
    const own = [lineFor(one), lineFor(two, { status: 'in-process' }), lineFor(three)];
    await expect(day.reconcile(own, { through: dying(day) })).rejects.toThrow('killed');
    await expect(day.reconcile(own, { through: dying(day) })).rejects.toThrow('killed');
    const { recorded } = await day.reconcile(own);
    expect([recorded.openedOnOtherDays, recorded.firstOnOtherDays.map(({ kind }) => kind)]).toEqual([
      1,
      ['duplicate-line'],
    ]);
    expect([...recorded.causes]).toEqual([['earlier-attempt-alive', 1]]);
    expect(isQuiet(new Map(), recorded)).toBe(false);
    const again = await day.reconcile(own);
    expect([again.recorded.openedOnOtherDays, again.recorded.causes.size]).toEqual([0, 0]);
  });

  test('closes what the other file does not have as corrected, not as judged by other settings', async () => {
    await using day = await openDay(['paid', 'paid'], makeStore);
    const [one, two] = day.attempts;
    await expect(day.reconcile([lineFor(one)], { through: dying(day) })).rejects.toThrow('killed');
    await day.reconcile([lineFor(one), lineFor(two)]);
    const closed = (await day.tables('breaks')).map((row) => [row['kind'], row['closedBy']]);
    expect(closed).toEqual([['missing-at-bank', 'version 1 of the statement']]);
  });
});

describeOnEngines('two attempts of one payout that are both complete', (makeStore) => {
  /** A second attempt of the first row, in doubt. */
  async function tryAgain(day: ReconcileDay): Promise<void> {
    const { store } = day;
    const failed = await ownerOf(day);
    const ready = await applied(
      store,
      move({ payout: failed, patch: { status: 'ready' }, cause: 'tried-again', nowMs: noonMs }),
    );
    await submit(store, ready, 1);
  }

  test('are named, and stay so until the statement says otherwise', async () => {
    await using day = await openDay(['failed', 'paid'], makeStore);
    await tryAgain(day);
    const attempts = await attemptsOn(day.store, date);
    const first = attempts.find((one) => one.payoutSeq === day.attempts[0]?.payoutSeq && one.attemptNo === 1);
    const both = attempts.map((one) => lineFor(one));
    const { recorded, totals } = await day.reconcile(both);
    expect(recorded.causes).toEqual(
      new Map([
        ['proved', 1],
        ['second-proof', 1],
      ]),
    );
    expect(await day.store.countOpenBreaks(date)).toEqual(
      new Map([
        ['paid-twice', 2],
        ['status-mismatch', 1],
      ]),
    );
    expect(totals.lines.get('paid-twice')?.count).toBe(2);
    expect(await day.reconcile(both)).toMatchObject(nothingMoved);
    await day.reconcile(both, { reading: 'others' });
    expect((await day.store.countOpenBreaks(date)).get('paid-twice')).toBe(2);
    await day.reconcile(attempts.filter((one) => one !== first).map((one) => lineFor(one)));
    expect((await day.store.openBreaks(date, 10)).map(({ kind, severity }) => [kind, severity])).toEqual([
      ['paid-twice', 'critical'],
      ['missing-at-bank', 'high'],
    ]);
  });

  test('one of them failed by its statement: proof of the other is not followed by that failure again', async () => {
    await using day = await openDay(['failed', 'paid'], makeStore);
    await tryAgain(day);
    const attempts = await attemptsOn(day.store, date);
    const [first, rest, second] = attempts.toSorted(
      (one, other) => one.attemptNo - other.attemptNo || one.payoutSeq - other.payoutSeq,
    );
    await day.reconcile([lineFor(second), lineFor(rest)]);
    await day.reconcile([lineFor(second, { status: 'failed' }), lineFor(rest)]);
    expect(await ownerOf(day)).toMatchObject({ status: 'disputed', reasonCode: 'statement-contradicts' });
    day.daysLater = 2;
    const listed = [lineFor(first, { effectiveDate: nextDate })];
    await day.reconcile(listed, { on: nextDate });
    expect(await ownerOf(day)).toMatchObject({ status: 'paid', reasonCode: 'late-proof' });
    await day.reconcile(listed, { on: nextDate });
    expect(await ownerOf(day)).toMatchObject({ status: 'paid', reasonCode: 'late-proof' });
  });
});
