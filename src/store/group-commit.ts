/**
 * Group commit: calls that come while the loop is busy are gathered into one transaction, so that one sync to disk serves
 * them all.
 */
import type { DatabaseSync } from 'node:sqlite';
import { inTransaction, sqliteCodeOf, sqliteCodes } from './connection.ts';
import { type Body, drive } from './statements.ts';
import type { WriteQueue } from './write-queue.ts';

/** What one transaction does. */
export interface GroupWork<Asked, Given, Shared> {
  /** What the calls of one transaction share. */
  begin(): Body<Shared>;
  apply(shared: Shared, asked: Asked): Body<Given>;
  /** After the last call. */
  end(shared: Shared): Body<void>;
  /** Told once it is durable, before anybody else is; what it throws is a failure of the calls. */
  onCommit(shared: Shared): void;
}

export interface GroupCommit<Asked, Given> {
  /** Resolves when it is durable. */
  ask(asked: Asked): Promise<Given>;
  /** Has what is waiting committed, as soon as those who write before it have done so. */
  flush(): void;
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

/** True when the error comes from what the call asked for, not from the disk or the file. */
function isCallToBlame(error: unknown): boolean {
  const code = sqliteCodeOf(error);
  return code === undefined || code === sqliteCodes.constraint;
}

function* applyAll<Asked, Given, Shared>(
  work: GroupWork<Asked, Given, Shared>,
  calls: readonly Call<Asked, Given>[],
): Body<{ readonly shared: Shared; readonly given: readonly Given[] }> {
  const shared = yield* work.begin();
  const given: Given[] = [];
  for (const [place, { asked }] of calls.entries()) {
    try {
      given.push(yield* work.apply(shared, asked));
    } catch (error) {
      throw isCallToBlame(error) ? new CallFailure(place, error) : error;
    }
  }
  yield* work.end(shared);
  return { shared, given };
}

/** Turns of the loop that a commit waits while each of them brings more calls: fewer syncs serve them all. */
const gatherTurnsMax = 4;

/**
 * Gathers and commits what is asked of one connection.
 * @param queue of the connection, where its other writers wait too
 */
export function makeGroupCommit<Asked, Given, Shared>(
  db: DatabaseSync,
  queue: WriteQueue,
  work: GroupWork<Asked, Given, Shared>,
): GroupCommit<Asked, Given> {
  let waiting: Call<Asked, Given>[] = [];

  const settle = async (calls: readonly Call<Asked, Given>[]): Promise<void> => {
    let left = calls;
    /** A call that cannot be applied is taken out, and the others are applied without it. */
    const commitAll = (): void => {
      while (left.length > 0) {
        try {
          const { shared, given } = inTransaction(db, () => drive(db, applyAll(work, left)));
          work.onCommit(shared);
          for (const [place, call] of left.entries()) call.resolve(given[place] as Given);
          return;
        } catch (error) {
          if (!(error instanceof CallFailure)) throw error;
          left[error.place]?.reject(error.cause);
          left = left.toSpliced(error.place, 1);
        }
      }
    };
    try {
      await queue.run(commitAll);
    } catch (error) {
      for (const call of left) call.reject(error);
    }
  };

  const flush = (): void => {
    const calls = waiting;
    waiting = [];
    if (calls.length > 0) void settle(calls);
  };

  const gather = (seen: number, turn: number): void => {
    if (waiting.length === seen || turn >= gatherTurnsMax) flush();
    else setImmediate(gather, waiting.length, turn + 1);
  };

  return {
    flush,
    ask: async (asked) =>
      new Promise((resolve, reject) => {
        waiting.push({ asked, resolve, reject });
        if (waiting.length === 1) setImmediate(gather, 0, 1);
      }),
  };
}
