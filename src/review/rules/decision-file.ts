/**
 * Reads a filled-in exceptions file after its trip through a spreadsheet: records in, decisions or every issue out.
 * Columns are found by their headings and rows by batch and number, so that sorted, moved or omitted ones do no harm.
 */
import { listed, type Message, message } from '../../core/message.ts';
import { findSpreadsheetDamage, showCell, showProxy } from '../../core/cell-text.ts';
import { formatBaht, parseBaht } from '../../core/money.ts';
import type { Issue } from '../../core/payout-file.ts';
import { readProxyId } from '../../core/proxy-id.ts';
import { quoteHeading } from '../../intake/rules/headings.ts';
import { readAccountNo } from '../../registration/rules/registration-row.ts';
import { findColumns, type FoundColumns } from '../../reports/rules/column-words.ts';
import { type DecisionWord, readDecision, readRegistrationDecision } from './decision-words.ts';
import type { PayoutDecision, RegistrationDecision } from './terms.ts';

/** A record of the file. */
export interface FiledRecord {
  /** The line of the file, or the row of the sheet, from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  /** Faults of cells that cannot be taken as displayed, by their places. */
  readonly faults?: readonly { readonly place: number; readonly code: string; readonly message: Message }[];
  /** The row is hidden: a reader of the sheet has not seen it. */
  readonly isHidden?: boolean;
}

/** A decision about one row. */
interface FiledKeys {
  readonly line: number;
  readonly batchId: string;
  readonly rowNo: number;
  /** The version of the row when the file was written. */
  readonly version: number;
  readonly note: string;
}

/** The row of a payout. */
interface FiledPayout extends FiledKeys {
  readonly payoutId: string;
  readonly decision: PayoutDecision;
  /** Ten digits or thirteen; null: unchanged. */
  readonly newProxyNo: string | null;
  /** Decimal baht with two decimals; null: unchanged. */
  readonly newAmount: string | null;
}

/** The row of a registration. */
interface FiledRegistration extends FiledKeys {
  readonly registrationId: string;
  readonly decision: RegistrationDecision;
  /** Up to 13 digits; null: unchanged. */
  readonly newAccountNo: string | null;
}

export type FiledDecision = FiledPayout | FiledRegistration;

export const isFiledRegistration = (filed: FiledDecision): filed is FiledRegistration =>
  'registrationId' in filed;

/** All decisions of a file, or all of its issues. */
export type DecisionReading =
  | { readonly kind: 'decisions'; readonly decisions: readonly FiledDecision[]; readonly undecided: number }
  | { readonly kind: 'refused'; readonly issues: readonly Issue[] };

type IdColumn = 'payoutId' | 'registrationId';
type CorrectionColumn = 'newProxyNo' | 'newAmount' | 'newAccountNo';
type ReadColumn = 'batchId' | 'rowNo' | 'version' | 'decision' | 'note' | IdColumn | CorrectionColumn;

type Report = (column: ReadColumn | null, code: string, text: Message) => void;

/** Faults that do no harm in a note, where a date or a number is as good as text. */
const harmlessInNote: ReadonlySet<string> = new Set([
  'cell-date',
  'cell-digits',
  'cell-rounded',
  'cell-format',
  'cell-merged',
  'column-hidden',
]);

/** Columns from the journal are often hidden; a cell that a person fills in must be visible. */
const harmlessInKeys = 'column-hidden';
const keyColumns: ReadonlySet<ReadColumn> = new Set([
  'batchId',
  'rowNo',
  'version',
  'payoutId',
  'registrationId',
]);

