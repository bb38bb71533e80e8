/** Batches and payer accounts as targets of decisions. */
import { isMessage, type Message, message } from '../core/message.ts';
import type { Batch } from '../core/ports.ts';
import { cancelBatch, payerOnceResumed, resumeBatch } from '../payout/operator.ts';
import type { PayerBreakerReader } from '../payout/ports.ts';
import {
  cancelQuestionsOf,
  type Examined,
  noResources,
  readTerms,
  type ReviewContext,
  type TargetWork,
} from './context.ts';
import { countWhole, findMoreThanProposed } from './freeze.ts';
import type { ProposalItem } from './ports.ts';
import { limitHolds, whyNotApprove } from './rules/approval.ts';
import {
  decideBatch,
  decidePayer,
  directDebitOf,
  haltByOperator,
  readPayerKey,
  versionOfBatch,
  versionOfPayer,
} from './rules/batch-decisions.ts';
import { openDirectDebit } from './registration-target.ts';
import type { Target } from './rules/proposal.ts';
import { sumTarget } from './rules/proposal-figures.ts';

export const changedSince: Message = message('change.since');

/**
 * A batch as a person saw it, with the halt of the account that pays it once it is resumed: a proposal lifts no halt that
 * came after it.
 */
export async function readBatchVersion(
  { journal, payerAccount }: { readonly journal: PayerBreakerReader; readonly payerAccount: string },
  batch: Batch,
): Promise<string> {
  const version = versionOfBatch(batch, payerAccount);
  const halt = await journal.payerHalt(batch.companyId, payerOnceResumed(batch, payerAccount));
  return halt === undefined ? version : `${version} ${versionOfPayer(halt, undefined)}`;
}

/** Releases the waiting rows of a batch. @returns the reason for a refusal; undefined once released */
async function tryApprove(
  { journal, clock, signing }: ReviewContext,
  { proposalId, itemNo, key, version }: ProposalItem,
): Promise<Message | undefined> {
  try {
    const place = { proposalId, itemNo };
    const isApproved = await journal.approveBatch(key, place, version, signing ?? null, clock.now());
    return isApproved ? undefined : changedSince;
  } catch (error) {
    if (!(error instanceof Error && error.name === 'UnsignedApprovalError')) throw error;
    return message('batch.unsigned', { why: error.message });
  }
}

/** Batches as targets, by their ids. */
export function makeBatchWork(context: ReviewContext): TargetWork {
  const { journal, clock, payerAccount } = context;
  const questions = cancelQuestionsOf(context);
  const find = async ({ key, version }: Pick<ProposalItem, 'key' | 'version'>): Promise<Batch | Message> => {
    const batch = await journal.batch(key);
    if (batch === undefined) return message('decide.no-batch', { batch: key });
    return (await readBatchVersion(context, batch)) === version ? batch : changedSince;
  };
  const examineApproval = async ({ key, version }: Target): Promise<Examined> => {
    const batch = await journal.batch(key);
    if (batch === undefined) return message('decide.no-batch', { batch: key });
    const waiting = await journal.approvalOf(key);
    const why = whyNotApprove(batch.status, waiting);
    if (why !== undefined || waiting === undefined) return why ?? changedSince;
    if (waiting.version !== version) return changedSince;
    const approval = { people: waiting.people, involved: await journal.handsOf(key) };
    const figures = await countWhole(context, 'approve-batch', { kind: 'batch', key });
    return { amountSatang: waiting.amountSatang, figures, approval };
  };
  const approve = async (item: ProposalItem): Promise<void> => {
    const why = await tryApprove(context, item);
    if (why !== undefined) await end(item, why);
  };
  const end = async ({ proposalId, itemNo }: ProposalItem, refusal: Message | undefined): Promise<void> => {
    await journal.endItem(proposalId, itemNo, refusal === undefined ? 'applied' : 'refused', refusal ?? null);
  };
  return {
    [Symbol.asyncDispose]: () => questions[Symbol.asyncDispose](),
    async examine(decision, target): Promise<Examined> {
      if (decision === 'approve-batch') return examineApproval(target);
      const batch = await find(target);
      if (isMessage(batch)) return batch;
      const totals = await journal.totals(batch.batchId);
      const holds = await journal.holdTotals(batch.batchId);
      const why = decideBatch(decision, batch, totals, holds);
      if (why !== undefined) return why;
      const figures = await countWhole(context, decision, { kind: 'batch', key: batch.batchId });
      // Resuming from another payer account or above a limit counts as an approval of its own.
      const isApproval =
        decision === 'resume-batch' &&
        (batch.payerAccount !== payerAccount ||
          holds.some(({ hold, rows }) => rows > 0 && limitHolds.includes(hold)));
      const approval = isApproval ? { approval: await readTerms(context, batch.batchId) } : {};
      return { amountSatang: sumTarget(figures), figures, ...approval };
    },
    async apply(proposal, item) {
      if (item.status !== 'open') return;
      const { decision } = proposal;
      if (decision === 'approve-batch') return approve(item);
      const batch = await find(item);
      const why = isMessage(batch) ? batch : await findMoreThanProposed(context, proposal, [item]);
      if (isMessage(batch) || why !== undefined) {
        await end(item, why);
        return;
      }
      const { refusals, rowsChanged } =
        decision === 'cancel-batch'
          ? await cancelBatch(journal, batch, clock.now(), questions.ask)
          : await resumeBatch(journal, batch, clock.now(), payerAccount);
      await end(item, rowsChanged === 0 ? refusals[0] : undefined);
    },
  };
}

/** Payer accounts as targets, by company and number. */
export function makePayerWork(context: ReviewContext): TargetWork {
  const { journal, clock } = context;
  const find = async (key: string) => {
    const payer = readPayerKey(key);
    const halt = await journal.payerHalt(payer.companyId, payer.payerAccount);
    const pause = await journal.payerPause(payer.companyId, payer.payerAccount);
    return { payer, halt, pause, version: versionOfPayer(halt, pause) };
  };
  return {
    ...noResources,
    async examine(decision, { key, version }): Promise<Examined> {
      const found = await find(key);
      if (found.version !== version) return changedSince;
      const why = decidePayer(decision, found.halt, found.pause);
      if (why !== undefined) return why;
      const figures = await countWhole(context, decision, { kind: 'payer', key });
      return { amountSatang: sumTarget(figures), figures };
    },
    async apply(proposal, item) {
      const { decision, note, maker } = proposal;
      const { proposalId, itemNo, key, version, status } = item;
      if (status !== 'open') return;
      const { payer, ...found } = await find(key);
      let why =
        found.version === version ? await findMoreThanProposed(context, proposal, [item]) : changedSince;
      if (why === undefined && decision === 'halt-payer')
        await journal.recordPayerHalt({ ...payer, ...haltByOperator(maker, note), sinceMs: clock.now() });
      if (why === undefined && decision === 'resume-payer') {
        const isOfPayouts = directDebitOf(payer.payerAccount) === undefined;
        if (!isOfPayouts) await openDirectDebit(journal, payer, clock.now());
        else if (!(await journal.resumePayer({ proposalId, itemNo }, payer, version, clock.now())))
          why = changedSince;
      }
      await journal.endItem(proposalId, itemNo, why === undefined ? 'applied' : 'refused', why ?? null);
    },
  };
}
