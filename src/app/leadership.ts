/** Waits for the right to send, helps the sender meanwhile where it can, and reports what blocks it. */
import { join } from 'node:path';
import type { Clock, Batch } from '../core/ports.ts';
import type { Logger } from '../platform/log.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { journalFileName, sqliteCodeOf, sqliteCodes } from '../store/connection.ts';
import { isOfPostgres } from '../store/postgres/errors.ts';
import { findJournalPlace, type JournalSettings } from './journal/place.ts';
import type { SenderLockOwner } from './sender-lock.ts';
import {
  openSession,
  SenderBusyError,
  type Session,
  type SessionOptions,
  makeContext,
  toLog,
} from './session.ts';
import type { ReportNews, WatchStatus } from './watch-status.ts';
import { help } from '../payout/help.ts';
import { waitForAny } from '../platform/signal.ts';
import { answerInTime, failureOf } from './journal/probe.ts';
import type { MachinePlace } from './machines/machine-place.ts';

/** Interval at which a standby tries to take over, and checks the sender's lease. */
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
  return helpSender(session, {
    stop: waiting.stop,
    beside: waiting.beside,
    reportOwner,
    noteTrouble: (error) => noteTrouble(waiting, error),
  });
}

/**
 * Looks between two records of the journal's progress, whichever process made it: once the sender is gone, no other
 * process may know.
 */
const looksBetweenMarks = 6;

/** The session of a helper. */
export type HelpingSession = Session & { readonly place: MachinePlace };

interface StandingBy {
  /** Aborted by a request to stop. */
  readonly stop: AbortSignal;
  /** Called each time with the process that sends. */
  readonly reportOwner: (owner: SenderLockOwner | undefined) => void;
  /** Called with what keeps it from the journal; with undefined when nothing does. */
  readonly noteTrouble: (error: unknown) => void;
  /** Other work until the stop; must not throw. */
  readonly beside?: ((session: HelpingSession, stop: AbortSignal) => Promise<void>) | undefined;
}

/** Longest wait for that other work to end before this process sends: an inbox may never answer. */
const besideEndsMs = 5_000;

interface Helped {
  /** Resolves when no request sent as a helper is under way any more. */
  readonly ended: Promise<void>;
}

/**
 * Helps until this process has the sender's place, or is stopped.
 * @throws JournalRefusedError when the journal turns out to be another than before
 * @forTests
 */
export async function helpSender(session: HelpingSession, standing: StandingBy): Promise<Helped> {
  const { place, clock, journal, runs, refused } = session;
  const over = new AbortController();
  const end = AbortSignal.any([standing.stop, ...(refused ? [refused] : [])]);
  const stop = AbortSignal.any([end, over.signal]);
  const ended = help({
    journal,
    clock,
    log: toLog(session.log),
    share: place.share,
    runs,
    isHeld: () => place.keeper.isHeld,
    runningBatches: () => findRunning(session),
    openContext: (until, count, batch) => makeContext(session, until, count, batch),
    count: () => {},
    stop,
  }).then(() => place.endFormer());
  const beside = new AbortController();
  void (standing.beside?.(session, stop) ?? Promise.resolve()).finally(() => beside.abort());
  const look = async (no: number): Promise<void> => {
    if (no % looksBetweenMarks === 0) await journal.requireNothingLost?.();
    await place.step();
  };
  for (let no = 0; place.role === 'helper' && !end.aborted; no += 1) {
    standing.reportOwner(place.sender);
    await clock.sleep(standbyPollMs, end);
    if (end.aborted) break;
    // Awaited to its end: the look may take the sender's place.
    const looked = failureOf(look(no));
    standing.noteTrouble(await answerInTime(session.loaded, clock, looked));
    standing.noteTrouble(await looked);
  }
  over.abort();
  await waitForAny(clock, besideEndsMs, beside.signal);
  try {
    refused?.throwIfAborted();
    if (place.role !== 'helper') await journal.requireNothingLost?.('of-all');
    // Reads what an operator has stated about the journal while this process helped.
    await session.readPast?.();
  } catch (error) {
    await ended;
    throw error;
  }
  return { ended };
}

/** Running batches, the oldest first. */
async function findRunning({ journal, readPast }: HelpingSession): Promise<readonly Batch[]> {
  const running = (await journal.runnableBatches()).filter(
    ({ batch, hasReady }) => batch.status === 'running' && hasReady,
  );
  if (running.length > 0) await readPast?.();
  return running.map(({ batch }) => batch);
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
