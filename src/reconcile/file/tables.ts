/** The tables of a reconciled day in the statements folder: whole files that appear at once and are never overwritten. */
import { readdir, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import {
  escapeAmountCell,
  escapeQuickly,
  escapeSpreadsheetCell,
} from '../../platform/csv/spreadsheet-cells.ts';
import { openTable, type TableForm } from '../../platform/csv/table-writer.ts';
import {
  AtomicFile,
  errorCode,
  failWith,
  publishFile,
  readTemporaryName,
} from '../../platform/durable-file.ts';
import type { PreparedFile } from '../../platform/durable-file.ts';
import { byteOrderMark } from '../../reports/outbox.ts';
import type { StatementOutbox } from '../ports.ts';
import { breakColumns, matchedColumns, statementAmountColumns } from '../rules/rows.ts';
import { openStatementFolder } from './originals.ts';

/** Records that are formatted and written at once. */
const recordsPerWrite = 500;

const comma = 0x2c;
const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** A cell as it stands between commas; nearly all stand there as they are. */
function quoteCell(cell: string): string {
  for (let place = 0; place < cell.length; place += 1) {
    const code = cell.charCodeAt(place);
    if (code > comma) continue;
    if (code === comma || code === quote || code === lineFeed || code === carriageReturn)
      return `"${cell.replaceAll('"', '""')}"`;
  }
  return cell;
}

const areMatchedAmounts = matchedColumns.map((name) => statementAmountColumns.includes(name));
const amountPlaces: ReadonlySet<number> = new Set(
  statementAmountColumns.map((name) => (breakColumns as readonly string[]).indexOf(name)),
);

/**
 * By hand, since there are as many rows as payouts, all of one width. Cells of most columns are those of the row before:
 * what a column held last is remembered, and what it became.
 */
function makeMatchedFormat(): TableForm['format'] {
  const last: string[] = [];
  const written: string[] = [];
  const formatRow = (record: readonly string[]): string => {
    for (let place = 0; place < record.length; place += 1) {
      const cell = record[place] ?? '';
      if (cell === last[place]) continue;
      last[place] = cell;
      written[place] = quoteCell(escapeQuickly(cell, areMatchedAmounts[place] === true));
    }
    return written.join(',');
  };
  return (records) => {
    let text = '';
    for (const record of records) text += `${formatRow(record)}\r\n`;
    return text;
  };
}

function formatBreakRecords(records: readonly (readonly string[])[]): string {
  const escaped = records.map((record) =>
    record.map((cell, place) =>
      amountPlaces.has(place) ? escapeAmountCell(cell) : escapeSpreadsheetCell(cell),
    ),
  );
  return stringify(escaped, { record_delimiter: '\r\n' });
}

const openMatchedForm = (): TableForm => ({
  start: byteOrderMark,
  format: makeMatchedFormat(),
  recordsPerWrite,
});
const breaksForm: TableForm = { start: byteOrderMark, format: formatBreakRecords, recordsPerWrite };

/** Names of temporary tables that nobody has written to since a moment. */
async function findOldTemporaries(root: string, beforeMs: number): Promise<readonly string[]> {
  const old: string[] = [];
  try {
    for (const name of await readdir(root)) {
      if (!leftoverPattern.test(readTemporaryName(name) ?? '')) continue;
      // Another process may have finished with it meanwhile.
      const modifiedMs = (await stat(join(root, name)).catch(ignoreMissing))?.mtimeMs ?? Infinity;
      if (modifiedMs < beforeMs) old.push(name);
    }
    return old;
  } catch (error) {
    throw failWith('clean up', root, error);
  }
}

function ignoreMissing(error: unknown): undefined {
  if (errorCode(error) !== 'ENOENT') throw error;
}

/** A process may have died after a version was accepted and before its files had their names. */
async function finishLeftovers(
  root: string,
  beforeMs: number,
  accepted: readonly PreparedFile[],
): Promise<readonly string[]> {
  // By name: the folder may have been moved since.
  const known = new Map(accepted.map((file) => [basename(file.temporaryPath), file]));
  const failures: string[] = [];
  for (const name of await findOldTemporaries(root, beforeMs)) {
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

/**
 * The statements folder, which is created (for its owner only) when it is not there.
 * @throws OutputFileError here and from every method, naming the path and the cure
 */
export async function openStatementOutbox(folder: string): Promise<StatementOutbox> {
  const root = await openStatementFolder(folder);
  const open = async (name: string, form: TableForm) =>
    openTable(await AtomicFile.open(join(root, name)), form);
  return {
    openMatched: (name) => open(name, openMatchedForm()),
    openBreaks: (name) => open(name, breaksForm),
    publish: publishFile,
    finishLeftovers: (beforeMs, accepted) => finishLeftovers(root, beforeMs, accepted),
  };
}
