/** What is to be known of a person's file before it is taken: that it is one, and of which day. */
import { basename } from 'node:path';
import { parseBangkokDate } from '../core/bangkok-time.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import { FileRejected, openRegularFile } from '../platform/csv/open.ts';
import { findDate, type StatementKit } from '../reconcile/fetch.ts';
import type { StatementRefusal } from '../reconcile/ports.ts';
import { SettingsError } from '../settings/secrets.ts';

/** Why there is no file that can be read; undefined when there is. */
export async function findNoFile(path: string): Promise<StatementRefusal | undefined> {
  try {
    const { handle } = await openRegularFile(path);
    await handle.close();
    return undefined;
  } catch (error) {
    if (error instanceof FileRejected) return error.rejection;
    throw error;
  }
}

/** YYYYMMDD by the file's name, which ends in the day (§2.7); undefined for any other name. */
function readNamedDay(path: string): string | undefined {
  const named = /(?:^|_)(\d{8})(?=\D*$)/.exec(basename(path))?.[1];
  return named !== undefined && parseBangkokDate(named) !== undefined ? named : undefined;
}

/**
 * YYYYMMDD as asked for, else by the file's name, else by its lines; or why nothing can be read in it.
 * @throws SettingsError when it can be read and does not tell, or when its name tells another day than was asked for
 */
export async function findDay(
  kit: StatementKit,
  path: string,
  asked: string | undefined,
): Promise<string | StatementRefusal> {
  const named = readNamedDay(path);
  // Under a wrong day all of ours would be missing at the bank, and nothing of the bank's known.
  if (asked !== undefined && named !== undefined && asked !== named)
    throw new SettingsError(
      `--date says ${showDate(asked)}, and the name of the file ${showDate(named)}: leave --date out, or rename the file if its name is wrong`,
    );
  const found = asked ?? named ?? (await findDate(kit, path));
  if (found !== undefined) return found;
  throw new SettingsError(
    'neither the name of the file nor its first lines tell the day: add --date YYYY-MM-DD',
  );
}
