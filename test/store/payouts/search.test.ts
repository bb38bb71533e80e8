/** Payouts that are looked for: found as somebody would who reads every row, page by page, without reading every row. */
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listPayouts } from '../../../src/app/list.ts';
import { move } from '../../../src/core/change.ts';
import { holdReasons, payoutStatuses } from '../../../src/core/payout.ts';
import type { ResultRow } from '../../../src/core/ports.ts';
import type { FoundPayout } from '../../../src/payout/ports.ts';
import {
  completeFilter,
  openStatuses,
  parsePayee,
  type PayoutFilter,
} from '../../../src/payout/rules/search.ts';
import { searchReads } from '../../../src/store/payouts/search.ts';
import { drive } from '../../../src/store/statements.ts';
import {
  applied,
  bringTo,
  firstBatchId,
  firstReady,
  holdOf,
  ingestRunning,
  makeBadRow,
  makeRow,
  noonMs,
  resultRows,
  satang,
  secondBatchId,
} from '../../support/journal-fixtures.ts';
import { makeSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';
import { findContradictions } from '../../support/store-consistency.ts';

let store: SqliteStore;
/** Every row, the newest first. */
let all: readonly (ResultRow & { readonly batchId: string })[] = [];

/** A row of another payee than the fixtures have, under a name in Thai. */
function makeThaiRow(rowNo: number) {
  const row = makeRow(rowNo, { amountSatang: satang(10_001n) });
  const { instruction } = row;
  if (instruction === null) throw new Error('a row of the fixtures asks for something');
  const names = { payeeName: 'สมชาย ใจดี', reference2: 'NOV' };
  return { ...row, instruction: { ...instruction, ...names }, cells: { ...row.cells, ...names } };
}

beforeAll(async () => {
  store = await makeSqliteStore();
  const { journal } = store;
  await ingestRunning(journal, [...[1, 2, 3, 4, 5, 6, 7].map((no) => makeRow(no)), makeBadRow(8)]);
  const others = [11, 12, 13, 14].map((no) => makeThaiRow(no));
  await ingestRunning(journal, [...others, makeRow(15), makeBadRow(16)], { batchId: secondBatchId });
  for (const batchId of [firstBatchId, secondBatchId]) {
    for (const status of ['paid', 'failed', 'unpayable', 'submitted'] as const)
      await bringTo(journal, status, batchId);
  }
  await applied(journal, holdOf(await firstReady(journal), 'name'));
  const doubtful = await bringTo(journal, 'unresolved');
  const patch = { isAlarm: true, bankPayeeName: 'SOMCHAI J' };
  await applied(journal, move({ payout: doubtful, patch, cause: 'alarm-raised', nowMs: noonMs }));
  const rows = await Promise.all(
    [firstBatchId, secondBatchId].map(async (batchId) =>
      (await resultRows(journal, batchId)).map((row) => ({ ...row, batchId })),
    ),
  );
  all = rows.flat().toReversed();
});
afterAll(() => store[Symbol.asyncDispose]());

const find = async (filter: PayoutFilter, rowsMax = Infinity): Promise<readonly FoundPayout[]> =>
  (await Array.fromAsync(listPayouts(store.store, filter, rowsMax))).flatMap(({ found }) => found);
const idsOf = (found: readonly FoundPayout[]) => found.map(({ row }) => row.cells.payoutId);
const findIds = async (filter: PayoutFilter) => idsOf(await find(filter));

/** What a person would find who reads the row. */
function isFound(row: (typeof all)[number], filter: PayoutFilter): boolean {
  const { statuses = [], hold, isAlarm, batchId, amountSatang, sinceMs, untilMs } = filter;
  const atMs = row.submittedAtMs ?? noonMs;
  return (
    (statuses.length === 0 || statuses.includes(row.status)) &&
    (hold === undefined || row.holds.includes(hold)) &&
    (isAlarm === undefined || row.isAlarm === isAlarm) &&
    (batchId === undefined || row.batchId === batchId) &&
    (amountSatang === undefined || row.amountSatang === amountSatang) &&
    (sinceMs === undefined || atMs >= sinceMs) &&
    (untilMs === undefined || atMs < untilMs)
  );
}

describe('the search', () => {
  test('finds what reading every row finds, whatever is combined', async () => {
    const filters = fc.record({
      statuses: fc.uniqueArray(fc.constantFrom(...payoutStatuses), { maxLength: 3 }),
      hold: fc.option(fc.constantFrom(...holdReasons), { nil: undefined, freq: 1 }),
      isAlarm: fc.constantFrom(undefined, undefined, false, true),
      batchId: fc.constantFrom(undefined, firstBatchId, secondBatchId),
      amountSatang: fc.constantFrom(undefined, undefined, satang(10_001n)),
      sinceMs: fc.constantFrom(undefined, noonMs, noonMs + 1),
      untilMs: fc.constantFrom(undefined, noonMs, noonMs + 1),
    });
    const wanted = async (filter: PayoutFilter) => {
      const expected = all.filter((row) => isFound(row, filter)).map((row) => row.cells.payoutId);
      expect(await findIds(filter)).toEqual(expected);
    };
    await wanted({});
    await fc.assert(fc.asyncProperty(filters, wanted), { numRuns: 60 });
  });

  test.each([
    ['0810000003', ['INV-3']],
    ['+66 81 000 0003', ['INV-3']],
    ['081-000-0003', ['INV-3']],
    ['******0003', ['INV-3']],
    ['0003', ['INV-3']],
    // Rejected: nothing but its cells names the payee.
    ['0810000008', ['INV-8']],
    ['0016', ['INV-16']],
    ['0899999999', []],
    ['ใจดี', ['INV-14', 'INV-13', 'INV-12', 'INV-11']],
    ['JAIDEE', ['INV-16', 'INV-15', 'INV-8', 'INV-7', 'INV-6', 'INV-5', 'INV-4', 'INV-3', 'INV-2', 'INV-1']],
    [
      'SOMCHAI J',
      ['INV-16', 'INV-15', 'INV-8', 'INV-7', 'INV-6', 'INV-5', 'INV-4', 'INV-3', 'INV-2', 'INV-1'],
    ],
    ['%', []],
  ])('finds the payee %s', async (text, ids) => {
    expect(await findIds({ payee: parsePayee(text) })).toEqual(ids);
  });

  test('finds a row by whatever anybody calls it', async () => {
    const paid = all.find((row) => row.status === 'paid' && row.batchId === firstBatchId);
    expect(await findIds({ reference: 'INV-3' })).toEqual(['INV-3']);
    expect(await findIds({ reference: 'ref 13' })).toEqual(['INV-13']);
    expect(await findIds({ reference: 'NOV', statuses: ['failed'] })).toEqual(['INV-12']);
    expect(await findIds({ reference: paid?.transRefNo ?? '' })).toEqual([paid?.cells.payoutId]);
    expect(await findIds({ reference: 'NOWHERE' })).toEqual([]);
    using db = new DatabaseSync(store.path);
    db.exec(`update attempt set sys_ref_no = 'SYS-7' where payout_seq = ${paid?.seq}`);
    expect(await findIds({ reference: 'SYS-7' })).toEqual([paid?.cells.payoutId]);
  });

  test('comes page by page, each row once, and says when there are more', async () => {
    for (const rowsMax of [1, 3, all.length - 1, all.length]) {
      const pages = await Array.fromAsync(
        listPayouts(store.store, { statuses: ['failed', 'paid'] }, rowsMax),
      );
      const found = idsOf(pages.flatMap((page) => page.found));
      expect(found).toEqual(['INV-12', 'INV-11', 'INV-2', 'INV-1'].slice(0, rowsMax));
      expect(pages.at(-1)?.isMore).toBe(rowsMax < 4);
    }
    const read = await store.store.searchPayouts({}, all[2]?.seq ?? 0, 2);
    expect(idsOf(read)).toEqual(all.slice(3, 5).map((row) => row.cells.payoutId));
  });
});

/** The statements of a search, each with how SQLite runs it. */
function planOf(filter: PayoutFilter): readonly { readonly sql: string; readonly plan: string }[] {
  using db = new DatabaseSync(store.path);
  const found: { sql: string; plan: string }[] = [];
  const prepare = (sql: string) => {
    const steps = db.prepare(`explain query plan ${sql.replaceAll('?', '1')}`).all();
    found.push({ sql, plan: steps.map((step) => String(step['detail'])).join('\n') });
    return db.prepare(sql);
  };
  drive({ prepare } as DatabaseSync, searchReads.searchPayouts(filter, 100, 10));
  return found;
}

/** What has no index in the order of the rows is sorted, or read whole. */
const isCostly = /^(?:SCAN (?:p|r|payout|payout_row)|USE TEMP B-TREE)\b/m;

test.each([
  [{}, 'p USING INTEGER PRIMARY KEY (rowid<?)'],
  [{ statuses: ['submitted'] }, 'payout_in_doubt (seq<?)'],
  [{ statuses: ['paid'], batchId: firstBatchId }, 'p USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  [{ payee: parsePayee('0810000003') }, 'payee_place USING PRIMARY KEY (proxy_no=?)'],
] as const)('%j is found by an index, in its order', (filter, index) => {
  const [{ plan } = { plan: '' }] = planOf(filter);
  expect(plan).toContain(index);
  expect(plan).not.toMatch(isCostly);
});

const waits = { statuses: openStatuses };

test.each<[string, PayoutFilter]>([
  ['status', waits],
  ['alarm', { isAlarm: true }],
  ['alarm of what is paid', { isAlarm: true, statuses: ['paid'] }],
  ['hold', completeFilter({ hold: 'name' })],
  ['batch', { ...waits, batchId: firstBatchId }],
  ['amount', { ...waits, amountSatang: satang(1n) }],
  ['days', { ...waits, sinceMs: 1, untilMs: 2 }],
  ['reference', { ...waits, reference: 'NOV' }],
  ['number', { ...waits, payee: parsePayee('0810000003') }],
  ['last digits', { ...waits, payee: parsePayee('0003') }],
  ['name', { ...waits, payee: parsePayee('ใจดี') }],
])('what waits for a person is searched by %s in one statement, without all other rows', (_by, filter) => {
  const [{ sql, plan } = { sql: '', plan: '' }, ...others] = planOf(filter);
  expect(sql).toContain('from "open_payout" as "p"');
  expect(sql).not.toContain('payout_listed');
  expect(plan).not.toMatch(isCostly);
  expect(others).toEqual([]);
});

test('what waits for a person is found as it is, whatever becomes of it', async () => {
  await using own = await makeSqliteStore();
  const { journal, path } = own;
  await ingestRunning(journal, [...[1, 2, 3, 4].map((no) => makeRow(no)), makeBadRow(5)]);
  const ids = async () => idsOf(await own.store.searchPayouts(waits, 100, 10));
  expect(await ids()).toEqual(['INV-5']);
  await bringTo(journal, 'unresolved');
  const held = await applied(journal, holdOf(await firstReady(journal), 'name'));
  await bringTo(journal, 'failed');
  expect(await ids()).toEqual(['INV-5', 'INV-3', 'INV-2', 'INV-1']);
  await journal.liftHolds(held.batchId, ['name'], noonMs);
  expect(await ids()).toEqual(['INV-5', 'INV-3', 'INV-1']);
  expect(findContradictions(path)).toEqual([]);
});
