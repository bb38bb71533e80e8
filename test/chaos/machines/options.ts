/** The options of `npm run chaos -- --machines N`. */
import { parseArgs } from 'node:util';
import { readCount, seedsMax } from '../options.ts';

/** How often each trouble befalls the machines. */
export interface TroubleCounts {
  /** SIGKILL of a watcher. */
  readonly kills: number;
  /** SIGSTOP for longer than a lease, mostly, then SIGCONT. */
  readonly freezes: number;
  /** The database is killed, and started again. */
  readonly restarts: number;
  /** Connections to the database break, or carry nothing. */
  readonly cuts: number;
}

export interface MachineOptions extends TroubleCounts {
  readonly machines: number;
  readonly rows: number;
  /** `bank.requestsPerSecond`, which all machines keep together; 0: not set. */
  readonly rate: number;
  /** What every answer of the bank takes. */
  readonly latencyMs: number;
  readonly seed: number;
  readonly keep: boolean;
}

const counts = {
  machines: 4,
  rows: 20_000,
  kills: 500,
  freezes: 20,
  restarts: 20,
  cuts: 50,
  // So slowly that all the kills find rows to be paid: each takes some two seconds.
  rate: 40,
  latency: 20,
} as const;

type CountName = keyof typeof counts;

/** @throws Error for a word that is no option, or a value that is no count */
export function readMachineOptions(args: readonly string[]): MachineOptions {
  const text = { type: 'string' } as const;
  const names = Object.keys(counts) as CountName[];
  const { values } = parseArgs({
    args: [...args],
    options: {
      ...Object.fromEntries(names.map((name) => [name, text])),
      seed: text,
      keep: { type: 'boolean' },
    },
  });
  const given = values as Readonly<Record<string, string | undefined>>;
  const countOf = (name: CountName): number => readCount(name, given[name], counts[name]);
  return {
    machines: Math.max(1, countOf('machines')),
    rows: countOf('rows'),
    kills: countOf('kills'),
    freezes: countOf('freezes'),
    restarts: countOf('restarts'),
    cuts: countOf('cuts'),
    rate: countOf('rate'),
    latencyMs: countOf('latency'),
    seed: readCount('seed', given['seed'], Date.now() % seedsMax),
    keep: values.keep === true,
  };
}

/** The command that gives these very troubles again. */
export function describeMachineOptions(options: MachineOptions): string {
  const { machines, rows, kills, freezes, restarts, cuts, rate, latencyMs, seed } = options;
  return [
    `npm run chaos -- --machines ${machines} --rows ${rows} --kills ${kills} --freezes ${freezes}`,
    `--restarts ${restarts} --cuts ${cuts} --rate ${rate} --latency ${latencyMs} --seed ${seed}`,
  ].join(' ');
}
