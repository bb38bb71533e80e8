/** Waits for the right to send, helps the sender meanwhile where it can, and reports what blocks it. */
import { join } from 'node:path';
import type { Clock } from '../core/ports.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { journalFileName, sqliteCodeOf, sqliteCodes } from '../store/connection.ts';
import { isOfPostgres } from '../store/postgres/errors.ts';
import { findJournalPlace, type JournalSettings } from './journal/place.ts';
import type { Helped, HelpingSession } from './machines/stand-by.ts';
import type { SenderLockOwner } from './sender-lock.ts';
import { openSession, SenderBusyError, type Session, type SessionOptions } from './session.ts';
import type { ReportNews, WatchStatus } from './watch-status.ts';

/** Interval at which a standby tries to take over. */
const standbyPollMs = 500;

/** A disk that refuses writes is retried at this interval: there may be no other process to take over. */
const sickDiskPollMs = 2_000;
const diskErrors = ['JournalWriteError', 'OutputFileError'];
const isOfTheDisk = (error: unknown): boolean => error instanceof Error && diskErrors.includes(error.name);

/** True for the error of a journal that waited in vain for another process: no fault of the disk. */
export const isLockedByOther = (error: unknown): boolean =>
  error instanceof Error && sqliteCodeOf(error.cause) === sqliteCodes.busy;

/** True for an error of a database that fails, or cannot be reached. */
export const isOfDatabase = (error: unknown, loaded: JournalSettings): boolean =>
  error instanceof Error &&
  findJournalPlace(loaded).kind === 'database' &&
  (isOfPostgres(error) || isOfPostgres(error.cause));

/** Message on a locked journal. SQLite does not tell which process holds the lock. @forTests */
export const describeLock = (dataDir: string): string => {
  const path = join(dataDir, journalFileName);
  return (
    `another process holds the write lock of ${path}: look for a paydrop command that hangs, or another program that ` +
    `has the file open ("fuser ${path}" names it), and end it`
  );
};

export const explainTrouble = (error: unknown, { dataDir }: LoadedSettings): string =>
  isLockedByOther(error) ? describeLock(dataDir) : (error as Error).message;

export interface Waiting {
  readonly loaded: LoadedSettings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly report: ReportNews;
  /** Aborted by a request to stop. */
  readonly stop: AbortSignal;
  readonly status: Pick<WatchStatus, 'diskTrouble' | 'isJournalLocked' | 'isJournalAway' | 'isStandingBy'>;
  /** Opens what lives as long as the session, whether this process sends or helps. */
  readonly openWith?: (session: Session) => Promise<AsyncDisposable | undefined>;
  /** Work of a helper besides paying rows. */
  readonly beside?: (session: HelpingSession, stop: AbortSignal) => Promise<void>;
}

export interface Leadership {
  readonly session: Session;
  /** Resources that `openWith` opened for the session. */
  readonly opened: AsyncDisposable;
  /** True when another process was sending before. */
  readonly hasTakenOver: boolean;
  /** Present when this process helped before. */
  readonly helped?: Helped;
}

/** Takes the sender lock once its owner ends; undefined when a stop comes first. */
export async function waitForSenderLock(
  waiting: Waiting,
  options: SessionOptions,
): Promise<Leadership | undefined> {
  const { loaded, log, clock, status, stop } = waiting;
  const reportOwner = makeOwnerReporter(waiting);
  let hasTakenOver = false;
  while (!stop.aborted) {
    try {
      await using opened = new AsyncDisposableStack();
      const session = opened.use(
        await openSession(loaded, log, 'watch', { ...options, clock, mayHelp: true }),
      );
      noteTrouble(waiting, undefined);
      opened.use(await waiting.openWith?.(session));
      const helped = isHelping(session) ? await helpUntilFree(session, waiting, reportOwner) : undefined;
      hasTakenOver ||= helped !== undefined;
      if (isHelping(session)) {
        await helped?.ended;
        return undefined;
      }
      status.isStandingBy = false;
      log.info({ hasTakenOver }, 'this process has the right to send');
      return { session, opened: opened.move(), hasTakenOver, ...(helped && { helped }) };
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

const isHelping = (session: Session): session is HelpingSession => session.place?.role === 'helper';

/** Stands by as a helper. */
async function helpUntilFree(
  session: HelpingSession,
  waiting: Waiting,
  reportOwner: (owner: SenderLockOwner | undefined) => void,
): Promise<Helped> {
  waiting.status.isStandingBy = true;
  const { helpSender } = await import('./machines/stand-by.ts');
  return helpSender(session, {
    stop: waiting.stop,
    beside: waiting.beside,
    reportOwner,
    noteTrouble: (error) => noteTrouble(waiting, error),
  });
}

/** Reports each sending process once. */
function makeOwnerReporter({ log, report }: Waiting): (owner: SenderLockOwner | undefined) => void {
  let isReported = false;
  let reported: SenderLockOwner | undefined;
  return (owner) => {
    const isKnown = owner?.pid === reported?.pid && owner?.machine === reported?.machine;
    // A process that has just begun has not recorded its name yet.
    if (isReported && (owner === undefined || isKnown)) return;
    log.info({ holder: owner }, 'standing by');
    report({ kind: 'standing-by', owner });
    isReported = true;
    reported = owner;
  };
}

const troubleWords = ({ isJournalLocked, isJournalAway }: Waiting['status']): string => {
  if (isJournalLocked) return 'the journal is locked';
  return isJournalAway ? 'the journal cannot be written' : 'the disk refuses writes';
};

/** @param error undefined when disk and journal are known to be well */
function noteTrouble({ status, clock, log, loaded }: Waiting, error: unknown): void {
  const { diskTrouble } = status;
  status.isJournalLocked = isLockedByOther(error);
  status.isJournalAway = isOfDatabase(error, loaded);
  status.diskTrouble = undefined;
  if (error === undefined) return;
  const why = explainTrouble(error, loaded);
  if (diskTrouble?.why !== why) log.error({ why }, troubleWords(status));
  status.diskTrouble = { sinceMs: diskTrouble?.sinceMs ?? clock.now(), why };
}
