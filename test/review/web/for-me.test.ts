/** What waits for a person, at the top of every page, and what the menu counts. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ingestRunning, makeRow, noonMs, payer, why } from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';
import type { Browser } from '../../support/browser.ts';

let rig: OpenTestPage;
let maker: Browser;
let checker: Browser;

beforeEach(async () => {
  rig = await openTestPage({}, { boon: 'maker', nok: 'checker' });
  [maker, checker] = [await rig.open('boon'), await rig.open('nok')];
});
afterEach(async () => rig[Symbol.asyncDispose]());

const inForMe = (text: string): string =>
  (/<details class="bell".*?<\/details>/s.exec(text)?.[0] ?? '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ');
const look = async (browser: Browser): Promise<string> => inForMe((await browser.get('/more')).text);

async function proposeToResume(): Promise<void> {
  await rig.store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
  const key = `${payer.companyId}/${payer.payerAccount}`;
  const wish = { kind: 'payer', key, version: `${noonMs} `, decision: 'resume-payer' };
  await maker.post('/queue/item', { ...wish, note: 'the balance is there' });
}

test('where nothing waits, it says so', async () => {
  expect(await look(maker)).toBe(' For me 0 Nothing waits for you ');
});

test('a proposal waits for its checker, and lapses for its maker', async () => {
  await proposeToResume();
  expect(await look(checker)).toMatch(/For me 1 Waits for your check Resume .* boon/);
  expect((await checker.get('/more')).text).toMatch(
    /href="\/proposals"\s*>Approvals<span class="c" data-count="\/proposals"\s*><span class="">1</,
  );
  expect(await look(maker)).toContain('Nothing waits for you');
  rig.users.clock.ms += 6.5 * 86_400_000;
  const later = await rig.open('boon');
  expect(await look(later)).toMatch(/For me 1 Lapses within 24 hours Resume .* lapses in 12h/);
});

test('one that was sent back says by whom and why', async () => {
  await proposeToResume();
  await checker.post('/proposal/1/send-back', { note: 'ask the vendor first' });
  expect(await look(maker)).toMatch(/For me 1 Sent back to you Resume .* nok: “ask the vendor first”/);
  expect(await look(checker)).toContain('Nothing waits for you');
});

test('one that was sent back is gone when it is proposed again, also after the end of that', async () => {
  await proposeToResume();
  await checker.post('/proposal/1/send-back', { note: 'ask the vendor first' });
  const listed = async () => (await maker.get('/proposals')).text;
  expect(await listed()).toContain('Sent back to you');
  await proposeToResume();
  expect(await look(maker)).toContain('Nothing waits for you');
  expect(await listed()).not.toContain('Sent back to you');
  await maker.post('/proposal/2/withdraw');
  expect(await look(maker)).toContain('Nothing waits for you');
});

test('a payout that was taken is there until it waits no more, or is given back', async () => {
  await ingestRunning(rig.store, [makeRow(1, { holds: ['name'] })]);
  const [found] = await rig.store.findPayouts('INV-1');
  const item = {
    kind: 'payout',
    key: String(found?.row.seq),
    version: '',
    person: 'boon',
    note: '',
    atMs: noonMs,
  };
  const { personId } = await rig.users.find('boon');
  await rig.store.addReviewNote({ ...item, kind: 'payout', what: 'taken', personId });
  expect(await look(maker)).toMatch(/For me 1 Taken by you INV-1/);
  expect(await look(checker)).toContain('Nothing waits for you');
  await rig.store.addReviewNote({ ...item, kind: 'payout', what: 'given-back', personId });
  // The counts are good for a second, and notes alone change no mark.
  rig.users.clock.ms += 1_000;
  expect(await look(maker)).toContain('Nothing waits for you');
});
