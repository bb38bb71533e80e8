/**
 * Runs bodies on a connection, round by round: what all of them ask for goes out at once, and those that ask the same
 * statement of the server ask it as one.
 */
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import {
  bindValues,
  type Body,
  type CompiledText,
  makeSlots,
  slotNameOf,
  type Step,
  type Together,
} from '../statements.ts';
import {
  compileStep,
  type ElementType,
  encodeBinaryList,
  isElementType,
  JournalCompiler,
  nameOf,
} from './compile.ts';
import { isOfEndedTransaction, isOfOne, isRefusedStatement, isStatementGone } from './errors.ts';
import {
  AliasNode,
  type Compilable,
  createQueryId,
  FromNode,
  IdentifierNode,
  InsertQueryNode,
  type OperationNodeSource,
  RawNode,
  ReturningNode,
  SelectionNode,
  SelectQueryNode,
  UpdateQueryNode,
  ValueListNode,
  type ValuesNode,
} from 'kysely';

/** A failure of what was asked together, or without waiting for the answer: it is not known whose failure it is. */
export class UnplacedFailure extends Error {}

/** The state of a body that has not ended. */
interface Task {
  readonly body: Body<unknown>;
  /** The body that waits for it and others; undefined where none does. */
  readonly parent: Join | undefined;
  readonly place: number;
}

/** A body that waits for several. */
interface Join {
  readonly task: Task;
  readonly results: unknown[];
  left: number;
  /** True once one of them has failed: the others are left where they stand. */
  hasFailed: boolean;
}

/** The step that a body waits for. */
interface Ask {
  readonly task: Task;
  readonly step: Step;
}

export type Answer = { readonly value: unknown } | { readonly failure: unknown };

interface Manner {
  /** True where each statement goes out alone, so that one that fails is known for what it is. */
  readonly isAlone?: boolean;
  /** Runs before several statements go out at once. */
  readonly beforeMany?: () => void;
  /** The answers that no body waits for; left out where each is waited for. */
  readonly unheard?: Promise<Answer>[];
  /** Settles before anything is changed: outside of a transaction each statement would be kept for itself. */
  readonly begun?: Promise<unknown>;
}

/** True where no body waits for it any more. */
function isLeft({ parent }: Task): boolean {
  return parent !== undefined && (parent.hasFailed || isLeft(parent.task));
}

/** Receives how the body at a place has ended. */
type OnEnd = (place: number, end: Answer) => void;

/** Bodies under way on one connection. */
class Rounds {
  #asks: Ask[] = [];
  readonly #onEnd: OnEnd;

  constructor(onEnd: OnEnd) {
    this.#onEnd = onEnd;
  }

  begin(body: Body<unknown>, place: number): void {
    const task: Task = { body, parent: undefined, place };
    this.#goOn(task, () => body.next());
  }

  /** Takes the steps that are asked for now. */
  takeAsks(): readonly Ask[] {
    const asks = this.#asks;
    this.#asks = [];
    return asks.filter(({ task }) => !isLeft(task));
  }

  answer({ task }: Ask, answer: Answer): void {
    if (isLeft(task)) return;
    if ('failure' in answer) this.#goOn(task, () => task.body.throw(answer.failure));
    else this.#goOn(task, () => task.body.next(answer.value));
  }

  #goOn(task: Task, move: () => IteratorResult<Step | Together, unknown>): void {
    let moved: IteratorResult<Step | Together, unknown>;
    try {
      moved = move();
    } catch (error) {
      this.#end(task, { failure: error });
      return;
    }
    if (moved.done === true) this.#end(task, { value: moved.value });
    else if ('together' in moved.value) this.#split(task, moved.value.together);
    else this.#asks.push({ task, step: moved.value });
  }

  #split(task: Task, bodies: readonly Body<unknown>[]): void {
    if (bodies.length === 0) {
      this.#goOn(task, () => task.body.next([]));
      return;
    }
    const { length: left } = bodies;
    const parent: Join = { task, results: Array.from({ length: left }), left, hasFailed: false };
    for (const [place, body] of bodies.entries()) {
      if (parent.hasFailed) return;
      this.#goOn({ body, parent, place }, () => body.next());
    }
  }

  /** A body that waits for several fails with the first of them. */
  #end({ parent, place }: Task, end: Answer): void {
    if (parent === undefined) {
      this.#onEnd(place, end);
      return;
    }
    const { task } = parent;
    if ('failure' in end) {
      parent.hasFailed = true;
      this.#goOn(task, () => task.body.throw(end.failure));
      return;
    }
    parent.results[place] = end.value;
    parent.left -= 1;
    if (parent.left === 0) this.#goOn(task, () => task.body.next(parent.results));
  }
}

