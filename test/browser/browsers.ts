/** A real Chromium before the review page: each person has a browser, a language, a size and colours of his own. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';
import type { Language } from '../../src/core/language.ts';
import { type PlainCode, sayCode } from '../../src/core/message.ts';
import { passwordOf } from '../support/persons.ts';

/**
 * Debian's, or whatever else stands there; undefined where there is none. The one that can open no window comes first: it
 * draws the same pages with half the work.
 */
export const chromiumPath = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find((path) => existsSync(path));

export interface Look {
  readonly language: Language;
  readonly isPhone?: boolean;
  readonly isDark?: boolean;
}

export interface Browsers {
  /** What pages complained of: their policy, their scripts. */
  readonly complaints: string[];
  open(look: Look): Promise<Page>;
  /** Where somebody has signed in. */
  openAs(name: string, look: Look): Promise<Page>;
}

/** Limit in ms that ends a test which hangs; no measure of speed. */
const waitMs = 120_000;
export const sizes = { desk: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } } as const;

function listen(page: Page, complaints: string[]): void {
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const text = message.text();
    // What a form is refused with is no fault of the page.
    if (message.type() === 'error' && !text.includes('the server responded with a status of 4'))
      complaints.push(text);
  });
}

/** @param origin of the page. @param complaints more of them are put there */
export async function openBrowsers(
  origin: string,
  complaints: string[] = [],
): Promise<Browsers & AsyncDisposable> {
  const browser = await launch();
  const open = async (look: Look) => openIn(browser, origin, look, complaints);
  const openAs = async (name: string, look: Look) => {
    const one = await open(look);
    await signIn(one, name);
    return one;
  };
  return { complaints, open, openAs, [Symbol.asyncDispose]: async () => browser.close() };
}

const launch = async (): Promise<Browser> =>
  chromium.launch({
    executablePath: chromiumPath ?? '',
    // A test may run as root, and with little shared memory.
    args: ['--no-sandbox', '--disable-dev-shm-usage', '--disable-gpu'],
  });

async function openIn(browser: Browser, origin: string, look: Look, complaints: string[]): Promise<Page> {
  const { language, isPhone = false, isDark = false } = look;
  const context = await browser.newContext({
    baseURL: origin,
    locale: language === 'th' ? 'th-TH' : 'en-GB',
    viewport: isPhone ? sizes.phone : sizes.desk,
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
export const has = async (page: Page, language: Language, code: PlainCode): Promise<boolean> =>
  (await page.locator('main').innerText()).includes(sayCode(language, code));
