/** The search at the top of every page: what it finds, of every kind, and who may find whole numbers. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import { readFacts } from '../../src/review/rules/chain.ts';
import type { Browser } from '../support/browser.ts';
import {
  ingest,
  ingestRunning,
  makeBadRow,
  makeRow,
  noonMs,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { listChanges, type OpenTestPage, openTestPage } from '../support/review-page.ts';

let rig: OpenTestPage;
let maker: Browser;

beforeEach(async () => {
  rig = await openTestPage({}, { boon: 'maker', vera: 'viewer' });
  maker = await rig.open('boon');
  const rows = [1, 2, 3].map((rowNo) => makeRow(rowNo, { holds: [rowNo === 3 ? 'limit' : 'name'] }));
  await ingest(rig.store, [...rows, makeBadRow(4)], { fileName: 'salary november.csv' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

const search = async (typed: string, browser = maker) =>
  (await browser.post('/search', { search: typed })).text;
const linesIn = (text: string): readonly string[] =>
  [...text.matchAll(/<a class="open" href="[^"]*"\s*><b>([^<]*)<\/b>/g)].map(([, name = '']) => name);
const find = async (typed: string) => linesIn(await search(typed));
const [numberOf, batchFile] = [(rowNo: number) => makeRow(rowNo).cells.proxyNo, 'salary november.csv'];

test.each([
  ['a payoutId', 'INV-2', ['INV-2']],
  ['a reference', 'ref 3', ['INV-3']],
  ['an amount', '100.02', ['INV-2']],
  ['a whole number', numberOf(1), ['INV-1']],
  ['its last four digits', numberOf(2).slice(-4), ['INV-2']],
  ['a part of a name', 'somchai', ['INV-4', 'INV-3', 'INV-2', 'INV-1']],
  ['a part of the name of a file', 'november', [batchFile]],
  ['the whole name of a file, and its payouts', batchFile, [batchFile, 'INV-4', 'INV-3', 'INV-2', 'INV-1']],
  ['a hold', 'hold:limit', ['INV-3']],
  ['a hold, of a file', 'hold:name file:salary', ['INV-2', 'INV-1']],
  ['another file', 'hold:name file:october', []],
  ['above an amount', '>100.02 somchai', ['INV-3']],
  ['below an amount', '<100.02 waiting', ['INV-1']],
  ['an alarm', 'alarm', []],
  ['a code of the bank', 'cause:EM012', []],
  ['nothing', 'nobody of this name', []],
])('finds by %s', async (_name, typed, found) => {
  const names = await find(typed);
  expect(names.filter((name) => found.length === 0 || found.includes(name))).toEqual(found);
});

test('finds what a person has taken', async () => {
  const [found] = await rig.store.findPayouts('INV-2');
  const { personId } = await rig.users.find('boon');
  const note = { key: String(found?.row.seq), version: '', person: 'boon', note: '', atMs: noonMs };
  await rig.store.addReviewNote({ ...note, kind: 'payout', what: 'taken', personId });
  expect(await find('owner:me')).toEqual(['INV-2']);
  expect(await find('owner:boon >1')).toEqual(['INV-2']);
  expect(await find('owner:vera')).toEqual([]);
});

test('leads to a day, and to its payouts', async () => {
  const text = await search('2026-11-21');
  expect(text).toContain('href="/reconciliation/20261121"');
  expect(linesIn(text)).toContain('INV-1');
});

test('a payee is found, its number masked; one that was never paid says so, and no sum', async () => {
  const text = await search('somchai');
  const [, payees = ''] = text.split('<h2>Payees</h2>');
  expect(payees).toContain('Never paid');
  expect(payees).not.toMatch(/0\.00|paid 0 times/);
  expect(text).not.toContain(numberOf(1));
});

test('a whole number is recorded for who may see one, and found by nobody else', async () => {
  const before = (await listChanges(rig.store)).length;
  await search('somchai alarm');
  expect(await listChanges(rig.store)).toHaveLength(before);
  await search(`waiting ${numberOf(1)}`);
  const [event] = (await listChanges(rig.store)).slice(before);
  expect(event && [event.kind, readFacts(event)]).toMatchObject([
    'revealed',
    { what: 'search', place: 'search' },
  ]);
  expect(JSON.stringify(event)).not.toContain(numberOf(1));
  const viewer = await rig.open('vera');
  const seen = (await listChanges(rig.store)).length;
  // The last four digits of it are shown to everyone.
  expect(linesIn(await search(numberOf(1), viewer))).toEqual(['INV-1']);
  expect(await listChanges(rig.store)).toHaveLength(seen);
});

test('more than ten are counted, and shown page by page', async () => {
  const more = Array.from({ length: 120 }, (_, place) =>
    makeRow(place + 1, { payoutId: `MORE-${place + 1}`, amountSatang: toSatang(777n) }),
  );
  await ingestRunning(rig.store, more, { batchId: secondBatchId, fileName: 'more.csv' });
  const text = await search('7.77');
  expect(linesIn(text)).toHaveLength(10);
  expect(text).toContain('All 120');
  const seen: string[] = [];
  for (let before = ''; ;) {
    const page = (await maker.post('/search', { search: '7.77', all: 'payouts', before })).text;
    seen.push(...linesIn(page));
    const next = /name="before" value="(\d+)"/.exec(page)?.[1];
    if (next === undefined) break;
    before = next;
  }
  expect(seen).toEqual(more.map(({ cells }) => cells.payoutId).toReversed());
});

test('without a text it tells the words', async () => {
  expect((await maker.get('/search')).text).toContain('hold:approval');
  expect(await search(' ')).toContain('hold:approval');
});

test('decides on the waiting payouts of any search, and freezes those alone', async () => {
  const found = await search('hold:name');
  expect(found).toContain('Decide on those that wait');
  expect(found).toMatch(/action="\/decide"/);
  const list = await maker.post('/decide', { search: 'hold:name' });
  expect(list.text).toContain('Decide: 2 payouts, 200.03 baht');
  expect(await search('hold:name', await rig.open('vera'))).not.toContain('Decide on those that wait');
  expect((await maker.post('/decide', { search: 'nobody of this name' })).status).toBe(422);
});
