/** `paydrop reconcile`: holds the bank's statement of a day against the journal. */
import type { Argv, CommandModule } from 'yargs';
import type { LoadedSettings } from '../config.ts';
import type { Logger } from '../log.ts';
import { SettingsError } from '../settings-error.ts';
import type { Fetched } from '../worker/reconcile-fetch.ts';
import type { Reconciled } from '../worker/reconcile.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { loadCommandSettings } from './load-settings.ts';
import type { GlobalOptions } from './options.ts';
import type { ReconcileDesk, ReconcileProcess } from './reconcile-desk.ts';
import type { Sender } from './sender.ts';

interface ReconcileOptions extends GlobalOptions {
  readonly date: string | undefined;
  readonly file: string | undefined;
  readonly wait: number;
}

export const reconcileCommand: CommandModule<GlobalOptions, ReconcileOptions> = {
  command: 'reconcile',
  describe: "hold the bank's statement of a day against the journal",
  builder: (command: Argv<GlobalOptions>) =>
    command
      .option('date', {
        type: 'string',
        requiresArg: true,
        describe: 'the day (YYYY-MM-DD, Bangkok); with --file only if the file does not tell',
      })
      .option('file', {
        type: 'string',
        requiresArg: true,
        describe: 'a statement that you have, instead of asking the bank',
      })
      .option('wait', {
        type: 'number',
        default: 0,
        requiresArg: true,
        describe: 'seconds to go on asking, every minute, while the bank has no file yet',
      })
      .example('$0 reconcile --date 2026-11-20', 'fetch the statement of the day and match it')
      .example('$0 reconcile --file PARTNER001_COMP000001_PROXY_20261120.csv', 'match a file that you have')
      .example('$0 reconcile --date 2026-11-20 --wait 3600', 'ask for up to an hour until it is there'),
  handler: async (options) => {
    process.exitCode = await runReconcile(options);
  },
};

async function runReconcile(options: ReconcileOptions): Promise<ExitCode> {
  const asked = readDate(options.date);
  if (asked === undefined && options.file === undefined)
    throw new SettingsError('say which day: --date YYYY-MM-DD, or --file with a statement that you have');
  const loaded = await loadCommandSettings(options);
  const { makeLogger } = await import('../log.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  const { openReconcileDesk } = await import('./reconcile-desk.ts');
  await using stack = new AsyncDisposableStack();
  const opened = await openProcess(loaded, makeLogger(options.logLevel), stack);
  using interrupt = listenForInterrupt(() => process.stderr.write('\nStopping: run it again to go on.\n'));
  const { process: own } = opened;
  const desk = await openReconcileDesk(own);
  const date = asked ?? (await findDateOf(desk, options.file ?? ''));
  await requirePast(date, own.clock.now());
  const fetched = await fetchAsAsked(desk, date, options, own, interrupt.signal);
  if (fetched.kind !== 'fetched') return await complain(date, fetched, options);
  const done = await desk.reconcile(fetched.source, interrupt.signal);
  if (done.kind === 'refused')
    return await complain(date, { kind: 'unusable', refusal: done.refusal }, options);
  return await print(opened, done, options);
}

/** "2026-11-20" as 20261120. */
function readDate(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const date = text.replaceAll('-', '');
  const isDay =
    /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)) && toIsoDay(Date.parse(text)) === text;
  if (!isDay) throw new SettingsError(`--date takes a day such as 2026-11-20, not "${text}"`);
  return date;
}

const toIsoDay = (epochMs: number): string => new Date(epochMs).toISOString().slice(0, 10);

/** By the file's name, which ends in the day (§2.7), else by its lines. */
async function findDateOf({ kit }: ReconcileDesk, path: string): Promise<string> {
  const { basename } = await import('node:path');
  const { parseBangkokDate } = await import('../core/bangkok-time.ts');
  const named = /(?:^|_)(\d{8})(?=\D*$)/.exec(basename(path))?.[1];
  if (named !== undefined && parseBangkokDate(named) !== undefined) return named;
  const { findDate } = await import('../worker/reconcile-fetch.ts');
  const found = await findDate(kit, path);
  if (found !== undefined) return found;
  throw new SettingsError(
    'neither the name of the file nor its first lines tell the day: add --date YYYY-MM-DD',
  );
}

async function requirePast(date: string, nowMs: number): Promise<void> {
  const { formatBangkokDate } = await import('../core/bangkok-time.ts');
  const today = formatBangkokDate(nowMs);
  if (date > today) throw new SettingsError('the day is yet to come in Bangkok: there is no statement of it');
  if (date < today) return;
  process.stderr.write('paydrop: the day has not ended in Bangkok: reconcile it again tomorrow\n');
}

interface OpenedProcess {
  readonly process: ReconcileProcess;
  /** Undefined beside a process that has the right to send. */
  readonly sender: Sender | undefined;
}

