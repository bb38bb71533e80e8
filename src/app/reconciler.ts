/**
 * Reconciles statements with the journal, and makes the watcher's daily round: fetches the statement of the day before
 * until the bank has it, and corrected ones while breaks are open.
 */
import { hash } from 'node:crypto';
import { formatBangkokDate, dayMs, listPastDays, parseBangkokDate } from '../core/bangkok-time.ts';
import { inEnglish } from '../core/message.ts';
import { readBankAddress } from '../core/network-address.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import {
  type FetchContext,
  type Fetched,
  type SourceContext,
  fetchStatement,
  type NotFetched,
} from '../reconcile/fetch.ts';
import { inspectStatement, type StatementSource } from '../reconcile/inspect.ts';
import { isOfWholeDay, StatementOvertakenError, type StatementStore } from '../reconcile/ports.ts';
import { type ReconcileContext, ReconcileInterrupted } from '../reconcile/read-lines.ts';
import { reconcile, type Reconciliation } from '../reconcile/reconcile.ts';
import { isIncomplete, isSuperseded } from '../reconcile/rules/custody.ts';
import { combineWords } from '../reconcile/rules/status-words.ts';
import { readingRules } from '../reconcile/rules/statement.ts';
import { readStatementTarget } from '../review/rules/statement-decisions.ts';
import { isBuiltInSandbox, type LoadedSettings } from '../settings/settings.ts';
import { type Session, toLog } from './session.ts';
import type { Log } from '../core/ports.ts';
import { countBreaks, isQuiet } from '../reconcile/rules/attention.ts';

/** The open parts of a session, with or without the right to send. */
export type ReconcileProcess = Pick<Session, 'loaded' | 'journal' | 'bank' | 'clock' | 'log'>;

export type Reconciler = Awaited<ReturnType<typeof openReconciler>>;

/** Age after which a file without writes was left by a process that died, or is of no more use. */
const leftoverMs = 3_600_000;

export async function openReconciler(process: ReconcileProcess) {
  const { loaded } = process;
  const context = await openFetchContext(process);
  const judge = await openJudge(process, context);
  const { companyId } = loaded.settings.bank;
  const asked = loaded.settings.reconcile.companyId ?? companyId;
  return {
    context,
    /** @param forcedBy the person who takes the statement as it is */
    fetch: async (date: string, stop: AbortSignal, forcedBy?: string): Promise<Fetched> => {
      const fetched = await fetchStatement(context, date, asked === '' ? null : asked, stop, forcedBy);
      if (fetched.kind === 'unusable') await judge.clearRefused(date);
      return fetched;
    },
    reconcile: judge.reconcile,
  };
}

/** Reconciles with a statement that is on disk, alongside the sender. */
export async function openJudge(
  { loaded, journal, clock, log }: Omit<ReconcileProcess, 'bank'>,
  { originals }: SourceContext,
) {
  const { openStatementOutbox } = await import('../reconcile/file/tables.ts');
  const outbox = await openStatementOutbox(loaded.folders.statements);
  // By the machine's clock, as the files' own times are.
  const beforeMs = Date.now() - leftoverMs;
  const unpublished = await outbox.finishLeftovers(beforeMs, await journal.acceptedFiles());
  for (const why of unpublished) log.error({ why }, 'a table of an accepted statement is not published');
  await originals.removeLeftovers(beforeMs);

  /** Removes refused originals of a day beyond the number that a person can look at. */
  const clearRefused = async (date: string): Promise<void> => {
    const accepted = (await journal.statementVersions(date)).map(({ originalSha256 }) => originalSha256);
    const proposed = (await journal.openItems('statement', [date])).flatMap(
      (item) => readStatementTarget(item)?.originalSha256 ?? [],
    );
    try {
      await originals.removeRefused(date, Date.now() - leftoverMs, [...accepted, ...proposed]);
    } catch (error) {
      log.warn({ why: (error as Error).message }, 'old refused statements cannot be removed');
    }
  };

  const { companyId } = loaded.settings.bank;
  const contextUntil = (stop: AbortSignal): ReconcileContext => {
    return { store: journal, clock, companyId, log: toLog(log), stop };
  };
  return {
    clearRefused,
    /** Judges it as reconciling would, and records nothing. */
    inspect: async (source: StatementSource, stop: AbortSignal) =>
      inspectStatement(contextUntil(stop), source),
    reconcile: async (source: StatementSource, stop: AbortSignal): Promise<Reconciliation> => {
      const done = await reconcile(contextUntil(stop), outbox, source);
      if (done.kind === 'refused' || done.isRepeat) await clearRefused(source.date);
      return done;
    },
  };
}