/** Writes the query in the form of pg. */
function writeQuery(step: Step): QueryConfig {
  const { name, text, bind } = compileStep(step);
  const asked = { text, values: bind(step.values), ...(step.asLists && { rowMode: 'array' }) };
  return name === undefined ? asked : { name, ...asked };
}

function readAnswer({ rows, rowCount }: QueryResult, wanted: Step['wanted']): unknown {
  switch (wanted) {
    case 'get':
      return rows[0];
    case 'all':
      return rows;
    case 'run':
      return rowCount ?? 0;
  }
}

/** The merged form of a statement that several have asked for at once; null where each asks alone. */
const mergedOf = new WeakMap<Step['build'], Merged | null>();

const typesOf = {
  name: 'paydrop_types',
  text: 'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
};

/** Learns the types of a statement's values, which the server knows once it was asked alone on this connection. */
async function learnToMerge(client: ClientBase, step: Step): Promise<void> {
  const { name } = compileStep(step);
  if (name === undefined) return;
  const { rows } = await client.query<{ types: string[] }>({ ...typesOf, values: [name] });
  const types = rows[0]?.types;
  if (types !== undefined) mergedOf.set(step.build, mergeSteps(step, types) ?? null);
}

export const settle = async (asked: Promise<unknown>): Promise<Answer> => {
  try {
    return { value: await asked };
  } catch (error) {
    return { failure: error };
  }
};

async function askOne(client: ClientBase, { step }: Ask, { unheard }: Manner): Promise<Answer> {
  let query: QueryConfig;
  try {
    query = writeQuery(step);
  } catch (error) {
    // The body that has asked hears of it: the server, which knows nothing of it, would keep all the rest.
    return { failure: error };
  }
  const answer = settle(client.query(query).then((result) => readAnswer(result, step.wanted)));
  if (step.isUnheard !== true || unheard === undefined) return answer;
  unheard.push(answer);
  return { value: undefined };
}

function bindAll(merged: Merged, asks: readonly Ask[]): unknown[] {
  try {
    return merged.bind(asks.map(({ step }) => step.values));
  } catch (error) {
    throw new UnplacedFailure('one of several cannot be asked', { cause: error });
  }
}

/** Asks for all of them, and waits for no answer; undefined where a body needs it. */
function askAhead(
  client: ClientBase,
  merged: Merged,
  asks: readonly Ask[],
  unheard: Promise<Answer>[],
): Answer[] | undefined {
  const isNoted = asks.every(({ step }) => step.isUnheard === true);
  const isAssumed = asks.every(({ step }) => step.isAssumed === true);
  const ahead = isNoted ? merged : isAssumed ? merged.ofOneEach : undefined;
  if (ahead === undefined) return undefined;
  const { name, text } = ahead;
  const asked = client.query({ name, text, values: bindAll(merged, asks), rowMode: 'array' });
  // Without what counts for it the server is asked as before.
  asked.catch((error: unknown) => {
    if (!isNoted && isRefusedStatement(error))
      mergedOf.set((asks[0] as Ask).step.build, { ...merged, ofOneEach: undefined });
  });
  unheard.push(settle(asked));
  return asks.map(() => ({ value: 1 }));
}

async function askMerged(client: ClientBase, merged: Merged, asks: readonly Ask[]): Promise<Answer[]> {
  const { name, text } = merged;
  const values = bindAll(merged, asks);
  try {
    const result = await client.query<unknown[]>({ name, text, values, rowMode: 'array' });
    return merged.readAnswers(result, asks.length).map((value) => ({ value }));
  } catch (error) {
    // The statement does as well alone.
    if (isRefusedStatement(error)) for (const { step } of asks) mergedOf.set(step.build, null);
    if (isOfOne(error)) throw new UnplacedFailure('one of several has failed', { cause: error });
    return asks.map(() => ({ failure: error }));
  }
}