/** One record with its cells by paydrop's columns. */
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
    // paydrop quotes cells in CSV that a spreadsheet would change; a workbook needs no quotes.
    return !this.#columns.isBilingual && cell.startsWith("'") ? cell.slice(1) : cell;
  }

  readonly report: Report = (column, code, text) => {
    const cell = column === null ? '' : this.cell(column);
    const shown = column === 'newProxyNo' || column === 'newAccountNo' ? showProxy(cell) : showCell(cell);
    this.issues.push({ line: this.line, column, code, value: cell === '' ? null : shown, message: text });
  };

  /** @param read the columns of this kind of file */
  reportFaults(read: readonly ReadColumn[]): void {
    for (const { place, code, message: text } of this.#record.faults ?? []) {
      const column = read.find((name) => this.#columns.places[name] === place);
      if (column === undefined || (column === 'note' && harmlessInNote.has(code))) continue;
      if (keyColumns.has(column) && code === harmlessInKeys) continue;
      this.report(column, code, text);
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
    message('decision-file.key-changed', { column }),
  );
  return 0;
}

function readBatchId(row: FiledRow): string {
  const batchId = row.cell('batchId').toUpperCase();
  if (!batchIdPattern.test(batchId))
    row.report('batchId', 'batch-id-damaged', message('decision-file.no-batch-id'));
  return batchId;
}

function readId(
  row: FiledRow,
  { idColumn, idCode }: { readonly idColumn: IdColumn; readonly idCode: string },
): string {
  const id = row.cell(idColumn);
  const damage = findSpreadsheetDamage(id);
  if (id === '')
    row.report(idColumn, `${idCode}-missing`, message('decision-file.id-missing', { column: idColumn }));
  else if (damage !== undefined)
    row.report(idColumn, `${idCode}-damaged`, message('decision-file.id-damaged', { damage }));
  return id;
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
  row.report('newAmount', 'new-amount', message('decision-file.new-amount'));
  return null;
}

const readNewAccount = (row: FiledRow): string | null =>
  row.cell('newAccountNo') === ''
    ? null
    : readAccountNo(row.cell('newAccountNo'), (_, code, text) => row.report('newAccountNo', code, text));

// ---------------------------------------------------------------- the two kinds of file

/** One kind of exceptions file: its row names, its decisions and its correctable columns. */
interface FileForm<Filed extends FiledDecision, Correction extends Partial<Filed>> {
  readonly idColumn: IdColumn;
  /** The prefix of its issue codes. */
  readonly idCode: string;
  readonly corrections: readonly CorrectionColumn[];
  /** The correctable columns as messages name them. */
  readonly correctionWords: string | Message;
  readonly readDecision: (written: string) => DecisionWord<Filed['decision']>;
  /** Reads the correction of a corrected row. */
  readonly readCorrection: (row: FiledRow) => Correction;
  /** The correction of an uncorrected row. */
  readonly none: Correction;
  readonly make: (keys: FiledKeys, id: string, decision: Filed['decision'], correction: Correction) => Filed;
}

const payoutForm: FileForm<FiledPayout, Pick<FiledPayout, 'newProxyNo' | 'newAmount'>> = {
  idColumn: 'payoutId',
  idCode: 'payout-id',
  corrections: ['newProxyNo', 'newAmount'],
  correctionWords: message('decision-file.new-proxy-or-amount'),
  readDecision,
  readCorrection: (row) => ({ newProxyNo: readNewProxy(row), newAmount: readNewAmount(row) }),
  none: { newProxyNo: null, newAmount: null },
  make: (keys, payoutId, decision, correction) => ({ ...keys, payoutId, decision, ...correction }),
};

const registrationForm: FileForm<FiledRegistration, Pick<FiledRegistration, 'newAccountNo'>> = {
  idColumn: 'registrationId',
  idCode: 'registration-id',
  corrections: ['newAccountNo'],
  correctionWords: 'newAccountNo',
  readDecision: readRegistrationDecision,
  readCorrection: (row) => ({ newAccountNo: readNewAccount(row) }),
  none: { newAccountNo: null },
  make: (keys, registrationId, decision, correction) => ({
    ...keys,
    registrationId,
    decision,
    ...correction,
  }),
};

type AnyForm = typeof payoutForm | typeof registrationForm;

/** Chooses the kind of file by its header, which may carry a column through that has a name of the other kind. */
function chooseForm({ places }: FoundColumns): AnyForm {
  const hasAny = ({ corrections }: AnyForm): boolean =>
    corrections.some((column) => places[column] !== undefined);
  if (places['registrationId'] === undefined) return payoutForm;
  if (places['payoutId'] === undefined) return registrationForm;
  return hasAny(registrationForm) && !hasAny(payoutForm) ? registrationForm : payoutForm;
}

const neededColumns = ({ idColumn }: { readonly idColumn: IdColumn }): readonly ReadColumn[] => [
  'batchId',
  'rowNo',
  'version',
  idColumn,
  'decision',
  'note',
];

// ---------------------------------------------------------------- rows

function readCorrection<Filed extends FiledDecision, Correction extends Partial<Filed>>(
  row: FiledRow,
  decision: Filed['decision'],
  form: FileForm<Filed, Correction>,
): Correction {
  const given = form.corrections.filter((column) => row.cell(column) !== '');
  if (decision === 'retry-corrected' && given.length === 0)
    row.report(
      'decision',
      'correction-missing',
      message('decision-file.correction-missing', { columns: form.correctionWords }),
    );
  if (decision === 'retry-corrected') return form.readCorrection(row);
  for (const column of given)
    row.report(column, 'correction-unread', message('decision-file.correction-unread', { column, decision }));
  return form.none;
}

/** Refuses corrections in a row without a decision. */
function requireUncorrected(row: FiledRow, corrections: readonly CorrectionColumn[]): void {
  for (const column of corrections)
    if (row.cell(column) !== '')
      row.report(column, 'decision-missing', message('decision-file.decision-missing', { column }));
}

/** @returns undefined for a row without a decision */
function readRow<Filed extends FiledDecision, Correction extends Partial<Filed>>(
  row: FiledRow,
  form: FileForm<Filed, Correction>,
): Filed | undefined {
  const written = row.cell('decision');
  row.reportFaults([...neededColumns(form), ...form.corrections]);
  if (written === '') {
    requireUncorrected(row, form.corrections);
    return undefined;
  }
  const word = form.readDecision(written);
  if (word.kind === 'unknown') {
    row.report(
      'decision',
      'decision-unknown',
      message('decision-file.decision-unknown', { nearest: listed(word.nearest, 'or') }),
    );
    return undefined;
  }
  if (row.isHidden) row.report(null, 'row-hidden', message('decision-file.row-hidden'));
  const batchId = readBatchId(row);
  const rowNo = readWhole(row, 'rowNo');
  const version = readWhole(row, 'version');
  const id = readId(row, form);
  const correction = readCorrection(row, word.decision, form);
  const note = row.cell('note');
  if (note === '') row.report('note', 'note-missing', message('decision-file.note-missing'));
  return form.make({ line: row.line, batchId, rowNo, version, note }, id, word.decision, correction);
}

const aboutFile = (line: number, column: string | null, code: string, text: Message): DecisionReading => ({
  kind: 'refused',
  issues: [{ line, column, code, value: null, message: text }],
});

const keyOf = ({ batchId, rowNo }: Pick<FiledDecision, 'batchId' | 'rowNo'>): string => `${batchId} ${rowNo}`;

function findRepeats(decisions: readonly FiledDecision[]): Issue[] {
  const firsts = new Map<string, number>();
  return decisions.flatMap((decision) => {
    const first = firsts.get(keyOf(decision));
    firsts.set(keyOf(decision), first ?? decision.line);
    if (first === undefined) return [];
    const text = message('decision-file.row-repeated', { line: first });
    return [{ line: decision.line, column: null, code: 'row-repeated', value: null, message: text }];
  });
}

const isBlank = ({ cells }: FiledRecord): boolean => cells.every((cell) => cell.trim() === '');

/** Reads the records of a file, its header included. Rows without a decision stay as they are. */
export function readDecisions(records: readonly FiledRecord[]): DecisionReading {
  const [head, ...rest] = records.filter((record) => !isBlank(record));
  if (head === undefined) return aboutFile(1, null, 'file-empty', message('decision-file.empty'));
  const columns = findColumns(head.cells);
  if (columns.doubled !== undefined)
    return aboutFile(head.line, columns.doubled, 'column-doubled', message('decision-file.column-doubled'));
  const form = chooseForm(columns);
  for (const column of [...neededColumns(form), ...form.corrections]) {
    const heading = columns.alike[column];
    if (heading === undefined) continue;
    const text = message('decision-file.column-unclear', { heading: quoteHeading(heading), column });
    return aboutFile(head.line, heading, 'column-unclear', text);
  }
  const missing = neededColumns(form).filter((column) => columns.places[column] === undefined);
  if (missing.length > 0) {
    const text = message('decision-file.column-missing', { columns: listed(missing) });
    return aboutFile(head.line, missing[0] ?? null, 'column-missing', text);
  }
  const rows = rest.map((record) => new FiledRow(record, columns));
  const decisions =
    form === payoutForm
      ? rows.flatMap((row) => readRow(row, payoutForm) ?? [])
      : rows.flatMap((row) => readRow(row, registrationForm) ?? []);
  const issues = [...rows.flatMap((row) => row.issues), ...findRepeats(decisions)];
  if (issues.length > 0)
    return { kind: 'refused', issues: issues.toSorted((one, other) => one.line - other.line) };
  return { kind: 'decisions', decisions, undecided: rows.length - decisions.length };
}
