/**
 * Runs bodies on a connection, round by round: what all of them ask for goes out at once, and those that ask the same
 * statement of the server ask it as one.
 */
import type { ClientBase, QueryConfig, QueryResult } from 'pg';
import { type Body, type CompiledText, slotNameOf, type Step, type Together } from '../statements.ts';
import { compileStep } from './compile.ts';
import { isOfEndedTransaction, isOfOne, isRefusedStatement, isStatementGone } from './errors.ts';
import { type Merged, mergeSteps } from './merge.ts';

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