async function askEach(client: ClientBase, asks: readonly Ask[], manner: Manner): Promise<Answer[]> {
  return Promise.all(asks.map((ask) => askOne(client, ask, manner)));
}

/** True of a question that is the same in every body. */
const isSameForAll = ({ parameters }: CompiledText, { wanted }: Step): boolean =>
  wanted !== 'run' && parameters.every((parameter) => slotNameOf(parameter) === undefined);

/** True of what is asked as well by itself: of one alone the server cannot require what it does (`ofOneEach`). */
function isAskedAlone(asks: readonly Ask[], { isAlone, unheard }: Manner): boolean {
  const mayBeRequired = unheard !== undefined && asks[0]?.step.isAssumed === true;
  return isAlone === true || (asks.length === 1 && !mayBeRequired);
}

/** Asks for bodies that ask the same. */
async function askSame(client: ClientBase, asks: readonly Ask[], manner: Manner): Promise<Answer[]> {
  const [first] = asks;
  if (first === undefined || isAskedAlone(asks, manner)) return askEach(client, asks, manner);
  const { build, wanted } = first.step;
  const isOneWish = asks.every(({ step }) => step.wanted === wanted);
  if (isOneWish && isSameForAll(compileStep(first.step), first.step)) {
    const answer = await askOne(client, first, manner);
    return asks.map(() => answer);
  }
  const merged = mergedOf.get(build);
  if (isOneWish && merged?.wanted === wanted) {
    const ahead = manner.unheard && askAhead(client, merged, asks, manner.unheard);
    return ahead ?? askMerged(client, merged, asks);
  }
  const answers = askEach(client, asks, manner);
  // A failure here has come up in the answers before.
  if (merged === undefined) await learnToMerge(client, first.step).catch(() => {});
  return answers;
}

/** Asks for all of them at once. */
async function askAll(client: ClientBase, asks: readonly Ask[], manner: Manner): Promise<Answer[]> {
  const [first] = asks;
  if (first !== undefined && asks.length === 1 && isAskedAlone(asks, manner))
    return [await askOne(client, first, manner)];
  manner.beforeMany?.();
  const places = Map.groupBy(asks.keys(), (place) => asks[place]?.step.build);
  const answers: Answer[] = [];
  const asking = [...places.values()].map(async (same) => {
    const given = await askSame(
      client,
      same.map((place) => asks[place] as Ask),
      manner,
    );
    for (const [at, place] of same.entries()) answers[place] = given[at] as Answer;
  });
  const ends = await Promise.allSettled(asking);
  for (const end of ends) if (end.status === 'rejected') throw end.reason;
  return answers;
}

/** Orders failures: the first of all before those that it has caused. */
function orderAnswers(answers: readonly Answer[]): readonly number[] {
  const rankOf = (answer: Answer | undefined): number => {
    if (answer === undefined || !('failure' in answer) || isOfEndedTransaction(answer.failure)) return 0;
    // One that is asked for the first time after a failure is not taken, and is not there for those who ask it next.
    return isStatementGone(answer.failure) ? 1 : 2;
  };
  return [...answers.keys()].toSorted((one, other) => rankOf(answers[other]) - rankOf(answers[one]));
}

/** True also of a step that cannot be written; its body is told so. */
function mayChange({ step }: Ask): boolean {
  try {
    return step.wanted === 'run' || !compileStep(step).isSelect;
  } catch {
    return true;
  }
}

/**
 * Runs bodies side by side, each until it ends.
 * @param onEnd told of each as soon as it has ended
 * @throws UnplacedFailure when a statement that several have asked for fails by the fault of one of them
 */
export async function driveEachOn(
  client: ClientBase,
  bodies: readonly Body<unknown>[],
  onEnd: OnEnd,
  manner: Manner = {},
): Promise<void> {
  const rounds = new Rounds(onEnd);
  for (const [place, body] of bodies.entries()) rounds.begin(body, place);
  for (let asks = rounds.takeAsks(); asks.length > 0; asks = rounds.takeAsks()) {
    if (asks.some(mayChange)) await manner.begun;
    const answers = await askAll(client, asks, manner);
    const order = answers.some((answer) => 'failure' in answer) ? orderAnswers(answers) : answers.keys();
    for (const place of order) rounds.answer(asks[place] as Ask, answers[place] as Answer);
  }
}

