/** Works the open batches, several at once: whoever was dropped first goes first, and a big one starves no small one. */
import { computeBackoffMs } from '../core/backoff.ts';
import type { Payout } from '../core/payout.ts';
import type { Batch, BatchReason } from '../core/ports.ts';
import {
  beginRunning,
  endWhenSettled,
  haltUnsent,
  interruptedCode,
  isConcluded,
} from '../payout/conclude.ts';
import { followPayer, runBatch } from '../payout/run-batch.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import type { WrittenReports } from '../reports/write-reports.ts';
import { isAhead, noteFailure, retryBackoff, type WatchSetup } from './context.ts';
import type { RunnableBatch } from './ports.ts';

/** How often it is looked for batches that another process has let go on. */
const runnablePollMs = 2_000;
/** How often it is looked for batches that another process has brought to rest. */
const unreportedPollMs = 15_000;
/** In a journal without notices it is looked back so far for batches that nobody was told of: there may be no one to tell. */
const untoldForMs = 24 * 3_600_000;
/** A batch of no more rows may take the place that is kept from the big ones. */
const smallRowsMax = 1_000;
/** Rows of a batch settle one after the other: they are reported together, this often. */
const updateEveryMs = 60_000;
/** A run that rested sooner than this has done nothing. */
const hotRunMs = 5_000;

interface Failing {
  readonly failures: number;
  readonly notBeforeMs: number;
  readonly why: string;
}

export class BatchScheduler {
  /** Batches that wait for a place. */
  waiting = 0;
  readonly #setup: WatchSetup;
  readonly #onRest: (batch: Batch) => Promise<void>;
  readonly #findObstacle: (batch: Batch) => Promise<BatchReason | undefined>;
  readonly #running = new Map<string, Promise<void>>();
  /** Batches for which a file in work/ waits, and which the journal may hold to be at rest. */
  readonly #offered = new Set<string>();
  /** Batches at rest whose reports are due, from when on. */
  readonly #due = new Map<string, number>();
  readonly #failing = new Map<string, Failing>();
  /** Batches that rested at once although rows of theirs wait. */
  readonly #hot = new Map<string, { readonly rests: number; readonly notBeforeMs: number }>();
  readonly #reportedAtMs = new Map<string, number>();
  #lookedForUnreportedMs = 0;
  /** Batches that hold a place: rows of theirs are still to be sent. */
  readonly #sending = new Set<string>();
  #reporting = 0;
  readonly #news = new Signal();

  /**
   * @param onRest told when a batch is at rest and its reports are written
   * @param findObstacle asked before the first row of a batch is sent: why it may not begin
   */
  constructor(
    setup: WatchSetup,
    onRest: (batch: Batch) => Promise<void>,
    findObstacle: (batch: Batch) => Promise<BatchReason | undefined> = async () => undefined,
  ) {
    this.#setup = setup;
    this.#onRest = onRest;
    this.#findObstacle = findObstacle;
  }

  /** Batches that are being run. */
  get running(): ReadonlySet<string> {
    return new Set(this.#running.keys());
  }

  /** True while reports are written, which of a big batch takes its time. */
  get isReporting(): boolean {
    return this.#reporting > 0;
  }

  /** Batches that could not be worked or reported, with what was in the way. */
  get failing(): readonly { readonly batchId: string; readonly why: string }[] {
    return [...this.#failing].map(([batchId, { why }]) => ({ batchId, why }));
  }

  /** A file waits for this batch to come to rest. */
  offer(batch: Batch): void {
    this.#offered.add(batch.batchId);
    this.#news.notify();
  }

  /** Rows of a batch have changed outside a run: it is reported when nothing of it is in doubt, or in a while. */
  noteChange(batchId: string, isSettled: boolean): void {
    const lastMs = this.#reportedAtMs.get(batchId) ?? 0;
    const dueAtMs = isSettled ? this.#setup.clock.now() : lastMs + updateEveryMs;
    this.#due.set(batchId, Math.min(dueAtMs, this.#due.get(batchId) ?? Infinity));
    this.#news.notify();
  }

  /** What an earlier process has left of reports: those that it had written are published, the others become due. */
  async recover(): Promise<void> {
    const { store, findUnpublished, finishReports } = this.#setup;
    for (const batchId of await findUnpublished()) {
      const isOurs = (await store.batch(batchId)) !== undefined;
      if (isOurs) await this.#guard(batchId, async () => void (await finishReports(batchId)), true);
    }
    await this.#noteUnreported();
    // Reported, and nobody was told of it: its file had ended before, and brings it here no more.
    const nowMs = this.#setup.clock.now();
    for (const batchId of await store.untoldBatches(nowMs - untoldForMs)) this.#due.set(batchId, nowMs);
  }

  /** Reports that an earlier process did not come to write, or that are due to what another has done. */
  async #noteUnreported(): Promise<void> {
    const { store, clock } = this.#setup;
    this.#lookedForUnreportedMs = clock.now();
    for (const batchId of await store.unreportedBatches()) this.#due.set(batchId, clock.now());
  }

  /** One look at what is open, and the wait for the next. */
  async step(): Promise<void> {
    const { clock, stop, disk } = this.#setup;
    const { next } = this.#news;
    if (disk.trouble === undefined) {
      if (Math.abs(clock.now() - this.#lookedForUnreportedMs) >= unreportedPollMs)
        await this.#noteUnreported();
      await this.#reportDue();
      await this.#reportStatements();
      await this.#startOpen();
    }
    await waitForAny(clock, runnablePollMs, next, stop);
  }

  /** Resolves when every run has ended. */
  async ended(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running.values());
  }

  async #reportDue(): Promise<void> {
    const nowMs = this.#setup.clock.now();
    for (const [batchId, atMs] of this.#due) {
      if (isAhead(atMs, nowMs) || this.#isToWait(batchId) || this.#running.has(batchId)) continue;
      this.#due.delete(batchId);
      await this.#guard(batchId, () => this.#rest(batchId), true);
    }
  }

  /** Batches whose rows a statement has changed, in this process or another. */
  async #reportStatements(): Promise<void> {
    const { store, clock } = this.#setup;
    for (const due of await store.dueReports()) {
      const { batchId } = due;
      if (this.#running.has(batchId) || this.#isToWait(batchId)) continue;
      await this.#guard(batchId, async () => {
        await endWhenSettled(store, batchId, clock.now());
        await this.#rest(batchId);
        await store.clearDueReport(due);
      });
    }
  }

