/** Live pages over a real port: what the stream says, to whom, and for how long. */
import { verbatim } from '../../../src/core/message.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sessionIdleMs } from '../../../src/review/rules/session.ts';
import type { Browser } from '../../support/browser.ts';
import { firstBatchId, ingestRunning, makeRows, noonMs } from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage } from '../../support/review-page.ts';

let rig: OpenTestPage;

beforeEach(async () => {
  rig = await openTestPage({ liveTimes: { pollMs: 5, heartbeatMs: 20 } }, { nok: 'maker' });
});
afterEach(async () => rig[Symbol.asyncDispose]());

/** What a browser hears, until a word of it or the end. */
class Ear implements AsyncDisposable {
  readonly #stop = new AbortController();
  readonly #browser: Browser;
  #reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  heard = '';

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  async open(): Promise<Response> {
    const response = await this.#browser.listen(this.#stop.signal);
    this.#reader = response.body?.getReader();
    return response;
  }

  /** @returns false when it ended before */
  async until(word: string): Promise<boolean> {
    const decoder = new TextDecoder();
    while (!this.heard.includes(word)) {
      const { done, value } = (await this.#reader?.read()) ?? { done: true, value: undefined };
      if (done) return false;
      this.heard += decoder.decode(value);
    }
    return true;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#reader?.closed.catch(() => {});
  }
}

describe('the stream', () => {
  test('says that something has changed, with a number, and nothing else', async () => {
    const nok = await rig.open('nok');
    await using ear = new Ear(nok);
    const response = await ear.open();
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(response.headers.get('x-accel-buffering')).toBe('no');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(await ear.until(': alive')).toBe(true);
    // The mark of the page: whatever has changed since it was made is told at once.
    const [, mark = ''] = /data-mark="([\d.]+)"/.exec((await nok.get('/queue')).text) ?? [];
    expect(ear.heard).toContain(`data: ${mark}\n`);
    await ingestRunning(rig.store, makeRows(1));
    expect(await ear.until(`data: ${await rig.store.changeMark()}\n`)).toBe(true);
    expect(ear.heard.replaceAll(/: alive\n\n/g, '')).toMatch(
      /^retry: \d+\n\n(?:event: changed\nid: [\d.]+\ndata: [\d.]+\n\n)+$/,
    );
  });

  test('tells of a batch that is halted, too, and of a proposal', async () => {
    await ingestRunning(rig.store, makeRows(1));
    const marks = [await rig.store.changeMark()];
    const why = { code: 'x', reason: verbatim('x'), remedy: verbatim('x') };
    await rig.store.moveBatch(firstBatchId, 'halted', why, noonMs);
    marks.push(await rig.store.changeMark());
    const nok = await rig.open('nok');
    const form = await nok.get(`/batch/${firstBatchId}/decide/resume-batch`);
    const version = /name="version" value="([^"]*)"/.exec(form.text)?.[1] ?? '';
    await nok.post(`/batch/${firstBatchId}/decide/resume-batch`, { version, note: 'funded' });
    marks.push(await rig.store.changeMark());
    expect(new Set(marks).size).toBe(3);
    expect(await rig.store.changeMark()).toBe(marks.at(-1));
  });

  test('is for nobody who has not signed in, and ends with the session or the role', async () => {
    expect((await rig.browser.listen()).status).toBe(401);
    const nok = await rig.open('nok');
    await using ear = new Ear(nok);
    await ear.open();
    expect(await ear.until(': alive')).toBe(true);
    rig.users.clock.ms += 1;
    const { personId } = await rig.users.find('nok');
    await rig.users.ask({ kind: 'role', personId, role: 'viewer' }, await rig.users.find('mali'));
    expect(await ear.until('never said')).toBe(false);
    expect((await nok.listen()).status).toBe(401);
  });

  test('does not keep a session open, and neither does what it makes a page ask for', async () => {
    const nok = await rig.open('nok');
    await using ear = new Ear(nok);
    await ear.open();
    for (let step = 0; step < 4; step += 1) {
      rig.users.clock.ms += sessionIdleMs / 4 - 1;
      expect((await nok.getLive('/queue')).text).toContain('<h1>Queue');
    }
    rig.users.clock.ms += 8;
    expect((await nok.getLive('/queue')).text).toContain('action="/sign-in"');
    expect(await ear.until('never said')).toBe(false);
  });

  test('is given to so many tabs of one session, and no more', async () => {
    const nok = await rig.open('nok');
    const ears = Array.from({ length: 7 }, () => new Ear(nok));
    const statuses = [];
    for (const ear of ears) statuses.push((await ear.open()).status);
    expect(statuses).toEqual([200, 200, 200, 200, 200, 200, 503]);
    for (const ear of ears) await ear[Symbol.asyncDispose]();
  });

  test('a form that is no form is not read', async () => {
    const nok = await rig.open('nok');
    const headers = { 'content-type': 'application/json' };
    expect((await nok.post('/search', {}, headers)).status).toBe(415);
  });
});

describe('every page', () => {
  test('loads the one script, and says in words what its keys do', async () => {
    const nok = await rig.open('nok');
    const { text } = await nok.get('/queue');
    const [, path = ''] = /<script type="module" src="([^"]+)"><\/script>/.exec(text) ?? [];
    const script = await nok.get(path);
    expect(script.status).toBe(200);
    expect(script.headers.get('content-type')).toContain('text/javascript');
    expect(script.text).not.toMatch(/approve["'/]|eval\(|new Function/);
    expect(text).not.toMatch(/ on\w+="| style="/);
    expect(text).toContain('No key decides anything.');
  });
});
