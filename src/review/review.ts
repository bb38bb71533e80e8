/**
 * Decisions of people, from the proposal to the last of its changes. What was approved is applied item by item, each in
 * the transaction that ends it: whoever is killed in between leaves the rest to whoever comes next, and two who apply at
 * once apply nothing twice.
 */
import { createHash } from 'node:crypto';
import { dayMs, formatBangkokDate, parseBangkokDate } from '../core/bangkok-time.ts';
import { sumSatang } from '../core/money.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Clock } from '../core/ports.ts';
import type { RowRules } from '../intake/rules/row.ts';
import type { HistoryReader, PayoutEvent, PayoutJournal } from '../payout/ports.ts';
import type { StatementStore, StatementView } from '../reconcile/ports.ts';
import { factsOf } from '../reconcile/rules/types.ts';
import type { Proposal, ProposalItem, ProposalStore } from './ports.ts';
import {
  decidePayout,
  type DecisionMark,
  markChanges,
  type Option,
  optionsFor,
  type ReviewedPayout,
  type StatementTrace,
} from './rules/payout-decisions.ts';
import {
  countDeciders,
  type Decider,
  findChangeSince,
  proposalStatusWords,
  type ProposalStatus,
  type Target,
  whyNotCheck,
  whyNotWithdraw,
} from './rules/proposal.ts';
import { type Decision, decisionTerms, isPayoutDecision, type PayoutDecision } from './rules/terms.ts';

/** What the review works on. */
export interface ReviewContext {
  readonly journal: PayoutJournal & ProposalStore & HistoryReader & Pick<StatementStore, 'openStatementView'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly rules: RowRules;
  /** `review.people` of the settings. */
  readonly people: 1 | 2;
  /** `review.expireDays` of the settings. */
  readonly expireDays: number;
}

/** A payout as a decision is taken on it, with its history. */
export interface Reviewed extends ReviewedPayout {
  readonly companyId: string;
  readonly events: readonly PayoutEvent[];
}

/** What somebody wants decided. */
export interface Wish {
  readonly decision: Decision;
  readonly targets: readonly Target[];
  readonly note: string;
  readonly evidence: string | null;
}

/** Why something is not done: of the whole, or of one of its targets. */
export interface Objection {
  readonly target?: Target;
  readonly why: string;
}

export type Proposed =
  | { readonly kind: 'refused'; readonly objections: readonly Objection[] }
  | { readonly kind: 'proposed'; readonly proposal: Proposal }
  /** One person was enough. */
  | { readonly kind: 'applied'; readonly proposal: Proposal; readonly applied: Applied };

/** What has become of the items of an approved proposal. */
export interface Applied {
  readonly applied: number;
  readonly refused: readonly ProposalItem[];
}

/** Reads of the statements of many attempts, on one view that is opened when it is first needed. */
class Traces implements Disposable {
  readonly #journal: ReviewContext['journal'];
  #view: StatementView | undefined;

  constructor(journal: ReviewContext['journal']) {
    this.#journal = journal;
  }

