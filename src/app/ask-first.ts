/** `transfer.askFirst`: whether paydrop asks the bank about the next reference before each new attempt. */
import type { Clock } from '../core/ports.ts';
import { isInQuestion, isNewJournal } from '../payout/rules/lost-journal.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';

/** The beginnings of a journal, as known now. */
type Beginnings = Pick<Store, 'newSinceMs' | 'missesSinceMs'>;

export function makeAskFirst(
  { settings, isSandbox }: LoadedSettings,
  journal: Pick<Beginnings, 'newSinceMs'>,
  clock: Clock,
): () => Promise<boolean> {
  const { askFirst } = settings.transfer;
  const { baseUrl } = settings.bank;
  let kind: 'sandbox' | 'bank' | undefined = isSandbox ? 'sandbox' : undefined;
  return async () => {
    if (askFirst !== 'newJournal') return askFirst === 'always';
    if (kind === 'sandbox' || !isNewJournal(journal.newSinceMs, clock.now())) return false;
    if (kind === undefined) {
      const { askServerKind } = await import('../bank/sandbox-server.ts');
      const said = await askServerKind(baseUrl);
      // A server that gives no answer now counts as a bank, and is asked again.
      if (said !== 'unknown') kind = said;
    }
    return kind !== 'sandbox';
  };
}

/**
 * Whether the bank may have registrations that the journal does not know: a part of it was lost, or it is new, as
 * `transfer.askFirst` understands it.
 */
export function makeMayMissAttempts(
  loaded: LoadedSettings,
  journal: Pick<Store, 'newSinceMs' | 'readMoments' | 'loss'>,
  clock: Clock,
): () => Promise<boolean> {
  const past = { newSinceMs: journal.newSinceMs };
  const asksFirst = makeAskFirst(loaded, past, clock);
  return async () => {
    if (isInQuestion(await journal.loss())) return true;
    past.newSinceMs = ((await journal.readMoments?.()) ?? journal).newSinceMs;
    return asksFirst();
  };
}

/** Since when an adopted journal may miss what its original has sent. */
export const makeMissesSince = (journal: Pick<Beginnings, 'missesSinceMs'>) => (): number | undefined =>
  journal.missesSinceMs;
