/** The first page after signing in, over a real port. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Surroundings } from '../../src/overview/today-page.ts';
import {
  bringTo,
  ingest,
  ingestAs,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
  why,
} from '../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../support/review-page.ts';
import { fillRegistrations } from '../support/registration-journal.ts';
import { passwordOf } from '../support/persons.ts';

let page: OpenTestPage;
let surroundings: Surroundings;

beforeEach(async () => {
  surroundings = { sender: { command: 'watch', sinceMs: noonMs, machine: 'pay-1' }, freeBytes: 5n << 30n };
  page = await openTestPage({ payer, readSurroundings: async () => surroundings });
});
afterEach(async () => page[Symbol.asyncDispose]());

const textOf = (shown: { readonly text: string }): string =>
  shown.text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('is the first page, with the queue one click away, and says when nothing is there', async () => {
  const shown = await page.browser.signIn('mali', passwordOf('mali'));
  expect(shown.text).toContain('<h1>Today');
  expect(shown.text).toContain('href="/queue"');
  expect(shown.text).toContain('data-live="today"');
  expect(shown.text).toMatch(/aria-current="page"[\s>]+Today/);
  const text = textOf(shown);
  expect(text).toContain('No batch today yet');
  expect(text).toContain('Nothing needs a person');
  expect(text).toContain('paydrop is sending paydrop watch · pay-1 · ');
  expect(text).toContain('The payer account is open');
  expect(text).toContain('5 GiB');
});

test('shows the money by status, what is in doubt, the batches and what waits', async () => {
  const { store } = page.sqlite;
  await ingestAs(store, ['paid'], makeRows(4));
  await bringTo(store, 'submitted', undefined, 0);
  await ingest(store, [makeRow(1, { payoutId: 'X-1', holds: ['name'] }), makeBadRow(2)], {
    batchId: secondBatchId,
    fileName: '<script>.csv',
  });
  const shown = await page.signIn('mali');
  const text = textOf(shown);
  expect(text).toMatch(/✓ Paid 1 100\.01/);
  expect(text).toMatch(/\? In doubt 1 100\.02/);
  expect(text).toMatch(/› Ready 2 200\.07/);
  expect(text).toMatch(/‖ Held 1 100\.01/);
  expect(text).toMatch(/× Rejected 1 0\.00 \+ 1 without an amount/);
  expect(text).toMatch(/Total 6 500\.11/);
  expect(text).toMatch(/1 in doubt/);
  expect(text).toMatch(/2 need a person 100\.01 baht/);
  expect(text).toMatch(/payouts\.csv/);
  expect(text).toMatch(/25% · 1 of 4/);
  expect(shown.text).not.toContain('<script>');
  // A bar without a style attribute: the policy of the page forbids it.
  expect(shown.text).toMatch(/<rect class="fill-paid" x="0\.00%" width="\d+\.\d\d%"/);
  expect(shown.text).not.toMatch(/ style=/);
});

test('says what stops the money, and that nobody sends', async () => {
  const { store } = page.sqlite;
  surroundings = { sender: undefined, freeBytes: 100n << 20n };
  const { companyId, payerAccount } = payer;
  await store.recordPayerHalt({ ...why, companyId, payerAccount, sinceMs: noonMs });
  const text = textOf(await page.signIn('mali'));
  expect(text).toContain('Nothing is sent: no process works the drop folder');
  expect(text).toMatch(/The disk of the journal is nearly full 100 MiB/);
  expect(text).toMatch(/Sending from the payer account is halted Insufficient funds \(EM053\)\. Fund/);
});

test('counts changes of users for admins alone', async () => {
  const { users } = page;
  const mali = await users.find('mali');
  await users.add('anan', 'admin', mali);
  await users.add('wan', 'viewer', mali);
  await users.add('dao', 'checker', mali);
  const text = 'Changes of users that wait for a second admin';
  expect(textOf(await page.signIn('mali'))).toContain(`1 ${text}`);
  expect(textOf(await page.signIn('wan'))).not.toContain(text);
});

test('shows figures that are a second old to whoever asks at the same time, and then new ones', async () => {
  await page.signIn('mali');
  await ingest(page.sqlite.store, makeRows(3));
  expect(textOf(await page.browser.get('/today'))).toContain('No batch today yet');
  page.users.clock.ms += 60_000;
  expect(textOf(await page.browser.get('/today'))).toMatch(/Total 3 300\.06/);
});

test('speaks Thai, with years of the Buddhist era', async () => {
  await page.signIn('mali');
  const shown = await page.browser.post('/look', { language: 'th', back: '/today' });
  expect(shown.text).toMatch(/<h1>ภาพรวมวันนี้/);
  expect(textOf(shown)).toMatch(/ข้อมูล ณ 21 พ\.ย\. 2569 12:00 น\./);
});

test('registrations that need a person, those that are awaited, and their pause stand there, too', async () => {
  await fillRegistrations(page.store, payer.companyId, noonMs);
  const shown = textOf(await page.signIn('mali'));
  expect(shown).toMatch(/6 Registrations that need a person/);
  expect(shown).toMatch(/2 Registrations with the bank: its callback is awaited/);
  expect(shown).toMatch(/Sending of registrations is paused until .* Too many requests \(0429\)/);
});
