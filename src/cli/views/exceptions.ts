/** Output of `exceptions` about the file that it has written. */
import type { WrittenExceptions } from '../../app/exceptions.ts';
import { viewOf } from '../../core/view.ts';
import { toLines } from '../../core/outgoing-text.ts';
import { countOf } from './amounts.ts';
import { showPath, type Shown } from './shown.ts';

/** The file that `exceptions --out` wrote. @forTests */
export const exceptionsView = viewOf<WrittenExceptions & { readonly form: string }>()('written exceptions', {
  path: ({ path }) => path,
  form: ['text', 'xlsx or csv'],
  exceptions: ({ rows }) => rows,
  batches: ['number', 'batches that they are of'],
  isTooLong: ['flag', 'whether it is CSV because a workbook would have too many rows'],
});

/** @param rowsMax output.workbookRows */
export function showWrittenExceptions(written: WrittenExceptions, rowsMax: number): Shown {
  const { path, rows, batches, isTooLong } = written;
  const form = path.toLowerCase().endsWith('.xlsx') ? 'xlsx' : 'csv';
  const what =
    rows === 0
      ? 'Nothing needs a person'
      : `${countOf(rows, 'exception')} of ${countOf(batches, 'batch', 'batches')}`;
  const why = `CSV, not a workbook: more than output.workbookRows (${countOf(rowsMax, 'row')})`;
  return {
    json: exceptionsView.json({ ...written, form }),
    text: toLines([`${showPath(path)}: ${what}`, ...(isTooLong ? [why] : [])]),
  };
}
