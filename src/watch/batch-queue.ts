/** Works several open batches at once: the earliest dropped goes first, and a big batch does not block a small one. */
import { computeBackoffMs } from '../core/backoff.ts';
import type { Payout, PayoutStatus } from '../core/payout.ts';
import type { Batch, BatchReason } from '../core/ports.ts';
import {
  beginRunning,
  endWhenSettled,
  haltUnsent,
  interruptedCode,
  isConcluded,
} from '../payout/conclude.ts';
import { endHalted } from '../payout/operator.ts';
import { followPayer, runBatch } from '../payout/run-batch.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import type { WrittenReports } from '../reports/write-reports.ts';
import { isAhead, FailingBatches, retryBackoff, type WatchSetup } from './context.ts';
import type { RunnableBatch } from './ports.ts';
import type { FailingBatch } from './rules/health.ts';

/** The interval between checks for batches that another process has released. */
const runnablePollMs = 2_000;
/** The interval between checks for batches that another process has brought to rest. */
const unreportedPollMs = 15_000;
/** The age up to which batches without a notice count, in a journal without any notice: it may have no receiver. */
const untoldForMs = 24 * 3_600_000;
/** The limit of rows of a small batch, which may take the place that big ones leave free. */
const smallRowsMax = 1_000;
/** The interval of reports while rows of a batch settle one by one. */
const updateEveryMs = 60_000;
/** A run that rests sooner than this has done nothing. */
const hotRunMs = 5_000;

/** Statuses of rows of which nothing was sent, or nothing that the bank took. */
const unsentStatuses: readonly PayoutStatus[] = [
  'staged',
  'ready',
  'held',
  'rejected',
  'unpayable',
  'cancelled',
];

export class BatchScheduler {
  /** The number of batches that wait for a place. */
  waiting = 0;
  readonly #setup: WatchSetup;
  readonly #onRest: (batch: Batch) => Promise<void>;
  readonly #findObstacle: (batch: Batch) => Promise<BatchReason | undefined>;
  readonly #running = new Map<string, Promise<void>>();
  /** Batches for which a file in work/ waits, though the journal may have them at rest. */
  readonly #offered = new Set<string>();
  /** Batches at rest with due reports, and the moment from which they are due. */
  readonly #due = new Map<string, number>();
  readonly #failing: FailingBatches;
  /** Batches that rested at once although they have waiting rows. */
  readonly #hot = new Map<string, { readonly rests: number; readonly notBeforeMs: number }>();
  readonly #reportedAtMs = new Map<string, number>();
  /** Batches that this process has halted before their first send: a person who resumes one knows why. */
  readonly #halted = new Set<string>();
  #lookedForUnreportedMs = 0;
  /** Batches that hold a place: they have rows to send. */
  readonly #sending = new Set<string>();
  #reporting = 0;
  readonly #news = new Signal();

  /**
   * @param onRest called when a batch is at rest and its reports are written
   * @param findObstacle called before the first row of a batch is sent; returns the reason why it may not begin
   */
  constructor(
    setup: WatchSetup,
    onRest: (batch: Batch) => Promise<void>,
    findObstacle: (batch: Batch) => Promise<BatchReason | undefined> = async () => undefined,
  ) {
    this.#setup = setup;
    this.#failing = new FailingBatches(setup, 'a batch', (batchId) => setup.store.batch(batchId));
    this.#onRest = onRest;
    this.#findObstacle = findObstacle;
  }

  /** The running batches. */
  get running(): ReadonlySet<string> {
    return new Set(this.#running.keys());
  }

  /** True while reports are written, which takes time for a big batch. */
  get isReporting(): boolean {
    return this.#reporting > 0;
  }

  /** Batches that could not be worked or reported, with the obstacle. */
  get failing(): readonly FailingBatch[] {
    return this.#failing.all;
  }

  /** Adds a batch for which a file waits. */
  offer(batch: Batch): void {
    this.#offered.add(batch.batchId);
    this.#news.notify();
  }

  /** Notes rows changed outside a run: the batch is reported at once when nothing is in doubt, otherwise later. */
  noteChange(batchId: string, isSettled: boolean): void {
    const lastMs = this.#reportedAtMs.get(batchId) ?? 0;
    const dueAtMs = isSettled ? this.#setup.clock.now() : lastMs + updateEveryMs;
    this.#due.set(batchId, Math.min(dueAtMs, this.#due.get(batchId) ?? Infinity));
    this.#news.notify();
  }

  /** Takes over the reports of an earlier process: publishes written ones, and makes the others due. */
  async recover(): Promise<void> {
    const { store, findUnpublished, finishReports } = this.#setup;
    for (const batchId of await findUnpublished()) {
      const isOurs = (await store.batch(batchId)) !== undefined;
      if (isOurs) await this.#guardReport(batchId, async () => void (await finishReports(batchId)));
    }
    await this.#noteUnreported();
    // These batches were reported without a notice: their file ended before, and no longer brings them here.
    const nowMs = this.#setup.clock.now();
    for (const batchId of await store.untoldBatches(nowMs - untoldForMs)) this.#due.set(batchId, nowMs);
  }

  /** Adds reports that an earlier process did not write, or that another process's work makes due. */
  async #noteUnreported(): Promise<void> {
    const { store, clock } = this.#setup;
    this.#lookedForUnreportedMs = clock.now();
    for (const batchId of await store.unreportedBatches()) this.#due.set(batchId, clock.now());
  }

