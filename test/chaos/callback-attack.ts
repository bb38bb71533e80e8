/**
 * Besieges `paydrop callbacks`, in a process of its own: strangers and slow callers by the thousand, bodies of 100 MB,
 * floods of wrong keys and of rubbish, replays, and kill -9 while callbacks come in. Judges by the journal, the memory of
 * the process and what it has logged; ends with 1 when anything has changed that should not have.
 * `npm run callback-attack -- [connections 10000]`
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync, statSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { loadSettings } from '../../src/settings/settings.ts';
import { describeIdentity } from '../../src/app/open-store.ts';
import type { RegistrationStatus } from '../../src/registration/rules/registration.ts';
import { openJournal } from '../../src/store/open.ts';
import { makeRegisteredJournal } from '../support/registration-journal.ts';
import { noonMs } from '../support/report-fixtures.ts';

const connections = Number(process.argv[2] ?? 10_000);
/** The bank calls from here; everybody else is a stranger. */
const [bankAddress, strangerAddress] = ['127.0.0.2', '127.0.0.1'];
const key = 'the-key-of-the-bank-under-siege';
const accountNo = '0012345605';
const mainPath = join(import.meta.dirname, '../../src/main.ts');
/** A heap that was idle grows under load, once; a second time it may not. */
const [growthBytesMax, againBytesMax] = [256 * 1024 * 1024, 32 * 1024 * 1024];
const logBytesMax = 256 * 1024;
const bigBytes = 100 * 1024 * 1024;
/** After the first callbacks of a program that has just begun. */
const killWithinMs = 500;
const requestTimeoutMs = 10_000;

const folder = await mkdtemp(join(tmpdir(), 'paydrop-callback-attack-'));
const configPath = join(folder, 'paydrop.yaml');
await writeFile(
  configPath,
  `bank: { baseUrl: sandbox, channelId: C, termId: T, companyId: COMP000001, payerAccount: "1" }
registration:
  callbacks: { keys: [${key}], allowFrom: [${bankAddress}], connectionsMax: 1000, requestTimeoutMs: ${requestTimeoutMs} }
`,
  { mode: 0o600 },
);
const dataDir = join(folder, 'data');
await makeRegisteredJournal(configPath, dataDir, noonMs);
const logPath = join(folder, 'log');

const complaints: string[] = [];
const demand = (isSo: boolean, what: string): void => {
  if (!isSo) complaints.push(what);
  console.log(`${isSo ? 'holds' : 'BROKEN'}: ${what}`);
};

// ---------------------------------------------------------------- the program

interface Besieged {
  readonly child: ChildProcess;
  readonly port: number;
}

async function start(): Promise<Besieged> {
  const args = ['callbacks', '--port', '0', '--json', '--config', configPath, '--data-dir', dataDir];
  const log = openSync(logPath, 'a');
  const child = spawn(process.execPath, [mainPath, ...args], { stdio: ['ignore', 'pipe', log] });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    const [, port] = /"url":"http:\/\/127\.0\.0\.1:(\d+)/.exec(text) ?? [];
    if (port !== undefined) resolve(Number(port));
  });
  const port = await Promise.race([promise, once(child, 'close').then(() => 0)]);
  if (port === 0) throw new Error(readFileSync(logPath, 'utf8'));
  return { child, port };
}

function readRssBytes({ child }: Besieged): number {
  const [, kilobytes] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

// ---------------------------------------------------------------- calls

const goodBody = {
  vendorId: 'V001',
  companyId: 'COMP01',
  accountNo,
  ref1: 'POLICY-5',
  applyDtm: '2026-11-21 14:30:00',
  respCode: 'I0000',
  respDesc: 'Success',
};

interface Call {
  readonly body?: string;
  readonly apiKey?: string | undefined;
  readonly from?: string;
}

let calls = 0;
const composeHeader = (apiKey: string | undefined): string =>
  JSON.stringify({ requestUID: `CALL-${(calls += 1)}`, 'x-api-key': apiKey });

/** The status of the answer; 0 without one. */
function call(
  { port }: Besieged,
  { body = JSON.stringify(goodBody), from = bankAddress, ...rest }: Call = {},
) {
  const { promise, resolve } = Promise.withResolvers<number>();
  const apiKey = 'apiKey' in rest ? rest.apiKey : key;
  const headers = { 'content-type': 'application/json', 'msg-hdr': composeHeader(apiKey) };
  const options = { host: strangerAddress, port, path: '/callbacks', method: 'POST', agent: false, headers };
  const outgoing = request({ ...options, localAddress: from }, (incoming) => {
    incoming.resume().on('close', () => resolve(incoming.statusCode ?? 0));
  });
  outgoing.on('error', () => resolve(0));
  outgoing.end(body);
  return promise;
}

/** So many calls, a few hundred at a time; how often each status came. */
async function flood(besieged: Besieged, times: number, make: (no: number) => Call) {
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < times) {
      next += 1;
      const status = await call(besieged, make(next));
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 200 }, work));
  return Object.fromEntries(statuses);
}

