/**
 * What a journal leaves outside its own folder: its stamp in the inbox, reports in the outbox, files in the archive. A
 * journal that knows nothing of them is not the one that paid them.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode } from '../platform/durable-file.ts';
import { readReportName } from '../reports/rules/report-names.ts';
import type { Folders } from '../settings/settings.ts';

/** None where the folder is not there. */
async function listFolder(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  }
}

const stampName = join('.paydrop', 'journal.json');

/** Paths of what bears witness to another journal, one of each folder; none where a journal may begin. */
export async function findTraces({ inbox, outbox, archive }: Folders): Promise<readonly string[]> {
  const found: string[] = [];
  const stamp = await readFile(join(inbox, stampName), 'utf8').catch(() => undefined);
  if (stamp !== undefined) found.push(join(inbox, stampName));
  const report = (await listFolder(outbox)).find((name) => readReportName(name) !== undefined);
  if (report !== undefined) found.push(join(outbox, report));
  for (const day of await listFolder(archive)) {
    const [file] = await listFolder(join(archive, day)).catch(() => [day]);
    if (file === undefined) continue;
    found.push(join(archive, day));
    break;
  }
  return found;
}
