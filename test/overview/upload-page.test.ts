/** A file through the page into a real inbox that nobody works: checked, dropped once, and approved by somebody else. */
import { verbatim } from '../../src/core/message.ts';
import { hash } from 'node:crypto';
import { connect } from 'node:net';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { openUploads } from '../../src/app/decide/page.ts';
import { zeroSatang } from '../../src/core/money.ts';
import type { Log } from '../../src/core/ports.ts';
import { computeBatchId } from '../../src/core/reference.ts';
import type { Uploads } from '../../src/overview/uploads.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { Browser, type Shown } from '../support/browser.ts';
import { partner } from '../support/core-fixtures.ts';
import { ingest, makeRows, why } from '../support/journal-fixtures.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { makeRegistrationRow, takeRegistrationsIn } from '../support/registration-journal.ts';
import { pageOptionsOf, servePage } from '../support/review-page.ts';
import { makeSqliteStore, type SqliteStore } from '../support/sqlite-store.ts';

const bytesPerFile = 2_000;
const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
const good = `${header}\nUP-1,MSISDN,0810000001,Somchai Jaidee,100.00,U-1,\nUP-2,MSISDN,0810000002,Malee Srisuk,50.25,U-2,\n`;
const bad = `${good}UP-3,MSISDN,0810000003,Anan Thongdee,1.234,U-3,\n`;
const batchIdOf = (text: string): string => computeBatchId(hash('sha256', text, 'hex'));

let stack: AsyncDisposableStack;
let sqlite: SqliteStore;
let users: Users;
let uploads: Uploads;
let origin: string;
let inbox: string;
let logged: (readonly [level: string, message: string, facts: object])[];

beforeEach(async () => {
  await using opened = new AsyncDisposableStack();
  sqlite = opened.use(await makeSqliteStore());
  const { store, dataDir } = sqlite;
  inbox = join(dataDir, 'inbox');
  await mkdir(inbox);
  await mkdir(join(dataDir, 'uploads'));
  await writeFile(join(dataDir, 'uploads', 'left.csv'), good);
  const configPath = join(dataDir, 'paydrop.yaml');
  const bank = { ...partner, baseUrl: 'https://bank.example' };
  await writeFile(configPath, stringify({ dataDir, bank, limits: { bytesPerFile } }));
  const loaded = loadSettings({ configPath, cwd: dataDir, env: {} });
  users = new Users(store);
  uploads = opened.use(await openUploads(loaded, store, users.clock));
  await users.add('mali', 'admin', null);
  for (const [name, role] of [
    ['nok', 'maker'],
    ['dao', 'checker'],
  ] as const)
    await users.add(name, role, await users.find('mali'));
  const listen = { host: '127.0.0.1', port: 0 };
  logged = [];
  const log: Log = (...line) => void logged.push(line);
  const options = {
    ...pageOptionsOf(store, users),
    uploads,
    onSignOut: async (sessionHash: string) => uploads.discard(sessionHash),
    log,
  };
  origin = opened.use(await servePage({ listen, ...options })).origin;
  stack = opened.move();
});
afterEach(async () => stack.disposeAsync());

async function open(name: string): Promise<Browser> {
  const browser = new Browser(origin);
  await browser.signIn(name, passwordOf(name));
  await browser.get('/today');
  return browser;
}

const formOf = (token: string, text: string, name: string): FormData => {
  const form = new FormData();
  form.append('_csrf', token);
  form.append('file', new Blob([text]), name);
  return form;
};

const send = async (browser: Browser, text: string, name = 'payouts.csv'): Promise<Shown> =>
  browser.postRaw('/upload', (token) => formOf(token, text, name));

const drop = async (browser: Browser, text: string): Promise<Shown> =>
  browser.post('/upload/drop', { sha256: hash('sha256', text, 'hex') });

const kept = async (): Promise<readonly string[]> => readdir(join(sqlite.dataDir, 'uploads')).catch(() => []);

const textOf = ({ text }: Shown): string => text.replaceAll(/<[^>]+>/g, ' ').replaceAll(/\s+/g, ' ');

