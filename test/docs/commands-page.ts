/** docs/commands.md: every command with its options, examples and exit codes, from what the command line is told of them. */
import type { Argv, Options, PositionalOptions } from 'yargs';
import { commands } from '../../src/commands.ts';
import { type ExitCode, exitCodes } from '../../src/cli/exit-codes.ts';
import { type Command, type GlobalOptions, makeCommandLine } from '../../src/cli/options.ts';
import { table } from './markdown.ts';

/** What a command says about itself. */
interface Told {
  readonly positionals: (readonly [name: string, told: PositionalOptions])[];
  readonly options: (readonly [name: string, told: Options])[];
  readonly examples: (readonly [command: string, text: string])[];
  readonly epilogues: string[];
  /** Of options that every command has: this one's own default. */
  readonly defaults: (readonly [name: string, value: string])[];
}

/** Stands in for yargs: it keeps what it is told, where yargs would only print it. */
function listen(build: (command: Argv<GlobalOptions>) => unknown): Told {
  const told: Told = { positionals: [], options: [], examples: [], epilogues: [], defaults: [] };
  const listener = {
    positional: (name: string, options: PositionalOptions) =>
      keep(told.positionals, [name, options] as const),
    option: (name: string, options: Options) => keep(told.options, [name, options] as const),
    example: (command: string | readonly (readonly [string, string])[], text = '') =>
      keep(told.examples, ...(typeof command === 'string' ? [[command, text] as const] : command)),
    epilogue: (text: string) => keep(told.epilogues, text),
    default: (name: string, value: string) => keep(told.defaults, [name, value] as const),
  };
  function keep<Item>(list: Item[], ...items: readonly Item[]): typeof listener {
    list.push(...items);
    return listener;
  }
  build(listener as unknown as Argv<GlobalOptions>);
  return told;
}

/** The options that every command has, as yargs knows them. */
function listGlobalOptions(): string[][] {
  const commandLine = makeCommandLine([]) as unknown as {
    getOptions: () => {
      readonly key: Readonly<Record<string, unknown>>;
      readonly choices: Readonly<Record<string, readonly string[]>>;
      readonly default: Readonly<Record<string, unknown>>;
      readonly boolean: readonly string[];
    };
    getInternalMethods: () => {
      getUsageInstance: () => { getDescriptions: () => Readonly<Record<string, string>> };
    };
  };
  const options = commandLine.getOptions();
  const descriptions = commandLine.getInternalMethods().getUsageInstance().getDescriptions();
  return Object.keys(options.key).map((name) => {
    const type = options.boolean.includes(name) ? 'boolean' : 'string';
    const choices = options.choices[name];
    const described = { type, describe: descriptions[name] ?? '', default: options.default[name] } as const;
    return showOption(name, choices === undefined ? described : { ...described, choices });
  });
}

/** yargs marks its own texts so. */
const strip = (text: string): string => text.replace(/^__yargsString__:/, '');

/** What a person reads for what yargs calls the types. */
const typeWords: Readonly<Record<string, string>> = { boolean: '', string: 'text', number: 'a number' };

function showOption(name: string, { type, describe, default: value, choices }: Options): string[] {
  const takes = choices === undefined ? type : choices.map((choice) => `\`${String(choice)}\``).join(', ');
  const hasDefault = value !== undefined && value !== false;
  const shown = hasDefault ? `\`${String(value)}\`` : '';
  return [`\`--${name}\``, withCode(strip(describe ?? '')), typeWords[takes ?? ''] ?? takes ?? '', shown];
}

const optionHead = ['option', 'meaning', 'takes', 'default'];

/** The name that is typed. */
export const nameOf = ({ command }: Command): string => command.split(' ')[0] ?? '';

