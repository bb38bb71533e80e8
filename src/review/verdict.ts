/** Verdicts of proved persons: yes or no to a proposal, or the withdrawal of their own. */
import type { Message } from '../core/message.ts';
import type { ReviewContext } from './context.ts';
import type { Proposal } from './ports.ts';
import { check, type Checked, type CheckTerms, findMoreInAll, withdraw } from './review.ts';
import { can, type ProvedPerson } from './rules/people.ts';
import { type Decider, whyNotCheck } from './rules/proposal.ts';
import { findObstacle, readInvolved } from './standing.ts';

export type Verdict = 'approve' | 'send-back' | 'withdraw';

export const deciderOf = ({ person: { personId, name } }: ProvedPerson): Decider => ({ personId, name });

/** The reason why this person cannot give a proposal this verdict; undefined when they can. */
export async function findWhyNotCheck(
  context: ReviewContext,
  proposal: Proposal,
  proved: ProvedPerson,
  verdict: Exclude<Verdict, 'withdraw'> = 'approve',
): Promise<Message | undefined> {
  const involved = await readInvolved(context, proposal);
  const decider = deciderOf(proved);
  const why =
    whyNotCheck(proposal, decider, involved, context.clock.now()) ??
    (await findObstacle(context, decider, proposal, involved, verdict === 'approve'));
  return why ?? (verdict === 'approve' ? findMoreInAll(context, proposal) : undefined);
}

/** The proposals, of these, that wait for this person's verdict. */
export async function listForCheck(
  context: ReviewContext,
  proved: ProvedPerson,
  proposals: readonly Proposal[],
): Promise<readonly Proposal[]> {
  if (!can(proved.person, 'check').allowed) return [];
  const found: Proposal[] = [];
  for (const proposal of proposals)
    if ((await findWhyNotCheck(context, proposal, proved, 'send-back')) === undefined) found.push(proposal);
  return found;
}

export async function giveVerdict(
  context: ReviewContext,
  proposalId: number,
  verdict: Verdict,
  proved: ProvedPerson,
  terms: Pick<CheckTerms, 'note' | 'seen' | 'signed'>,
): Promise<Checked> {
  return verdict === 'withdraw'
    ? withdraw(context, proposalId, deciderOf(proved))
    : check(context, proposalId, verdict, deciderOf(proved), terms);
}
