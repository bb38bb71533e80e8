/**
 * Drops hundreds of files, good, broken, doubled and badly written, before watchers that are killed, and judges by the
 * folders and the bank's ledger. What is dropped and when a watcher dies is drawn from the seed.
 * `npm run soak -- [--files 500] [--kills 0] [--rows-max 2000] [--broken 30] [--duplicates 20] [--slow 10] [--late 2]
 * [--control none] [--still 1000] [--inbox FOLDER] [--seed N] [--keep]`, or `--idle [--archived 10000] [--batches 2000]`
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { openScene } from '../end-to-end/harness.ts';
import { Dice } from '../support/dice.ts';
import { brokenLimits } from './drop-broken.ts';
import { measureIdle } from './drop-idle.ts';
import { describeDropOptions, type DropOptions, readDropOptions } from './drop-options.ts';
import { planDrops } from './drop-plan.ts';
import { type Besieged, besiegeInbox } from './drop-siege.ts';
import { faultyBehaviours } from './plan.ts';

const waitMs = 3_600_000;
const complaintsShown = 40;

function spread(values: readonly number[]): string {
  if (values.length === 0) return 'never';
  const sorted = values.toSorted((one, other) => one - other);
  const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? 0);
  return `${at(0)} / ${at(0.5)} / ${at(1)} ms (${sorted.length})`;
}

function describeFigures({ evidence, takeovers, workedMs, manners }: Besieged): string {
  const { plan, archived, rejected, ledger } = evidence;
  const seconds = workedMs / 1_000;
  const lines = [
    `${plan.files} files, ${plan.rows} rows in ${plan.drops.filter(({ kind }) => kind === 'good').length} good ones, ${seconds.toFixed(1)} s, ${Math.round(ledger.totals.count / seconds)} payouts a second`,
    `archived ${archived.length}, rejected ${rejected.length}; ${manners.wroteLate} wrote late, the longest pause of a slow one ${Math.round(manners.longestPauseMs)} ms`,
    `ledger: ${ledger.totals.count} payouts, ${ledger.totals.amount} baht; ${ledger.duplicatesRefused} duplicates refused`,
  ];
  for (const by of ['standby', 'restart'] as const) {
    const own = takeovers.filter((one) => one.by === by);
    if (own.length === 0) continue;
    lines.push(
      `${by}, from kill, min / median / max: right to send ${spread(own.map(({ rightMs }) => rightMs))}; ` +
        `first log line ${spread(own.flatMap(({ logMs }) => logMs ?? []))}; ` +
        `first transfer ${spread(own.flatMap(({ transferMs }) => transferMs ?? []))}`,
    );
  }
  return lines.join('\n');
}

async function soak(options: DropOptions): Promise<boolean> {
  const dice = new Dice(options.seed);
  const plan = planDrops(options, `S${options.seed}`, dice);
  const inboxParent =
    options.inbox === '' ? undefined : await mkdtemp(join(resolve(options.inbox), 'paydrop-inbox-'));
  await using scene = await openScene({
    ownProcesses: true,
    sandbox: { latencyMs: 3, behaviours: faultyBehaviours },
    transfer: { concurrency: 8 },
    limits: { ...brokenLimits, rowsPerFile: options.rowsMax },
    input: { control: options.control },
    watch: { stillMs: options.stillMs },
    ...(inboxParent === undefined ? {} : { folders: { inbox: join(inboxParent, 'inbox') } }),
    keep: options.keep,
  });
  if (options.keep) console.log(`the scene stays in ${scene.folder}`);
  const inbox = inboxParent === undefined ? join(scene.dataDir, 'inbox') : join(inboxParent, 'inbox');
  await mkdir(inbox, { recursive: true });
  const { kills, stillMs } = options;
  const say = (line: string): void => console.log(line);
  try {
    const besieged = await besiegeInbox({
      scene,
      plan,
      inbox,
      stillMs,
      kills,
      isBrief: false,
      dice,
      say,
      waitMs,
    });
    console.log(describeFigures(besieged));
    const { complaints } = besieged;
    if (complaints.length === 0)
      console.log('Every file was worked once, and every satang is accounted for.');
    else
      console.log(
        `BROKEN PROMISES: ${complaints.length}\n${complaints.slice(0, complaintsShown).join('\n')}`,
      );
    return complaints.length === 0;
  } finally {
    if (inboxParent !== undefined) await rm(inboxParent, { recursive: true, force: true });
  }
}

// An error that nobody catches ends every program of the scene with this one.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    throw new Error(`stopped by ${signal}`);
  });
}

const options = readDropOptions(process.argv.slice(2));
if (options.idle) await measureIdle(options, (line) => console.log(line));
else {
  console.log(`seed ${options.seed}: ${describeDropOptions(options)}`);
  if (!(await soak(options))) process.exitCode = 1;
}
