/** Heads of days in the tables: what they stand for, wherever it stands, and that nobody takes one back. */
import { expect, test } from 'vitest';
import { dayMs } from '../../../src/core/bangkok-time.ts';
import { makeDayHeads } from '../../../src/evidence/day-heads.ts';
import { findChangedProposal } from '../../../src/review/rules/proposal-chain.ts';
import { findBrokenLink, proposalFormat } from '../../../src/review/rules/chain.ts';
import { findBrokenHead, readDayHead } from '../../../src/evidence/rules/day-head.ts';
import type { Proposal } from '../../../src/review/ports.ts';
import type { Store } from '../../../src/store/store.ts';
import { nothingCounted, sumFigures } from '../../../src/review/rules/proposal-figures.ts';
import {
  firstBatchId,
  ingestDone,
  ingestRunning,
  makeRows,
  noonMs,
  secondBatchId,
} from '../../support/journal-fixtures.ts';
import { describeOnEngines } from '../../support/engines.ts';
import { Users } from '../../support/persons.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';
import { archiveAll, laterMs, settled, tamper } from '../../support/store-fixtures.ts';

const readHeads = async (store: Store) => (await store.dayHeads(0, 1_000)).map((head) => readDayHead(head));

const hashes = async (store: Store, after = 0, upTo = 1_000) =>
  (await Array.fromAsync(store.eventHashes('payouts', after, upTo))).flat();

const make = (store: Store, nowMs: number) => makeDayHeads(store, 'b3c1-77', nowMs);

describeOnEngines('heads of days', (makeStore) => {
  test('a day has a head once it has ended, and one without events has none', async () => {
    await using sqlite = await makeStore();
    const { store } = sqlite;
    expect(await make(store, noonMs + dayMs)).toEqual([]);
    await ingestRunning(store, makeRows(3));
    expect(await make(store, noonMs)).toEqual([]);
    const [first] = await make(store, noonMs + 2 * dayMs);
    expect(first).toMatchObject({ number: 1, date: '20261121', before: null });
    expect(first?.stretches.payouts).toMatchObject({ after: 0, upTo: 3, events: 3 });
    expect(await make(store, noonMs + 3 * dayMs)).toEqual([]);
    await new Users(store).add('mali', 'admin', null);
    await ingestRunning(store, makeRows(2, 11), { batchId: secondBatchId, sealedAtMs: noonMs + 3 * dayMs });
    const [second, third] = await make(store, noonMs + 4 * dayMs);
    // Dated on a day that had its head: they are under the next one.
    expect(second).toMatchObject({ number: 2, date: '20261122', before: first?.hash });
    expect(second?.stretches).toMatchObject({ payouts: { events: 0 }, people: { after: 1 } });
    expect(second?.stretches.people.events).toBeGreaterThan(0);
    expect(third).toMatchObject({ number: 3, date: '20261124', before: second?.hash });
    expect(third?.stretches.payouts).toMatchObject({ after: 3, upTo: 15, events: 2 });
    const heads = [first!, second!, third!];
    expect(await readHeads(store)).toEqual(heads);
    expect(heads.flatMap((head, at) => findBrokenHead(head, heads[at - 1]) ?? [])).toEqual([]);
  });

  test('the first head of a long history stands for all that came before it', async () => {
    await using sqlite = await makeStore();
    await ingestRunning(sqlite.store, makeRows(3));
    const later = { batchId: secondBatchId, sealedAtMs: noonMs + 100 * dayMs };
    await ingestRunning(sqlite.store, makeRows(2, 11), later);
    const heads = await make(sqlite.store, noonMs + 101 * dayMs);
    expect(heads.map(({ date, stretches }) => [date, stretches.payouts.events])).toEqual([
      ['20270130', 3],
      ['20270301', 2],
    ]);
  });
});

