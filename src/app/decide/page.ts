/** The review page of a journal, alongside the sender. */
import { join } from 'node:path';
import { systemClock } from '../../platform/clock.ts';
import { realDisk } from '../../platform/disk.ts';
import type { Logger } from '../../platform/log.ts';
import type { Log } from '../../core/ports.ts';
import { makeBatchListViews } from '../../overview/batches-page.ts';
import { makeLogViews } from '../../overview/log-page.ts';
import { makePayeesViews } from '../../overview/payees-page.ts';
import { makeUserViews } from '../../overview/people-page.ts';
import { makeReconciliationViews } from '../../overview/reconciliation-page.ts';
import { makeRegistrationBatchViews } from '../../overview/registrations/batch-page.ts';
import { makeRegistrationListViews } from '../../overview/registrations/list-page.ts';
import { makeRegistrationViews } from '../../overview/registrations/one-page.ts';
import { makeSearchViews, readSearchFilter } from '../../overview/search-page.ts';
import { makeTodayViews, type TodayContext } from '../../overview/today-page.ts';
import { makeUploadView, makeUploadViews } from '../../overview/upload-page.ts';
import { Challenges } from '../../review/challenges.ts';
import { makeFrameReader } from '../../review/for-me.ts';
import type { Question } from '../../review/passkeys.ts';
import { makeAgainViews } from '../../review/web/proposed/again-page.ts';
import { makeBatchViews } from '../../review/web/batch-page.ts';
import { makeDecideViews } from '../../review/web/decide-page.ts';
import { LiveFeed } from '../../review/web/live.ts';
import { moreView } from '../../review/web/layout.ts';
import { makePasskeyViews } from '../../review/web/passkeys-page.ts';
import type { AskBank } from '../../review/web/ask-bank.ts';
import { makePayoutViews, type ReadReview } from '../../review/web/payout-page.ts';
import { makeProposalViews } from '../../review/web/proposal-page.ts';
import { makeProposalListViews } from '../../review/web/proposals-page.ts';
import { makeProxySignInViews } from '../../review/web/proxy-door.ts';
import type { ReadItems } from '../../review/web/queue-items.ts';
import { makeQueueViews } from '../../review/web/queue-page.ts';
import { makeSessionViews } from '../../review/web/sessions-page.ts';
import { makeSignInViews, type SignInPageContext } from '../../review/web/sign-in-page.ts';
import { makeSigningViews } from '../../review/web/signing-page.ts';
import { isLoopback, type ListenAddress, parseListenAddress } from '../../core/network-address.ts';
import { type DecisionFileContext, makeDecisionFileViews } from '../../review/web/decision-file-page.ts';
import type { OutsideAddress } from '../../review/web/guards.ts';
import { openReviewPage, type ServedPlace, type ServedViews } from '../../review/web/server.ts';
import { evidenceFolderOf } from '../../review/evidence-files.ts';
import { SettingsError } from '../../settings/secrets.ts';
import type { LoadedSettings } from '../../settings/settings.ts';
import type { Store } from '../../store/store.ts';
import { requireJournal, makeReader } from '../open-store.ts';
import { type AskingSession, registrationsInbox } from '../session.ts';
import type { DayOutcome, ReconcileProcess } from '../reconciler.ts';
import { askBankNow, PageRequests } from '../settle.ts';
import { findSenderOf } from '../machines/find-sender.ts';
import { makeQueueContext, readReview as openReview } from './open.ts';
import { keepAttention } from '../../attention/attention-list.ts';
import { readItems as readItemsOf } from '../../attention/items.ts';
import type { Attention } from '../../attention/rules/entry.ts';
import { readApprovalPolicy } from '../../review/policy.ts';
import { notifyOfPersons } from './users.ts';
import { makeFileDecisions } from '../../review/dropped/waiting.ts';
import { Uploads } from '../../overview/uploads.ts';
import { checkAlone, checkRegistrationFile, digestFile, isRegistrationFile, type Report } from '../check.ts';

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

/** Longest time in ms that a person waits for a statement. */
const fetchMs = 25_000;

