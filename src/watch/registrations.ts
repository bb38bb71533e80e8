/**
 * Works the drop folder of registrations: takes files in, has each batch sent, and reports what the bank calls back with,
 * for as long as outcomes come.
 */
import { computeBackoffMs } from '../core/backoff.ts';
import { interruptedCode } from '../payout/conclude.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import { endIfAnswered } from '../registration/conclude.ts';
import type { RegistrationBatch, RegistrationStore } from '../registration/ports.ts';
import { isHeldAsAWhole } from '../registration/rules/summary.ts';
import type { WrittenRegistrationReports } from '../registration/write-reports.ts';
import { type FileKind, isAhead, keepGoing, noteFailure, retryBackoff } from './context.ts';
import { FileQueue, type FileQueueSetup } from './file-queue.ts';

/** What one run of a batch is handed. */
export interface RegistrationRun {
  /** To be called when nothing of it is left to send: what was sent is awaited. */
  readonly onAllSent: () => void;
}

export interface RegistrationWatchSetup extends FileQueueSetup {
  readonly store: FileQueueSetup['store'] & RegistrationStore;
  readonly kind: FileKind<RegistrationBatch>;
  /** Files whose rows are sent at once. */
  readonly filesAtOnce: number;
  /** Sends what can be sent, and waits for outcomes for a while. */
  run(batch: RegistrationBatch, run: RegistrationRun): Promise<'rested' | 'interrupted'>;
  /** Proves, before a batch is sent, that it can be reported on. */
  requireReportable(batch: RegistrationBatch): Promise<void>;
  /** Writes what is due. */
  report(batchId: string): Promise<WrittenRegistrationReports>;
  /** Publishes what a batch had due from before. */
  finishReports(batchId: string): Promise<unknown>;
  /** Batches, of either kind, with reports that an earlier process has written and not published. */
  findUnpublished(): Promise<readonly string[]>;
  /** What an earlier process has left submitted, and what has been waited for long enough, goes on until the stop. */
  sweep(onChange: () => void): Promise<void>;
}

/** How often it is looked for batches that another process has let go on, or whose outcomes it has taken. */
const pollMs = 2_000;
/** Outcomes come one after the other: those of a batch that waits for more are reported together, this often. */
const updateEveryMs = 10 * 60_000;

interface Failing {
  readonly failures: number;
  readonly notBeforeMs: number;
  readonly why: string;
}

export class RegistrationWatch {
  readonly files: FileQueue<RegistrationBatch>;
  isRecovered = false;
  readonly #setup: RegistrationWatchSetup;
  readonly #running = new Map<string, Promise<void>>();
  /** Batches that hold a place: rows of theirs are still to be sent. */
  readonly #sending = new Set<string>();
  /** Batches for which a file in work/ waits. */
  readonly #offered = new Set<string>();
  readonly #failing = new Map<string, Failing>();
  readonly #reportedAtMs = new Map<string, number>();
  readonly #news = new Signal();

  constructor(setup: RegistrationWatchSetup) {
    this.#setup = setup;
    this.files = new FileQueue(setup, setup.kind, ({ batchId }) => {
      this.#offered.add(batchId);
      this.noteNews();
    });
  }

  /** Batches that could not be worked or reported, with what was in the way. */
  get failing(): readonly { readonly batchId: string; readonly why: string }[] {
    return [...this.#failing].map(([batchId, { why }]) => ({ batchId, why }));
  }

  /** An outcome has come in, or somebody has decided something. */
  noteNews(): void {
    this.#news.notify();
  }

  /** Works until the process is asked to stop and what is in flight has ended. */
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
      if (isOurs) await this.#guard(batchId, async () => void (await finishReports(batchId)));
    }
    await this.files.recover();
    this.isRecovered = true;
    return 'done';
  }

  /** One look at what is open, and the wait for the next. */
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

  /** Has a batch sent, or, when all of it was sent, reports what has come since. */
  async #goOn(batch: RegistrationBatch): Promise<void> {
    const { batchId, status } = batch;
    if (!this.#isIdle(batchId)) return;
    if (status !== 'running' || (await this.#isAnyToSend(batchId))) {
      if (this.#sending.size < this.#setup.filesAtOnce) this.#start(batch);
      return;
    }
    await this.#guard(batchId, () => this.#endOrUpdate(batchId));
  }

  async #hasReady(batchId: string): Promise<boolean> {
    return (await this.#setup.store.readyRegistrations(batchId, 0, 1)).length > 0;
  }

  /** What waits for a pause to end, or was to be told of a halt, when its sender died has nobody else to go on with it. */
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
    const run = this.#guard(batchId, () => this.#run(batch)).finally(() => {
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

  /** A batch that rests at once with rows that could be sent is not run again and again without a pause. */
  async #breathe(batchId: string): Promise<void> {
    const batch = await this.#setup.store.registrationBatch(batchId);
    if (batch?.status !== 'paused' && !(await this.#hasReady(batchId))) return;
    await this.#setup.clock.sleep(computeBackoffMs(retryBackoff, 1), this.#setup.stop);
  }

  /** Reports a batch that another process has brought to rest, or that a file waits for. */
  async #restIfIdle(batchId: string): Promise<void> {
    if (this.#isIdle(batchId)) await this.#guard(batchId, () => this.#restIfAtRest(batchId));
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

  /** Writes what is due; the file that waits for the batch ends. */
  async #rest(batchId: string): Promise<void> {
    const { report, clock, notify, reportEvent } = this.#setup;
    const reports = await report(batchId);
    const { batch } = reports.summary;
    this.#reportedAtMs.set(batchId, clock.now());
    if (batch.status === 'done') this.#reportedAtMs.delete(batchId);
    const event = { kind: 'registrations-settled', reports } as const;
    // Before the file ends: after a crash in between, the file brings the batch here again.
    await notify(event);
    await this.files.endFor(batch);
    const isNews = this.#offered.delete(batchId) || reports.filesWritten > 0;
    if (isNews) reportEvent(event);
  }

  #isIdle(batchId: string): boolean {
    const failing = this.#failing.get(batchId);
    const waits = failing !== undefined && isAhead(failing.notBeforeMs, this.#setup.clock.now());
    return !waits && !this.#running.has(batchId);
  }

  /** One batch that fails keeps none of the others from going on; it is tried again, later and later. */
  async #guard(batchId: string, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#failing.delete(batchId);
    } catch (error) {
      const failures = (this.#failing.get(batchId)?.failures ?? 0) + 1;
      const notBeforeMs = this.#setup.clock.now() + computeBackoffMs(retryBackoff, failures);
      this.#failing.set(batchId, { failures, notBeforeMs, why: (error as Error).message });
      await noteFailure(this.#setup, 'a batch of registrations', error, { batchId }).catch(() => undefined);
    }
  }
}
