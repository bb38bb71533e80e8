/** What stands between the inbox and work/: claimed files, and what a crash, a share or a hand has left there. */
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { classifyName, readItemId, type IntakeRules } from '../core/intake.ts';
import { errorCode, failWith } from './atomic-file.ts';
import { lookAt } from './disk.ts';
import { claimedFolderOf } from './inbox-binding.ts';
import { putBack, type ClaimSetup } from './inbox-claim.ts';
import { tellContents, withoutDroppings } from './work-contents.ts';

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
