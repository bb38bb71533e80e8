/** A scene of real processes: a sandbox bank that outlives its client, paydrop as a shell runs it, real files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { stringify } from 'yaml';
import type { Ledger } from '../../src/sandbox/book.ts';
import { paydropPath } from '../cli/run-paydrop.ts';
import { type Program, type ProgramEnd, programSwitches, startInResident } from '../support/resident.ts';
import type { Task } from '../support/resident-program.ts';
import { partner } from '../support/core-fixtures.ts';
import { findFiles, type Line, readTable } from '../support/tables.ts';
import { makeClocks, type SceneClocks } from './clocks.ts';

const noonClockUrl = new URL('./noon-clock.ts', import.meta.url).href;

/** A sandbox bank in a process of its own; its ledger outlives the process. */
interface BankProcess {
  readonly baseUrl: string;
  ledger(): Promise<Ledger>;
  /** Changes the bank while it runs; the scene's sandbox settings must allow it (`control: true`). */
  control(command: object): Promise<void>;
  /** Sends its process a signal: SIGSTOP makes a bank that takes connections and never answers. */
  signal(signal: NodeJS.Signals): void;
  /** Ends the process as a power cut would. */
  kill(): Promise<void>;
  /** Ends it as an operator would. */
  close(): Promise<void>;
  /** Opens the same bank again: same port, same ledger; at another pace, or as another kind, when one is given. */
  reopen(latencyMs?: number, asBank?: boolean): Promise<void>;
}

export interface SceneSettings {
  /** The sandbox section of the bank's settings. */
  readonly sandbox?: object;
  readonly settle?: object;
  readonly brake?: object;
  readonly verify?: object;
  readonly transfer?: object;
  readonly bank?: object;
  readonly journal?: object;
  readonly limits?: object;
  readonly input?: object;
  /** Health and metrics are nowhere to be read unless `listen` says where. */
  readonly watch?: object;
  readonly notices?: object;
  readonly reconcile?: object;
  readonly registration?: object;
  /** Folders that are elsewhere than in the data directory. */
  readonly folders?: object;
  /** The data directory, instead of one in the scene's folder. */
  readonly dataDir?: string;
  /** The bank does not say that it is a sandbox: all that is asked of a real one is asked of it. */
  readonly asBank?: boolean;
  /** Every command in a process of its own, also one that is run to its end: where the process is the point. */
  readonly ownProcesses?: boolean;
  /** Node's own switches for paydrop: it has a process of its own then. */
  readonly switches?: readonly string[];
  /** Leaves the folder where it is, to be looked at. */
  readonly keep?: boolean;
}

export interface Scene extends AsyncDisposable {
  readonly folder: string;
  readonly dataDir: string;
  readonly outbox: string;
  /** Settings of paydrop. */
  readonly configPath: string;
  /** Where the bank writes down each transfer as it enters, one line each after the first. */
  readonly bankStatePath: string;
  readonly bank: BankProcess;
  readonly clocks: SceneClocks;
  /** Writes a payout file, over one of the same name; returns its path. */
  addFile(name: string, csv: string): Promise<string>;
  /** Starts `paydrop` with these arguments and the scene's settings. */
  start(...args: string[]): Program;
  /** Runs it to its end. */
  run(...args: string[]): Promise<ProgramEnd>;
  /** The same two with other settings. */
  startWith(configPath: string, ...args: string[]): Program;
  runWith(configPath: string, ...args: string[]): Promise<ProgramEnd>;
}

/** Starts `paydrop` with these arguments. */
type Launch = (...args: readonly string[]) => Program;

