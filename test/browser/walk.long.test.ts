/**
 * A month-end, walked in Chromium before a real bank and a real watcher: files are uploaded, proposed, sent back, signed
 * and paid; the bank loses replies, refuses payees and contradicts a payment; its ledger judges in the end.
 */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFailed, test, vi } from 'vitest';
import { showBaht, showCount } from '../../src/core/figures.ts';
import { message, say } from '../../src/core/message.ts';
import { formatBaht, toSatang } from '../../src/core/money.ts';
import { proposalStatuses } from '../../src/review/rules/proposal.ts';
import { sessionIdleMs } from '../../src/review/rules/session.ts';
import { findPaidTwice } from '../end-to-end/as-bank.ts';
import { until } from '../end-to-end/harness.ts';
import { addAuthenticator, chromiumPath, type Look } from './browsers.ts';
import {
  bonus,
  commission,
  type Office,
  openOffice,
  type PayoutFile,
  pettyCash,
  rebates,
  salaries,
  vendors,
} from './month-end.ts';
import { Walker } from './walker.ts';

/** A busy machine may take many times as long. */
vi.setConfig({ testTimeout: 600_000, hookTimeout: 240_000 });

/** Most clicks from Today to any decision, and from signing in to a signed approval. */
const [clicksMax, signedClicksMax] = [3, 4];
const minuteMs = 60_000;

/** The sum of rows of a file, as the page writes it. */
const sumOf = ({ amounts }: PayoutFile, ids: readonly string[]): string =>
  showBaht(toSatang(ids.reduce((all, id) => all + (amounts.get(id) ?? 0n), 0n)));

/** The baht that stand in these places, in satang. */
const readSatang = async (places: Locator): Promise<readonly bigint[]> =>
  (await places.allInnerTexts()).map((text) =>
    BigInt(text.replace('−', '-').replaceAll(/[^-\d]/g, '') || '0'),
  );
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((all, one) => all + one, 0n);

const looks: readonly (readonly [string, Look])[] = [
  ['on a desk, in English', { language: 'en' }],
  ['on a phone, in Thai', { language: 'th', isPhone: true }],
];

