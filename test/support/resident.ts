/** paydrop's commands in a process that stays for the next: see resident-program.ts. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Task } from './resident-program.ts';

const programPath = process.env['PAYDROP_TEST_RESIDENT'] ?? join(import.meta.dirname, 'resident-program.ts');
const noonClockUrl = new URL('../end-to-end/noon-clock.ts', import.meta.url).href;

/** How a program ended: by itself with a code, or by a signal. */
export interface ProgramEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The one of this process of tests; undefined where there is none that lives. */
let resident: ChildProcess | undefined;
let isBusy = false;

function openResident(): ChildProcess {
  const child = spawn(process.execPath, ['--import', noonClockUrl, programPath], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  // It does not keep the tests from ending: it ends with them.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    if (stream instanceof Socket) stream.unref();
  }
  child.once('close', () => {
    if (resident === child) resident = undefined;
  });
  return child;
}

/** Reads until the mark, or to the stream's end. */
function readTo(endMark: string, stream: Readable | null): Promise<string> {
  return new Promise((resolve) => {
    let said = '';
    const take = (chunk: string): void => {
      said += chunk;
      if (said.endsWith(endMark)) end();
    };
    const end = (): void => {
      stream?.off('data', take).off('end', end);
      resolve(said.endsWith(endMark) ? said.slice(0, -endMark.length) : said);
    };
    if (stream === null) resolve('');
    else stream.on('data', take).once('end', end);
  });
}

/**
 * Runs `paydrop` with these arguments to its end, in the process that stays.
 * @returns undefined while that process runs another: two at once have a process each
 */
export function runInResident(task: Omit<Task, 'endMark'>): Promise<ProgramEnd> | undefined {
  if (isBusy) return undefined;
  resident ??= openResident();
  return runIn(resident, { ...task, endMark: `\u0000${randomUUID()}` });
}

async function runIn(child: ChildProcess, task: Task): Promise<ProgramEnd> {
  isBusy = true;
  try {
    const told = new AbortController();
    const { signal } = told;
    const ends = [
      once(child, 'message', { signal }).then(([code]) => [code as number, null] as const),
      once(child, 'close', { signal }).then(
        ([code, by]) => [code as number | null, by as NodeJS.Signals | null] as const,
      ),
    ];
    for (const end of ends) end.catch(() => undefined);
    const said = [child.stdout, child.stderr].map((stream) => readTo(task.endMark, stream));
    child.send(task);
    const [code, by] = await Promise.race(ends);
    const [stdout = '', stderr = ''] = await Promise.all(said);
    told.abort();
    return { code, signal: by, stdout, stderr };
  } finally {
    isBusy = false;
  }
}
