/** Every command, in the order of `--help`. */
import type { Argv } from 'yargs';
import { approveCommand, proposalsCommand } from './approve.ts';
import { archiveCommand } from './journal/archive.ts';
import { backupCommand } from './journal/backup.ts';
import { checkCommand } from './check.ts';
import { callbacksCommand } from './registration/callbacks.ts';
import { configCommand } from './config.ts';
import { auditCommand, evidenceCommand } from './evidence.ts';
import { exceptionsCommand } from './exceptions.ts';
import {
  acceptCommand,
  acknowledgeCommand,
  confirmCommand,
  decideCommand,
  haltCommand,
  releaseCommand,
} from './decide.ts';
import { initCommand } from './init.ts';
import { moveCommand } from './journal/move.ts';
import { listCommand } from './list.ts';
import { cancelCommand, resumeCommand, retryCommand } from './operator.ts';
import { type Command, type GlobalOptions, makeCommandLine } from './options.ts';
import { recordOnStderr, silenceRecords } from './output.ts';
import { reconcileCommand } from './reconcile.ts';
import { registerCommand } from './registration/register.ts';
import { reportFailure } from './report-failure.ts';
import { forgetExitCode, notedExitCode, weightierOf } from './exit-codes.ts';
import { queueCommand } from './queue.ts';
import { resultCommand } from './result.ts';
import { reviewCommand } from './review.ts';
import { runCommand } from './run.ts';
import { sandboxCommand } from './sandbox.ts';
import { settleCommand } from './settle.ts';
import { showCommand, statusCommand } from './status.ts';
import { verifyCommand } from './verify.ts';
import { adoptCommand, restoreCommand } from './journal/take-over.ts';
import { userCommand } from './user.ts';
import { watchCommand } from './watch.ts';

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
