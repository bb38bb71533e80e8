/** Output of `archive`: how much has moved, and what keeps the other batches. */
import { inEnglish } from '../../core/message.ts';
import type { Archived } from '../../app/archive.ts';
import { listOf, viewOf } from '../../core/view.ts';
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

const movedView = viewOf<ArchiveFacts>()('archived batch', {
  batchId: ({ batchId }) => batchId,
  file: ({ fileName }) => fileName,
  rows: ({ rows }) => rows,
});

const staysView = viewOf<Archived['stays'][number]>()('batch that stays', {
  batchId: ({ batch }) => batch.batchId,
  file: ({ batch }) => batch.fileName,
  rows: ({ batch }) => batch.rows,
  code: ['text', 'code of what keeps it', ({ obstacle }) => obstacle.code],
  text: ['advice', 'what keeps it', ({ obstacle }) => obstacle.text],
});

/** The result of `archive`. @forTests */
export const archivedView = viewOf<Archived & { readonly isDryRun: boolean }>()('archiving', {
  archive: ['text', 'name of the archive', ({ archive }) => archive],
  isDryRun: ['flag', 'whether nothing was moved'],
  isStopped: ['flag', 'whether it was interrupted'],
  moved: [listOf(movedView), 'batches that moved, or would'],
  stays: [listOf(staysView), 'batches that stay'],
  bytesGivenBack: ['number', 'bytes by which the journal is smaller'],
});

export function showArchived(archived: Archived, isDryRun: boolean): Shown {
  const { stays, isStopped } = archived;
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
  return { json: archivedView.json({ ...archived, isDryRun }), text: toLines(lines) };
}
