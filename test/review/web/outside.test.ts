/** The page behind a proxy that speaks https: who is answered, and what its cookies and headers say. */
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/message.ts';
import { passwordOf } from '../../support/persons.ts';
import { type OpenTestPage, openTestPage, pageOptionsOf, servePage } from '../../support/review-page.ts';
import { startSession } from '../../../src/review/sessions.ts';
import { describePersonEvent } from '../../../src/review/rules/person-words.ts';
import { SourceTries } from '../../../src/review/source-tries.ts';
import { lockTries, personTriesMax } from '../../../src/review/rules/password.ts';
import type { ReviewPage } from '../../../src/review/web/server.ts';
import { findFreePort } from '../../support/free-port.ts';

const origin = 'https://review.example';
let rig: OpenTestPage;
let page: ReviewPage;
let port = 0;

async function openBehind(proxies: readonly string[]): Promise<ReviewPage> {
  port = await findFreePort();
  const outside = { origin, proxies };
  const options = pageOptionsOf(rig.store, rig.users);
  const opened = await servePage({
    ...options,
    listen: { host: '127.0.0.1', port },
    outside,
  });
  return opened;
}

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
}

const proxied = { host: 'review.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.7' };

async function ask(
  path: string,
  headers: Readonly<Record<string, string>> = proxied,
  body?: string,
): Promise<Answered> {
  const { resolve, reject, promise } = Promise.withResolvers<Answered>();
  const form = body === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' };
  const method = body === undefined ? 'GET' : 'POST';
  const asked = request(
    { host: '127.0.0.1', port, path, method, headers: { ...headers, ...form } },
    (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
    },
  );
  asked.on('error', reject);
  asked.end(body);
  return promise;
}

beforeEach(async () => {
  rig = await openTestPage();
});
afterEach(async () => {
  await page[Symbol.asyncDispose]();
  await rig[Symbol.asyncDispose]();
});

describe('behind a proxy', () => {
  test('is asked for by https, under its name, through the proxy, and by nobody else', async () => {
    page = await openBehind(['127.0.0.1']);
    expect(page.origin).toBe(origin);
    const statuses = [];
    for (const headers of [
      proxied,
      { ...proxied, 'x-forwarded-proto': 'http' },
      { host: 'review.example' },
      { ...proxied, host: 'localhost' },
      { ...proxied, host: 'evil.example' },
    ])
      statuses.push((await ask('/sign-in', headers)).status);
    expect(statuses).toEqual([200, 403, 403, 421, 421]);
  });

  test('answers nobody who is not the proxy', async () => {
    page = await openBehind(['192.0.2.1']);
    expect((await ask('/sign-in')).status).toBe(403);
  });

  test('marks its cookies for https alone, and says so to browsers for later', async () => {
    page = await openBehind(['127.0.0.1']);
    const first = await ask('/sign-in');
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(first.text) ?? [];
    const cookies = [first.headers['set-cookie'] ?? []].flat();
    const cookie = cookies.map((line) => line.split(';')[0]).join('; ');
    const fields = new URLSearchParams({ _csrf: token, name: 'mali', password: passwordOf('mali') });
    const foreign = await ask(
      '/sign-in',
      { ...proxied, cookie, origin: 'http://review.example' },
      String(fields),
    );
    expect(foreign.status).toBe(403);
    const done = await ask('/sign-in', { ...proxied, cookie, origin }, String(fields));
    expect(done.status).toBe(303);
    const session = String(done.headers['set-cookie']).split(';')[0] ?? '';
    const whole = `${cookie}; ${session}`;
    const today = await ask('/today', { ...proxied, cookie: whole });
    const [, later = ''] = /name="_csrf" value="([^"]+)"/.exec(today.text) ?? [];
    const out = await ask('/sign-out', { ...proxied, cookie: whole, origin }, `_csrf=${later}`);
    // A browser takes the end of such a cookie only as it takes its beginning.
    expect(String(out.headers['set-cookie'])).toMatch(/^__Host-paydrop_session=; .*Path=\/; .*Secure/);
    for (const line of [cookies, done.headers['set-cookie'] ?? []].flat())
      expect(line).toMatch(/^__Host-\w+=[^;]+; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
    expect(first.headers['strict-transport-security']).toContain('max-age=31536000');
  });

  test('takes no cookie that another page under its domain could have set', async () => {
    page = await openBehind(['127.0.0.1']);
    const mali = await rig.users.find('mali');
    const { passwordHash = '' } = (await rig.store.personPassword('mali')) ?? {};
    const secret = await startSession(
      { ...rig.users.context, store: rig.store },
      { person: mali, passwordHash },
      rig.users.clock.now(),
    );
    const statusWith = async (name: string) =>
      (await ask('/today', { ...proxied, cookie: `${name}=${secret}` })).status;
    expect(await statusWith('paydrop_session')).toBe(303);
    expect(await statusWith('__Host-paydrop_session')).toBe(200);
    const look = await ask('/sign-in', { ...proxied, cookie: 'language=th; theme=dark' });
    expect(look.text).toContain('<html lang="en" >');
  });
});

