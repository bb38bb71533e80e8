/**
 * The inbox of a machine that helps whoever sends: its files are taken in here, and paid by all. They end here, too, once
 * the sender has reported their batches.
 */
import type { Batch } from '../core/ports.ts';
import { keepGoing, type WatchSetup } from './context.ts';
import { FileQueue, type FileQueueSetup } from './file-queue.ts';
import { payoutFiles, type PayoutFilesSetup } from './watcher.ts';

/** How often it is looked whether a batch was reported. */
const reportedPollMs = 2_000;

export type OwnInboxSetup = FileQueueSetup & PayoutFilesSetup & Pick<WatchSetup, 'store'>;

export class OwnInbox {
  readonly files: FileQueue<Batch>;
  readonly #setup: OwnInboxSetup;
  /** Batches for which a file in work/ waits. */
  readonly #offered = new Map<string, Batch>();

  constructor(setup: OwnInboxSetup) {
    this.#setup = setup;
    this.files = new FileQueue(setup, payoutFiles(setup), (batch) => {
      this.#offered.set(batch.batchId, batch);
    });
  }

  /** Works until it is stopped, and nothing that it has begun is under way any more. */
  async work(): Promise<void> {
    const setup = this.#setup;
    await keepGoing(setup, 'taking up what was open', async () => {
      await this.files.recover();
      return 'done';
    });
    await Promise.all([
      keepGoing(setup, 'taking files in', () => this.files.step()),
      keepGoing(setup, 'ending files', () => this.#endReported()),
      keepGoing(setup, 'looking at files that were taken', () => this.files.taken.step()),
    ]);
    await this.files.ended();
  }

  async #endReported(): Promise<void> {
    const { store, clock, stop } = this.#setup;
    if (this.#offered.size > 0) {
      const unreported = new Set(await store.unreportedBatches());
      for (const [batchId, batch] of this.#offered) {
        if (unreported.has(batchId) || (await store.reports(batchId)).length === 0) continue;
        await this.files.endFor(batch);
        this.#offered.delete(batchId);
      }
    }
    await clock.sleep(reportedPollMs, stop);
  }
}