describe('a file', () => {
  test('is checked, lies apart until it is dropped, and is then in the inbox under its own name', async () => {
    const nok = await open('nok');
    expect(await kept()).toEqual([]);
    const shown = await send(nok, bad, 'จ่าย พฤศจิกายน.csv');
    const text = textOf(shown);
    expect(text).toContain('Check of จ่าย พฤศจิกายน.csv');
    expect(text).toMatch(/Would be paid 2 150\.25/);
    expect(text).toMatch(/Would be rejected 1/);
    expect(text).toContain('Paid at once, by you alone');
    expect(text).toContain('Pay 2 payouts, 150.25 baht now');
    expect(text).toMatch(/4 amount .*1\.234/);
    expect(text).toContain(`No, this file is new Will be batch ${batchIdOf(bad)}`);
    expect(text).toMatch(/For auditors .*Digest of what would wait for approval [0-9a-f]{64}/);
    const [file = ''] = await kept();
    const path = join(sqlite.dataDir, 'uploads', file);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect((await stat(join(path, '..'))).mode & 0o777).toBe(0o700);
    expect(await readdir(inbox)).toEqual([]);
    const dropped = textOf(await drop(nok, bad));
    expect(dropped).toContain('The file is handed in');
    expect(dropped).toContain('the file waits until the person who runs paydrop starts it');
    expect(await readdir(inbox)).toEqual(['จ่าย พฤศจิกายน.csv']);
    expect(await readFile(join(inbox, 'จ่าย พฤศจิกายน.csv'), 'utf8')).toBe(bad);
    expect(await kept()).toEqual([]);
    expect(await sqlite.store.handsOf(batchIdOf(bad))).toEqual([(await users.find('nok')).personId]);
    expect(await sqlite.store.batches()).toEqual([]);
  });

  test('says beforehand whether it waits for approval: by the sum of all its rows that may be paid', async () => {
    const { store, dataDir } = sqlite;
    const show = async (baht: number, people: 1 | 2): Promise<string> => {
      const configPath = join(dataDir, 'above.yaml');
      const bank = { ...partner, baseUrl: 'https://bank.example' };
      const settings = { dataDir, bank, approval: { when: 'above', baht, people } };
      await writeFile(configPath, stringify(settings));
      const loaded = loadSettings({ configPath, cwd: dataDir, env: {} });
      await using above = await openUploads(loaded, store, users.clock);
      const listen = { host: '127.0.0.1', port: 0 };
      await using other = await servePage({ listen, ...pageOptionsOf(store, users), uploads: above });
      const nok = new Browser(other.origin);
      await nok.signIn('nok', passwordOf('nok'));
      await nok.get('/today');
      return textOf(await send(nok, good));
    };
    const alone = await show(150.25, 1);
    expect(alone).toContain('Paid at once, by you alone: not above 150.25 baht');
    expect(alone).toContain('Pay 2 payouts, 150.25 baht now');
    const waits = await show(150, 2);
    expect(waits).toContain('Waits for approval One person proposes to pay it, and another approves.');
    expect(waits).toContain('Hand in for approval');
    expect(waits).not.toContain('Pay 2 payouts');
  });

  test('is approved by anybody but whoever has uploaded it', async () => {
    const [mali, dao] = [await open('mali'), await open('dao')];
    await send(mali, good);
    await drop(mali, good);
    const batchId = batchIdOf(good);
    const approval = { when: 'always', aboveSatang: zeroSatang, people: 1 } as const;
    await ingest(sqlite.store, makeRows(2), { batchId, approval });
    const { version = '' } = (await sqlite.store.approvalOf(batchId)) ?? {};
    const form = { version, note: 'compared' };
    const refused = await mali.post(`/batch/${batchId}/decide/approve-batch`, form);
    expect([refused.status, textOf(refused)]).toEqual([
      409,
      expect.stringContaining('you uploaded the file, or corrected a row in it, and cannot approve it'),
    ]);
    const done = await dao.post(`/batch/${batchId}/decide/approve-batch`, form);
    expect(done.text).toContain('<b>Applied.</b>');
  });

  test('that was taken in before is named, and not dropped again', async () => {
    const nok = await open('nok');
    await ingest(sqlite.store, makeRows(2), { batchId: batchIdOf(good) });
    const shown = await send(nok, good, 'again.csv');
    expect(textOf(shown)).toContain(`This file was taken in before, as batch ${batchIdOf(good)}`);
    expect(textOf(shown)).not.toContain('Would be paid');
    expect(shown.text).not.toContain('action="/upload/drop"');
    expect((await drop(nok, good)).status).toBe(409);
    expect([await readdir(inbox), await kept()]).toEqual([[], []]);
  });

  test('overwrites none that waits: the same bytes are one file, others need another name', async () => {
    const nok = await open('nok');
    for (let time = 0; time < 2; time += 1) {
      await send(nok, good);
      expect(textOf(await drop(nok, good))).toContain('The file is handed in');
    }
    await send(nok, bad);
    const refused = await drop(nok, bad);
    expect([refused.status, textOf(refused)]).toEqual([
      409,
      expect.stringContaining('Another file of this name'),
    ]);
    expect(await readdir(inbox)).toEqual(['payouts.csv']);
    expect(await readFile(join(inbox, 'payouts.csv'), 'utf8')).toBe(good);
  });

  test('is dropped as it was checked, or not at all', async () => {
    const nok = await open('nok');
    await send(nok, good);
    expect((await drop(nok, bad)).status).toBe(409);
    const [file = ''] = await kept();
    await writeFile(join(sqlite.dataDir, 'uploads', file), bad);
    expect(textOf(await drop(nok, good))).toContain('upload the file again');
    expect(await readdir(inbox)).toEqual([]);
    expect(await sqlite.store.handsOf(batchIdOf(good))).toEqual([]);
  });

  test('that would be rejected as a whole has no way into the inbox', async () => {
    const nok = await open('nok');
    const shown = await send(nok, 'a,b\n1,2\n');
    expect(textOf(shown)).toContain('The whole file would be rejected');
    expect(shown.text).not.toContain(sqlite.dataDir);
    expect(await kept()).toEqual([]);
    expect((await drop(nok, 'a,b\n1,2\n')).status).toBe(409);
    expect(await readdir(inbox)).toEqual([]);
  });

  test('goes when it is thrown away, at the end of the session, and after an hour', async () => {
    const nok = await open('nok');
    await send(nok, good);
    await nok.post('/upload/discard');
    expect(await kept()).toEqual([]);
    await send(nok, good);
    users.clock.ms += 3_600_000;
    const later = await open('mali');
    await later.get('/upload');
    expect(await kept()).toEqual([]);
    await send(later, good);
    expect(await kept()).toHaveLength(1);
    await later.post('/sign-out');
    expect(await kept()).toEqual([]);
  });
});

