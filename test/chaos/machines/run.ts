/**
 * Pays files with several machines on one PostgreSQL journal, through kills, freezes, a database that dies and connections
 * that break, over a bank that misbehaves; and judges by the bank's ledger. What befalls them is drawn from the seed.
 * `npm run chaos -- --machines 4 [--rows 20000] [--kills 500] [--freezes 20] [--restarts 20] [--cuts 50] [--rate 40]
 * [--latency 20] [--seed N] [--keep]`
 */
import { findPostgresPrograms } from '../../support/own-postgres.ts';
import { describeMachineOptions, type MachineOptions, readMachineOptions } from './options.ts';
import type { Recovery } from './recoveries.ts';
import { type Besieged, besiegeMachines } from './siege.ts';

const complaintsShown = 40;

function spread(values: readonly number[]): string {
  if (values.length === 0) return 'never';
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${at(0)} / ${at(0.5)} / ${at(1)} ms (${sorted.length})`;
}

function describeRecoveries(recoveries: readonly Recovery[]): string[] {
  const withRows = recoveries.filter(({ rows }) => rows > 0);
  const tookOf = (role: Recovery['role'], isAlone: boolean): string =>
    spread(
      withRows.filter((one) => one.role === role && one.isAlone === isAlone).map(({ tookMs }) => tookMs),
    );
  return [
    `rows went on, min / median / max: ${tookOf('helper', true)} after a helper was killed and nothing else happened, ${tookOf('sender', true)} after a sender was`,
    `where more befell them: helper ${tookOf('helper', false)}, sender ${tookOf('sender', false)}, ` +
      `in which somebody was there to go on for ${spread(withRows.filter(({ isAlone }) => !isAlone).map(({ ableMs }) => ableMs))}`,
    `another had a killed sender's place after ${spread(recoveries.flatMap(({ placeMs }) => placeMs ?? []))}`,
  ];
}

const slowestShown = 8;

function describeSlowest(recoveries: readonly Recovery[]): string {
  const slowest = recoveries.toSorted((one, other) => other.tookMs - one.tookMs).slice(0, slowestShown);
  const words = slowest.map(
    ({ pid, role, rows, inDoubt, tookMs, ableMs }) =>
      `${role} ${pid} ${rows} rows (${inDoubt} in doubt) ${Math.round(tookMs)} ms, of these ${Math.round(ableMs)} able`,
  );
  return `the slowest: ${words.join('; ') || 'none'}`;
}

function describeFigures({ rows, machines }: MachineOptions, besieged: Besieged): string {
  const { verdict, said, recoveries, came, files, stormMs, quietMs } = besieged;
  const { statuses, payouts, total, busiestSecond } = verdict;
  const list = (counts: ReadonlyMap<string, number>): string =>
    [...counts].map(([what, times]) => `${what} ${times}`).join(', ') || 'none';
  return [
    `${machines} machines, ${rows} rows in ${files} files: ${(stormMs / 1_000).toFixed(1)} s of storm, ${(quietMs / 1_000).toFixed(1)} s until all was settled`,
    `storm: ${list(came)}`,
    `journal: ${list(statuses)}`,
    `ledger: ${payouts} payouts, ${total} baht; at most ${busiestSecond} requests in a second`,
    ...describeRecoveries(recoveries),
    describeSlowest(recoveries),
    `errors logged: ${list(said.errors)}`,
  ].join('\n');
}

/** Runs it; false when a promise was broken. */
export async function runMachines(args: readonly string[]): Promise<boolean> {
  const options = readMachineOptions(args);
  const programs = findPostgresPrograms();
  if (programs === undefined) {
    console.log('No PostgreSQL to be started here: nothing was shown.');
    return true;
  }
  console.log(`seed ${options.seed}: ${describeMachineOptions(options)}`);
  const besieged = await besiegeMachines(programs, options, (line) => console.log(line));
  const { complaints } = besieged.verdict;
  console.log(describeFigures(options, besieged));
  if (complaints.length === 0) console.log('Every satang is accounted for.');
  else
    console.log(`BROKEN PROMISES: ${complaints.length}\n${complaints.slice(0, complaintsShown).join('\n')}`);
  return complaints.length === 0;
}
