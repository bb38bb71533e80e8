/** The part of the journal that the review reads and writes. */
import type { Message } from '../core/message.ts';
import type { Satang } from '../core/money.ts';
import type { PayerHalt, PayerKey } from '../payout/ports.ts';
import type { RefusedFile, ReviewNote, RowsOfBatch } from './rules/queue.ts';
import type { TimeLimits } from '../payout/rules/limits.ts';
import type { Batch, DecisionItem } from '../core/ports.ts';
import type { Waiting } from './rules/approval.ts';
import type { ApprovalFigures } from './rules/approval-figures.ts';
import type { LookBack } from './rules/look-back.ts';
import type { CountedFile, LetsGoOn } from './rules/proposal-figures.ts';
import type {
  AnyProposal,
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
import type { Admin, Person } from './rules/people.ts';
import type { PersonSession } from './rules/session.ts';
import type { PersonProposal } from './rules/person-request.ts';
import type { KeptApproval, Signers, SigningTerms } from './rules/proved-approval.ts';
import type { ApprovalSignature } from './rules/signature.ts';

export type { Proposal } from './rules/proposal.ts';

export type ItemStatus = 'open' | 'applied' | 'refused' | 'closed';

/** A thing that a proposal is about. */
type TargetOf<Kind extends string> = Omit<Target, 'kind'> & { readonly kind: Kind };

interface ItemOf<Kind extends string> extends TargetOf<Kind> {
  readonly proposalId: number;
  readonly itemNo: number;
  readonly status: ItemStatus;
  /** The reason of a refused item. */
  readonly why: Message | null;
}

export type ProposalItem = ItemOf<TargetKind>;
export type AnyItem = ItemOf<TargetKind | 'person'>;

/** A proposal of any kind before it is kept. */
export interface DraftOf<Made extends AnyProposal, Kind extends string> extends Pick<
  Made,
  | 'decision'
  | 'note'
  | 'evidence'
  | 'evidenceFile'
  | 'people'
  | 'totalSatang'
  | 'figures'
  | 'digest'
  | 'madeAtMs'
  | 'expiresAtMs'
> {
  /** The proposal waits for a signature, although one person decides. */
  readonly awaitsSignature?: boolean;
  readonly maker: Decider;
  readonly targets: readonly TargetOf<Kind>[];
}

export type ProposalDraft = DraftOf<Proposal, TargetKind>;

/** The target of a draft already has an open proposal. */
export interface ProposalClash {
  readonly clash: Pick<Target, 'kind' | 'key'>;
  readonly proposalId: number;
}

/** The part of a batch that waits for approval. */
export interface BatchApproval extends Waiting {
  /** The number of people that the approval requires. */
  readonly people: 1 | 2;
}

/** The limits that would apply to a batch, and the moment at which they would. */
export interface LimitsNow {
  readonly limits: TimeLimits;
  readonly nowMs: number;
}

export interface ApprovalStore {
  /** Undefined where the batch needs no approval. */
  approvalOf(batchId: string): Promise<BatchApproval | undefined>;
  /**
   * The figures that the approver looks at; undefined for an unknown batch.
   * @param likeSinceMs the start of the period in which an equal payment to the same payee makes a row similar
   * @param ahead limits over time that would apply to it now; left out where there are none
   */
  approvalFigures(
    batchId: string,
    likeSinceMs: number,
    ahead?: LimitsNow,
  ): Promise<ApprovalFigures | undefined>;
  /** The rows of a batch that a decision releases; undefined for an unknown batch. */
  goingOn(batchId: string, terms: LetsGoOn): Promise<CountedFile | undefined>;
  /**
   * Releases the waiting rows and ends the item, in one transaction.
   * @param signing the terms that the signature is checked against; null where none is required
   * @returns false, with nothing changed, when the batch has another version than the one decided on, or too few
   * approvals
   * @throws Error named `UnsignedApprovalError`, with nothing changed, when no signature proves the approval
   */
  approveBatch(
    batchId: string,
    item: DecisionItem,
    version: string,
    signing: SigningTerms | null,
    nowMs: number,
  ): Promise<boolean>;
  /** The signed approvals of a batch as they were kept, the oldest first. */
  approvalsOf(batchId: string): Promise<readonly KeptApproval[]>;
  /** The facts of the journal about the people who sign. */
  signers(): Promise<Signers>;
  /** The people who uploaded the file of a batch, or corrected a row in it. */
  handsOf(batchId: string): Promise<readonly number[]>;
  /** Records the person who uploaded the file of a batch, which the journal may not contain yet. */
  keepUpload(batchId: string, personId: number, nowMs: number): Promise<void>;
  /** The people who uploaded or corrected rows in any batch of a proposal, or left rows out of the batch that it pays. */
  involvedIn(proposalId: number): Promise<readonly number[]>;
}

/** Reads earlier files before an approval. */
export interface LookBackReader {
  /**
   * Looks back from a batch at the last file of its name, a file with the same name, and earlier payments.
   * @param likeSeqs rows that are like an earlier payment
   */
  lookBack(batchId: string, likeSeqs: readonly number[]): Promise<LookBack | undefined>;
}

/** Proposals of decisions. No reader here sees those about people, which are for admins: `PersonProposals`. */
export interface ProposalStore {
  /** Adds all proposals or none. @returns their numbers, or the clash */
  addProposals(drafts: readonly ProposalDraft[]): Promise<readonly number[] | ProposalClash>;
  proposal(proposalId: number): Promise<Proposal | undefined>;
  /** Proposals in one of these statuses, the newest first. */
  proposals(
    statuses: readonly ProposalStatus[],
    beforeId: number,
    limit: number,
  ): Promise<readonly Proposal[]>;
  /** Proposals sent back since a moment, the newest first, of which no later one is about the first target. */
  sentBack(sinceMs: number, limit: number): Promise<readonly Proposal[]>;
  /** Items of a proposal in their order, after an item number. */
  proposalItems(proposalId: number, afterItemNo: number, limit: number): Promise<readonly ProposalItem[]>;
  /** The open items about these targets. */
  openItems(kind: TargetKind, keys: readonly string[]): Promise<readonly ProposalItem[]>;
  /** Moves a proposal of any kind from `proposed`; false when it has left that status, or when its maker alone has looked at it. */
  moveProposal(proposalId: number, move: ProposalMove): Promise<boolean>;
  /** Ends an open item of an approved proposal without a change. */
  endItem(
    proposalId: number,
    itemNo: number,
    status: 'applied' | 'refused',
    why: Message | null,
  ): Promise<boolean>;
  /** Ends an approved proposal that has no open item left. @returns its new status */
  endProposal(proposalId: number, nowMs: number): Promise<ProposalStatus | undefined>;
  /** Lets proposals of any kind lapse whose time to be checked has passed. @returns their numbers */
  expireProposals(nowMs: number): Promise<readonly number[]>;
  /** The chained history of all proposals, in its order. */
  proposalEvents(afterSeq: number, limit: number): Promise<readonly ProposalEvent[]>;
}

// ---------------------------------------------------------------- waiting items other than payouts

/** Rows of a payer account, and the number of their batches. */
export interface RowsOfAccount {
  readonly rows: number;
  readonly amountSatang: Satang;
  readonly batches: number;
}

/** An item that a person took and still has. */
export interface TakenItem {
  readonly kind: Exclude<ReviewNote['kind'], 'group'>;
  readonly key: string;
  /** The payoutId of a payout; null for other items. */
  readonly payoutId: string | null;
  readonly atMs: number;
}

export interface QueueStore {
  /** The payouts that a person took and that still wait, and other items taken since a moment, the latest first. */
  takenBy(personId: number, sinceMs: number, limit: number): Promise<readonly TakenItem[]>;
  /** Refused files that were not acknowledged, the latest first. */
  refusedFiles(limit: number): Promise<readonly RefusedFile[]>;
  /** The halts in force. */
  payerHalts(): Promise<readonly PayerHalt[]>;
  /** The batches that are halted for no other cause than the halt of this account. */
  haltedWithPayer(account: PayerKey): Promise<readonly Batch[]>;
  /** Batches that are halted for a cause of their own, or have rows that wait for a decision on the batch, with these rows. */
  heldBatches(): Promise<readonly RowsOfBatch[]>;
  /** The unsent rows of a payer account that nothing but the account keeps back. */
  rowsOfAccount(account: PayerKey): Promise<RowsOfAccount>;
  /** Notes in their order. */
  reviewNotes(kind: ReviewNote['kind'], keys: readonly string[]): Promise<readonly ReviewNote[]>;
  addReviewNote(note: ReviewNote): Promise<void>;
  /** Adds a note and ends the item that decided on it; false, with nothing changed, when that item has ended. */
  noteItem(item: DecisionItem, note: ReviewNote): Promise<boolean>;
  /**
   * Lifts the halt or the pause of an account, and ends the item that decided on it.
   * @param version of the account that was decided on: false, with nothing changed, when it is another by now, or when
   * that item has ended
   */
  resumePayer(item: DecisionItem, account: PayerKey, version: string, nowMs: number): Promise<boolean>;
}

// ---------------------------------------------------------------- people

/** A token that proves in a shell who works there. The token itself is shown once and not kept. */
export interface PersonToken {
  readonly tokenId: number;
  readonly personId: number;
  /** The person's own words, such as a machine's name. */
  readonly label: string;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  readonly revokedAtMs: number | null;
  readonly lastUsedAtMs: number | null;
}

/** Everyone, with tokens and passkeys. */
export interface PersonsKept {
  readonly people: readonly Person[];
  readonly tokens: readonly PersonToken[];
  /** All passkeys, the oldest first, invalid ones included. */
  readonly passkeys: readonly Passkey[];
  /** The number of the latest event; 0 before any. An edit succeeds only while this number stands. */
  readonly latestSeq: number;
  /** The latest event of each subject. */
  readonly heads: readonly Pick<PersonEvent, 'subject' | 'seq' | 'hash'>[];
}

/** The facts that a sign-in with a password is checked against. */
export interface PersonPassword extends PasswordTries {
  readonly person: Person;
  /** The hash as `sign-in.ts` encodes it. */
  readonly passwordHash: string;
  /** A one-time password, which lets its owner set a password of their own and nothing else. */
  readonly mustChange: boolean;
}

/** One change of people, applied as a whole or not at all. */
export interface PersonEdit {
  /** The latest event from which the edit was built; a later event refuses the edit. */
  readonly afterSeq: number;
  /** At least one event, unless a proposal ends without a change. */
  readonly events: readonly PersonEvent[];
  /** The new or changed person; the edit leaves tries and the latest sign-in as they are. */
  readonly person?: Person | undefined;
  readonly password?:
    | ({
        readonly personId: number;
        /** False for the same password, hashed again. */
        readonly endsSessions: boolean;
      } & Pick<PersonPassword, 'passwordHash' | 'mustChange'>)
    | undefined;
  /** The person whose wrong passwords are forgotten. */
  readonly forgivesTriesOf?: number | undefined;
  readonly token?: (PersonToken & { readonly tokenHash: string }) | undefined;
  /** One token, or all valid tokens of a person. */
  readonly revokes?:
    | { readonly tokenId: number; readonly atMs: number }
    | { readonly personId: number; readonly atMs: number }
    | undefined;
  /** The proposal that is approved; it ends in the same transaction, applied or, with a reason against it, stale. */
  readonly approves?: ApprovedChange | undefined;
  /** The new or changed passkey. */
  readonly passkey?: Passkey | undefined;
  /** The signature of an approval that is about to be given. */
  readonly signature?: Omit<ApprovalSignature, 'signatureId'> | undefined;
  /** The rows whose payee names are erased, all or none. */
  readonly erases?: readonly ErasedRow[] | undefined;
}

/** A row whose personal cells are erased, as it was at the decision. */
export interface ErasedRow {
  readonly seq: number;
  readonly version: number;
}

/** The approval of a proposal about people. */
export interface ApprovedChange {
  readonly proposalId: number;
  readonly checker: Decider;
  readonly atMs: number;
  /** The reason why it is not carried out; null where it is. */
  readonly why: Message | null;
}

/** The open proposal about each passkey, without what an admin alone may read. */
export type ProposedPasskeys = ReadonlyMap<string, Pick<PersonProposal, 'proposalId' | 'makerId'>>;

/** Proposals about people: for admins, notices and audits, as each reader asks. No one else may read them. */
export interface PersonProposals extends Pick<ProposalStore, 'moveProposal' | 'expireProposals'> {
  /**
   * Adds a proposal.
   * @param firstHalf the half of the one-time password that its maker is shown; null without one
   * @returns its number, or that of the open one about the same
   */
  addPersonProposal(
    draft: DraftOf<PersonProposal, 'person'>,
    firstHalf: string | null,
  ): Promise<number | { readonly openId: number }>;
  personProposal(proposalId: number, reader: Admin): Promise<PersonProposal | undefined>;
  /** Proposals in one of these statuses, the newest first. */
  personProposals(
    statuses: readonly ProposalStatus[],
    beforeId: number,
    limit: number,
    reader: Admin | 'notices' | 'audit',
  ): Promise<readonly PersonProposal[]>;
  /** The half that the maker of an open proposal was shown; for its approval alone. */
  firstHalf(proposalId: number): Promise<string | null>;
  /** The passkeys that a proposal asks to confirm, by credential: their owners learn that a second admin has yet to. */
  proposedPasskeys(nowMs: number): Promise<ProposedPasskeys>;
}

export interface PersonStore extends PersonProposals {
  persons(): Promise<PersonsKept>;
  /** The password by the name's key. */
  personPassword(nameKey: string): Promise<PersonPassword | undefined>;
  /** The token by its SHA-256 (hex). */
  tokenByHash(tokenHash: string): Promise<PersonToken | undefined>;
  /** The signatures under a proposal, the oldest first, those without effect included. */
  signaturesOf(proposalId: number): Promise<readonly ApprovalSignature[]>;
  /** The events in their order. */
  personEvents(afterSeq: number, limit: number): Promise<readonly PersonEvent[]>;
  /** @returns false, with nothing changed, when another edit has come first, or the approved proposal is not open */
  editPersons(edit: PersonEdit): Promise<boolean>;
  /** Appends an event that changes nothing to the history. */
  recordPersonEvent(draft: PersonEventDraft): Promise<void>;
  /**
   * Counts a try before its password is checked; false when another try has been counted since.
   * @param lock the event for the history, where this try locks the person out
   */
  countTry(
    personId: number,
    before: PasswordTries,
    after: PasswordTries,
    lock: PersonEventDraft | undefined,
  ): Promise<boolean>;
  /** Records a right password and forgets the wrong tries. */
  noteSignIn(personId: number, atMs: number): Promise<void>;
  noteTokenUse(tokenId: number, atMs: number): Promise<void>;
}

export interface SessionStore {
  session(sessionHash: string): Promise<PersonSession | undefined>;
  /** The sessions of a person, the latest first; some may be over. */
  sessionsOf(personId: number): Promise<readonly PersonSession[]>;
  /**
   * Starts a session, and deletes those that began before a moment.
   * @param passwordHash the hash that the person's password matched; null where no password was checked
   * @returns false, with no session started, where the person has another password since
   */
  startSession(session: PersonSession, endedBeforeMs: number, passwordHash: string | null): Promise<boolean>;
  noteSessionUse(sessionHash: string, atMs: number): Promise<void>;
  endSession(sessionHash: string): Promise<void>;
  /** @returns the hash of each ended session */
  endSessionsOf(personId: number): Promise<readonly string[]>;
}

// ---------------------------------------------------------------- live pages

export interface ChangeReader {
  /** A mark that changes with each payout, batch and proposal; digits and dots that reveal nothing. */
  changeMark(): Promise<string>;
}
