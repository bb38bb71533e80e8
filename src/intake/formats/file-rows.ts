/** Turns records of any format and kind of file into rows: the rules, duplicates in the file, and the trailer row. */
import { counted, message, type Message } from '../../core/message.ts';
import { showCell, showProxy } from '../../core/cell-text.ts';
import { listWords, showCount } from '../../core/figures.ts';
import type { Issue } from '../../core/payout-file.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import { unguardFormula } from '../../platform/csv/spreadsheet-cells.ts';
import type { FileRecord } from '../../platform/csv/records.ts';
import type { SheetRow } from '../../platform/workbook/sheet.ts';
import { type ControlTotals, findControlMismatch, readTrailer } from '../rules/control-totals.ts';
import { CutAmounts, findUncut } from '../rules/cut-amounts.ts';
import { DuplicateIndex } from '../rules/duplicates.ts';
import type { FileKind, FileOptions, FileRow, RowCount } from './file-kind.ts';
import type { Header } from './header.ts';

/** A record of the file; a record of a sheet has the faults of cells that cannot be taken as displayed. */
export interface RowRecord extends FileRecord {
  readonly sheet?: Pick<SheetRow, 'faults' | 'isHidden'>;
}

const noExtras: readonly string[] = [];

/** A cell of the form ="…", in which programs keep digits as text in a spreadsheet. */
const textFormula = /^\s*="[^"]*"\s*$/;
/** Tells whether all quotation marks of a row belong to such formulas. */
const hasTextFormulas = (cells: readonly string[]): boolean =>
  cells.every((cell) => !cell.includes('"') || textFormula.test(cell));

function explainTextFormulas(cells: readonly string[], names: readonly string[]): Message {
  const places = [...cells.keys()].filter((place) => textFormula.test(cells[place] ?? ''));
  const columns = places.map((place) => names[place] ?? `cell ${place + 1}`);
  return message(`issue.text-formulas.${places.length === 1 ? 'one' : 'many'}`, {
    columns: listWords(columns),
  });
}

/** Codes about a formula, which suffice for its cell. */
const formulaCodes: readonly string[] = ['formula', 'amount-formula'];

/** Codes of cells without a value. */
const errorCodes: ReadonlySet<string> = new Set(['cell-error', 'cell-formula']);

const isEmpty = (cells: readonly string[]): boolean => cells.every((cell) => cell.trim() === '');

function issueOfRow(line: number, code: string, issue: Message): Issue {
  return { line, column: null, code, value: null, message: issue };
}

const tooManyAtEnd = (whose: 'line' | 'header', separators: number): Message =>
  separators === 1
    ? message(`cell-count.${whose}-ends-in-one`)
    : message(`cell-count.${whose}-ends-in-many`, { count: showCount(separators) });

/**
 * Explains why a row has more or fewer cells than the header, with the cure.
 * @param amountPlace -1 without an amount
 */
function explainCount(record: RowRecord, { cellCount, names }: Header, amountPlace: number): Message {
  const { cells, sheet } = record;
  const beyond = cells.slice(cellCount);
  if (sheet !== undefined && beyond.length > 0) return message('cell-count.beyond-headings');
  const isCut = amountPlace >= 0 && findUncut(record, amountPlace) !== undefined;
  if (beyond.length > 0 && !isCut && beyond.every((cell) => cell.trim() === ''))
    return tooManyAtEnd('line', beyond.length);
  if (beyond.length > 0) return message('cell-count.separator-inside');
  const last = names.findLastIndex((name) => name !== '');
  if (cells.length > last) return tooManyAtEnd('header', cellCount - cells.length);
  return message('cell-count.cut-short');
}

function miscounted(record: RowRecord, header: Header, amountPlace: number, trailerMark: string): Issue {
  const { cells, line } = record;
  const why =
    cells[0]?.trim() === trailerMark
      ? message('cell-count.trailer')
      : explainCount(record, header, amountPlace);
  const facts = { count: showCount(cells.length), expected: header.cellCount, why };
  const issue = message(`issue.cell-count.${cells.length === 1 ? 'one' : 'many'}`, facts);
  return issueOfRow(line, 'cell-count', issue);
}

/** Takes the records of one file, in order. */
export class RowTaker<Row extends FileRow, Totals> {
  readonly #header: Header;
  readonly #kind: FileKind<Row, Totals>;
  readonly #options: FileOptions;
  readonly #duplicates = new DuplicateIndex();
  /** Undefined where a comma cannot cut an amount, or control totals prove all amounts. */
  readonly #cutAmounts: CutAmounts | undefined;
  readonly #count: RowCount<Row, Totals>;
  #trailer: RowRecord | undefined;
  /** The last non-blank record, if it is no row by the rules and looks like a trailer. */
  #unreadTrailer: RowRecord | undefined;
  #emptyRows = 0;
  #firstEmptyLine: number | undefined;

