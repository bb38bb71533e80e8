/** One's own sessions: where one is signed in, and the way out of all of them at once. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { hashSession } from '../../../src/review/sessions.ts';
import { sessionIdleMs } from '../../../src/review/rules/session.ts';
import type { Browser } from '../../support/browser.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;
/** Sessions of which the rest was told to go. */
const left: string[] = [];
beforeEach(async () => {
  const onSignOut = async (hash: string) => void left.push(hash);
  rig = await openTestPage({ onSignOut }, { nok: 'checker', ploy: 'viewer' });
});
afterEach(() => rig[Symbol.asyncDispose]());

const isSignIn = ({ text }: { readonly text: string }): boolean => text.includes('action="/sign-in"');
const hashOf = ({ cookies }: Browser): string => hashSession(cookies.get('paydrop_session') ?? '');
const rowsOf = (text: string): readonly string[] =>
  [...text.matchAll(/<tr>\s*<td.*?<\/tr>/gs)].map(([row]) =>
    row
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

test('shows when each began and was last used, and which is this one; of nobody else', async () => {
  const first = await rig.open('nok');
  rig.users.clock.ms += 20 * 60_000;
  await first.get('/today');
  const second = await rig.open('nok');
  await rig.open('ploy');
  const { status, text } = await second.get('/sessions');
  expect(status).toBe(200);
  const rows = rowsOf(text);
  expect(rows).toHaveLength(2);
  expect(rows[0]).toMatch(/this browser$/);
  expect(rows[1]).toMatch(/another browser$/);
  // One that has ended by its time is none.
  rig.users.clock.ms += sessionIdleMs - 60_000;
  await second.get('/today');
  rig.users.clock.ms += 120_000;
  expect(rowsOf((await second.get('/sessions')).text)).toHaveLength(1);
});

test('sign out everywhere ends all of them, what was kept for each, and nobody else’s', async () => {
  const [one, other, ploy] = [await rig.open('nok'), await rig.open('nok'), await rig.open('ploy')];
  const hashes = [hashOf(one), hashOf(other)];
  await one.get('/sessions');
  left.length = 0;
  const shown = await one.post('/sessions/sign-out');
  expect(shown.text).toContain('You have signed out');
  expect(one.cookies.has('paydrop_session')).toBe(false);
  for (const browser of [one, other]) expect(isSignIn(await browser.get('/today'))).toBe(true);
  expect(isSignIn(await ploy.get('/today'))).toBe(false);
  expect(new Set(left)).toEqual(new Set(hashes));
});

test('is found from the name, by whoever has no passkey to keep too, and in Thai', async () => {
  const ploy = await rig.open('ploy');
  expect((await ploy.get('/today')).text).toContain('class="who" href="/sessions"');
  const nok = await rig.open('nok');
  expect((await nok.get('/today')).text).toContain('class="who" href="/passkeys"');
  expect((await nok.get('/passkeys')).text).toContain('href="/sessions"');
  ploy.cookies.set('language', 'th');
  expect((await ploy.get('/sessions')).text).toContain('ออกจากระบบทุกอุปกรณ์');
});
