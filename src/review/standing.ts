/** Facts in the journal that keep a person from deciding, alone or on another's proposal. */
import { type Message, message } from '../core/message.ts';
import type { ApprovalTerms, ReviewContext } from './context.ts';
import type { Proposal } from './ports.ts';
import { releasingDecisions } from './rules/approval.ts';
import { can, findCheckObstacle, findHandObstacle, findMakerObstacle, type Person } from './rules/people.ts';
import type { Decider } from './rules/proposal.ts';
import type { Decision } from './rules/terms.ts';

type Journal = Pick<ReviewContext, 'journal'>;

/** The people who had a part in what a proposal releases; none where it releases no payment. */
export async function readInvolved(
  { journal }: Journal,
  { proposalId, decision }: Pick<Proposal, 'proposalId' | 'decision'>,
): Promise<readonly number[]> {
  return releasingDecisions.includes(decision) ? await journal.involvedIn(proposalId) : [];
}

/**
 * The reason why a person may not say yes or no to a proposal; undefined when they may.
 * @param isApproval false for sending back, which remains possible when the maker has lost their rights
 */
export async function findObstacle(
  { journal }: Journal,
  { personId }: Decider,
  { makerId, madeAtMs }: Pick<Proposal, 'makerId' | 'madeAtMs'>,
  involved: readonly number[],
  isApproval: boolean,
): Promise<Message | undefined> {
  const { people } = await journal.persons();
  if (people.length === 0) return undefined;
  const find = (id: number | null): Person | undefined => people.find((one) => one.personId === id);
  const [checker, maker] = [find(personId), find(makerId)];
  const permission = can(checker ?? null, 'check');
  if (checker === undefined || !permission.allowed) return permission.allowed ? undefined : permission.why;
  if (maker === undefined) return message('check.maker-unknown');
  // People sign their own proposals where one person decides.
  const isOwn = checker.personId === maker.personId;
  const why =
    (isOwn ? undefined : findCheckObstacle(checker, maker, people)) ??
    findHandObstacle(checker, involved, people);
  if (why !== undefined || !isApproval) return why;
  const restoredAtMs = (await journal.loss())?.recoveredAtMs;
  return findMakerObstacle(maker, isOwn ? 'check' : 'propose', madeAtMs, restoredAtMs);
}

/**
 * The terms for this person to release a payment that was not released, or not in this form. A person who may only
 * propose decides nothing of it alone.
 */
export function termsFor(
  terms: ApprovalTerms,
  { personId }: Decider,
  people: readonly Person[],
): ApprovalTerms {
  const person = people.find((one) => one.personId === personId) ?? null;
  return people.length === 0 || can(person, 'check').allowed ? terms : { ...terms, people: 2 };
}

/** The reason why this person may not approve alone, or propose an approval; undefined when they may. */
export function whyNotApprover(
  decision: Decision,
  { people: needed, involved }: ApprovalTerms,
  { personId }: Decider,
  people: readonly Person[],
): Message | undefined {
  if (personId === null) return decision === 'approve-batch' ? message('check.unproved') : undefined;
  if (needed === 2) return undefined;
  if (involved.includes(personId)) return message('check.involved');
  const person = people.find((one) => one.personId === personId);
  return person && findHandObstacle(person, involved, people);
}