/** With the right to send when it is free; else beside whoever has it. */
async function openProcess(
  loaded: LoadedSettings,
  logger: Logger,
  stack: AsyncDisposableStack,
): Promise<OpenedProcess> {
  const { openSender, SenderBusyError } = await import('./sender.ts');
  const log: ReconcileProcess['log'] = (level, message, facts) => logger[level](facts, message);
  try {
    const sender = stack.use(await openSender(loaded, logger, 'reconcile'));
    const { journal: store, bank, clock } = sender;
    return { process: { loaded, store, bank, clock, log }, sender };
  } catch (error) {
    if (!(error instanceof SenderBusyError)) throw error;
  }
  const { openJournal } = await import('../journal/open.ts');
  const { describeStamp } = await import('./adapters.ts');
  const { openBank } = await import('./bank.ts');
  const { sandboxStateFileIn } = await import('./sender.ts');
  const { systemClock: clock } = await import('../worker/system-clock.ts');
  const { dataDir } = loaded;
  const store = stack.use(await openJournal({ dataDir, stamp: describeStamp(loaded), access: 'beside' }));
  const { bank } = await openBank(loaded, logger, stack, { clock, stateFile: sandboxStateFileIn(dataDir) });
  return { process: { loaded, store, bank, clock, log }, sender: undefined };
}

async function fetchAsAsked(
  desk: ReconcileDesk,
  date: string,
  { file, wait }: ReconcileOptions,
  { clock }: ReconcileProcess,
  stop: AbortSignal,
): Promise<Fetched> {
  const { fetchWithin, takeFile } = await import('../worker/reconcile-fetch.ts');
  if (file !== undefined) return takeFile(desk.kit, date, file);
  return fetchWithin(() => desk.fetch(date, stop), { clock, waitMs: wait * 1000, stop });
}

type NotFetched = Exclude<Fetched, { readonly kind: 'fetched' }>;

/** Why there is no statement, with what to do, and the exit code that goes with it. */
function explain(fetched: NotFetched): { readonly text: string; readonly exitCode: ExitCode } {
  switch (fetched.kind) {
    case 'not-found':
      return {
        text: 'the bank has no statement of this day, or not yet: ask again later (--wait), or ask the bank',
        exitCode: exitCodes.fileRejected,
      };
    case 'refused':
      return {
        text: `the bank gives no statement (${fetched.code}: ${fetched.text}): see reconcile.companyId and reconcile.dateField in the settings, or ask the bank`,
        exitCode: exitCodes.fileRejected,
      };
    case 'unavailable':
      return {
        text: `the statement cannot be had now: ${fetched.why}; run it again`,
        exitCode: exitCodes.stoppedShort,
      };
    case 'unusable': {
      const { line, column, message } = fetched.refusal;
      const place = [line === null ? [] : `line ${line}`, column ?? []].flat().join(', ');
      return {
        text: `the statement is refused, nothing of it is used: ${place === '' ? '' : `${place}: `}${message}`,
        exitCode: exitCodes.fileRejected,
      };
    }
  }
}

async function complain(date: string, fetched: NotFetched, { json }: ReconcileOptions): Promise<ExitCode> {
  const { showDate } = await import('../core/recovery.ts');
  const { text, exitCode } = explain(fetched);
  const refusal = fetched.kind === 'unusable' ? { ...fetched.refusal } : undefined;
  if (json)
    process.stdout.write(
      `${JSON.stringify({ date: showDate(date), outcome: fetched.kind, reason: text, refusal })}\n`,
    );
  else process.stderr.write(`paydrop: ${showDate(date)}: ${text}\n`);
  return exitCode;
}

/** What was accepted is told first, and then why a result update cannot be written. */
async function print(
  { process: { loaded, store, clock }, sender }: OpenedProcess,
  reconciled: Reconciled,
  { json }: ReconcileOptions,
): Promise<ExitCode> {
  const { breaksShownMax, describeReport, isQuiet, renderReport } = await import('./reconcile-report.ts');
  const { date } = reconciled.statement;
  const { updates, failure } = await writeUpdates(store, sender);
  const openBreaks = await store.countOpenBreaks(date);
  const report = {
    reconciled,
    breaks: await store.openBreaks(date, breaksShownMax),
    openBreaks,
    updates,
    isShortOfUpdates: failure !== undefined,
    isSandbox: loaded.isSandbox,
    nowMs: clock.now(),
  };
  process.stdout.write(`${json ? JSON.stringify(describeReport(report)) : renderReport(report)}\n`);
  if (failure !== undefined) throw failure.error;
  return isQuiet(openBreaks, reconciled.recorded) ? exitCodes.ok : exitCodes.exceptions;
}

interface Updates {
  readonly updates: readonly string[] | undefined;
  readonly failure?: { readonly error: unknown };
}

async function writeUpdates(store: ReconcileProcess['store'], sender: Sender | undefined): Promise<Updates> {
  if (sender === undefined) return { updates: await findDue(store) };
  const { reportDueBatches } = await import('./reconcile-desk.ts');
  const updates: string[] = [];
  try {
    await reportDueBatches(sender, updates);
    return { updates };
  } catch (error) {
    return { updates, failure: { error } };
  }
}

/** Undefined when the watcher has updates to write. */
async function findDue(store: ReconcileProcess['store']): Promise<readonly string[] | undefined> {
  return (await store.dueReports()).length > 0 ? undefined : [];
}
