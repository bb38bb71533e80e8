/** Who may do what on the page: each route for each visitor, each verdict on a proposal, each change of people. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { listViews, openUploads } from '../../../src/app/decide/page.ts';
import { toSatang } from '../../../src/core/money.ts';
import { appendEdit } from '../../../src/review/people.ts';
import { type Decision, decisionTerms } from '../../../src/review/rules/terms.ts';
import { makeProxySignInViews } from '../../../src/review/web/proxy-door.ts';
import type { ServedPlace } from '../../../src/review/web/server.ts';
import { loadSettings } from '../../../src/settings/settings.ts';
import { Browser, type Shown } from '../../support/browser.ts';
import { partner } from '../../support/core-fixtures.ts';
import { firstBatchId, ingest, makeRows, noonMs } from '../../support/journal-fixtures.ts';
import { makePasskey, passwordOf, Users } from '../../support/persons.ts';
import { type OpenTestPage, openTestPage, pageOptionsOf, servePage } from '../../support/review-page.ts';
import { propose } from '../../support/review.ts';
import { anyone, mayVisit, nameOfRoute, type Visitor, whoMay } from '../../support/route-rights.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

// ---------------------------------------------------------------- routes

const visitors = { vi: 'viewer', nok: 'maker', dao: 'checker', mali: 'admin' } as const;
const newRoute =
  'the table of test/support/route-rights.ts differs from the routes of the page. The author of a route adds or removes ' +
  'its line, and names who may use it';

/** The place of a page that is not open: its views are listed and not used. */
const nowhere: ServedPlace = {
  signingPlace: () => ({ origin: '', rpId: '' }),
  signInPlaceOf: () => {
    throw new Error('nobody signs in on a page that is not open');
  },
};

