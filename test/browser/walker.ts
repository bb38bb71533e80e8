/** A person who walks through the page: each click is counted, and each page is looked at. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AxeBuilder } from '@axe-core/playwright';
import type { Locator, Page } from 'playwright-core';
import type { Language } from '../../src/core/language.ts';
import { type PlainCode, sayCode } from '../../src/core/message.ts';
import { passwordOf } from '../support/persons.ts';
import { until } from '../end-to-end/harness.ts';
import { type Look, sizes } from './browsers.ts';

/** The narrowest screen. */
const narrow = { width: 360, height: 780 };

/** Folder of the pictures of each step, to be looked at; none are taken without it. */
const pictures = process.env['PAYDROP_WALK_PICTURES'] ?? '';

/** Commands of the shell: on a page stand the names of buttons. */
const command =
  /paydrop (?:accept|ack|approve|audit|cancel|check|confirm|decide|exceptions|halt|list|proposals|queue|reconcile|release|restore|result|resume|retry|review|run|settle|show|status|user|verify|watch)\b/;

/** Most bytes of any page, and of Today. */
const [bytesMax, todayBytesMax] = [60_000, 40_000];

/** Most px that a view is high: on a phone, and where it is a list of the desk, too. */
const heights: readonly (readonly [path: RegExp, size: keyof typeof sizes, px: number])[] = [
  [/^\/today$/, 'phone', 3_600],
  [/^\/queue$/, 'phone', 2_400],
  [/^\/payout\/\d+$/, 'phone', 3_000],
  [/^\/queue$/, 'desk', 2 * sizes.desk.height],
];

const isWide =
  'document.documentElement.scrollWidth > document.documentElement.clientWidth ? document.documentElement.scrollWidth : 0';

export class Walker {
  readonly page: Page;
  readonly name: string;
  readonly look: Look;
  /** Clicks since Today, or since the sign-in page. */
  clicks = 0;
  /** Faults of a page that was looked at. */
  readonly #found: string[];

  constructor(page: Page, name: string, look: Look, found: string[]) {
    this.page = page;
    this.name = name;
    this.look = look;
    this.#found = found;
  }

  get language(): Language {
    return this.look.language;
  }

  say(code: PlainCode): string {
    return sayCode(this.language, code);
  }

  /** The words of the page. */
  async read(): Promise<string> {
    return (await this.page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
  }

  /** Opens what is folded. */
  async unfold(summary: Locator): Promise<void> {
    this.clicks += 1;
    await summary.click();
  }

  /** Clicks what leads to another page. */
  async click(target: Locator): Promise<void> {
    this.clicks += 1;
    const { page } = this;
    await page.evaluate('window.isOld = true');
    await target.click();
    await until(async () => {
      try {
        return (
          (await page.evaluate('document.readyState === "complete" && window.isOld === undefined')) === true
        );
      } catch {
        // The page is just being left.
        return false;
      }
    }, 20_000);
  }

  /** Clicks what the page may take away while it is looked at. @returns false when it has */
  async tryClick(target: Locator): Promise<boolean> {
    this.clicks += 1;
    return target.click({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  }

  async today(): Promise<void> {
    await this.page.goto('/today');
    this.clicks = 0;
  }

  /** Opens the first link of this beginning on Today, as soon as it stands there, with these words. */
  async openFromToday(beginning: string, words = ''): Promise<void> {
    const link = this.page.locator(`.todo li > a[href^="${beginning}"]`, { hasText: words }).first();
    await until(
      async () => {
        await this.today();
        return (await link.count()) > 0;
      },
      undefined,
      300,
    );
    await this.click(link);
  }

  /** After a session has ended. */
  async signInAgain(): Promise<void> {
    await this.page.goto('/sign-in');
    await this.signIn();
  }

  async signOut(): Promise<void> {
    await this.page.goto('/more');
    await this.page.locator('main form[action="/sign-out"] button').first().click();
    await this.page.waitForURL('**/sign*');
    await this.page.goto('/sign-in');
  }

  /** Signs in on the page that asks for it. */
  async signIn(): Promise<void> {
    const { page, name } = this;
    await page.fill('#name', name);
    await page.fill('#password', passwordOf(name));
    this.clicks = 0;
    await this.click(page.locator('button.main'));
  }

  /** Looks at the page: what is wrong with it is noted, and pictures are taken of it. */
  async see(step: string): Promise<void> {
    const { page } = this;
    const note = (what: string): number => this.#found.push(`${step}: ${what}`);
    const text = await page.locator('body').innerText();
    const typed = command.exec(text);
    if (typed !== null) note(`a command of the shell: ${typed[0]}`);
    const axe = new AxeBuilder({ page }).setLegacyMode();
    const { violations } = await axe.analyze();
    for (const { id, nodes } of violations) note(`${id}: ${nodes[0]?.html}`);
    const { pathname } = new URL(page.url());
    const bytes = Buffer.byteLength(await page.content());
    if (bytes > (pathname === '/today' ? todayBytesMax : bytesMax)) note(`${bytes} bytes`);
    const size = page.viewportSize();
    for (const [path, name, px] of heights) {
      if (!path.test(pathname)) continue;
      await page.setViewportSize(sizes[name]);
      const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
      if (height > px) note(`${height} px high on a ${name} of at most ${px}`);
    }
    await page.setViewportSize(narrow);
    const width = Number(await page.evaluate(isWide));
    if (width > 0) note(`${width} px wide on a screen of ${narrow.width}`);
    if (pictures !== '') await this.#take(step);
    if (size !== null) await page.setViewportSize(size);
  }

  /** On a desk and on a phone, light and dark, whichever the walk is on. */
  async #take(step: string): Promise<void> {
    await mkdir(pictures, { recursive: true });
    const { page, language } = this;
    const shoot = async (what: string): Promise<void> => {
      const path = join(pictures, `${step}-${this.name}-${language}-${what}.png`);
      await page.screenshot({ path, fullPage: true });
    };
    for (const [name, size] of Object.entries(sizes)) {
      await page.setViewportSize(size);
      await shoot(name);
      await page.emulateMedia({ colorScheme: 'dark' });
      await shoot(`${name}-dark`);
      await page.emulateMedia({ colorScheme: 'light' });
    }
  }
}
