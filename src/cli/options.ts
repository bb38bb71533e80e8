/** Description of commands, the options that all share, and the parsing of the command line. */
import yargs, { type ArgumentsCamelCase, type Argv, type CommandModule } from 'yargs';
import { readVersion } from '../app/version.ts';
import { type DayFault, type DayReading, explainDay, readDay } from '../core/bangkok-time.ts';
import type { Logger } from '../platform/log.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { countColumns } from './output.ts';

const logLevels = ['silent', 'error', 'warn', 'info', 'debug', 'trace'] as const;

/** Arguments that a command's handler gets besides its own options. */
export interface GlobalOptions {
  /** Settings file, relative to the working directory. */
  readonly config: string | undefined;
  /** Overrides dataDir of the settings, relative to the working directory. */
  readonly dataDir: string | undefined;
  /** Results as JSON on stdout. */
  readonly json: boolean;
  readonly logLevel: (typeof logLevels)[number];
}

/**
 * The settings that a command line names, and whether their bank is a sandbox.
 * @throws SettingsError (exit 2) naming what is missing or wrong
 */
export async function loadCommandSettings(
  options: Pick<GlobalOptions, 'config' | 'dataDir'>,
): Promise<LoadedSettings> {
  const { recogniseSandbox } = await import('../app/open-store.ts');
  const { requireOwnHands } = await import('../app/ownership.ts');
  const loaded = await recogniseSandbox(await readCommandSettings(options));
  const { say } = await import('./output.ts');
  requireOwnHands(loaded, (text) => say(text, 'warn'));
  return loaded;
}

/** The log of a command. Where it is JSON, messages on stderr are JSON, too, so that all its lines parse alike. */
export async function openLog({ json, logLevel }: Pick<GlobalOptions, 'json' | 'logLevel'>): Promise<Logger> {
  const { makeLogger } = await import('../platform/log.ts');
  const { recordOnStderr } = await import('./output.ts');
  if (!json) recordOnStderr('messages');
  return makeLogger(logLevel);
}

/** The settings as in the file; asks no server. Their reader is loaded when a command runs, so that --help does without it. */
export async function readCommandSettings(
  options: Pick<GlobalOptions, 'config' | 'dataDir'>,
): Promise<LoadedSettings> {
  const { loadSettings } = await import('../settings/settings.ts');
  const { config: configPath, dataDir } = options;
  return loadSettings({ configPath, dataDir, cwd: process.cwd(), env: process.env });
}

// ---------------------------------------------------------------- a command

/** Meanings of a command's exit codes. 1 and 2 mean the same for all commands unless they stand here. */
type ExitMeanings = Readonly<Partial<Record<ExitCode, string>>>;

interface Described {
  readonly command: string;
  readonly describe: string;
  readonly exits: ExitMeanings;
}

/** Each command types its own options; callers see them all alike. */
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

export const textOption = (describe: string) => ({ type: 'string', requiresArg: true, describe }) as const;

export const numberOption = (usual: number, describe: string) =>
  ({ type: 'number', default: usual, requiresArg: true, describe }) as const;

export const flagOption = (describe: string) => ({ type: 'boolean', default: false, describe }) as const;

/** `--sent-from TERMINAL`, once for each terminal. */
export const sentFromOption = (describe: string) =>
  ({ type: 'string', array: true, nargs: 1, requiresArg: true, describe }) as const;

/** @throws SettingsError for text that cannot be a terminal ID */
export async function readSentFrom(terminals: readonly string[] = []): Promise<readonly string[]> {
  const { terminalId } = await import('../settings/fields.ts');
  for (const terminal of terminals) {
    const { error } = terminalId.safeParse(terminal);
    if (error !== undefined)
      throw new SettingsError(
        `--sent-from: "${terminal}" ${error.issues[0]?.message ?? 'is no terminal ID'}`,
      );
  }
  return terminals;
}

/** Argument FILE.. of the commands that read payout files. */
export const payoutFiles = {
  type: 'string',
  array: true,
  demandOption: true,
  describe: 'payout files (CSV or .xlsx)',
} as const;

/** @throws SettingsError for text that names no day */
export function readDayOption(option: string, text: string): Exclude<DayReading, DayFault> {
  const reading = readDay(text);
  if (!reading.ok) throw new SettingsError(`${option}: "${text}" ${explainDay(reading)}`);
  return reading;
}

/** The day that `--since` gives. @throws SettingsError for a day that makes no sense */
export async function readSinceOption(since: string, nowMs: number): Promise<{ readonly sinceDate: string }> {
  const { parseSince } = await import('../payout/rules/lost-journal.ts');
  const reading = parseSince(since, nowMs);
  if (reading.kind === 'refused') throw new SettingsError(`--since: ${reading.why}`);
  return { sinceDate: reading.sinceDate };
}

