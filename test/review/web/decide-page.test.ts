/** Decisions made and checked on the page, over a real port: by whom, on what, and what is refused. */
import { createHash } from 'node:crypto';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Browser } from '../../support/browser.ts';
import { move } from '../../../src/core/change.ts';
import {
  applied,
  ingest,
  ingestAs,
  makeRow,
  makeRows,
  noonMs,
  statusesOf,
} from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;

beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker', ploy: 'viewer' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

const rowOf = async (payoutId: string) => {
  const [found] = await rig.store.findPayouts(payoutId);
  if (found === undefined) throw new Error(`no payout ${payoutId}`);
  return found.row;
};
const pathOf = async (payoutId: string) => `/payout/${(await rowOf(payoutId)).seq}`;
const digestIn = (text: string): string => /name="seen" value="(\w+)"/.exec(text)?.[1] ?? '';
const versionIn = (text: string): string => /name="version" value="(\d+)"/.exec(text)?.[1] ?? '';

/** The path of a frozen list, to which its form is posted. */
const listIn = (text: string): string => /action="(\/decide\/[\w-]+)"/.exec(text)?.[1] ?? '';

const squeeze = (text: string): string => text.replaceAll(/\s+/g, ' ');

/** What a person does with the form. */
async function decide(browser: Browser, path: string, decision: string, fields: Record<string, string> = {}) {
  const form = await browser.get(path);
  return browser.post(`${path}/decide`, {
    version: versionIn(form.text),
    decision,
    note: 'seen with the bank',
    ...fields,
  });
}

const holdAll = (count: number) =>
  ingest(
    rig.store,
    makeRows(count).map((row) => ({ ...row, holds: ['name'] as const })),
  );

const script = `<script>alert(1)</script>"'><img src=x onerror=alert(2)>`;

