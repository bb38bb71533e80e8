/**
 * The watcher of the drop folder: takes files, pays them, settles payouts in doubt and runs the daily jobs. No fault of
 * a file, the bank or the disk ends it before it is asked to stop.
 */
import type { Batch } from '../core/ports.ts';
import { BatchScheduler } from './batch-queue.ts';
import { ingestFile } from '../intake/ingest.ts';
import { type FileKind, keepGoing, type WatchSetup, noteFailure } from './context.ts';
import { FileQueue } from './file-queue.ts';
import { type DailyJob, DailyJobs } from './schedule.ts';
import { readAddedPayouts } from './taken-files.ts';
import type { Payout } from '../core/payout.ts';
import { limitRequests } from '../payout/adaptive-limit.ts';
import { type Payer, type BreakerGate, restoreBreaker } from '../payout/circuit-breaker.ts';
import { endWhenSettled } from '../payout/conclude.ts';
import { isInProgress, type WorkerContext } from '../payout/context.ts';
import type { InDoubt } from '../payout/ports.ts';
import { leaveOthersAlone } from '../payout/share.ts';
import { Repetitions, settleAll, settleOnce } from '../payout/settle.ts';
import { Watch } from '../payout/superseded.ts';

interface WatchOptions {
  /** The interval between checks of the disk, which are more frequent during a fault. */
  readonly probeMs: number;
  /** The jobs of every day, with the job that inquires about everything in doubt. */
  readonly dailyJobs: (askAll: () => Promise<number>) => readonly DailyJob[];
}

export class Watcher {
  readonly files: FileQueue<Batch>;
  readonly batches: BatchScheduler;
  readonly doubt: InDoubtLoop;
  /** The latest turn of the loop over the batches, which stands still only when it is stuck. */
  lastTurn: { readonly atMs: number; readonly atElapsedMs: number };
  isRecovered = false;
  readonly #setup: WatchSetup;
  readonly #options: WatchOptions;

  constructor(setup: WatchSetup, options: WatchOptions) {
    this.#setup = setup;
    this.#options = options;
    this.lastTurn = { atMs: setup.clock.now(), atElapsedMs: performance.now() };
    this.files = new FileQueue(setup, payoutFiles(setup), (batch) => this.batches.offer(batch));
    this.batches = new BatchScheduler(
      setup,
      (batch: Batch) => this.files.endFor(batch),
      (batch: Batch) => this.files.taken.findGrowth(batch),
    );
    this.doubt = new InDoubtLoop(setup, this.batches);
  }

  /** Works until the process is asked to stop and the requests in flight have ended. */
  async work(): Promise<void> {
    const setup = this.#setup;
    const { stop, disk } = setup;
    const { dailyJobs, probeMs } = this.#options;
    const daily = new DailyJobs(
      setup,
      dailyJobs(() => this.doubt.askAll()),
    );
    await disk.look();
    // Work that an earlier process has left open comes before anything new.
    const recovered = this.#recover();
    await Promise.all([
      recovered.then(() => keepGoing(setup, 'taking files in', () => this.files.step())),
      recovered.then(() => keepGoing(setup, 'working the batches', () => this.#turn())),
      keepGoing(setup, 'settling what is in doubt', () => this.doubt.step()),
      recovered.then(() => keepGoing(setup, 'a daily round', () => daily.step())),
      recovered.then(() =>
        keepGoing(setup, 'looking at files that were taken', () => this.files.taken.step()),
      ),
      keepGoing(setup, 'looking at the disk', () => disk.lookLater(probeMs, stop)),
    ]);
    await Promise.all([this.batches.ended(), this.files.ended(), this.doubt.ended()]);
  }

  async #turn(): Promise<void> {
    this.lastTurn = { atMs: this.#setup.clock.now(), atElapsedMs: performance.now() };
    await this.batches.step();
  }

  async #recover(): Promise<void> {
    await keepGoing(this.#setup, 'taking up what was open', async () => {
      await this.batches.recover();
      await this.files.recover();
      this.isRecovered = true;
      return 'done';
    });
  }
}

type PayoutFilesSetup = Pick<
  WatchSetup,
  'store' | 'reader' | 'clock' | 'payer' | 'likeFileDays' | 'approval' | 'findTrace' | 'stop'
>;

/** The files of payouts. */
export const payoutFiles = (setup: PayoutFilesSetup): FileKind<Batch> => ({
  name: 'payout',
  reader: readAddedPayouts(setup.reader),
  findBatch: (batchId) => setup.store.batch(batchId),
  ingest: ({ path, fileName, droppedAtMs }, mayRead) => {
    const { store: journal, reader, clock, payer, likeFileDays, approval, findTrace, stop } = setup;
    const given = { ...payer, droppedAtMs, likeFileDays, approval, mayRead, findTrace };
    return ingestFile({ journal, reader, clock, ...given, stop, onRows: () => undefined }, path, fileName);
  },
});

