/** Reconciles the bank's statement of a day with the journal: from the bank, or a person's file, to its report. */
import { basename } from 'node:path';
import { formatBangkokDate, parseBangkokDate } from '../core/bangkok-time.ts';
import { endWhenSettled, isConcluded } from '../payout/conclude.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import { systemClock } from '../platform/clock.ts';
import { FileRejected, openRegularFile } from '../platform/csv/open.ts';
import type { Logger } from '../platform/log.ts';
import {
  type Asked,
  askLettingGo,
  type FetchContext,
  findDate,
  type NotFetched,
  takeFile,
} from '../reconcile/fetch.ts';
import { type DueReport, isOfWholeDay, type StatementRefusal } from '../reconcile/ports.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import type { BreakKind, BreakRecord } from '../reconcile/rules/types.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { findSender } from '../store/locks.ts';
import { openJournal } from '../store/open.ts';
import { openBank } from './open-bank.ts';
import { makeProcess, openReconciler, type Reconciler, type ReconcileProcess } from './open-reconciler.ts';
import { describeIdentity } from './open-store.ts';
import { restBatch } from './run-file.ts';
import { openSession, sandboxStateFileIn, SenderBusyError, type Session, toLog } from './session.ts';

export type { NotFetched } from '../reconcile/fetch.ts';
export type { StatementRefusal } from '../reconcile/ports.ts';

/** What is to be reconciled: a day (YYYYMMDD), or a file that a person has and that may tell its day. */
export type Wanted =
  | { readonly date: string; readonly file: undefined }
  | { readonly date: string | undefined; readonly file: string };

export interface ReconcileOptions {
  /** How long to go on asking a bank that has no file yet. */
  readonly waitMs: number;
  readonly logger: Logger;
  /** Says in words what an operator must know before the work begins. */
  readonly warn: (text: string) => void;
  readonly stop: AbortSignal;
}

/** What a report is made of. */
export interface ReconcileReport {
  readonly kind: 'reconciled';
  readonly reconciled: Reconciled;
  /** False when the day had not ended as its statement was read. */
  readonly isWhole: boolean;
  /** Of the day, the most severe first; no more than are shown. */
  readonly breaks: readonly BreakRecord[];
  readonly openBreaks: ReadonlyMap<BreakKind, number>;
  /** Result updates that were written; undefined when some are due and another process has the right to send. */
  readonly updates: readonly string[] | undefined;
  /** That process is a watcher, which writes them. */
  readonly isWatched: boolean;
  /** Why not every result update could be written. */
  readonly failure: { readonly error: unknown } | undefined;
  readonly isSandbox: boolean;
  readonly nowMs: number;
}

/** There is no statement, or none that can be used. */
export interface NoStatement {
  readonly kind: 'no-statement';
  /** YYYYMMDD; undefined for a file whose day is not known. */
  readonly date: string | undefined;
  readonly file: string | undefined;
  readonly fetched: NotFetched;
}

/** Breaks that are shown on a screen; the file has them all. */
const breaksShownMax = 20;

/**
 * Gets a day's statement and reconciles it, with the right to send when that is free, else beside whoever has it.
 * @throws SettingsError for a day that is yet to come, or a file that does not tell its day
 */
export async function reconcileStatement(
  loaded: LoadedSettings,
  wanted: Wanted,
  options: ReconcileOptions,
): Promise<ReconcileReport | NoStatement> {
  await using stack = new AsyncDisposableStack();
  const { opened, fetched, date } =
    wanted.file === undefined
      ? await askBank(loaded, wanted.date, options)
      : await openFile(loaded, wanted, options);
  const without = { kind: 'no-statement', date, file: wanted.file } as const;
  if (opened === undefined) return { ...without, fetched };
  stack.use(opened);
  const done = await opened.reconciler.reconcile(fetched.source, options.stop);
  return done.kind === 'refused'
    ? { ...without, fetched: { kind: 'unusable', refusal: done.refusal } }
    : await makeReport(opened, done);
}

/** How the getting of a statement has ended. */
type Gotten = Asked<OpenedReconciler> & { readonly date: string | undefined };

async function askBank(
  loaded: LoadedSettings,
  date: string,
  { waitMs, logger, warn, stop }: ReconcileOptions,
): Promise<Gotten> {
  requirePast(date, systemClock.now(), warn);
  const asked = await askLettingGo(
    () => openBesideSender(loaded, logger),
    ({ reconciler }) => reconciler.fetch(date, stop),
    { clock: systemClock, waitMs, stop },
  );
  return { ...asked, date };
}

/** What is no file is said before anything is opened. */
async function openFile(
  loaded: LoadedSettings,
  { date: asked, file }: { readonly date: string | undefined; readonly file: string },
  { logger, warn }: ReconcileOptions,
): Promise<Gotten> {
  const refuse = (refusal: StatementRefusal): Gotten => ({
    opened: undefined,
    fetched: { kind: 'unusable', refusal },
    date: asked,
  });
  const noFile = await findNoFile(file);
  if (noFile !== undefined) return refuse(noFile);
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await openBesideSender(loaded, logger));
  const { context } = opened.reconciler;
  const date = await findDay(context, file, asked);
  if (typeof date !== 'string') return refuse(date);
  requirePast(date, opened.process.clock.now(), warn);
  const fetched = await takeFile(context, date, file);
  if (fetched.kind !== 'fetched') return { opened: undefined, fetched, date };
  stack.move();
  return { opened, fetched, date };
}

