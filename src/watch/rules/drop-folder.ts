/** The rules of the drop folder: which names are files, when a file is finished, and the names in its folders. */
import { cutToBytes, replaceUnsafe } from '../../reports/rules/report-names.ts';

/** The kind of a file's content, which its drop folder determines. */
export type FileKindName = 'payout' | 'registration';

/**
 * `gone`: the folder is missing, unreadable or another's; `why` says what to do. `isMissing`: the folder is not there, and
 * making it is the cure; an inbox on a share that may be away is never called so.
 */
export type InboxState =
  { readonly kind: 'there' } | { readonly kind: 'gone'; readonly why: string; readonly isMissing: boolean };

/** A claimed file that cannot be brought into work/ (a full disk, a file too big for it); it is tried again. */
export interface StuckFile {
  readonly fileName: string;
  /** The reason, with the cure. */
  readonly why: string;
}

/** The content of the inbox that is not in work/ yet. */
export interface InboxView {
  readonly state: InboxState;
  /** The number of files outside work/: unfinished, waiting for a marker or sidecar, without room, or stuck. */
  readonly waiting: number;
  /** The claimed files that are stuck, the oldest drop first. */
  readonly stuck: readonly StuckFile[];
  /**
   * The names that stay: other things than ordinary files (folders, links, pipes), files that cannot be claimed, and
   * markers and sidecars whose file has been missing for a minute.
   */
  readonly left: readonly string[];
}

// ---------------------------------------------------------------- names in the inbox

/** The rules in the settings for the inbox. */
export interface IntakeRules {
  /** The time of stillness after which a file counts as finished. */
  readonly stillMs: number;
  /** A file counts only with `<file>.done` beside it. */
  readonly isMarkerExpected: boolean;
  /** Each file comes with `<file>.control.json`. */
  readonly isSidecarExpected: boolean;
  /** The time that a still file waits for its sidecar, and a marker or sidecar for its file before it is reported. */
  readonly sidecarWaitMs: number;
}

/** `of`: the file of a marker or sidecar. */
type NameKind =
  | { readonly kind: 'ignored' }
  | { readonly kind: 'file' }
  | { readonly kind: 'marker'; readonly of: string }
  | { readonly kind: 'sidecar'; readonly of: string };

const temporaryEnding = /\.(?:part|tmp|filepart|crdownload)$/i;
const markerEnding = /\.done$/i;
const sidecarEnding = /\.control\.json$/i;

/** True for names of files that are being written, opened in an office program, or hidden. */
export function isIgnoredName(name: string): boolean {
  return name.startsWith('.') || name.startsWith('~$') || temporaryEnding.test(name);
}

/** Classifies a name in the inbox. */
export function classifyName(
  name: string,
  rules: Pick<IntakeRules, 'isMarkerExpected' | 'isSidecarExpected'>,
): NameKind {
  if (isIgnoredName(name)) return { kind: 'ignored' };
  if (rules.isMarkerExpected && markerEnding.test(name)) {
    return { kind: 'marker', of: name.replace(markerEnding, '') };
  }
  if (rules.isSidecarExpected && sidecarEnding.test(name)) {
    return { kind: 'sidecar', of: name.replace(sidecarEnding, '') };
  }
  return { kind: 'file' };
}

/** The sidecar's name, as the reader of payout files looks for it. */
export function sidecarName(fileName: string): string {
  return `${fileName}.control.json`;
}

// ---------------------------------------------------------------- stillness

/** The print of a file, and the moment since which it has been the same (on a monotonic clock). */
export interface Sighting {
  /** The size, times and identity of the file. */
  readonly print: string;
  readonly sinceMs: number;
}

/** Updates a sighting with the present print. */
export function noteSighting(before: Sighting | undefined, print: string, nowMs: number): Sighting {
  return before?.print === print ? before : { print, sinceMs: nowMs };
}

/** The facts about a file in the inbox; `missing` where nothing has that name. */
interface FileFacts {
  readonly file: Sighting;
  readonly hasMarker: boolean;
  readonly sidecar: Sighting | 'missing';
}

/** `wait`: look again after `forMs`; undefined where only an event can change the answer. */
export type Taking =
  | { readonly kind: 'take'; readonly withSidecar: boolean }
  | { readonly kind: 'wait'; readonly forMs: number | undefined };

/** Decides whether a file is finished. `nowMs` is on the clock of the sightings. */
export function decideTaking(facts: FileFacts, rules: IntakeRules, nowMs: number): Taking {
  const remaining = ({ sinceMs }: Sighting, ms: number): number => sinceMs + ms - nowMs;
  if (rules.isMarkerExpected && !facts.hasMarker) return { kind: 'wait', forMs: undefined };
  const fileMs = remaining(facts.file, rules.stillMs);
  if (fileMs > 0) return { kind: 'wait', forMs: fileMs };
  if (!rules.isSidecarExpected) return { kind: 'take', withSidecar: false };
  const patienceMs = remaining(facts.file, rules.stillMs + rules.sidecarWaitMs);
  const sidecarMs = facts.sidecar === 'missing' ? Infinity : remaining(facts.sidecar, rules.stillMs);
  if (sidecarMs <= 0) return { kind: 'take', withSidecar: true };
  if (patienceMs <= 0) return { kind: 'take', withSidecar: false };
  return { kind: 'wait', forMs: Math.min(patienceMs, sidecarMs) };
}