describe('a file of registrations', () => {
  const head = 'registrationId,customerId,vendorId,companyId,accountNo,ref1';
  const one = `${head}\nR-1,9000000000012,V001,C001,1234567890,POL-1\n`;
  const mixed = `${one}R-2,9000000000012,V001,C001,12,POL-2\n`;
  const folder = () => join(inbox, 'registrations');

  test('is known by its header, and is dropped where registrations are taken', async () => {
    const nok = await open('nok');
    const text = textOf(await send(nok, mixed, 'mandates.csv'));
    expect(text).toMatch(/Would be sent to the bank 1 .*Would be held 0 .*Would be rejected 1/);
    expect(text).toMatch(/3 accountNo .*2 digits: an account number has 10 or more.*write it again \*\*/);
    expect(text).toContain('you cannot check what is proposed about it');
    expect(text).not.toMatch(/Baht|Digest of what/);
    const without = await drop(nok, mixed);
    expect([without.status, textOf(without)]).toEqual([
      409,
      expect.stringContaining('the folder is not there'),
    ]);

    await mkdir(folder());
    expect(textOf(await drop(nok, mixed))).toContain(`File of registrations ${batchIdOf(mixed)}`);
    expect([await readdir(inbox), await readdir(folder())]).toEqual([['registrations'], ['mandates.csv']]);
    expect(await readFile(join(folder(), 'mandates.csv'), 'utf8')).toBe(mixed);
    expect(await sqlite.store.handsOf(batchIdOf(mixed))).toEqual([(await users.find('nok')).personId]);
    expect(await kept()).toEqual([]);
  });

  test('that was taken in before is named, and not dropped again; one that was rejected then is', async () => {
    await mkdir(folder());
    const { registrationIntake } = sqlite.store;
    const [batchId, other] = [batchIdOf(one), batchIdOf(mixed)];
    await takeRegistrationsIn(sqlite.store, [makeRegistrationRow(1)], { batchId });
    const file = {
      sha256: hash('sha256', mixed, 'hex'),
      fileName: 'b.csv',
      extraColumns: [],
      companyId: 'C',
    };
    await registrationIntake.startIngest({ batchId: other, ...file, nowMs: 1 });
    await registrationIntake.rejectBatch(other, 'no-header', verbatim('there is none'), 1);
    const nok = await open('nok');
    const shown = await send(nok, one);
    expect(shown.text).toContain(`<a href="/registrations/batch/${batchId}">`);
    expect((await drop(nok, one)).status).toBe(409);
    await send(nok, mixed);
    expect(textOf(await drop(nok, mixed))).toContain('The file is handed in');
    expect(await readdir(folder())).toEqual(['payouts.csv']);
  });

  test('is decided on by anybody but whoever has uploaded it', async () => {
    await mkdir(folder());
    const [mali, nok, dao] = [await open('mali'), await open('nok'), await open('dao')];
    await send(mali, one);
    await drop(mali, one);
    const batchId = batchIdOf(one);
    await takeRegistrationsIn(sqlite.store, [makeRegistrationRow(1)], { batchId });
    await sqlite.store.holdReadyRegistrations(batchId, 'halted', why, 1);
    await sqlite.store.moveRegistrationBatch(batchId, 'halted', why, 1);
    const version = /name="version" value="([^"]*)"/.exec(
      (await nok.get(`/registrations/batch/${batchId}/decide/resume-batch`)).text,
    )?.[1];
    await nok.post(`/registrations/batch/${batchId}/decide/resume-batch`, {
      version: version ?? '',
      note: 'the bank has mended it',
    });
    const { text } = await dao.get('/proposal/1');
    expect(text).toContain('Sends what waits: 1 registration');
    const seen = /name="seen" value="([0-9a-f]{64})"/.exec(text)?.[1] ?? '';
    const refused = await mali.post('/proposal/1/approve', { seen });
    expect([refused.status, textOf(refused)]).toEqual([
      409,
      expect.stringContaining('you uploaded the file'),
    ]);
    await dao.post('/proposal/1/approve', { seen });
    expect((await sqlite.store.registrationBatch(batchId))?.status).not.toBe('halted');
  });
});

