/** The watcher as a whole: waits for the sender lock, then works the drop folder until a request to stop. */
import { join } from 'node:path';
import type { ExchangeRecord } from '../bank/client.ts';
import { probeBank } from '../bank/probe.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { Progress } from '../core/progress.ts';
import { parseTimeOfDay } from '../payout/rules/service-hours.ts';
import { probeFolders } from '../platform/disk-probe.ts';
import type { Logger } from '../platform/log.ts';
import { waitForAny } from '../platform/signal.ts';
import { finishReports } from '../reports/batch-reports.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import {
  explainTrouble,
  isLockedByOther,
  isOfDatabase,
  type Leadership,
  type Waiting,
  waitForSenderLock,
  type HelpingSession,
} from './leadership.ts';
import { DiskWatch, keepGoing, type WatchEvent, type WatchSetup } from '../watch/context.ts';
import { reasonPathOf } from '../watch/rules/rejection-reason.ts';
import type { Intake } from '../watch/folders/drop-folder.ts';
import type { DailyJob } from '../watch/schedule.ts';
import { publishDayHeads } from './evidence/day-heads.ts';
import type { DroppedFiles } from '../review/dropped/intake.ts';
import {
  AttentionNotices,
  type Early,
  lookWhetherReady,
  openEarly,
  readAttention,
  notifyEarly,
} from './notices/attention.ts';
import { openFileClaims } from './machines/files.ts';
import { openPayoutInbox, takeIn } from './machines/own-inbox.ts';
import { JournalCheck } from './journal/journal-check.ts';
import { makeJournalProbe } from './journal/probe.ts';
import { Watcher } from '../watch/watcher.ts';
import { type Notifier, openNotifier } from './notices/notifier.ts';
import { reconcileDayBefore } from './reconciler.ts';
import {
  takeCallbacks,
  type OpenRegistrations,
  openRegistrationWatch,
  type WatchDeps,
} from './registration/watch.ts';
import { requireReportableBatch, restBatch } from './run-file.ts';
import {
  explainLoss,
  makeContext,
  registrationsInbox,
  registrationsWork,
  type Session,
  toLog,
  withoutRightToSend,
} from './session.ts';
import { WatchProgress } from './watch-progress.ts';
import { makeLeftReporter, type ReportNews, WatchStatus } from './watch-status.ts';

interface WatchOptions {
  readonly loaded: LoadedSettings;
  readonly log: Logger;
  readonly clock: Clock;
  readonly report: ReportNews;
  /** Shows the batches in work all the time; without it, lines are reported. */
  readonly progress?: Progress | undefined;
  /** Shows what an operator must know before the work begins. */
  readonly warn: (text: string) => void;
  /** Aborted by a request to stop. */
  readonly stop: AbortSignal;
}

/**
 * Watches until a request to stop and the end of what is in flight, or until the time of grace is over: then it ends the
 * process.
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { loaded, log, clock, report, stop } = options;
  const { isSandbox, folders, settings } = loaded;
  report({ kind: 'started', isSandbox, inbox: folders.inbox, outbox: folders.outbox });
  const status = new WatchStatus(loaded, log, clock);
  stop.addEventListener('abort', () => (status.isStopping = true), { once: true });
  await using monitor = await status.listen();
  void monitor?.opened.then((address) => address && report({ kind: 'health-opened', address }));
  let lock: Disposable | undefined;
  const work = lead(options, status, (held) => (lock = held));
  const isWhole = await endWithin(settings.watch.graceMs, stop, clock, work);
  if (!isWhole) await endNow(log, clock, () => lock?.[Symbol.dispose]());
}

/** Sends while it has the right to, and stands by again when another process has taken it. */
async function lead(
  options: WatchOptions,
  status: WatchStatus,
  onLock: (lock: Disposable) => void,
): Promise<void> {
  const early = await openEarly(options, status);
  while (!options.stop.aborted) if (!(await leadOnce(options, status, early, onLock))) return;
}