function describeSettings(changes: SceneSettings, baseUrl: string): object {
  return {
    dataDir: changes.dataDir ?? './data',
    // Long for a busy machine: a reply that comes is never taken for lost.
    bank: { baseUrl, ...partner, timeoutMs: 30_000, ...changes.bank },
    journal: { ...changes.journal },
    verify: { ...changes.verify },
    transfer: { ...changes.transfer },
    limits: { ...changes.limits },
    input: { ...changes.input },
    watch: { listen: '', ...changes.watch },
    notices: { ...changes.notices },
    reconcile: { ...changes.reconcile },
    registration: { ...changes.registration },
    folders: { ...changes.folders },
    settle: {
      firstDelayMs: 100,
      maxDelayMs: 400,
      notFoundTrustMs: 300,
      giveUpAfterMs: 600_000,
      resendsMax: 50,
      intentMaxAgeMs: 3_600_000,
      ...changes.settle,
    },
    brake: {
      consecutiveFailures: 1_000,
      failureShare: 1,
      window: 100,
      inDoubtMax: 5_000,
      ...changes.brake,
    },
  };
}

/** Opens a folder, and in it a bank and the settings to reach it. Everything is ended and removed with the scene. */
export async function openScene(changes: SceneSettings = {}): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-scene-'));
  const clocks = makeClocks(folder);
  const isAlone = changes.ownProcesses === true || changes.switches !== undefined;
  const programs = new Set<Program>();
  const launcherOf =
    (owner: 'paydrop' | 'bank'): Launch =>
    (...args) => {
      const task = { args, cwd: folder, env: environmentOf(clocks.pathOf(owner)) };
      const program =
        isAlone && owner === 'paydrop' ? spawnPaydrop(task, changes.switches) : startInResident(task);
      programs.add(program);
      void program.ended.finally(() => programs.delete(program));
      return program;
    };
  const launch = launcherOf('paydrop');
  const bankStatePath = join(folder, 'bank.jsonl');
  const bankConfigPath = join(folder, 'bank.yaml');
  const configPath = join(folder, 'paydrop.yaml');
  const killAll = (): void => {
    for (const program of programs) program.kill('SIGKILL');
  };
  // No program outlives a process that ends before it has cleared away.
  process.once('exit', killAll);
  let bank: BankProcess | undefined;
  const end = async (): Promise<void> => {
    await bank?.close();
    const ends = [...programs].map(({ ended }) => ended);
    killAll();
    await Promise.all(ends);
    process.off('exit', killAll);
    if (changes.keep !== true) await rm(folder, { recursive: true, force: true });
  };
  try {
    await mkdir(join(folder, 'in'));
    const table = { bank: { baseUrl: 'sandbox', ...partner }, sandbox: changes.sandbox ?? {} };
    await writeFile(bankConfigPath, stringify(table));
    bank = await openBank(launcherOf('bank'), bankConfigPath, bankStatePath, changes.asBank);
    await writeFile(configPath, stringify(describeSettings(changes, bank.baseUrl)));
    const dataDir = changes.dataDir ?? join(folder, 'data');
    const startWith = (path: string, args: readonly string[]): Program => launch(...args, '--config', path);
    return {
      folder,
      dataDir,
      outbox: join(dataDir, 'outbox'),
      configPath,
      bankStatePath,
      bank,
      clocks,
      start: (...args) => startWith(configPath, args),
      run: (...args) => startWith(configPath, args).ended,
      startWith: (path, ...args) => startWith(path, args),
      runWith: (path, ...args) => startWith(path, args).ended,
      addFile: async (name, csv) => {
        const path = join(folder, 'in', name);
        await writeFile(path, csv);
        return path;
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

const environmentOf = (clockPath: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PAYDROP_TEST_CLOCK_FILE: clockPath,
});

/** Starts `paydrop` in a process of its own. */
function spawnPaydrop({ args, cwd, env }: Omit<Task, 'endMark'>, switches: readonly string[] = []): Program {
  const how = [...programSwitches, ...switches, '--import', noonClockUrl];
  const child = spawn(process.execPath, [...how, paydropPath, ...args], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const { pid } = child;
  if (pid === undefined) throw new Error('the program did not start');
  const stdout = gather(child.stdout);
  const stderr = gather(child.stderr);
  const close = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  const ended = close.then(([code, signal]) => ({ code, signal, stdout: stdout(), stderr: stderr() }));
  return {
    pid,
    ended,
    kill: (signal) => void child.kill(signal),
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
  };
}

/** Reads all that comes; returns what tells how much that is so far. */
function gather(stream: Readable): () => string {
  let said = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
  return () => said;
}

async function openBank(
  launch: Launch,
  configPath: string,
  statePath: string,
  opensAsBank = false,
): Promise<BankProcess> {
  let port = 0;
  let controlToken = '';
  let program: Program | undefined;
  const open = async (latencyMs?: number, asBank = opensAsBank): Promise<string> => {
    const args = ['--config', configPath, '--state', statePath, '--port', String(port), '--json'];
    if (asBank) args.push('--as-bank');
    const pace = latencyMs === undefined ? [] : ['--latency-ms', String(latencyMs)];
    program = launch('sandbox', ...args, ...pace);
    const facts = await readFacts(program);
    controlToken = facts.controlToken;
    return facts.baseUrl;
  };
  const bearer = () => ({ authorization: `Bearer ${controlToken}` });
  const baseUrl = await open();
  port = Number(new URL(baseUrl).port);
  return {
    baseUrl,
    ledger: async () => (await (await fetch(`${baseUrl}/ledger`, { headers: bearer() })).json()) as Ledger,
    control: async (command) => {
      const options = { method: 'POST', body: JSON.stringify(command), headers: bearer() };
      const response = await fetch(`${baseUrl}/sandbox/control`, options);
      if (!response.ok) throw new Error(`the bank does not obey: ${await response.text()}`);
    },
    signal: (signal) => program?.kill(signal),
    kill: async () => {
      program?.kill('SIGKILL');
      await program?.ended;
    },
    close: async () => {
      // It may stand still.
      for (const signal of ['SIGCONT', 'SIGTERM'] as const) program?.kill(signal);
      await program?.ended;
    },
    reopen: async (latencyMs, asBank) => void (await open(latencyMs, asBank)),
  };
}

interface BankFacts {
  readonly baseUrl: string;
  readonly controlToken: string;
}

/** The bank says its address, and its token for the ledger, once it listens. */
async function readFacts(program: Program): Promise<BankFacts> {
  let end: ProgramEnd | undefined;
  void program.ended.then((it) => (end = it));
  await until(() => end !== undefined || program.stdout.includes('\n'));
  if (end !== undefined) throw new Error(`the bank ended before it was open: ${end.stderr}`);
  return JSON.parse(program.stdout) as BankFacts;
}

/** Rarely enough to leave the machine to those who are waited for. */
const lookMs = 20;

/**
 * Looks now and then until it is so.
 * @param pollMs longer where a look is a command
 * @throws Error when that takes longer than `waitMs`
 */
export async function until(
  isSo: () => boolean | Promise<boolean>,
  waitMs = 120_000,
  pollMs = lookMs,
): Promise<void> {
  const endsAtMs = performance.now() + waitMs;
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`waited ${waitMs} ms in vain: ${String(isSo)}`);
    await sleep(pollMs);
  }
}

export type { Program, ProgramEnd };
export { findFiles as findReports, readTable, type Line };

/** The only result of the outbox, each row as the latest update has it. */
export async function readPresentResult(outbox: string): Promise<Line[]> {
  const [first, ...more] = await findFiles(outbox, /^[^.].*\.result\.csv$/);
  if (first === undefined || more.length > 0)
    throw new Error(`${outbox} has ${more.length + (first ? 1 : 0)} results`);
  const present = await readTable(first);
  for (const path of await findFiles(outbox, /^[^.].*\.result-update-\d+\.csv$/)) {
    for (const line of await readTable(path)) present[Number(line['rowNo']) - 1] = line;
  }
  return present;
}
