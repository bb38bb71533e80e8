/** One transfer, judged once over the lines of all days that were read. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type AttemptStatus, attemptStatuses } from '../../../src/core/payout.ts';
import { judgeDay } from '../../../src/reconcile/rules/judge-day.ts';
import { judgeTransfer } from '../../../src/reconcile/rules/judge-transfer.ts';
import type { LineStatus } from '../../../src/reconcile/rules/statement.ts';
import type { AttemptFacts, DaysRead, StatementStep } from '../../../src/reconcile/rules/types.ts';
import { payer } from '../../support/core-fixtures.ts';
import { date, makeFacts, makeLine, nextDate } from '../../support/statement-fixtures.ts';

const before = '20261120';
const allDates = [before, date, nextDate] as const;

/** Of each day what its statement says, in turn; null where it was not read. */
type Said = readonly (readonly LineStatus[] | null)[];

function judgeAll(status: AttemptStatus, said: Said, readNow?: string, changes: Partial<AttemptFacts> = {}) {
  const attempt = makeFacts(status, changes);
  const lines = said.flatMap((statuses, at) => {
    const on = allDates[at] ?? date;
    const effectiveDate = on === before ? before : date;
    const ofDay = (statuses ?? []).map((one, place) =>
      makeLine(attempt, one, { line: place + 2, effectiveDate }),
    );
    return ofDay.length === 0 ? [] : [{ date: on, lines: ofDay }];
  });
  const dates = allDates.filter((_, at) => said[at] !== null);
  const read: DaysRead = {
    companyId: payer.companyId,
    days: new Map(dates.map((one) => [one, 1])),
    acceptedAtMs: new Map(),
    wholeDates: new Set(dates),
    unreadDates: new Set(),
    readNow,
  };
  const facts = { key: attempt.order.transRefNo, attempt, lines, standingBreaks: [] };
  return { judged: judgeTransfer(facts, read), read, attempt };
}

const showBreaks = (...asked: Parameters<typeof judgeAll>): string[] =>
  judgeAll(...asked).judged.days.flatMap(({ judgement }) =>
    judgement.breaks.map((one) => `${one.date} ${one.kind}`),
  );

describe('the step', () => {
  test.each<[AttemptStatus, Said, string | undefined, readNow?: string]>([
    ['unresolved', [null, ['complete'], null], `prove ${date}`],
    ['unresolved', [null, ['in-process'], ['complete']], `prove ${nextDate}`],
    ['unresolved', [null, ['failed'], ['complete']], `prove ${nextDate}`],
    ['unresolved', [null, ['complete'], ['failed']], `doubt ${nextDate}`],
    ['unresolved', [null, ['failed'], null], `fail ${date}`, date],
    ['unresolved', [null, ['failed'], null], undefined],
    ['unresolved', [null, [], ['failed']], `fail ${nextDate}`, nextDate],
    ['unresolved', [null, ['failed'], ['in-process']], `doubt ${nextDate}`],
    ['paid', [null, ['failed'], ['complete']], undefined],
    ['paid', [null, ['complete'], ['failed']], `dispute ${nextDate}`, nextDate],
    ['paid', [null, ['complete'], ['failed']], undefined],
    ['paid', [null, ['complete'], ['complete']], undefined],
    ['failed', [null, ['in-process'], ['failed']], undefined],
    ['failed', [null, ['in-process'], []], `doubt ${date}`],
    ['failed', [null, [], ['complete']], `prove ${nextDate}`],
    ['unresolved', [['complete'], [], null], `doubt ${before}`],
    ['sent', [null, [], []], undefined],
  ])('%s here, %j at the bank: %s', (status, said, expected, readNow) => {
    const { step } = judgeAll(status, said, readNow).judged;
    expect(step === undefined ? undefined : `${step.kind} ${step.date}`).toBe(expected);
  });

  test('rests on the line of the day that is read, where several ask for the same', () => {
    const said: Said = [null, ['complete'], ['complete']];
    expect(judgeAll('unresolved', said, date).judged.step?.date).toBe(date);
    expect(judgeAll('unresolved', said, nextDate).judged.step?.date).toBe(nextDate);
  });

  test('reopens what failed by a line that has gone, of a day that is not its own', () => {
    const attempt = makeFacts('failed', { settledBy: 'statement' });
    const facts = { key: attempt.order.transRefNo, attempt, lines: [], standingBreaks: [] };
    const acceptedAtMs = new Map<string, number>();
    const wholeDates = new Set([nextDate]);
    const whole = { acceptedAtMs, wholeDates, unreadDates: new Set<string>() };
    const read = { companyId: payer.companyId, ...whole, readNow: nextDate };
    const days = new Map([[nextDate, 2]]);
    expect(judgeTransfer(facts, { ...read, days }).step).toMatchObject({ kind: 'reopen', line: undefined });
    const line = makeLine(attempt, 'failed');
    const still = { ...facts, lines: [{ date: nextDate, lines: [line] }] };
    expect(judgeTransfer(still, { ...read, days }).step).toBeUndefined();
  });
});

