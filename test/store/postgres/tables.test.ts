/** The journal's tables on PostgreSQL are those that SQLite has after all its migrations. */
import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import { expect, test } from 'vitest';
import { openConnection } from '../../../src/store/connection.ts';
import { migrate } from '../../../src/store/migrations.ts';
import { schemaName, wholeSchemaName } from '../../../src/store/postgres/pool.ts';
import { journalTables } from '../../../src/store/tables.ts';
import { machineTables } from '../../../src/store/tables/machines.ts';
import { describePostgres, makeJournalDatabase } from '../../support/postgres.ts';

interface Column {
  readonly name: string;
  readonly type: 'integer' | 'text';
  readonly isRequired: boolean;
  readonly isGenerated: boolean;
  /** As it is written, without quotes. */
  readonly usual: string | null;
}

interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isUnique: boolean;
  readonly isPartial: boolean;
}

interface Table {
  readonly columns: readonly Column[];
  readonly primaryKey: readonly string[];
  /** Without those that only keep a key; by name. */
  readonly indexes: readonly Index[];
  /** Columns that are unique by themselves. */
  readonly unique: readonly string[];
  /** `column -> table`, in the order of the columns. */
  readonly references: readonly string[];
  readonly triggers: readonly string[];
}

type Tables = Readonly<Record<string, Table>>;

const mapValues = <From, To>(
  row: Readonly<Record<string, From>>,
  to: (value: From) => To,
): Record<string, To> => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, to(value)]));

const byName = (one: { readonly name: string }, other: { readonly name: string }) =>
  one.name < other.name ? -1 : 1;

/** Each value as text. */
const rowsOf = (db: DatabaseSync, statement: string, ...values: string[]) =>
  db
    .prepare(statement)
    .all(...values)
    .map((row) => mapValues(row, (value) => (value === null ? null : String(value as string | number))));

const namesOf = (rows: ReturnType<typeof rowsOf>): readonly string[] => rows.map((row) => row['name'] ?? '');

function describeSqliteTable(db: DatabaseSync, table: string): Table {
  const columns = rowsOf(db, 'select * from pragma_table_xinfo(?) order by cid', table);
  const indexes = rowsOf(db, 'select * from pragma_index_list(?)', table).map((index) => ({
    name: index['name'] ?? '',
    origin: index['origin'],
    columns: namesOf(rowsOf(db, 'select name from pragma_index_info(?) order by seqno', index['name'] ?? '')),
    isUnique: index['unique'] === '1',
    isPartial: index['partial'] === '1',
  }));
  const references = rowsOf(db, 'select * from pragma_foreign_key_list(?)', table);
  const keyed = columns.filter((column) => column['pk'] !== '0');
  const triggers = `select name from sqlite_master where type = 'trigger' and tbl_name = ? order by 1`;
  return {
    columns: columns.map((column) => ({
      name: column['name'] ?? '',
      type: column['type']?.toLowerCase() as Column['type'],
      isRequired: column['notnull'] === '1' || column['pk'] !== '0',
      isGenerated: column['hidden'] !== '0',
      usual: column['dflt_value']?.replaceAll("'", '') ?? null,
    })),
    primaryKey: namesOf(keyed.toSorted((one, other) => Number(one['pk']) - Number(other['pk']))),
    indexes: indexes
      .filter(({ origin }) => origin === 'c')
      .map(({ origin: _origin, ...index }) => index)
      .toSorted(byName),
    unique: indexes
      .filter(({ origin }) => origin === 'u')
      .flatMap((index) => index.columns)
      .toSorted(),
    references: references
      .map((one) => `${one['from']} -> ${one['table']} ${one['on_delete']}`.toLowerCase())
      .toSorted(),
    triggers: namesOf(rowsOf(db, triggers, table)),
  };
}

function describeSqlite(): Tables {
  using db = openConnection(':memory:');
  migrate(db, 0);
  const tables = rowsOf(db, `select name from sqlite_master where type = 'table' order by 1`);
  return Object.fromEntries(namesOf(tables).map((name) => [name, describeSqliteTable(db, name)]));
}

