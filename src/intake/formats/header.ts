/** The header of a file: the places of paydrop's columns, the columns carried through, and the file's kind. */
import { counted, listed, message, type Message } from '../../core/message.ts';
import { FileRejected } from '../../platform/csv/open.ts';
import type { Delimiter } from '../../platform/csv/records.ts';
import { type FileColumns, fileColumns } from '../rules/file-columns.ts';
import { headingKey, quoteHeading, visibleHeading } from '../rules/headings.ts';

/** The file's header of each column of paydrop. */
type ColumnHeaders<Column extends string = string> = Readonly<Partial<Record<Column, string | undefined>>>;

/** The settings for reading a header. */
export interface HeaderOptions<Column extends string = string> {
  /** Columns with a header of their own, which the file must contain. */
  readonly columns: ColumnHeaders<Column>;
  /** Headers that are only carried through, whatever they look like. */
  readonly carry: readonly string[];
  /** The headers of the other kind of file, which identify a file in the wrong place. */
  readonly otherColumns?: ColumnHeaders | undefined;
}

/** The names in a header, and its place. */
export interface HeaderNames {
  readonly names: readonly string[];
  readonly line: number;
  /** The line of the file at which the rows start. */
  readonly nextLine: number;
  /** Null in a sheet. */
  readonly delimiter: Delimiter | null;
}

type Places = Readonly<Partial<Record<string, number>>>;

export interface Header extends HeaderNames {
  readonly cellCount: number;
  /** The place of each column of paydrop in a row; undefined for one that the file leaves out. */
  readonly places: Places;
  /** The places and names of the columns that are carried through. */
  readonly extraPlaces: readonly number[];
  readonly extraColumns: readonly string[];
}

function placesOf(names: readonly string[], wanted: string): number[] {
  const places = (isSame: (name: string) => boolean): number[] =>
    names.flatMap((name, place) => (isSame(name) ? [place] : []));
  const exact = places((name) => name === wanted);
  return exact.length > 0 ? exact : places((name) => name.toLowerCase() === wanted.toLowerCase());
}

function rejectDoubled(record: HeaderNames, column: string, places: readonly number[]): FileRejected {
  const numbers = listed(
    places.map((place) => place + 1),
    'and',
  );
  return new FileRejected('column-doubled', message('header.doubled', { numbers }), record.line, column);
}

/** Finds the columns of paydrop, those with a header in the settings first: no other column takes that header. */
function findPlaces(record: HeaderNames, { names }: FileColumns, { columns, carry }: HeaderOptions): Places {
  const found: Partial<Record<string, number>> = {};
  const claimed = new Set<number>();
  const mappedFirst = names.toSorted(
    (a, b) => Number(columns[a] === undefined) - Number(columns[b] === undefined),
  );
  for (const column of mappedFirst) {
    const mapped = columns[column]?.trim();
    const places = placesOf(record.names, mapped ?? column).filter(
      (place) => !claimed.has(place) && (mapped !== undefined || !carry.includes(record.names[place] ?? '')),
    );
    if (places.length > 1) throw rejectDoubled(record, columns[column] ?? column, places);
    const [place] = places;
    if (place === undefined) continue;
    found[column] = place;
    claimed.add(place);
  }
  return found;
}

/** The header that is probably meant for each column; each header for one column. */
type Meant = ReadonlyMap<string, string>;

/**
 * Guesses the columns of headers that would be carried through: any column that the file lacks, by a header that looks
 * like it, and a required one (`missing`) also by the names that partners usually give it.
 */
function findMeant(
  { names }: HeaderNames,
  kind: FileColumns,
  places: Places,
  missing: readonly string[],
  { columns, carry }: HeaderOptions,
): Meant {
  const found = Object.values(places);
  const free = names.filter((name, place) => name !== '' && !found.includes(place) && !carry.includes(name));
  const meant = new Map<string, string>();
  const match = (column: string, isAlike: (name: string) => boolean): void => {
    const name = free.find((one) => isAlike(one) && ![...meant.values()].includes(one));
    if (places[column] === undefined && !meant.has(column) && name !== undefined) meant.set(column, name);
  };
  for (const column of kind.names) {
    const keys = [columns[column] ?? column, column].map(headingKey).filter((key) => key !== '');
    match(column, (name) => keys.includes(headingKey(name)));
  }
  for (const column of missing) match(column, (name) => kind.usualHeaders[column]?.test(name) === true);
  return meant;
}

