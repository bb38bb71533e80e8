/** The review page over a real port: who gets in, from where, and what is shown of rows that others wrote. */
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { pageScript, stylePath } from '../../../src/review/web/layout.ts';
import type { ReviewPage } from '../../../src/review/web/server.ts';
import { sessionIdleMs, sessionLongestMs } from '../../../src/review/rules/session.ts';
import { startSession } from '../../../src/review/sessions.ts';
import { changePassword, signIn } from '../../../src/review/sign-in.ts';
import { describePersonEvent } from '../../../src/review/rules/person-words.ts';
import { Browser } from '../../support/browser.ts';
import { ingest, makeBadRow, makeRow } from '../../support/journal-fixtures.ts';
import { passwordOf, Users } from '../../support/persons.ts';
import { pageOptionsOf, servePage } from '../../support/review-page.ts';
import { makeSqliteStore, type SqliteStore } from '../../support/sqlite-store.ts';
import { inWords } from '../../support/in-words.ts';

let sqlite: SqliteStore;
let users: Users;
let page: ReviewPage;
let browser: Browser;

beforeEach(async () => {
  sqlite = await makeSqliteStore();
  users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
  page = await servePage({
    listen: { host: '127.0.0.1', port: 0 },
    ...pageOptionsOf(sqlite.store, users),
  });
  browser = new Browser(page.origin);
});
afterEach(async () => {
  await page[Symbol.asyncDispose]();
  await sqlite[Symbol.asyncDispose]();
});

const isSignIn = ({ text }: { readonly text: string }): boolean => text.includes('action="/sign-in"');
/** @returns the queue, which is one click from the first page */
async function signInAsMali() {
  await browser.signIn('mali', passwordOf('mali'));
  return browser.get('/queue');
}

describe('signing in', () => {
  test('nobody sees anything before, and with a right password today and the queue', async () => {
    expect(isSignIn(await browser.get('/'))).toBe(true);
    expect(isSignIn(await browser.post('/search', { search: 'x' }))).toBe(true);
    const wrong = await browser.signIn('mali', 'not the password');
    expect([wrong.status, isSignIn(wrong)]).toEqual([401, true]);
    expect(browser.cookies.has('paydrop_session')).toBe(false);
    const queue = await signInAsMali();
    expect([queue.status, queue.text.includes('Nothing needs a person')]).toEqual([200, true]);
  });

  test('a one-time password opens nothing but the form to set one of one’s own', async () => {
    const outcome = await users.ask(
      { kind: 'add', name: 'nok', displayName: 'Nok', role: 'viewer' },
      await users.find('mali'),
    );
    const oneTime = outcome.kind === 'done' ? (outcome.oneTimePassword?.text ?? '') : '';
    const asked = await browser.signIn('nok', oneTime);
    expect(asked.text).toContain('action="/password"');
    expect(browser.cookies.has('paydrop_session')).toBe(false);
    // Typed once, and never in a page.
    expect(asked.text).not.toContain(oneTime);
    expect(asked.text).not.toContain('name="present"');
    expect(asked.text).toContain('a password has at least 12 characters');
    const ticket = /name="ticket" value="([\w-]+)"/.exec(asked.text)?.[1] ?? '';
    const own = passwordOf('nok');
    const differ = { name: 'nok', ticket, wanted: own, again: `${own}!` };
    expect((await browser.post('/password', differ)).status).toBe(422);
    const short = { ...differ, wanted: 'short', again: 'short' };
    expect((await browser.post('/password', short)).text).toContain(`value="${ticket}"`);
    const right = { ...differ, again: own };
    expect((await browser.post('/password', { ...right, name: 'mali' })).status).toBe(422);
    expect((await browser.post('/password', { ...right, ticket: 'x' })).text).toContain('name="present"');
    expect((await browser.post('/password', right)).text).toContain('Queue');
    expect((await browser.post('/password', right)).status).toBe(422);
  });

  test('a one-time password is typed again once the page has forgotten it', async () => {
    const wish = { kind: 'add', name: 'nok', displayName: 'Nok', role: 'viewer' } as const;
    const outcome = await users.ask(wish, await users.find('mali'));
    const oneTime = outcome.kind === 'done' ? (outcome.oneTimePassword?.text ?? '') : '';
    const { text } = await browser.signIn('nok', oneTime);
    const ticket = /name="ticket" value="([\w-]+)"/.exec(text)?.[1] ?? '';
    users.clock.ms += 600_000;
    const own = passwordOf('nok');
    const right = { name: 'nok', ticket, wanted: own, again: own };
    const asked = await browser.post('/password', right);
    expect([asked.status, asked.text.includes('name="present"')]).toEqual([422, true]);
    expect((await browser.post('/password', { ...right, present: oneTime })).text).toContain('Queue');
  });

  test('a session is new at each sign-in, and gone once it is signed out of', async () => {
    browser.cookies.set('paydrop_session', 'chosen-by-somebody-else');
    await signInAsMali();
    const first = browser.cookies.get('paydrop_session') ?? '';
    expect(first).toMatch(/^[\w-]{43}$/);
    await browser.post('/sign-out');
    browser.cookies.set('paydrop_session', first);
    expect(isSignIn(await browser.get('/queue'))).toBe(true);
    await signInAsMali();
    expect(browser.cookies.get('paydrop_session')).not.toBe(first);
  });

  test.each([
    ['nothing asked for', sessionIdleMs, 1],
    ['its longest time, though it was used', sessionLongestMs - 20, sessionLongestMs / (sessionIdleMs / 2)],
  ])('it ends after %s', async (_name, ms, steps) => {
    await signInAsMali();
    for (let step = 1; step < steps; step += 1) {
      users.clock.ms += ms / steps;
      expect(isSignIn(await browser.get('/queue'))).toBe(false);
    }
    users.clock.ms += ms / steps + 20;
    expect(isSignIn(await browser.get('/queue'))).toBe(true);
  });

  test.each([
    ['disabled', { kind: 'disable' }],
    ['given another role', { kind: 'role', role: 'viewer' }],
    ['given a new password', { kind: 'reset-password' }],
  ] as const)('it ends with its person %s', async (_name, request_) => {
    const mali = await users.find('mali');
    await users.add('nok', 'maker', mali);
    await browser.signIn('nok', passwordOf('nok'));
    expect(isSignIn(await browser.get('/queue'))).toBe(false);
    users.clock.ms += 1;
    const { personId } = await users.find('nok');
    const outcome = await users.ask({ ...request_, personId }, mali);
    expect(outcome.kind).toBe('done');
    expect(isSignIn(await browser.get('/queue'))).toBe(true);
  });

  test('it ends with the password of its owner, wherever the new one is set', async () => {
    await signInAsMali();
    const own = passwordOf('mali');
    // As the shell does it.
    expect(await changePassword(users.context, 'mali', own, 'another tea at noon')).toBeUndefined();
    expect(isSignIn(await browser.get('/queue'))).toBe(true);
    expect((await browser.signIn('mali', 'another tea at noon')).status).toBe(200);
    expect(isSignIn(await browser.get('/queue'))).toBe(false);
  });

  test('none begins with a password that was replaced while it was looked at', async () => {
    const mali = await users.find('mali');
    const { passwordHash = '' } = (await sqlite.store.personPassword('mali')) ?? {};
    await changePassword(users.context, 'mali', passwordOf('mali'), 'another tea at noon');
    const late = { person: mali, passwordHash };
    expect(
      await startSession({ ...users.context, store: sqlite.store }, late, users.clock.now()),
    ).toBeUndefined();
  });

  test('it goes on where the same password is hashed anew', async () => {
    await signInAsMali();
    const dearer = { ...users.context, cost: { logN: 2, r: 1, p: 1 } };
    const answer = await signIn(dearer, 'mali', passwordOf('mali'));
    if (answer.kind !== 'signed-in') throw new Error(answer.kind);
    expect(
      await startSession({ ...users.context, store: sqlite.store }, answer, users.clock.now()),
    ).toBeDefined();
    expect(isSignIn(await browser.get('/queue'))).toBe(false);
  });
});

