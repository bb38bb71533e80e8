/**
 * A hundred hostile replies at each endpoint, over real HTTP: none ends the program, none is taken for a payment, and
 * none takes more memory than the program may have.
 */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { makeStatementDownloader } from '../../src/bank/statement-download.ts';
import { makeStatementRequests } from '../../src/bank/statement-request.ts';
import { readInquiry, readPayeeCheck, readReply } from '../../src/payout/rules/read-reply.ts';
import { readAnswer } from '../../src/registration/rules/read-answer.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';
import { check, inquiry, order, keepRenewed, registrationOrder } from '../support/bank-samples.ts';
import { Dice } from '../support/dice.ts';
import { type Arrival, clientOptions, startFakeBank, tokenReply } from '../support/fake-bank.ts';

const repliesEach = 100;

/** What the whole program may take; a test process has its own share of that already. */
const growthMaxBytes = 150_000_000;

type Fields = Readonly<Record<string, unknown>>;
type Endpoint =
  'token' | 'tokenRefresh' | 'payeeCheck' | 'transfer' | 'inquiry' | 'statement' | 'registration';

interface Raw {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Bytes that the headers promise beyond the body; the connection ends before them. */
  readonly missing?: number;
  /** Sent instead of all that, as it stands; then the connection ends. */
  readonly wire?: string | Buffer;
}

/** What would say that all is well, if it were whole and ours. */
function goodFields(endpoint: Endpoint, { body }: Arrival): Fields {
  if (endpoint === 'token' || endpoint === 'tokenRefresh') return tokenReply('good-token') as Fields;
  const { requestUID, transRefNo } = JSON.parse(body) as Fields;
  const common = { statusDesc: 'Success', severity: 'INFO', requestUID };
  switch (endpoint) {
    case 'payeeCheck':
      return { statusCode: 'IC001', ...common, proxyName: 'SOMCHAI JAIDEE' };
    case 'transfer':
      return { statusCode: 'IC000', ...common, transRefNo, sysRefNo: 'SYS1', transFee: '0.00' };
    case 'inquiry':
      return { statusCode: 'IC001', ...common, fundTfrInfoList: [{ transRefNo, tranStatusCode: '010004' }] };
    case 'registration':
      return {
        statusCode: '0',
        ...common,
        requestUID: registrationOrder.requestUid,
        ddrOapiSeqId: 7,
      };
    case 'statement':
      return { statusCode: '0', ...common, storageSignedUrl: 'https://files.invalid/a.zip', unZipKey: 'k' };
  }
}

const codeNames: Readonly<Record<Endpoint, string>> = {
  token: 'code',
  tokenRefresh: 'code',
  payeeCheck: 'statusCode',
  transfer: 'statusCode',
  inquiry: 'statusCode',
  statement: 'statusCode',
  registration: 'statusCode',
};

/** The whole reply with its code replaced. */
const withCode = (fields: Fields, name: string, code: unknown): Fields => ({ ...fields, [name]: code });

const nested = (depth: number, open: string, close: string): string =>
  open.repeat(depth) + close.repeat(depth);

