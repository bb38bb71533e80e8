/** The store behind the capabilities' ports, on one open connection. */
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TokenPlace } from '../core/bank-port.ts';
import type { AuditStore, DayHeadStore, ErasureStore } from '../evidence/ports.ts';
import type { OverviewReader } from '../overview/ports.ts';
import type { IntakeStore } from '../intake/ports.ts';
import type { NoticeStore } from '../notify/ports.ts';
import type {
  ArchiveStore,
  BatchStore,
  HistoryReader,
  PayerHaltHistory,
  PayoutJournal,
  PayoutSearch,
  MatchReader,
  WaitingReader,
  WorkerStore,
  WorkRates,
} from '../payout/ports.ts';
import type { MarkCopy } from '../payout/rules/journal-place.ts';
import type { StatementStore, UnreconciledDays } from '../reconcile/ports.ts';
import type { RegistrationIntakeStore, RegistrationStore } from '../registration/ports.ts';
import type { ReportStore } from '../reports/ports.ts';
import type {
  ApprovalStore,
  ChangeReader,
  LookBackReader,
  PersonStore,
  ProposalStore,
  QueueStore,
  SessionStore,
} from '../review/ports.ts';
import type { ApprovalPolicy } from '../review/rules/approval.ts';
import type { FileClaimStore, WatchStore } from '../watch/ports.ts';
import { makeArchiveStore } from './archive/archive-store.ts';
import { type OnStep, openArchiveOf } from './archive/move.ts';
import { JournalWriteError } from './connection.ts';
import { type Engine, makeSqliteEngine } from './engine.ts';
import type { HighWaterMarkFile } from './high-water-mark.ts';
import { readLoss } from './loss.ts';
import { readTerminals } from './place.ts';
import { makeApplier, type SendGuards } from './payouts/apply.ts';
import {
  batchReads,
  batchWrites,
  payerBreakerReads,
  payerBreakerWrites,
  reportWrites,
} from './payouts/batches.ts';
import { type Bulk, type FileGuard, inOwnFile, makeSqliteBulk } from './payouts/bulk-work.ts';
import { limitReads, limitWrites } from './payouts/day-use.ts';
import { readRecordedDigests } from './payouts/digests.ts';
import { stage } from './payouts/ingest.ts';
import { payoutReads } from './payouts/payout-queries.ts';
import { searchReads } from './payouts/search.ts';
import { makeStatementStore } from './reconcile/statement-store.ts';
import { openStatementView } from './reconcile/statement-view.ts';
import { approvalReads, approvalWrites } from './review/approvals.ts';
import { changeReads } from './review/changes.ts';
import { overviewReads } from './overview/overview.ts';
import { dayHeadReads, dayHeadWrites, makeDayHeadStore } from './evidence/day-heads.ts';
import { makeErasureStore } from './evidence/erasure.ts';
import { personProposalReads, proposalReads, proposalWrites } from './review/proposals.ts';
import { personReads, personWrites } from './review/people.ts';
import { queueReads, queueWrites } from './review/queue.ts';
import { sessionReads, sessionWrites } from './review/sessions.ts';
import { reportedWrites } from './review/told-writes.ts';
import { makeRegistrationStore } from './registration/registration-store.ts';
import { openSnapshot } from './snapshot.ts';
import { driveEach, type Reading } from './statements.ts';
import { batchQueueReads } from './watch/batch-queue.ts';
import { fileQueueReads, fileQueueWrites } from './watch/file-queue.ts';
import { noticeReads, noticeWrites } from './watch/notice-queue.ts';
import { scheduleReads, scheduleWrites } from './watch/schedule.ts';
import { takenFileReads, takenFileWrites } from './watch/taken-files.ts';
import { WriteQueue } from './write-queue.ts';

/** The journal of payouts, from the file that is read in to the reports. */
export interface Journal extends PayoutJournal, IntakeStore, ReportStore, AsyncDisposable {}

