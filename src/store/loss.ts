/** Losses of the journal that a person let it go on from, kept for ever: a later one counts instead of an earlier. */
import type { DatabaseSync } from 'node:sqlite';
import { formatBangkokDate, formatBangkokMoment } from '../core/bangkok-time.ts';
import type { JournalLoss } from '../core/ports.ts';
import { findKnownDays, restoreBackup } from '../payout/rules/journal-place.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import { JournalRefusedError } from './connection.ts';
import { type Body, change, define, query, type Reading, selectFirst } from './statements.ts';

/** The decision of a person that a journal goes on which was lost or restored. */
export interface Recovery {
  /** The first day of which something may be missing, YYYYMMDD in Bangkok; later than today: no day is. */
  readonly sinceDate: string;
}

const latestLoss = define((_values: object) =>
  query
    .selectFrom('journal_loss')
    .select(['recovered_at_ms as recoveredAtMs', 'since_date as sinceDate', 'until_date as untilDate'])
    .orderBy('recovered_at_ms', 'desc')
    .limit(1),
);

/** The latest loss. */
export const readLoss = (): Reading<JournalLoss | undefined> => latestLoss.get({});

/** A clock may stand a little behind what was recorded before it was set. */
const clockSlackMs = 3_600_000;

/**
 * Records that the journal goes on after a loss, of whose last days it may know nothing.
 * @param isNoticed the high-water mark beside it shows that something is missing; else a person alone says so
 * @throws JournalRefusedError when the clock is behind what was recorded, or the day is later than today although
 * something is missing
 */
export function* recordLoss(recovery: Recovery, isNoticed: boolean, nowMs: number): Body<void> {
  const earlier = yield* readLoss();
  const latestMs = yield* readLatestMs();
  const recoveredAtMs = Math.max(nowMs, latestMs, (earlier?.recoveredAtMs ?? 0) + 1);
  requireClock(recoveredAtMs, nowMs);
  const untilDate = formatBangkokDate(recoveredAtMs);
  if (isNoticed && recovery.sinceDate > untilDate) {
    throw new JournalRefusedError(
      `the journal is lost or an older copy, so that today at least is in question: give --since a day up to ${showDate(untilDate)}`,
    );
  }
  const known = isNoticed ? findKnownDays(earlier, latestMs) : [];
  const [sinceDate = recovery.sinceDate] = [recovery.sinceDate, ...known].toSorted();
  const record = { recovered_at_ms: recoveredAtMs, since_date: sinceDate, until_date: untilDate };
  yield* change(query.insertInto('journal_loss').values(record));
}

/**
 * Looks for damage before a journal goes on: a copy put back beside another's write-ahead log is a mixture of both.
 * @throws JournalRefusedError
 */
export function requireWhole(db: DatabaseSync): void {
  let found: unknown;
  try {
    found = db.prepare('pragma quick_check(1)').get()?.['quick_check'];
  } catch (error) {
    found = error;
  }
  if (found === 'ok') return;
  const cure = `if it was put back beside the -wal and -shm of another, take these away; else ${restoreBackup}`;
  throw new JournalRefusedError(`journal.db is damaged: ${cure}`, { cause: found });
}

function requireClock(recoveredAtMs: number, nowMs: number): void {
  if (recoveredAtMs <= nowMs + clockSlackMs) return;
  throw new JournalRefusedError(
    `the clock says ${formatBangkokMoment(nowMs)}, and the journal has records of ${formatBangkokMoment(recoveredAtMs)}: set the clock right first`,
  );
}

/** The latest moment of any record; 0 in a new journal. */
export function* readLatestMs(): Reading<number> {
  const ofEvents = query.selectFrom('event').select(({ fn }) => fn.max<number | null>('at_ms').as('at_ms'));
  const ofIntents = query
    .selectFrom('attempt')
    .select(({ fn }) => fn.max<number | null>('intent_at_ms').as('at_ms'));
  const [latestEvent, latestIntent] = [yield* selectFirst(ofEvents), yield* selectFirst(ofIntents)];
  return Math.max(latestEvent?.at_ms ?? 0, latestIntent?.at_ms ?? 0);
}