export const orAnotherSends = 'or another process is sending';

// ---------------------------------------------------------------- the command line

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
    .option('config', textOption('settings file (default: paydrop.yaml in this folder)'))
    .option('data-dir', textOption('folder of journal and files, instead of dataDir in the settings'))
    .option('json', flagOption('print results as JSON'))
    .option('log-level', {
      choices: logLevels,
      default: 'warn' as const,
      requiresArg: true,
      describe: 'what to log to stderr',
    })
    .version(readVersion())
    .alias('version', 'v')
    .help()
    .alias('help', 'h')
    .wrap(Math.min(lineWidthMax, countColumns() ?? lineWidthMax))
    .epilogue(docsLine)
    .strict()
    .recommendCommands()
    .demandCommand(1, 'name a command')
    .check(
      (options) =>
        requireFilesToRead(args) &&
        requireNoEmptyNumber(args) &&
        checkValues(options, readParts(commandLine)),
    )
    .exitProcess(false)
    .fail((message: string | null, error: Error | undefined) => {
      const parts = readParts(commandLine);
      // yargs reports a missing value by an error, and other faults by a message.
      if (error !== undefined && error.name !== 'YError') throw error;
      const complaint = error?.message ?? message ?? 'wrong usage';
      const unknown = isOfMissing(complaint) ? findUnknown(args, parts) : undefined;
      throw new UsageError(unknown === undefined ? complaint : `Unknown argument: ${unknown}`, parts);
    });
  // Otherwise yargs would lay out the help of every command that runs, for failure reports that paydrop does not use.
  (commandLine as unknown as Parser).getInternalMethods().getUsageInstance().cacheHelpMessage = () => {};
  // yargs gives handlers names in camel case, as GlobalOptions has them.
  return described as unknown as Argv<GlobalOptions>;
}

/** The longest `--wait`, in seconds: a week. Timers hold no more than 24 days. */
const waitSecondsMax = 604_800;

/** Methods of yargs that its types do not show. */
interface Parser {
  getOptions(): {
    readonly key: Readonly<Record<string, unknown>>;
    readonly array: readonly string[];
  };
  getGroups(): Readonly<Record<string, readonly string[]>>;
  getInternalMethods(): {
    getContext(): { readonly fullCommands: readonly string[] };
    getUsageInstance(): {
      getDescriptions(): Readonly<Record<string, string>>;
      cacheHelpMessage: () => void;
    };
  };
}

/** yargs gives each option by both of its names. */
const toCamelCase = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_dashed, letter: string) => letter.toUpperCase());

/** yargs's view of the command being read; its types do not show it. */
interface CommandParts {
  /** Names that may have several values. */
  readonly lists: readonly string[];
  /** Names given without dashes. */
  readonly positionals: readonly string[];
  /** All names that may be given. */
  readonly known: readonly string[];
  /** "restore <file>"; undefined while no command has been read. */
  readonly command: string | undefined;
  /** Description of each option, by its name. */
  readonly meanings: Readonly<Record<string, string>>;
}

/** Refuses values that yargs lets through: `--wait soon` as a number, an empty FILE, an option given twice as a list. */
function checkValues(options: Readonly<Record<string, unknown>>, { lists, positionals }: CommandParts): true {
  for (const [name, value] of Object.entries(options)) {
    if (name === 'wait' && typeof value === 'number' && !(value >= 0 && value <= waitSecondsMax))
      throw new SettingsError(`--wait takes a number of seconds from 0 to ${waitSecondsMax} (a week)`);
    if (value === '' || (Array.isArray(value) && value.includes('')))
      throw emptyValue(name === '_' || positionals.includes(name) ? name.toUpperCase() : `--${name}`);
    if (Array.isArray(value) && name !== '_' && !lists.includes(name))
      throw new SettingsError(`--${name} is given more than once: say which is meant`);
    if (Number.isNaN(value)) throw new SettingsError(`--${name} takes a number`);
  }
  return true;
}

/** Refuses an empty number (`--wait=`): yargs silently makes 0 of it. */
function requireNoEmptyNumber(args: readonly string[]): true {
  for (const [place, arg] of args.entries()) {
    const [name] =
      /^--[\w-]+(?==$)/.exec(arg) ?? (args[place + 1] === '' ? /^--[\w-]+$/.exec(arg) : null) ?? [];
    if (name !== undefined) throw emptyValue(name);
  }
  return true;
}

/**
 * Refuses standard input: a file that is paid is read again before it is sealed, after it was paid, and whenever it is run
 * again. Looks at the raw arguments, since yargs drops a lone `-`.
 */
