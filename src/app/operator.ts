/** An operator's word on a batch or a payout: it works beside whoever is sending. */
import {
  cancelBatch,
  cancelPayouts,
  type OperatorResult,
  resumeBatch,
  resumePayouts,
  retryBatch,
  retryPayouts,
} from '../payout/operator.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { requireJournal } from './open-store.ts';

export type OperatorVerb = 'resume' | 'cancel' | 'retry';

export type OperatorOutcome = OperatorResult;

/** What has become of one target. */
export interface ChangedTarget {
  readonly target: string;
  /** Undefined when nothing is called so. */
  readonly outcome: OperatorOutcome | undefined;
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
  await using journal = await requireJournal(loaded);
  for (const target of new Set(targets))
    yield { target, outcome: await changeTarget(journal, loaded, verb, target) };
}

async function changeTarget(
  journal: Store,
  loaded: LoadedSettings,
  verb: OperatorVerb,
  target: string,
): Promise<OperatorOutcome | undefined> {
  const nowMs = systemClock.now();
  const rules = { payoutSatangMax: loaded.limits.satangPerPayout };
  // What it names may be changed: it is to stand in the journal.
  await journal.recall('batch', [target.toUpperCase()], nowMs);
  for (const by of ['payoutId', 'transRefNo'] as const) await journal.recall(by, [target], nowMs);
  const batch = await journal.batch(target.toUpperCase());
  if (batch !== undefined) {
    switch (verb) {
      case 'resume':
        return await resumeBatch(journal, batch, nowMs, loaded.settings.bank.payerAccount);
      case 'cancel':
        return await cancelBatch(journal, batch, nowMs);
      case 'retry':
        return await retryBatch(journal, batch, rules, nowMs);
    }
  }
  const found = await journal.findPayouts(target);
  if (found.length === 0) return undefined;
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
