/** Proposals about people: what others than admins see of them, which is nothing, and what happens at once. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readAttention } from '../../../src/attention/attention-list.ts';
import { readItems } from '../../../src/attention/items.ts';
import { proposalStatuses } from '../../../src/review/rules/proposal.ts';
import { listProposals, readProposal } from '../../../src/review/shell/shown-proposal.ts';
import type { Browser } from '../../support/browser.ts';
import { firstBatchId, ingest, makeRow } from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage, pageOptionsOf } from '../../support/review-page.ts';
import { propose } from '../../support/review.ts';
import { mayVisit, nameOfRoute } from '../../support/route-rights.ts';

let rig: OpenTestPage;
let mark: string;

/** Names in the proposals, and the words of the admin who sent one back. */
const words = /kwanjai|rejecta|unnaporn|secretus|zz-note/i;
const others = { ploy: 'viewer', nok: 'maker', dao: 'checker' } as const;
const inJson = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) => (typeof one === 'bigint' ? String(one) : one));

const digestOf = async (id: number): Promise<string> =>
  (await rig.users.changes()).find(({ proposalId }) => proposalId === id)?.digest ?? '';
const approve = async (browser: Browser, id: number) =>
  browser.post(`/proposal/${id}/approve`, { seen: await digestOf(id) });
const secretIn = (text: string): string => /class="secret mono">([^<]+)</.exec(text)?.[1] ?? '';
const add = async (browser: Browser, name: string) =>
  secretIn((await browser.post('/people/add', { name, fullName: `Secretus ${name}`, role: 'checker' })).text);

beforeEach(async () => {
  rig = await openTestPage({}, others);
  await rig.users.add('anan', 'admin', await rig.users.find('mali'));
  await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
  mark = await rig.store.changeMark();
});
afterEach(async () => rig[Symbol.asyncDispose]());

describe('a proposal that waits, one that was sent back, and one that was applied', () => {
  const halves: string[] = [];

  /** Proposals 1 to 3 are about people, 4 is about a payout. */
  beforeEach(async () => {
    const [mali, anan] = [await rig.open('mali'), await rig.open('anan')];
    halves.length = 0;
    for (const name of ['kwanjai', 'rejecta', 'unnaporn']) halves.push(await add(mali, name));
    await anan.post('/proposal/2/send-back', { note: 'zz-note' });
    halves.push(secretIn((await approve(anan, 3)).text));
    expect((await rig.users.changes()).map(({ status }) => status)).toEqual([
      'proposed',
      'sent-back',
      'applied',
    ]);
    expect(await rig.store.changeMark()).toBe(mark);
    expect(halves.filter((half) => half.length > 5)).toHaveLength(4);
    const [found] = await rig.store.findPayouts('INV-1');
    const target = {
      kind: 'payout',
      key: String(found?.row.seq),
      version: String(found?.row.version),
    } as const;
    const wish = { decision: 'go-on', targets: [target], note: 'seen', evidence: null } as const;
    const { personId, name } = await rig.users.find('nok');
    await propose(await pageOptionsOf(rig.store, rig.users).readReview(), wish, { personId, name });
  });

  const values: Readonly<Record<string, string>> = {
    batchId: firstBatchId,
    date: '2026-11-21',
    decision: 'cancel',
    kind: 'result',
    number: '0',
    after: '0',
    before: '9',
    status: 'paid',
    group: 'no.group',
    key: 'no-list',
  };
  const addressesOf = (path: string): readonly string[] => {
    const fill = (id: string) => path.replaceAll(/:(\w+)/g, (_, name: string) => values[name] ?? id);
    return [...new Set(['1', '2', '3'].map(fill))];
  };

  test.each(Object.entries(others))('is nothing that %s, a %s, sees, on any page', async (name, role) => {
    const browser = await rig.open(name);
    const seen: string[] = [];
    const before = inJson([await rig.users.changes(), (await rig.store.persons()).people]);
    const fields = {
      note: 'because',
      search: 'kwanja',
      back: '/proposals',
      what: 'taken',
      kind: 'proposal',
    };
    for (const view of rig.views.filter((one) => mayVisit(role, nameOfRoute(one)))) {
      if (['/sign-out', '/password', '/sign-in', '/sessions/sign-out'].includes(view.path)) continue;
      for (const url of addressesOf(view.path)) {
        const id = Number(/\/proposal\/(\d)/.exec(url)?.[1] ?? 1);
        const sent = { ...fields, key: String(id), seen: await digestOf(id) };
        const { status, text } =
          view.method === 'GET' ? await browser.get(url) : await browser.post(url, sent);
        if (words.test(text) || halves.some((half) => text.includes(half)))
          seen.push(`${view.method} ${url}: ${words.exec(text)?.[0]}`);
        if (/^\/proposal\/\d/.test(url) && status !== 404) seen.push(`${view.method} ${url}: ${status}`);
      }
    }
    expect(seen).toEqual([]);
    expect(inJson([await rig.users.changes(), (await rig.store.persons()).people])).toBe(before);
  });

  test('is in no list, count, item or record that is not for admins', async () => {
    const { store } = rig;
    const session = { journal: store };
    const asker = { ...(await rig.users.find('mali')) };
    const queue = { journal: store, clock: rig.users.clock, doubtAfterMs: 3_600_000, lateAtMs: 0 };
    const read = [
      await listProposals(session, proposalStatuses, 100),
      await Promise.all([1, 2, 3].map(async (id) => readProposal(session, id))),
      await Promise.all([1, 2, 3].map(async (id) => store.proposalItems(id, 0, 9))),
      await store.sentBack(0, 100),
      await readAttention(queue),
      await readItems(queue, { asker, limit: 100 }),
    ];
    expect(inJson(read)).not.toMatch(words);
    expect(read[0]).toMatchObject([{ proposalId: 4 }]);
    expect(read.slice(1, 4)).toEqual([[undefined, undefined, undefined], [[], [], []], []]);
    for (const half of halves)
      expect(
        inJson([...read, await rig.users.changes(), await store.proposalEvents(0, 1_000)]),
      ).not.toContain(half);
  });

  test('is seen by an admin in the lists, on its page and in the log', async () => {
    const anan = await rig.open('anan');
    const pages = ['/proposals', '/proposal/1', '/proposal/2', '/proposal/3', '/log', '/today'];
    for (const path of pages) {
      const { status, text } = await anan.get(path);
      expect([path, status, words.test(text)]).toEqual([path, 200, true]);
      for (const half of halves) expect([path, text.includes(half)]).toEqual([path, false]);
    }
    expect((await anan.get('/proposal/2')).text).toContain('zz-note');
    expect((await anan.get('/today')).text).toContain('second admin confirms: 1');
    expect((await anan.get('/proposal/9')).status).toBe(404);
  });
});