const describing = `
select t.relname as name,
  (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod),
      'isRequired', a.attnotnull, 'isGenerated', a.attgenerated <> '', 'isCounted', a.attidentity = 'd',
      'collation', (select collname from pg_collation c where c.oid = a.attcollation),
      'usual', case when a.attgenerated = '' then pg_get_expr(d.adbin, d.adrelid) end) order by a.attnum)
    from pg_attribute a left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
    where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped) as columns,
  (select coalesce(json_agg(json_build_object('name', i.relname, 'isPrimary', x.indisprimary, 'isUnique', x.indisunique,
      'isPartial', x.indpred is not null, 'isOfConstraint', exists (select from pg_constraint c where c.conindid = i.oid and c.contype in ('p', 'u')),
      'columns', (select json_agg(a.attname order by k.place) from unnest(x.indkey) with ordinality as k (number, place)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.number)) order by i.relname), '[]')
    from pg_index x join pg_class i on i.oid = x.indexrelid where x.indrelid = t.oid) as indexes,
  (select coalesce(json_agg(json_build_object('column', a.attname, 'table', f.relname, 'onDelete', c.confdeltype)), '[]')
    from pg_constraint c join pg_class f on f.oid = c.confrelid
    join pg_attribute a on a.attrelid = t.oid and a.attnum = c.conkey[1]
    where c.conrelid = t.oid and c.contype = 'f') as keys,
  (select coalesce(json_agg(g.tgname order by g.tgname), '[]') from pg_trigger g
    where g.tgrelid = t.oid and not g.tgisinternal) as triggers
from pg_class t where t.relnamespace = $1::regnamespace and t.relkind = 'r'`;

interface Described {
  readonly name: string;
  readonly columns: readonly (Column & { readonly isCounted: boolean; readonly collation: string | null })[];
  readonly indexes: readonly (Index & { readonly isPrimary: boolean; readonly isOfConstraint: boolean })[];
  readonly keys: readonly { readonly column: string; readonly table: string; readonly onDelete: string }[];
  readonly triggers: readonly string[];
}

const types: Readonly<Record<string, 'integer' | 'text'>> = { bigint: 'integer', text: 'text' };

const readDescribed = async (client: Client): Promise<readonly Described[]> =>
  (await client.query<Described>(describing, [schemaName])).rows;

const toTable = ({ columns, indexes, keys, triggers }: Described): Table => ({
  columns: columns.map(({ name, type, isRequired, isGenerated, usual }) => ({
    name,
    type: types[type]!,
    isRequired,
    isGenerated,
    usual: usual?.replaceAll(/'(-?\w*)'::\w+/g, '$1') ?? null,
  })),
  primaryKey: indexes.find(({ isPrimary }) => isPrimary)?.columns ?? [],
  indexes: indexes
    .filter(({ isOfConstraint }) => !isOfConstraint)
    .map(({ name, columns: of, isUnique, isPartial }) => ({ name, columns: of, isUnique, isPartial }))
    .toSorted(byName),
  unique: indexes
    .filter(({ isOfConstraint, isPrimary }) => isOfConstraint && !isPrimary)
    .flatMap((index) => index.columns)
    .toSorted(),
  references: keys
    .map(
      ({ column, table, onDelete }) => `${column} -> ${table} ${onDelete === 'c' ? 'cascade' : 'no action'}`,
    )
    .toSorted(),
  triggers,
});

/** Statements order by it, and SQLite has it without a word. */
const rowid: Column = { name: 'rowid', type: 'integer', isRequired: true, isGenerated: false, usual: null };

/** What leads on by its key, too: SQLite has the key in each index without a word. */
function withKey(index: Index): Index {
  const table = journalTables.find(({ indexes }) => indexes.some(({ name }) => name === index.name));
  const isInOrder = table?.indexes.some(({ name, thenKey }) => name === index.name && thenKey);
  return isInOrder ? { ...index, columns: [...new Set([...index.columns, ...table!.key])] } : index;
}

/** Of several programs that work side by side. */
const programFrom = {
  name: 'program_from',
  type: 'integer',
  isRequired: true,
  usual: null,
  isGenerated: false,
} as const;

/** What PostgreSQL has beyond SQLite. */
function withDifferences(tables: Tables): Tables {
  const added: Readonly<Record<string, Column>> = {
    batch: rowid,
    registration_batch: rowid,
    schema_version: programFrom,
  };
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => {
      const more = added[name];
      const columns = more === undefined ? table.columns : [...table.columns, more];
      return [name, { ...table, columns, indexes: table.indexes.map(withKey) }];
    }),
  );
}

/** Of several machines alone. */
const ofMachines = machineTables.map(({ name }) => name);

