/** Registrations on the page, over a real port: found, shown masked, decided on by two, and by no viewer. */
import { verbatim } from '../../src/core/message.ts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { noonMs, why } from '../support/journal-fixtures.ts';
import {
  callbackOf,
  changeOf,
  intentOf,
  makeRegistrationRow,
  runRegistrations,
} from '../support/registration-journal.ts';
import { type OpenTestPage, openTestPage } from '../support/review-page.ts';

let page: OpenTestPage;

beforeEach(async () => {
  page = await openTestPage({}, { boon: 'maker', nok: 'checker', ploy: 'viewer' });
  await fill();
});
afterEach(async () => page[Symbol.asyncDispose]());

const registrationBatchId = 'REGBBBBBBB';
const script = '<script>alert(1)</script>';
const textOf = ({ text }: { readonly text: string }): string =>
  text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

/** The first failed, the second was registered by a callback, the third is held. */
async function fill(): Promise<void> {
  const { store } = page;
  const rows = [1, 2, 3].map((rowNo) => makeRegistrationRow(rowNo));
  const [first, second] = await runRegistrations(store, rows, { batchId: registrationBatchId });
  if (!first || !second?.instruction) throw new Error('they are ready');
  await store.applyRegistrations([intentOf(first), intentOf(second)]);
  const [failing, told] = await Promise.all([first.seq, second.seq].map((seq) => store.registration(seq)));
  if (failing === undefined || told === undefined) throw new Error('they were sent');
  const turnedDown = { status: 'failed', reasonCode: 'CBS003', reason: verbatim(script) } as const;
  await store.applyRegistrations([changeOf(failing, 'turned-down', { ...turnedDown, awaitedUntilMs: null })]);
  const callback = callbackOf(second.instruction);
  const registered = { status: 'registered', respCode: 'I0000', respDesc: 'Success' } as const;
  await store.applyRegistrations([
    changeOf(told, 'called-back', { ...registered, awaitedUntilMs: null }, { callback }),
  ]);
  await store.holdReadyRegistrations(registrationBatchId, 'halted', why, noonMs);
}

const seqOf = async (registrationId: string): Promise<number> =>
  (await page.store.findRegistrations(registrationId))[0]?.row.seq ?? 0;

const statusOf = async (registrationId: string) =>
  (await page.store.findRegistrations(registrationId))[0]?.row.status;

/** The decision's own field: the row as it was shown. */
const versionIn = (text: string): string => /name="version" value="([^"]+)"/.exec(text)?.[1] ?? '';

describe('the list', () => {
  test('begins with what needs a person, by cause, and shows the rows of a cause', async () => {
    const shown = await page.signIn('ploy', '/registrations');
    const text = textOf(shown);
    expect(text).toMatch(
      /Registrations that need a person .*Account is not active .*1 .*Show 1 registration/,
    );
    const [group = ''] = [...shown.text.matchAll(/name="group" value="([^"]+)"/g)].map(([, key]) => key);
    const rows = await page.browser.post('/registrations', { group });
    const names = [...rows.text.matchAll(/class="name">([^<]+)</g)].map(([, name]) => name);
    expect(names).toEqual(['R1']);
    expect(textOf(rows)).toContain('shown below');
  });

  test('has the latest first, numbers masked, and their files', async () => {
    const shown = await page.signIn('ploy', '/registrations');
    const names = [...shown.text.matchAll(/class="name">([^<]+)</g)].map(([, name]) => name);
    expect(names).toEqual(['R3', 'R2', 'R1']);
    expect(shown.text).not.toMatch(/123456000\d|9000000000\d{3}/);
    expect(shown.text).not.toContain(script);
    expect(textOf(shown)).toContain(registrationBatchId);
    expect(shown.text).toContain('aria-current="page"');
  });

  test('finds by the end of an account, reference, status and batch, never in an address', async () => {
    await page.signIn('ploy', '/registrations');
    const found = async (fields: Readonly<Record<string, string>>) => {
      const { text } = await page.browser.post('/registrations', fields);
      return [...text.matchAll(/class="name">([^<]+)</g)].map(([, name]) => name);
    };
    expect(await found({ search: '0002' })).toEqual(['R2']);
    expect(await found({ search: 'REF-3' })).toEqual(['R3']);
    expect(await found({ status: 'registered' })).toEqual(['R2']);
    expect(await found({ status: 'waiting' })).toEqual(['R3', 'R1']);
    expect(await found({ batch: registrationBatchId.toLowerCase(), status: 'held' })).toEqual(['R3']);
    expect(await found({ search: 'nothing' })).toEqual([]);
    expect(await found({ before: String(await seqOf('R2')) })).toEqual(['R1']);
  });

  test('finds by whole numbers for those who may see them', async () => {
    const maker = await page.open('boon');
    await maker.get('/registrations');
    const found = async (search: string) => {
      const { text } = await maker.post('/registrations', { search });
      return [...text.matchAll(/class="name">([^<]+)</g)].map(([, name]) => name);
    };
    expect(await found('1234560002')).toEqual(['R2']);
    expect(await found('9000000000001')).toEqual(['R1']);
    expect(await found('1234560009')).toEqual([]);
  });

  test('is in Thai, too', async () => {
    const admin = await page.open('mali');
    await admin.post('/look', { language: 'th', back: '/registrations' });
    const shown = await admin.get('/registrations');
    expect(textOf(shown)).toMatch(/การลงทะเบียนหักบัญชี.*ลงทะเบียนสำเร็จ/);
    const one = await admin.get(`/registration/${await seqOf('R1')}`);
    expect(textOf(one)).toMatch(/ส่งลงทะเบียนใหม่/);
  });
});