describe('at once', () => {
  test('two admins approve: one carries it out, and one half of the password is shown', async () => {
    const mali = await rig.open('mali');
    await add(mali, 'kwanjai');
    const admins = await Promise.all(['anan', 'anan', 'anan'].map((name) => rig.open(name)));
    const ends = await Promise.all(admins.map((browser) => approve(browser, 1)));
    expect(ends.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 409, 409]);
    expect(ends.filter(({ text }) => secretIn(text) !== '')).toHaveLength(1);
    const { people } = await rig.store.persons();
    expect(people.filter(({ name }) => name === 'kwanjai')).toHaveLength(1);
    expect((await rig.users.changes()).map(({ status }) => status)).toEqual(['applied']);
  });

  test('one is approved, sent back and withdrawn: it ends once, and the person is there only if applied', async () => {
    const [mali, anan] = [await rig.open('mali'), await rig.open('anan')];
    await add(mali, 'kwanjai');
    await Promise.all([
      mali.post('/proposal/1/withdraw'),
      approve(anan, 1),
      anan.post('/proposal/1/send-back', { note: 'no' }),
    ]);
    const [change] = await rig.users.changes();
    const isThere = (await rig.store.persons()).people.some(({ name }) => name === 'kwanjai');
    expect([isThere, change?.status === 'proposed']).toEqual([change?.status === 'applied', false]);
    const ends = (await rig.store.proposalEvents(0, 100)).map(({ kind }) => kind);
    expect(ends).toEqual(
      change?.status === 'applied' ? ['proposed', 'approved', 'applied'] : ['proposed', change?.status],
    );
  });
});

describe('what a second proposal is about', () => {
  test('the same person, name or policy: the first is decided first', async () => {
    const [mali, anan] = [await rig.open('mali'), await rig.open('anan')];
    const { personId } = await rig.users.find('nok');
    await mali.post(`/people/${personId}/role`, { role: 'checker' });
    const second = await anan.post(`/people/${personId}/role`, { role: 'admin' });
    expect([second.status, second.text]).toEqual([422, expect.stringContaining('proposal 1 is about this')]);
    // One admin disables alone, at once: the proposal is stale.
    await anan.post(`/people/${personId}/disable`);
    expect(await rig.users.find('nok')).toMatchObject({ isDisabled: true });
    expect((await approve(anan, 1)).status).toBe(409);
    expect(await rig.users.changes()).toMatchObject([{ status: 'stale' }]);
    expect((await anan.post(`/people/${personId}/role`, { role: 'admin' })).status).toBe(200);
    expect(await rig.users.changes()).toMatchObject([{ status: 'stale' }, { status: 'proposed' }]);
  });

  test('what has lapsed makes way', async () => {
    const mali = await rig.open('mali');
    await add(mali, 'kwanjai');
    expect(await add(mali, 'Kwanjai')).toBe('');
    rig.users.clock.ms += 7 * 86_400_000;
    const again = await rig.open('mali');
    expect((await add(again, 'Kwanjai')).length).toBeGreaterThan(5);
    expect(await rig.users.changes()).toMatchObject([{ status: 'expired' }, { status: 'proposed' }]);
    expect(await rig.store.firstHalf(1)).toBeNull();
  });
});
