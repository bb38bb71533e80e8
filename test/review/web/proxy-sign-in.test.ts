/** Signing in by the header of a trusted proxy: whom it signs in, whom not, and when it ends. */
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { passwordOf } from '../../support/persons.ts';
import {
  listChanges,
  type OpenTestPage,
  openTestPage,
  pageOptionsOf,
  servePage,
} from '../../support/review-page.ts';
import { hashSession, startSession } from '../../../src/review/sessions.ts';
import type { FileView } from '../../../src/review/web/view.ts';
import { Authenticator } from '../../support/authenticator.ts';
import { firstBatchId, ingest, makeRow } from '../../support/journal-fixtures.ts';
import { findFreePort } from '../../support/free-port.ts';

const origin = 'https://review.example';
/** All on this machine, of which the proxy has but one address. */
const [proxyAddress, otherAddress] = ['127.0.0.2', '127.0.0.1'];

let rig: OpenTestPage;
let port = 0;
const logged: { readonly level: string; readonly facts: object }[] = [];

interface Asked {
  /** What the proxy says under its header, once or several times. */
  readonly names?: readonly string[];
  readonly from?: string;
  readonly form?: Readonly<Record<string, string>>;
  /** In the place of a form's fields: the body and what it is. */
  readonly body?: { readonly text: string; readonly type: string };
  readonly headers?: Readonly<Record<string, string>>;
}

interface Shown {
  readonly status: number;
  readonly location: string | undefined;
  readonly text: string;
}

const bodyOf = (form: Asked['form']): Asked['body'] =>
  form && { text: String(new URLSearchParams(form)), type: 'application/x-www-form-urlencoded' };

/** A browser behind the proxy. */
class Visitor {
  static #count = 0;
  readonly cookies = new Map<string, string>();
  csrfToken = '';
  /** Each has limits of its own. */
  readonly #address = `203.0.113.${(Visitor.#count += 1)}`;

  async ask(path: string, { names = [], from = proxyAddress, headers = {}, ...asks }: Asked): Promise<Shown> {
    const { resolve, reject, promise } = Promise.withResolvers<Shown>();
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const body = asks.body ?? bodyOf(asks.form);
    const post = { origin, 'content-type': body?.type };
    const asked = request({
      host: '127.0.0.1',
      localAddress: from,
      port,
      path,
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        host: 'review.example',
        'x-forwarded-proto': 'https',
        'x-forwarded-for': this.#address,
        cookie,
        ...(body === undefined ? {} : post),
        ...(names.length === 0 ? {} : { 'x-FORWARDED-user': [...names] }),
        ...headers,
      },
    });
    asked.on('response', (response) => {
      for (const line of response.headers['set-cookie'] ?? []) this.#keep(line);
      const { statusCode: status = 0 } = response;
      const { location } = response.headers;
      if (response.headers['content-type'] === 'text/event-stream') {
        response.destroy();
        resolve({ status, location, text: '' });
        return;
      }
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        this.csrfToken = /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? this.csrfToken;
        resolve({ status, location, text });
      });
    });
    asked.on('error', reject);
    asked.end(body?.text);
    return promise;
  }

  get session(): string | undefined {
    return this.cookies.get('__Host-paydrop_session');
  }

  /** A form that is in order but for who sends it. */
  async post(path: string, asked: Asked): Promise<Shown> {
    return this.ask(path, { ...asked, form: { _csrf: this.csrfToken, ...asked.form } });
  }

  /** A file, as its form sends it. */
  async upload(asked: Asked): Promise<Shown> {
    const part = (head: string, text: string) =>
      `--line\r\ncontent-disposition: form-data; ${head}\r\n\r\n${text}\r\n`;
    const text = `${part('name="_csrf"', this.csrfToken)}${part('name="file"; filename="a.csv"', 'x')}--line--\r\n`;
    return this.ask('/upload', { ...asked, body: { text, type: 'multipart/form-data; boundary=line' } });
  }

  async add(name: string, asked: Asked): Promise<Shown> {
    const form = { _csrf: this.csrfToken, name, fullName: 'Khun New', role: 'viewer', ...asked.form };
    return this.ask('/people/add', { ...asked, form });
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    if (value === '') this.cookies.delete(name);
    else this.cookies.set(name, decodeURIComponent(value));
  }
}

