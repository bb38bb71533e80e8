/**
 * The watcher of the drop folder: takes files, pays them, settles payouts in doubt and runs the daily jobs. No fault of
 * a file, the bank or the disk ends it before it is asked to stop.
 */
import type { Batch } from '../core/ports.ts';
import { BatchScheduler } from './batch-queue.ts';
import { ingestFile } from '../intake/ingest.ts';
import { type FileKind, keepGoing, type WatchSetup } from './context.ts';
import { FileQueue } from './file-queue.ts';
import { InDoubtLoop } from './in-doubt-loop.ts';
import { type DailyJob, DailyJobs } from './schedule.ts';
import { readAddedPayouts } from './taken-files.ts';

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