/** A page with every view that it may have, on an empty journal. */
async function openWhole() {
  await using stack = new AsyncDisposableStack();
  const sqlite = stack.use(await makeSqliteStore());
  const { store, dataDir } = sqlite;
  await mkdir(join(dataDir, 'inbox'));
  const configPath = join(dataDir, 'paydrop.yaml');
  await writeFile(configPath, stringify({ dataDir, bank: { ...partner, baseUrl: 'https://bank.example' } }));
  const users = new Users(store);
  for (const [name, role] of Object.entries(visitors).toReversed())
    await users.add(name, role, name === 'mali' ? null : await users.find('mali'));
  const loaded = loadSettings({ configPath, cwd: dataDir, env: {} });
  const uploads = stack.use(await openUploads(loaded, store, users.clock));
  const listen = { host: '127.0.0.1', port: 0 };
  const evidenceFolder = join(dataDir, 'evidence');
  const parts = { ...pageOptionsOf(store, users), listen, evidenceFolder, uploads, askBank: async () => {} };
  const page = stack.use(await servePage(parts));
  const files = listViews(parts, nowhere).fileViews.map(({ path }) => ({ method: 'FILE' as const, path }));
  const routes = [...page.views.map(({ method, path }) => ({ method, path })), ...files];
  const owned = stack.move();
  return { origin: page.origin, routes, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

interface Asked {
  readonly method: 'GET' | 'POST' | 'FILE';
  readonly path: string;
}

/** The paths that a visitor without a session is meant to see. */
const signInPaths = ['/sign-in', '/signed-out'];

function makeForm(token: string): FormData {
  const form = new FormData();
  form.append('_csrf', token);
  form.append('file', new Blob([]), '');
  return form;
}

function visit(browser: Browser, { method, path }: Asked): Promise<Shown> {
  const address = path.replaceAll(/:\w+/g, '1');
  if (method === 'GET') return browser.get(address);
  return method === 'POST' ? browser.post(address) : browser.postRaw(address, makeForm);
}

/** Visits every route. @returns those that answered */
async function listOpen(origin: string, routes: readonly Asked[], name: string | undefined) {
  const browser = new Browser(origin);
  await browser.get('/sign-in');
  const open: string[] = [];
  for (const route of routes) {
    const isKnown = name === undefined || browser.cookies.has('paydrop_session');
    if (!isKnown) await browser.signIn(name, passwordOf(name));
    const { status, text } = await visit(browser, route);
    const isRefused = status === 403 && text.includes('You may not do this');
    if (status === 403 && !isRefused) throw new Error(`${nameOfRoute(route)} was not asked as a form asks`);
    if (status === 429) throw new Error('the page limits the test');
    const isSentAway = name === undefined && text.includes('action="/sign-in"');
    if (!isRefused && (!isSentAway || signInPaths.includes(route.path))) open.push(nameOfRoute(route));
  }
  return open;
}

describe('routes', () => {
  test('each stands in the table', async () => {
    await using whole = await openWhole();
    const served = new Set(whole.routes.map(nameOfRoute));
    const differing = [...served.symmetricDifference(new Set(Object.keys(whoMay)))];
    expect(differing.length === 0 ? '' : `${newRoute}: ${differing.join(', ')}`).toBe('');
  });

  test.each<readonly [Visitor, string | undefined]>([
    ['signed out', undefined],
    ...Object.entries(visitors).map(([name, role]) => [role, name] as const),
  ])('answer a visitor who is %s as the table says', async (visitor, name) => {
    await using whole = await openWhole();
    const known = whole.routes.filter((route) => nameOfRoute(route) in whoMay);
    const open = await listOpen(whole.origin, known, name);
    const expected = Object.keys(whoMay).filter((route) => mayVisit(visitor, route));
    expect(open.toSorted()).toEqual(expected.toSorted());
  });

  test('behind a proxy that signs people in, differ in the sign-in alone', () => {
    const listed = makeProxySignInViews().map((view) => [nameOfRoute(view), view.action ?? anyone]);
    expect(Object.fromEntries(listed)).toEqual({
      'GET /sign-in': anyone,
      'GET /signed-out': anyone,
      'POST /sign-in': anyone,
      'POST /password': anyone,
      'POST /sign-out': 'see',
    });
  });
});

// ---------------------------------------------------------------- decisions and verdicts

/** The requirements of each decision; `proof`: a second person and evidence. */
const decisions: Readonly<Record<Decision, 'alone' | 'second' | 'proof'>> = {
  'go-on': 'second',
  cancel: 'alone',
  release: 'second',
  retry: 'second',
  'retry-corrected': 'second',
  'confirm-paid': 'proof',
  'confirm-failed': 'proof',
  'confirm-registered': 'proof',
  'confirm-refused': 'proof',
  acknowledge: 'alone',
  'approve-batch': 'second',
  'resume-batch': 'second',
  'cancel-batch': 'alone',
  'resume-payer': 'second',
  'halt-payer': 'alone',
  'accept-break': 'second',
  'accept-statement': 'second',
  'adopt-statement': 'second',
};

test('decisions take a second person and evidence as the table says', () => {
  const found = Object.entries(decisionTerms).map(([decision, { needsSecond, needsEvidence }]) => [
    decision,
    needsEvidence ? 'proof' : needsSecond ? 'second' : 'alone',
  ]);
  expect(Object.fromEntries(found)).toEqual(decisions);
});

/** mali, an admin, makes all others; a second admin exists where `anan` is named. */
const staff = { nok: 'maker', noi: 'maker', dao: 'checker', vi: 'viewer' } as const;
const everybody = ['mali', 'anan', 'nok', 'noi', 'dao', 'vi'] as const;
type Name = (typeof everybody)[number];
type Verdict = 'approve' | 'send-back' | 'withdraw';

interface VerdictCase {
  readonly maker: Name;
  readonly admins: 1 | 2;
  /** The person who has uploaded the file. */
  readonly uploader?: Name;
  readonly approve: string;
  readonly 'send-back': string;
  readonly withdraw: string;
}

/** The people whose verdict on a proposal counts, by its maker. */
const verdicts: readonly VerdictCase[] = [
  { maker: 'nok', admins: 1, approve: 'mali dao', 'send-back': 'mali dao', withdraw: 'nok' },
  { maker: 'nok', admins: 2, approve: 'anan', 'send-back': 'anan', withdraw: 'nok' },
  { maker: 'mali', admins: 1, approve: 'dao', 'send-back': 'dao', withdraw: 'mali' },
  { maker: 'anan', admins: 2, approve: 'mali dao', 'send-back': 'mali dao', withdraw: 'anan' },
  { maker: 'nok', admins: 1, uploader: 'dao', approve: 'mali', 'send-back': 'mali', withdraw: 'nok' },
  { maker: 'nok', admins: 2, uploader: 'anan', approve: '', 'send-back': '', withdraw: 'nok' },
];

const openStaffed = async (admins: 1 | 2): Promise<OpenTestPage> =>
  openTestPage({}, admins === 2 ? { ...staff, anan: 'admin' } : staff);

const namesIn = (rig: OpenTestPage): Promise<readonly string[]> =>
  rig.store.persons().then(({ people }) => people.map(({ name }) => name));

/** @returns the people whose verdict moved a proposal, each a proposal of their own */
async function listVerdicts({ maker, admins, uploader }: VerdictCase, verdict: Verdict): Promise<string> {
  await using rig = await openStaffed(admins);
  const { store, users } = rig;
  const rows = makeRows(everybody.length).map((row) => ({ ...row, holds: ['name'] as const }));
  await ingest(store, rows);
  if (uploader !== undefined)
    await store.keepUpload(firstBatchId, (await users.find(uploader)).personId, noonMs);
  const counted: string[] = [];
  const review = await pageOptionsOf(store, users).readReview();
  const { personId } = await users.find(maker);
  for (const [place, name] of (await namesIn(rig)).entries()) {
    const [found] = await store.findPayouts(`INV-${place + 1}`);
    const target = {
      kind: 'payout',
      key: String(found?.row.seq),
      version: String(found?.row.version),
    } as const;
    const wish = { decision: 'go-on', targets: [target], note: 'seen', evidence: null } as const;
    const proposed = await propose(review, wish, { personId, name: maker });
    if (proposed.kind !== 'waiting') throw new Error(proposed.kind);
    const { proposalId, digest } = proposed.proposal;
    const browser = await rig.open(name);
    await browser.post(`/proposal/${proposalId}/${verdict}`, { seen: digest, note: 'so be it' });
    if ((await store.proposal(proposalId))?.status !== 'proposed') counted.push(name);
  }
  return counted.join(' ');
}

test.each(verdicts)('a proposal of $maker, of $admins admins, uploaded by $uploader', async (one) => {
  const found: Record<string, string> = {};
  for (const verdict of ['approve', 'send-back', 'withdraw'] as const)
    found[verdict] = await listVerdicts(one, verdict);
  const { approve, withdraw, 'send-back': sendBack } = one;
  expect(found).toEqual({ approve, 'send-back': sendBack, withdraw });
});

/** The people who may decide on a whole batch, by the decision and the number of approvers. */
const batchDecisions = [
  ['approve-batch', 1, 'mali dao'],
  ['approve-batch', 2, 'mali nok noi'],
  ['cancel-batch', 2, 'mali nok noi'],
] as const;

test.each(batchDecisions)('%s, with %i approvers, is decided by %s', async (decision, people, who) => {
  const counted: string[] = [];
  for (const name of ['mali', ...Object.keys(staff)]) {
    await using rig = await openStaffed(1);
    const approval = { when: 'always', aboveSatang: toSatang(0n), people } as const;
    await ingest(rig.store, makeRows(2), { approval });
    const browser = await rig.open(name);
    const path = `/batch/${firstBatchId}/decide/${decision}`;
    const form = await browser.get(path);
    const version = /name="version" value="([^"]*)"/.exec(form.text)?.[1] ?? '';
    await browser.post(path, { version, note: 'looked at it' });
    if ((await rig.store.proposals(['proposed', 'applied'], 1_000, 10)).length > 0) counted.push(name);
  }
  expect(counted.join(' ')).toBe(who);
});

