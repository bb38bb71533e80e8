/**
 * Pays files with several machines on one PostgreSQL journal, through kills, freezes, a database that dies and connections
 * that break, over a bank that misbehaves; and judges by the bank's ledger. What befalls them is drawn from the seed.
 * `npm run chaos -- --machines 4 [--rows 20000] [--kills 500] [--freezes 20] [--restarts 20] [--cuts 50] [--rate 0]
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
  return (['helper', 'sender'] as const).map((role) => {
    const own = recoveries.filter((one) => one.role === role);
    const withRows = own.filter(({ rows }) => rows > 0);
    const place =
      role === 'sender' ? `; its place taken ${spread(own.flatMap(({ placeMs }) => placeMs ?? []))}` : '';
    return (
      `rows of a killed ${role} went on, min / median / max: ${spread(withRows.map(({ tookMs }) => tookMs))}; ` +
      `with database and a machine up: ${spread(withRows.map(({ ableMs }) => ableMs))}${place}`
    );
  });
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
