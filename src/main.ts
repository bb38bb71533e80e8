#!/usr/bin/env -S node --disable-sigusr1 --max-semi-space-size=16 --heap-growing-percent=50
import { addCommands } from './cli/commands.ts';
import { makeCommandLine } from './cli/options.ts';
import { guardOutput } from './cli/output.ts';
import { reportFailure } from './cli/report-failure.ts';

/**
 * The bin entry: registers the commands and turns what they throw into an exit code. The switches above keep memory
 * flat: left alone, V8 lets garbage pile up to many times what lives.
 */

guardOutput();
try {
  // The commands load what they need when they run: --help loads none of it.
  await addCommands(makeCommandLine(process.argv.slice(2))).parseAsync();
} catch (error) {
  // The code is set rather than the process ended, so that no output is cut off.
  process.exitCode = await reportFailure(error);
}
