/** Days tied out, over a real port. */
import { expect, test } from 'vitest';
import { showBaht } from '../../src/core/figures.ts';
import { toSatang } from '../../src/core/money.ts';
import { sidesOfBreak } from '../../src/overview/rules/day-sides.ts';
import { breakTargetOf } from '../../src/review/queue-target.ts';
import { showDifference } from '../../src/review/web/proposed/break-sides.ts';
import { Browser } from '../support/browser.ts';
import { noonMs, payer } from '../support/journal-fixtures.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { dayMs, lineFor, openDay, type ReconcileDay } from '../support/reconcile-kit.ts';
import { pageOptionsOf, servePage, type TestPageParts } from '../support/review-page.ts';
import { propose } from '../support/review.ts';
import { baht, date } from '../support/statement-fixtures.ts';

const amount = (text: string) => ({ amountSatang: baht(text), netSatang: baht(text) });

async function signIn({ store }: ReconcileDay, more: Partial<TestPageParts> = {}, nowMs = noonMs) {
  const users = new Users(store);
  await users.add('mali', 'admin', null);
  users.clock.ms += nowMs - noonMs;
  const listen = { host: '127.0.0.1', port: 0 };
  const page = await servePage({ listen, ...pageOptionsOf(store, users), ...more });
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
  expect(textOf(days)).toContain('! 1 open break 200.03 2 199.02 2 +1.01');
  const page = await browser.get(`/reconciliation/${date}`);
  const shown = textOf(page);
  expect(shown).toContain('21 Nov 2026 does not agree: the bank shows 1.01 less.');
  expect(shown).toContain('The whole difference of 1.01 baht comes from 1 open break.');
  expect(shown).toContain('✓ Paid on both sides 1 100.02 1 100.02 0.00');
  expect(shown).toContain('! Amount differs 1 100.01 1 99.00 +1.01');
  expect(shown).toContain('In all 2 200.03 2 199.02 +1.01');
  expect(shown).toContain('Ask the bank with the transRefNo and sysRefNo which amount was moved');
  expect(page.text).toContain('<svg');
  // On paper: time, sandbox and company at the head, lines for signatures at the end.
  expect(shown).toMatch(/21 Nov 2026 12:00 · Sandbox, no real money Company \S*, reconciliation/);
  expect(shown).toMatch(/Compared by _+ Date _+ Checked by _+ Date _+/);
  expect(shown).toContain('The sending process fetches it every hour');
  expect(page.text).not.toContain(`/reconciliation/${date}/fetch`);
  await browser.post('/look', { language: 'th', back: '/reconciliation' });
  expect(textOf(await browser.get(`/reconciliation/${date}`))).toContain('จำนวนเงินไม่ตรงกัน');
});

test('a proposal of breaks has both sides of each, and their sums', async () => {
  await using day = await openDay(['paid', 'paid', 'paid']);
  const strange = { transRefNo: 'STRANGER000000000001', sysRefNo: 'SYS7', ...amount('50.25') };
  const [first, second, third] = day.attempts;
  await day.reconcile([lineFor(first, amount('99.00')), lineFor(second), lineFor(first, strange)]);
  const open = await day.store.openBreaks(date, 9);
  const sides = open.map((record) => sidesOfBreak(record));
  const sum = (all: readonly (bigint | undefined)[]) =>
    all.reduce<bigint>((total, one) => total + (one ?? 0n), 0n);
  const [ours, bank] = [sum(sides.map((one) => one.oursSatang)), sum(sides.map((one) => one.bankSatang))];
  expect(third).toBeDefined();
  expect(sides.length).toBe(3);
  await using scene = await signIn(day);
  const { browser } = scene;
  const picks = picksOf(await browser.get(`/reconciliation/${date}/accept`));
  const fields = Object.fromEntries(picks.map((name) => [name, '1']));
  const back = await browser.post(`/reconciliation/${date}/accept`, {
    ...fields,
    note: 'letter of the bank',
  });
  // The maker is back at the line, which says that it waits.
  expect(textOf(back)).toContain('does not agree');
  expect(back.text).toContain('href="/proposal/1"');
  const shown = textOf(await browser.get('/proposal/1'));
  for (const one of sides) {
    const cells = [one.oursSatang, one.bankSatang].map((satang) =>
      satang === undefined ? '—' : showBaht(satang),
    );
    expect(shown).toContain([...cells, showDifference(one.differenceSatang)].join(' '));
  }
  expect(shown).toContain(
    `In all ${showBaht(toSatang(ours))} ${showBaht(toSatang(bank))} ${showDifference(toSatang(ours - bank))}`,
  );
});