test('one reading does not dispute what a kept line would prove again', () => {
  const statuses = ['complete', 'failed', 'in-process', 'contradiction', 'other'] as const;
  const pairs = statuses.flatMap((one) => statuses.map((other) => [one, other] as const));
  const days: readonly (readonly LineStatus[])[] = [[], ...statuses.map((one) => [one]), ...pairs];
  const restless: string[] = [];
  for (const own of days)
    for (const later of days)
      for (const readNow of [date, nextDate]) {
        const said: Said = [null, own, later];
        const first = judgeAll('paid', said, readNow).judged.step;
        if (first?.kind !== 'dispute') continue;
        const second = judgeAll('paid', said, readNow, { payoutStatus: 'disputed' }).judged.step;
        if (second !== undefined) restless.push(`${own.join('+')} / ${later.join('+')}: ${second.kind}`);
      }
  expect(restless).toEqual([]);
});

test('what a later day shows complete is proved, whichever of the two is read: its step may have been lost in a crash', () => {
  const disputed = { payoutStatus: 'disputed' } as const;
  for (const readNow of [date, nextDate]) {
    const { step } = judgeAll('paid', [null, ['failed'], ['complete']], readNow, disputed).judged;
    expect(step).toMatchObject({ kind: 'prove', date: nextDate });
  }
});

describe('breaks', () => {
  test.each<[AttemptStatus, Said, string[]]>([
    ['paid', [null, [], null], [`${date} missing-at-bank`]],
    ['paid', [null, [], ['complete']], []],
    ['paid', [null, null, ['complete']], []],
    ['paid', [null, ['complete'], ['complete']], [`${nextDate} duplicate-line`]],
    ['paid', [['complete'], [], null], [`${before} date-mismatch`, `${date} missing-at-bank`]],
    ['unresolved', [null, [], ['in-process']], [`${nextDate} pending-at-bank`]],
    ['failed', [null, [], []], []],
  ])('%s here, %j at the bank: %j', (status, said, expected) => {
    expect(showBreaks(status, said)).toEqual(expected);
  });

  test('that a later day has resolved, or put out of date, are named when their own day is read alone', () => {
    const said: Said = [null, ['in-process'], ['complete']];
    expect(showBreaks('paid', said, date)).toEqual([`${date} pending-at-bank`]);
    expect(showBreaks('paid', said)).toEqual([]);
    const retracted: Said = [null, ['failed'], ['complete']];
    expect(showBreaks('paid', retracted, date)).toEqual([`${date} status-mismatch`]);
    expect(showBreaks('paid', retracted, nextDate)).toEqual([]);
  });
});

test('each day is judged by its own lines and those of all others, whatever they say', () => {
  const every = fc.constantFrom<LineStatus>('complete', 'failed', 'in-process', 'contradiction', 'other');
  const statuses = fc.array(every, { maxLength: 2 });
  const said = fc.array(fc.option(statuses, { freq: 4 }), { minLength: 3, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...attemptStatuses), said, (status, all) => {
      const { judged, read, attempt } = judgeAll(status, all);
      const asked = judged.days.map(({ date: on, facts }) => {
        const { companyId, wholeDates: readDates, unreadDates } = read;
        const day = { date: on, companyId, readDates, unreadDates };
        return judgeDay(facts, day).step;
      });
      for (const { facts } of judged.days) {
        const others = judged.facts.lines.flatMap(({ lines }) => lines).length - facts.lines.length;
        expect(facts.otherDayLines).toHaveLength(others);
      }
      // No day is read now: what failed settles nothing.
      const isLeft = (step: StatementStep | undefined): boolean =>
        step === undefined || step === 'fail' || step === 'dispute';
      if (judged.step === undefined) expect(asked.every(isLeft)).toBe(true);
      else expect(asked).toContain(judged.step.kind);
      // Nothing is proved but by a line that is complete, and no two days ask for what excludes each other.
      if (judged.step?.kind === 'prove') expect(judged.step.line?.status).toBe('complete');
      expect(asked.includes('prove') && asked.includes('fail')).toBe(false);
      expect(attempt.attemptStatus).toBe(status);
    }),
    { numRuns: 1_000 },
  );
});