async function openFetchContext({ loaded, bank }: ReconcileProcess): Promise<FetchContext> {
  const { makeStatementRequests } = await import('../bank/statement-request.ts');
  const { makeStatementDownloader } = await import('../bank/statement-download.ts');
  const { dateField, maxBytes: bytesMax, timeoutMs, hosts } = loaded.settings.reconcile;
  return {
    ...(await openSourceContext(loaded)),
    desk: makeStatementRequests(bank, dateField),
    downloader: makeStatementDownloader({ bytesMax, timeoutMs, bankHost: findBankHost(loaded), hosts }),
  };
}

export async function openSourceContext(loaded: LoadedSettings): Promise<SourceContext> {
  const { openStatementOriginals } = await import('../reconcile/file/originals.ts');
  const { makeStatementUnpacker } = await import('../reconcile/file/unpacker.ts');
  const { makeStatementReader } = await import('../reconcile/file/reader.ts');
  const { reconcile: settings, bank: partner } = loaded.settings;
  const { maxBytes: bytesMax } = settings;
  const { scheme } = partner;
  const asked = settings.companyId ?? partner.companyId;
  const words = combineWords(settings.words);
  const folder = loaded.folders.statements;
  return {
    originals: await openStatementOriginals(folder, bytesMax),
    unpacker: makeStatementUnpacker({ folder, bytesMax }),
    reader: makeStatementReader({ scheme, words, bytesMax }),
    scope: { companyId: asked === '' ? partner.companyId : asked, isOfAllCompanies: asked === '', scheme },
    reading: hash('sha256', JSON.stringify([words, partner.companyId, readingRules]), 'hex').slice(0, 16),
  };
}

/** Host of the bank; a built-in sandbox is on this machine. */
const findBankHost = ({ settings }: LoadedSettings): string =>
  isBuiltInSandbox(settings) ? 'localhost' : readBankAddress(settings.bank.baseUrl).host;

// ---------------------------------------------------------------- the daily round

const hourMs = 3_600_000;

/** Days for which a statement that is late, or has open breaks, is asked for every hour. */
const daysBack = 7;

/**
 * `breaks`: reconciled, with open breaks; `none`: the bank has no statement yet; `later`: no whole statement could be
 * fetched; `refused`: there is a statement, and it is of no use.
 */
export type DayOutcome = 'reconciled' | 'breaks' | 'none' | 'later' | 'refused';

/** State that a process keeps between the tries of a round. */
interface Tries {
  /** Days that this process has reconciled. */
  readonly made: Set<string>;
  /** Time before which a day is not asked for again. */
  readonly notBeforeMs: Map<string, number>;
  /** Rounds that have reported which days are not asked for any more. */
  readonly reported: Set<string>;
  /** Rounds that have asked once for each older day with open breaks. */
  readonly reviewed: Set<string>;
}

const triesOf = new WeakMap<StatementStore, Tries>();

function openTries({ journal }: Session): Tries {
  const tries = triesOf.get(journal) ?? {
    made: new Set(),
    notBeforeMs: new Map(),
    reported: new Set(),
    reviewed: new Set(),
  };
  triesOf.set(journal, tries);
  return tries;
}

/**
 * Reconciles the day before a day, and earlier days without a statement. The caller reports on batches whose rows it
 * changes.
 * @param date YYYYMMDD
 * @param onBroken called with each day that fails
 * @returns false, for another try, while the day before, or a late day with payouts, has no usable statement or has open
 *   breaks
 * @throws the first error of a failed day, once every day has had its turn
 */
