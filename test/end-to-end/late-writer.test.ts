/** A writer that pauses in the midst of its file for longer than the watcher waits, as a shell sees it. */
import { createWriteStream } from 'node:fs';
import { copyFile, mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { header } from '../support/rehearsal.ts';
import { openScene, type Scene, until } from './harness.ts';

const noonToLateEveningMs = (11 * 60 + 40) * 60_000;
const halfAnHourMs = 1_800_000;
const statusPollMs = 250;
const rowsAdded = 50;
/** Payouts that are like no others: none is held for that. */
const linesOf = (prefix: string, rows: number): string =>
  Array.from({ length: rows }, (_, place) => {
    const payoutId = `${prefix}${place + 1}`;
    const amount = `${prefix.charCodeAt(0)}.${String(place + 10)}`;
    return `${payoutId},MSISDN,0812345678,,${amount},${payoutId},\n`;
  }).join('');

/** Files of partners alone: the watcher tries there now and then whether the disk takes a write. */
async function listArchived(scene: Scene): Promise<string[]> {
  const archive = join(scene.dataDir, 'archive');
  const entries = await readdir(archive, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((one) => one.isFile() && one.name.endsWith('.csv'));
  return files.map(({ parentPath, name }) => join(parentPath, name));
}

const readStatus = async (scene: Scene): Promise<string> => (await scene.run('status')).stdout;

/** Until `status` says it or, with `isSaid` false, does not. What was added is told when nobody has written for ten seconds. */
async function untilStatusSays(scene: Scene, text: string, isSaid = true): Promise<void> {
  let said = '';
  const look = async (): Promise<boolean> => {
    said = await readStatus(scene);
    return said.includes(text) === isSaid;
  };
  await until(look, undefined, statusPollMs).catch((error: unknown) => {
    throw new Error(`"${text}" ${isSaid ? 'is not' : 'is still'} in what status says:\n${said}`, {
      cause: error,
    });
  });
}

const countPaid = async (scene: Scene): Promise<number> => (await scene.bank.ledger()).totals.count;

/** Begins a file in the inbox under its own name, and leaves it open. */
async function beginFile(scene: Scene) {
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  const writer = createWriteStream(join(inbox, 'a.csv'));
  writer.write(`${header}\n${linesOf('A', 20)}`);
  return writer;
}

describe('a writer that pauses for longer than the watcher waits', () => {
  test('loses no row in silence, over a restart and a change of day; the whole file pays the rest, once', async () => {
    await using scene = await openScene({ watch: { stillMs: 100 } });
    scene.clocks.pass(noonToLateEveningMs);
    const writer = await beginFile(scene);
    const watch = scene.start('watch');
    await until(async () => (await listArchived(scene)).length === 1);
    watch.kill('SIGTERM');
    await watch.ended;
    writer.end(linesOf('B', rowsAdded));
    await until(() => writer.closed);
    scene.clocks.pass(halfAnHourMs);
    scene.start('watch');
    await untilStatusSays(scene, '50 rows of');
    expect(await readStatus(scene)).toMatch(
      /ALARM: .*a\.csv.* was written to after batch .* 50 rows .* not paid/,
    );
    expect(await countPaid(scene)).toBe(20);
    const [path = ''] = await listArchived(scene);
    await copyFile(path, join(scene.dataDir, 'inbox', 'whole.csv'));
    await untilStatusSays(scene, '50 rows of', false);
    await until(async () => (await countPaid(scene)) === 70);
    const { entries } = await scene.bank.ledger();
    expect(new Set(entries.map(({ reference1 }) => reference1)).size).toBe(70);
  });
});