describe('wrong passwords behind a proxy', () => {
  const mine = '198.51.100.7';
  const guesser = '203.0.113.9';

  /** Gives a password from an address, as the proxy says. @returns the status */
  async function typeFrom(address: string, name: string, password: string): Promise<number> {
    const from = { ...proxied, 'x-forwarded-for': address };
    const shown = await ask('/sign-in', from);
    const [, token = ''] = /name="_csrf" value="([^"]+)"/.exec(shown.text) ?? [];
    const cookie = [shown.headers['set-cookie'] ?? []]
      .flat()
      .map((line) => line.split(';')[0])
      .join('; ');
    const fields = new URLSearchParams({ _csrf: token, name, password });
    return (await ask('/sign-in', { ...from, cookie, origin }, String(fields))).status;
  }

  const triesOf = async (name: string): Promise<number> =>
    (await rig.store.personPassword(name))?.failedTries ?? 0;

  const hereOnly = 'mali is locked out at an address of 203.0.113.0/24 after 6 wrong passwords';

  /** Each of which is told. */
  async function readLocks(): Promise<readonly string[]> {
    const { people } = await rig.store.persons();
    return (await rig.store.personEvents(0, 1_000))
      .filter(({ kind }) => kind === 'locked-out')
      .map((event) => inEnglish(describePersonEvent(event, people)));
  }

  /** Waits as long as a lock by now has anybody wait. */
  async function passDelay(): Promise<void> {
    const { lockedUntilMs = 0 } = (await rig.store.personPassword('mali')) ?? {};
    rig.users.clock.ms += Math.max(0, lockedUntilMs - rig.users.clock.now());
  }

  async function guessFrom(address: string, times: number): Promise<void> {
    for (let guess = 0; guess < times; guess += 1) {
      await passDelay();
      await typeFrom(address, 'mali', `guess number ${guess}`);
    }
  }

  test('of one address lock nobody out who signs in from another', async () => {
    page = await openBehind(['127.0.0.1']);
    await guessFrom(guesser, 2 * lockTries);
    expect([await triesOf('mali'), await readLocks()]).toEqual([personTriesMax, [hereOnly]]);
    await passDelay();
    expect(await typeFrom(mine, 'mali', passwordOf('mali'))).toBe(303);
    // What its own address may still try after that never adds up to a lock either.
    await guessFrom(guesser, 2 * lockTries);
    expect([await triesOf('mali'), await readLocks()]).toEqual([personTriesMax, [hereOnly, hereOnly]]);
    expect(rig.users.locks).toBe(2);
  });

  test('are counted by the address that the proxy names last: what a browser says before it is not believed', async () => {
    page = await openBehind(['127.0.0.1']);
    for (let guess = 0; guess < 2 * lockTries; guess += 1) {
      await passDelay();
      await typeFrom(`198.51.100.${guess}, ${guesser}`, 'mali', `guess number ${guess}`);
    }
    expect(await triesOf('mali')).toBe(personTriesMax);
  });

  test('of many addresses lock the user out, and a notice is due', async () => {
    page = await openBehind(['127.0.0.1']);
    for (const address of ['203.0.113.9', '2001:db8::9']) await guessFrom(address, personTriesMax);
    expect(await triesOf('mali')).toBe(lockTries);
    expect(await readLocks()).toContain('mali is locked out after 12 wrong passwords');
    expect(await typeFrom(mine, 'mali', passwordOf('mali'))).toBe(401);
  });

  test('are counted by person alone where the proxy names no address', async () => {
    page = await openBehind(['127.0.0.1']);
    await guessFrom('127.0.0.1', lockTries);
    expect([await triesOf('mali'), rig.users.locks]).toEqual([lockTries, 1]);
  });

  test('of one address for many names are looked at so often, and an hour later again', async () => {
    const tries = new SourceTries();
    const source = tries.of(guesser);
    const countAt = (nowMs: number) => source.count(undefined, nowMs);
    const counted = Array.from({ length: 2 * 40 }, () => countAt(0));
    expect(counted.filter((verdict) => verdict === 'counts')).toHaveLength(40);
    expect([countAt(3_599_999), tries.of(mine).count(undefined, 0), countAt(3_600_000)]).toEqual([
      'refused',
      'counts',
      'counts',
    ]);
  });
});
