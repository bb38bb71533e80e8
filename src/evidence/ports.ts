/** Reads and stores evidence of past events. */
import type { JournalLoss } from '../core/ports.ts';
import type { SealReading } from '../payout/rules/seal.ts';
import type { AnyItem, Proposal } from '../review/ports.ts';
import type { PersonEvent } from '../review/rules/chain.ts';
import type { ChainedPayout } from '../review/rules/payout-chain.ts';
import type { PersonProposal } from '../review/rules/person-request.ts';
import type { ProposalEvent } from '../review/rules/proposal-chain.ts';
import type { KeptNote } from '../review/rules/queue.ts';
import type { ApprovalSignature } from '../review/rules/signature.ts';
import type {
  CountedDay,
  KeptAttempt,
  KeptRow,
  KeptVersion,
  Opening,
  RowName,
  KeptRegistration,
} from './rules/audit.ts';
import type { DayHead, HashedHead, HeadChain } from './rules/day-head.ts';
import type { KeptBatches } from './rules/batch-audit.ts';
import type { KeptPersons } from './rules/people-audit.ts';
import type { KeptCall } from './rules/registration-audit.ts';
import type { ChangedClaim, KeptPayout } from './rules/state-audit.ts';

// ---------------------------------------------------------------- heads of days

/** Number of the last event of each chain; 0 before any. */
export type ChainEnds = Readonly<Record<HeadChain, number>>;

export interface EventHash {
  readonly seq: number;
  /** Null for an event that was inserted by other means. */
  readonly hash: string | null;
}

/** A head as the journal has it, whatever its text says. */
export interface KeptHead extends HashedHead {
  readonly number: number;
  /** YYYYMMDD. */
  readonly date: string;
  /** True when its file was written and it was reported outside. */
  readonly isPublished: boolean;
}

export interface DayHeadStore {
  /** Heads in order. */
  dayHeads(afterNumber: number, limit: number): Promise<readonly KeptHead[]>;
  latestDayHead(): Promise<DayHead | undefined>;
  /** The last events before a moment, after the covered ones. */
  chainEnds(after: ChainEnds, beforeMs: number): Promise<ChainEnds>;
  /** Time of the first event after the covered ones; undefined without any. */
  firstEventMs(after: ChainEnds): Promise<number | undefined>;
  /** Hashes in pages, in order: from journal and archives, as of the first page. */
  eventHashes(chain: HeadChain, after: number, upTo: number): AsyncIterable<readonly EventHash[]>;
  /** @throws when another head was made since */
  addDayHead(head: DayHead): Promise<void>;
  notePublished(number: number): Promise<void>;
}

export interface ErasureStore {
  /** Removes erased data from the journal for good, as far as its engine can. */
  wipeErased(): Promise<void>;
}

// ---------------------------------------------------------------- audit

/**
 * The journal, or an archive of it; large lists come in pages.
 * @param afterSeq 0 for all; otherwise only items with an event after that one
 */
export interface AuditSource {
  chains(afterSeq: number): AsyncIterable<readonly (KeptPayout & RowName)[]>;
  rows(afterSeq: number): AsyncIterable<readonly KeptRow[]>;
  attempts(afterSeq: number): AsyncIterable<readonly KeptAttempt[]>;
  /** Attempts that an intent records, and that are missing. */
  lostAttempts(afterSeq: number): AsyncIterable<readonly Pick<KeptAttempt, 'row' | 'attemptNo'>[]>;
  seals(afterSeq: number): AsyncIterable<{ readonly batchId: string; readonly seal: SealReading }>;
}

interface AuditedArchive {
  readonly name: string;
  readonly isThere: boolean;
  readonly latestEventSeq: number;
  /** Whether each batch equals the one that was moved into it. */
  digests():
    | Iterable<{ readonly batchId: string; readonly isSame: boolean }>
    | AsyncIterable<{ readonly batchId: string; readonly isSame: boolean }>;
  read(use: (source: AuditSource) => Promise<void>): Promise<void>;
}

/** A view of one moment, read in sequence, with constant memory. */
export interface AuditReader extends AsyncDisposable {
  readonly journal: AuditSource;
  registrations(): AsyncIterable<readonly KeptRegistration[]>;
  /** Callbacks, including those without a registration. */
  callbacks(): AsyncIterable<readonly KeptCall[]>;
  changedRegistrationClaims(): Promise<readonly ChangedClaim[]>;
  readonly archives: readonly AuditedArchive[];
  readonly loss: JournalLoss | undefined;
  /** One payout, in the journal or an archive; undefined when it is unknown. */
  payout(seq: number): Promise<
    | {
        readonly chain: ChainedPayout & RowName & Opening;
        readonly versions: readonly KeptVersion[];
      }
    | undefined
  >;
  /** Proposals by the numbers of payouts and the ids of batches that they concern. */
  proposalsAbout(payouts: readonly string[], batchIds: readonly string[]): Promise<readonly Proposal[]>;
  /** The id of the journal in the file, or of the one that it copies. */
  readonly journalId: string;
  notes(): AsyncIterable<KeptNote>;
  dayUses(): AsyncIterable<CountedDay>;
  people(): Promise<KeptPersons>;
  batches(): Promise<KeptBatches>;
  /** Claims on payoutIds that contradict their rows, at most some thousands. */
  changedClaims(): Promise<readonly ChangedClaim[]>;
  personEvents(): AsyncIterable<PersonEvent>;
  proposals(): AsyncIterable<Proposal>;
  personProposals(): AsyncIterable<PersonProposal>;
  proposalEvents(): AsyncIterable<ProposalEvent>;
  itemsOf(proposalId: number): AsyncIterable<AnyItem>;
  signaturesOf(proposalId: number): Promise<readonly ApprovalSignature[]>;
  dayHeads(): AsyncIterable<KeptHead>;
  eventHashes: DayHeadStore['eventHashes'];
}

export interface AuditStore {
  /** Opens a view of the journal at this moment, and of its archives. */
  openAudit(): Promise<AuditReader>;
}
