/**
 * Writes pictures of every view of the review page into a folder: desktop and phone, light and dark, English and Thai.
 * The few that stand in docs/review.md go into docs/pictures; `npm run pictures -- FOLDER` writes all of them, to be looked at.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { listViews, type Look, openRig, type Rig } from './rig.ts';

const looks: readonly (readonly [name: string, look: Look])[] = [
  ['desk-light-en', { language: 'en' }],
  ['desk-dark-th', { language: 'th', isDark: true }],
  ['phone-light-th', { language: 'th', isPhone: true }],
  ['phone-dark-en', { language: 'en', isPhone: true, isDark: true }],
];

/** Of the docs: a view, how it is looked at, and what the picture is called. */
const inDocs = [
  ['/queue', { language: 'en' }, 'queue'],
  ['/queue', { language: 'th', isPhone: true, isDark: true }, 'queue-phone-thai'],
] as const;

const nameOf = (path: string): string => path.slice(1).replaceAll('/', '-');

async function takeAll(rig: Rig, folder: string): Promise<void> {
  for (const [name, look] of looks) {
    const page = await rig.openAs('mali', look);
    for (const path of await listViews(rig)) {
      await page.goto(path);
      await page.screenshot({ path: join(folder, `${nameOf(path)}-${name}.png`), fullPage: true });
    }
    await page.context().close();
  }
}

async function takeForDocs(rig: Rig, folder: string): Promise<void> {
  for (const [path, look, name] of inDocs) {
    const page = await rig.openAs('mali', look);
    await page.goto(path);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    await page.context().close();
  }
}

const [folder] = process.argv.slice(2);
const target = folder ?? fileURLToPath(new URL('../../docs/pictures', import.meta.url));
await mkdir(target, { recursive: true });
await using rig = await openRig();
await (folder === undefined ? takeForDocs(rig, target) : takeAll(rig, target));
