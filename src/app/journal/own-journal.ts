/** The journal of the process with the sender lock. One that may not be used is reported at once, and nothing is sent. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock, Log } from '../../core/ports.ts';
import { errorCode } from '../../platform/durable-file.ts';
import type { Logger } from '../../platform/log.ts';
import type { Folders, LoadedSettings } from '../../settings/settings.ts';
import type { JournalOpening } from '../../store/opening.ts';
import type { JournalAddress, PreparedJournal } from '../../store/postgres/open.ts';
import type { Store } from '../../store/store.ts';
import { complainAboutTimes } from '../../payout/rules/lease.ts';
import { SettingsError } from '../../settings/secrets.ts';
import { findJournalPlace, type JournalPlace } from './place.ts';
import { MarkCopies } from './mark-copies.ts';
import { notifyOfRefusal } from '../notices/senders.ts';
import { describeIdentity, mayMakeJournal } from '../open-store.ts';
import type { MachineOptions, MachinePlace } from '../machines/machine-place.ts';
import type { SenderLock, SenderLockTaken } from '../sender-lock.ts';

/** Folders of further high-water marks: the inbox's exists once a watcher has bound it. */
const markFoldersOf = ({ inbox, outbox }: Folders): readonly string[] => [join(inbox, '.paydrop'), outbox];

/** A person's statements for opening a journal: a loss, a restored backup, a copy to adopt. */
export type JournalWays = Pick<JournalOpening, 'recovery' | 'restores' | 'adopts' | 'sentFrom'>;

/** The right to send, with its place in the journal where that is in a database. */
type OwnRight = SenderLock &
  Partial<AsyncDisposable> & {
    readonly inDatabase?: { readonly prepared: PreparedJournal; readonly place: MachinePlace };
  };

/**
 * Takes the right to send: the lock file in the data directory, and, for a journal in a database, the sender's place in
 * that journal.
 * @param command what the process does, shown to other processes that want the right
 * @param mayHelp takes a helper's place where another process sends from a journal of several machines
 * @throws JournalRefusedError when the journal is missing, or a database holds another journal
 * @throws JournalWriteError when the database cannot be reached
 * @throws SettingsError where several machines might send, and these settings do not allow for that
 */
export async function lockOwnJournal(
  loaded: LoadedSettings,
  command: string,
  log: Logger,
  clock: Clock,
  ways: JournalWays,
  mayHelp = false,
): Promise<OwnRight | SenderLockTaken> {
  const { acquireSenderLock, readFormerPid } = await import('../sender-lock.ts');
  const { dataDir } = loaded;
  const place = findJournalPlace(loaded);
  if (place.kind === 'file') await requireFileOrMayBegin(place, { loaded, log, clock, ways });
  const formerPid = readFormerPid(dataDir);
  const lock = await acquireSenderLock(dataDir, command, clock);
  if ('heldBy' in lock || place.kind === 'file') return lock;
  const locking = { loaded, log, clock, ways, command, mayHelp };
  return takePlaceInDatabase(lock, place.address, { ...locking, formerPid });
}

interface Locking {
  readonly loaded: LoadedSettings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly ways: JournalWays;
}

/** Writes nothing where there is no file and none may be made: what is mounted there later finds the place untouched. */
async function requireFileOrMayBegin(
  { path }: JournalPlace & { readonly kind: 'file' },
  { loaded, log, clock, ways }: Locking,
): Promise<void> {
  if (!isMissing(path)) return;
  const { requireMayBegin } = await import('../../store/open.ts');
  const opening = await describeOpening(loaded, clock, ways);
  await tellRefusal(loaded, log, clock, () => requireMayBegin(opening));
}

type Word = 'command' | 'mayHelp' | 'formerPid';

async function takePlaceInDatabase(
  lock: SenderLock,
  address: JournalAddress,
  { loaded, log, clock, ways, command, mayHelp, formerPid }: Locking & Pick<MachineOptions, Word>,
): Promise<OwnRight | SenderLockTaken> {
  await using stack = new AsyncDisposableStack();
  stack.use(lock);
  const { bank, settle } = loaded.settings;
  const isReal = bank.baseUrl.startsWith('https:');
  const complaint = complainAboutTimes({ ...bank, ...settle }, isReal);
  if (complaint !== undefined) throw new SettingsError(`${loaded.path}: ${complaint}`);
  const { prepareJournal } = await import('../../store/postgres/open.ts');
  const opening = await describeOpening(loaded, clock, ways);
  const prepared = await tellRefusal(loaded, log, clock, () => prepareJournal(opening, address));
  if (prepared === undefined) throw new Error('a journal that may be made was not');
  stack.use(prepared);
  const { makeWorkerStore } = await import('../../store/postgres/workers.ts');
  const { takeMachinePlace } = await import('../machines/machine-place.ts');
  const toLog: Log = (level, message, facts) => log[level](facts, message);
  const { machine } = loaded.settings.journal;
  const asked = { command, machine, clock, log: toLog, mayHelp, formerPid };
  const place = await takeMachinePlace(makeWorkerStore(prepared.engine), asked);
  if ('heldBy' in place) return place;
  stack.use(place);
  const owned = stack.move();
  return {
    inDatabase: { prepared, place },
    // Synchronous: the connections end with the process.
    [Symbol.dispose]: () => {
      place[Symbol.dispose]();
      lock[Symbol.dispose]();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** False also for a path that may not be read: taking the lock then says why. */
function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (error) {
    return errorCode(error) === 'ENOENT';
  }
}

async function describeOpening(
  loaded: LoadedSettings,
  clock: Clock,
  ways: JournalWays,
): Promise<JournalOpening> {
  const { dataDir } = loaded;
  const creation = (await mayMakeJournal(loaded)) ? 'if-missing' : 'never';
  const openMarks = (journalId: string): MarkCopies =>
    new MarkCopies(markFoldersOf(loaded.folders), journalId);
  const stamp = describeIdentity(loaded);
  return { dataDir, stamp, access: 'own', nowMs: clock.now(), creation, openMarks, ...ways };
}

/**
 * @param right from `lockOwnJournal`
 * @throws JournalRefusedError when the journal is missing, lost, a copy or another's
 */
export async function openOwnJournal(
  loaded: LoadedSettings,
  log: Logger,
  clock: Clock,
  ways: JournalWays,
  right?: OwnRight,
): Promise<Store> {
  const inDatabase = right?.inDatabase;
  if (inDatabase !== undefined)
    return tellRefusal(loaded, log, clock, () => inDatabase.prepared.takeUp(inDatabase.place));
  const { openJournal } = await import('../../store/open.ts');
  const opening = await describeOpening(loaded, clock, ways);
  return tellRefusal(loaded, log, clock, () => openJournal(opening));
}

/** Sends a notice when the journal is refused. @throws what `open` throws */
async function tellRefusal<Opened>(
  loaded: LoadedSettings,
  log: Logger,
  clock: Clock,
  open: () => Opened,
): Promise<Awaited<Opened>> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof Error && error.name === 'JournalRefusedError')
      await notifyOfRefusal(loaded, error.message, log, clock);
    throw error;
  }
}
