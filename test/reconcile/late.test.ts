/** What a later statement, or our own side, makes of a line in process; and failures that a lost journal holds back. */
import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { move, reasonPatch, settled } from '../../src/core/change.ts';
import { decideSuperseded } from '../../src/payout/rules/superseded.ts';
import type { LineStatus } from '../../src/reconcile/rules/statement.ts';
import type { Store } from '../../src/store/store.ts';
import { caseAt } from '../support/core-fixtures.ts';
import { applied, noonMs, statusesOf } from '../support/journal-fixtures.ts';
import { dayMs, lineFor, openDay, openKinds, type ReconcileDay } from '../support/reconcile-kit.ts';
import { date, nextDate } from '../support/statement-fixtures.ts';

const allKinds = async (day: ReconcileDay): Promise<string[]> => [
  ...(await openKinds(day, date)),
  ...(await openKinds(day, nextDate)),
];

/** The first two rows in one statement, the third in that of its day alone: it keeps either day from being empty. */
const linesOn = (
  { attempts: [one, two, three] }: ReconcileDay,
  on: string,
  first: LineStatus,
  second: LineStatus,
) => {
  const own = { ...lineFor(three), effectiveDate: on };
  const rest = on === date ? own : { ...own, transRefNo: 'FOREIGN', companyId: 'OTHER' };
  // A failure of another day than the transfer's would settle nothing.
  const line = (status: LineStatus) => ({ status, effectiveDate: status === 'failed' ? date : on });
  return [lineFor(one, line(first)), lineFor(two, line(second)), rest];
};

describe('in process on its day, finished on the next', () => {
  const statements = (day: ReconcileDay) =>
    new Map([
      [date, linesOn(day, date, 'in-process', 'in-process')],
      [nextDate, linesOn(day, nextDate, 'complete', 'failed')],
    ]);

  test.each([
    ['in order', [date, nextDate]],
    ['the later day first', [nextDate, date]],
  ])('is settled and no break is left, %s', async (_order, dates) => {
    await using day = await openDay(['unresolved', 'submitted', 'paid']);
    day.daysLater = 2;
    const all = statements(day);
    for (const on of dates) await day.reconcile(all.get(on) ?? [], { on });
    expect(await statusesOf(day.store)).toEqual(['paid', 'failed', 'paid']);
    expect(await allKinds(day)).toEqual([]);
    const closed = (await day.tables('breaks')).filter((row) => row['kind'] === 'pending-at-bank');
    expect(closed.slice(-2).map((row) => [row['state'], row['closedBy']])).toEqual([
      ['closed', 'the statement of 2026-11-22'],
      ['closed', 'the statement of 2026-11-22'],
    ]);
    const before = await day.dump();
    for (const on of dates) {
      const again = await day.reconcile(all.get(on) ?? [], { on });
      expect(again).toMatchObject({ isRepeat: true, recorded: { opened: 0, changed: 0, closed: 0 } });
    }
    expect(await day.dump()).toBe(before);
    expect((await day.store.payout(day.attempts[1]?.payoutSeq ?? 0))?.isAlarm).toBe(false);
  });

  test.each([[[date, nextDate]], [[nextDate, date]]])(
    'a new version of either changes nothing: %j',
    async (dates) => {
      await using day = await openDay(['unresolved', 'submitted', 'paid']);
      day.daysLater = 2;
      const all = statements(day);
      for (const on of dates) await day.reconcile(all.get(on) ?? [], { on });
      for (const on of [...dates, ...dates]) {
        const { recorded } = await day.reconcile(all.get(on) ?? [], { on, reading: `again ${on}` });
        expect([recorded.opened, recorded.changed]).toEqual([0, 0]);
      }
      expect(await statusesOf(day.store)).toEqual(['paid', 'failed', 'paid']);
      expect(await allKinds(day)).toEqual([]);
    },
  );

  test('and named for something else: the answered break is not closed again each time', async () => {
    await using day = await openDay(['paid', 'paid']);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(one, { effectiveDate: nextDate })], { on: nextDate });
    const alive = lineFor(one, { status: 'in-process' });
    await day.reconcile([alive, alive, lineFor(two)]);
    expect(await openKinds(day)).toEqual(['duplicate-line']);
    const again = await day.reconcile([alive, alive, lineFor(two)]);
    expect(again).toMatchObject({ isRepeat: true, recorded: { opened: 0, changed: 0, closed: 0 } });
  });

  test('complete on its day and failed on the next is settled by neither as failed', async () => {
    await using day = await openDay(['unresolved', 'unresolved', 'paid']);
    day.daysLater = 2;
    await day.reconcile(linesOn(day, nextDate, 'in-process', 'in-process'), { on: nextDate });
    await day.reconcile(linesOn(day, date, 'complete', 'failed'));
    expect(await statusesOf(day.store)).toEqual(['paid', 'unresolved', 'paid']);
    expect(await openKinds(day)).toEqual(['status-mismatch']);
  });
});

