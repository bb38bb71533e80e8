/**
 * The life of a proposal to its end: who may end it how, and when it lapses. Decisions and changes of people share it.
 */
import { createHash } from 'node:crypto';
import { listed, type Message, message } from '../../core/message.ts';
import type { Satang } from '../../core/money.ts';
import { type PayoutCause, type PayoutStatus, quietCauses } from '../../core/payout.ts';
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

/** `approved`: its items are being applied one by one, by any process, each once. */
const proposalTransitions = [
  { from: 'proposed', to: 'approved' },
  { from: 'proposed', to: 'sent-back' },
  { from: 'proposed', to: 'withdrawn' },
  { from: 'proposed', to: 'expired' },
  { from: 'approved', to: 'applied' },
  { from: 'approved', to: 'stale' },
] as const satisfies readonly { from: ProposalStatus; to: ProposalStatus }[];

export const canMoveProposal = (from: ProposalStatus, to: ProposalStatus): boolean =>
  proposalTransitions.some((row) => row.from === from && row.to === to);

/** The statuses with something left to decide or apply. */
export const openProposalStatuses: readonly ProposalStatus[] = proposalStatuses.filter((status) =>
  proposalTransitions.some(({ from }) => from === status),
);

/** The author of a decision. */
export interface Decider {
  /** The number of the person; null for an unproved one. */
  readonly personId: number | null;
  /** The person's name; for an unproved one, the user of the operating system. */
  readonly name: string;
}

/** A file that is kept as evidence. */
export interface EvidenceFile {
  /** The original name, safe to display; unrelated to its content. */
  readonly name: string;
  /** SHA-256 (hex) of its bytes, by which the file is found. */
  readonly sha256: string;
  readonly bytes: number;
}

/** A decision or a change of people that was proposed, and its outcome. */
export interface ProposalOf<Decided extends string, Figures extends object> {
  readonly proposalId: number;
  readonly decision: Decided;
  readonly status: ProposalStatus;
  readonly makerId: number | null;
  readonly madeAtMs: number;
  readonly expiresAtMs: number;
  /** The person who ended it, the maker who withdrew it included; null for a lapse. */
  readonly checkerId: number | null;
  readonly endedAtMs: number | null;
  /** The reason, in the maker's words. */
  readonly note: string;
  /** The reference to the proof; null where none is needed, or a file suffices. */
  readonly evidence: string | null;
  readonly evidenceFile?: EvidenceFile | null;
  readonly maker: string;
  /** The number of people it takes; 1 when no second person is needed. */
  readonly people: 1 | 2;
  readonly checker: string | null;
  readonly checkedAtMs: number | null;
  readonly checkNote: string | null;
  readonly items: number;
  /** The sum of the payouts that it concerns or releases. */
  readonly totalSatang: Satang;
  /** The effect, counted when it was made; the request for a change of people. */
  readonly figures: Figures;
  /** SHA-256 (hex) over its items: the checker decides on exactly these. */
  readonly digest: string;
}

/** A proposal of any kind. */
export type AnyProposal = ProposalOf<string, object>;

/** A proposed decision and its outcome. */
export interface Proposal extends ProposalOf<Decision, ProposalFigures> {
  /** The kind of its first item. */
  readonly kind?: TargetKind | undefined;
}

/** The next status of a proposal, and the person behind it. */
export interface ProposalMove {
  readonly to: ProposalStatus;
  /** Null for a lapse or an end, which no person makes. */
  readonly by: Decider | null;
  readonly note: string | null;
  readonly nowMs: number;
}

/**
 * `payer`: a payer account, or the vendor and company of direct debits; `statement`: a day's, from the bank or a file;
 * `day`: a day without a statement; `file`: a refused file; `registration-batch`: a batch of registrations; `callback`:
 * a callback of an unknown registration.
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

/** The target of a decision, in its state at the proposal. */
export interface Target {
  readonly kind: TargetKind;
  /** The row's number, the batch's id, or another name of the target. */
  readonly key: string;
  /** The version that the target must still have; a payout's own version. */
  readonly version: string;
  /** The reason for this target, where it differs from the common one. */
  readonly note?: string | undefined;
  /** The correction, for that decision alone. */
  readonly correction?: Correction | undefined;
  /** The salt with which note and correction enter the digest of a proposal; left out where there are none. */
  readonly salt?: string | undefined;
  /** The value that entered the digest, kept after note and correction are erased. */
  readonly commitment?: string | undefined;
}

/**
 * The value by which a target's note and correction enter the digest; without the salt, a number cannot be found by
 * trial.
 * @returns undefined without either
 */
export function commitToTarget({
  correction,
  note,
  salt,
  commitment,
}: Omit<Target, 'kind'>): string | undefined {
  if (commitment !== undefined || salt === undefined) return commitment;
  return hashCell({ salt, value: JSON.stringify([correction ?? null, note ?? null]) });
}

/** Computes the digest over the items in their order, so that the checker approves exactly the proposed items. */
export function computeProposalDigest(
  decision: string,
  targets: readonly (Omit<Target, 'kind'> & { readonly kind: string })[],
): string {
  const hash = createHash('sha256');
  hash.update(`proposal v1\n${decision}\n`);
  for (const target of targets) {
    const { kind, key, version, correction, note } = target;
    const said = commitToTarget(target);
    const personal = said === undefined ? [correction ?? null, note ?? null] : [said];
    hash.update(`${JSON.stringify([kind, key, version, ...personal])}\n`);
  }
  return hash.digest('hex');
}

