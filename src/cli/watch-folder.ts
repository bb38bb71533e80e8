/** The drop folder worked by the process that has the right to send: everything of the watcher put together. */
import { probeBank } from '../bank/probe.ts';
import type { Log } from '../payout/context.ts';
import { parseTimeOfDay } from '../payout/rules/service-hours.ts';
import { probeFolders } from '../platform/disk-probe.ts';
import { finishReports } from '../reports/write-reports.ts';
import { DiskWatch, keepGoing, type WatchEvent, type WatchSetup } from '../watch/context.ts';
import { openIntake } from '../watch/folders/drop-folder.ts';
import type { DailyJob } from '../watch/schedule.ts';
import { Watcher } from '../watch/watcher.ts';
import { describeLock, isLockedByOther } from './journal-lock.ts';
import { type Notifier, openNotifier } from './notice-desk.ts';
import { reconcileDayBefore } from './reconcile-round.ts';
import { tellOfLoss } from './recovery.ts';
import { restBatch } from './run-file.ts';
import { makeContext, type Sender } from './sender.ts';
import { makeLeftTeller, type Tell } from './watch-lines.ts';
import type { WatchReport } from './watch-report.ts';

/** How often the figures of /healthz and /metrics are read. */
const figuresMs = 2_000;
/** How often it is looked for transfers that have been in doubt for too long. */
const doubtLookMs = 60_000;
/** A bank that is out of reach is looked at this often. */
const sickBankMs = 2_000;
const bankTimeoutMs = 5_000;

/**
 * Works the folder until it is stopped and what is in flight has ended.
 * @param hasTakenOver this process stood by before
 */
export async function workFolder(
  sender: Sender,
  report: WatchReport,
  stop: AbortSignal,
  { tell: print, hasTakenOver }: { readonly tell: Tell; readonly hasTakenOver: boolean },
): Promise<void> {
  const { loaded, journal: store, clock } = sender;
  const { watch } = loaded.settings;
  const log: Log = (level, message, facts) => sender.log[level](facts, message);
  tellOfLoss(sender, false);
  await using intake = report.looks.watch(
    await report.looks.time(() =>
      openIntake({
        folders: loaded.folders,
        watch,
        isSidecarExpected: loaded.settings.input.control === 'sidecar',
        journalId: store.journalId,
        clock,
        log,
      }),
    ),
  );
  print({ kind: 'working', inbox: loaded.folders.inbox, hasTakenOver });
  const notices = await openNotifier(loaded, store, sender.log, clock);
  const disk = new DiskWatch(clock, log, () => probeDisks(sender, report));
  const reportEvent = (event: WatchEvent): void => {
    report.noteChange();
    if (event.kind === 'file-ended') report.metrics.countFile(event.outcome);
    print(event);
  };
  const notify = async (event: WatchEvent): Promise<void> => {
    await passOn(notices, event).catch((error: unknown) => notices.noteFailure(error));
  };
  const setup = makeSetup(sender, report, { intake, disk, log, stop, notify, reportEvent });
  const watcher = new Watcher(setup, {
    probeMs: watch.probeMs,
    dailyJobs: (askAll) => listDailyJobs(sender, askAll, stop),
  });
  report.begin({ sender, watcher, intake, disk });
  const tellOfLeft = makeLeftTeller(print);
  const look = async (): Promise<void> => {
    tellOfLeft(intake.view.left);
    await report.refresh();
  };
  const sides = [...watchOutside(setup, { sender, report, notices, look }), notices.deliver(stop)];
  await Promise.all([watcher.work(), ...sides]);
}

interface Around extends Pick<WatchSetup, 'intake' | 'disk' | 'log' | 'stop' | 'notify' | 'reportEvent'> {}

/** The watcher's parts, from what a process that may send has. */
function makeSetup(sender: Sender, report: WatchReport, around: Around): WatchSetup {
  const { loaded, journal: store, clock, reader, runs, paces, outbox } = sender;
  const { filesAtOnce, waitMs } = loaded.settings.watch;
  return {
    ...around,
    store,
    reader,
    clock,
    runs,
    paces,
    payer: loaded.settings.bank,
    filesAtOnce,
    waitMs,
    openContext: (until, count, payer) => ({
      ...makeContext(sender, until, count, payer),
      isWatchedElsewhere: true,
      isHeldUp: () => around.disk.trouble !== undefined,
    }),
    report: (batchId) => restBatch(sender, batchId, false),
    finishReports: (batchId) => finishReports(store, outbox, batchId),
    findUnpublished: () => outbox.findLeftovers(),
    count: (payout) => {
      if (payout === undefined) return;
      report.noteChange();
      report.metrics.countChange(payout.status);
    },
  };
}

