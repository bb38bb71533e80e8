/** The journal as it is on the disk at one moment, seen from outside. */
import type { AttemptStatus, PayoutStatus, TransferOrder } from '../../src/core/payout.ts';
import type { SeenProposal } from './decisions/judge.ts';

/** What the disk shows about one attempt and its row. */
export interface SeenAttempt {
  readonly order: TransferOrder;
  readonly seq: number;
  readonly attemptNo: number;
  readonly status: AttemptStatus;
  readonly sends: number;
  readonly intentAtMs: number;
  readonly acknowledged: boolean;
  readonly referenceConflict: boolean;
  readonly lastFinding: string | null;
}

export interface SeenRow {
  readonly seq: number;
  readonly batchId: string;
  readonly status: PayoutStatus;
  readonly attemptNo: number;
  readonly holds: readonly string[];
  /** References of the row's own attempts, each once. */
  readonly references: readonly string[];
  readonly amountText: string;
  readonly proxyNo: string;
  readonly payoutId: string | null;
  readonly isAlarm: boolean;
}

export interface SeenEvent {
  readonly seq: number;
  readonly payoutSeq: number;
  /** Null when its file was sealed. */
  readonly from: PayoutStatus | null;
  readonly to: PayoutStatus;
  readonly cause: string;
  /** JSON. */
  readonly detail: string;
}

/** The batches as they stand, beside the number of proposals that have resumed a payer account. */
export interface SeenResumes {
  readonly resumes: number;
  /** The halt of each batch: by a cause of its own, by its payer account, or none. */
  readonly halts: ReadonlyMap<string, 'own' | 'payer' | 'nothing'>;
}

/** The journal as it is on the disk at this moment. */
export interface DiskView {
  /** The row's batch is running, and its payer account is not stopped. */
  isOpen(seq: number): boolean;
  /** All that bear the reference, the oldest first. */
  attempts(transRefNo: string): readonly SeenAttempt[];
  row(seq: number): SeenRow;
  eventsAfter(seq: number): readonly SeenEvent[];
  proposal(proposalId: number): SeenProposal | undefined;
  proposals(): readonly SeenProposal[];
  resumes(): SeenResumes;
}