/** Runs a body on a connection. @throws what it throws; UnplacedFailure */
export async function driveOn<Result>(
  client: ClientBase,
  body: Body<Result>,
  manner: Manner = {},
): Promise<Result> {
  let ended: Answer | undefined;
  await driveEachOn(client, [body], (_place, end) => void (ended = end), manner);
  if (ended === undefined) throw new Error('a body has not ended');
  if ('failure' in ended) throw ended.failure;
  return ended.value as Result;
}

// ---------------------------------------------------------------- one statement for many who ask the same

/**
 * One statement for many who ask the same of the server at once: their values are rows of what is asked, so that the
 * server, and the way to it, have the cost of one statement.
 */
interface Merged {
  readonly text: string;
  readonly name: string;
  /** The kind of answer that each of them wants; it gives no others. */
  readonly wanted: Step['wanted'];
  /** The text that also ends the transaction unless each has changed one row; undefined of what is no update. */
  readonly ofOneEach: { readonly text: string; readonly name: string } | undefined;
  /** @param asked of each who asks, its values */
  bind(asked: readonly object[]): unknown[];
  /**
   * Reads the answers for each of them, in their order.
   * @param rows lists of cells; none is handed back by an insert
   */
  readAnswers(result: MergedResult, asked: number): unknown[];
}

interface MergedResult {
  readonly rows: readonly (readonly unknown[])[];
  readonly rowCount: number | null;
  readonly fields: readonly { readonly name: string }[];
}

/** A value of the statement as a column, whether those who ask differ in it or not. */
interface Column {
  readonly slot: string;
  readonly type: ElementType;
}

/** The columns, and the one that goes to each place of the statement alone; undefined where none does. */
interface Places {
  readonly columns: readonly Column[];
  readonly columnAt: readonly (number | undefined)[];
}

/** Finds the columns; undefined where a value is of a type that no list is made of. */
function findPlaces(parameters: readonly unknown[], types: readonly string[]): Places | undefined {
  const columns: Column[] = [];
  const columnAt: (number | undefined)[] = [];
  for (const [place, parameter] of parameters.entries()) {
    const slot = slotNameOf(parameter);
    const type = types[place] ?? '';
    if (slot === undefined) columnAt.push(undefined);
    else if (isElementType(type)) columnAt.push(placeOf(columns, { slot, type }));
    else return undefined;
  }
  return { columns, columnAt };
}

/** The index of a column that is there, or is added. */
function placeOf(columns: Column[], { slot, type }: Column): number {
  const known = columns.findIndex((column) => column.slot === slot && column.type === type);
  return known >= 0 ? known : columns.push({ slot, type }) - 1;
}

const columnName = (place: number): string => `asked.v${place}`;
/** The number of the body that asks, counted from 1. */
const askerName = 'asked.n';

const writeAsked = ({ columns }: Places): string => {
  const lists = columns.map(({ type }, place) => `$${place + 1}::${type}[]`).join(', ');
  const names = columns.map((_column, place) => `v${place}`).join(', ');
  return `unnest(${lists}) with ordinality as asked (${names}, n)`;
};

/** Writes the columns where the statement alone has its values. */
class MergingCompiler extends JournalCompiler {
  readonly #places: Places;
  readonly constants: unknown[] = [];
  #place = 0;

  constructor(places: Places) {
    super();
    this.#places = places;
  }

  protected override appendValue(parameter: unknown): void {
    const column = this.#places.columnAt[this.#place];
    this.#place += 1;
    if (column === undefined) this.append(`$${this.#places.columns.length + this.constants.push(parameter)}`);
    else this.append(columnName(column));
  }

