/**
 * A filled-in exceptions file, after its trip through a spreadsheet: records in, decisions or every issue out. Whatever has
 * been sorted, moved or left out, columns are found by their headings and rows by batch and number.
 */
import { findSpreadsheetDamage, showCell, showProxy } from '../../core/cell-text.ts';
import { formatBaht, parseBaht } from '../../core/money.ts';
import type { Issue } from '../../core/payout-file.ts';
import { readProxyId } from '../../core/proxy-id.ts';
import { findColumns, type FoundColumns } from '../../reports/rules/column-words.ts';
import { readDecision } from './decision-words.ts';
import type { PayoutDecision } from './terms.ts';

/** A record of the file. */
export interface FiledRecord {
  /** Line of the file, or row of the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Cells of a sheet that may not be taken for what they look like, by their places. */
  readonly faults?: readonly { readonly place: number; readonly code: string; readonly message: string }[];
  /** Nobody who has looked at the sheet has seen it. */
  readonly isHidden?: boolean;
}

/** What somebody has decided about one row. */
export interface FiledDecision {
  readonly line: number;
  readonly batchId: string;
  readonly rowNo: number;
  /** Of the row as it was when the file was written. */
  readonly version: number;
  readonly payoutId: string;
  readonly decision: PayoutDecision;
  /** Ten digits or thirteen; null where it stays. */
  readonly newProxyNo: string | null;
  /** Decimal baht with two decimals; null where it stays. */
  readonly newAmount: string | null;
  readonly note: string;
}

/** All of it, or nothing. */
export type DecisionReading =
  | { readonly kind: 'decisions'; readonly decisions: readonly FiledDecision[]; readonly undecided: number }
  | { readonly kind: 'refused'; readonly issues: readonly Issue[] };

const keyColumns = ['batchId', 'rowNo', 'version', 'payoutId'] as const;
const neededColumns = [...keyColumns, 'decision', 'note'] as const;
const readColumns = [...neededColumns, 'newProxyNo', 'newAmount'] as const;
type ReadColumn = (typeof readColumns)[number];

type Report = (column: ReadColumn | null, code: string, message: string) => void;

/** Faults that leave a note what it is: a date or a number is as good as a text there. */
const harmlessInNote: ReadonlySet<string> = new Set([
  'cell-date',
  'cell-digits',
  'cell-rounded',
  'cell-merged',
]);

const asText = 'format the column as text and write it again';

/** One record with its cells by our columns. */
class FiledRow {
  readonly line: number;
  readonly #record: FiledRecord;
  readonly #columns: FoundColumns;
  readonly issues: Issue[] = [];

  constructor(record: FiledRecord, columns: FoundColumns) {
    this.line = record.line;
    this.#record = record;
    this.#columns = columns;
  }

  get isHidden(): boolean {
    return this.#record.isHidden === true;
  }

