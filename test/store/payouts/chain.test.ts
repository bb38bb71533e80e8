/** The chain of each payout's events: every way to write one chains it, and what is changed by hand is found. */
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { findBrokenEvent, textOf } from '../../../src/review/rules/payout-chain.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import { makeSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';
import { readChains } from '../../support/store-consistency.ts';
import { tamper } from '../../support/store-fixtures.ts';

const { firstBatchId, firstReady, ingestRunning, makeBadRow, makeRow, noonMs, submit, why } = fixtures;

/** Rows that were sealed in every way, held and let go on all at once, and one that was sent. */
async function makeHistory(): Promise<SqliteStore> {
  await using stack = new AsyncDisposableStack();
  const sqlite = stack.use(await makeSqliteStore());
  const rows = [makeRow(1), makeRow(2), makeBadRow(3), makeRow(4, { holds: ['limit'] })];
  const clashing = [makeRow(5, { payoutId: 'inv-1' }), makeRow(6, { payoutId: 'INV-2' })];
  await ingestRunning(sqlite.journal, [...rows, ...clashing], { conflictingRowNos: [6] });
  await sqlite.journal.holdReady(firstBatchId, 'paused', why, noonMs + 3);
  await sqlite.journal.liftHolds(firstBatchId, ['paused'], noonMs + 4);
  await submit(sqlite.journal, await firstReady(sqlite.journal));
  const owned = stack.move();
  return { ...sqlite, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

function findBroken(path: string): string[] {
  using db = new DatabaseSync(path);
  return [...readChains(db)].flatMap((payout) => {
    const broken = findBrokenEvent(payout);
    return broken === undefined ? [] : [`${payout.rowNo}: ${broken.seq}`];
  });
}

test('every event is chained, however it was written', async () => {
  await using sqlite = await makeHistory();
  using db = new DatabaseSync(sqlite.path);
  const causes = db.prepare('select distinct cause from event order by 1').all();
  expect(causes.map(({ cause }) => cause)).toEqual([
    'hold-added',
    'hold-lifted',
    'intent-recorded',
    'sealed',
  ]);
  expect(db.prepare('select 1 from event where length(hash) is not 43').all()).toEqual([]);
  expect(findBroken(sqlite.path)).toEqual([]);
});

test('no chain has anything by which a number is found by trial', async () => {
  await using sqlite = await makeHistory();
  using db = new DatabaseSync(sqlite.path);
  const salts = db.prepare('select salt from payout_row where digest is not null').all();
  expect(salts.length).toBe(5);
  expect(new Set(salts.map(({ salt }) => salt)).size).toBe(5);
  for (const { salt } of salts) expect(Buffer.from(String(salt), 'base64url').length).toBe(16);
  const orderHash = String(db.prepare('select order_hash from attempt').get()?.['order_hash']);
  for (const { start, digest, events } of readChains(db)) {
    if (digest !== null) expect(start).not.toBe(digest);
    for (const event of events) expect(textOf(event)).not.toContain(orderHash);
  }
});

describe('by hand', () => {
  const first = '(select min(seq) from event where payout_seq = 2)';
  const last = '(select max(seq) from event where payout_seq = 2)';
  const second = `(select min(seq) from event where payout_seq = 2 and seq > ${first})`;
  const other = '(select max(seq) from event where payout_seq = 4)';
  test.each<[what: string, statements: string]>([
    ['a time is changed', `update event set at_ms = at_ms + 1 where seq = ${second}`],
    ['a detail is changed', `update event set detail = '{"code":"IC000"}' where seq = ${last}`],
    ['an event goes', `delete from event where seq = ${second}`],
    ['the last event goes', `delete from event where seq = ${last}`],
    [
      'the last event goes, and the payout says so',
      `delete from event where seq = ${last};
       update payout set status = 'ready' where seq = 2`,
    ],
    ['an event is another payout’s', `update event set payout_seq = 2 where seq = ${other}`],
    [
      'two change places',
      `update event set seq = -1 where seq = ${first}; update event set seq = ${first} + 1 where seq = ${second};
       update event set seq = 1000 where seq = -1`,
    ],
    [
      'an event is put in',
      `insert into event select 1000, 2, 'ready', 'paid', 'proved', 1, 1, '{}', hash from event`,
    ],
    ['a status is changed', `update payout set status = 'paid' where seq = 2`],
    ['what the row asks for is another', `update payout_row set digest = '00' where seq = 2`],
    ['its salt is another', `update payout_row set salt = 'AAAAAAAAAAAAAAAAAAAAAA' where seq = 2`],
    ['it is made to look erased', `update payout_row set commitment = 'AAAA' where seq = 2`],
  ])('%s: found', async (_what, statements) => {
    await using sqlite = await makeHistory();
    const drop = ['event_never_changes', 'event_never_goes', 'payout_row_never_changes'].map(
      (name) => `drop trigger ${name};`,
    );
    tamper(
      sqlite.path,
      `${drop.join(' ')} ${statements.replace('hash from event', `hash from event where seq = ${last}`)}`,
    );
    expect(findBroken(sqlite.path).length).toBeGreaterThan(0);
    expect(findBroken(sqlite.path)[0]).toMatch(/^2: /v);
  });
});
