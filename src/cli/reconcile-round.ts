/** The watcher's round of every day: the statement of the day before, asked for until it is there. */
import { formatBangkokDate, parseBangkokDate } from '../core/bangkok-time.ts';
import { StatementOvertakenError } from '../core/statement-store-port.ts';
import type { Log } from '../worker/context.ts';
import type { Fetched } from '../worker/reconcile-fetch.ts';
import { ReconcileInterrupted } from '../worker/reconcile-judging.ts';
import { countAll } from './reconcile-report.ts';
import { openReconcileDesk } from './reconcile-desk.ts';
import type { Sender } from './sender.ts';

const dayMs = 86_400_000;

/**
 * Reconciles the day before a day. Batches whose rows it changes are reported on by whoever looks after the batches.
 * @param date YYYYMMDD
 * @returns false when there is no usable statement yet: it is tried again later
 */
export async function reconcileDayBefore(sender: Sender, date: string, stop: AbortSignal): Promise<boolean> {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  const dayBefore = formatBangkokDate(startMs - dayMs);
  const log: Log = (level, message, facts) => sender.log[level](facts, message);
  const { loaded, journal: store, bank, clock } = sender;
  const desk = await openReconcileDesk({ loaded, store, bank, clock, log });
  const fetched = await desk.fetch(dayBefore, stop);
  if (fetched.kind !== 'fetched') return noteNone(log, dayBefore, fetched);
  const done = await desk
    .reconcile(fetched.source, stop)
    .catch((error: unknown) => noteBroken(log, dayBefore, error));
  if (done === undefined) return false;
  if (done.kind === 'refused') return noteNone(log, dayBefore, { kind: 'unusable', refusal: done.refusal });
  const openBreaks = countAll(await store.countOpenBreaks(dayBefore));
  const { statement, isRepeat, recorded } = done;
  log(openBreaks === 0 ? 'info' : 'warn', 'a statement was reconciled', {
    statement: dayBefore,
    version: statement.version,
    isRepeat,
    openBreaks,
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
      log('info', 'the bank has no statement of the day before yet', { statement });
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