describe('a form is taken', () => {
  test.each([
    ['with the page’s token', {}, {}, 200],
    ['not without it', { _csrf: '' }, {}, 403],
    ['not with another', { _csrf: 'abc.def' }, {}, 403],
    ['not from another page', {}, { origin: 'http://evil.example' }, 403],
    ['not from nowhere', {}, { origin: 'null' }, 403],
    ['not across sites', {}, { 'sec-fetch-site': 'cross-site' }, 403],
  ])('%s', async (_name, fields, headers, status) => {
    await signInAsMali();
    expect(
      (await browser.post('/search', fields as Record<string, string>, headers as Record<string, string>))
        .status,
    ).toBe(status);
  });

  test('also by the page of another machine on the same journal', async () => {
    await signInAsMali();
    await using other = await servePage({
      listen: { host: '127.0.0.1', port: 0 },
      ...pageOptionsOf(sqlite.store, users),
    });
    const there = new Browser(other.origin);
    for (const [name, value] of browser.cookies) there.cookies.set(name, value);
    const shown = await browser.get('/queue');
    const token = /name="_csrf" value="([^"]+)"/.exec(shown.text)?.[1] ?? '';
    expect((await there.post('/search', { _csrf: token })).status).toBe(200);
  });

  test('not with the token of a session before', async () => {
    await browser.get('/sign-in');
    const before = /name="_csrf" value="([^"]+)"/.exec((await browser.get('/sign-in')).text)?.[1] ?? '';
    await signInAsMali();
    expect((await browser.post('/search', { _csrf: before })).status).toBe(403);
  });
});

/** Under another name than the one it is asked by. */
async function askAs(host: string): Promise<number | undefined> {
  const { resolve, promise } = Promise.withResolvers<number | undefined>();
  request(`${page.origin}/sign-in`, { headers: { host } }, (response) => {
    response.resume();
    resolve(response.statusCode);
  }).end();
  return promise;
}

