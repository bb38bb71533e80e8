import type { Wording } from '../../../src/core/messages/wording.ts';
import { catalogue, inEnglish, say } from '../../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { describeBreakRemedy, settleRemedies } from '../../../src/reconcile/rules/break-remedies.ts';
import { followBreaks } from '../../../src/reconcile/rules/breaks.ts';
import { judgeDay } from '../../../src/reconcile/rules/judge-day.ts';
import {
  breakColumns,
  matchedColumns,
  renderBreak,
  renderMatched,
  statementAmountColumns,
} from '../../../src/reconcile/rules/rows.ts';
import { breakKinds, type BreakRecord, type DayFacts } from '../../../src/reconcile/rules/types.ts';
import { noonMs } from '../../support/core-fixtures.ts';
import { date, day, makeFacts, makeKey, makeLine } from '../../support/statement-fixtures.ts';

const recordsOf = (facts: DayFacts) =>
  followBreaks({ facts, judgement: judgeDay(facts, day), standing: [], version: 1, nowMs: noonMs }).map(
    ({ record }) => record,
  );

const named = (columns: readonly string[], row: readonly string[]) =>
  Object.fromEntries(columns.map((column, at) => [column, row[at]]));

describe('rows of the matched file', () => {
  const rowsOf = (facts: DayFacts) => renderMatched(date, 1, facts, judgeDay(facts, day), 'the bank');

  test('has one for each line on which both sides agree', () => {
    const attempt = makeFacts('paid');
    const rows = rowsOf(makeKey(attempt, [makeLine(attempt, 'complete'), makeLine(attempt, 'complete')]));
    expect(rows).toHaveLength(1);
    expect(rows[0]).toHaveLength(matchedColumns.length);
    expect(named(matchedColumns, rows[0] ?? [])).toMatchObject({
      date: '2026-11-21',
      outcome: 'matched',
      payoutId: 'INV-1',
      proxyNo: '0810000001',
      amount: '100.00',
      bankFee: '5.00',
      bankNet: '105.00',
      sysRefNo: 'SYS1',
      source: 'the bank',
    });
  });

  test('has none for a break or another company', () => {
    const attempt = makeFacts('failed');
    expect(rowsOf(makeKey(attempt, [makeLine(attempt, 'complete')]))).toEqual([]);
    const others = makeLine(attempt, 'complete', { transRefNo: 'X1', companyId: 'COMP000002' });
    expect(rowsOf(makeKey(undefined, [others]))).toEqual([]);
  });
});

describe('rows of the breaks file', () => {
  test('shows both sides, the remedy and the age', () => {
    const attempt = makeFacts('failed', { sysRefNo: 'OURS' });
    const [record] = recordsOf(makeKey(attempt, [makeLine(attempt, 'complete')]));
    if (record === undefined) throw new Error('no break');
    const row = renderBreak(record, noonMs + 2 * 86_400_000, 'the bank');
    expect(row).toHaveLength(breakColumns.length);
    expect(named(breakColumns, row)).toMatchObject({
      date: '2026-11-21',
      state: 'open',
      kind: 'status-mismatch',
      severity: 'critical',
      status: 'failed',
      amount: '100.00',
      bankStatus: 'COMPLETE',
      bankProxyNo: '0810000001',
      bankAmount: '100.00',
      sysRefNo: 'SYS1',
      openedAt: '2026-11-21T12:00:00+07:00',
      ageDays: '2',
      closedBy: '',
      source: 'the bank',
    });
  });

  test.each([
    ['no line', makeKey(makeFacts('paid'), [])],
    ['no attempt', makeKey(undefined, [makeLine(makeFacts('paid'), 'complete', { transRefNo: 'X1' })])],
  ])('has every column where there is %s', (_, facts) => {
    for (const record of recordsOf(facts)) {
      expect(renderBreak(record, noonMs, 'the bank')).toHaveLength(breakColumns.length);
      const closed = {
        ...record,
        state: 'closed',
        closedAtMs: noonMs,
        closedBy: { kind: 'corrected', version: 2 },
      } as const;
      const row = named(breakColumns, renderBreak(closed, noonMs, 'the bank'));
      expect(row).toMatchObject({ state: 'closed', closedBy: 'version 2 of the statement' });
    }
  });

  test('knows its amounts', () => {
    const known: readonly string[] = [...matchedColumns, ...breakColumns];
    expect(statementAmountColumns.filter((column) => !known.includes(column))).toEqual([]);
  });
});

