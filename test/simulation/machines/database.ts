/** A journal in memory that several simulated machines work; each opens it for itself. */
import { requireAllowed } from '../../../src/core/change.ts';
import type { WorkerStore } from '../../../src/payout/ports.ts';
import { mayRenew } from '../../../src/payout/rules/lease.ts';
import { JournalWriteError } from '../../../src/store/connection.ts';
import type { Store } from '../../../src/store/store.ts';
import type { WatchStore } from '../../../src/watch/ports.ts';
import type { SimulatedJournal } from '../disk.ts';
import type { DiskView } from '../disk-view.ts';
import { applyCall } from '../memory/apply.ts';
import { makeMemoryDiskOf } from '../memory/disk.ts';
import { makeMemoryJournal } from '../memory/journal.ts';
import { makeMemoryStore, type MemoryStore, rowsOfBatch } from '../memory/store.ts';
import {
  copyTables,
  fillTables,
  makePastTables,
  type PastTables,
  type PutBackDatabase,
  ToldLoss,
} from './past.ts';
import {
  forgetCounted,
  type Leases,
  makeLeases,
  makeMemoryGuards,
  makeMemoryWorkers,
  type OwnWorker,
  isWorkerThere,
  readAttemptWaitMs,
} from './leases.ts';

type BatchQueue = Pick<WatchStore, 'runnableBatches' | 'unreportedBatches' | 'untoldBatches'>;

/** What the watcher asks of its journal in these runs. */
export type ClusterJournal = SimulatedJournal & BatchQueue & Pick<Store, 'requireNothingLost'>;

/** The journal as one process has opened it, the way to it aside: whatever is asked happens at once. */
export interface OpenedJournal {
  readonly journal: ClusterJournal;
  readonly workers: WorkerStore;
  close(): Promise<void>;
}

/** What holds the journal. */
export interface Database {
  readonly view: DiskView;
  /** Left out where it is never put back to a copy. */
  readonly putBack?: PutBackDatabase;
  /** Told after each write. */
  onWritten: () => void;
  /** Shows this time to whatever is asked next; epoch milliseconds by its own clock. */
  showTime(nowMs: number): Promise<void>;
  /** Looks at it from outside, for the view; left out where that is always of now. */
  refresh?(): Promise<void>;
  /** @param own as whom the process sends */
  open(own: OwnWorker): Promise<OpenedJournal>;
  /** Rows that two workers who are there have both been handed; undefined when there are none. */
  findSharedTwice(nowMs: number): string | undefined;
  /** What in the journal contradicts itself. */
  findContradictions(): string[] | Promise<string[]>;
  close(): Promise<void>;
}

const ofPlace = [
  ...(['startIngest', 'stage', 'seal', 'rejectBatch', 'moveBatch', 'holdReady', 'holdUnapproved'] as const),
  ...(['haltWithPayer'] as const),
  ...(['liftHolds', 'releaseLikeFile', 'cancelUnsent', 'recordPayerPause', 'clearPayerPause'] as const),
  'recordReports',
] as const;

/** Which batches a watcher is to run, told by the rows as the real statements tell it. */
function makeBatchQueue(store: MemoryStore): BatchQueue {
  const hasReady = (batchId: string): boolean =>
    rowsOfBatch(store, batchId).some(({ payout }) => payout.status === 'ready');
  const hasInquiry = (batchId: string): boolean =>
    rowsOfBatch(store, batchId).some(
      ({ payout: { seq, status, attemptNo } }) =>
        (status === 'submitted' || status === 'paid') &&
        store.attempts.get(seq)?.some((one) => one.attemptNo === attemptNo && one.nextInquiryAtMs !== null),
    );
  const latestReport = (batchId: string): number =>
    Math.max(-1, ...store.reports.filter((one) => one.batchId === batchId).map(({ eventSeq }) => eventSeq));
  const latestEvent = (batchId: string): number =>
    Math.max(0, ...rowsOfBatch(store, batchId).map(({ lastEventSeq }) => lastEventSeq));
  return {
    runnableBatches: async () =>
      [...store.batches.values()]
        .map((batch) => ({ batch, hasReady: hasReady(batch.batchId) }))
        .filter(({ batch: { batchId, status }, hasReady: isAnyReady }) => {
          const isOfAccount = rowsOfBatch(store, batchId).some(
            ({ payout: { holds } }) => holds.includes('paused') || holds.includes('halted'),
          );
          if (status === 'sealed') return true;
          if (status === 'running')
            return isAnyReady || isOfAccount || latestReport(batchId) < 0 || !hasInquiry(batchId);
          if (status === 'paused') return isAnyReady || isOfAccount;
          return status === 'done' && isAnyReady;
        }),
    unreportedBatches: async () =>
      [...store.batches.values()]
        .filter(({ status }) => status === 'done' || status === 'paused' || status === 'halted')
        .map(({ batchId }) => batchId)
        .filter((batchId) => latestReport(batchId) < latestEvent(batchId)),
    untoldBatches: async () => [],
  };
}

