/**
 * The inbox of a machine that helps the sender: its files are taken in here and paid by all machines. They end here,
 * once the sender has reported their batches.
 */
import { type FileKind, keepGoing } from './context.ts';
import { FileQueue, type FileQueueSetup } from './file-queue.ts';
import type { FileBatch } from './ports.ts';

/** The interval between checks for reported batches. */
const reportedPollMs = 2_000;

/** The batches that the sender has reported. */
interface ReportedBatches {
  /** Batches at rest with reports due. */
  unreported(): Promise<readonly string[]>;
  reports(batchId: string): Promise<readonly unknown[]>;
}

export class OwnInbox<Read extends FileBatch> {
  readonly files: FileQueue<Read>;
  readonly #setup: FileQueueSetup;
  readonly #reported: ReportedBatches;
  /** Batches for which a file in work/ waits. */
  readonly #offered = new Map<string, Read>();

  constructor(setup: FileQueueSetup, kind: FileKind<Read>, reported: ReportedBatches) {
    this.#setup = setup;
    this.#reported = reported;
    this.files = new FileQueue(setup, kind, (batch) => {
      this.#offered.set(batch.batchId, batch);
    });
  }

  /** Works until stopped and until everything begun has ended. */
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
    const { clock, stop } = this.#setup;
    if (this.#offered.size > 0) {
      const unreported = new Set(await this.#reported.unreported());
      for (const [batchId, batch] of this.#offered) {
        if (unreported.has(batchId) || (await this.#reported.reports(batchId)).length === 0) continue;
        await this.files.endFor(batch);
        this.#offered.delete(batchId);
      }
    }
    await clock.sleep(reportedPollMs, stop);
  }
}
