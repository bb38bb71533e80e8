/** The watcher's round of every day: the statement of the day before, asked for until it is there. */
import { formatBangkokDate, parseBangkokDate } from '../core/bangkok-time.ts';
import { StatementOvertakenError, wholeDay } from '../core/statement-store-port.ts';
import type { Log } from '../worker/context.ts';
import type { Fetched } from '../worker/reconcile-fetch.ts';
import { ReconcileInterrupted } from '../worker/reconcile-judging.ts';
import { countAll, isQuiet } from './reconcile-report.ts';
import { openReconcileDesk } from './reconcile-desk.ts';
import type { Sender } from './sender.ts';

const dayMs = 86_400_000;

/** A statement that is late is asked for on so many days. */
const daysBack = 7;

/**
 * Reconciles the day before a day, and those before it whose statement has not come yet. Batches whose rows it changes
 * are reported on by whoever looks after the batches.
 * @param date YYYYMMDD
 * @returns false when there is no usable statement of the day before yet: it is tried again later
 */
export async function reconcileDayBefore(sender: Sender, date: string, stop: AbortSignal): Promise<boolean> {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  const { journal: store } = sender;
  for (let back = daysBack; back > 1 && !stop.aborted; back -= 1) {
    const day = formatBangkokDate(startMs - back * dayMs);
    // One that was read before its day had ended does not count.
    const isThere = (await store.statement(day))?.reading.endsWith(` ${wholeDay}`) === true;
    if (!isThere && (await store.hasAttemptsOn(day))) await reconcileDay(sender, day, stop);
  }
  const dayBefore = formatBangkokDate(startMs - dayMs);
  const isThere = await reconcileDay(sender, dayBefore, stop);
  // A bank has no file of a day without transfers: nobody waits for it.
  return isThere || !(await store.hasAttemptsOn(dayBefore));
}

/** @returns false when there is no usable statement of the day yet */
async function reconcileDay(sender: Sender, day: string, stop: AbortSignal): Promise<boolean> {
  const log: Log = (level, message, facts) => sender.log[level](facts, message);
  const { loaded, journal: store, bank, clock } = sender;
  const desk = await openReconcileDesk({ loaded, store, bank, clock, log });
  const fetched = await desk.fetch(day, stop);
  if (fetched.kind !== 'fetched') return noteNone(log, day, fetched);
  const done = await desk
    .reconcile(fetched.source, stop)
    .catch((error: unknown) => noteBroken(log, day, error));
  if (done === undefined) return false;
  if (done.kind === 'refused') return noteNone(log, day, { kind: 'unusable', refusal: done.refusal });
  const openBreaks = await store.countOpenBreaks(day);
  const { statement, isRepeat, recorded } = done;
  log(isQuiet(openBreaks, recorded) ? 'info' : 'warn', 'a statement was reconciled', {
    statement: day,
    version: statement.version,
    isRepeat,
    openBreaks: countAll(openBreaks),
    openedOnOtherDays: recorded.openedElsewhere,
    payoutsChanged: Object.fromEntries(recorded.causes),
  });
  return true;
}

/** Stopped, or begun again by another process: neither is a failure. */
function noteBroken(log: Log, statement: string, error: unknown): undefined {
  const isExpected = error instanceof ReconcileInterrupted || error instanceof StatementOvertakenError;
  if (!isExpected) throw error;
  log('info', 'the reconciling was broken off', { statement, why: error.message });
}

function noteNone(
  log: Log,
  statement: string,
  fetched: Exclude<Fetched, { readonly kind: 'fetched' }>,
): boolean {
  switch (fetched.kind) {
    case 'not-found':
      log('info', 'the bank has no statement of the day yet', { statement });
      return false;
    case 'unavailable':
      log('warn', 'the statement cannot be had now', { statement, why: fetched.why });
      return false;
    case 'refused':
      log('error', 'the bank gives no statement', { statement, code: fetched.code, why: fetched.text });
      return false;
    case 'unusable':
      log('error', 'the statement is refused: nothing of it is used', { statement, ...fetched.refusal });
      return false;
  }
}