function requirePast(date: string, nowMs: number, warn: ReconcileOptions['warn']): void {
  const today = formatBangkokDate(nowMs);
  if (date > today) throw new SettingsError('the day is yet to come in Bangkok: there is no statement of it');
  if (date === today) warn('the day has not ended in Bangkok: reconcile it again tomorrow');
}

/** Why there is no file that can be read; undefined when there is. */
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

/** YYYYMMDD by the file's name, which ends in the day (§2.7); undefined for any other name. */
function readNamedDay(path: string): string | undefined {
  const named = /(?:^|_)(\d{8})(?=\D*$)/.exec(basename(path))?.[1];
  return named !== undefined && parseBangkokDate(named) !== undefined ? named : undefined;
}

/**
 * YYYYMMDD as asked for, else by the file's name, else by its lines; or why nothing can be read in it.
 * @throws SettingsError when it can be read and does not tell, or when its name tells another day than was asked for
 */
export async function findDay(
  context: FetchContext,
  path: string,
  asked: string | undefined,
): Promise<string | StatementRefusal> {
  const named = readNamedDay(path);
  // Under a wrong day all of ours would be missing at the bank, and nothing of the bank's known.
  if (asked !== undefined && named !== undefined && asked !== named)
    throw new SettingsError(
      `--date says ${showDate(asked)}, and the name of the file ${showDate(named)}: leave --date out, or rename the file if its name is wrong`,
    );
  const found = asked ?? named ?? (await findDate(context, path));
  if (found !== undefined) return found;
  throw new SettingsError(
    'neither the name of the file nor its first lines tell the day: add --date YYYY-MM-DD',
  );
}

interface OpenedReconciler extends AsyncDisposable {
  readonly process: ReconcileProcess;
  readonly reconciler: Reconciler;
  /** Undefined beside a process that has the right to send. */
  readonly sender: Session | undefined;
}

async function openBesideSender(loaded: LoadedSettings, logger: Logger): Promise<OpenedReconciler> {
  await using stack = new AsyncDisposableStack();
  const { process, sender } = await openParts(loaded, logger, stack);
  const reconciler = await openReconciler(process);
  const owned = stack.move();
  return { process, reconciler, sender, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** With the right to send when it is free; else beside whoever has it. */
async function openParts(
  loaded: LoadedSettings,
  logger: Logger,
  stack: AsyncDisposableStack,
): Promise<Pick<OpenedReconciler, 'process' | 'sender'>> {
  try {
    const sender = stack.use(await openSession(loaded, logger, 'reconcile'));
    return { process: makeProcess(sender), sender };
  } catch (error) {
    if (!(error instanceof SenderBusyError)) throw error;
  }
  const { dataDir } = loaded;
  const clock = systemClock;
  const store = stack.use(await openJournal({ dataDir, stamp: describeIdentity(loaded), access: 'beside' }));
  const { bank } = await openBank(loaded, logger, stack, { clock, stateFile: sandboxStateFileIn(dataDir) });
  return { process: { loaded, store, bank, clock, log: toLog(logger) }, sender: undefined };
}

async function makeReport(
  { process: { loaded, store, clock }, sender }: OpenedReconciler,
  reconciled: Reconciled,
): Promise<ReconcileReport> {
  const { statement } = reconciled;
  const { updates, failure } = await writeUpdates(store, sender);
  return {
    kind: 'reconciled',
    reconciled,
    isWhole: isOfWholeDay(statement.reading),
    breaks: await store.openBreaks(statement.date, breaksShownMax),
    openBreaks: await store.countOpenBreaks(statement.date),
    updates,
    isWatched: findSender(loaded.dataDir)?.command === 'watch',
    failure,
    isSandbox: loaded.isSandbox,
    nowMs: clock.now(),
  };
}

/** Beside a process with the right to send nothing is written: it is for that process, or for the next. */
async function writeUpdates(
  store: ReconcileProcess['store'],
  sender: Session | undefined,
): Promise<Pick<ReconcileReport, 'updates' | 'failure'>> {
  if (sender === undefined) {
    const isDue = (await store.dueReports()).length > 0;
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
 * Writes what is due for batches whose rows a statement has changed; only for whoever has the right to send. What cannot
 * be written stays due, and keeps no other batch from its update: the first failure is thrown at the end.
 * @param paths takes the path of each update as it is written
 */
export async function reportDueBatches(sender: Session, paths: string[] = []): Promise<readonly string[]> {
  const failures: unknown[] = [];
  for (const due of await sender.journal.dueReports()) {
    try {
      paths.push(...(await reportDueBatch(sender, due)));
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
  return paths;
}

async function reportDueBatch(sender: Session, due: DueReport): Promise<readonly string[]> {
  const { journal, clock } = sender;
  await endWhenSettled(journal, due.batchId, clock.now());
  const paths: string[] = [];
  // One that is being paid shows it in its own result.
  if (await isConcluded(journal, due.batchId)) {
    const { files, filesWritten } = await restBatch(sender, due.batchId, false);
    if (filesWritten > 0) paths.push(...files.slice(-filesWritten).map(({ path }) => path));
  }
  await journal.clearDueReport(due);
  return paths;
}
