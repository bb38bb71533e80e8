/**
 * Benchmark (e): how soon a run is back at work after `kill -9` with a large batch in its journal: from the start of the
 * process to its first new request at the bank, over several kills. Requests are seen on their way, by a relay between
 * paydrop and the bank. `node test/bench/recover.ts [rows] [kills]`
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { wireNames } from '../../src/bank/wire.ts';
import { memoryOptions, openBankProcess, paydropPath } from './processes.ts';
import { openFolder, writeBankSettings, writePaydropSettings, writePayouts } from './rehearsal.ts';

const rows = Number(process.argv[2] ?? 100_000);
const kills = Number(process.argv[3] ?? 9);

/** So many rows are paid between two kills. */
const paidBetween = 1_000;

const { paths } = wireNames('proxy');

type Endpoint = 'token' | 'payee check' | 'transfer' | 'inquiry';

const endpointOf: ReadonlyMap<string, Endpoint> = new Map([
  [paths.token, 'token'],
  [paths.payeeCheck, 'payee check'],
  [paths.transfer, 'transfer'],
  [paths.inquiry, 'inquiry'],
]);

/** When each kind of request was first seen since the last `forget`, by performance.now(), and transfers in all. */
class Sightings {
  readonly firstMs = new Map<Endpoint, number>();
  transfers = 0;
  #awaited: { readonly transfers: number; readonly resolve: () => void } | undefined;

  see(path: string): void {
    const endpoint = endpointOf.get(path);
    if (endpoint === undefined) throw new Error(`an address that no endpoint has: ${path}`);
    if (!this.firstMs.has(endpoint)) this.firstMs.set(endpoint, performance.now());
    if (endpoint !== 'transfer') return;
    this.transfers += 1;
    if (this.#awaited !== undefined && this.transfers >= this.#awaited.transfers) this.#awaited.resolve();
  }

  forget(): void {
    this.firstMs.clear();
  }

  /** Resolves when so many transfers have been seen in all. */
  waitFor(transfers: number): Promise<void> {
    if (this.transfers >= transfers) return Promise.resolve();
    return new Promise((resolve) => (this.#awaited = { transfers, resolve }));
  }
}

interface Relay extends AsyncDisposable {
  readonly baseUrl: string;
}

/** Passes everything on to the bank and back. */
async function openRelay(bankUrl: string, sightings: Sightings): Promise<Relay> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer((from: IncomingMessage, to: ServerResponse) => {
    sightings.see(from.url ?? '');
    const options = { agent, method: from.method, headers: from.headers };
    const onward = request(new URL(from.url ?? '', bankUrl), options, (answer) => {
      to.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(to);
    });
    onward.on('error', () => to.destroy());
    from.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the relay has no port');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

interface Recovery {
  /** Milliseconds from the start of the process to the first request of any kind. */
  readonly requestMs: number;
  /** To the first that is about a row. */
  readonly rowMs: number;
  /** To the first transfer. */
  readonly transferMs: number;
}

/** Starts the run, lets it send so many transfers, and kills it. */
async function runUntilKilled(
  folder: string,
  settingsPath: string,
  sightings: Sightings,
  transfers: number,
): Promise<Recovery> {
  sightings.forget();
  const startMs = performance.now();
  const args = [...memoryOptions, paydropPath, 'run', join(folder, 'payouts.csv'), '--config', settingsPath];
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'ignore'] });
  const closed = once(run, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  await Promise.race([sightings.waitFor(sightings.transfers + transfers), closed]);
  run.kill('SIGKILL');
  const [exitCode, signal] = await closed;
  if (signal !== 'SIGKILL') throw new Error(`the run ended with ${exitCode} before it was killed`);
  const { firstMs } = sightings;
  const since = (...endpoints: Endpoint[]): number =>
    Math.min(...endpoints.map((endpoint) => firstMs.get(endpoint) ?? Infinity)) - startMs;
  return {
    requestMs: since('token', 'inquiry', 'payee check', 'transfer'),
    rowMs: since('inquiry', 'payee check', 'transfer'),
    transferMs: since('transfer'),
  };
}

function describe(values: readonly number[]): string {
  const sorted = values.toSorted((one, other) => one - other);
  const median = sorted[Math.floor(sorted.length / 2)] ?? NaN;
  return `${median.toFixed(0)} ms (${sorted[0]?.toFixed(0)} to ${sorted.at(-1)?.toFixed(0)})`;
}

await using stack = new AsyncDisposableStack();
const { path: folder } = stack.use(await openFolder());
const bank = stack.use(await openBankProcess(await writeBankSettings(folder), 0));
const sightings = new Sightings();
const relay = stack.use(await openRelay(bank.baseUrl, sightings));
const settingsPath = await writePaydropSettings(folder, relay.baseUrl, { checks: 16, transfers: 16 });
await writePayouts(join(folder, 'payouts.csv'), rows, 'R');
const recoveries: Recovery[] = [];
for (let kill = 0; kill <= kills; kill += 1) {
  const recovery = await runUntilKilled(folder, settingsPath, sightings, paidBetween);
  // The first run reads the file; the others recover.
  if (kill > 0) recoveries.push(recovery);
}
console.log(
  `(e) recover: ${kills} kills, ${rows.toLocaleString('en')} rows in the journal, from the start of the process, median and range: ` +
    `first request ${describe(recoveries.map(({ requestMs }) => requestMs))}, ` +
    `first about a row ${describe(recoveries.map(({ rowMs }) => rowMs))}, ` +
    `first transfer ${describe(recoveries.map(({ transferMs }) => transferMs))}`,
);
