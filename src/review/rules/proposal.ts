/** The life of a decision from its proposal to its end: who may do what with it, and when it is no longer valid. */
import type { Satang } from '../../core/money.ts';
import { type PayoutCause, quietCauses } from '../../core/payout.ts';
import { involvedWords } from './approval.ts';
import { describeCauses } from './cause-words.ts';
import { hashCell } from './chain.ts';
import type { ProposalFigures } from './proposal-figures.ts';
import { type Decision, decisionTerms } from './terms.ts';

export const proposalStatuses = [
  'proposed',
  'approved',
  'applied',
  'sent-back',
  'withdrawn',
  'stale',
  'expired',
] as const;
export type ProposalStatus = (typeof proposalStatuses)[number];

/** `approved` is on its way: its items are applied one by one, by whoever comes first, each once. */
const proposalTransitions = [
  { from: 'proposed', to: 'approved' },
  { from: 'proposed', to: 'sent-back' },
  { from: 'proposed', to: 'withdrawn' },
  { from: 'proposed', to: 'expired' },
  { from: 'proposed', to: 'stale' },
  { from: 'approved', to: 'applied' },
  { from: 'approved', to: 'stale' },
] as const satisfies readonly { from: ProposalStatus; to: ProposalStatus }[];

export const canMoveProposal = (from: ProposalStatus, to: ProposalStatus): boolean =>
  proposalTransitions.some((row) => row.from === from && row.to === to);

/** Of what is still to be decided, or applied. */
export const openProposalStatuses: readonly ProposalStatus[] = proposalStatuses.filter((status) =>
  proposalTransitions.some(({ from }) => from === status),
);

/** Whoever decides. */
export interface Decider {
  /** Of the person; null where nobody has proved who he is. */
  readonly personId: number | null;
  /** As people know him; of one who has not proved it, the user of the operating system. */
  readonly name: string;
}

