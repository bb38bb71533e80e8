/**
 * `npm run simulate -- --seeds 100000`: plays seeds and shows what they met. `--seed N --trace` replays one;
 * `--mutations` shows that each deliberate bug is found; `--shape journals` loses, restores and copies the journal,
 * `--shape archives` moves batches out of it and back, `--shape edited` changes an amount in it, `--shape clocks` lets the
 * machine sleep and sets clocks, `--shape statements` reads the bank's statements meanwhile, `--shape decisions` lets people
 * propose and check, `--shape approvals` approve, correct and try again what waits, on a real journal, and
 * `--shape registrations` registers direct debits with a bank that calls back when it likes, and `--shape machines` has
 * several machines work one journal, with `--journal postgres` a real one on the server that tests take.
 */
import { parseArgs } from 'node:util';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { catchAll } from './catch-mutations.ts';
import { playApprovals } from './approvals.ts';
import { Figures } from './figures.ts';
import { type ClusterOptions, playCluster } from './machines/play.ts';
import { loadPostgres } from './machines/server.ts';
import { openPlayJournal, type PlayJournal } from './registrations/journal.ts';
import { playRegistrations } from './registrations/play.ts';
import { type RunOptions, runSeed } from './run-seed.ts';

/** `approvals`, `registrations` and `machines` are plays of their own. */
type Played = NonNullable<RunOptions['shape']> | 'approvals' | 'registrations' | 'machines';

const shapes: readonly string[] = [
  ...(['simple', 'mixed', 'people', 'wild', 'lying', 'outage', 'edited', 'clocks', 'limits'] as const),
  ...(['statements', 'decisions', 'journals', 'archives', 'approvals', 'registrations', 'machines'] as const),
] satisfies readonly Played[];

/** Seeds from one number up, of one shape where it is given. */
interface Share {
  readonly from: number;
  readonly seeds: number;
  /** Every so manieth seed. */
  readonly stride: number;
  readonly shape: Played | undefined;
  readonly onSqlite: boolean;
  readonly onPostgres: boolean;
}

interface Failure {
  readonly seed: number;
  readonly broken: string;
}

interface Tally {
  readonly seeds: number;
  readonly failures: readonly Failure[];
  readonly counts: Readonly<Record<string, number>>;
}

/** More than these are of no use to anybody. */
const failuresMax = 20;

async function play({ from, seeds, stride, shape, onSqlite, onPostgres }: Share): Promise<Tally> {
  // Nobody reads the stacks of a run without a trace, and each aborted signal makes one.
  Error.stackTraceLimit = 0;
  const figures = new Figures();
  const failures: Failure[] = [];
  const stores = await storeOptions(onSqlite, onPostgres);
  await using journal = shape === 'registrations' ? await openPlayJournal() : undefined;
  let played = 0;
  for (let seed = from; seed < from + seeds && failures.length < failuresMax; seed += stride) {
    const { broken, figures: met } = await playSeed(seed, shape, { ...stores, journal });
    figures.add(met);
    played += 1;
    if (broken !== undefined) failures.push({ seed, broken });
    // What a seed has left to fail by itself fails before the next one.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { seeds: played, failures, counts: figures.counts };
}

interface SeedOptions extends RunOptions, Pick<ClusterOptions, 'makeDatabase'> {
  /** Of plays of registrations, which share one. */
  readonly journal?: PlayJournal | undefined;
}

function playSeed(
  seed: number,
  shape: Played | undefined,
  { journal, makeDatabase, ...options }: SeedOptions,
) {
  if (shape === 'approvals') return playApprovals(seed);
  if (shape === 'machines') return playCluster(seed, { ...options, ...(makeDatabase && { makeDatabase }) });
  if (shape === 'registrations') return playRegistrations(seed, { ...options, journal });
  return runSeed(seed, { ...options, shape });
}

async function storeOptions(
  onSqlite: boolean,
  onPostgres: boolean,
): Promise<Pick<RunOptions, 'makeDisk'> & Pick<ClusterOptions, 'makeDatabase'>> {
  if (onPostgres) return { makeDatabase: await loadPostgres() };
  if (!onSqlite) return {};
  const { makeSqliteDisk } = await import('./sqlite-disk.ts');
  return { makeDisk: makeSqliteDisk };
}

/** A young generation that holds a few hundred runs: hardly anything outlives its run. */
const youngMb = 64;

async function playInThread(share: Share): Promise<Tally> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: share,
      resourceLimits: { maxYoungGenerationSizeMb: youngMb },
    });
    worker.once('message', resolve);
    worker.once('error', reject);
  });
}

