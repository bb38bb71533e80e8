/** Copies the rows of the file into the database, in the transaction that has begun there; memory stays flat. */
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { JournalRefusedError } from '../../store/connection.ts';
import { schemaName } from '../../store/postgres/pool.ts';
import { type MovedTable, movedTables, quote } from './tables.ts';

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
