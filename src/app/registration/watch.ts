/** The registrations of a watcher: a drop folder within the inbox, and the listener for the bank's callbacks. */
import { join } from 'node:path';
import type { Clock, Log } from '../../core/ports.ts';
import type { ProgressFigures } from '../../core/progress.ts';
import { ingestRegistrations } from '../../intake/ingest.ts';
import type { RegistrationFileReader } from '../../intake/ports.ts';
import type { RegistrationBatch } from '../../registration/ports.ts';
import type { CallbackListener, CallbackPortHeld } from '../../registration/listener/listener.ts';
import { runRegistrations } from '../../registration/run-batch.ts';
import { keepSweeping, sweepAbandoned } from '../../registration/sweep.ts';
import type { CallbackTaking } from '../../registration/take-callback.ts';
import { finishReports } from '../../reports/batch-reports.ts';
import type { FileKind, WatchSetup } from '../../watch/context.ts';
import { requireCallbackKeys } from '../../settings/secrets.ts';
import { type Intake, openIntake } from '../../watch/folders/drop-folder.ts';
import type { AddedRowReader } from '../../watch/ports.ts';
import { RegistrationWatch, type RegistrationWatchSetup } from '../../watch/registrations.ts';
import { describeInboxOwner, openFileClaims } from '../machines/files.ts';
import { makeRegistrationReader } from '../open-store.ts';
import { registrationsInbox, registrationsWork, type Session, toLog } from '../session.ts';
import type { InboxTimer } from '../watch-status.ts';
import { openCallbackListener, portTaken } from './callbacks.ts';
import {
  makeRegistrationContext,
  openRegistering,
  type RegisterSession,
  requireReportableRegistrations,
  restRegistrations,
} from './register-file.ts';

/** Parts of the watcher that both kinds of files share. */
export interface WatchDeps extends Pick<WatchSetup, 'disk' | 'log' | 'stop' | 'notify' | 'reportEvent'> {
  /** Counts the time of each call of the inbox. */
  readonly timer: Pick<InboxTimer, 'time' | 'watch'>;
  /** Called with the outcome of each callback. Must not throw. */
  readonly onCallback: (taking: CallbackTaking['kind']) => void;
  /** Called when this process begins to take callbacks. Must not throw. */
  readonly onListening: (listener: Pick<CallbackListener, 'url' | 'refused'>) => void;
}

export interface OpenRegistrations extends AsyncDisposable {
  readonly watch: RegistrationWatch;
  readonly intake: Intake;
  /** Takes files, sends, and listens until the watcher's stop. */
  work(): Promise<void>;
}

/**
 * @param session just opened: it has sent no registration
 * @throws SettingsError where callbacks are to be taken and there is no key
 */
