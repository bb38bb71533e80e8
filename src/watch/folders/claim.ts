/** One file out of the inbox: renamed into a folder of its own, and looked at again there. */
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Disk,
  joinName,
  lookAt,
  moveUnlessTaken,
  type Place,
  printContent,
  printFile,
} from '../../platform/disk.ts';
import { errorCode, failWith } from '../../platform/durable-file.ts';
import {
  classifyName,
  composeName,
  computeRejectedNames,
  type IntakeRules,
  makeItemId,
  readItemId,
  sidecarName,
} from '../rules/drop-folder.ts';
import { claimedFolderOf } from './binding.ts';
import { tellContents, withoutDroppings } from './work-contents.ts';

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
  /** Claims that failed half-way and could not be put back yet: what stands in them was never found to be finished. */
  readonly unclaimed: Set<string>;
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
    if (!isClaimed) {
      setup.unclaimed.add(itemId);
      await putBack(setup, itemId);
    }
  }
  if (!isClaimed) return { kind: 'changed' };
  if (file.marker !== undefined) await removeMarker(setup, file.marker);
  return { kind: 'claimed', itemId, content: printContent(before) };
}

/** The file is claimed, whatever becomes of its marker: one that stays is said, and listed as one without its file. */
async function removeMarker({ inbox, disk, log }: ClaimSetup, marker: Buffer): Promise<void> {
  try {
    await disk.remove(joinName(inbox, marker));
  } catch (error) {
    const facts = { file: marker.toString('utf8'), code: errorCode(error) };
    log('warn', 'the marker of a claimed file cannot be removed: remove it by hand', facts);
  }
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
export async function putBack(
  { inbox, disk, log, unclaimed }: ClaimSetup,
  itemId: string,
): Promise<Buffer[]> {
  const folder = join(claimedFolderOf(inbox), itemId);
  const names: Buffer[] = [];
  const entries = await readdir(folder, { withFileTypes: true, encoding: 'buffer' });
  for (const { name } of withoutDroppings(entries)) {
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
  unclaimed.delete(itemId);
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

// ---- What stands between the inbox and work/: claimed files, and what a crash, a share or a hand has left there.

/** A folder below claimed/ that cannot be brought into work/. */
export interface OddClaim {
  readonly itemId: string;
  /** False for what is left of a folder whose file is elsewhere. */
  readonly holdsFile: boolean;
  /** Names the folder and the cure. */
  readonly why: string;
}

export interface FoundClaims {
  /** Folders that hold a file, the oldest drop first. */
  readonly itemIds: readonly string[];
  readonly odd: readonly OddClaim[];
}

type Verdict =
  | { readonly kind: 'whole' }
  /** Nothing is left to be done. */
  | { readonly kind: 'settled' }
  | ({ readonly kind: 'odd' } & Omit<OddClaim, 'itemId'>);

/**
 * Looks through the claimed folders. What was claimed by halves, or is no ordinary file, is put back. The trouble of
 * one folder is told of it alone; what is thrown concerns the inbox.
 * @param known claims that were found before: their markers are gone, and one that stands there now is another's
 */
export async function findClaims(
  setup: ClaimSetup,
  rules: IntakeRules,
  known: ReadonlyMap<string, unknown>,
): Promise<FoundClaims> {
  const itemIds: string[] = [];
  const odd: OddClaim[] = [];
  const root = claimedFolderOf(setup.inbox);
  const folders = (await readdir(root, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  for (const itemId of folders.map(({ name }) => name).toSorted()) {
    if (readItemId(itemId) === undefined) continue;
    const clearsMarker = rules.isMarkerExpected && !known.has(itemId);
    const verdict = await judgeClaim(setup, { ...rules, isMarkerExpected: clearsMarker }, itemId).catch(
      (error: unknown) => judgeFailure(join(root, itemId), error),
    );
    if (verdict.kind === 'whole') itemIds.push(itemId);
    if (verdict.kind === 'odd') odd.push({ itemId, holdsFile: verdict.holdsFile, why: verdict.why });
  }
  return { itemIds, odd };
}

const judgeFailure = (folder: string, error: unknown): Verdict => ({
  kind: 'odd',
  holdsFile: true,
  why: failWith('read', folder, error).message,
});

/** @param rules a marker is expected where it is still to be removed */
async function judgeClaim(setup: ClaimSetup, rules: IntakeRules, itemId: string): Promise<Verdict> {
  const folder = join(claimedFolderOf(setup.inbox), itemId);
  const entries = withoutDroppings(await readdir(folder, { withFileTypes: true }));
  if (entries.length === 0) return await removeEmpty(setup, itemId, folder);
  const isFile = ({ name }: Dirent) => classifyName(name, rules).kind !== 'sidecar';
  const isWhole = entries.every((entry) => entry.isFile()) && entries.some(isFile);
  if (!isWhole || setup.unclaimed.has(itemId)) {
    await putBack(setup, itemId);
    return { kind: 'settled' };
  }
  if (tellContents(entries.map(({ name }) => name)) === undefined) {
    const why = `${folder} holds several files: move them back into the inbox by hand`;
    return { kind: 'odd', holdsFile: true, why };
  }
  if (rules.isMarkerExpected) await removeMarkers(setup, entries);
  return { kind: 'whole' };
}

/** What a share keeps of a removed file goes when nobody has that open any more. */
async function removeEmpty(
  { disk, unclaimed }: ClaimSetup,
  itemId: string,
  folder: string,
): Promise<Verdict> {
  try {
    await disk.removeFolder(folder);
    unclaimed.delete(itemId);
    return { kind: 'settled' };
  } catch (error) {
    if (errorCode(error) !== 'ENOTEMPTY' && errorCode(error) !== 'EEXIST') throw error;
    const why = `${folder} holds no payout file: remove it once nothing keeps what is in it open`;
    return { kind: 'odd', holdsFile: false, why };
  }
}

/** The marker of a claimed file goes; that of another file, dropped since under its name, stays. */
async function removeMarkers({ inbox, disk }: ClaimSetup, claimed: readonly Dirent[]): Promise<void> {
  for (const { name } of claimed) {
    const isFree = (await lookAt(join(inbox, name))) === undefined;
    // One that stays is listed as one without its file.
    if (isFree) await disk.remove(join(inbox, `${name}.done`)).catch(() => undefined);
  }
}
