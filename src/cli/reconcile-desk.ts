/** Everything that reconciling needs, from what a process has opened. */
import { hash } from 'node:crypto';
import { basename } from 'node:path';
import { restBatch } from '../app/run-file.ts';
import type { Session } from '../app/session.ts';
import type { StatementBank } from '../bank/statement-request.ts';
import { parseBangkokDate } from '../core/bangkok-time.ts';
import type { Clock, Log } from '../core/ports.ts';
import { endWhenSettled, isConcluded } from '../payout/conclude.ts';
import { showDate } from '../payout/rules/lost-journal.ts';
import { FileRejected, openRegularFile } from '../platform/csv/open.ts';
import { type FetchContext, type Fetched, fetchStatement, findDate } from '../reconcile/fetch.ts';
import type { FolderOriginals } from '../reconcile/file/originals.ts';
import type { DueReport, StatementOutbox, StatementRefusal } from '../reconcile/ports.ts';
import type { ReconcileContext } from '../reconcile/read-lines.ts';
import { reconcile, type Reconciliation, type StatementSource } from '../reconcile/reconcile.ts';
import { commonStatementWords, type StatementWords } from '../reconcile/rules/statement.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';

/** What a process that reconciles has. */
export interface ReconcileProcess {
  readonly loaded: LoadedSettings;
  readonly store: Store;
  readonly bank: StatementBank;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Reconciler {
  readonly context: FetchContext;
  fetch(date: string, stop: AbortSignal): Promise<Fetched>;
  reconcile(source: StatementSource, stop: AbortSignal): Promise<Reconciliation>;
}

/** Files that nobody has written to for so long were left by a process that died, or are of no more use to anybody. */
const leftoverMs = 3_600_000;

export async function openReconciler(process: ReconcileProcess): Promise<Reconciler> {
  const { loaded, store, clock, log } = process;
  const { bank } = loaded.settings;
  const context = await openFetchContext(process);
  const outbox = await openOutbox(process, context);
  const asked = loaded.settings.reconcile.companyId ?? bank.companyId;
  return {
    context,
    fetch: async (date, stop) => {
      const fetched = await fetchStatement(context, date, asked === '' ? null : asked, stop);
      if (fetched.kind === 'unusable') await clearRefused(process, context, date);
      return fetched;
    },
    reconcile: async (source, stop) => {
      const own: ReconcileContext = { store, clock, companyId: bank.companyId, log, stop };
      const done = await reconcile(own, outbox, source);
      if (done.kind === 'refused') await clearRefused(process, context, source.date);
      return done;
    },
  };
}

type OpenedContext = FetchContext & { readonly originals: FolderOriginals };

/** Of a day without any accepted statement, no more refused originals pile up than a person can look at. */
async function clearRefused(
  { store, log }: ReconcileProcess,
  { originals }: OpenedContext,
  date: string,
): Promise<void> {
  if ((await store.statement(date)) !== undefined) return;
  try {
    await originals.removeRefused(date, Date.now() - leftoverMs);
  } catch (error) {
    log('warn', 'old refused statements cannot be removed', { why: (error as Error).message });
  }
}

async function openOutbox(
  { loaded, store, log }: ReconcileProcess,
  { originals }: FetchContext,
): Promise<StatementOutbox> {
  const { openStatementOutbox } = await import('../reconcile/file/tables.ts');
  const outbox = await openStatementOutbox(loaded.folders.statements);
  // By the machine's clock, as the files' own times are.
  const beforeMs = Date.now() - leftoverMs;
  const unpublished = await outbox.finishLeftovers(beforeMs, await store.acceptedFiles());
  for (const why of unpublished) log('error', 'a table of an accepted statement is not published', { why });
  await originals.removeLeftovers(beforeMs);
  return outbox;
}

async function openFetchContext({ loaded, bank }: ReconcileProcess): Promise<OpenedContext> {
  const { makeStatementRequests } = await import('../bank/statement-request.ts');
  const { makeStatementDownloader } = await import('../bank/statement-download.ts');
  const { openStatementOriginals } = await import('../reconcile/file/originals.ts');
  const { makeStatementUnpacker } = await import('../reconcile/file/unpacker.ts');
  const { makeStatementReader } = await import('../reconcile/file/reader.ts');
  const { reconcile: settings, bank: partner } = loaded.settings;
  const { dateField, maxBytes: bytesMax, timeoutMs } = settings;
  const words = combineWords(settings.words);
  const folder = loaded.folders.statements;
  return {
    desk: makeStatementRequests(bank, dateField),
    downloader: makeStatementDownloader({ bytesMax, timeoutMs }),
    originals: await openStatementOriginals(folder, bytesMax),
    unpacker: makeStatementUnpacker({ folder, bytesMax }),
    reader: makeStatementReader({ scheme: partner.scheme, words, bytesMax }),
    reading: hash('sha256', JSON.stringify([words, partner.companyId]), 'hex').slice(0, 16),
  };
}

const wordKinds = ['complete', 'failed', 'inProcess'] as const;

/** The usual words and those of the settings, which win where a word is usual in another sense. */
function combineWords(own: StatementWords): StatementWords {
  const taken = new Set(wordKinds.flatMap((kind) => own[kind].map((word) => word.trim().toUpperCase())));
  const combine = (kind: (typeof wordKinds)[number]): readonly string[] => [
    ...commonStatementWords[kind].filter((word) => !taken.has(word)),
    ...own[kind].map((word) => word.trim()),
  ];
  return { complete: combine('complete'), failed: combine('failed'), inProcess: combine('inProcess') };
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