/** One hostile reply of each kind, made of the one that would be good. */
const kinds: Readonly<Record<string, (good: Fields, code: string, dice: Dice) => Raw>> = {
  'the code twice, another first': (good, code) => ({
    body: `{"${code}":"EM053",${JSON.stringify(good).slice(1)}`,
  }),
  'the code twice, one of them escaped': (good, code) => ({
    body: `{"\\u00${code.charCodeAt(0).toString(16)}${code.slice(1)}":"ED001",${JSON.stringify(good).slice(1)}`,
  }),
  'a code of 10,000 characters': (good, code, dice) => ({
    body: JSON.stringify(
      withCode(good, code, `${String(good[code])}${'IC000 '[dice.whole(0, 5)]?.repeat(10_000)}`),
    ),
  }),
  'a code with control characters': (good, code, dice) => ({
    body: JSON.stringify(
      withCode(good, code, `${String(good[code])}${String.fromCodePoint(dice.whole(0, 31))}\u001b[31m\u202e`),
    ),
  }),
  'a code of another type': (good, code, dice) => ({
    body: JSON.stringify(
      withCode(good, code, [[good[code]], { code: good[code] }, true, null, 1e308][dice.whole(0, 4)]),
    ),
  }),
  'a body of another type': (good, _code, dice) => ({
    body: JSON.stringify([[good], JSON.stringify(good), null, 7, true][dice.whole(0, 4)]),
  }),
  'a body of two megabytes': (good) => ({
    body: JSON.stringify({ ...good, padding: 'x'.repeat(2_097_152) }),
  }),
  'a body without end of brackets': (_good, _code, dice) => ({
    body: nested(dice.whole(1_000, 400_000), '[', ']'),
  }),
  'a body without end of objects': (_good, _code, dice) => ({
    body: `${'{"a":'.repeat(dice.whole(1_000, 150_000))}1`,
  }),
  'bytes that are no UTF-8': (good, code) => {
    const text = JSON.stringify(withCode(good, code, `${String(good[code])}#`));
    const bytes = Buffer.from(text);
    bytes[text.indexOf('#')] = 0xff;
    return { body: bytes };
  },
  'half a body': (good, _code, dice) => {
    const body = JSON.stringify(good);
    return { body: body.slice(0, dice.whole(0, body.length - 1)) };
  },
  'a body that ends with its connection': (good, _code, dice) => ({
    body: JSON.stringify(good),
    missing: dice.whole(1, 1_000),
  }),
  'a page instead of JSON': (good, _code, dice) => ({
    status: [200, 403, 502, 503][dice.whole(0, 3)] ?? 200,
    headers: { 'content-type': 'text/html' },
    body: `<html><script>${JSON.stringify(good)}</script></html>`,
  }),
  'a redirect': (good, _code, dice) => ({
    status: [301, 302, 303, 307, 308][dice.whole(0, 4)] ?? 302,
    headers: {
      location: ['/', 'http://127.0.0.1:1/', 'file:///etc/passwd', '\u00e9'][dice.whole(0, 3)] ?? '/',
    },
    body: JSON.stringify(good),
  }),
  'nothing at all': () => ({ body: '' }),
  'a name that is no name': (_good, code) => ({
    body: `{"__proto__":{"${code}":"IC000"},"constructor":{"prototype":1},"toString":"IC000"}`,
  }),
};

const head = (body: string, ...headers: readonly string[]): string =>
  ['HTTP/1.1 200 OK', 'content-type: application/json', ...headers, '', body].join('\r\n');

/** What is wrong below the body: in status, headers and framing. */
const wires: Readonly<Record<string, (body: string, dice: Dice) => string>> = {
  'another protocol': () => 'SSH-2.0-OpenSSH_9.0\r\n',
  'a body without a head': (body) => body,
  'two lengths that differ': (body) => head(body, `content-length: ${body.length}`, 'content-length: 2'),
  'a length and chunks': (body) => head(body, `content-length: ${body.length}`, 'transfer-encoding: chunked'),
  'a length below nothing': (body) => head(body, `content-length: -${body.length}`),
  'a length beyond all numbers': (body) => head(body, `content-length: ${'9'.repeat(40)}`),
  'a chunk beyond all numbers': (body) =>
    head(`ffffffffffffffff1\r\n${body}\r\n0\r\n\r\n`, 'transfer-encoding: chunked'),
  'chunks without an end': (body) =>
    head(`${body.length.toString(16)}\r\n${body}\r\n`, 'transfer-encoding: chunked'),
  'a header of a megabyte': (body) =>
    head(body, `x: ${'x'.repeat(1_048_576)}`, `content-length: ${body.length}`),
  '5,000 headers': (body) =>
    head(body, ...Array.from({ length: 5_000 }, (_, no) => `x-${no}: 1`), `content-length: ${body.length}`),
  'a header with a null byte': (body) => head(body, 'x: a\0b', `content-length: ${body.length}`),
  'a status that is none': (body, dice) =>
    head(body, `content-length: ${body.length}`).replace(
      '200',
      ['999', '099', '2000', 'OK'][dice.whole(0, 3)]!,
    ),
  '2,000 early answers, and no other': () => 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'.repeat(2_000),
};

const wireKinds = Object.fromEntries(
  Object.entries(wires).map(([name, make]) => [
    name,
    (good: Fields, dice: Dice): Raw => ({ body: '', wire: make(JSON.stringify(good), dice) }),
  ]),
);

/** References that are another's: only where a reply bears them. */
const references: Readonly<Record<string, (good: Fields, dice: Dice) => Raw>> = {
  'another’s references': (good, dice) => ({
    body: rewriteReferences(good, (text) => `${text.slice(0, -1)}${dice.whole(0, 9)}!`),
  }),
  'references with control characters': (good, dice) => ({
    body: rewriteReferences(good, (text) => `${text}${String.fromCodePoint(dice.whole(0, 31))}`),
  }),
  'references of another type': (good) => ({ body: rewriteReferences(good, (text) => [text]) }),
  'no references': (good) => ({ body: rewriteReferences(good, () => undefined) }),
};

