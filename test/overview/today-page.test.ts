/** The first page after signing in, over a real port. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { showBaht } from '../../src/core/figures.ts';
import { sumSatang, zeroSatang } from '../../src/core/money.ts';
import type { Surroundings } from '../../src/overview/today-page.ts';
import {
  applied,
  bringTo,
  firstReady,
  ingest,
  ingestAs,
  intentOf,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
  start,
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
  expect(text).toContain('Nothing waits for you, 12:00');
  expect(text).toContain('No file today Upload a file');
  expect(text).toContain('No payouts yet');
  expect(text).toContain('Every outcome is known.');
  expect(text).toContain('Nothing asked');
  expect(text).toContain('Done today: 0');
  expect(text).toContain('paydrop is ready to send pay-1');
  expect(text).toContain('Account ••5924 is open');
  expect(text).toContain('Disk: 5 GiB free');
  // Nothing was counted, so no sum stands there.
  expect(text).not.toContain('0.00');
  expect(shown.text.length).toBeLessThan(40_000);
});

test('shows the money by outcome, what may have left the account, the batches and what waits', async () => {
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
  expect(text).toMatch(/\? Unknown 1 100\.02/);
  expect(text).toMatch(/× Not paid 1 \+ 1 without an amount/);
  expect(text).toMatch(/‖ Not sent yet 3 300\.08 held 1 100\.01 under way 2 200\.07/);
  expect(text).toMatch(/In all 6 500\.11/);
  expect(text).toContain('21 Nov 2026: paid 100.01 (1), unknown 100.02 (1), not paid 1, not sent 300.08 (3)');
  expect(text).toContain(
    '100.02 baht may have left the account. paydrop asks the bank again by itself about 1 payout.',
  );
  expect(text).toMatch(/Waits for you.* 1 payout · 100\.01 baht/);
  expect(text).toMatch(/payouts\.csv 4 400\.10 › Paying .* 1 of 4 paid/);
  expect(shown.text).not.toContain('<script>');
  // A bar without a style attribute: the policy of the page forbids it.
  expect(shown.text).toMatch(/<rect x="0\.00%" width="\d+\.\d\d%" height="14" class="f-paid"/);
  expect(shown.text).not.toMatch(/ style=/);
});

test('each sum is of the rows that it speaks of', async () => {
  const { store } = page.sqlite;
  await ingestAs(store, ['paid', 'submitted', 'unresolved', 'failed', 'ready'], makeRows(5));
  const rows = (await store.searchPayouts({}, Number.MAX_SAFE_INTEGER, 100)).map(({ row }) => row);
  const sumOf = (statuses: readonly string[]) =>
    showBaht(
      sumSatang(
        rows
          .filter(({ status }) => statuses.includes(status))
          .map(({ instruction }) => instruction?.amountSatang ?? zeroSatang),
      ),
    );
  const text = textOf(await page.signIn('mali'));
  const unknown = sumOf(['submitted', 'unresolved']);
  expect(text).toContain(`✓ Paid 1 ${sumOf(['paid'])}`);
  expect(text).toContain(`? Unknown 2 ${unknown}`);
  expect(text).toContain(`Under 1 h 2 ${unknown}`);
  expect(text).toContain(`${unknown} baht may have left the account.`);
  expect(text).toContain('asks the bank again by itself about 1 payout.');
  expect(text).toContain('A statement or a decision settles 1 payout.');
  expect(text).toContain(`× Not paid 1 ${sumOf(['failed'])}`);
  expect(text).toContain(`‖ Not sent yet 1 ${sumOf(['ready'])}`);
  expect(text).toContain(`In all 5 ${sumOf(['paid', 'submitted', 'unresolved', 'failed', 'ready'])}`);
});

test('a file that is being read is not counted, and says so', async () => {
  await start(page.sqlite.store, { batchId: secondBatchId, fileName: 'salaries.csv' }, noonMs);
  const text = textOf(await page.signIn('mali'));
  expect(text).toContain('Being read, not counted yet: 1');
  expect(text).toMatch(/salaries\.csv not counted yet … Being read/);
  expect(text).not.toContain('0.00');
});

test('says what stops the money, and that nobody sends', async () => {
  const { store } = page.sqlite;
  surroundings = { sender: undefined, freeBytes: 100n << 20n };
  const { companyId, payerAccount } = payer;
  await store.recordPayerHalt({ ...why, companyId, payerAccount, sinceMs: noonMs });
  const text = textOf(await page.signIn('mali'));
  expect(text).toContain('Nothing is sent: paydrop does not run');
  expect(text).toContain('The disk is nearly full: 100 MiB free');
  expect(text).toContain('Account ••5924 is halted Insufficient funds (EM053)');
  expect(text).toMatch(/Waits for you .* ! Account ••5924 is halted/);
});

test('an account that is halted is not said to send, whatever it sent just before', async () => {
  const { store } = page.sqlite;
  await ingestAs(store, [], makeRows(8));
  for (let sent = 0; sent < 6; sent += 1) {
    const { change } = intentOf(await firstReady(store));
    await applied(store, { ...change, event: { ...change.event, atMs: noonMs - 6_000 + sent * 1_000 } });
  }
  const sending = textOf(await page.signIn('mali'));
  expect(sending).toContain('paydrop is sending 60 a minute');
  const { companyId, payerAccount } = payer;
  await store.recordPayerHalt({ ...why, companyId, payerAccount, sinceMs: noonMs });
  page.users.clock.ms += 20_000;
  const text = textOf(await page.browser.get('/today'));
  expect(text).toContain('Account ••5924 is halted Insufficient funds (EM053)');
  expect(text).not.toMatch(/paydrop is sending|paydrop is ready|a minute/);
});

test('counts changes of users for admins alone', async () => {
  const { users } = page;
  const mali = await users.find('mali');
  await users.add('anan', 'admin', mali);
  await users.add('wan', 'viewer', mali);
  await users.add('dao', 'checker', mali);
  const text = 'Changes of people that a second admin confirms: 1';
  expect(textOf(await page.signIn('mali'))).toContain(text);
  expect(textOf(await page.signIn('wan'))).not.toContain(text);
});

test('shows figures that are a second old to whoever asks at the same time, and then new ones', async () => {
  await page.signIn('mali');
  await ingest(page.sqlite.store, makeRows(3));
  expect(textOf(await page.browser.get('/today'))).toContain('No file today');
  page.users.clock.ms += 60_000;
  expect(textOf(await page.browser.get('/today'))).toMatch(/In all 3 300\.06/);
});

test('speaks Thai, with years of the Buddhist era', async () => {
  await page.signIn('mali');
  const shown = await page.browser.post('/look', { language: 'th', back: '/today' });
  expect(shown.text).toMatch(/<h1>ภาพรวมวันนี้/);
  expect(textOf(shown)).toMatch(/21 พ\.ย\. 2569 12:00 น\./);
});

test('registrations that need a person, and their pause, stand there, too', async () => {
  await fillRegistrations(page.store, payer.companyId, noonMs);
  const shown = textOf(await page.signIn('mali'));
  expect(shown).toMatch(/Waits for you.* 1 registration under/);
  expect(shown).toMatch(/Registrations are paused until \d\d:\d\d Too many requests \(0429\)/);
});