function print(tally: Tally, elapsedMs: number): void {
  const { seeds, counts, failures } = tally;
  const sorted = Object.entries(counts).toSorted(([one], [other]) => (one < other ? -1 : 1));
  for (const [kind, times] of sorted) console.log(`${kind.padEnd(28)} ${times}`);
  const perSecond = Math.round((seeds / elapsedMs) * 1_000);
  console.log(`${seeds} seeds in ${(elapsedMs / 1_000).toFixed(1)} s: ${perSecond} a second`);
  for (const { seed, broken } of failures) {
    console.log(`seed ${seed}: ${broken}`);
    console.log(`  replay: npm run simulate -- --seed ${seed} --trace`);
  }
  console.log(
    failures.length === 0 ? 'no invariant is broken' : `${failures.length} seeds broke an invariant`,
  );
}

function join(tallies: readonly Tally[]): Tally {
  const figures = new Figures();
  for (const { counts } of tallies) figures.add(counts);
  return {
    seeds: tallies.reduce((sum, { seeds }) => sum + seeds, 0),
    failures: tallies.flatMap(({ failures }) => failures).toSorted((one, other) => one.seed - other.seed),
    counts: figures.counts,
  };
}

async function replay(
  seed: number,
  shape: Played | undefined,
  isTraced: boolean,
  stores: Pick<SeedOptions, 'makeDisk' | 'makeDatabase'>,
): Promise<void> {
  const { broken, ...played } = await playSeed(seed, shape, {
    trace: isTraced ? (line) => console.log(line) : undefined,
    ...stores,
  });
  console.log(JSON.stringify({ ...played, seed, broken: broken ?? null }));
  if (broken !== undefined) process.exitCode = 1;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      trace: { type: 'boolean', default: false },
      jobs: { type: 'string', default: '1' },
      shape: { type: 'string' },
      journal: { type: 'string', default: 'memory' },
      mutations: { type: 'boolean', default: false },
    },
  });
  if (values.shape !== undefined && !shapes.includes(values.shape))
    throw new Error(`there is no shape ${values.shape}: ${shapes.join(', ')}`);
  const shape = values.shape as Played | undefined;
  const onSqlite = values.journal === 'sqlite';
  const onPostgres = values.journal === 'postgres';
  if (values.mutations) {
    process.exitCode = (await catchAll()) ? 0 : 1;
    return;
  }
  if (values.seed !== undefined) {
    const stores = await storeOptions(onSqlite, onPostgres);
    return replay(Number(values.seed), shape, values.trace, stores);
  }
  const jobs = Math.max(1, Number(values.jobs));
  const startedAt = performance.now();
  const shares = Array.from({ length: jobs }, (_, place): Share => {
    return {
      from: Number(values.from) + place,
      seeds: Number(values.seeds) - place,
      stride: jobs,
      shape,
      onSqlite,
      onPostgres,
    };
  });
  const tally = join(await Promise.all(shares.map(playInThread)));
  print(tally, performance.now() - startedAt);
  if (tally.failures.length > 0) process.exitCode = 1;
}

if (isMainThread) await main();
else parentPort?.postMessage(await play(workerData as Share), []);
