/**
 * Group commit: calls that come while the loop is busy are gathered into one transaction, so that one sync to disk serves
 * them all.
 */
import { sqliteCodeOf, sqliteCodes } from './connection.ts';
import type { Engine } from './engine.ts';
import { isOfPostgres, isViolation } from './postgres/errors.ts';
import { type Body, isInPlace, together } from './statements.ts';

/** What one transaction does. */
export interface GroupWork<Asked, Given, Shared> {
  /** What the calls of one transaction share. */
  begin(asked: readonly Asked[]): Body<Shared>;
  apply(shared: Shared, asked: Asked): Body<Given>;
  /** What a call reads or changes that another may change; undefined where it may be anything. */
  touches(asked: Asked): readonly string[] | undefined;
  /** After the last call. */
  end(shared: Shared): Body<void>;
  /** Told once it is durable, before anybody else is; what it throws is a failure of the calls. */
  onCommit(shared: Shared): void;
}

export interface GroupCommit<Asked, Given> {
  /** Resolves when it is durable. @throws Error after the end */
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

/** True of what a constraint or a trigger of the journal has refused, whichever engine has it. */
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

/** The places of calls as `formWaves` has them; where one goes after the other anyway none needs to be kept apart. */
const orderCalls = <Asked>(
  work: Pick<GroupWork<Asked, unknown, unknown>, 'touches'>,
  calls: readonly Pick<Call<Asked, unknown>, 'asked'>[],
): number[][] =>
  isInPlace() ? [[...calls.keys()]] : formWaves(calls.map(({ asked }) => work.touches(asked)));

/** The places of calls in their order, in stretches of which no call touches what another of the same stretch does. */
export function formWaves(touched: readonly (readonly string[] | undefined)[]): number[][] {
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

/** A call that cannot be applied is taken out, and the others are applied without it. */
async function settle<Asked, Given, Shared>(
  engine: Pick<Engine, 'write'>,
  work: GroupWork<Asked, Given, Shared>,
  calls: readonly Call<Asked, Given>[],
): Promise<void> {
  let left = calls;
  while (left.length > 0) {
    const tried = left;
    try {
      const { shared, given } = await engine.write(() => applyAll(work, tried));
      work.onCommit(shared);
      for (const [place, call] of tried.entries()) call.resolve(given[place] as Given);
      return;
    } catch (error) {
      if (error instanceof CallFailure) {
        tried[error.place]?.reject(error.cause);
        left = tried.toSpliced(error.place, 1);
      } else {
        for (const call of tried) call.reject(error);
        return;
      }
    }
  }
}

/** Turns of the loop that a commit waits while each of them brings more calls: fewer syncs serve them all. */
const gatherTurnsMax = 4;

/** So many do not wait for more. */
const callsEnough = 16;

/** Gathers what is asked, and commits it, one transaction after the other. */
export function makeGroupCommit<Asked, Given, Shared>(
  engine: Pick<Engine, 'write' | 'gatherMs'>,
  work: GroupWork<Asked, Given, Shared>,
): GroupCommit<Asked, Given> {
  let waiting: Call<Asked, Given>[] = [];
  let settled = Promise.resolve();
  let isSettling = false;
  let beganAtMs = -Infinity;
  let timer: NodeJS.Timeout | undefined;
  let ended: Promise<void> | undefined;

  const settleWaiting = async (): Promise<void> => {
    isSettling = true;
    beganAtMs = performance.now();
    const calls = waiting;
    waiting = [];
    await settle(engine, work, calls);
    isSettling = false;
    // What was asked meanwhile is gathered for the next transaction.
    if (waiting.length > 0) beginGathering();
  };

  const beginGathering = (): void => {
    const waitMs = beganAtMs + (engine.gatherMs ?? 0) - performance.now();
    if (waitMs > 0 && waiting.length < callsEnough) timer = setTimeout(gatherNow, waitMs);
    else gatherNow();
  };

  const gatherNow = (): void => {
    clearTimeout(timer);
    timer = undefined;
    setImmediate(gather, 0, 1);
  };

  const gather = (seen: number, turn: number): void => {
    if (isSettling) return;
    if (waiting.length === seen || turn >= gatherTurnsMax) settled = settleWaiting();
    else setImmediate(gather, waiting.length, turn + 1);
  };

  const settleAll = async (): Promise<void> => {
    await settled;
    while (waiting.length > 0) await (settled = settleWaiting());
  };

  return {
    end: async () => (ended ??= settleAll()),
    ask: async (asked) => {
      if (ended !== undefined) {
        await ended;
        throw new Error('the journal is not open any more');
      }
      return new Promise((resolve, reject) => {
        waiting.push({ asked, resolve, reject });
        if (waiting.length === 1 && !isSettling) beginGathering();
        else if (timer !== undefined && waiting.length >= callsEnough) gatherNow();
      });
    },
  };
}
