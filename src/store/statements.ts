/** Runs the statements that Kysely has written: once, or compiled once and run with other values each time. */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Compilable, DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Tables } from './schema.ts';

// ---- * Kysely writes the statements, node:sqlite runs them at once and in place. Kysely's own execution is asynchronous:
// another caller's statement could slip into a transaction between two of its steps. Here a transaction is one
// uninterrupted piece of code.

const refuse = async (): Promise<never> => {
  throw new Error('a statement of the journal is run by statements.ts, not by Kysely');
};

const nothingToDo = async (): Promise<void> => {};

/** Refuses to execute, so that a forgotten `.execute()` is a loud mistake. */
const refusingDriver: Driver = {
  init: nothingToDo,
  acquireConnection: (): Promise<DatabaseConnection> => refuse(),
  beginTransaction: refuse,
  commitTransaction: refuse,
  rollbackTransaction: refuse,
  releaseConnection: nothingToDo,
  destroy: nothingToDo,
};

const compilingDialect: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => refusingDriver,
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** Where every statement of the journal begins. */
export const query = new Kysely<Tables>({ dialect: compilingDialect });

/** Stands for a value while a statement is compiled, to learn where the value goes. */
class Slot {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }

  [Symbol.toPrimitive](): never {
    throw new TypeError(
      `the value "${this.name}" of a prepared statement can only be passed on, not computed with`,
    );
  }
}

/** A statement compiled once. Its values are given by name. */
export interface Prepared<Values, Row> {
  /** The first row. */
  get(values: Values): Row | undefined;
  all(values: Values): Row[];
  /** Runs it and returns how many rows it changed. */
  run(values: Values): number;
}

interface Compiled {
  readonly statement: StatementSync;
  readonly parameters: readonly unknown[];
}

/** Answers every name with the slot of that name. */
function makeSlots(): object {
  return new Proxy({}, { get: (_target, name) => new Slot(String(name)) });
}

function compile(db: DatabaseSync, statement: Compilable): Compiled {
  const { sql, parameters } = statement.compile();
  return { statement: db.prepare(sql), parameters };
}

function bind(parameters: readonly unknown[], values: object): SQLInputValue[] {
  const named = values as Readonly<Record<string, SQLInputValue>>;
  const bound: SQLInputValue[] = [];
  for (const parameter of parameters) {
    bound.push(
      parameter instanceof Slot ? (named[parameter.name] as SQLInputValue) : (parameter as SQLInputValue),
    );
  }
  return bound;
}

/**
 * Prepares a statement at its first use and keeps it: Kysely's compiling costs more than a short statement's run.
 * @param build writes the statement; the values it is handed can only be passed on to Kysely
 */
export function prepare<Values extends object, Row>(
  db: DatabaseSync,
  build: (values: Values) => Compilable<Row>,
): Prepared<Values, Row> {
  let kept: Compiled | undefined;
  const compiled = (): Compiled => (kept ??= compile(db, build(makeSlots() as Values)));
  return {
    get: (values) => {
      const { statement, parameters } = compiled();
      return statement.get(...bind(parameters, values)) as Row | undefined;
    },
    all: (values) => {
      const { statement, parameters } = compiled();
      return statement.all(...bind(parameters, values)) as Row[];
    },
    run: (values) => {
      const { statement, parameters } = compiled();
      return Number(statement.run(...bind(parameters, values)).changes);
    },
  };
}

/** Some of the values of a prepared statement, for an insert that has a column of the same name for each. */
export function pick<Values extends object, Name extends keyof Values>(
  values: Values,
  names: readonly Name[],
): Pick<Values, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>;
}

/** All rows of a statement that is run now and then. */
export function readAll<Row>(db: DatabaseSync, statement: Compilable<Row>): Row[] {
  const { sql, parameters } = statement.compile();
  return db.prepare(sql).all(...(parameters as SQLInputValue[])) as Row[];
}

/** The first row of a statement that is run now and then. */
export function readFirst<Row>(db: DatabaseSync, statement: Compilable<Row>): Row | undefined {
  const { sql, parameters } = statement.compile();
  return db.prepare(sql).get(...(parameters as SQLInputValue[])) as Row | undefined;
}

/** Runs a statement that is run now and then; returns how many rows it changed. */
export function write(db: DatabaseSync, statement: Compilable): number {
  const { sql, parameters } = statement.compile();
  return Number(db.prepare(sql).run(...(parameters as SQLInputValue[])).changes);
}
