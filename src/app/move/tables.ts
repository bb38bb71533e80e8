/** The tables that a move carries from the file into the database, and how each engine describes a row. */
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { moveFacts } from '../../store/moved.ts';
import { schemaName } from '../../store/postgres/pool.ts';

const toNames = (words: string): string[] => words.trim().split(/\s+/);

/** All tables whose rows are carried: each after the tables that it refers to, and after those that it reads. */
export const movedTables: readonly string[] = toNames(`
  meta journal_loss daily_round intake_item taken_file notice notice_delivery
  batch report payout payout_row payout_place payee_place open_payout
  instruction_version attempt claim event line_stop line_pause day_use paid_payee
  archived_batch archived_rows used_reference
  statement_run statement_version statement_break statement_report statement_line
  statement_reading person person_token person_change person_session passkey
  proposal proposal_item review_note batch_hand approved_row approval_signature
  day_head person_event proposal_event
  registration_batch registration registration_row registration_asked registration_version
  registration_place registration_attempt registration_claim registration_event
  registration_callback registration_report
`);

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

export interface Column {
  readonly name: string;
  readonly type: 'integer' | 'text';
}

export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  /** Key columns; empty for a table without a key. */
  readonly key: readonly string[];
  /** True when SQLite keeps its rows in an order of their own. */
  readonly hasRowid: boolean;
  /** True when its rows refer to other rows of the table, which may be later ones. */
  readonly namesItself: boolean;
  /** Condition for the rows that are carried; empty for all. */
  readonly condition: string;
}

/** The rowid, which the database has as a column where statements order by it. */
const rowid: Column = { name: 'rowid', type: 'integer' };

const columnsIn = `
select c.relname as "table", json_agg(a.attname order by a.attname) as columns
from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where c.relnamespace = '${schemaName}'::regnamespace and c.relkind = 'r' and a.attgenerated = '' group by 1`;

/** The tables as both sides have them. @throws Error where one side has a column that the other lacks */
export async function describeTables(db: DatabaseSync, client: ClientBase): Promise<readonly Table[]> {
  const { rows } = await client.query<{ readonly table: string; readonly columns: readonly string[] }>(
    columnsIn,
  );
  const there = new Map(rows.map(({ table, columns }) => [table, columns]));
  return movedTables.map((name) => describeTable(db, name, there.get(name) ?? []));
}

function describeTable(db: DatabaseSync, name: string, there: readonly string[]): Table {
  const found = db
    .prepare('select name, lower(type) as type, pk from pragma_table_xinfo(?) where hidden = 0 order by cid')
    .all(name);
  const own = found.map((column) => ({ name: String(column['name']), type: readType(column['type']) }));
  const columns = there.includes(rowid.name) ? [...own, rowid] : own;
  const names = columns.map((column) => column.name).toSorted();
  if (names.length === 0 || names.join() !== [...there].toSorted().join())
    throw new Error(`${name} has other columns in the file (${names.join()}) than there (${there.join()})`);
  const keyed = found.filter(({ pk }) => Number(pk) > 0);
  const key = keyed
    .toSorted((one, other) => Number(one['pk']) - Number(other['pk']))
    .map((column) => String(column['name']));
  const kind = db.prepare('select wr from pragma_table_list(?)').get(name);
  const references = db.prepare('select "table" from pragma_foreign_key_list(?)').all(name);
  return {
    name,
    columns,
    key,
    hasRowid: kind?.['wr'] === 0,
    namesItself: references.some((reference) => reference['table'] === name),
    condition: conditions.get(name) ?? '',
  };
}

function readType(type: unknown): Column['type'] {
  if (type === 'integer' || type === 'text') return type;
  throw new Error(`a move cannot carry a column of the type ${String(type)}`);
}

/** Quotes a column's name, which may hold a blank or be a word of SQL. */
export const quote = (name: string): string => `"${name}"`;

/** All values of a row as one text, unique to the row, in SQL that both engines read. */
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

/** Reads every row of a table. */
export function lookAt({ name, columns, key, condition }: Table): Look {
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
  for (const name of movedTables) {
    const found = db.prepare(`select count(*) as rows from ${name} ${conditions.get(name) ?? ''}`).get();
    all += Number(found?.['rows'] ?? 0);
  }
  return all;
}
