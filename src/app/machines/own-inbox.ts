/** Takes in files dropped into the inbox of this machine while another process has the right to send. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { computeBackoffMs } from '../../core/backoff.ts';
import type { Log } from '../../core/ports.ts';
import { probeFolders } from '../../platform/disk-probe.ts';
import { DiskWatch, keepGoing, retryBackoff, type WatchEvent } from '../../watch/context.ts';
import type { FileQueueSetup } from '../../watch/file-queue.ts';
import { type Intake, openIntake } from '../../watch/folders/drop-folder.ts';
import { isIgnoredName } from '../../watch/rules/drop-folder.ts';
import { OwnInbox } from '../../watch/own-inbox.ts';
import { payoutFiles } from '../../watch/watcher.ts';
import { makeJournalProbe } from '../journal/probe.ts';
import { openNotifier } from '../notices/notifier.ts';
import { openRegistrationInbox, registrationFiles } from '../registration/watch.ts';
import { registrationsInbox, registrationsWork, type Session, toLog } from '../session.ts';
import { describeInboxOwner, openFileClaims } from './files.ts';
import type { HelpingSession } from '../leadership.ts';

/**
 * Opens the folders of payout files.
 * @throws as `openIntake` does
 */
export const openPayoutInbox = (session: Session, log: Log): Promise<Intake> => {
  const { folders, settings } = session.loaded;
  return openIntake({
    folders,
    watch: settings.watch,
    isSidecarExpected: settings.input.control === 'sidecar',
    inboxesWithin: [registrationsInbox],
    journalId: session.journal.journalId,
    owner: describeInboxOwner(session),
    clock: session.clock,
    log,
  });
};

/** Interval of looks for files that only the sender takes; a file seen at two looks is reported. */
const waitingPollMs = 30_000;

/**
 * Dropped decisions that wait until this machine sends. On a shared folder the sender takes them long before they are
 * reported. @forTests
 */
export class WaitingDrops {
  readonly #folders: readonly string[];
  #seen: ReadonlySet<string> = new Set();
  #reported: ReadonlySet<string> = new Set();

  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /** @returns paths seen at the last look, too, and not reported before */
  async look(): Promise<readonly string[]> {
    const found = (await Promise.all(this.#folders.map(listDropped))).flat();
    const news = found.filter((path) => this.#seen.has(path) && !this.#reported.has(path));
    this.#reported = new Set(found.filter((path) => this.#reported.has(path) || news.includes(path)));
    this.#seen = new Set(found);
    return news;
  }
}

async function listDropped(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile() && !isIgnoredName(entry.name))
    .map(({ name }) => join(folder, name));
}

interface TakingIn {
  /** Aborted when the process is to send, or to stop. */
  readonly stop: AbortSignal;
  /** Called with each dropped path that is not taken here. Must not throw. */
  readonly reportWaiting: (path: string) => void;
  /** Called for each file that has ended. Must not throw. */
  readonly reportEvent: (event: WatchEvent) => void;
}

/** Works the inboxes until the stop; errors are logged, and the work tried again. */
export async function takeIn(session: HelpingSession, taking: TakingIn): Promise<void> {
  const works = [takePayoutsIn, takeRegistrationsIn, tellOfWaiting];
  await Promise.all(works.map((work) => keepWorking(session, taking, work)));
}

type Work = (session: HelpingSession, taking: TakingIn) => Promise<unknown>;

async function keepWorking(session: HelpingSession, taking: TakingIn, work: Work): Promise<void> {
  const { clock, log } = session;
  for (let failures = 0; !taking.stop.aborted; failures += 1) {
    try {
      await work(session, taking);
    } catch (error) {
      log.error({ err: error }, 'the inbox of this machine cannot be worked, and is tried again');
      await clock.sleep(computeBackoffMs(retryBackoff, failures), taking.stop);
    }
  }
}

async function takePayoutsIn(session: HelpingSession, taking: TakingIn): Promise<void> {
  const { loaded, journal, clock, reader, findTrace, approval } = session;
  const { stop } = taking;
  await using intake = await openPayoutInbox(session, toLog(session.log));
  const setup = await makeQueueSetup(session, taking, intake, loaded.folders.work);
  const { bank: payer, limits } = loaded.settings;
  const { likeFileDays } = limits;
  const files = payoutFiles({
    store: journal,
    reader,
    clock,
    payer,
    likeFileDays,
    approval,
    findTrace,
    stop,
  });
  const inbox = new OwnInbox(setup, files, {
    unreported: () => journal.unreportedBatches(),
    reports: (batchId) => journal.reports(batchId),
  });
  await Promise.all([inbox.work(), keepLookingAtDisk(session, setup)]);
}

async function takeRegistrationsIn(session: HelpingSession, taking: TakingIn): Promise<void> {
  const { journal } = session;
  await using intake = await openRegistrationInbox(session, toLog(session.log));
  const setup = await makeQueueSetup(session, taking, intake, registrationsWork(session.loaded.dataDir));
  const inbox = new OwnInbox(setup, await registrationFiles(session, taking.stop), {
    unreported: () => journal.unreportedRegistrationBatches(),
    reports: (batchId) => journal.registrationReports.reports(batchId),
  });
  await Promise.all([inbox.work(), keepLookingAtDisk(session, setup)]);
}

async function makeQueueSetup(
  session: HelpingSession,
  { stop, reportEvent }: TakingIn,
  intake: Intake,
  work: string,
): Promise<FileQueueSetup> {
  const { loaded, journal, clock } = session;
  const { archive, rejected } = loaded.folders;
  const log = toLog(session.log);
  const notices = await openNotifier(session);
  const probeJournal = makeJournalProbe(loaded, clock, async () => journal.workers?.());
  return {
    intake,
    claims: await openFileClaims(session, work),
    store: journal,
    clock,
    log,
    stop,
    disk: new DiskWatch(clock, log, async () => {
      const trouble = await probeFolders([work, archive, rejected]);
      return trouble?.why ?? ((await probeJournal()) as Error | undefined)?.message;
    }),
    notify: (event: WatchEvent) => notices.notifyOfEvent(event),
    reportEvent,
  };
}

async function keepLookingAtDisk({ loaded }: HelpingSession, setup: FileQueueSetup): Promise<void> {
  const { disk, stop } = setup;
  await disk.look();
  await keepGoing(setup, 'looking at the disk', () => disk.lookLater(loaded.settings.watch.probeMs, stop));
}

async function tellOfWaiting(session: HelpingSession, { stop, reportWaiting }: TakingIn): Promise<void> {
  const waiting = new WaitingDrops([session.loaded.folders.decisions]);
  while (!stop.aborted) {
    for (const path of await waiting.look()) {
      session.log.warn({ path }, 'waits until this machine is the one that sends: drop it on that machine');
      reportWaiting(path);
    }
    await session.clock.sleep(waitingPollMs, stop);
  }
}
