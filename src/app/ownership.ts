/** Files that other users could change: settings, secrets, the data directory, and paydrop's folders in the inbox. */
import { dirname, join, resolve } from 'node:path';
import { type Keeping, lookForForeignHand } from '../platform/ownership.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';

function listGuarded({ path, settings, dataDir, folders }: LoadedSettings): readonly [string, Keeping][] {
  const { bank, journal, notices, review, registration } = settings;
  const { keysFile, tls } = registration.callbacks;
  const named = [
    bank.clientSecretFile,
    journal.urlFile,
    notices.webhookSecretFile,
    review.tokenFile,
    keysFile,
    tls.keyFile,
  ];
  const own = [
    path,
    ...named.flatMap((file) => (file ? [resolve(dirname(path), file)] : [])),
    dataDir,
    join(folders.inbox, '.paydrop'),
  ];
  return [...own.map((one): [string, Keeping] => [one, 'own']), [folders.inbox, 'shared']];
}

/** Each finding with the command that mends it. */
function findForeignHands(loaded: LoadedSettings): readonly string[] {
  return listGuarded(loaded).flatMap(([path, keeping]) => lookForForeignHand(path, keeping) ?? []);
}

/**
 * Refuses to work where another user could change who is paid. Against a sandbox, which pays no payee, it only warns.
 * @throws SettingsError with the commands that mend it
 */
export function requireOwnHands(loaded: LoadedSettings, warn: (text: string) => void): void {
  const found = findForeignHands(loaded);
  if (found.length === 0) return;
  if (!loaded.isSandbox) throw new SettingsError(found.join('\n'));
  for (const one of found) warn(`paydrop: ${one} (refused with a real bank)`);
}
