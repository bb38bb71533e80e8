/** The review page over a real port, on a journal in a temporary folder, with an admin who is called mali. */
import { openReviewPage, type ReviewPageOptions } from '../../src/review/web/server.ts';
import { Browser, type Shown } from './browser.ts';
import { passwordOf, Users } from './persons.ts';
import { makeSqliteStore, type SqliteStore } from './sqlite-store.ts';

export interface OpenTestPage extends AsyncDisposable {
  readonly sqlite: SqliteStore;
  readonly users: Users;
  readonly browser: Browser;
  readonly origin: string;
  /** @returns what he sees under a path */
  signIn(name: string, path?: string): Promise<Shown>;
}

/** @param more options of the page */
export async function openTestPage(more: Partial<ReviewPageOptions> = {}): Promise<OpenTestPage> {
  await using stack = new AsyncDisposableStack();
  const sqlite = stack.use(await makeSqliteStore());
  const users = new Users(sqlite.store);
  await users.add('mali', 'admin', null);
  const page = stack.use(
    await openReviewPage({
      listen: { host: '127.0.0.1', port: 0 },
      isSandbox: true,
      store: sqlite.store,
      readContext: async () => ({ ...users.context, store: sqlite.store }),
      log: () => {},
      ...more,
    }),
  );
  const browser = new Browser(page.origin);
  const owned = stack.move();
  return {
    sqlite,
    users,
    browser,
    origin: page.origin,
    signIn: async (name, path = '/today') => {
      await browser.signIn(name, passwordOf(name));
      return browser.get(path);
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
