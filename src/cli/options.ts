/** The options that every command has, and how the command line is read. */
import { readFileSync } from 'node:fs';
import type { Argv } from 'yargs';
import yargs from 'yargs';
import { findNearest } from '../nearest.ts';
import { SettingsError } from '../settings-error.ts';

export const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** What a command's handler is given besides its own options. */
export interface GlobalOptions {
  /** Settings file, relative to the working directory. */
  readonly config: string | undefined;
  /** Overrides dataDir of the settings, relative to the working directory. */
  readonly dataDir: string | undefined;
  /** Results as JSON on stdout. */
  readonly json: boolean;
  readonly logLevel: (typeof logLevels)[number];
}

const lineWidthMax = 110;
const docsLine = 'Settings, files and exit codes are explained in README.md.';

/** The command line without its commands. */
export function makeCommandLine(args: readonly string[]): Argv<GlobalOptions> {
  const commandLine = yargs([...args]);
  const described = commandLine
    .scriptName('paydrop')
    .usage('$0 COMMAND\n\nPays the payees of CSV files through a bank, exactly once each.')
    .locale('en')
    .parserConfiguration({
      // A payoutId such as 000123 is text; options that are numbers say so themselves.
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'dot-notation': false,
      'boolean-negation': false,
    })
    .option('config', {
      type: 'string',
      requiresArg: true,
      describe: 'settings file (default: paydrop.yaml in this folder)',
    })
    .option('data-dir', {
      type: 'string',
      requiresArg: true,
      describe: 'folder of journal and files, instead of dataDir in the settings',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print results as JSON' })
    .option('log-level', {
      choices: logLevels,
      default: 'warn' as const,
      requiresArg: true,
      describe: 'what to log to stderr',
    })
    .version(readVersion())
    .help()
    .wrap(Math.min(lineWidthMax, process.stdout.columns ?? lineWidthMax))
    .epilogue(docsLine)
    .strict()
    .recommendCommands()
    .demandCommand(1, 'name a command')
    .check(checkValues)
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new SettingsError(explainUsage(message ?? 'wrong usage', knownOptions(commandLine)));
    });
  // In handlers the names are in camel case, which is how GlobalOptions has them.
  return described as unknown as Argv<GlobalOptions>;
}

/** Beside src/ and dist/ alike. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}

const describeName = (name: string): string => (listNames.includes(name) ? name.toUpperCase() : `--${name}`);

/** Arguments of which there may be several. */
const listNames: readonly string[] = ['_', 'file'];

/** yargs takes `--wait soon` for a number that is none, an empty FILE for a value, and an option given twice for a list. */
function checkValues(options: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(options)) {
    if (Number.isNaN(value)) throw new SettingsError(`--${name} takes a number`);
    if (value === '' || (Array.isArray(value) && value.includes(''))) {
      throw new SettingsError(`${describeName(name)} is empty: give it a value or leave it out`);
    }
    if (Array.isArray(value) && !listNames.includes(name)) {
      throw new SettingsError(`--${name} is given more than once: say which is meant`);
    }
  }
  return true;
}

/** One line for a wrong command line, with what was probably meant. */
function explainUsage(message: string, known: readonly string[]): string {
  const recommended = /^Did you mean (\S+)\?$/.exec(message)?.[1];
  if (recommended !== undefined) return `unknown command: did you mean ${recommended}?`;
  const [unknown] = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ') ?? [];
  const nearest = unknown === undefined ? undefined : findNearest(unknown, known);
  if (nearest !== undefined) return `unknown option --${unknown}: did you mean --${nearest}?`;
  const oneLine = message.trim().replaceAll(/\s*\n\s*/g, ' ');
  return `${oneLine} (--help shows what there is)`;
}

/** The options of the command being read; yargs has them where its types do not look. */
function knownOptions(commandLine: unknown): string[] {
  const { getOptions } = commandLine as {
    getOptions: () => { readonly key: Readonly<Record<string, unknown>> };
  };
  return Object.keys(getOptions.call(commandLine).key);
}
