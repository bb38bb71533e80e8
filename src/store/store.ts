/** The store behind the `Store` port, on one open connection. */
import type { DatabaseSync } from 'node:sqlite';
import type { IntakeStore } from '../intake/ports.ts';
import type { NoticeStore } from '../notify/ports.ts';
import type { PayoutJournal } from '../payout/ports.ts';
import type { StatementStore } from '../reconcile/ports.ts';
import type { UnreconciledDays } from '../reconcile/rules/unreconciled-days.ts';
import type { ReportStore } from '../reports/ports.ts';
import type { WatchStore } from '../watch/ports.ts';
import { JournalWriteError } from './errors.ts';
import { prepareLoss } from './loss.ts';
import { makeApplier } from './payouts/apply.ts';
import { readBatch, readBatches, readHoldTotals, readTotals } from './payouts/batch-queries.ts';
import * as batches from './payouts/batches.ts';
import { makeBulk } from './payouts/bulk-work.ts';
import { makeStage } from './payouts/ingest.ts';
import { makeOpenBatches } from './payouts/open-batches.ts';
import { makePayoutQueries } from './payouts/payout-queries.ts';
import { makeSimilarPayment } from './payouts/similar-payment.ts';
import { makeStatementStore } from './reconcile/statement-store.ts';
import { makeUnreconciledDays } from './reconcile/unreconciled-days.ts';
import { openSnapshot } from './snapshot.ts';
import { makeIntakeRecords } from './watch/intake-records.ts';
import { makeNoticeQueue } from './watch/notice-queue.ts';
import { makeUpkeep } from './watch/schedule.ts';
import { queueWrites } from './write-methods.ts';
import { WriteQueue } from './write-queue.ts';

/** The journal of payouts, from the file that is read in to the reports. */
export interface Journal extends PayoutJournal, IntakeStore, ReportStore, AsyncDisposable {}

/** The whole store: the journal, and what reconciling, the watcher and the notices keep beside it. */
export interface Store extends Journal, WatchStore, NoticeStore, StatementStore, UnreconciledDays {
  /** Made with the journal, and kept for ever: an inbox bears the id of the journal that works it. */
  readonly journalId: string;
}

export interface JournalParts {
  readonly db: DatabaseSync;
  /** Of the file, for snapshots. */
  readonly path: string;
  readonly journalId: string;
  readonly mark: JournalMark;
  /** Rows of a batch from which on a thread works on all of them. */
  readonly threadRowsMin?: number;
}

/** What stands beside the journal and says how far it has come. What it throws stops whoever wanted to go on. */
export interface JournalMark {
  /** The journal has come further, after the commit: at a seal, when a batch moves, and at the end. */
  advance(): void;
  /** Changes were committed, the latest with this number. */
  note(latestEventSeq: number): void;
  close(): void;
}

/** The parts of the port that work on whole batches. */
function makeBatchMethods({ db, path, mark, threadRowsMin }: JournalParts) {
  const stage = makeStage(db);
  const bulk = makeBulk(db, path, threadRowsMin);
  return {
    batches: async () => readBatches(db),
    batch: async (batchId) => readBatch(db, batchId),
    startIngest: async (start) => bulk(start.batchId, 'startIngest', start),
    stage: async (batchId, rows) => stage(batchId, rows),
    seal: async (batchId, totals, nowMs) => {
      await bulk(batchId, 'seal', batchId, totals, nowMs);
      mark.advance();
      const batch = readBatch(db, batchId);
      if (batch === undefined) throw new Error(`batch ${batchId} was sealed and is not there`);
      return batch;
    },
    rejectBatch: async (batchId, code, reason, nowMs) =>
      bulk(batchId, 'rejectBatch', batchId, code, reason, nowMs),
    moveBatch: async (batchId, to, why, nowMs) => {
      const isMoved = batches.moveBatch(db, batchId, to, why, nowMs);
      if (isMoved) mark.advance();
      return isMoved;
    },
    renewAge: async (batchId, nowMs) => batches.renewAge(db, batchId, nowMs),
    movePayer: async (batchId, payerAccount) => batches.movePayer(db, batchId, payerAccount),
    totals: async (batchId) => readTotals(db, batchId),
    holdTotals: async (batchId) => readHoldTotals(db, batchId),
    holdReady: async (batchId, hold, why, nowMs) => bulk(batchId, 'holdReady', batchId, hold, why, nowMs),
    liftHolds: async (batchId, holds, nowMs) => bulk(batchId, 'liftHolds', batchId, holds, nowMs),
    cancelUnsent: async (batchId, nowMs) => bulk(batchId, 'cancelUnsent', batchId, nowMs),
  } satisfies Partial<Journal>;
}

function makeLineMethods({ db }: JournalParts) {
  return {
    lineStop: async (companyId, payerAccount) => batches.readLineStop(db, companyId, payerAccount),
    recordLineStop: async (stop) => batches.recordLineStop(db, stop),
    liftLineStop: async (companyId, payerAccount, nowMs) =>
      batches.liftLineStop(db, companyId, payerAccount, nowMs),
    linePause: async (companyId, payerAccount) => batches.readLinePause(db, companyId, payerAccount),
    recordLinePause: async (pause) => batches.recordLinePause(db, pause),
    clearLinePause: async (companyId, payerAccount) => batches.clearLinePause(db, companyId, payerAccount),
    reports: async (batchId) => batches.readReports(db, batchId),
    recordReports: async (reports) => batches.recordReports(db, reports),
  } satisfies Partial<Journal>;
}

/** What a process that works a drop folder keeps beside the payouts. */
function makeWatchMethods({ db }: JournalParts) {
  return { ...makeOpenBatches(db), ...makeUpkeep(db), ...makeIntakeRecords(db), ...makeNoticeQueue(db) };
}

/** The journal on an open connection, which it closes in the end. */
export function makeJournal(parts: JournalParts): Store {
  const { db, path, journalId, mark } = parts;
  const queue = new WriteQueue(db);
  const applier = makeApplier(db, (latestEventSeq) => mark.note(latestEventSeq), queue);
  const readLoss = prepareLoss(db);
  const methods = {
    ...makeBatchMethods(parts),
    ...makePayoutQueries(db),
    ...makeLineMethods(parts),
    ...makeWatchMethods(parts),
    ...makeStatementStore(db, path),
    ...makeUnreconciledDays(db),
  };
  const close = (): void => {
    if (!db.isOpen) return;
    try {
      mark.advance();
    } catch (error) {
      // A mark that stays behind only notices less; the next to open the journal brings it up to date.
      if (!(error instanceof JournalWriteError)) throw error;
    } finally {
      mark.close();
      db.close();
    }
  };
  return {
    ...methods,
    ...queueWrites(queue, methods),
    similarPayment: makeSimilarPayment(db),
    journalId,
    loss: async () => readLoss(),
    apply: applier.apply,
    snapshot: async () => openSnapshot(path),
    [Symbol.asyncDispose]: async () => {
      applier.flush();
      await queue.run(close);
    },
  };
}
