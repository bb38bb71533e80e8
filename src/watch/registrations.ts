/**
 * Works the drop folder of registrations: takes files in, sends each batch, and reports the bank's callbacks as long as
 * outcomes arrive.
 */
import { computeBackoffMs } from '../core/backoff.ts';
import { interruptedCode } from '../payout/conclude.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import { endIfAnswered } from '../registration/conclude.ts';
import type { RegistrationBatch, RegistrationStore } from '../registration/ports.ts';
import { isHeldAsAWhole } from '../registration/rules/summary.ts';
import type { WrittenRegistrationReports } from '../registration/write-reports.ts';
import { type FileKind, keepGoing, FailingBatches, retryBackoff } from './context.ts';
import type { FailingBatch } from './rules/health.ts';
import { FileQueue, type FileQueueSetup } from './file-queue.ts';

/** The callbacks of one run of a batch. */
interface RegistrationRun {
  /** Called when no row is left to send and the run awaits outcomes. */
  readonly onAllSent: () => void;
}

export interface RegistrationWatchSetup extends FileQueueSetup {
  readonly store: FileQueueSetup['store'] & RegistrationStore;
  readonly kind: FileKind<RegistrationBatch>;
  /** The number of files whose rows are sent at once. */
  readonly filesAtOnce: number;
  /** Sends the sendable rows, and waits for outcomes for a while. */
  run(batch: RegistrationBatch, run: RegistrationRun): Promise<'rested' | 'interrupted'>;
  /** Proves, before a batch is sent, that its reports can be written. */
  requireReportable(batch: RegistrationBatch): Promise<void>;
  /** Writes the due reports. */
  report(batchId: string): Promise<WrittenRegistrationReports>;
  /** Publishes the reports that a batch had due from before. */
  finishReports(batchId: string): Promise<unknown>;
  /** Batches, of either kind, whose reports an earlier process has written and not published. */
  findUnpublished(): Promise<readonly string[]>;
  /** Continues, until the stop, with rows that an earlier process left submitted and rows that waited long enough. */
  sweep(onChange: () => void): Promise<void>;
}

/** The interval between checks for batches that another process released, or whose outcomes it received. */
const pollMs = 2_000;
/** The interval of reports for a batch that waits for more outcomes, which arrive one by one. */
const updateEveryMs = 10 * 60_000;

export class RegistrationWatch {
  readonly files: FileQueue<RegistrationBatch>;
  isRecovered = false;
  readonly #setup: RegistrationWatchSetup;
  readonly #running = new Map<string, Promise<void>>();
  /** Batches that hold a place: they have rows to send. */
  readonly #sending = new Set<string>();
  /** Batches for which a file in work/ waits. */
  readonly #offered = new Set<string>();
  readonly #failing: FailingBatches;
  readonly #reportedAtMs = new Map<string, number>();
  readonly #news = new Signal();