describe.skipIf(chromiumPath === undefined).each(looks)('the month-end %s', (_name, look) => {
  const opened = new AsyncDisposableStack();
  /** Faults of the pages on the way. */
  const faults: string[] = [];
  let office: Office;
  let crew: Readonly<Record<'boon' | 'nok' | 'anan' | 'mali', Walker>> | undefined;

  const walkerOf = async (name: string): Promise<Walker> => {
    const page = await office.open(look);
    page.setDefaultTimeout(20_000);
    const walker = new Walker(page, name, look, faults);
    await page.goto('/sign-in');
    await walker.signIn();
    return walker;
  };
  const people = () => {
    if (crew === undefined) throw new Error('nobody has come yet');
    return crew;
  };

  beforeAll(async () => {
    office = opened.use(await openOffice());
  });
  /** No step can be taken after one that failed. */
  let isLost = false;
  beforeEach((context) => {
    context.skip(isLost);
    onTestFailed(() => void (isLost = true));
  });
  afterAll(async () => {
    await opened.disposeAsync();
  });

  // ---------------------------------------------------------------- ways that many steps take

  /** Chooses a file, has it checked, and hands it in. @returns what its check says */
  async function handIn(walker: Walker, { name, csv }: PayoutFile): Promise<string> {
    const { page } = walker;
    await walker.today();
    await walker.click(page.locator('main a[href="/upload"]').first());
    await page.setInputFiles('#file', { name, mimeType: 'text/csv', buffer: Buffer.from(csv) });
    await walker.click(page.locator('form.card button.main'));
    const said = await walker.read();
    await walker.see(`02-checked-${name.slice(0, 5)}`);
    await walker.click(page.locator('form[action="/upload/drop"] button'));
    expect(await page.locator('main .done').count()).toBe(1);
    expect(walker.clicks).toBeLessThanOrEqual(clicksMax);
    return said;
  }

  /** Proposes on the page that is open, and notes the reason. @returns the address of the proposal */
  async function propose(walker: Walker, note: string): Promise<string> {
    const { page } = walker;
    await page.fill('#note', note);
    await walker.click(page.locator('main form:has(#note) button.main:visible'));
    expect(new URL(page.url()).pathname).toMatch(/^\/proposal\/\d+$/);
    expect(walker.clicks).toBeLessThanOrEqual(clicksMax);
    return new URL(page.url()).pathname;
  }

  /** Proposes to accept a break on the page that is open; its line on the day says so. @returns the proposal's address */
  async function acceptBreak(walker: Walker, day: string, note: string): Promise<string> {
    const { page } = walker;
    await page.fill('#note', note);
    await walker.click(page.locator('main form:has(#note) button.main:visible'));
    expect(walker.clicks).toBeLessThanOrEqual(clicksMax);
    const { pathname, hash } = new URL(page.url());
    expect([pathname, hash]).toEqual([`/reconciliation/${day}`, expect.stringMatching(/^#break-[0-9a-f]+$/)]);
    return (await page.locator(`${hash} a[href^="/proposal/"]`).getAttribute('href')) ?? '';
  }

  /** The latest comes first. */
  const proposals = () => office.store.proposals(proposalStatuses, Number.MAX_SAFE_INTEGER, 1_000);

  const headline = (walker: Walker): Promise<string> =>
    walker.page.locator('#headline, main h1').first().innerText();

  /** The sentence of the button says count and sum, as the rows of the file do. */
  function expectSums(text: string, file: PayoutFile, ids: readonly string[] = file.ids): void {
    expect(text).toContain(sumOf(file, ids));
    expect(text).toMatch(new RegExp(`\\b${showCount(ids.length)}\\b`));
  }

  /** A checker opens a proposal from Today and approves it, with the passkey where there is one. */
  async function approve(walker: Walker, path: string): Promise<void> {
    await walker.openFromToday(path);
    await approveHere(walker);
    expect(walker.clicks).toBeLessThanOrEqual(clicksMax);
  }

  async function approveHere(walker: Walker): Promise<void> {
    const { page } = walker;
    const toSign = page.locator('aside.sign a.button.main[href$="/sign"]');
    if ((await toSign.count()) > 0) {
      await walker.click(toSign);
      await walker.click(page.locator('form[data-passkey] button'));
    } else await walker.click(page.locator('aside.sign form.approve button.main'));
    await page.waitForURL('**/proposal/*');
  }

  // ---------------------------------------------------------------- the walk

  test('1 to 3: the maker sees Today, uploads two files, and proposes to pay the salaries', async () => {
    crew = {
      boon: await walkerOf('boon'),
      nok: await walkerOf('nok'),
      anan: await walkerOf('anan'),
      mali: await walkerOf('mali'),
    };
    const { boon } = crew;
    expect(new URL(boon.page.url()).pathname).toBe('/today');
    await boon.see('01-today');
    const small = await handIn(boon, pettyCash);
    expect(small).toMatch(/Paid at once, by you alone|จ่ายทันที โดยไม่มีผู้อนุมัติ/);
    expectSums(small, pettyCash);
    const large = await handIn(boon, salaries);
    expect(large).toContain(boon.say('upload.waits-for-approval'));
    expectSums(large, salaries);
    await boon.see('02-handed-in');
    await office.untilOf(pettyCash, 'paid');
    const batch = await office.batchOf(salaries);
    await office.untilOf(salaries, 'held');
    await boon.openFromToday(`/batch/${batch}`);
    await boon.see('03-propose');
    const sentence = await headline(boon);
    expectSums(sentence, salaries);
    await propose(boon, 'checked with HR');
    expect(await headline(boon)).toBe(sentence);
    await boon.see('03-proposed');
  });

  test('4 and 5: the checker reads the same sentence and sends it back; the maker corrects what was typed', async () => {
    const { boon, nok, mali } = people();
    await nok.today();
    const { page } = nok;
    await nok.unfold(page.locator('details.bell summary'));
    await nok.see('04-for-me');
    await nok.click(page.locator('details.bell a[href="/proposal/1"]'));
    expectSums(await headline(nok), salaries);
    await boon.page.goto('/proposal/1');
    expect(await headline(nok)).toBe(await headline(boon));
    await nok.see('04-check');
    await nok.openFromToday('/proposal/1');
    await nok.unfold(page.locator('aside.sign details summary'));
    await page.fill('#note', 'who are the seven new people?');
    await nok.click(page.locator('form[action="/proposal/1/send-back"] button'));
    expect(nok.clicks).toBeLessThanOrEqual(clicksMax);
    await nok.see('04-sent-back');

    await boon.today();
    await boon.unfold(boon.page.locator('details.bell summary'));
    expect(await boon.page.locator('details.bell a[href="/proposal/1"]').innerText()).toContain('seven new');
    await boon.openFromToday('/proposal/1');
    await boon.see('05-sent-back');
    await boon.click(boon.page.locator('a[href*="/again/1"]').first());
    expect(await boon.page.inputValue('#note')).toBe('checked with HR');
    await boon.see('05-again');
    await propose(boon, 'checked with HR; the seven joined on 1 November');
    await office.batchOf(salaries);

    // The key is enrolled once, and confirmed by an admin.
    await addAuthenticator(page);
    await page.goto('/passkeys');
    await page.fill('#label', 'laptop');
    await page.locator('form[data-passkey] button').click();
    await page.locator('tbody tr').first().waitFor();
    await nok.see('06-passkeys');
    await mali.today();
    await mali.page.goto('/people');
    await mali.see('06-people');
    await mali.page.goto('/passkeys');
    await mali.page.locator('form[action="/passkeys/confirm"] button').first().click();
    await mali.page.locator('.tag.yes').first().waitFor();
  });

  test('13: the session ends while the maker types: the text is kept, and nothing decided', async () => {
    const { boon, nok, anan } = people();
    const { page } = boon;
    await handIn(boon, bonus);
    const batch = await office.batchOf(bonus);
    await office.untilOf(bonus, 'held');
    await boon.openFromToday(`/batch/${batch}`);
    const typed = 'as the board decided';
    const [last] = await proposals();
    await page.fill('#note', typed);
    office.scene.clocks.pass(sessionIdleMs + minuteMs);
    await boon.click(page.locator('main form:has(#note) button.main:visible'));
    expect(await boon.read()).toContain(boon.say('sign-in.text-kept'));
    await boon.see('13-signed-out');
    await boon.signIn();
    expect(await page.inputValue('#note')).toBe(typed);
    expect(await boon.read()).toContain(boon.say('page.text-kept'));
    await boon.see('13-kept');
    const [latest] = await proposals();
    expect(latest).toEqual(last);
    await propose(boon, typed);
    for (const other of [nok, anan]) await other.signInAgain();
  });

  test('6: the checker signs, and goes on to the next', async () => {
    const { nok } = people();
    await nok.signOut();
    await nok.signIn();
    const { page } = nok;
    const { clicks } = nok;
    const link = page.locator('.todo li > a[href="/proposal/2"]').first();
    await nok.click(link);
    expectSums(await headline(nok), salaries);
    await nok.see('06-to-sign');
    await nok.click(page.locator('aside.sign a.button.main[href$="/sign"]'));
    await nok.see('06-sign');
    await nok.click(page.locator('form[data-passkey] button'));
    await page.waitForURL('**/proposal/2');
    expect(clicks).toBe(1);
    expect(nok.clicks).toBeLessThanOrEqual(signedClicksMax);
    expect(await page.locator('.done, .notice').count()).toBeGreaterThan(0);
    await nok.see('06-signed');
    await nok.click(page.locator('.done a.button, .notice a.button').first());
    expectSums(await headline(nok), bonus);
    await approveHere(nok);
    await office.untilOf(salaries, 'paid');
    await office.untilOf(bonus, 'paid');
  });

  test('7 and 8: replies are lost, the account pauses and halts; it is resumed, and the rows go', async () => {
    const { boon, nok, anan } = people();
    const lost = { money: 'moves-later', afterMs: 10 * minuteMs, reply: 'lost' };
    const [first = ''] = vendors.ids;
    await office.control({
      behaviours: [
        { match: { reference1: first }, money: 'stuck', reply: 'lost' },
        { match: {}, ...lost },
      ],
    });
    await handIn(boon, vendors);
    await until(async () => (await office.store.payerPause(...office.account)) !== undefined);
    await boon.today();
    await boon.see('07-paused');
    await until(async () => (await office.store.payerHalts()).length > 0);
    await office.control({ behaviours: [] });
    // The rows about to be sent are held; nothing else waits on the account.
    await until(async () => (await office.countOf(vendors, 'held')) > 0);
    const waiting = await office.unsentOf(vendors);
    await boon.openFromToday('/queue/payer-halted', sumOf(vendors, waiting));
    await boon.see('08-halted');
    expectSums(await boon.read(), vendors, waiting);
    // The bank completes what it took, all but one; each is asked about when its next inquiry is due.
    office.scene.clocks.pass(15 * minuteMs);
    let polls = 0;
    await until(async () => {
      polls += 1;
      // Seldom enough that an inquiry is answered in between.
      if (polls % 30 === 0) office.scene.clocks.pass(minuteMs);
      return (await office.countOf(vendors, 'submitted')) === 1;
    });
    await boon.openFromToday('/queue/payer-halted');
    await boon.click(boon.page.locator('#open .act button.main').first());
    await boon.see('08-resume');
    expectSums(await boon.read(), vendors, waiting);
    const path = await propose(boon, 'the bank answers again');
    expectSums(await headline(boon), vendors, waiting);
    await nok.openFromToday(path);
    await nok.see('08-check');
    expect(await headline(nok)).toBe(await headline(boon));
    await approve(anan, path);
    await office.untilOf(vendors, 'paid', vendors.rows - 1);
  });

  test('11: the bank is asked now about a payout whose outcome is unknown', async () => {
    const { boon } = people();
    const { page } = boon;
    await boon.today();
    await page.keyboard.press('/');
    await page.keyboard.type(vendors.ids[0] ?? '');
    await page.keyboard.press('Enter');
    await page.locator('main a[href^="/payout/"]').first().waitFor();
    await boon.see('11-found');
    await boon.click(page.locator('main a[href^="/payout/"]').first());
    await boon.see('11-unknown');
    // The button is away for 30 seconds after paydrop has asked by itself.
    const ask = page.locator('form[action$="/ask"] button');
    await until(async () => {
      const isThere = await ask.isVisible();
      if (!isThere) office.scene.clocks.pass(minuteMs);
      await page.reload();
      return isThere && (await boon.tryClick(ask));
    });
    await page.waitForLoadState();
    await boon.see('11-asked');
    expect(await ask.count()).toBe(0);
  });

  test('9: 27 inactive payees are one group, and one decision', async () => {
    const { boon, anan } = people();
    await office.control({
      behaviours: commission.proxyNos.map((proxyNo) => ({
        match: { proxyNo },
        endpoint: 'payeeCheck',
        code: 'EV033',
      })),
    });
    await handIn(boon, commission);
    await office.untilOf(commission, 'unpayable');
    await office.control({ behaviours: [] });
    await boon.openFromToday('/queue/not-paid');
    expectSums(await boon.read(), commission);
    await boon.see('09-group');
    await boon.click(boon.page.locator('#open form[action="/decide"] button.main').first());
    await boon.see('09-decide');
    expectSums(await boon.read(), commission);
    const path = await propose(boon, 'the payees have opened their accounts again');
    await boon.see('09-proposed');
    await approve(anan, path);
    await office.untilOf(commission, 'paid');
  });

  test('10: of 2,723 frozen rows 2,178 are possible, and the others say why not', async () => {
    const { boon, anan } = people();
    const { page } = boon;
    const [north, south] = rebates;
    const all = north.rows + south.rows;
    await office.control({ behaviours: [{ match: {}, money: 'untouched', code: 'EV042' }] });
    for (const file of rebates) await handIn(boon, file);
    for (const file of rebates) await office.untilOf(file, 'failed');
    await office.control({ behaviours: [] });
    await boon.today();
    await page.keyboard.press('/');
    await page.keyboard.type(`file:${north.name} waiting`);
    await page.keyboard.press('Enter');
    const decide = page.locator('main form[action="/decide"] button').first();
    await decide.waitFor();
    await boon.see('10-found');
    await boon.click(decide);
    await page.check('[value=retry]');
    const first = await propose(boon, 'the bank is up again: the north first');
    expectSums(await headline(boon), north);
    await boon.openFromToday('/queue/not-paid');
    const boxes = page.locator('#open tbody input[type="checkbox"]');
    for (const box of (await boxes.all()).slice(0, 3)) await box.check();
    await boon.see('10-chosen');
    await boon.openFromToday('/queue/not-paid');
    await boon.click(page.locator('#open form[action="/decide"] button.main').first());
    await boon.see('10-frozen');
    const said = await page.locator('.only:has(.judged):visible').innerText();
    const possible = { count: showCount(south.rows), all: showCount(all) };
    expect([possible.count, possible.all]).toEqual(['2,178', '2,723']);
    expect(said).toContain(say(boon.language, message('decide.possible-for', possible)));
    expect(said).toContain(`${boon.say('decide.left-out-of-list')}: ${showCount(north.rows)}`);
    expectSums(said, south);
    const second = await propose(boon, 'all others');
    expectSums(await headline(boon), south);
    await anan.openFromToday(second);
    await anan.see('10-check');
    expect(await headline(anan)).toBe(await headline(boon));
    for (const path of [second, first]) await approve(anan, path);
    for (const file of rebates) await office.untilOf(file, 'paid');
  });

  test('12: the totals of a day sum to their difference; a break is accepted, and the next is at hand', async () => {
    const { boon, anan } = people();
    const day = office.day(0);
    const [altered = '', missing = '', contradicted = ''] = salaries.ids;
    const paid = (salaries.amounts.get(altered) ?? 0n) + 419_372n;
    await office.control({
      statement: {
        edits: [
          {
            edit: 'alter',
            match: { reference1: altered },
            columns: { AMOUNT: formatBaht(toSatang(paid)) },
          },
          { edit: 'drop', match: { reference1: missing } },
          {
            edit: 'alter',
            match: { reference1: contradicted },
            columns: { STATUS: '030003', 'REASON CODE': 'EV055' },
          },
        ],
      },
    });
    office.passTo('09:30');
    for (const walker of [boon, anan]) await walker.signInAgain();
    await boon.openFromToday(`/reconciliation/${day}`);
    await boon.see('12-day');
    const { page } = boon;
    const differences = page.locator('main tbody td:last-child');
    const [total = 0n] = await readSatang(page.locator('main tfoot td:last-child'));
    expect(sum(await readSatang(differences))).toBe(total);
    const before = page.locator('article.br dd b');
    expect(sum(await readSatang(before))).toBe(total);
    const breaks = await before.count();
    await boon.click(page.locator(`article.br form[action$="/accept"] button`).first());
    await boon.see('12-accept');
    const path = await acceptBreak(boon, day, 'the bank has said why');
    await boon.see('12-proposed');
    await approve(anan, path);
    await anan.see('12-approved');
    await boon.openFromToday(`/reconciliation/${day}`);
    expect(await before.count()).toBe(breaks - 1);
  });

  test('14: the alarm is found by its word, and a proposal prints on one page', async () => {
    const { boon } = people();
    const { page } = boon;
    await boon.today();
    await page.keyboard.press('/');
    await page.keyboard.type('alarm');
    await page.keyboard.press('Enter');
    const found = page.locator('main a.open[href^="/payout/"]');
    await found.first().waitFor();
    await boon.see('14-alarm');
    expect(await found.count()).toBe(1);
    await boon.click(found);
    expect(await boon.read()).toContain(salaries.ids[2]);
    await boon.see('14-contradicted');

    const [latest] = await office.store.proposals(['applied'], Number.MAX_SAFE_INTEGER, 1);
    await page.goto(`/proposal/${latest?.proposalId}`);
    const printed = (await page.pdf({ format: 'A4' })).toString('latin1');
    expect(printed.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  });

  test('nothing was wrong on the way, and nobody was paid twice', async () => {
    expect(faults).toEqual([]);
    expect(office.complaints).toEqual([]);
    expect(findPaidTwice(await office.scene.bank.ledger())).toEqual([]);
  });
});
