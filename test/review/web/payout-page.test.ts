/** The view of one payout over a real port: its story, what may be decided, and who may see the whole number. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { move } from '../../../src/core/change.ts';
import { sayCode, verbatim } from '../../../src/core/message.ts';
import {
  applied,
  firstBatchId,
  firstReady,
  ingest,
  ingestAs,
  makeBadRow,
  makeRow,
  noonMs,
} from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;

beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'viewer' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

const seqOf = async (payoutId: string): Promise<number> => {
  const [found] = await rig.store.findPayouts(payoutId);
  return found?.row.seq ?? 0;
};

const script = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`;

describe('a payout', () => {
  test('is found by the search, and tells its story with every proof', async () => {
    await ingestAs(rig.store, ['failed'], [makeRow(1), makeRow(2, { holds: ['name'] })]);
    const browser = await rig.open('mali');
    const found = await browser.post('/search', { search: 'INV-1' });
    const [, path = ''] = /href="(\/payout\/\d+)"/.exec(found.text) ?? [];
    const { status, text } = await browser.get(path);
    expect(status).toBe(200);
    for (const said of [
      'Payout INV-1',
      '100.01 baht',
      'No money moved',
      'Somchai Jaidee',
      'ref 1',
      'The row was read',
      'The whole file was read and sealed',
      'Recorded, and then sent to the bank',
      'The bank has refused it',
      'In doubt → Failed',
    ])
      expect(text).toContain(said);
    const [history] = await rig.store.findPayouts('INV-1');
    expect(text).toContain(history?.attempts[0]?.order.transRefNo ?? 'none');
    expect(text).not.toContain(history?.row.cells.proxyNo ?? 'none');
  });

  test('tells in Thai which holds were lifted', async () => {
    await ingest(rig.store, [makeRow(1, { holds: ['paused'] })]);
    await rig.store.liftHolds(firstBatchId, ['paused'], noonMs);
    const back = `/payout/${await seqOf('INV-1')}`;
    const { text } = await (await rig.open('nok')).post('/look', { language: 'th', back });
    expect(text).toContain(sayCode('th', 'hold-is.paused'));
  });

  test('says what may be decided now, and why the rest may not', async () => {
    await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
    const path = `/payout/${await seqOf('INV-1')}`;
    const { text } = await (await rig.open('mali')).get(path);
    const possible = [...text.matchAll(/name="decision"\s+value="([a-z-]+)"/g)].map(
      ([, decision]) => decision,
    );
    expect(possible).toEqual(['go-on', 'cancel', 'retry-corrected']);
    expect(text).toContain('Needs a second person');
    expect(text).toContain('it is held, without an alarm: there is nothing to take note of');
    const seen = await (await rig.open('nok')).get(path);
    expect(seen.text).not.toContain('name="decision"');
    expect(seen.text).toContain('a viewer may not propose decisions: that takes a maker or an admin');
  });

  test('shows its whole number to those who may, and records who looked', async () => {
    const row = makeRow(1, { holds: ['name'] });
    await ingest(rig.store, [row]);
    const path = `/payout/${await seqOf('INV-1')}`;
    const mali = await rig.open('mali');
    expect((await mali.get(path)).text).not.toContain(row.cells.proxyNo);
    const shown = await mali.post(`${path}/reveal`);
    expect(shown.text).toContain(row.cells.proxyNo);
    const [event] = (await rig.store.personEvents(0, 100)).filter(({ kind }) => kind === 'revealed');
    expect(event).toMatchObject({ subject: 1, byPerson: 1, proof: 'session' });
    expect(event?.text).toContain('"facts":{"batch":"0123456789","payout":1,"row":1,"what":"payee-number"}');
    expect(event?.text).not.toContain(row.cells.proxyNo);
    const nok = await rig.open('nok');
    expect((await nok.get(path)).text).not.toContain('/reveal');
    const refused = await nok.post(`${path}/reveal`);
    expect([refused.status, refused.text.includes(row.cells.proxyNo)]).toEqual([403, false]);
  });

  test('shows what others wrote as text, in every field', async () => {
    const bad = makeBadRow(1);
    const cells = Object.fromEntries(Object.keys(bad.cells).map((name) => [name, script]));
    const issues = bad.issues.map((issue) => ({ ...issue, value: script }));
    const extras = [script];
    await ingest(rig.store, [{ ...bad, cells: { ...bad.cells, ...cells }, issues, extras }], {
      fileName: `${script}.csv`,
    });
    const browser = await rig.open('mali');
    const queue = await browser.get('/queue');
    const { text } = await browser.get(/href="(\/payout\/\d+)"/.exec(queue.text)?.[1] ?? '');
    expect(text).toContain('&lt;script&gt;');
    expect(text).not.toMatch(/<script>|<img/);
  });

  test('is not there under a number that no row has', async () => {
    const browser = await rig.open('mali');
    const statuses = [];
    for (const number of ['999', '0', 'x', '1e3', '99999999999999999999'])
      statuses.push((await browser.get(`/payout/${number}`)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404]);
  });

  test('comes back in Thai to where one was', async () => {
    await ingest(rig.store, [makeRow(1, { holds: ['name'] })]);
    const browser = await rig.open('mali');
    const path = `/payout/${await seqOf('INV-1')}`;
    const english = await browser.get(path);
    const back = /name="back" value="([^"]+)"/.exec(english.text)?.[1] ?? '';
    const { text } = await browser.post('/look', { language: 'th', back });
    expect(text).toContain('รายการจ่าย INV-1');
    expect(text).toContain('ต้องมีผู้อนุมัติอีกคน');
  });

  test('says in Thai what a code of the bank means, with the bank’s own words behind', async () => {
    await ingest(rig.store, [makeRow(1)]);
    const payout = await firstReady(rig.store, firstBatchId);
    const reason = { reasonCode: 'EV033', reason: verbatim('Payee account invalid') };
    const patch = { status: 'unpayable', ...reason } as const;
    await applied(rig.store, move({ payout, patch, cause: 'payee-check-refused', nowMs: noonMs }));
    const browser = await rig.open('mali');
    const { text } = await browser.post('/look', { language: 'th', back: `/payout/${payout.seq}` });
    expect(text).toContain(
      `<span>${sayCode('th', 'cause.EV033')}</span> <small><span lang="en">Payee account invalid</span></small>`,
    );
  });

  test('a field that stands twice in a form counts once', async () => {
    const browser = await rig.open('mali');
    const shown = await browser.postRaw(
      '/search',
      (token) =>
        new URLSearchParams([
          ['_csrf', token],
          ['search', 'a'],
          ['search', 'b'],
        ]),
    );
    expect(shown.status).toBe(200);
  });
});

const plain = (text: string): string => text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

describe('while its outcome is unknown', () => {
  const asked: number[] = [];

  beforeEach(async () => {
    asked.length = 0;
    await rig[Symbol.asyncDispose]();
    const askBank = async (seq: number) => void asked.push(seq);
    rig = await openTestPage({ askBank }, { nok: 'viewer', boon: 'maker' });
    await ingestAs(rig.store, ['unresolved']);
  });

  test('the bank is asked on request, once in half a minute over all people, and by no viewer', async () => {
    const seq = await seqOf('INV-1');
    const path = `/payout/${seq}`;
    const [mali, boon, nok] = [await rig.open('mali'), await rig.open('boon'), await rig.open('nok')];
    expect((await mali.get(path)).text).toContain(`action="${path}/ask"`);
    expect((await nok.get(path)).text).not.toContain(`action="${path}/ask"`);
    await boon.get(path);
    await mali.post(`${path}/ask`);
    await boon.post(`${path}/ask`);
    expect(asked).toEqual([seq]);
    rig.users.clock.ms += 30_000;
    await boon.post(`${path}/ask`);
    expect(asked).toEqual([seq, seq]);
    expect((await nok.post(`${path}/ask`)).status).toBe(403);
    expect((await mali.post('/payout/99/ask')).status).toBe(404);
    expect(asked).toHaveLength(2);
  });

  test('equal answers are one entry, the newest entries stand first, and the older ones are folded', async () => {
    const seq = await seqOf('INV-1');
    for (let times = 1; times <= 20; times += 1) {
      const payout = await rig.store.payout(seq);
      const [history] = await rig.store.findPayouts('INV-1');
      const attempt = history?.attempts.at(-1);
      if (payout === undefined || attempt === undefined) throw new Error('no payout');
      const nowMs = noonMs + times * 60_000;
      const next = {
        ...attempt,
        inquiries: times,
        lastInquiryAtMs: nowMs,
        lastFinding: 'in-process',
      } as const;
      // The last five say something else each.
      const detail = { statusCode: times <= 15 ? 'EM999' : `EM99${times}` };
      const inquired = { payout, patch: {}, cause: 'inquired', nowMs, attempt: next, detail } as const;
      await applied(rig.store, move(inquired));
    }
    const { text } = await (await rig.open('mali')).get(`/payout/${seq}`);
    expect(plain(text)).toMatch(/Asked 15 times \d\d:\d\d(:\d\d)?–\d\d:\d\d(:\d\d)?, always/);
    const story = text.slice(text.indexOf('id="story"'));
    expect(story.indexOf('EM9920')).toBeLessThan(story.indexOf('EM9916'));
    expect(story.indexOf('EM9916')).toBeLessThan(story.indexOf('The row was read'));
    expect(plain(text)).toContain('The bank was asked at');
  });
});

test('what the bank has of another name than the file is said', async () => {
  const [row] = [makeRow(1, { holds: ['name'] })];
  await ingest(rig.store, row === undefined ? [] : [row]);
  const { text } = await (await rig.open('mali')).get(`/payout/${await seqOf('INV-1')}`);
  expect(text).toContain('Names differ');
});

test('a payout without a bank in the process says when it is asked next, and has no button', async () => {
  await ingestAs(rig.store, ['submitted']);
  const { text } = await (await rig.open('mali')).get(`/payout/${await seqOf('INV-1')}`);
  expect(text).toContain('paydrop asks');
  expect(text).not.toContain('/ask"');
});
