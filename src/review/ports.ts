/** What the review keeps in the journal. */
import type { PayerHalt } from '../payout/ports.ts';
import type { RefusedFile, ReviewNote, RowsOfBatch } from './rules/queue.ts';
import type { TimeLimits } from '../payout/rules/limits.ts';
import type { DecisionItem } from '../core/ports.ts';
import type { Waiting } from './rules/approval.ts';
import type { ApprovalFigures } from './rules/approval-figures.ts';
import type { CountedFile, LetsGoOn } from './rules/proposal-figures.ts';
import type {
  Decider,
  Proposal,
  ProposalMove,
  ProposalStatus,
  Target,
  TargetKind,
} from './rules/proposal.ts';
import type { PersonEvent, PersonEventDraft } from './rules/chain.ts';
import type { Passkey } from './rules/passkey.ts';
import type { ProposalEvent } from './rules/proposal-chain.ts';
import type { PasswordTries } from './rules/password.ts';
import type { Person } from './rules/people.ts';
import type { PersonSession } from './rules/session.ts';
import type { PersonChange } from './rules/person-request.ts';
import type { KeptApproval, Signers, SigningTerms } from './rules/proved-approval.ts';
import type { ApprovalSignature } from './rules/signature.ts';

export type { Proposal, ProposalMove } from './rules/proposal.ts';

export type ItemStatus = 'open' | 'applied' | 'refused' | 'closed';

export interface ProposalItem extends Target {
  readonly proposalId: number;
  readonly itemNo: number;
  readonly status: ItemStatus;
  /** Of one that was refused. */
  readonly why: string | null;
}

export interface ProposalDraft extends Pick<
  Proposal,
  'decision' | 'note' | 'evidence' | 'evidenceFile' | 'people' | 'totalSatang' | 'figures' | 'digest'
> {
  /** It waits to be signed, though one person decides. */
  readonly awaitsSignature?: boolean;
  readonly maker: Decider;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  readonly targets: readonly Target[];
}

/** Another proposal about the same thing is open. */
export interface ProposalClash {
  readonly clash: Pick<Target, 'kind' | 'key'>;
  readonly proposalId: number;
}

/** What of a batch waits for approval. */
export interface BatchApproval extends Waiting {
  /** How many people it takes. */
  readonly people: 1 | 2;
}

/** What a batch would be held to, and when. */
export interface LimitsNow {
  readonly limits: TimeLimits;
  readonly nowMs: number;
}

export interface ApprovalStore {
  /** Undefined where the batch needs none. */
  approvalOf(batchId: string): Promise<BatchApproval | undefined>;
  /**
   * What whoever approves it looks at; undefined where there is no such batch.
   * @param likeSinceMs since when as much paid to the same payee makes a row like another
   * @param ahead limits over time that it would be held to now; left out where there are none
   */
  approvalFigures(
    batchId: string,
    likeSinceMs: number,
    ahead?: LimitsNow,
  ): Promise<ApprovalFigures | undefined>;
  /** What a decision lets go on of a batch; undefined where there is no such batch. */
  goingOn(batchId: string, terms: LetsGoOn): Promise<CountedFile | undefined>;
  /**
   * Lets go on what waits, and ends the item, in one transaction.
   * @param signing what the signature of the approval is held against; null where none is asked for
   * @returns false, with nothing changed, when it is not the version that was decided on, or too few have approved it
   * @throws Error named `UnsignedApprovalError`, with nothing changed, when no signature proves it
   */
  approveBatch(
    batchId: string,
    item: DecisionItem,
    version: string,
    signing: SigningTerms | null,
    nowMs: number,
  ): Promise<boolean>;
  /** Every signed approval of a batch as it was kept, the oldest first. */
  approvalsOf(batchId: string): Promise<readonly KeptApproval[]>;
  /** What the journal says of the people who sign. */
  signers(): Promise<Signers>;
  /** People who uploaded the file of a batch, or corrected a row in it. */
  handsOf(batchId: string): Promise<readonly number[]>;
  /** Whoever has dropped the file of a batch, which need not be there yet. */
  keepUpload(batchId: string, personId: number, nowMs: number): Promise<void>;
  /** The same of all batches that a proposal is about, or rows of which. */
  involvedIn(proposalId: number): Promise<readonly number[]>;
}

