/**
 * Hostile files through `run` and `watch`: no crash, no internal error, nothing called paid that the bank did not pay,
 * and memory stays flat. HOSTILE_FILES=400 before it plays that many of them.
 */
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryOptions } from '../bench/processes.ts';
import { type HostileFile, hostileKinds, makeHostileFiles } from './hostile-files.ts';
import { csvOf } from '../support/payout-csv.ts';
import { readTables } from '../support/tables.ts';
import { openScene, type Program, type Scene, type SceneSettings, until } from './harness.ts';

const asked = process.env['HOSTILE_FILES'];
const files = Number(asked ?? hostileKinds);
/** They are read as those of a run are: fewer of them show how they end. */
const filesWatched = Number(asked ?? 10);
const memoryKibMax = 300 * 1_024;
const waitMs = 120_000 + files * 2_000;
const settings: SceneSettings = {
  limits: { rowsPerFile: 200_000, similarDays: 0, likeFileDays: 0 },
  watch: { stillMs: 100 },
  // As the installed command runs: V8 alone lets garbage pile up to many times what lives.
  switches: memoryOptions,
};

async function writeHostile(folder: string, made: readonly HostileFile[]): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  for (const { name, bytes } of made) await writeFile(join(folder, name), bytes);
  return made.map(({ name }) => join(folder, name));
}

/** The most memory that a process has had, in KiB; 0 where the system does not say. */
async function readPeakKib({ pid }: Program): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
}

/** Waits until something holds. @returns the most memory that was seen, in KiB */
async function watchMemory(program: Program, isOver: () => boolean): Promise<number> {
  let peakKib = 0;
  await until(async () => {
    peakKib = Math.max(peakKib, await readPeakKib(program));
    return isOver();
  }, waitMs);
  return peakKib;
}

/** What the results call paid is what the bank has paid, each once. */
async function expectPaidAsBooked(scene: Scene): Promise<string[]> {
  const { entries } = await scene.bank.ledger();
  const booked = entries.map(({ transRefNo, amount }) => `${transRefNo} ${amount}`).toSorted();
  const lines = await readTables(scene.outbox, /^[^.].*\.result\.csv$/);
  const paid = lines
    .filter(({ status }) => status === 'paid')
    .map(({ transRefNo, amount }) => `${transRefNo} ${amount}`)
    .toSorted();
  expect(paid).toEqual(booked);
  expect(new Set(entries.map(({ reference1 }) => reference1)).size).toBe(entries.length);
  return entries.map(({ reference1 }) => reference1);
}

test(
  'through run: each is paid or refused with a reason',
  async () => {
    await using scene = await openScene(settings);
    const paths = await writeHostile(join(scene.folder, 'in'), makeHostileFiles(files, 1));
    const run = scene.start('run', ...paths, '--json');
    let hasEnded = false;
    void run.ended.then(() => (hasEnded = true));
    const peakKib = await watchMemory(run, () => hasEnded);
    const { code, signal, stdout, stderr } = await run.ended;
    expect({ signal, isRefusal: code !== null && code >= 3 }).toEqual({ signal: null, isRefusal: true });
    expect(stderr).not.toContain('internal error');
    expect(stdout.trimEnd().split('\n')).toHaveLength(files);
    expect(peakKib).toBeLessThan(memoryKibMax);
    await expectPaidAsBooked(scene);
  },
  waitMs,
);

test(
  'through watch: each ends in archive or rejected, and a good file among them is paid',
  async () => {
    await using scene = await openScene(settings);
    const inbox = join(scene.dataDir, 'inbox');
    const good = { name: 'good.csv', bytes: Buffer.from(csvOf('GOOD', 3)) };
    await writeHostile(inbox, [...makeHostileFiles(filesWatched, 2), good]);
    const watch = scene.start('watch', '--json');
    const countEnded = (): number => watch.stdout.match(/"event":"file-ended"/g)?.length ?? 0;
    const peakKib = await watchMemory(watch, () => countEnded() === filesWatched + 1);
    expect(peakKib).toBeLessThan(memoryKibMax);
    watch.kill('SIGTERM');
    expect(await watch.ended).toMatchObject({ code: 0, signal: null });
    expect((await readdir(inbox)).filter((name) => !name.startsWith('.'))).toEqual(['registrations']);
    const paid = await expectPaidAsBooked(scene);
    expect(paid.filter((reference1) => reference1.startsWith('GOOD'))).toHaveLength(3);
  },
  waitMs,
);
