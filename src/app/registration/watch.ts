/** The registrations of a watcher: a drop folder within the inbox, and the listener for the bank's callbacks. */
import { join } from 'node:path';
import type { ProgressFigures } from '../../core/progress.ts';
import { ingestRegistrations } from '../../intake/ingest.ts';
import type { RegistrationFileReader } from '../../intake/ports.ts';
import type { RegistrationBatch } from '../../registration/ports.ts';
import type { CallbackListener } from '../../registration/listener/listener.ts';
import { runRegistrations } from '../../registration/run-batch.ts';
import { keepSweeping, sweepAbandoned } from '../../registration/sweep.ts';
import type { CallbackTaking } from '../../registration/take-callback.ts';
import { finishRegistrationReports } from '../../registration/write-reports.ts';
import type { FileKind, WatchSetup } from '../../watch/context.ts';
import { type Intake, openIntake } from '../../watch/folders/drop-folder.ts';
import type { AddedRowReader } from '../../watch/ports.ts';
import { RegistrationWatch, type RegistrationWatchSetup } from '../../watch/registrations.ts';
import { makeRegistrationReader } from '../open-store.ts';
import type { Session } from '../session.ts';
import { openCallbackListener } from './callbacks.ts';
import {
  makeRegistrationContext,
  openRegistering,
  type RegisterSession,
  restRegistrations,
} from './register-file.ts';

/** The name of the drop folder within the inbox. */
export const registrationsInbox = 'registrations';

/** What the watcher has for both kinds of files. */
export interface WatchedAround extends Pick<WatchSetup, 'disk' | 'log' | 'stop' | 'notify' | 'reportEvent'> {
  /** Told of each callback that was taken. Must not throw. */
  readonly onCallback: (taking: CallbackTaking['kind']) => void;
  /** Told when callbacks are taken here from now on. Must not throw. */
  readonly onListening: (listener: Pick<CallbackListener, 'url' | 'refused'>) => void;
}

export interface OpenRegistrations extends AsyncDisposable {
  readonly watch: RegistrationWatch;
  /** Takes files, sends, and listens until the watcher is asked to stop. */
  work(): Promise<void>;
}

/** @param session just opened: nothing of registrations has been sent by it */
export async function openRegistrationWatch(
  session: Session,
  around: WatchedAround,
): Promise<OpenRegistrations> {
  await using stack = new AsyncDisposableStack();
  const intake = stack.use(await openDropFolder(session, around));
  const registering = await openRegistering(session);
  const setup = await makeSetup(registering, { ...around, intake });
  const watch = new RegistrationWatch(setup);
  const owned = stack.move();
  return {
    watch,
    work: async () => {
      await Promise.all([watch.work(), listen(session, around, watch)]);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function openDropFolder({ loaded, journal, clock }: Session, { log }: WatchedAround): Promise<Intake> {
  const { dataDir, folders, settings } = loaded;
  return openIntake({
    label: registrationsInbox,
    folders: {
      ...folders,
      inbox: join(folders.inbox, registrationsInbox),
      work: join(dataDir, `work-${registrationsInbox}`),
    },
    watch: settings.watch,
    isSidecarExpected: settings.input.control === 'sidecar',
    journalId: journal.journalId,
    clock,
    log: (level, message, facts) => log(level, `${message} (registrations)`, facts),
  });
}

// ---------------------------------------------------------------- the work

async function makeSetup(
  registering: RegisterSession,
  around: WatchedAround & Pick<WatchSetup, 'intake'>,
): Promise<RegistrationWatchSetup> {
  const { session } = registering;
  const { journal, clock, loaded, outbox } = session;
  return {
    ...around,
    store: journal,
    clock,
    kind: await makeKind(session, around.stop),
    filesAtOnce: loaded.settings.watch.filesAtOnce,
    run: (batch, { onAllSent }) => run(registering, around, batch, onAllSent),
    report: (batchId) => restRegistrations(session, batchId, false),
    finishReports: (batchId) => finishRegistrationReports(journal, outbox, batchId),
    findUnpublished: () => outbox.findLeftovers(),
    sweep: (onChange) => sweep(registering, around, onChange),
  };
}

async function makeKind(session: Session, stop: AbortSignal): Promise<FileKind<RegistrationBatch>> {
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
  { disk, stop: interrupted }: WatchedAround,
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
    isHeldUp: () => disk.trouble !== undefined,
  };
  return runRegistrations(context, batch, { waitMs, isPatient: true, interrupted, waitOver });
}

async function sweep(
  { session: { journal, clock }, inFlight }: RegisterSession,
  { log, stop }: WatchedAround,
  onChange: () => void,
): Promise<void> {
  const context = { journal, clock, log };
  await sweepAbandoned(context, inFlight);
  await keepSweeping(context, async () => onChange(), stop);
}

// ---------------------------------------------------------------- the listener

/** How soon it is tried again where somebody else listens: a `callbacks` may end. */
const busyPollMs = 5_000;

/** Takes callbacks until the stop, unless, or until, somebody else of ours does so. */
async function listen(
  { loaded, journal, clock, log }: Session,
  { stop, onCallback, onListening }: WatchedAround,
  watch: RegistrationWatch,
): Promise<void> {
  if (loaded.settings.registration.callbacks.port === 0) return;
  const onTaken = (_record: unknown, { kind }: CallbackTaking): void => {
    onCallback(kind);
    watch.noteNews();
  };
  let isSaid = false;
  while (!stop.aborted) {
    const listener = await openCallbackListener({ loaded, journal, clock, log, onTaken });
    if (listener.kind === 'busy') {
      const { port } = listener;
      if (!isSaid) log.warn({ port }, 'somebody else listens for callbacks there: tried again until it ends');
      isSaid = true;
      await clock.sleep(busyPollMs, stop);
      continue;
    }
    await using open = listener;
    onListening(open);
    await new Promise<void>((resolve) => {
      if (stop.aborted) resolve();
      stop.addEventListener('abort', () => resolve(), { once: true });
    });
  }
}