/** Of an inquiry alone: ours is the last of very many. */
const lists: Readonly<Record<string, (good: Fields, dice: Dice) => Raw>> = {
  'a list of very many': (good, dice) => {
    const items = (good['fundTfrInfoList'] ?? []) as unknown[];
    const empty = Array.from({ length: dice.whole(5_000, 300_000) }, () => ({}));
    return { body: JSON.stringify({ ...good, fundTfrInfoList: [...empty, ...items] }) };
  },
};

/** Of a registration the requestUID is the one that tells whose answer it is. */
function rewriteReferences(good: Fields, change: (text: string) => unknown): string {
  const reference = 'ddrOapiSeqId' in good ? 'requestUID' : 'transRefNo';
  return JSON.stringify(good, (name, value: unknown) =>
    name === reference && typeof value === 'string' ? change(value) : value,
  );
}

function answerWith(response: ServerResponse, { status = 200, headers, body, missing = 0, wire }: Raw): true {
  if (wire !== undefined) {
    response.socket?.end(wire);
    return true;
  }
  const length = Buffer.byteLength(body) + missing;
  const latin = Object.entries({ 'content-type': 'application/json', ...headers }).map(([name, value]) => [
    name,
    encodeURI(value),
  ]);
  response.writeHead(status, { ...Object.fromEntries(latin), 'content-length': length });
  if (missing === 0) response.end(body);
  else response.write(body, () => response.destroy());
  return true;
}

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]();
});

/** A bank that is hostile at one endpoint, and a client of it for each reply, so that none has a token before. */
async function makeScene(endpoint: Endpoint) {
  const bank = await startFakeBank();
  open.push(bank);
  let hostile: ((arrival: Arrival) => Raw) | undefined;
  bank.behave = (arrival, response) => {
    const at = /\/token(?:\/refresh)?$/.exec(arrival.path)?.[0];
    const asked = at === undefined ? 'business' : at === '/token' ? 'token' : 'tokenRefresh';
    const isMeant = asked === endpoint || (asked === 'business' && !endpoint.startsWith('token'));
    if (hostile === undefined || !isMeant) return false;
    return answerWith(response, hostile(arrival));
  };
  return {
    bank,
    ask: async (reply: (arrival: Arrival) => Raw): Promise<string> => {
      hostile = reply;
      const clock = makeVirtualClock();
      await using client = makeBankClient(clientOptions(bank.baseUrl, { clock }));
      if (endpoint === 'tokenRefresh') {
        await client.inquire(inquiry);
        await clock.advance(900_001);
      }
      return await callEndpoint(client, endpoint);
    },
  };
}

const attempt = { order, sends: 1, refusals: 0 };
const asked = { ...order, sends: [order] };

/** What the program makes of it, in a word. */
async function callEndpoint(client: ReturnType<typeof makeBankClient>, endpoint: Endpoint): Promise<string> {
  switch (endpoint) {
    case 'token':
    case 'tokenRefresh':
    case 'transfer':
      return readReply(await client.transfer(order, () => true), attempt, []).finding.kind;
    case 'payeeCheck':
      return readPayeeCheck(await client.checkPayee(check), true).finding.kind;
    case 'inquiry':
      return readInquiry(await client.inquire(inquiry), asked).finding.kind;
    case 'registration':
      return readAnswer(await client.register(registrationOrder, () => true, keepRenewed)).finding.kind;
    case 'statement':
      return (await makeStatementRequests(client, 'date').request('20261120', null)).kind;
  }
}

/** What would be a false word of the bank's. */
const falseWords: Readonly<Record<Endpoint, readonly string[]>> = {
  token: ['paid', 'failed', 'unknown'],
  // Without a new token by this way it is asked for anew: the transfer goes, with a token that is one.
  tokenRefresh: ['failed', 'unknown', 'not-sent'],
  payeeCheck: ['payable', 'unpayable'],
  transfer: ['paid', 'failed'],
  inquiry: ['complete', 'failed', 'not-found'],
  statement: ['offered', 'not-found'],
  registration: ['acknowledged', 'turned-down', 'usage-exceeded'],
};

