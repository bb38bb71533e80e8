import { verbatim } from '../../../src/core/message.ts';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test, vi } from 'vitest';
import type { StatementRun } from '../../../src/reconcile/ports.ts';
import type { BreakMove } from '../../../src/reconcile/rules/breaks.ts';
import { describeOnEngines } from '../../support/engines.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { date, makeFacts, makeLine } from '../../support/statement-fixtures.ts';

const run = { date, runId: 'first' };

function moveOf(key: string, changes: Partial<BreakMove['record']> = {}): BreakMove {
  const attempt = makeFacts('paid');
  const lines = [makeLine(attempt, 'complete', { proxyNameTh: 'สมชาย "ใจดี"\u001f,' })];
  return {
    kind: 'opened',
    record: {
      key,
      kind: 'amount-mismatch',
      severity: 'high',
      date,
      lineAt: 0,
      reason: verbatim('it differs'),
      version: 1,
      attempt,
      lines,
      openedAtMs: 1,
      state: 'open',
      closedAtMs: null,
      closedBy: null,
      ...changes,
    },
  };
}

const other = '20261120';
const closed = { state: 'closed', closedAtMs: 5, closedBy: { kind: 'judged-anew' } } as const;

describeOnEngines('what is kept of statements', (makeStore) => {
  test('a break comes back as it was put in, the most severe first', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.beginStatement(run);
    const low = moveOf('B', { severity: 'low', kind: 'pending-not-in-statement', lines: [], lineAt: null });
    const worst = moveOf('C', { severity: 'critical', kind: 'status-mismatch' });
    await store.recordBreaks(run, [low, moveOf('A'), worst]);
    const open = await store.openBreaks(date, 10);
    expect(open).toEqual([worst.record, moveOf('A').record, low.record]);
  });

  test('a break of one kind is open once, and may open again when it was closed', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.beginStatement(run);
    const closing = { state: 'closed', closedAtMs: 5, closedBy: { kind: 'judged-anew' } } as const;
    await store.recordBreaks(run, [moveOf('A'), moveOf('A', { reason: verbatim('more') })]);
    expect(await store.openBreaks(date, 10)).toMatchObject([{ reason: verbatim('more') }]);
    await store.recordBreaks(run, [moveOf('A', closing), moveOf('A', { openedAtMs: 9 })]);
    expect(await store.openBreaks(date, 10)).toMatchObject([{ openedAtMs: 9 }]);
    const shown = (await Array.fromAsync(store.breaksToShow(run))).flat();
    expect(shown.map(({ state }) => state)).toEqual(['open', 'closed']);
  });

  test('those that are shown are those open on the day and those that the judging has moved, each once, the most severe first', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    const keysOf = async (of: StatementRun) =>
      (await Array.fromAsync(store.breaksToShow(of))).flat().map(({ key }) => key);
    await store.beginStatement(run);
    const many = Array.from({ length: 1_201 }, (_, place) => moveOf(`P${place}`, { severity: 'medium' }));
    await store.recordBreaks(run, [...many, moveOf('A'), moveOf('B'), moveOf('C', { date: other })]);
    const everyPlain = many.map(({ record }) => record.key);
    expect(await keysOf(run)).toEqual(['A', 'B', 'C', ...everyPlain]);
    const second = { date, runId: 'second' };
    await store.beginStatement(second);
    await store.recordBreaks(second, [
      moveOf('A', closed),
      moveOf('L', { date: other, severity: 'critical' }),
      moveOf('C', { ...closed, date: other }),
    ]);
    expect(await keysOf(second)).toEqual(['L', 'B', 'C', 'A', ...everyPlain]);
    const open = await store.openBreaks(date, 3);
    expect(open.map(({ key }) => key)).toEqual(['B', 'P0', 'P1']);
  });

  test('a judging that was overtaken records nothing more', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.beginStatement(run);
    await store.beginStatement({ date, runId: 'second' });
    await expect(store.recordBreaks(run, [moveOf('A')])).rejects.toThrow('another paydrop');
    await expect(store.markReports(run, ['0123456789'])).rejects.toThrow('another paydrop');
    await expect(store.endStatement(run)).rejects.toThrow('another paydrop');
    expect(await store.openBreaks(date, 10)).toEqual([]);
  });

  test('a batch is reported on once its judging has ended, and again when another begins to change it', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    await store.beginStatement(run);
    await store.markReports(run, ['0123456789']);
    expect(await store.dueReports()).toEqual([]);
    await store.endStatement(run);
    const [due] = await store.dueReports();
    const again = { date, runId: 'second' };
    await store.beginStatement(again);
    await store.markReports(again, ['0123456789']);
    if (due !== undefined) await store.clearDueReport(due);
    expect(await store.dueReports()).toEqual([]);
    await store.endStatement(again);
    expect(await store.dueReports()).toEqual([{ batchId: '0123456789', ...again }]);
  });
});

