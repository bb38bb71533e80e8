/**
 * `paydrop watch` on a journal that several machines work, in a simulated process: it takes a place, helps whoever sends,
 * or sends, as the program composes it. Folders, pages and notices are left out.
 */
import { type MachinePlace, takeMachinePlace } from '../../../src/app/machines/machine-place.ts';
import { type HelpingSession, helpSender } from '../../../src/app/leadership.ts';
import { requireReportableBatch, restBatch } from '../../../src/app/run-file.ts';
import { makeContext, type RunSession, toLog } from '../../../src/app/session.ts';
import { dayMs } from '../../../src/core/bangkok-time.ts';
import type { Clock, JournalLoss, Log } from '../../../src/core/ports.ts';
import { ingestFile } from '../../../src/intake/ingest.ts';
import { isNewJournal } from '../../../src/payout/rules/lost-journal.ts';
import { finishReports } from '../../../src/reports/batch-reports.ts';
import { JournalRefusedError, JournalWriteError } from '../../../src/store/connection.ts';
import { BatchScheduler } from '../../../src/watch/batch-queue.ts';
import { DiskWatch, keepGoing, type WatchSetup } from '../../../src/watch/context.ts';
import { InDoubtLoop } from '../../../src/watch/watcher.ts';
import type { Machine } from '../world.ts';
import { company, makeClock, makeRunSession, type ProcessParts } from '../process.ts';
import type { ClusterJournal, OpenedJournal } from './database.ts';
import { Link, type OnApplied, type Server } from './link.ts';
import { makePastTables, readBeginnings, type SeenJournal } from './past.ts';

export interface WatcherParts extends Omit<ProcessParts, 'journal' | 'interrupted' | 'place'> {
  readonly server: Server;
  readonly onApplied: OnApplied;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** When everything in doubt was asked about last, by whoever sent then; true time. */
  readonly askedAtMs: { latest: number };
  /** Files in the inbox by now. */
  readonly files: () => readonly string[];
  /** What it has seen of the journal; left out where nothing is put back. */
  readonly seen?: SeenJournal<Machine> | undefined;
  /** Another process is at work that knows that nothing of it is missing. */
  readonly isWitnessed: () => boolean;
  /** Told once the process has a place. */
  readonly onPlace: () => void;
}

/** The inbox and the disk are looked at this often. */
const inboxPollMs = 2_000;
const diskPollMs = 5_000;
const sickDiskPollMs = 2_000;
const filesAtOnce = 2;
/** The jobs of the day begin so long after whoever sends. */
const dailyAfterMs = 5_000;

/** Errors that come of a database that is away, or of another process that has come first. */
const isExpected = (error: unknown): boolean => error instanceof JournalWriteError;

/** The log as the capabilities write to it; what breaks there is a bug. */
function makeStrictLog({ world, life }: WatcherParts, log: Log): Log {
  return (level, message, facts) => {
    log(level, message, facts);
    const error = 'err' in facts ? facts.err : undefined;
    // A process that is refused the journal is judged by how it ends.
    const isRefused = error instanceof JournalRefusedError;
    if (error === undefined || isExpected(error) || isRefused || !life.isAlive) return;
    const text = error instanceof Error ? `${error.message} ${error.stack ?? ''}` : JSON.stringify(error);
    if (message.startsWith('taking files in')) world.figures.count('intake-beaten');
    else world.fail(`${life.name}: ${message}: ${text}`);
  };
}

/** Works until it is stopped. */
export async function watch(parts: WatcherParts): Promise<void> {
  const { stop, world, life } = parts;
  const clock = makeClock(world, life);
  while (!stop.aborted) {
    try {
      if (!(await leadOnce(parts, clock))) return;
      world.figures.count('place-lost');
    } catch (error) {
      if (!isExpected(error)) throw error;
      await clock.sleep(sickDiskPollMs, stop);
    }
  }
}

/** Handed to the journal before there is a place. */
class LatePlace {
  place: MachinePlace | undefined;

  get workerId(): number | undefined {
    return this.place?.workerId;
  }

  noteRefused(): void {
    this.place?.noteRefused();
  }
}

/** @returns true when the right to send was lost */
async function leadOnce(parts: WatcherParts, clock: Clock): Promise<boolean> {
  const { server, life, stop, onApplied, onPlace, world, seen } = parts;
  await using stack = new AsyncDisposableStack();
  const own = new LatePlace();
  const opened = await server.run(() => server.database.open(own));
  stack.defer(() => server.run(() => opened.close()));
  const link = new Link(server, life, opened, onApplied, seen);
  const run = makeRunSession({ ...parts, journal: link.journal });
  const log = makeStrictLog(parts, toLog(run.log));
  const asked = { command: 'watch', clock, log, mayHelp: true };
  const place = await takeMachinePlace(link.workers, asked);
  if ('heldBy' in place) throw new Error('a watcher helps whoever has the place');
  own.place = place;
  stack.use(place);
  await server.run(async () => seen?.takeUp(clock.now(), parts.isWitnessed()));
  onPlace();
  const strict = Object.fromEntries(
    (['debug', 'info', 'warn', 'error'] as const).map((level) => [
      level,
      (facts: object, message: string) => log(level, message, facts),
    ]),
  );
  const bank: RunSession['bank'] = {
    ...run.bank,
    transfer: (...sent) => place.follow(run.bank.transfer(...sent)),
  };
  const past = await readPast(server, opened);
  const session: RunSession = {
    ...run,
    bank,
    place,
    clock,
    log: strict as unknown as RunSession['log'],
    refused: seen?.refused,
    get loss() {
      return past.loss;
    },
    asksFirst: async () => isNewJournal(past.newSinceMs, clock.now()),
    missesSince: () => past.missesSinceMs,
    readPast: async () => void Object.assign(past, await readPast(server, opened)),
  };
  if (place.role === 'helper') {
    world.figures.count('helps');
    const helped = await helpSender(session as HelpingSession, {
      stop,
      reportOwner: () => {},
      noteTrouble: () => {},
    });
    stack.defer(() => helped.ended);
    if ((place.role as string) === 'helper') return false;
    world.figures.count('takes-over');
  }
  world.figures.count('sends');
  await send(parts, session, link.journal);
  return place.keeper.lost.aborted;
}

