/** Counts the effect of a decision about a batch or an account: when it is proposed, and again when it is applied. */
import type { Message } from '../core/message.ts';
import { isSealed } from '../core/payout.ts';
import type { Batch } from '../core/ports.ts';
import { payerOnceResumed } from '../payout/operator.ts';
import type { ReviewContext } from './context.ts';
import { directDebitOf, type PayerKey, readPayerKey } from './rules/batch-decisions.ts';
import {
  countRegistrations,
  type CountedFile,
  type DecisionOnWhole,
  findMore,
  letsGoOn,
  nothingCounted,
  type ProposalFigures,
  sendsWhatWaits,
  sumFigures,
  type TargetFigures,
} from './rules/proposal-figures.ts';
import type { Proposal, Target } from './rules/proposal.ts';
import type { Decision } from './rules/terms.ts';

type FreezeContext = Pick<ReviewContext, 'journal' | 'payerAccount'>;

const ofPayouts = (files: readonly (CountedFile | undefined)[]): TargetFigures => ({
  of: 'payouts',
  wasSatang: null,
  files: files.flatMap((one) => (one === undefined || one.file.rows === 0 ? [] : [one])),
});

const countOne = async (
  { journal, payerAccount }: FreezeContext,
  decision: DecisionOnWhole,
  batch: Batch,
): Promise<CountedFile | undefined> =>
  journal.goingOn(batch.batchId, letsGoOn(decision, batch, payerAccount));

/**
 * Counts the batches that continue by themselves once nothing stops their account, also one that these settings no
 * longer name: a watcher that began before they changed still pays from it.
 */
async function countAccount(
  context: FreezeContext,
  decision: DecisionOnWhole,
  payer: PayerKey,
): Promise<readonly (CountedFile | undefined)[]> {
  const { companyId, payerAccount } = payer;
  const runnable = (await context.journal.runnableBatches()).map(({ batch }) => batch);
  const counted: (CountedFile | undefined)[] = [];
  for (const batch of [...runnable, ...(await context.journal.haltedWithPayer(payer))])
    if (batch.companyId === companyId && batch.payerAccount === payerAccount)
      counted.push(await countOne(context, decision, batch));
  return counted;
}

/** Counts the effect of resuming a batch, which resumes the account that then pays it and everything that waits there (`resumeBatch`). */
async function countBatch(
  context: FreezeContext,
  decision: DecisionOnWhole,
  batch: Batch,
): Promise<readonly (CountedFile | undefined)[]> {
  const { journal, payerAccount } = context;
  const counted = [await countOne(context, decision, batch)];
  if (decision !== 'resume-batch') return counted;
  const { companyId } = batch;
  const payer = { companyId, payerAccount: payerOnceResumed(batch, payerAccount) };
  const isStopped =
    (await journal.payerHalt(companyId, payer.payerAccount)) !== undefined ||
    (await journal.payerPause(companyId, payer.payerAccount)) !== undefined;
  if (!isStopped) return counted;
  for (const one of await countAccount(context, 'resume-payer', payer))
    if (one !== undefined && one.file.batchId !== batch.batchId) counted.push(one);
  return counted;
}

/** Counts the registrations of a batch that were not sent. */
async function countRegistrationBatch(
  { journal }: Pick<FreezeContext, 'journal'>,
  batchId: string,
  fileName: string,
): Promise<CountedFile> {
  const totals = await journal.registrationTotals(batchId);
  const unsent = totals.filter(({ status }) => status === 'ready' || status === 'held');
  return countRegistrations(
    batchId,
    fileName,
    unsent.reduce((sum, { rows }) => sum + rows, 0),
  );
}

const ofRegistrations = (files: readonly CountedFile[]): TargetFigures => ({
  of: 'registrations',
  wasSatang: null,
  files: files.filter(({ file }) => file.rows > 0),
});

async function countDirectDebit({ journal }: Pick<FreezeContext, 'journal'>): Promise<TargetFigures> {
  const files: CountedFile[] = [];
  for (const { batchId, fileName, status } of await journal.registrationBatches())
    if (isSealed(status)) files.push(await countRegistrationBatch({ journal }, batchId, fileName));
  return ofRegistrations(files);
}

const isOnWhole = (decision: Decision): decision is DecisionOnWhole =>
  ['approve-batch', 'resume-batch', 'cancel-batch', 'resume-payer', 'halt-payer'].includes(decision);

/** Counts the effect of a decision on a whole batch or on an account; other targets count nothing. */
export async function countWhole(
  context: FreezeContext,
  decision: Decision,
  { kind, key }: Pick<Target, 'kind' | 'key'>,
): Promise<TargetFigures> {
  const { journal } = context;
  if (!isOnWhole(decision)) return nothingCounted;
  if (kind === 'batch') {
    const batch = await journal.batch(key);
    return ofPayouts(batch === undefined ? [] : await countBatch(context, decision, batch));
  }
  if (kind === 'registration-batch') {
    const batch = await journal.registrationBatch(key);
    return ofRegistrations(
      batch === undefined ? [] : [await countRegistrationBatch(context, key, batch.fileName)],
    );
  }
  if (kind !== 'payer') return nothingCounted;
  const payer = readPayerKey(key);
  return directDebitOf(payer.payerAccount) === undefined
    ? ofPayouts(await countAccount(context, decision, payer))
    : countDirectDebit(context);
}

/** The effect on one target, as the figures of a proposal. */
export const figureWhole = async (
  context: FreezeContext,
  decision: Decision,
  target: Pick<Target, 'kind' | 'key'>,
): Promise<ProposalFigures> => sumFigures([await countWhole(context, decision, target)]);

/** The reason why a target would now send more than its proposal says; undefined when it would not. */
export async function findMoreThanProposed(
  context: FreezeContext,
  { decision, figures }: Pick<Proposal, 'decision' | 'figures'>,
  targets: readonly Pick<Target, 'kind' | 'key'>[],
): Promise<Message | undefined> {
  if (!sendsWhatWaits(decision)) return undefined;
  const now: TargetFigures[] = [];
  for (const target of targets) now.push(await countWhole(context, decision, target));
  return findMore(figures, sumFigures(now));
}
