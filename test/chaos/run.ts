/**
 * Pays a file over a bank that misbehaves, kills the run again and again, and judges by the bank's ledger.
 * `npm run chaos -- [--rows 10000] [--kills 20] [--bank-kills 2] [--signal SIGKILL] [--seed N] [--keep]`
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openScene, until, type ProgramEnd, type Scene } from '../end-to-end/harness.ts';
import { describeMoment, planMoments, TransferCount, waitForMoment, type Moment } from './moments.ts';
import { faultyBehaviours, planRows, writeRows, type PlannedRow } from './plan.ts';
import { makeChance, type Chance } from './random.ts';
import { findBrokenPromises, gatherEvidence, type Evidence } from './verdict.ts';

interface Options {
  readonly rows: number;
  readonly kills: number;
  readonly bankKills: number;
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

function readCount(name: string, words: string | undefined, otherwise: number): number {
  const value = words === undefined ? otherwise : Number(words);
  if (!Number.isInteger(value) || value < 0) throw new Error(`--${name} takes a whole number, 0 or more`);
  return value;
}

function readOptions(args: readonly string[]): Options {
  const text = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      rows: text,
      kills: text,
      'bank-kills': text,
      signal: text,
      seed: text,
      keep: { type: 'boolean' },
    },
  });
  return {
    rows: readCount('rows', values.rows, 10_000),
    kills: readCount('kills', values.kills, 20),
    bankKills: readCount('bank-kills', values['bank-kills'], 2),
    signal: readSignal(values.signal),
    seed: readCount('seed', values.seed, Date.now() % 1_000_000),
    keep: values.keep ?? false,
  };
}

const settings = {
  sandbox: { latencyMs: 4, behaviours: faultyBehaviours },
  transfer: { concurrency: 8 },
};

/** While a file of this many rows is read, and a little longer. */
const readingMsPerRow = 0.06;
const readingMsLeast = 300;
/** The same for its reports. */
const reportingMsPerRow = 0.02;
const reportingMsLeast = 20;

interface Killed {
  /** Runs that were killed. */
  readonly kills: number;
  /** Runs that ended of themselves before their moment came. */
  readonly escaped: number;
}

/** What a run may end with that was not killed: all paid, with exceptions, in doubt. */
const endCodes: readonly (number | null)[] = [0, 3, 4];

/** True when the signal has ended the run, at once or after what was in flight. */
async function killAt(
  scene: Scene,
  file: string,
  moment: Moment,
  signal: NodeJS.Signals,
  count: TransferCount,
): Promise<boolean> {
  const program = scene.start('run', file, '--json', '--log-level', 'error');
  await waitForMoment(scene, program, moment, count);
  program.kill(signal);
  const end = await program.ended;
  const isKilled = end.signal === signal || (signal !== 'SIGKILL' && end.code === stoppedShort);
  if (!isKilled && !endCodes.includes(end.code))
    throw new Error(`a run ended with ${end.code}: ${end.stderr}`);
  console.log(`${isKilled ? 'killed' : 'ended'} ${describeMoment(moment)}, ${count.read()} transfers so far`);
  return isKilled;
}

const stoppedShort = 6;

/** Goes through the moments, and on until there are kills enough: a run may end before its moment comes. */
async function killAgainAndAgain(
  scene: Scene,
  file: string,
  moments: readonly Moment[],
  signal: NodeJS.Signals,
  chance: Chance,
): Promise<Killed> {
  const count = new TransferCount(scene);
  const further = Array.from({ length: moments.length }, (): Moment => {
    return { after: 'start', waitMs: chance.between(0, 40) };
  });
  let kills = 0;
  let escaped = 0;
  for (const moment of [...moments, ...further]) {
    if (kills >= moments.length) break;
    if (await killAt(scene, file, moment, signal, count)) kills += 1;
    else escaped += 1;
  }
  return { kills, escaped };
}

/** Kills the bank now and then; it comes back with the ledger that it had. */
async function killBank(
  scene: Scene,
  at: readonly number[],
  chance: Chance,
  end: AbortSignal,
): Promise<number> {
  const count = new TransferCount(scene);
  let kills = 0;
  for (const transfers of at) {
    await until(() => end.aborted || count.read() >= transfers, 3_600_000);
    if (end.aborted) break;
    await scene.bank.kill();
    await sleep(chance.between(0, 1_500));
    await scene.bank.reopen();
    kills += 1;
    console.log(`killed the bank at ${transfers} transfers; it is back`);
  }
  return kills;
}

