/**
 * Benchmark (peers): the same file paid by paydrop, and as a job a payout by what one would build it on. Each job records an
 * intent, sends one transfer and records the outcome, and sends nothing when it runs again; all of them talk to the same
 * bank by the same client, at the same number at once. Whole processes are measured, from the file to the last outcome; the
 * tables of the peers are made before. Ends with 1 where a file was not paid once.
 * `node test/bench/peers.ts [--payouts 2000] [--at-once 32] [--latency-ms 0,100] [--rounds 1] [--only pg-boss]`
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { describeVerdict } from './peers/ledger.ts';
import { type Figures, journalInPostgres, paydropOn, peer, type Payer } from './peers/measure.ts';
import { openPostgresServer } from './peers/postgres-server.ts';
import { openBankProcess } from './processes.ts';
import { openFolder, writeBankSettings } from './rehearsal.ts';

const payers: readonly Payer[] = [
  paydropOn('SQLite'),
  paydropOn('PostgreSQL', journalInPostgres),
  peer('pg-boss', 'single'),
  peer('pg-boss', 'batches'),
  peer('graphile-worker', 'single'),
  peer('graphile-worker', 'batches'),
  peer('bullmq', 'appendfsync always', 'always'),
  peer('bullmq', 'appendfsync everysec', 'everysec'),
  peer('dbos', ''),
];

const { values } = parseArgs({
  options: {
    payouts: { type: 'string', default: '2000' },
    'at-once': { type: 'string', default: '32' },
    'latency-ms': { type: 'string', default: '0,100' },
    rounds: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
  },
});
const payouts = Number(values.payouts);
const atOnce = Number(values['at-once']);
const rounds = Number(values.rounds);
const wanted = payers.filter(({ name }) => name.includes(values.only));

const headings = [
  '',
  'payouts/s',
  'while paying',
  'commits',
  'that wrote',
  'Redis commands',
  'CPU ms',
  'paid',
] as const;

const perSecond = ({ wallMs }: Figures): number => payouts / (wallMs / 1_000);

function median(figures: readonly Figures[]): Figures | undefined {
  return figures.toSorted((one, other) => one.wallMs - other.wallMs)[Math.floor(figures.length / 2)];
}

function describe(figures: Figures): readonly string[] {
  const { processCpuMs, serverCpuMs, redisCommands } = figures;
  const cpu = `${(processCpuMs + serverCpuMs).toFixed(2)} (${processCpuMs.toFixed(2)} + ${serverCpuMs.toFixed(2)})`;
  return [
    perSecond(figures).toFixed(0),
    figures.perSecondWhilePaying.toFixed(0),
    figures.commits.toFixed(2),
    figures.writes.toFixed(2),
    redisCommands?.toFixed(1) ?? '',
    Number.isNaN(serverCpuMs) ? `${processCpuMs.toFixed(2)} + ?` : cpu,
    describeVerdict(figures.ledger),
  ];
}

function printTable(rows: readonly (readonly string[])[]): void {
  const widths = headings.map((_, place) => Math.max(...rows.map((row) => row[place]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((text, place) =>
      (place === 0 || place === row.length - 1 ? text.padEnd : text.padStart).call(text, widths[place] ?? 0),
    );
    console.log(`  ${cells.join('  ')}`.trimEnd());
  }
}

await using stack = new AsyncDisposableStack();
const { path: folder } = stack.use(await openFolder());
const postgres = await openPostgresServer();
if (!('why' in postgres)) stack.use(postgres);

/** The payers take turns in every round, so that what else the machine does meets all alike. */
async function bench(latencyMs: number): Promise<void> {
  const latencyFolder = join(folder, String(latencyMs));
  await mkdir(latencyFolder);
  const skipped = new Map<string, string>();
  const measured = new Map<string, Figures[]>();
  for (let round = 1; round <= rounds; round += 1) {
    for (const [place, payer] of wanted.entries()) {
      if (skipped.has(payer.name)) continue;
      const own = join(latencyFolder, `${round}-${place}`);
      await mkdir(own);
      await using bank = await openBankProcess(await writeBankSettings(own), latencyMs);
      const result = await payer
        .measure({ bank, folder: own, payouts, atOnce, postgres })
        .catch((error: unknown) => {
          process.exitCode = 1;
          return { why: `failed: ${(error as Error).message}` };
        });
      if ('why' in result) skipped.set(payer.name, result.why);
      else measured.set(payer.name, [...(measured.get(payer.name) ?? []), result]);
    }
  }
  const server = 'why' in postgres ? '' : `; ${postgres.description}`;
  console.log(
    `(peers) ${payouts.toLocaleString('en')} payouts, bank of ${latencyMs} ms, ${atOnce} at once, whole processes, ` +
      `median of ${rounds}; commits, Redis commands and CPU (process + servers) a payout${server}`,
  );
  const figures = [...measured].flatMap(([name, all]) => {
    const middle = median(all);
    return middle === undefined ? [] : [[name, ...describe(middle)]];
  });
  if (figures.length > 0) printTable([headings, ...figures]);
  for (const [name, why] of skipped) console.log(`  ${name}: not measured: ${why}`);
  const all = [...measured.values()].flat();
  const others = Math.max(0, ...all.map(({ elsewhere }) => elsewhere));
  if (others > payouts / 20)
    console.log(
      `  others used the server meanwhile (up to ${others} commits): its CPU and "that wrote" are theirs, too`,
    );
  if (all.some(({ ledger }) => ledger.once !== payouts || ledger.strange > 0)) process.exitCode = 1;
}

for (const latencyMs of values['latency-ms'].split(',').map(Number)) await bench(latencyMs);