/** The whole store: the journal, and what reconciling, the watcher and the notices keep beside it. */
export interface Store
  extends
    Journal,
    WatchStore,
    NoticeStore,
    StatementStore,
    UnreconciledDays,
    PayoutSearch,
    WaitingReader,
    MatchReader,
    HistoryReader,
    ArchiveStore,
    ProposalStore,
    ApprovalStore,
    LookBackReader,
    PersonStore,
    SessionStore,
    ChangeReader,
    OverviewReader,
    DayHeadStore,
    AuditStore,
    ErasureStore,
    QueueStore,
    PayerHaltHistory,
    RegistrationStore {
  /** The id of the journal, made with it and kept for ever: an inbox bears the id of the journal that works it. */
  readonly journalId: string;
  /** The part that the intake of a file of registrations uses. */
  readonly registrationIntake: RegistrationIntakeStore;
  /**
   * The time when it began, or last went on in a new place or after a loss (epoch ms); undefined in one of an earlier
   * version, and for a process that reads beside the sender.
   */
  readonly newSinceMs: number | undefined;
  /** The time since when it may miss what its original has sent, once it was adopted; undefined as above. */
  readonly missesSinceMs: number | undefined;
  /**
   * Reads both anew, and whether the journal counts as new because a machine without a mark has joined; left out
   * where no other process can change them while it is open.
   */
  readMoments?(): Promise<Pick<Store, 'newSinceMs' | 'missesSinceMs'> & { readonly isUnmarked: boolean }>;
  /**
   * Reserves moments for calls to the bank from all machines that work the journal, `intervalMs` apart, by the clock of
   * its database; left out where one process alone sends.
   */
  reserveRequestSlots?(
    count: number,
    intervalMs: number,
  ): Promise<{
    readonly firstMs: number;
    readonly intervalMs: number;
    readonly count: number;
    /** The time when they were reserved. */
    readonly nowMs: number;
  }>;
  /** The place where those machines may share an access token; left out as above. */
  readonly tokenPlace?: TokenPlace;
  /** The workers of the journal; left out where the processes of one machine alone work it. */
  readonly workers?: WorkerStore['workers'];
  /** The speed of the workers; left out as above. */
  workRates?(): Promise<WorkRates>;
  /**
   * The same writes for what a person decides in this process: they hang on no place among those who work the journal.
   * Left out where no process has such a place.
   */
  readonly withoutSenderFence?: Partial<Store>;
  /**
   * Compares the journal with the furthest that this process has seen of it, and remembers how far it is now; left out as
   * above.
   * @param marks `of-all`: with the high-water marks in shared folders, too
   * @throws JournalRefusedError when it is an older copy by now: this process does nothing more
   */
  requireNothingLost?(marks?: 'of-all'): Promise<void>;
  /** The machine that works each file; left out as above. */
  readonly fileClaims?: FileClaimStore;
}

interface JournalParts {
  readonly db: DatabaseSync;
  /** The path of the file, for snapshots. */
  readonly path: string;
  readonly journalId: string;
  readonly newSinceMs?: number | undefined;
  readonly missesSinceMs?: number | undefined;
  /** The mark beside the journal that says how far it has come; what it throws stops the caller. */
  readonly highWaterMark?: Pick<HighWaterMarkFile, 'advance' | 'note' | 'close'> &
    Partial<Pick<MarkCopy, 'settled'> & Pick<HighWaterMarkFile, 'seals'>>;
  /** Rows of a batch from which on a thread works on all of them. */
  readonly threadRowsMin?: number;
  /** Reports the progress of the move of a batch into an archive. */
  readonly onArchiveStep?: OnStep;
}

/** Reads that are answered at once. */
const reads = {
  ...batchReads,
  ...payoutReads,
  ...searchReads,
  ...payerBreakerReads,
  ...batchQueueReads,
  ...fileQueueReads,
  ...takenFileReads,
  ...scheduleReads,
  ...noticeReads,
  ...proposalReads,
  ...personProposalReads,
  ...approvalReads,
  ...personReads,
  ...sessionReads,
  ...queueReads,
  ...overviewReads,
  ...changeReads,
  ...dayHeadReads,
};

/** Reads of a few rows each, for each row that is paid, or all the time: an index finds them in tables of any size. */
const looks = {
  dueInquiries: payoutReads.dueInquiries,
  nextInquiryAtMs: payoutReads.nextInquiryAtMs,
  payout: payoutReads.payout,
  readyPage: payoutReads.readyPage,
  attemptsOf: payoutReads.attemptsOf,
  similarPayment: payoutReads.similarPayment,
  ...limitReads,
  loss: readLoss,
  terminals: readTerminals,
};

