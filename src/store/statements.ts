/**
 * The statements of the journal. Kysely writes them, node:sqlite runs them at once and in place: Kysely's own execution
 * is asynchronous, and another caller's statement could slip into a transaction between two of its steps. What a
 * transaction or a read does is written as a body, a generator that yields its statements and gets their rows: whoever
 * drives it decides what they run on.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import { Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { Compilable, DatabaseConnection, Dialect, Driver } from 'kysely';
import type { Tables } from './schema.ts';

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

/** What a body yields: one statement, and what is wanted of it. */
interface Step<Wanted extends keyof Prepared<object, unknown> = keyof Prepared<object, unknown>> {
  readonly wanted: Wanted;
  readonly statement: Statement<object, unknown> | Compilable;
  readonly values: object;
}

/** The steps of one transaction; run without a break on SQLite. */
export type Body<Result> = Generator<Step, Result, unknown>;

/** The steps of one read, which needs no transaction. */
export type Reading<Result> = Generator<Step<'get' | 'all'>, Result, unknown>;

/** A statement that any connection can run, compiled once on each: Kysely's compiling costs more than a short run. */
export interface Statement<Values, Row> {
  /** Writes the statement; the values it is handed can only be passed on to Kysely. */
  build(values: Values): Compilable<Row>;
  /** The first row. */
  get(values: Values): Reading<Row | undefined>;
  all(values: Values): Reading<Row[]>;
  /** How many rows it changed. */
  run(values: Values): Body<number>;
}

/** A statement that is run again and again. */
export function define<Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): Statement<Values, Row> {
  const statement: Statement<Values, Row> = {
    build,
    *get(values) {
      return (yield { wanted: 'get', statement: erased, values }) as Row | undefined;
    },
    *all(values) {
      return (yield { wanted: 'all', statement: erased, values }) as Row[];
    },
    *run(values) {
      return (yield { wanted: 'run', statement: erased, values }) as number;
    },
  };
  const erased = statement as unknown as Statement<object, unknown>;
  return statement;
}

const noValues = {};

/** All rows of a statement that is run now and then. */
export function* select<Row>(statement: Compilable<Row>): Reading<Row[]> {
  return (yield { wanted: 'all', statement, values: noValues }) as Row[];
}

/** The first row of a statement that is run now and then. */
export function* selectFirst<Row>(statement: Compilable<Row>): Reading<Row | undefined> {
  return (yield { wanted: 'get', statement, values: noValues }) as Row | undefined;
}

/** Runs a statement that is run now and then; how many rows it changed. */
export function* change(statement: Compilable): Body<number> {
  return (yield { wanted: 'run', statement, values: noValues }) as number;
}

type PreparedStatements = Map<Step['statement'], Prepared<object, unknown>>;

/** Of each connection, what it has compiled. */
const preparedOn = new WeakMap<DatabaseSync, PreparedStatements>();

function runStep(
  db: DatabaseSync,
  prepared: PreparedStatements,
  { wanted, statement, values }: Step,
): unknown {
  if ('compile' in statement) return prepare(db, () => statement)[wanted](values);
  let known = prepared.get(statement);
  if (known === undefined) {
    known = prepare(db, (slots: object) => statement.build(slots));
    prepared.set(statement, known);
  }
  return known[wanted](values);
}

/** Runs a body on a connection from its first step to its last, with nothing in between. */
export function drive<Result>(db: DatabaseSync, body: Body<Result>): Result {
  let prepared = preparedOn.get(db);
  if (prepared === undefined) {
    prepared = new Map();
    preparedOn.set(db, prepared);
  }
  let step = body.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = runStep(db, prepared, step.value);
    } catch (error) {
      step = body.throw(error);
      continue;
    }
    step = body.next(answer);
  }
  return step.value;
}

/** What a port has as promises, as bodies. */
export type BodiesOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...asked: infer Asked) => Promise<infer Result>
    ? (...asked: Asked) => Body<Result>
    : never;
};

/** Bodies by name, as the port's promises. */
export type Driven<Bodies> = {
  readonly [Name in keyof Bodies]: Bodies[Name] extends (...asked: infer Asked) => Body<infer Result>
    ? (...asked: Asked) => Promise<Result>
    : never;
};

type ByName<OneBody> = Readonly<Record<string, (...asked: never[]) => OneBody>>;

/**
 * The bodies by their names, each run in the way that is handed in: reads at once, writes in a transaction each.
 * @param run handed a function that makes the body, since a transaction that could not begin is tried again
 */
export function driveEach<OneBody extends Body<unknown>, Bodies extends ByName<OneBody>>(
  bodies: Bodies,
  run: (makeBody: () => OneBody) => unknown,
): Driven<Bodies> {
  const driven = Object.entries(bodies).map(([name, body]) => [
    name,
    async (...asked: never[]) => run(() => body(...asked)),
  ]);
  return Object.fromEntries(driven) as Driven<Bodies>;
}

/**
 * Prepares a statement at its first use and keeps it, for what has one connection alone.
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
