/** What the parts of the watcher are handed, and how they take a failure. */
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
import type { Trouble } from './rules/health.ts';

/** Something that a person, a metric or a notice is told of. */
export type WatchEvent =
  | {
      readonly kind: 'file-ended';
      readonly item: WorkItem;
      readonly outcome: IntakeOutcome;
      /** Where the file is, or ends at once. */
      readonly path: string;
      /** What it was dropped as. */
      readonly dropped: FileKindName;
      /** Of a rejected file: a short name, the words, and where in it. */
      readonly why: FileRejection | undefined;
      readonly batchId: string | undefined;
    }
  | { readonly kind: 'batch-settled'; readonly reports: WrittenReports }
  | { readonly kind: 'registrations-settled'; readonly reports: WrittenRegistrationReports }
  /** Somebody wrote to a file after its rows had been read. */
  | { readonly kind: 'file-grown'; readonly file: TakenFile; readonly growth: FileGrowth };

/** What has come of reading a file in; `turned-away`: `mayRead` said no. */
export type ReadIn<Read extends FileBatch> =
  | { readonly kind: 'batch'; readonly batch: Read }
  | RejectedFile
  | { readonly kind: 'turned-away' | 'stopped' };

/** What the files of a drop folder are: how they are looked at and read in, and what batch they are then. */
export interface FileKind<Read extends FileBatch> {
  readonly name: FileKindName;
  readonly reader: AddedRowReader;
  findBatch(batchId: string): Promise<Read | undefined>;
  ingest(
    file: Pick<WorkItem, 'path' | 'fileName' | 'droppedAtMs'>,
    mayRead: NonNullable<IngestContext['mayRead']>,
  ): Promise<ReadIn<Read>>;
}

/** Told how the runs of batches get on. Must not throw. */
export interface RunObserver {
  /** @param totals where its rows stand now */
  begin(batch: Batch, totals: readonly StatusTotal[]): void;
  /** What a run waits for, now and then. */
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
  /** Looks for what another journal has left of a file: its path. None is found when left out. */
  readonly findTrace?: IngestContext['findTrace'];
  /** limits.likeFileDays */
  readonly likeFileDays: number;
  /** Whether the rows of a file wait for approval; they do not when left out. */
  readonly approval?: IngestContext['approval'];
  /** Files whose rows are sent at once. */
  readonly filesAtOnce: number;
  /** How long what is in doubt is waited for before the result of a batch is written. */
  readonly waitMs: number;
  /** Aborted when the process is asked to stop. */
  readonly stop: AbortSignal;
  /** Runs under way, for what they have in common. */
  readonly runs: Set<RunState>;
  readonly adaptiveLimits: AdaptiveLimits;
  readonly disk: DiskWatch;
  openContext(stop: AbortSignal, count: (payout: Payout | undefined) => void, payer: Payer): WorkerContext;
  /** Proves, before a batch is run, that it can be reported on. */
  requireReportable(batch: Batch): Promise<void>;
  /** Writes what is due for a batch at rest. */
  report(batchId: string): Promise<WrittenReports>;
  /** Publishes what a batch had due from before. */
  finishReports(batchId: string): Promise<unknown>;
  /** Batches with reports that an earlier process has written and not published. */
  findUnpublished(): Promise<readonly string[]>;
  /** Keeps a notice of it, if anybody is to be told outside. Must not throw. */
  notify(event: WatchEvent): Promise<void>;
  /** Must not throw, and not take long. */
  reportEvent(event: WatchEvent): void;
  /** Left out where nobody watches. */
  readonly runObserver?: RunObserver;
  /** Told of each row that has got on. */
  count(payout: Payout | undefined): void;
}

/** How soon sick folders, or a sick journal, are looked at again. */
const sickProbeMs = 2_000;

/** Looks whether journal and folders can be written; while they cannot, nothing new is begun. */
export class DiskWatch {
  trouble: Trouble | undefined;
  /** Notified when a trouble is over: what waits after a failure is tried at once. */
  readonly mended = new Signal();
  readonly #clock: Clock;
  readonly #probe: () => Promise<string | undefined>;
  readonly #log: Log;
  #looking: Promise<void> | undefined;

  /** @param probe says what is wrong, with the cure; undefined when all can be written */
  constructor(clock: Clock, log: Log, probe: () => Promise<string | undefined>) {
    this.#clock = clock;
    this.#log = log;
    this.#probe = probe;
  }

  /** Looks now; those who ask at once share one look. */
  async look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    await this.#looking;
  }

  /** Waits for the next look, and looks. @param probeMs how long while nothing is wrong */
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

/** After failures that are no one's fault in particular. */
export const retryBackoff = { baseMs: 500, maxMs: 60_000 } as const satisfies Backoff;

/** True until the moment has come; a moment that is further off than any wait was counted by a clock since set back. */
export const isAhead = (atMs: number, nowMs: number): boolean =>
  atMs > nowMs && atMs - nowMs <= retryBackoff.maxMs;

/** Takes a failure that is no one's fault in particular: it is logged, and the disk looked at. */
export async function noteFailure(
  { log, disk }: Pick<WatchSetup, 'log' | 'disk'>,
  what: string,
  error: unknown,
  facts: object = {},
): Promise<void> {
  log('error', `${what} has failed and is tried again`, { ...facts, err: error });
  await disk.look();
}

/** Does one step after the other until one is `done` or the process is asked to stop; no failure ends it. */
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