  async #startOpen(): Promise<void> {
    const { store } = this.#setup;
    const stopped = new Map<string, boolean>();
    let waiting = 0;
    for (const { batch: known, hasReady } of await this.#readRunnable()) {
      if (this.#running.has(known.batchId) || this.#isToWait(known.batchId)) continue;
      // Before the stop is looked up, which may be that of an account that the settings no longer name.
      const batch = await this.#followPayer(known);
      if (batch.status === 'halted') continue;
      const { payerAccount } = batch;
      let isStopped = stopped.get(payerAccount);
      isStopped ??= (await store.payerHalt(batch.companyId, payerAccount)) !== undefined;
      stopped.set(payerAccount, isStopped);
      // Under a stop nothing could be sent: what has not begun waits, and goes on by itself when the stop is lifted.
      if (isStopped && !hasReady && (await this.#endsUnsent(batch))) continue;
      if (!isStopped && this.#hasPlace(batch)) this.#start(batch);
      else waiting += 1;
    }
    this.waiting = waiting;
  }

  /** A batch whose rows were all cancelled while it waited ends without being run. */
  async #endsUnsent(batch: Batch): Promise<boolean> {
    const { store, clock } = this.#setup;
    const { batchId, status } = batch;
    const [ready] = await store.readyPage(batchId, 0, 1);
    if (status !== 'sealed' || ready !== undefined) return false;
    await beginRunning(store, batch, clock.now());
    return endWhenSettled(store, batchId, clock.now());
  }

  /** Halted, and told of, where the settings name another payer account than the batch. */
  async #followPayer(known: Batch): Promise<Batch> {
    const { store, payer, log, clock } = this.#setup;
    const batch = await followPayer(store, known, payer.payerAccount, log, clock.now());
    if (batch.status === 'halted') this.#due.set(batch.batchId, clock.now());
    return batch;
  }

  /** What can be run, the oldest drop first; a batch that a file waits for is run as long as it has not come to rest. */
  async #readRunnable(): Promise<readonly RunnableBatch[]> {
    const { store } = this.#setup;
    const runnable = await store.runnableBatches();
    const known = new Set(runnable.map(({ batch }) => batch.batchId));
    const offered: RunnableBatch[] = [];
    for (const batchId of this.#offered) {
      if (known.has(batchId) || this.#running.has(batchId)) continue;
      const batch = await store.batch(batchId);
      if (batch?.status === 'running' || batch?.status === 'paused') offered.push({ batch, hasReady: false });
      else await this.#restOffered(batchId);
    }
    return offered.length === 0 ? runnable : [...runnable, ...offered].toSorted(compareAge);
  }

  async #restOffered(batchId: string): Promise<void> {
    if (this.#running.has(batchId) || this.#isToWait(batchId)) return;
    await this.#guard(batchId, () => this.#rest(batchId), true);
  }

  /** One place is kept from the big files, so that a small one need not wait until they are through. */
  #hasPlace({ rows }: Batch): boolean {
    const { filesAtOnce } = this.#setup;
    const places = filesAtOnce > 1 && rows > smallRowsMax ? filesAtOnce - 1 : filesAtOnce;
    return this.#sending.size < places;
  }

