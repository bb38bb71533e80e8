/** A column of a table: what each engine makes of it, and what TypeScript reads from it and writes into it. */
import type { ColumnType } from 'kysely';

/** A column that may not be read as it is stays so. */
type OrNull<Type> = [Type] extends [ColumnType<infer Read, infer Inserted, infer Updated>]
  ? ColumnType<[Read] extends [never] ? never : Read | null, Inserted | null, Updated | null>
  : Type | null;

type OrLeftOut<Type> = [Type] extends [ColumnType<infer Read, infer Inserted, infer Updated>]
  ? ColumnType<Read, Inserted | undefined, Updated>
  : ColumnType<Type, Type | undefined, Type>;

interface Facts {
  readonly type: 'integer' | 'text';
  readonly isNullable: boolean;
  readonly isUnique: boolean;
  /** `primary`: the key of its table by itself. `counted`: the same, and an insert may leave it out. */
  readonly key: 'none' | 'primary' | 'counted';
  readonly usual: string | number | null;
  /** The table whose key it has. */
  readonly parent: { readonly table: string; readonly whenItGoes: 'refuse' | 'cascade' } | null;
  /** A condition of the column; `?` stands for its name. */
  readonly check: string | null;
  /** 1 where this is true, which the database keeps up. */
  readonly computed: string | null;
}

const plain = {
  isNullable: false,
  isUnique: false,
  key: 'none',
  usual: null,
  parent: null,
  check: null,
  computed: null,
} as const satisfies Omit<Facts, 'type'>;

export class Column<Type> {
  /** The type in TypeScript; undefined at run time. */
  declare readonly type: Type;
  readonly facts: Facts;

  constructor(facts: Facts) {
    this.facts = facts;
  }

  orNull(): Column<OrNull<Type>> {
    return new Column({ ...this.facts, isNullable: true });
  }

  /** The key of its table by itself. */
  key(): Column<Type> {
    return new Column({ ...this.facts, key: 'primary' });
  }

  /** The value of an insert that leaves it out. */
  usually(usual: string | number): Column<OrLeftOut<Type>> {
    return new Column({ ...this.facts, usual });
  }

  unique(): Column<Type> {
    return new Column({ ...this.facts, isUnique: true });
  }

  /** The key of a row of another table. @param whenItGoes the effect on this row of deleting that one */
  of(table: string, whenItGoes: 'refuse' | 'cascade' = 'refuse'): Column<Type> {
    return new Column({ ...this.facts, parent: { table, whenItGoes } });
  }

  oneOf(...values: readonly (string | number)[]): Column<Type> {
    const list = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)));
    return new Column({ ...this.facts, check: `? in (${list.join(', ')})` });
  }

  ofLength(length: number): Column<Type> {
    return new Column({ ...this.facts, check: `length(?) = ${length}` });
  }
}

const make = <Type>(type: Facts['type']): Column<Type> => new Column({ ...plain, type });

/** Two signatures: without a type argument a column has `string`, whatever the context of the call. */
export function text(): Column<string>;
export function text<Type extends string>(): Column<Type>;
export function text(): Column<string> {
  return make('text');
}

export function integer(): Column<number>;
export function integer<Type>(): Column<Type>;
export function integer(): Column<number> {
  return make('integer');
}

/** A number that the database counts up where an insert leaves it out. */
export const counted = (): Column<ColumnType<number, number | undefined, number>> =>
  new Column({ ...plain, type: 'integer', key: 'counted' });

/** Goes in as it is, and comes out as 0 or 1. */
export const flag = (): Column<ColumnType<number, boolean | number, boolean | number>> => make('integer');

/** A flag that the database keeps up. @param condition a condition in the words of both engines */
export const computedFlag = (condition: string): Column<ColumnType<number, never, never>> =>
  new Column({ ...plain, type: 'integer', computed: condition });

/**
 * Goes in as bigint, and comes out as text (`amountText`): a 64-bit integer does not fit a JS number, and reading every
 * integer of a row as bigint would cost more than this one.
 */
export const satang = (): Column<ColumnType<never, bigint, bigint>> => make('integer');

export type Columns = Readonly<Record<string, Column<unknown>>>;

/** A row as Kysely sees it. */
export type RowOf<Of extends { readonly columns: Columns }> = {
  readonly [Name in keyof Of['columns'] & string]: Of['columns'][Name]['type'];
};