// ---------------------------------------------------------------- people

const changes = {
  'add a viewer': ['/people/add', { name: 'kwan', fullName: 'Kwan', role: 'viewer' }],
  'add a maker': ['/people/add', { name: 'kwan', fullName: 'Kwan', role: 'maker' }],
  'add a checker': ['/people/add', { name: 'kwan', fullName: 'Kwan', role: 'checker' }],
  'add an admin': ['/people/add', { name: 'kwan', fullName: 'Kwan', role: 'admin' }],
  'make the viewer a maker': ['/people/vi/role', { role: 'maker' }],
  'make the viewer a checker': ['/people/vi/role', { role: 'checker' }],
  'make the checker an admin': ['/people/dao/role', { role: 'admin' }],
  'make the other admin a checker': ['/people/anan/role', { role: 'checker' }],
  'make oneself a viewer': ['/people/mali/role', { role: 'viewer' }],
  'disable the checker': ['/people/dao/disable', {}],
  'enable the disabled maker': ['/people/gone/enable', {}],
  'reset the password of the maker': ['/people/nok/reset-password', {}],
  'reset the password of the checker': ['/people/dao/reset-password', {}],
  'reset the password of the other admin': ['/people/anan/reset-password', {}],
  'reset the own password': ['/people/mali/reset-password', {}],
  'confirm the passkey of the checker': ['/passkeys/confirm', { key: 'ab12' }],
} as const satisfies Record<string, readonly [string, Readonly<Record<string, string>>]>;