  #start(batch: Batch): void {
    const { batchId } = batch;
    this.#sending.add(batchId);
    const run = this.#guard(batchId, () => this.#run(batch)).finally(() => {
      this.#running.delete(batchId);
      this.#leavePlace(batchId);
    });
    this.#running.set(batchId, run);
  }

  #leavePlace(batchId: string): void {
    this.#sending.delete(batchId);
    this.#news.notify();
  }

  async #run(batch: Batch): Promise<void> {
    const { stop, runs, waitMs, clock, store, runObserver: observer } = this.#setup;
    const { batchId } = batch;
    if (await this.#haltBeforeFirst(batch)) {
      await this.#rest(batchId, true);
      return;
    }
    await this.#setup.requireReportable(batch);
    const waitOver = new AbortController();
    const others = new Set<string>();
    const count = (payout: Payout | undefined): void => {
      if (payout !== undefined && payout.batchId !== batchId) others.add(payout.batchId);
      this.#setup.count(payout);
    };
    const until = AbortSignal.any([stop, waitOver.signal]);
    const reportWait = observer?.reportWait.bind(observer, batchId);
    const context = { ...this.#setup.openContext(until, count, batch), reportWait };
    observer?.begin(batch, await store.totals(batchId));
    void context.run.allSent.promise.then(() => this.#leavePlace(batchId));
    const startedMs = clock.now();
    runs.add(context.run);
    try {
      const end = await runBatch(context, batch, { waitMs, isPatient: true, interrupted: stop, waitOver });
      if (end === 'interrupted') {
        await this.#setup.finishReports(batchId);
        return;
      }
    } finally {
      runs.delete(context.run);
      observer?.end(batchId);
    }
    for (const other of others) this.noteChange(other, true);
    // Until it is reported: what fails now is made up for.
    this.#due.set(batchId, clock.now());
    await this.#rest(batchId, true);
    this.#due.delete(batchId);
    await this.#coolDown(batchId, startedMs);
  }

  /** A batch that may not begin is halted, once: an operator who resumes it knows why it was. */
  async #haltBeforeFirst(batch: Batch): Promise<boolean> {
    const { store, clock } = this.#setup;
    if (batch.status !== 'sealed') return false;
    const why = await this.#findObstacle(batch);
    if (why === undefined) return false;
    await haltUnsent(store, batch, why, clock.now());
    return true;
  }

  /** A batch that rests at once with rows that could be sent is not run again and again without a breath. */
  async #coolDown(batchId: string, startedMs: number): Promise<void> {
    const { clock, store } = this.#setup;
    const batch = await store.batch(batchId);
    if (batch?.status !== 'paused' || clock.now() - startedMs > hotRunMs) {
      this.#hot.delete(batchId);
      return;
    }
    const rests = (this.#hot.get(batchId)?.rests ?? 0) + 1;
    this.#hot.set(batchId, { rests, notBeforeMs: clock.now() + computeBackoffMs(retryBackoff, rests) });
  }

  /** Writes what is due; the file that waits for the batch ends. */
  async #rest(batchId: string, hasEnded = false): Promise<void> {
    const { store, clock, reportEvent } = this.#setup;
    if (!hasEnded && !(await isReportable(store, batchId))) return;
    const reports = await this.#report(batchId);
    const { batch } = reports.summary;
    // Before the file ends: after a crash in between, the file brings the batch here again.
    await this.#setup.notify({ kind: 'batch-settled', reports });
    if (batch.status === 'done') this.#reportedAtMs.delete(batchId);
    else this.#reportedAtMs.set(batchId, clock.now());
    await this.#onRest(batch);
    const isNews = this.#offered.delete(batchId) || reports.filesWritten > 0;
    if (isNews) reportEvent({ kind: 'batch-settled', reports });
  }

  async #report(batchId: string): Promise<WrittenReports> {
    this.#reporting += 1;
    try {
      return await this.#setup.report(batchId);
    } finally {
      this.#reporting -= 1;
    }
  }

  #isToWait(batchId: string): boolean {
    const nowMs = this.#setup.clock.now();
    const waits = [this.#failing.get(batchId), this.#hot.get(batchId)];
    return waits.some((one) => one !== undefined && isAhead(one.notBeforeMs, nowMs));
  }

  /** One batch that fails keeps none of the others from going on; it is tried again, later and later. */
  async #guard(batchId: string, work: () => Promise<void>, isReport = false): Promise<void> {
    try {
      await work();
      this.#failing.delete(batchId);
    } catch (error) {
      const failures = (this.#failing.get(batchId)?.failures ?? 0) + 1;
      const notBeforeMs = this.#setup.clock.now() + computeBackoffMs(retryBackoff, failures);
      this.#failing.set(batchId, { failures, notBeforeMs, why: (error as Error).message });
      if (isReport) this.#due.set(batchId, notBeforeMs);
      await noteFailure(this.#setup, 'a batch', error, { batchId }).catch(() => undefined);
    }
  }
}

const compareAge = ({ batch: one }: RunnableBatch, { batch: other }: RunnableBatch): number =>
  one.ageFromMs - other.ageFromMs || one.startedAtMs - other.startedAtMs;

/** A batch that was interrupted goes on, and is reported when it has come to rest. */
async function isReportable(store: WatchSetup['store'], batchId: string): Promise<boolean> {
  const batch = await store.batch(batchId);
  if (batch?.status === 'paused' && batch.reasonCode === interruptedCode) return false;
  return isConcluded(store, batchId);
}
