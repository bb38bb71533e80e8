/** Days tied out, over a real port. */
import { expect, test } from 'vitest';
import { breakTargetOf } from '../../src/review/queue-target.ts';
import { Browser } from '../support/browser.ts';
import { noonMs, payer } from '../support/journal-fixtures.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { lineFor, openDay, type ReconcileDay } from '../support/reconcile-kit.ts';
import { pageOptionsOf, servePage } from '../support/review-page.ts';
import { propose } from '../support/review.ts';
import { baht, date } from '../support/statement-fixtures.ts';

const amount = (text: string) => ({ amountSatang: baht(text), netSatang: baht(text) });

async function signIn({ store }: ReconcileDay) {
  const users = new Users(store);
  await users.add('mali', 'admin', null);
  const listen = { host: '127.0.0.1', port: 0 };
  const page = await servePage({ listen, ...pageOptionsOf(store, users) });
  const browser = new Browser(page.origin);
  await browser.signIn('mali', passwordOf('mali'));
  return { browser, [Symbol.asyncDispose]: async () => page[Symbol.asyncDispose]() };
}

const textOf = ({ text }: { readonly text: string }): string =>
  text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

test('a day has both sides, the difference and its breaks, and opens on them', async () => {
  await using day = await openDay(['paid', 'paid']);
  await day.reconcile([lineFor(day.attempts[0], amount('99.00')), lineFor(day.attempts[1])]);
  await using scene = await signIn(day);
  const { browser } = scene;
  const days = await browser.get('/reconciliation');
  expect(days.text).toContain(`href="/reconciliation/${date}"`);
  expect(textOf(days)).toContain('200.03 2 199.02 2 +1.01');
  const shown = textOf(await browser.get(`/reconciliation/${date}`));
  expect(shown).toContain('✓ paid on both sides 1');
  expect(shown).toContain('? amount differs 1 99.00');
  expect(shown).toMatch(/Open breaks .* amount differs/);
  expect(shown).toContain('Ask the bank with the transRefNo and sysRefNo which amount was moved');
  await browser.post('/look', { language: 'th', back: '/reconciliation' });
  expect(textOf(await browser.get(`/reconciliation/${date}`))).toContain('จำนวนเงินไม่ตรงกัน');
});

test('what people have accepted is shown with who, why, and a way to the proposal', async () => {
  await using day = await openDay(['paid']);
  await day.reconcile([lineFor(day.attempts[0], amount('99.00'))]);
  await using scene = await signIn(day);
  const { browser } = scene;
  const { store } = day;
  const context = {
    journal: store,
    clock: { now: () => noonMs },
    rules: { payoutSatangMax: null },
    payerAccount: payer.payerAccount,
    people: 1,
    expireDays: 7,
  } as const;
  const targets = (await store.openBreaks(date, 9)).map(breakTargetOf);
  const note = 'the bank has confirmed it <b>twice</b>';
  const wish = { decision: 'accept-break', targets, note, evidence: 'letter 7' } as const;
  expect(await propose(context, wish, { personId: 1, name: 'mali' })).toMatchObject({ kind: 'applied' });
  const shown = await browser.get(`/reconciliation/${date}`);
  expect(textOf(shown)).toMatch(
    /1 accepted by people .* amount differs 99\.00 baht .* mali: the bank has confirmed it &lt;b&gt;twice&lt;\/b&gt; Proposal 1/,
  );
  expect(shown.text).toContain('href="/proposal/1"');
});

test('a day without a statement is told of, and another is none', async () => {
  await using day = await openDay(['paid']);
  await using scene = await signIn(day);
  expect((await scene.browser.get('/reconciliation')).status).toBe(200);
  expect((await scene.browser.get('/reconciliation/20200101')).status).toBe(404);
  expect((await scene.browser.get('/reconciliation/..%2Fx')).status).toBe(404);
});