test('what stands in an archive counts as where it was', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, path } = sqlite;
  await ingestDone(store);
  await ingestDone(store, secondBatchId, 11);
  const before = await hashes(store);
  tamper(path, settled);
  expect(await archiveAll(store)).toEqual([true]);
  expect(await hashes(store)).toEqual(before);
  expect(await archiveAll(store, [secondBatchId])).toEqual([true]);
  expect(await hashes(store)).toEqual(before);
  expect(await hashes(store, before[1]!.seq, before[3]!.seq)).toEqual(before.slice(2, 4));
  const [head] = await make(store, laterMs + dayMs);
  expect(head?.stretches.payouts.events).toBe(before.length);
  // The copy that stays in the archive counts no second time.
  await store.recall('batch', [firstBatchId], laterMs);
  expect(await hashes(store)).toEqual(before);
});

test('no head is changed, removed or put before another', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, path } = sqlite;
  await ingestRunning(store, makeRows(1));
  await make(store, noonMs + dayMs);
  await store.notePublished(1);
  expect((await store.dayHeads(0, 10)).map(({ isPublished }) => isPublished)).toEqual([true]);
  expect(() => tamper(path, `update day_head set text = ''`)).toThrow('never changed');
  expect(() => tamper(path, 'delete from day_head')).toThrow('never removed');
  const [head] = await readHeads(store);
  await expect(store.addDayHead({ ...head!, number: 2, hash: 'f'.repeat(64) })).rejects.toThrow('follows');
  await expect(store.addDayHead({ ...head!, number: 3, date: '20261122' })).rejects.toThrow('follows');
});

test('what is proposed is chained', async () => {
  await using sqlite = await makeSqliteStore();
  const { store, path } = sqlite;
  const draft = {
    note: 'n',
    figures: sumFigures([nothingCounted]),
    evidence: null,
    totalSatang: 0n as never,
    digest: '0'.repeat(64),
    madeAtMs: noonMs,
  };
  const targets = [{ kind: 'payout', key: '1', version: '1' }] as const;
  const maker = { personId: 1, name: 'mali' };
  const wish = { ...draft, maker, decision: 'retry', expiresAtMs: noonMs + dayMs } as const;
  await store.addProposals([
    { ...wish, people: 2, targets },
    { ...wish, people: 1, targets: [{ ...targets[0], key: '2' }] },
    { ...wish, people: 2, targets: [{ ...targets[0], key: '3' }] },
  ]);
  const by = { personId: 2, name: 'nok' };
  await store.moveProposal(1, { to: 'approved', by, note: null, nowMs: noonMs + 1 });
  await store.endItem(1, 1, 'applied', null);
  await store.endProposal(1, noonMs + 2);
  await store.expireProposals(noonMs + dayMs);
  const events = await store.proposalEvents(0, 100);
  expect(events.map(({ subject, kind, byPerson }) => [subject, kind, byPerson])).toEqual([
    [1, 'proposed', 1],
    [2, 'proposed', 1],
    [2, 'approved', 1],
    [3, 'proposed', 1],
    [1, 'approved', 2],
    [1, 'applied', null],
    [3, 'expired', null],
  ]);
  expect(findBrokenLink(events, proposalFormat)).toBeUndefined();
  expect(events.map(({ text }) => text).join()).not.toMatch(/mali|nok/v);
  expect(() => tamper(path, 'delete from proposal_event where seq = 7')).toThrow('never removed');
  const proposal = (await store.proposal(1))!;
  const own = events.filter(({ subject }) => subject === 1);
  const items = await store.proposalItems(1, 0, 10);
  const find = (changes: Partial<Proposal>, ...rest: [events?: typeof own, digest?: string]) =>
    findChangedProposal({ ...proposal, ...changes }, rest[0] ?? own, rest[1] ?? proposal.digest, items);
  expect(find({})).toBeUndefined();
  expect(find({ decision: 'confirm-paid' })).toBe('its decision is not what was proposed');
  expect(find({ makerId: 3 })).toBe('another person proposed it');
  expect(find({ checkerId: 3 })).toBe('another person approved it, or none did');
  expect(find({ status: 'stale' })).toBe('its history does not end with "stale"');
  expect(find({}, [])).toBe('nothing in the history says that it was made');
  expect(find({}, own, 'f')).toBe('what it is about is not what was proposed');
});
