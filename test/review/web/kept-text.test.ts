/** Text typed before the session ended: it waits for its person alone, and decides nothing. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptPosts, keptMs } from '../../../src/review/web/kept-posts.ts';
import { sessionIdleMs } from '../../../src/review/rules/session.ts';
import type { Browser, Shown } from '../../support/browser.ts';
import {
  firstBatchId,
  ingestAs,
  ingest,
  makeRow,
  noonMs,
  payer,
  statusesOf,
  why,
} from '../../support/journal-fixtures.ts';
import { passwordOf } from '../../support/persons.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;
beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'maker', boon: 'maker' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

const typed = 'asked the payee on Monday';
const valueIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';
const isSignIn = ({ text }: Shown): boolean => text.includes('action="/sign-in"');

const pageOf = async (): Promise<string> => {
  const [found] = await rig.store.findPayouts('INV-1');
  return `/payout/${found?.row.seq}`;
};

/** Opens the form and types into it, as far as the press of the button. */
async function fill(browser: Browser) {
  await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
  const path = await pageOf();
  const { text } = await browser.get(path);
  return {
    path,
    decide: `${path}/decide`,
    fields: {
      _seal: valueIn(text, '_seal'),
      version: valueIn(text, 'version'),
      decision: 'go-on',
      note: typed,
    },
  };
}

const idle = (): void => {
  rig.users.clock.ms += sessionIdleMs;
};

test('the form returns filled after the sign-in, and nothing is decided', async () => {
  const nok = await rig.open('nok');
  const { path, decide, fields } = await fill(nok);
  idle();
  const out = await nok.post(decide, fields);
  expect(isSignIn(out)).toBe(true);
  expect(out.text).toContain('You were signed out. Nothing was decided, and your text is kept');
  expect(out.text).not.toContain(typed);
  const back = await nok.post('/sign-in', { name: 'nok', password: passwordOf('nok') });
  expect(back.text).toContain(typed);
  expect(back.text).toContain('Nothing was decided');
  expect(await rig.store.proposal(1)).toBeUndefined();
  // Once: another look at the page is empty again.
  expect((await nok.get(path)).text).not.toContain(typed);
});

test('another person who signs in at that browser gets nothing, and the text waits on for its own', async () => {
  const nok = await rig.open('nok');
  const { path, decide, fields } = await fill(nok);
  idle();
  await nok.post(decide, fields);
  const boon = await nok.post('/sign-in', { name: 'boon', password: passwordOf('boon') });
  expect(boon.text).not.toContain(typed);
  expect((await nok.get(path)).text).not.toContain(typed);
  await nok.post('/sign-out');
  const back = await nok.post('/sign-in', { name: 'nok', password: passwordOf('nok') });
  expect(back.text).toContain(typed);
});

test('the person gets nothing in another browser, and nothing after half an hour', async () => {
  const nok = await rig.open('nok');
  const { path, decide, fields } = await fill(nok);
  idle();
  await nok.post(decide, fields);
  const other = await rig.open('nok');
  expect((await other.get(path)).text).not.toContain(typed);
  rig.users.clock.ms += keptMs;
  expect((await nok.get('/sign-in')).text).not.toContain('your text is kept');
  const back = await nok.post('/sign-in', { name: 'nok', password: passwordOf('nok') });
  expect(back.text).not.toContain(typed);
});

test('a seal that was changed, or is of another program, keeps nothing', async () => {
  const nok = await rig.open('nok');
  const { path, decide, fields } = await fill(nok);
  const seals = [
    '',
    'x',
    `${fields['_seal'].slice(0, -2)}xx`,
    new KeptPosts('kept').seal({ personId: 1, path }, noonMs),
  ];
  idle();
  for (const seal of seals) {
    const out = await nok.post(decide, { ...fields, ['_seal']: seal });
    expect(out.text).not.toContain('your text is kept');
    expect(nok.cookies.has('kept')).toBe(false);
  }
});

test('a form of a session that ended by sign-out in another tab is kept, and one of another person is refused', async () => {
  const nok = await rig.open('nok');
  const { decide, fields } = await fill(nok);
  await nok.post('/sign-out');
  const stale = { ...fields, _csrf: 'of the old tab' };
  expect((await nok.post(decide, stale)).text).toContain('your text is kept');
  nok.cookies.delete('kept');
  await nok.signIn('nok', passwordOf('nok'));
  expect((await nok.post(decide, stale)).text).toContain(typed);
  await nok.post('/sign-out');
  await nok.signIn('boon', passwordOf('boon'));
  const refused = await nok.post(decide, stale);
  expect([refused.status, refused.text.includes(typed)]).toEqual([403, false]);
  expect(await statusesOf(rig.store)).toEqual(['held']);
  expect(await rig.store.proposal(1)).toBeUndefined();
});

