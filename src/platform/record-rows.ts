/** Maps records to rows of a table: names become snake case, and values without a SQLite type become JSON. */

/** `lineAt` as `line_at`. */
type SnakeCase<Name extends string> = Name extends `${infer First}${infer Rest}`
  ? `${First extends Lowercase<First> ? First : `_${Lowercase<First>}`}${SnakeCase<Rest>}`
  : Name;

type RowOf<Kept> = {
  readonly [Name in keyof Kept & string as SnakeCase<Name>]: Kept[Name] extends string | number | null
    ? Kept[Name]
    : string | Extract<Kept[Name], null>;
};

type ColumnsOf<Fields> = {
  readonly [Name in keyof Fields & string as SnakeCase<Name>]: Fields[Name];
};

/** Caches names: there are few, and hundreds of thousands of breaks on a bad day. */
const memoise = (rename: (name: string) => string): ((name: string) => string) => {
  const known = new Map<string, string>();
  return (name) => known.get(name) ?? known.set(name, rename(name)).get(name) ?? '';
};
const toColumn = memoise((name) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`));
const toName = memoise((column) => column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));

/** The fields by the names of their columns, whatever they hold: also those of a statement that is run later. */
export const toColumns = <Fields extends object>(fields: Fields): ColumnsOf<Fields> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]: [string, unknown]) => [toColumn(name), value]),
  ) as ColumnsOf<Fields>;

/**
 * @param columns by name: `json` hold JSON, `own` are not fields of the record
 * @returns functions that convert a record to a row, and back
 */
export function makeRowMapping(columns: {
  readonly json: readonly string[];
  readonly own: readonly string[];
}) {
  const json = new Set(columns.json);
  const own = new Set(columns.own);
  return {
    toRow: <Kept extends object>(record: Kept): RowOf<Kept> => {
      const cells = Object.entries(record).map(([name, value]: [string, unknown]) => {
        const isJson = typeof value === 'object' && value !== null;
        return [toColumn(name), isJson ? JSON.stringify(value) : value];
      });
      return Object.fromEntries(cells) as RowOf<Kept>;
    },
    toRecord: <Kept>(row: RowOf<Kept>): Kept => {
      const record: Record<string, unknown> = {};
      for (const [column, cell] of Object.entries(row)) {
        if (own.has(column)) continue;
        record[toName(column)] = json.has(column) && cell !== null ? JSON.parse(cell as string) : cell;
      }
      return record as Kept;
    },
  };
}