interface Outside {
  readonly sender: Sender;
  readonly report: WatchReport;
  readonly notices: Notifier;
  /** Reads what is shown of the watcher. */
  readonly look: () => Promise<void>;
}

/** What looks around beside the watcher's own work. */
function watchOutside(
  setup: WatchSetup,
  { sender, report, notices, look }: Outside,
): readonly Promise<void>[] {
  const { clock, stop } = setup;
  return [
    keepGoing(setup, 'reading the figures', async () => {
      await look();
      await clock.sleep(figuresMs, stop);
    }),
    keepGoing(setup, 'looking at the bank', () => lookAtBank(sender, report, stop)),
    keepGoing(setup, 'looking for old doubt', async () => {
      await notices.notifyOfDoubt();
      await clock.sleep(doubtLookMs, stop);
    }),
  ];
}

/** What is wrong with journal or folders; undefined when all take writes. */
async function probeDisks(
  { loaded, journal, clock }: Sender,
  report: WatchReport,
): Promise<string | undefined> {
  const { work, archive, rejected, outbox } = loaded.folders;
  const trouble = await probeFolders([work, outbox, archive, rejected]);
  // What is known from the last look stays until this one is over.
  if (trouble !== undefined) {
    report.isJournalLocked = false;
    return trouble.why;
  }
  try {
    await journal.probe(clock.now());
    report.isJournalLocked = false;
    return undefined;
  } catch (error) {
    report.isJournalLocked = isLockedByOther(error);
    return report.isJournalLocked ? describeLock(loaded.dataDir) : (error as Error).message;
  }
}

async function lookAtBank(sender: Sender, report: WatchReport, stop: AbortSignal): Promise<void> {
  const { clock, bankAddress, loaded, log } = sender;
  const found = await probeBank(bankAddress, bankTimeoutMs, { stop });
  if (stop.aborted) return;
  if (found.kind === 'reachable') {
    if (report.bankTrouble !== undefined) log.info('the bank is within reach again');
    report.bankTrouble = undefined;
  } else {
    if (report.bankTrouble === undefined) log.warn({ why: found.why }, 'the bank is out of reach');
    report.bankTrouble = { sinceMs: report.bankTrouble?.sinceMs ?? clock.now(), why: found.why };
  }
  await clock.sleep(report.bankTrouble === undefined ? loaded.settings.watch.probeMs : sickBankMs, stop);
}

/** The jobs of every day that the settings ask for. */
function listDailyJobs(
  sender: Sender,
  askAll: () => Promise<number>,
  stop: AbortSignal,
): readonly DailyJob[] {
  const { watch, reconcile } = sender.loaded.settings;
  const inquiry = async (): Promise<boolean> => {
    const asked = await askAll();
    sender.log.info({ asked }, 'everything in doubt was inquired about');
    return true;
  };
  const job = (name: string, at: string, run: DailyJob['run']): readonly DailyJob[] => {
    const minute = parseTimeOfDay(at);
    return minute === undefined ? [] : [{ name, atMs: minute * 60_000, run }];
  };
  return [
    ...job('inquiry', watch.inquiryAt, inquiry),
    ...job('statement', reconcile.at, (date) => reconcileDayBefore(sender, date, stop)),
  ];
}

async function passOn(notices: Notifier, event: WatchEvent): Promise<void> {
  if (event.kind === 'batch-rested') return notices.notifyOfBatch(event.reports);
  const { why, item, batchId, outcome } = event;
  if (outcome === 'archived' || why === undefined) return;
  await notices.notifyOfFile({
    fileKey: item.itemId,
    fileName: item.fileName,
    batchId: batchId ?? null,
    rejection: { line: null, column: null, ...why },
    remedy: null,
    reports: [],
  });
}
