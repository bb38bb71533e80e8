/** `transfer.askFirst`: whether paydrop asks the bank about the next reference before each new attempt. */
import type { Clock } from '../core/ports.ts';
import { isNewJournal } from '../payout/rules/lost-journal.ts';
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

/** Time since which an adopted journal may lack what its original has sent. */
export const makeMissesSince = (journal: Pick<Beginnings, 'missesSinceMs'>) => (): number | undefined =>
  journal.missesSinceMs;
