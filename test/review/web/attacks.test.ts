/** Attacks on the review page over a real port: every view by every role, and what is posted by whoever means harm. */
import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inEnglish } from '../../../src/core/message.ts';
import { describePersonEvent } from '../../../src/review/rules/person-words.ts';
import { type Role, roles } from '../../../src/review/rules/people.ts';
import { Browser } from '../../support/browser.ts';
import { firstBatchId, ingest, makeRow, makeRows, statusesOf } from '../../support/journal-fixtures.ts';
import { makeRegistrationRow, runRegistrations } from '../../support/registration-journal.ts';
import { mayVisit, nameOfRoute } from '../../support/route-rights.ts';
import { countChanges, type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;

beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker', ploy: 'viewer' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

const nameOf: Readonly<Record<Role, string>> = {
  viewer: 'ploy',
  maker: 'nok',
  checker: 'dao',
  admin: 'mali',
};

/** What stands for the parts of a path; a new part is to be given a value here. */
const parts: Readonly<Record<string, string>> = {
  seq: '1',
  before: '9',
  status: 'paid',
  again: '1',
  after: '0',
  id: '1',
  key: 'nobodys-list',
  group: 'no.group',
  batchId: firstBatchId,
  decision: 'cancel',
  kind: 'result',
  number: '0',
  date: '2026-11-21',
  personId: '2',
};
const fill = (path: string): string =>
  path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = parts[name];
    if (value === undefined) throw new Error(`say what stands for :${name} of ${path}`);
    return value;
  });

/** Enough for each of the forms to do what it is for. */
const fields = {
  version: '1',
  decision: 'cancel',
  note: 'because',
  evidence: 'letter',
  kind: 'payout',
  what: 'taken',
  name: 'evil',
  fullName: 'Evil',
  role: 'admin',
  why: 'because',
  answer: '{}',
  'pick-1': '1',
};