// ---------------------------------------------------------------- payouts in doubt

/** The limit of inquiries in one step, after which the loop reads again. */
const pageRows = 200;
/** The interval between checks for due inquiries: batches come to rest at any time. */
const pollMs = 1_000;

/** Settles payouts that batches left in doubt at rest, while other batches are being sent. @forTests */
export class InDoubtLoop {
  readonly #setup: WatchSetup;
  /** Running batches settle their own doubt; the others are told of changed rows. */
  readonly #batches: Pick<BatchScheduler, 'running' | 'noteChange'>;
  readonly #contexts = new Map<string, WorkerContext>();
  readonly #changed = new Set<string>();
  #watch: Watch | undefined;
  #repetitions: Repetitions | undefined;

  constructor(setup: WatchSetup, batches: Pick<BatchScheduler, 'running' | 'noteChange'>) {
    this.#setup = setup;
    this.#batches = batches;
  }

  /** Settles what is due now. */
  async step(): Promise<void> {
    const { store, clock, stop, disk } = this.#setup;
    const due = disk.trouble === undefined ? await this.#readDue() : [];
    this.#repetitions ??= new Repetitions(this.#own);
    this.#repetitions.throwFailure();
    await settleAll(this.#own, due, this.#repetitions);
    await this.#reportChanges();
    await this.#followLine();
    if (due.length > 0 || stop.aborted) return;
    if (disk.trouble === undefined) {
      this.#watch ??= new Watch(this.#own);
      if (await this.#watch.step()) return;
    }
    const nextAtMs = (await store.nextInquiryAtMs()) ?? Infinity;
    await clock.sleep(Math.min(pollMs, Math.max(pollMs / 4, nextAtMs - clock.now())), stop);
  }

  /** Resolves when the repeated transfers have ended. */
  async ended(): Promise<void> {
    try {
      await this.#repetitions?.end();
    } catch (error) {
      await noteFailure(this.#setup, 'sending again', error);
    }
  }

  /** Reopens the account after a person has ended its stop or pause while no run was there to see it. */
  async #followLine(): Promise<void> {
    if (this.#own.gate.breaker.state.status === 'open') return;
    await restoreBreaker(this.#own, this.#setup.payer);
  }

  /** Asks about everything in doubt, due or not; a daily job. */
  async askAll(): Promise<number> {
    const isRunning = (batchId: string): boolean => this.#batches.running.has(batchId);
    const asked = await settleOnce(this.#own, 'all', undefined, isRunning);
    await this.#reportChanges();
    return asked;
  }

  async #readDue(): Promise<readonly InDoubt[]> {
    const { store, clock } = this.#setup;
    const nowMs = clock.now();
    const { maxDelayMs, firstDelayMs } = this.#own.settle;
    const horizonMs = nowMs + Math.max(maxDelayMs, firstDelayMs);
    const due = await store.dueInquiries(nowMs, pageRows, undefined, horizonMs);
    const { running } = this.#batches;
    const unseen = due.filter(
      ({ payout }) => !running.has(payout.batchId) && !isInProgress(this.#own, payout.seq),
    );
    return leaveOthersAlone(this.#own, unseen);
  }

  /** The context of the payer account in the settings. */
  get #own(): WorkerContext {
    return this.#contextFor(this.#setup.payer);
  }

  /** The context of a payer account; each account has its own, because it may be stopped. */
  #contextFor({ companyId, payerAccount }: Payer): WorkerContext {
    const key = `${companyId} ${payerAccount}`;
    let context = this.#contexts.get(key);
    if (context === undefined) {
      const { openContext, stop, runs, adaptiveLimits } = this.#setup;
      const count = (payout: Payout | undefined): void => this.#note(payout);
      const unlimited = openContext(stop, count, { companyId, payerAccount });
      const gateOf = (payer: Payer): BreakerGate => this.#contextFor(payer).gate;
      context = { ...unlimited, limitRequest: limitRequests(adaptiveLimits, unlimited.log), gateOf };
      runs.add(context.run);
      this.#contexts.set(key, context);
    }
    return context;
  }

  #note(payout: Payout | undefined): void {
    this.#setup.count(payout);
    if (payout !== undefined && payout.status !== 'submitted') this.#changed.add(payout.batchId);
  }

  async #reportChanges(): Promise<void> {
    const { store, clock } = this.#setup;
    for (const batchId of this.#changed) {
      await endWhenSettled(store, batchId, clock.now());
      this.#changed.delete(batchId);
      const isSettled = (await store.nextInquiryAtMs(batchId)) === undefined;
      this.#batches.noteChange(batchId, isSettled);
    }
  }
}