  constructor(setup: RegistrationWatchSetup) {
    this.#setup = setup;
    this.#failing = new FailingBatches(setup, 'a batch of registrations', (batchId) =>
      setup.store.registrationBatch(batchId),
    );
    this.files = new FileQueue(setup, setup.kind, ({ batchId }) => {
      this.#offered.add(batchId);
      this.noteNews();
    });
  }

  /** Batches that could not be worked or reported, with the obstacle. */
  get failing(): readonly FailingBatch[] {
    return this.#failing.all;
  }

  /** Notes a new outcome or a person's decision. */
  noteNews(): void {
    this.#news.notify();
  }

  /** Works until the process is asked to stop and the requests in flight have ended. */
  async work(): Promise<void> {
    const setup = this.#setup;
    const recovered = keepGoing(setup, 'taking up registrations', () => this.#recover());
    await Promise.all([
      recovered.then(() => keepGoing(setup, 'taking files of registrations in', () => this.files.step())),
      recovered.then(() => keepGoing(setup, 'working the registrations', () => this.#step())),
      recovered.then(() =>
        keepGoing(setup, 'looking at files that were taken', () => this.files.taken.step()),
      ),
      keepGoing(setup, 'waiting for callbacks', () => setup.sweep(() => this.noteNews())),
    ]);
    while (this.#running.size > 0) await Promise.all(this.#running.values());
    await this.files.ended();
  }

  async #recover(): Promise<'done'> {
    const { store, findUnpublished, finishReports } = this.#setup;
    for (const batchId of await findUnpublished()) {
      const isOurs = (await store.registrationBatch(batchId)) !== undefined;
      if (isOurs) await this.#failing.guard(batchId, async () => void (await finishReports(batchId)));
    }
    await this.files.recover();
    this.isRecovered = true;
    return 'done';
  }

  /** Looks at the open batches once, and waits for the next look. */
  async #step(): Promise<void> {
    const { store, clock, stop, disk } = this.#setup;
    const { next } = this.#news;
    if (disk.trouble === undefined) {
      for (const batch of await store.runnableRegistrationBatches()) await this.#goOn(batch);
      for (const batchId of await store.unreportedRegistrationBatches()) await this.#restIfIdle(batchId);
      for (const batchId of this.#offered) await this.#restIfIdle(batchId);
    }
    await waitForAny(clock, pollMs, next, stop);
  }

  /** Sends a batch, or, once all of it was sent, reports new outcomes. */
  async #goOn(batch: RegistrationBatch): Promise<void> {
    const { batchId, status } = batch;
    if (!this.#isIdle(batchId)) return;
    if (status !== 'running' || (await this.#isAnyToSend(batchId))) {
      if (this.#sending.size < this.#setup.filesAtOnce) this.#start(batch);
      return;
    }
    await this.#failing.guard(batchId, () => this.#endOrUpdate(batchId));
  }

  async #hasReady(batchId: string): Promise<boolean> {
    return (await this.#setup.store.readyRegistrations(batchId, 0, 1)).length > 0;
  }

  /**
   * Tells whether a batch has rows to send or batch-wide holds. If its sender died during a pause, or before it reacted
   * to a halt, no other process continues it.
   */
  async #isAnyToSend(batchId: string): Promise<boolean> {
    if (await this.#hasReady(batchId)) return true;
    return isHeldAsAWhole(await this.#setup.store.registrationHoldTotals(batchId));
  }

  async #endOrUpdate(batchId: string): Promise<void> {
    const { store, clock } = this.#setup;
    const isEnded = await endIfAnswered(store, batchId, clock.now());
    const reportedAtMs = this.#reportedAtMs.get(batchId) ?? 0;
    if (isEnded || Math.abs(clock.now() - reportedAtMs) >= updateEveryMs) await this.#rest(batchId);
  }

  #start(batch: RegistrationBatch): void {
    const { batchId } = batch;
    this.#sending.add(batchId);
    const run = this.#failing
      .guard(batchId, () => this.#run(batch))
      .finally(() => {
        this.#running.delete(batchId);
        this.#leavePlace(batchId);
      });
    this.#running.set(batchId, run);
  }

  #leavePlace(batchId: string): void {
    if (this.#sending.delete(batchId)) this.noteNews();
  }

  async #run(batch: RegistrationBatch): Promise<void> {
    const { store, clock, requireReportable, finishReports, run } = this.#setup;
    const { batchId } = batch;
    const obstacle = batch.status === 'sealed' ? await this.files.taken.findGrowth(batch) : undefined;
    if (obstacle !== undefined) {
      await store.holdReadyRegistrations(batchId, 'halted', obstacle, clock.now());
      if (await store.moveRegistrationBatch(batchId, 'running', null, clock.now(), batch))
        await store.moveRegistrationBatch(batchId, 'halted', obstacle, clock.now());
    } else {
      await requireReportable(batch);
      const end = await run(batch, { onAllSent: () => this.#leavePlace(batchId) });
      if (end === 'interrupted') return void (await finishReports(batchId));
    }
    await this.#rest(batchId);
    await this.#breathe(batchId);
  }

  /** Delays a batch that rests at once with sendable rows, instead of running it without a break. */
  async #breathe(batchId: string): Promise<void> {
    const batch = await this.#setup.store.registrationBatch(batchId);
    if (batch?.status !== 'paused' && !(await this.#hasReady(batchId))) return;
    await this.#setup.clock.sleep(computeBackoffMs(retryBackoff, 1), this.#setup.stop);
  }

  /** Reports a batch that another process has brought to rest, or for which a file waits. */
  async #restIfIdle(batchId: string): Promise<void> {
    if (this.#isIdle(batchId)) await this.#failing.guard(batchId, () => this.#restIfAtRest(batchId));
  }

  async #restIfAtRest(batchId: string): Promise<void> {
    const { store, clock } = this.#setup;
    await endIfAnswered(store, batchId, clock.now());
    const batch = await store.registrationBatch(batchId);
    const goesOn = batch?.status === 'paused' && batch.reasonCode === interruptedCode;
    const isAtRest = batch?.status === 'done' || batch?.status === 'paused' || batch?.status === 'halted';
    const waits =
      this.#offered.has(batchId) && batch?.status === 'running' && !(await this.#hasReady(batchId));
    if ((isAtRest && !goesOn) || waits) await this.#rest(batchId);
  }

  /** Writes the due reports; then the file that waits for the batch ends. */
  async #rest(batchId: string): Promise<void> {
    const { report, clock, notify, reportEvent } = this.#setup;
    const reports = await report(batchId);
    const { batch } = reports.summary;
    this.#reportedAtMs.set(batchId, clock.now());
    if (batch.status === 'done') this.#reportedAtMs.delete(batchId);
    const event = { kind: 'registrations-settled', reports } as const;
    // The notice precedes the end of the file: after a crash in between, the file brings the batch here again.
    await notify(event);
    await this.files.endFor(batch);
    const isNews = this.#offered.delete(batchId) || reports.filesWritten > 0;
    if (isNews) reportEvent(event);
  }

  #isIdle(batchId: string): boolean {
    return !this.#failing.isToWait(batchId) && !this.#running.has(batchId);
  }
}
