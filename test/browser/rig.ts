/** The review page as people see it: a real Chromium, beside a shell that pays through a sandbox bank. */
import { existsSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import type { ReviewContext } from '../../src/review/context.ts';
import { openReviewPage } from '../../src/review/web/server.ts';
import { type Language, say, type Word } from '../../src/review/web/words.ts';
import { openJournal } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { openScene, type Scene } from '../end-to-end/harness.ts';
import { partner } from '../support/core-fixtures.ts';
import { passwordOf, Users } from '../support/persons.ts';
import { pageOptionsOf } from '../support/review-page.ts';

/**
 * Debian's, or whatever else stands there; undefined where there is none. The one that can open no window comes first: it
 * draws the same pages with half the work.
 */
export const chromiumPath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

const header = 'payoutId,proxyType,proxyNo,payeeName,amount,reference1,reference2';
type Row = readonly [id: string, payee: string, name: string, baht: string];

const csvOf = (...rows: readonly Row[]): string =>
  `${[header, ...rows.map(([id, payee, name, baht]) => `${id},MSISDN,08100000${payee},${name},${baht},INV-${id},`)].join('\n')}\n`;

/** Each of these amounts fails once at the bank. */
const failing = ['1001.25', '1002.25', '1003.25', '2001.25', '2002.25', '2003.25'];

const rowsOf = (letter: 'E' | 'T', first: number): string =>
  csvOf(
    ...[1, 2, 3].map((no): Row => [
      `${letter}${no}`,
      `${first}${no}`,
      'Somchai Jaidee',
      `${first}00${no}.25`,
    ]),
    [`${letter}4`, `${first}4`, 'Malee Sukjai', '950.00'],
  );

/** A person's browser: a language, a size and colours of his own. */
export interface Look {
  readonly language: Language;
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
}

export interface Rig extends AsyncDisposable {
  readonly scene: Scene;
  readonly store: Store;
  readonly users: Users;
  readonly origin: string;
  /** What pages complained of: their policy, their scripts. */
  readonly complaints: string[];
  /** Pays the files once more, as a shell does. */
  pay(): Promise<number | null>;
  open(look: Look): Promise<Page>;
  /** Where somebody has signed in. */
  openAs(name: string, look: Look): Promise<Page>;
}

/** It ends what hangs, and says nothing of speed. */
const waitMs = 120_000;
const sizes = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // What a form is refused with is no fault of the page.
    if (message.type() === 'error' && !text.includes('the server responded with a status of 4'))
      complaints.push(text);
  });
}

/** Two people for what can move money, and a signature under each approval. */
const reviewOf = (journal: Store, { clock }: Users): ReviewContext => ({
  journal,
  clock,
  rules: { payoutSatangMax: null },
  payerAccount: partner.payerAccount,
  people: 2,
  expireDays: 7,
  signed: 'required',
});

/** Two files that are paid but for three rows of each, mali (admin), boon (maker), nok and ploy (checkers). */
export async function openRig(): Promise<Rig> {
  await using stack = new AsyncDisposableStack();
  const behaviours = failing.map((amount) => ({
    match: { amount },
    times: 1,
    money: 'fails',
    code: 'EM003',
  }));
  const scene = stack.use(await openScene({ sandbox: { behaviours } }));
  const files = [
    await scene.addFile('english.csv', rowsOf('E', 1)),
    await scene.addFile('thai.csv', rowsOf('T', 2)),
  ];
  const pay = async () => (await scene.run('run', ...files)).code;
  await pay();
  const { dataDir, bank } = scene;
  const stamp = {
    bankAddress: bank.baseUrl,
    companyId: partner.companyId,
    isSandbox: false,
    serverKind: 'sandbox',
  } as const;
  const store = stack.use(await openJournal({ dataDir, stamp, access: 'beside' }));
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
  const page = stack.use(
    await openReviewPage({
      ...pageOptionsOf(store, users, { payer: partner }),
      listen: { host: 'localhost', port: 0 },
      readReview: async () => reviewOf(store, users),
      payer: partner,
      log: (_level, message) => complaints.push(message),
    }),
  );
  const complaints: string[] = [];
  const browser = stack.adopt(await launch(), (one) => one.close());
  const owned = stack.move();
  const open = async (look: Look) => openIn(browser, page.origin, look, complaints);
  const openAs = async (name: string, look: Look) => {
    const one = await open(look);
    await signIn(one, name);
    return one;
  };
  return {
    scene,
    store,
    users,
    origin: page.origin,
    complaints,
    pay,
    open,
    openAs,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

const launch = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? '',
    // A test may run as root, and with little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });

async function openIn(browser: Browser, origin: string, look: Look, complaints: string[]): Promise<Page> {
  const { language, isPhone = false, isDark = false } = look;
  const context: BrowserContext = await browser.newContext({
    baseURL: origin,
    locale: language === 'th' ? 'th-TH' : 'en-GB',
    viewport: isPhone ? sizes.phone : sizes.desktop,
    isMobile: isPhone,
    colorScheme: isDark ? 'dark' : 'light',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(waitMs);
  const page = await context.newPage();
  listen(page, complaints);
  return page;
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.goto('/sign-in');
  await page.fill('#name', name);
  await page.fill('#password', passwordOf(name));
  await page.click('button.main');
  await page.waitForURL('**/today');
}

/** A passkey in the machine itself, whose owner is there and has shown it. */
export async function addAuthenticator(page: Page): Promise<void> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('WebAuthn.enable');
  await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
}

/** What stands on the page, in its language. */
export const has = async (page: Page, language: Language, word: Word): Promise<boolean> =>
  (await page.locator('main').innerText()).includes(say(language, word));

/** Every view as an admin sees it. */
export async function listViews(rig: Rig): Promise<readonly string[]> {
  const [found] = await rig.store.findPayouts('E4');
  const [batch] = await rig.store.batches();
  const seq = found?.row.seq ?? 0;
  const views = [
    '/today',
    '/queue',
    '/proposals',
    '/proposal/1',
    '/batches',
    `/batch/${batch?.batchId}`,
    '/payees',
    '/reconciliation',
    '/people',
    '/people/2',
    '/log',
  ];
  return ['/passkeys', `/payout/${seq}`, ...views];
}
