/**
 * Notices to a program: it is started without a shell, is given the notice on its standard input, and sees nothing of
 * our environment but what programs need to run: ours may hold the client secret.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { Clock } from '../core/ports.ts';
import type { DueNotice, NoticeSender } from './rules/notice.ts';

type CommandVariables = Readonly<Record<string, string | undefined>>;

export interface CommandOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Of this process. */
  readonly env: CommandVariables;
  readonly clock: Clock;
  /** Told of each program that has ended; its output may hold anything. */
  readonly onEnd?: (record: CommandRecord) => void;
}

/** What a log may show at its lowest level. */
export interface CommandRecord {
  readonly kind: DueNotice['kind'];
  readonly batchId: string | null;
  /** Why the notice is not delivered; null when it is. */
  readonly why: string | null;
  /** Output and error output as they came, cut to size. */
  readonly output: string;
}

/** Covers the program and everything it has started that still holds its output. */
const timeoutMs = 60_000;
const outputBytesMax = 4_096;

type Verdict = Awaited<ReturnType<NoticeSender['send']>>;

/** Runs the program once for each notice; exit code 0 delivers it. */
export function makeCommand({ command, env, clock, onEnd }: CommandOptions): NoticeSender {
  return {
    channel: 'command',
    async send(notice, stop) {
      if (stop.aborted) return interrupted;
      const output: Buffer[] = [];
      const verdict = await run(command, { notice, env, clock, stop, output });
      onEnd?.({
        kind: notice.kind,
        batchId: notice.batchId,
        why: verdict.ok ? null : verdict.why,
        output: Buffer.concat(output).toString('utf8'),
      });
      return verdict;
    },
  };
}

interface Run extends Pick<CommandOptions, 'env' | 'clock'> {
  readonly notice: DueNotice;
  readonly stop: AbortSignal;
  /** Filled with what the program says. */
  readonly output: Buffer[];
}

const interrupted: Verdict = { ok: false, why: 'interrupted' };

async function run(command: readonly string[], { notice, env, clock, stop, output }: Run): Promise<Verdict> {
  const [program = '', ...programArguments] = command;
  const over = new AbortController();
  try {
    // A group of its own: what the program has started is stopped with it.
    const child = spawn(program, programArguments, { env: noticeVariables(env, notice), detached: true });
    const ended = waitForEnd(child);
    // One that could not be started may have no streams.
    if (child.pid !== undefined) converse(child, `${JSON.stringify(notice.body)}\n`, output);
    void killLater(child, clock, over.signal, stop);
    const { exitCode, signal } = await ended;
    if (exitCode === 0) return { ok: true };
    if (stop.aborted) return interrupted;
    return { ok: false, why: describeEnd(exitCode, signal) };
  } catch (error) {
    return { ok: false, why: describeFailure(program, error) };
  } finally {
    over.abort();
  }
}

interface End {
  readonly exitCode: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Resolves when the program has ended and nobody holds its output any more; rejects when it cannot be started. */
function waitForEnd(child: ChildProcessWithoutNullStreams): Promise<End> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (exitCode, signal) => resolve({ exitCode, signal }));
  });
}

/** Gives the program its input and takes what it says. */
function converse(child: ChildProcessWithoutNullStreams, input: string, output: Buffer[]): void {
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    if (bytes < outputBytesMax) output.push(chunk.subarray(0, outputBytesMax - bytes));
    bytes += chunk.length;
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  // A program that does not read its input closes it (EPIPE); its exit code says whether that is a failure.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  child.stdin.end(input);
}

async function killLater(
  child: ChildProcessWithoutNullStreams,
  clock: Clock,
  over: AbortSignal,
  stop: AbortSignal,
): Promise<void> {
  await clock.sleep(timeoutMs, AbortSignal.any([over, stop]));
  if (!over.aborted) killGroup(child);
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // Nobody is left of it, or the system has no groups.
    child.kill('SIGKILL');
  }
  // Who has left the group may still hold them.
  child.stdout.destroy();
  child.stderr.destroy();
}

function describeEnd(exitCode: number | null, signal: NodeJS.Signals | null): string {
  if (exitCode !== null) return `notices.command ended with exit code ${exitCode}`;
  return signal === 'SIGKILL'
    ? `notices.command was killed: it may take ${timeoutMs / 1_000} s and no longer`
    : `notices.command was ended by ${signal ?? 'an unknown signal'}`;
}

const cures: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such program, or it names an interpreter that is not there: correct its path',
  EACCES: 'it may not be executed: check its owner and permissions (chmod +x)',
};

function describeFailure(program: string, error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return `notices.command ${program} cannot be started (${code}): ${cures[code] ?? 'try it by hand'}`;
}

/** What programs need to run; the rest of our environment may hold secrets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ'] as const;

/** The variables of one notice; what a notice does not have is empty. */
function noticeVariables(env: CommandVariables, { kind, batchId, body }: DueNotice): NodeJS.ProcessEnv {
  const ours = Object.fromEntries(
    passedOn.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const { exitCode } = body;
  return {
    ...ours,
    PAYDROP_NOTICE_KIND: kind,
    PAYDROP_BATCH_ID: batchId ?? '',
    PAYDROP_EXIT_CODE: typeof exitCode === 'number' ? String(exitCode) : '',
  };
}
