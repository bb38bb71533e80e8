/** One payout as a target of decisions: its facts, its possible decisions and its changes. */
import { dayMs, formatBangkokDate, parseBangkokDate } from '../core/bangkok-time.ts';
import { isMessage, type Message, message } from '../core/message.ts';
import { formatBaht, type Satang, toSatang } from '../core/money.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import type { PayoutEvent } from '../payout/ports.ts';
import type { StatementView } from '../reconcile/ports.ts';
import { mapManyAtOnce } from '../platform/bounded.ts';
import { factsOf } from '../reconcile/rules/types.ts';
import { askWhyNotCancel, type CancelAnswer, noteAskedOf } from '../payout/operator.ts';
import {
  type ApprovalTerms,
  cancelQuestionsOf,
  readTerms,
  type ReviewContext,
  type TargetWork,
} from './context.ts';
import type { Proposal, ProposalItem } from './ports.ts';
import type { Possible } from './rules/offers.ts';
import {
  decidePayout,
  type DecisionMark,
  markChanges,
  optionsFor,
  type ReviewedPayout,
  type StatementTrace,
  openAttempts,
} from './rules/payout-decisions.ts';
import { limitHolds } from './rules/approval.ts';
import { type Corrected, findChangeSince, payoutChangeTerms, type Target } from './rules/proposal.ts';
import { countPayout, type TargetFigures } from './rules/proposal-figures.ts';
import { type Decision, isPayoutDecision, type PayoutDecision } from './rules/terms.ts';

/** A payout and its history, as a decision reads them. */
interface Reviewed extends ReviewedPayout {
  readonly companyId: string;
  readonly batch: Batch;
  readonly events: readonly PayoutEvent[];
}

/** Reads the statements of many attempts, on one view that is opened on first use. */
class Traces implements AsyncDisposable {
  readonly #journal: ReviewContext['journal'];
  #view: Promise<StatementView> | undefined;

  constructor(journal: ReviewContext['journal']) {
    this.#journal = journal;
  }

