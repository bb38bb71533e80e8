/** Everything that reconciling needs, from what a process has opened. */
import { hash } from 'node:crypto';
import type { Session } from '../app/session.ts';
import type { StatementBank } from '../bank/statement-request.ts';
import type { Clock, Log } from '../core/ports.ts';
import { type FetchContext, type Fetched, fetchStatement } from '../reconcile/fetch.ts';
import type { StatementOutbox } from '../reconcile/file/tables.ts';
import type { ReconcileContext } from '../reconcile/read-lines.ts';
import { reconcile, type Reconciliation, type StatementSource } from '../reconcile/reconcile.ts';
import { commonStatementWords, type StatementWords } from '../reconcile/rules/statement.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import type { Store } from '../store/store.ts';
import { toLog } from './session.ts';

/** What a process that reconciles has. */
export interface ReconcileProcess {
  readonly loaded: LoadedSettings;
  readonly store: Store;
  readonly bank: StatementBank;
  readonly clock: Clock;
  readonly log: Log;
}

/** Of one that has the right to send. */
export function makeProcess({ loaded, journal, bank, clock, log }: Session): ReconcileProcess {
  return { loaded, store: journal, bank, clock, log: toLog(log) };
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

/** Of a day without any accepted statement, no more refused originals pile up than a person can look at. */
async function clearRefused(
  { store, log }: ReconcileProcess,
  { originals }: FetchContext,
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

async function openFetchContext({ loaded, bank }: ReconcileProcess): Promise<FetchContext> {
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
