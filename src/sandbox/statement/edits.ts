/** What the table makes of a day's lines: dropped, doubled, altered, added. */
import { formatBaht, parseBaht } from '../../core/money.ts';
import { generatePayeeName } from '../directory.ts';
import { columnPlaces, computeNet } from './lines.ts';
import type { StatementCells, StatementDay } from './lines.ts';
import { isForIssue } from './table.ts';
import type { StatementEdit, StatementTable } from './table.ts';

/** The most telling first: an edit is filed under the first of these that its match names. */
const matchFields = ['row', 'transRefNo', 'reference1', 'reference2', 'proxyNo', 'amount'] as const;
type MatchField = (typeof matchFields)[number];

/** Columns that a match looks at. */
const matchColumns = {
  transRefNo: columnPlaces['TRANSREF NO'],
  reference1: columnPlaces['REFERENCE1'],
  reference2: columnPlaces['REFERENCE2'],
  proxyNo: columnPlaces['PROXY NO'],
  amount: columnPlaces['AMOUNT'],
} as const;

/** An edit on its way through the lines. */
interface Filed {
  readonly place: number;
  readonly edit: StatementEdit;
  /** What the line must have, by field. */
  readonly wanted: readonly (readonly [MatchField, string])[];
  timesLeft: number;
}

interface EditIndex {
  readonly byField: Map<MatchField, Map<string, Filed[]>>;
  /** Edits of every line. */
  readonly all: Filed[];
}

function readWanted(match: NonNullable<StatementEdit['match']>): Filed['wanted'] {
  return matchFields.flatMap((field) => {
    const value = match[field];
    if (value === undefined) return [];
    const amount = field === 'amount' ? parseBaht(String(value)) : undefined;
    return [[field, amount === undefined ? String(value) : formatBaht(amount)] as const];
  });
}

function fileEdits(edits: readonly StatementEdit[]): EditIndex {
  const index: EditIndex = { byField: new Map(), all: [] };
  for (const [place, edit] of edits.entries()) {
    const wanted = readWanted(edit.match ?? {});
    const filed = { place, edit, wanted, timesLeft: edit.times ?? Infinity };
    const first = wanted[0];
    if (first === undefined) {
      index.all.push(filed);
      continue;
    }
    const [field, value] = first;
    const byValue = index.byField.get(field) ?? new Map<string, Filed[]>();
    index.byField.set(field, byValue);
    const held = byValue.get(value);
    if (held === undefined) byValue.set(value, [filed]);
    else held.push(filed);
  }
  return index;
}

function valueOf(field: MatchField, row: number, cells: StatementCells): string {
  return field === 'row' ? String(row) : (cells[matchColumns[field]] ?? '');
}

/** The edits that a line meets, in the table's order; each uses one of its `times` up. */
function takeEdits(index: EditIndex, row: number, cells: StatementCells): readonly Filed[] {
  const near = [...index.all];
  for (const [field, byValue] of index.byField) near.push(...(byValue.get(valueOf(field, row, cells)) ?? []));
  const met = near.filter(
    ({ timesLeft, wanted }) =>
      timesLeft > 0 && wanted.every(([field, value]) => valueOf(field, row, cells) === value),
  );
  for (const filed of met) filed.timesLeft -= 1;
  return met.toSorted((one, other) => one.place - other.place);
}

const netFollows = ['AMOUNT', 'FEE', 'CHARGE TYPE'] as const;

/** The line with other columns. NET AMOUNT follows unless it is given too. */
function alter(
  cells: StatementCells,
  columns: NonNullable<StatementEdit['columns']>,
  net: StatementTable['net'],
): StatementCells {
  const altered = [...cells];
  for (const [column, text] of Object.entries(columns)) {
    altered[columnPlaces[column as keyof typeof columnPlaces]] = text;
  }
  if (columns['NET AMOUNT'] === undefined && netFollows.some((name) => columns[name] !== undefined)) {
    const [amount = '', fee = '', chargeType = ''] = netFollows.map((name) => altered[columnPlaces[name]]);
    altered[columnPlaces['NET AMOUNT']] = computeNet(amount, fee, chargeType, net);
  }
  return altered;
}

function* editLine(
  cells: StatementCells,
  edits: readonly Filed[],
  net: StatementTable['net'],
): Generator<StatementCells> {
  let current = cells;
  let copies = 1;
  for (const { edit } of edits) {
    if (edit.edit === 'drop') return;
    if (edit.edit === 'double') copies += 1;
    else current = alter(current, edit.columns ?? {}, net);
  }
  for (let copy = 0; copy < copies; copy += 1) yield current;
}

/** What a line that the table adds has where it says nothing. */
export interface ForeignTerms {
  readonly partnerId: string;
  readonly clientId: string;
  readonly companyId: string;
  readonly payerAccount: string;
  readonly chargeType: StatementTable['chargeType'];
  readonly net: StatementTable['net'];
  readonly status: StatementTable['status'];
}

const foreignProxyNo = '0899999999';
const foreignDigits = 13;

/** A complete transfer of 1 baht that the book does not have. */
function makeForeignLine(
  edit: StatementEdit,
  place: number,
  date: string,
  terms: ForeignTerms,
): StatementCells {
  const number = String(place).padStart(foreignDigits, '0');
  const { name, nameTh } = generatePayeeName(foreignProxyNo);
  const cells = [
    '',
    date,
    `FOREIGN${number}`,
    `SBFORGN${number}`,
    '',
    terms.payerAccount,
    'MSISDN',
    foreignProxyNo,
    name,
    nameTh,
    '',
    '',
    '1.00',
    '0.00',
    '1.00',
    terms.status === 'code' ? '010004' : 'COMPLETE',
    'IC000',
    'Fund transfer executed successfully',
    terms.partnerId,
    terms.clientId,
    terms.companyId,
    terms.chargeType,
    '12:00:00',
  ];
  return alter(cells, edit.columns ?? {}, terms.net);
}

/** The edits of one file. */
export function pickEdits(
  edits: readonly StatementEdit[],
  { date }: StatementDay,
  issue: number,
): readonly StatementEdit[] {
  return edits.filter(
    (edit) => isForIssue(edit, issue) && (edit.date === undefined || edit.date.replaceAll('-', '') === date),
  );
}

/** The lines after the edits; what is added comes last. NO is still empty where the table does not set it. */
export function* applyEdits(
  lines: Iterable<StatementCells>,
  edits: readonly StatementEdit[],
  date: string,
  terms: ForeignTerms,
): Generator<StatementCells> {
  const index = fileEdits(edits.filter(({ edit }) => edit !== 'add'));
  const hasEdits = index.all.length > 0 || index.byField.size > 0;
  let row = 0;
  for (const cells of lines) {
    row += 1;
    if (hasEdits) yield* editLine(cells, takeEdits(index, row, cells), terms.net);
    else yield cells;
  }
  for (const [place, edit] of edits.entries()) {
    if (edit.edit === 'add') yield makeForeignLine(edit, place + 1, date, terms);
  }
}
