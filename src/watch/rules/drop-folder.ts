/** The rules of the drop folder: which names are files, when a file is finished, what its folders are called. */
import { cutToBytes, replaceUnsafe } from '../../reports/rules/report-names.ts';

/** What stands in a file, which is what its drop folder is for. */
export type FileKindName = 'payout' | 'registration';

/** `gone`: the folder is not there, or cannot be read; `why` says what to do. */
export type InboxState = { readonly kind: 'there' } | { readonly kind: 'gone'; readonly why: string };

/** A file that was claimed and cannot be brought into work/ (a full disk, a file too big for it). It is tried again. */
export interface StuckFile {
  readonly fileName: string;
  /** With the cure. */
  readonly why: string;
}

/** What the inbox holds that is not in work/ yet. */
export interface InboxView {
  readonly state: InboxState;
  /**
   * Files that are not in work/: not finished, waiting for a marker or sidecar, more than there is room for, or stuck.
   */
  readonly waiting: number;
  /** Those that were claimed and are stuck, the oldest drop first. */
  readonly stuck: readonly StuckFile[];
  /**
   * Names of what stays where it is: what is no ordinary file (folders, links, pipes), files that cannot be claimed,
   * markers and sidecars whose file has not come for a minute.
   */
  readonly left: readonly string[];
}

// ---------------------------------------------------------------- names in the inbox

/** What the settings say of the inbox. */
export interface IntakeRules {
  /** How long a file must have been still. */
  readonly stillMs: number;
  /** A file counts only when `<file>.done` stands beside it. */
  readonly isMarkerExpected: boolean;
  /** A file comes with `<file>.control.json`. */
  readonly isSidecarExpected: boolean;
  /** How long a still file waits for its sidecar; and a marker or sidecar for its file before it is reported. */
  readonly sidecarWaitMs: number;
}

/** `of`: the file that a marker or sidecar stands for. */
export type NameKind =
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

/** What a name in the inbox stands for. */
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

/** How a file looked, and since when it has looked so (on a clock that never jumps). */
export interface Sighting {
  /** Size, times and identity of the file. */
  readonly print: string;
  readonly sinceMs: number;
}

/** A file is seen again: as it was, or changed. */
export function noteSighting(before: Sighting | undefined, print: string, nowMs: number): Sighting {
  return before?.print === print ? before : { print, sinceMs: nowMs };
}

/** What is known of a file in the inbox; `missing` where nothing of the name stands there. */
export interface FileFacts {
  readonly file: Sighting;
  readonly hasMarker: boolean;
  readonly sidecar: Sighting | 'missing';
}

/** `wait`: look again after `forMs`; undefined where only an event can change the answer. */
export type Taking =
  | { readonly kind: 'take'; readonly withSidecar: boolean }
  | { readonly kind: 'wait'; readonly forMs: number | undefined };

/** Whether a file is finished. `nowMs` is of the clock of the sightings. */
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

/** A finished file that waits: by its name and its last change of any kind. */
export interface Waiting {
  readonly name: Buffer;
  readonly droppedAtNs: bigint;
}

/** The oldest first; the same moment by name. */
const compareDrops = (one: Waiting, other: Waiting): number =>
  Number(one.droppedAtNs - other.droppedAtNs) || Buffer.compare(one.name, other.name);

/** So many files wait for one another in their order; more than these are a crowd. */
const crowdMin = 32;

/** What the names of files that come again and again have in common: `payouts-20261121.csv` and `payouts-20261122.csv`. */
const seriesOf = ({ name }: Waiting): string => name.toString('latin1').replaceAll(/\d+/g, '#');

/** The rarest names first, and among these the oldest. @param byAge the oldest first */
function sortByRarity<File extends Waiting>(byAge: readonly File[]): readonly File[] {
  const series = Map.groupBy(byAge, seriesOf).values();
  return [...series].toSorted((one, other) => one.length - other.length).flat();
}

/**
 * The oldest first. In a crowd the oldest, the newest and the one with the rarest name take turns, so that a flood of
 * junk keeps no other file waiting to its end.
 */
export function orderFinished<File extends Waiting>(files: readonly File[]): readonly File[] {
  const byAge = files.toSorted(compareDrops);
  if (byAge.length <= crowdMin) return byAge;
  const turns = [byAge, byAge.toReversed(), sortByRarity(byAge)].map((ordered) => ordered.values());
  const ordered = new Set<File>();
  while (ordered.size < byAge.length) {
    for (const turn of turns) {
      // It goes on behind the last that it found.
      const next = turn.find((file) => !ordered.has(file));
      if (next !== undefined) ordered.add(next);
    }
  }
  return [...ordered];
}

/** Files in work/ at most; the others wait in the inbox. */
const workItemsMax = 500;
/** Of these, taken and not read yet: what is dropped meanwhile has no more before it. */
const unreadMax = 32;

/** How many files are taken now; some at a time, since each time takes several writes to the disk. */
export function computeRoom(inWork: number, unread: number): number {
  const room = Math.min(workItemsMax - inWork, unreadMax - unread);
  return unread > unreadMax / 2 ? 0 : Math.max(0, room);
}

// ---------------------------------------------------------------- names of claimed and ended files

/** As the parts of file names have it. */
export const itemIdPattern = String.raw`\d{8}T\d{9}-[0-9a-f]{6}`;
const itemIdForm = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})-[0-9a-f]{6}$/;

/**
 * Sorts by when the file was dropped: `20261121T070305123-48b2f8`, in UTC. No digits in a row as long as those of an
 * account, which a log would mask. `random`: six hexadecimal digits.
 */
export function makeItemId(droppedAtMs: number, random: string): string {
  const stamp = new Date(Math.max(0, Math.floor(droppedAtMs))).toISOString();
  return `${stamp.replaceAll(/[-:.Z]/g, '')}-${random}`;
}

/** When the file of an item was dropped; undefined for what is no item's name. */
export function readItemId(itemId: string): number | undefined {
  const parts = itemIdForm.exec(itemId)?.slice(1).map(Number);
  if (parts === undefined) return undefined;
  const [year = 0, month = 0, ...rest] = parts;
  return Date.UTC(year, month - 1, ...rest);
}

const nameBytesMax = 255;
/** The longest that is put behind an ended file's name: `.control.json`. */
const companionBytesMax = 13;
/** Longer endings are a part of the name. */
const endingBytesMax = 16;
/** Names tried with a number before the item's own id is put in. */
const numberMax = 99;

/** A safe name that leaves room for a companion's ending; the mark stands before the file's own ending. */
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

/** Names for a file in the archive, the first that is free is used: its own, with the batch's id, with numbers. */
export function computeArchiveNames(fileName: string, batchId: string, itemId: string): Iterable<string> {
  const marks = ['', batchId, ...numbers.map((number) => `${batchId}.${number}`), itemId];
  return marks.values().map((mark) => composeName(fileName, mark));
}

/** Names for a file in rejected/ (or put back into the inbox): its own, with numbers, with its item's id. */
export function computeRejectedNames(fileName: string, itemId: string): Iterable<string> {
  const marks = ['', ...numbers.map(String), itemId];
  return marks.values().map((mark) => composeName(fileName, mark));
}
