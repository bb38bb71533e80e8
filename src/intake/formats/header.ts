/** The header of a payout file: where our columns stand, and which are carried through. */
import { FileRejected } from '../../platform/csv/open.ts';
import { type RowColumn, rowColumns } from '../../core/payout-file.ts';
import { exceptionMarks } from '../../reports/rules/report-rows.ts';
import { requiredColumns } from '../rules/row.ts';

/** The settings that a header is read by. */
export interface HeaderOptions {
  /** Our column → the file's header; a column that stands here must be in the file. */
  readonly columns: Readonly<Partial<Record<RowColumn, string | undefined>>>;
}

/** The names that a header gives, and where it stands. */
export interface HeaderNames {
  readonly names: readonly string[];
  readonly line: number;
  /** Line of the file at which the rows start. */
  readonly nextLine: number;
}

export interface Header extends HeaderNames {
  readonly cellCount: number;
  /** Place of each of our columns in a row; undefined for one that the file leaves out. */
  readonly places: Readonly<Partial<Record<RowColumn, number>>>;
  /** Places and names of the columns that are carried through. */
  readonly extraPlaces: readonly number[];
  readonly extraColumns: readonly string[];
}

/** Names that people take for one another: payee_name, Payee Name, payee-name. */
function squeeze(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.-]/g, '');
}

function placesOf(names: readonly string[], wanted: string): number[] {
  const places = (isSame: (name: string) => boolean): number[] =>
    names.flatMap((name, place) => (isSame(name) ? [place] : []));
  const exact = places((name) => name === wanted);
  return exact.length > 0 ? exact : places((name) => name.toLowerCase() === wanted.toLowerCase());
}

function rejectDoubled(record: HeaderNames, column: string, places: readonly number[]): FileRejected {
  const numbers = places.map((place) => place + 1).join(' and ');
  const message = `the header has this column twice (as number ${numbers}): rename or remove one`;
  return new FileRejected('column-doubled', message, record.line, column);
}

/** Finds our columns, those with a name of their own in the settings first: no other takes a header they claim. */
function findPlaces(
  record: HeaderNames,
  columns: HeaderOptions['columns'],
): Partial<Record<RowColumn, number>> {
  const found: Partial<Record<RowColumn, number>> = {};
  const claimed = new Set<number>();
  const mappedFirst = rowColumns.toSorted(
    (a, b) => Number(columns[a] === undefined) - Number(columns[b] === undefined),
  );
  for (const column of mappedFirst) {
    const places = placesOf(record.names, columns[column]?.trim() ?? column).filter(
      (place) => !claimed.has(place),
    );
    if (places.length > 1) throw rejectDoubled(record, columns[column] ?? column, places);
    const [place] = places;
    if (place === undefined) continue;
    found[column] = place;
    claimed.add(place);
  }
  return found;
}

function rejectMissing(
  record: HeaderNames,
  missing: readonly RowColumn[],
  { columns }: HeaderOptions,
): FileRejected {
  const [first = 'payoutId'] = missing;
  const headers = missing.map((column) => columns[column] ?? column).join(', ');
  const similar = record.names.find((name) => squeeze(name) === squeeze(first));
  const hint = similar === undefined ? '' : ` ("${similar}" is not taken for it)`;
  const mapping = describeMapping(record, missing);
  const message = `the header lacks ${headers}${hint}: add the column, or name the file's own header in the settings: ${mapping}`;
  return new FileRejected('column-missing', message, record.line, first);
}

/** What to paste into the settings: each missing column with the header that is probably meant, or a place to fill in. */
function describeMapping({ names }: HeaderNames, missing: readonly RowColumn[]): string {
  const known = rowColumns.filter((column) => !missing.includes(column)).map(squeeze);
  const free = names.filter((name) => name !== '' && !known.includes(squeeze(name)));
  const pairs = missing.map((column) => {
    const meant = free.find((name) => squeeze(name) === squeeze(column)) ?? findMeant(column, free);
    return `${column}: ${JSON.stringify(meant ?? 'the header in the file')}`;
  });
  return `input: { columns: { ${pairs.join(', ')} } }`;
}

