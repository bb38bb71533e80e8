/** An operator's word on a batch or a payout: it works beside whoever is sending. */
import * as operator from '../payout/operator.ts';
import { retryBatch, retryPayouts } from '../payout/operator.ts';
import type { PayoutHistory } from '../payout/ports.ts';
import { systemClock } from '../platform/clock.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Journal } from '../store/store.ts';
import { requireJournal } from './open-store.ts';

export type OperatorVerb = 'resume' | 'cancel' | 'retry';

export type OperatorOutcome = operator.OperatorResult;

/**
 * @param target a batch id, a payoutId or a transRefNo
 * @returns undefined when nothing is called that
 */
export async function changeTarget(
  loaded: LoadedSettings,
  verb: OperatorVerb,
  target: string,
): Promise<OperatorOutcome | undefined> {
  await using journal = await requireJournal(loaded);
  const nowMs = systemClock.now();
  const rules = { payoutSatangMax: loaded.limits.satangPerPayout };
  const batch = await journal.batch(target.toUpperCase());
  if (batch !== undefined) {
    switch (verb) {
      case 'resume':
        return await operator.resumeBatch(journal, batch, nowMs);
      case 'cancel':
        return await operator.cancelBatch(journal, batch, nowMs);
      case 'retry':
        return await retryBatch(journal, batch, rules, nowMs);
    }
  }
  const found = await journal.findPayouts(target);
  return found.length === 0 ? undefined : await changePayouts(journal, verb, found, rules, nowMs);
}

async function changePayouts(
  journal: Journal,
  verb: OperatorVerb,
  found: readonly PayoutHistory[],
  rules: Parameters<typeof retryPayouts>[2],
  nowMs: number,
): Promise<OperatorOutcome> {
  const seqs = found.map(({ row }) => row.seq);
  switch (verb) {
    case 'resume':
      return operator.resumePayouts(journal, seqs, nowMs);
    case 'cancel':
      return operator.cancelPayouts(journal, seqs, nowMs);
    case 'retry':
      return retryPayouts(journal, found, rules, nowMs);
  }
}
