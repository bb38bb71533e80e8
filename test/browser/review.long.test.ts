/**
 * People in front of the page: a file is dropped through it, three rows of it that fail are decided by two of them,
 * signed, and paid; in both languages.
 */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findSignatureFault } from '../../src/review/rules/signature.ts';
import { addAuthenticator, chromiumPath, has, type Look } from './browsers.ts';
import { openRig, type Rig, writePayouts } from './rig.ts';
import { openShowcase, type Showcase, upload } from './showcase.ts';

const skipped =
  chromiumPath === undefined
    ? ' (skipped: there is no Chromium here; on Debian: apt-get install chromium-headless-shell)'
    : '';
/** `PAYDROP_BROWSER=whole`: in Thai and on a phone, too, and the size of each view; else what takes least. */
const isWhole = process.env['PAYDROP_BROWSER'] === 'whole';
/** A busy machine may take many times as long. */
vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
/** A first visit, with everything that it loads, uncompressed. */
const visitBytesMax = 200_000;

describe.skipIf(chromiumPath === undefined)(`in Chromium${skipped}`, () => {
  let rig: Rig;
  let showcase: Showcase;
  const opened = new AsyncDisposableStack();
  beforeAll(async () => {
    rig = opened.use(await openRig());
    showcase = opened.use(await openShowcase());
  });
  afterAll(async () => opened.disposeAsync());

  /** The maker sees what becomes of a file, and only then drops it for the watcher. */
  async function drop(page: Page, name: string, text: string): Promise<void> {
    await upload(page, name, text);
    const main = page.locator('main');
    expect(await main.locator('tfoot .number').allInnerTexts()).toEqual([
      '4',
      expect.stringContaining('956.75'),
    ]);
    expect(await rig.store.batches()).not.toContainEqual(expect.objectContaining({ fileName: name }));
    await page.locator('form[action="/upload/drop"] button').click();
    await main.locator('.done').waitFor();
  }

  /** The maker chooses three rows of the queue and proposes to try them again. @returns path of the proposal */
  async function propose(page: Page, ids: readonly string[]): Promise<string> {
    await page.goto('/queue/not-paid.EM003');
    for (const id of ids) await page.locator('tr', { hasText: id }).getByRole('checkbox').check();
    await page.locator('.bar button.main').click();
    await page.check('[value=retry]');
    await page.fill('#note', 'the payees have mended their numbers');
    await page.locator('form.act button.main:visible').click();
    await page.waitForURL('**/proposal/*');
    return new URL(page.url()).pathname;
  }

  /** The checker enrols a passkey, which the admin confirms, if he has none yet. */
  async function enrol(page: Page, look: Look): Promise<void> {
    await addAuthenticator(page);
    await page.goto('/passkeys');
    await page.fill('#label', 'laptop');
    await page.locator('form[data-passkey] button').click();
    await page.locator('tbody tr').first().waitFor();
    const admin = await rig.openAs('mali', look);
    await admin.goto('/passkeys');
    await admin.locator('form[action="/passkeys/confirm"] button').first().click();
    await admin.locator('.tag.yes').first().waitFor();
    await admin.context().close();
  }

  const people = [
    ['English', { language: 'en' }, 'nok', ['E1', 'E2', 'E3']],
    ['Thai', { language: 'th', isPhone: true, isDark: true }, 'ploy', ['T1', 'T2', 'T3']],
  ] as const;
  test.each(people.slice(0, isWhole ? 2 : 1))(
    'in %s: three rows are proposed, refused as one’s own, signed by another, and paid',
    async (_name, look, name, ids) => {
      const { language } = look;
      const maker = await rig.openAs('boon', look);
      await drop(maker, `payouts-${language}.csv`, writePayouts(language === 'en' ? 'E' : 'T'));
      await rig.untilAll(ids, 'failed');
      const path = await propose(maker, ids);
      expect(await has(maker, language, 'proposal.own-proposal')).toBe(true);
      expect(await maker.locator('form[action$="/approve"]').count()).toBe(0);

      const checker = await rig.openAs(name, look);
      await checker.goto(path);
      expect(await has(checker, language, 'passkey.signature-required')).toBe(true);
      await enrol(checker, look);
      await checker.goto(path);
      await checker.locator('a.button.main').click();
      const text = (await checker.locator('pre.signed').textContent()) ?? '';
      await checker.locator('form[data-passkey] button').click();
      await checker.waitForURL(`**${path}`);
      expect(await has(checker, language, 'passkey.signed-by')).toBe(true);

      const proposalId = Number(path.split('/').at(-1));
      const [signature] = await rig.store.signaturesOf(proposalId);
      expect(signature && [signature.text, findSignatureFault(signature)]).toEqual([text, undefined]);
      expect(text).toContain('rows: 3');
      await rig.untilAll(ids, 'paid');
      for (const id of ids) {
        const [found] = await rig.store.findPayouts(id);
        await maker.goto(`/payout/${found?.row.seq}`);
        expect(await maker.locator('main').innerText()).toContain(language === 'en' ? 'Paid' : 'จ่ายสำเร็จ');
      }
      for (const page of [maker, checker]) await page.context().close();
      expect(rig.complaints).toEqual([]);
    },
  );

  /** Of the whole tour, one stop for each kind of thing that stands on a page. */
  const briefly = [
    'sign-in',
    'today',
    'queue',
    'search',
    'decide-several',
    'payout-decide',
    'proposal-stale',
    'sign',
    'batch-approve',
    'people',
    'upload-mixed',
  ];
  const listStops = () => showcase.stops.filter(({ name }) => isWhole || briefly.includes(name));

  const looks: readonly (readonly [string, Look])[] = [
    ['on a desk, light, in English', { language: 'en' }],
    ['on a phone, dark, in Thai', { language: 'th', isPhone: true, isDark: true }],
  ];
  test.each(looks.slice(0, isWhole ? 2 : 1))(
    'every view %s: nobody is shut out, it fits its width, and its policy is kept',
    async (_name, look) => {
      const found: string[] = [];
      const pages = new Map<string | null, Page>();
      for (const { name, who = 'mali', reach } of listStops()) {
        const page =
          pages.get(who) ?? (await (who === null ? showcase.open(look) : showcase.openAs(who, look)));
        pages.set(who, page);
        await reach(page);
        const axe = new AxeBuilder({ page }).setLegacyMode();
        // What neither colours, width nor language change was looked at on the desk.
        if (look.isPhone === true)
          axe.withRules(['color-contrast', 'target-size', 'html-has-lang', 'valid-lang']);
        const { violations } = await axe.analyze();
        found.push(...violations.map(({ id, nodes }) => `${name}: ${id}: ${nodes[0]?.html}`));
        const isWide = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        if (isWide === true) found.push(`${name}: wider than its screen`);
      }
      for (const page of pages.values()) await page.context().close();
      expect(found).toEqual([]);
      expect(showcase.complaints).toEqual([]);
    },
  );

  test.runIf(isWhole)('a first visit, all files uncompressed, is small', async () => {
    const page = await showcase.openAs('mali', { language: 'en' });
    for (const { name, who, path, reach } of showcase.stops) {
      // Of what is left for another page the contents are gone.
      if (who !== undefined || path === undefined) continue;
      const sizes: Promise<number>[] = [];
      page.on('response', (response) => {
        // What is told as it happens has no end, and what leads elsewhere no contents.
        const isStream = response.headers()['content-type']?.startsWith('text/event-stream') === true;
        if (!isStream && response.ok()) sizes.push(response.body().then((body) => body.length));
      });
      await reach(page);
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect([name, bytes < visitBytesMax]).toEqual([name, true]);
      page.removeAllListeners('response');
    }
    await page.context().close();
  });
});
