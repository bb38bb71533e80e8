/**
 * Group commit: calls that come while the loop is busy are gathered into one transaction, so that one sync to disk serves
 * them all.
 */
import { sqliteCodeOf, sqliteCodes } from './connection.ts';
import type { Engine } from './engine.ts';
import { isOfPostgres, isViolation } from './postgres/errors.ts';
import { type Body, isInPlace, together } from './statements.ts';

/** The work of one transaction. */
interface GroupWork<Asked, Given, Shared> {
  /** The state that the calls of one transaction share. */
  begin(asked: readonly Asked[]): Body<Shared>;
  apply(shared: Shared, asked: Asked): Body<Given>;
  /** The keys of the data that a call reads or changes and another may change; undefined where it may be anything. */
  writeSet(asked: Asked): readonly string[] | undefined;
  /** Runs after the last call. */
  end(shared: Shared): Body<void>;
  /** Runs once the transaction is durable, before the calls are told; an error of it is a failure of the calls. */
  onCommit(shared: Shared): void;
}

interface GroupCommit<Asked, Given> {
  /** Resolves when the call is durable. @throws Error after the end */
  ask(asked: Asked): Promise<Given>;
  /** Takes nothing more, and resolves when all that was asked for is settled. */
  end(): Promise<void>;
}

interface Call<Asked, Given> {
  readonly asked: Asked;
  readonly resolve: (given: Given) => void;
  readonly reject: (reason: unknown) => void;
}

/** Thrown through a transaction to end it: the call at this place alone is to blame. */
class CallFailure extends Error {
  readonly place: number;

  constructor(place: number, cause: unknown) {
    super('a call cannot be applied', { cause });
    this.place = place;
  }
}

/** True of an error by which a constraint or a trigger of the journal refuses a change, on either engine. */
const isConstraintError = (error: unknown): boolean =>
  sqliteCodeOf(error) === sqliteCodes.constraint || isViolation(error);

/** True when the error comes from what the call asked for, not from the disk, the file or the server. */
function isCallToBlame(error: unknown): boolean {
  if (isConstraintError(error)) return true;
  return sqliteCodeOf(error) === undefined && !isOfPostgres(error);
}

function* applyAll<Asked, Given, Shared>(
  work: GroupWork<Asked, Given, Shared>,
  calls: readonly Call<Asked, Given>[],
): Body<{ readonly shared: Shared; readonly given: readonly Given[] }> {
  const shared = yield* work.begin(calls.map(({ asked }) => asked));
  const given: Given[] = [];
  for (const wave of orderCalls(work, calls)) {
    const bodies = wave.map((place) => applyOne(work, shared, calls, place));
    for (const one of yield* together(bodies)) given.push(one);
  }
  yield* work.end(shared);
  return { shared, given };
}

function* applyOne<Asked, Given, Shared>(
  work: GroupWork<Asked, Given, Shared>,
  shared: Shared,
  calls: readonly Call<Asked, Given>[],
  place: number,
): Body<Given> {
  try {
    return yield* work.apply(shared, (calls[place] as Call<Asked, Given>).asked);
  } catch (error) {
    throw isCallToBlame(error) ? new CallFailure(place, error) : error;
  }
}

/** The places of calls as `groupIndependent` has them; where one goes after the other anyway none needs to be kept apart. */
const orderCalls = <Asked>(
  work: Pick<GroupWork<Asked, unknown, unknown>, 'writeSet'>,
  calls: readonly Pick<Call<Asked, unknown>, 'asked'>[],
): number[][] =>
  isInPlace() ? [[...calls.keys()]] : groupIndependent(calls.map(({ asked }) => work.writeSet(asked)));

/** The places of calls in their order, in stretches of which no call writeSet what another of the same stretch does. */
export function groupIndependent(touched: readonly (readonly string[] | undefined)[]): number[][] {
  const waves: number[][] = [];
  let inWave: Set<string> | undefined;
  for (const [place, keys] of touched.entries()) {
    const isApart = inWave !== undefined && keys?.every((key) => !inWave?.has(key)) === true;
    if (!isApart) waves.push([]);
    waves.at(-1)?.push(place);
    if (!isApart) inWave = keys && new Set();
    for (const key of keys ?? []) inWave?.add(key);
  }
  return waves;
}

/**
 * A call that cannot be applied is taken out, and the others are applied without it.
 * @returns tells those who have called
 */
