/**
 * The statements of the journal. Kysely writes them, node:sqlite runs them at once and in place: Kysely's own execution
 * is asynchronous, and another caller's statement could slip into a transaction between two of its steps. What a
 * transaction or a read does is written as a body, a generator that yields its statements and gets their rows: the driver
 * of the body decides what they run on. On SQLite `drive` has them run where they stand, so that there is nothing to yield.
 */
import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import {
  DummyDriver,
  Kysely,
  RawNode,
  sql,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  ValueNode,
} from 'kysely';
import type {
  Compilable,
  CompiledQuery,
  DatabaseConnection,
  Expression,
  LimitNode,
  RawBuilder,
} from 'kysely';
import type { Tables } from './schema.ts';

/** Refuses to execute, so that a forgotten `.execute()` is a loud mistake. */
class RefusingDriver extends DummyDriver {
  override acquireConnection(): Promise<DatabaseConnection> {
    return Promise.reject(new Error('a statement of the journal is run by statements.ts, not by Kysely'));
  }
}

/**
 * Writes a limit so that SQLite does not plan for it: a statement whose limit is a bound value is compiled anew each time
 * that it is bound, which costs more than all else of a short read.
 */
class PlannedOnceCompiler extends SqliteQueryCompiler {
  protected override visitLimit({ limit }: LimitNode): void {
    this.append('limit ');
    if (ValueNode.is(limit) && typeof limit.value === 'number') {
      this.append(String(limit.value));
      return;
    }
    this.append('(');
    this.visitNode(limit);
    this.append(' + 0)');
  }
}

/** The start of every statement of the journal. */
export const query = new Kysely<Tables>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new RefusingDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new PlannedOnceCompiler(),
  },
});

/** The nodes that PostgreSQL is handed in place of nodes whose own text is SQLite's. */
const postgresNodes = new WeakMap<RawNode, RawNode>();

/** The node as PostgreSQL has it. */
export const toPostgresNode = (node: RawNode): RawNode => postgresNodes.get(node) ?? node;

/** A piece of a statement that each engine writes in its own way. */
export function inDialect<Result>(piece: {
  readonly sqlite: RawBuilder<Result>;
  readonly postgres: RawBuilder<Result>;
}): Expression<Result> {
  const own = piece.sqlite.toOperationNode();
  const node = RawNode.create(own.sqlFragments, own.parameters);
  postgresNodes.set(node, piece.postgres.toOperationNode());
  return { expressionType: undefined, toOperationNode: () => node };
}

/** A whole statement that is written as text. */
export const textStatement = <Row>(
  text: Expression<unknown>,
): Compilable<Row> & { toOperationNode(): RawNode } => {
  const whole = sql<Row>`${text}`;
  return {
    compile: () => whole.compile(query),
    toOperationNode: () => whole.toOperationNode(),
  };
};

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
interface Prepared<Values, Row> {
  /** Returns the first row. */
  get(values: Values): Row | undefined;
  all(values: Values): Row[];
  /** Runs the statement and returns how many rows it changed. */
  run(values: Values): number;
}

/** The name of the value that a parameter of a compiled statement stands for; undefined of one that never changes. */
export const slotNameOf = (parameter: unknown): string | undefined =>
  parameter instanceof Slot ? parameter.name : undefined;

/** A slot for each of the values, by their names. */
export const makeSlots = <Values extends object>(values: Values): Values =>
  Object.fromEntries(Object.keys(values).map((name) => [name, new Slot(name)])) as Values;

/** The values of a statement in the order of its places; engines without booleans get 0 or 1. */
export function bindValues(parameters: readonly unknown[], values: object): unknown[] {
  const named = values as Readonly<Record<string, unknown>>;
  return parameters.map((parameter) => {
    const value = parameter instanceof Slot ? named[parameter.name] : parameter;
    return typeof value === 'boolean' ? Number(value) : value;
  });
}

/** A statement as one engine reads it. */
export interface CompiledText {
  readonly text: string;
  /** For each place, what goes there: `slotNameOf`, or the value itself. */
  readonly parameters: readonly unknown[];
  /** The values in the order of their places. */
  bind(values: object): unknown[];
}

/**
 * Compiles a statement once.
 * @param build as for `prepare`
 * @param values the first that it is run with
 * @param compile compiles for the engine
 */
export function compileOnce<Values extends object>(
  build: (values: Values) => Compilable,
  values: Values,
  compile: (statement: Compilable) => Pick<CompiledQuery, 'sql' | 'parameters'>,
): CompiledText {
  const { sql: text, parameters } = compile(build(makeSlots(values)));
  return { text, parameters, bind: (given) => bindValues(parameters, given) };
}

/**
 * Prepares a statement at its first use and keeps it, for what has one connection alone.
 * @param build writes the statement, which may use all that its first values name; the values it is handed can only be
 * passed on to Kysely
 * @param asLists its rows are lists of cells
 */
