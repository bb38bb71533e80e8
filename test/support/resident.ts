/** paydrop's commands in processes that stay for the next: see resident-program.ts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Task } from './resident-program.ts';

const programPath = process.env['PAYDROP_TEST_RESIDENT'] ?? join(import.meta.dirname, 'resident-program.ts');
const noonClockUrl = new URL('../end-to-end/noon-clock.ts', import.meta.url).href;

/** Most programs of tests end young: with room for all that they make by then, they spend an eighth less on collecting it. */
export const programSwitches: readonly string[] = ['--min-semi-space-size=16'];

/** How a program ended: by itself with a code, or by a signal. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A program under way. */
export interface Program {
  readonly pid: number;
  /** What it has said so far. */
  readonly stdout: string;
  readonly stderr: string;
  readonly ended: Promise<ProgramEnd>;
  kill(signal: NodeJS.Signals): void;
}

type How = Pick<ProgramEnd, 'code' | 'signal'>;

/** Those of this process of tests that have nothing to do. */
const idle = new Set<ChildProcess>();

function openResident(): ChildProcess {
  const child = spawn(process.execPath, [...programSwitches, '--import', noonClockUrl, programPath], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // With nothing to do it does not keep the tests from ending: it ends with them.
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    if (stream instanceof Socket) stream.unref();
  }
  child.once('close', () => idle.delete(child));
  return child;
}

interface Heard {
  /** All so far, without the mark. */
  read(): string;
  /** At the mark, or with the stream. */
  readonly over: Promise<unknown>;
}

function hear(stream: Readable | null, endMark: string): Heard {
  let said = '';
  const over = Promise.withResolvers<void>();
  const take = (chunk: string): void => {
    said += chunk;
    if (said.endsWith(endMark)) end();
  };
  const end = (): void => {
    stream?.off('data', take).off('end', end);
    over.resolve();
  };
  stream?.on('data', take).once('end', end);
  return { read: () => said.split(endMark)[0] ?? '', over: over.promise };
}

/** How the task ends: the process says so and stays, or ends with it. */
async function awaitEnd(child: ChildProcess): Promise<How & { readonly isIdle: boolean }> {
  const over = new AbortController();
  const { signal } = over;
  const told = once(child, 'message', { signal }).then(([code]) => ({
    code: code as number,
    signal: null,
    isIdle: true,
  }));
  const closed = once(child, 'close', { signal }).then(([code, by]) => ({
    code: code as number | null,
    signal: by as NodeJS.Signals | null,
    isIdle: false,
  }));
  try {
    return await Promise.race([told, closed]);
  } finally {
    for (const other of [told, closed]) other.catch(() => undefined);
    over.abort();
  }
}

/** Runs `paydrop` with these arguments in a process that stays: two at once have a process each. */
export function startInResident(task: Omit<Task, 'endMark'>): Program {
  const [child = openResident()] = idle;
  idle.delete(child);
  const { pid } = child;
  if (pid === undefined) throw new Error('the program did not start');
  // Nothing that a command says has this in it.
  const endMark = `\u0000${randomUUID()}`;
  const [stdout, stderr] = [hear(child.stdout, endMark), hear(child.stderr, endMark)];
  let isOver = false;
  // A script that waits for its end would end before it.
  child.ref();
  const finish = async (): Promise<ProgramEnd> => {
    const { isIdle, ...how } = await awaitEnd(child);
    isOver = true;
    await Promise.all([stdout.over, stderr.over]);
    child.unref();
    if (isIdle && child.connected) idle.add(child);
    return { ...how, stdout: stdout.read(), stderr: stderr.read() };
  };
  const ended = finish();
  child.send({ ...task, endMark } satisfies Task);
  return {
    pid,
    ended,
    kill: (signal) => void (isOver || child.kill(signal)),
    get stdout() {
      return stdout.read();
    },
    get stderr() {
      return stderr.read();
    },
  };
}
