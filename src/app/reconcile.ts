/** Reconciles the bank's statement of a day with the journal: from the bank or a person's file to its report. */
import { basename } from 'node:path';
import { formatBangkokDate, readDay } from '../core/bangkok-time.ts';
import { paydropCommand } from '../core/command-line.ts';
import { endWhenSettled } from '../payout/conclude.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import { systemClock } from '../platform/clock.ts';
import { FileRejected, openRegularFile } from '../platform/csv/open.ts';
import type { Logger } from '../platform/log.ts';
import {
  againMs,
  type RequestedStatement,
  askLettingGo,
  type Fetched,
  type SourceContext,
  findDate,
  type NotFetched,
  takeFile,
} from '../reconcile/fetch.ts';
import { isOfWholeDay, type StatementRefusal } from '../reconcile/ports.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import { isIncomplete } from '../reconcile/rules/custody.ts';
import type { BreakKind, BreakRecord } from '../reconcile/rules/types.ts';
import { hasToldOfUsers } from '../review/rules/chain.ts';
import { readUser } from '../review/tokens.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type BrokenDay, isGap, notifyAtEnd } from './notices/attention.ts';
import { findSenderOf } from './machines/find-sender.ts';
import { openBank } from './open-bank.ts';
import { openReadOnlyJournal, requireJournal } from './open-store.ts';
import { reportIfSettled } from './run-file.ts';
import { openReconciler, type Reconciler, type ReconcileProcess } from './reconciler.ts';
import { openSession, sandboxStateFileIn, SenderBusyError, type Session } from './session.ts';

export type { NotFetched } from '../reconcile/fetch.ts';
export type { StatementRefusal } from '../reconcile/ports.ts';

/** Statement to reconcile: that of a day (YYYYMMDD), or a file whose contents may tell its day. */
export type Wanted =
  | { readonly date: string; readonly file: undefined; readonly key?: undefined }
  | {
      readonly date: string | undefined;
      readonly file: string;
      /** Key of an encrypted ZIP. */
      readonly key: string | null;
    };

interface ReconcileOptions {
  /** Takes a statement although it lacks lines, is empty or was superseded. */
  readonly isForced: boolean;
  /** Time to go on asking a bank that has no file yet. */
  readonly waitMs: number;
  readonly logger: Logger;
  /** Shows what an operator must know before the work begins. */
  readonly warn: (text: string) => void;
  readonly stop: AbortSignal;
}

export interface ReconcileReport {
  readonly kind: 'reconciled';
  readonly reconciled: Reconciled;
  /** False when the day had not ended as its statement was read, or an unreadable line may be any transfer. */
  readonly isWhole: boolean;
  /** Breaks of the day, the most severe first, up to the number that is shown. */
  readonly breaks: readonly BreakRecord[];
  readonly openBreaks: ReadonlyMap<BreakKind, number>;
  /** Number of the day's breaks that people have accepted. */
  readonly acceptedBreaks: number;
  /** Paths of the result updates; undefined when some are due and another process has the right to send. */
  readonly updates: readonly string[] | undefined;
  /** True when that process is a watcher, which writes them. */
  readonly isWatched: boolean;
  /** Why not every result update could be written. */
  readonly failure: { readonly error: unknown } | undefined;
  readonly isSandbox: boolean;
  readonly nowMs: number;
}

/** There is no usable statement. */
export interface NoStatement {
  readonly kind: 'no-statement';
  /** YYYYMMDD; undefined for a file whose day is not known. */
  readonly date: string | undefined;
  readonly file: string | undefined;
  readonly fetched: NotFetched;
}

/** Breaks shown on a screen; the file has them all. */
const breaksShownMax = 20;

/**
 * Fetches a day's statement and reconciles it, with the right to send when it is free, else alongside its holder.
 * @throws SettingsError for a day in the future, or a file that does not tell its day
 */
export async function reconcileStatement(
  loaded: LoadedSettings,
  wanted: Wanted,
  options: ReconcileOptions,
): Promise<ReconcileReport | NoStatement> {
  const { stop } = options;
  const isStopped = (): boolean => stop.aborted;
  const untilMs = systemClock.now() + options.waitMs;
  for (;;) {
    const leftMs = Math.max(0, untilMs - systemClock.now());
    const outcome = await reconcileOnce(loaded, wanted, { ...options, waitMs: leftMs });
    // An incomplete statement is asked for again, like a missing one.
    const mayComeWhole = wanted.file === undefined && isNotYetComplete(outcome);
    const restMs = Math.min(untilMs - systemClock.now(), againMs);
    if (!mayComeWhole || restMs <= 0 || isStopped()) return outcome;
    await systemClock.sleep(restMs, stop);
    if (isStopped()) return outcome;
  }
}

