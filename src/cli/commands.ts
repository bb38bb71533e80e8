/** Every command, in the order of `--help`, with what its exit codes mean: shown by its own `--help` and in docs/commands.md. */
import type { Argv, CommandModule } from 'yargs';
import { backupCommand } from './backup.ts';
import { checkCommand } from './check.ts';
import { configCommand } from './config.ts';
import type { ExitCode } from './exit-codes.ts';
import type { GlobalOptions } from './options.ts';
import { cancelCommand, resumeCommand, retryCommand } from './operator.ts';
import { reconcileCommand } from './reconcile.ts';
import { runCommand } from './run.ts';
import { sandboxCommand } from './sandbox.ts';
import { settleCommand } from './settle.ts';
import { showCommand } from './show.ts';
import { statusCommand } from './status.ts';
import { watchCommand } from './watch.ts';

/** What the codes that a command ends with mean, but for 1 and 2, which mean the same everywhere unless they stand here. */
export type ExitMeanings = Readonly<Partial<Record<ExitCode, string>>>;

export interface Command {
  readonly module: CommandModule<GlobalOptions>;
  readonly exits: ExitMeanings;
}

/** Each command knows its own options; here they are all alike. */
function list<Options>(module: CommandModule<GlobalOptions, Options>, exits: ExitMeanings): Command {
  return { module: module as unknown as CommandModule<GlobalOptions>, exits };
}

const orAnotherSends = 'or another process is sending';

const actExits: ExitMeanings = { 0: 'done', 2: 'nothing is called so, or nothing could be changed' };

export const commands: readonly Command[] = [
  list(runCommand, {
    0: 'all paid, or nothing to do',
    3: 'finished, with exceptions; 0 with --exceptions-ok, but never when a row bears an alarm',
    4: 'transfers are still in doubt',
    5: 'a file was rejected as a whole: nothing of it was sent',
    6: `stopped short: halted, interrupted, the bank closed or out of reach, ${orAnotherSends}`,
  }),
  list(checkCommand, {
    0: 'everything would be paid',
    3: 'something would not be paid',
    5: 'a file would be rejected as a whole',
    6: 'with --payees: the bank could not be asked about every payee',
  }),
  list(reconcileCommand, {
    0: 'everything ties out, or no break is open so far',
    3: 'breaks are open, or alarms were raised',
    5: 'no usable statement, or no such file',
    6: 'the bank is out of reach or refuses us, stopped while waiting, or overtaken by another reconciling',
  }),
  list(statusCommand, { 0: 'shown', 2: 'there is no such batch' }),
  list(showCommand, { 0: 'shown', 2: 'there is no such payout' }),
  list(settleCommand, {
    0: 'nothing is in doubt',
    2: 'there is no such batch',
    3: 'nothing is in doubt, and rows bear an alarm',
    4: 'transfers are still in doubt',
    6: `the bank told nothing at all, ${orAnotherSends}`,
  }),
  list(resumeCommand, actExits),
  list(cancelCommand, actExits),
  list(retryCommand, actExits),
  list(backupCommand, {
    0: 'copied, and read through',
    1: 'it cannot be written',
    2: 'the file is there already',
  }),
  list(watchCommand, {
    0: 'stopped, as it was asked to',
    2: 'wrong usage or settings, or the inbox belongs to another journal',
  }),
  list(sandboxCommand, { 0: 'stopped, as it was asked to' }),
  list(configCommand, {
    0: 'shown; with --login: the bank accepts the credentials',
    2: 'the settings are wrong; with --login: the bank refuses the credentials',
    6: 'with --login: the bank is out of reach',
  }),
];

/** The command line with every command; each one's help ends with its exit codes. */
export function addCommands(commandLine: Argv<GlobalOptions>): Argv<GlobalOptions> {
  for (const { module, exits } of commands) {
    commandLine.command({
      ...module,
      builder: (command) => buildCommand(module, command).epilogue(renderExits(exits)),
    });
  }
  return commandLine;
}

/** Gives the command's options and examples to `command`. */
export function buildCommand(
  { builder }: CommandModule<GlobalOptions>,
  command: Argv<GlobalOptions>,
): Argv<GlobalOptions> {
  return typeof builder === 'function' ? (builder(command) as Argv<GlobalOptions>) : command;
}

function renderExits(exits: ExitMeanings): string {
  const lines = Object.entries(exits).map(([code, meaning]) => `  ${code}  ${meaning}`);
  return ['Exit codes:', ...lines].join('\n');
}
