/** Tables that are carried from the file into the database, and how each engine writes a row as text. */
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { moveFacts } from '../../store/moved.ts';
import { schemaName } from '../../store/postgres/pool.ts';
import { journalTables } from '../../store/tables/all.ts';
import { countedKey, storedColumns, type Table } from '../../store/tables/table.ts';

const toNames = (words: string): string[] => words.trim().split(/\s+/);

/** A blank or a word of SQL may be a column's name. */
export const quote = (name: string): string => `"${name}"`;

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

export interface MovedTable {
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

/** All tables whose rows are carried, each after those that it refers to. */
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
export interface Look {
  /** Name of the rows: "the rows of event". */
  readonly what: string;
  /** A statement for both engines; its only column is `whole`, and its rows are in the same order on both. */
  readonly statement: string;
}

/** Every row of a table, whole. */
export function lookAt({ name, columns, key, condition }: MovedTable): Look {
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

export const otherLooks: readonly Look[] = [
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
