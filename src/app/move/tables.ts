/** Tables that are carried from the file into the database: copied with flat memory, then read again on both sides. */
import type { DatabaseSync } from 'node:sqlite';
import { hash } from 'node:crypto';
import type { ClientBase } from 'pg';
import { moveFacts } from '../../store/moved.ts';
import { schemaName } from '../../store/postgres/pool.ts';
import { journalTables } from '../../store/tables.ts';
import { countedKey, storedColumns, type Table } from '../../store/tables/table.ts';
import { showCount } from '../../core/figures.ts';
import { JournalRefusedError } from '../../store/connection.ts';

const toNames = (words: string): string[] => words.trim().split(/\s+/);

/** A blank or a word of SQL may be a column's name. */
const quote = (name: string): string => `"${name}"`;

/** History of the schema's versions: each side keeps its own. */
export const ownTable = 'schema_version';

/** Facts of one side: the place of the file, the marks beside it, and the move itself. */
const ownFacts = [
  ...toNames('fileInode fileBirthNs markKept copiedAtMs systemId databaseOid timeline'),
  ...Object.values(moveFacts),
];

/** Conditions for tables whose rows are carried in part; all other tables are carried whole. */
const conditions: ReadonlyMap<string, string> = new Map([
  ['meta', `where key not in (${ownFacts.map((fact) => `'${fact}'`).join(', ')})`],
]);

interface Column {
  readonly name: string;
  readonly type: 'integer' | 'text';
}

interface MovedTable {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Key columns; empty for a table without a key. */
  readonly key: readonly string[];
  /** The order in which the file is read. */
  readonly order: string;
  /** Rows that refer to each other go in one statement. */
  readonly namesItself: boolean;
  /** The condition of the carried rows; empty for all. */
  readonly condition: string;
  /** Columns that the database counts up where an insert leaves them out. */
  readonly counted: readonly string[];
}

/** The rowid, which the database has as a column where statements order by it. */
const rowid: Column = { name: 'rowid', type: 'integer' };

function toMoved(table: Table): MovedTable {
  const { name, key, keepsOrder, columns } = table;
  const own = storedColumns(table).map((column): Column => ({
    name: column,
    type: columns[column]?.facts.type ?? 'text',
  }));
  return {
    name,
    columns: keepsOrder ? [...own, rowid] : own,
    key,
    order: keepsOrder || key.length === 0 ? rowid.name : key.map(quote).join(', '),
    namesItself: Object.values(columns).some(({ facts }) => facts.parent?.table === name),
    condition: conditions.get(name) ?? '',
    counted: [countedKey(table), keepsOrder ? rowid.name : undefined].filter((one) => one !== undefined),
  };
}

/** All tables whose rows are carried, each after those that it refers to. @forTests */
export const movedTables: readonly MovedTable[] = journalTables.map(toMoved);

const columnsThere = `
select c.relname as "table", json_agg(a.attname order by a.attname) as columns
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = '${schemaName}'::regnamespace and c.relkind = 'r' and a.attgenerated = '' group by 1`;

/** @throws Error where a table has other columns on one side than this program knows */
export async function requireKnownColumns(db: DatabaseSync, client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ readonly table: string; readonly columns: readonly string[] }>(
    columnsThere,
  );
  const there = new Map(rows.map(({ table, columns }) => [table, columns]));
  const here = db.prepare('select name from pragma_table_xinfo(?) where hidden = 0');
  for (const { name, columns } of movedTables) {
    const known = columns.map((column) => column.name);
    const inFile = here.all(name).map((column) => String(column['name']));
    const withOrder = known.includes(rowid.name) ? [...inFile, rowid.name] : inFile;
    for (const found of [withOrder, there.get(name) ?? []])
      if (found.toSorted().join() !== known.toSorted().join())
        throw new Error(
          `${name} has other columns (${found.join()}) than this program knows (${known.join()})`,
        );
  }
}

/** All values of a row as one text that no other row has, in the words of both engines. */
const wholeRow = (columns: readonly string[]): string =>
  columns
    .map((column) => `cast(${quote(column)} as text)`)
    .map((value) => `coalesce(octet_length(${value}) || ':' || ${value}, '-')`)
    .join(` || `);

/** Rows that must be equal on both sides. */
interface Look {
  /** Name of the rows: "the rows of event". */
  readonly what: string;
  /** A statement for both engines; its only column is `whole`, and its rows are in the same order on both. */
  readonly statement: string;
}