function prepare<Values extends object, Row>(
  db: DatabaseSync,
  build: (values: Values) => Compilable<Row>,
  asLists = false,
): Prepared<Values, Row> {
  let statement: StatementSync | undefined;
  let parameters: readonly unknown[] = [];
  const ready = (values: Values): StatementSync => {
    if (statement !== undefined) return statement;
    const compiled = compileOnce(build, values, (one) => one.compile());
    ({ parameters } = compiled);
    statement = db.prepare(compiled.text);
    if (asLists) statement.setReturnArrays(true);
    return statement;
  };
  const bind = (values: Values): SQLInputValue[] => bindValues(parameters, values) as SQLInputValue[];
  return {
    get(values) {
      const one = ready(values);
      return one.get(...bind(values)) as Row | undefined;
    },
    all(values) {
      const one = ready(values);
      return one.all(...bind(values)) as Row[];
    },
    run(values) {
      const one = ready(values);
      return Number(one.run(...bind(values)).changes);
    },
  };
}

/** A step that a body yields: one statement, and what is wanted of it. */
export interface Step<Wanted extends keyof Prepared<object, unknown> = keyof Prepared<object, unknown>> {
  readonly wanted: Wanted;
  readonly build: (values: never) => Compilable;
  readonly values: object;
  /** True of a statement that runs now and then: no connection keeps it. */
  readonly isRare?: true;
  /** True of a statement whose rows are lists of cells. */
  readonly asLists?: true;
  /** True of an answer that changes nothing of what the body does next: an engine need not wait for it before that. */
  readonly isUnheard?: true;
  /** True where one row changes as a rule: an engine may go on as though it had, and keeps nothing of it all if not. */
  readonly isAssumed?: true;
}

/**
 * Bodies of which none asks what another changes, or changes what another does: an engine may run their steps side by
 * side, and those of the same statement as one.
 */
export interface Together {
  readonly together: readonly Body<unknown>[];
}

/** The steps of one transaction; run without a break on SQLite. */
export type Body<Result> = Generator<Step | Together, Result, unknown>;

/** The steps of one read, which needs no transaction. */
export type Reading<Result> = Generator<Step<'get' | 'all'>, Result, unknown>;

/** A statement that any connection can run, compiled once on each: Kysely's compiling costs more than a short run. */
export interface Statement<Values, Row> {
  /** Returns the first row. */
  get(values: Values): Reading<Row | undefined>;
  all(values: Values): Reading<Row[]>;
  /** Runs the statement and returns how many rows it changed. */
  run(values: Values): Body<number>;
  /**
   * Runs it: one row changes, as a rule. So an engine may say that it was one before it knows; where it was not, all
   * that the transaction did is taken back, and its body is made and run again. Until it is committed a body does nothing
   * on the strength of it but in the transaction, and bodies side by side change rows of their own.
   */
  assumeOne(values: Values): Body<number>;
  /** Runs the statement whatever it changes. Where it fails, its transaction may do so only as it is committed. */
  note(values: Values): Body<void>;
}

const defineAs = <Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
  rare: Pick<Step, 'isRare'>,
): Statement<Values, Row> => ({
  *get(values) {
    if (inPlace !== undefined) return readyOn(inPlace, build).get(values);
    return (yield { wanted: 'get', build, values, ...rare }) as Row | undefined;
  },
  *all(values) {
    if (inPlace !== undefined) return readyOn(inPlace, build).all(values);
    return (yield { wanted: 'all', build, values, ...rare }) as Row[];
  },
  *run(values) {
    if (inPlace !== undefined) return readyOn(inPlace, build).run(values);
    return (yield { wanted: 'run', build, values, ...rare }) as number;
  },
  *assumeOne(values) {
    if (inPlace !== undefined) return readyOn(inPlace, build).run(values);
    return (yield { wanted: 'run', build, values, ...rare, isAssumed: true }) as number;
  },
  *note(values) {
    if (inPlace !== undefined) readyOn(inPlace, build).run(values);
    else yield { wanted: 'run', build, values, ...rare, isUnheard: true };
  },
});

/** A statement that is run again and again; `build` as for `prepare`. */
export const define = <Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): Statement<Values, Row> => defineAs(build, {});

/** A statement that one body runs again and again, and that is of no use after it. */
export const defineHere = <Values extends object, Row>(
  build: (values: Values) => Compilable<Row>,
): Statement<Values, Row> => defineAs(build, { isRare: true });

/**
 * Runs bodies that do not depend on one another; all of them fail when one does.
 * @returns what they return, in their order
 */
export function* together<Results extends unknown[]>(bodies: {
  readonly [Place in keyof Results]: Body<Results[Place]>;
}): Body<Results> {
  const connection = inPlace;
  if (connection === undefined) return (yield { together: bodies }) as Results;
  return bodies.map((body: Body<unknown>) => runSteps(connection, body)) as Results;
}

/** A statement whose rows come as lists of their cells, in the order of its columns: these are made faster than records. */
export const defineLists = <Values extends object, Row extends readonly unknown[]>(
  build: (values: Values) => Compilable,
): Pick<Statement<Values, Row>, 'get' | 'all'> => ({
  *get(values) {
    if (inPlace !== undefined) return readyOn(inPlace, build, true).get(values) as Row | undefined;
    return (yield { wanted: 'get', build, values, asLists: true }) as Row | undefined;
  },
  *all(values) {
    if (inPlace !== undefined) return readyOn(inPlace, build, true).all(values) as Row[];
    return (yield { wanted: 'all', build, values, asLists: true }) as Row[];
  },
});