test.each(Object.keys(codeNames) as Endpoint[])(
  'a hundred hostile replies at the endpoint %s say nothing that is false',
  async (endpoint) => {
    const { bank, ask } = await makeScene(endpoint);
    const dice = new Dice(11);
    const named = Object.entries(kinds).map(([name, make]) => ({
      name,
      make: (good: Fields) => make(good, codeNames[endpoint], dice),
    }));
    const framed = Object.entries(wireKinds);
    const bearing: readonly Endpoint[] = ['transfer', 'inquiry', 'registration'];
    const borne = bearing.includes(endpoint) ? Object.entries(references) : [];
    const listed = endpoint === 'inquiry' ? Object.entries(lists) : [];
    const all = [
      ...named,
      ...[...framed, ...borne, ...listed].map(([name, make]) => ({
        name,
        make: (good: Fields) => make(good, dice),
      })),
    ];
    const complaints: string[] = [];
    const startBytes = process.memoryUsage.rss();
    for (let no = 0; no < repliesEach; no += 1) {
      const kind = all[no % all.length];
      if (kind === undefined) throw new Error('no kind');
      const word = await ask((arrival) => kind.make(goodFields(endpoint, arrival)));
      if (falseWords[endpoint].includes(word)) complaints.push(`${kind.name}: ${word}`);
    }
    expect([...new Set(complaints)]).toEqual([]);
    const asksTwice = endpoint === 'tokenRefresh';
    expect(bank.business().length).toBe(endpoint === 'token' ? 0 : repliesEach * (asksTwice ? 2 : 1));
    const bearers = bank.business().map(({ headers }) => headers.authorization ?? '');
    expect(bearers.filter((bearer) => !/^Bearer (?:token-\d+|good-token)$/.test(bearer))).toEqual([]);
    expect(process.memoryUsage.rss() - startBytes).toBeLessThan(growthMaxBytes);
  },
);

/** Files that are cut short, or not what they are said to be. */
const files: Readonly<Record<string, (csv: string, dice: Dice) => Raw>> = {
  'cut short': (csv, dice) => ({ body: csv.slice(0, -3), missing: dice.whole(1, 3) }),
  'of a length that ends the connection': (csv) => ({ body: '', wire: head(csv) }),
  'in part': (csv) => ({ status: 206, headers: { 'content-range': 'bytes 0-9/900' }, body: csv }),
  'a page': (csv, dice) => ({
    headers: { 'content-type': dice.whole(0, 1) === 0 ? 'text/html' : 'text/csv' },
    body: `<html><pre>${csv}</pre></html>`,
  }),
  'too long': () => ({ body: 'x'.repeat(bytesMax + 1) }),
  'said to be far too long': (csv) => ({ body: csv, missing: 10_000_000_000 }),
  elsewhere: (csv, dice) => {
    const places = [
      'file:///etc/passwd',
      'http://10.0.0.1/',
      'https://127.0.0.1:1/',
      '//[',
      'http://169.254.169.254/',
    ];
    return { status: 302, headers: { location: places[dice.whole(0, 4)] ?? '' }, body: csv };
  },
  'at the same address, for ever': (csv) => ({ status: 302, headers: { location: '/s.csv' }, body: csv }),
  'without a body': () => ({ status: 204, body: '' }),
  refused: (csv, dice) => ({ status: dice.whole(400, 407), body: csv }),
};

const bytesMax = 100_000;

test('a hundred hostile files at the signed address are brought for no statement', async () => {
  const bank = await startFakeBank();
  open.push(bank);
  const dice = new Dice(12);
  const all = [
    ...Object.entries(files),
    ...Object.entries(wires).map(([name, make]): [string, (csv: string) => Raw] => [
      name,
      (csv) => ({ body: '', wire: make(csv, dice) }),
    ]),
  ];
  const downloader = makeStatementDownloader({
    bankHost: '127.0.0.1',
    bytesMax,
    timeoutMs: 5_000,
    idleMs: 2_000,
  });
  const startBytes = process.memoryUsage.rss();
  const complaints: string[] = [];
  for (let no = 0; no < repliesEach; no += 1) {
    const [name, make] = all[no % all.length] ?? ['nothing', () => ({ body: '' })];
    bank.behave = (_, response) => answerWith(response, make('NO,AMOUNT\r\n1,1.00\r\n', dice));
    let sizeBytes = 0;
    const brought = await downloader.bring(`${bank.baseUrl}/s.csv`, async ({ length }) => {
      sizeBytes += length;
    });
    if (brought.kind === 'delivered') complaints.push(name);
    expect(sizeBytes).toBeLessThanOrEqual(bytesMax);
  }
  expect([...new Set(complaints)]).toEqual([]);
  expect(process.memoryUsage.rss() - startBytes).toBeLessThan(growthMaxBytes);
});

test.each(Object.keys(codeNames) as Endpoint[])(
  'a reply in pieces of a byte at the endpoint %s takes little memory',
  async (endpoint) => {
    const { ask } = await makeScene(endpoint);
    const crumbs = `${'1\r\n \r\n'.repeat(400_000)}0\r\n\r\n`;
    let peakBytes = 0;
    const look = () => {
      peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
    };
    const timer = setInterval(look, 10);
    const wire = Buffer.from(head(crumbs, 'transfer-encoding: chunked'));
    const startBytes = process.memoryUsage.rss();
    await ask(() => ({ body: '', wire }));
    look();
    clearInterval(timer);
    expect(peakBytes - startBytes).toBeLessThan(80_000_000);
  },
);