type End = 'done' | 'waits' | 'no';

interface ChangeCase {
  /** The outcome of a change that mali asks for while she is the only admin, and once there are three. */
  readonly alone: End;
  readonly among: End;
  /** The people who can carry out, and who can end, a change that waits. */
  readonly confirm?: string;
  readonly end?: string;
}

const changeTable: Readonly<Record<keyof typeof changes, ChangeCase>> = {
  'add a viewer': { alone: 'done', among: 'done' },
  'add a maker': { alone: 'done', among: 'done' },
  'add a checker': { alone: 'done', among: 'waits', confirm: 'ek', end: 'mali anan ek' },
  'add an admin': { alone: 'done', among: 'waits', confirm: 'ek', end: 'mali anan ek' },
  'make the viewer a maker': { alone: 'done', among: 'done' },
  'make the viewer a checker': { alone: 'done', among: 'waits', confirm: 'ek', end: 'mali anan ek' },
  'make the checker an admin': { alone: 'done', among: 'waits', confirm: 'ek', end: 'mali anan ek' },
  'make the other admin a checker': { alone: 'no', among: 'done' },
  'make oneself a viewer': { alone: 'no', among: 'done' },
  'disable the checker': { alone: 'done', among: 'done' },
  'enable the disabled maker': { alone: 'done', among: 'done' },
  'reset the password of the maker': { alone: 'done', among: 'done' },
  'reset the password of the checker': { alone: 'done', among: 'waits', confirm: 'ek', end: 'mali anan ek' },
  'reset the password of the other admin': {
    alone: 'no',
    among: 'waits',
    confirm: 'ek',
    end: 'mali anan ek',
  },
  'reset the own password': { alone: 'no', among: 'no' },
  'confirm the passkey of the checker': { alone: 'done', among: 'waits', confirm: 'ek', end: 'mali anan ek' },
};

/** Approves as the form does. @returns the page that is shown then */
async function postApproval(browser: Browser, proposalId: number): Promise<string> {
  const { text } = await browser.get(`/proposal/${proposalId}`);
  const seen = /name="seen" value="([^"]*)"/.exec(text)?.[1] ?? '';
  return (await browser.post(`/proposal/${proposalId}/approve`, { seen })).text;
}

