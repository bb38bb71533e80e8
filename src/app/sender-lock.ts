/**
 * The sender lock: an operating system's lock that dies with its process. SQLite takes it (fcntl locks on a file of its
 * own), since Node has no file locks.
 */
import { closeSync, mkdirSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock } from '../core/ports.ts';
import { systemClock } from '../platform/clock.ts';
import { errorCode } from '../platform/durable-file.ts';
import { asFileWriteError, explainWriting, sqliteCodeOf, sqliteCodes } from '../store/connection.ts';

const lockFileName = 'sender.lock';
const ownerFileName = 'sender.json';

/** The note that the owner writes about itself. */
const noteSchema = z.object({
  pid: z.number(),
  command: z.string(),
  /** Epoch milliseconds. */
  sinceMs: z.number().default(0),
  /** Start of the process in the system's own count; null where the system does not tell. */
  startMark: z.string().nullable().default(null),
});

type OwnerNote = Readonly<z.infer<typeof noteSchema>>;

/** The owner of the sender lock, named in messages to other processes that want it. */
export type SenderLockOwner = Omit<OwnerNote, 'startMark'> & {
  /** Machine of the owner; left out where all processes of the journal are on one machine. */
  readonly machine?: string;
};

/** Held until it is disposed of, or its process ends in any way. */
export type SenderLock = Disposable;

/** Another process has the lock; `heldBy` is undefined when that process has not recorded who it is. */
export interface SenderLockTaken {
  readonly heldBy: SenderLockOwner | undefined;
}

/** Looks for the owner's note: a new owner is about to write it, and one that ends has removed it. */
const looksMax = 100;
const lookMs = 20;

/**
 * Takes the sender lock of this data directory, or says which process has it. It waits only for the owner's note, at most
 * {@link looksMax} looks, and takes a lock that becomes free by then.
 * @param command what the process does, shown to other processes
 * @throws JournalWriteError when the folder cannot be written
 */
export async function acquireSenderLock(
  dataDir: string,
  command: string,
  clock: Clock = systemClock,
): Promise<SenderLock | SenderLockTaken> {
  for (let looks = 1; ; looks++) {
    const lock = tryLock(dataDir, command, clock.now());
    if (!('note' in lock)) return lock;
    const { note } = lock;
    if (looks >= looksMax || (note !== undefined && isThere(note))) return { heldBy: note?.owner };
    await clock.sleep(lookMs);
  }
}

/** Takes the lock without waiting, or reads the owner's note. */
function tryLock(
  dataDir: string,
  command: string,
  nowMs: number,
): SenderLock | { readonly note: Note | undefined } {
  const folder = resolve(dataDir);
  explainWriting(folder, () => mkdirSync(folder, { recursive: true, mode: 0o700 }));
  const ownerPath = join(folder, ownerFileName);
  const db = lockFile(join(folder, lockFileName));
  if (db === undefined) return { note: readNote(ownerPath) };
  try {
    const { pid } = process;
    const note: OwnerNote = { pid, command, sinceMs: nowMs, startMark: readStartMark(pid) };
    explainWriting(ownerPath, () => writeFileSync(ownerPath, JSON.stringify(note), { mode: 0o600 }));
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    [Symbol.dispose]: () => {
      if (!db.isOpen) return;
      try {
        rmSync(ownerPath, { force: true });
      } finally {
        db.close();
      }
    },
  };
}

/** Number of the last owner if it has not recorded its end: read before taking the lock. */
export const readFormerPid = (dataDir: string): number | undefined =>
  readNote(join(resolve(dataDir), ownerFileName))?.owner.pid;

/**
 * The owner of the sender lock, as far as it has recorded itself and still runs; does not touch the lock. A killed owner
 * leaves its note, and another process may have got its number since: that process does not count.
 */
export function findSender(dataDir: string, countsThis = false): SenderLockOwner | undefined {
  const note = readNote(join(resolve(dataDir), ownerFileName));
  // In a container the next process often has the number of the last.
  const isOther = note !== undefined && note.owner.pid !== process.pid;
  return note !== undefined && (isOther || countsThis) && isThere(note) ? note.owner : undefined;
}

/** True while the process that wrote the note runs; false for a later process with its number. */
function isThere({ owner, startMark }: Note): boolean {
  if (!isAlive(owner.pid)) return false;
  const found = readStartMark(owner.pid);
  return startMark === null || found === null || found === startMark;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user exists, too.
    return errorCode(error) === 'EPERM';
  }
}

/** Index of the start time in /proc/PID/stat, counted behind the name, which may hold spaces and brackets. */
const startField = 19;

/** Start of a process in the system's own measure; null where there is no /proc, or no such process. */
function readStartMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startField] ?? null;
  } catch {
    return null;
  }
}

/**
 * The connection that holds the lock; undefined when another has it. The lock is SQLite's reserved lock: an exclusive one
 * would be refused to both of two processes that try at the same moment.
 */
function lockFile(path: string): DatabaseSync | undefined {
  createOnce(path);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin immediate');
    return db;
  } catch (error) {
    db.close();
    if (sqliteCodeOf(error) === sqliteCodes.busy) return undefined;
    throw error;
  }
}

/**
 * Makes the file, readable by the owner only. An existing file is never opened here: closing it would drop the lock that
 * this very process may hold on it.
 */
function createOnce(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw asFileWriteError(path, error);
  }
}

interface Note {
  readonly owner: SenderLockOwner;
  readonly startMark: string | null;
}

/** Longer than any note; a file that stands in its place may have no end. */
const noteBytesMax = 4_096;

function readBeginning(path: string): string {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(noteBytesMax);
    return bytes.toString('utf8', 0, readSync(file, bytes));
  } finally {
    closeSync(file);
  }
}

function readNote(path: string): Note | undefined {
  try {
    const { startMark, ...owner } = noteSchema.parse(JSON.parse(readBeginning(path)));
    return { owner, startMark };
  } catch {
    return undefined;
  }
}