describe('breaks to be shown', () => {
  test('are found by indexes alone, and each read once: a bad day has a hundred thousand', async () => {
    await using opened = await makeSqliteStore();
    const { store, path } = opened;
    await store.beginStatement(run);
    await store.recordBreaks(run, [moveOf('A'), moveOf('C', { date: other }), moveOf('D', closed)]);
    const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
    await Array.fromAsync(store.breaksToShow(run));
    await store.openBreaks(date, 20);
    const statements = prepared.mock.calls.map(([text]) => text);
    prepared.mockRestore();
    using db = new DatabaseSync(path);
    const steps = statements.flatMap((text) => db.prepare(`explain query plan ${text}`).all());
    const details = steps.map((step) => String(step['detail']));
    const found = new Set(details.filter((detail) => detail.includes('statement_break')));
    expect([...found].toSorted()).toEqual([
      'SEARCH statement_break USING COVERING INDEX statement_break_by_severity (date=? AND severity=?)',
      'SEARCH statement_break USING COVERING INDEX statement_break_moved (moved_by=?)',
      'SEARCH statement_break USING INDEX statement_break_accepted (date=? AND severity=?)',
      'SEARCH statement_break USING INDEX statement_break_by_severity (date=? AND severity=?)',
      'SEARCH statement_break USING INTEGER PRIMARY KEY (rowid=?)',
    ]);
  });
});

test('what a view asks for each key is planned once, not for each value', async () => {
  await using opened = await makeSqliteStore();
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await using view = await opened.store.openStatementView();
  await view.standingBreaks(['A']);
  await view.linesOf(['A'], [makeFacts('paid')]);
  const statements = prepared.mock.calls.map(([text]) => text);
  prepared.mockRestore();
  // SQLite plans anew whenever a value changes on which the use of an index hangs, here that of open breaks.
  expect(statements.filter((text) => text.includes('"state" = \'open\''))).not.toEqual([]);
  expect(statements.filter((text) => /"state" = \?/.test(text))).toEqual([]);
  using db = new DatabaseSync(opened.path);
  const plans = statements
    .filter((text) => text.includes('"statement_line"'))
    .flatMap((text) => db.prepare(`explain query plan ${text}`).all())
    .map((step) => String(step['detail']));
  // The list that is asked for is gone through.
  expect(plans.filter((plan) => /^SCAN (?!.* VIRTUAL TABLE)/.test(plan))).toEqual([]);
});

test('an attempt is found by its reference, not among all attempts of its day', async () => {
  await using opened = await makeSqliteStore();
  const prepared = vi.spyOn(DatabaseSync.prototype, 'prepare');
  await using view = await opened.store.openStatementView();
  await Array.fromAsync(view.attemptsInDoubt());
  await Array.fromAsync(view.keysWithPast(date));
  const statements = prepared.mock.calls.map(([text]) => text);
  prepared.mockRestore();
  using db = new DatabaseSync(opened.path);
  const plans = statements
    .filter((text) => text.includes('exists'))
    .flatMap((text) => db.prepare(`explain query plan ${text}`).all())
    .map((step) => String(step['detail']));
  expect(plans.filter((plan) => plan.includes('attempt_by_tran_date'))).toEqual([]);
  expect(plans.filter((plan) => plan.includes('attempt_by_trans_ref_no'))).not.toEqual([]);
});

test('what was deferred comes back by key, with the keys that were noted', async () => {
  await using opened = await makeSqliteStore();
  const lines = ['B', 'A', 'B'].map((transRefNo, place) =>
    makeLine(makeFacts('paid'), 'complete', { transRefNo, line: place + 2, proxyNameTh: 'ใจ\n"ดี"' }),
  );
  using deferred = opened.store.openDeferred();
  expect(deferred.largestKey()).toBe(0);
  for (const line of lines.slice(1)) deferred.put(line.transRefNo, line);
  deferred.putCounted('B', 2);
  deferred.note(['C', 'A']);
  expect(deferred.largestKey()).toBe(2);
  expect([...deferred.keys()]).toEqual([
    { key: 'A', lines: [lines[1]] },
    { key: 'B', lines: [lines[2]] },
    { key: 'C', lines: [] },
  ]);
});
