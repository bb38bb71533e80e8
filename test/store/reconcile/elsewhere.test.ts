/** What a view knows of a transfer from the statements of other days, while one of them is judged anew. */
import { describe, expect, test } from 'vitest';
import { toSatang, zeroSatang } from '../../../src/core/money.ts';
import type { AcceptedStatement, StatementRun } from '../../../src/reconcile/ports.ts';
import type { BreakMove } from '../../../src/reconcile/rules/breaks.ts';
import type { Store } from '../../../src/store/store.ts';
import { bringTo, ingestRunning, makeRows } from '../../support/journal-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { date, makeFacts, makeLine, nextDate } from '../../support/statement-fixtures.ts';

const lineOf = (key: string, line = 2) => makeLine(makeFacts('paid'), 'complete', { transRefNo: key, line });

function moveOf(key: string, of: string, version: number, isThere: boolean): BreakMove {
  const shared = { key, date: of, version, openedAtMs: 1, attempt: null, closedAtMs: null, closedBy: null };
  const record = isThere
    ? { kind: 'amount-differs' as const, lineAt: 0, lines: [lineOf(key)] }
    : { kind: 'missing-at-bank' as const, lineAt: null, lines: [] };
  return {
    kind: 'opened',
    record: { ...shared, ...record, state: 'open', loudness: 'loud', reason: 'why' },
  };
}

const acceptedOf = (of: string, version: number): AcceptedStatement => ({
  date: of,
  version,
  sha256: 'a',
  originalSha256: 'b',
  originalPath: '/statements/1',
  reading: 'words whole',
  statement: {
    lines: 0,
    amountSatang: zeroSatang,
    feeSatang: zeroSatang,
    netSatang: toSatang(0n),
    sha256: 'a',
    sizeBytes: 1,
  },
  totals: { lines: {}, paid: {}, breaks: {} },
  changes: { opened: 0, changed: 0, closed: 0, figures: [] },
  files: [],
  acceptedAtMs: 1,
});

/** Keys A, B and C are of the day; the next day's first version has A, as a break, and B; the day's own lacks C. */
async function readBoth(store: Store): Promise<readonly string[]> {
  await ingestRunning(store, makeRows(3));
  for (const ending of ['paid', 'paid', 'paid'] as const) await bringTo(store, ending);
  const run = { date, runId: 'own' };
  using view = store.openStatementView(run);
  const [a = '', b = '', c = ''] = [...view.attemptsOfDay(date)].flat().map(({ transRefNo }) => transRefNo);
  await store.beginStatement(run);
  await store.recordBreaks(run, [moveOf(c, date, 1, false)]);
  await store.acceptStatement(run, acceptedOf(date, 1));
  const next = { date: nextDate, runId: 'next' };
  await store.beginStatement(next);
  await store.recordStrays(next, [{ key: b, line: lineOf(b) }]);
  await store.recordBreaks(next, [moveOf(a, nextDate, 1, true)]);
  await store.acceptStatement(next, acceptedOf(nextDate, 1));
  return [a, b, c];
}

describe('a view', () => {
  const again: StatementRun = { date: nextDate, runId: 'again' };

  test('knows what the accepted versions say', async () => {
    await using opened = await makeSqliteStore();
    const [a = '', b = '', c = ''] = await readBoth(opened.store);
    using view = opened.store.openStatementView({ date, runId: '' });
    expect([a, b, c].map((key) => view.elsewhere(key, date).length)).toEqual([1, 1, 0]);
    expect([a, b, c].map((key) => view.isAbsent(key, date))).toEqual([false, false, true]);
    expect([...view.keysWithPast(date)].toSorted()).toEqual([a, b, c].toSorted());
    expect([...view.keysElsewhere(date)].toSorted()).toEqual([a, b].toSorted());
    expect([...view.strayKeys(nextDate)]).toEqual([b]);
    expect([view.isNoted(b, nextDate), view.isNoted(b, date)]).toEqual([true, false]);
  });

  test('of a run that has judged a day anew knows nothing else of that day, but what it had before', async () => {
    await using opened = await makeSqliteStore();
    const { store } = opened;
    const [a = '', b = '', c = ''] = await readBoth(store);
    await store.beginStatement(again);
    await store.recordStrays(again, [
      { key: c, line: lineOf(c) },
      { key: a, line: null },
    ]);
    using view = store.openStatementView(again, 2);
    expect([a, b, c].map((key) => view.elsewhere(key, date).length)).toEqual([0, 0, 1]);
    expect([a, b, c].map((key) => view.isAbsent(key, nextDate))).toEqual([true, false, false]);
    expect([...view.strayKeys(nextDate)].toSorted()).toEqual([b, c].toSorted());
    using before = store.openStatementView({ date, runId: '' });
    expect([a, b, c].map((key) => before.elsewhere(key, date).length)).toEqual([1, 1, 0]);
  });

  test('knows the breaks of a later version whose judging broke off, and that it did', async () => {
    await using opened = await makeSqliteStore();
    const { store } = opened;
    const [a = ''] = await readBoth(store);
    await store.beginStatement(again);
    await store.beginRecording(again);
    await store.recordBreaks(again, [moveOf(a, nextDate, 2, true)]);
    using view = store.openStatementView({ date, runId: '' });
    expect(view.elsewhere(a, date)).toHaveLength(1);
    expect(await store.brokenOff(nextDate, 10)).toMatchObject({ openedElsewhere: 0 });
    expect(await store.brokenOff(date, 10)).toBeUndefined();
    await store.acceptStatement(again, acceptedOf(nextDate, 2));
    expect(await store.brokenOff(nextDate, 10)).toBeUndefined();
  });
});