export interface ProposalStore {
  /** All or nothing. @returns their numbers, or why not */
  addProposals(drafts: readonly ProposalDraft[]): Promise<readonly number[] | ProposalClash>;
  proposal(proposalId: number): Promise<Proposal | undefined>;
  /** In one of these statuses, the newest first. */
  proposals(
    statuses: readonly ProposalStatus[],
    beforeId: number,
    limit: number,
  ): Promise<readonly Proposal[]>;
  /** In their order, after one of them. */
  proposalItems(proposalId: number, afterItemNo: number, limit: number): Promise<readonly ProposalItem[]>;
  /** The open items about these. */
  openItems(kind: TargetKind, keys: readonly string[]): Promise<readonly ProposalItem[]>;
  /** Moves it from `proposed`; false when it is no longer there, or nobody but its maker has looked at it. */
  moveProposal(proposalId: number, move: ProposalMove): Promise<boolean>;
  /** Ends an open item of an approved proposal without a change. */
  endItem(
    proposalId: number,
    itemNo: number,
    status: 'applied' | 'refused',
    why: string | null,
  ): Promise<boolean>;
  /** Ends an approved proposal that has no open item left. @returns what it has become */
  endProposal(proposalId: number, nowMs: number): Promise<ProposalStatus | undefined>;
  /** Proposals that nobody has checked by now lapse. @returns which */
  expireProposals(nowMs: number): Promise<readonly number[]>;
  /** The chained history of all, in its order. */
  proposalEvents(afterSeq: number, limit: number): Promise<readonly ProposalEvent[]>;
}

// ---------------------------------------------------------------- what waits and is no payout

export interface QueueStore {
  /** Files that were refused, and that nobody has taken note of; the latest first. */
  refusedFiles(limit: number): Promise<readonly RefusedFile[]>;
  /** Halts in force. */
  payerHalts(): Promise<readonly PayerHalt[]>;
  /** Batches that are halted, or of which rows are held by what holds them together. */
  heldBatches(): Promise<readonly RowsOfBatch[]>;
  /** Rows submitted before a moment of which nobody knows what became, by batch. */
  doubtSince(beforeMs: number): Promise<readonly RowsOfBatch[]>;
  /** In their order. */
  reviewNotes(kind: ReviewNote['kind'], keys: readonly string[]): Promise<readonly ReviewNote[]>;
  addReviewNote(note: ReviewNote): Promise<void>;
  /** With the end of the item by which it was decided; false, with nothing changed, when that has ended. */
  noteItem(item: DecisionItem, note: ReviewNote): Promise<boolean>;
}

// ---------------------------------------------------------------- people