export async function reconcileDayBefore(
  sender: Session,
  date: string,
  stop: AbortSignal,
  onBroken: (day: string, error: unknown) => Promise<void> = async () => {},
): Promise<boolean> {
  const startMs = parseBangkokDate(date);
  if (startMs === undefined) throw new RangeError(`${date} names no day`);
  await tellOfGivenUp(sender, date, startMs);
  const failures: unknown[] = [];
  const askOf = (day: string, isLate: boolean): Promise<DayOutcome | undefined> =>
    askInTurn(sender, day, isLate, stop).catch(async (error: unknown) => {
      sender.log.error(
        { statement: day, err: error },
        'a day was not reconciled: the others have their turn',
      );
      failures.push(error);
      await onBroken(day, error);
      return undefined;
    });
  const dayBefore = formatBangkokDate(startMs - dayMs);
  const firstDay = await sender.journal.firstDaySent();
  // Transfers before the first payout belong to another program.
  if (firstDay === undefined || dayBefore < firstDay) return true;
  let isLateOut = false;
  const withBreaks = await listDaysWithBreaks(sender.journal);
  for (const day of await listLateDays(sender.journal, startMs, firstDay, withBreaks)) {
    if (stop.aborted) return false;
    const isThere = (await askOf(day, true)) === 'reconciled';
    isLateOut ||= !isThere && (await sender.journal.hasAttemptsOn(day));
  }
  await reviewOlderDays(sender, date, startMs, withBreaks, (day) => askOf(day, true));
  if (stop.aborted) return false;
  const asked = await askOf(dayBefore, false);
  if (failures.length > 0) throw failures[0];
  // The bank has no file for a day without transfers: that day is done. Any other failure may hide a file.
  const isMade =
    asked === 'reconciled' || (asked === 'none' && !(await sender.journal.hasAttemptsOn(dayBefore)));
  return isMade && !isLateOut;
}

/**
 * Days of the week before the day before that have no statement, or open breaks that a corrected one may close. They
 * start at the first day with a payout, the oldest first.
 */
async function listLateDays(
  store: StatementStore,
  startMs: number,
  firstDay: string,
  withBreaks: ReadonlySet<string>,
): Promise<readonly string[]> {
  const days: string[] = [];
  for (let back = daysBack; back > 1; back -= 1) {
    const day = formatBangkokDate(startMs - back * dayMs);
    if (day < firstDay) continue;
    // A statement read before its day had ended does not count.
    const statement = await store.statement(day);
    const isOut = statement === undefined || !isOfWholeDay(statement.reading);
    if (isOut || withBreaks.has(day)) days.push(day);
  }
  return days;
}

async function listDaysWithBreaks(store: StatementStore): Promise<ReadonlySet<string>> {
  const days = await store.statementDays();
  return new Set(days.flatMap(({ date, openBreaks }) => (openBreaks > 0 ? [date] : [])));
}

/** Asks once a round for each day of the last month that is older than the week and has open breaks. */
async function reviewOlderDays(
  sender: Session,
  date: string,
  startMs: number,
  withBreaks: ReadonlySet<string>,
  askOf: (day: string) => Promise<DayOutcome | undefined>,
): Promise<void> {
  const { reviewed } = openTries(sender);
  if (reviewed.has(date)) return;
  reviewed.add(date);
  for (const day of listPastDays(startMs, daysBack)) if (withBreaks.has(day)) await askOf(day);
}

/** Reports once a day the days with payouts that were asked for in vain for too long. */
async function tellOfGivenUp(sender: Session, date: string, startMs: number): Promise<void> {
  const { reported } = openTries(sender);
  if (reported.has(date)) return;
  const days = await sender.journal.daysWithoutStatement(listPastDays(startMs, daysBack));
  if (days.length > 0)
    sender.log.warn(
      { statements: days.map(showDate) },
      'payouts were sent on days whose statement never came, and the bank is not asked for it any more: ask the bank, then "paydrop reconcile --date"',
    );
  reported.add(date);
}

