/**
 * Approves a batch before it is paid. Where two people are required, the first request becomes a proposal and the
 * second person approves it. Otherwise one person approves alone.
 */
import { dayMs } from '../core/bangkok-time.ts';
import { joined, type Message, message } from '../core/message.ts';
import type { ReviewContext } from './context.ts';
import type { BatchApproval, Proposal } from './ports.ts';
import { check, type Checked, type Proposed, decide } from './review.ts';
import type { TimeLimits } from '../payout/rules/limits.ts';
import type { ApprovalFigures } from './rules/approval-figures.ts';
import { whyNotApprove } from './rules/approval.ts';
import { can, type ProvedPerson } from './rules/people.ts';
import { deciderOf } from './verdict.ts';

/** The approver's note and the digest that the approver has looked at. */
export interface ApproveTerms {
  readonly note: string;
  /** The digest that the approver has looked at, or at least its first 12 characters. */
  readonly seen?: string | undefined;
}

export type BatchApproved = Proposed | Checked;

const refuse = (why: Message): BatchApproved => ({ kind: 'refused', why });

/** The shortest prefix of a digest that is accepted when it is typed. */
const seenLengthMin = 12;

/** Approves the waiting rows of a batch, or proposes the approval where a second person is needed. */
export async function approveBatch(
  context: ReviewContext,
  proved: ProvedPerson,
  batchId: string,
  terms: ApproveTerms,
): Promise<BatchApproved> {
  const { journal } = context;
  const batch = await journal.batch(batchId);
  if (batch === undefined) return refuse(message('decide.no-batch', { batch: batchId }));
  const waiting = await journal.approvalOf(batchId);
  const why = whyNotApprove(batch.status, waiting) ?? (waiting && whyNotSeen(waiting, terms));
  if (why !== undefined || waiting === undefined) return refuse(why ?? message('approve.not-needed'));
  const open = await findOpen(context, batchId);
  if (open === undefined) return proposeApproval(context, proved, batchId, waiting, terms);
  return checkApproval(context, proved, open, waiting, terms);
}

function whyNotSeen({ version }: BatchApproval, { seen }: ApproveTerms): Message | undefined {
  if (seen === undefined) return undefined;
  const isSame = seen.length >= seenLengthMin && version.startsWith(seen.toLowerCase());
  return isSame ? undefined : message('approve.not-seen', { digest: version });
}

/** Finds the open proposal about a batch. */
async function findOpen({ journal }: ReviewContext, batchId: string) {
  const [item] = await journal.openItems('batch', [batchId]);
  const proposal = item && (await journal.proposal(item.proposalId));
  return item && proposal && { proposal, version: item.version };
}

async function proposeApproval(
  context: ReviewContext,
  proved: ProvedPerson,
  batchId: string,
  { people, version }: BatchApproval,
  { note }: ApproveTerms,
): Promise<BatchApproved> {
  const permission = can(proved.person, people === 1 ? 'check' : 'propose');
  if (!permission.allowed) return refuse(permission.why);
  const targets = [{ kind: 'batch', key: batchId, version }] as const;
  const wish = { decision: 'approve-batch', targets, note, evidence: null } as const;
  const proposed = await decide(context, deciderOf(proved), [wish]);
  if (proposed.kind === 'refused') return refuse(joined(proposed.objections.map(({ why }) => why)));
  const [end] = proposed.ends;
  return end ?? refuse(message('proposal.none'));
}

async function checkApproval(
  context: ReviewContext,
  proved: ProvedPerson,
  { proposal, version }: { readonly proposal: Proposal; readonly version: string },
  waiting: BatchApproval,
  { note }: ApproveTerms,
): Promise<BatchApproved> {
  const { proposalId, decision, makerId, digest } = proposal;
  const id = proposalId;
  if (decision !== 'approve-batch') return refuse(message('approve.decide-first', { id }));
  if (makerId === proved.person.personId && proposal.people === 1)
    return refuse(message('approve.sign-it', { id }));
  if (makerId === proved.person.personId) return refuse(message('approve.by-another', { id }));
  if (version !== waiting.version) return refuse(message('approve.changed', { id }));
  const permission = can(proved.person, 'check');
  if (!permission.allowed) return refuse(permission.why);
  return check(context, proposalId, 'approve', deciderOf(proved), { note, seen: digest });
}

export interface FiguresContext {
  readonly journal: Pick<ReviewContext['journal'], 'approvalFigures'>;
  readonly clock: ReviewContext['clock'];
  /**
   * Days within which an equal payment to the same payee makes a row similar: the longer of `limits.similarDays` and
   * `.likeFileDays`.
   */
  readonly likeDays?: number | undefined;
  /** The limits over time that apply to the batch now. */
  readonly overTime?: TimeLimits | undefined;
}

const likeDaysDefault = 3;

/** Reads the figures that the approver of a batch looks at, also when nothing waits; undefined for an unknown batch. */
export async function readApprovalFigures(
  { journal, clock, likeDays = likeDaysDefault, overTime }: FiguresContext,
  batchId: string,
): Promise<ApprovalFigures | undefined> {
  const nowMs = clock.now();
  return journal.approvalFigures(batchId, nowMs - likeDays * dayMs, overTime && { limits: overTime, nowMs });
}