/** The settings to paste, including the present ones. */
function describeMapping({ section }: FileColumns, meant: Meant, { columns }: HeaderOptions): string {
  const headers = Object.entries({ ...columns, ...Object.fromEntries(meant) });
  const pairs = headers.flatMap(([column, header]) =>
    header === undefined ? [] : `${column}: ${quoteHeading(header)}`,
  );
  return `${section}: { columns: { ${pairs.join(', ')} } }`;
}

/** The cure for missing columns: the settings to paste, where headers can be meant for them. */
function describeCure(
  kind: FileColumns,
  missing: readonly string[],
  meant: Meant,
  options: HeaderOptions,
): Message {
  const mapping = meant.size === 0 ? '' : describeMapping(kind, meant, options);
  const unknown = missing.filter((column) => !meant.has(column));
  if (unknown.length === 0) return message('header.name-in-settings', { mapping });
  const headers = unknown.map((column) => options.columns[column] ?? column).join(', ');
  const keys = unknown.map((column) => `${kind.section}.columns.${column}`).join(', ');
  return mapping === ''
    ? message('header.add', { headers, keys })
    : message('header.add-and-name', { headers, keys, mapping });
}

function rejectMissing(
  record: HeaderNames,
  kind: FileColumns,
  missing: readonly string[],
  meant: Meant,
  options: HeaderOptions,
): FileRejected {
  const [first = kind.required[0]] = missing;
  const headers = missing.map((column) => options.columns[column] ?? column).join(', ');
  const similar = meant.get(first);
  const said = { headers, cure: describeCure(kind, missing, meant, options) };
  const why =
    similar === undefined
      ? message('header.lacks', said)
      : message('header.lacks-similar', { ...said, similar: quoteHeading(similar) });
  return new FileRejected('column-missing', why, record.line, first);
}

function rejectUnusable(
  record: HeaderNames,
  kind: FileColumns,
  meant: Meant,
  options: HeaderOptions,
): FileRejected {
  const wanted = kind.required.map((column) => options.columns[column] ?? column);
  const isOneCell =
    record.names.length < wanted.length ||
    record.names.some((name) => wanted.every((header) => name.includes(header)));
  const cure = isOneCell ? message('header.write-so') : describeCure(kind, kind.required, meant, options);
  const why = message('header.none', { wanted: wanted.join(', '), cure });
  return new FileRejected('header-missing', why, record.line);
}

/** Rejects carried-through columns whose names look like paydrop's: their content would go unnoticed. */
function rejectUnclear(
  record: HeaderNames,
  kind: FileColumns,
  meant: Meant,
  options: HeaderOptions,
): FileRejected {
  const headers = [...meant.values()];
  const carry = [...options.carry, ...headers].map(quoteHeading).join(', ');
  const why = message(headers.length === 1 ? 'header.unclear.one' : 'header.unclear.many', {
    headers: headers.map(quoteHeading).join(', '),
    columns: [...meant.keys()].join(', '),
    mapping: describeMapping(kind, meant, options),
    carry: `input: { carry: [${carry}] }`,
  });
  return new FileRejected('column-unclear', why, record.line, headers[0]);
}

