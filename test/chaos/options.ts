/** The options of `npm run chaos`. */
import { parseArgs } from 'node:util';
import type { StormCounts } from './storm.ts';

export interface Options extends StormCounts {
  readonly rows: number;
  readonly kills: number;
  /** Starts of two or three runs at once. */
  readonly rivalStarts: number;
  /** SIGKILL leaves a run no time at all; at SIGTERM or SIGINT it finishes what is in flight. */
  readonly signal: NodeJS.Signals;
  readonly seed: number;
  readonly keep: boolean;
}

const killSignals = ['SIGKILL', 'SIGTERM', 'SIGINT'] as const;

function readSignal(word: string | undefined): NodeJS.Signals {
  const signal = killSignals.find((known) => known === (word ?? 'SIGKILL'));
  if (signal === undefined) throw new Error(`--signal takes one of ${killSignals.join(', ')}`);
  return signal;
}

/** The counts, by option, with how many there are when nothing is said: a number, or for so many kills one. */
const counts = {
  rows: () => 3_000,
  kills: () => 10,
  'bank-kills': (kills: number) => Math.max(2, Math.round(kills / 40)),
  stops: (kills: number) => Math.max(3, Math.round(kills / 10)),
  'full-disks': (kills: number) => Math.max(2, Math.round(kills / 20)),
  'read-onlys': (kills: number) => Math.max(1, Math.round(kills / 25)),
  'clock-jumps': (kills: number) => Math.max(4, Math.round(kills / 15)),
  rivals: (kills: number) => Math.max(3, Math.round(kills / 10)),
  commands: (kills: number) => Math.max(6, Math.round(kills / 5)),
} as const;

type CountName = keyof typeof counts;

const signalDefault = 'SIGKILL';
export const seedsMax = 1_000_000;

/** @throws Error for what is no count */
export function readCount(name: string, words: string | undefined, otherwise: number): number {
  const value = words === undefined ? otherwise : Number(words);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, 0 or more`);
  return value;
}

/** @throws Error for a word that is no option, or a value that is no count */
export function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const names = Object.keys(counts) as CountName[];
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(names.map((name) => [name, text])),
      signal: text,
      seed: text,
      keep: { type: 'boolean' },
    },
  });
  const given = values as Readonly<Record<string, string | undefined>>;
  const kills = readCount('kills', given['kills'], counts.kills());
  const countOf = (name: CountName): number => readCount(name, given[name], counts[name](kills));
  return {
    rows: countOf('rows'),
    kills,
    bankKills: countOf('bank-kills'),
    stops: countOf('stops'),
    fullDisks: countOf('full-disks'),
    readOnlys: countOf('read-onlys'),
    clockJumps: countOf('clock-jumps'),
    rivalStarts: countOf('rivals'),
    commands: countOf('commands'),
    signal: readSignal(given['signal'] ?? signalDefault),
    seed: readCount('seed', given['seed'], Date.now() % seedsMax),
    keep: values.keep === true,
  };
}

/** The command that gives this very storm again. */
export function describeOptions(options: Options): string {
  const { rows, kills, bankKills, stops, fullDisks, readOnlys, clockJumps, rivalStarts, commands } = options;
  return [
    `npm run chaos -- --rows ${rows} --kills ${kills} --bank-kills ${bankKills} --stops ${stops}`,
    `--full-disks ${fullDisks} --read-onlys ${readOnlys} --clock-jumps ${clockJumps}`,
    `--rivals ${rivalStarts} --commands ${commands} --signal ${options.signal} --seed ${options.seed}`,
  ].join(' ');
}
