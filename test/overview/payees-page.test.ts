/** Who is paid, over a real port. */
import { afterEach, beforeEach, expect, test } from 'vitest';
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

test('shows each payee once, whoever was named last first, with what was paid and under which names', async () => {
  await fill();
  const shown = await page.signIn('mali', '/payees');
  const numbers = [...shown.text.matchAll(/class="name mono">([^<]+)</g)].map(([, number]) => number);
  expect(numbers).toEqual(['******0001', '******0003', '******0002']);
  const text = textOf(shown);
  expect(text).toMatch(/0001 MSISDN · 2 in files &lt;script&gt;/);
  expect(text).toMatch(/Somchai Jaidee 21 Nov 2026 12:00 21 Nov 2026 12:00 1 100\.01 0/);
  expect(text).toMatch(/0002 MSISDN · 1 in files Somchai Jaidee never never 0 0\.00 1/);
  expect(shown.text).not.toMatch(/<script>|alert\(1\)<\/script>/);
  expect(shown.text).not.toContain('0810000001');
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
  expect((await page.browser.get('/payees?search=0001')).text.match(/class="name mono"/g)).toHaveLength(3);
});

test('goes on page by page, and leaves nobody out', async () => {
  await ingest(page.sqlite.store, makeRows(120));
  let shown = await page.signIn('mali', '/payees');
  const seen = new Set<string>();
  for (let pages = 0; pages < 9; pages += 1) {
    for (const [, number = ''] of shown.text.matchAll(/class="name mono">([^<]+)</g)) seen.add(number);
    const before = /name="before" value="(\d+)"/.exec(shown.text)?.[1];
    if (before === undefined) break;
    shown = await page.browser.post('/payees', { before });
  }
  expect(seen.size).toBe(120);
});

test('says when nobody is there, in Thai too', async () => {
  expect(textOf(await page.signIn('mali', '/payees'))).toContain('No file has named a payee yet');
  const shown = await page.browser.post('/look', { language: 'th', back: '/payees' });
  expect(shown.text).toMatch(/<h1>ผู้รับเงิน/);
});
