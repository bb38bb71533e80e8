/** What is read and kept to prove later what happened. */
import type { JournalLoss } from '../core/ports.ts';
import type { SealReading } from '../payout/rules/seal.ts';
import type { Proposal, ProposalItem } from '../review/ports.ts';
import type { PersonEvent } from '../review/rules/chain.ts';
import type { ChainedPayout } from '../review/rules/payout-chain.ts';
import type { ProposalEvent } from '../review/rules/proposal-chain.ts';
import type { KeptNote } from '../review/rules/queue.ts';
import type { ApprovalSignature } from '../review/rules/signature.ts';
import type {
  CountedDay,
  KeptAttempt,
  KeptRow,
  KeptVersion,
  Opening,
  RowPlace,
  KeptRegistration,
} from './rules/audit.ts';
import type { DayHead, HashedHead, HeadChain } from './rules/day-head.ts';
import type { KeptBatches } from './rules/batch-audit.ts';
import type { KeptPersons } from './rules/people-audit.ts';
import type { KeptCall } from './rules/registration-audit.ts';
import type { ChangedClaim, KeptPayout } from './rules/state-audit.ts';

// ---------------------------------------------------------------- heads of days

/** Up to which event, by its number, of each chain; 0 before any. */
export type ChainEnds = Readonly<Record<HeadChain, number>>;

export interface EventHash {
  readonly seq: number;
  /** Null of an event that was put in by other means. */
  readonly hash: string | null;
}

/** A head as the journal has it, whatever its text says. */
export interface KeptHead extends HashedHead {
  readonly number: number;
  /** YYYYMMDD. */
  readonly date: string;
  /** Its file was written, and it was told outside. */
  readonly isPublished: boolean;
}

export interface DayHeadStore {
  /** In their order. */
  dayHeads(afterNumber: number, limit: number): Promise<readonly KeptHead[]>;
  latestDayHead(): Promise<DayHead | undefined>;
  /** The last events before a moment, after those that are covered. */
  chainEnds(after: ChainEnds, beforeMs: number): Promise<ChainEnds>;
  /** When the first event after those was made; undefined when there is none. */
  firstEventMs(after: ChainEnds): Promise<number | undefined>;
  /** In pages, in their order: wherever the events stand, as they stand when the first is asked for. */
  eventHashes(chain: HeadChain, after: number, upTo: number): AsyncIterable<readonly EventHash[]>;
  /** @throws when another head was made since */
  addDayHead(head: DayHead): Promise<void>;
  notePublished(number: number): Promise<void>;
}

export interface ErasureStore {
  /** Leaves nothing of what was erased in the journal, as far as its engine can. */
  wipeErased(): Promise<void>;
}

// ---------------------------------------------------------------- audit

/**
 * The journal, or an archive of it; what is many comes in pages.
 * @param afterSeq 0 for all, or what something happened to after that event
 */
export interface AuditSource {
  chains(afterSeq: number): AsyncIterable<readonly (KeptPayout & RowPlace)[]>;
  rows(afterSeq: number): AsyncIterable<readonly KeptRow[]>;
  attempts(afterSeq: number): AsyncIterable<readonly KeptAttempt[]>;
  /** Whose intent is told, and which are not there. */
  lostAttempts(afterSeq: number): AsyncIterable<readonly Pick<KeptAttempt, 'row' | 'attemptNo'>[]>;
  seals(afterSeq: number): AsyncIterable<{ readonly batchId: string; readonly seal: SealReading }>;
}

export interface AuditedArchive {
  readonly name: string;
  readonly isThere: boolean;
  readonly latestEventSeq: number;
  /** Whether each batch is what was moved into it. */
  digests():
    | Iterable<{ readonly batchId: string; readonly isSame: boolean }>
    | AsyncIterable<{ readonly batchId: string; readonly isSame: boolean }>;
  read(use: (source: AuditSource) => Promise<void>): Promise<void>;
}

/** All of one moment, one after another: memory stays flat. */
export interface AuditReader extends AsyncDisposable {
  readonly journal: AuditSource;
  registrations(): AsyncIterable<readonly KeptRegistration[]>;
  /** Those of no registration, too. */
  callbacks(): AsyncIterable<readonly KeptCall[]>;
  changedRegistrationClaims(): Promise<readonly ChangedClaim[]>;
  readonly archives: readonly AuditedArchive[];
  readonly loss: JournalLoss | undefined;
  /** One payout, wherever it stands; undefined when nobody knows it. */
  payout(seq: number): Promise<
    | {
        readonly chain: ChainedPayout & RowPlace & Opening;
        readonly versions: readonly KeptVersion[];
      }
    | undefined
  >;
  /** By the numbers of payouts and the ids of batches that they are about. */
  proposalsAbout(payouts: readonly string[], batchIds: readonly string[]): Promise<readonly Proposal[]>;
  /** Of the journal that the file is, or is a copy of. */
  readonly journalId: string;
  notes(): AsyncIterable<KeptNote>;
  dayUses(): AsyncIterable<CountedDay>;
  people(): Promise<KeptPersons>;
  batches(): Promise<KeptBatches>;
  /** Claims on payoutIds that are not what their rows say, at most some thousands of them. */
  changedClaims(): Promise<readonly ChangedClaim[]>;
  personEvents(): AsyncIterable<PersonEvent>;
  proposals(): AsyncIterable<Proposal>;
  proposalEvents(): AsyncIterable<ProposalEvent>;
  itemsOf(proposalId: number): AsyncIterable<ProposalItem>;
  signaturesOf(proposalId: number): Promise<readonly ApprovalSignature[]>;
  dayHeads(): AsyncIterable<KeptHead>;
  eventHashes: DayHeadStore['eventHashes'];
}

export interface AuditStore {
  /** Of the journal as it is at this moment, and of its archives. */
  openAudit(): Promise<AuditReader>;
}