// ---------------------------------------------------------------- which file is next

/** A finished file that waits: its name and its last change of any kind. */
interface Waiting {
  readonly name: Buffer;
  readonly droppedAtNs: bigint;
}

/** Compares by age, the oldest first; at the same moment by name. */
const compareDrops = (one: Waiting, other: Waiting): number =>
  Number(one.droppedAtNs - other.droppedAtNs) || Buffer.compare(one.name, other.name);

/** The number of files that still keep their order; more are a crowd. */
const crowdMin = 32;

/** The common part of recurring file names: `payouts-20261121.csv` and `payouts-20261122.csv`. */
const seriesOf = ({ name }: Waiting): string => name.toString('latin1').replaceAll(/\d+/g, '#');

/** Sorts the rarest names first, and among these the oldest. @param byAge the files, the oldest first */
function sortByRarity<File extends Waiting>(byAge: readonly File[]): readonly File[] {
  const series = Map.groupBy(byAge, seriesOf).values();
  return [...series].toSorted((one, other) => one.length - other.length).flat();
}

/**
 * Sorts the oldest first. In a crowd the oldest, the newest and the one with the rarest name take turns, so that a
 * flood of junk does not keep another file waiting to its end.
 */
export function orderFinished<File extends Waiting>(files: readonly File[]): readonly File[] {
  const byAge = files.toSorted(compareDrops);
  if (byAge.length <= crowdMin) return byAge;
  const turns = [byAge, byAge.toReversed(), sortByRarity(byAge)].map((ordered) => ordered.values());
  const ordered = new Set<File>();
  while (ordered.size < byAge.length) {
    for (const turn of turns) {
      // The search continues after the last file found.
      const next = turn.find((file) => !ordered.has(file));
      if (next !== undefined) ordered.add(next);
    }
  }
  return [...ordered];
}

/** The limit of files in work/; the others wait in the inbox. */
const workItemsMax = 500;
/** The limit of taken but unread files, ahead of a file dropped later. */
const unreadMax = 32;

/** The number of files to take now; several at a time, because each time takes several writes to the disk. */
export function computeRoom(inWork: number, unread: number): number {
  const room = Math.min(workItemsMax - inWork, unreadMax - unread);
  return unread > unreadMax / 2 ? 0 : Math.max(0, room);
}

// ---------------------------------------------------------------- names of claimed and ended files

/** The form of item ids in file names. */
export const itemIdPattern = String.raw`\d{8}T\d{9}-[0-9a-f]{6}`;
const itemIdForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})-[0-9a-f]{6}$/;

/**
 * Makes an id that sorts by the drop: `20261121T070305123-48b2f8`, in UTC. Its runs of digits are shorter than an
 * account number, so that logs do not mask them.
 * @param random six hexadecimal digits
 */
export function makeItemId(droppedAtMs: number, random: string): string {
  const stamp = new Date(Math.max(0, Math.floor(droppedAtMs))).toISOString();
  return `${stamp.replaceAll(/[-:.Z]/g, '')}-${random}`;
}

/** The drop time of an item's file; undefined for a name that is no item id. */
export function readItemId(itemId: string): number | undefined {
  const parts = itemIdForm.exec(itemId)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 0, ...rest] = parts;
  return Date.UTC(year, month - 1, ...rest);
}

const nameBytesMax = 255;
/** The length of the longest ending added to an ended file's name: `.control.json`. */
const companionBytesMax = 13;
/** The limit of a file ending; longer ones are a part of the name. */
const endingBytesMax = 16;
/** The number of numbered names that are tried before the item's id. */
const numberMax = 99;

/** Makes a safe name with room for a companion's ending; the mark precedes the file's own ending. */
export function composeName(
  fileName: string,
  mark: string,
  bytesMax: number = nameBytesMax - companionBytesMax,
): string {
  const safe = replaceUnsafe(fileName).trim();
  const dot = safe.lastIndexOf('.');
  const hasEnding = dot > 0 && Buffer.byteLength(safe.slice(dot), 'utf8') <= endingBytesMax;
  const ending = (mark === '' ? '' : `.${mark}`) + (hasEnding ? safe.slice(dot) : '');
  const stem = hasEnding ? safe.slice(0, dot) : safe;
  return `${cutToBytes(stem, bytesMax - Buffer.byteLength(ending, 'utf8')) || 'payouts'}${ending}`;
}

const numbers = Array.from({ length: numberMax - 1 }, (_, place) => place + 2);

/** The names to try for a file in the archive, in order: its own, with the batch's id, numbers, the item's id. */
export function computeArchiveNames(fileName: string, batchId: string, itemId: string): Iterable<string> {
  const marks = ['', batchId, ...numbers.map((number) => `${batchId}.${number}`), itemId];
  return marks.values().map((mark) => composeName(fileName, mark));
}

/** The names for a file in rejected/ (or back in the inbox): its own, with numbers, with its item's id. */
export function computeRejectedNames(fileName: string, itemId: string): Iterable<string> {
  const marks = ['', ...numbers.map(String), itemId];
  return marks.values().map((mark) => composeName(fileName, mark));
}
