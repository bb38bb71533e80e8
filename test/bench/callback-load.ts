/**
 * The bank of benchmark (callbacks), in a process of its own and as light as can be: raw connections that stay, requests
 * made beforehand. What waits for a connection has its time counted from when it was due.
 */
import { connect } from 'node:net';

/** What is to be sent, and how. */
export interface LoadTask {
  readonly port: number;
  readonly connections: number;
  /** Requests a second; 0: as fast as they are answered. */
  readonly perSecond: number;
  readonly requests: readonly string[];
}

export interface LoadResult {
  readonly tookMs: number;
  readonly answered: number;
  readonly refused: number;
  /** Of each request that was answered, in order of time taken. */
  readonly latenciesMs: readonly number[];
  readonly cpuMs: number;
}

const answeredPattern = '"statusCode":"0"';

function run({ port, connections, perSecond, requests }: LoadTask): Promise<LoadResult> {
  const { promise, resolve } = Promise.withResolvers<LoadResult>();
  const startMs = performance.now();
  const cpuStart = process.cpuUsage();
  const latenciesMs: number[] = [];
  const idle: (() => void)[] = [];
  let [next, refused] = [0, 0];
  const dueMsOf = (place: number): number => (perSecond === 0 ? 0 : startMs + (place * 1_000) / perSecond);
  const finish = (): void => {
    const { user, system } = process.cpuUsage(cpuStart);
    const tookMs = performance.now() - startMs;
    latenciesMs.sort((one, other) => one - other);
    resolve({ tookMs, answered: latenciesMs.length, refused, latenciesMs, cpuMs: (user + system) / 1_000 });
  };
  for (let no = 0; no < connections; no += 1) {
    const socket = connect(port, '127.0.0.1').setNoDelay(true);
    let sinceMs = 0;
    const send = (): void => {
      const place = next;
      const nowMs = performance.now();
      if (place >= requests.length || dueMsOf(place) > nowMs) return void idle.push(send);
      next += 1;
      sinceMs = perSecond === 0 ? nowMs : dueMsOf(place);
      socket.write(requests[place] ?? '');
    };
    socket.setEncoding('latin1');
    // An answer is one small segment.
    socket.on('data', (text) => {
      if (String(text).includes(answeredPattern)) latenciesMs.push(performance.now() - sinceMs);
      else refused += 1;
      if (latenciesMs.length + refused === requests.length) finish();
      send();
    });
    socket.on('connect', send);
    // The parent ends with it.
    socket.on('close', () => {
      if (latenciesMs.length + refused < requests.length) throw new Error('a connection was closed');
    });
  }
  const sendDue = (): void => {
    for (const send of idle.splice(0)) send();
  };
  if (perSecond > 0) setInterval(sendDue, 2);
  return promise;
}

process.on(
  'message',
  (task: LoadTask) => void run(task).then((result) => process.send?.(result, () => process.exit())),
);