function requireFilesToRead(args: readonly string[]): true {
  const piped = args.find((arg) => arg === '-' || /^\/(dev\/stdin|(dev|proc\/\w+)\/fd\/)/.test(arg));
  if (piped === undefined) return true;
  throw new SettingsError(
    `${piped}: standard input is not read, because a file that is paid must be there to be looked at again: ` +
      'save it under a name, and give that',
  );
}

/** True for a complaint about a missing argument, which yargs makes first. */
const isOfMissing = (complaint: string): boolean => /^(Not enough|Missing required)/.test(complaint.trim());

/** The first unknown option: a mistyped name is reported before the argument that is missing because of it. */
function findUnknown(args: readonly string[], { known }: CommandParts): string | undefined {
  const end = args.indexOf('--');
  const options = args.slice(0, end === -1 ? args.length : end);
  const given = options.flatMap((arg) => /^(?:--([^=]+)|-([A-Za-z])$)/.exec(arg)?.slice(1, 3) ?? []);
  return given.find((name) => name !== undefined && !known.includes(name));
}

const emptyValue = (shown: string): SettingsError =>
  new SettingsError(`${shown} is empty: give it a value or leave it out`);

const names = (list: string): readonly string[] => list.split(', ');

/** The parser's complaint as advice on what to type; undefined where its own words serve. */
function explainComplaint(complaint: string, parts: CommandParts): string | undefined {
  const { positionals, command = '', meanings } = parts;
  const word = command.split(' ')[0] ?? '';
  const help = `paydrop ${word} --help shows examples`;
  const usage = `paydrop ${command.replaceAll(/[<[](\w+)(\.\.)?[>\]]/g, (_, name: string, more = '') => `${name.toUpperCase()}${more}`)}`;
  const [, had] = /^Not enough non-option arguments: got (\d+), need/.exec(complaint) ?? [];
  if (had !== undefined) {
    const missing = (positionals[Number(had)] ?? 'argument').toUpperCase();
    return `${missing} is missing: type ${usage} (${help})`;
  }
  const [, lacking] = /^Missing required arguments?: (.+)$/.exec(complaint) ?? [];
  if (lacking !== undefined)
    return names(lacking)
      .map((name) => `--${name} is missing, ${meanings[name] ?? ''}: type ${usage} --${name} … (${help})`)
      .join('; ');
  const [, empty] = /^Not enough arguments following: (.+)$/.exec(complaint) ?? [];
  if (empty !== undefined) return emptyValue(`--${empty}`).message;
  const [, name, given, choices] =
    /^Invalid values: Argument: (.+?), Given: (.+), Choices: (.+)$/.exec(complaint) ?? [];
  return name === undefined
    ? undefined
    : `--${name} takes one of ${choices?.replaceAll('"', '')}, not ${given}`;
}

/** A wrong command line. */
export class UsageError extends SettingsError {
  readonly #unknown: string | undefined;
  readonly #known: readonly string[];

  /** @param complaint the parser's own */
  constructor(complaint: string, parts: CommandParts) {
    const { known, positionals } = parts;
    const [unknown] = /^Unknown arguments?: (.+)$/.exec(complaint)?.[1]?.split(', ') ?? [];
    const command = /^Did you mean (\S+)\?$/.exec(complaint)?.[1];
    const isFileOption = known.includes('file') && !positionals.includes('file');
    const hint = unknown !== undefined && isFileOption ? 'a file is given with --file; ' : '';
    const oneLine = complaint.trim().replaceAll(/\s*\n\s*/g, ' ');
    super(
      explainComplaint(oneLine, parts) ??
        (command === undefined
          ? `${oneLine} (${hint}--help shows what there is)`
          : `unknown command: did you mean ${command}?`),
    );
    this.#unknown = unknown;
    this.#known = known;
  }

  /** The message in one line, with the option that was probably meant. The search for it is loaded on demand. */
  async suggest(): Promise<string> {
    const { findNearest } = await import('../core/nearest.ts');
    const nearest = this.#unknown === undefined ? undefined : findNearest(this.#unknown, this.#known);
    if (nearest === undefined) return this.message;
    if (nearest === this.#unknown) return `${nearest} is an option: write it with two hyphens, --${nearest}`;
    return `unknown option --${this.#unknown}: did you mean --${nearest}?`;
  }
}

function readParts(commandLine: unknown): CommandParts {
  const parser = commandLine as Parser;
  const inner = parser.getInternalMethods();
  const { key, array } = parser.getOptions();
  return {
    lists: array.flatMap((name) => [name, toCamelCase(name)]),
    positionals: parser.getGroups()['Positionals:'] ?? [],
    known: Object.keys(key),
    command: inner.getContext().fullCommands.at(-1),
    meanings: inner.getUsageInstance().getDescriptions(),
  };
}