/** A run of what is done pays nobody and writes nothing, whatever the file is called now. */
async function findRepeats(
  scene: Scene,
  planned: readonly PlannedRow[],
  before: Evidence,
): Promise<string[]> {
  const renamed = await scene.addFile('the same under another name.csv', writeRows(planned));
  const end = await scene.run('run', renamed, '--json');
  const after = await gatherEvidence(scene, planned, end.code);
  const complaints = findBrokenPromises(after);
  if (after.ledger.requests.transfer !== before.ledger.requests.transfer)
    complaints.push('the file run again under another name has sent transfers');
  if (after.names.join() !== before.names.join()) complaints.push('the file run again has written files');
  return complaints;
}

function describeFigures(evidence: Evidence, killed: Killed, bankKills: number, seconds: number): string {
  const { planned, present, ledger } = evidence;
  const statuses = Map.groupBy(present, (line) => line['status'] ?? '');
  const counts = [...statuses].map(([status, lines]) => `${status} ${lines.length}`).join(', ');
  const { totals, duplicatesRefused } = ledger;
  return [
    `${planned.length} rows, ${killed.kills} kills, ${bankKills} kills of the bank, ${killed.escaped + killed.kills + 1} runs, ${seconds.toFixed(1)} s`,
    `result: ${counts}`,
    `ledger: ${totals.count} payouts, ${totals.amount} baht; ${duplicatesRefused} duplicates refused`,
  ].join('\n');
}

async function finish(scene: Scene, file: string): Promise<ProgramEnd> {
  const end = await scene.run('run', file, '--json');
  if (!endCodes.includes(end.code))
    throw new Error(`the last run ended with ${end.code}:\n${end.stdout}\n${end.stderr}`);
  return end;
}

/** Kills and goes on until the file is paid. */
async function payUnderFire(
  scene: Scene,
  file: string,
  { rows, kills, bankKills, signal, seed }: Options,
  transfers: number,
  chance: Chance,
): Promise<{ readonly killed: Killed; readonly bankKills: number; readonly exitCode: number | null }> {
  const readingMs = readingMsLeast + rows * readingMsPerRow;
  const reportingMs = reportingMsLeast + rows * reportingMsPerRow;
  const moments = planMoments(kills, transfers, readingMs, reportingMs, chance);
  const bankMoments = Array.from({ length: bankKills }, (_, index) =>
    Math.floor(((index + chance.between(0, 1)) / bankKills) * transfers),
  );
  const isOver = new AbortController();
  const bank = killBank(scene, bankMoments, makeChance(seed + 1), isOver.signal);
  try {
    const killed = await killAgainAndAgain(scene, file, moments, signal, chance);
    const { code: exitCode } = await finish(scene, file);
    isOver.abort();
    return { killed, bankKills: await bank, exitCode };
  } finally {
    isOver.abort();
  }
}

async function chaos(options: Options): Promise<boolean> {
  const chance = makeChance(options.seed);
  const planned = planRows(options.rows, `C${options.seed}`, chance);
  const transfers = planned.filter(({ endsAs }) => endsAs !== 'rejected').length;
  await using scene = await openScene({ ...settings, keep: options.keep });
  if (options.keep) console.log(`the scene stays in ${scene.folder}`);
  const file = await scene.addFile('chaos.csv', writeRows(planned));
  const startMs = performance.now();
  const { killed, bankKills, exitCode } = await payUnderFire(scene, file, options, transfers, chance);
  const evidence = await gatherEvidence(scene, planned, exitCode);
  const seconds = (performance.now() - startMs) / 1_000;
  const complaints = [...findBrokenPromises(evidence), ...(await findRepeats(scene, planned, evidence))];
  console.log(describeFigures(evidence, killed, bankKills, seconds));
  if (complaints.length === 0) console.log('Every satang is accounted for.');
  else
    console.log(`BROKEN PROMISES: ${complaints.length}\n${complaints.slice(0, complaintsShown).join('\n')}`);
  return complaints.length === 0;
}

const complaintsShown = 40;

const options = readOptions(process.argv.slice(2));
console.log(
  `seed ${options.seed}: npm run chaos -- --rows ${options.rows} --kills ${options.kills} --bank-kills ${options.bankKills} --signal ${options.signal} --seed ${options.seed}`,
);
if (!(await chaos(options))) process.exitCode = 1;