const isSignIn = ({ text }: { readonly text: string }): boolean => text.includes('action="/sign-in"');
const script = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`;

async function pathOf(payoutId: string): Promise<string> {
  const [found] = await rig.store.findPayouts(payoutId);
  return `/payout/${found?.row.seq}`;
}
const readIn = (text: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? '';

/** nok proposes, by the form, that a held row goes on. */
async function propose(more: Readonly<Record<string, string>> = {}) {
  await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
  const nok = await rig.open('nok');
  const page = await pathOf('INV-1');
  const path = `${page}/decide`;
  const version = readIn((await nok.get(page)).text, 'version');
  const sent = { version, decision: 'go-on', note: 'seen', ...more };
  expect((await nok.post(path, sent)).text).toContain('Proposed: ');
  return { nok, path, sent };
}

/** What no refused form may change. */
async function readState() {
  const { people, passkeys } = await rig.store.persons();
  const { status } = (await rig.store.proposal(1)) ?? {};
  const notes = await rig.store.reviewNotes('payout', ['1']);
  return [
    await rig.store.changeMark(),
    await statusesOf(rig.store),
    status,
    people,
    await rig.users.changes(),
    passkeys,
    await countChanges(rig.store),
    notes,
  ];
}

/** The views that are for people who have signed in, with their routes in the table of rights. */
const guarded = () =>
  rig.views
    .map((view) => ({ ...view, url: fill(view.path), route: nameOfRoute(view) }))
    .filter(({ route }) => !mayVisit('signed out', route));

describe('every view', () => {
  test('refuses whoever may not use it, and nothing changes', async () => {
    await propose();
    const wrong: string[] = [];
    for (const role of roles) {
      const browser = await rig.open(nameOf[role]);
      const before = await readState();
      for (const { method, url, route } of guarded()) {
        if (mayVisit(role, route)) continue;
        const { status } = method === 'GET' ? await browser.get(url) : await browser.post(url, fields);
        if (status !== 403) wrong.push(`${role} ${method} ${url}: ${status}`);
      }
      expect(await readState()).toEqual(before);
    }
    expect(wrong).toEqual([]);
  });

  test('that a viewer may post to decides and changes nothing by it', async () => {
    await propose();
    const ploy = await rig.open('ploy');
    const before = await readState();
    const posts = guarded().filter(({ method, route }) => method === 'POST' && mayVisit('viewer', route));
    for (const { path } of posts.filter((one) => one.path !== '/sign-out'))
      for (const decision of ['cancel-batch', 'resume-batch', 'approve-batch']) {
        const url = fill(path).replace('/cancel', `/${decision}`);
        expect((await ploy.post(url, { ...fields, key: 'ab12' })).status).toBeLessThan(500);
      }
    expect(await readState()).toEqual(before);
  });

  test('is shown to nobody who has not signed in, and kept by no browser', async () => {
    await propose();
    const nobody = new Browser(rig.origin);
    await nobody.get('/sign-in');
    const before = await readState();
    const wrong: string[] = [];
    for (const { method, url } of guarded()) {
      const shown = method === 'GET' ? await nobody.get(url) : await nobody.post(url, fields);
      if (!isSignIn(shown) || shown.headers.get('cache-control') !== 'no-store')
        wrong.push(`${method} ${url}`);
    }
    expect(wrong).toEqual([]);
    expect(await readState()).toEqual(before);
  });

  test('takes no form without its token, from elsewhere, or with the token of another session', async () => {
    await propose();
    const [mali, dao] = [await rig.open('mali'), await rig.open('dao')];
    const others = readIn((await dao.get('/queue')).text, '_csrf');
    const before = await readState();
    const wrong: string[] = [];
    const posts = [
      ...rig.views.filter(({ method }) => method === 'POST').map(({ path }) => fill(path)),
      '/look',
    ];
    for (const url of posts)
      for (const [sent, headers] of [
        [{ _csrf: '' }, {}],
        [{ _csrf: others }, {}],
        [{}, { origin: 'https://evil.example' }],
        [{}, { 'sec-fetch-site': 'same-site' }],
      ] as const) {
        const { status } = await mali.post(url, { ...fields, ...sent }, headers);
        if (status !== 403) wrong.push(`${url}: ${status}`);
      }
    expect(wrong).toEqual([]);
    expect(await readState()).toEqual(before);
  });

  test('shows what others wrote as text, and whole numbers to nobody unasked', async () => {
    const number = '9100100000017';
    const [cells, extras] = [makeRow(1).cells, [`${script} ${number}`]];
    const written = Object.fromEntries(Object.keys(cells).map((name) => [name, script]));
    const fileName = `../../${script} ${number}.csv`;
    const row = makeRow(1, { holds: ['name'], extras });
    const instruction = row.instruction && { ...row.instruction, payeeName: script, reference1: script };
    await ingest(rig.store, [{ ...row, cells: { ...cells, ...written, proxyNo: number }, instruction }], {
      fileName,
    });
    const mali = await rig.users.find('mali');
    await rig.users.ask(
      { kind: 'add', name: 'somsri', displayName: script.slice(0, 60), role: 'viewer' },
      mali,
    );
    const [nok, dao] = [await rig.open('nok'), await rig.open('dao')];
    const version = readIn((await nok.get('/payout/1')).text, 'version');
    await nok.post('/payout/1/decide', {
      version,
      decision: 'go-on',
      note: `${script} ${number}`,
      evidence: `${script} ${number}`,
    });
    expect(await rig.store.proposal(1)).toMatchObject({ status: 'proposed' });
    const [ploy, admin] = [await rig.open('ploy'), await rig.open('mali')];
    const wrong: string[] = [];
    const look = (url: string, { text }: { readonly text: string }): void => {
      if (/<script>|<img|=alert\(2\)>/.test(text)) wrong.push(`${url} runs a script`);
      if (text.includes(number)) wrong.push(`${url} shows a whole number`);
    };
    for (const { method, url, route } of guarded()) {
      if (method !== 'GET') continue;
      look(url, await admin.get(url));
      if (mayVisit('viewer', route)) look(url, await ploy.get(url));
    }
    for (const [url, sent] of [
      ['/payees', { search: script }],
      ['/search', { search: script }],
      ['/log', { person: script, day: script, payout: script }],
      ['/people/add', { name: script, fullName: script, role: script }],
      ['/passkeys/enrol', { label: script, answer: script }],
      ['/sign-in', { name: script, password: script }],
      ['/password', { name: script, present: script, wanted: script, again: 'x' }],
      ['/payout/1/decide', { decision: 'go-on', version: script, note: script, evidence: script }],
    ] as const)
      look(url, await admin.post(url, sent));
    await dao.get('/proposal/1');
    look('send-back', await dao.post('/proposal/1/send-back', { note: `${script} ${number}` }));
    expect(wrong).toEqual([]);
    const revealed = await admin.post('/proposal/1/reveal');
    expect(revealed.text).toContain(number);
    expect((await rig.store.personEvents(0, 100)).at(-1)?.kind).toBe('revealed');
  });
});

describe('a masked number', () => {
  test('is not found out digit by digit', async () => {
    await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
    const ploy = await rig.open('ploy');
    const rows = async (path: string, search: string) =>
      (await ploy.post(path, { search })).text.match(/class="mono">|class="name mono">/g)?.length ?? 0;
    const [right, wrong] = [await rows('/payees', '00001'), await rows('/payees', '90001')];
    expect([right > 0, wrong]).toEqual([true, right]);
    expect(await rows('/payees', '0002')).toBeLessThan(right);
  });

  /** What a search answers, without what was typed and what every page has anew. */
  const answerOf = async (browser: Browser, path: string, search: string): Promise<string> => {
    const { text } = await browser.post(path, { search });
    const main = /<main[\s\S]*<\/main>/.exec(text)?.[0] ?? '';
    return main.replaceAll(search, '').replaceAll(/value="[^"]*"/g, '');
  };
  const revealsOf = async (name: string) => {
    const { people } = await rig.store.persons();
    const own = people.find((person) => person.name === name)?.personId;
    const events = await rig.store.personEvents(0, 1_000);
    return events.flatMap((event) =>
      event.kind === 'revealed' && event.byPerson === own
        ? [inEnglish(describePersonEvent(event, people))]
        : [],
    );
  };

  async function fillWithNumbers(): Promise<void> {
    const row = makeRow(1, { holds: ['name'] });
    const { instruction } = row;
    if (instruction === null) throw new Error('the row has no instruction');
    const numbers = { payeeName: 'Somchai 0899999991', reference1: '9100000000011' };
    await ingest(rig.store, [{ ...row, instruction: { ...instruction, ...numbers } }]);
    await runRegistrations(rig.store, [
      makeRegistrationRow(1),
      makeRegistrationRow(2, { refs: ['0812345699', null, null, null] }),
    ]);
  }

  test.each([
    // Right and wrong differ in digits that screens mask.
    ['/search', '0810000001', '0890000001'],
    ['/search', 'alarm +66810000001', 'alarm +66890000001'],
    ['/search', '9100000000011', '9100000000012'],
    ['/search', 'waiting somchai 08999', 'waiting somchai 08998'],
    ['/payees', '0810000001', '0890000001'],
    ['/payees', '081-000-0001', '089-000-0001'],
    ['/payees', 'somchai 08999', 'somchai 08998'],
    ['/registrations', '1234560001', '1234590001'],
    ['/registrations', '123456-0001', '923456-0001'],
    ['/registrations', '9000000000001', '9000000090001'],
    ['/registrations', '0812345699', '0812345698'],
  ])('is not found out by a viewer who asks %s whether it is %s', async (path, right, wrong) => {
    await fillWithNumbers();
    const ploy = await rig.open('ploy');
    expect(await answerOf(ploy, path, right)).toBe(await answerOf(ploy, path, wrong));
    expect(await revealsOf('ploy')).toEqual([]);
  });

  test.each([
    ['/search', 'waiting 0810000001', 'waiting 0890000001', '******0001'],
    ['/search', '9100000000011', '9100000000012', '*********0011'],
    ['/payees', '081-000-0001', '089-000-0001', '********0001'],
    ['/registrations', '1234560001', '1234590001', '******0001'],
    ['/registrations', '9000000000001', '9000000090001', '*********0001'],
    ['/registrations', '0812345699', '0812345698', '******5699'],
  ])('is compared for those who may see it, by %s, and recorded', async (path, right, wrong, masked) => {
    await fillWithNumbers();
    const nok = await rig.open('nok');
    const found = await answerOf(nok, path, right);
    expect(found).toContain('That is recorded');
    // A page that keeps itself fresh would look, and be recorded, again and again.
    expect(found).not.toContain('data-live="rows"');
    expect(await revealsOf('nok')).toEqual([expect.stringContaining(` for ${masked}`)]);
    expect(found).not.toBe(await answerOf(nok, path, wrong));
    expect(await revealsOf('nok')).toHaveLength(2);
  });

  test('is compared by "all that match", and recorded there, too', async () => {
    await fillWithNumbers();
    const nok = await rig.open('nok');
    await nok.get('/queue');
    const one = await nok.post('/decide', { search: '0810000001' });
    expect(one.text).toContain('INV-1');
    expect(await revealsOf('nok')).toHaveLength(1);
  });

  test('is no part of what screens show, which is found without a record', async () => {
    await fillWithNumbers();
    for (const name of ['ploy', 'nok']) {
      const browser = await rig.open(name);
      for (const [path, search] of [
        ['/search', '0001'],
        ['/search', 'somchai waiting'],
        ['/payees', '••0001'],
        ['/registrations', '0001'],
        ['/registrations', '••0001'],
        ['/registrations', 'R1'],
      ] as const)
        expect([search, await answerOf(browser, path, search)]).toEqual([
          search,
          expect.stringMatching(/class="open"|class="name mono"/),
        ]);
      expect(await revealsOf(name)).toEqual([]);
    }
  });
});

describe('a decision', () => {
  test('that is sent again, or is about a version that is no more, is made once', async () => {
    const { nok, path, sent } = await propose();
    expect((await nok.post(path, sent)).status).toBe(409);
    const dao = await rig.open('dao');
    const seen = readIn((await dao.get('/proposal/1')).text, 'seen');
    expect((await dao.post('/proposal/1/approve', { seen: '0'.repeat(64) })).status).toBe(409);
    expect((await dao.post('/proposal/1/approve', { seen })).status).toBe(200);
    expect(await statusesOf(rig.store)).toEqual(['ready']);
    for (const verdict of ['approve', 'send-back'])
      expect((await dao.post(`/proposal/1/${verdict}`, { seen, note: 'again' })).status).toBe(409);
    expect((await nok.post(path, sent)).status).toBe(409);
    expect((await nok.post('/proposal/1/withdraw')).status).toBe(409);
    expect(await rig.store.proposal(1)).toMatchObject({ status: 'applied', checker: 'dao' });
    expect(await rig.store.proposal(2)).toBeUndefined();
  });

  test('about another version than the one that is there is not made', async () => {
    await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
    const nok = await rig.open('nok');
    for (const version of ['', '0', '-1', '1e0', '99', '__proto__', script])
      expect((await nok.post('/payout/1/decide', { version, decision: 'go-on', note: 'x' })).status).toBe(
        409,
      );
    expect(await rig.store.proposal(1)).toBeUndefined();
  });
});

describe('a change of people', () => {
  const secretIn = (text: string): string => /class="secret mono">([^<]+)</.exec(text)?.[1] ?? '';
  const path = '/proposal/1';
  const approve = async (browser: Browser, id = 1) => {
    const { digest = '' } = (await rig.users.changes()).find(({ proposalId }) => proposalId === id) ?? {};
    return browser.post(`/proposal/${id}/approve`, { seen: digest });
  };
  const add = { name: 'kwan', fullName: 'Kwan', role: 'checker' };

  async function proposeKwan() {
    await rig.users.add('anan', 'admin', await rig.users.find('mali'));
    const mali = await rig.open('mali');
    const half = secretIn((await mali.post('/people/add', add)).text);
    expect(half.length).toBeGreaterThan(5);
    return { mali, half };
  }

  test('is not confirmed by its proposer, by those who are no admins, or by the one it is about', async () => {
    const { mali } = await proposeKwan();
    const { personId } = await rig.users.find('anan');
    await mali.post(`/people/${personId}/reset-password`);
    const anan = await rig.open('anan');
    const others = await Promise.all(['ploy', 'nok', 'dao'].map((name) => rig.open(name)));
    const before = await readState();
    expect((await approve(mali)).status).toBe(409);
    const about = await approve(anan, 2);
    expect([about.status, about.text]).toEqual([409, expect.stringContaining('this is about you')]);
    for (const browser of others)
      for (const shown of [
        await browser.get(path),
        await approve(browser),
        await browser.post(`${path}/send-back`, { note: 'x' }),
        await browser.post(`${path}/withdraw`),
      ])
        expect([403, 404]).toContain(shown.status);
    expect(await readState()).toEqual(before);
  });

  test('is shown to no one but admins: not in lists, counts or the list for me', async () => {
    await proposeKwan();
    const lists = ['/proposals', '/today', '/queue', '/more'];
    const seen = async (name: string): Promise<readonly string[]> => {
      const browser = await rig.open(name);
      const pages = await Promise.all(
        lists.map(async (one) => [one, (await browser.get(one)).text] as const),
      );
      return pages.filter(([, text]) => /kwan|proposal\/1\b/.test(text)).map(([one]) => one);
    };
    for (const name of ['ploy', 'nok', 'dao']) expect([name, await seen(name)]).toEqual([name, []]);
    expect(await seen('anan')).toEqual(lists);
  });

  test('shows each half of its password once, to one admin, and no half once it has ended', async () => {
    const { mali, half } = await proposeKwan();
    const anan = await rig.open('anan');
    const confirmed = await approve(anan);
    const second = secretIn(confirmed.text);
    expect([second.length > 5, confirmed.text.includes(half)]).toEqual([true, false]);
    for (const browser of [mali, anan]) {
      for (const { method, url } of guarded()) {
        const text = method === 'GET' ? (await browser.get(url)).text : '';
        expect([url, text.includes(half), text.includes(second)]).toEqual([url, false, false]);
      }
      const again = await approve(browser);
      expect([again.status, secretIn(again.text)]).toEqual([409, '']);
      expect((await browser.post(`${path}/send-back`, { note: 'x' })).status).toBe(409);
    }
    expect(JSON.stringify(await rig.store.persons())).not.toContain(half);
    expect(JSON.stringify(await rig.store.personEvents(0, 1_000))).not.toMatch(
      new RegExp(`${half}|${second}`),
    );
    expect(await rig.users.changes()).toMatchObject([{ status: 'applied' }]);
    expect(await rig.store.firstHalf(1)).toBeNull();
  });
});

describe('what is sent', () => {
  test('is not looked after, and not recorded as seen, where it is not there', async () => {
    await ingest(rig.store, makeRows(1));
    const nok = await rig.open('nok');
    const before = await readState();
    const statuses = [];
    for (const [kind, key] of [
      ['payout', '7'],
      ['payout', 'x'.repeat(50_000)],
      ['batch', 'NOSUCH'],
      ['break', '1'],
      ['nothing', '1'],
    ] as const)
      statuses.push((await nok.post('/queue/take', { kind, key, what: 'taken' })).status);
    for (const path of ['/proposal/7/reveal', '/proposal/x/reveal', '/payout/7/reveal'])
      statuses.push((await nok.post(path)).status);
    expect(statuses).toEqual(Array.from({ length: 8 }, () => 404));
    expect(await readState()).toEqual(before);
  });

  test('is refused when it is huge, and cut when it is long', async () => {
    const { nok } = await propose({ note: 'n'.repeat(20_000) });
    expect((await rig.store.proposal(1))?.note).toHaveLength(2_000);
    expect((await nok.post('/search', { search: 'x'.repeat(100_000) })).status).toBe(413);
    expect((await nok.post('/search', { search: 'x'.repeat(60_000) })).text).not.toContain('x'.repeat(101));
    const many = Object.fromEntries(Array.from({ length: 4_000 }, (_, place) => [`pick-9${place}`, '1']));
    expect((await nok.post('/decide', many)).status).toBe(422);
    const plain = await nok.postRaw('/search', (token) => new URLSearchParams({ _csrf: token }), {
      'content-type': 'text/plain',
    });
    expect(plain.status).toBe(403);
  });

  test('as the way back leads nowhere but to us', async () => {
    const first = await fetch(`${rig.origin}/sign-in`);
    const cookies = first.headers.getSetCookie().map((line) => line.split(';')[0]);
    const headers = { cookie: cookies.join('; '), origin: rig.origin };
    const csrf = readIn(await first.text(), '_csrf');
    for (const back of [
      '//evil.example',
      String.raw`/\evil.example`,
      'https://evil.example',
      '/queue\r\nset-cookie: a=b',
      '/queue?next=//evil.example',
      'javascript:alert(1)',
      '/../../etc/passwd',
    ]) {
      const body = new URLSearchParams({ _csrf: csrf, back, language: 'th\r\nx: y' });
      const answer = await fetch(`${rig.origin}/look`, { method: 'POST', body, headers, redirect: 'manual' });
      const { headers: said, status } = answer;
      expect([back, status, said.get('location'), said.getSetCookie()]).toEqual([back, 303, '/today', []]);
    }
  });

  test('as a path finds nothing but what is there', async () => {
    const mali = await rig.open('mali');
    for (const path of [
      '/payout/%2e%2e%2f%2e%2e',
      '/batch/..%2f..%2fjournal.db',
      '/assets/..%2f..%2fpackage.json',
      '/assets/%00',
      '/reconciliation/..%2f',
      '/people/__proto__',
      '/proposal/1%0d%0ax:y',
      '/%ff',
    ]) {
      const { status, headers } = await mali.get(path);
      expect([path, [400, 404].includes(status), headers.get('x')]).toEqual([path, true, null]);
    }
  });
});

/** As it comes from the wire. */
async function ask(path: string, headers: Readonly<Record<string, string>>, method = 'GET', body = '') {
  const { resolve, reject, promise } = Promise.withResolvers<number | undefined>();
  const asked = request(rig.origin + path, { method, headers }, (response) => {
    response.resume().on('end', () => resolve(response.statusCode));
  });
  asked.on('error', reject);
  asked.end(body);
  return promise;
}

describe('whoever asks', () => {
  test('under another name is not answered, whatever he says that he was forwarded from', async () => {
    const spoofed = {
      'x-forwarded-host': 'localhost',
      'x-forwarded-proto': 'https',
      'x-forwarded-for': '127.0.0.1',
      forwarded: 'host=localhost;proto=https',
    };
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      '127.0.0.1.nip.io',
      'localhost@evil.example',
    ])
      for (const path of ['/sign-in', '/today', '/live', '/nowhere'])
        expect([host, path, await ask(path, { host, ...spoofed })]).toEqual([host, path, 421]);
  });

  test('guesses passwords so often and no more, whomever he says that he asks for', async () => {
    const browser = new Browser(rig.origin);
    await browser.get('/sign-in');
    const statuses = [];
    for (let no = 0; no < 40; no += 1) {
      const asked = { name: `guess-${no}`, password: 'x' };
      statuses.push((await browser.post('/sign-in', asked, { 'x-forwarded-for': `203.0.113.${no}` })).status);
    }
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(30);
    expect(statuses.at(-1)).toBe(429);
  });

  test('guesses one’s password on neither form more often than both allow', async () => {
    const browser = new Browser(rig.origin);
    await browser.get('/sign-in');
    for (let no = 0; no < 4; no += 1) {
      const asked = no % 2 === 0 ? '/sign-in' : '/password';
      const sent = {
        name: 'nok',
        password: 'wrong',
        present: 'wrong',
        wanted: 'other words 12',
        again: 'other words 12',
      };
      await browser.post(asked, sent);
    }
    await browser.post('/password', { name: 'nok', present: 'wrong', wanted: 'x', again: 'x' });
    await browser.signIn('nok', 'nok likes green tea 77');
    expect(browser.cookies.has('paydrop_session')).toBe(false);
  });

  test('asks for what is not there no more often than for what is', async () => {
    const limits = await Promise.all(
      ['/nowhere', '/sign-in'].map(async (path) =>
        (await fetch(rig.origin + path)).headers.get('x-ratelimit-limit'),
      ),
    );
    expect(limits).toEqual(['600', '600']);
  });

  test('signs in anew leaves no session behind', async () => {
    const nok = await rig.open('nok');
    const first = nok.cookies.get('paydrop_session') ?? '';
    await nok.signIn('nok', 'nok likes green tea 77');
    expect(nok.cookies.get('paydrop_session')).not.toBe(first);
    nok.cookies.set('paydrop_session', first);
    expect(isSignIn(await nok.get('/queue'))).toBe(true);
  });

  test('takes no place among those who listen by asking for the head alone', async () => {
    const nok = await rig.open('nok');
    const cookie = [...nok.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    for (let no = 0; no < 7; no += 1) await ask('/live', { host: 'localhost', cookie }, 'HEAD');
    const stop = new AbortController();
    expect((await nok.listen(stop.signal)).status).toBe(200);
    stop.abort();
    const stranger = new Browser(rig.origin);
    expect((await stranger.listen()).status).toBe(401);
  });
});