/** A watcher's page, where `review.listen` asks for one: a failure to open it stops no payment. */
export async function openPageOfWatcher(
  loaded: LoadedSettings,
  logger: Logger,
  store: Store,
  session: AskingSession & Pick<ReconcileProcess, 'bank'>,
): Promise<OpenPage | undefined> {
  const listen = parseListenAddress(loaded.settings.review.listen);
  if (listen === undefined) return undefined;
  try {
    const fetchStatement = async (date: string, end: AbortSignal) => {
      const { reconcileDay } = await import('../reconciler.ts');
      const stop = AbortSignal.any([end, AbortSignal.timeout(fetchMs)]);
      return reconcileDay({ ...session, journal: store }, date, stop);
    };
    const page = await openPage(loaded, listen, logger, { store, session, fetchStatement });
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

/** The facts and actions that the views need. @forTests */
export interface ViewParts {
  readonly isSandbox: boolean;
  readonly store: Store;
  readonly outside?: OutsideAddress | undefined;
  readonly readContext: () => Promise<SignInPageContext>;
  readonly readReview: ReadReview;
  /** Reads waiting items other than payouts. */
  readonly readItems: ReadItems;
  /** Reads everything that needs a person. */
  readonly readAttention: () => Promise<Attention>;
  readonly fileDecisions: Omit<DecisionFileContext, 'readItems'>;
  /** Asks the bank about one payout; undefined in a process without a bank. */
  readonly askBank?: AskBank | undefined;
  /** The folder of files that prove the outcome of a payout; undefined where none are taken. */
  readonly evidenceFolder?: string;
  readonly payer?: TodayContext['payer'];
  readonly readSurroundings?: TodayContext['readSurroundings'];
  /** Uploaded files until they are dropped; undefined where none are taken. */
  readonly uploads?: Uploads;
  /** Fetches the statement of a day and reconciles it; undefined in a process that asks no bank. */
  readonly fetchStatement?: (date: string) => Promise<DayOutcome>;
  /** Called after a change of users or passkeys, for a notice. */
  readonly onUserChange?: () => Promise<void>;
  /** Called after a session has ended, to delete the data kept for it. */
  readonly onSignOut?: (sessionHash: string) => Promise<void>;
}

/** Parts that the views of passkeys and of signatures share. */
function makeSigningParts(parts: ViewParts, { signingPlace }: ServedPlace) {
  const { store, readContext, readReview, isSandbox, payer, onUserChange } = parts;
  const readPersons = async () => {
    const context = await readContext();
    return { ...context, nowMs: context.clock.now() };
  };
  return {
    readPersons,
    readReview,
    place: signingPlace,
    store,
    scene: { isSandbox, companyId: payer?.companyId ?? '', journalId: store.journalId },
    challenges: new Challenges<Question>(),
    onChange: async () => onUserChange?.(),
  };
}

/** Every view of the page. @forTests */
export function listViews(parts: ViewParts, place: ServedPlace): ServedViews {
  const { store, readContext, readReview, readItems, evidenceFolder, onSignOut } = parts;
  const { readAttention, outside, payer, readSurroundings, uploads, fileDecisions, fetchStatement } = parts;
  const signing = makeSigningParts(parts, place);
  const { readPersons } = signing;
  const deciding = makeDecideViews({
    store,
    readReview,
    readAttention,
    readSearchFilter: async (visit, typed) => readSearchFilter(store, visit, typed),
    evidenceFolder,
  });
  const payouts = makePayoutViews({ store, readReview, evidenceFolder, askBank: parts.askBank });
  const again = makeAgainViews({ store, readReview, evidenceFolder });
  const registrations = makeRegistrationViews({ store, readReview, evidenceFolder });
  const views = [
    ...(outside?.userHeader === undefined
      ? makeSignInViews({ readContext, placeOf: place.signInPlaceOf })
      : makeProxySignInViews()),
    ...makeQueueViews({ store, readReview, readItems, readAttention }),
    ...payouts.views,
    ...deciding.views,
    ...again.views,
    ...makeProposalListViews({ store, readReview, readPersons }),
    ...makeProposalViews({ store, readReview, signing, evidenceFolder }),
    ...makeBatchListViews({ store }),
    ...makeBatchViews({ store, readReview }),
    ...makePasskeyViews(signing),
    ...makeSigningViews(signing),
    ...makeSessionViews({ readContext, onSignOut }),
    ...makeTodayViews({ store, payer, readItems, readAttention, readSurroundings }),
    ...makeReconciliationViews({
      store,
      readReview,
      fetchStatement,
      askBank: parts.askBank,
      companyId: payer?.companyId ?? '',
    }),
    ...makePayeesViews(store),
    ...makeUserViews(signing),
    ...makeLogViews(store),
    ...makeRegistrationListViews(store),
    ...registrations.views,
    ...makeRegistrationBatchViews({ store, readReview }),
    ...(uploads === undefined ? [] : makeUploadViews({ store, uploads, readSurroundings })),
    ...makeDecisionFileViews({ readItems, ...fileDecisions }),
    ...makeSearchViews(store),
    moreView,
  ];
  const fileViews = [
    ...(uploads === undefined ? [] : [makeUploadView(uploads)]),
    ...payouts.fileViews,
    ...registrations.fileViews,
    ...deciding.fileViews,
    ...again.fileViews,
  ];
  const readFrame = makeFrameReader({ store, readContext, readReview, readAttention });
  return { views, fileViews, readFrame };
}

/** @param open the journal and the bank, where the process already has them. @throws SettingsError without a journal */
export async function openPage(
  loaded: LoadedSettings,
  listen: ListenAddress,
  logger: Logger,
  open?: {
    readonly store: Store;
    readonly session: AskingSession;
    readonly fetchStatement: (date: string, end: AbortSignal) => Promise<DayOutcome>;
  },
): Promise<OpenPage> {
  const outside = readOutside(loaded, listen);
  await using stack = new AsyncDisposableStack();
  const store = open?.store ?? stack.use(await requireJournal(loaded));
  const log: Log = (level, message, facts) => logger[level](facts, message);
  const { isSandbox, dataDir } = loaded;
  const { companyId, payerAccount } = loaded.settings.bank;
  const requests = stack.use(new PageRequests());
  const uploads = stack.use(await openUploads(loaded, store));
  const onUserChange = async () => notifyOfPersons(loaded, store, logger);
  const readContextOfReview = async () => openReview(loaded, store, logger, open?.session);
  const openSession = async () => ({ journal: store, loaded, context: await readContextOfReview() });
  const parts = {
    isSandbox,
    store,
    outside,
    readContext: makeContextReader(store, onUserChange),
    readReview: readContextOfReview,
    readItems: async (...[asker, limit, kinds]: Parameters<ReadItems>) =>
      readItemsOf(makeQueueContext(loaded, store), { asker, limit, kinds }),
    readAttention: keepAttention(makeQueueContext(loaded, store)),
    fileDecisions: makeFileDecisions(openSession),
    askBank: open && (async (seq: number) => requests.make((end) => askBankNow(open.session, seq, end))),
    evidenceFolder: evidenceFolderOf(dataDir),
    payer: { companyId, payerAccount },
    readSurroundings: async () => ({
      // A watcher's page counts its own process: it has the journal open while it sends.
      sender: await findSenderOf(loaded, store, open !== undefined),
      freeBytes: await realDisk.freeBytes(dataDir),
    }),
    uploads,
    ...(open && {
      fetchStatement: async (date: string) => requests.make((end) => open.fetchStatement(date, end)),
    }),
    onUserChange,
    onSignOut: async (sessionHash: string) => uploads.discard(sessionHash),
  };
  const page = stack.use(
    await openReviewPage({
      ...parts,
      listen,
      log,
      feed: new LiveFeed(store, log),
      listViews: (place) => listViews(parts, place),
    }).catch((error: unknown) => {
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

/** Folder below `dataDir`. */
const folderName = 'uploads';

/** @param clock of the page @forTests */
export async function openUploads(
  loaded: LoadedSettings,
  store: Store,
  clock: { readonly now: () => number } = systemClock,
): Promise<Uploads> {
  const checking = { loaded, reader: await makeReader(loaded), journal: store };
  const { inbox } = loaded.folders;
  return Uploads.open({
    folder: join(loaded.dataDir, folderName),
    inboxes: { payout: inbox, registration: join(inbox, registrationsInbox) },
    isMarkerExpected: loaded.settings.watch.marker === 'done',
    bytesMax: loaded.limits.bytesPerFile,
    clock,
    store,
    approval: async () => readApprovalPolicy(loaded, store),
    check: async (path, report) => {
      const reportAny: Report = (_kind, found) => report(found);
      const outcome = await checkAlone(checking, path, reportAny);
      return isRegistrationFile(outcome) ? checkRegistrationFile(checking, path, reportAny) : outcome;
    },
    digest: async (path, without) => digestFile(checking, path, without),
  });
}