/** Parts of the headers that partners give these columns, in English and Thai. */
const usualHeaders: Readonly<Record<RowColumn, RegExp>> = {
  payoutId: /payout|payment.?(id|no)|invoice|order|เลขที่/iu,
  proxyType: /type|ประเภท/iu,
  proxyNo: /proxy|promptpay|mobile|phone|citizen|tax.?id|พร้อมเพย์|มือถือ|บัตร/iu,
  payeeName: /name|payee|ชื่อ/iu,
  amount: /amount|baht|total|sum|จำนวน|ยอด/iu,
  reference1: /ref.*1|อ้างอิง.*1/iu,
  reference2: /ref.*2|อ้างอิง.*2/iu,
};

const findMeant = (column: RowColumn, names: readonly string[]): string | undefined =>
  names.find((name) => usualHeaders[column].test(name));

function rejectUnusable(record: HeaderNames, { columns }: HeaderOptions): FileRejected {
  const wanted = requiredColumns.map((column) => columns[column] ?? column).join(', ');
  const message =
    `the first line is no header: it must name ${wanted}, separated by commas, semicolons or tabs; ` +
    `add it, or name the file's own headers in the settings: ${describeMapping(record, requiredColumns)}`;
  return new FileRejected('header-missing', message, record.line);
}

/** A column that is carried through although its name is all but one of ours: its content would go unnoticed. */
function rejectUnclear(
  record: HeaderNames,
  places: Partial<Record<RowColumn, number>>,
  extras: readonly string[],
): void {
  for (const column of rowColumns) {
    const similar = places[column] === undefined && extras.find((name) => squeeze(name) === squeeze(column));
    if (typeof similar !== 'string') continue;
    const message = `is "${similar}" meant as ${column}? rename it, or set input.columns.${column}`;
    throw new FileRejected('column-unclear', message, record.line, similar);
  }
}

/** Two names that only differ in case are one to most readers, and in most spreadsheets: none of them is guessed at. */
function rejectTwins(record: HeaderNames): void {
  const firsts = new Map<string, number>();
  for (const [place, name] of record.names.entries()) {
    if (name === '') continue;
    const key = name.normalize('NFKC').toLowerCase();
    const first = firsts.get(key);
    if (first !== undefined) throw rejectDoubled(record, name, [first, place]);
    firsts.set(key, place);
  }
}

/**
 * An exceptions file that we wrote is no payout file: what a person has filled in beside the old number and amount would
 * be carried through unread, and the old ones paid.
 */
function rejectExceptionsFile({ names, line }: HeaderNames): void {
  // In a workbook of ours the heading in Thai stands below.
  const heads = names.map((name) => name.split(/[\r\n]/)[0]?.trim());
  if (!exceptionMarks.every((column) => heads.includes(column))) return;
  const message =
    'this is an exceptions file that paydrop wrote: newProxyNo and newAmount would not be read. What was decided in it is ' +
    'taken by "paydrop decide" and its name; or take the rows out of your own payout file, correct them there, and give ' +
    'them, under the same payoutId, as a new file';
  throw new FileRejected('exceptions-file', message, line);
}

/**
 * Finds our columns in a header.
 * @throws FileRejected when it cannot be used
 */
export function mapHeader(record: HeaderNames, { columns }: HeaderOptions): Header {
  rejectExceptionsFile(record);
  const places = findPlaces(record, columns);
  const found = Object.values(places);
  if (!requiredColumns.some((column) => places[column] !== undefined))
    throw rejectUnusable(record, { columns });
  const mapped = rowColumns.filter((column) => columns[column] !== undefined);
  const missing = [...new Set([...requiredColumns, ...mapped])].filter(
    (column) => places[column] === undefined,
  );
  if (missing.length > 0) throw rejectMissing(record, missing, { columns });
  const extraPlaces = record.names.flatMap((_, place) => (found.includes(place) ? [] : [place]));
  const extraColumns = extraPlaces.map((place) => record.names[place] ?? '');
  rejectTwins(record);
  rejectUnclear(record, places, extraColumns);
  return { ...record, cellCount: record.names.length, places, extraPlaces, extraColumns };
}
