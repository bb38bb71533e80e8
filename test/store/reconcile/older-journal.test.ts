/** A journal of the version before one slim row was kept of each line of a statement. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { inTransaction, openConnection } from '../../../src/store/connection.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { makeJournal } from '../../../src/store/store.ts';
import { noonMs } from '../../support/journal-fixtures.ts';
import { lineFor, openDayOf, openKinds, type ReconcileDay } from '../../support/reconcile-kit.ts';
import { makeFolder } from '../../support/sqlite-store.ts';
import { date, nextDate } from '../../support/statement-fixtures.ts';

const thirdDate = '20261123';

/**
 * What the program before wrote. Of the day, version 2: rows 1, 7 and 8 agree, 3 failed by its word, 4 is in process, 6
 * has another amount; 2 is in the next day's statement, and 5 in none: an inquiry has proved it paid since. A reading of
 * the third day, which has 2 and 4, broke off.
 */
const written = new URL('journal-version-5.sql', import.meta.url);

async function openOlder(): Promise<ReconcileDay> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder());
  const path = join(folder.path, 'journal.db');
  new DatabaseSync(path).close();
  const rows = await readFile(written, 'utf8');
  const db = openConnection(path);
  inTransaction(db, () => {
    migrate(db, noonMs, 5);
    db.exec(rows);
  });
  inTransaction(db, () => migrate(db, noonMs));
  const highWaterMark = { advance: () => {}, note: () => {}, close: () => {} };
  const store = stack.use(makeJournal({ db, path, journalId: '', highWaterMark }));
  const day = await openDayOf(store, path, stack.move());
  day.daysLater = 2;
  return day;
}

test('has the lines of every day, in whichever way they were kept', async () => {
  await using day = await openOlder();
  using view = day.store.openStatementView();
  const said = day.attempts.map((attempt) =>
    view
      .linesOf(attempt.order.transRefNo, attempt)
      .map((of) => [of.date, ...of.lines.map(({ line, status }) => `${line} ${status}`)].join(' ')),
  );
  expect(said).toEqual([
    [`${date} 0 complete`],
    [`${nextDate} 2 complete`],
    [`${date} 3 failed`],
    [`${date} 4 in-process`],
    [],
    [`${date} 5 complete`],
    [`${date} 0 complete`],
    [`${date} 0 complete`],
  ]);
  expect([...view.days().days]).toEqual([
    [date, 2],
    [nextDate, 1],
  ]);
});

test('judges by them what later statements say', async () => {
  await using day = await openOlder();
  const [one, two, , , five] = day.attempts;
  const before = await openKinds(day);
  expect(before).toEqual(['amount-mismatch', 'net-mismatch', 'pending-at-bank']);
  const late = { effectiveDate: nextDate };
  const lines = [lineFor(one, late), lineFor(two, late), lineFor(five, late)];
  const { recorded } = await day.reconcile(lines, { on: nextDate });
  // What its own day agreed on is complete twice; what that lacked is not, and is found.
  const twice = (await day.store.openBreaks(nextDate, 10)).map(({ kind, attempt }) => [
    kind,
    attempt?.payoutId,
  ]);
  expect(twice).toEqual([['duplicate-line', 'INV-1']]);
  expect(await openKinds(day)).toEqual(before);
  expect([recorded.openedOnOtherDays, recorded.causes.size]).toEqual([0, 0]);
  expect(await day.reconcile(lines, { on: nextDate })).toMatchObject({
    isRepeat: true,
    recorded: { opened: 0, changed: 0, closed: 0 },
  });
});

test('reads again a day whose reading broke off, and tells what that has opened', async () => {
  await using day = await openOlder();
  const [, two, , four] = day.attempts;
  expect(await day.store.brokenOff(thirdDate, 10)).toMatchObject({ openedOnOtherDays: 0 });
  const late = { effectiveDate: thirdDate };
  day.daysLater = 3;
  await day.reconcile([lineFor(four, { ...late, status: 'in-process' }), lineFor(two, late)], {
    on: thirdDate,
  });
  expect(await openKinds(day, thirdDate)).toEqual(['duplicate-line', 'pending-at-bank']);
  expect(await day.store.brokenOff(thirdDate, 10)).toBeUndefined();
});