  constructor(header: Header, kind: FileKind<Row, Totals>, options: FileOptions) {
    this.#header = header;
    this.#kind = kind;
    this.#options = options;
    this.#count = kind.count();
    const isCuttable = header.delimiter === ',' && options.control === 'none';
    this.#cutAmounts = isCuttable ? new CutAmounts() : undefined;
  }

  /**
   * The row of a record; undefined for the trailer row.
   * @throws FileRejected when the file has too many rows, or rows after its trailer
   */
  take(record: RowRecord): Row | undefined {
    this.#requireNoTrailer(record);
    if (this.#options.control === 'trailer' && record.cells[0]?.trim() === this.#options.trailerMark) {
      this.#trailer = record;
      return undefined;
    }
    const count = this.#count;
    const rowNo = count.rows + 1;
    const { rowsMax } = this.#options.limits;
    if (rowsMax !== null && rowNo > rowsMax) {
      const why = message('file.too-many-rows', { most: rowsMax });
      throw new FileRejected('rows-over-limit', why, record.line);
    }
    const row = this.#rejectDuplicate(this.#read(record, rowNo), record);
    if (!isEmpty(record.cells)) {
      const isTrailer = row.instruction === null && count.isTrailer(record.cells, this.#header.cellCount);
      this.#unreadTrailer = isTrailer ? record : undefined;
    } else {
      this.#emptyRows += 1;
      this.#firstEmptyLine ??= record.line;
    }
    count.add(row);
    return row;
  }

  /** The place of the amount in a row; -1 for rows without amounts. */
  get #amountPlace(): number {
    const { amountColumn } = this.#kind;
    return amountColumn === null ? -1 : (this.#header.places[amountColumn] ?? -1);
  }

  /** @param next the row after the rows already taken */
  #requireNoTrailer({ line, cells }: RowRecord): void {
    if (this.#trailer === undefined) return;
    const why = message(isEmpty(cells) ? 'control.empty-rows-after' : 'control.rows-after', {
      mark: this.#options.trailerMark,
      line,
    });
    throw new FileRejected('control-not-last', why, this.#trailer.line);
  }

  #read(record: RowRecord, rowNo: number): Row {
    const { line, isMisquoted } = record;
    const { places, extraPlaces, cellCount, names } = this.#header;
    const kind = this.#kind;
    const all = this.#unguard(record);
    const cells = kind.pickCells((column) => all[places[column] ?? -1] ?? '');
    const extras = extraPlaces.length === 0 ? noExtras : extraPlaces.map((place) => all[place] ?? '');
    const place = { rowNo, line, cells, extras };
    const isFormulas = isMisquoted && hasTextFormulas(record.cells);
    const unfit = isMisquoted
      ? [
          issueOfRow(
            line,
            'quote-misplaced',
            isFormulas ? explainTextFormulas(record.cells, names) : message('issue.quote-misplaced'),
          ),
        ]
      : this.#findFaults(record);
    if (all.length !== cellCount) {
      // Every cell may be in a wrong place, so that the amount is not counted either.
      const miscount = miscounted(record, this.#header, this.#amountPlace, this.#options.trailerMark);
      return kind.rejectRow(place, [...unfit, miscount]);
    }
    const row = kind.readRow(place);
    unfit.push(...this.#findCut(record));
    if (unfit.length > 0) {
      const columns = unfit.flatMap(({ column }) => column ?? []);
      const issues = row.issues.filter(
        ({ column, code }) =>
          (column === null || !columns.includes(column)) && !(isFormulas && formulaCodes.includes(code)),
      );
      const rejected = { ...row, instruction: null, holds: [], issues: [...unfit, ...issues] };
      return kind.doubtCells(rejected, columns);
    }
    if (row.instruction === null && isEmpty(all))
      return kind.rejectRow(place, [issueOfRow(line, 'row-empty', message('issue.row-empty'))]);
    return row;
  }

  /** The cells without the guards that paydrop writes into results; a sheet holds texts and needs no guard. */
  #unguard({ cells, sheet }: RowRecord): readonly string[] {
    if (sheet !== undefined || !this.#options.guardFormulas) return cells;
    const idPlace = this.#header.places[this.#kind.columns.required[0]];
    return cells.map((cell, place) => (place === idPlace ? cell : unguardFormula(cell)));
  }

  /** Faults of displayed cells in a sheet; in columns that are only carried through, errors alone. */
  #findFaults({ line, cells, sheet }: RowRecord): Issue[] {
    if (sheet === undefined) return [];
    const { places, names } = this.#header;
    const { columns, maskedColumns } = this.#kind;
    const hidden = sheet.isHidden ? [issueOfRow(line, 'row-hidden', message('issue.row-hidden'))] : [];
    const faults = sheet.faults.flatMap(({ place, code, message: fault }): Issue[] => {
      const own = columns.names.find((column) => places[column] === place);
      const isCarried = own === undefined && place < names.length;
      if (own === undefined && !(isCarried && errorCodes.has(code))) return [];
      const cell = cells[place] ?? '';
      const isMasked = own !== undefined && maskedColumns.has(own);
      const value = cell === '' ? null : isMasked ? showProxy(cell) : showCell(cell);
      return [{ line, column: own ?? names[place] ?? null, code, value, message: fault }];
    });
    return [...hidden, ...faults];
  }

  /** Finds an amount that continues in the next cell. */
  #findCut(record: RowRecord): Issue[] {
    const { amountColumn: column } = this.#kind;
    if (column === null) return [];
    const place = this.#amountPlace;
    const cut = this.#cutAmounts?.take(record, place);
    return cut === undefined ? [] : [{ ...cut, column, value: showCell(record.cells[place] ?? '') }];
  }

  #rejectDuplicate(row: Row, record: RowRecord): Row {
    const { rowsAre, required } = this.#kind.columns;
    const [idColumn] = required;
    const id = (row.cells[idColumn] ?? '').trim();
    if (id === '') return row;
    const { rowNo, line, instruction } = row;
    const seen = { rowNo, line, id, cells: record.cells, isValid: instruction !== null };
    const verdict = this.#duplicates.add(seen);
    if (verdict.kind === 'new') return row;
    const first = message('issue.first-row', { line: verdict.firstLine, row: verdict.firstRowNo });
    const issue = {
      line: row.line,
      column: idColumn,
      code: verdict.kind === 'repeat' ? 'duplicate-repeat' : 'duplicate-differs',
      value: showCell(id),
      message:
        verdict.kind === 'repeat'
          ? message('issue.duplicate-repeat', { first })
          : message(`issue.duplicate-${rowsAre}`, { first }),
    };
    return { ...row, instruction: null, holds: [], issues: [...row.issues, issue] };
  }

