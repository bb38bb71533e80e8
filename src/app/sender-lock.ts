/**
 * The sender lock: an operating system's lock that dies with its process. SQLite takes it for us (fcntl locks on a
 * file of its own), since Node has no file locks.
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

/** What the owner writes down of itself. */
const noteSchema = z.object({
  pid: z.number(),
  command: z.string(),
  /** Epoch milliseconds. */
  sinceMs: z.number().default(0),
  /** When its process began, as the system counts; null where the system does not tell. */
  startMark: z.string().nullable().default(null),
});

type OwnerNote = Readonly<z.infer<typeof noteSchema>>;

/** The owner of the sender lock, for the message to whoever else wants it. */
export type SenderLockOwner = Omit<OwnerNote, 'startMark'> & {
  /** Where it runs; left out where all that work the journal are on one machine. */
  readonly machine?: string;
};

/** Held until it is disposed of, or its process ends in any way. */
export type SenderLock = Disposable;

/** Another process has it; `heldBy` is undefined when that process has not said who it is. */
export interface SenderLockTaken {
  readonly heldBy: SenderLockOwner | undefined;
}

/** Whoever has just taken the lock is about to say who it is, and one that goes away has stopped saying it. */
const looksMax = 100;
const lookMs = 20;

/**
 * Takes the sender lock of this data directory, or says who has it. It waits for nobody, except for the owner's name:
 * at most {@link looksMax} looks, and what is free by then is taken.
 * @param command what the process does, for the message to others
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

/** At once or not at all: the lock, or the note that is there. */
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

/** Number of the process that had the lock last, and has not said that it ends: read by whoever is about to take it. */
export const readFormerPid = (dataDir: string): number | undefined =>
  readNote(join(resolve(dataDir), ownerFileName))?.owner.pid;

/**
 * The owner of the sender lock, as far as it has said so and is still there; the lock itself is left alone. One
 * that was killed leaves its note, and another process may have got its number since: that one is nobody.
 */
export function findSender(dataDir: string, countsThis = false): SenderLockOwner | undefined {
  const note = readNote(join(resolve(dataDir), ownerFileName));
  // In a container the next process often has the number of the last.
  const isOther = note !== undefined && note.owner.pid !== process.pid;
  return note !== undefined && (isOther || countsThis) && isThere(note) ? note.owner : undefined;
}

/** Whether the process is there that wrote this; none that has its number since. */
function isThere({ owner, startMark }: Note): boolean {
  if (!isAlive(owner.pid)) return false;
  const found = readStartMark(owner.pid);
  return startMark === null || found === null || found === startMark;
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // A process of another user is there, too.
    return errorCode(error) === 'EPERM';
  }
}

/** Of the fields of /proc/PID/stat behind the name, which may hold spaces and brackets. */
const startField = 19;

/** When a process began, in the system's own measure; null where there is no /proc, or no such process. */
function readStartMark(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[startField] ?? null;
  } catch {
    return null;
  }
}

/**
 * The connection that holds the lock; undefined when another has it. It is the lock that SQLite calls reserved: an
 * exclusive one is refused to each of two that try at the same moment, and nobody would have it.
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
 * Makes the file, readable by the owner only. One that is there is never opened here: closing it would drop the lock
 * that this very process may hold on it.
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

/** Longer than any note; what stands in its place may have no end. */
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