async function optionsWith(userHeader: string | undefined) {
  port = await findFreePort();
  return {
    listen: { host: '127.0.0.1', port },
    outside: { origin, proxies: [proxyAddress], userHeader },
    log: (level: string, _message: string, facts: object) => void logged.push({ level, facts }),
  };
}

/** Who has sent a file, and how he was proved. */
const received: string[] = [];
const fileView: FileView = {
  path: '/upload',
  action: 'propose',
  bytesMax: 1_000,
  receive: async ({ proved }) => {
    received.push(`${proved.person.name} by ${proved.proof}`);
    return { goTo: '/today' };
  },
};
/** Sessions of which the rest was told to go. */
const left: string[] = [];

let visitor: Visitor;
const byMali = { names: ['mali'] };

// One page for all: each test has a browser of its own.
beforeAll(async () => {
  const users = { nok: 'maker', kanya: 'maker', dao: 'checker' } as const;
  const onSignOut = async (hash: string) => void left.push(hash);
  const options = { ...(await optionsWith('X-Forwarded-User')), fileViews: [fileView], onSignOut };
  rig = await openTestPage(options, users);
});
beforeEach(() => {
  visitor = new Visitor();
});
afterAll(async () => rig[Symbol.asyncDispose]());

const namesOf = async (): Promise<readonly string[]> =>
  (await rig.store.persons()).people.map(({ name }) => name);

describe('whom the proxy names', () => {
  test('is signed in at once, in whatever case it writes, and proved by it', async () => {
    const shown = await visitor.ask('/people', { names: ['Mali'] });
    expect(shown.status).toBe(200);
    expect(shown.text).toContain('Khun mali');
    expect(visitor.session).toMatch(/^proxy\./);
    expect((await visitor.add('ploy', byMali)).status).toBe(200);
    const events = await rig.store.personEvents(0, 100);
    expect(events.at(-1)).toMatchObject({ kind: 'made', byPerson: 1, proof: 'proxy' });
    const signedIn = events.find(({ kind }) => kind === 'signed-in');
    expect(signedIn).toMatchObject({ subject: 1, byPerson: 1, proof: 'proxy' });
    expect(signedIn?.cells?.['network']?.value).toBe('203.0.113.0/24');
  });

  test('is nobody where another than the proxy names him, whatever that says of itself', async () => {
    const forwarded = { 'x-forwarded-for': proxyAddress, forwarded: `for=${proxyAddress}` };
    const spoofed = await visitor.ask('/today', { ...byMali, from: otherAddress, headers: forwarded });
    expect(spoofed).toMatchObject({ status: 403, text: 'ask for it through its proxy' });
    expect(visitor.session).toBeUndefined();
    // Nor with a session that the proxy has begun.
    await visitor.ask('/today', byMali);
    expect((await visitor.ask('/today', { ...byMali, from: otherAddress })).status).toBe(403);
    expect((await visitor.ask('/live', { ...byMali, from: otherAddress })).status).toBe(403);
  });

  test.each([
    ['nobody', [], 'It sent no user name', { refusal: 'unnamed', said: '' }],
    ['nothing', [''], 'It sent no user name', { refusal: 'unnamed', said: '' }],
    ['one twice', ['mali', 'mali'], 'more than once', { refusal: 'doubled', said: '' }],
    ['a stranger', ['stranger'], 'ask an admin', { refusal: 'unknown', said: 'st***' }],
    ['two in one', ['mali, nok'], 'ask an admin', { refusal: 'unknown', said: 'ma***' }],
  ])('is refused where that is %s', async (_what, names, words, facts) => {
    logged.length = 0;
    for (let logs = 1; logs <= 2; logs += 1) {
      rig.users.clock.ms += 60_000;
      for (const path of ['/today', '/passkeys']) {
        const shown = await visitor.ask(path, { names });
        expect(shown).toMatchObject({ status: 403, text: expect.stringContaining(words) as string });
      }
    }
    expect(visitor.session).toBeUndefined();
    // Once a minute, with how often by then.
    const [first, second] = logged.map((one) => one.facts as { readonly times: number });
    expect(logged).toHaveLength(2);
    expect(first).toMatchObject(facts);
    expect(second?.times).toBe((first?.times ?? 0) + 2);
  });

  test('counts no more once disabled, and with another role in a session of its own', async () => {
    await visitor.ask('/today', { names: ['kanya'] });
    const before = visitor.session;
    const mali = await rig.users.find('mali');
    const { personId } = await rig.users.find('kanya');
    await rig.users.ask({ kind: 'role', personId, role: 'viewer' }, mali);
    const shown = await visitor.ask('/today', { names: ['kanya'] });
    expect(shown).toMatchObject({ status: 200, text: expect.stringContaining('viewer') as string });
    expect(visitor.session).not.toBe(before);
    await rig.users.ask({ kind: 'disable', personId }, mali);
    expect((await visitor.ask('/today', { names: ['kanya'] })).status).toBe(403);
    expect((await visitor.ask('/live', { names: ['kanya'] })).status).toBe(401);
  });

  test('counts after a restore once an admin has enabled him', async () => {
    await visitor.ask('/today', byMali);
    rig.users.clock.ms += 1;
    rig.users.restoredAtMs = rig.users.clock.now();
    const refused = await visitor.ask('/today', byMali);
    expect(refused.status).toBe(403);
    expect(refused.text).toContain('journal was restored');
    rig.users.restoredAtMs = undefined;
  });
});

