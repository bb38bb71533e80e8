/** What the review keeps in the journal. */
import type { Satang } from '../core/money.ts';
import type { Decider, ProposalStatus, Target, TargetKind } from './rules/proposal.ts';
import type { Decision } from './rules/terms.ts';

/** A decision that was proposed, with what has become of it. */
export interface Proposal {
  readonly proposalId: number;
  readonly decision: Decision;
  readonly status: ProposalStatus;
  /** Why, in the maker's words. */
  readonly note: string;
  /** Where the proof stands; null where none is needed. */
  readonly evidence: string | null;
  readonly makerId: number | null;
  readonly maker: string;
  /** How many it takes; 1 when nobody else has to look at it. */
  readonly people: 1 | 2;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  readonly checkerId: number | null;
  readonly checker: string | null;
  readonly checkedAtMs: number | null;
  readonly checkNote: string | null;
  readonly endedAtMs: number | null;
  readonly items: number;
  /** Of the payouts that it is about. */
  readonly totalSatang: Satang;
  /** SHA-256 (hex) over its items: the checker decides on exactly these. */
  readonly digest: string;
}

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
  'decision' | 'note' | 'evidence' | 'people' | 'totalSatang' | 'digest'
> {
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

export interface ProposalMove {
  readonly to: ProposalStatus;
  /** Null where nobody did it: it lapsed, or has ended. */
  readonly by: Decider | null;
  readonly note: string | null;
  readonly nowMs: number;
}

export interface ProposalStore {
  /** All or nothing. @returns its number, or why not */
  addProposal(draft: ProposalDraft): Promise<number | ProposalClash>;
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
}
