/** The context of the parts of the watcher, and their handling of failures. */
import { type Backoff, computeBackoffMs } from '../core/backoff.ts';
import type { FileRejection } from '../core/payout-file.ts';
import type { Payout } from '../core/payout.ts';
import type { Batch, Clock, Log, StatusTotal } from '../core/ports.ts';
import type { Wait } from '../core/progress.ts';
import type { IngestContext } from '../intake/ingest.ts';
import type { IntakeStore, PayoutFileReader, RejectedFile } from '../intake/ports.ts';
import type { AdaptiveLimits } from '../payout/adaptive-limit.ts';
import type { Payer } from '../payout/circuit-breaker.ts';
import type { RunState, WorkerContext } from '../payout/context.ts';
import type { PayoutJournal } from '../payout/ports.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import type { WrittenRegistrationReports } from '../registration/write-reports.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import type { WrittenReports } from '../reports/write-reports.ts';
import type { Intake } from './folders/drop-folder.ts';
import type { AddedRowReader, FileBatch, FileClaims, IntakeOutcome, WatchStore, WorkItem } from './ports.ts';
import type { FileKindName } from './rules/drop-folder.ts';
import type { FileGrowth, TakenFile } from './rules/file-growth.ts';
import { NamesTakenError } from '../platform/durable-file.ts';
import type { FailingBatch, Trouble } from './rules/health.ts';

/** An event for people, metrics and notices. */
export type WatchEvent =
  | {
      readonly kind: 'file-ended';
      readonly item: WorkItem;
      readonly outcome: IntakeOutcome;
      /** The present path of the file, or the one at which it is about to end. */
      readonly path: string;
      /** The kind as which the file was dropped. */
      readonly dropped: FileKindName;
      /** The reason of a rejected file: a short name, the words, and the place in the file. */
      readonly why: FileRejection | undefined;
      readonly batchId: string | undefined;
    }
  | { readonly kind: 'batch-settled'; readonly reports: WrittenReports }
  | { readonly kind: 'registrations-settled'; readonly reports: WrittenRegistrationReports }
  /** The file was written to after its rows had been read. */
  | { readonly kind: 'file-grown'; readonly file: TakenFile; readonly growth: FileGrowth };

/** A batch fails for a reason that a person must remove, or has failed several times. */
export interface BatchFailed {
  readonly kind: 'batch-failing';
  readonly fileName: string | undefined;
  readonly failing: FailingBatch;
}

/** The outcome of reading a file in; `turned-away`: `mayRead` refused it. */
export type ReadIn<Read extends FileBatch> =
  | { readonly kind: 'batch'; readonly batch: Read }
  | RejectedFile
  | { readonly kind: 'turned-away' | 'stopped' };

/** A kind of file in a drop folder: how it is inspected and read in, and which batch it becomes. */
export interface FileKind<Read extends FileBatch> {
  readonly name: FileKindName;
  readonly reader: AddedRowReader;
  findBatch(batchId: string): Promise<Read | undefined>;
  ingest(
    file: Pick<WorkItem, 'path' | 'fileName' | 'droppedAtMs'>,
    mayRead: NonNullable<IngestContext['mayRead']>,
  ): Promise<ReadIn<Read>>;
}

/** Observes the runs of batches. Must not throw. */
export interface RunObserver {
  /** @param totals the present statuses of its rows */
  begin(batch: Batch, totals: readonly StatusTotal[]): void;
  /** Reports from time to time what a run waits for. */
  reportWait(batchId: string, wait: Wait | undefined): void;
  end(batchId: string): void;
}

export interface WatchSetup {
  readonly store: PayoutJournal & IntakeStore & StatementStore & WatchStore;
  readonly intake: Intake;
  /** Left out where no other process can work the same files. */
  readonly claims?: FileClaims | undefined;
  readonly reader: PayoutFileReader;
  readonly clock: Clock;
  readonly log: Log;
  readonly payer: Payer;
  /** Finds the trace of a file in another journal, as a path; left out: finds none. */
  readonly findTrace?: IngestContext['findTrace'];
  /** `limits.likeFileDays`. */
  readonly likeFileDays: number;
  /** Decides whether the rows of a file wait for approval; left out: they do not. */
  readonly approval?: IngestContext['approval'];
  /** The number of files whose rows are sent at once. */
  readonly filesAtOnce: number;
  /** The time that payouts in doubt are waited for before the result of a batch is written. */
  readonly waitMs: number;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** The runs under way, for their shared state. */
  readonly runs: Set<RunState>;
  readonly adaptiveLimits: AdaptiveLimits;
  readonly disk: DiskWatch;
  openContext(stop: AbortSignal, count: (payout: Payout | undefined) => void, payer: Payer): WorkerContext;
  /** Proves, before a batch is run, that its reports can be written. */
  requireReportable(batch: Batch): Promise<void>;
  /** Writes the due reports of a batch at rest. */
  report(batchId: string): Promise<WrittenReports>;
  /** Publishes the reports that a batch had due from before. */
  finishReports(batchId: string): Promise<unknown>;
  /** Batches whose reports an earlier process has written and not published. */
  findUnpublished(): Promise<readonly string[]>;
  /** Keeps a notice of the event, where notices are sent. Must not throw. */
  notify(event: WatchEvent | BatchFailed): Promise<void>;
  /** Must not throw, and must return quickly. */
  reportEvent(event: WatchEvent): void;
  /** Left out where no display follows the runs. */
  readonly runObserver?: RunObserver;
  /** Counts each row that has progressed. */
  count(payout: Payout | undefined): void;
}

/** The interval between checks of faulty folders or a faulty journal. */
const sickProbeMs = 2_000;

