/**
 * Benchmark (callbacks): how many callbacks a second are taken durably, and how long one takes at half of what is asked
 * for. Ends with 1 where it is less than 2,000 a second, or p99 is above 50 ms.
 * `node test/bench/callbacks.ts [callbacks in each half]`
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/platform/clock.ts';
import { startCallbackListener } from '../../src/registration/listener/listener.ts';
import {
  callbackOf,
  intentOf,
  makeRegistrationRow,
  runRegistrations,
} from '../support/registration-journal.ts';
import { makeSqliteStore } from '../support/sqlite-store.ts';
import type { LoadResult, LoadTask } from './callback-load.ts';

const rows = Number(process.argv[2] ?? 10_000);
const key = 'the-key-of-the-benchmark';
const [perSecondMin, p99MsMax] = [2_000, 50];

/** Counts what ends a transaction. */
let commits = 0;
const { exec } = DatabaseSync.prototype;
DatabaseSync.prototype.exec = function count(this: DatabaseSync, text: string): void {
  if (/^commit/i.test(text)) commits += 1;
  exec.call(this, text);
};

await using sqlite = await makeSqliteStore();
const { store } = sqlite;
const all = Array.from({ length: rows * 2 }, (_, place) => makeRegistrationRow(place + 1));
const ready = await runRegistrations(store, all);
for (let from = 0; from < ready.length; from += 1_000)
  await store.applyRegistrations(ready.slice(from, from + 1_000).map((one) => intentOf(one)));

const requests = ready.map(({ instruction, rowNo }) => {
  const body = instruction === null ? '' : callbackOf(instruction).body;
  const header = JSON.stringify({ requestUID: `CALL-${rowNo}`, channelId: 'CH', 'x-api-key': key });
  return `POST /callbacks HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nmsg-hdr: ${header}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
});

const listener = await startCallbackListener({
  journal: store,
  clock: systemClock,
  mayMissAttempts: async () => false,
  log: (level, message, facts) => {
    if (level === 'error') console.error(message, facts);
  },
  settings: {
    address: '127.0.0.1',
    port: 0,
    path: '/callbacks',
    allowFrom: ['127.0.0.0/8'],
    trustedProxies: [],
    bodyBytesMax: 65_536,
    requestTimeoutMs: 10_000,
    connectionsMax: 1_000,
  },
  readKeys: () => ['another-key-that-is-changed', key],
  readCertificate: () => undefined,
  files: [],
});
if (listener.kind !== 'listening') throw new Error('a free port is taken');
await using open = new AsyncDisposableStack();
open.use(listener);
const port = Number(new URL(listener.url).port);

async function load(task: Omit<LoadTask, 'port'>): Promise<LoadResult> {
  const child = fork(new URL('./callback-load.ts', import.meta.url));
  child.send({ ...task, port } satisfies LoadTask);
  const [result] = (await once(child, 'message')) as [LoadResult];
  return result;
}

const p = ({ latenciesMs }: LoadResult, share: number): number =>
  latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? NaN;

async function measure(what: string, task: Omit<LoadTask, 'port'>): Promise<LoadResult> {
  const [commitsBefore, cpuBefore] = [commits, process.cpuUsage()];
  const result = await load(task);
  const { user, system } = process.cpuUsage(cpuBefore);
  const { tookMs, answered, refused, cpuMs } = result;
  const figures = [
    `${answered} answered, ${refused} refused`,
    `${Math.round((answered * 1_000) / tookMs)} a second`,
    `p50 ${p(result, 0.5).toFixed(1)} ms, p99 ${p(result, 0.99).toFixed(1)} ms`,
    `${commits - commitsBefore} commits`,
    `processor ${Math.round((user + system) / 1_000)} ms (${((user + system) / answered).toFixed(0)} us each)`,
    `generator ${Math.round(cpuMs)} ms`,
  ];
  console.log(`${what}: ${figures.join('; ')}`);
  return result;
}

const full = await measure('as fast as they are answered', {
  connections: 64,
  perSecond: 0,
  requests: requests.slice(0, rows),
});
const half = await measure('1,000 a second', {
  connections: 64,
  perSecond: perSecondMin / 2,
  requests: requests.slice(rows),
});
const registered = (await store.countRegistrations()).get('registered');
console.log(`${registered} of ${rows * 2} are registered; ${JSON.stringify(listener.counts)}`);
if (
  registered !== rows * 2 ||
  (full.answered * 1_000) / full.tookMs < perSecondMin ||
  p(half, 0.99) > p99MsMax
)
  process.exitCode = 1;
