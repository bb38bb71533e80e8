/** Who is paid, over a real port. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import { ingest, ingestAs, makeRow, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../support/review-page.ts';

let page: OpenTestPage;

beforeEach(async () => {
  page = await openTestPage();
});
afterEach(async () => page[Symbol.asyncDispose]());

const script = `<script>alert(1)</script>`;
const textOf = ({ text }: { readonly text: string }): string =>
  text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

/** Two files name the payee of row 1, the second under another name. */
async function fill(): Promise<void> {
  const { store } = page.sqlite;
  await ingestAs(store, ['paid', 'failed'], makeRows(3));
  const again = makeRow(1, { payoutId: 'B-1', holds: ['name'] });
  const { instruction } = again;
  if (instruction === null) throw new Error('the row has no instruction');
  const named = { ...again, instruction: { ...instruction, payeeName: script } };
  await ingest(store, [named], { batchId: secondBatchId, fileName: 'b.csv' });
}

const numbersOf = ({ text }: { readonly text: string }) =>
  [...text.matchAll(/class="name mono">([^<]+)</g)].map(([, number]) => number?.slice(-1));

test('shows who was paid, and who never was, each once, with sums and under which names', async () => {
  await fill();
  const paid = await page.signIn('mali', '/payees');
  expect(numbersOf(paid)).toEqual(['1']);
  expect(textOf(paid)).toMatch(/0001 MSISDN · 2 in files &lt;script&gt;/);
  expect(textOf(paid)).toMatch(/Somchai Jaidee 21 Nov 2026 12:00 21 Nov 2026 12:00 1 100\.01 0/);
  expect(paid.text).not.toMatch(/<script>|alert\(1\)<\/script>/);
  expect(paid.text).not.toContain('0810000001');
  const never = await page.browser.post('/payees', { list: 'never' });
  expect(numbersOf(never)).toEqual(['3', '2']);
  expect(textOf(never)).toMatch(/0002 MSISDN · 1 in files Somchai Jaidee never never 0 0\.00 1/);
});

test('orders payees by sum, by failures and by the last payment', async () => {
  const { store } = page.sqlite;
  const amounts = [90_000n, 100n, 70_000n, 80_000n].map(toSatang);
  const rows = [1, 1, 2, 3].map((payee, place) => ({
    ...makeRow(payee, { payoutId: `P-${place}`, amountSatang: amounts[place] ?? null }),
    rowNo: place + 1,
    line: place + 2,
  }));
  await ingestAs(store, ['paid', 'failed', 'paid', 'paid'], rows);
  await page.signIn('mali', '/payees');
  const order = async (list: string) => numbersOf(await page.browser.post('/payees', { list }));
  expect(await order('sum')).toEqual(['1', '3', '2']);
  expect((await order('failures'))[0]).toBe('1');
  expect(await order('last')).toHaveLength(3);
  const [first] = (await page.browser.get('/payees')).text.match(/\/payee\/\d+/) ?? [];
  const payee = await page.browser.get(first ?? '');
  expect(textOf(payee)).toMatch(/Payee ••0001 .*1 900\.00 1 Payouts to this payee/);
  expect([...payee.text.matchAll(/href="\/payout\/\d+"/g)]).toHaveLength(2);
  expect((await page.browser.get('/payee/99')).status).toBe(404);
});

test('finds by the number, by how it ends, and by a part of a name, and never in an address', async () => {
  await fill();
  await page.signIn('mali', '/payees');
  const found = async (search: string) =>
    [...(await page.browser.post('/payees', { search })).text.matchAll(/class="name mono">([^<]+)</g)].map(
      ([, number]) => number?.slice(-1),
    );
  expect(await found('081-000-0002')).toEqual(['2']);
  expect(await found('+66 81 000 0003')).toEqual(['3']);
  expect(await found('0001')).toEqual(['1']);
  expect(await found('somchai')).toEqual(['3', '2', '1']);
  expect(await found('<script>alert(')).toEqual(['1']);
  expect(await found('nobody')).toEqual([]);
  expect((await page.browser.get('/payees?search=0002')).text).not.toContain('••0002');
});

test('goes on page by page, and leaves nobody out', async () => {
  await ingest(page.sqlite.store, makeRows(120));
  await page.signIn('mali', '/payees');
  let shown = await page.browser.post('/payees', { list: 'never' });
  const seen = new Set<string>();
  for (let pages = 0; pages < 9; pages += 1) {
    for (const [, number = ''] of shown.text.matchAll(/class="name mono">([^<]+)</g)) seen.add(number);
    const from = /name="from" value="(\d+)"/.exec(shown.text)?.[1];
    if (from === undefined) break;
    shown = await page.browser.post('/payees', { from, list: 'never' });
  }
  expect(seen.size).toBe(120);
});

test('says when nobody is there, in Thai too', async () => {
  expect(textOf(await page.signIn('mali', '/payees'))).toContain('No payee was paid yet');
  const shown = await page.browser.post('/look', { language: 'th', back: '/payees' });
  expect(shown.text).toMatch(/<h1>ผู้รับเงิน/);
});
