/**
 * Benchmark (machines): (a) the same file by one process, with its journal in SQLite and in PostgreSQL, with a bank that
 * answers at once and with a slow one. Payees are checked, and nothing of the program's care is switched off. Ends with 1
 * where a file was not paid once.
 * `node test/bench/machines.ts [a] [--rows 5000] [--slow-rows 2000] [--at-once 32] [--rounds 3]`
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

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rows: { type: 'string', default: '5000' },
    'slow-rows': { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '32' },
    rounds: { type: 'string', default: '3' },
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
  const wrong = all.find(({ ledger }) => ledger.once !== all[0]?.ledger.once) ?? all[0];
  return (
    `  ${name}: ${paying.toFixed(1)} payouts/s while paying${bound}; a payout ${of('commits').toFixed(2)} commits, ` +
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
  console.log(`  PostgreSQL to SQLite: ${median(ratios).toFixed(2)}`);
  const others = Math.max(0, ...measured.flat().map(({ elsewhere }) => elsewhere));
  if (others > payouts / 20)
    console.log(
      `  others used the server meanwhile (up to ${others} commits): its CPU and what wrote are theirs, too`,
    );
}

// ---------------------------------------------------------------- all

const parts: Readonly<Record<string, () => Promise<void>>> = {
  a: async () => {
    await benchEngines(0, Number(values.rows), Number(values.rounds));
    await benchEngines(100, Number(values['slow-rows']), 1);
  },
};

for (const name of positionals.length > 0 ? positionals : Object.keys(parts)) {
  const part = parts[name];
  if (part === undefined) throw new Error(`which part? ${Object.keys(parts).join(' or ')}`);
  await part();
}
