/** The review page as people see it, beside a watcher that pays what is dropped, through a sandbox bank. */
import { openUploads } from '../../src/app/decide/page.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openJournalIfThere } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { openScene, until } from '../end-to-end/harness.ts';
import { partner } from '../support/core-fixtures.ts';
import { Users } from '../support/persons.ts';
import { pageOptionsOf, servePage } from '../support/review-page.ts';
import { type Browsers, openBrowsers } from './browsers.ts';

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
type Row = readonly [id: string, payee: string, name: string, baht: string];

const csvOf = (...rows: readonly Row[]): string =>
  `${[header, ...rows.map(([id, payee, name, baht]) => `${id},MSISDN,08100000${payee},${name},${baht},INV-${id},`)].join('\n')}\n`;

/** Each of these amounts fails once at the bank. */
const failing = ['1001.25', '1002.25', '1003.25', '2001.25', '2002.25', '2003.25'];

/** A file of four rows, the first three of which fail once: E1 to E4, or T1 to T4. */
export const writePayouts = (letter: 'E' | 'T'): string => {
  const first = letter === 'E' ? 1 : 2;
  return csvOf(
    ...[1, 2, 3].map((no): Row => [
      `${letter}${no}`,
      `${first}${no}`,
      'Somchai Jaidee',
      `${first}00${no}.25`,
    ]),
    [`${letter}4`, `${first}4`, 'Malee Sukjai', '950.00'],
  );
};

export interface Rig extends Browsers, AsyncDisposable {
  readonly store: Store;
  readonly users: Users;
  /** Waits until the watcher has brought payouts so far; nobody else pays. */
  untilAll(ids: readonly string[], status: string): Promise<void>;
}

/** Two people for what can move money, and a signature under each approval. */
const reviewOf = (journal: Store, { clock }: Users): ReviewContext => ({
  journal,
  clock,
  rules: { payoutSatangMax: null },
  payerAccount: partner.payerAccount,
  people: 2,
  expireDays: 7,
  signing: { companyId: partner.companyId, journalId: journal.journalId, isSandbox: false, keys: [] },
});

/** mali (admin), boon (maker), nok and ploy (checkers); nothing has been paid yet. */
export async function openRig(): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const behaviours = failing.map((amount) => ({
    match: { amount },
    times: 1,
    money: 'fails',
    code: 'EM003',
  }));
  const watch = { stillMs: 50, rescanMs: 200 };
  const scene = stack.use(await openScene({ sandbox: { behaviours }, watch }));
  scene.start('watch');
  const { dataDir, bank, configPath } = scene;
  const stamp = {
    bankAddress: bank.baseUrl,
    companyId: partner.companyId,
    isSandbox: false,
    serverKind: 'sandbox',
  } as const;
  let opened: Store | undefined;
  await until(
    async () => (opened = await openJournalIfThere({ dataDir, stamp, access: 'beside' })) !== undefined,
  );
  if (opened === undefined) throw new Error('the watcher has made no journal');
  const store: Store = stack.use(opened);
  const users = new Users(store);
  users.clock.now = () => scene.clocks.readMs();
  users.clock.sleep = async () => {};
  await users.add('mali', 'admin', null);
  for (const [name, role] of [
    ['boon', 'maker'],
    ['nok', 'checker'],
    ['ploy', 'checker'],
  ] as const)
    await users.add(name, role, await users.find('mali'));
  const loaded = loadSettings({ configPath, cwd: scene.folder, env: {} });
  const uploads = stack.use(await openUploads(loaded, store, users.clock));
  const faults: string[] = [];
  const page = stack.use(
    await servePage({
      ...pageOptionsOf(store, users),
      uploads,
      onSignOut: async (sessionHash) => uploads.discard(sessionHash),
      listen: { host: 'localhost', port: 0 },
      readReview: async () => reviewOf(store, users),
      payer: partner,
      log: (_level, message) => faults.push(message),
    }),
  );
  const browsers = stack.use(await openBrowsers(page.origin, faults));
  const statusOf = async (id: string) => (await store.findPayouts(id))[0]?.row.status;
  const owned = stack.move();
  return {
    ...browsers,
    store,
    users,
    untilAll: async (ids, status) =>
      until(async () => (await Promise.all(ids.map(statusOf))).every((one) => one === status)),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}
