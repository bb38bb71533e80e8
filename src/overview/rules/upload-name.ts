/** The name of an uploaded file in the inbox. */
import { cutToBytes, replaceUnsafe } from '../../reports/rules/report-names.ts';
import { isIgnoredName } from '../../watch/rules/drop-folder.ts';

/** Longest stem: with extension, marker and temporary suffix the name stays below 255 bytes. */
const stemBytesMax = 190;

/**
 * The last part of the browser's name, with unsafe characters replaced.
 * @returns undefined for a file that is neither `.csv` nor `.xlsx`, and for a name that the inbox ignores
 */
export function makeUploadName(given: string): string | undefined {
  const last = given.split(/[/\\]/).at(-1) ?? '';
  const ending = /\.(?:csv|xlsx)$/i.exec(last)?.[0];
  if (ending === undefined) return undefined;
  const stem = replaceUnsafe(last.slice(0, -ending.length).trim());
  const kept = cutToBytes(stem, stemBytesMax).trim();
  // A hidden file, or an office program's own, is no payout file.
  if (kept === '' || isIgnoredName(last) || isIgnoredName(kept + ending)) return undefined;
  return kept + ending;
}
