/** The processes of a benchmark: measured programs, and a sandbox bank that outlives them. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Ledger } from '../../src/sandbox/book.ts';

const pathOf = (fromHere: string): string => fileURLToPath(new URL(fromHere, import.meta.url));

export const paydropPath = pathOf('../../src/main.ts');
export const plainScriptPath = pathOf('./plain-script.ts');

/** The program as it is installed; `buildProgram` makes it. */
export const builtPath = pathOf('../../dist/launch.cjs');

export function buildProgram(): void {
  execFileSync('npm', ['run', 'build'], { cwd: pathOf('../..'), stdio: 'ignore' });
}

/**
 * Loaded before a measured program: leaves what the process has used where the benchmark reads it. It needs nothing that
 * strips types, which would count as the program's memory.
 */
const noteUsageUrl = `data:text/javascript,${encodeURIComponent(`
  import { writeFileSync } from 'node:fs';
  process.once('exit', () => {
    const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage();
    const usage = { peakBytes: maxRSS * 1_024, cpuMs: (userCPUTime + systemCPUTime) / 1_000 };
    writeFileSync(process.env.PAYDROP_BENCH_USAGE, JSON.stringify(usage));
  });
`)}`;

/** What one program took, from its start to its end. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  readonly peakBytes: number;
}

/** Those of src/launch.cts, with which the installed command runs. */
export const memoryOptions = ['--max-semi-space-size=32', '--heap-growing-percent=100'];

/** Node's own switches for a measured program, such as `--cpu-prof`. */
const extraOptions = (process.env['PAYDROP_BENCH_NODE'] ?? '').split(' ').filter((word) => word !== '');

/**
 * Runs a program of ours to its end.
 * @param folder where it may leave files
 * @param preloads addresses of modules that are loaded before it
 * @throws Error when it does not end as expected
 */
export async function runProgram(
  folder: string,
  path: string,
  args: readonly string[],
  expected = 0,
  preloads: readonly string[] = [],
): Promise<Usage> {
  const usagePath = join(folder, 'usage.json');
  const startMs = performance.now();
  const child = spawn(
    process.execPath,
    [
      ...[noteUsageUrl, ...preloads].flatMap((url) => ['--import', url]),
      ...(path === paydropPath ? memoryOptions : []),
      ...extraOptions,
      path,
      ...args,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'], env: { ...process.env, PAYDROP_BENCH_USAGE: usagePath } },
  );
  const [exitCode] = (await once(child, 'close')) as [number | null];
  const wallMs = performance.now() - startMs;
  if (exitCode !== expected) throw new Error(`${path} ${args.join(' ')} ended with ${exitCode}`);
  const usage = JSON.parse(await readFile(usagePath, 'utf8')) as Omit<Usage, 'wallMs'>;
  return { wallMs, ...usage };
}

/** A sandbox bank in a process of its own. */
export interface BankProcess extends AsyncDisposable {
  readonly baseUrl: string;
  /** How many transfers have moved money since the bank was opened. */
  countMoved(): Promise<number>;
  /** What really moved since then. */
  readLedger(): Promise<Ledger>;
  /** User and system time of the process so far, in milliseconds; NaN where /proc does not tell. */
  readCpuMs(): number;
}

/** Opens a sandbox bank whose every answer takes so long. */
export async function openBankProcess(settingsPath: string, latencyMs: number): Promise<BankProcess> {
  const args = ['sandbox', '--config', settingsPath, '--port', '0', '--latency-ms', String(latencyMs)];
  const child = spawn(process.execPath, [...memoryOptions, paydropPath, ...args, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const facts = JSON.parse(await readFirstLine(child)) as { baseUrl: string; controlToken: string };
  const { baseUrl, controlToken } = facts;
  const readLedger = async (): Promise<Ledger> => {
    const headers = { authorization: `Bearer ${controlToken}` };
    const response = await fetch(`${baseUrl}/ledger`, { headers });
    return (await response.json()) as Ledger;
  };
  return {
    baseUrl,
    countMoved: async () => (await readLedger()).totals.references,
    readLedger,
    readCpuMs: () => readCpuMs(child.pid),
    [Symbol.asyncDispose]: async () => {
      const ended = once(child, 'close');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/**
 * User and system time of a process so far, in milliseconds, in hundredths of a second as /proc counts; NaN where it does
 * not tell.
 * @param withEnded also that of its children that have ended
 */
export function readCpuMs(pid: number | undefined, withEnded = false): number {
  try {
    const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '');
    const ticks = afterName.split(' ').slice(11, withEnded ? 15 : 13);
    return ticks.reduce((sum, text) => sum + Number(text), 0) * 10;
  } catch {
    return NaN;
  }
}

/** Hundredths of a second of all cores. */
export interface CoreTimes {
  readonly busyTicks: number;
  readonly allTicks: number;
}

/** What all cores together have done since the machine was started; NaN where /proc does not tell. */
export function readCoreTimes(): CoreTimes {
  try {
    const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
    // Of guests is in the first two, too.
    const ticks = line.trim().split(/\s+/).slice(1, 9).map(Number);
    const allTicks = ticks.reduce((sum, one) => sum + one, 0);
    const [idle = NaN, waiting = NaN] = ticks.slice(3, 5);
    return { busyTicks: allTicks - idle - waiting, allTicks };
  } catch {
    return { busyTicks: NaN, allTicks: NaN };
  }
}

/** The share of the time between two moments in which the cores were busy, by whomever: 0 to 1. */
export const computeBusyShare = (from: CoreTimes, to: CoreTimes): number =>
  (to.busyTicks - from.busyTicks) / (to.allTicks - from.allTicks);

async function readFirstLine({ stdout }: ChildProcess): Promise<string> {
  if (stdout === null) throw new Error('the bank has no output');
  for await (const line of createInterface({ input: stdout })) return line;
  throw new Error('the bank ended before it was open');
}
