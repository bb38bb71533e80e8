/**
 * Benchmark (machines): (a) the same file by one process, with its journal in SQLite and in PostgreSQL, with a bank that
 * answers at once and with a slow one; (b) a file dropped before one watcher and before four that share a journal in
 * PostgreSQL. What four can be is told while the cores have time left: `--bounds` are payouts a second at which a worker has
 * all its places in use, once with time left on two cores and once without. Payees are checked, and nothing of the program's
 * care is switched off. Ends with 1 where a file was not paid once.
 * With few rows a bank that answers at once shows how the two engines begin: what runs often is compiled beside the work,
 * for which SQLite leaves a core, and the server of PostgreSQL and the bank do not.
 * `node test/bench/machines.ts [a] [b] [--rows 50000] [--slow-rows 2000] [--at-once 32] [--rounds 3] [--bounds 20,80]
 * [--workers 1,4] [--latency-ms 100,400] [--seconds 10]`
 */
import { mkdir } from 'node:fs/promises';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeVerdict } from './peers/ledger.ts';
import { type Figures, journalInPostgres, paydropOn, type Payer } from './peers/measure.ts';
import { openPostgresServer, type PostgresServer } from './peers/postgres-server.ts';
import { computeBusyShare, openBankProcess, readCoreTimes } from './processes.ts';
import { openFolder, writeBankSettings } from './rehearsal.ts';
import { type Crew, type CrewFigures, measureCrew } from './watchers.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '50000' },
    'slow-rows': { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
    bounds: { type: 'string', default: '20,80' },
    workers: { type: 'string', default: '1,4' },
    'latency-ms': { type: 'string', default: '100,400' },
    seconds: { type: 'string', default: '10' },
  },
});
const atOnce = Number(values['at-once']);

const showCount = (count: number): string => Math.round(count).toLocaleString('en');
const showPercent = (share: number): string => `${(share * 100).toFixed(0)} %`;