/** Writes that are one transaction each, and wait their turn. */
const writes = {
  ...batchWrites,
  ...limitWrites,
  ...payerBreakerWrites,
  ...reportWrites,
  ...fileQueueWrites,
  ...takenFileWrites,
  ...scheduleWrites,
  ...noticeWrites,
  ...proposalWrites,
  ...approvalWrites,
  ...personWrites,
  ...sessionWrites,
  ...reportedWrites,
  ...dayHeadWrites,
  ...queueWrites,
};

/** Writes for the workers of the journal alone: one whose place was taken knows less than the one that has it now. */
const workersWrites = {
  recordPayerPause: payerBreakerWrites.recordPayerPause,
  clearPayerPause: payerBreakerWrites.clearPayerPause,
  recordReports: reportWrites.recordReports,
};

/** The mark that says beside the journal how far it has come. */
export interface KeptMark extends Partial<Pick<HighWaterMarkFile, 'seals'>> {
  readonly note: HighWaterMarkFile['note'];
  /** Reads how far it has come, and keeps that. */
  advance(): void | Promise<void>;
}

interface EngineStoreParts {
  readonly engine: Engine;
  readonly bulk: Bulk;
  readonly highWaterMark: KeptMark | undefined;
  /** Replaces `stage` where another way takes rows in faster. */
  readonly stageRows?: typeof stage;
  /** The guard of files that are read in; left out where one process alone takes files in. */
  readonly fileGuard?: FileGuard | undefined;
  /** The guards of sends; left out where one process alone sends from the journal. */
  readonly guards?: SendGuards | undefined;
  /**
   * Write for those who work the journal, but not for one whose place another has taken; left out where one process alone
   * sends from the journal.
   */
  readonly fenced?: Pick<EngineStoreParts, 'engine' | 'bulk'> | undefined;
  /** The folder with its archives; left out where it has none. */
  readonly archives?: string;
}

/** Work of more than one transaction, or work that may touch all rows of a batch. */
function makeBatchWork({ engine, bulk, highWaterMark, stageRows = stage, fileGuard }: EngineStoreParts) {
  const seals = highWaterMark?.seals;
  return {
    startIngest: async (start) => bulk(start.batchId, 'startIngest', start),
    stage: async (batchId, rows) =>
      engine.write(() => inOwnFile(fileGuard, batchId, false, () => stageRows(batchId, rows))),
    seal: async (batchId, totals, nowMs, likeFileDays = 0, approval?: ApprovalPolicy) => {
      const batch = await bulk(batchId, 'seal', batchId, totals, nowMs, likeFileDays, approval);
      await highWaterMark?.advance();
      // The first send waits for it.
      void seals?.keepSeal(batchId, await engine.read(() => readRecordedDigests(batchId)));
      return batch;
    },
    rejectBatch: async (batchId, code, reason, nowMs) =>
      bulk(batchId, 'rejectBatch', batchId, code, reason, nowMs),
    moveBatch: async (...asked) => {
      const isMoved = await engine.write(() => batchWrites.moveBatch(...asked));
      if (isMoved) await highWaterMark?.advance();
      return isMoved;
    },
    haltWithPayer: async (...asked) => {
      const why = await engine.write(() => batchWrites.haltWithPayer(...asked));
      if (why !== undefined) await highWaterMark?.advance();
      return why;
    },
    readSeal: async (batchId) => ({
      ...(await bulk(batchId, 'readSealNow', batchId)),
      kept: seals?.keptSeals(batchId) ?? [],
    }),
    holdReady: async (batchId, hold, why, nowMs) => bulk(batchId, 'holdReady', batchId, hold, why, nowMs),
    liftHolds: async (batchId, holds, nowMs) => bulk(batchId, 'liftHolds', batchId, holds, nowMs),
    holdUnapproved: async (batchId, why, nowMs) => bulk(batchId, 'holdUnapproved', batchId, why, nowMs),
    approvalOf: async (batchId) => bulk(batchId, 'readApproval', batchId),
    approvalFigures: async (batchId, likeSinceMs, ahead) =>
      bulk(batchId, 'readFigures', batchId, likeSinceMs, ahead),
    goingOn: async (batchId, terms) => bulk(batchId, 'readGoingOn', batchId, terms),
    lookBack: async (batchId, likeSeqs) => bulk(batchId, 'readLookBack', batchId, likeSeqs),
    approveBatch: async (batchId, item, version, signing, nowMs) =>
      bulk(batchId, 'approveBatch', batchId, item, version, signing, nowMs),
    releaseLikeFile: async (batchId, nowMs) => bulk(batchId, 'releaseLikeFile', batchId, nowMs),
    cancelUnsent: async (batchId, nowMs) => bulk(batchId, 'cancelUnsent', batchId, nowMs),
  } satisfies Partial<IntakeStore & BatchStore & ApprovalStore & LookBackReader>;
}

