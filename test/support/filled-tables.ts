/** A row in each of the journal's tables, on either engine. */
import type { DatabaseSync } from 'node:sqlite';

export interface Column {
  readonly table: string;
  readonly name: string;
  readonly isText: boolean;
  readonly isRequired: boolean;
  /** Of SQLite's own, which lets no trigger see that it is to be null. */
  readonly isNumber: boolean;
}

/** As long as a hash. */
export const long = '1'.repeat(64);

const corrected = JSON.stringify({
  amountSatang: '7',
  proxyType: 'NATID',
  proxyNo: '~',
  payeeName: 'a',
  reference1: null,
  reference2: 'r',
});

/** Of a column in a table, or wherever it is; everything else is 1, so that every key finds its row. */
const values: Readonly<Record<string, string>> = {
  role: `'maker'`,
  part: `'uploaded'`,
  what: `'noted'`,
  backup: `'none'`,
  state: `'open'`,
  closed_at_ms: 'null',
  closed_by: 'null',
  'intake_item.outcome': 'null',
  previous_hash: 'null',
  commitment: 'null',
  is_moving: '0',
  'day_use.kind': `'payee'`,
  'proposal_item.kind': `'payout'`,
  'review_note.kind': `'payout'`,
  'proposal_item.status': `'open'`,
  'proposal.status': `'proposed'`,
  'notice_delivery.status': `'due'`,
  'notice_delivery.next_at_ms': '1',
  'used_reference.trans_ref_no': `'2'`,
  'proposal.evidence_file': `'{"name":"a.pdf","bytes":1}'`,
  'instruction_version.instruction': `'${corrected}'`,
};

/** What is not there, at first: an optional column is null. */
export type Fill = 'full' | 'bare';

function valueOf({ table, name, isText, isRequired }: Column, fill: Fill): string {
  const own = values[`${table}.${name}`] ?? values[name];
  if (own !== undefined) return own;
  if (fill === 'bare' && !isRequired) return 'null';
  if (/hash|digest/.test(name)) return `'${long}'`;
  return isText ? `'1'` : '1';
}

const columnsStatement = `
select t.name as "table", c.name, lower(c.type) = 'text' as isText, c."notnull" = 1 or c.pk > 0 as isRequired,
  c.pk = 1 and c."notnull" = 0 and lower(c.type) = 'integer' as isNumber
from sqlite_master t join pragma_table_xinfo(t.name) c
where t.type = 'table' and t.name <> 'schema_version' and c.hidden = 0 order by t.rowid, c.cid`;

/** Of SQLite's tables, in their order. */
export const readColumns = (db: DatabaseSync): readonly Column[] =>
  db
    .prepare(columnsStatement)
    .all()
    .map((row) => ({
      table: String(row['table']),
      name: String(row['name']),
      isText: row['isText'] === 1,
      isRequired: row['isRequired'] === 1,
      isNumber: row['isNumber'] === 1,
    }));

/** @param changed columns that have another value than usual */
const insertInto = (of: readonly Column[], fill: Fill, changed: Changes = {}): string => {
  const entries = of.map((column) => [column.name, changed[column.name] ?? valueOf(column, fill)] as const);
  const names = entries.map(([name]) => name).join(', ');
  return `insert into ${of[0]?.table} (${names}) values (${entries.map(([, value]) => value).join(', ')})`;
};

/** Statements that put one row into each table. */
export const fillTables = (columns: readonly Column[], fill: Fill): readonly string[] =>
  [...Map.groupBy(columns, ({ table }) => table).values()].map((of) => insertInto(of, fill));

/** What a column is tried with, beside what it has. */
export function otherValues({ isText, isNumber }: Column): readonly string[] {
  const others = isText ? [`'~'`, `''`, `'approved'`, `'closed'`] : ['0', '2'];
  return isNumber ? others : [...others, 'null'];
}

/** Of each table, what stands before it, and rows that differ from its own in one column. */
export function listInserts(columns: readonly Column[], fill: Fill) {
  const tables = [...Map.groupBy(columns, ({ table }) => table).values()];
  return tables.map((of, place) => ({
    before: fillTables(tables.slice(0, place).flat(), fill),
    inserts: of.flatMap((column) =>
      otherValues(column).map((value) => insertInto(of, fill, { [column.name]: value })),
    ),
  }));
}

/** Columns and what they become, as a statement has them. */
export type Changes = Readonly<Record<string, string>>;

export const updateOf = (table: string, changes: Changes): string =>
  `update ${table} set ${Object.entries(changes)
    .map(([name, value]) => `${name} = ${value}`)
    .join(', ')}`;

/** Leaves nothing of what a row asks for. */
export const erasedRow: Changes = {
  cells: `'[]'`,
  extras: 'null',
  proxy_type: 'null',
  proxy_no: 'null',
  payee_name: 'null',
  reference1: 'null',
  reference2: 'null',
  digest: 'null',
  salt: 'null',
  commitment: `'c'`,
};

/** What a row asks for by the version that it has. */
export const correctedRow: Changes = {
  proxy_type: `'NATID'`,
  proxy_no: `'~'`,
  payee_name: `'a'`,
  reference1: 'null',
  reference2: `'r'`,
};
