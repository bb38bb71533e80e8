/** Every row of a journal's tables in its file, and in a database, as the tests of a move read them. */
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';

/** Rows by table, each as JSON of its columns in the order of their names. */
export type AllRows = Readonly<Record<string, readonly string[]>>;

/** The same on both: numbers as text, and what is null left out. */
function writeRow(row: Readonly<Record<string, unknown>>): string {
  const cells = Object.entries(row).filter(([, value]) => value !== null);
  return JSON.stringify(
    cells
      .map(([name, value]) => [name, String(value)])
      .toSorted(([one], [other]) => (one! < other! ? -1 : 1)),
  );
}

const sortAll = (rows: ReadonlyMap<string, readonly string[]>): AllRows =>
  Object.fromEntries([...rows].map(([name, all]) => [name, all.toSorted()]));

/** What each side says of itself alone. */
const ownFacts =
  /^\[\["key","(?:fileInode|fileBirthNs|markKept|copiedAtMs|moved\w*|moveId|isArriving|systemId|databaseOid|timeline)"/;

export const withoutOwnFacts = ({ meta = [], schema_version: _own, ...tables }: AllRows): AllRows => ({
  ...tables,
  meta: meta.filter((row) => !ownFacts.test(row)),
});

export function readFileRows(path: string): AllRows {
  using db = new DatabaseSync(path, { readOnly: true });
  const names = db.prepare(
    `select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`,
  );
  const rows = names.all().map(({ name }): [string, string[]] => {
    const isNumbered = name === 'batch' || name === 'registration_batch';
    const all = db.prepare(`select *${isNumbered ? ', rowid' : ''} from ${String(name)}`);
    all.setReadBigInts(true);
    return [String(name), all.all().map(writeRow)];
  });
  return sortAll(new Map(rows));
}

export async function readDatabaseRows(url: string): Promise<AllRows> {
  await using client = Object.assign(new Client({ connectionString: url }), {
    [Symbol.asyncDispose]: async () => client.end(),
  });
  await client.connect();
  const names = await client.query<{ readonly name: string }>(
    `select relname as name from pg_class where relnamespace = 'paydrop'::regnamespace and relkind = 'r'`,
  );
  const rows = new Map<string, readonly string[]>();
  for (const { name } of names.rows)
    rows.set(
      name,
      (await client.query<Record<string, unknown>>(`select * from paydrop.${name}`)).rows.map(writeRow),
    );
  return sortAll(rows);
}

export const countRows = (rows: AllRows): number =>
  Object.values(rows).reduce((sum, all) => sum + all.length, 0);
