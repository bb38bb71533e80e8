/** Which methods of the store write: they wait their turn. */
import type { Store } from './store.ts';
import type { WriteQueue } from './write-queue.ts';

/** Each begins with its one transaction. `apply` gathers its calls first, and then waits with them. */
const writingMethods = [
  ...(['startIngest', 'stage', 'seal', 'rejectBatch', 'moveBatch', 'renewAge', 'movePayer'] as const),
  ...(['holdReady', 'liftHolds', 'cancelUnsent', 'recordReports'] as const),
  ...(['recordLineStop', 'liftLineStop', 'recordLinePause', 'clearLinePause'] as const),
  ...(['startIntake', 'endIntake', 'probe', 'recordRound', 'addNotice', 'recordDelivery'] as const),
  ...(['beginStatement', 'recordBreaks', 'recordStrays', 'markReports', 'beginRecording'] as const),
  ...(['acceptStatement', 'endStatement', 'clearDueReport'] as const),
] as const satisfies readonly (keyof Store)[];

type WritingMethod = (typeof writingMethods)[number];

/** None of them waits for a writer. */
type ReadingMethod =
  | 'batches'
  | 'batch'
  | 'totals'
  | 'holdTotals'
  | 'readyPage'
  | 'dueInquiries'
  | 'nextInquiryAtMs'
  | 'inDoubt'
  | 'countInDoubt'
  | 'superseded'
  | 'attemptsOf'
  | 'payout'
  | 'findPayouts'
  | 'similarHolders'
  | 'claimHolders'
  | 'lineStop'
  | 'linePause'
  | 'reports'
  | 'runnableBatches'
  | 'countOpenBatches'
  | 'unreportedBatches'
  | 'untoldBatches'
  | 'countByStatus'
  | 'oldestInDoubtAtMs'
  | 'batchesInDoubtSince'
  | 'lastRound'
  | 'intakeRecord'
  | 'openIntake'
  | 'countIntake'
  | 'dueNotices'
  | 'nextNoticeAtMs'
  | 'countNotices'
  | 'openStatementView'
  | 'openLineScratch'
  | 'statement'
  | 'brokenOff'
  | 'statementVersions'
  | 'acceptedFiles'
  | 'hasAttemptsOn'
  | 'statementDays'
  | 'countOpenBreaks'
  | 'breaksToShow'
  | 'openBreaks'
  | 'dueReports'
  | 'daysWithoutStatement'
  | 'daysReadInPart'
  | 'firstDaySent'
  | 'similarPayment'
  | 'journalId'
  | 'loss'
  | 'snapshot';

/** Does not compile while a method of the store is in neither list: one that writes and does not wait stops the loop. */
type Complete<Named extends Record<keyof Store, true>> = keyof Named;
type NamedMethod = Complete<
  Record<WritingMethod | ReadingMethod | 'apply' | typeof Symbol.asyncDispose, true>
>;

type Writers = Pick<Store, NamedMethod & WritingMethod>;

/** The methods that write, each waiting its turn. */
export function queueWrites(queue: WriteQueue, store: Writers): Writers {
  const queued = writingMethods.map((name) => {
    const write = store[name] as (...asked: readonly unknown[]) => Promise<unknown>;
    return [name, async (...asked: readonly unknown[]) => queue.run(() => write(...asked))];
  });
  return Object.fromEntries(queued) as Writers;
}