/** Every row of a table, whole. */
function lookAt({ name, columns, key, condition }: MovedTable): Look {
  const names = columns.map((column) => column.name);
  // Indexes serve this order: no column of a key is null.
  const order = key.length > 0 ? key.map(quote) : names.map((column) => `${quote(column)} nulls first`);
  const statement = `select ${wholeRow(names)} as whole from ${name} ${condition} order by ${order.join(', ')}`;
  return { what: `the rows of ${name}`, statement };
}

/** Derived facts, computed anew on both sides: totals, chains and seals. A list of columns may have a gap. */
const lookInto = (
  what: string,
  columns: readonly string[],
  order: readonly string[],
  from: string,
): Look => ({
  what,
  statement: `select ${wholeRow(columns)} as whole from (${from}) as found order by ${order.join(', ')}`,
});

const sums = lookInto(
  'the sums by batch and status',
  ['batch_id', 'status', 'payouts', 'high', 'low', 'alarms'],
  ['batch_id', 'status'],
  // A sum of whole amounts may be too large for an integer.
  `select batch_id, status, count(*) as payouts, sum(amount_satang / 1000000) as high, sum(amount_satang % 1000000) as low,
     sum(is_alarm) as alarms
   from payout group by batch_id, status`,
);

const seals = lookInto(
  'the seals of batches',
  ['batch_id', 'digest', 'versions_digest', 'rows', 'total_satang', 'sealed_rows'],
  ['batch_id'],
  `select b.batch_id, b.digest, b.versions_digest, b.rows, b.total_satang, (select count(r.digest)
     from payout p join payout_row r on r.seq = p.seq where p.batch_id = b.batch_id) as sealed_rows
   from batch b`,
);

/** Length and last event of each subject's history. */
const chainOf = (events: string, subject: string): Look =>
  lookInto(
    `the chains of ${events}`,
    ['subject', 'events', 'to_status', 'hash'],
    ['subject'],
    `select chain.subject, chain.events, latest.to_status, latest.hash
     from (select ${subject} as subject, count(*) as events, max(seq) as seq from ${events} group by ${subject}) as chain
     join ${events} latest on latest.seq = chain.seq`,
  );

const otherLooks: readonly Look[] = [
  sums,
  seals,
  chainOf('event', 'payout_seq'),
  chainOf('registration_event', 'registration_seq'),
];

/** Number of rows that a move carries from the file. */
export function countRows(db: DatabaseSync): number {
  let all = 0;
  for (const { name, condition } of movedTables) {
    const found = db.prepare(`select count(*) as rows from ${name} ${condition}`).get();
    all += Number(found?.['rows'] ?? 0);
  }
  return all;
}

// ---------------------------------------------------------------- the copy

/** Rows of one statement: fewer where rows are long. */
const pageRowsMax = 2_000;
const pageCharactersMax = 4_000_000;

type Cell = bigint | string | null;

/** One list of values for each column. */
type Page = readonly (readonly Cell[])[];

function requireKeepable({ name, columns }: MovedTable, row: readonly Cell[]): void {
  if (!row.some((cell) => typeof cell === 'string' && cell.includes('\0'))) return;
  const [first] = columns;
  throw new JournalRefusedError(
    `a row of ${name} (${first?.name} ${String(row[0])}) holds the character NUL, which PostgreSQL cannot keep: ` +
      'nothing has been moved',
  );
}

function* readPages(db: DatabaseSync, table: MovedTable): Generator<Page> {
  const { name, columns, order, condition } = table;
  const names = columns.map((column) => quote(column.name)).join(', ');
  const statement = db.prepare(`select ${names} from ${name} ${condition} order by ${order}`);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const begin = (): Cell[][] => columns.map(() => []);
  let page = begin();
  let [rows, characters] = [0, 0];
  for (const row of statement.iterate() as Iterable<unknown> as Iterable<readonly Cell[]>) {
    requireKeepable(table, row);
    for (const [place, cell] of row.entries()) {
      page[place]?.push(cell);
      if (typeof cell === 'string') characters += cell.length;
    }
    rows += 1;
    const isFull = rows >= pageRowsMax || characters >= pageCharactersMax;
    // A table that refers to itself goes in one statement, where each row finds the rows that it names.
    if (!isFull || table.namesItself) continue;
    yield page;
    page = begin();
    [rows, characters] = [0, 0];
  }
  if (rows > 0) yield page;
}

