import { runCommandLine } from './commands.ts';
import { guardOutput } from './cli/output.ts';

/** Reads the command line and does what it says; launch.cts, the bin entry, starts it. */

guardOutput();
await runCommandLine(process.argv.slice(2));
