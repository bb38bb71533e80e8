/** The tables of a reconciled day in the statements folder: whole files that appear at once and are never overwritten. */
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { stringify } from 'csv-stringify/sync';
import type { PreparedFile, TableDraft } from '../core/report-outbox.ts';
import type { StatementOutbox } from '../core/statement-outbox.ts';
import { breakColumns, statementAmountColumns } from '../core/statement-rows.ts';
import { AtomicFile, errorCode, failWith, publishFile, readTemporaryName } from './atomic-file.ts';
import { byteOrderMark } from './exceptions-file.ts';
import { formatResultRecords } from './result-file.ts';
import { escapeAmountCell, escapeSpreadsheetCell } from './spreadsheet.ts';

/** Records that are formatted and written at once. */
const recordsPerWrite = 500;

const comma = 0x2c;
const quote = 0x22;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** True for a row of so many cells, joined with commas, in which no cell is to be quoted. */
function isPlainRow(row: string, cells: number): boolean {
  let commas = 0;
  for (let place = 0; place < row.length; place += 1) {
    const code = row.charCodeAt(place);
    if (code > comma) continue;
    if (code === comma) commas += 1;
    else if (code === quote || code === lineFeed || code === carriageReturn) return false;
  }
  return commas === cells - 1;
}

/** As formatResultRecords writes them; a row without anything to quote, as nearly all are, is joined at once. */
function formatMatchedRecords(records: readonly (readonly string[])[]): string {
  let text = '';
  for (const record of records) {
    const row = record.join(',');
    text += isPlainRow(row, record.length) ? `${row}\n` : formatResultRecords([record]);
  }
  return text;
}

const amountPlaces: ReadonlySet<number> = new Set(
  statementAmountColumns.map((name) => (breakColumns as readonly string[]).indexOf(name)),
);

function formatBreakRecords(records: readonly (readonly string[])[]): string {
  const escaped = records.map((record) =>
    record.map((cell, place) =>
      amountPlaces.has(place) ? escapeAmountCell(cell) : escapeSpreadsheetCell(cell),
    ),
  );
  return stringify(escaped, { record_delimiter: '\r\n' });
}

class Draft implements TableDraft {
  readonly #file: AtomicFile;
  readonly #format: (records: readonly (readonly string[])[]) => string;
  #start: string;
  #pending: (readonly string[])[] = [];

  constructor(file: AtomicFile, start: string, format: (records: readonly (readonly string[])[]) => string) {
    this.#file = file;
    this.#start = start;
    this.#format = format;
  }

  add(record: readonly string[]): Promise<void> | undefined {
    this.#pending.push(record);
    return this.#pending.length < recordsPerWrite ? undefined : this.#writePending();
  }

  async #writePending(): Promise<void> {
    const text = this.#start + this.#format(this.#pending);
    this.#pending = [];
    this.#start = '';
    await this.#file.write(text);
  }

  async finish(): Promise<PreparedFile> {
    await this.#writePending();
    return await this.#file.finish();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#file[Symbol.asyncDispose]();
  }
}

const leftoverPattern = /\.v\d+\.(?:matched|breaks)\.csv$/;

async function removeLeftovers(root: string, beforeMs: number): Promise<void> {
  try {
    for (const name of await readdir(root)) {
      if (!leftoverPattern.test(readTemporaryName(name) ?? '')) continue;
      const path = join(root, name);
      if ((await stat(path)).mtimeMs < beforeMs) await rm(path, { force: true });
    }
  } catch (error) {
    // Another process may have finished with one meanwhile.
    if (errorCode(error) !== 'ENOENT') throw failWith('clean up', root, error);
  }
}

/**
 * The statements folder, which is created (for its owner only) when it is not there.
 * @throws OutputFileError here and from every method, naming the path and the cure
 */
export async function openStatementOutbox(folder: string): Promise<StatementOutbox> {
  const root = resolve(folder);
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw failWith('create', root, error);
  }
  const open = async (name: string, start: string, format: typeof formatBreakRecords) =>
    new Draft(await AtomicFile.open(join(root, name)), start, format);
  return {
    openMatched: (name) => open(name, '', formatMatchedRecords),
    openBreaks: (name) => open(name, byteOrderMark, formatBreakRecords),
    publish: publishFile,
    removeLeftovers: (beforeMs) => removeLeftovers(root, beforeMs),
  };
}
