/** The name under which an uploaded file goes into the inbox. */
import { cutToBytes, replaceUnsafe } from '../../reports/rules/report-names.ts';
import { isIgnoredName } from '../../watch/rules/drop-folder.ts';

/** With an ending, a marker's ending and what a temporary name adds it stays below 255 bytes. */
const stemBytesMax = 190;

/**
 * The last part of what a browser says, with what no system should meet in a name replaced.
 * @returns undefined for what is no `.csv` or `.xlsx`, and for a name that the inbox leaves alone
 */
export function makeUploadName(given: string): string | undefined {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const ending = /\.(?:csv|xlsx)$/i.exec(last)?.[0];
  if (ending === undefined) return undefined;
  const stem = replaceUnsafe(last.slice(0, -ending.length).trim());
  const kept = cutToBytes(stem, stemBytesMax).trim();
  // A name that was hidden, or an office program's own, is nobody's payout file.
  if (kept === '' || isIgnoredName(last) || isIgnoredName(kept + ending)) return undefined;
  return kept + ending;
}
