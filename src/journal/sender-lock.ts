/**
 * The right to send: an operating system's lock that dies with its process. SQLite takes it for us (fcntl locks on a
 * file of its own), since Node has no file locks.
 */
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { asFileWriteError, sqliteCodeOf, sqliteCodes } from './errors.ts';

const lockFileName = 'sender.lock';
const holderFileName = 'sender.json';

/** Who holds the right to send, for the message to whoever else wants it. */
export interface SenderHolder {
  readonly pid: number;
  readonly command: string;
  /** Epoch milliseconds. */
  readonly sinceMs: number;
}

/** Held until it is disposed of, or its process ends in any way. */
export type SenderLock = Disposable;

/** Another process has it; `heldBy` is undefined when that process has not said who it is. */
export interface SenderLockTaken {
  readonly heldBy: SenderHolder | undefined;
}

/**
 * Takes the right to send from this data directory, at once or not at all.
 * @param command what the process does, for the message to others
 * @throws JournalWriteError when the folder cannot be written
 */
export function acquireSenderLock(
  dataDir: string,
  command: string,
  nowMs: number = Date.now(),
): SenderLock | SenderLockTaken {
  const folder = resolve(dataDir);
  makeFolder(folder);
  const holderPath = join(folder, holderFileName);
  const db = lockFile(join(folder, lockFileName));
  if (db === undefined) return { heldBy: readHolder(holderPath) };
  try {
    writeHolder(holderPath, { pid: process.pid, command, sinceMs: nowMs });
  } catch (error) {
    db.close();
    throw error;
  }
  return {
    [Symbol.dispose]: () => {
      if (!db.isOpen) return;
      rmSync(holderPath, { force: true });
      db.close();
    },
  };
}

/** Whoever holds the right to send, as far as it has said so and is still there; the lock itself is left alone. */
export function findSender(dataDir: string): SenderHolder | undefined {
  const holder = readHolder(join(resolve(dataDir), holderFileName));
  if (holder === undefined) return undefined;
  try {
    process.kill(holder.pid, 0);
    return holder;
  } catch (error) {
    // A process of another user is there, too.
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? holder : undefined;
  }
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw asFileWriteError(path, error);
  }
}

function writeHolder(path: string, holder: SenderHolder): void {
  try {
    writeFileSync(path, JSON.stringify(holder), { mode: 0o600 });
  } catch (error) {
    throw asFileWriteError(path, error);
  }
}

/** The connection that holds the lock; undefined when another has it. */
function lockFile(path: string): DatabaseSync | undefined {
  createOnce(path);
  const db = new DatabaseSync(path, { timeout: 0 });
  try {
    db.exec('pragma journal_mode = memory; pragma locking_mode = exclusive; begin exclusive');
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
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw asFileWriteError(path, error);
  }
}

function readHolder(path: string): SenderHolder | undefined {
  try {
    const value = JSON.parse(readFileSync(path, 'utf8')) as Partial<SenderHolder> | null;
    if (typeof value?.pid !== 'number' || typeof value.command !== 'string') return undefined;
    return { pid: value.pid, command: value.command, sinceMs: value.sinceMs ?? 0 };
  } catch {
    return undefined;
  }
}