const isNotYetComplete = (outcome: ReconcileReport | NoStatement): boolean =>
  outcome.kind === 'no-statement' &&
  outcome.fetched.kind === 'unusable' &&
  isIncomplete(outcome.fetched.refusal);

async function reconcileOnce(
  loaded: LoadedSettings,
  wanted: Wanted,
  options: ReconcileOptions,
): Promise<ReconcileReport | NoStatement> {
  await using stack = new AsyncDisposableStack();
  await requireNoPeople(loaded, wanted, options);
  const { opened, fetched, date } = await getStatement(loaded, wanted, options);
  const without = { kind: 'no-statement', date, file: wanted.file } as const;
  if (opened === undefined) return { ...without, fetched };
  stack.use(opened);
  const tell = (broken?: BrokenDay): Promise<void> =>
    notifyAtEnd(opened.process, opened.sender !== undefined, options.stop, broken);
  const done = await opened.reconciler
    .reconcile(fetched.source, options.stop)
    .catch(async (error: unknown) => {
      // The person at the command sees the error; the notice tells others.
      if (isGap(error)) await tell({ date: fetched.source.date, error });
      throw error;
    });
  await tell();
  return done.kind === 'refused'
    ? { ...without, fetched: { kind: 'unusable', refusal: done.refusal } }
    : await makeReport(opened, done);
}

/**
 * Once there are users, leaves a person's own file, and a forced statement, to a proposal and a second person.
 * @throws SettingsError with the command that proposes it
 */
async function requireNoPeople(
  loaded: LoadedSettings,
  { date, file }: Wanted,
  { isForced }: Pick<ReconcileOptions, 'isForced'>,
): Promise<void> {
  if (file === undefined && !isForced) return;
  await using journal = await openReadOnlyJournal(loaded);
  const { people = [], heads = [] } = (await journal?.persons()) ?? {};
  if (people.length === 0 && !hasToldOfUsers(heads)) return;
  const day = date === undefined ? 'YYYY-MM-DD' : showDate(date);
  const which = file === undefined ? ['--statement'] : ['--file', file, ...(isForced ? ['--force'] : [])];
  throw new SettingsError(
    'a statement that you have, or insist on, is decided on by people once there are users: type ' +
      `"${paydropCommand(undefined, 'accept', day, ...which)} --note '...'"`,
  );
}

/** Refuses a path that is no file, and a day in the future, before anything is opened. */
async function getStatement(
  loaded: LoadedSettings,
  { date: asked, file, key }: Wanted,
  { waitMs, logger, warn, stop, isForced }: ReconcileOptions,
): Promise<RequestedStatement<OpenedReconciler> & { readonly date: string | undefined }> {
  const clock = systemClock;
  let date = asked;
  if (file === undefined) requirePast(asked, clock.now(), warn);
  const noFile = file === undefined ? undefined : await findNoFile(file);
  if (noFile !== undefined)
    return { opened: undefined, fetched: { kind: 'unusable', refusal: noFile }, date };
  const take = async ({ reconciler }: OpenedReconciler): Promise<Fetched> => {
    const user = readUser();
    if (file === undefined) return reconciler.fetch(asked, stop, isForced ? user : undefined);
    const found = await findDay(reconciler.context, file, asked, key);
    if (typeof found !== 'string') return { kind: 'unusable', refusal: found };
    date = found;
    requirePast(found, clock.now(), warn);
    return takeFile(reconciler.context, found, file, { user, isForced, key });
  };
  const open = (): Promise<OpenedReconciler> => openBesideSender(loaded, logger);
  const takeOrNotify = async (opened: OpenedReconciler): Promise<Fetched> => {
    const fetched = await take(opened);
    // The day may be late by now.
    if (fetched.kind !== 'fetched') await notifyAtEnd(opened.process, opened.sender !== undefined, stop);
    return fetched;
  };
  const gotten = await askLettingGo(open, takeOrNotify, {
    clock,
    waitMs: file === undefined ? waitMs : 0,
    stop,
  });
  return { ...gotten, date };
}

function requirePast(date: string, nowMs: number, warn: ReconcileOptions['warn']): void {
  const today = formatBangkokDate(nowMs);
  if (date > today) throw new SettingsError('the day is yet to come in Bangkok: there is no statement of it');
  if (date === today) warn('the day has not ended in Bangkok: reconcile it again tomorrow');
}

/** Why no file can be read at the path; undefined when one can. */
export async function findNoFile(path: string): Promise<StatementRefusal | undefined> {
  try {
    const { handle } = await openRegularFile(path);
    await handle.close();
    return undefined;
  } catch (error) {
    if (error instanceof FileRejected) return error.rejection;
    throw error;
  }
}

/**
 * YYYYMMDD from the end of the file's name (§2.7); undefined for any other name.
 * @throws SettingsError for a name with a day of the Buddhist era
 */
