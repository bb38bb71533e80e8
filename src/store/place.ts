/** The place of a journal: the terminal and the file that bind it, so that a copy is told from the journal itself. */
import { describeBackup, type JournalPlace, type Unmarked } from '../payout/rules/journal-place.ts';
import { computeMissesSince } from '../payout/rules/lost-journal.ts';
import { JournalRefusedError } from './connection.ts';
import { readLatestMs } from './loss.ts';
import { readFact, writeFact } from './meta.ts';
import type { Body, Reading } from './statements.ts';

type MomentKey = 'newSinceMs' | 'missesSinceMs';
type DatabaseKey = 'systemId' | 'databaseOid' | 'timeline';
type FileKey = 'fileInode' | 'fileBirthNs' | 'markKept' | 'copiedAtMs';
type PlaceKey = 'terminals' | 'unmarked' | FileKey | DatabaseKey | MomentKey;

const read: (key: PlaceKey) => Reading<string | undefined> = readFact;
const write: (key: PlaceKey, value: string | null | undefined) => Body<void> = writeFact;

/** A journal of an earlier version is bound to nothing yet. */
export function* readPlace(): Reading<JournalPlace> {
  const inode = yield* read('fileInode');
  const file = inode === undefined ? undefined : { inode, birthNs: (yield* read('fileBirthNs')) ?? null };
  const termId = (yield* readTerminals()).at(-1);
  return { termId, file, database: yield* readDatabase() };
}

/**
 * Every terminal that this journal, or one that it goes on from, may have sent from: the one that it is bound to is the
 * last. The bank keeps transfers by terminal (§4 rule 2), so whether one was sent is asked under each.
 */
export function* readTerminals(): Reading<readonly string[]> {
  const kept = yield* read('terminals');
  return kept === undefined ? [] : (JSON.parse(kept) as string[]);
}

/**
 * Remembers terminals, and which it is bound to now.
 * @param present undefined where that stays as it is
 */
function* writeTerminals(further: readonly string[], present: string | undefined): Body<void> {
  const kept = yield* readTerminals();
  const bound = present ?? kept.at(-1);
  const before = [...further, ...kept].filter((terminal) => terminal !== bound);
  const all = [...new Set(before), ...(bound === undefined ? [] : [bound])];
  if (all.length > 0) yield* write('terminals', JSON.stringify(all));
}

function* readDatabase(): Reading<JournalPlace['database']> {
  const oid = yield* read('databaseOid');
  if (oid === undefined) return undefined;
  const systemId = (yield* read('systemId')) ?? null;
  return { oid, systemId, timeline: (yield* read('timeline')) ?? null };
}

/** Binds the journal to a file or a database; to no file any more where files cannot be told. */
function* writePlace({ file, database }: JournalPlace): Body<void> {
  yield* write('fileInode', file?.inode);
  yield* write('fileBirthNs', file?.birthNs);
  yield* write('databaseOid', database?.oid);
  yield* write('systemId', database?.systemId);
  yield* write('timeline', database?.timeline);
}

/**
 * `newSinceMs`: when the journal began, or last went on in a new place or after a loss; undefined in one of an earlier
 * version. `missesSinceMs`: since when it may miss something, once it was adopted.
 */
export function* readMoment(key: MomentKey): Reading<number | undefined> {
  const text = yield* read(key);
  return text === undefined ? undefined : Number(text);
}

export const writeMoment = (key: MomentKey, atMs: number): Body<void> => write(key, String(atMs));

interface Binding {
  readonly present: JournalPlace;
  /** Terminals that the journal may have sent from, by sources besides the journal. */
  readonly terminals: readonly string[];
  /** True when a person says that the journal goes on there. */
  readonly isSaid: boolean;
  /** The journal has moved, or its terminal is a new one. */
  readonly adopts: boolean;
  /** The journal is a backup that is being put in place. */
  readonly restores: boolean;
  readonly nowMs: number;
}

/** Binds the journal to where it stands from now on. */
export function* bindPlace({ present, terminals, isSaid, adopts, restores, nowMs }: Binding): Body<void> {
  yield* writeTerminals(terminals, present.termId);
  yield* writePlace(present);
  if (adopts) yield* writeMoment('missesSinceMs', yield* readMissesSince(nowMs));
  if (isSaid) yield* writeMoment('newSinceMs', nowMs);
  if (restores) yield* write('copiedAtMs', null);
}

/** The latest time for which the journal was unmarked, and whether that is over. */
interface LatestUnmarked extends Unmarked {
  readonly isOver: boolean;
}

/** Undefined of a journal that was never unmarked. */
export function* readLatestUnmarked(): Reading<LatestUnmarked | undefined> {
  const kept = yield* read('unmarked');
  return kept === undefined ? undefined : (JSON.parse(kept) as LatestUnmarked);
}

/** Undefined unless a machine without a mark has come to it, and none with one since. */
export function* readUnmarked(): Reading<Unmarked | undefined> {
  const latest = yield* readLatestUnmarked();
  return latest?.isOver === true ? undefined : latest;
}

export const writeUnmarked = (unmarked: LatestUnmarked): Body<void> =>
  write('unmarked', JSON.stringify(unmarked));

/** The time since when a journal may miss something that is adopted now, or joined by a machine that cannot tell. */
export function* readMissesSince(nowMs: number): Reading<number> {
  const latestMs = yield* readLatestMs();
  const newSinceMs = yield* readMoment('newSinceMs');
  const missesSinceMs = yield* readMoment('missesSinceMs');
  return computeMissesSince({ latestMs, newSinceMs, missesSinceMs }, nowMs);
}

/** True once a high-water mark has stood beside the journal: it is never without one from then on. */
export function* isMarkKept(): Reading<boolean> {
  return (yield* read('markKept')) !== undefined;
}

export const noteMarkKept = (): Body<void> => write('markKept', '1');

/** Says in a backup that it is one: a copy in the place of a journal would not know what was sent since. */
export const noteCopied = (nowMs: number): Body<void> => write('copiedAtMs', String(nowMs));

/** @throws JournalRefusedError when it is a backup that was put in the place of a journal by hand */
export function* requireNoCopy(path: string): Reading<void> {
  if ((yield* read('copiedAtMs')) === undefined) return;
  throw new JournalRefusedError(describeBackup(path));
}
