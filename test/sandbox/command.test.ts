import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { askServerKind } from '../../src/bank/sandbox-server.ts';
import { wireNames } from '../../src/bank/wire.ts';
import { until } from '../end-to-end/harness.ts';
import { type Program, type ProgramEnd, startInResident } from '../support/resident.ts';
import {
  askForToken,
  controlHeaders,
  goodTransfer,
  payerAccount,
  readBody,
  speak,
  tokenOf,
} from '../support/sandbox-kit.ts';
import { accept, goodRegistration, openListener, vendorId } from '../support/sandbox-registration-kit.ts';
import type { AnswerCall } from '../support/sandbox-registration-kit.ts';

const { paths } = wireNames('proxy');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

/** Runs `paydrop sandbox` in this folder. */
function start(args: readonly string[], env: Record<string, string> = {}): Program {
  const program = startInResident({
    args: ['sandbox', ...args],
    cwd: folder,
    env: { ...process.env, ...env },
  });
  onTestFinished(async () => {
    // The process stays for the next.
    program.kill('SIGTERM');
    await program.ended;
  });
  return program;
}

/** Until it has said its first line. */
async function untilOpen(program: Program): Promise<void> {
  let end: ProgramEnd | undefined;
  void program.ended.then((it) => (end = it));
  await until(() => end !== undefined || program.stdout.includes('\n'));
  if (end !== undefined) throw new Error(`ended with ${end.code}: ${end.stderr}`);
}

interface Facts {
  readonly baseUrl: string;
  readonly controlToken: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly settingsFile: string;
}

/** Starts the command with --json and waits for its line. */
async function startBank(args: readonly string[] = [], env: Record<string, string> = {}) {
  const program = start([...args, '--json'], env);
  await untilOpen(program);
  return { program, facts: JSON.parse(program.stdout) as Facts };
}

async function pay({ baseUrl, clientId, clientSecret }: Facts, changes: object = {}): Promise<unknown> {
  const token = tokenOf(await askForToken(baseUrl, { client_id: clientId, client_secret: clientSecret }));
  const body = JSON.stringify({ ...goodTransfer, ...changes });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return readBody(await speak(baseUrl, { path: paths.transfer, body, headers }))['statusCode'];
}

