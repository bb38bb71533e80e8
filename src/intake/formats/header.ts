/** The header of a file: where our columns stand, which are carried through, and whether it is of this kind at all. */
import { FileRejected } from '../../platform/csv/open.ts';
import type { Delimiter } from '../../platform/csv/records.ts';
import { type FileColumns, fileColumns } from '../rules/file-columns.ts';

/** Our column → the file's header. */
type ColumnHeaders<Column extends string = string> = Readonly<Partial<Record<Column, string | undefined>>>;

/** The settings that a header is read by. */
export interface HeaderOptions<Column extends string = string> {
  /** A column that stands here must be in the file. */
  readonly columns: ColumnHeaders<Column>;
  /** The headers of the other kind of file, by which one is known that came the wrong way. */
  readonly otherColumns?: ColumnHeaders | undefined;
}

/** The names that a header gives, and where it stands. */
export interface HeaderNames {
  readonly names: readonly string[];
  readonly line: number;
  /** Line of the file at which the rows start. */
  readonly nextLine: number;
  /** Null in a sheet. */
  readonly delimiter: Delimiter | null;
}

type Places = Readonly<Partial<Record<string, number>>>;

export interface Header extends HeaderNames {
  readonly cellCount: number;
  /** Place of each of our columns in a row; undefined for one that the file leaves out. */
  readonly places: Places;
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
function findPlaces(record: HeaderNames, { names }: FileColumns, columns: ColumnHeaders): Places {
  const found: Partial<Record<string, number>> = {};
  const claimed = new Set<number>();
  const mappedFirst = names.toSorted(
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
  kind: FileColumns,
  missing: readonly string[],
  { columns }: HeaderOptions,
): FileRejected {
  const [first = kind.required[0]] = missing;
  const headers = missing.map((column) => columns[column] ?? column).join(', ');
  const similar = record.names.find((name) => squeeze(name) === squeeze(first));
  const hint = similar === undefined ? '' : ` ("${similar}" is not taken for it)`;
  const mapping = describeMapping(record, kind, missing);
  const message = `the header lacks ${headers}${hint}: add the column, or name the file's own header in the settings: ${mapping}`;
  return new FileRejected('column-missing', message, record.line, first);
}

/** What to paste into the settings: each missing column with the header that is probably meant, or a place to fill in. */
function describeMapping({ names }: HeaderNames, kind: FileColumns, missing: readonly string[]): string {
  const known = kind.names.filter((column) => !missing.includes(column)).map(squeeze);
  const free = names.filter((name) => name !== '' && !known.includes(squeeze(name)));
  const pairs = missing.map((column) => {
    const meant =
      free.find((name) => squeeze(name) === squeeze(column)) ??
      free.find((name) => kind.usualHeaders[column]?.test(name) === true);
    return `${column}: ${JSON.stringify(meant ?? 'the header in the file')}`;
  });
  return `${kind.section}: { columns: { ${pairs.join(', ')} } }`;
}

function rejectUnusable(record: HeaderNames, kind: FileColumns, { columns }: HeaderOptions): FileRejected {
  const wanted = kind.required.map((column) => columns[column] ?? column).join(', ');
  const message =
    `the first line is no header: it must name ${wanted}, separated by commas, semicolons or tabs; ` +
    `add it, or name the file's own headers in the settings: ${describeMapping(record, kind, kind.required)}`;
  return new FileRejected('header-missing', message, record.line);
}

/** A column that is carried through although its name is all but one of ours: its content would go unnoticed. */
function rejectUnclear(
  record: HeaderNames,
  { names, section }: FileColumns,
  places: Places,
  extras: readonly string[],
): void {
  for (const column of names) {
    const similar = places[column] === undefined && extras.find((name) => squeeze(name) === squeeze(column));
    if (typeof similar !== 'string') continue;
    const message = `is "${similar}" meant as ${column}? rename it, or set ${section}.columns.${column}`;
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

const otherThan = (kind: FileColumns): FileColumns =>
  kind === fileColumns.payout ? fileColumns.registration : fileColumns.payout;

/**
 * An exceptions file that we wrote is no file to take in: what a person has filled in beside the old values would be
 * carried through unread, and the old ones sent.
 */
function rejectExceptionsFile({ names, line }: HeaderNames): void {
  // In a workbook of ours the heading in Thai stands below.
  const heads = names.map((name) => name.split(/[\r\n]/)[0]?.trim());
  for (const { exceptionMarks, filledIn, rowsAre, required } of Object.values(fileColumns)) {
    if (!exceptionMarks.every((column) => heads.includes(column))) continue;
    const message =
      `this is an exceptions file that paydrop wrote: ${filledIn} would not be read. What was decided in it is ` +
      `taken by "paydrop decide" and its name; or take the rows out of your own ${rowsAre} file, correct them there, and give ` +
      `them, under the same ${required[0]}, as a new file`;
    throw new FileRejected('exceptions-file', message, line);
  }
}

/** A header that cannot be used for this kind of file, and names what one of the other kind must. */
function rejectOtherKind(
  record: HeaderNames,
  kind: FileColumns,
  found: readonly string[],
  { otherColumns = {} }: HeaderOptions,
): void {
  const other = otherThan(kind);
  const theirs = other.required.filter(
    (column) => placesOf(record.names, otherColumns[column]?.trim() ?? column).length > 0,
  );
  const isWhole = theirs.length === other.required.length;
  if (!isWhole && (found.length > 0 || !theirs.includes(other.required[0]))) return;
  throw new FileRejected(other.otherKind.code, other.otherKind.message, record.line);
}

/**
 * Finds the columns of a kind of file in a header.
 * @throws FileRejected when it cannot be used
 */
export function mapHeader(record: HeaderNames, kind: FileColumns, options: HeaderOptions): Header {
  const { columns } = options;
  rejectExceptionsFile(record);
  const places = findPlaces(record, kind, columns);
  const present = kind.required.filter((column) => places[column] !== undefined);
  if (present.length < kind.required.length) rejectOtherKind(record, kind, present, options);
  if (present.length === 0) throw rejectUnusable(record, kind, options);
  const mapped = kind.names.filter((column) => columns[column] !== undefined);
  const missing = [...new Set([...kind.required, ...mapped])].filter(
    (column) => places[column] === undefined,
  );
  if (missing.length > 0) throw rejectMissing(record, kind, missing, options);
  const found = Object.values(places);
  const extraPlaces = record.names.flatMap((_, place) => (found.includes(place) ? [] : [place]));
  const extraColumns = extraPlaces.map((place) => record.names[place] ?? '');
  rejectTwins(record);
  rejectUnclear(record, kind, places, extraColumns);
  return { ...record, cellCount: record.names.length, places, extraPlaces, extraColumns };
}