const withCode = (text: string): string => text.replaceAll(/(?<![\w`-])--[a-z][\w-]*/g, '`$&`');

function describeCommand(command: Command): string[] {
  const { positionals, options, examples, epilogues, defaults } = listen(command.builder);
  const name = nameOf(command);
  const lines = examples.map(([line]) => line.replace('$0', 'paydrop'));
  const width = Math.max(...lines.map((line) => line.length));
  const shown = examples.map(([, text], at) => `${(lines[at] ?? '').padEnd(width)}   # ${text}`);
  const args = positionals.map(([arg, told]) => [`\`${arg.toUpperCase()}\``, told.describe ?? '']);
  return [
    `## ${name}`,
    `\`paydrop ${command.command}\`: ${command.describe}.`,
    ['```sh', ...shown, '```'].join('\n'),
    ...(args.length === 0 ? [] : [table(['argument', 'meaning'], args)]),
    ...(options.length === 0
      ? []
      : [
          table(
            optionHead,
            options.map((told) => showOption(...told)),
          ),
        ]),
    ...defaults.map(([option, value]) => `\`--${option}\` is \`${value}\` where it is not given.`),
    ...epilogues.map((text) => text.trim()),
    ...(notes[name] ?? []),
    table(
      ['exit code', 'meaning'],
      Object.entries(command.exits).map(([code, meaning]) => [code, withCode(meaning)]),
    ),
  ];
}

const waitNote = '`--wait` takes 0 to 604800 seconds (a week).';

/** What the command line itself has no room for. */
const notes: Readonly<Record<string, readonly string[]>> = {
  run: [
    'The same bytes are the same batch, under whatever name: running a file again goes on where it was, or shows what was done and ' +
      `where its reports are. ${waitNote} Killed, halted, in doubt: [runbook.md](runbook.md).`,
  ],
  check: [
    'It needs no right to send and writes nothing. With `--payees` it reads the whole file, then asks the bank about the payee of ' +
      'each row that is good and not taken by another batch, at most `verify.concurrency` at once, also when `verify.enabled` is ' +
      'false, and tells rows and amounts by what a run would do. The expected time is the longest of: transfers / ' +
      '`transfer.concurrency` at the mean time of the answers; payee checks / `verify.concurrency`; both together at ' +
      '`bank.requestsPerSecond`.',
  ],
  reconcile: [`${waitNote} What a break is, and what to do: [reconciliation.md](reconciliation.md).`],
  status: ['It says who is sending now, where somebody is.'],
  show: ['What each step means: [states.md](states.md#causes).'],
  settle: [`${waitNote} See [runbook.md](runbook.md#in-doubt).`],
  resume: ['When to use it: [runbook.md](runbook.md#halted).'],
  cancel: ['A cancelled payout keeps its `payoutId`: the same one in another file is rejected.'],
  retry: ['What may be tried again: [runbook.md](runbook.md#try-again).'],
  backup: ['Where to keep copies, and how to restore one: [runbook.md](runbook.md#journal-lost).'],
  watch: [
    'How it works: [drop-folder.md](drop-folder.md). Health, metrics, service: [operations.md](operations.md).',
  ],
  sandbox: ['What it can show: [sandbox.md](sandbox.md).'],
  config: ['Every key: [settings.md](settings.md).'],
};

/** The codes in general: meaning, and what to do. */
const codes = {
  0: ['all paid, or nothing to do', 'nothing'],
  1: ['internal error, or a machine that broke', 'run it again; report the log'],
  2: ['wrong usage or settings', 'read the message'],
  3: [
    'finished, with exceptions, or rows that a person has cancelled',
    'open the exceptions file: [exceptions](files.md#exceptions); what is cancelled is not in it',
  ],
  4: [
    'transfers still in doubt',
    '`paydrop settle`, later; do not pay them by hand: [in doubt](runbook.md#in-doubt)',
  ],
  5: ['a file was rejected as a whole', 'correct the file; nothing of it was sent'],
  6: [
    'stopped short: halted, interrupted, or the bank out of reach',
    'run it again, or `paydrop resume`: [halted](runbook.md#halted), [paused](runbook.md#paused)',
  ],
} as const satisfies Record<ExitCode, readonly [meaning: string, cure: string]>;

const intro = [
  '# Commands',
  '<!-- Written by `npm run docs` from the commands themselves: change them there. -->',
  '`paydrop COMMAND --help` (or `-h`) says the same, `paydrop --version` (or `-v`) which one it is. Results go to stdout, the log ' +
    'and the progress to stderr. Where stderr is no terminal each line of it is JSON, what a command says while it works included; ' +
    'only what it fails with is plain text, unless `--json` is given or it is `watch`. Files are given by name; standard input is not read, because a file that is paid must be there to ' +
    'be looked at again. With `--json` results are JSON, one value on a line: for each file of `run`, each event of `watch`, each ' +
    'row of `list`, each issue and file of `check`, else one for the command (`config` prints it over several lines). ' +
    '`paydrop completion >> ~/.bashrc` (or `~/.zshrc`) lets the Tab key complete commands and options.',
];

/** The page, in paragraphs. */
export function describeCommandsPage(): string[] {
  const overview = commands.map((command) => {
    const name = nameOf(command);
    return [`[\`${name}\`](#${name})`, command.describe];
  });
  return [
    ...intro,
    table(['command', 'what it does'], overview),
    'Only one process at a time may send: `run`, `settle` and `watch`. All others work while it does; `settle` has a run or a watcher ask in its place.',
    '## Exit codes',
    'With several files the highest code applies, but for 1, which stands between 3 and 4: an error hides no transfer in doubt, no ' +
      'rejected file and nothing that stopped short. Any command can end with 1 and 2, also where its own table does not list them.',
    table(
      ['code', 'meaning', 'what to do'],
      Object.values(exitCodes).map((code) => [String(code), ...codes[code]]),
    ),
    '## Options of every command',
    table(optionHead, listGlobalOptions()),
    'The log is JSON lines.',
    ...commands.flatMap(describeCommand),
  ];
}
