/** Output of `archive`: how much has moved, and what keeps the other batches. */
import { inEnglish } from '../../core/message.ts';
import type { Archived } from '../../app/archive.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { type ArchiveFacts, tablesArchive } from '../../payout/rules/archive.ts';
import { alignColumns, type Shown } from './shown.ts';

/** Staying batches that a screen lists; `--json` has them all. */
const shownMax = 20;
const bytesPerMb = 1_000_000;

const count = (number: number, one: string, many: string): string => `${number} ${number === 1 ? one : many}`;

const countRows = (batches: readonly ArchiveFacts[]): number =>
  batches.reduce((sum, { rows }) => sum + rows, 0);

function describeMoved({ archive, moved, stays, bytesGivenBack }: Archived, isDryRun: boolean): string {
  const what = `${count(moved.length, 'batch', 'batches')} with ${count(countRows(moved), 'row', 'rows')}`;
  if (moved.length === 0 && stays.length === 0) return 'No batch came to rest before that day.';
  if (moved.length === 0) return 'No batch may leave the journal.';
  if (isDryRun) return `${what} would move.`;
  const space =
    bytesGivenBack >= bytesPerMb
      ? ` The journal is ${Math.round(bytesGivenBack / bytesPerMb)} MB smaller.`
      : '';
  if (archive === tablesArchive) return `Moved ${what} into the archive of the database.`;
  return `Moved ${what} into ${archive ?? ''}: keep it beside journal.db.${space}`;
}

export function showArchived(archived: Archived, isDryRun: boolean): Shown {
  const { archive = null, moved, stays, bytesGivenBack, isStopped } = archived;
  const name = ({ batchId, fileName: file, rows }: ArchiveFacts) => ({ batchId, file, rows });
  const listed = stays
    .slice(0, shownMax)
    .map(({ batch, obstacle }) => [batch.batchId, inEnglish(obstacle.text)]);
  const more = stays.length - listed.length;
  const lines = [
    describeMoved(archived, isDryRun),
    ...(isStopped ? ['Interrupted: the same command goes on.'] : []),
    ...(stays.length === 0 ? [] : ['', ...alignColumns([['Batch', 'Stays, because'], ...listed])]),
    ...(more > 0 ? [`and ${more} more: --json lists them all`] : []),
  ];
  const json = {
    archive,
    isDryRun,
    isStopped,
    moved: moved.map(name),
    stays: stays.map(({ batch, obstacle }) => ({
      ...name(batch),
      code: obstacle.code,
      text: inEnglish(obstacle.text),
    })),
    bytesGivenBack,
  };
  return { json, text: toLines(lines) };
}
