/** `transfer.askFirst`: whether the bank is asked about the next reference before each new attempt. */
import type { Clock } from '../core/ports.ts';
import { isNewJournal } from '../payout/rules/lost-journal.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';

/** @param newSinceMs when the journal began, or last went on in a new place or after a loss; undefined when nobody knows */
export function makeAskFirst(
  { settings, isSandbox }: LoadedSettings,
  newSinceMs: number | undefined,
  clock: Clock,
): () => Promise<boolean> {
  const { askFirst } = settings.transfer;
  const { baseUrl } = settings.bank;
  let kind: 'sandbox' | 'bank' | undefined = isSandbox ? 'sandbox' : undefined;
  return async () => {
    if (askFirst !== 'newJournal') return askFirst === 'always';
    if (kind === 'sandbox' || !isNewJournal(newSinceMs, clock.now())) return false;
    if (kind === undefined) {
      const { askServerKind } = await import('../bank/sandbox-server.ts');
      const said = await askServerKind(baseUrl);
      // One that gives no answer now is taken for a bank, and asked again.
      if (said !== 'unknown') kind = said;
    }
    return kind !== 'sandbox';
  };
}

/** Since when an adopted journal may miss what its original has sent; like the journal itself, this is news for a while only. */
export const makeMissesSince =
  ({ newSinceMs, missesSinceMs }: Pick<Store, 'newSinceMs' | 'missesSinceMs'>, clock: Clock) =>
  (): number | undefined =>
    isNewJournal(newSinceMs, clock.now()) ? missesSinceMs : undefined;