  /** The traces by transRefNo. */
  async of(payout: Payout, attempts: readonly Attempt[]): Promise<ReadonlyMap<string, StatementTrace>> {
    this.#view ??= this.#journal.openStatementView();
    const facts = attempts.map((attempt) => factsOf(payout, attempt));
    const references = facts.map(({ order }) => order.transRefNo);
    const view = await this.#view;
    const lines = await view.linesOf(references, facts);
    const { wholeDates } = view.days();
    return new Map(
      facts.map(({ order: { transRefNo, tranDate } }) => {
        const nextDay = formatBangkokDate((parseBangkokDate(tranDate) ?? 0) + dayMs);
        const isRead = wholeDates.has(tranDate) && wholeDates.has(nextDay);
        const ofAll = (lines.get(transRefNo) ?? []).flatMap((day) => day.lines);
        const mayBePaid = ofAll.some(({ status }) => status !== 'failed');
        return [transRefNo, mayBePaid ? 'found' : isRead ? 'none' : 'unread'];
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#view)?.[Symbol.asyncDispose]();
  }
}

/** Reads everything on which a decision about a row rests; undefined for a row outside the journal. */
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
  // Read first: the version of the payout guards a decision against attempts that come after it.
  const payout = await journal.payout(seq);
  const [[holder], attempts, similar] = await Promise.all([
    journal.claimHolders(companyId, [payoutId]),
    journal.attemptsOf(companyId, payoutId),
    journal.similarHolders(companyId, payoutId),
  ]);
  // Statements matter for payouts in doubt alone.
  const isInDoubt = payout?.status === 'unresolved';
  const found = isInDoubt ? await traces.of(payout, openAttempts({ attempts }, payout)) : undefined;
  return {
    row,
    batchId,
    companyId,
    batch,
    payout,
    events,
    attempts,
    holder,
    similar,
    traceOf: ({ order }) => found?.get(order.transRefNo) ?? 'unread',
    rules,
    nowMs: clock.now(),
  };
}

/** Reads the decisions that are possible for a row now, and why others are not; undefined for an unknown row. */
export async function readOptions(
  context: ReviewContext,
  seq: number,
): Promise<readonly Possible<PayoutDecision>[] | undefined> {
  await using traces = new Traces(context.journal);
  const reviewed = await readReviewed(context, seq, traces);
  return reviewed === undefined ? undefined : optionsFor(reviewed);
}

/** Reads the options of many rows. @returns them in the order of the rows; undefined for an unknown row */
export async function readOptionsOfEach(
  context: ReviewContext,
  seqs: readonly number[],
): Promise<readonly (readonly Possible<PayoutDecision>[] | undefined)[]> {
  await using traces = new Traces(context.journal);
  return await mapManyAtOnce(seqs, async (seq) => {
    const reviewed = await readReviewed(context, seq, traces);
    return reviewed === undefined ? undefined : optionsFor(reviewed);
  });
}

/** The reason why a decision on a target is impossible; undefined when it is possible. */
async function objectTo(
  context: ReviewContext,
  decision: PayoutDecision,
  target: Target,
  traces: Traces,
): Promise<Message | { readonly reviewed: Reviewed; readonly amountSatang: Satang }> {
  const reviewed = await readReviewed(context, Number(target.key), traces);
  if (reviewed === undefined) return message('decide.no-row');
  const changed = findChangeSince(Number(target.version), reviewed.row, reviewed.events, payoutChangeTerms);
  if (changed !== undefined) return changed;
  if (decision === 'retry-corrected' && target.correction === undefined) return message('correct.to-what');
  const asked = { ...reviewed, correction: target.correction };
  const decided = decidePayout(decision, asked);
  if (isMessage(decided)) return decided;
  // A correction counts with the amount that will be paid.
  const corrected = decided.find(({ isCorrected }) => isCorrected === true);
  const amountSatang = corrected?.after.instruction.amountSatang ?? reviewed.row.amountSatang ?? toSatang(0n);
  return { reviewed: asked, amountSatang };
}

/** The answer for every decision except a cancellation. */
const nothingAsked: CancelAnswer = { kind: 'clear', asked: [] };

/** The limit of attempts to decide an item again after an unrelated change by another process. */
const triesMax = 5;

/**
 * Applies a decision on one row, again after an unrelated change of it.
 * @param tryOnce returns whether its changes were made, the reason for a refusal, or undefined where the row has changed
 */
export async function applyToRow(
  journal: Pick<ReviewContext['journal'], 'endItem' | 'proposalItems'>,
  { proposalId, itemNo }: Pick<ProposalItem, 'proposalId' | 'itemNo'>,
  tryOnce: () => Promise<boolean | Message | undefined>,
): Promise<void> {
  const refuse = async (why: Message): Promise<void> => {
    await journal.endItem(proposalId, itemNo, 'refused', why);
  };
  for (let tries = 0; tries < triesMax; tries += 1) {
    const applied = await tryOnce();
    if (applied === undefined) continue;
    if (isMessage(applied)) return refuse(applied);
    if (applied) return;
    const [present] = await journal.proposalItems(proposalId, itemNo - 1, 1);
    if (present?.status !== 'open') return;
  }
  await refuse(message('change.kept-changing'));
}

export const markOf = ({ maker, checker, proposalId }: Proposal): DecisionMark => ({
  by: maker,
  ...(checker === null ? {} : { checkedBy: checker }),
  proposal: proposalId,
});

/** Tells whether the decision pays something that was not examined before, or that exceeds a limit. */
function letsPayAnew(decision: Decision, { status, holds }: Reviewed['row']): boolean {
  if (decision === 'retry') return status === 'rejected';
  if (decision === 'go-on') return holds.some((hold) => limitHolds.includes(hold));
  return decision === 'retry-corrected';
}

/** The request of a row before its correction. */
const askedBy = ({ instruction, cells, amountSatang }: Reviewed['row']): Corrected => ({
  proxyNo: instruction?.proxyNo ?? cells.proxyNo,
  amount: amountSatang === null ? cells.amount : formatBaht(amountSatang),
  accountNo: null,
});

/** Decisions that send a payout. */
const sending: readonly Decision[] = ['go-on', 'retry', 'retry-corrected'];

async function countReviewed(
  { journal }: ReviewContext,
  decision: Decision,
  { row, batch, correction }: Reviewed,
  amountSatang: Satang,
): Promise<TargetFigures> {
  const { companyId, batchId, fileName, payerAccount } = batch;
  const proxyNo = correction?.proxyNo ?? row.instruction?.proxyNo ?? '';
  const isNewPayee =
    sending.includes(decision) && proxyNo !== '' && !(await journal.isPayeeKnown(companyId, proxyNo));
  const wasSatang = correction === undefined ? null : row.amountSatang;
  const file = { batchId, fileName, payerAccount };
  return countPayout({ seq: row.seq, ...file, proxyNo, amountSatang, wasSatang, isNewPayee });
}

/** Payouts as targets; holds a view of the statements open. */
export function makePayoutWork(context: ReviewContext): TargetWork {
  const { journal } = context;
  const traces = new Traces(journal);
  const questions = cancelQuestionsOf(context);
  const terms = new Map<string, Promise<ApprovalTerms>>();
  const termsOf = (batchId: string): Promise<ApprovalTerms> => {
    const known = terms.get(batchId) ?? readTerms(context, batchId);
    terms.set(batchId, known);
    return known;
  };
  const require = (decision: string): PayoutDecision => {
    if (!isPayoutDecision(decision)) throw new Error(`${decision} is not about a payout`);
    return decision;
  };
  return {
    async examine(decision, target) {
      const found = await objectTo(context, require(decision), target, traces);
      if (isMessage(found)) return found;
      const { amountSatang, reviewed } = found;
      const isApproval = letsPayAnew(decision, reviewed.row);
      const figures = await countReviewed(context, decision, reviewed, amountSatang);
      const approval = isApproval ? { approval: await termsOf(reviewed.batchId) } : {};
      return { amountSatang, figures, was: askedBy(reviewed.row), ...approval };
    },
    async apply(proposal, item) {
      const { proposalId, itemNo } = item;
      const decision = require(proposal.decision);
      await applyToRow(journal, item, async () => {
        const found = await objectTo(context, decision, item, traces);
        if (isMessage(found)) return found;
        const { payout } = found.reviewed;
        const answer =
          decision === 'cancel' && payout !== undefined
            ? await askWhyNotCancel(journal, payout, questions.ask)
            : nothingAsked;
        if (answer.kind === 'kept') return answer.why;
        const changes = decidePayout(decision, found.reviewed);
        if (isMessage(changes)) return undefined;
        const noted = changes.map((change) => noteAskedOf(change, answer.asked));
        const applied = await journal.apply(markChanges(noted, markOf(proposal), { proposalId, itemNo }));
        return applied[0] === true;
      });
    },
    async [Symbol.asyncDispose]() {
      await traces[Symbol.asyncDispose]();
      await questions[Symbol.asyncDispose]();
    },
  };
}
