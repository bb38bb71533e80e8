/** An operator's word on a batch or a payout: it works beside whoever is sending. */
import type { Batch } from '../core/ports.ts';
import type { RowRules } from '../intake/rules/row.ts';
import {
  cancelBatch,
  cancelPayouts,
  findRefusal,
  findRetryRefusal,
  type OperatorResult,
  type OperatorVerb,
  resumeBatch,
  resumePayouts,
  retryBatch,
  retryPayouts,
} from '../payout/operator.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { decideByVerb, type Decided, openDecisions } from './review/decisions.ts';

export type { OperatorVerb } from '../payout/operator.ts';

export type OperatorOutcome = OperatorResult;

/** What has become of one target. */
export interface ChangedTarget {
  readonly target: string;
  /** Undefined when nothing is called so, and where people decide. */
  readonly outcome?: OperatorOutcome | undefined;
  /** Once there are users: what was applied or proposed. */
  readonly decided?: Decided;
}

/**
 * One target after the other, each told as soon as it is done; what is wrong with one keeps no other.
 * @param targets each a batch id, a payoutId or a transRefNo
 * @throws SettingsError without a journal
 */
export async function* changeTargets(
  loaded: LoadedSettings,
  verb: OperatorVerb,
  targets: readonly string[],
): AsyncGenerator<ChangedTarget> {
  await using session = await openDecisions(loaded);
  for (const target of new Set(targets)) {
    const decided = await decideByVerb(session, verb, target);
    if (decided !== undefined) yield { target, decided };
    else yield { target, outcome: await changeTarget(session.journal, loaded, verb, target) };
  }
}

async function changeTarget(
  journal: Store,
  loaded: LoadedSettings,
  verb: OperatorVerb,
  target: string,
): Promise<OperatorOutcome | undefined> {
  const nowMs = systemClock.now();
  const rules = { payoutSatangMax: loaded.limits.satangPerPayout };
  const asked: Asked = { journal, verb, rules, nowMs };
  const batch = await journal.batch(target.toUpperCase());
  if (batch !== undefined) {
    switch (verb) {
      case 'resume':
        return await resumeBatch(journal, batch, nowMs, loaded.settings.bank.payerAccount);
      case 'cancel':
        return await cancelBatch(journal, batch, nowMs);
      case 'retry':
        return (await refuseArchivedBatch(asked, batch)) ?? (await retryBatch(journal, batch, rules, nowMs));
    }
  }
  const found = await journal.findPayouts(target);
  if (found.length === 0) return undefined;
  const refusals: string[] = [];
  const present: PayoutHistory[] = [];
  for (const one of found) {
    const why = await refuseArchived(asked, one);
    if (why === undefined) present.push(one);
    else refusals.push(why);
  }
  const done = await changePayouts(asked, present);
  return { ...done, refusals: [...refusals, ...done.refusals] };
}

interface Asked {
  readonly journal: Store;
  readonly verb: OperatorVerb;
  readonly rules: RowRules;
  readonly nowMs: number;
}

async function changePayouts(
  { journal, verb, rules, nowMs }: Asked,
  found: readonly PayoutHistory[],
): Promise<OperatorOutcome> {
  const seqs = found.map(({ row }) => row.seq);
  switch (verb) {
    case 'resume':
      return await resumePayouts(journal, seqs, nowMs);
    case 'cancel':
      return await cancelPayouts(journal, seqs, nowMs);
    case 'retry':
      return await retryPayouts(journal, found, rules, nowMs);
  }
}

/**
 * A row in an archive is looked at there: only one that will change brings its batch back, which may be large.
 * @returns why it stays as it is; undefined for one that stands in the journal now
 */
async function refuseArchived(
  { journal, verb, rules, nowMs }: Asked,
  one: Pick<PayoutHistory, 'row' | 'batch'>,
): Promise<string | undefined> {
  const { batchId } = one.batch;
  if ((await journal.archived('batch', [batchId])).length === 0) return undefined;
  const why = await findRefusal(journal, verb, one, rules, nowMs);
  if (why === undefined) await journal.recall('batch', [batchId], nowMs);
  return why;
}

/** The same for a batch whose rows are to be tried again. */
async function refuseArchivedBatch(
  { journal, rules, nowMs }: Asked,
  batch: Batch,
): Promise<OperatorOutcome | undefined> {
  const { batchId } = batch;
  if ((await journal.archived('batch', [batchId])).length === 0) return undefined;
  const refusal = await findRetryRefusal(journal, batch, rules, nowMs);
  if (refusal === undefined) await journal.recall('batch', [batchId], nowMs);
  return refusal;
}