/** @returns true when the right to send was lost */
async function leadOnce(
  options: WatchOptions,
  status: WatchStatus,
  early: Early,
  onLock: (lock: Disposable) => void,
): Promise<boolean> {
  const endEarly = notifyEarly(early, status, options);
  let leadership: Leadership | undefined;
  try {
    const onExchange = (record: ExchangeRecord): void => status.metrics.countCall(record);
    const beside: Waiting['beside'] = (session, stop) => workBeside(session, status, { ...options, stop });
    const openWith: Waiting['openWith'] = (session) => openPage(options, session);
    leadership = await waitForSenderLock({ ...options, status, beside, openWith }, { onExchange, onLock });
  } finally {
    await endEarly();
  }
  if (leadership === undefined) return false;
  const { session, opened, helped, hasTakenOver } = leadership;
  await using ending = new AsyncDisposableStack();
  ending.use(opened);
  ending.defer(() => helped?.ended);
  const loss = await explainLoss(session, false);
  if (loss !== undefined) options.warn(loss);
  // Awaited here, so that the resources of this function outlive the work.
  return await workWhileEntitled(session, status, options, { hasTakenOver, early });
}

/** Work of a helping watcher besides paying: the inbox of its machine, and callbacks taken there. */
async function workBeside(
  session: HelpingSession,
  status: WatchStatus,
  { report, stop }: WatchOptions,
): Promise<void> {
  const taking = {
    stop,
    reportEvent: makeEventReporter(status, report),
    reportWaiting: (fileName: string) => report({ kind: 'inbox-skipped', fileName }),
  };
  const listening = { stop, ...noteCallbacks(status, report) };
  await Promise.all([takeIn(session, taking), takeCallbacks(session, listening, () => undefined)]);
}

/** @returns true when another process has the right to send by now */
async function workWhileEntitled(
  session: Session,
  status: WatchStatus,
  options: WatchOptions,
  leading: Parameters<typeof workFolder>[3],
): Promise<boolean> {
  const { place, refused } = session;
  const lost = place?.keeper.lost;
  const broken = new AbortController();
  const ends = [lost, refused, broken.signal].filter((end) => end !== undefined);
  const stop = AbortSignal.any([options.stop, ...ends]);
  try {
    await workFolder(session, status, { ...options, stop }, leading);
  } finally {
    // Ends the rest of the work, which would keep the process alive without a journal.
    broken.abort();
    if (lost?.aborted === true) status.end();
    // The refusal is the cause: it replaces the errors that follow from it.
    refused?.throwIfAborted();
  }
  return lost?.aborted === true;
}

/**
 * Waits for the work to end; once `stop` aborts, for no longer than the time of grace.
 * @returns false when that time was over first
 * @throws what the work throws
 * @forTests
 */
export async function endWithin(
  graceMs: number,
  stop: AbortSignal,
  clock: Pick<Clock, 'sleep'>,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const { promise: stopped, resolve } = Promise.withResolvers<false>();
  const wait = (): void => void clock.sleep(graceMs, over.signal).then(() => resolve(false));
  if (stop.aborted) wait();
  else stop.addEventListener('abort', wait, { once: true, signal: over.signal });
  try {
    return await Promise.race([work.then(() => true), stopped]);
  } finally {
    over.abort();
  }
}

/** Time for which a request to the file system may still end. */
const lastWaitMs = 2_000;
const lastPollMs = 50;

/**
 * True when each look found a request to the file system under way. A process that waits for one cannot exit: the system's
 * own end joins the thread that hangs.
 * @param listRequests names of requests under way, as process.getActiveResourcesInfo has them
 * @forTests
 */
export async function isFileSystemStuck(
  clock: Pick<Clock, 'sleep'>,
  listRequests: () => readonly string[] = () => process.getActiveResourcesInfo(),
): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < lastWaitMs; waitedMs += lastPollMs) {
    if (!listRequests().some((name) => name.startsWith('FSReq'))) return false;
    await clock.sleep(lastPollMs);
  }
  return true;
}

/**
 * Ends the process although its work has not ended: what is in flight is on record, and the next start inquires about
 * it. Exit 0; by SIGKILL where the file system does not answer, since no other end is possible then.
 * @param release gives the sender lock back, where this process owns it; nothing is sent after that
 * @forTests
 */
