/** People and their log over a real port: the same rules as in the shell, and what is secret is shown once. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Browser, Shown } from '../support/browser.ts';
import { ingestAs } from '../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../support/review-page.ts';

let page: OpenTestPage;
let told: number;

beforeEach(async () => {
  told = 0;
  const onUserChange = async () => {
    told += 1;
  };
  page = await openTestPage({ onUserChange }, { wan: 'viewer' });
});
afterEach(async () => page[Symbol.asyncDispose]());

const textOf = ({ text }: Shown): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');
const secretOf = ({ text }: Shown): string => /class="secret mono">([^<]+)</.exec(text)?.[1] ?? '';

const digestOf = async (proposalId: number): Promise<string> =>
  (await page.users.changes()).find((one) => one.proposalId === proposalId)?.digest ?? '';

const add = async (browser: Browser, name: string, role: string): Promise<Shown> => {
  await browser.get('/people');
  return browser.post('/people/add', { name, fullName: `Khun ${name}`, role });
};

describe('an admin', () => {
  test('sees roles, standing and last sign-in, and adds a user with a one-time password shown once', async () => {
    const shown = await page.signIn('mali', '/people');
    expect(textOf(shown)).toMatch(/mali Khun mali admin active 21 Nov 2026 12:00 0 0/);
    expect(textOf(shown)).toMatch(/wan Khun wan viewer active/);
    const added = await add(page.browser, 'boon', 'maker');
    expect(added.status).toBe(200);
    const secret = secretOf(added);
    expect(secret.length).toBeGreaterThan(10);
    expect(told).toBe(1);
    expect(await page.browser.get('/people')).not.toMatchObject({ text: expect.stringContaining(secret) });
    const asked = await (await openBrowser()).signIn('boon', secret);
    expect(asked.text).toContain('action="/password"');
  });

  test('is told what is wrong, with what was typed still there', async () => {
    await page.signIn('mali', '/people');
    const refused = await page.browser.post('/people/add', { name: 'wan', fullName: '<b>x', role: 'maker' });
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('there is a user wan already');
    expect(refused.text).toContain('value="&lt;b&gt;x"');
    expect(told).toBe(0);
  });

  test('changes roles, disables and enables, and is never without an admin', async () => {
    const { personId } = await page.users.find('wan');
    await page.signIn('mali', `/people/${personId}`);
    await page.browser.post(`/people/${personId}/role`, { role: 'maker' });
    expect(await page.users.find('wan')).toMatchObject({ role: 'maker' });
    await page.browser.post(`/people/${personId}/disable`);
    expect(await page.users.find('wan')).toMatchObject({ isDisabled: true });
    expect(secretOf(await page.browser.post(`/people/${personId}/enable`))).not.toBe('');
    const mali = await page.users.find('mali');
    const refused = await page.browser.post(`/people/${mali.personId}/disable`);
    expect(textOf(refused)).toContain('no user would be left who may change users');
    const story = textOf(await page.browser.get(`/people/${personId}`));
    expect(story).toContain('role changed wan has become a maker by mali');
    expect((await page.browser.get('/people/99')).status).toBe(404);
  });

  test('needs the second admin for what gives rights: a half of the password to each', async () => {
    await page.users.add('anan', 'admin', await page.users.find('mali'));
    await page.signIn('mali', '/people');
    const waits = await add(page.browser, 'dao', 'checker');
    expect(textOf(waits)).toContain('It waits for a second admin');
    const first = secretOf(waits);
    expect(textOf(await page.browser.get('/people'))).toContain('a second admin confirms: 1');
    expect(textOf(await page.browser.get('/proposals'))).toMatch(
      /Waits for a checker 1 … Add dao as a checker/,
    );
    const shown = await page.browser.get('/proposal/1');
    expect(textOf(shown)).toContain('You proposed this and cannot approve it');
    expect(shown.text).not.toContain('/proposal/1/approve');
    expect(shown.text).not.toContain(first);
    const own = await page.browser.post('/proposal/1/approve', { seen: await digestOf(1) });
    expect(textOf(own)).toContain('you proposed this and cannot approve it');
    const anan = await page.open('anan');
    expect(textOf(await anan.get('/proposals'))).toMatch(
      /Waits for your check 1 … Add dao as a checker mali/,
    );
    expect((await anan.get('/proposal/1')).text).toContain('action="/proposal/1/approve"');
    for (const seen of [undefined, 'another'])
      expect(secretOf(await anan.post('/proposal/1/approve', seen === undefined ? {} : { seen }))).toBe('');
    const second = secretOf(await anan.post('/proposal/1/approve', { seen: await digestOf(1) }));
    const asked = await (await openBrowser()).signIn('dao', `${first}-${second}`);
    expect(asked.text).toContain('action="/password"');
  });

  test('sends back with a reason', async () => {
    await page.users.add('anan', 'admin', await page.users.find('mali'));
    await page.users.add('dao', 'checker', await page.users.find('mali'));
    const anan = await page.open('anan');
    await anan.get('/proposal/1');
    expect((await anan.post('/proposal/1/send-back', { note: ' ' })).status).toBe(422);
    expect((await anan.post('/proposal/1/withdraw')).status).toBe(409);
    expect(textOf(await anan.post('/proposal/1/send-back', { note: 'who is dao?' }))).toContain('Sent back');
    expect(textOf(await anan.get('/proposals'))).toMatch(
      /Decided 1 ○ Add dao as a checker Sent back · anan · who is dao/,
    );
    expect(textOf(await anan.get('/log'))).toContain('who is dao?');
  });
});

/** Of somebody who has not signed in. */
const openBrowser = async (): Promise<Browser> => {
  const browser = await page.open('nobody');
  browser.cookies.clear();
  return browser;
};

test('whoever is no admin sees none of it and changes nothing', async () => {
  const shown = await page.signIn('wan', '/today');
  expect(shown.text).not.toContain('href="/people"');
  expect((await page.browser.get('/people')).status).toBe(403);
  expect((await page.browser.get('/log')).status).toBe(403);
  const { personId } = await page.users.find('wan');
  for (const [path, fields] of [
    ['/people/add', { name: 'evil', fullName: 'Evil', role: 'admin' }],
    [`/people/${personId}/role`, { role: 'admin' }],
  ] as const)
    expect((await page.browser.post(path, fields)).status).toBe(403);
  expect(await page.users.find('wan')).toMatchObject({ role: 'viewer' });
});

describe('the log', () => {
  test('is of a person, a day or a payout', async () => {
    const { store } = page.sqlite;
    await ingestAs(store, ['paid']);
    await page.signIn('mali', '/log');
    const find = async (fields: Record<string, string>) => textOf(await page.browser.post('/log', fields));
    expect(await find({})).toContain('user added wan wan was added as a viewer by mali');
    expect(await find({ person: 'wan' })).toContain('password set');
    expect(await find({ person: 'mali', day: '2026-11-21' })).toContain('user added');
    expect(await find({ day: '2026-11-20' })).toContain('Nothing is written down');
    expect((await page.browser.post('/log', { day: 'x' })).status).toBe(422);
    const ofPayout = await page.browser.post('/log', { payout: 'INV-1' });
    expect(ofPayout.text).toMatch(/href="\/payout\/\d+"/);
    expect(textOf(ofPayout)).not.toContain('user added wan');
  });

  test('is in Thai, too', async () => {
    await page.signIn('mali', '/log');
    const shown = await page.browser.post('/look', { language: 'th', back: '/log' });
    expect(textOf(shown)).toContain('เพิ่มผู้ใช้');
  });
});