describe('a session behind the proxy', () => {
  test('ends with another name, whose own begins', async () => {
    await visitor.ask('/people', byMali);
    const [old, csrfToken] = [visitor.session ?? '', visitor.csrfToken];
    // A form that mali was shown: nothing of it is done as nok, or as mali once more.
    expect(await visitor.add('somchai', { names: ['nok'] })).toMatchObject({
      status: 303,
      location: '/sign-in',
    });
    visitor.csrfToken = csrfToken;
    expect(await visitor.add('somchai', byMali)).toMatchObject({ status: 303, location: '/sign-in' });
    expect(await namesOf()).not.toContain('somchai');
    const shown = await visitor.ask('/today', { names: ['nok'] });
    expect(shown.text).toContain('Khun nok');
    expect(visitor.session).not.toBe(old);
  });

  test('ends with no name', async () => {
    await visitor.ask('/people', byMali);
    const old = visitor.session;
    expect((await visitor.ask('/today', {})).status).toBe(403);
    expect((await visitor.ask('/live', byMali)).status).toBe(401);
    await visitor.ask('/today', byMali);
    expect(visitor.session).not.toBe(old);
    expect((await visitor.ask('/live', byMali)).status).toBe(200);
  });

  test('takes no form without its token, from another site, or of another session', async () => {
    await visitor.ask('/people', byMali);
    const foreign = { origin: 'https://evil.example' };
    expect((await visitor.add('somchai', { ...byMali, form: { _csrf: '' } })).status).toBe(403);
    expect((await visitor.add('somchai', { ...byMali, headers: foreign })).status).toBe(403);
    visitor.cookies.delete('__Host-paydrop_session');
    expect((await visitor.add('somchai', byMali)).status).toBe(403);
    expect(await namesOf()).not.toContain('somchai');
  });

  test('begins with no page that asks by itself, nor with what another site loads', async () => {
    expect((await visitor.ask('/today', { ...byMali, headers: { 'x-live': '1' } })).status).toBe(303);
    const loaded = { 'sec-fetch-mode': 'no-cors' };
    expect((await visitor.ask('/today', { ...byMali, headers: loaded })).status).toBe(303);
    expect(visitor.session).toBeUndefined();
  });

  test('takes no password, and says so', async () => {
    const shown = await visitor.ask('/sign-in', byMali);
    expect(shown.text).toContain('passwords are switched off');
    expect(shown.text).not.toContain('type="password"');
    const form = { _csrf: visitor.csrfToken, name: 'mali', password: passwordOf('mali') };
    for (const path of ['/sign-in', '/password'])
      expect((await visitor.ask(path, { ...byMali, form })).status).toBe(403);
    expect(visitor.session).toBeUndefined();
  });

  test('is signed out of, and tells that the proxy is not', async () => {
    await visitor.ask('/today', byMali);
    const out = await visitor.ask('/sign-out', { ...byMali, form: { _csrf: visitor.csrfToken } });
    expect(out.location).toBe('/signed-out');
    expect(visitor.session).toBeUndefined();
    expect((await visitor.ask('/signed-out', byMali)).text).toContain('sign out there, too');
    expect(visitor.session).toBeUndefined();
  });
});

