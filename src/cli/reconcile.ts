/** `paydrop reconcile`: holds the bank's statement of a day against the journal. */
import type { Subject } from './reconcile-report.ts';
import type { Argv, CommandModule } from 'yargs';
import type { Session } from '../app/session.ts';
import type { Logger } from '../platform/log.ts';
import type { Asked } from '../reconcile/fetch.ts';
import type { StatementRefusal } from '../reconcile/ports.ts';
import type { Reconciled } from '../reconcile/reconcile.ts';
import { SettingsError } from '../settings/secrets.ts';
import type { LoadedSettings } from '../settings/settings.ts';
import { type ExitCode, exitCodes } from './exit-codes.ts';
import { type GlobalOptions, loadCommandSettings } from './options.ts';
import type { ReconcileProcess, Reconciler } from './reconcile-desk.ts';

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
  const date = readDate(options.date);
  const { file } = options;
  if (date === undefined && file === undefined)
    throw new SettingsError('say which day: --date YYYY-MM-DD, or --file with a statement that you have');
  const loaded = await loadCommandSettings(options);
  const { complain } = await import('./reconcile-report.ts');
  const { listenForInterrupt } = await import('./interrupt.ts');
  await using stack = new AsyncDisposableStack();
  using interrupt = listenForInterrupt(() => process.stderr.write('\nStopping: run it again to go on.\n'));
  const { opened, subject, fetched } =
    file === undefined
      ? await askFor(loaded, date ?? '', options, interrupt.signal)
      : await take(loaded, date, file, options);
  if (opened === undefined) return complain(subject, fetched, options.json);
  stack.use(opened);
  const done = await opened.desk.reconcile(fetched.source, interrupt.signal);
  if (done.kind === 'refused')
    return complain(subject, { kind: 'unusable', refusal: done.refusal }, options.json);
  return await print(opened, done, options);
}

/** How the getting of a statement has ended. */
type Gotten = Asked<OpenedProcess> & { readonly subject: Subject };

/** From the bank. */
async function askFor(
  loaded: LoadedSettings,
  date: string,
  { wait, logLevel }: ReconcileOptions,
  stop: AbortSignal,
): Promise<Gotten> {
  const { makeLogger } = await import('../platform/log.ts');
  const { systemClock: clock } = await import('../platform/clock.ts');
  const { askLettingGo } = await import('../reconcile/fetch.ts');
  await requirePast(date, clock.now());
  const logger = makeLogger(logLevel);
  const asked = await askLettingGo(
    () => openProcess(loaded, logger),
    ({ desk }) => desk.fetch(date, stop),
    { clock, waitMs: wait * 1000, stop },
  );
  return { ...asked, subject: { date, file: undefined } };
}

/** From a file that a person has; what is no file is said before anything is opened. */
async function take(
  loaded: LoadedSettings,
  asked: string | undefined,
  file: string,
  { logLevel }: ReconcileOptions,
): Promise<Gotten> {
  const { makeLogger } = await import('../platform/log.ts');
  const { findDay, findNoFile } = await import('./reconcile-desk.ts');
  const { takeFile } = await import('../reconcile/fetch.ts');
  const refuse = (refusal: StatementRefusal, date = asked): Gotten => ({
    opened: undefined,
    fetched: { kind: 'unusable', refusal },
    subject: { date, file },
  });
  const noFile = await findNoFile(file);
  if (noFile !== undefined) return refuse(noFile);
  await using stack = new AsyncDisposableStack();
  const opened = stack.use(await openProcess(loaded, makeLogger(logLevel)));
  const { desk, process: own } = opened;
  const day = await findDay(desk.context, file, asked);
  if (typeof day !== 'string') return refuse(day);
  await requirePast(day, own.clock.now());
  const fetched = await takeFile(desk.context, day, file);
  const subject = { date: day, file };
  if (fetched.kind !== 'fetched') return { opened: undefined, fetched, subject };
  stack.move();
  return { opened, fetched, subject };
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

async function requirePast(date: string, nowMs: number): Promise<void> {
  const { formatBangkokDate } = await import('../core/bangkok-time.ts');
  const today = formatBangkokDate(nowMs);
  if (date > today) throw new SettingsError('the day is yet to come in Bangkok: there is no statement of it');
  if (date < today) return;
  process.stderr.write('paydrop: the day has not ended in Bangkok: reconcile it again tomorrow\n');
}

interface OpenedProcess extends AsyncDisposable {
  readonly process: ReconcileProcess;
  readonly desk: Reconciler;
  /** Undefined beside a process that has the right to send. */
  readonly sender: Session | undefined;
}

async function openProcess(loaded: LoadedSettings, logger: Logger): Promise<OpenedProcess> {
  const { openReconciler } = await import('./reconcile-desk.ts');
  await using stack = new AsyncDisposableStack();
  const { process: own, sender } = await openParts(loaded, logger, stack);
  const desk = await openReconciler(own);
  const owned = stack.move();
  return { process: own, desk, sender, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

/** With the right to send when it is free; else beside whoever has it. */
async function openParts(
  loaded: LoadedSettings,
  logger: Logger,
  stack: AsyncDisposableStack,
): Promise<Pick<OpenedProcess, 'process' | 'sender'>> {
  const { openSession, SenderBusyError } = await import('../app/session.ts');
  const log: ReconcileProcess['log'] = (level, message, facts) => logger[level](facts, message);
  try {
    const sender = stack.use(await openSession(loaded, logger, 'reconcile'));
    const { journal: store, bank, clock } = sender;
    return { process: { loaded, store, bank, clock, log }, sender };
  } catch (error) {
    if (!(error instanceof SenderBusyError)) throw error;
  }
  const { openJournal } = await import('../store/open.ts');
  const { describeIdentity } = await import('../app/open-store.ts');
  const { openBank } = await import('../app/open-bank.ts');
  const { sandboxStateFileIn } = await import('../app/session.ts');
  const { systemClock: clock } = await import('../platform/clock.ts');
  const { dataDir } = loaded;
  const store = stack.use(await openJournal({ dataDir, stamp: describeIdentity(loaded), access: 'beside' }));
  const { bank } = await openBank(loaded, logger, stack, { clock, stateFile: sandboxStateFileIn(dataDir) });
  return { process: { loaded, store, bank, clock, log }, sender: undefined };
}

/** What was accepted is told first, and then why a result update cannot be written. */
async function print(
  { process: { loaded, store, clock }, sender }: OpenedProcess,
  reconciled: Reconciled,
  { json }: ReconcileOptions,
): Promise<ExitCode> {
  const { breaksShownMax, describeReport, isQuiet, renderReport } = await import('./reconcile-report.ts');
  const { findSender } = await import('../store/locks.ts');
  const { date } = reconciled.statement;
  const { updates, failure } = await writeUpdates(store, sender);
  const openBreaks = await store.countOpenBreaks(date);
  const report = {
    reconciled,
    breaks: await store.openBreaks(date, breaksShownMax),
    openBreaks,
    updates,
    isWatched: findSender(loaded.dataDir)?.command === 'watch',
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

async function writeUpdates(store: ReconcileProcess['store'], sender: Session | undefined): Promise<Updates> {
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

/** Undefined when there are updates to write, for whoever has the right to send. */
async function findDue(store: ReconcileProcess['store']): Promise<readonly string[] | undefined> {
  return (await store.dueReports()).length > 0 ? undefined : [];
}
