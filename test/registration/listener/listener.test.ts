import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rename, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import {
  type CallbackListenerContext,
  startCallbackListener,
} from '../../../src/registration/listener/listener.ts';
import { readAcknowledgement } from '../../../src/sandbox/registration/caller.ts';
import {
  type Call,
  callBack,
  CallbackBook,
  callbackKeys,
  composeHeaders,
  dial,
  elsewhere,
  goodBody,
  listenerSettings,
  makeHeardLog,
  openTestListener,
  rejected,
  type TestListener,
} from '../../support/callback-kit.ts';
import { eventually } from '../../support/eventually.ts';
import { instruction } from '../../support/registration-fixtures.ts';
import { makeCertificate } from '../../support/self-signed.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

type CallbackListenerSettings = Parameters<typeof startCallbackListener>[0]['settings'];

/** That nothing has changed, nothing was written, and the log says nothing that it must not. */
function expectUntouched({ book, lines }: TestListener): void {
  expect([book.writes, book.at(7)?.status]).toEqual([0, 'acknowledged']);
  expectSilence(lines);
}

function expectSilence(lines: readonly string[]): void {
  const all = lines.join('\n');
  for (const secret of [...callbackKeys, 'a-wrong-key', instruction.accountNo, 'applyDtm'])
    expect(all).not.toContain(secret);
}