describe('one registration', () => {
  test('shows what it asks for, masked, what may be decided, and its story with the callback', async () => {
    const shown = await page.signIn('boon', `/registration/${await seqOf('R2')}`);
    expect(shown.status).toBe(200);
    expect(shown.text).not.toMatch(/1234560002|9000000000002/);
    expect(textOf(shown)).toMatch(/The bank called back Registered/);
    expect(textOf(shown)).toMatch(/Recorded, and then sent to the bank/);
    expect(textOf(await page.browser.get('/registration/99999'))).toContain('There is no such registration');
  });

  test('whole numbers are shown to those who may see them, and that is recorded', async () => {
    const seq = await seqOf('R2');
    await page.signIn('ploy');
    expect((await page.browser.post(`/registration/${seq}/reveal`, {})).status).toBe(403);
    const maker = await page.open('boon');
    const shown = await maker.post(`/registration/${seq}/reveal`, {});
    expect(shown.text).toContain('1234560002');
    expect(shown.text).toContain('9000000000002');
    const events = await page.store.personEvents(0, 1_000);
    expect(events.filter(({ kind }) => kind === 'revealed')).toHaveLength(1);
  });

  test('is decided on by two, and by no viewer', async () => {
    const seq = await seqOf('R1');
    const path = `/registration/${seq}`;
    const decide = `${path}/decide`;
    const viewer = await page.open('ploy');
    await viewer.get(path);
    const decision = 'retry';
    expect((await viewer.post(decide, { decision, note: 'x', version: '3' })).status).toBe(403);
    expect(textOf(await viewer.get(path))).toContain('a viewer may not propose');
    const maker = await page.open('boon');
    const form = await maker.get(path);
    expect(textOf(form)).toMatch(
      /Sends R1, ••0001 once more, as a new request\. It takes effect after another person approves/,
    );
    expect(textOf(form)).toContain('Propose to retry 1 registration');
    const version = versionIn(form.text);
    expect((await maker.post(decide, { decision, note: '', version })).status).toBe(422);
    const proposed = await maker.post(decide, { decision, note: 'open again', version });
    expect(textOf(proposed)).toMatch(/Retry/);
    expect(textOf(proposed)).not.toContain('0.00');
    expect(await statusOf('R1')).toBe('failed');
    const checker = await page.open('nok');
    const { text } = await checker.get('/proposal/1');
    expect(text).toContain(`href="/registration/${seq}"`);
    const digest = /name="seen" value="([^"]+)"|name="digest" value="([^"]+)"/.exec(text);
    await checker.post('/proposal/1/approve', { seen: digest?.[1] ?? '', digest: digest?.[2] ?? '' });
    expect(await statusOf('R1')).toBe('ready');
    expect((await maker.post(decide, { decision, note: 'again', version })).status).toBe(409);
  });

  test('a correction asks for the account alone', async () => {
    const maker = await page.open('boon');
    const path = `/registration/${await seqOf('R1')}`;
    const form = await maker.get(path);
    expect(form.text).toContain('name="accountNo"');
    expect(form.text).not.toContain('name="proxyNo"');
    const version = versionIn(form.text);
    const fields = { decision: 'retry-corrected', note: 'by mail', version };
    expect((await maker.post(`${path}/decide`, fields)).status).toBe(422);
    const proposed = await maker.post(`${path}/decide`, { ...fields, accountNo: '999-8-88777-6' });
    expect(proposed.text).toContain('••7776');
    expect(proposed.text).not.toContain('9998887776');
  });
});

test('a file of registrations shows its rows, and is cancelled by one', async () => {
  const maker = await page.open('boon');
  const path = `/registrations/batch/${registrationBatchId}`;
  const shown = await maker.get(path);
  expect(textOf(shown)).toMatch(/1 Held.*1 Registered.*1 Failed|1 Registered|1 Held/);
  const form = await maker.get(`${path}/decide/cancel-batch`);
  const fields = { note: 'not needed', version: versionIn(form.text) };
  expect((await maker.post(`${path}/decide/cancel-batch`, fields)).status).toBe(200);
  expect(await statusOf('R3')).toBe('cancelled');
  expect((await maker.get('/registrations/batch/ZZZZZZZZZZ')).status).toBe(404);
});

test('the queue names what waits of them, and leads to each', async () => {
  const maker = await page.open('boon');
  const list = await maker.get('/queue');
  const groups = [...list.text.matchAll(/href="(\/queue\/[^"]+)"/g)].map(([, path = '']) => path);
  const pages = await Promise.all(groups.map(async (path) => maker.get(path)));
  const queue = pages.find(({ text }) => text.includes('<b>R1'));
  if (queue === undefined) throw new Error('no group has R1');
  expect(queue.text).toContain(`href="/registration/${await seqOf('R1')}"`);
});