const wrappedPattern = /^["'`´‘’‚‛“”„«»‹›].*["'`´‘’‛“”«»‹›]$/su;

/** Rejects foreign quotation marks around all headers: they surround the cells, too, and no mapping helps. */
function rejectWrapped({ names, line }: HeaderNames): void {
  if (names.length < 2 || !names.every((name) => name === '' || wrappedPattern.test(name))) return;
  const why = message('header.marks-around', { heading: quoteHeading(names[0] ?? '') });
  throw new FileRejected('header-quoted', why, line);
}

/** Rejects names that differ only in case or invisible characters, because most readers take them for one. */
function rejectTwins(record: HeaderNames): void {
  const firsts = new Map<string, number>();
  for (const [place, name] of record.names.entries()) {
    if (name === '') continue;
    const key = visibleHeading(name).toLowerCase();
    const first = firsts.get(key);
    if (first !== undefined) throw rejectDoubled(record, name, [first, place]);
    firsts.set(key, place);
  }
}

const otherThan = (kind: FileColumns): FileColumns =>
  kind === fileColumns.payout ? fileColumns.registration : fileColumns.payout;

/**
 * Rejects an exceptions file of paydrop: a person's corrections beside the old values would be carried through unread,
 * and the old values sent.
 */
function rejectExceptionsFile({ names, line }: HeaderNames): void {
  const keys = names.map(headingKey);
  for (const { exceptionMarks, rowsAre } of Object.values(fileColumns)) {
    if (!exceptionMarks.every((column) => keys.includes(headingKey(column)))) continue;
    throw new FileRejected('exceptions-file', message(`header.of-exceptions-file.${rowsAre}`), line);
  }
}

/** Rejects an unusable header that names a required column of the other kind of file. */
function rejectOtherKind(
  record: HeaderNames,
  kind: FileColumns,
  found: readonly string[],
  { otherColumns = {} }: HeaderOptions,
): void {
  const other = otherThan(kind);
  const keys = record.names.map(headingKey);
  const theirs = other.required.filter((column) => keys.includes(headingKey(otherColumns[column] ?? column)));
  const isWhole = theirs.length === other.required.length;
  if (!isWhole && (found.length > 0 || !theirs.includes(other.required[0]))) return;
  throw new FileRejected(other.otherKind.code, other.otherKind.message, record.line);
}

/** Finds the columns of a kind of file in a header. @throws FileRejected when the header is unusable */
export function mapHeader(record: HeaderNames, kind: FileColumns, options: HeaderOptions): Header {
  const { columns } = options;
  rejectExceptionsFile(record);
  const places = findPlaces(record, kind, options);
  const present = kind.required.filter((column) => places[column] !== undefined);
  if (present.length < kind.required.length) {
    rejectOtherKind(record, kind, present, options);
    rejectWrapped(record);
  }
  const mapped = kind.names.filter((column) => columns[column] !== undefined);
  const missing = [...new Set([...kind.required, ...mapped])].filter(
    (column) => places[column] === undefined,
  );
  const meant = findMeant(record, kind, places, missing, options);
  if (present.length === 0) throw rejectUnusable(record, kind, meant, options);
  rejectTwins(record);
  if (missing.length > 0) throw rejectMissing(record, kind, missing, meant, options);
  if (meant.size > 0) throw rejectUnclear(record, kind, meant, options);
  const found = Object.values(places);
  const extraPlaces = record.names.flatMap((_, place) => (found.includes(place) ? [] : [place]));
  const extraColumns = extraPlaces.map((place) => record.names[place] ?? '');
  return { ...record, cellCount: record.names.length, places, extraPlaces, extraColumns };
}

/** The number of lines in which a header is looked for. */
export const headerLineMax = 20;

/** The codes of a first line that is no header, and of a later line that is one, or nearly. */
const noHeaderCodes: readonly string[] = ['header-missing', 'header-unreadable'];
const nearHeaderCodes: readonly string[] = ['column-missing', 'column-doubled', 'column-unclear'];

const hasCode = (error: unknown, codes: readonly string[]): error is FileRejected =>
  error instanceof FileRejected && codes.includes(error.rejection.code);

/**
 * Looks for a header below titles, comments and lines of programs (sep=;).
 * @param error the rejection of the first line, which the found line's place replaces
 */
export function findLaterHeader<Start extends { readonly line: number }>(
  error: unknown,
  later: Iterable<Start>,
  read: (start: Start) => { readonly line: number },
): FileRejected | undefined {
  if (!hasCode(error, noHeaderCodes)) return undefined;
  for (const start of later) {
    const line = findHeaderLine(start, read);
    if (line === undefined) continue;
    const why =
      line === 2
        ? message('header.line-below', { line })
        : message('header.lines-below', { line, above: counted(line - 1, 'line') });
    return new FileRejected('header-missing', why, error.rejection.line);
  }
  return undefined;
}

function findHeaderLine<Start extends { readonly line: number }>(
  start: Start,
  read: (start: Start) => { readonly line: number },
): number | undefined {
  try {
    return read(start).line;
  } catch (error) {
    if (!(error instanceof FileRejected)) throw error;
    return hasCode(error, nearHeaderCodes) ? (error.rejection.line ?? start.line) : undefined;
  }
}
