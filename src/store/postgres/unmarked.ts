/**
 * Machines without a mark, which cannot tell the journal from an older copy of it: whether one has joined, and no machine
 * has come since that can. Decided in the transaction in which a machine joins, so that one of two sees the other.
 */
import { sql } from 'kysely';
import { decideUnmarked, type JournalProgress, type Unmarked } from '../../payout/rules/journal-place.ts';
import { isNewJournal } from '../../payout/rules/lost-journal.ts';
import type { FoundHighWaterMark } from '../high-water-mark.ts';
import { readLoss } from '../loss.ts';
import { readLatestEventSeq } from '../payouts/rows.ts';
import { readLatestUnmarked, readMissesSince, readMoment, readUnmarked, writeUnmarked } from '../place.ts';
import { type Body, define, type Reading, textStatement } from '../statements.ts';
import type { Store } from '../store.ts';
import { thereNow } from './lease-conditions.ts';

/** The facts that show whether a joining machine can tell the journal from an older copy. */
export interface Joining {
  /** The marks beside the journal and in other places, as they were found. */
  readonly marks: readonly (FoundHighWaterMark | JournalProgress)[];
  /** True when the machine has made the journal just now: nothing can be missing. */
  readonly isMade: boolean;
  /** True when a person says that the journal goes on: from then on it counts as new anyway. */
  readonly isSaid: boolean;
  /** The worker that the process is; 0 for none. */
  readonly workerId: number;
  readonly nowMs: number;
}

const witnesses = define(({ workerId }: { workerId: number }) =>
  textStatement<{ readonly one: number }>(
    sql`select 1 as one from worker w where w.is_witness = 1 and w.worker_id <> ${workerId} and ${thereNow} limit 1`,
  ),
);

const becomeWitness = define(({ workerId }: { workerId: number }) =>
  textStatement(sql`update worker set is_witness = 1 where worker_id = ${workerId} and is_witness = 0`),
);

/** Records that a machine joins. */
export function* noteJoined(joining: Joining): Body<void> {
  const { isSaid, workerId } = joining;
  const found = yield* readUnmarked();
  const unmarked = isSaid ? undefined : yield* decide(joining, found);
  const latest = unmarked ?? found;
  if (latest !== undefined) yield* writeUnmarked({ ...latest, isOver: unmarked === undefined });
  if (unmarked === undefined) yield* becomeWitness.run({ workerId });
}

function* decide(joining: Joining, found: Unmarked | undefined): Reading<Unmarked | undefined> {
  const { workerId, nowMs } = joining;
  const isInForce = found !== undefined && isNewJournal(found.sinceMs, nowMs);
  return decideUnmarked({
    found: isInForce ? found : undefined,
    markedSeq: yield* findMarkedSeq(joining),
    isWitnessed: (yield* witnesses.get({ workerId })) !== undefined,
    present: {
      sinceMs: nowMs,
      missesSinceMs: yield* readMissesSince(nowMs),
      latestEventSeq: yield* readLatestEventSeq(),
    },
  });
}

/**
 * Marks from before a loss prove nothing, nor do those that were written while the journal was unmarked, unless it knows
 * that this is over: one that was put back to a moment before does not.
 */
function* findMarkedSeq({ marks, isMade, nowMs }: Joining): Reading<number | undefined> {
  if (isMade) return 0;
  const loss = yield* readLoss();
  const latest = yield* readLatestUnmarked();
  const overSinceMs = latest?.isOver === true ? latest.sinceMs : 0;
  const proving = marks
    .filter((mark) => typeof mark === 'object')
    .filter(({ recoveredAtMs }) => recoveredAtMs === (loss?.recoveredAtMs ?? 0))
    .filter(({ unmarkedSinceMs: atMs }) => atMs <= overSinceMs || !isNewJournal(atMs, nowMs));
  return proving.length === 0 ? undefined : Math.max(...proving.map(({ latestEventSeq }) => latestEventSeq));
}

/** Records that a process which knew before that nothing is missing works as this worker now. */
export function* noteWitness(workerId: number): Body<void> {
  if ((yield* readUnmarked()) === undefined) yield* becomeWitness.run({ workerId });
}

/** The time when the journal began, or counts as new from, and since when something may be missing, as it is now. */
export function* readMoments(): Reading<Awaited<ReturnType<NonNullable<Store['readMoments']>>>> {
  const newSinceMs = yield* readMoment('newSinceMs');
  const missesSinceMs = yield* readMoment('missesSinceMs');
  const unmarked = yield* readUnmarked();
  if (unmarked === undefined) return { newSinceMs, missesSinceMs, isUnmarked: false };
  return {
    newSinceMs: Math.max(newSinceMs ?? 0, unmarked.sinceMs),
    missesSinceMs: unmarked.missesSinceMs,
    isUnmarked: true,
  };
}
