/**
 * Payout files in: a first pass says what the file is, a second reads its rows and must meet the same
 * bytes. Neither keeps more than a block of the file in memory.
 */
import { createHash } from 'node:crypto';
import { showCell } from '../../core/cell-text.ts';
import { formatBaht, type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import type {
  FileEncoding,
  FileRejection,
  Inspection,
  Issue,
  RowCells,
  RowColumn,
  SealTotals,
  StagedRow,
} from '../../core/payout-file.ts';
import {
  FileRejected,
  inspectFile,
  type OpenedFile,
  openRegularFile,
  rejectChanged,
  requireUnchanged,
} from '../../platform/csv/open.ts';
import { type FileRecord, openText, RecordReader } from '../../platform/csv/records.ts';
import type { PayoutFileReader, ReadPart } from '../ports.ts';
import {
  type ControlTotals,
  findControlMismatch,
  readControlFile,
  readTrailer,
} from '../rules/control-totals.ts';
import { DuplicateIndex } from '../rules/duplicates.ts';
import { parseRow } from '../rules/row.ts';
import { type Header, type HeaderOptions, readHeader } from './csv-header.ts';

/** The settings' `input` and `limits`, in the units that the reader needs. */
export interface PayoutFileOptions extends HeaderOptions {
  readonly encoding: 'auto' | FileEncoding;
  readonly control: 'none' | 'trailer' | 'sidecar';
  readonly trailerMark: string;
  readonly finalLineEnd: 'required' | 'optional';
  readonly limits: PayoutFileLimits;
}

/** Null stands for no limit. */
export interface PayoutFileLimits {
  readonly rowsMax: number | null;
  readonly bytesMax: number | null;
  /** Larger payouts are held. */
  readonly payoutSatangMax: Satang | null;
  /** A larger total rejects the file. */
  readonly fileSatangMax: Satang | null;
}

/** A control file holds two numbers. */
const controlFileBytesMax = 65_536;

async function readSidecar(path: string): Promise<ControlTotals> {
  const sidecarPath = `${path}.control.json`;
  const about = (message: string): string => `${sidecarPath}: ${message}`;
  await using file = await openRegularFile(sidecarPath).catch((error: unknown) => {
    if (!(error instanceof FileRejected)) throw error;
    throw new FileRejected('control-missing', about(error.rejection.message));
  });
  if (file.sizeBytes > controlFileBytesMax)
    throw new FileRejected('control-unreadable', about('too large for a control file'));
  const text = await file.handle.readFile('utf8');
  const reading = readControlFile(text.replace(/^\ufeff/, ''));
  if (!reading.ok) throw new FileRejected(reading.code, about(reading.message));
  return reading.totals;
}

async function* readOpened(
  file: OpenedFile,
  inspection: Inspection,
  options: PayoutFileOptions,
  take: (bytes: Buffer) => void,
): AsyncGenerator<ReadPart, SealTotals> {
  const sidecar = options.control === 'sidecar' ? await readSidecar(inspection.path) : null;
  const { head, isWhole, rest } = await openText(file, inspection, take);
  const header = readHeader(head, isWhole, options);
  yield { kind: 'header', extraColumns: header.extraColumns };
  const records = new RecordReader(header.delimiter, header.cellCount, header.nextLine);
  const taker = new RowTaker(header, options);
  const takeAll = (found: readonly FileRecord[]): ReadPart => {
    const rows: StagedRow[] = [];
    for (const record of found) {
      const row = taker.take(record);
      if (row !== undefined) rows.push(row);
    }
    return { kind: 'rows', rows };
  };
  for await (const found of records.readAll(head.subarray(header.endOffset), rest)) yield takeAll(found);
  const last = takeAll(records.end());
  const totals = taker.finish(sidecar);
  if (options.control === 'none' && options.finalLineEnd === 'required' && !inspection.endsWithLineEnd) {
    const message =
      'the last line has no line end, so its last cell may be cut short: have the file written again, ' +
      'use control totals, or set input.finalLineEnd to optional';
    throw new FileRejected('line-end-missing', message, records.lastLine);
  }
  yield last;
  return totals;
}

async function* readPayoutFile(inspection: Inspection, options: PayoutFileOptions): AsyncGenerator<ReadPart> {
  await using file = await openRegularFile(inspection.path);
  try {
    await requireUnchanged(file, inspection);
    const hash = createHash('sha256');
    const totals = yield* readOpened(file, inspection, options, (bytes) => hash.update(bytes));
    await requireUnchanged(file, inspection);
    if (hash.digest('hex') !== inspection.sha256) throw rejectChanged();
    yield { kind: 'summary', totals };
  } catch (error) {
    if (error instanceof FileRejected) await requireUnchanged(file, inspection);
    throw error;
  }
}

function asRejected(error: unknown): { readonly kind: 'rejected'; readonly rejection: FileRejection } {
  if (error instanceof FileRejected) return { kind: 'rejected', rejection: error.rejection };
  throw error;
}

/** A reader of payout files under these settings. */
export function makePayoutFileReader(options: PayoutFileOptions): PayoutFileReader {
  const { encoding, limits } = options;
  return {
    inspect: (path) =>
      inspectFile(path, { encoding, bytesMax: limits.bytesMax }).then(
        (inspection) => ({ kind: 'inspected', inspection }),
        asRejected,
      ),
    async *read(inspection) {
      try {
        yield* readPayoutFile(inspection, options);
      } catch (error) {
        yield asRejected(error);
      }
    },
  };
}

// ---- Records to rows: the rules, duplicates within the file, totals, and the trailer row.

/** What a store with 64-bit integers can hold; no file that means well comes near it. */
const storableSatangMax = 2n ** 63n - 1n;

const noExtras: readonly string[] = [];

const misquotedText =
  'a quotation mark stands inside a cell: put the whole cell in quotation marks and double those inside';

function issueOfRow(line: number, code: string, message: string): Issue {
  return { line, column: null, code, value: null, message };
}

function miscounted({ cells, line }: FileRecord, header: Header, trailerMark: string): Issue {
  const isTrailer = cells[0]?.trim() === trailerMark;
  const many = 'a separator stands inside a cell, as in 1,234.50? put such a cell in quotation marks';
  const few = 'the row is cut short or cells are missing (empty ones need their separators too)';
  const what = isTrailer
    ? 'is it the trailer row? set input.control to trailer'
    : cells.length > header.cellCount
      ? many
      : few;
  return issueOfRow(
    line,
    'cell-count',
    `${cells.length} cells where the header has ${header.cellCount}: ${what}`,
  );
}

function pickCells(all: readonly string[], places: Header['places']): RowCells {
  const pick = (column: RowColumn): string => all[places[column] ?? -1] ?? '';
  return {
    payoutId: pick('payoutId'),
    proxyType: pick('proxyType'),
    proxyNo: pick('proxyNo'),
    payeeName: pick('payeeName'),
    amount: pick('amount'),
    reference1: pick('reference1'),
    reference2: pick('reference2'),
  };
}

/** Takes the records of one file, in order. */
class RowTaker {
  readonly #header: Header;
  readonly #options: PayoutFileOptions;
  readonly #duplicates = new DuplicateIndex();
  #trailer: FileRecord | undefined;
  #rows = 0;
  #totalSatang = zeroSatang;
  #unreadableAmounts = 0;
  #unreadableLine: number | null = null;

  constructor(header: Header, options: PayoutFileOptions) {
    this.#header = header;
    this.#options = options;
  }

  /**
   * The row that a record is; undefined for the trailer row.
   * @throws FileRejected when the file has too many rows, or rows after its trailer
   */
  take(record: FileRecord): StagedRow | undefined {
    this.#requireNoTrailer();
    if (this.#options.control === 'trailer' && record.cells[0]?.trim() === this.#options.trailerMark) {
      this.#trailer = record;
      return undefined;
    }
    this.#rows += 1;
    const { rowsMax } = this.#options.limits;
    if (rowsMax !== null && this.#rows > rowsMax) {
      const message = `the file has more rows than limits.rowsPerFile allows (${rowsMax}): split it`;
      throw new FileRejected('rows-over-limit', message, record.line);
    }
    const row = this.#rejectDuplicate(this.#read(record), record);
    if (row.amountSatang === null) {
      this.#unreadableAmounts += 1;
      this.#unreadableLine ??= record.line;
    } else this.#totalSatang = toSatang(this.#totalSatang + row.amountSatang);
    return row;
  }

  #requireNoTrailer(): void {
    if (this.#trailer === undefined) return;
    const message = `the trailer row (${this.#options.trailerMark}) must be the last: rows stand after it`;
    throw new FileRejected('control-not-last', message, this.#trailer.line);
  }

  #read(record: FileRecord): StagedRow {
    const { line, cells: all, isMisquoted } = record;
    const { places, extraPlaces, cellCount } = this.#header;
    const cells = pickCells(all, places);
    const extras = extraPlaces.length === 0 ? noExtras : extraPlaces.map((place) => all[place] ?? '');
    const unread = {
      rowNo: this.#rows,
      line,
      cells,
      extras,
      instruction: null,
      amountSatang: null,
      holds: [],
    };
    const misquoted = isMisquoted ? [issueOfRow(line, 'quote-misplaced', misquotedText)] : [];
    if (all.length !== cellCount) {
      // No cell can be trusted to be in its place: not even the amount is counted.
      const count = miscounted(record, this.#header, this.#options.trailerMark);
      return { ...unread, issues: [...misquoted, count] };
    }
    const parsed = parseRow(cells, line, this.#options.limits);
    if (isMisquoted)
      return { ...unread, amountSatang: parsed.amountSatang, issues: [...misquoted, ...parsed.issues] };
    if (parsed.instruction === null && all.every((cell) => cell.trim() === ''))
      return { ...unread, issues: [issueOfRow(line, 'row-empty', 'every cell is empty: remove the line')] };
    const { instruction, amountSatang, holds, issues } = parsed;
    return { rowNo: this.#rows, line, cells, instruction, amountSatang, holds, issues, extras };
  }

  #rejectDuplicate(row: StagedRow, record: FileRecord): StagedRow {
    const payoutId = row.cells.payoutId.trim();
    if (payoutId === '') return row;
    const { rowNo, line, instruction } = row;
    const seen = { rowNo, line, payoutId, cells: record.cells, isValid: instruction !== null };
    const verdict = this.#duplicates.add(seen);
    if (verdict.kind === 'new') return row;
    const first = `line ${verdict.firstLine} (row ${verdict.firstRowNo})`;
    const issue = {
      line: row.line,
      column: 'payoutId',
      code: verdict.kind === 'repeat' ? 'duplicate-repeat' : 'duplicate-differs',
      value: showCell(payoutId),
      message:
        verdict.kind === 'repeat'
          ? `this row repeats ${first} in every cell: only that one counts, remove the repeat`
          : `${first} has the same payoutId and other cells: all such rows are rejected, give each payout a payoutId of its own`,
    };
    return { ...row, instruction: null, holds: [], issues: [...row.issues, issue] };
  }

  /**
   * The totals, once the last record has been taken.
   * @param sidecar what the control file declares, when one is wanted
   * @throws FileRejected when there is no row, or totals are missing, differ or exceed a limit
   */
  finish(sidecar: ControlTotals | null): SealTotals {
    if (this.#rows === 0) {
      throw new FileRejected(
        'rows-missing',
        'the file has a header and no rows: have it written again',
        this.#header.nextLine,
      );
    }
    this.#requireControl(this.#declaredTotals(sidecar));
    this.#requireLimit();
    return {
      rows: this.#rows,
      totalSatang: this.#totalSatang,
      unreadableAmounts: this.#unreadableAmounts,
      conflictingRowNos: this.#duplicates.conflictingRowNos,
    };
  }

  #declaredTotals(sidecar: ControlTotals | null): ControlTotals | null {
    if (this.#options.control !== 'trailer') return sidecar;
    if (this.#trailer === undefined) {
      const message = `the last row must be ${this.#options.trailerMark},<rows>,<total>: the file is cut short, or input.control is wrong`;
      throw new FileRejected('control-missing', message);
    }
    const reading = readTrailer(this.#trailer.cells);
    if (!reading.ok) throw new FileRejected(reading.code, reading.message, this.#trailer.line);
    return reading.totals;
  }

  #requireControl(declared: ControlTotals | null): void {
    if (declared === null) return;
    const mismatch = findControlMismatch(declared, {
      rows: this.#rows,
      totalSatang: this.#totalSatang,
      unreadableAmounts: this.#unreadableAmounts,
      unreadableLine: this.#unreadableLine,
    });
    if (mismatch === undefined) return;
    throw new FileRejected(mismatch.code, mismatch.message, mismatch.line ?? this.#trailer?.line ?? null);
  }

  #requireLimit(): void {
    const { fileSatangMax } = this.#options.limits;
    const limit = fileSatangMax ?? toSatang(storableSatangMax);
    if (this.#totalSatang <= limit) return;
    const name = fileSatangMax === null ? 'any batch can hold' : 'limits.bahtPerBatch allows';
    const message = `the rows add up to ${formatBaht(this.#totalSatang)} baht, more than ${name} (${formatBaht(limit)}): split the file, or correct an amount`;
    throw new FileRejected('total-over-limit', message);
  }
}