/** Whose rows move into tables of the archive; on SQLite that is a file. */
const moved: readonly string[] = [
  'attempt',
  'event',
  'instruction_version',
  'open_payout',
  'payee_place',
  'payout',
  'payout_row',
];

const onPostgresAlone = [...ofMachines, ...moved.map((name) => `archived_${name}`)];

/** Keys that an insert may leave out, as SQLite has every `integer primary key`. */
const countedKeys = [
  'approval_signature.signature_id',
  'instruction_version.id',
  'notice.seq',
  'person.person_id',
  'person_token.token_id',
  'proposal.proposal_id',
  'registration_callback.id',
  'review_note.seq',
  'shard.shard_id',
  'statement_break.id',
  'worker.worker_id',
];

describePostgres('the tables on PostgreSQL', () => {
  test('are those of SQLite', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    const described = (await readDescribed(client)).filter(({ name }) => !onPostgresAlone.includes(name));
    const present = Object.fromEntries(described.map((table) => [table.name, toTable(table)]));
    expect(present).toEqual(withDifferences(describeSqlite()));
  });

  test('keep texts in byte order, and count what is left out', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    const columns = (await readDescribed(client)).flatMap((table) =>
      table.columns.map((column) => ({ ...column, place: `${table.name}.${column.name}` })),
    );
    const inOtherOrder = columns.filter(({ type, collation }) => type === 'text' && collation !== 'C');
    expect(inOtherOrder).toEqual([]);
    const counted = columns.filter(({ isCounted }) => isCounted).map(({ place }) => place);
    expect(counted.toSorted()).toEqual(countedKeys);
  });

  test('of the archive have the columns of the journal’s, and both are shown together', async () => {
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    const found = await client.query<{
      readonly schema: string;
      readonly name: string;
      readonly columns: string;
    }>(
      `select table_schema as schema, table_name as name,
         string_agg(concat_ws(' ', column_name, data_type, collation_name), ', ' order by ordinal_position) as columns
       from information_schema.columns where table_schema like 'paydrop%' group by 1, 2`,
    );
    const columnsOf = (schema: string, name: string) =>
      found.rows.find((one) => one.schema === schema && one.name === name)?.columns ?? `no ${name}`;
    for (const name of moved) {
      expect([name, columnsOf(schemaName, `archived_${name}`)]).toEqual([name, columnsOf(schemaName, name)]);
      expect([name, columnsOf(wholeSchemaName, name)]).toEqual([name, columnsOf(schemaName, name)]);
    }
    for (const name of ['payout_listed', 'archived_batch', 'archived_rows'])
      expect([name, columnsOf(wholeSchemaName, name)]).toEqual([name, columnsOf(schemaName, name)]);
  });

  test('list a payout as SQLite does', async () => {
    using db = openConnection(':memory:');
    migrate(db, 0);
    await using database = await makeJournalDatabase();
    await using client = await database.connect();
    await client.query(`set search_path = ${schemaName}, pg_catalog`);
    const cells = JSON.stringify(['P1', 'MSISDN', '081-234 5678', 'สมชาย ÀB "x" \\u0041', 'é']);
    const statements = [
      `insert into batch (batch_id, sha256, file_name, company_id, payer_account, status, rows, total_satang,
         unreadable_amounts, extra_columns, started_at_ms) values ('B', '', '', '', '', 'running', 2, '0', 0, '[]', 7)`,
      ...[1, 2].map(
        (
          seq,
        ) => `insert into payout (seq, batch_id, row_no, status, holds, version, attempt_no, last_event_seq, bank_payee_name, submitted_at_ms)
         values (${seq}, 'B', ${seq}, 'rejected', 0, 1, 0, 0, 'ÉBank A', ${seq === 1 ? 'null' : '9'})`,
      ),
      `insert into payout_row (seq, payout_id, line, cells) values (1, 'P1', 1, '${cells}')`,
      `insert into payout_row (seq, line, cells, proxy_type, proxy_no, payee_name) values (2, 2, '[]', 'MSISDN', '0812345678', 'Ann')`,
    ];
    for (const statement of statements) {
      db.exec(statement);
      await client.query(statement);
    }
    const listed = 'select * from payout_listed order by seq';
    const expected = rowsOf(db, listed);
    expect(expected[0]).toMatchObject({ unread_no: '0812345678', placed_at_ms: '7' });
    expect((await client.query<Record<string, string | null>>(listed)).rows).toEqual(expected);
  });
});