const noValues = {};

/** Returns all rows of a statement that is run now and then. */
export function* select<Row>(statement: Compilable<Row>): Reading<Row[]> {
  return (yield { wanted: 'all', build: () => statement, values: noValues, isRare: true }) as Row[];
}

/** Returns the first row of a statement that is run now and then. */
export function* selectFirst<Row>(statement: Compilable<Row>): Reading<Row | undefined> {
  return (yield { wanted: 'get', build: () => statement, values: noValues, isRare: true }) as Row | undefined;
}

/** Runs a statement that is run now and then; returns how many rows it changed. */
export function* change(statement: Compilable): Body<number> {
  return (yield { wanted: 'run', build: () => statement, values: noValues, isRare: true }) as number;
}

/** A connection, and the statements that it has prepared. */
interface Connection {
  readonly db: DatabaseSync;
  readonly prepared: WeakMap<Step['build'], unknown>;
}

const connections = new WeakMap<DatabaseSync, Connection>();

function connectionOf(db: DatabaseSync): Connection {
  let known = connections.get(db);
  if (known === undefined) connections.set(db, (known = { db, prepared: new WeakMap() }));
  return known;
}

/** The statement on a connection, prepared there at its first use. */
function readyOn<Values extends object, Row>(
  { db, prepared }: Connection,
  build: (values: Values) => Compilable<Row>,
  asLists?: boolean,
): Prepared<Values, Row> {
  let known = prepared.get(build) as Prepared<Values, Row> | undefined;
  if (known === undefined) prepared.set(build, (known = prepare(db, build, asLists)));
  return known;
}

/**
 * The connection of the body that `drive` is running: its statements run on it where they stand, since to yield each one
 * through all the bodies around it, and to resume these with its rows, takes longer than SQLite needs for a short one.
 * Set while `drive` has the thread and at no other moment, so that a body which is driven step by step never sees it.
 */
let inPlace: Connection | undefined;

/** True within a body that runs without a break: what could go side by side goes one after the other there. */
export const isInPlace = (): boolean => inPlace !== undefined;

function runStep(connection: Connection, step: Step | Together): unknown {
  if ('together' in step) return step.together.map((body) => drive(connection.db, body));
  const { wanted, build, values, asLists } = step;
  return readyOn(connection, build as (values: object) => Compilable, asLists)[wanted](values);
}

/** Runs a body to its end; what it yields all the same is of a statement that is run now and then. */
function runSteps<Result>(connection: Connection, body: Body<Result>): Result {
  let step = body.next();
  while (step.done !== true) {
    let answer: unknown;
    try {
      answer = runStep(connection, step.value);
    } catch (error) {
      step = body.throw(error);
      continue;
    }
    step = body.next(answer);
  }
  return step.value;
}

/** Runs a body on a connection from its first step to its last, with nothing in between. */
export function drive<Result>(db: DatabaseSync, body: Body<Result>): Result {
  const outer = inPlace;
  inPlace = connectionOf(db);
  try {
    return runSteps(inPlace, body);
  } finally {
    inPlace = outer;
  }
}

/** The methods of a port as bodies, instead of promises. */
export type BodiesOf<Port> = {
  readonly [Name in keyof Port]: Port[Name] extends (...asked: infer Asked) => Promise<infer Result>
    ? (...asked: Asked) => Body<Result>
    : never;
};

/** Bodies by name, as the port's promises. */
type Driven<Bodies> = {
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
  run: (makeBody: () => OneBody) => Promise<unknown>,
): Driven<Bodies> {
  const driven = Object.entries(bodies).map(([name, body]) => [
    name,
    (...asked: never[]) => run(() => body(...asked)),
  ]);
  return Object.fromEntries(driven) as Driven<Bodies>;
}

/** Some of the values of a prepared statement, for an insert that has a column of the same name for each. */
export function pick<Values extends object, Name extends keyof Values>(
  values: Values,
  names: readonly Name[],
): Pick<Values, Name> {
  return Object.fromEntries(names.map((name) => [name, values[name]])) as Pick<Values, Name>;
}

const once = <Row>(db: DatabaseSync, statement: Compilable<Row>): Prepared<object, Row> =>
  prepare(db, () => statement);

/** Returns all rows of a statement that is run now and then. */
export const readAll = <Row>(db: DatabaseSync, statement: Compilable<Row>): Row[] =>
  once(db, statement).all(noValues);

/** Returns the first row of a statement that is run now and then. */
export const readFirst = <Row>(db: DatabaseSync, statement: Compilable<Row>): Row | undefined =>
  once(db, statement).get(noValues);

/** Runs a statement that is run now and then; returns how many rows it changed. */
export const write = (db: DatabaseSync, statement: Compilable): number => once(db, statement).run(noValues);
