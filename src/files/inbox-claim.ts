/** One file out of the inbox: renamed into a folder of its own, and looked at again there. */
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  classifyName,
  composeName,
  computeRejectedNames,
  makeItemId,
  readItemId,
  sidecarName,
  type IntakeRules,
} from '../core/intake.ts';
import { errorCode } from './atomic-file.ts';
import { joinName, lookAt, moveUnlessTaken, printContent, printFile, type Disk, type Place } from './disk.ts';
import { claimedFolderOf } from './inbox-binding.ts';

/** A finished file as it was seen last; names as the folder's own bytes. */
export interface Claimable {
  readonly name: Buffer;
  /** See printFile. */
  readonly print: string;
  readonly sidecar: Buffer | undefined;
  readonly marker: Buffer | undefined;
}

/** The file stands in the claimed folder of this id. */
export interface Claim {
  readonly kind: 'claimed';
  readonly itemId: string;
  /** How it looked; see printContent. */
  readonly content: string;
}

export interface ClaimSetup {
  readonly inbox: string;
  readonly disk: Disk;
  readonly now: () => number;
  readonly log: (level: 'warn', message: string, facts: object) => void;
}

const randomLength = 3;
const nsPerMs = 1_000_000n;

/** A name as it is kept: its own, or a readable one where its bytes are no UTF-8. */
function keepName(name: Buffer): string {
  const text = name.toString('utf8');
  return Buffer.from(text, 'utf8').equals(name) ? text : composeName(text, '');
}

/**
 * Claims a file if it is still what was seen. Nothing is followed, nothing overwritten: whatever took the file's
 * place at the last moment is put back.
 */
export async function claimFile(setup: ClaimSetup, file: Claimable): Promise<Claim | { kind: 'changed' }> {
  const { inbox, disk, now } = setup;
  const path = joinName(inbox, file.name);
  const before = await lookAt(path);
  if (before === undefined || !before.isFile() || printFile(before) !== file.print) {
    return { kind: 'changed' };
  }
  const droppedAtMs = Math.min(Number(before.ctimeNs / nsPerMs), now());
  const itemId = makeItemId(droppedAtMs, randomBytes(randomLength).toString('hex'));
  const folder = join(claimedFolderOf(inbox), itemId);
  await disk.makeFolder(folder);
  const kept = keepName(file.name);
  let isClaimed = false;
  try {
    // The sidecar first: a folder with nothing else in it is put back whole.
    const hasSidecar =
      file.sidecar === undefined ||
      (await moveIn(disk, joinName(inbox, file.sidecar), join(folder, sidecarName(kept))));
    isClaimed = hasSidecar && (await moveIn(disk, path, join(folder, kept), printContent(before)));
  } finally {
    if (!isClaimed) await putBack(setup, itemId);
  }
  if (!isClaimed) return { kind: 'changed' };
  if (file.marker !== undefined) await disk.remove(joinName(inbox, file.marker));
  return { kind: 'claimed', itemId, content: printContent(before) };
}

/** False when nothing was there to be moved, or something else than was seen has been. */
async function moveIn(disk: Disk, from: Place, to: string, content?: string): Promise<boolean> {
  try {
    await disk.rename(from, to);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
  const moved = await lstat(to, { bigint: true });
  return moved.isFile() && (content === undefined || printContent(moved) === content);
}

/**
 * Puts what stands in a claimed folder back into the inbox, under names that are free.
 * @returns these names
 */
export async function putBack({ inbox, disk, log }: ClaimSetup, itemId: string): Promise<Buffer[]> {
  const folder = join(claimedFolderOf(inbox), itemId);
  const names: Buffer[] = [];
  for (const name of await readdir(folder, { encoding: 'buffer' })) {
    const to = await putBackOne(disk, inbox, joinName(folder, name), name, itemId);
    const file = name.toString('utf8');
    log('warn', 'put back into the inbox', {
      file,
      as: to?.toString('utf8') ?? `it stays in ${folder}`,
      itemId,
    });
    if (to !== undefined) names.push(to);
  }
  await disk.removeFolder(folder).catch((error: unknown) => {
    if (errorCode(error) !== 'ENOTEMPTY') throw error;
  });
  return names;
}

async function putBackOne(
  disk: Disk,
  inbox: string,
  from: Place,
  name: Buffer,
  itemId: string,
): Promise<Buffer | undefined> {
  const others = computeRejectedNames(name.toString('utf8'), itemId);
  for (const candidate of [name, ...[...others].map((other) => Buffer.from(other))]) {
    if ((await moveUnlessTaken(disk, from, joinName(inbox, candidate))) === 'moved') return candidate;
  }
  return undefined;
}

/**
 * What a crash (or a share that went away) has left between the inbox and work/. What was claimed by halves, or is no
 * ordinary file, is put back.
 * @returns the ids of the folders that hold a file, the oldest drop first
 */
export async function findClaims(setup: ClaimSetup, rules: IntakeRules): Promise<string[]> {
  const found: string[] = [];
  const root = claimedFolderOf(setup.inbox);
  const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const itemId of folders.map(({ name }) => name).toSorted()) {
    if (readItemId(itemId) === undefined) continue;
    const entries = await readdir(join(root, itemId), { withFileTypes: true });
    const isFile = (entry: Dirent) => classifyName(entry.name, rules).kind !== 'sidecar';
    if (entries.every((entry) => entry.isFile()) && entries.some(isFile)) {
      if (rules.isMarkerExpected) await removeMarkers(setup, entries);
      found.push(itemId);
    } else await putBack(setup, itemId);
  }
  return found;
}

/** The marker of a claimed file goes; that of another file, dropped since under its name, stays. */
async function removeMarkers({ inbox, disk }: ClaimSetup, claimed: readonly Dirent[]): Promise<void> {
  for (const { name } of claimed) {
    if ((await lookAt(join(inbox, name))) === undefined) await disk.remove(join(inbox, `${name}.done`));
  }
}