/** The part of the store that is made of an engine alone. */
export function makeEngineStore(parts: EngineStoreParts) {
  const { engine, highWaterMark, guards, archives, fenced = parts } = parts;
  const applier = makeApplier(engine, (latestEventSeq) => highWaterMark?.note(latestEventSeq), guards);
  const registrations = makeRegistrationStore({
    engine,
    fenced: fenced.engine,
    fileGuard: parts.fileGuard,
    fence: guards?.fence,
    onCommit: (latestEventSeq) => highWaterMark?.note(latestEventSeq, 'latestRegistrationEventSeq'),
    onSeal: async () => highWaterMark?.advance(),
  });
  return {
    store: {
      ...driveEach(reads, (read: () => Reading<unknown>) => engine.read(read)),
      ...driveEach(looks, (look: () => Reading<unknown>) => engine.look(look)),
      ...driveEach(writes, engine.write),
      ...driveEach(workersWrites, fenced.engine.write),
      ...makeBatchWork({ ...parts, ...fenced }),
      keepSeal: async (batchId, seal) => highWaterMark?.seals?.keepSeal(batchId, seal),
      ...makeStatementStore(engine),
      openStatementView: async () => openStatementView(engine),
      ...makeDayHeadStore(engine, archives),
      openAudit: async () => (await import('./evidence/audit.ts')).openAudit(engine, archives),
      ...makeErasureStore(engine),
      ...registrations.store,
      apply: applier.apply,
    } satisfies Partial<Store>,
    /** The writes for people's decisions, whichever process sends meanwhile. */
    withoutSenderFence: {
      ...driveEach(payerBreakerWrites, engine.write),
      ...makeBatchWork(parts),
      ...registrations.withoutSenderFence,
    } satisfies Partial<Store>,
    /** Takes no more changes, and resolves when all those asked for are settled. */
    end: async () => void (await Promise.all([applier.end(), registrations.end()])),
  };
}

/** The journal on an open connection, which it closes in the end. */
export function makeJournal(parts: JournalParts): Store {
  const { db, path, journalId, newSinceMs, missesSinceMs, highWaterMark, threadRowsMin } = parts;
  const queue = new WriteQueue(db);
  const engine = makeSqliteEngine(db, path, queue);
  const { bulk } = makeSqliteBulk(db, path, queue, threadRowsMin);
  const { store, end } = makeEngineStore({ engine, bulk, highWaterMark, archives: dirname(path) });
  const close = (): void => {
    if (!db.isOpen) return;
    try {
      highWaterMark?.advance();
    } catch (error) {
      // A mark that stays behind only notices less; the next process that opens the journal brings it up to date.
      if (!(error instanceof JournalWriteError)) throw error;
    } finally {
      highWaterMark?.close();
      db.close();
    }
  };
  return {
    ...store,
    ...makeArchiveStore({ db, path, queue, onStep: parts.onArchiveStep, threadRowsMin }),
    journalId,
    newSinceMs,
    missesSinceMs,
    snapshot: async () => openSnapshot(engine, async (view, batchId) => openArchiveOf(view, path, batchId)),
    [Symbol.asyncDispose]: async () => {
      await end();
      await queue.run(close);
      await highWaterMark?.settled?.();
    },
  };
}
