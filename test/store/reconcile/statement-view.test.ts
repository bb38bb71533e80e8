/** What a view knows of a transfer from the statements of all days, while one of them is read anew. */
import { expect, test } from 'vitest';
import { toSatang, zeroSatang } from '../../../src/core/money.ts';
import type { AcceptedStatement, StatementView } from '../../../src/reconcile/ports.ts';
import type { AttemptFacts } from '../../../src/reconcile/rules/types.ts';
import type { Store } from '../../../src/store/store.ts';
import { describeOnEngines } from '../../support/engines.ts';
import { ingestAs, makeRows } from '../../support/journal-fixtures.ts';
import { attemptsOn } from '../../support/reconcile-kit.ts';
import { date, makeFacts, makeLine, nextDate } from '../../support/statement-fixtures.ts';

const lineOf = (key: string, line = 2) => makeLine(makeFacts('paid'), 'complete', { transRefNo: key, line });

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
  provenance: { from: 'file', user: 'alice', isForced: false },
});

/** The day's own statement agrees on A; the next day's has A again, and B; nobody has C. */
async function readBoth(store: Store): Promise<readonly AttemptFacts[]> {
  await ingestAs(store, ['paid', 'paid', 'paid'], makeRows(3));
  const attempts = await attemptsOn(store, date);
  const [a, b] = attempts;
  if (a === undefined || b === undefined) throw new Error('there are no attempts');
  const run = { date, runId: 'own' };
  await store.beginStatement(run);
  await store.beginRecording(run, 1);
  await store.recordCleanLines(run, 1, [{ payoutSeq: a.payoutSeq, attemptNo: 1, line: 7 }]);
  await store.acceptStatement(run, acceptedOf(date, 1));
  const next = { date: nextDate, runId: 'next' };
  await store.beginStatement(next);
  await store.beginRecording(next, 1);
  const lines = [a, b].map(({ order }, place) => lineOf(order.transRefNo, place + 2));
  const others = { key: 'OTHER', line: lineOf('OTHER', 9), hasCells: false };
  const kept = lines.map((line) => ({ key: line.transRefNo, line, hasCells: true }));
  await store.recordLines(next, 1, [...kept, others]);
  await store.acceptStatement(next, acceptedOf(nextDate, 1));
  return attempts;
}

async function show(view: StatementView, attempts: readonly AttemptFacts[]): Promise<string[]> {
  const references = attempts.map(({ order }) => order.transRefNo);
  const lines = await view.linesOf(references, attempts);
  return references.map((reference) =>
    (lines.get(reference) ?? [])
      .map((day) => `${day.date}: ${day.lines.map(({ line }) => line).join()}`)
      .join('; '),
  );
}

const sortAll = async (pages: AsyncIterable<readonly string[]>): Promise<string[]> =>
  (await Array.fromAsync(pages)).flat().toSorted();

const asRead = [`${date}: 7; ${nextDate}: 2`, `${nextDate}: 3`, ''];

describeOnEngines('a view', (makeStore) => {
  test('knows what the accepted versions of all days say', async () => {
    await using opened = await makeStore();
    const attempts = await readBoth(opened.store);
    const [a = '', b = ''] = attempts.map(({ order }) => order.transRefNo);
    await using view = await opened.store.openStatementView();
    expect(await show(view, attempts)).toEqual(asRead);
    expect(await sortAll(view.keysWithPast(date))).toEqual([a, b].toSorted());
    expect(await sortAll(view.unclearKeysOf(nextDate))).toEqual([a, b].toSorted());
    expect(await sortAll(view.unclearKeysOf(date))).toEqual([]);
    expect(await view.linesOf(['OTHER'], [])).toEqual(new Map());
    const [clean] = (await view.linesOf([a], attempts.slice(0, 1))).get(a) ?? [];
    expect(clean?.lines).toMatchObject([
      { line: 7, status: 'complete', effectiveDate: date, statusText: '' },
    ]);
  });

  test('a version that was not accepted counts nowhere, and its lines go when the day is read again', async () => {
    await using opened = await makeStore();
    const { store } = opened;
    const attempts = await readBoth(store);
    const again = { date: nextDate, runId: 'again' };
    const key = attempts[2]?.order.transRefNo ?? '';
    await store.beginStatement(again);
    await store.beginRecording(again, 2);
    await store.recordLines(again, 2, [{ key, line: lineOf(key), hasCells: true }]);
    const look = async () => {
      await using view = await store.openStatementView();
      return await show(view, attempts);
    };
    expect(await look()).toEqual(asRead);
    expect(await store.brokenOff(nextDate, 10)).toMatchObject({ openedOnOtherDays: 0 });
    expect(await store.brokenOff(date, 10)).toBeUndefined();
    await store.beginRecording(again, 2);
    await store.acceptStatement(again, acceptedOf(nextDate, 2));
    expect(await look()).toEqual([`${date}: 7`, '', '']);
    expect(await store.brokenOff(nextDate, 10)).toBeUndefined();
  });
});
