/**
 * Benchmarks of paying over real HTTP against a sandbox bank in a process of its own:
 * (a) payouts per second beside the plain script, (b) with a slow bank against the bound that its latency sets,
 * (d) peak memory of a large file beside a tenth of it, (h) as (b) at more and more transfers at once, from the first row to
 * the last. `node test/bench/pay.ts a|b|d|h [rows] [at once]`
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  buildProgram,
  builtPath,
  openBankProcess,
  paydropPath,
  plainScriptPath,
  runProgram,
} from './processes.ts';
import type { BankProcess, Usage } from './processes.ts';
import {
  computePerSecond,
  openFolder,
  readSettledMs,
  writeBankSettings,
  writePaydropSettings,
  writePayouts,
  writePlainSettings,
} from './rehearsal.ts';
import type { Lanes } from './rehearsal.ts';

const showCount = (count: number): string => Math.round(count).toLocaleString('en');
const showMb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? NaN;
}

/** A bank and a folder to work in; each program gets a folder, a file and payoutIds of its own. */
interface Stand extends AsyncDisposable {
  readonly bank: BankProcess;
  /** Makes a folder with a payout file in it, `payouts.csv`. */
  prepare(mark: string, rows: number): Promise<string>;
}

async function openStand(latencyMs: number): Promise<Stand> {
  await using stack = new AsyncDisposableStack();
  const { path } = stack.use(await openFolder());
  const bank = stack.use(await openBankProcess(await writeBankSettings(path), latencyMs));
  const owned = stack.move();
  return {
    bank,
    prepare: async (mark, rows) => {
      const folder = join(path, mark);
      await mkdir(folder);
      await writePayouts(join(folder, 'payouts.csv'), rows, mark);
      return folder;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Pays the folder's file with paydrop. @throws Error unless the bank has paid every row */
async function payWithPaydrop(
  { bank }: Stand,
  folder: string,
  rows: number,
  lanes: Lanes,
  path = paydropPath,
): Promise<Usage> {
  const settingsPath = await writePaydropSettings(folder, bank.baseUrl, lanes);
  return provePaid(bank, rows, () =>
    runProgram(folder, path, ['run', join(folder, 'payouts.csv'), '--config', settingsPath]),
  );
}

/** Pays the folder's file with the plain script. @throws Error unless the bank has paid every row */
async function payPlainly({ bank }: Stand, folder: string, rows: number, rowsAtOnce: number): Promise<Usage> {
  const settingsPath = await writePlainSettings(folder, bank.baseUrl, rowsAtOnce);
  const paths = [join(folder, 'payouts.csv'), settingsPath, join(folder, 'results.csv')];
  return provePaid(bank, rows, () => runProgram(folder, plainScriptPath, paths));
}

async function provePaid(bank: BankProcess, rows: number, pay: () => Promise<Usage>): Promise<Usage> {
  const before = await bank.countMoved();
  const usage = await pay();
  const moved = (await bank.countMoved()) - before;
  if (moved !== rows) throw new Error(`the bank has paid ${moved} of ${rows} rows`);
  return usage;
}

/** Payouts a second between two shares of the outcomes, by the journal's own record of when each was settled. */
const readPaidPerSecond = (folder: string, fromShare: number, toShare: number): number =>
  computePerSecond(readSettledMs(folder), fromShare, toShare);

const rounds = 5;
const laneWidth = 16;

/**
 * (a) The two programs take turns, so that what else the machine does meets both alike. Each is timed as a whole,
 * from the start of its process to its end: paydrop's seal, journal and reports count, and so does either's start.
 */
async function benchThroughput(rows: number): Promise<void> {
  await using stand = await openStand(0);
  const warmUpRows = Math.ceil(rows / 5);
  await payPlainly(stand, await stand.prepare('W', warmUpRows), warmUpRows, laneWidth);
  const plain: Usage[] = [];
  const paydrop: Usage[] = [];
  const paying: number[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    plain.push(await payPlainly(stand, await stand.prepare(`S${round}`, rows), rows, laneWidth));
    const folder = await stand.prepare(`P${round}`, rows);
    const lanes = { checks: laneWidth, transfers: laneWidth };
    paydrop.push(await payWithPaydrop(stand, folder, rows, lanes));
    paying.push(readPaidPerSecond(folder, 0, 1));
  }
  const rateOf = (usages: readonly Usage[]): number =>
    rows / (median(usages.map(({ wallMs }) => wallMs)) / 1_000);
  const cpuOf = (usages: readonly Usage[]): string =>
    ((median(usages.map(({ cpuMs }) => cpuMs)) / rows) * 1_000).toFixed(0);
  const ratio = median(plain.map(({ wallMs }, round) => wallMs / (paydrop[round]?.wallMs ?? NaN)));
  console.log(
    `(a) pay: ${showCount(rows)} rows, no latency, ${laneWidth} at a time, median of ${rounds} whole processes: ` +
      `paydrop ${showCount(rateOf(paydrop))} payouts/s (${showCount(median(paying))} while paying, ` +
      `${cpuOf(paydrop)} µs CPU each), plain script ${showCount(rateOf(plain))} (${cpuOf(plain)} µs), ` +
      `ratio ${ratio.toFixed(2)}`,
  );
}

const slowLatencyMs = 100;
const slowTransfers = 32;

/** (b) The first and last tenth, in which the lanes fill and drain, are left out. */
async function benchLatency(rows: number): Promise<void> {
  await using stand = await openStand(slowLatencyMs);
  const folder = await stand.prepare('L', rows);
  await payWithPaydrop(stand, folder, rows, { checks: slowTransfers, transfers: slowTransfers });
  const steady = readPaidPerSecond(folder, 0.1, 0.9);
  const bound = slowTransfers / (slowLatencyMs / 1_000);
  console.log(
    `(b) pay: ${showCount(rows)} rows, ${slowLatencyMs} ms latency, ${slowTransfers} at a time: ` +
      `${steady.toFixed(1)} payouts/s in steady state (${readPaidPerSecond(folder, 0, 1).toFixed(1)} from first to last), ` +
      `bound ${bound}, ratio ${(steady / bound).toFixed(3)}`,
  );
}

/** (d) Reading, sealing, paying and reporting, in one process each, of the program as it is installed. */
async function benchMemory(rows: number): Promise<void> {
  buildProgram();
  await using stand = await openStand(0);
  const lanes = { checks: laneWidth, transfers: laneWidth };
  const fewRows = Math.ceil(rows / 10);
  const few = await payWithPaydrop(stand, await stand.prepare('F', fewRows), fewRows, lanes, builtPath);
  const many = await payWithPaydrop(stand, await stand.prepare('M', rows), rows, lanes, builtPath);
  console.log(
    `(d) pay: ${showCount(rows)} rows in ${(many.wallMs / 1_000).toFixed(0)} s, peak memory ${showMb(many.peakBytes)}; ` +
      `${showCount(fewRows)} rows ${showMb(few.peakBytes)}, ratio ${(many.peakBytes / few.peakBytes).toFixed(2)}`,
  );
}

const widths = [16, 64, 256];

/** (h) Of the CPU of two programs and a machine: where the bound is not reached, it says who had none left. */
async function benchWidths(rows: number, atOnce: readonly number[]): Promise<void> {
  for (const width of atOnce) {
    await using stand = await openStand(slowLatencyMs);
    const folder = await stand.prepare('H', rows);
    const bankCpuMs = stand.bank.readCpuMs();
    const usage = await payWithPaydrop(stand, folder, rows, { checks: width, transfers: width });
    const [paid, steady] = [readPaidPerSecond(folder, 0, 1), readPaidPerSecond(folder, 0.1, 0.9)];
    const bound = width / (slowLatencyMs / 1_000);
    const showCpu = (cpuMs: number): string => `${(cpuMs / 1_000).toFixed(1)} s`;
    console.log(
      `(h) pay: ${showCount(rows)} rows, ${slowLatencyMs} ms latency, ${width} at a time: ${paid.toFixed(0)} payouts/s ` +
        `from first to last (${steady.toFixed(0)} without the first and last tenth), bound ${bound}, ` +
        `ratio ${(paid / bound).toFixed(3)} (${(steady / bound).toFixed(3)}); ${(usage.wallMs / 1_000).toFixed(0)} s, ` +
        `CPU of paydrop ${showCpu(usage.cpuMs)}, of the bank ${showCpu(stand.bank.readCpuMs() - bankCpuMs)}, ` +
        `peak memory ${showMb(usage.peakBytes)}`,
    );
  }
}

const benchmarks: Readonly<Record<string, (rows?: number) => Promise<void>>> = {
  a: (rows = 10_000) => benchThroughput(rows),
  b: (rows = 5_000) => benchLatency(rows),
  d: (rows = 200_000) => benchMemory(rows),
  h: (rows = 20_000) => benchWidths(rows, atOnceText === undefined ? widths : [Number(atOnceText)]),
};

const [name = '', rowsText, atOnceText] = process.argv.slice(2);
const benchmark = benchmarks[name];
if (benchmark === undefined) throw new Error('which benchmark? a, b, d or h');
await benchmark(rowsText === undefined ? undefined : Number(rowsText));