function readNamedDay(path: string): string | undefined {
  const [, before = '', named = '', after = ''] = /^(|.*_)(\d{8})(\D*)$/s.exec(basename(path)) ?? [];
  const day = readDay(named);
  if (day.ok) return day.date;
  if (day.meant === undefined) return undefined;
  throw new SettingsError(
    `the name of the file says ${named}, which ${day.what}: rename it to ${before}${day.meant}${after} if that is its day`,
  );
}

/**
 * YYYYMMDD as asked for, else by the file's name, else by its lines; or why no line of it can be read.
 * @throws SettingsError when the file does not tell its day, or its name tells another day than was asked for
 */
export async function findDay(
  context: SourceContext,
  path: string,
  asked: string | undefined,
  key: string | null = null,
): Promise<string | StatementRefusal> {
  const named = readNamedDay(path);
  // Under a wrong day every payout would be missing at the bank, and every line of the bank's unknown.
  if (asked !== undefined && named !== undefined && asked !== named)
    throw new SettingsError(
      `--date says ${showDate(asked)}, and the name of the file ${showDate(named)}: leave --date out, or rename the file if its name is wrong`,
    );
  const found = asked ?? named ?? (await findDate(context, path, key));
  if (found !== undefined) return found;
  throw new SettingsError(
    'neither the name of the file nor its first lines tell the day: add --date YYYY-MM-DD',
  );
}

interface OpenedReconciler extends AsyncDisposable {
  readonly process: ReconcileProcess;
  readonly reconciler: Reconciler;
  /** Undefined alongside a process that has the right to send. */
  readonly sender: Session | undefined;
}

/** Opens with the right to send when it is free; else alongside its holder. */
async function openBesideSender(loaded: LoadedSettings, log: Logger): Promise<OpenedReconciler> {
  await using stack = new AsyncDisposableStack();
  const sender = await openSession(loaded, log, 'reconcile').catch((error: unknown) => {
    if (!(error instanceof SenderBusyError)) throw error;
    return undefined;
  });
  const process = sender === undefined ? await openBeside(loaded, log, stack) : stack.use(sender);
  const reconciler = await openReconciler(process);
  const owned = stack.move();
  return { process, reconciler, sender, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

async function openBeside(
  loaded: LoadedSettings,
  log: Logger,
  stack: AsyncDisposableStack,
): Promise<ReconcileProcess> {
  const journal = stack.use(await requireJournal(loaded));
  const stateFile = sandboxStateFileIn(loaded.dataDir);
  const { bank } = await openBank(loaded, log, stack, { stateFile, tokenPlace: journal.tokenPlace });
  return { loaded, journal, bank, clock: systemClock, log };
}

async function makeReport(
  { process, sender }: OpenedReconciler,
  reconciled: Reconciled,
): Promise<ReconcileReport> {
  const { loaded, journal, clock } = process;
  const { date, reading } = reconciled.statement;
  const { updates, failure } = await writeUpdates(journal, sender);
  return {
    kind: 'reconciled',
    reconciled,
    isWhole: isOfWholeDay(reading),
    breaks: await journal.openBreaks(date, breaksShownMax),
    openBreaks: await journal.countOpenBreaks(date),
    acceptedBreaks: await journal.countAcceptedBreaks(date),
    updates,
    isWatched: (await findSenderOf(loaded, journal))?.command === 'watch',
    failure,
    isSandbox: loaded.isSandbox,
    nowMs: clock.now(),
  };
}

/** Writes nothing alongside a process with the right to send: that process, or the next, writes the updates. */
async function writeUpdates(
  journal: Session['journal'],
  sender: Session | undefined,
): Promise<Pick<ReconcileReport, 'updates' | 'failure'>> {
  if (sender === undefined) {
    const isDue = (await journal.dueReports()).length > 0;
    return { updates: isDue ? undefined : [], failure: undefined };
  }
  const updates: string[] = [];
  try {
    await reportDueBatches(sender, updates);
    return { updates, failure: undefined };
  } catch (error) {
    return { updates, failure: { error } };
  }
}

/**
 * Writes due updates of batches whose rows a statement has changed; only with the right to send. An update that fails
 * stays due and delays no other: the first failure is thrown at the end.
 * @param paths receives the path of each update as it is written
 * @forTests
 */
export async function reportDueBatches(sender: Session, paths: string[] = []): Promise<readonly string[]> {
  const { journal, clock } = sender;
  const failures: unknown[] = [];
  for (const due of await journal.dueReports()) {
    try {
      await endWhenSettled(journal, due.batchId, clock.now());
      // A batch that is being paid shows the change in its own result.
      paths.push(...((await reportIfSettled(sender, due.batchId)) ?? []));
      await journal.clearDueReport(due);
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return paths;
}
