/** What a watcher takes that has nothing to do, and how long a small file takes to its first transfer. */
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openScene, type Program, type Scene, until } from '../end-to-end/harness.ts';
import { Dice } from '../support/dice.ts';
import { isSending, TransferCount } from './moments.ts';
import { planGoodRows, writeRows } from './plan.ts';

interface IdleOptions {
  readonly archived: number;
  readonly batches: number;
  readonly stillMs: number;
}

const idleMs = 20_000;
const restMs = 3_000;
const waitMs = 1_200_000;
const drops = 10;
/** Of /proc: hundredths of a second on every Linux. */
const ticksPerSecond = 100;

/** User and system time of a process so far, in milliseconds. */
async function readCpuMs(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / ticksPerSecond;
}

async function fillArchive(scene: Scene, files: number): Promise<void> {
  const folder = join(scene.dataDir, 'archive', '2026-11-20');
  await mkdir(folder, { recursive: true });
  const csv = writeRows(planGoodRows(1, 'OLD', new Dice(1)));
  for (let from = 0; from < files; from += 100) {
    const names = Array.from(
      { length: Math.min(100, files - from) },
      (_, place) => `old ${from + place}.csv`,
    );
    await Promise.all(names.map((name) => writeFile(join(folder, name), csv)));
  }
}

async function dropOne(inbox: string, name: string, csv: string): Promise<void> {
  await writeFile(join(inbox, `${name}.tmp`), csv);
  await rename(join(inbox, `${name}.tmp`), join(inbox, name));
}

/** Makes a journal of done batches in the only honest way. */
async function workBatches(scene: Scene, inbox: string, batches: number): Promise<number> {
  const startMs = performance.now();
  for (let place = 0; place < batches; place += 1)
    await dropOne(inbox, `small ${place}.csv`, writeRows(planGoodRows(1, `I${place}`, new Dice(place))));
  const isDone = async (): Promise<boolean> => {
    await sleep(200);
    const reports = await readdir(scene.outbox);
    return reports.filter((name) => name.endsWith('.summary.json')).length >= batches;
  };
  await until(isDone, waitMs);
  return performance.now() - startMs;
}

/** From the moment a file of one row stands in the inbox to its transfer at the bank. */
async function measureLatencies(scene: Scene, inbox: string): Promise<number[]> {
  const count = new TransferCount(scene);
  const took: number[] = [];
  for (let place = 0; place < drops; place += 1) {
    const before = count.read();
    const csv = writeRows(planGoodRows(1, `L${place}`, new Dice(place + 7)));
    await dropOne(inbox, `one row ${place}.csv`, csv);
    const droppedMs = performance.now();
    await until(() => count.read() > before, waitMs);
    took.push(performance.now() - droppedMs);
    await sleep(restMs / 2);
  }
  return took.toSorted((one, other) => one - other);
}

async function measureShare({ pid }: Program): Promise<number> {
  const before = await readCpuMs(pid);
  const startMs = performance.now();
  await sleep(idleMs);
  return (100 * ((await readCpuMs(pid)) - before)) / (performance.now() - startMs);
}

/** Measures, and says what was found. */
export async function measureIdle(options: IdleOptions, say: (line: string) => void): Promise<void> {
  const { archived, batches, stillMs } = options;
  await using scene = await openScene({
    ownProcesses: true,
    sandbox: { latencyMs: 3 },
    transfer: { concurrency: 8 },
    watch: { stillMs },
  });
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  await fillArchive(scene, archived);
  const active = scene.start('watch', '--log-level', 'warn');
  await until(() => isSending(scene, active), waitMs);
  const standby = scene.start('watch');
  await until(() => standby.stderr.includes('standing by'), waitMs);
  const workedMs = await workBatches(scene, inbox, batches);
  say(`${batches} files of one row in ${(workedMs / 1_000).toFixed(1)} s; ${archived} more in the archive`);
  await sleep(restMs);
  const [ofActive, ofStandby] = await Promise.all([measureShare(active), measureShare(standby)]);
  say(
    `idle for ${idleMs / 1_000} s: ${ofActive.toFixed(2)} % of a core, the standby ${ofStandby.toFixed(2)} %`,
  );
  const took = await measureLatencies(scene, inbox);
  const [median = 0, max = 0] = [took[Math.floor(took.length / 2)], took.at(-1)];
  say(
    `from drop to first transfer, still for ${stillMs} ms: median ${Math.round(median)} ms, at most ${Math.round(max)} ms`,
  );
  for (const program of [standby, active]) {
    program.kill('SIGTERM');
    await program.ended;
  }
}
