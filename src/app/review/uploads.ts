/** Files that come through the page: checked as `paydrop check` does, and dropped where the watcher takes their kind. */
import { join } from 'node:path';
import { Uploads } from '../../overview/uploads.ts';
import { systemClock } from '../../platform/clock.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { checkAlone, checkRegistrationFile, digestFile, isRegistrationFile, type Report } from '../check.ts';
import { makeReader } from '../open-store.ts';
import { registrationsInbox } from '../session.ts';

/** Folder below `dataDir`. */
const folderName = 'uploads';

/** @param clock of the page */
export async function openUploads(
  loaded: LoadedSettings,
  store: Store,
  clock: { readonly now: () => number } = systemClock,
): Promise<Uploads> {
  const checking = { loaded, reader: await makeReader(loaded), journal: store };
  const { inbox } = loaded.folders;
  return Uploads.open({
    folder: join(loaded.dataDir, folderName),
    inboxes: { payout: inbox, registration: join(inbox, registrationsInbox) },
    isMarkerExpected: loaded.settings.watch.marker === 'done',
    bytesMax: loaded.limits.bytesPerFile,
    clock,
    store,
    check: async (path, report) => {
      const reportAny: Report = (_kind, found) => report(found);
      const outcome = await checkAlone(checking, path, reportAny);
      return isRegistrationFile(outcome) ? checkRegistrationFile(checking, path, reportAny) : outcome;
    },
    digest: async (path, without) => digestFile(checking, path, without),
  });
}
