/** How a watcher comes to the sender lock: at once, or when its owner ends, or when the disk is well again. */
import { join } from 'node:path';
import type { Clock } from '../core/ports.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { sqliteCodeOf, sqliteCodes } from '../store/connection.ts';
import { journalFileName } from '../store/open.ts';
import {
  type LockOwner,
  openSession,
  SenderBusyError,
  type Session,
  type SessionOptions,
} from './session.ts';
import type { ReportNews } from './watch-news.ts';
import type { WatchStatus } from './watch-status.ts';

/** How often a standby tries to take over. */
const standbyPollMs = 500;

/** A disk that refuses writes is waited for: there may be nobody else to take over. */
const sickDiskPollMs = 2_000;
const diskErrors = ['JournalWriteError', 'OutputFileError'];
const isOfTheDisk = (error: unknown): boolean => error instanceof Error && diskErrors.includes(error.name);

/** True for what the journal throws after it has waited in vain for another process: no fault of the disk. */
export const isLockedByOther = (error: unknown): boolean =>
  error instanceof Error && sqliteCodeOf(error.cause) === sqliteCodes.busy;

/** What is wrong and whom to look for. SQLite does not tell who holds the lock. */
export const describeLock = (dataDir: string): string => {
  const path = join(dataDir, journalFileName);
  return (
    `another process holds the write lock of ${path}: look for a paydrop command that hangs, or another program that ` +
    `has the file open ("fuser ${path}" names it), and end it`
  );
};

/** What a process that waits for the sender lock has. */
export interface Waiting {
  readonly loaded: LoadedSettings;
  readonly log: Logger;
  readonly report: ReportNews;
  readonly status: Pick<WatchStatus, 'diskTrouble' | 'isJournalLocked' | 'isStandingBy'>;
  readonly clock: Clock;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/** What came of the wait. */
export interface Leadership {
  readonly session: Session;
  /** Another process was sending before. */
  readonly hasTakenOver: boolean;
}

/** Takes the sender lock as soon as its owner ends; undefined when this process is stopped before. */
export async function waitForSenderLock(
  waiting: Waiting,
  options: SessionOptions,
): Promise<Leadership | undefined> {
  const { loaded, log, clock, status, stop } = waiting;
  const reportOwner = makeOwnerReporter(waiting);
  let hasTakenOver = false;
  while (!stop.aborted) {
    try {
      const session = await openSession(loaded, log, 'watch', { ...options, clock });
      noteTrouble(waiting, undefined);
      status.isStandingBy = false;
      log.info({ hasTakenOver }, 'this process has the right to send');
      return { session, hasTakenOver };
    } catch (error) {
      const isBusy = error instanceof SenderBusyError;
      if (!isBusy && !isOfTheDisk(error) && !isLockedByOther(error)) throw error;
      if (isBusy) reportOwner(error.owner);
      status.isStandingBy = isBusy;
      noteTrouble(waiting, isBusy ? undefined : error);
      hasTakenOver ||= isBusy;
      await clock.sleep(isBusy ? standbyPollMs : sickDiskPollMs, stop);
    }
  }
  return undefined;
}

/** Says who is sending, once for each process that is. */
function makeOwnerReporter({ log, report }: Waiting): (owner: LockOwner | undefined) => void {
  let isReported = false;
  let reportedPid: number | undefined;
  return (owner) => {
    // One that has just begun has not said who it is.
    if (isReported && (owner === undefined || owner.pid === reportedPid)) return;
    log.info({ holder: owner }, 'standing by');
    report({ kind: 'standing-by', owner });
    isReported = true;
    reportedPid = owner?.pid;
  };
}

/** @param error undefined when nothing is known against the disk or the journal */
function noteTrouble({ status, clock, log, loaded }: Waiting, error: unknown): void {
  const { diskTrouble } = status;
  const isLocked = isLockedByOther(error);
  status.isJournalLocked = isLocked;
  status.diskTrouble = undefined;
  if (error === undefined) return;
  const why = isLocked ? describeLock(loaded.dataDir) : (error as Error).message;
  if (diskTrouble?.why !== why)
    log.error({ why }, isLocked ? 'the journal is locked' : 'the disk refuses writes');
  status.diskTrouble = { sinceMs: diskTrouble?.sinceMs ?? clock.now(), why };
}
