/** Runs a command in the process of the test: for what it says and how it ends, where no process is the point. */
import { vi } from 'vitest';
import { addCommands } from '../../src/cli/commands.ts';
import { makeCommandLine } from '../../src/cli/options.ts';
import { reportFailure } from '../../src/cli/report-failure.ts';
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
    await addCommands(makeCommandLine(args)).parseAsync();
    return { code: Number(process.exitCode ?? 0), ...said };
  } catch (error) {
    const code = await reportFailure(error);
    return { code, ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
    // What ends is the test's own process.
    process.exitCode = undefined;
  }
}