/** As a path has them, with something in each of its parts. */
const fill = (path: string): string =>
  path.replaceAll(
    /:(\w+)/g,
    (_, name: string) => ({ batchId: firstBatchId, decision: 'go-on' })[name] ?? '1',
  );
const isShut = ({ status, location, text }: Shown): boolean =>
  (status === 303 && location === '/sign-in') || (status === 403 && !text.includes('Khun '));

describe('everything that the page answers', () => {
  const odd: readonly (readonly [string, Asked])[] = [
    ['from another address', { ...byMali, from: otherAddress }],
    ['with a name that stands twice', { names: ['mali', 'mali'] }],
    ['with nothing for a name', { names: [''] }],
    ['with a name of two', { names: ['mali,nok'] }],
    ['with a name in percent signs', { names: ['m%61li'] }],
    ['with a name in letters like its own', { names: [Buffer.from('ｍａｌｉ').toString('latin1')] }],
    ['with a name and a space that is none', { names: ['mali\u00A0'] }],
    ['with a name in quotation marks', { names: ['"mali"'] }],
    ['under another header', { headers: { x_forwarded_user: 'mali', 'x-remote-user': 'mali' } }],
  ];
  const plain: readonly (readonly [string, Asked])[] = [
    ['without a name', {}],
    ['by another name', { names: ['nok'] }],
  ];
  /** What people have done; that they have signed in is none of it. */
  const listDeeds = async () => listChanges(rig.store);
  const readState = async () => [await rig.store.changeMark(), (await listDeeds()).length];

  /** With mali's session and a token of it: all is in order but for what the proxy says. */
  async function tryAll(views: OpenTestPage['views'], asked: Asked): Promise<void> {
    await visitor.ask('/passkeys', byMali);
    const before = await readState();
    const sessionHash = hashSession(visitor.session ?? '');
    const session = await rig.store.session(sessionHash);
    const open: string[] = [];
    for (const { method, path } of views) {
      // A wrong name has ended it: once more the same, whose token the form has.
      if ((await rig.store.session(sessionHash)) === undefined && session !== undefined)
        await rig.store.startSession({ ...session, sessionHash }, 0, null);
      // A page that asks by itself begins no session: nok is not let in by it either.
      const by = { ...asked, headers: { ...asked.headers, 'x-live': '1' } };
      const shown = method === 'GET' ? await visitor.ask(fill(path), by) : await visitor.post(fill(path), by);
      if (!isShut(shown)) open.push(`${method} ${path}: ${shown.status}`);
    }
    await visitor.ask('/passkeys', byMali);
    received.length = 0;
    expect(isShut(await visitor.upload(asked))).toBe(true);
    await visitor.ask('/passkeys', byMali);
    expect([401, 403]).toContain((await visitor.ask('/live', asked)).status);
    expect([open, received]).toEqual([[], []]);
    expect(await readState()).toEqual(before);
  }

  test.each(plain)('is shut %s', async (_what, asked) => {
    await tryAll(
      rig.views.filter(({ action }) => action !== undefined),
      asked,
    );
  });

  test.each(odd)('is shut %s', async (_what, asked) => {
    await tryAll(
      rig.views.filter(({ path }) => path === '/today' || path === '/people/add'),
      asked,
    );
  });

  test('does what it does as whom the proxy names: files, whole numbers, passkeys, decisions', async () => {
    await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
    const [found] = await rig.store.findPayouts('INV-1');
    const path = `/payout/${found?.row.seq}`;
    const byNok = { names: ['nok'] };
    await visitor.ask('/today', byNok);
    received.length = 0;
    expect(await visitor.upload(byNok)).toMatchObject({ status: 303, location: '/today' });
    expect(received).toEqual(['nok by proxy']);
    expect((await visitor.post(`${path}/reveal`, byNok)).status).toBe(200);
    const { personId } = await rig.users.find('nok');
    expect((await listDeeds()).at(-1)).toMatchObject({
      kind: 'revealed',
      byPerson: personId,
      proof: 'proxy',
    });
    const { text } = await visitor.ask(path, byNok);
    const version = /name="version" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const form = { version, decision: 'go-on', note: 'seen' };
    expect((await visitor.post(`${path}/decide`, { ...byNok, form })).status).toBe(303);
    const proposal = await rig.store.proposal(1);
    expect(proposal).toMatchObject({ maker: 'nok', status: 'proposed' });
    // In the same browser another name checks it, in a session of its own.
    const byDao = { names: ['dao'] };
    const asked = await visitor.ask('/proposal/1', byDao);
    const seen = /name="seen" value="([^"]*)"/.exec(asked.text)?.[1] ?? '';
    await visitor.post('/proposal/1/approve', { ...byDao, form: { seen } });
    expect(await rig.store.proposal(1)).toMatchObject({ checker: 'dao', status: 'applied' });
  });

  test('enrols a passkey for whom the proxy names, and for nobody else', async () => {
    const byDao = { names: ['dao'] };
    const answerOf = async () => {
      const { text } = await visitor.ask('/passkeys', byDao);
      const options = /data-options="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '{}';
      const { challenge = '' } = JSON.parse(options) as { readonly challenge?: string };
      return JSON.stringify(new Authenticator(origin, 'review.example').create(challenge));
    };
    const enrol = async (who: Visitor, by: Asked) =>
      who.post('/passkeys/enrol', { ...by, form: { answer: await answerOf(), label: 'blue key' } });
    const other = new Visitor();
    await other.ask('/passkeys', byMali);
    expect((await enrol(other, byMali)).status).toBe(422);
    expect((await rig.store.persons()).passkeys).toEqual([]);
    expect((await enrol(visitor, byDao)).status).toBe(303);
    const { personId } = await rig.users.find('dao');
    expect((await rig.store.persons()).passkeys).toMatchObject([{ personId }]);
    expect((await listDeeds()).at(-1)).toMatchObject({
      byPerson: personId,
      proof: 'proxy',
    });
  });

  test('takes no session of a password, and ends it where the proxy names somebody', async () => {
    const context = { ...rig.users.context, store: rig.store };
    const dao = await rig.users.find('dao');
    const { passwordHash = '' } = (await rig.store.personPassword('dao')) ?? {};
    const secret = await startSession(context, { person: dao, passwordHash }, rig.users.clock.now());
    if (secret === undefined) throw new Error('no session has begun');
    visitor.cookies.set('__Host-paydrop_session', secret);
    for (const asked of [{}, { headers: { 'x-live': '1' } }])
      expect(isShut(await visitor.ask('/queue', asked))).toBe(true);
    expect((await visitor.ask('/live', { names: ['dao'] })).status).toBe(401);
    left.length = 0;
    const shown = await visitor.ask('/queue', byMali);
    expect(shown.text).toContain('Khun mali');
    expect(shown.text).not.toContain('Khun dao');
    const hash = hashSession(secret);
    expect(left).toEqual([hash]);
    expect(await rig.store.session(hash)).toBeUndefined();
  });
});

test('where no header is set none is believed, nor a session that one has begun', async () => {
  await visitor.ask('/today', byMali);
  const options = { ...pageOptionsOf(rig.store, rig.users), ...(await optionsWith(undefined)) };
  await using other = await servePage(options);
  expect(other.origin).toBe(origin);
  expect(await visitor.ask('/today', byMali)).toMatchObject({ status: 303, location: '/sign-in' });
  expect(await new Visitor().ask('/today', byMali)).toMatchObject({ status: 303, location: '/sign-in' });
});