/** What else the machine does is in every figure. */
const showLoad = (): string => `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)] ?? NaN;
}

await using stack = new AsyncDisposableStack();
const { path: folder } = stack.use(await openFolder());
const postgres = await openPostgresServer();
if (!('why' in postgres)) stack.use(postgres);

function requirePostgres(): PostgresServer {
  if ('why' in postgres) throw new Error(postgres.why);
  return postgres;
}

// ---------------------------------------------------------------- (a) one process, two engines

interface Measured extends Figures {
  readonly busyShare: number;
}

const engines = [paydropOn('SQLite', undefined, true), paydropOn('PostgreSQL', journalInPostgres, true)];

let measures = 0;

async function measureOnce(payer: Payer, latencyMs: number, payouts: number): Promise<Measured> {
  const own = join(folder, String((measures += 1)));
  await mkdir(own);
  await using bank = await openBankProcess(await writeBankSettings(own), latencyMs);
  const before = readCoreTimes();
  const figures = await payer.measure({ bank, folder: own, payouts, atOnce, postgres: requirePostgres() });
  if ('why' in figures) throw new Error(figures.why);
  if (figures.ledger.once !== payouts || figures.ledger.strange > 0) process.exitCode = 1;
  return { ...figures, busyShare: computeBusyShare(before, readCoreTimes()) };
}

function describe(name: string, all: readonly Measured[], boundPerSecond: number): string {
  const of = (key: 'commits' | 'writes' | 'processCpuMs' | 'serverCpuMs' | 'busyShare'): number =>
    median(all.map((one) => one[key]));
  const paying = median(all.map((one) => one.perSecondWhilePaying));
  const steady = median(all.map((one) => one.perSecondSteady));
  const bound =
    boundPerSecond === Infinity
      ? ''
      : ` (${steady.toFixed(1)} without the first and last tenth: ${(steady / boundPerSecond).toFixed(3)} of the bound)`;
  const byQuarter = [0, 1, 2, 3].map((quarter) =>
    showCount(median(all.map(({ perSecondByQuarter }) => perSecondByQuarter[quarter] ?? NaN))),
  );
  const wrong = all.find(({ ledger }) => ledger.once !== all[0]?.ledger.once) ?? all[0];
  return (
    `  ${name}: ${paying.toFixed(1)} payouts/s while paying${bound}, by quarters ${byQuarter.join('; ')}; a payout ${of('commits').toFixed(2)} commits, ` +
    `${of('writes').toFixed(2)} of them wrote, CPU ${of('processCpuMs').toFixed(2)} ms of the process and ` +
    `${of('serverCpuMs').toFixed(2)} ms of the server; cores busy ${showPercent(of('busyShare'))}; ` +
    `paid ${wrong === undefined ? '' : describeVerdict(wrong.ledger)}`
  );
}

/** The engines take turns, so that what else the machine does meets both alike. */
async function benchEngines(latencyMs: number, payouts: number, rounds: number): Promise<void> {
  const loadBefore = showLoad();
  const measured = engines.map((): Measured[] => []);
  for (let round = 1; round <= rounds; round += 1) {
    for (const [place, engine] of engines.entries())
      measured[place]?.push(await measureOnce(engine, latencyMs, payouts));
  }
  const bound = latencyMs === 0 ? Infinity : atOnce / (latencyMs / 1_000);
  console.log(
    `(machines a) one process, ${showCount(payouts)} rows, bank of ${latencyMs} ms, ${atOnce} at once, ` +
      `${bound === Infinity ? '' : `bound ${bound}/s, `}median of ${rounds}; ${requirePostgres().description}; ` +
      `${loadBefore} before, ${showLoad()} after`,
  );
  for (const [place, { name }] of engines.entries())
    console.log(describe(name, measured[place] ?? [], bound));
  const ratios = (measured[1] ?? []).map(
    ({ perSecondWhilePaying }, round) =>
      perSecondWhilePaying / (measured[0]?.[round]?.perSecondWhilePaying ?? NaN),
  );
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)].map((ratio) => ratio.toFixed(2));
  const ofLast = (one: Measured | undefined): number => one?.perSecondByQuarter.at(-1) ?? NaN;
  const lastRatios = (measured[1] ?? []).map((one, round) => ofLast(one) / ofLast(measured[0]?.[round]));
  console.log(
    `  PostgreSQL to SQLite: ${median(ratios).toFixed(2)} (from round to round ${least} to ${most}), ` +
      `in the last quarter ${median(lastRatios).toFixed(2)}`,
  );
  const others = Math.max(0, ...measured.flat().map(({ elsewhere }) => elsewhere));
  if (others > payouts / 20)
    console.log(
      `  others used the server meanwhile (up to ${others} commits): its CPU and what wrote are theirs, too`,
    );
}

// ---------------------------------------------------------------- (b) several watchers

/** Payouts a second of one worker whose places are all in use, at a bank of this latency. */
async function benchCrews(latencyMs: number, wantedBound: number): Promise<void> {
  const places = Math.max(1, Math.round((wantedBound * latencyMs) / 1_000));
  const bound = places / (latencyMs / 1_000);
  console.log(
    `(machines b) one file, bank of ${latencyMs} ms, ${places} at once a worker (bound ${bound.toFixed(0)}/s each), ` +
      `without the first and last tenth; ${requirePostgres().description}; ${showLoad()} before`,
  );
  let ofOne: number | undefined;
  for (const workers of values.workers.split(',').map(Number)) {
    const own = join(folder, String((measures += 1)));
    await mkdir(own);
    await using bank = await openBankProcess(await writeBankSettings(own), latencyMs);
    const payouts = Math.round(bound * Number(values.seconds)) * workers;
    const crew = { bank, folder: own, server: requirePostgres(), workers, payouts, atOnce: places };
    const figures = await measureCrew(crew);
    ofOne ??= figures.perSecondSteady / workers;
    console.log(describeCrew(crew, figures, ofOne, bound));
    if (figures.ledger.once !== payouts || figures.ledger.strange > 0) process.exitCode = 1;
  }
}

function describeCrew(
  { workers, payouts }: Crew,
  figures: CrewFigures,
  ofOne: number,
  bound: number,
): string {
  const { perSecondSteady: steady, processCpuMs, serverCpuMs, bankCpuMs } = figures;
  return (
    `  ${workers} ${workers === 1 ? 'worker' : 'workers'}, ${showCount(payouts)} rows: ${steady.toFixed(1)} payouts/s, ` +
    `${(steady / ofOne).toFixed(2)} times one, ${(steady / bound / workers).toFixed(3)} of the bound; ` +
    `cores busy ${showPercent(figures.busyShare)}; shares ${figures.shares.map(showPercent).join(', ')}; ` +
    `a payout ${figures.commits.toFixed(2)} commits, ${figures.writes.toFixed(2)} of them wrote, CPU ` +
    `${processCpuMs.toFixed(1)} ms of the watchers, ${serverCpuMs.toFixed(1)} ms of the server, ` +
    `${bankCpuMs.toFixed(1)} ms of the bank; ${showLoad()} after; paid ${describeVerdict(figures.ledger)}`
  );
}

// ---------------------------------------------------------------- all

const parts: Readonly<Record<string, () => Promise<void>>> = {
  a: async () => {
    await benchEngines(0, Number(values.rows), Number(values.rounds));
    await benchEngines(100, Number(values['slow-rows']), 1);
  },
  b: async () => {
    for (const bound of values.bounds.split(',').map(Number))
      for (const latencyMs of values['latency-ms'].split(',').map(Number)) await benchCrews(latencyMs, bound);
  },
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`which part? ${Object.keys(parts).join(' or ')}`);
  await part();
}