test('a form of another site keeps nothing', async () => {
  const nok = await rig.open('nok');
  const { decide, fields } = await fill(nok);
  idle();
  const refused = await nok.post(decide, fields, { origin: 'http://evil.example' });
  expect(refused.status).toBe(403);
  expect(nok.cookies.has('kept')).toBe(false);
});

test('a form with a file is kept without it', async () => {
  await ingestAs(rig.store, ['unresolved']);
  const [found] = await rig.store.findPayouts('INV-1');
  const path = `/payout/${found?.row.seq}`;
  const nok = await rig.open('nok');
  const { text } = await nok.get(path);
  const send = (letter: string) =>
    nok.postRaw(`${path}/decide/file`, (token) => {
      const sent = new FormData();
      const all = {
        _csrf: token,
        _seal: valueIn(text, '_seal'),
        decision: 'confirm-paid',
        note: typed,
        evidence: 'letter 7',
      };
      for (const [field, value] of Object.entries(all)) sent.append(field, value);
      sent.append('evidenceFile', new Blob([letter]), 'letter.pdf');
      return sent;
    });
  idle();
  expect((await send('x')).text).toContain('your text is kept');
  const back = await nok.post('/sign-in', { name: 'nok', password: passwordOf('nok') });
  expect(back.text).toContain(typed);
  expect(back.text).toContain('letter 7');
  expect(await rig.store.proposal(1)).toBeUndefined();
});

test('memory is bounded: by size, by person, and over all', () => {
  const kept = new KeptPosts('kept');
  const keep = (personId: number, fields: Record<string, string> = { note: 'x' }) =>
    kept.keep({ personId, path: '/payout/1' }, fields, noonMs);
  expect(keep(1, { note: 'x'.repeat(16_001) })).toBeUndefined();
  expect(keep(1, { ['_csrf']: 'x' })).toBeUndefined();
  const isKept = (secret = '') =>
    kept.isOf({ cookies: { kept: secret } } as unknown as Parameters<KeptPosts['isOf']>[0], noonMs);
  const own = [1, 2, 3, 4, 5, 6].map(() => keep(1));
  expect(own.map(isKept)).toEqual([false, true, true, true, true, true]);
  const all = Array.from({ length: 200 }, (_, place) => keep(place + 2));
  expect(own.some(isKept)).toBe(false);
  expect(all.every(isKept)).toBe(true);
});

test('a seal is older than no session', () => {
  const kept = new KeptPosts('kept');
  const sealed = kept.seal({ personId: 7, path: '/payout/1' }, noonMs);
  expect(kept.openSeal(sealed, noonMs + 10 * 3_600_000)).toEqual({ personId: 7, path: '/payout/1' });
  expect(kept.openSeal(sealed, noonMs + 11 * 3_600_000)).toBeUndefined();
});

/** Types into a form that stands on a page of its own, after the session has ended. @returns the page after the sign-in */
async function typeLate(nok: Browser, path: string, form: Shown, fields: Record<string, string>) {
  expect(form.text).toContain('name="note"');
  idle();
  const out = await nok.post(path, { ...fields, _seal: valueIn(form.text, '_seal'), note: typed });
  expect(out.text).toContain('your text is kept');
  const back = await nok.post('/sign-in', { name: 'nok', password: passwordOf('nok') });
  expect(back.text).toContain(typed);
  expect(back.text).toContain('Nothing was decided');
  expect(await rig.store.proposal(1)).toBeUndefined();
  return back;
}

test('the form of a whole batch returns filled', async () => {
  await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
  const nok = await rig.open('nok');
  const path = `/batch/${firstBatchId}/decide/cancel-batch`;
  await typeLate(nok, path, await nok.get(path), { version: '1' });
});

test('a form that only a button shows returns filled, and its address alone leads to the queue', async () => {
  await rig.store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
  const nok = await rig.open('nok');
  const path = '/queue/item';
  const key = `${payer.companyId}/${payer.payerAccount}`;
  const wish = { kind: 'payer', key, version: `${noonMs} `, decision: 'resume-payer' };
  await typeLate(nok, path, await nok.post(path, wish), wish);
  expect((await nok.get(path)).text).not.toContain('name="note"');
});