async function settle<Asked, Given, Shared>(
  engine: Pick<Engine, 'write'>,
  work: GroupWork<Asked, Given, Shared>,
  calls: readonly Call<Asked, Given>[],
): Promise<() => void> {
  let left = calls;
  const failed: (() => void)[] = [];
  const tellFailed = (): void => {
    for (const tell of failed) tell();
  };
  while (left.length > 0) {
    const tried = left;
    try {
      const { shared, given } = await engine.write(() => applyAll(work, tried));
      work.onCommit(shared);
      return () => {
        tellFailed();
        for (const [place, call] of tried.entries()) call.resolve(given[place] as Given);
      };
    } catch (error) {
      const isOfOne = error instanceof CallFailure;
      const toBlame = isOfOne ? tried.slice(error.place, error.place + 1) : tried;
      failed.push(() => {
        for (const call of toBlame) call.reject(isOfOne ? error.cause : error);
      });
      left = tried.filter((call) => !toBlame.includes(call));
    }
  }
  return tellFailed;
}

/**
 * Turns of the loop that a commit waits at most, and that bring no call before it waits no more: fewer syncs serve all. A
 * request takes a turn before it leaves, so that its lane is a turn behind.
 */
const [gatherTurnsMax, idleTurnsMax] = [6, 2];

/** The number of calls that do not wait for more. */
const callsEnough = 16;

/** The wait of a commit so far. */
interface Gathering {
  /** Calls that waited a turn ago. */
  readonly seen: number;
  readonly turns: number;
  /** Turns in a row that brought no call. */
  readonly idleTurns: number;
}

/** Gathers calls, and commits them, one transaction after the other. */
class GatheredCommits<Asked, Given, Shared> implements GroupCommit<Asked, Given> {
  readonly #engine: Pick<Engine, 'write'>;
  readonly #work: GroupWork<Asked, Given, Shared>;
  readonly #everyMs: number;
  readonly #callsMax: number;
  readonly #callsNext: number;
  #waiting: Call<Asked, Given>[] = [];
  #settled = Promise.resolve();
  #isSettling = false;
  #beganAtMs = -Infinity;
  #timer: NodeJS.Timeout | undefined;
  #ended: Promise<void> | undefined;

  constructor(engine: Pick<Engine, 'write' | 'gathering'>, work: GroupWork<Asked, Given, Shared>) {
    this.#engine = engine;
    this.#work = work;
    this.#everyMs = engine.gathering?.everyMs ?? 0;
    this.#callsMax = engine.gathering?.callsMax ?? Infinity;
    this.#callsNext = engine.gathering?.callsNext ?? Infinity;
  }

  readonly end = async (): Promise<void> => (this.#ended ??= this.#settleAll());

  readonly ask = async (asked: Asked): Promise<Given> => {
    if (this.#ended !== undefined) {
      await this.#ended;
      throw new Error('the journal is not open any more');
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ asked, resolve, reject });
      if (this.#waiting.length === 1 && !this.#isSettling) this.#beginGathering();
      else if (this.#timer !== undefined && this.#waiting.length >= callsEnough) this.#gatherNow();
    });
  };

  #beginGathering(): void {
    const waitMs = this.#beganAtMs + this.#everyMs - performance.now();
    if (waitMs > 0 && this.#waiting.length < callsEnough) this.#timer = setTimeout(this.#gatherNow, waitMs);
    else this.#gatherNow();
  }

  readonly #gatherNow = (): void => {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    setImmediate(this.#gather, { seen: 0, turns: 1, idleTurns: 0 });
  };

  readonly #gather = ({ seen, turns, idleTurns: idleBefore }: Gathering): void => {
    if (this.#isSettling) return;
    const { length } = this.#waiting;
    const idleTurns = length === seen ? idleBefore + 1 : 0;
    const isOver = idleTurns >= idleTurnsMax || turns >= gatherTurnsMax;
    if (isOver || length >= this.#callsMax) this.#settled = this.#settleWaiting();
    else setImmediate(this.#gather, { seen: length, turns: turns + 1, idleTurns });
  };

  async #settleWaiting(): Promise<void> {
    this.#isSettling = true;
    let tell = await this.#settleNext();
    while (this.#waiting.length >= this.#callsNext) {
      const settling = this.#settleNext();
      // The callers have much to do once they are told: the server gets its work first.
      await new Promise(setImmediate);
      tell();
      tell = await settling;
    }
    this.#isSettling = false;
    tell();
    // The calls that have come meanwhile are gathered for the next transaction.
    if (this.#waiting.length > 0) this.#beginGathering();
  }

  #settleNext(): Promise<() => void> {
    this.#beganAtMs = performance.now();
    const calls = this.#waiting.slice(0, this.#callsMax);
    this.#waiting = this.#waiting.slice(this.#callsMax);
    return settle(this.#engine, this.#work, calls);
  }

  async #settleAll(): Promise<void> {
    await this.#settled;
    while (this.#waiting.length > 0) await (this.#settled = this.#settleWaiting());
  }
}

export const makeGroupCommit = <Asked, Given, Shared>(
  engine: Pick<Engine, 'write' | 'gathering'>,
  work: GroupWork<Asked, Given, Shared>,
): GroupCommit<Asked, Given> => new GatheredCommits(engine, work);