test('a break in doubt has the bank asked from its card, once in 30 seconds, and the answer is shown there', async () => {
  await using day = await openDay(['unresolved', 'paid']);
  await day.reconcile([lineFor(day.attempts[1])]);
  const asked: number[] = [];
  const askBank = async (seq: number): Promise<void> => void asked.push(seq);
  await using scene = await signIn(day, { askBank });
  const { browser } = scene;
  const page = await browser.get(`/reconciliation/${date}`);
  const [record] = await day.store.openBreaks(date, 9);
  const seq = record?.attempt?.payoutSeq ?? 0;
  const [, back = ''] = /name="back" value="([^"]+)"/.exec(page.text.slice(page.text.indexOf('/ask"'))) ?? [];
  expect(back).toMatch(new RegExp(`^/reconciliation/${date}#break-[0-9a-f]{24}$`));
  expect(page.text).toContain(`id="${back.split('#')[1]}"`);
  const after = await browser.post(`/payout/${seq}/ask`, { back });
  expect(textOf(after)).toContain('does not agree');
  await browser.post(`/payout/${seq}/ask`, { back });
  expect(asked).toEqual([seq]);
  const elsewhere = await browser.post(`/payout/${seq}/ask`, { back: 'https://evil.example/' });
  expect(elsewhere.text).toContain('id="story"');
});

const picksOf = ({ text }: { readonly text: string }): string[] =>
  [...text.matchAll(/name="(pick-[0-9a-f]+)"/g)].map(([, name = '']) => name);

test('several breaks are accepted at once, exactly as they were shown', async () => {
  await using day = await openDay(['paid', 'paid', 'paid']);
  const [first, second, third] = day.attempts;
  await day.reconcile([lineFor(first, amount('99.00')), lineFor(second, amount('90.00')), lineFor(third)]);
  await using scene = await signIn(day);
  const { browser } = scene;
  const path = `/reconciliation/${date}/accept`;
  const picks = picksOf(await browser.get(path));
  expect(picks).toHaveLength(2);
  const both = Object.fromEntries(picks.map((name) => [name, '1']));
  expect((await browser.post(path, {})).status).toBe(422);
  const form = await browser.post(path, both);
  expect(textOf(form)).toContain('2 open breaks of 21 Nov 2026, +11.03 baht');
  expect(textOf(form)).toContain('Propose to accept 2 open breaks of 21 Nov 2026, +11.03 baht');
  expect(picksOf(form)).toEqual(picks);
  // A later version of the statement says otherwise about one of them.
  await day.reconcile([lineFor(first, amount('98.00')), lineFor(second, amount('90.00')), lineFor(third)]);
  const changed = await browser.post(path, { ...both, note: 'letter of the bank' });
  expect(changed.status).toBe(409);
  expect(textOf(changed)).toContain('Changed since you opened it');
  expect(await day.store.openBreaks(date, 9)).toHaveLength(2);
  const now = Object.fromEntries(picksOf(changed).map((name) => [name, '1']));
  const done = await browser.post(path, { ...now, note: 'letter of the bank' });
  expect(textOf(done)).toContain('A decision waits for a check');
  expect(textOf(await browser.get('/proposal/1'))).toContain('letter of the bank');
  // Both wait for a check, and cannot be chosen again.
  expect((await browser.get(path)).status).toBe(404);
  expect(textOf(await browser.get(`/reconciliation/${date}`))).toContain('A decision waits for a check');
});

test('what was typed when the session had ended returns with the breaks that were chosen', async () => {
  await using day = await openDay(['paid', 'paid']);
  await day.reconcile(day.attempts.map((attempt) => lineFor(attempt, amount('99.00'))));
  await using scene = await signIn(day);
  const { browser } = scene;
  const path = `/reconciliation/${date}/accept`;
  const [first = ''] = picksOf(await browser.get(path));
  const form = await browser.post(path, { [first]: '1' });
  const [, seal = ''] = /name="_seal" value="([^"]*)"/.exec(form.text) ?? [];
  await browser.post('/sign-out');
  const note = 'letter of the bank';
  const out = await browser.post(path, { [first]: '1', _seal: seal, note });
  expect(textOf(out)).toContain('your text is kept');
  const back = await browser.post('/sign-in', { name: 'mali', password: passwordOf('mali') });
  expect(back.text).toContain(note);
  expect(picksOf(back)).toEqual([first]);
  expect(await day.store.proposal(1)).toBeUndefined();
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
    /1 accepted by people .* amount differs \+1\.01 .* mali: the bank has confirmed it &lt;b&gt;twice&lt;\/b&gt; Proposal 1/,
  );
  expect(shown.text).toContain('href="/proposal/1"');
});

test('a day without a statement has a page, a day without payouts has none', async () => {
  await using day = await openDay(['paid']);
  const asked: string[] = [];
  const fetchStatement = async (one: string) => {
    asked.push(one);
    return 'none' as const;
  };
  await using scene = await signIn(day, { fetchStatement }, noonMs + dayMs);
  const { browser } = scene;
  expect(textOf(await browser.get('/reconciliation'))).toContain('? Statement missing');
  const missing = await browser.get(`/reconciliation/${date}`);
  expect(missing.status).toBe(200);
  expect(textOf(missing)).toContain('21 Nov 2026 has no statement yet.');
  const fetched = await browser.post(`/reconciliation/${date}/fetch`);
  expect(textOf(fetched)).toContain('The bank has no statement of this day yet');
  expect((await browser.post('/reconciliation/20200101/fetch')).status).toBe(404);
  expect(asked).toEqual([date]);
  expect((await browser.get('/reconciliation/20200101')).status).toBe(404);
  expect((await browser.get('/reconciliation/..%2Fx')).status).toBe(404);
});