/** The row's values before its correction, as far as a correction may change them. */
export interface Corrected {
  readonly proxyNo: string | null;
  /** Decimal baht. */
  readonly amount: string | null;
  readonly accountNo: string | null;
}

/** The values with which a row is paid, instead of those in its file. */
export interface Correction {
  /** The number as people write it; null: unchanged. */
  readonly proxyNo: string | null;
  /** Decimal baht; null: unchanged. */
  readonly amount: string | null;
  /** The account to be registered, for a registration alone. */
  readonly accountNo?: string;
  /** The row's values when the correction was proposed; left out until then. */
  readonly was?: Corrected;
}

/**
 * The number of people for a decision.
 * @param people `review.people` of the settings; for an approval, the number that its batch needs
 */
export function countDeciders(decision: Decision, people: number, isProved: boolean): 1 | 2 {
  return isProved && decisionTerms[decision].needsSecond && people > 1 ? 2 : 1;
}

/** A request as far as these rules examine it; with one person, it waits for its maker's signature. */
type RequestFacts = Pick<AnyProposal, 'status' | 'makerId' | 'maker' | 'people' | 'expiresAtMs'>;

/** Tells whether the time of a request that waits for its check is over. */
export const isOverdue = ({ status, expiresAtMs }: RequestTime, nowMs: number): boolean =>
  status === 'proposed' && nowMs >= expiresAtMs;

type RequestTime = Pick<AnyProposal, 'status' | 'expiresAtMs'>;

/** The reason why a request is no longer open. */
export function whyNotOpen(request: RequestTime, nowMs: number): Message | undefined {
  const status = isOverdue(request, nowMs) ? 'expired' : request.status;
  if (status === 'proposed') return undefined;
  return message('proposal.closed', { status: message(`proposal-is.${status}`) });
}

/** The reason why nothing else can be proposed about a target. */
export const describeOpen = (proposalId: number): Message => message('proposal.open', { id: proposalId });

/**
 * The reason why this person cannot approve a request or send it back.
 * @param involved people who uploaded the file, or corrected a row in it
 */
export function whyNotCheck(
  request: RequestFacts,
  person: Decider,
  involved: readonly number[],
  nowMs: number,
): Message | undefined {
  const closed = whyNotOpen(request, nowMs);
  if (closed !== undefined) return closed;
  if (person.personId === null) return message('check.unproved');
  if (request.makerId === null) return message('check.maker-unproved');
  const isOwn = person.personId === request.makerId;
  if (isOwn && request.people === 2) return message('check.own');
  if (!isOwn && request.people === 1) return message('check.sign-own', { name: request.maker });
  return involved.includes(person.personId) ? message('check.involved') : undefined;
}

/** The reason why this person cannot withdraw a proposal. */
export function whyNotWithdraw(proposal: RequestFacts, person: Decider, nowMs: number): Message | undefined {
  const closed = whyNotOpen(proposal, nowMs);
  if (closed !== undefined) return closed;
  return person.personId !== null && person.personId === proposal.makerId
    ? undefined
    : message('check.withdraw-own', { name: proposal.maker });
}

/** An event as far as these rules examine it. */
interface PastEvent<Cause, Status> {
  readonly cause: Cause;
  readonly from: Status;
  readonly to: Status;
}

/** The kind of row that has changed: its causes that are invisible to people, and the words for the others. */
export interface ChangeTerms<Cause, Status> {
  readonly quiet: readonly Cause[];
  readonly describe: (cause: Cause) => Message;
  readonly describeStatus: (status: Status) => Message;
}

export const payoutChangeTerms: ChangeTerms<PayoutCause, PayoutStatus> = {
  quiet: quietCauses,
  describe: (cause) => message(`payout-cause.${cause}`),
  describeStatus: (status) => message(`payout-is.${status}`),
};

/**
 * The visible change of a row since a decision about it was made; undefined when there is none. Every change raises the
 * version by one and leaves an event.
 * @param events the events of the row, oldest first
 */
export function findChangeSince<Cause, Status extends string>(
  version: number,
  present: { readonly version: number },
  events: readonly PastEvent<Cause, Status>[],
  terms: ChangeTerms<Cause, Status>,
): Message | undefined {
  const changes = present.version - version;
  if (changes === 0) return undefined;
  if (changes < 0 || changes > events.length) return message('change.other-row');
  const since = events.slice(-changes).filter(({ cause }) => !terms.quiet.includes(cause));
  const last = since.at(-1);
  if (last === undefined) return undefined;
  const first = since[0]?.from ?? last.to;
  const causes = listed(
    since.map(({ cause }) => ({ within: terms.describe(cause) })),
    'inTurn',
  );
  if (first === last.to) return message('change.same-status', { causes });
  return message('change.other-status', {
    before: terms.describeStatus(first),
    now: terms.describeStatus(last.to),
    causes,
  });
}

/** The status of the row when a decision about it was made; undefined when the decision was on another row. */
export function findStatusThen<Status extends string>(
  version: number,
  present: { readonly version: number; readonly status: Status },
  events: readonly PastEvent<unknown, Status>[],
): Status | undefined {
  const changes = present.version - version;
  if (changes === 0) return present.status;
  return changes > 0 ? events.at(-changes)?.from : undefined;
}
