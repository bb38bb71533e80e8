/** How a command is described: what it is called, what it takes, what it does, and what its exit codes mean. */
import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import type { GlobalOptions } from './options.ts';

/** What the codes that a command ends with mean, but for 1 and 2, which mean the same everywhere unless they stand here. */
type ExitMeanings = Readonly<Partial<Record<ExitCode, string>>>;

interface Described {
  readonly command: string;
  readonly describe: string;
  readonly exits: ExitMeanings;
}

/** Each command knows its own options; from outside they are all alike. */
export interface Command extends Described, CommandModule<GlobalOptions, GlobalOptions> {
  readonly command: string;
  readonly describe: string;
  /** Gives the command its options and examples. */
  readonly builder: (command: Argv<GlobalOptions>) => Argv<GlobalOptions>;
}

/** @param run does the work, and returns the exit code; none is 0 */
export function makeCommand<Options>({
  run,
  ...described
}: Described & {
  readonly builder: (command: Argv<GlobalOptions>) => Argv<Options>;
  readonly run: (options: ArgumentsCamelCase<Options>) => Promise<ExitCode | void>;
}): Command {
  const handler = async (options: ArgumentsCamelCase<Options>): Promise<void> => {
    process.exitCode = (await run(options)) ?? exitCodes.ok;
  };
  return { ...described, handler } as unknown as Command;
}

/** An option that takes text. */
export const textOption = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

/** An option that takes a number. */
export const numberOption = (usual: number, describe: string) =>
  ({ type: 'number', default: usual, requiresArg: true, describe }) as const;

/** An option that is given or not. */
export const flagOption = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** FILE.. of the commands that read payout files. */
export const payoutFiles = {
  type: 'string',
  array: true,
  demandOption: true,
  describe: 'payout files (CSV)',
} as const;

export const orAnotherSends = 'or another process is sending';
