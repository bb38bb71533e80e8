/** Runs a command in the process of the test: for what it says and how it ends, where no process is the point. */
import { vi } from 'vitest';
import { runCommandLine } from '../../src/commands.ts';
import type { Ended } from './run-paydrop.ts';

/** Runs `paydrop` with these arguments to its end, in this folder and with this environment. */
export async function callPaydrop(...args: readonly string[]): Promise<Ended> {
  const said = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text);
      return true;
    }),
  );
  try {
    await runCommandLine(args);
    return { code: Number(process.exitCode ?? 0), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
    // What ends is the test's own process.
    process.exitCode = undefined;
  }
}