/** The bytes of a call, for a connection by hand. */
function composeRequest(call: Call = {}, bodyBytes?: number): string {
  const body = JSON.stringify({ ...goodBody, ...call.body });
  const headers = { ...composeHeaders(call), 'content-length': String(bodyBytes ?? body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /callbacks HTTP/1.1\r\nhost: localhost\r\n${lines.join('')}\r\n${body}`;
}

describe('a callback as it must be', () => {
  test('is durable when it is answered, as the bank expects it', async () => {
    const { listener, book, lines } = await openTestListener();
    const { status, fields } = await callBack(listener.url, { header: { requestUID: 'CALL-77' } });
    expect([status, fields]).toEqual([
      200,
      { statusCode: '0', statusDesc: 'Success', requestUID: 'CALL-77' },
    ]);
    expect(readAcknowledgement(status, JSON.stringify(fields), 'CALL-77')).toBe('acknowledged');
    expect(book.at(7)?.status).toBe('registered');
    const [kept] = book.kept.values();
    expect(kept).toMatchObject({ body: JSON.stringify(goodBody), fromAddress: '127.0.0.1' });
    expect(kept?.header).toEqual({ requestUID: 'CALL-77', channelId: 'CH' });
    expect(listener.counts).toMatchObject({ applied: 1 });
    expectSilence(lines);
  });

  test('is answered the same when it is told again, and counts once', async () => {
    const { listener, book } = await openTestListener();
    const answers = await Promise.all([1, 2, 3].map(() => callBack(listener.url)));
    for (const { status, fields } of answers)
      expect([status, fields['statusCode'], fields['statusDesc']]).toEqual([200, '0', 'Success']);
    expect(book.at(7)).toMatchObject({ status: 'registered', version: 2 });
    expect(listener.counts).toEqual({ applied: 1, repeated: 2, 'nothing-new': 0, unknown: 0 });
  });

  test('may bear any of the keys', async () => {
    const { listener } = await openTestListener();
    for (const key of callbackKeys)
      expect((await callBack(listener.url, { header: { 'x-api-key': key } })).status).toBe(200);
  });

  test('contradicts another: an alarm', async () => {
    const { listener, book, lines } = await openTestListener();
    await callBack(listener.url);
    expect((await callBack(listener.url, { body: rejected })).status).toBe(200);
    expect(book.at(7)).toMatchObject({ status: 'contradicted', isAlarm: true });
    expect(lines.some((line) => line.startsWith('error a callback contradicts'))).toBe(true);
  });

  test('may follow another on a connection that stays', async () => {
    const { port } = await openTestListener();
    const socket = dial(port);
    socket.write(composeRequest() + composeRequest());
    let heard = '';
    for await (const piece of socket) {
      heard += String(piece);
      if (heard.split('"statusCode":"0"').length === 3) break;
    }
    expect(heard.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
  });
});

const deep = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const refused: readonly (readonly [what: string, call: Call, status: number])[] = [
  ['a wrong key', { header: { 'x-api-key': 'a-wrong-key' } }, 401],
  ['a part of the key', { header: { 'x-api-key': callbackKeys[0].slice(0, -1) } }, 401],
  ['no key', { header: { 'x-api-key': undefined } }, 401],
  ['a key that is no text', { header: { 'x-api-key': [callbackKeys[0]] } }, 401],
  ['a msg-hdr that is no JSON', { headers: { 'msg-hdr': callbackKeys[0] } }, 401],
  ['an empty msg-hdr', { headers: { 'msg-hdr': '' } }, 401],
  ['the key in a header of its own', { headers: { 'msg-hdr': '{}', 'x-api-key': callbackKeys[0] } }, 401],
  ['a wrong key and a body that is none', { header: { 'x-api-key': 'a-wrong-key' }, bytes: 'x' }, 401],
  ['no requestUID', { header: { requestUID: undefined } }, 400],
  ['a requestUID that is too long', { header: { requestUID: 'u'.repeat(37) } }, 400],
  ['another path', { path: '/' }, 404],
  ['a path below', { path: '/callbacks/..%2fcallbacks' }, 404],
  ['a path that cannot be read', { path: '/%zz' }, 404],
  ['a query', { path: '/callbacks?x-api-key=1' }, 404],
  ['GET', { method: 'GET', bytes: '' }, 405],
  ['HEAD', { method: 'HEAD', bytes: '' }, 405],
  ['PUT', { method: 'PUT' }, 405],
  ['DELETE', { method: 'DELETE', bytes: '' }, 405],
  ['OPTIONS', { method: 'OPTIONS', bytes: '' }, 405],
  ['another content type', { headers: { 'content-type': 'text/plain' } }, 415],
  ['a form', { headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415],
  ['an empty body', { bytes: '' }, 400],
  ['a body that is no JSON', { bytes: '{' }, 400],
  ['a list', { bytes: '[]' }, 400],
  ['null', { bytes: 'null' }, 400],
  ['deep JSON', { bytes: deep(9_000) }, 400],
  ['deep lists', { bytes: '['.repeat(30_000) + ']'.repeat(30_000) }, 400],
  ['bytes that are no text', { bytes: new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]) }, 400],
  ['a number for a text', { body: { accountNo: 9_900_000_001 } }, 400],
  ['an object for a text', { body: { vendorId: { length: 1 } } }, 400],
  ['a list for a reference', { body: { ref1: ['x'] } }, 400],
  ['an account of letters', { body: { accountNo: 'abc' } }, 400],
  ['another code', { body: { respCode: 'I0002' } }, 400],
  ['a code without its text', { body: { respDesc: 'Reject' } }, 400],
  ['no time', { body: { applyDtm: '2026-13-01 00:00:00' } }, 400],
  ['a line end in a text', { body: { ref2: 'a\nb' } }, 400],
  ['a body over the limit', { bytes: JSON.stringify({ ...goodBody, more: 'x'.repeat(70_000) }) }, 413],
];

test('refuses whatever is otherwise: nothing is written, and the log stays short and clean', async () => {
  const opened = await openTestListener();
  for (const [what, call, status] of refused) {
    const answer = await callBack(opened.listener.url, call);
    expect([what, answer.status]).toEqual([what, status]);
    if (call.method === 'HEAD') continue;
    const { statusCode, statusDesc, requestUID } = answer.fields as Record<string, string>;
    expect([what, statusCode, requestUID?.length]).toEqual([what, String(status), expect.any(Number)]);
    expect(statusDesc?.length).toBeLessThanOrEqual(256);
    expect(JSON.stringify(answer.fields)).not.toContain(instruction.accountNo);
  }
  expectUntouched(opened);
  expect(opened.lines.length).toBeLessThan(10);
  expect((await callBack(opened.listener.url)).status).toBe(200);
});

test('deep JSON in a field that nobody reads is harmless', async () => {
  const { listener, book } = await openTestListener();
  const bytes = `${JSON.stringify(goodBody).slice(0, -1)},"more":${deep(9_000)}}`;
  expect((await callBack(listener.url, { bytes })).status).toBe(200);
  expect([...book.kept.values()][0]?.body).toBe(bytes);
});

test('a byte order mark before the body is skipped, and kept with it', async () => {
  const { listener, book } = await openTestListener();
  const bytes = `\uFEFF${JSON.stringify(goodBody)}`;
  expect((await callBack(listener.url, { bytes })).status).toBe(200);
  expect(book.at(7)?.status).toBe('registered');
  expect([...book.kept.values()][0]?.body).toBe(bytes);
});

test('every wrong field is named: to the bank, and in the log, of those that are summed up, too', async () => {
  const clock = makeVirtualClock();
  const { listener, lines } = await openTestListener({}, { clock });
  const { fields } = await callBack(listener.url, {
    header: { requestUID: '' },
    body: { vendorId: 'V'.repeat(11), respCode: 'I0002', respDesc: 'Reject' },
  });
  const first = [
    'requestUID: it is required',
    'vendorId: it is over max length 10',
    'respCode: it is neither I0000 nor I0001',
  ];
  expect(fields).toMatchObject({ statusCode: '400', statusDesc: first.join('; ') });
  await callBack(listener.url, { bytes: '{' });
  await callBack(listener.url, { body: { accountNo: 'x', applyDtm: null } });
  await callBack(listener.url, { body: { accountNo: 'y' } });
  await clock.advance(120_000);
  const faultsOf = (line: string): unknown => {
    const { faults } = JSON.parse(line.slice(line.indexOf('{'))) as { readonly faults?: unknown };
    return faults;
  };
  expect(lines.filter((line) => line.includes('wrong-field')).map(faultsOf)).toEqual([
    first,
    ['body: it is no JSON', 'accountNo: it must be numeric', 'applyDtm: it is required'],
  ]);
});

describe('who calls from elsewhere', () => {
  const bank = ['203.0.113.0/24'];

  test('is sent away before a byte of his is read', async () => {
    const opened = await openTestListener({ allowFrom: bank });
    expect(await text(dial(opened.port, elsewhere))).toMatch(
      /^HTTP\/1\.1 403 Forbidden[^]*"statusCode":"403"/,
    );
    expectUntouched(opened);
    expect(opened.lines).toHaveLength(1);
  });

  test.each([
    ['203.0.113.9', 200],
    ['192.0.2.1', 403],
    ['203.0.113.9, 192.0.2.1', 403],
    ['192.0.2.1, 203.0.113.9', 200],
    ['unknown', 403],
  ])('and is forwarded by a trusted proxy as %s: %i', async (forwardedFor, status) => {
    const settings = { allowFrom: bank, trustedProxies: ['127.0.0.1'] };
    const { listener, book } = await openTestListener(settings);
    const answer = await callBack(listener.url, { headers: { 'x-forwarded-for': forwardedFor } });
    expect(answer.status).toBe(status);
    expect(book.writes).toBe(status === 200 ? 1 : 0);
    if (status === 200) expect([...book.kept.values()][0]?.fromAddress).toBe('203.0.113.9');
  });

  test('and says himself for whom he calls, is not believed', async () => {
    const opened = await openTestListener({ allowFrom: bank });
    const headers = { 'x-forwarded-for': '203.0.113.9' };
    const status = await callBack(opened.listener.url, { headers }).then(
      (answer) => answer.status,
      () => 403,
    );
    expect(status).toBe(403);
    expectUntouched(opened);
  });
});

describe('who takes too much', () => {
  const tooManyBytes = 100 * 1024 * 1024;

  test.each([
    ['with its length said', `content-length: ${tooManyBytes}\r\n`, ''],
    ['in pieces', 'transfer-encoding: chunked\r\n', '10000\r\n'],
  ])('a body of 100 MB %s is cut off', async (_, length, prefix) => {
    const opened = await openTestListener();
    const socket = dial(opened.port);
    const heard = text(socket).catch(() => '');
    const headers = Object.entries(composeHeaders()).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.write(`POST /callbacks HTTP/1.1\r\nhost: localhost\r\n${headers.join('')}${length}\r\n`);
    const piece = `${prefix}${'x'.repeat(0x10000)}${prefix === '' ? '' : '\r\n'}`;
    let sentBytes = 0;
    while (!socket.destroyed && socket.writable && sentBytes < tooManyBytes) {
      if (!socket.write(piece))
        await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => 0);
      sentBytes += piece.length;
    }
    expect(sentBytes).toBeLessThan(tooManyBytes / 5);
    expect(await heard).toMatch(/^(?:HTTP\/1\.1 413 |$)/);
    expectUntouched(opened);
    expect(opened.listener.refused).toMatchObject({ 'too-large': 1 });
  });

  test('headers beyond the limit are refused', async () => {
    const opened = await openTestListener();
    const socket = dial(opened.port);
    socket.write(`POST /callbacks HTTP/1.1\r\nmsg-hdr: ${'x'.repeat(20_000)}`);
    expect(await text(socket).catch(() => '')).toMatch(/^(?:HTTP\/1\.1 431 |$)/);
    expectUntouched(opened);
  });

  test.each([
    ['says nothing', ''],
    ['never ends the headers', 'POST /callbacks HTTP/1.1\r\nhost: localhost\r\nx: '],
    ['never ends the body', composeRequest({}, 50_000)],
  ])('who %s is cut off in time, and others are heard meanwhile', async (_, sent) => {
    const opened = await openTestListener({ requestTimeoutMs: 200 });
    const socket = dial(opened.port);
    socket.write(sent);
    const drip = setInterval(() => sent === '' || socket.write('x'), 50);
    const heard = text(socket).catch(() => '');
    expect((await callBack(opened.listener.url, { body: { accountNo: '9900000099' } })).status).toBe(200);
    expect(await heard).toMatch(/^(?:HTTP\/1\.1 408 |$)/);
    clearInterval(drip);
    expect(opened.book.at(7)?.status).toBe('acknowledged');
    expectSilence(opened.lines);
  });

  test('connections beyond the limit are closed at once', async () => {
    const opened = await openTestListener({ connectionsMax: 20 });
    const sockets = Array.from({ length: 200 }, () => dial(opened.port).resume());
    await eventually(() => {
      expect(sockets.filter(({ closed }) => closed)).toHaveLength(180);
    });
    expect(opened.listener.refused).toMatchObject({ 'too-many-connections': 180 });
    expect(opened.lines).toHaveLength(1);
    for (const socket of sockets) socket.destroy();
    await eventually(async () => expect((await callBack(opened.listener.url)).status).toBe(200));
  });

  test('rubbish is no request', async () => {
    const opened = await openTestListener();
    for (const rubbish of ['\u0016\u0003\u0001\u0002', 'GET\r\n\r\n', 'POST /callbacks HTTP/9.9\r\n\r\n']) {
      const socket = dial(opened.port);
      socket.write(rubbish);
      expect(await text(socket).catch(() => '')).toMatch(/^(?:HTTP\/1\.1 400 |$)/);
    }
    expectUntouched(opened);
  });
});

test('a journal that refuses writes means that the bank must call again', async () => {
  const { listener, book, lines } = await openTestListener();
  book.isFull = true;
  const answer = await callBack(listener.url);
  expect([answer.status, answer.headers['retry-after']]).toEqual([503, '5']);
  expect(readAcknowledgement(answer.status, JSON.stringify(answer.fields), 'x')).toBe('HTTP 503');
  for (let again = 0; again < 20; again += 1) await callBack(listener.url);
  expect(lines.length).toBeLessThan(4);
  book.isFull = false;
  expect((await callBack(listener.url)).status).toBe(200);
  expect(book.at(7)?.status).toBe('registered');
  expectSilence(lines);
});

test('what is being taken when it ends is finished and answered, and nothing more is heard', async () => {
  const { listener, book, port } = await openTestListener();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const readSent = book.sentRegistrations.bind(book);
  book.sentRegistrations = async (key) => {
    await gate;
    return readSent(key);
  };
  const answer = callBack(listener.url);
  dial(port).write('POST /callbacks HTTP/1.1\r\n');
  await sleep(50);
  const ended = listener[Symbol.asyncDispose]();
  await sleep(20);
  open();
  expect((await answer).status).toBe(200);
  await ended;
  expect(book.at(7)?.status).toBe('registered');
  await expect(callBack(listener.url)).rejects.toThrow('ECONNREFUSED');
});

test('who calls while it ends is told to call again, as the interface has it', async () => {
  const { listener, book, port } = await openTestListener();
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const readSent = book.sentRegistrations.bind(book);
  book.sentRegistrations = async (key) => {
    await gate;
    return readSent(key);
  };
  const [resting, half] = [dial(port), dial(port)];
  const answer = callBack(listener.url);
  half.write(composeRequest({}).slice(0, -1));
  await sleep(50);
  const ended = listener[Symbol.asyncDispose]();
  await sleep(20);
  const told = { statusCode: '503', statusDesc: 'stopping: call again', requestUID: 'CALL-LATE' };
  const late = await callBack(listener.url, { header: { requestUID: 'CALL-LATE' } });
  expect(late).toMatchObject({ status: 503, fields: told, headers: { 'retry-after': '5' } });
  open();
  expect((await answer).status).toBe(200);
  // Its listener has closed by then.
  await sleep(100);
  resting.write(composeRequest({ header: { requestUID: 'CALL-LATE' } }));
  expect(await text(resting)).toContain(JSON.stringify(told));
  expect(await text(half)).toContain(JSON.stringify({ ...told, requestUID: '' }));
  await ended;
});

describe('a listener whose port is taken', () => {
  const listenOn = (
    port: number,
    changes: Partial<CallbackListenerContext> & Pick<CallbackListenerContext, 'journal'>,
    settings: Partial<CallbackListenerSettings> = {},
  ) =>
    startCallbackListener({
      clock: systemClock,
      mayMissAttempts: async () => false,
      readKeys: () => callbackKeys,
      readCertificate: () => undefined,
      files: [],
      ...makeHeardLog(),
      ...changes,
      settings: { ...listenerSettings, ...settings, port },
    });

  test('by another listener of its journal leaves the callbacks to that one', async () => {
    const { port, book } = await openTestListener();
    const other = await listenOn(port, { journal: book });
    expect(other).toEqual({ kind: 'busy', address: '127.0.0.1', port });
  });

  test('is answered from this machine though the bank alone may call, and over TLS', async () => {
    const certificate = makeCertificate(Date.now());
    const allowFrom = ['203.0.113.9'];
    for (const readCertificate of [() => undefined, () => certificate]) {
      const opened = await openTestListener({ allowFrom }, { readCertificate });
      const held = await listenOn(opened.port, { journal: opened.book, readCertificate }, { allowFrom });
      expect(held).toMatchObject({ kind: 'busy' });
      expectUntouched(opened);
    }
  });

  test('keeps its places from a crowd of this machine that asks nothing', async () => {
    const opened = await openTestListener({ allowFrom: [elsewhere], connectionsMax: 12 });
    const crowd = Array.from({ length: 30 }, () => dial(opened.port));
    for (const socket of crowd) socket.on('connect', () => socket.write('POST /callbacks HTTP/1.1\r\n'));
    const ends = crowd.map((socket) => text(socket).catch(() => ''));
    let ended = 0;
    for (const end of ends) void end.then(() => (ended += 1));
    await eventually(() => expect(ended).toBeGreaterThanOrEqual(22));
    const bank = dial(opened.port, elsewhere);
    bank.write(composeRequest({ headers: { connection: 'close' } }));
    expect(await text(bank)).toMatch(/^HTTP\/1\.1 200 /);
    await Promise.all(ends);
  });

  test('by a listener of its journal on another path has nobody to take its callbacks', async () => {
    const { port, book } = await openTestListener();
    const other = await listenOn(port, { journal: book }, { path: '/elsewhere' });
    expect(other).toEqual({ kind: 'taken', address: '127.0.0.1', port });
  });

  test('by the listener of another journal has nobody to take its callbacks', async () => {
    const { port } = await openTestListener();
    const other = await listenOn(port, { journal: new CallbackBook() });
    expect(other).toEqual({ kind: 'taken', address: '127.0.0.1', port });
  });

  test.each([
    ['answers everything', (server: Server) => server.on('request', (_, response) => response.end('{}'))],
    [
      'echoes every header',
      (server: Server) =>
        server.on('request', ({ headers }, response) => response.writeHead(200, headers).end()),
    ],
    ['hangs up', (server: Server) => server.on('connection', (socket) => socket.destroy())],
  ])('by a foreign server that %s has nobody, either', async (_, behave) => {
    const server = behave(createServer());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const held = await listenOn(port, { journal: new CallbackBook() });
    expect(held).toEqual({ kind: 'taken', address: '127.0.0.1', port });
  });

  test('takes it when the listener before has ended', async () => {
    const { port, book, listener } = await openTestListener();
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const readSent = book.sentRegistrations.bind(book);
    book.sentRegistrations = async (key) => {
      await gate;
      return readSent(key);
    };
    const answer = callBack(listener.url);
    await sleep(50);
    const ended = listener[Symbol.asyncDispose]();
    const next = listenOn(port, { journal: book });
    await sleep(100);
    open();
    await Promise.all([ended, answer]);
    const opened = await next;
    if (opened.kind !== 'listening') throw new Error('the port is held');
    await opened[Symbol.asyncDispose]();
  });

  test('tells those who speak for others nothing', async () => {
    const { listener } = await openTestListener();
    const question = { 'paydrop-listener': 'q'.repeat(32) };
    const ask = (headers: Record<string, string>) =>
      callBack(listener.url, { method: 'GET', bytes: '', headers: { ...question, ...headers } });
    expect(await ask({})).toMatchObject({ status: 200, fields: { statusDesc: 'a paydrop listens' } });
    const forwarded = await ask({ 'x-forwarded-for': '203.0.113.9' });
    expect([forwarded.status, forwarded.headers['paydrop-listener']]).toEqual([405, undefined]);
  });
});

describe('a listener that cannot listen', () => {
  test('names the setting of an address that this machine does not have', async () => {
    const opening = openTestListener({ address: '192.0.2.1' });
    await expect(opening).rejects.toThrow(
      /192\.0\.2\.1:0 \(EADDRNOTAVAIL\).*registration\.callbacks\.address/,
    );
  });

  test('names the setting of a certificate that is none', async () => {
    const opening = openTestListener({}, { readCertificate: () => ({ cert: 'x', key: 'y' }) });
    await expect(opening).rejects.toThrow(/certificate.*registration\.callbacks\.tls/);
    await expect(opening).rejects.toHaveProperty('name', 'CallbackListenerError');
  });
});

describe('over TLS', () => {
  test('takes callbacks, and a new certificate and new keys when their files change', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'callback-tls-'));
    const [first, second] = [makeCertificate(Date.now()), makeCertificate(Date.now())];
    const file = (name: string): string => join(folder, name);
    const write = async (name: string, content: string): Promise<void> => {
      await writeFile(`${file(name)}.new`, content);
      await rename(`${file(name)}.new`, file(name));
    };
    const read = (name: string): string => readFileSync(file(name), 'utf8');
    await write('pem', JSON.stringify(first));
    await write('keys', callbackKeys[0]);
    const clock = makeVirtualClock();
    const { listener } = await openTestListener(
      {},
      {
        clock,
        readKeys: () => [read('keys')],
        readCertificate: () => JSON.parse(read('pem')) as typeof first,
        files: [file('pem'), file('keys')],
      },
    );
    expect(listener.url).toMatch(/^https:/);
    expect((await callBack(listener.url, { ca: first.cert })).status).toBe(200);
    await write('pem', JSON.stringify(second));
    await write('keys', callbackKeys[1]);
    await clock.advance(2_000);
    await expect(callBack(listener.url, { ca: first.cert })).rejects.toThrow(/certificate|signature/);
    expect((await callBack(listener.url, { ca: second.cert })).status).toBe(401);
    const header = { 'x-api-key': callbackKeys[1] };
    expect((await callBack(listener.url, { ca: second.cert, header })).status).toBe(200);
    await write('pem', 'half a cert');
    await clock.advance(2_000);
    expect((await callBack(listener.url, { ca: second.cert, header })).status).toBe(200);
  });

  test('cuts off who never ends the handshake', async () => {
    const certificate = makeCertificate(Date.now());
    const opened = await openTestListener({ requestTimeoutMs: 200 }, { readCertificate: () => certificate });
    const socket = dial(opened.port).resume();
    socket.write('\u0016\u0003\u0001');
    await once(socket, 'close');
    expect((await callBack(opened.listener.url, { ca: certificate.cert })).status).toBe(200);
  });

  test('closes to a stranger before the handshake', async () => {
    const certificate = makeCertificate(Date.now());
    const opened = await openTestListener(
      { allowFrom: ['203.0.113.9'] },
      { readCertificate: () => certificate },
    );
    expect(await text(dial(opened.port, elsewhere)).catch(() => '')).toBe('');
    expectUntouched(opened);
  });
});

test('kept callbacks are bound while it listens, and a flood of refusals is summed up', async () => {
  const clock = makeVirtualClock();
  const { listener, book, lines } = await openTestListener({}, { clock });
  const accountNo = '9900000042';
  await callBack(listener.url, { body: { accountNo } });
  book.add({ seq: 42, instruction: { ...instruction, accountNo } });
  await clock.advance(2_000);
  expect(book.at(42)?.status).toBe('registered');
  for (let no = 0; no < 30; no += 1) await callBack(listener.url, { header: { 'x-api-key': 'a-wrong-key' } });
  const floods = (): string[] => lines.filter((line) => line.includes('wrong-key'));
  expect(floods()).toHaveLength(1);
  await clock.advance(120_000);
  expect(floods()).toHaveLength(2);
  expect(floods()[1]).toContain('"times":29');
});
