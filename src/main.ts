#!/usr/bin/env -S node --max-semi-space-size=16 --heap-growing-percent=50
import { backupCommand } from './cli/backup.ts';
import { checkCommand } from './cli/check.ts';
import { configCommand } from './cli/config.ts';
import { makeCommandLine } from './cli/options.ts';
import { guardOutput } from './cli/output.ts';
import { cancelCommand, resumeCommand, retryCommand } from './cli/people.ts';
import { reconcileCommand } from './cli/reconcile.ts';
import { reportFailure } from './cli/report-failure.ts';
import { runCommand } from './cli/run.ts';
import { sandboxCommand } from './cli/sandbox.ts';
import { settleCommand } from './cli/settle.ts';
import { showCommand } from './cli/show.ts';
import { statusCommand } from './cli/status.ts';
import { watchCommand } from './cli/watch.ts';

/**
 * The bin entry: registers the commands and turns what they throw into an exit code. The switches above keep memory
 * flat: left alone, V8 lets garbage pile up to many times what lives.
 */

guardOutput();
try {
  // The commands load what they need when they run: --help loads none of it.
  await makeCommandLine(process.argv.slice(2))
    .command(runCommand)
    .command(checkCommand)
    .command(reconcileCommand)
    .command(statusCommand)
    .command(showCommand)
    .command(settleCommand)
    .command(resumeCommand)
    .command(cancelCommand)
    .command(retryCommand)
    .command(backupCommand)
    .command(watchCommand)
    .command(sandboxCommand)
    .command(configCommand)
    .parseAsync();
} catch (error) {
  // The code is set rather than the process ended, so that no output is cut off.
  process.exitCode = await reportFailure(error);
}
