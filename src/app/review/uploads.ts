/** Files that come through the page: checked as `paydrop check` does, and dropped where the watcher takes them. */
import { join } from 'node:path';
import { Uploads } from '../../overview/uploads.ts';
import { systemClock } from '../../platform/clock.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { checkAlone, digestFile } from '../check.ts';
import { makeReader } from '../open-store.ts';

/** Under `dataDir`. */
const folderName = 'uploads';

/** @param clock of the page */
export async function openUploads(
  loaded: LoadedSettings,
  store: Store,
  clock: { readonly now: () => number } = systemClock,
): Promise<Uploads> {
  const checking = { loaded, reader: await makeReader(loaded), journal: store };
  return Uploads.open({
    folder: join(loaded.dataDir, folderName),
    inbox: loaded.folders.inbox,
    isMarkerExpected: loaded.settings.watch.marker === 'done',
    bytesMax: loaded.limits.bytesPerFile,
    clock,
    store,
    check: async (path, report) => checkAlone(checking, path, (_kind, found) => report(found)),
    digest: async (path, without) => digestFile(checking, path, without),
  });
}