async function register({ baseUrl, clientId, clientSecret }: Facts): Promise<unknown> {
  const token = tokenOf(await askForToken(baseUrl, { client_id: clientId, client_secret: clientSecret }));
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${token}`,
    'msg-hdr': '{"ipAddress":"192.0.2.7","requestUID":"ONE"}',
    'digital-id': '9100000000011',
  };
  const message = { path: paths.registration, body: JSON.stringify(goodRegistration), headers };
  return readBody(await speak(baseUrl, message))['statusCode'];
}

const readLedger = async ({ baseUrl, ...facts }: Facts) =>
  readBody(
    await speak(baseUrl, { path: '/ledger', body: '', method: 'GET', headers: controlHeaders(facts) }),
  );

test('prints what a client needs, and ends with 0 when it is told to', async () => {
  const program = start(['--state', 'bank.jsonl']);
  await until(() => program.stdout.includes('/ledger'));
  const { stdout } = program;
  const [, baseUrl = ''] = /address +(http:\/\/127\.0\.0\.1:\d+)\n/.exec(stdout) ?? [];
  for (const words of [
    'sandbox-app',
    'sandbox-secret-of-no-value',
    'COMP000001',
    payerAccount,
    'calls back     http://127.0.0.1:8090/callbacks',
    'bank.jsonl',
  ]) {
    expect(stdout).toContain(words);
  }
  expect(stdout).toContain(`curl -s ${baseUrl}${paths.token} -d client_id=sandbox-app`);
  expect(stdout).toContain(`    baseUrl: ${baseUrl}\n`);
  const [, token] = /control token +(\S{32})\n/.exec(stdout) ?? [];
  expect(stdout).toContain(`curl -s ${baseUrl}/ledger -H 'authorization: Bearer ${token}'\n`);
  program.kill('SIGINT');
  expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
});

/** Settings of a bank that calls this listener back, again and again. */
const callingBank = (callbackUrl: string) => `bank:
  baseUrl: sandbox
  clientId: sandbox-app
  clientSecret: sandbox-secret-of-no-value
  channelId: PAYDROP
  termId: TERM0001
  companyId: COMP000001
  payerAccount: '${payerAccount}'
sandbox:
  amountLimitBaht: '500000.00'
  vendors: [{ vendorId: ${vendorId}, companyIds: [COMP000001] }]
  registration:
    callbackUrl: ${callbackUrl}
    decideAfterMs: 0
    callbackRetries: { max: 1000, delayMs: 50, delayMaxMs: 50 }
`;

test('pays and registers, and after kill -9 remembers what it paid and calls whom it owes a call', async () => {
  const listener = await openListener();
  let isUp = false;
  const answer: AnswerCall = (response, call) =>
    isUp ? accept(response, call) : response.writeHead(503).end();
  listener.answers.push(...Array.from({ length: 5_000 }, () => answer));
  writeFileSync(join(folder, 'paydrop.yaml'), callingBank(listener.url));
  const first = await startBank(['--state', 'bank.jsonl']);
  expect(await pay(first.facts)).toBe('IC000');
  expect(await pay(first.facts, { transRefNo: 'B', tranAmount: '500000.01' })).toBe('EM069');
  expect(await register(first.facts)).toBe('0');
  await until(() => listener.calls.length > 0);
  first.program.kill('SIGKILL');
  await first.program.ended;
  isUp = true;
  const second = await startBank(['--state', 'bank.jsonl']);
  await until(async () => JSON.stringify(await readLedger(second.facts)).includes('"acknowledged":1'));
  expect(await readLedger(second.facts)).toMatchObject({ totals: { count: 1, amount: '100.25' } });
  second.program.kill('SIGTERM');
  expect(await second.program.ended).toEndWith(0);
});

test('has the companies and clients that come with paydrop', async () => {
  const { facts } = await startBank();
  const paidBy = (payer: object, changes: Partial<Facts> = {}) => pay({ ...facts, ...changes }, payer);
  expect(await paidBy({ payerAccount: '0000345932' })).toBe('IC000');
  expect(await paidBy({ compId: 'COMP000002', payerAccount: '0000456780' })).toBe('IC000');
  const stranger = { compId: 'COMP000009', payerAccount: '0000567893' };
  expect(await paidBy(stranger)).toBe('EM002');
  const other = { clientId: 'sandbox-other', clientSecret: 'another-secret-of-no-value' };
  expect(await paidBy(stranger, other)).toBe('IC000');
});

test.each([
  [[], 'sandbox'],
  [['--as-bank'], 'bank'],
])('with %j its clients take it for a %s', async (args, kind) => {
  const { facts } = await startBank(args);
  expect(await askServerKind(facts.baseUrl)).toBe(kind);
});

describe('the settings', () => {
  const bank = (baseUrl: string) => `bank:
  baseUrl: ${baseUrl}
  clientId: my-app
  clientSecret: my-secret
  channelId: PAYDROP
  termId: TERM0001
  companyId: COMP000001
  payerAccount: '${payerAccount}'
`;
  const write = (text: string) => writeFileSync(join(folder, 'paydrop.yaml'), text);

  test('are those of this folder, with the payees and behaviours that come with paydrop if they have none', async () => {
    write(bank('http://127.0.0.1:1'));
    const { facts } = await startBank();
    expect(facts).toMatchObject({ clientId: 'my-app', clientSecret: 'my-secret' });
    expect(facts.settingsFile).toBe(join(folder, 'paydrop.yaml'));
    expect(await pay(facts, { tranAmount: '1001.07' })).toBe('EV042');
  });

  test('may have a table of their own', async () => {
    write(`${bank('sandbox')}sandbox: { behaviours: [{ match: {}, money: untouched, code: EM070 }] }\n`);
    expect(await pay((await startBank()).facts, { tranAmount: '1001.07' })).toBe('EM070');
  });

  test('that hide their secret keep it hidden', async () => {
    write(bank('http://127.0.0.1:1').replace(/ {2}clientSecret.*\n/, ''));
    const { facts } = await startBank([], { PAYDROP_CLIENT_SECRET: 'not-for-screens' });
    expect(facts.clientSecret).toBe('(from PAYDROP_CLIENT_SECRET)');
    expect(await pay({ ...facts, clientSecret: 'not-for-screens' })).toBe('IC000');
  });

  test.each([
    ['of a real bank', bank('https://bank.example'), /paydrop\.yaml is about a real bank: give --config/],
    [
      'with a wrong table',
      `${bank('sandbox')}sandbox: { latency: 5 }\n`,
      /sandbox: Unrecognized key: "latency"/,
    ],
    [
      'without credentials',
      bank('http://127.0.0.1:1').replace(/ {2}clientSecret.*\n/, ''),
      /no client secret/,
    ],
  ])('%s are refused with 2', async (_, text, says) => {
    write(text);
    const { code, stdout, stderr } = await start([]).ended;
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(says);
  });
});

describe('wrong options are refused with 2', () => {
  test.each([
    [['--port', '65536'], /--port takes a whole number from 0 to 65535/],
    [['--port', '80.5'], /--port takes a whole number/],
    [['--port', 'x'], /--port takes a number/],
    [['--latency-ms', '-1'], /--latency-ms takes a whole number/],
    [['--state', '.'], /cannot open the state file \.: give a path that can be written/],
  ])('%j', async (args, says) => {
    const { code, stderr } = await start(args).ended;
    expect(code).toBe(2);
    expect(stderr).toMatch(says);
  });

  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { code, stderr } = await start(['--port', String(port)]).ended;
    expect(code).toBe(2);
    expect(stderr).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE): give another port`);
  });
});