describe('every answer', () => {
  test('is only for names that are served', async () => {
    expect([await askAs('rebound.example'), await askAs('localhost:1')]).toEqual([421, 200]);
  });

  test.each(['/sign-in', '/nowhere', stylePath])('%s bears the headers', async (path) => {
    const { headers } = await browser.get(path);
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy.split(';')).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(policy).not.toMatch(/unsafe|upgrade|\*|http/);
    expect(headers.get('referrer-policy')).toBe('same-origin');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cross-origin-opener-policy')).toBe('same-origin');
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin');
    expect(headers.get('permissions-policy')).toContain('camera=()');
    if (path !== stylePath) expect(headers.get('cache-control')).toBe('no-store');
  });

  test.each([
    [stylePath, 30_000],
    [pageScript.path, 12_000],
  ])('%s has at most %d bytes', async (path, bytesMax) => {
    expect(Buffer.byteLength((await browser.get(path)).text)).toBeLessThanOrEqual(bytesMax);
  });

  test('sets cookies that no script reads and no other site sends', async () => {
    const response = await fetch(`${page.origin}/sign-in`);
    for (const line of response.headers.getSetCookie()) expect(line).toMatch(/HttpOnly; SameSite=Strict/);
  });
});

const script = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`;

describe('the queue', () => {
  test('shows what others wrote as text, with numbers masked', async () => {
    const bad = makeBadRow(1);
    const cells = {
      ...bad.cells,
      payoutId: script,
      payeeName: script,
      reference1: script,
      amount: script,
      proxyNo: script,
    };
    const issues = bad.issues.map((issue) => ({ ...issue, value: script }));
    const held = makeRow(2, { holds: ['name'] });
    await ingest(sqlite.store, [{ ...bad, cells, issues }, held], { fileName: `${script}.csv` });
    await signInAsMali();
    const { text } = await browser.get('/queue');
    expect(text).not.toMatch(/<script>|<img/);
    expect(text).toContain('&lt;script&gt;');
    expect(text).toContain('INV-2');
    expect(text).not.toContain(held.cells.proxyNo);
    expect(text).toContain('Sandbox, no real money');
  });

  test('goes on page by page, and back, and leaves nothing out', async () => {
    const rows = Array.from({ length: 120 }, (_, place) => makeRow(place + 1, { holds: ['name'] }));
    await ingest(sqlite.store, rows);
    let shown = await signInAsMali();
    const namesIn = ({ text }: typeof shown) =>
      [...text.matchAll(/class="name">([^<]+)</g)].map(([, name = '']) => name);
    const seen: string[] = [];
    const firsts: (string | undefined)[] = [];
    for (;;) {
      seen.push(...namesIn(shown));
      firsts.push(namesIn(shown)[0]);
      const next = /href="([^"]*after=\d+)"/.exec(shown.text)?.[1];
      if (next === undefined) break;
      shown = await browser.get(next.replaceAll('&amp;', '&'));
    }
    expect(seen).toEqual(rows.map(({ cells }) => cells.payoutId));
    const back = /href="([^"]*before=\d+)"/.exec(shown.text)?.[1] ?? '';
    expect(namesIn(await browser.get(back.replaceAll('&amp;', '&')))[0]).toBe(firsts.at(-2));
  });

  test('speaks Thai to whoever wants it', async () => {
    await signInAsMali();
    const { text } = await browser.post('/look', {
      language: 'th',
      theme: 'dark',
      back: 'http://evil.example/',
    });
    expect(text).toContain('<html lang="th" data-theme="dark"');
    expect(text).toContain('ไม่มีรายการรอคุณ');
    expect(text).toMatch(/21 พ\.ย\. 2569 12:00 น\./);
  });
});

describe('the history of people has', () => {
  const readAccess = async () => {
    const { people } = await sqlite.store.persons();
    return (await sqlite.store.personEvents(0, 1_000))
      .filter(({ kind }) => ['signed-in', 'sign-in-failed', 'refused'].includes(kind))
      .map((event) => describePersonEvent(event, people));
  };

  test('who signed in, who could not, and each 403, with who met it', async () => {
    await users.add('nok', 'viewer', await users.find('mali'));
    await browser.signIn('mali', 'not the password');
    await browser.signIn('nok', passwordOf('nok'));
    expect((await browser.get('/people/1')).status).toBe(403);
    expect((await browser.post('/search', { _csrf: 'x' })).status).toBe(403);
    expect((await browser.post('/sign-in', {}, { origin: 'http://evil.example' })).status).toBe(403);
    // At the end of the page nothing is lost of what was gathered.
    await page[Symbol.asyncDispose]();
    expect(inWords(await readAccess())).toEqual([
      'a sign-in as mali failed (wrong-password)',
      'nok has signed in (page)',
      'nok was refused (GET /people/:personId)',
      'an unknown visitor was refused (POST /sign-in)',
      'nok was refused (POST /search)',
    ]);
  });
});
