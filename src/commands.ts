/** Every command, in the order of `--help`. */
import type { Argv } from 'yargs';
import { approveCommand, proposalsCommand } from './cli/approve.ts';
import {
  adoptCommand,
  archiveCommand,
  backupCommand,
  initCommand,
  moveCommand,
  restoreCommand,
} from './cli/journal.ts';
import { checkCommand } from './cli/check.ts';
import { callbacksCommand } from './cli/registration/callbacks.ts';
import { configCommand } from './cli/config.ts';
import { auditCommand, evidenceCommand } from './cli/evidence.ts';
import { exceptionsCommand } from './cli/exceptions.ts';
import {
  acceptCommand,
  acknowledgeCommand,
  confirmCommand,
  decideCommand,
  haltCommand,
  releaseCommand,
} from './cli/decide.ts';
import { listCommand } from './cli/list.ts';
import { cancelCommand, resumeCommand, retryCommand } from './cli/operator.ts';
import { type Command, type GlobalOptions, makeCommandLine } from './cli/options.ts';
import { recordOnStderr, silenceRecords } from './cli/output.ts';
import { reconcileCommand } from './cli/reconcile.ts';
import { registerCommand } from './cli/registration/register.ts';
import { reportFailure } from './cli/report-failure.ts';
import { forgetExitCode, notedExitCode, weightierOf } from './cli/exit-codes.ts';
import { queueCommand } from './cli/queue.ts';
import { resultCommand } from './cli/result.ts';
import { reviewCommand } from './cli/review.ts';
import { runCommand } from './cli/run.ts';
import { sandboxCommand } from './cli/sandbox.ts';
import { settleCommand } from './cli/settle.ts';
import { showCommand, statusCommand } from './cli/status.ts';
import { verifyCommand } from './cli/verify.ts';
import { userCommand } from './cli/user.ts';
import { watchCommand } from './cli/watch.ts';

/** @forTests */
export const commands: readonly Command[] = [
  runCommand,
  registerCommand,
  checkCommand,
  reconcileCommand,
  statusCommand,
  showCommand,
  settleCommand,
  resumeCommand,
  cancelCommand,
  retryCommand,
  backupCommand,
  watchCommand,
  callbacksCommand,
  sandboxCommand,
  configCommand,
  initCommand,
  verifyCommand,
  adoptCommand,
  restoreCommand,
  moveCommand,
  resultCommand,
  listCommand,
  archiveCommand,
  decideCommand,
  proposalsCommand,
  approveCommand,
  confirmCommand,
  acknowledgeCommand,
  releaseCommand,
  exceptionsCommand,
  userCommand,
  reviewCommand,
  acceptCommand,
  haltCommand,
  auditCommand,
  queueCommand,
  evidenceCommand,
];

/** The command line with every command; each one's help ends with its exit codes. */
function addCommands(commandLine: Argv<GlobalOptions>): Argv<GlobalOptions> {
  for (const command of commands) {
    const meanings = Object.entries(command.exits).map(([code, meaning]) => `  ${code}  ${meaning}`);
    const epilogue = ['Exit codes:', ...meanings].join('\n');
    commandLine.command({ ...command, builder: (line) => command.builder(line).epilogue(epilogue) });
  }
  return commandLine.completion(
    'completion',
    'print what lets the Tab key complete commands, for bash or zsh',
  );
}

/** Read before the command line is, so that messages of that time are held back, too. */
const asksForSilence = (args: readonly string[]): boolean =>
  args.some(
    (word, place) =>
      word === '--log-level=silent' || (word === 'silent' && args[place - 1] === '--log-level'),
  );

/** Runs the named command, and sets the process's exit code, also after an error. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  recordOnStderr(args.includes('--json') ? 'failures, too' : 'nothing');
  silenceRecords(asksForSilence(args));
  forgetExitCode();
  try {
    // Commands load their modules when they run, so that --help loads none of them.
    await addCommands(makeCommandLine(args)).parseAsync();
  } catch (error) {
    // Sets the code without ending the process, so that no output is cut off.
    process.exitCode = weightierOf(notedExitCode(), await reportFailure(error));
  }
}
