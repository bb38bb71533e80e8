/** Records to rows, whatever the file's format: the rules, duplicates within the file, totals, and the trailer row. */
import { showCell, showProxy } from '../../core/cell-text.ts';
import { showBaht } from '../../core/figures.ts';
import { type Satang, toSatang, zeroSatang } from '../../core/money.ts';
import {
  type FileEncoding,
  type Issue,
  type RowCells,
  type RowColumn,
  rowColumns,
  type SealTotals,
  type StagedRow,
} from '../../core/payout-file.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import type { Delimiter, FileRecord } from '../../platform/csv/records.ts';
import type { SheetRow } from '../../platform/workbook/sheet.ts';
import {
  type ControlTotals,
  findControlMismatch,
  looksLikeTrailer,
  readTrailer,
} from '../rules/control-totals.ts';
import { DuplicateIndex } from '../rules/duplicates.ts';
import { parseRow } from '../rules/row.ts';
import type { Header, HeaderOptions } from './header.ts';

/** The settings' `input` and `limits`, in the units that the reader needs. */
export interface PayoutFileOptions extends HeaderOptions {
  readonly delimiter: 'auto' | Delimiter;
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

/** A record of the file; of a sheet with what may not be taken for what it looks like. */
export interface RowRecord extends FileRecord {
  readonly sheet?: Pick<SheetRow, 'faults' | 'isHidden'>;
}

/** What a store with 64-bit integers can hold; no file that means well comes near it. */
const storableSatangMax = 2n ** 63n - 1n;

const noExtras: readonly string[] = [];

const misquotedText =
  'a quotation mark stands inside a cell: put the whole cell in quotation marks and double those inside';

const hiddenText = 'the row is hidden in the sheet, so that nobody has looked at it: show it, or remove it';

/** A value is missing where these stand. */
const errorCodes: ReadonlySet<string> = new Set(['cell-error', 'cell-formula']);

function issueOfRow(line: number, code: string, message: string): Issue {
  return { line, column: null, code, value: null, message };
}

function miscounted({ cells, line, sheet }: RowRecord, header: Header, trailerMark: string): Issue {
  const isTrailer = cells[0]?.trim() === trailerMark;
  const beyond =
    'something stands to the right of the last heading: give that column a heading, or empty its cells';
  const many =
    sheet !== undefined
      ? beyond
      : 'a separator stands inside a cell, as in 1,234.50? put such a cell in quotation marks';
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
export class RowTaker {
  readonly #header: Header;
  readonly #options: PayoutFileOptions;
  readonly #duplicates = new DuplicateIndex();
  #trailer: RowRecord | undefined;
  /** The last row that is not blank, when it is no payment and looks like a trailer. */
  #unreadTrailer: RowRecord | undefined;
  readonly #counted = {
    rows: 0,
    totalSatang: zeroSatang,
    unreadableAmounts: 0,
    unreadableLine: null as number | null,
  };

  constructor(header: Header, options: PayoutFileOptions) {
    this.#header = header;
    this.#options = options;
  }

  /**
   * The row that a record is; undefined for the trailer row.
   * @throws FileRejected when the file has too many rows, or rows after its trailer
   */
  take(record: RowRecord): StagedRow | undefined {
    this.#requireNoTrailer();
    if (this.#options.control === 'trailer' && record.cells[0]?.trim() === this.#options.trailerMark) {
      this.#trailer = record;
      return undefined;
    }
    const counted = this.#counted;
    const before = { ...counted };
    counted.rows += 1;
    const { rowsMax } = this.#options.limits;
    if (rowsMax !== null && counted.rows > rowsMax) {
      const message = `the file has more rows than limits.rowsPerFile allows (${rowsMax}): split it`;
      throw new FileRejected('rows-over-limit', message, record.line);
    }
    const row = this.#rejectDuplicate(this.#read(record), record);
    if (record.cells.some((cell) => cell.trim() !== '')) {
      const isTrailer =
        row.instruction === null && looksLikeTrailer(record.cells, before, this.#header.cellCount);
      this.#unreadTrailer = isTrailer ? record : undefined;
    }
    if (row.amountSatang === null) {
      counted.unreadableAmounts += 1;
      counted.unreadableLine ??= record.line;
    } else counted.totalSatang = toSatang(counted.totalSatang + row.amountSatang);
    return row;
  }

  #requireNoTrailer(): void {
    if (this.#trailer === undefined) return;
    const message = `the trailer row (${this.#options.trailerMark}) must be the last: rows stand after it`;
    throw new FileRejected('control-not-last', message, this.#trailer.line);
  }

  #read(record: RowRecord): StagedRow {
    const { line, cells: all, isMisquoted } = record;
    const { places, extraPlaces, cellCount } = this.#header;
    const cells = pickCells(all, places);
    const extras = extraPlaces.length === 0 ? noExtras : extraPlaces.map((place) => all[place] ?? '');
    const row = { rowNo: this.#counted.rows, line, cells, extras };
    const unread = { ...row, instruction: null, amountSatang: null, holds: [] };
    const unfit = isMisquoted
      ? [issueOfRow(line, 'quote-misplaced', misquotedText)]
      : this.#findFaults(record);
    if (all.length !== cellCount) {
      // No cell can be trusted to be in its place: not even the amount is counted.
      const count = miscounted(record, this.#header, this.#options.trailerMark);
      return { ...unread, issues: [...unfit, count] };
    }
    const parsed = parseRow(cells, line, this.#options.limits);
    if (unfit.length > 0) {
      const columns = unfit.flatMap(({ column }) => column ?? []);
      const issues = parsed.issues.filter(({ column }) => column === null || !columns.includes(column));
      const amountSatang = columns.includes('amount') ? null : parsed.amountSatang;
      return { ...unread, amountSatang, issues: [...unfit, ...issues] };
    }
    if (parsed.instruction === null && all.every((cell) => cell.trim() === ''))
      return { ...unread, issues: [issueOfRow(line, 'row-empty', 'every cell is empty: remove the line')] };
    const { instruction, amountSatang, holds, issues } = parsed;
    return { rowNo: row.rowNo, line, cells, instruction, amountSatang, holds, issues, extras };
  }

  /** What a sheet shows and may not be taken for; in columns that are carried through, errors alone. */
  #findFaults({ line, cells, sheet }: RowRecord): Issue[] {
    if (sheet === undefined) return [];
    const { places, names } = this.#header;
    const hidden = sheet.isHidden ? [issueOfRow(line, 'row-hidden', hiddenText)] : [];
    const faults = sheet.faults.flatMap(({ place, code, message }): Issue[] => {
      const own = rowColumns.find((column) => places[column] === place);
      const isCarried = own === undefined && place < names.length;
      if (own === undefined && !(isCarried && errorCodes.has(code))) return [];
      const cell = cells[place] ?? '';
      const value = cell === '' ? null : own === 'proxyNo' ? showProxy(cell) : showCell(cell);
      return [{ line, column: own ?? names[place] ?? null, code, value, message }];
    });
    return [...hidden, ...faults];
  }

  #rejectDuplicate(row: StagedRow, record: RowRecord): StagedRow {
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
    const { rows, totalSatang, unreadableAmounts } = this.#counted;
    if (rows === 0) {
      const message = 'the file has a header and no rows: have it written again';
      throw new FileRejected('rows-missing', message, this.#header.nextLine);
    }
    this.#requireNoUnreadTrailer();
    this.#requireControl(this.#declaredTotals(sidecar));
    this.#requireLimit(totalSatang);
    const { conflictingRowNos } = this.#duplicates;
    return { rows, totalSatang, unreadableAmounts, conflictingRowNos };
  }

  /** What a trailer says would go unread: a file that was cut short would be paid as far as it goes. */
  #requireNoUnreadTrailer(): void {
    if (this.#options.control !== 'none' || this.#unreadTrailer === undefined) return;
    const { cells, line } = this.#unreadTrailer;
    const mark = showCell(cells[0]?.trim() ?? '');
    const message =
      `the last row looks like a trailer with control totals ("${mark}"), and input.control is none: set input.control to ` +
      'trailer, with this word as input.trailerMark, or have the row left out';
    throw new FileRejected('trailer-unread', message, line, mark);
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
    const mismatch = findControlMismatch(declared, this.#counted);
    if (mismatch === undefined) return;
    throw new FileRejected(mismatch.code, mismatch.message, mismatch.line ?? this.#trailer?.line ?? null);
  }

  #requireLimit(totalSatang: Satang): void {
    const { fileSatangMax } = this.#options.limits;
    const limit = fileSatangMax ?? toSatang(storableSatangMax);
    if (totalSatang <= limit) return;
    const name = fileSatangMax === null ? 'any batch can hold' : 'limits.bahtPerBatch allows';
    const message = `the rows add up to ${showBaht(totalSatang)} baht, more than ${name} (${showBaht(limit)}): split the file, or correct an amount`;
    throw new FileRejected('total-over-limit', message);
  }
}