  of(payout: Payout, attempt: Attempt): StatementTrace {
    this.#view ??= this.#journal.openStatementView();
    const { transRefNo, tranDate } = attempt.order;
    if (this.#view.linesOf(transRefNo, factsOf(payout, attempt)).length > 0) return 'found';
    const { wholeDates } = this.#view.days();
    const nextDay = formatBangkokDate((parseBangkokDate(tranDate) ?? 0) + dayMs);
    return wholeDates.has(tranDate) && wholeDates.has(nextDay) ? 'none' : 'unread';
  }

  [Symbol.dispose](): void {
    this.#view?.[Symbol.dispose]();
  }
}

/** Everything that a decision about a row is taken on; undefined for one that is not in the journal. */
async function readReviewed(
  { journal, clock, rules }: ReviewContext,
  seq: number,
  traces: Traces,
): Promise<Reviewed | undefined> {
  const history = await journal.history(seq);
  if (history === undefined) return undefined;
  const { row, batch, events } = history;
  const { batchId, companyId } = batch;
  const payoutId = row.cells.payoutId.trim();
  const payout = await journal.payout(seq);
  const [holder] = await journal.claimHolders(companyId, [payoutId]);
  return {
    row,
    batchId,
    companyId,
    payout,
    events,
    attempts: await journal.attemptsOf(companyId, payoutId),
    holder,
    similar: await journal.similarHolders(companyId, payoutId),
    traceOf: (attempt) => (payout === undefined ? 'unread' : traces.of(payout, attempt)),
    rules,
    nowMs: clock.now(),
  };
}

/** The decisions about a row that are possible now, and why others are not; undefined for a row that is not there. */
export async function readOptions(
  context: ReviewContext,
  seq: number,
): Promise<readonly Option[] | undefined> {
  using traces = new Traces(context.journal);
  const reviewed = await readReviewed(context, seq, traces);
  return reviewed === undefined ? undefined : optionsFor(reviewed);
}

/** Why a target cannot be decided on so; undefined when it can. */
async function objectTo(
  context: ReviewContext,
  decision: PayoutDecision,
  target: Target,
  traces: Traces,
): Promise<string | { readonly reviewed: Reviewed }> {
  const reviewed = await readReviewed(context, Number(target.key), traces);
  if (reviewed === undefined) return 'there is no such row in the journal';
  const changed = findChangeSince(Number(target.version), reviewed.row, reviewed.events);
  if (changed !== undefined) return changed;
  const decided = decidePayout(decision, reviewed);
  return typeof decided === 'string' ? decided : { reviewed };
}

/** Over the items in their order, so that what is checked is what was proposed. */
function computeProposalDigest(decision: Decision, targets: readonly Target[]): string {
  const hash = createHash('sha256');
  hash.update(`proposal v1\n${decision}\n`);
  for (const { kind, key, version, correction } of targets)
    hash.update(`${JSON.stringify([kind, key, version, correction ?? null])}\n`);
  return hash.digest('hex');
}

const objectTooLittle = ({ decision, targets, note, evidence }: Wish): readonly Objection[] => [
  ...(targets.length === 0 ? [{ why: 'nothing is named that it is about' }] : []),
  ...(note.trim() === '' ? [{ why: 'why it is decided so must be said' }] : []),
  ...(decisionTerms[decision].needsEvidence && (evidence ?? '').trim() === ''
    ? [{ why: `${decisionTerms[decision].label} needs evidence: say where the proof stands` }]
    : []),
];

/**
 * Proposes a decision, all of it or nothing. Where one person is enough it is applied at once.
 * @param maker who has proved who he is; or, while there are no people yet, the user of the operating system
 */
export async function propose(context: ReviewContext, wish: Wish, maker: Decider): Promise<Proposed> {
  const { journal, clock, people, expireDays } = context;
  const objections = [...objectTooLittle(wish)];
  const { decision, targets } = wish;
  if (!isPayoutDecision(decision)) throw new Error(`${decision} is not decided here`);
  const amounts = [];
  using traces = new Traces(journal);
  for (const target of targets) {
    const found = await objectTo(context, decision, target, traces);
    if (typeof found === 'string') objections.push({ target, why: found });
    else amounts.push(found.reviewed.row.amountSatang ?? (0n as Payout['instruction']['amountSatang']));
  }
  if (objections.length > 0) return { kind: 'refused', objections };
  const nowMs = clock.now();
  const added = await journal.addProposal({
    decision,
    note: wish.note.trim(),
    evidence: wish.evidence,
    people: countDeciders(decision, people, maker.personId !== null),
    totalSatang: sumSatang(amounts),
    digest: computeProposalDigest(decision, targets),
    maker,
    madeAtMs: nowMs,
    expiresAtMs: nowMs + expireDays * dayMs,
    targets,
  });
  if (typeof added !== 'number') {
    const target = targets.find(({ kind, key }) => kind === added.clash.kind && key === added.clash.key);
    const why = `proposal ${added.proposalId} is about it, and ${proposalStatusWords.proposed}`;
    return { kind: 'refused', objections: [{ ...(target === undefined ? {} : { target }), why }] };
  }
  const proposal = await requireProposal(context, added);
  if (proposal.people === 2) return { kind: 'proposed', proposal };
  const applied = await applyApproved(context, added);
  return { kind: 'applied', proposal: await requireProposal(context, added), applied };
}

async function requireProposal({ journal }: ReviewContext, proposalId: number): Promise<Proposal> {
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined) throw new Error(`there is no proposal ${proposalId}`);
  return proposal;
}

export type Checked =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'sent-back' | 'withdrawn'; readonly proposal: Proposal }
  | { readonly kind: 'applied'; readonly proposal: Proposal; readonly applied: Applied };

/**
 * Approves a proposal, or sends it back.
 * @param seen the digest of what the checker has looked at
 * @param involved people who uploaded the file, or corrected a row in it
 */