/** A file that is kept as evidence. */
export interface EvidenceFile {
  /** As it was called, safe to show; it says nothing about what it holds. */
  readonly name: string;
  /** Of its bytes, as hex: by it the file is found. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A decision that was proposed, with what has become of it. */
export interface Proposal {
  readonly proposalId: number;
  readonly decision: Decision;
  readonly status: ProposalStatus;
  /** Why, in the maker's words. */
  readonly note: string;
  /** Where the proof stands; null where none is needed, or a file is all. */
  readonly evidence: string | null;
  readonly evidenceFile?: EvidenceFile | null;
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
  /** Of the payouts that it is about, or lets be sent. */
  readonly totalSatang: Satang;
  /** What it lets happen, counted when it was made; null or left out of an older program's. */
  readonly figures?: ProposalFigures | null;
  /** Of its first item. */
  readonly kind?: TargetKind | undefined;
  /** SHA-256 (hex) over its items: the checker decides on exactly these. */
  readonly digest: string;
}

/** What becomes of a proposal, and by whom. */
export interface ProposalMove {
  readonly to: ProposalStatus;
  /** Null where nobody did it: it lapsed, or has ended. */
  readonly by: Decider | null;
  readonly note: string | null;
  readonly nowMs: number;
}

/**
 * `payer`: an account that is paid from, or what direct debits are registered under; `statement`: a day's, from the bank or
 * a file; `day`: one without any; `file`: one that was refused; `registration-batch`: one of registrations; `callback`: one
 * of a registration that nobody knows.
 */
export type TargetKind =
  | 'payout'
  | 'batch'
  | 'payer'
  | 'break'
  | 'statement'
  | 'day'
  | 'file'
  | 'registration'
  | 'registration-batch'
  | 'callback';

/** What a decision is about, as it was when it was proposed. */
export interface Target {
  readonly kind: TargetKind;
  /** The row's number, the batch's id, or what else names it. */
  readonly key: string;
  /** What it must still be; of a payout its version. */
  readonly version: string;
  /** Why this one, where it is not what all are decided for. */
  readonly note?: string | undefined;
  /** Only of a correction. */
  readonly correction?: Correction | undefined;
  /** With it note and correction enter the digest of a proposal; left out where there are none. */
  readonly salt?: string | undefined;
  /** What entered, once they were erased. */
  readonly commitment?: string | undefined;
}

/**
 * What of a target's note and correction enters the digest: nobody finds a number by trial once the salt is gone.
 * @returns undefined of a target without them, and of an older program's, whose digest has them as they are
 */
export function commitToTarget({ correction, note, salt, commitment }: Target): string | undefined {
  if (commitment !== undefined || salt === undefined) return commitment;
  return hashCell({ salt, value: JSON.stringify([correction ?? null, note ?? null]) });
}

/** What a row asks for before it is corrected, as far as a correction may change it. */
export interface Corrected {
  readonly proxyNo: string | null;
  /** Decimal baht. */
  readonly amount: string | null;
  readonly accountNo: string | null;
}

/** What a row is to be paid as, instead of what its file says. */
export interface Correction {
  /** As people write it; null where it stays. */
  readonly proxyNo: string | null;
  /** Decimal baht; null where it stays. */
  readonly amount: string | null;
  /** Of a registration alone: the account that is to be registered. */
  readonly accountNo?: string;
  /** What the row asked for when this was proposed; left out by older programs. */
  readonly was?: Corrected;
}

/** How many people a decision takes. @param people of the settings, `review.people`; of an approval, what its batch needs */
export function countDeciders(decision: Decision, people: number, isProved: boolean): 1 | 2 {
  return isProved && decisionTerms[decision].needsSecond && people > 1 ? 2 : 1;
}

/** A proposal as far as these rules look at it. */
interface ProposalFacts {
  readonly decision: Decision;
  readonly status: ProposalStatus;
  readonly makerId: number | null;
  readonly maker: string;
  /** One of which one person decides waits for the signature of whoever made it. */
  readonly people: 1 | 2;
  readonly expiresAtMs: number;
}

/** What has become of it, in words that follow "it". */
export const proposalStatusWords: Readonly<Record<ProposalStatus, string>> = {
  proposed: 'waits for a second person',
  approved: 'is being applied',
  applied: 'was applied',
  'sent-back': 'was sent back',
  withdrawn: 'was withdrawn',
  stale: 'is out of date: what it is about has changed since',
  expired: 'has lapsed: it was not checked in time',
};

/** Why it waits for nobody any more. */
function whyNotOpen({ status, expiresAtMs }: ProposalFacts, nowMs: number): string | undefined {
  if (status !== 'proposed') return `it ${proposalStatusWords[status]}`;
  return nowMs >= expiresAtMs ? `it ${proposalStatusWords.expired}` : undefined;
}

/**
 * Why this person cannot approve it or send it back.
 * @param involved people who uploaded the file, or corrected a row in it
 */
export function whyNotCheck(
  proposal: ProposalFacts,
  person: Decider,
  involved: readonly number[],
  nowMs: number,
): string | undefined {
  const closed = whyNotOpen(proposal, nowMs);
  if (closed !== undefined) return closed;
  if (person.personId === null) return 'who approves must have proved who he is';
  if (proposal.makerId === null) return 'its proposer is not proved: propose it again';
  const isOwn = person.personId === proposal.makerId;
  if (isOwn && proposal.people === 2) return 'you proposed this and cannot approve it';
  if (!isOwn && proposal.people === 1) return `only ${proposal.maker}, who proposed it, can sign it`;
  return involved.includes(person.personId) ? involvedWords : undefined;
}

/** Why this person cannot take it back. */
export function whyNotWithdraw(proposal: ProposalFacts, person: Decider, nowMs: number): string | undefined {
  const closed = whyNotOpen(proposal, nowMs);
  if (closed !== undefined) return closed;
  return person.personId !== null && person.personId === proposal.makerId
    ? undefined
    : `only ${proposal.maker}, who proposed it, can withdraw it`;
}

/** An event as far as these rules look at it. */
interface PastEvent<Cause, Status> {
  readonly cause: Cause;
  readonly from: Status;
  readonly to: Status;
}

/** Which causes change nothing that a person looks at, and what others are called. */
export interface CauseTerms<Cause> {
  readonly quiet: readonly Cause[];
  readonly describe: (causes: readonly Cause[]) => string;
}

export const payoutCauseTerms: CauseTerms<PayoutCause> = { quiet: quietCauses, describe: describeCauses };

/**
 * What has changed of a row since a decision about it was made; undefined when nothing has that a person looks at.
 * Every change raises the version by one and leaves an event.
 * @param events of the row, oldest first
 */
export function findChangeSince<Cause, Status extends string>(
  version: number,
  present: { readonly version: number },
  events: readonly PastEvent<Cause, Status>[],
  terms: CauseTerms<Cause>,
): string | undefined {
  const changes = present.version - version;
  if (changes === 0) return undefined;
  if (changes < 0 || changes > events.length) return 'it is not the row that was decided on';
  const since = events.slice(-changes).filter(({ cause }) => !terms.quiet.includes(cause));
  const last = since.at(-1);
  if (last === undefined) return undefined;
  const first = since[0]?.from;
  const causes = terms.describe(since.map(({ cause }) => cause));
  return first === last.to
    ? `it has changed since (${causes})`
    : `it was ${first} then, and is ${last.to} now (${causes})`;
}

/** What the row was when a decision about it was made; undefined when it is not the row that was decided on. */
export function findStatusThen<Status extends string>(
  version: number,
  present: { readonly version: number; readonly status: Status },
  events: readonly PastEvent<unknown, Status>[],
): Status | undefined {
  const changes = present.version - version;
  if (changes === 0) return present.status;
  return changes > 0 ? events.at(-changes)?.from : undefined;
}
