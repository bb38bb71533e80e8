import { describe, expect, test } from 'vitest';
import { acceptBreak, computeAgeDays, followBreaks } from '../../../src/reconcile/rules/breaks.ts';
import { judgeDay } from '../../../src/reconcile/rules/judge-day.ts';
import { compareTotals, encodeTotals, makeTally } from '../../../src/reconcile/rules/tally.ts';
import type { BreakRecord, DayFacts, StatementDay } from '../../../src/reconcile/rules/types.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { baht, date, day, makeFacts, makeKey, makeLine, nextDate } from '../../support/statement-fixtures.ts';

const dayMs = 86_400_000;

function follow(facts: DayFacts, open: readonly BreakRecord[] = [], version = 1, on: StatementDay = day) {
  const moves = followBreaks({
    facts,
    judgement: judgeDay(facts, on),
    standing: open,
    version,
    nowMs: noonMs + dayMs,
  });
  return { moves, kinds: moves.map(({ kind, record }) => `${kind} ${record.kind}`) };
}

const openOf = (facts: DayFacts): BreakRecord[] =>
  followBreaks({ facts, judgement: judgeDay(facts, day), standing: [], version: 1, nowMs: noonMs }).map(
    ({ record }) => record,
  );

describe('a payout that is missing', () => {
  const absent = makeKey(makeFacts('paid'), []);

  test('stays open, with its age, while nothing tells of it', () => {
    const { moves, kinds } = follow(absent, openOf(absent));
    expect(kinds).toEqual(['kept missing-at-bank']);
    expect(moves[0]?.record.openedAtMs).toBe(noonMs);
    expect(moves.map(({ record }) => computeAgeDays(record, noonMs + 3 * dayMs))).toEqual([3]);
  });

  test('is closed by the next day’s statement', () => {
    const line = makeLine(makeFacts('paid'), 'complete', { effectiveDate: nextDate });
    const { moves, kinds } = follow(
      makeKey(makeFacts('paid'), [], [{ date: nextDate, line }]),
      openOf(absent),
    );
    expect(kinds).toEqual(['closed missing-at-bank']);
    expect(moves[0]?.record).toMatchObject({
      state: 'closed',
      closedAtMs: noonMs + dayMs,
      closedBy: { kind: 'later-statement', date: nextDate },
    });
  });

  test('is closed by a corrected statement', () => {
    const { moves } = follow(
      makeKey(makeFacts('paid'), [makeLine(makeFacts('paid'), 'complete')]),
      openOf(absent),
      2,
    );
    expect(moves[0]?.record.closedBy).toEqual({ kind: 'corrected', version: 2 });
  });
});

describe('an attempt in doubt that is missing', () => {
  const absent = makeKey(makeFacts('unresolved'), []);

  test('is missing at the bank once an inquiry calls it paid', () => {
    const { moves, kinds } = follow(makeKey(makeFacts('paid'), []), openOf(absent));
    expect(kinds).toEqual(['opened missing-at-bank', 'closed pending-not-in-statement']);
    expect(moves[1]?.record.closedBy).toEqual({ kind: 'settled', attemptStatus: 'paid' });
  });

  test('is no break any more once it has failed', () => {
    expect(follow(makeKey(makeFacts('failed'), []), openOf(absent)).kinds).toEqual([
      'closed pending-not-in-statement',
    ]);
  });

  test('leaves no trace when the next day has been read', () => {
    const asked = { lastFinding: 'not-found', lastInquiryAtMs: noonMs + dayMs } as const;
    const on = { ...day, readDates: new Set([date, nextDate]) };
    const { kinds } = follow(makeKey(makeFacts('unresolved', asked), []), openOf(absent), 1, on);
    expect(kinds).toEqual(['opened no-trace', 'closed pending-not-in-statement']);
  });
});