describe('refused', () => {
  test('a path in a name, and a name that is none of a payout file', async () => {
    const nok = await open('nok');
    expect((await send(nok, good, 'pay.exe')).status).toBe(400);
    expect(await kept()).toEqual([]);
    await send(nok, good, '../../etc/cron.d/pay.csv');
    await drop(nok, good);
    expect(await readdir(inbox)).toEqual(['pay.csv']);
  });

  test('what is larger than a file may be, or empty: nothing of it is left', async () => {
    const nok = await open('nok');
    const large = await send(nok, header.padEnd(bytesPerFile + 1, 'x'));
    expect([large.status, textOf(large)]).toEqual([413, expect.stringContaining('too large for the page')]);
    expect((await send(nok, '')).status).toBe(400);
    expect(await kept()).toEqual([]);
  });

  describe('a body that breaks off', () => {
    const type = 'multipart/form-data; boundary=line';
    const token = (csrf: string) =>
      `--line\r\ncontent-disposition: form-data; name="_csrf"\r\n\r\n${csrf}\r\n`;
    const file = `--line\r\ncontent-disposition: form-data; name="file"; filename="a.csv"\r\ncontent-type: text/csv\r\n\r\n`;
    test.each<[string, (csrf: string) => string, string?]>([
      ['in its file', (csrf) => token(csrf) + file + good],
      ['before its last line', (csrf) => `${token(csrf)}${file}${good}\r\n--lin`],
      ['in the head of its file', (csrf) => token(csrf) + file.slice(0, 50)],
      ['after its token', (csrf) => token(csrf)],
      ['in its token', (csrf) => token(csrf).slice(0, -10)],
      ['at once', () => '--line'],
      ['and is no form', () => good],
      ['and names no boundary', (csrf) => token(csrf) + file + good, 'multipart/form-data'],
    ])('%s is refused as what it is, and leaves nothing', async (_, body, contentType = type) => {
      const nok = await open('nok');
      const shown = await nok.postRaw('/upload', body, { 'content-type': contentType });
      expect([400, 403]).toContain(shown.status);
      expect(shown.text).not.toContain('the log says what');
      expect(logged).toEqual([]);
      expect(await kept()).toEqual([]);
      // The page goes on, and so does the session.
      expect(textOf(await send(nok, good))).toContain('payouts.csv');
    });

    test('where the connection breaks off with it, too', async () => {
      const nok = await open('nok');
      const form = await nok.get('/upload');
      const csrf = /name="_csrf" value="([^"]+)"/.exec(form.text)?.[1] ?? '';
      const { hostname, port, host } = new URL(origin);
      const cookie = [...nok.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const socket = connect(Number(port), hostname).on('error', () => {});
      const head = `POST /upload HTTP/1.1\r\nhost: ${host}\r\norigin: ${origin}\r\ncookie: ${cookie}\r\n`;
      socket.write(
        `${head}content-type: ${type}\r\ncontent-length: 5000\r\n\r\n${token(csrf)}${file}${good}`,
      );
      await expect.poll(kept).toHaveLength(1);
      socket.destroy();
      await expect.poll(kept).toEqual([]);
      expect(logged).toEqual([]);
    });
  });

  test('what is too large is told in the log, without what was sent', async () => {
    const nok = await open('nok');
    await send(nok, header.padEnd(bytesPerFile + 1, 'x'));
    const posted = await nok.post('/payees', { search: 'x'.repeat(100_000) });
    expect([posted.status, textOf(posted)]).toEqual([413, expect.stringContaining('too large')]);
    const message = 'the review page refused what was sent: it is too large';
    const bytes = expect.any(Number);
    await expect.poll(() => logged).toHaveLength(2);
    expect(logged).toEqual([
      ['warn', message, { method: 'POST', path: '/upload', bytes }],
      ['warn', message, { method: 'POST', path: '/payees', bytes }],
    ]);
  });

  test('whoever may not propose, and whoever has not signed in', async () => {
    const dao = await open('dao');
    expect((await send(dao, good)).status).toBe(403);
    expect((await dao.get('/today')).text).not.toContain('href="/upload"');
    const nobody = new Browser(origin);
    await nobody.get('/sign-in');
    expect((await send(nobody, good)).text).toContain('name="password"');
    expect(await kept()).toEqual([]);
  });

  test('a form without its token before the file', async () => {
    const nok = await open('nok');
    const forms = [
      () => formOf('wrong', good, 'a.csv'),
      (token: string) => {
        const form = new FormData();
        form.append('file', new Blob([good]), 'a.csv');
        form.append('_csrf', token);
        return form;
      },
    ];
    for (const form of forms) expect((await nok.postRaw('/upload', form)).status).toBe(403);
    const foreign = { origin: 'http://evil.example' };
    expect((await nok.postRaw('/upload', (token) => formOf(token, good, 'a.csv'), foreign)).status).toBe(403);
    expect(await kept()).toEqual([]);
  });
});