  protected override visitUpdateQuery(node: UpdateQueryNode): void {
    super.visitUpdateQuery({
      ...node,
      from: FromNode.create([RawNode.createWithSql(writeAsked(this.#places))]),
      returning: ReturningNode.create([
        SelectionNode.create(
          AliasNode.create(RawNode.createWithSql(askerName), IdentifierNode.create('asker')),
        ),
      ]),
    });
  }

  protected override visitValues({ values }: ValuesNode): void {
    const [row] = values;
    this.append('select ');
    if (row !== undefined && ValueListNode.is(row)) this.compileList(row.values);
    else for (const [place, value] of (row?.values ?? []).entries()) this.#appendNext(value, place);
    this.append(` from ${writeAsked(this.#places)}`);
  }

  #appendNext(value: unknown, place: number): void {
    if (place > 0) this.append(', ');
    this.appendValue(value);
  }
}

type Shape = 'select' | 'update' | 'insert';

/** Finds the shape; undefined of a statement that cannot be merged, or whose meaning might be another then. */
function findShape(
  node: ReturnType<OperationNodeSource['toOperationNode']>,
  isSelect: boolean,
  wanted: Step['wanted'],
): Shape | undefined {
  const isRead = SelectQueryNode.is(node) || (RawNode.is(node) && isSelect);
  if (isRead) return wanted === 'get' ? 'select' : undefined;
  if (wanted !== 'run') return undefined;
  if (UpdateQueryNode.is(node))
    return [node.from, node.joins, node.with, node.returning].every((part) => part === undefined)
      ? 'update'
      : undefined;
  if (!InsertQueryNode.is(node) || node.values?.kind !== 'ValuesNode') return undefined;
  const isOneRow = (node.values as ValuesNode).values.length === 1;
  const isPlain = [node.onConflict, node.with, node.returning].every((part) => part === undefined);
  return isOneRow && isPlain ? 'insert' : undefined;
}

const countRows = (rows: MergedResult['rows'], asked: number): number[] => {
  const counts = Array.from({ length: asked }, () => 0);
  for (const [asker] of rows) counts[Number(asker) - 1] = (counts[Number(asker) - 1] ?? 0) + 1;
  return counts;
};

/** The first row of each body; its last cell says whose it is. */
function listRows({ rows, fields }: MergedResult, asked: number): unknown[] {
  const found: unknown[] = Array.from({ length: asked });
  for (const cells of rows) {
    const asker = Number(cells.at(-1)) - 1;
    if (found[asker] !== undefined) continue;
    const row: Record<string, unknown> = {};
    for (let place = 0; place < cells.length - 1; place += 1) row[fields[place]?.name ?? ''] = cells[place];
    found[asker] = row;
  }
  return found;
}

const readAnswers: Readonly<Record<Shape, Merged['readAnswers']>> = {
  select: listRows,
  update: ({ rows }, asked) => countRows(rows, asked),
  insert: ({ rowCount }, asked) => {
    if (rowCount === asked) return Array.from({ length: asked }, () => 1);
    throw new Error(`an insert of ${asked} at once gave ${rowCount}`);
  },
};

const named = (text: string) => ({ text, name: nameOf(text) });

const writeOneEach = (update: string): string =>
  `with changed as (${update}) select require_one_each(count(*), count(distinct asker), cardinality($1)) from changed`;

/**
 * @param types of the values of the statement alone, as the server has found them
 * @returns undefined of a statement that each asks alone
 */
function mergeSteps({ build, values, wanted, ...step }: Step, types: readonly string[]): Merged | undefined {
  if (step.asLists === true || step.isRare === true) return undefined;
  const statement = (build as (values: object) => Compilable)(makeSlots(values));
  const node = (statement as unknown as OperationNodeSource).toOperationNode();
  const { isSelect, parameters } = compileStep({ build, values, wanted });
  const shape = findShape(node, isSelect, wanted);
  const places = findPlaces(parameters, types);
  if (shape === undefined || places === undefined || places.columns.length === 0) return undefined;
  const compiler = new MergingCompiler(places);
  const { sql } = compiler.compileQuery(node as Parameters<typeof compiler.compileQuery>[0], createQueryId());
  // A select is planned for each row that asks, as it is alone.
  const text =
    shape === 'select'
      ? `select found.*, ${askerName} from ${writeAsked(places)} cross join lateral (${sql} offset 0) as found`
      : sql;
  const constants = bindValues(compiler.constants, {});
  return {
    text,
    wanted,
    name: nameOf(text),
    ofOneEach: shape === 'update' ? named(writeOneEach(sql)) : undefined,
    bind: (asked) => {
      const all = asked as readonly Readonly<Record<string, unknown>>[];
      const lists = places.columns.map(({ slot, type }) =>
        encodeBinaryList(
          type,
          all.map((one) => one[slot]),
        ),
      );
      return [...lists, ...constants];
    },
    readAnswers: readAnswers[shape],
  };
}