export async function endNow(log: Logger, clock: Pick<Clock, 'sleep'>, release: () => void): Promise<void> {
  log.warn('the time of grace is over: what is still in flight is settled at the next start');
  const isStuck = await isFileSystemStuck(clock);
  if (isStuck)
    log.error('a file system does not answer: this process can only be killed, and does so itself');
  // Synchronous, so that nothing can be sent in between: from here on another process may own the lock.
  try {
    release();
  } finally {
    if (isStuck) process.kill(process.pid, 'SIGKILL');
    // oxlint-disable-next-line unicorn/no-process-exit
    else process.exit(0);
  }
}

/** The review page, where the settings ask for it. */
async function openPage(
  { loaded, log }: WatchOptions,
  session: Session,
): Promise<AsyncDisposable | undefined> {
  if (loaded.settings.review.listen === '') return undefined;
  const { openPageOfWatcher } = await import('./decide/page.ts');
  const asking = withoutRightToSend(session);
  return openPageOfWatcher(loaded, log, asking.journal, asking);
}

// ---------------------------------------------------------------- the work

/** Interval at which the figures of /healthz and /metrics are read. */
const figuresPollMs = 2_000;
/** Interval at which the journal is asked for transfers that have been in doubt for too long. */
const doubtPollMs = 60_000;
/** Longest interval between looks for dropped decisions. */
const dropPollMs = 2_000;
/** Time of day at which the head of the day before is made: its last transaction has ended by then. */
const headsAtMs = 5 * 60_000;
/** Interval at which a bank out of reach is tried. */
const sickBankPollMs = 2_000;
const bankTimeoutMs = 5_000;

/**
 * Works the folder until the stop, and until what is in flight has ended.
 * @param hasTakenOver true when this process stood by before
 */
async function workFolder(
  session: Session,
  status: WatchStatus,
  { report, progress, stop }: WatchOptions,
  { hasTakenOver, early }: Pick<Leadership, 'hasTakenOver'> & { readonly early: Early },
): Promise<void> {
  const { loaded, clock } = session;
  const { watch: settings } = loaded.settings;
  const log = toLog(session.log);
  await using intake = await openInbox(session, status, log);
  report({ kind: 'working', inbox: loaded.folders.inbox, hasTakenOver });
  const notices = await openNotifier(session, early.notices);
  const { readiness } = early;
  readiness.moveTo(notices);
  const attention = makeAttention(session, status, new AttentionNotices(session, notices));
  const probeJournal = makeJournalProbe(loaded, clock, () => session.journal.probe(clock.now()));
  const disk = new DiskWatch(clock, log, () => probeDisks(session, status, probeJournal));
  const runObserver = new WatchProgress({ clock, report, progress });
  const noteEvent = makeEventReporter(status, report);
  const reportEvent = (event: WatchEvent): void => {
    noteEvent(event);
    if (event.kind === 'file-ended') runObserver.noteFile(event.item.fileName);
  };
  const notify = (event: WatchEvent): Promise<void> => notices.notifyOfEvent(event);
  const claims = await openFileClaims(session, loaded.folders.work);
  const parts = { intake, claims, disk, log, stop, notify, reportEvent, runObserver };
  const setup = makeSetup(session, status, parts);
  await using dropped = await openDropped(session, notices);
  const around = { disk, log, stop, notify, reportEvent, timer: status.registrationTimer };
  await using registrations = await openRegistrations(session, status, around, report);
  const watcher = new Watcher(setup, {
    probeMs: settings.probeMs,
    dailyJobs: (askAll) => [
      ...listDailyJobs(session, askAll, attention, stop),
      { name: 'proposals', atMs: sweepAtMs, run: () => sweepNow(session) },
      { name: 'heads', atMs: headsAtMs, run: () => publishDayHeads(session, notices) },
    ],
  });
  status.begin({ session, watcher, registrations, intake, disk });
  const journalCheck = new JournalCheck(session, status, disk);
  await journalCheck.begin();
  const reportLeft = makeLeftReporter(report);
  await Promise.all([
    watcher.work(),
    registrations.work(),
    keepGoing(setup, 'reading the figures', async () => {
      reportLeft([...intake.view.left, ...listLeft(registrations.intake)]);
      await status.refresh();
      runObserver.reportNow(status.readState());
      await clock.sleep(figuresPollMs, stop);
    }),
    keepGoing(setup, 'looking at the bank', () => probeBankNow(session, status, stop)),
    keepGoing(setup, 'reading the journal through', () => journalCheck.step(stop)),
    keepGoing(setup, 'looking for old doubt', async () => {
      const mended = disk.mended.next;
      await notices.notifyOfDoubt();
      await attention.look(false);
      // Keeps notices from memory as soon as the journal is back.
      await waitForAny(clock, doubtPollMs, mended, stop);
    }),
    keepGoing(setup, 'telling whether it is ready', () => lookWhetherReady(readiness, status, session, stop)),
    keepGoing(setup, 'taking dropped decisions', makeDropStep(session, stop, dropped)),
    notices.deliver(stop),
  ]);
}

