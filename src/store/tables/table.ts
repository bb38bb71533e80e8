/** A table: its columns, its keys and indexes, and what it refuses. */
import type { Columns } from './column.ts';
import type { Condition } from './condition.ts';

export interface Index {
  readonly name: string;
  readonly columns: readonly string[];
  readonly isUnique: boolean;
  /** The key of the row follows: as columns on PostgreSQL, and without a word on SQLite, which has it in every index. */
  readonly thenKey: boolean;
  /** Rows that it has; all where it is empty. */
  readonly where: string;
}

/** A change that the database refuses. */
export interface Refusal {
  readonly name: string;
  /** `delete`, `insert`, `update`, or `update of` some columns. */
  readonly change: string;
  readonly message: string;
  /** The case, in `old` and `new`; null: always. */
  readonly when: Condition | null;
}

/** A statement that the database runs after a change. */
interface Consequence {
  readonly name: string;
  readonly after: string;
  /** In the words of both engines. */
  readonly statement: string;
  readonly when: Condition | null;
}

/** The rows of a table go into an archive with their batch. */
interface Archiving {
  /** The column that is the number of their payout. */
  readonly by: string;
  /**
   * Columns of which an archive on PostgreSQL takes a digest: what tells of money, of whom it went to, and of how that came
   * about. A column that comes later is no part of it.
   */
  readonly digested: string;
}

export interface Table<Name extends string = string, Of extends Columns = Columns> {
  readonly name: Name;
  readonly columns: Of;
  /** The columns of its key; empty where rows have none. */
  readonly key: readonly string[];
  /** Statements read its rows in the order in which they were added. */
  readonly keepsOrder: boolean;
  readonly checks: readonly string[];
  readonly indexes: readonly Index[];
  readonly refusals: readonly Refusal[];
  readonly consequences: readonly Consequence[];
  readonly archiving: Archiving | null;
}

type Rule = (table: string) => Refusal;

interface Definition<Of extends Columns> {
  readonly columns: Of;
  /** The columns of a key of several. */
  readonly key?: readonly (keyof Of & string)[];
  readonly keepsOrder?: boolean;
  readonly checks?: readonly string[];
  readonly indexes?: readonly Index[];
  readonly rules?: readonly Rule[];
  readonly consequences?: readonly Consequence[];
  readonly archiving?: Archiving;
}

const ownKey = (columns: Columns): readonly string[] =>
  Object.keys(columns).filter((name) => columns[name]?.facts.key !== 'none');

export const table = <const Name extends string, Of extends Columns>(
  name: Name,
  { key, keepsOrder, checks, indexes, rules, consequences, archiving, columns }: Definition<Of>,
): Table<Name, Of> => ({
  name,
  columns,
  key: key ?? ownKey(columns),
  keepsOrder: keepsOrder ?? false,
  checks: checks ?? [],
  indexes: indexes ?? [],
  refusals: (rules ?? []).map((rule) => rule(name)),
  consequences: consequences ?? [],
  archiving: archiving ?? null,
});

/** @param columns their names, a comma between them @param where the rows that it has */
export const index = (name: string, columns: string, where = ''): Index => ({
  name,
  columns: columns.split(', '),
  isUnique: false,
  thenKey: false,
  where,
});

/** Rows of the same values in the order of their key. */
export const indexInOrder = (name: string, columns: string): Index => ({
  ...index(name, columns),
  thenKey: true,
});

export const uniqueIndex = (name: string, columns: string, where = ''): Index => ({
  ...index(name, columns, where),
  isUnique: true,
});

/** Rows are never removed. @param when in which case they are not; always where it is left out */
export const neverGoes =
  (message: string, when: Condition | null = null): Rule =>
  (name) => ({ name: `${name}_never_goes`, change: 'delete', message, when });

/** Rows are never changed. @param when in which case they are not; always where it is left out */
export const neverChanges =
  (message: string, when: Condition | null = null): Rule =>
  (name) => ({ name: `${name}_never_changes`, change: 'update', message, when });

/** Any other change that is refused. @param change as SQL names it: `update of digest` */
export const refuses =
  (name: string, change: string, message: string, when: Condition | null = null): Rule =>
  () => ({ name, change, message, when });

/** Columns that an insert names: those that the database makes up are left out. */
export const storedColumns = ({ columns }: Table): readonly string[] =>
  Object.keys(columns).filter((name) => columns[name]?.facts.computed === null);

/** The key that the database counts up; undefined where it counts none. */
export const countedKey = ({ columns }: Table): string | undefined =>
  Object.keys(columns).find((name) => columns[name]?.facts.key === 'counted');
