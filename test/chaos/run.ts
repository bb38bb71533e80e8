/**
 * Pays a file over a bank that misbehaves, through kills and a storm of everything else that befalls a machine, and
 * judges by the bank's ledger. What befalls it is drawn from the seed.
 * `npm run chaos -- [--rows 3000] [--kills 10] [--bank-kills 2] [--stops 3] [--full-disks 2] [--read-onlys 1]
 * [--clock-jumps 4] [--rivals 3] [--commands 6] [--signal SIGKILL] [--seed N] [--keep]`; with `--machines N` several
 * machines pay it from one PostgreSQL journal: see machines/run.ts.
 */
import { openScene, type Scene } from '../end-to-end/harness.ts';
import { Dice } from '../support/dice.ts';
import { type Disk, openDisk } from './disk.ts';
import { describeOptions, type Options, readOptions } from './options.ts';
import { faultyBehaviours, type PlannedRow, planRows, writeRows } from './plan.ts';
import { besiege, type Besieged } from './siege.ts';
import { type Evidence, findBrokenPromises, gatherEvidence } from './verdict.ts';

const settings = {
  sandbox: { latencyMs: 4, behaviours: faultyBehaviours },
  transfer: { concurrency: 8 },
};

/** A run of what is done pays nobody and writes nothing, whatever the file is called now. */
async function findRepeats(
  scene: Scene,
  planned: readonly PlannedRow[],
  before: Evidence,
): Promise<string[]> {
  const renamed = await scene.addFile('the same under another name.csv', writeRows(planned));
  const end = await scene.run('run', renamed, '--json');
  const after = await gatherEvidence(scene, planned, end.code, before.hasJumped);
  const complaints = findBrokenPromises(after);
  if (after.ledger.requests.transfer !== before.ledger.requests.transfer)
    complaints.push('the file run again under another name has sent transfers');
  if (after.names.join() !== before.names.join()) complaints.push('the file run again has written files');
  return complaints;
}

function describeFigures(evidence: Evidence, besieged: Besieged, disk: Disk, seconds: number): string {
  const { planned, present, ledger } = evidence;
  const { killed, came, passedMs } = besieged;
  const statuses = Map.groupBy(present, (line) => line['status'] ?? '');
  const counts = [...statuses].map(([status, lines]) => `${status} ${lines.length}`).join(', ');
  const { totals, duplicatesRefused } = ledger;
  return [
    `${planned.length} rows, ${killed.kills} kills, ${killed.escaped} runs that ended before theirs, ${seconds.toFixed(1)} s`,
    `storm: ${[...came].map(([what, times]) => `${what} ${times}`).join(', ')}; ${Math.round(passedMs / 60_000)} minutes passed at a stroke`,
    `disk: full by ${disk.means.full ?? 'nothing: left out'}, read-only by ${disk.means.readOnly ?? 'nothing: left out'}`,
    `result: ${counts}`,
    `ledger: ${totals.count} payouts, ${totals.amount} baht; ${duplicatesRefused} duplicates refused`,
  ].join('\n');
}

async function chaos(options: Options): Promise<boolean> {
  const planned = planRows(options.rows, `C${options.seed}`, new Dice(options.seed));
  await using disk = await openDisk();
  await using scene = await openScene({
    ...settings,
    ownProcesses: true,
    dataDir: disk.dataDir,
    keep: options.keep,
  });
  if (options.keep) console.log(`the scene stays in ${scene.folder}`);
  const startMs = performance.now();
  const besieged = await besiege(scene, disk, planned, options, (line) => console.log(line));
  const evidence = await gatherEvidence(scene, planned, besieged.exitCode, options.clockJumps > 0);
  const seconds = (performance.now() - startMs) / 1_000;
  const complaints = [...findBrokenPromises(evidence), ...(await findRepeats(scene, planned, evidence))];
  console.log(describeFigures(evidence, besieged, disk, seconds));
  if (complaints.length === 0) console.log('Every satang is accounted for.');
  else
    console.log(`BROKEN PROMISES: ${complaints.length}\n${complaints.slice(0, complaintsShown).join('\n')}`);
  return complaints.length === 0;
}

const complaintsShown = 40;

// An error that nobody catches ends every program of the scene with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    throw new Error(`stopped by ${signal}`);
  });
}

async function run(args: readonly string[]): Promise<boolean> {
  if (args.some((arg) => /^--machines(?:=|$)/.test(arg))) {
    const { runMachines } = await import('./machines/run.ts');
    return runMachines(args);
  }
  const options = readOptions(args);
  console.log(`seed ${options.seed}: ${describeOptions(options)}`);
  return chaos(options);
}

if (!(await run(process.argv.slice(2)))) process.exitCode = 1;