/** mali and whom she has made; with three admins, anan, whom she made alone, and ek, whom both made. */
async function openPeople(admins: 1 | 3): Promise<OpenTestPage> {
  const rig = await openStaffed(admins === 1 ? 1 : 2);
  const { users, store } = rig;
  const mali = await users.find('mali');
  const nowMs = users.clock.now();
  const { personId } = await users.find('dao');
  const passkey = makePasskey({ personId, enrolledAtMs: nowMs });
  const event = { kind: 'passkey-enrolled', atMs: nowMs, proof: 'session', facts: {}, cells: {} } as const;
  await appendEdit(store, () => ({
    passkey,
    events: [{ ...event, subject: personId, byPerson: personId }],
  }));
  await users.add('gone', 'maker', mali);
  await users.ask({ kind: 'disable', personId: (await users.find('gone')).personId }, mali);
  if (admins === 1) return rig;
  const asked = await users.ask({ kind: 'add', name: 'ek', displayName: 'Ek', role: 'admin' }, mali);
  if (asked.kind !== 'waits') throw new Error(asked.kind);
  const text = await postApproval(await rig.open('anan'), asked.proposalId);
  const half = /<output[^>]*>([^<]+)</.exec(text)?.[1] ?? '';
  const done = { person: await users.find('ek'), oneTimePassword: { text: half, isHalf: true } };
  await users.begin({ kind: 'done', ...done }, asked.firstHalf);
  return rig;
}

const latestSeq = async ({ store }: OpenTestPage): Promise<number> => (await store.persons()).latestSeq;

/** The events after a moment, without those that tell of visits. */
const kindsSince = async ({ store }: OpenTestPage, seq: number) =>
  (await store.personEvents(seq, 100))
    .map(({ kind }) => kind)
    .filter((kind) => !['signed-in', 'session-begun', 'refused'].includes(kind));

async function ask(rig: OpenTestPage, name: keyof typeof changes): Promise<End> {
  const [path, fields] = changes[name];
  const mali = await rig.open('mali');
  const { people } = await rig.store.persons();
  const named = people.find((person) => path.includes(`/${person.name}/`));
  const before = await latestSeq(rig);
  await mali.post(named ? path.replace(named.name, String(named.personId)) : path, fields);
  const isOpen = (await rig.users.changes()).some(({ status }) => status === 'proposed');
  if (isOpen) return 'waits';
  return (await kindsSince(rig, before)).length === 0 ? 'no' : 'done';
}

async function askIn(admins: 1 | 3, name: keyof typeof changes): Promise<End> {
  await using rig = await openPeople(admins);
  return await ask(rig, name);
}

/** Everyone tries in turn, in a journal of their own once the change has ended. */
async function listEnders(name: keyof typeof changes, verb: 'approve' | 'send-back'): Promise<string> {
  const counted: string[] = [];
  let rig: OpenTestPage | undefined;
  for (const person of ['mali', 'anan', 'ek', 'nok', 'dao', 'vi'] as const) {
    if (rig === undefined) {
      rig = await openPeople(3);
      await ask(rig, name);
    }
    const { proposalId = 0, digest = '' } = (await rig.users.changes()).at(-1) ?? {};
    const browser = await rig.open(person);
    await browser.post(`/proposal/${proposalId}/${verb}`, { note: 'seen', seen: digest });
    if ((await rig.users.changes()).at(-1)?.status === 'proposed') continue;
    counted.push(person);
    await rig[Symbol.asyncDispose]();
    rig = undefined;
  }
  await rig?.[Symbol.asyncDispose]();
  return counted.join(' ');
}

test.each(Object.keys(changes) as (keyof typeof changes)[])('admins %s', async (name) => {
  const found = { alone: await askIn(1, name), among: await askIn(3, name) };
  const ends =
    found.among === 'waits'
      ? { confirm: await listEnders(name, 'approve'), end: await listEnders(name, 'send-back') }
      : {};
  expect({ ...found, ...ends }).toEqual(changeTable[name]);
});