const dial = ({ port }: Besieged, localAddress: string): Socket =>
  connect({ port, host: strangerAddress, localAddress })
    .on('error', () => undefined)
    .resume();

/** Opens so many connections, has each send a byte now and then, and looks whether the bank is heard meanwhile. */
async function crowd(besieged: Besieged, from: string, count: number, first: string): Promise<number[]> {
  const sockets = Array.from({ length: count }, () => dial(besieged, from));
  for (const socket of sockets) socket.write(first);
  const heard: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    await sleep(500);
    for (const socket of sockets) if (socket.writable) socket.write('x');
    heard.push(await call(besieged));
  }
  for (const socket of sockets) socket.destroy();
  return heard;
}

async function sendBig(besieged: Besieged, isChunked: boolean): Promise<number> {
  const socket = dial(besieged, bankAddress);
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${bigBytes}`;
  const type = 'content-type: application/json';
  socket.write(
    `POST /callbacks HTTP/1.1\r\nhost: a\r\n${type}\r\nmsg-hdr: ${composeHeader(key)}\r\n${length}\r\n\r\n`,
  );
  const piece = isChunked ? `10000\r\n${'x'.repeat(0x10000)}\r\n` : 'x'.repeat(0x10000);
  let sentBytes = 0;
  while (!socket.destroyed && sentBytes < bigBytes) {
    sentBytes += piece.length;
    if (!socket.write(piece))
      await Promise.race([once(socket, 'drain'), once(socket, 'close')]).catch(() => 0);
  }
  socket.destroy();
  return sentBytes;
}

// ---------------------------------------------------------------- the siege

const deep = `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`;
const rubbish: readonly string[] = [
  deep,
  '['.repeat(30_000) + ']'.repeat(30_000),
  '',
  'null',
  '"',
  JSON.stringify({ ...goodBody, accountNo: Number(accountNo) }),
  JSON.stringify({ ...goodBody, ref1: { a: 1 } }),
  JSON.stringify({ ...goodBody, respCode: 'I0009' }),
  JSON.stringify({ ...goodBody, applyDtm: '2026-99-99 00:00:00' }),
];

async function besiege(besieged: Besieged): Promise<void> {
  await flood(besieged, 2_000, () => ({ apiKey: 'no-key-of-anybody' }));
  const calmBytes = readRssBytes(besieged);
  let peakBytes = calmBytes;
  const meter = setInterval(() => void (peakBytes = Math.max(peakBytes, readRssBytes(besieged))), 100);
  const showMemory = (what: string): void => {
    console.log(`memory ${what}: ${Math.round(readRssBytes(besieged) / 1024 / 1024)} MB`);
  };
  const only = (statuses: Readonly<Record<string, number>>, expected: number): boolean =>
    Object.keys(statuses).join() === String(expected);

  const strangers = await crowd(besieged, strangerAddress, connections, 'POST /callbacks HTTP/1.1\r\n');
  demand(
    strangers.every((status) => status === 200),
    `the bank is heard among ${connections} strangers: ${strangers.join(' ')}`,
  );
  showMemory('after strangers');
  await crowd(besieged, bankAddress, connections, 'POST /callbacks HTTP/1.1\r\nx: ');
  await sleep(requestTimeoutMs + 1_500);
  demand(
    (await call(besieged)) === 200,
    `${connections} slow callers from the bank's own address are cut off in time`,
  );

  showMemory('after slow callers');
  const wrong = await flood(besieged, 10_000, (no) => ({
    apiKey: no % 2 === 0 ? undefined : `wrong-key-${no}`,
  }));
  demand(only(wrong, 401), `wrong keys and none are refused: ${JSON.stringify(wrong)}`);
  showMemory('after wrong keys');
  const foreign = await flood(besieged, 5_000, () => ({ from: strangerAddress }));
  demand(foreign[200] === undefined, `strangers with the right key are refused: ${JSON.stringify(foreign)}`);
  showMemory('after foreign calls');
  const bad = await flood(besieged, 5_000, (no) => ({ body: rubbish[no % rubbish.length] ?? '' }));
  demand(only(bad, 400), `rubbish is refused: ${JSON.stringify(bad)}`);
  showMemory('after rubbish');
  const replayed = await flood(besieged, 5_000, () => ({}));
  demand(only(replayed, 200), `what is told again is answered the same: ${JSON.stringify(replayed)}`);
  showMemory('after replays');
  const sent = await Promise.all(Array.from({ length: 40 }, (_, no) => sendBig(besieged, no % 2 === 0)));
  demand(
    Math.max(...sent) < bigBytes / 5,
    `bodies of 100 MB are cut off, the latest after ${Math.max(...sent)} bytes`,
  );
  showMemory('after large bodies');
  const firstPeakBytes = peakBytes;
  await flood(besieged, 5_000, (no) => ({ body: rubbish[no % rubbish.length] ?? '' }));
  await flood(besieged, 5_000, () => ({}));
  showMemory('after the same again');
  demand(
    peakBytes - firstPeakBytes < againBytesMax,
    `memory stays flat: ${Math.round((peakBytes - firstPeakBytes) / 1024 / 1024)} MB more for the same again`,
  );
  clearInterval(meter);
  const growth = Math.round((peakBytes - calmBytes) / 1024 / 1024);
  demand(
    peakBytes - calmBytes < growthBytesMax,
    `memory is bounded: at most ${growth} MB more than ${Math.round(calmBytes / 1024 / 1024)} MB`,
  );
}

