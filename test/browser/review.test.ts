/** People in front of the page: three rows that failed are decided by two of them, signed, and paid; in both languages. */
import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { findSignatureFault } from '../../src/review/rules/signature.ts';
import { addAuthenticator, chromiumPath, has, listViews, type Look, openRig, type Rig } from './rig.ts';

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
  beforeAll(async () => {
    rig = await openRig();
  });
  afterAll(async () => rig[Symbol.asyncDispose]());

  /** The maker chooses three rows of the queue and proposes to try them again. @returns path of the proposal */
  async function propose(page: Page, ids: readonly string[]): Promise<string> {
    await page.goto('/queue');
    for (const id of ids) await page.locator('tr', { hasText: id }).getByRole('checkbox').check();
    await page.locator('.bar button.main').click();
    await page.locator('a[href$="/retry"]').first().click();
    await page.fill('#note', 'the payees have mended their numbers');
    await page.locator('form.card button.main').click();
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
      const path = await propose(maker, ids);
      expect(await has(maker, language, 'ownProposal')).toBe(true);
      expect(await maker.locator('form[action$="/approve"]').count()).toBe(0);

      const checker = await rig.openAs(name, look);
      await checker.goto(path);
      expect(await has(checker, language, 'signatureRequired')).toBe(true);
      await enrol(checker, look);
      await checker.goto(path);
      await checker.locator('a.button.main').click();
      const text = (await checker.locator('pre.signed').textContent()) ?? '';
      await checker.locator('form[data-passkey] button').click();
      await checker.waitForURL(`**${path}`);
      expect(await has(checker, language, 'signedBy')).toBe(true);

      const proposalId = Number(path.split('/').at(-1));
      const [signature] = await rig.store.signaturesOf(proposalId);
      expect(signature && [signature.text, findSignatureFault(signature)]).toEqual([text, undefined]);
      expect(text).toContain('rows: 3');
      await rig.pay();
      for (const id of ids) {
        const [found] = await rig.store.findPayouts(id);
        expect(found?.row.status).toBe('paid');
        await maker.goto(`/payout/${found?.row.seq}`);
        expect(await maker.locator('main').innerText()).toContain(language === 'en' ? 'Paid' : 'จ่ายสำเร็จ');
      }
      for (const page of [maker, checker]) await page.context().close();
    },
  );

  const looks: readonly (readonly [string, Look])[] = [
    ['on a desk, light, in English', { language: 'en' }],
    ['on a phone, dark, in Thai', { language: 'th', isPhone: true, isDark: true }],
  ];
  test.each(looks.slice(0, isWhole ? 2 : 1))(
    'every view %s: nobody is shut out, it fits its width, and its policy is kept',
    async (_name, look) => {
      const found: string[] = [];
      const lookAt = async (page: Page, path: string): Promise<void> => {
        await page.goto(path);
        const axe = new AxeBuilder({ page }).setLegacyMode();
        // What neither colours, width nor language change was looked at on the desk.
        if (look.isPhone === true)
          axe.withRules(['color-contrast', 'target-size', 'html-has-lang', 'valid-lang']);
        const { violations } = await axe.analyze();
        found.push(...violations.map(({ id, nodes }) => `${path}: ${id}: ${nodes[0]?.html}`));
        const isWide = await page.evaluate(
          'document.documentElement.scrollWidth > document.documentElement.clientWidth',
        );
        if (isWide === true) found.push(`${path}: wider than its screen`);
      };
      const visitor = await rig.open(look);
      await lookAt(visitor, '/sign-in');
      await visitor.context().close();
      const admin = await rig.openAs('mali', look);
      for (const path of await listViews(rig)) await lookAt(admin, path);
      await admin.context().close();
      expect(found).toEqual([]);
      expect(rig.complaints).toEqual([]);
    },
  );

  test.runIf(isWhole)('a first visit, all files uncompressed, is small', async () => {
    const page = await rig.openAs('mali', { language: 'en' });
    for (const path of await listViews(rig)) {
      const sizes: Promise<number>[] = [];
      page.on('response', (response) => {
        // What is told as it happens has no end.
        if (response.headers()['content-type']?.startsWith('text/event-stream') !== true)
          sizes.push(response.body().then((body) => body.length));
      });
      await page.goto(path);
      const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
      expect([path, bytes < visitBytesMax]).toEqual([path, true]);
      page.removeAllListeners('response');
    }
    await page.context().close();
  });
});
