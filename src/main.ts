import { addCommands } from './cli/commands.ts';
import { makeCommandLine } from './cli/options.ts';
import { guardOutput } from './cli/output.ts';
import { reportFailure } from './cli/report-failure.ts';

/** Registers the commands and turns what they throw into an exit code; launch.cts, the bin entry, starts it. */

guardOutput();
try {
  // The commands load what they need when they run: --help loads none of it.
  await addCommands(makeCommandLine(process.argv.slice(2))).parseAsync();
} catch (error) {
  // The code is set rather than the process ended, so that no output is cut off.
  process.exitCode = await reportFailure(error);
}
