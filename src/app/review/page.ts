/** The review page of a journal, alongside the sender. */
import { systemClock } from '../../platform/clock.ts';
import { realDisk } from '../../platform/disk.ts';
import type { Logger } from '../../platform/log.ts';
import type { Log } from '../../core/ports.ts';
import { makeFileViews, makeOverviewViews } from '../../overview/views.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from '../../core/network-address.ts';
import { makeDecisionFileViews } from '../../review/web/decision-file-page.ts';
import type { OutsideAddress } from '../../review/web/guards.ts';
import { openReviewPage } from '../../review/web/server.ts';
import { evidenceFolderOf } from '../../review/evidence-files.ts';
import type { Asker } from '../../review/rules/queue.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { requireJournal } from '../open-store.ts';
import type { AskingSession } from '../session.ts';
import { findSenderOf } from '../machines/find-sender.ts';
import { readReview } from './decisions.ts';
import { makeQueueContext } from './queue.ts';
import { readQueue } from './read-queue.ts';
import { notifyOfPersons } from './people.ts';
import { openUploads } from './uploads.ts';
import { makeFileDecisions } from './waiting-decisions.ts';

interface OpenPage extends AsyncDisposable {
  readonly origin: string;
  /** Number of users: without any, signing in is impossible. */
  readonly people: number;
}

/** The https proxy before the page, if any. @throws SettingsError for an address that is open to others without one */
function readOutside({ settings }: LoadedSettings, { host }: ListenAddress): OutsideAddress | undefined {
  const { origin, trustedProxy, userHeader } = settings.review;
  const hostname = host.includes(':') ? `[${host}]` : host;
  if (origin === '' && isLoopback(hostname)) return undefined;
  if (origin === '')
    throw new SettingsError(
      `the review page may listen on ${host} only behind a proxy that speaks https: set review.origin and review.trustedProxy`,
    );
  if (trustedProxy.length === 0)
    throw new SettingsError('review.origin needs review.trustedProxy: the address of the proxy before it');
  return { origin, proxies: trustedProxy, userHeader: userHeader === '' ? undefined : userHeader };
}

/** A watcher's page, where `review.listen` asks for one: a failure to open it stops no payment. */
export async function openPageOfWatcher(
  loaded: LoadedSettings,
  logger: Logger,
  store: Store,
  session: AskingSession,
): Promise<OpenPage | undefined> {
  const listen = parseListenAddress(loaded.settings.review.listen);
  if (listen === undefined) return undefined;
  try {
    const page = await openPage(loaded, listen, logger, { store, session });
    logger.info({ origin: page.origin }, 'the review page is open');
    return page;
  } catch (error) {
    logger.error({ err: error }, 'the review page could not be opened');
    return undefined;
  }
}

/** Reads the context of signing in each time: the journal may be restored meanwhile. */
const makeContextReader = (store: Store, onUserChange: () => Promise<void>) => async () => {
  const loss = await store.loss();
  // Not awaited: the duration of an answer must reveal nothing of a lock.
  const onLock = () => void onUserChange();
  return { store, clock: systemClock, restoredAtMs: loss?.recoveredAtMs, onLock };
};

/** @param open the journal and the bank, where the process already has them. @throws SettingsError without a journal */
export async function openPage(
  loaded: LoadedSettings,
  listen: ListenAddress,
  logger: Logger,
  open?: { readonly store: Store; readonly session: AskingSession },
): Promise<OpenPage> {
  const outside = readOutside(loaded, listen);
  await using stack = new AsyncDisposableStack();
  const store = open?.store ?? stack.use(await requireJournal(loaded));
  const onUserChange = async () => notifyOfPersons(loaded, store, logger);
  const readContext = makeContextReader(store, onUserChange);
  const log: Log = (level, message, facts) => logger[level](facts, message);
  const { isSandbox, dataDir } = loaded;
  const { companyId, payerAccount } = loaded.settings.bank;
  const payer = { companyId, payerAccount };
  const evidenceFolder = evidenceFolderOf(dataDir);
  const uploads = stack.use(await openUploads(loaded, store));
  const readContextOfReview = async () => readReview(loaded, store, logger, open?.session);
  const openSession = async () => ({ journal: store, loaded, context: await readContextOfReview() });
  const readItems = async (asker: Asker, limit: number) =>
    readQueue(makeQueueContext(loaded, store), { asker, limit });
  const options = {
    listen,
    outside,
    isSandbox,
    store,
    readContext,
    readReview: readContextOfReview,
    readQueue: readItems,
    evidenceFolder,
    log,
    payer,
    onUserChange,
    views: [
      ...makeOverviewViews({
        store,
        readContext,
        readReview: readContextOfReview,
        evidenceFolder,
        payer,
        uploads,
        onUserChange,
        readSurroundings: async () => ({
          // A watcher's page counts its own process: it has the journal open while it sends.
          sender: await findSenderOf(loaded, store, open !== undefined),
          freeBytes: await realDisk.freeBytes(dataDir),
        }),
      }),
      ...makeDecisionFileViews({ readQueue: readItems, ...makeFileDecisions(openSession) }),
    ],
    ...makeFileViews(uploads, { store, readReview: readContextOfReview, evidenceFolder }),
  };
  const page = stack.use(
    await openReviewPage(options).catch((error: unknown) => {
      throw explainPort(error, listen.port);
    }),
  );
  const { people } = await store.persons();
  const owned = stack.move();
  return {
    origin: page.origin,
    people: people.length,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function explainPort(error: unknown, port: number): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE')
    return new SettingsError(`port ${port} is taken by another process: give another one with --port`);
  if (code === 'EACCES')
    return new SettingsError(`this user may not listen on port ${port}: give one above 1023 with --port`);
  return error;
}