export async function openRegistrationWatch(session: Session, around: WatchDeps): Promise<OpenRegistrations> {
  const { settings, callbacks } = session.loaded;
  if (settings.registration.callbacks.port > 0) requireCallbackKeys(callbacks.keys);
  await using stack = new AsyncDisposableStack();
  const opened = await around.timer.time(() => openRegistrationInbox(session, around.log));
  const intake = stack.use(around.timer.watch(opened));
  const registering = await openRegistering(session);
  const claims = await openFileClaims(session, registrationsWork(session.loaded.dataDir));
  const setup = await makeSetup(registering, { ...around, intake, claims });
  const watch = new RegistrationWatch(setup);
  const owned = stack.move();
  return {
    watch,
    intake,
    work: async () => {
      await Promise.all([watch.work(), takeCallbacks(session, around, () => watch.noteNews())]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/**
 * Opens the folders of registration files.
 * @throws as `openIntake` does
 */
export function openRegistrationInbox(session: Session, log: Log): Promise<Intake> {
  const { loaded, journal, clock } = session;
  const { folders, settings } = loaded;
  return openIntake({
    label: registrationsInbox,
    folders: {
      ...folders,
      inbox: join(folders.inbox, registrationsInbox),
      work: registrationsWork(session.loaded.dataDir),
    },
    watch: settings.watch,
    isSidecarExpected: settings.input.control === 'sidecar',
    journalId: journal.journalId,
    owner: describeInboxOwner(session),
    clock,
    log: (level, message, facts) => log(level, `${message} (registrations)`, facts),
  });
}

// ---------------------------------------------------------------- the work

async function makeSetup(
  registering: RegisterSession,
  around: WatchDeps & Pick<WatchSetup, 'intake' | 'claims'>,
): Promise<RegistrationWatchSetup> {
  const { session } = registering;
  const { journal, clock, loaded, outbox } = session;
  return {
    ...around,
    store: journal,
    clock,
    kind: await registrationFiles(session, around.stop),
    filesAtOnce: loaded.settings.watch.filesAtOnce,
    run: (batch, { onAllSent }) => run(registering, around, batch, onAllSent),
    requireReportable: (batch) => requireReportableRegistrations(session, batch),
    report: (batchId) => restRegistrations(session, batchId, false),
    finishReports: (batchId) => finishReports(journal.registrationReports, outbox, batchId),
    findUnpublished: () => outbox.findLeftovers(),
    sweep: (onChange) => sweep(registering, around, onChange),
  };
}

/** How the inbox takes in files of registrations. */
export async function registrationFiles(
  session: Session,
  stop: AbortSignal,
): Promise<FileKind<RegistrationBatch>> {
  const { journal, clock, loaded, findRegistrationTrace: findTrace } = session;
  const reader = await makeRegistrationReader(loaded);
  const { companyId } = loaded.settings.bank;
  return {
    name: 'registration',
    reader: readAddedRegistrations(reader),
    findBatch: (batchId) => journal.registrationBatch(batchId),
    ingest: ({ path, fileName, droppedAtMs }, mayRead) => {
      const given = { companyId, droppedAtMs, mayRead, findTrace, stop, onRows: () => undefined };
      const context = { journal: journal.registrationIntake, reader, clock, ...given };
      return ingestRegistrations(context, path, fileName);
    },
  };
}

const readAddedRegistrations = ({ inspect, read }: RegistrationFileReader): AddedRowReader => ({
  inspect,
  async *readRows(inspection) {
    for await (const part of read(inspection)) {
      if (part.kind === 'rejected') yield null;
      if (part.kind === 'rows')
        yield part.rows.map(({ rowNo, cells }) => ({ rowNo, id: cells.registrationId }));
    }
  },
});

function run(
  registering: RegisterSession,
  { disk, stop: interrupted }: WatchDeps,
  batch: RegistrationBatch,
  onAllSent: () => void,
): ReturnType<typeof runRegistrations> {
  const { waitMs } = registering.session.loaded.settings.watch;
  const waitOver = new AbortController();
  const stop = AbortSignal.any([interrupted, waitOver.signal]);
  const show = (figures: ProgressFigures | undefined): void => {
    if (figures?.phase === 'waiting') onAllSent();
  };
  const context = {
    ...makeRegistrationContext(registering, batch, stop, { show, close: () => undefined }),
    isPaused: () => disk.trouble !== undefined || registering.session.place?.keeper.isHeld === false,
  };
  return runRegistrations(context, batch, { waitMs, isPatient: true, interrupted, waitOver });
}

async function sweep(
  { session: { journal, clock }, inFlight }: RegisterSession,
  { log, stop }: WatchDeps,
  onChange: () => void,
): Promise<void> {
  const context = { journal, clock, log };
  await sweepAbandoned(context, inFlight);
  await keepSweeping(context, async () => onChange(), stop);
}

// ---------------------------------------------------------------- the listener

/** Interval between tries to listen: another process has the port, or listening fails. */
const busyPollMs = 5_000;

/**
 * Takes callbacks until the stop, whenever no other paydrop process does.
 * @param noteNews called with each callback that was taken
 */
export async function takeCallbacks(
  { loaded, journal, clock, log }: Session,
  { stop, onCallback, onListening }: Pick<WatchDeps, 'stop' | 'onCallback' | 'onListening'>,
  noteNews: () => void,
): Promise<void> {
  if (loaded.settings.registration.callbacks.port === 0) return;
  const onTaken = (_record: unknown, { kind }: CallbackTaking): void => {
    onCallback(kind);
    noteNews();
  };
  const open = () => openCallbackListener({ loaded, journal, clock, log, onTaken });
  await keepListening({ open, onListening, clock, log: toLog(log), stop });
}

interface Listening extends Pick<WatchDeps, 'onListening' | 'stop' | 'log'> {
  readonly open: () => Promise<CallbackListener | CallbackPortHeld>;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** Listens until the stop. Never rejects: a failure to listen delays no payout. */
export async function keepListening({ open, onListening, clock, log, stop }: Listening): Promise<void> {
  let said = '';
  const say = (level: 'warn' | 'error', message: string, facts: object): void => {
    const text = `${message} ${JSON.stringify(facts)}`;
    if (text !== said) log(level, message, facts);
    said = text;
  };
  while (!stop.aborted) {
    try {
      const listener = await open();
      if (listener.kind === 'listening') {
        await using _ = listener;
        onListening(listener);
        await new Promise<void>((resolve) => {
          if (stop.aborted) resolve();
          stop.addEventListener('abort', () => resolve(), { once: true });
        });
        return;
      }
      if (listener.kind === 'taken') throw portTaken(listener);
      const { port } = listener;
      say('warn', 'another process of this journal takes the callbacks: tried again until it ends', { port });
    } catch (error) {
      say('error', 'callbacks cannot be listened for: tried again', { why: (error as Error).message });
    }
    await clock.sleep(busyPollMs, stop);
  }
}