describe('one payout', () => {
  test('what one proposes waits, is refused as one’s own, and is applied by another', async () => {
    await holdAll(1);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    const path = await pathOf('INV-1');
    const form = await nok.get(path);
    expect(squeeze(form.text)).toMatch(
      /Lifts the holds, and the next run pays 100\.01 baht → ••0001\. It takes effect after another person approves/,
    );
    expect(form.text).toContain('Propose to let 1 payout, 100.01 baht go on');
    const proposed = await decide(nok, path, 'go-on');
    expect(proposed.text).toContain('Proposed: ');
    expect(proposed.text).toContain('You proposed this and cannot approve it');
    const own = await nok.post('/proposal/1/approve', { seen: 'x' });
    expect(own.status).toBe(403);
    expect(await statusesOf(rig.store)).toEqual(['held']);
    const listed = await mali.get('/proposals');
    expect(listed.text).toContain('Waits for your check');
    const shown = await mali.get('/proposal/1');
    const regions = [...shown.text.matchAll(/data-live="(\w+)"/g)].map(([, name]) => name);
    expect(regions).toEqual(['outcome', 'facts', 'verdict']);
    const approved = await mali.post('/proposal/1/approve', { seen: digestIn(shown.text) });
    expect(approved.text).toContain('<b>Applied.</b>');
    expect(await statusesOf(rig.store)).toEqual(['ready']);
    const story = await mali.get(path);
    expect(story.text).toContain('nok, approved by mali');
    expect(story.text).toContain('href="/proposal/1"');
    const again = await mali.post('/proposal/1/approve', { seen: digestIn(shown.text) });
    expect([again.status, again.text.includes('it was applied')]).toEqual([409, true]);
  });

  test('an admin cannot check his own either', async () => {
    await holdAll(1);
    const mali = await rig.open('mali');
    const shown = await decide(mali, await pathOf('INV-1'), 'go-on');
    expect(digestIn(shown.text)).toBe('');
    const { digest } = (await rig.store.proposal(1)) ?? { digest: '' };
    const own = await mali.post('/proposal/1/approve', { seen: digest });
    expect([own.status, own.text.includes('you proposed this and cannot approve it')]).toEqual([409, true]);
    expect(await statusesOf(rig.store)).toEqual(['held']);
  });

  test('where one person is enough it is applied at once', async () => {
    await holdAll(1);
    const nok = await rig.open('nok');
    const path = await pathOf('INV-1');
    expect((await nok.get(path)).text).toContain('Apply: cancel 1 payout, 100.01 baht');
    expect((await decide(nok, path, 'cancel')).text).toContain('<b>Applied.</b>');
    expect(await statusesOf(rig.store)).toEqual(['cancelled']);
  });

  test('what is missing is said at its field, and what was typed stays', async () => {
    await ingestAs(rig.store, ['unresolved']);
    const nok = await rig.open('nok');
    const path = await pathOf('INV-1');
    const shown = await decide(nok, path, 'confirm-paid', { note: `why ${script}`, evidence: ' ' });
    expect(shown.status).toBe(422);
    expect(shown.text).toContain('<a href="#evidence">Say where the proof stands</a>');
    expect(shown.text).toContain('why &lt;script&gt;');
    expect(shown.text).not.toMatch(/<script>|<img/);
    const done = await decide(nok, path, 'confirm-paid', { evidence: 'letter 7' });
    expect(done.text).toContain('letter 7');
  });

  test('a file is evidence as good as words: kept, shown to the checker, handed out as it came', async () => {
    await ingestAs(rig.store, ['unresolved']);
    const [nok, mali, ploy] = [await rig.open('nok'), await rig.open('mali'), await rig.open('ploy')];
    const path = await pathOf('INV-1');
    const form = await nok.get(path);
    expect(form.text).toContain(`formaction="${path}/decide/file"`);
    const send = async (
      name: string,
      bytes: string | Uint8Array<ArrayBuffer>,
      fields: Record<string, string> = {},
    ) =>
      nok.postRaw(`${path}/decide/file`, (token) => {
        const sent = new FormData();
        const all = {
          _csrf: token,
          version: versionIn(form.text),
          decision: 'confirm-paid',
          note: 'the bank wrote',
          evidence: '',
        };
        for (const [field, value] of Object.entries({ ...all, ...fields })) sent.append(field, value);
        sent.append('evidenceFile', new Blob([bytes]), name);
        return sent;
      });
    const evidence = join(rig.sqlite.dataDir, 'evidence');
    expect((await send('', '')).text).toContain('Say where the proof stands');
    expect((await send('a.pdf', 'x', { note: '' })).text).toContain('Say why it is decided so');
    expect((await send('a.pdf', 'x', { _csrf: 'x' })).status).toBe(403);
    expect(await readdir(evidence).catch(() => [])).toEqual([]);
    expect((await send('a.pdf', '')).text).toContain('This file is empty');
    expect((await send('a.pdf', new Uint8Array(16_777_217))).text).toContain('more than 16 MiB');
    expect(await readdir(evidence)).toEqual([]);
    // Refused by the rules, by then all of it has been read.
    expect((await send('a.pdf', 'x', { version: '99' })).status).toBe(409);
    expect(await readdir(evidence)).toEqual([]);
    const text = `<script>alert(1)</script>`;
    const proposed = await send(`../${script}.html`, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    expect(proposed.text).toContain(sha256);
    expect(proposed.text).not.toMatch(/<script>alert|<img/);
    expect(await rig.store.proposal(1)).toMatchObject({
      evidence: null,
      evidenceFile: { sha256, bytes: text.length },
    });
    // Another proposal is open: neither its own file stays, nor does that of the open one go.
    expect((await send('b.pdf', 'another letter')).status).toBe(409);
    expect((await send('c.pdf', text)).status).toBe(409);
    expect(await readdir(evidence)).toEqual([sha256]);
    await ploy.get('/proposal/1');
    expect((await ploy.post('/proposal/1/evidence-file')).status).toBe(403);
    await mali.get('/proposal/1');
    const opened = await mali.post('/proposal/1/evidence-file');
    expect(opened.text).toBe(text);
    expect(Object.fromEntries(opened.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': expect.stringMatching(/^attachment; filename\*=UTF-8''[\w.%-]+$/),
      'x-content-type-options': 'nosniff',
    });
    const [event] = (await rig.store.personEvents(0, 100)).slice(-1);
    expect(event?.text).toContain('"proposal":1,"what":"evidence-file"');
    await writeFile(join(evidence, sha256), 'another');
    expect((await mali.post('/proposal/1/evidence-file')).text).toContain('is not what was kept');
  });

  test('a correction says what it becomes, masked until it is revealed to the checker', async () => {
    await holdAll(1);
    const [nok, dao] = [await rig.open('nok'), await rig.open('mali')];
    const path = await pathOf('INV-1');
    expect((await decide(nok, path, 'retry-corrected')).text).toContain('Give the right payee number');
    const wrong = await decide(nok, path, 'retry-corrected', { proxyNo: '12' });
    expect([wrong.status, wrong.text.includes('corrected it is still wrong')]).toEqual([409, true]);
    await decide(nok, path, 'retry-corrected', { proxyNo: '0899999999', amount: '1,200.50' });
    const shown = await dao.get('/proposal/1');
    expect(shown.text).toContain('••9999');
    expect(shown.text).toContain('1,200.50');
    expect(shown.text).not.toContain('0899999999');
    expect((await dao.post('/proposal/1/reveal')).text).toContain('0899999999');
    const events = await rig.store.personEvents(0, 100);
    expect(events.at(-1)?.text).toContain('"proposal":1,"what":"payee-numbers"');
    await dao.post('/proposal/1/approve', { seen: digestIn(shown.text) });
    expect((await rowOf('INV-1')).instruction).toMatchObject({
      proxyNo: '0899999999',
      amountSatang: 120_050n,
    });
  });

  test('what has changed since it was shown is not decided, and what changed is said', async () => {
    await holdAll(1);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    const path = await pathOf('INV-1');
    const form = await nok.get(path);
    await decide(mali, path, 'cancel');
    const late = await nok.post(`${path}/decide`, {
      version: versionIn(form.text),
      decision: 'go-on',
      note: 'x',
    });
    expect(late.status).toBe(409);
    expect(late.text).toContain('it was held then, and is cancelled now (cancelled)');
    expect(late.text).toContain('>\nx</textarea');
  });

  test('a proposal that is out of date shows then and now, and is not applied', async () => {
    await holdAll(1);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    await decide(nok, await pathOf('INV-1'), 'go-on');
    const payout = await rig.store.payout((await rowOf('INV-1')).seq);
    if (payout !== undefined)
      await applied(
        rig.store,
        move({ payout, patch: { status: 'cancelled' }, cause: 'cancelled', nowMs: noonMs }),
      );
    const shown = await mali.get('/proposal/1');
    expect(squeeze(shown.text)).toContain('<small>Then</small> Held');
    expect(shown.text).toContain('<b>Cancelled</b>');
    const end = await mali.post('/proposal/1/approve', { seen: digestIn(shown.text) });
    expect(end.text).toContain('Out of date');
    expect(await statusesOf(rig.store)).toEqual(['cancelled']);
  });

  test('it is sent back with a reason, or withdrawn by its maker alone', async () => {
    await holdAll(2);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    await decide(nok, await pathOf('INV-1'), 'go-on');
    await decide(nok, await pathOf('INV-2'), 'go-on');
    expect((await mali.post('/proposal/1/send-back', { note: ' ' })).status).toBe(422);
    const back = await mali.post('/proposal/1/send-back', { note: `ask the payee ${script}` });
    expect(squeeze(back.text)).toContain('<b>Sent back.</b> ask the payee &lt;script&gt;');
    expect(back.text).not.toMatch(/<script>|<img/);
    const others = await mali.post('/proposal/2/withdraw');
    expect([others.status, others.text.includes('only nok, who proposed it, can withdraw it')]).toEqual([
      409,
      true,
    ]);
    expect((await nok.post('/proposal/2/withdraw')).text).toContain('<b>Withdrawn.</b>');
    expect(await statusesOf(rig.store)).toEqual(['held', 'held']);
  });

  test('nobody approves what he has not seen', async () => {
    await holdAll(1);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    await decide(nok, await pathOf('INV-1'), 'go-on');
    expect((await mali.post('/proposal/1/approve')).status).toBe(422);
    const other = await mali.post('/proposal/1/approve', { seen: 'a'.repeat(64) });
    expect([other.status, other.text.includes('it is not what you have looked at')]).toEqual([409, true]);
    expect(await statusesOf(rig.store)).toEqual(['held']);
  });

  test('another role’s action is refused, and so is a form without its token', async () => {
    await holdAll(1);
    const path = await pathOf('INV-1');
    const [nok, dao, ploy] = [await rig.open('nok'), await rig.open('dao'), await rig.open('ploy')];
    const [version, decision] = ['1', 'cancel'];
    const statuses = [];
    for (const browser of [dao, ploy]) {
      await browser.get(path);
      statuses.push((await browser.post(`${path}/decide`, { version, decision, note: 'x' })).status);
      statuses.push((await browser.post('/decide', { [`pick-1`]: '1' })).status);
    }
    statuses.push((await nok.post(`${path}/decide`, { version, decision, note: 'x', _csrf: '' })).status);
    statuses.push(
      (await nok.post(`${path}/decide`, { version, decision, note: 'x' }, { origin: 'http://evil.example' }))
        .status,
    );
    await decide(nok, path, 'go-on');
    for (const browser of [nok, ploy])
      statuses.push((await browser.post('/proposal/1/approve', { seen: 'x' })).status);
    for (const browser of [dao, ploy]) statuses.push((await browser.post('/proposal/1/withdraw')).status);
    expect(statuses).toEqual(Array.from({ length: 10 }, () => 403));
    expect(await statusesOf(rig.store)).toEqual(['held']);
  });
});

describe('several at once', () => {
  test('those that were chosen are decided together, and the rest stays', async () => {
    await holdAll(3);
    const nok = await rig.open('nok');
    const queue = await nok.get('/queue');
    const picks = [...queue.text.matchAll(/name="(pick-\d+)"\s+value="(\d+)"/g)].slice(0, 2);
    const list = await nok.post(
      '/decide',
      Object.fromEntries(picks.map(([, name = '', value = '']) => [name, value])),
    );
    expect(list.text).toContain('Decide: 2 payouts, 200.03 baht');
    expect(squeeze(list.text)).toContain('Apply: cancel 2 payouts, 200.03 baht');
    const done = await nok.post(listIn(list.text), { decision: 'cancel', note: 'not ours' });
    expect(done.text).toContain('<b>Applied.</b> 2 of 2');
    expect(await statusesOf(rig.store)).toEqual(['cancelled', 'cancelled', 'held']);
  });

  test('all that match is a list that nothing joins and in which nothing changes unseen', async () => {
    await holdAll(60);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    const list = await nok.post('/decide', { search: '' });
    expect(list.text).toContain('Decide: 60 payouts');
    await ingest(rig.store, [makeRow(1, { payoutId: 'LATE-1', holds: ['name'] })], { batchId: 'ABCDEFGHJK' });
    await decide(mali, await pathOf('INV-7'), 'cancel');
    const refused = await nok.post(listIn(list.text), { decision: 'go-on', note: 'checked' });
    expect(refused.status).toBe(409);
    expect(refused.text).toContain('INV-7');
    const [, leaveOut = ''] = /action="(\/decide\/[\w-]+\/leave-out)"/.exec(refused.text) ?? [];
    const rest = await nok.post(leaveOut);
    expect(rest.text).toContain('59 payouts');
    const done = await nok.post(listIn(rest.text), { decision: 'go-on', note: 'checked' });
    expect(done.text).toContain('Proposed: ');
    const proposal = await rig.store.proposal(2);
    expect(proposal).toMatchObject({ items: 59, maker: 'nok', decision: 'go-on' });
    const first = await mali.get('/proposal/2');
    const [, after = ''] = /href="(\/proposal\/2\/after\/50)"/.exec(first.text) ?? [];
    expect((await mali.get(after)).text).toContain('59. ');
    await mali.post('/proposal/2/approve', { seen: digestIn(first.text) });
    expect((await statusesOf(rig.store)).filter((status) => status === 'ready')).toHaveLength(59);
    expect(await statusesOf(rig.store, 'ABCDEFGHJK')).toEqual(['held']);
  });

  test('what waits for a check already is left out, and said', async () => {
    await holdAll(3);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    await decide(mali, await pathOf('INV-2'), 'go-on');
    const list = await nok.post('/decide', { search: '', decision: 'go-on' });
    expect(squeeze(list.text)).toContain('Possible for 2 of 3');
    expect(squeeze(list.text)).toContain('proposal 1 is about it');
    const done = await nok.post(listIn(list.text), { decision: 'go-on', note: 'checked' });
    expect(done.text).toContain('Proposed: ');
    expect(await rig.store.proposal(2)).toMatchObject({ items: 2 });
  });

  test('a list is its maker’s alone, and ends', async () => {
    await holdAll(1);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    const list = await nok.post('/decide', { search: '' });
    const path = listIn(list.text);
    expect((await mali.get(path)).status).toBe(404);
    expect((await mali.post(path, { decision: 'cancel', note: 'x' })).status).toBe(404);
    expect((await nok.get(path)).status).toBe(200);
    expect((await nok.post('/decide', { 'pick-x': '1' })).status).toBe(422);
  });

  test('a row that is named in several ways is on the list once, and counts once', async () => {
    await holdAll(1);
    const nok = await rig.open('nok');
    const { seq, version } = await rowOf('INV-1');
    const names = [seq, `0${seq}`, `00${seq}`].map((name) => [`pick-${name}`, String(version)]);
    const list = await nok.post('/decide', Object.fromEntries(names));
    expect(list.text).toContain('1 payout, 100.01 baht');
    const done = await nok.post(listIn(list.text), { decision: 'go-on', note: 'x' });
    expect([done.status, (await rig.store.proposal(1))?.items]).toEqual([200, 1]);
  });

  test('nobody pushes out another’s list, and of one that is gone it is said why', async () => {
    await holdAll(1);
    const [nok, mali] = [await rig.open('nok'), await rig.open('mali')];
    const freezeOne = async (browser: Browser) => {
      const list = await browser.post('/decide', { search: '' });
      return listIn(list.text);
    };
    const [first, own] = [await freezeOne(nok), await freezeOne(mali)];
    for (let made = 0; made < 51; made += 1) await freezeOne(mali);
    expect((await nok.get(first)).status).toBe(200);
    const replaced = await mali.post(own, { decision: 'cancel', note: 'x' });
    expect(replaced.status).toBe(404);
    expect(replaced.text).toContain('you have frozen five newer ones since. Nothing was decided by it');
    const before = await nok.get(first.replace(/-/, '0-'));
    expect(before.text).toContain('the page was started again since it was made');
    expect((await nok.get('/decide/x')).status).toBe(404);
    // Nobody is idle for so long, or he is signed out.
    for (const minutes of [25, 25, 10]) {
      rig.users.clock.ms += minutes * 60_000;
      await nok.get('/queue');
    }
    expect((await nok.get(first)).text).toContain('kept for an hour, which is over');
  });

  test('one file proves what became of several', async () => {
    await ingestAs(rig.store, ['unresolved']);
    const nok = await rig.open('nok');
    const list = await nok.post('/decide', { search: '' });
    const done = await nok.postRaw(`${listIn(list.text)}/file`, (token) => {
      const form = new FormData();
      for (const [name, value] of [
        ['_csrf', token],
        ['decision', 'confirm-paid'],
        ['note', 'by letter'],
        ['evidence', 'letter 7'],
      ] as const)
        form.append(name, value);
      form.append('evidenceFile', new Blob(['a letter']), 'letter.pdf');
      return form;
    });
    expect(done.text).toContain('letter.pdf');
    expect(await rig.store.proposal(1)).toMatchObject({ evidence: 'letter 7', evidenceFile: { bytes: 8 } });
  });
});