describe('what to do about a break', () => {
  const bare = { severity: 'high', attempt: null, lines: [], lineAt: null, date: '20261120' } as const;

  test('is said for every kind, each in words of its own', () => {
    const texts = breakKinds.map((kind) => inEnglish(describeBreakRemedy({ kind, ...bare })));
    expect(new Set(texts).size).toBe(breakKinds.length);
  });

  test('has nobody ask about what is settled: "paydrop settle" leaves that alone', () => {
    const attemptOf = (attemptStatus: 'paid' | 'failed' | 'unresolved') =>
      ({ attemptStatus }) as unknown as BreakRecord['attempt'];
    for (const kind of ['status-contradiction', 'pending-at-bank'] as const) {
      const remedyOf = (status: 'paid' | 'failed' | 'unresolved') =>
        inEnglish(describeBreakRemedy({ ...bare, kind, attempt: attemptOf(status) }));
      expect(remedyOf('unresolved')).toContain('"paydrop settle"');
      for (const status of ['paid', 'failed'] as const) {
        expect(remedyOf(status)).not.toContain('settle"');
        expect(remedyOf(status)).toMatch(/^Do not pay it again/);
      }
    }
  });

  test('names the statement, or a confirmation, for what only a statement settles', () => {
    const attempt = { attemptStatus: 'unresolved', isByStatement: true } as unknown as BreakRecord['attempt'];
    for (const kind of ['status-contradiction', 'pending-at-bank', 'pending-not-in-statement'] as const) {
      const remedy = inEnglish(describeBreakRemedy({ ...bare, kind, attempt }));
      expect(remedy).toContain('"paydrop reconcile --date 2026-11-20"');
      expect(remedy).toContain('"paydrop reconcile --date 2026-11-21"');
      expect(remedy).toContain('"paydrop confirm"');
      expect(remedy).not.toContain('settle"');
      expect(say('th', describeBreakRemedy({ ...bare, kind, attempt }))).toContain('หรือของวันที่ 2026-11-21');
    }
  });

  test('knows each of its texts that has the bank asked by settle', () => {
    const texts = Object.entries<Wording>(catalogue).filter(([code]) => /^break-remedy\b/.test(code));
    const asking = texts.filter(([, wording]) => wording[0].includes('"paydrop settle"'));
    expect(settleRemedies.toSorted()).toEqual(asking.map(([code]) => code).toSorted());
  });

  test('tells who had been wrong', () => {
    const remedyOf = (status: 'paid' | 'failed', line: 'complete' | 'failed') =>
      recordsOf(makeKey(makeFacts(status), [makeLine(makeFacts(status), line)]))
        .map((record) => inEnglish(describeBreakRemedy(record)))
        .join();
    expect(remedyOf('failed', 'complete')).toMatch(/It is paid, though we had called it failed/);
    expect(remedyOf('paid', 'failed')).toMatch(/disputed/);
  });

  test.each([
    ['failed', /bank has paid what we call failed/],
    ['refused', /bank has paid what it had refused/],
    ['paid', /money went back/],
    [
      'unresolved',
      /^Ask the bank what the word in STATUS means and add it to reconcile\.words in the settings/,
    ],
  ] as const)('warns of a word that nobody knows: %s here', (status, warning) => {
    const attempt = makeFacts(status);
    const [record] = recordsOf(makeKey(attempt, [makeLine(attempt, 'other')]));
    expect(record === undefined ? '' : inEnglish(describeBreakRemedy(record))).toMatch(warning);
  });

  test('has a later attempt looked for where a lost journal may have made one', () => {
    const attempt = makeFacts('unresolved');
    const held = { ...makeKey(attempt, [makeLine(attempt, 'failed')]), mayHaveLaterAttempt: true };
    expect(
      recordsOf(held)
        .map((record) => inEnglish(describeBreakRemedy(record)))
        .join(),
    ).toMatch(/not pay it again: the line says that it failed, and does not settle it yet/);
  });

  test('never has anything paid again without the bank', () => {
    for (const kind of [
      'status-contradiction',
      'missing-at-bank',
      'no-trace',
      'pending-not-in-statement',
      'pending-at-bank',
    ] as const)
      expect(inEnglish(describeBreakRemedy({ kind, ...bare }))).toMatch(/not pay it again/);
  });
});