describe('in process in the statement, and settled by an inquiry when its day was over', () => {
  test.each(['paid', 'failed'] as const)(
    '%s after it was read: the break is closed, and nothing is brought back',
    async (status) => {
      await using day = await openDay(['unresolved', 'paid', 'paid']);
      const [one, two] = day.attempts;
      const lines = [lineFor(one, { status: 'in-process' }), lineFor(two)];
      await day.reconcile(lines);
      await endByInquiry(day, status);
      expect(await day.reconcile(lines)).toMatchObject({ isRepeat: true, recorded: { closed: 1 } });
      expect((await statusesOf(day.store))[0]).toBe(status);
      // The third row is still missing.
      expect(await openKinds(day)).toEqual(['missing-at-bank']);
      expect(await day.reconcile(lines)).toMatchObject({ recorded: { opened: 0, changed: 0, closed: 0 } });
    },
  );

  test.each(['paid', 'failed'] as const)(
    '%s before it was read: the break is named, and closed at once',
    async (status) => {
      await using day = await openDay(['unresolved', 'paid']);
      const [one, two] = day.attempts;
      await endByInquiry(day, status);
      const { recorded } = await day.reconcile([lineFor(one, { status: 'in-process' }), lineFor(two)]);
      expect([recorded.closed, await openKinds(day)]).toEqual([1, []]);
      expect(await statusesOf(day.store)).toEqual([status, 'paid']);
    },
  );

  async function endByInquiry(
    { store, attempts: [known] }: ReconcileDay,
    status: 'paid' | 'failed',
  ): Promise<void> {
    const payout = await store.payout(known?.payoutSeq ?? 0);
    if (payout === undefined) throw new Error('there is no such payout');
    const [attempt] = await store.attemptsOf(known?.order.companyId ?? '', payout.instruction.payoutId);
    if (attempt === undefined) throw new Error('there is no such attempt');
    const nowMs = noonMs + dayMs;
    const reason = { code: 'said', text: verbatim('the bank said so') };
    const patch = { status, ...reasonPatch(reason), ...settled('inquiry', nowMs) };
    const cause = status === 'paid' ? 'proved' : 'inquiry-failed';
    const lastFinding = status === 'paid' ? 'complete' : 'failed';
    const ended = { ...attempt, status, lastInquiryAtMs: nowMs, lastFinding, nextInquiryAtMs: null } as const;
    await applied(store, move({ payout, patch, cause, nowMs, attempt: ended }));
  }
});

describe('failed, while a lost journal may have made a later attempt', () => {
  const loss = { recoveredAtMs: noonMs + 1, sinceDate: date, untilDate: date };
  const after = (store: Store): Store =>
    new Proxy(store, {
      get: (target, name) => (name === 'loss' ? async () => loss : (Reflect.get(target, name) as unknown)),
    });

  test('is named, settles nothing, and is settled once nothing is lost any more', async () => {
    await using day = await openDay(['unresolved', 'paid']);
    const [one, two] = day.attempts;
    const lines = [lineFor(one, { status: 'failed' }), lineFor(two)];
    const through = after(day.store);
    const { totals } = await day.reconcile(lines, { through });
    expect([...totals.lines.keys()]).toEqual(['matched', 'status-mismatch']);
    expect(await day.store.openBreaks(date, 10)).toMatchObject([
      { kind: 'status-mismatch', severity: 'low' },
    ]);
    const before = await day.dump();
    expect(await day.reconcile(lines, { through })).toMatchObject({ isRepeat: true });
    expect(await day.dump()).toBe(before);
    expect(await statusesOf(day.store)).toEqual(['unresolved', 'paid']);
    await day.reconcile(lines);
    expect([await statusesOf(day.store), await openKinds(day)]).toEqual([['failed', 'paid'], []]);
  });
});