function makePutBack(store: MemoryStore, leases: Leases): PutBackDatabase {
  const past = makePastTables();
  let timeline = 1;
  let generation = 0;
  let kept: { readonly store: MemoryStore; readonly leases: Leases; readonly past: PastTables } | undefined;
  return {
    past,
    get timeline() {
      return timeline;
    },
    get generation() {
      return generation;
    },
    readProgress: () => ({
      journalId: 'journal',
      recoveredAtMs: past.loss?.recoveredAtMs ?? 0,
      sealedBatches: [...store.batches.values()].filter(({ sealedAtMs }) => sealedAtMs !== null).length,
      latestEventSeq: store.latestEventSeq,
      latestRegistrationEventSeq: 0,
      terminals: [],
      unmarkedSinceMs: past.unmarked?.isOver === false ? past.unmarked.sinceMs : 0,
    }),
    readLatestMs: () => {
      const intents = [...store.attempts.values()].flat().map(({ intentAtMs }) => intentAtMs);
      return Math.max(0, ...store.events.map(({ atMs }) => atMs), ...intents);
    },
    copy: () => {
      kept = { store: copyTables(store), leases: copyTables(leases), past: { ...past } };
    },
    putBack: (isOtherTimeline) => {
      if (kept === undefined) throw new Error('there is no copy');
      fillTables(store, copyTables(kept.store));
      fillTables(leases, copyTables(kept.leases));
      Object.assign(past, kept.past);
      generation += 1;
      if (isOtherTimeline) timeline += 1;
    },
  };
}

export class MemoryDatabase implements Database {
  readonly view: DiskView;
  readonly putBack: PutBackDatabase;
  onWritten = (): void => {};
  readonly #store: MemoryStore = makeMemoryStore();
  readonly #leases: Leases = makeLeases();
  readonly #shardRowsMax: number;
  readonly #disk;
  #nowMs = 0;

  constructor(shardRowsMax: number) {
    this.#shardRowsMax = shardRowsMax;
    this.#disk = makeMemoryDiskOf(this.#store);
    this.view = this.#disk.view;
    this.putBack = makePutBack(this.#store, this.#leases);
  }

  readonly #tables = () => ({
    store: this.#store,
    leases: this.#leases,
    nowMs: this.#nowMs,
    shardRowsMax: this.#shardRowsMax,
  });

  async showTime(nowMs: number): Promise<void> {
    this.#nowMs = nowMs;
  }

  async open(own: OwnWorker): Promise<OpenedJournal> {
    const store = this.#store;
    const { past } = this.putBack;
    const told = new ToldLoss(past);
    const guards = makeMemoryGuards(this.#tables, own, told);
    const journal = makeMemoryJournal(store);
    return {
      journal: {
        ...this.#fence(journal, own),
        loss: async () => past.loss,
        knownLoss: told.read,
        ...makeBatchQueue(store),
        liftPayerHalt: async (companyId, payerAccount, nowMs) => {
          forgetCounted(this.#leases, { companyId, payerAccount });
          return journal.liftPayerHalt(companyId, payerAccount, nowMs);
        },
        attemptWaitMs: async (_companyId, payoutId) => readAttemptWaitMs(this.#tables(), own, payoutId),
        apply: async (changes) => {
          for (const change of changes) requireAllowed(change);
          return applyCall(store, changes, guards);
        },
      },
      workers: makeMemoryWorkers(this.#tables),
      close: async () => {},
    };
  }

  /** What is decided of whole batches is not written for whoever has lost its place. */
  #fence(journal: SimulatedJournal, own: OwnWorker): SimulatedJournal {
    const fenced = Object.fromEntries(
      ofPlace.map((name) => {
        const method = journal[name] as (...asked: readonly unknown[]) => Promise<unknown>;
        const write = async (...asked: readonly unknown[]): Promise<unknown> => {
          const { workerId } = own;
          const worker = workerId === undefined ? undefined : this.#leases.workers.get(workerId);
          if (workerId === undefined || (worker !== undefined && mayRenew(worker))) return method(...asked);
          own.noteRefused();
          throw new JournalWriteError('another process has taken the place of this one');
        };
        return [name, write];
      }),
    );
    return { ...journal, ...fenced };
  }

  findSharedTwice(nowMs: number): string | undefined {
    const tables = { ...this.#tables(), nowMs };
    const open = [...this.#leases.shards.values()].filter((one) => isWorkerThere(tables, one.workerId));
    const twice = open.find((one) =>
      open.some(
        (other) =>
          other.workerId !== one.workerId &&
          other.batchId === one.batchId &&
          other.fromRow <= one.toRow &&
          one.fromRow <= other.toRow,
      ),
    );
    return twice && `rows ${twice.fromRow} to ${twice.toRow} of ${twice.batchId}`;
  }

  findContradictions(): string[] | Promise<string[]> {
    return this.#disk.findContradictions();
  }

  async close(): Promise<void> {}
}