  cell(column: ReadColumn): string {
    const cell = (this.#record.cells[this.#columns.places[column] ?? -1] ?? '').trim();
    // A file of ours marks what a spreadsheet would change; a workbook has no need to.
    return !this.#columns.isBilingual && cell.startsWith("'") ? cell.slice(1) : cell;
  }

  readonly report: Report = (column, code, message) => {
    const cell = column === null ? '' : this.cell(column);
    const shown = column === 'newProxyNo' ? showProxy(cell) : showCell(cell);
    this.issues.push({ line: this.line, column, code, value: cell === '' ? null : shown, message });
  };

  reportFaults(): void {
    for (const { place, code, message } of this.#record.faults ?? []) {
      const column = readColumns.find((name) => this.#columns.places[name] === place);
      if (column === undefined || (column === 'note' && harmlessInNote.has(code))) continue;
      this.report(column, code, message);
    }
  }
}

const batchIdPattern = /^[0-9A-HJKMNP-TV-Z]{10}$/;
const wholeNumber = /^[1-9]\d{0,14}$/;

function readWhole(row: FiledRow, column: 'rowNo' | 'version'): number {
  const text = row.cell(column);
  if (wholeNumber.test(text)) return Number(text);
  row.report(
    column,
    `${column === 'rowNo' ? 'row-no' : 'version'}-damaged`,
    `${column} must stay as it was written: take it from the file again`,
  );
  return 0;
}

function readKeys(row: FiledRow): Pick<FiledDecision, 'batchId' | 'rowNo' | 'version' | 'payoutId'> {
  const batchId = row.cell('batchId').toUpperCase();
  if (!batchIdPattern.test(batchId))
    row.report(
      'batchId',
      'batch-id-damaged',
      `this is no batch id: take it from the file again, and ${asText}`,
    );
  const rowNo = readWhole(row, 'rowNo');
  const version = readWhole(row, 'version');
  const payoutId = row.cell('payoutId');
  const damage = findSpreadsheetDamage(payoutId);
  if (payoutId === '')
    row.report('payoutId', 'payout-id-missing', 'payoutId is empty: take it from the file again');
  else if (damage !== undefined) row.report('payoutId', 'payout-id-damaged', `${damage}: ${asText}`);
  return { batchId, rowNo, version, payoutId };
}

function readNewProxy(row: FiledRow): string | null {
  const text = row.cell('newProxyNo');
  if (text === '') return null;
  const reading = readProxyId(text, undefined);
  if (reading.ok) return reading.proxyNo;
  row.report('newProxyNo', reading.code, reading.message);
  return null;
}

function readNewAmount(row: FiledRow): string | null {
  const text = row.cell('newAmount');
  if (text === '') return null;
  const amount = parseBaht(text);
  if (amount !== undefined && amount > 0n) return formatBaht(amount);
  row.report(
    'newAmount',
    'new-amount',
    'this is no amount that can be paid: write baht in digits with at most two decimals, as 1234.50',
  );
  return null;
}

function readCorrection(
  row: FiledRow,
  decision: PayoutDecision,
): Pick<FiledDecision, 'newProxyNo' | 'newAmount'> {
  const given = (['newProxyNo', 'newAmount'] as const).filter((column) => row.cell(column) !== '');
  if (decision === 'retry-corrected' && given.length === 0)
    row.report(
      'decision',
      'correction-missing',
      'retry-corrected needs newProxyNo, newAmount or both: give what is right, or choose retry',
    );
  if (decision !== 'retry-corrected') {
    for (const column of given)
      row.report(
        column,
        'correction-unread',
        `${column} counts with retry-corrected alone, not with ${decision}: choose that, or empty the cell`,
      );
    return { newProxyNo: null, newAmount: null };
  }
  return { newProxyNo: readNewProxy(row), newAmount: readNewAmount(row) };
}

/** @returns undefined for a row that nothing is decided about */
function readRow(row: FiledRow): FiledDecision | undefined {
  const written = row.cell('decision');
  row.reportFaults();
  if (written === '') {
    for (const column of ['newProxyNo', 'newAmount'] as const)
      if (row.cell(column) !== '')
        row.report(
          column,
          'decision-missing',
          `${column} is filled in and decision is empty: choose retry-corrected, or empty the cell`,
        );
    return undefined;
  }
  const decision = readDecision(written);
  if (decision.kind === 'unknown') {
    row.report(
      'decision',
      'decision-unknown',
      `no decision is called so: did you mean ${decision.nearest.join(' or ')}?`,
    );
    return undefined;
  }
  if (row.isHidden)
    row.report(
      null,
      'row-hidden',
      'the row is hidden and has a decision: show it, look at it, and save the file again',
    );
  const keys = readKeys(row);
  const correction = readCorrection(row, decision.decision);
  const note = row.cell('note');
  if (note === '') row.report('note', 'note-missing', 'note is empty: say why, it is kept with the decision');
  return { line: row.line, ...keys, decision: decision.decision, ...correction, note };
}

const aboutFile = (line: number, column: string | null, code: string, message: string): DecisionReading => ({
  kind: 'refused',
  issues: [{ line, column, code, value: null, message }],
});

const keyOf = ({ batchId, rowNo }: Pick<FiledDecision, 'batchId' | 'rowNo'>): string => `${batchId} ${rowNo}`;

function findRepeats(decisions: readonly FiledDecision[]): Issue[] {
  const firsts = new Map<string, number>();
  return decisions.flatMap((decision) => {
    const first = firsts.get(keyOf(decision));
    firsts.set(keyOf(decision), first ?? decision.line);
    if (first === undefined) return [];
    const message = `line ${first} decides about the same row: leave one of the two`;
    return [{ line: decision.line, column: null, code: 'row-repeated', value: null, message }];
  });
}

const isBlank = ({ cells }: FiledRecord): boolean => cells.every((cell) => cell.trim() === '');

/** Reads the records of a file, its head among them. Rows without a decision stay as they are. */
export function readDecisions(records: readonly FiledRecord[]): DecisionReading {
  const [head, ...rest] = records.filter((record) => !isBlank(record));
  if (head === undefined) return aboutFile(1, null, 'file-empty', 'the file is empty: have it written again');
  const columns = findColumns(head.cells);
  if (columns.doubled !== undefined)
    return aboutFile(
      head.line,
      columns.doubled,
      'column-doubled',
      'the head has this column twice: remove one',
    );
  const missing = neededColumns.filter((column) => columns.places[column] === undefined);
  if (missing.length > 0) {
    const message = `the head lacks ${missing.join(', ')}: is this a file that "paydrop exceptions" wrote? keep these columns and their headings`;
    return aboutFile(head.line, missing[0] ?? null, 'column-missing', message);
  }
  const rows = rest.map((record) => new FiledRow(record, columns));
  const decisions = rows.flatMap((row) => readRow(row) ?? []);
  const issues = [...rows.flatMap((row) => row.issues), ...findRepeats(decisions)];
  if (issues.length > 0)
    return { kind: 'refused', issues: issues.toSorted((one, other) => one.line - other.line) };
  return { kind: 'decisions', decisions, undecided: rows.length - decisions.length };
}

/**
 * Decisions whose row the journal does not have, or knows under another payoutId: a sort that took a part of the columns
 * with it, or a number that a spreadsheet has changed.
 * @param payoutIdOf what the journal has for a row of a batch
 */
export function findMisfits(
  decisions: readonly FiledDecision[],
  payoutIdOf: (batchId: string, rowNo: number) => string | undefined,
): readonly Issue[] {
  return decisions.flatMap(({ line, batchId, rowNo, payoutId }): Issue[] => {
    const known = payoutIdOf(batchId, rowNo);
    if (known === payoutId) return [];
    const row = `row ${rowNo} of batch ${batchId}`;
    return known === undefined
      ? [
          {
            line,
            column: 'rowNo',
            code: 'row-unknown',
            value: null,
            message: `the journal has no ${row}: take both from the file again`,
          },
        ]
      : [
          {
            line,
            column: 'payoutId',
            code: 'payout-id-mismatch',
            value: showCell(payoutId),
            message: `${row} has another payoutId: was a part of the columns sorted without the others, or a zero lost? write the file again`,
          },
        ];
  });
}