/** A PostgreSQL array literal of numbers; the driver encodes texts. */
const encodeNumbers = (cells: readonly Cell[]): string =>
  `{${cells.map((cell) => (cell === null ? 'null' : String(cell))).join(',')}}`;

/** @returns how many rows it has */
async function copyTable(db: DatabaseSync, client: ClientBase, table: MovedTable): Promise<number> {
  const { name, columns } = table;
  const types = { integer: 'bigint[]', text: 'text[]' };
  const places = columns.map(({ type }, place) => `$${place + 1}::${types[type]}`);
  const into = columns.map((column) => quote(column.name)).join(', ');
  const text = `insert into ${name} (${into}) overriding system value select * from unnest(${places.join(', ')})`;
  let copied = 0;
  for (const page of readPages(db, table)) {
    const values = page.map((cells, place) =>
      columns[place]?.type === 'integer' ? encodeNumbers(cells) : cells,
    );
    const { rowCount } = await client.query({ name: `move_${name}`, text, values });
    copied += rowCount ?? 0;
  }
  return copied;
}

/** The next key that the database counts up is the one after the highest. */
async function setCounters(client: ClientBase): Promise<void> {
  for (const { name, counted } of movedTables)
    for (const column of counted)
      await client.query(
        `select setval(pg_get_serial_sequence('${schemaName}.${name}', '${column}'), max(${column})) from ${name}
         having max(${column}) is not null`,
      );
}

/**
 * @param onTable called with each table that has rows
 * @returns the number of rows copied
 * @throws JournalRefusedError for a row that the database cannot keep
 */
export async function copyTables(
  db: DatabaseSync,
  client: ClientBase,
  onTable: (name: string, rows: number) => void,
): Promise<number> {
  let all = 0;
  for (const table of movedTables) {
    const rows = await copyTable(db, client, table);
    all += rows;
    if (rows > 0) onTable(table.name, rows);
  }
  await setCounters(client);
  // The first statements are to be planned for what is there now.
  await client.query(`analyze ${movedTables.map(({ name }) => name).join(', ')}`);
  return all;
}

// ---------------------------------------------------------------- the comparison

/** Digests fetched at a time. */
const digestsAtOnce = 5_000;

/** The digests of the rows, in order. */
async function* readDigests(client: ClientBase, { statement }: Look): AsyncGenerator<readonly string[]> {
  const digest = `encode(sha256(convert_to(whole, 'UTF8')), 'hex')`;
  await client.query(
    `declare looked no scroll cursor for select ${digest} as digest from (${statement}) as look`,
  );
  for (;;) {
    const { rows } = await client.query<{ readonly digest: string }>(`fetch ${digestsAtOnce} from looked`);
    yield rows.map((row) => row.digest);
    if (rows.length < digestsAtOnce) break;
  }
  await client.query('close looked');
}

/** The first row at which the two sides differ; undefined where they are the same. */
async function findDifference(db: DatabaseSync, client: ClientBase, look: Look): Promise<string | undefined> {
  const here = db.prepare(look.statement).iterate() as Iterable<unknown> as Iterable<{
    readonly whole: string;
  }>;
  const rows = here[Symbol.iterator]();
  let place = 0;
  for await (const digests of readDigests(client, look)) {
    for (const digest of digests) {
      place += 1;
      const row = rows.next();
      if (row.done === true) return `${look.what} end here after ${showCount(place - 1)}, and go on there`;
      if (hash('sha256', row.value.whole) !== digest)
        return `${look.what}: number ${showCount(place)} is another`;
    }
  }
  if (rows.next().done !== true) return `${look.what} end there after ${showCount(place)}, and go on here`;
  return undefined;
}

/**
 * Compares every row of every table, and the totals and chains derived from them.
 * @param client in a transaction of its own, which sees committed rows
 * @returns the first difference, in words; undefined when there is none
 */
export async function compareSides(db: DatabaseSync, client: ClientBase): Promise<string | undefined> {
  await requireKnownColumns(db, client);
  for (const look of [...movedTables.map(lookAt), ...otherLooks]) {
    const difference = await findDifference(db, client, look);
    if (difference !== undefined) return difference;
  }
  return undefined;
}