const makeEventReporter =
  (status: WatchStatus, report: ReportNews) =>
  (event: WatchEvent): void => {
    status.noteChange();
    if (event.kind === 'file-ended') status.metrics.countFile(event.outcome);
    report(event);
  };

/** The folders of payouts, with the time of each call counted. */
async function openInbox(session: Session, { inboxTimer }: WatchStatus, log: Log): Promise<Intake> {
  return inboxTimer.watch(await inboxTimer.time(() => openPayoutInbox(session, log)));
}

/** The metrics' names for outcomes of callbacks. */
const callbackResults = {
  applied: 'taken',
  'nothing-new': 'taken',
  repeated: 'repeated',
  unknown: 'unknown',
} as const;

/** Paths relative to the inbox of payouts, where a name may be the same. */
const listLeft = ({ view }: Intake): readonly string[] =>
  view.left.map((name) => join(registrationsInbox, name));

/** The drop folder of registrations, and the bank's callbacks. */
const openRegistrations = (
  session: Session,
  status: WatchStatus,
  around: Omit<WatchDeps, 'onCallback' | 'onListening'>,
  report: ReportNews,
): Promise<OpenRegistrations> =>
  openRegistrationWatch(session, { ...around, ...noteCallbacks(status, report) });

/** Counts and reports the bank's callbacks. */
const noteCallbacks = (
  status: WatchStatus,
  report: ReportNews,
): Pick<WatchDeps, 'onCallback' | 'onListening'> => ({
  onCallback: (taking) => {
    status.noteChange();
    status.metrics.countCallback(callbackResults[taking]);
  },
  onListening: ({ url }) => report({ kind: 'callbacks-opened', url }),
});

/** Opens the folder of dropped decisions. */
async function openDropped(
  { loaded, journal, clock, log }: Session,
  notices: Notifier,
): Promise<DroppedFiles> {
  const { DroppedFiles: Dropped } = await import('../review/dropped/intake.ts');
  return new Dropped({
    loaded,
    journal,
    clock,
    log: toLog(log),
    onWaiting: async (record) => notices.notifyOfDecisions(record),
    onRefused: async ({ itemId: fileKey, fileName }, rejection, path) => {
      const file = { kind: 'decisions', fileKey, fileName, path, batchId: null } as const;
      await notices.notifyOfFile({ ...file, rejection, reports: [reasonPathOf(path)] });
    },
  });
}

/** Takes in dropped files of decisions, which have no effect until a maker confirms them. */
function makeDropStep(
  { loaded, clock }: Session,
  stop: AbortSignal,
  dropped: DroppedFiles,
): () => Promise<void> {
  return async () => {
    await dropped.step();
    await clock.sleep(Math.min(dropPollMs, Math.max(loaded.settings.watch.stillMs, 1)), stop);
  };
}

function makeSetup(
  session: Session,
  status: WatchStatus,
  around: Pick<WatchSetup, 'intake' | 'claims' | 'disk' | 'log' | 'stop' | 'notify' | 'reportEvent'> & {
    readonly runObserver: WatchProgress;
  },
): WatchSetup {
  const {
    loaded,
    journal: store,
    clock,
    reader,
    runs,
    adaptiveLimits,
    outbox,
    findTrace,
    approval,
  } = session;
  const { filesAtOnce, waitMs } = loaded.settings.watch;
  return {
    ...around,
    store,
    reader,
    clock,
    runs,
    adaptiveLimits,
    payer: loaded.settings.bank,
    findTrace,
    approval,
    likeFileDays: loaded.settings.limits.likeFileDays,
    filesAtOnce,
    waitMs,
    openContext: (until, count, payer) => ({
      ...makeContext(session, until, count, payer),
      isWatchedByAnother: true,
      isPaused: () => around.disk.trouble !== undefined || session.place?.keeper.isHeld === false,
    }),
    requireReportable: (batch) => requireReportableBatch(session, batch),
    report: (batchId) => restBatch(session, batchId, false),
    finishReports: (batchId) => finishReports(store, outbox, batchId),
    findUnpublished: () => outbox.findLeftovers(),
    count: (payout) => {
      if (payout === undefined) return;
      status.noteChange();
      status.metrics.countChange(payout.status);
      around.runObserver.count(payout);
    },
  };
}