/**
 * Asks for a day, unless this process has it or asked recently: a statement that the bank refuses, that is late, or that
 * may be corrected is asked for every hour.
 */
async function askInTurn(
  sender: Session,
  day: string,
  isLate: boolean,
  stop: AbortSignal,
): Promise<DayOutcome | undefined> {
  const { made, notBeforeMs } = openTries(sender);
  const isQuietNow = (await sender.journal.countOpenBreaks(day)).size === 0;
  if (made.has(day) && isQuietNow) return 'reconciled';
  const nowMs = sender.clock.now();
  const leftMs = (notBeforeMs.get(day) ?? 0) - nowMs;
  // A longer wait was counted on a clock that has been set back.
  if (leftMs > 0 && leftMs <= hourMs) return undefined;
  if (isLate) notBeforeMs.set(day, nowMs + hourMs);
  const asked = await reconcileDay(sender, day, stop);
  if (asked === 'reconciled') made.add(day);
  if (asked === 'refused' || asked === 'breaks') notBeforeMs.set(day, nowMs + hourMs);
  return asked;
}

/** Fetches the statement of a day and reconciles it, alongside the sender too. */
export async function reconcileDay(
  sender: ReconcileProcess,
  day: string,
  stop: AbortSignal,
): Promise<DayOutcome> {
  const log = toLog(sender.log);
  const reconciler = await openReconciler(sender);
  const fetched = await reconciler.fetch(day, stop);
  if (fetched.kind !== 'fetched') return noteNone(log, day, fetched);
  const done = await reconciler
    .reconcile(fetched.source, stop)
    .catch((error: unknown) => noteBroken(log, day, error));
  if (done === undefined) return 'later';
  if (done.kind === 'refused') return noteNone(log, day, { kind: 'unusable', refusal: done.refusal });
  const openBreaks = await sender.journal.countOpenBreaks(day);
  const { statement, isRepeat, recorded } = done;
  log(isQuiet(openBreaks, recorded) ? 'info' : 'warn', 'a statement was reconciled', {
    statement: day,
    version: statement.version,
    isRepeat,
    openBreaks: countBreaks(openBreaks),
    openedOnOtherDays: recorded.openedOnOtherDays,
    payoutsChanged: Object.fromEntries(recorded.causes),
  });
  return countBreaks(openBreaks) === 0 ? 'reconciled' : 'breaks';
}

/** Logs the error, unless the work was stopped or begun again by another process: neither is a failure. */
function noteBroken(log: Log, statement: string, error: unknown): undefined {
  const isExpected = error instanceof ReconcileInterrupted || error instanceof StatementOvertakenError;
  if (!isExpected) throw error;
  log('info', 'the reconciling was broken off', { statement, why: error.message });
}

function noteNone(log: Log, statement: string, fetched: NotFetched): DayOutcome {
  switch (fetched.kind) {
    case 'not-found':
      log('info', 'the bank has no statement of the day yet', { statement });
      return 'none';
    case 'unavailable':
      log('warn', 'the statement cannot be had now', { statement, why: fetched.why });
      return 'later';
    case 'refused':
    case 'not-allowed':
      log('error', 'the bank gives no statement', { statement, code: fetched.code, why: fetched.text });
      return 'refused';
    case 'unusable': {
      const facts = { statement, ...fetched.refusal, message: inEnglish(fetched.refusal.message) };
      if (isIncomplete(fetched.refusal)) {
        log('warn', 'the statement is not complete yet: nothing of it is used', facts);
        return 'later';
      }
      // A person has gone back to an earlier version, and the bank has no newer one yet.
      if (isSuperseded(fetched.refusal)) {
        log('info', 'the bank has no newer statement than the one that was replaced', { statement });
        return 'refused';
      }
      log('error', 'the statement is refused: nothing of it is used', facts);
      return 'refused';
    }
  }
}