export async function check(
  context: ReviewContext,
  proposalId: number,
  verdict: 'approve' | 'send-back',
  checker: Decider,
  {
    note = null,
    seen,
    involved = [],
  }: { readonly note?: string | null; readonly seen?: string; readonly involved?: readonly number[] } = {},
): Promise<Checked> {
  const { journal, clock } = context;
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined) return { kind: 'refused', why: `there is no proposal ${proposalId}` };
  const nowMs = clock.now();
  const why =
    whyNotCheck(proposal, checker, involved, nowMs) ??
    (seen !== undefined && seen !== proposal.digest ? 'it is not what you have looked at' : undefined) ??
    (verdict === 'send-back' && (note ?? '').trim() === '' ? 'why it is sent back must be said' : undefined);
  if (why !== undefined) return { kind: 'refused', why };
  const to: ProposalStatus = verdict === 'approve' ? 'approved' : 'sent-back';
  if (!(await journal.moveProposal(proposalId, { to, by: checker, note, nowMs })))
    return { kind: 'refused', why: 'somebody else has decided on it at the same moment: look again' };
  if (to === 'sent-back') return { kind: to, proposal: await requireProposal(context, proposalId) };
  const applied = await applyApproved(context, proposalId);
  return { kind: 'applied', proposal: await requireProposal(context, proposalId), applied };
}

/** Takes a proposal back. */
export async function withdraw(
  context: ReviewContext,
  proposalId: number,
  person: Decider,
): Promise<Checked> {
  const { journal, clock } = context;
  const proposal = await journal.proposal(proposalId);
  if (proposal === undefined) return { kind: 'refused', why: `there is no proposal ${proposalId}` };
  const nowMs = clock.now();
  const why = whyNotWithdraw(proposal, person, nowMs);
  if (why !== undefined) return { kind: 'refused', why };
  const isMoved = await journal.moveProposal(proposalId, { to: 'withdrawn', by: person, note: null, nowMs });
  if (!isMoved)
    return { kind: 'refused', why: 'somebody else has decided on it at the same moment: look again' };
  return { kind: 'withdrawn', proposal: await requireProposal(context, proposalId) };
}

/** Items that are applied at a time: their changes are gathered into few commits. */
const itemsAtOnce = 200;

/** Applies what is still open of an approved proposal, and ends it. */
export async function applyApproved(context: ReviewContext, proposalId: number): Promise<Applied> {
  const { journal, clock } = context;
  const proposal = await requireProposal(context, proposalId);
  if (proposal.status === 'approved') {
    using traces = new Traces(journal);
    for (let after = 0; ;) {
      const items = await journal.proposalItems(proposalId, after, itemsAtOnce);
      const open = items.filter(({ status }) => status === 'open');
      await Promise.all(open.map((item) => applyItem(context, proposal, item, traces)));
      if (items.length < itemsAtOnce) break;
      after = items.at(-1)?.itemNo ?? after;
    }
    await journal.endProposal(proposalId, clock.now());
  }
  return await countItems(journal, proposalId);
}

async function countItems(journal: ProposalStore, proposalId: number): Promise<Applied> {
  let applied = 0;
  const refused: ProposalItem[] = [];
  for (let after = 0; ;) {
    const items = await journal.proposalItems(proposalId, after, itemsAtOnce);
    for (const item of items) {
      if (item.status === 'applied') applied += 1;
      else if (item.status === 'refused') refused.push(item);
    }
    if (items.length < itemsAtOnce) return { applied, refused };
    after = items.at(-1)?.itemNo ?? after;
  }
}

/** How often an item is decided anew that a change of another process, of no interest to people, came before. */
const triesMax = 5;

async function applyItem(
  context: ReviewContext,
  proposal: Proposal,
  item: ProposalItem,
  traces: Traces,
): Promise<void> {
  const { journal } = context;
  const { proposalId, itemNo } = item;
  const mark: DecisionMark = {
    by: proposal.maker,
    ...(proposal.checker === null ? {} : { checkedBy: proposal.checker }),
    proposal: proposalId,
  };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const found = await objectTo(context, proposal.decision as PayoutDecision, item, traces);
    if (typeof found === 'string') {
      await journal.endItem(proposalId, itemNo, 'refused', found);
      return;
    }
    const changes = decidePayout(proposal.decision as PayoutDecision, found.reviewed);
    if (typeof changes === 'string') continue;
    const [isApplied] = await journal.apply(markChanges(changes, mark, { proposalId, itemNo }));
    if (isApplied === true) return;
    const [present] = await journal.proposalItems(proposalId, itemNo - 1, 1);
    if (present?.status !== 'open') return;
  }
  await journal.endItem(
    proposalId,
    itemNo,
    'refused',
    'it kept changing while this was applied: decide again',
  );
}

/** Ends what nobody has checked in time, and applies what a process that was killed has left. */
export async function sweepProposals(context: ReviewContext): Promise<readonly number[]> {
  const { journal, clock } = context;
  const expired = await journal.expireProposals(clock.now());
  for (const { proposalId } of await journal.proposals(['approved'], Number.MAX_SAFE_INTEGER, 1_000))
    await applyApproved(context, proposalId);
  return expired;
}
