import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { askServerKind } from '../../src/bank/sandbox-server.ts';
import { wireNames } from '../../src/bank/wire.ts';
import { paydropPath } from '../cli/run-paydrop.ts';
import {
  askForToken,
  controlHeaders,
  goodTransfer,
  payerAccount,
  readBody,
  speak,
  tokenOf,
} from '../support/sandbox-kit.ts';

const { paths } = wireNames('proxy');

let folder = '';

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'sandbox-command-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

interface Started {
  readonly child: ChildProcess;
  /** Standard output so far; `stderr` likewise. */
  readonly said: { stdout: string; stderr: string };
  /** Exit code, null after a kill. */
  readonly ended: Promise<number | null>;
}

function start(args: readonly string[], env: Record<string, string> = {}): Started {
  const child = spawn(process.execPath, [paydropPath, 'sandbox', ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.stderr += text));
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  return { child, said, ended };
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
  const started = start([...args, '--json'], env);
  const first = await Promise.race([once(started.child.stdout ?? started.child, 'data'), started.ended]);
  if (!Array.isArray(first)) throw new Error(`ended with ${first}: ${started.said.stderr}`);
  return { ...started, facts: JSON.parse(started.said.stdout) as Facts };
}

async function pay({ baseUrl, clientId, clientSecret }: Facts, changes: object = {}): Promise<unknown> {
  const token = tokenOf(await askForToken(baseUrl, { client_id: clientId, client_secret: clientSecret }));
  const body = JSON.stringify({ ...goodTransfer, ...changes });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  return readBody(await speak(baseUrl, { path: paths.transfer, body, headers }))['statusCode'];
}

const readLedger = async ({ baseUrl, ...facts }: Facts) =>
  readBody(
    await speak(baseUrl, { path: '/ledger', body: '', method: 'GET', headers: controlHeaders(facts) }),
  );

test('prints what a client needs, and ends with 0 when it is told to', async () => {
  const { child, said, ended } = start(['--state', 'bank.jsonl']);
  await once(child.stdout ?? child, 'data');
  const [, baseUrl = ''] = /address +(http:\/\/127\.0\.0\.1:\d+)\n/.exec(said.stdout) ?? [];
  for (const words of [
    'sandbox-app',
    'sandbox-secret-of-no-value',
    'COMP000001',
    payerAccount,
    'bank.jsonl',
  ]) {
    expect(said.stdout).toContain(words);
  }
  expect(said.stdout).toContain(`curl -s ${baseUrl}${paths.token} -d client_id=sandbox-app`);
  expect(said.stdout).toContain(`    baseUrl: ${baseUrl}\n`);
  const [, token] = /control token +(\S{32})\n/.exec(said.stdout) ?? [];
  expect(said.stdout).toContain(`curl -s ${baseUrl}/ledger -H 'authorization: Bearer ${token}'\n`);
  child.kill('SIGINT');
  expect(await ended).toBe(0);
  expect(said.stderr).toBe('');
});

test('pays, and after kill -9 remembers what it paid', async () => {
  const first = await startBank(['--state', 'bank.jsonl']);
  expect(await pay(first.facts)).toBe('IC000');
  expect(await pay(first.facts, { transRefNo: 'B', tranAmount: '500000.01' })).toBe('EM069');
  first.child.kill('SIGKILL');
  await first.ended;
  const second = await startBank(['--state', 'bank.jsonl']);
  expect(await readLedger(second.facts)).toMatchObject({ totals: { count: 1, amount: '100.25' } });
  second.child.kill('SIGTERM');
  expect(await second.ended).toBe(0);
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
    const { said, ended } = start([]);
    expect(await ended).toBe(2);
    expect(said.stderr).toMatch(says);
    expect(said.stdout).toBe('');
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
    const { said, ended } = start(args);
    expect(await ended).toBe(2);
    expect(said.stderr).toMatch(says);
  });

  test('a port that is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    onTestFinished(() => void taken.close());
    const { port } = taken.address() as AddressInfo;
    const { said, ended } = start(['--port', String(port)]);
    expect(await ended).toBe(2);
    expect(said.stderr).toContain(`cannot listen on 127.0.0.1:${port} (EADDRINUSE): give another port`);
  });
});