describe('in doubt again after its day was read', () => {
  test('is not called absent from a statement that has it', async () => {
    await using day = await openDay(['failed', 'paid']);
    const [one, two] = day.attempts;
    day.daysLater = 2;
    await day.reconcile([lineFor(one, { status: 'failed' }), lineFor(two)]);
    day.daysLater = 3;
    const alive = lineFor(one, { status: 'in-process', effectiveDate: nextDate });
    await day.reconcile([alive], { on: nextDate });
    expect(await statusesOf(day.store)).toEqual(['unresolved', 'paid']);
    const rest = { ...lineFor(two, { effectiveDate: nextDate }), transRefNo: 'FOREIGN', companyId: 'OTHER' };
    await day.reconcile([rest], { on: nextDate });
    await day.reconcile([rest], { on: nextDate });
    expect(await openKinds(day)).toEqual([]);
    // Its own day's line was heard before the bank worked on it.
    expect(await statusesOf(day.store)).toEqual(['unresolved', 'paid']);
  });
});

describe('failed by a line, and an inquiry says otherwise since', () => {
  const failed = ({ attempts: [one, two] }: ReconcileDay) => [
    lineFor(one, { status: 'failed' }),
    lineFor(two),
  ];
  const foreign = ({ attempts: [, two] }: ReconcileDay) => [
    { ...lineFor(two, { effectiveDate: nextDate }), transRefNo: 'FOREIGN', companyId: 'OTHER' },
  ];
  const said = {
    unresolved: {
      kind: 'in-process',
      reason: { code: '010001', text: verbatim('said') },
      moments: [{ tranDate: '', tranTime: '' }],
    },
    paid: {
      kind: 'complete',
      reason: { code: '010004', text: verbatim('said') },
      sysRefNo: null,
      send: null,
      moments: [{ tranDate: '', tranTime: '' }],
      isTwice: false,
    },
  } as const;
  const statuses = ['unresolved', 'paid'] as const;

  async function inquire(
    { store, attempts: [known] }: ReconcileDay,
    status: keyof typeof said,
  ): Promise<void> {
    const payout = await store.payout(known?.payoutSeq ?? 0);
    if (payout === undefined) throw new Error('there is no such payout');
    const [attempt] = await store.attemptsOf(known?.order.companyId ?? '', payout.instruction.payoutId);
    if (attempt === undefined) throw new Error('there is no such attempt');
    const change = decideSuperseded(caseAt(noonMs + 3 * dayMs, { payout, attempt }), said[status]);
    if (change === undefined) throw new Error('the inquiry changes nothing');
    await applied(store, change);
  }

  /** It is as the inquiry says, its payoutId is taken, and its alarm stands. */
  async function expectStands(day: ReconcileDay, status: keyof typeof said): Promise<void> {
    expect(await statusesOf(day.store)).toEqual([status, 'paid']);
    const payout = await day.store.payout(day.attempts[0]?.payoutSeq ?? 0);
    expect(payout).toMatchObject({ status, isAlarm: true });
    const { companyId } = day.attempts[0]?.order ?? { companyId: '' };
    expect(await day.store.claimHolders(companyId, [payout?.instruction.payoutId ?? ''])).toHaveLength(1);
  }

  test.each(statuses)('%s: the line is not heard again', async (status) => {
    await using day = await openDay(['unresolved', 'paid']);
    day.daysLater = 2;
    await day.reconcile(failed(day));
    expect(await statusesOf(day.store)).toEqual(['failed', 'paid']);
    await inquire(day, status);
    day.daysLater = 4;
    for (let again = 0; again < 2; again += 1) {
      await day.reconcile(failed(day));
      await expectStands(day, status);
      await day.reconcile(foreign(day), { on: nextDate });
      await expectStands(day, status);
    }
    await day.reconcile(foreign(day), { on: nextDate, reading: 'again' });
    await expectStands(day, status);
  });

  test.each(statuses)('%s: a new version of its day is heard', async (status) => {
    await using day = await openDay(['unresolved', 'paid']);
    day.daysLater = 2;
    await day.reconcile(failed(day));
    await inquire(day, status);
    day.daysLater = 4;
    await day.reconcile(failed(day), { reading: 'again' });
    const payout = await day.store.payout(day.attempts[0]?.payoutSeq ?? 0);
    expect(payout?.status).toBe(status === 'paid' ? 'disputed' : 'failed');
  });
});