  /** Looks at the open batches once, and waits for the next look. */
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
      await this.#guardReport(batchId, async () => {
        await endHalted(this.#setup.store, batchId, nowMs);
        await this.#rest(batchId);
      });
    }
  }

  /** Reports batches whose rows a statement has changed, in this process or another. */
  async #reportStatements(): Promise<void> {
    const { store, clock } = this.#setup;
    for (const due of await store.dueReports()) {
      const { batchId } = due;
      if (this.#running.has(batchId) || this.#isToWait(batchId)) continue;
      await this.#failing.guard(batchId, async () => {
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
      // This precedes the lookup of the stop: the batch may name an account that the settings no longer do.
      const batch = await this.#followPayer(known);
      if (batch.status === 'halted') continue;
      const { payerAccount } = batch;
      let isStopped = stopped.get(payerAccount);
      isStopped ??= (await store.payerHalt(batch.companyId, payerAccount)) !== undefined;
      stopped.set(payerAccount, isStopped);
      // Under a stop, a batch that has not begun waits; it continues by itself when the stop is lifted.
      if (isStopped && !hasReady && (await this.#endsUnsent(batch))) continue;
      if (!isStopped && this.#hasPlace(batch)) this.#start(batch);
      else waiting += 1;
    }
    this.waiting = waiting;
  }

  /** Ends a batch whose rows were all cancelled while it waited, without running it. */
  async #endsUnsent(batch: Batch): Promise<boolean> {
    const { store, clock } = this.#setup;
    const { batchId, status } = batch;
    const [ready] = await store.readyPage(batchId, 0, 1);
    if (status !== 'sealed' || ready !== undefined) return false;
    await beginRunning(store, batch, clock.now());
    return endWhenSettled(store, batchId, clock.now());
  }

  /** Halts a batch, with a notice, where the settings name another payer account. */
  async #followPayer(known: Batch): Promise<Batch> {
    const { store, payer, log, clock } = this.#setup;
    const batch = await followPayer(store, known, payer.payerAccount, log, clock.now());
    if (batch.status === 'halted') this.#due.set(batch.batchId, clock.now());
    return batch;
  }

  /** Reads the batches that can run, the oldest drop first. A batch for which a file waits runs until it rests. */
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
    await this.#guardReport(batchId, () => this.#rest(batchId));
  }

  /** Keeps one place free from big files, so that a small one does not wait until they end. */
  #hasPlace({ rows }: Batch): boolean {
    const { filesAtOnce } = this.#setup;
    const places = filesAtOnce > 1 && rows > smallRowsMax ? filesAtOnce - 1 : filesAtOnce;
    return this.#sending.size < places;
  }

  #start(batch: Batch): void {
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
    // Due until reported, so that a failure now is made up for later.
    this.#due.set(batchId, clock.now());
    await this.#rest(batchId, true);
    this.#due.delete(batchId);
    await this.#coolDown(batchId, startedMs);
  }

  /**
   * Halts a batch that may not begin, once: an operator who resumes it knows the reason. A batch begins with its first
   * send, which a bank out of reach may delay for long.
   */
  async #haltBeforeFirst(batch: Batch): Promise<boolean> {
    const { store, clock } = this.#setup;
    const { batchId, status } = batch;
    if (status !== 'sealed' && (this.#halted.has(batchId) || (await this.#hasSent(batchId)))) return false;
    const why = await this.#findObstacle(batch);
    if (why === undefined) return false;
    const isHalted = await haltUnsent(store, batch, why, clock.now());
    if (isHalted) this.#halted.add(batchId);
    return true;
  }

  /** Tells whether a row of the batch was sent; one that the bank refused and that waits counts as not sent. */
  async #hasSent(batchId: string): Promise<boolean> {
    const totals = await this.#setup.store.totals(batchId);
    return totals.some(({ status, rows }) => rows > 0 && !unsentStatuses.includes(status));
  }

  /** Delays a batch that rests at once with sendable rows, instead of running it without a break. */
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

  /** Writes the due reports; then the file that waits for the batch ends. */
  async #rest(batchId: string, hasEnded = false): Promise<void> {
    const { store, clock, reportEvent } = this.#setup;
    if (!hasEnded && !(await isReportable(store, batchId))) return;
    const reports = await this.#report(batchId);
    const { batch } = reports.summary;
    // The notice precedes the end of the file: after a crash in between, the file brings the batch here again.
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
    const hot = this.#hot.get(batchId);
    const isHot = hot !== undefined && isAhead(hot.notBeforeMs, this.#setup.clock.now());
    return isHot || this.#failing.isToWait(batchId);
  }

  /** Works a batch that is to be reported: after a failure it stays due. */
  async #guardReport(batchId: string, work: () => Promise<void>): Promise<void> {
    await this.#failing.guard(batchId, work, (notBeforeMs) => this.#due.set(batchId, notBeforeMs));
  }
}

const compareAge = ({ batch: one }: RunnableBatch, { batch: other }: RunnableBatch): number =>
  one.ageFromMs - other.ageFromMs || one.startedAtMs - other.startedAtMs;

/** Tells whether a batch can be reported; an interrupted one continues, and is reported at rest. */
async function isReportable(store: WatchSetup['store'], batchId: string): Promise<boolean> {
  const batch = await store.batch(batchId);
  if (batch?.status === 'paused' && batch.reasonCode === interruptedCode) return false;
  return isConcluded(store, batchId);
}