  /**
   * The totals, after the last record.
   * @param sidecar the declaration of the control file, where one is required
   * @throws FileRejected when there is no row, or totals are missing, differ or exceed a limit
   */
  finish(sidecar: ControlTotals | null): Totals {
    if (this.#count.rows === 0) {
      throw new FileRejected('rows-missing', message('file.no-rows'), this.#header.nextLine);
    }
    this.#requireNoUnreadTrailer();
    this.#requireWholeAmounts();
    const declared = this.#declaredTotals(sidecar);
    if (declared !== null) {
      this.#requireNoEmptyRows(declared);
      this.#count.requireControl(declared, this.#trailer?.line ?? null);
    }
    return this.#count.end(this.#duplicates.conflictingRowNos);
  }

  /** Rejects rows of separators alone where they explain the difference to the declared number. */
  #requireNoEmptyRows({ rows }: ControlTotals): void {
    if (this.#emptyRows === 0 || rows + this.#emptyRows !== this.#count.rows) return;
    const why = message(this.#emptyRows === 1 ? 'control.empty-row' : 'control.empty-rows', {
      declared: counted(rows, 'row'),
      rows: showCount(this.#count.rows),
      empty: showCount(this.#emptyRows),
      line: this.#firstEmptyLine ?? '',
    });
    throw new FileRejected('control-rows', why, this.#trailer?.line ?? null);
  }

  /** Rejects an unread trailer: without it, a file that was cut short would be sent as far as it goes. */
  #requireNoUnreadTrailer(): void {
    if (this.#options.control !== 'none' || this.#unreadTrailer === undefined) return;
    const { cells, line } = this.#unreadTrailer;
    const mark = showCell(cells[0]?.trim() ?? '');
    throw new FileRejected('trailer-unread', message('control.trailer-unread', { mark }), line, mark);
  }

  #requireWholeAmounts(): void {
    const unclear = this.#cutAmounts?.findUnclear();
    if (unclear === undefined || this.#options.numberAfterAmount === 'allowed') return;
    throw new FileRejected(unclear.code, unclear.message, unclear.line, this.#kind.amountColumn);
  }

  #declaredTotals(sidecar: ControlTotals | null): ControlTotals | null {
    if (this.#options.control !== 'trailer') return sidecar;
    const { control } = this.#kind;
    if (this.#trailer === undefined) {
      const form = `${this.#options.trailerMark}${control === 'rows' ? ',<rows>' : ',<rows>,<total>'}`;
      throw new FileRejected('control-missing', message('control.missing', { form }));
    }
    const reading = readTrailer(this.#trailer.cells, control);
    if (!reading.ok) throw new FileRejected(reading.code, reading.message, this.#trailer.line);
    return reading.totals;
  }
}

/** @throws FileRejected when the declared and the counted totals differ */
export function requireControl(
  declared: ControlTotals,
  found: Parameters<typeof findControlMismatch>[1],
  trailerLine: number | null,
): void {
  const mismatch = findControlMismatch(declared, found);
  if (mismatch === undefined) return;
  throw new FileRejected(mismatch.code, mismatch.message, mismatch.line ?? trailerLine);
}
