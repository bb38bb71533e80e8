/** The options that every command has, and how the command line is read. */
import { readFileSync } from 'node:fs';
import yargs from 'yargs';
import type { Argv } from 'yargs';
import { findNearest } from '../settings/nearest.ts';
import { SettingsError } from '../settings/secrets.ts';

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
const docsLine = 'README.md says what to do first; docs/ explains commands, settings, files and exit codes.';

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
    .check((options) => requireNoEmptyNumber(args) && checkValues(options, readParts(commandLine)))
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      throw error ?? new SettingsError(explainUsage(message ?? 'wrong usage', readParts(commandLine)));
    });
  // In handlers the names are in camel case, which is how GlobalOptions has them.
  return described as unknown as Argv<GlobalOptions>;
}

/** Beside src/ and dist/ alike. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return (manifest as { readonly version: string }).version;
}

/** The longest `--wait`, in seconds: a week. Timers hold no more than 24 days. */
const waitSecondsMax = 604_800;

/** What yargs knows of the command being read; its types do not show it. */
interface CommandParts {
  /** Names of which there may be several values. */
  readonly lists: readonly string[];
  /** Names that are given without dashes. */
  readonly positionals: readonly string[];
  /** Names of everything that may be given. */
  readonly known: readonly string[];
}

/** yargs takes `--wait soon` for a number that is none, an empty FILE for a value, and an option given twice for a list. */
function checkValues(options: Readonly<Record<string, unknown>>, { lists, positionals }: CommandParts): true {
  for (const [name, value] of Object.entries(options)) {
    if (name === 'wait') requireWait(value);
    if (value === '' || (Array.isArray(value) && value.includes(''))) {
      const shown = name === '_' || positionals.includes(name) ? name.toUpperCase() : `--${name}`;
      throw new SettingsError(`${shown} is empty: give it a value or leave it out`);
    }
    if (Array.isArray(value) && name !== '_' && !lists.includes(name)) {
      throw new SettingsError(`--${name} is given more than once: say which is meant`);
    }
    if (Number.isNaN(value)) throw new SettingsError(`--${name} takes a number`);
  }
  return true;
}

/** yargs makes 0 of a number that is left empty (`--wait=`) before anybody sees it. */
function requireNoEmptyNumber(args: readonly string[]): true {
  for (const [place, arg] of args.entries()) {
    const [name] =
      /^--[\w-]+(?==$)/.exec(arg) ?? (args[place + 1] === '' ? /^--[\w-]+$/.exec(arg) : null) ?? [];
    if (name !== undefined) throw new SettingsError(`${name} is empty: give it a value or leave it out`);
  }
  return true;
}

/** @throws SettingsError for seconds that nobody can wait */
function requireWait(value: unknown): void {
  if (typeof value !== 'number' || (value >= 0 && value <= waitSecondsMax)) return;
  throw new SettingsError(`--wait takes a number of seconds from 0 to ${waitSecondsMax} (a week)`);
}

/** One line for a wrong command line, with what was probably meant. */
function explainUsage(message: string, { known, positionals }: CommandParts): string {
  const recommended = /^Did you mean (\S+)\?$/.exec(message)?.[1];
  if (recommended !== undefined) return `unknown command: did you mean ${recommended}?`;
  const [unknown] = /^Unknown arguments?: (.+)$/.exec(message)?.[1]?.split(', ') ?? [];
  const nearest = unknown === undefined ? undefined : findNearest(unknown, known);
  if (nearest !== undefined) return `unknown option --${unknown}: did you mean --${nearest}?`;
  const oneLine = message.trim().replaceAll(/\s*\n\s*/g, ' ');
  const isFileOption = known.includes('file') && !positionals.includes('file');
  const hint = unknown !== undefined && isFileOption ? 'a file is given with --file; ' : '';
  return `${oneLine} (${hint}--help shows what there is)`;
}

function readParts(commandLine: unknown): CommandParts {
  const parser = commandLine as {
    getOptions: () => {
      readonly key: Readonly<Record<string, unknown>>;
      readonly array: readonly string[];
    };
    getGroups: () => Readonly<Record<string, readonly string[]>>;
  };
  const { key, array } = parser.getOptions();
  return { lists: array, positionals: parser.getGroups()['Positionals:'] ?? [], known: Object.keys(key) };
}
