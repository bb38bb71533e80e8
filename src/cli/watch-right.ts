/** How a watcher comes to the right to send: at once, or when whoever has it ends, or when the disk is well again. */
import type { Clock } from '../core/ports.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { SenderHolder } from '../store/locks.ts';
import { describeLock, isLockedByOther } from './journal-lock.ts';
import { openSender, type Sender, SenderBusyError, type SenderOptions } from './sender.ts';
import type { Tell } from './watch-lines.ts';
import type { WatchReport } from './watch-report.ts';

/** How often a standby tries to take over. */
const standbyLookMs = 500;

/** A disk that refuses writes is waited for: there may be nobody else to take over. */
const sickDiskMs = 2_000;
const diskErrors = ['JournalWriteError', 'OutputFileError'];
const isOfTheDisk = (error: unknown): boolean => error instanceof Error && diskErrors.includes(error.name);

/** What a process that waits for the right to send has. */
export interface Waiting {
  readonly loaded: LoadedSettings;
  readonly log: Logger;
  readonly tell: Tell;
  readonly report: Pick<WatchReport, 'diskTrouble' | 'isJournalLocked' | 'isStandingBy'>;
  readonly clock: Clock;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
}

/** What came of the wait. */
export interface Right {
  readonly sender: Sender;
  /** Another process was sending before. */
  readonly hasTakenOver: boolean;
}

/** Takes the right to send, as soon as whoever has it ends; undefined when this process is stopped before. */
export async function waitForRight(waiting: Waiting, options: SenderOptions): Promise<Right | undefined> {
  const { loaded, log, clock, report, stop } = waiting;
  const tellOfHolder = makeHolderTeller(waiting);
  let hasTakenOver = false;
  while (!stop.aborted) {
    try {
      const sender = await openSender(loaded, log, 'watch', { ...options, clock });
      noteTrouble(waiting, undefined);
      report.isStandingBy = false;
      log.info({ hasTakenOver }, 'this process has the right to send');
      return { sender, hasTakenOver };
    } catch (error) {
      const isBusy = error instanceof SenderBusyError;
      if (!isBusy && !isOfTheDisk(error) && !isLockedByOther(error)) throw error;
      if (isBusy) tellOfHolder(error.holder);
      report.isStandingBy = isBusy;
      noteTrouble(waiting, isBusy ? undefined : error);
      hasTakenOver ||= isBusy;
      await clock.sleep(isBusy ? standbyLookMs : sickDiskMs, stop);
    }
  }
  return undefined;
}

/** Says who is sending, once for each process that is. */
function makeHolderTeller({ log, tell }: Waiting): (holder: SenderHolder | undefined) => void {
  let isTold = false;
  let toldPid: number | undefined;
  return (holder) => {
    // One that has just begun has not said who it is.
    if (isTold && (holder === undefined || holder.pid === toldPid)) return;
    log.info({ holder }, 'standing by');
    tell({ kind: 'standing-by', holder });
    isTold = true;
    toldPid = holder?.pid;
  };
}

/** @param error undefined when nothing is known against the disk or the journal */
function noteTrouble({ report, clock, log, loaded }: Waiting, error: unknown): void {
  const { diskTrouble } = report;
  const isLocked = isLockedByOther(error);
  report.isJournalLocked = isLocked;
  report.diskTrouble = undefined;
  if (error === undefined) return;
  const why = isLocked ? describeLock(loaded.dataDir) : (error as Error).message;
  if (diskTrouble?.why !== why)
    log.error({ why }, isLocked ? 'the journal is locked' : 'the disk refuses writes');
  report.diskTrouble = { sinceMs: diskTrouble?.sinceMs ?? clock.now(), why };
}
