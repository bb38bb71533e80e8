/** Passkeys over a real port: enrolled by their owner alone, confirmed by admins, and never by a forged form. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ReviewPage } from '../../../src/review/web/server.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { Browser } from '../../support/browser.ts';
import { passwordOf, Users } from '../../support/persons.ts';
import { pageOptionsOf, servePage } from '../../support/review-page.ts';
import { makeSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';

let sqlite: SqliteStore;
let users: Users;
let page: ReviewPage;
/** How often it was told outside that users have changed. */
let told = 0;

beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
  await users.add('nok', 'checker', await users.find('mali'));
  await users.add('boon', 'maker', await users.find('mali'));
  const listen = { host: '127.0.0.1', port: 0 };
  told = 0;
  const onUserChange = async () => void (told += 1);
  page = await servePage({ listen, ...pageOptionsOf(sqlite.store, users), onUserChange });
});
afterEach(async () => {
  await page[Symbol.asyncDispose]();
  await sqlite[Symbol.asyncDispose]();
});

/** As a browser shows the page: by its name, never by its number. */
const origin = () => page.origin.replace('127.0.0.1', 'localhost');
const keysOf = async () => (await sqlite.store.persons()).passkeys;

async function visit(name: string): Promise<Browser> {
  const browser = new Browser(page.origin);
  await browser.signIn(name, passwordOf(name));
  return browser;
}

/** What the page asks the browser for. */
async function readChallenge(browser: Browser): Promise<string> {
  const { text } = await browser.get('/passkeys');
  const options = /data-options="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '{}';
  expect(text).toMatch(/<script defer src="\/assets\/webauthn-[0-9a-f]{12}\.js">/);
  return (JSON.parse(options) as { readonly challenge?: string }).challenge ?? '';
}

async function enrol(browser: Browser, key: Authenticator, label = 'blue key') {
  const answer = JSON.stringify(key.create(await readChallenge(browser)));
  return browser.post('/passkeys/enrol', { answer, label });
}

test('a checker enrols a key on the page, an admin confirms it, its owner revokes it', async () => {
  const nok = await visit('nok');
  const key = new Authenticator(origin());
  const shown = await enrol(nok, key, '<b>blue</b>');
  expect([shown.status, shown.text.includes('Waits for an admin')]).toEqual([200, true]);
  expect(shown.text).toContain('&lt;b&gt;blue&lt;/b&gt;');
  const credential = key.credentialId;
  expect((await nok.post('/passkeys/confirm', { key: credential })).status).toBe(403);
  expect(shown.text).toContain('read out the digits: Khun mali');
  const mali = await visit('mali');
  const digits = (await keysOf())[0]?.keyHash.slice(0, 4) ?? '?';
  const { personId } = await users.find('nok');
  for (const path of ['/passkeys', '/people', `/people/${personId}`]) {
    const { text } = await mali.get(path);
    expect(text).toContain(digits);
    expect(text).toContain('Compare digits and confirm');
  }
  const back = await mali.post('/passkeys/confirm', { key: credential, back: `/people/${personId}` });
  expect(back.text).toMatch(/<h1>nok[^]*Counts/);
  expect((await mali.get('/people')).text).not.toContain('Compare digits');
  expect((await mali.get('/passkeys')).text).toContain('Counts');
  expect(await keysOf()).toMatchObject([{ credentialId: credential, confirmedBy: [1], origin: origin() }]);
  const boon = await visit('boon');
  expect((await boon.get('/passkeys')).text).not.toContain('data-passkey');
  expect((await boon.post('/passkeys/enrol', { answer: '' })).status).toBe(403);
  expect((await boon.post('/passkeys/revoke', { key: credential })).text).toContain(
    'you have no such passkey',
  );
  expect(told).toBe(2);
  expect((await nok.post('/passkeys/revoke', { key: credential })).text).toContain('Revoked');
  expect(told).toBe(3);
});

test('once there have been two admins, both confirm', async () => {
  await users.add('anan', 'admin', await users.find('mali'));
  const key = new Authenticator(origin());
  await enrol(await visit('nok'), key);
  const [mali, anan] = [await visit('mali'), await visit('anan')];
  const asked = await mali.post('/passkeys/confirm', { key: key.credentialId });
  expect(asked.text).toContain('a second admin has yet to confirm it');
  expect(asked.text).not.toContain('action="/passkeys/confirm"');
  expect((await mali.post('/passkeys/confirm', { key: key.credentialId })).text).toContain(
    'cannot approve it',
  );
  expect((await anan.post('/passkeys/confirm', { key: key.credentialId })).text).toContain('Counts');
});

test('an answer to another session, one that came before, or none at all, is not taken', async () => {
  const [one, other] = [await visit('nok'), await visit('nok')];
  const key = new Authenticator(origin());
  const answer = JSON.stringify(key.create(await readChallenge(one)));
  await readChallenge(other);
  expect((await other.post('/passkeys/enrol', { answer })).status).toBe(422);
  expect((await one.post('/passkeys/enrol', { answer: '' })).status).toBe(422);
  expect((await one.post('/passkeys/enrol', { answer, _csrf: 'x' })).status).toBe(403);
  expect(await keysOf()).toEqual([]);
});

test('what the browser runs is served as it was installed, under the same policy', async () => {
  const { text } = await (await visit('nok')).get('/passkeys');
  const paths = [...text.matchAll(/src="([^"]+\/(?:webauthn|passkey)-[^"]+\.js)"/g)].map(
    ([, path = '']) => path,
  );
  expect(paths).toHaveLength(2);
  for (const path of paths) {
    const { headers } = await new Browser(page.origin).get(path);
    expect(headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    expect(headers.get('content-security-policy')).toContain("script-src 'self'");
  }
  expect(text).not.toMatch(/<script(?![^>]* src="\/assets\/)|onclick=|style=/);
});
