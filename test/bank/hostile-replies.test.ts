/** A hundred hostile replies at each endpoint, over real HTTP: none ends the program, and none is taken for a payment. */
import type { ServerResponse } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { makeBankClient } from '../../src/bank/client.ts';
import { makeStatementRequests } from '../../src/bank/statement-request.ts';
import { readInquiry, readPayeeCheck, readReply } from '../../src/payout/rules/read-reply.ts';
import { check, inquiry, order } from '../support/bank-samples.ts';
import { Dice } from '../support/dice.ts';
import { type Arrival, clientOptions, startFakeBank, tokenReply } from '../support/fake-bank.ts';

const repliesEach = 100;

type Fields = Readonly<Record<string, unknown>>;
type Endpoint = 'token' | 'payeeCheck' | 'transfer' | 'inquiry' | 'statement';

interface Raw {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
  /** Bytes that the headers promise beyond the body; the connection ends before them. */
  readonly missing?: number;
}

/** What would say that all is well, if it were whole and ours. */
function goodFields(endpoint: Endpoint, { body }: Arrival): Fields {
  if (endpoint === 'token') return tokenReply('good-token') as Fields;
  const { requestUID, transRefNo } = JSON.parse(body) as Fields;
  const common = { statusDesc: 'Success', severity: 'INFO', requestUID };
  switch (endpoint) {
    case 'payeeCheck':
      return { statusCode: 'IC001', ...common, proxyName: 'SOMCHAI JAIDEE' };
    case 'transfer':
      return { statusCode: 'IC000', ...common, transRefNo, sysRefNo: 'SYS1', transFee: '0.00' };
    case 'inquiry':
      return { statusCode: 'IC001', ...common, fundTfrInfoList: [{ transRefNo, tranStatusCode: '010004' }] };
    case 'statement':
      return { statusCode: '0', ...common, storageSignedUrl: 'https://files.invalid/a.zip', unZipKey: 'k' };
  }
}

const codeNames: Readonly<Record<Endpoint, string>> = {
  token: 'code',
  payeeCheck: 'statusCode',
  transfer: 'statusCode',
  inquiry: 'statusCode',
  statement: 'statusCode',
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

function rewriteReferences(good: Fields, change: (text: string) => unknown): string {
  return JSON.stringify(good, (name, value: unknown) =>
    name === 'transRefNo' && typeof value === 'string' ? change(value) : value,
  );
}

function answerWith(response: ServerResponse, { status = 200, headers, body, missing = 0 }: Raw): true {
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
    const isToken = arrival.path.includes('/oauth/');
    if (hostile === undefined || isToken !== (endpoint === 'token')) return false;
    return answerWith(response, hostile(arrival));
  };
  return {
    bank,
    ask: async (reply: (arrival: Arrival) => Raw): Promise<string> => {
      hostile = reply;
      await using client = makeBankClient(clientOptions(bank.baseUrl));
      return await callEndpoint(client, endpoint);
    },
  };
}

const attempt = { order, sends: 1, rejectedByGateway: 0 };

/** What the program makes of it, in a word. */
async function callEndpoint(client: ReturnType<typeof makeBankClient>, endpoint: Endpoint): Promise<string> {
  switch (endpoint) {
    case 'token':
    case 'transfer':
      return readReply(await client.transfer(order, () => true), attempt).finding.kind;
    case 'payeeCheck':
      return readPayeeCheck(await client.checkPayee(check), true).finding.kind;
    case 'inquiry':
      return readInquiry(await client.inquire(inquiry), order.transRefNo).finding.kind;
    case 'statement':
      return (await makeStatementRequests(client, 'date').request('20261120', null)).kind;
  }
}

/** What would be a false word of the bank's. */
const falseWords: Readonly<Record<Endpoint, readonly string[]>> = {
  token: ['paid', 'failed', 'unknown'],
  payeeCheck: ['payable', 'unpayable'],
  transfer: ['paid', 'failed'],
  inquiry: ['complete', 'failed', 'not-found'],
  statement: ['offered', 'not-found'],
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
    const borne = endpoint === 'transfer' || endpoint === 'inquiry' ? Object.entries(references) : [];
    const all = [
      ...named,
      ...borne.map(([name, make]) => ({ name, make: (good: Fields) => make(good, dice) })),
    ];
    const complaints: string[] = [];
    for (let no = 0; no < repliesEach; no += 1) {
      const kind = all[no % all.length];
      if (kind === undefined) throw new Error('no kind');
      const word = await ask((arrival) => kind.make(goodFields(endpoint, arrival)));
      if (falseWords[endpoint].includes(word)) complaints.push(`${kind.name}: ${word}`);
    }
    expect([...new Set(complaints)]).toEqual([]);
    expect(bank.business().length).toBe(endpoint === 'token' ? 0 : repliesEach);
  },
  60_000,
);