/** Trouble with journal or folders; undefined when all take writes. */
async function probeDisks(
  session: Session,
  status: WatchStatus,
  probeJournal: () => Promise<unknown>,
): Promise<string | undefined> {
  const { loaded } = session;
  if (status.journalDamage !== undefined) return status.journalDamage.why;
  const { work, archive, rejected, outbox } = loaded.folders;
  const trouble = await probeFolders([
    work,
    registrationsWork(session.loaded.dataDir),
    outbox,
    archive,
    rejected,
  ]);
  const error = trouble === undefined ? await probeJournal() : undefined;
  // The findings of the last probe stay until this one is over.
  status.isJournalLocked = isLockedByOther(error);
  status.isJournalAway = isOfDatabase(error, loaded);
  return trouble?.why ?? (error === undefined ? undefined : explainTrouble(error, loaded));
}

async function probeBankNow(session: Session, status: WatchStatus, stop: AbortSignal): Promise<void> {
  const { clock, bankAddress, loaded, log } = session;
  const found = await probeBank(bankAddress, bankTimeoutMs, { stop });
  if (stop.aborted) return;
  const isWell = found.kind === 'reachable';
  const { bankTrouble } = status;
  if (isWell && bankTrouble !== undefined) log.info('the bank is within reach again');
  if (!isWell && bankTrouble === undefined) log.warn({ why: found.why }, 'the bank is out of reach');
  status.bankTrouble = isWell ? undefined : { sinceMs: bankTrouble?.sinceMs ?? clock.now(), why: found.why };
  await clock.sleep(isWell ? loaded.settings.watch.probeMs : sickBankPollMs, stop);
}

/** Facts about the journal as a whole that need a person. */
function makeAttention(session: Session, status: WatchStatus, notices: AttentionNotices) {
  return {
    /** Reads them for health and notices. @param isSettled no statement is being recorded */
    look: async (isSettled: boolean): Promise<void> => {
      status.attention = await readAttention(session);
      await notices.notify(status.attention, isSettled);
    },
    noteBroken: (date: string, error: unknown): Promise<void> => notices.notifyOfBroken({ date, error }),
  };
}

/** Shortly after midnight, and at the start of a watcher that has not done it that day. */
const sweepAtMs = 10 * 60_000;

/** Ends unchecked proposals that are overdue, and applies what a killed process has left of others. */
async function sweepNow(session: Session): Promise<boolean> {
  const { loaded, journal, log } = session;
  const { readReview } = await import('./decide/open.ts');
  const { sweepProposals } = await import('../review/review.ts');
  const lapsed = await sweepProposals(await readReview(loaded, journal, log, session));
  if (lapsed.length > 0)
    log.info({ proposals: lapsed }, 'proposals have lapsed: they were not checked in time');
  return true;
}

function listDailyJobs(
  session: Session,
  askAll: () => Promise<number>,
  attention: ReturnType<typeof makeAttention>,
  stop: AbortSignal,
): readonly DailyJob[] {
  const { settings } = session.loaded;
  const inquiry = async (): Promise<boolean> => {
    const asked = await askAll();
    session.log.info({ asked }, 'everything in doubt was inquired about');
    return true;
  };
  const statement = async (date: string): Promise<boolean> => {
    try {
      return await reconcileDayBefore(session, date, stop, attention.noteBroken);
    } finally {
      await attention.look(true);
    }
  };
  const job = (name: string, at: string, run: DailyJob['run']): readonly DailyJob[] => {
    const minute = parseTimeOfDay(at);
    return minute === undefined ? [] : [{ name, atMs: minute * 60_000, run }];
  };
  return [
    ...job('inquiry', settings.watch.inquiryAt, inquiry),
    ...job('statement', settings.reconcile.at, statement),
  ];
}
