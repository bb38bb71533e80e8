/**
 * The tables of a reconciled day in the statements folder: complete files that appear at once and are never
 * overwritten.
 */
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { byteOrderMark, escapeQuickly } from '../../platform/csv/spreadsheet-cells.ts';
import { openTable, type TableForm } from '../../platform/csv/table-writer.ts';
import {
  AtomicFile,
  failWith,
  findOldTemporaries,
  type PreparedFile,
  publishFile,
} from '../../platform/durable-file.ts';
import { breakColumns, matchedColumns, statementAmountColumns } from '../rules/rows.ts';
import { openStatementFolder } from './originals.ts';

/** Records formatted and written at once. */
const recordsPerWrite = 500;

const comma = 0x2c;
const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A cell for the CSV; nearly all need no quotes. */
function quoteCell(cell: string): string {
  for (let place = 0; place < cell.length; place += 1) {
    const code = cell.charCodeAt(place);
    if (code > comma) continue;
    if (code === comma || code === quote || code === lineFeed || code === carriageReturn)
      return `"${cell.replaceAll('"', '""')}"`;
  }
  return cell;
}

/**
 * Makes a fast formatter, since there are as many rows as payouts, all of one width. Most cells equal those of the row
 * before, so each column's last cell and its formatted text are cached.
 */
function makeFormat(columns: readonly string[]): TableForm['format'] {
  const areAmounts = columns.map((name) => statementAmountColumns.includes(name));
  const last: string[] = [];
  const written: string[] = [];
  const formatRow = (record: readonly string[]): string => {
    for (let place = 0; place < record.length; place += 1) {
      const cell = record[place] ?? '';
      if (cell === last[place]) continue;
      last[place] = cell;
      written[place] = quoteCell(escapeQuickly(cell, areAmounts[place] === true));
    }
    return written.join(',');
  };
  return (records) => {
    let text = '';
    for (const record of records) text += `${formatRow(record)}\r\n`;
    return text;
  };
}

/**
 * Handles temporary files not written to since `beforeMs`: those of accepted versions are published, since a process
 * may have died before it named them; incomplete ones of a crash are removed.
 * @param accepted the files of every accepted version
 * @returns why files of accepted versions could not be published, in words; these stay for a later try
 */
async function finishLeftovers(
  root: string,
  beforeMs: number,
  accepted: readonly PreparedFile[],
): Promise<readonly string[]> {
  // Matched by name, since the folder may have been moved.
  const known = new Map(accepted.map((file) => [basename(file.temporaryPath), file]));
  const failures: string[] = [];
  for (const name of await findOldTemporaries(root, leftoverPattern, beforeMs)) {
    const temporaryPath = join(root, name);
    const file = known.get(name);
    try {
      if (file === undefined) await rm(temporaryPath, { force: true });
      else await publishFile({ path: join(root, basename(file.path)), temporaryPath, sha256: file.sha256 });
    } catch (error) {
      const failure = failWith('clean up', temporaryPath, error);
      if (file === undefined) throw failure;
      failures.push(failure.message);
    }
  }
  return failures;
}

const leftoverPattern = /\.v\d+\.(?:matched|breaks)\.csv$/;

export type StatementOutbox = Awaited<ReturnType<typeof openStatementOutbox>>;

/**
 * Opens the folder for a day's tables, beside the bank's own file; it is created (for its owner only) if necessary.
 * @throws OutputFileError here and from every method, naming the path and the cure
 */
export async function openStatementOutbox(folder: string) {
  const root = await openStatementFolder(folder);
  const open = async (name: string, columns: readonly string[]) => {
    const form = { start: byteOrderMark, format: makeFormat(columns), recordsPerWrite };
    return openTable(await AtomicFile.open(join(root, name)), form);
  };
  return {
    openMatched: (name: string) => open(name, matchedColumns),
    openBreaks: (name: string) => open(name, breakColumns),
    publish: publishFile,
    finishLeftovers: (beforeMs: number, accepted: readonly PreparedFile[]) =>
      finishLeftovers(root, beforeMs, accepted),
  };
}