/** Killed at any moment while callbacks come in; each that was answered is in the journal, and counts once. */
async function killWhileTaking(): Promise<{ readonly answered: number; readonly lost: number }> {
  const answered = new Set<number>();
  for (let round = 0; round < 10; round += 1) {
    const besieged = await start();
    const death = sleep(Math.random() * killWithinMs).then(() => besieged.child.kill('SIGKILL'));
    await Promise.all(
      Array.from({ length: 10 }, async (_, place) => {
        for (let turn = 0; turn < 50; turn += 1) {
          const no = (round * 10 + place) * 50 + turn;
          const body = JSON.stringify({ ...goodBody, accountNo: String(9_900_000_000 + no) });
          if ((await call(besieged, { body })) !== 200) return;
          answered.add(no);
        }
      }),
    );
    await death;
    await once(besieged.child, 'close').catch(() => undefined);
  }
  const loaded = loadSettings({ configPath, dataDir, env: {}, cwd: folder });
  await using journal = await openJournal({
    dataDir,
    stamp: describeIdentity(loaded),
    access: 'beside',
    nowMs: Date.now(),
  });
  const kept = new Set(
    (await journal.unknownCallbacks(10_000)).map(({ callback }) => callback.identity.accountNo),
  );
  const lost = [...answered].filter((no) => !kept.has(String(9_900_000_000 + no))).length;
  return { answered: answered.size, lost };
}

async function judge(): Promise<void> {
  const loaded = loadSettings({ configPath, dataDir, env: {}, cwd: folder });
  await using journal = await openJournal({
    dataDir,
    stamp: describeIdentity(loaded),
    access: 'beside',
    nowMs: Date.now(),
  });
  const [story] = await journal.findRegistrations('REG-5');
  const told = story?.events.filter(({ cause }) => cause === 'called-back').length;
  demand(
    story?.row.status === 'registered' && told === 1,
    `the one registration changed once: ${story?.row.status}, ${told} event`,
  );
  const counts = await journal.countRegistrations();
  // What waits for a callback is overdue by now.
  const expected = {
    registered: 2,
    refused: 1,
    failed: 1,
    contradicted: 1,
    unanswered: 2,
    rejected: 1,
    held: 1,
  };
  demand(
    Object.entries(expected).every(([status, rows]) => counts.get(status as RegistrationStatus) === rows),
    `every other registration is as it was: ${[...counts].map((one) => one.join(' ')).join(', ')}`,
  );
  const log = await readFile(logPath, 'utf8');
  const secrets = [key, accountNo, 'wrong-key-', goodBody.applyDtm, 'POLICY-5'];
  demand(!secrets.some((secret) => log.includes(secret)), 'the log has no key, no account number, no body');
  const { size } = statSync(logPath);
  demand(size < logBytesMax, `the log stays short: ${size} bytes`);
}

const besieged = await start();
await besiege(besieged);
besieged.child.kill('SIGTERM');
const [code] = (await once(besieged.child, 'close')) as [number | null];
demand(code === 0, `it ends as it was asked to: ${code}`);
await judge();
const { answered, lost } = await killWhileTaking();
demand(lost === 0, `${answered} callbacks were answered before ten kills, and none of them is lost`);
await rm(folder, { recursive: true, force: true });
if (complaints.length > 0) process.exitCode = 1;
