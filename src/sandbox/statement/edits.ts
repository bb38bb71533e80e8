/** Applies the table's edits to a day's lines: dropped, doubled, altered, added. */
import { parseBaht } from '../../core/money.ts';
import { createMatchIndex } from '../behaviours.ts';
import { generatePayeeName } from '../directory.ts';
import { columnPlaces, computeNet, type LineTerms, type StatementCells, type StatementDay } from './lines.ts';
import { isForIssue, type StatementEdit, type StatementTable } from './table.ts';

/** Fields that an edit matches, most selective first. */
function readMatch({ match = {} }: StatementEdit) {
  const { row, transRefNo, reference1, reference2, proxyNo, amount = '' } = match;
  const amountSatang = parseBaht(amount);
  return { row, transRefNo, reference1, reference2, proxyNo, amountSatang };
}

/** The same fields of a line. */
const readLine = (cells: StatementCells, row: number): ReturnType<typeof readMatch> => ({
  row,
  transRefNo: cells[columnPlaces['TRANSREF NO']],
  reference1: cells[columnPlaces['REFERENCE1']],
  reference2: cells[columnPlaces['REFERENCE2']],
  proxyNo: cells[columnPlaces['PROXY NO']],
  amountSatang: parseBaht(cells[columnPlaces['AMOUNT']] ?? ''),
});

const netFollows = ['AMOUNT', 'FEE', 'CHARGE TYPE'] as const;

/** The line with other columns. NET AMOUNT is computed unless it is given, too. */
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
  edits: readonly StatementEdit[],
  net: StatementTable['net'],
): Generator<StatementCells> {
  let current = cells;
  let copies = 1;
  for (const { edit, columns = {} } of edits) {
    if (edit === 'drop') return;
    if (edit === 'double') copies += 1;
    else current = alter(current, columns, net);
  }
  for (let copy = 0; copy < copies; copy += 1) yield current;
}

const foreignProxyNo = '0899999999';
const foreignDigits = 13;

/** A complete transfer of 1 baht that the book does not have. */
function makeForeignLine(
  edit: StatementEdit,
  place: number,
  date: string,
  { table, partnerId, clientId, companyIds, payerAccount }: LineTerms,
): StatementCells {
  const number = String(place).padStart(foreignDigits, '0');
  const { name, nameTh } = generatePayeeName(foreignProxyNo);
  const [companyId = ''] = companyIds;
  const cells = [
    '',
    date,
    `FOREIGN${number}`,
    `SBFORGN${number}`,
    '',
    payerAccount,
    'MSISDN',
    foreignProxyNo,
    name,
    nameTh,
    '',
    '',
    '1.00',
    '0.00',
    '1.00',
    table.status === 'code' ? '010004' : 'COMPLETE',
    'IC000',
    'Fund transfer executed successfully',
    partnerId,
    clientId,
    companyId,
    table.chargeType,
    '12:00:00',
  ];
  return alter(cells, edit.columns ?? {}, table.net);
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

/** The lines after the edits; added lines come last. NO is still empty unless the table sets it. */
export function* applyEdits(
  lines: Iterable<StatementCells>,
  edits: readonly StatementEdit[],
  date: string,
  terms: LineTerms,
): Generator<StatementCells> {
  const ofLines = edits.filter(({ edit }) => edit !== 'add');
  const takeEdits = createMatchIndex(ofLines, readMatch);
  let row = 0;
  for (const cells of lines) {
    row += 1;
    const met = ofLines.length > 0 ? takeEdits(readLine(cells, row)) : [];
    if (met.length > 0) yield* editLine(cells, met, terms.table.net);
    else yield cells;
  }
  for (const [place, edit] of edits.entries()) {
    if (edit.edit === 'add') yield makeForeignLine(edit, place + 1, date, terms);
  }
}