describe('what we have recorded on the strength of the line itself', () => {
  const line = makeLine(makeFacts('failed'), 'complete');
  const open = openOf(makeKey(makeFacts('failed'), [line]));

  test('does not close the most severe break', () => {
    const { moves, kinds } = follow(makeKey(makeFacts('paid'), [line]), open);
    expect(kinds).toEqual(['kept status-mismatch']);
    expect(moves[0]?.record).toMatchObject({ severity: 'critical', attempt: { attemptStatus: 'failed' } });
    expect(follow(makeKey(makeFacts('paid'), [line]), open, 2).moves[0]?.record.version).toBe(2);
  });

  test('is contradicted by a corrected statement that says failed', () => {
    const failed = makeLine(makeFacts('failed'), 'failed');
    expect(follow(makeKey(makeFacts('paid'), [failed]), open, 2).kinds).toEqual(['changed status-mismatch']);
    expect(follow(makeKey(makeFacts('failed'), [failed]), open, 2).kinds).toEqual(['closed status-mismatch']);
  });

  test('changes no reason', () => {
    const failedLater = [
      { date: nextDate, line: makeLine(makeFacts('failed'), 'failed', { effectiveDate: nextDate }) },
    ];
    const before = openOf(makeKey(makeFacts('failed'), [line], failedLater));
    const now = makeKey(makeFacts('unresolved', { acknowledged: true }), [line], failedLater);
    expect(follow(now, before).moves).toMatchObject([
      { kind: 'kept', record: { severity: 'critical', reason: before[0]?.reason } },
    ]);
  });

  test('makes no break quieter', () => {
    const alive = makeLine(makeFacts('failed'), 'in-process');
    const before = openOf(makeKey(makeFacts('failed'), [alive]));
    const now = makeKey(makeFacts('unresolved', { acknowledged: true }), [alive]);
    expect(follow(now, before).moves.map(({ kind, record }) => [kind, record.severity])).toEqual([
      ['kept', 'high'],
    ]);
    expect(follow(now, before, 2).moves.map(({ kind, record }) => [kind, record.severity])).toEqual([
      ['changed', 'low'],
    ]);
  });
});

describe('a corrected statement', () => {
  const attempt = makeFacts('paid');
  const lineOf = (amount: string) =>
    makeLine(attempt, 'complete', { amountSatang: baht(amount), netSatang: baht(amount) });

  test('changes a break that shows another figure', () => {
    const open = openOf(makeKey(attempt, [lineOf('99.00')]));
    expect(follow(makeKey(attempt, [lineOf('98.00')]), open, 2).kinds).toEqual(['changed amount-mismatch']);
    expect(follow(makeKey(attempt, [lineOf('99.00')]), open, 2).kinds).toEqual(['kept amount-mismatch']);
  });

  test('lists the figures that it changes', () => {
    const totalsOf = (lines: DayFacts['lines']) => {
      const tally = makeTally();
      const facts = makeKey(attempt, lines);
      tally.add(facts, judgeDay(facts, day));
      return encodeTotals(tally.totals());
    };
    const [wrong, right] = [totalsOf([lineOf('99.00')]), totalsOf([lineOf('100.00')])];
    expect(compareTotals(right, right)).toEqual([]);
    expect(
      compareTotals(wrong, right).map(({ side, place, before, after }) => [
        side,
        place,
        before.count,
        after.count,
      ]),
    ).toEqual([
      ['statement', 'amount-mismatch', 1, 0],
      ['statement', 'matched', 0, 1],
      ['paid', 'amount-mismatch', 1, 0],
      ['paid', 'matched', 0, 1],
    ]);
  });

  test('shows whether it was judged by other settings', () => {
    const open = openOf(makeKey(attempt, [makeLine(attempt, 'other')]));
    const closedBy = (changes: object) =>
      follow(makeKey(attempt, [makeLine(attempt, 'complete', changes)]), open).moves.map(
        ({ record }) => record.closedBy?.kind,
      );
    expect(closedBy({ statusText: 'REVERSED' })).toEqual(['judged-anew']);
    // A judging that broke off had another file.
    expect(closedBy({})).toEqual(['corrected']);
  });
});

describe('what people have accepted', () => {
  const acceptance = { by: 'Mali', checkedBy: 'Nok', proposal: 1 };
  const accepted = (facts: DayFacts) =>
    openOf(facts).map((record) => acceptBreak(record, acceptance, noonMs));
  const inProcess = (status: 'paid' | 'failed' | 'unresolved') => {
    const attempt = makeFacts(status);
    return makeKey(attempt, [makeLine(attempt, 'in-process')]);
  };

  test('stays so while it says the same, and while it is no more severe', () => {
    expect(follow(inProcess('paid'), accepted(inProcess('paid')), 2).moves).toEqual([]);
    // It was in doubt then, and is named more severely now that we call it paid.
    expect(follow(inProcess('paid'), accepted(inProcess('unresolved'))).kinds).toEqual([
      'opened pending-at-bank',
    ]);
    expect(follow(inProcess('unresolved'), accepted(inProcess('failed'))).kinds).toEqual([
      'opened pending-at-bank',
    ]);
  });

  test('is left as it is when nothing shows it any more, and is still known when it is shown again', () => {
    const facts = inProcess('paid');
    const known = accepted(facts);
    const paid = makeFacts('paid');
    expect(follow(makeKey(paid, [makeLine(paid, 'complete')]), known, 2).moves).toEqual([]);
    expect(follow(facts, known, 3).moves).toEqual([]);
  });

  test('does not hide another kind, nor what was opened since', () => {
    const facts = inProcess('paid');
    const [open] = openOf(facts);
    expect(follow(facts, [...accepted(facts), ...(open === undefined ? [] : [open])]).kinds).toEqual([
      'kept pending-at-bank',
    ]);
  });
});