/** Checks whether the journal and the folders are writable; while they are not, nothing new begins. */
export class DiskWatch {
  trouble: Trouble | undefined;
  /** Notifies when a trouble is over, so that failed work is retried at once. */
  readonly mended = new Signal();
  readonly #clock: Clock;
  readonly #probe: () => Promise<string | undefined>;
  readonly #log: Log;
  #looking: Promise<void> | undefined;

  /** @param probe returns the fault, with the cure; undefined when everything is writable */
  constructor(clock: Clock, log: Log, probe: () => Promise<string | undefined>) {
    this.#clock = clock;
    this.#log = log;
    this.#probe = probe;
  }

  /** Checks now; concurrent callers share one check. */
  async look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Waits for the next check, and checks. @param probeMs the wait while there is no trouble */
  async lookLater(probeMs: number, stop: AbortSignal): Promise<void> {
    await this.#clock.sleep(this.trouble === undefined ? probeMs : Math.min(probeMs, sickProbeMs), stop);
    if (!stop.aborted) await this.look();
  }

  async #lookOnce(): Promise<void> {
    const [why, before] = [await this.#probe(), this.trouble];
    this.trouble = why === undefined ? undefined : { sinceMs: before?.sinceMs ?? this.#clock.now(), why };
    if (why === undefined && before !== undefined) {
      this.#log('info', 'journal and folders take writes again', {});
      this.mended.notify();
    }
    const words = 'journal or folders refuse writes: nothing is sent until they take them again';
    if (why !== undefined && before === undefined) this.#log('error', words, { why });
  }
}

/** The backoff after failures without a particular cause. */
export const retryBackoff = { baseMs: 500, maxMs: 60_000 } as const satisfies Backoff;

/** True until the moment has come; a moment beyond the longest wait comes from a clock that was set back. */
export const isAhead = (atMs: number, nowMs: number): boolean =>
  atMs > nowMs && atMs - nowMs <= retryBackoff.maxMs;

/** Handles a failure without a particular cause: logs it and checks the disk. */
export async function noteFailure(
  { log, disk }: Pick<WatchSetup, 'log' | 'disk'>,
  what: string,
  error: unknown,
  facts: object = {},
): Promise<void> {
  log('error', `${what} has failed and is tried again`, { ...facts, err: error });
  await disk.look();
}

/** A failure that lasts is told after so many tries. */
const toldAfterFailures = 5;

/** The batches of one kind that fail: each by itself, and tried again at growing intervals. */
export class FailingBatches {
  readonly #setup: Pick<WatchSetup, 'clock' | 'log' | 'disk' | 'notify'>;
  readonly #what: string;
  readonly #find: (batchId: string) => Promise<{ readonly fileName: string } | undefined>;
  readonly #failing = new Map<
    string,
    FailingBatch & { readonly failures: number; readonly notBeforeMs: number }
  >();

  /** @param what the words for such a batch in the log */
  constructor(
    setup: Pick<WatchSetup, 'clock' | 'log' | 'disk' | 'notify'>,
    what: string,
    find: (batchId: string) => Promise<{ readonly fileName: string } | undefined>,
  ) {
    this.#setup = setup;
    this.#what = what;
    this.#find = find;
  }

  /** Batches that could not be worked or reported, with the obstacle. */
  get all(): readonly FailingBatch[] {
    return [...this.#failing.values()].map(({ batchId, why, namesTaken }) => ({ batchId, why, namesTaken }));
  }

  /** Tells whether a batch waits for its next try. */
  isToWait(batchId: string): boolean {
    const failing = this.#failing.get(batchId);
    return failing !== undefined && isAhead(failing.notBeforeMs, this.#setup.clock.now());
  }

  /** Isolates the failure of one batch from the others. @param onFailure is told the moment of the next try */
  async guard(
    batchId: string,
    work: () => Promise<void>,
    onFailure?: (notBeforeMs: number) => void,
  ): Promise<void> {
    try {
      await work();
      this.#failing.delete(batchId);
    } catch (error) {
      const failures = (this.#failing.get(batchId)?.failures ?? 0) + 1;
      const notBeforeMs = this.#setup.clock.now() + computeBackoffMs(retryBackoff, failures);
      const namesTaken = error instanceof NamesTakenError ? error.paths : [];
      const failing = { batchId, why: (error as Error).message, namesTaken };
      this.#failing.set(batchId, { ...failing, failures, notBeforeMs });
      onFailure?.(notBeforeMs);
      await noteFailure(this.#setup, this.#what, error, { batchId }).catch(() => undefined);
      const batch = await this.#find(batchId).catch(() => undefined);
      await this.#tell(batch?.fileName, failing, failures);
    }
  }

  /** Tells a failure: at once where only a person ends it, else when it lasts and no disk is the cause. */
  async #tell(fileName: string | undefined, failing: FailingBatch, failures: number): Promise<void> {
    const { notify, disk } = this.#setup;
    const isForPerson = failing.namesTaken.length > 0;
    const hasLasted = failures === toldAfterFailures && disk.trouble === undefined;
    if (isForPerson ? failures === 1 : hasLasted) await notify({ kind: 'batch-failing', fileName, failing });
  }
}

/** Repeats a step until it is `done` or the process is asked to stop; no failure ends the loop. */
export async function keepGoing(
  setup: Pick<WatchSetup, 'clock' | 'stop' | 'log' | 'disk'>,
  what: string,
  step: () => Promise<unknown>,
): Promise<void> {
  let failures = 0;
  while (!setup.stop.aborted) {
    try {
      if ((await step()) === 'done') return;
      failures = 0;
    } catch (error) {
      const mended = setup.disk.mended.next;
      await noteFailure(setup, what, error).catch(() => undefined);
      await waitForAny(setup.clock, computeBackoffMs(retryBackoff, failures), mended, setup.stop);
      failures += 1;
    }
  }
}