/** What lets a shell say who works in it. The token itself is shown once and kept nowhere. */
export interface PersonToken {
  readonly tokenId: number;
  readonly personId: number;
  /** In the person's own words, such as a machine's name. */
  readonly label: string;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** Everybody, and what waits. */
export interface PersonsKept {
  readonly people: readonly Person[];
  readonly tokens: readonly PersonToken[];
  readonly changes: readonly PersonChange[];
  /** The oldest first, with those that count no more. */
  readonly passkeys: readonly Passkey[];
  /** Number of the latest event; 0 before any. An edit is kept only while it is so. */
  readonly latestSeq: number;
  /** The latest event of each subject. */
  readonly heads: readonly Pick<PersonEvent, 'subject' | 'seq' | 'hash'>[];
}

/** What a sign-in with a password is held against. */
export interface PersonPassword extends PasswordTries {
  readonly person: Person;
  /** As `sign-in.ts` encodes it. */
  readonly passwordHash: string;
  /** It is a one-time password, which lets its owner do nothing but set one of his own. */
  readonly mustChange: boolean;
}

/** One change of people, whole or not at all. */
export interface PersonEdit {
  /** The edit was made of what stood there up to this event: later ones refuse it. */
  readonly afterSeq: number;
  /** At least one: nothing changes that is not told. */
  readonly events: readonly PersonEvent[];
  /** New, or as the person is from now on; tries and the latest sign-in are not changed by it. */
  readonly person?: Person | undefined;
  readonly password?:
    | ({
        readonly personId: number;
        /** False for the same password, hashed anew. */
        readonly endsSessions: boolean;
      } & Pick<PersonPassword, 'passwordHash' | 'mustChange'>)
    | undefined;
  /** Person whose wrong passwords are forgotten. */
  readonly forgivesTriesOf?: number | undefined;
  readonly token?: (PersonToken & { readonly tokenHash: string }) | undefined;
  /** One token, or all of a person's that still count. */
  readonly revokes?:
    | { readonly tokenId: number; readonly atMs: number }
    | { readonly personId: number; readonly atMs: number }
    | undefined;
  /** New, or as it has ended. */
  readonly change?: PersonChange | undefined;
  /** New, or as it is from now on. */
  readonly passkey?: Passkey | undefined;
  /** Of an approval that is about to be given. */
  readonly signature?: Omit<ApprovalSignature, 'signatureId'> | undefined;
  /** What names their payees goes: all or nothing. */
  readonly erases?: readonly ErasedRow[] | undefined;
}

/** A row whose personal cells are erased, as it was when that was decided. */
export interface ErasedRow {
  readonly seq: number;
  readonly version: number;
}

export interface PersonStore {
  persons(): Promise<PersonsKept>;
  /** By the name's key. */
  personPassword(nameKey: string): Promise<PersonPassword | undefined>;
  /** By the SHA-256 (hex) of a token. */
  tokenByHash(tokenHash: string): Promise<PersonToken | undefined>;
  /** Under a proposal, the oldest first; one that led to nothing, too. */
  signaturesOf(proposalId: number): Promise<readonly ApprovalSignature[]>;
  /** In their order. */
  personEvents(afterSeq: number, limit: number): Promise<readonly PersonEvent[]>;
  /** @returns false, with nothing changed, when somebody else has changed something since */
  editPersons(edit: PersonEdit): Promise<boolean>;
  /** Appends to the history what changes nothing. */
  recordPersonEvent(draft: PersonEventDraft): Promise<void>;
  /**
   * Counts a try before it is looked at; false when another has been counted since.
   * @param lock what the history says of it, where this try locks the person out
   */
  countTry(
    personId: number,
    before: PasswordTries,
    after: PasswordTries,
    lock: PersonEventDraft | undefined,
  ): Promise<boolean>;
  /** A right password: its tries are forgotten. */
  noteSignIn(personId: number, atMs: number): Promise<void>;
  noteTokenUse(tokenId: number, atMs: number): Promise<void>;
}

export interface SessionStore {
  session(sessionHash: string): Promise<PersonSession | undefined>;
  /** The one that began last first; some may be over. */
  sessionsOf(personId: number): Promise<readonly PersonSession[]>;
  /**
   * Begins one, and forgets those that began before a moment.
   * @param passwordHash by which the person was let in; null where no password was
   * @returns false, with none begun, where the person has another password since
   */
  startSession(session: PersonSession, endedBeforeMs: number, passwordHash: string | null): Promise<boolean>;
  noteSessionUse(sessionHash: string, atMs: number): Promise<void>;
  endSession(sessionHash: string): Promise<void>;
  /** @returns the hash of each */
  endSessionsOf(personId: number): Promise<readonly string[]>;
}

// ---------------------------------------------------------------- live pages

export interface ChangeReader {
  /** Another one after each change of a payout, a batch or a proposal; digits and dots, which tell nobody anything. */
  changeMark(): Promise<string>;
}
