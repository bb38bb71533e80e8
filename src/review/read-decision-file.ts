/** Reads a filled-in exceptions file from the disk, as CSV or as a workbook. */
import { message } from '../core/message.ts';
import { CsvError, parse } from 'csv-parse/sync';
import {
  inspectFile,
  FileRejected,
  openRegularFile,
  requireUnchanged,
  type OpenedFile,
} from '../platform/csv/open.ts';
import { type Delimiter, openText } from '../platform/csv/records.ts';
import { beginsAsArchive, readSheet, readWorkbookBytes } from '../platform/workbook/reader.ts';
import type { SheetRow } from '../platform/workbook/sheet.ts';
import type { FileRejection } from '../core/payout-file.ts';
import { findUncut } from '../intake/rules/cut-amounts.ts';
import { describeStrange, GuessedThai } from '../intake/rules/guessed-thai.ts';
import { findColumns } from '../reports/rules/column-words.ts';
import { type DecisionReading, type FiledRecord, readDecisions } from './rules/decision-file.ts';

/** The limit in bytes; a file of 100,000 exceptions has some 60 MB. */
const bytesMax = 134_217_728;
const recordsMax = 100_000;

const sheetName = 'Exceptions';

export type DecisionFileReading =
  DecisionReading | { readonly kind: 'rejected'; readonly rejection: FileRejection };

const delimiters: readonly Delimiter[] = [',', ';', '\t'];

/** The first line that spreadsheets write into some files: `sep=;`. */
const separatorLine = /^sep=.\r?\n/;

/** A record, and the line of the file at which it ends. */
interface CsvRecord {
  readonly record: readonly string[];
  readonly info: { readonly lines: number };
}

const csvOptions = {
  info: true,
  relax_column_count: true,
  skip_empty_lines: true,
  record_delimiter: ['\r\n', '\n', '\r'],
};

/** More characters than any header line has. */
const headCharacters = 65_536;

/** Chooses the delimiter under which the header names most of paydrop's columns. */
function chooseDelimiter(text: string): Delimiter {
  const head = text.slice(0, headCharacters);
  const counted = delimiters.map((delimiter) => {
    const [first] = parse(head, {
      ...csvOptions,
      delimiter,
      to: 1,
      relax_quotes: true,
    }) as unknown as CsvRecord[];
    return { delimiter, found: Object.keys(findColumns(first?.record ?? []).places).length };
  });
  return counted.toSorted((one, other) => other.found - one.found)[0]?.delimiter ?? ',';
}

const countBreaks = (cells: readonly string[]): number => cells.join('').match(/\r\n?|\n/g)?.length ?? 0;

/** Marks each new amount that a comma may have cut; an amount with two decimals is complete. */
function markCutAmounts(records: readonly FiledRecord[]): readonly FiledRecord[] {
  const place = findColumns(records[0]?.cells ?? []).places['newAmount'];
  if (place === undefined) return records;
  return records.map((record) => {
    const found = findUncut({ cells: record.cells, quoted: [] }, place);
    if (found === undefined) return record;
    const why = message('decision-file.amount-cut', { uncut: found.uncut });
    return { ...record, faults: [{ place, code: 'amount-cut', message: why }] };
  });
}

function parseRecords(text: string): readonly FiledRecord[] {
  try {
    const plain = text.replace(separatorLine, '\n');
    const delimiter = chooseDelimiter(plain);
    const parsed = parse(plain, { ...csvOptions, delimiter }) as unknown as CsvRecord[];
    const records = parsed.map(({ record, info }) => ({
      line: info.lines - countBreaks(record),
      cells: record,
    }));
    return delimiter === ',' ? markCutAmounts(records) : records;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new FileRejected(
      'quote-misplaced',
      message('decision-file.quote-misplaced'),
      typeof error['lines'] === 'number' ? error['lines'] : null,
    );
  }
}

async function readCsv(path: string): Promise<readonly FiledRecord[]> {
  const inspection = await inspectFile(path, { encoding: 'auto', bytesMax });
  await using file = await openRegularFile(path);
  await requireUnchanged(file, inspection);
  const { head, rest } = await openText(file, inspection);
  const blocks = [head];
  for await (const block of rest) blocks.push(Buffer.from(block));
  const text = Buffer.concat(blocks).toString('utf8');
  const guess = new GuessedThai();
  if (inspection.encoding === 'windows-874') guess.look(text, 1);
  if (guess.strange !== undefined)
    throw new FileRejected('encoding-unclear', describeStrange(guess.strange), guess.strange.line);
  return parseRecords(text);
}

/** Marks the filled-in cells of hidden columns in a record. */
function markHidden(row: SheetRow, hiddenColumns: readonly number[]): FiledRecord {
  const filled = hiddenColumns.filter((place) => (row.cells[place] ?? '').trim() !== '');
  const hidden = filled.map((place) => ({
    place,
    code: 'column-hidden',
    message: message('decision-file.column-hidden'),
  }));
  return { ...row, faults: [...row.faults, ...hidden] };
}

async function readWorkbook(file: OpenedFile): Promise<FiledRecord[]> {
  const records: FiledRecord[] = [];
  let hiddenColumns: readonly number[] = [];
  for await (const part of readSheet(await readWorkbookBytes(file), { preferredName: sheetName })) {
    if ('name' in part) ({ hiddenColumns } = part);
    else records.push(...part.map((row) => markHidden(row, hiddenColumns)));
    requireFew(records);
  }
  return records;
}

function requireFew(records: readonly FiledRecord[]): void {
  if (records.length <= recordsMax) return;
  throw new FileRejected('rows-over-limit', message('decision-file.too-many-rows', { most: recordsMax }));
}

async function readRecords(path: string): Promise<readonly FiledRecord[]> {
  await using file = await openRegularFile(path);
  if (file.sizeBytes > bytesMax)
    throw new FileRejected('bytes-over-limit', message('decision-file.too-many-bytes', { most: bytesMax }));
  const records = (await beginsAsArchive(file)) ? await readWorkbook(file) : await readCsv(path);
  requireFew(records);
  await requireUnchanged(file, file);
  return records;
}

/** Reads the decisions of a file: all of them, every issue by its line, or the reason why the file is unreadable. */
export async function readDecisionFile(path: string): Promise<DecisionFileReading> {
  try {
    return readDecisions(await readRecords(path));
  } catch (error) {
    if (error instanceof FileRejected) return { kind: 'rejected', rejection: error.rejection };
    throw error;
  }
}
