/**
 * Writes pictures of every view of the review page into a folder: desktop and phone, light and dark, English and Thai.
 * The few that stand in docs/review.md go into docs/pictures; `npm run pictures -- FOLDER [NAME...]` writes those of
 * all views, or of these, to be looked at.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Look } from './browsers.ts';
import { openShowcase, type Showcase, type Stop } from './showcase.ts';

const looks: readonly (readonly [name: string, look: Look])[] = [
  ['desk-light-en', { language: 'en' }],
  ['desk-dark-th', { language: 'th', isDark: true }],
  ['phone-light-th', { language: 'th', isPhone: true }],
  ['phone-dark-en', { language: 'en', isPhone: true, isDark: true }],
];

const partHeight = 1_700;
const partsMax = 4;

const thaiPhone = { language: 'th', isPhone: true } as const;

/** Of the docs: a view, how it is looked at, and what the picture is called. */
const inDocs = [
  ['today', { language: 'en' }, 'today'],
  ['group', { language: 'en' }, 'queue'],
  ['proposal-to-sign', { language: 'en' }, 'approval'],
  ['reconciliation-day', { language: 'en' }, 'day'],
  ['queue', { ...thaiPhone, isDark: true }, 'queue-phone-thai'],
  ['today', thaiPhone, 'today-phone-thai'],
] as const;

/** The whole page, in parts where it is long: a picture of many screens is too small to be looked at. */
async function take(page: Page, path: string): Promise<void> {
  const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
  const { width = 0 } = page.viewportSize() ?? {};
  for (let part = 0; part < Math.min(partsMax, Math.ceil(height / partHeight)); part += 1) {
    const y = part * partHeight;
    const clip = { x: 0, y, width, height: Math.min(partHeight, height - y) };
    await page.screenshot({ path: `${path}${part === 0 ? '' : `-${part + 1}`}.png`, fullPage: true, clip });
  }
}

/** Each person signs in once for each look. */
async function takeAll(showcase: Showcase, folder: string, stops: readonly Stop[]): Promise<void> {
  for (const [name, look] of looks) {
    const pages = new Map<string | null, Page>();
    for (const stop of stops) {
      const { who = 'mali' } = stop;
      const page =
        pages.get(who) ?? (await (who === null ? showcase.open(look) : showcase.openAs(who, look)));
      pages.set(who, page);
      await stop.reach(page);
      await take(page, join(folder, `${stop.name}-${name}`));
    }
    for (const page of pages.values()) await page.context().close();
  }
}

async function takeForDocs({ stops, openAs }: Showcase, folder: string): Promise<void> {
  for (const [view, look, name] of inDocs) {
    const stop = stops.find(({ name: stopName }) => stopName === view);
    if (stop === undefined) throw new Error(`there is no view ${view}`);
    const page = await openAs(stop.who ?? 'mali', look);
    await stop.reach(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
  }
}

const [folder, ...names] = process.argv.slice(2);
const target = folder ?? fileURLToPath(new URL('../../docs/pictures', import.meta.url));
await mkdir(target, { recursive: true });
await using showcase = await openShowcase();
const chosen = showcase.stops.filter(({ name }) => names.length === 0 || names.includes(name));
await (folder === undefined ? takeForDocs(showcase, target) : takeAll(showcase, target, chosen));
if (showcase.complaints.length > 0) throw new Error(showcase.complaints.join('\n'));