/** What is known of losses and beginnings of the journal. */
interface JournalPast {
  readonly loss: JournalLoss | undefined;
  readonly newSinceMs: number | undefined;
  readonly missesSinceMs: number | undefined;
}

const readPast = async (server: Server, { journal }: OpenedJournal): Promise<JournalPast> => ({
  loss: await server.run(() => journal.loss()),
  ...readBeginnings(server.database.putBack?.past ?? makePastTables()),
});

async function send(parts: WatcherParts, session: RunSession, store: ClusterJournal): Promise<void> {
  const { place, clock } = session;
  const ends = [...(place ? [place.keeper.lost] : []), ...(session.refused ? [session.refused] : [])];
  const stop = AbortSignal.any([parts.stop, ...ends]);
  const log = toLog(session.log);
  const probe = async (): Promise<string | undefined> =>
    parts.server.isAway ? 'the database does not answer' : undefined;
  const disk = new DiskWatch(clock, log, probe);
  const setup = makeSetup(parts, session, { store, disk, log, stop });
  const batches = new BatchScheduler(setup, async () => {});
  const doubt = new InDoubtLoop(setup, batches);
  await disk.look();
  const recovered = keepGoing(setup, 'taking up what was open', async () => {
    await batches.recover();
    return 'done';
  });
  await Promise.all([
    recovered.then(() => keepGoing(setup, 'taking files in', () => takeFilesIn(parts, session, stop))),
    recovered.then(() => keepGoing(setup, 'a daily round', () => askDaily(parts, clock, doubt, stop))),
    recovered.then(() => keepGoing(setup, 'working the batches', () => batches.step())),
    keepGoing(setup, 'settling what is in doubt', () => doubt.step()),
    keepGoing(setup, 'looking at the disk', async () => {
      await clock.sleep(disk.trouble === undefined ? diskPollMs : sickDiskPollMs, stop);
      if (!stop.aborted) await disk.look();
    }),
  ]);
  await Promise.all([batches.ended(), doubt.ended()]);
  session.refused?.throwIfAborted();
}

/** The job of every day that asks about everything in doubt, a while after a sender has begun. */
async function askDaily(
  { askedAtMs, world }: WatcherParts,
  clock: Clock,
  doubt: InDoubtLoop,
  stop: AbortSignal,
): Promise<void> {
  await clock.sleep(dailyAfterMs, stop);
  if (stop.aborted || world.nowMs - askedAtMs.latest < dayMs / 2) return;
  askedAtMs.latest = world.nowMs;
  await doubt.askAll();
}

async function takeFilesIn(parts: WatcherParts, session: RunSession, stop: AbortSignal): Promise<void> {
  const { journal, reader, clock } = session;
  for (const file of parts.files()) {
    if (stop.aborted) return;
    const given = { ...company, likeFileDays: 0, mayRead: async () => true };
    await ingestFile({ journal, reader, clock, ...given, stop, onRows: () => undefined }, file, file);
  }
  await clock.sleep(inboxPollMs, stop);
}

type Around = Pick<WatchSetup, 'disk' | 'log' | 'stop'> & { readonly store: ClusterJournal };

function makeSetup(parts: WatcherParts, session: RunSession, around: Around): WatchSetup {
  const { clock, reader, runs, adaptiveLimits, outbox } = session;
  const { store, disk } = around;
  const setup: Omit<WatchSetup, 'store' | 'intake'> & { readonly store: ClusterJournal } = {
    ...around,
    reader,
    clock,
    runs,
    adaptiveLimits,
    payer: company,
    likeFileDays: 0,
    filesAtOnce,
    waitMs: parts.plan.waitMs,
    openContext: (until, count, payer) => ({
      ...makeContext(session, until, count, payer),
      isWatchedByAnother: true,
      isPaused: () => disk.trouble !== undefined || session.place?.keeper.isHeld === false,
    }),
    requireReportable: (batch) => requireReportableBatch(session, batch),
    report: (batchId) => restBatch(session, batchId, false),
    finishReports: (batchId) => finishReports(store, outbox, batchId),
    findUnpublished: async () => [],
    notify: async () => {},
    reportEvent: () => {},
    count: () => {},
  };
  return setup as unknown as WatchSetup;
}
