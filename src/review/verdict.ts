/** A person who has proved who he is says yes or no to a proposal, or takes his own back. */
import type { ReviewContext } from './context.ts';
import type { PersonStore, Proposal } from './ports.ts';
import { check, type Checked, type CheckTerms, withdraw } from './review.ts';
import { can, findCheckObstacle, type ProvedPerson } from './rules/people.ts';
import { type Decider, whyNotCheck } from './rules/proposal.ts';

export type Verdict = 'approve' | 'send-back' | 'withdraw';

export const deciderOf = ({ person: { personId, name } }: ProvedPerson): Decider => ({ personId, name });

type Persons = Pick<PersonStore, 'persons'>;

/** What is known of people that keeps this one from checking what that one has proposed. */
async function findObstacle(
  persons: Persons,
  { person }: ProvedPerson,
  makerId: number | null | undefined,
): Promise<string | undefined> {
  const permission = can(person, 'check');
  if (!permission.allowed) return permission.why;
  const { people } = await persons.persons();
  const maker = people.find(({ personId }) => personId === makerId);
  // Of his own that one person decides: he signs it.
  if (maker === undefined || maker.personId === person.personId) return undefined;
  return findCheckObstacle(person, maker, people);
}

/** Why this person cannot approve a proposal, or send it back; undefined when he can. */
export async function findWhyNotCheck(
  { journal, clock }: ReviewContext,
  persons: Persons,
  proposal: Proposal,
  proved: ProvedPerson,
): Promise<string | undefined> {
  const involved = await journal.involvedIn(proposal.proposalId);
  return (
    whyNotCheck(proposal, deciderOf(proved), involved, clock.now()) ??
    findObstacle(persons, proved, proposal.makerId)
  );
}

export async function giveVerdict(
  context: ReviewContext,
  persons: Persons,
  proposalId: number,
  verdict: Verdict,
  proved: ProvedPerson,
  terms: Pick<CheckTerms, 'note' | 'seen' | 'signed'>,
): Promise<Checked> {
  if (verdict === 'withdraw') return withdraw(context, proposalId, deciderOf(proved));
  const proposal = await context.journal.proposal(proposalId);
  const obstacle = await findObstacle(persons, proved, proposal?.makerId);
  return check(context, proposalId, verdict, deciderOf(proved), { ...terms, obstacle });
}
