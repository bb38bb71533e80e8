/** The options of `npm run soak`. */
import { parseArgs } from 'node:util';
import type { Control } from './drop-broken.ts';
import type { DropCounts } from './drop-plan.ts';

export interface DropOptions extends DropCounts {
  readonly kills: number;
  readonly stillMs: number;
  /** A folder in which the inbox is made, on another file system perhaps; empty: in the data directory. */
  readonly inbox: string;
  readonly seed: number;
  readonly keep: boolean;
  /** Measures a watcher with nothing to do, beside so many archived files and done batches. */
  readonly idle: boolean;
  readonly archived: number;
  readonly batches: number;
}

const controls = ['none', 'trailer', 'sidecar'] as const satisfies readonly Control[];
const seedsMax = 1_000_000;

const counts = {
  files: 500,
  kills: 0,
  'rows-max': 2_000,
  broken: 30,
  duplicates: 20,
  slow: 10,
  late: 2,
  still: 1_000,
  archived: 10_000,
  batches: 2_000,
} as const;

type CountName = keyof typeof counts;

/** @throws Error for a word that is no option, or a value that is no count */
export function readDropOptions(args: readonly string[]): DropOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const names = Object.keys(counts) as CountName[];
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(names.map((name) => [name, text])),
      control: text,
      inbox: text,
      seed: text,
      keep: flag,
      idle: flag,
    },
  });
  const given = values as Readonly<Record<string, string | undefined>>;
  const countOf = (name: CountName | 'seed', otherwise: number): number => {
    const value = given[name] === undefined ? otherwise : Number(given[name]);
    if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, 0 or more`);
    return value;
  };
  const control = controls.find((known) => known === (given['control'] ?? 'none'));
  if (control === undefined) throw new Error(`--control takes one of ${controls.join(', ')}`);
  const read = (name: CountName): number => countOf(name, counts[name]);
  return {
    files: read('files'),
    kills: read('kills'),
    rowsMax: Math.max(1, read('rows-max')),
    broken: read('broken'),
    duplicates: read('duplicates'),
    slow: read('slow'),
    late: read('late'),
    stillMs: read('still'),
    control,
    inbox: given['inbox'] ?? '',
    seed: countOf('seed', Date.now() % seedsMax),
    keep: values.keep === true,
    idle: values.idle === true,
    archived: read('archived'),
    batches: read('batches'),
  };
}

/** The command that gives this very soak again. */
export function describeDropOptions(options: DropOptions): string {
  const { files, kills, rowsMax, broken, duplicates, slow, late, stillMs, control, inbox, seed } = options;
  return [
    `npm run soak -- --files ${files} --kills ${kills} --rows-max ${rowsMax} --broken ${broken}`,
    `--duplicates ${duplicates} --slow ${slow} --late ${late} --still ${stillMs} --control ${control}`,
    `${inbox === '' ? '' : `--inbox ${inbox} `}--seed ${seed}`,
  ].join(' ');
}
