/**
 * Notices to a program, which is started without a shell and gets the notice on its standard input. Its environment holds
 * only what programs need to run: that of paydrop may hold the client secret.
 */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { encodeJson } from '../core/outgoing-text.ts';
import type { Clock } from '../core/ports.ts';
import type { DueNotice, NoticeSender } from './rules/notice.ts';

type CommandVariables = Readonly<Record<string, string | undefined>>;

interface CommandOptions {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Variables of this process. */
  readonly env: CommandVariables;
  readonly clock: Clock;
  /** Called with each program that has ended; its output may hold anything. */
  readonly onEnd?: (record: CommandRecord) => void;
}

/** Facts that a log may show at its lowest level. @forTests */
export interface CommandRecord {
  readonly kind: DueNotice['kind'];
  readonly batchId: string | null;
  /** Why the notice is not delivered; null when it is. */
  readonly why: string | null;
  /** Output and error output, cut to size. */
  readonly output: string;
}

/** Limit for the program and everything that it has started and that still holds its output. */
const timeoutMs = 60_000;
const outputBytesMax = 4_096;

const interrupted = 'interrupted';

/** Runs the program once for each notice; exit code 0 delivers it. */
export function makeCommand({ command, env, clock, onEnd }: CommandOptions): NoticeSender {
  return {
    channel: 'command',
    async send(notice, stop) {
      if (stop.aborted) return { ok: false, why: interrupted };
      const chunks: Buffer[] = [];
      const why = await run(command, { notice, env, clock, stop, chunks });
      const { kind, batchId } = notice;
      onEnd?.({ kind, batchId, why, output: Buffer.concat(chunks).toString('utf8') });
      return why === null ? { ok: true } : { ok: false, why };
    },
  };
}

interface Run extends Pick<CommandOptions, 'env' | 'clock'> {
  readonly notice: DueNotice;
  readonly stop: AbortSignal;
  /** Receives the program's output. */
  readonly chunks: Buffer[];
}

/** @returns why the notice is not delivered; null when it is */
async function run(
  [program = '', ...programArguments]: readonly string[],
  { notice, env, clock, stop, chunks }: Run,
): Promise<string | null> {
  const over = new AbortController();
  try {
    // A process group of its own, so that everything the program has started is stopped with it.
    const child = spawn(program, programArguments, { env: noticeVariables(env, notice), detached: true });
    // Closed once no process holds its output any more; a program that cannot be started is an error.
    const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
    child.on('error', () => undefined);
    // A program that could not be started may have no streams.
    if (child.pid !== undefined) converse(child, `${encodeJson(notice.body)}\n`, chunks);
    const late = clock.sleep(timeoutMs, AbortSignal.any([over.signal, stop]));
    void late.then(() => (over.signal.aborted ? undefined : killGroup(child)));
    const [exitCode, signal] = await ended;
    if (exitCode === 0) return null;
    return stop.aborted ? interrupted : describeEnd(exitCode, signal);
  } catch (error) {
    return describeFailure(program, error);
  } finally {
    over.abort();
  }
}

/** Gives the program its input and collects its output. */
function converse(child: ChildProcessWithoutNullStreams, input: string, chunks: Buffer[]): void {
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    if (bytes < outputBytesMax) chunks.push(chunk.subarray(0, outputBytesMax - bytes));
    bytes += chunk.length;
  };
  child.stdout.on('data', take);
  child.stderr.on('data', take);
  // A program that does not read its input closes it (EPIPE); its exit code says whether that is a failure.
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', () => undefined);
  child.stdin.end(input);
}

function killGroup(child: ChildProcessWithoutNullStreams): void {
  try {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The group is gone, or the system has no groups.
    child.kill('SIGKILL');
  }
  // A process that has left the group may still hold the streams.
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

/** Variables that programs need to run; the rest of the environment may hold secrets. */
const passedOn = ['PATH', 'HOME', 'LANG', 'TZ'] as const;

/** The variables of one notice; empty where the notice has no value. */
function noticeVariables(env: CommandVariables, { kind, batchId, body }: DueNotice): NodeJS.ProcessEnv {
  const { exitCode } = body;
  return {
    ...Object.fromEntries(passedOn.map((name) => [name, env[name]])),
    PAYDROP_NOTICE_KIND: kind,
    PAYDROP_BATCH_ID: batchId ?? '',
    PAYDROP_EXIT_CODE: typeof exitCode === 'number' ? String(exitCode) : '',
  };
}
