/** Runs a script of this folder as a process of its own, to be killed. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface Child extends AsyncDisposable {
  /** Lines that the script has written so far. */
  readonly lines: readonly string[];
  /** Resolves when the script has written this many lines; rejects when it ends before. */
  waitForLines(count: number): Promise<void>;
  /** Kills it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const isGone = once(child, 'exit');
  child.kill('SIGKILL');
  await isGone;
}

export function startChild(script: URL, args: readonly string[]): Child {
  const child = spawn(process.execPath, [fileURLToPath(script), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const lines: string[] = [];
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (line) => lines.push(line));
  const hasEnded = once(reader, 'close');
  return {
    lines,
    waitForLines: async (count) => {
      while (lines.length < count) {
        const ended = await Promise.race([once(reader, 'line').then(() => false), hasEnded.then(() => true)]);
        if (ended && lines.length < count)
          throw new Error(`the script ended after ${lines.length} lines: ${errors}`);
      }
    },
    kill: async () => {
      await killAndWait(child);
      await hasEnded;
    },
    [Symbol.asyncDispose]: () => killAndWait(child),
  };
}
