/** The review page over a real port, on a journal in a temporary folder, with an admin who is called mali. */
import { join } from 'node:path';
import { verbatim } from '../../src/core/message.ts';
import { readAttention } from '../../src/attention/attention-list.ts';
import { type QueueContext, readItems } from '../../src/attention/items.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import type { Role } from '../../src/review/rules/people.ts';
import { listViews, type ViewParts } from '../../src/app/decide/page.ts';
import { LiveFeed } from '../../src/review/web/live.ts';
import type { PageViews } from '../../src/review/web/view.ts';
import { openReviewPage, type ReviewPage, type ReviewPageOptions } from '../../src/review/web/server.ts';
import type { Store } from '../../src/store/store.ts';
import { Browser, type Shown } from './browser.ts';
import { payer } from './core-fixtures.ts';
import { passwordOf, Users } from './persons.ts';
import { makeSqliteStore, type SqliteStore } from './sqlite-store.ts';

const reviewContextOf = (journal: Store, { clock }: Users): ReviewContext => ({
  journal,
  clock,
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

/** What views and server ask for. */
export type TestPageParts = ViewParts &
  Omit<ReviewPageOptions, keyof ViewParts | 'listViews' | 'feed'> & {
    readonly liveTimes?: { readonly pollMs: number; readonly heartbeatMs: number };
    /** In place of those of the page. */
    readonly fileViews?: PageViews['fileViews'];
  };

/** The page as the program serves it. */
export const servePage = ({ liveTimes, fileViews, ...parts }: TestPageParts): Promise<ReviewPage> =>
  openReviewPage({
    ...parts,
    feed: new LiveFeed(parts.store, parts.log, liveTimes),
    listViews: (place) => {
      const listed = listViews(parts, place);
      return { ...listed, fileViews: fileViews ?? listed.fileViews };
    },
  });

const queueContextOf = (journal: Store, { clock }: Users): QueueContext => ({
  journal,
  clock,
  doubtAfterMs: 3_600_000,
  lateAtMs: 0,
});

/** What the page asks for besides the port. */
export const pageOptionsOf = (store: Store, users: Users): Omit<TestPageParts, 'listen'> => ({
  isSandbox: true,
  store,
  readContext: async () => ({ ...users.context, store }),
  readReview: async () => reviewContextOf(store, users),
  readItems: async (asker, limit, kinds) => readItems(queueContextOf(store, users), { asker, limit, kinds }),
  readAttention: async () => readAttention(queueContextOf(store, users)),
  log: () => {},
  fileDecisions: {
    confirm: async () => ({ kind: 'refused', objections: [verbatim('no file waits')] }),
    discard: async () => verbatim('no file waits'),
  },
});

export interface OpenTestPage extends AsyncDisposable {
  readonly sqlite: SqliteStore;
  readonly store: Store;
  readonly users: Users;
  readonly browser: Browser;
  readonly origin: string;
  readonly views: ReviewPage['views'];
  /** @returns what he sees under a path */
  signIn(name: string, path?: string): Promise<Shown>;
  /** A browser of his own, in which somebody has signed in. */
  open(name: string): Promise<Browser>;
}

/**
 * @param more options of the page
 * @param people besides mali, by name
 */
export async function openTestPage(
  more: Partial<TestPageParts> = {},
  people: Readonly<Record<string, Role>> = {},
): Promise<OpenTestPage> {
  await using stack = new AsyncDisposableStack();
  const sqlite = stack.use(await makeSqliteStore());
  const { store } = sqlite;
  const users = new Users(store);
  await users.add('mali', 'admin', null);
  for (const [name, role] of Object.entries(people)) await users.add(name, role, await users.find('mali'));
  const listen = { host: '127.0.0.1', port: 0 };
  const evidenceFolder = join(sqlite.dataDir, 'evidence');
  const usual = { listen, evidenceFolder, ...pageOptionsOf(store, users) };
  const page = stack.use(await servePage({ ...usual, ...more }));
  const browser = new Browser(page.origin);
  const owned = stack.move();
  return {
    sqlite,
    store,
    users,
    browser,
    origin: page.origin,
    views: page.views,
    signIn: async (name, path = '/today') => {
      await browser.signIn(name, passwordOf(name));
      return browser.get(path);
    },
    open: async (name) => {
      const own = new Browser(page.origin);
      await own.signIn(name, passwordOf(name));
      return own;
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** The events of people that tell of a change: that somebody signed in, or was refused, changes nothing. */
export const listChanges = async (store: Store) =>
  (await store.personEvents(0, 10_000)).filter(
    ({ kind }) => !['signed-in', 'session-begun', 'sign-in-failed', 'refused'].includes(kind),
  );

export const countChanges = async (store: Store): Promise<number> => (await listChanges(store)).length;
