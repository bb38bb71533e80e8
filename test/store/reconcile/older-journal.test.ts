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

async function openOlder(edit = (rows: string) => rows): Promise<ReconcileDay> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.use(await makeFolder());
  const path = join(folder.path, 'journal.db');
  new DatabaseSync(path).close();
  const rows = await readFile(written, 'utf8');
  const db = openConnection(path);
  inTransaction(db, () => {
    migrate(db, noonMs, 5);
    db.exec(edit(rows));
  });
  inTransaction(db, () => migrate(db, noonMs));
  const highWaterMark = { advance: () => {}, note: () => {}, close: () => {} };
  const store = stack.use(makeJournal({ db, path, journalId: '', highWaterMark }));
  const day = await openDayOf(store, path, stack.move());
  day.daysLater = 2;
  return day;
}

/** Of each attempt the day, the place and the status of every line. */
async function linesSaid({ store, attempts }: ReconcileDay): Promise<readonly (readonly string[])[]> {
  await using view = await store.openStatementView();
  const references = attempts.map(({ order }) => order.transRefNo);
  const lines = await view.linesOf(references, attempts);
  return references.map((reference) =>
    (lines.get(reference) ?? []).map((of) =>
      [of.date, ...of.lines.map(({ line, status }) => `${line} ${status}`)].join(' '),
    ),
  );
}

test('has the lines of every day, in whichever way they were kept', async () => {
  await using day = await openOlder();
  await using view = await day.store.openStatementView();
  expect(await linesSaid(day)).toEqual([
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

const proof = `'failed','paid','late-proof',1795410000000,1,'{}'`;
const secondProof = `'paid','paid','second-proof',1795410000000,2,'{"transRefNo":"PDD8M7YSWNDTYW1V1W01"}'`;

/** Row 5 was tried again on its day and paid, before an inquiry proved its first attempt paid, too. */
const triedAgain = (rows: string): string => `
  ${rows.replace(proof, secondProof)}
  create temp table again as select * from attempt where payout_seq = 5;
  update again set attempt_no = 2, trans_ref_no = 'PDD8M7YSWNDTYW1V1W02', last_inquiry_at_ms = null, last_finding = null;
  insert into attempt select * from again;
  drop table again;
  update payout set attempt_no = 2, settled_at_ms = 1795237200010 where seq = 5;
  insert into event values (28, 5, 'submitted', 'paid', 'proved', 1795237200010, 2, '{}');
`;

test('has no line of an attempt that was proved paid after its day was read, though another was before', async () => {
  await using day = await openOlder(triedAgain);
  const ofRow = (await linesSaid(day)).filter((_, at) => day.attempts[at]?.payoutId === 'INV-5');
  const numbers = day.attempts.flatMap((one) => (one.payoutId === 'INV-5' ? [one.attemptNo] : []));
  expect([numbers, ofRow]).toEqual([
    [1, 2],
    [[], [`${date} 0 complete`]],
  ]);
});

test('has of a key the lines of the present file alone, where the reading of another broke off', async () => {
  const brokeOff = `update statement_break set version = 3, lines = replace(lines, '["[5,', '["[9,') where id = 3;`;
  await using day = await openOlder((rows) => rows + brokeOff);
  expect((await linesSaid(day))[5]).toEqual([`${date} 5 complete`]);
});
