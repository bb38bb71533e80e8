/** A proposal that was sent back is corrected and proposed again: text, evidence and items stay, of every kind. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { zeroSatang } from '../../../src/core/money.ts';
import type { Wish } from '../../../src/review/review.ts';
import type { Target } from '../../../src/review/rules/proposal.ts';
import { breakTargetOf } from '../../../src/review/queue-target.ts';
import type { Browser } from '../../support/browser.ts';
import {
  firstBatchId,
  ingest,
  ingestAs,
  makeRows,
  noonMs,
  payer,
  why,
} from '../../support/journal-fixtures.ts';
import { lineFor, openDayOf } from '../../support/reconcile-kit.ts';
import { fillRegistrations } from '../../support/registration-journal.ts';
import { propose } from '../../support/review.ts';
import { type OpenTestPage, openTestPage, pageOptionsOf } from '../../support/review-page.ts';
import { baht, date } from '../../support/statement-fixtures.ts';

let rig: OpenTestPage;
let maker: Browser;
let checker: Browser;

beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker' });
  [maker, checker] = [await rig.open('nok'), await rig.open('dao')];
});
afterEach(async () => rig[Symbol.asyncDispose]());

const readText = ({ text }: { readonly text: string }): string =>
  text.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');
const digestIn = (text: string): string => /name="seen" value="(\w+)"/.exec(text)?.[1] ?? '';
const versionIn = (text: string): string => /name="version" value="([^"]*)"/.exec(text)?.[1] ?? '';

/** The fields of the form on a page, as a browser would send them without a change. */
function fieldsIn(text: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [tag] of text.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(tag)?.[1] ?? '';
    const isSent = !/type="(?:checkbox|radio)"/.test(tag) || / checked/.test(tag.replaceAll(/\s+/g, ' '));
    if (isSent && name !== '_csrf' && name !== 'search')
      fields[name] = /value="([^"]*)"/.exec(tag)?.[1] ?? '';
  }
  for (const [, name = '', value = ''] of text.matchAll(
    /<textarea[^>]*name="(\w+)"[^>]*>\n?([^<]*)<\/textarea>/g,
  ))
    fields[name] = value;
  return fields;
}

const targetsOf = async (...payoutIds: readonly string[]): Promise<Target[]> =>
  Promise.all(
    payoutIds.map(async (payoutId) => {
      const [found] = await rig.store.findPayouts(payoutId);
      if (found === undefined) throw new Error(`no payout ${payoutId}`);
      return { kind: 'payout', key: String(found.row.seq), version: String(found.row.version) } as const;
    }),
  );

/** Proposes as the maker, and has the checker send it back. */
async function sendBack(
  wish: Pick<Wish, 'decision' | 'targets'> & Partial<Wish>,
  without: readonly Target[] = [],
): Promise<number> {
  const review = await pageOptionsOf(rig.store, rig.users).readReview();
  const { personId, name } = await rig.users.find('nok');
  const proposed = await propose(
    review,
    { note: 'the vendor asked', evidence: null, ...wish },
    { personId, name },
  );
  if (proposed.kind !== 'waiting') throw new Error(JSON.stringify(proposed, (_, one) => String(one)));
  const { proposalId } = proposed.proposal;
  const ticked = Object.fromEntries(without.map(({ key }) => [`without-${key}`, '1']));
  await checker.post(`/proposal/${proposalId}/send-back`, { note: 'say which invoice', ...ticked });
  return proposalId;
}

/** Sends the form of the page as it stands. @param typed what the maker changes */
async function proposeAgain(path: string, typed: Record<string, string> = {}) {
  const form = await maker.get(path);
  return { form, answer: await maker.post(path, { ...fieldsIn(form.text), ...typed }) };
}

const itemsOf = async (proposalId: number) => rig.store.proposalItems(proposalId, 0, 99);

describe('every kind is proposed again with its text and its items', () => {
  const kinds: readonly (readonly [
    name: string,
    make: () => Promise<Pick<Wish, 'decision' | 'targets'> & Partial<Wish>>,
    says: string,
  ])[] = [
    [
      'retry',
      async () => {
        await ingestAs(rig.store, ['failed', 'failed', 'failed'], makeRows(3));
        return { decision: 'retry', targets: await targetsOf('INV-1', 'INV-2', 'INV-3') };
      },
      'Propose to retry 3 payouts, 300.06 baht',
    ],
    [
      'settle by evidence',
      async () => {
        await ingestAs(rig.store, ['unresolved'], makeRows(1));
        return { decision: 'confirm-paid', targets: await targetsOf('INV-1'), evidence: 'letter 7/2569' };
      },
      'Propose to confirm 1 payout, 100.01 baht as paid',
    ],
    [
      'a correction',
      async () => {
        await ingestAs(rig.store, ['failed'], makeRows(1));
        const correction = { proxyNo: null, amount: '90.50' };
        const [target] = await targetsOf('INV-1');
        return {
          decision: 'retry-corrected',
          targets: target === undefined ? [] : [{ ...target, correction }],
        };
      },
      'Propose to correct and retry 1 payout',
    ],
    [
      'resume an account',
      async () => {
        await ingest(rig.store, makeRows(2), { fileName: 'a.csv' });
        await rig.store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
        const key = `${payer.companyId}/${payer.payerAccount}`;
        return { decision: 'resume-payer', targets: [{ kind: 'payer', key, version: `${noonMs} ` }] };
      },
      '2 payouts, 200.03 baht of 1 file are sent at once',
    ],
    [
      'a break',
      async () => {
        await ingestAs(rig.store, ['paid'], makeRows(1));
        await using stack = new AsyncDisposableStack();
        await using day = await openDayOf(rig.store, rig.sqlite.path, stack.move());
        const amount = { amountSatang: baht('99.00'), netSatang: baht('99.00') };
        await day.reconcile([lineFor(day.attempts[0], amount)]);
        const open = await rig.store.openBreaks(date, 9);
        return { decision: 'accept-break', targets: open.map(breakTargetOf) };
      },
      'Accept break',
    ],
    [
      'registrations',
      async () => {
        await fillRegistrations(rig.store, payer.companyId, noonMs);
        const rows = await rig.store.searchRegistrations({ statuses: ['failed', 'refused'] }, 1e9, 9);
        const targets = rows.map(({ seq, version }) => ({
          kind: 'registration' as const,
          key: String(seq),
          version: String(version),
        }));
        return { decision: 'retry', targets };
      },
      'Propose to retry 2 registrations',
    ],
  ];

  test.each(kinds)('%s', async (_, make, says) => {
    const wish = await make();
    const id = await sendBack(wish);
    expect((await maker.get(`/proposal/${id}`)).text).toContain(`href="/proposal/${id}/again"`);
    const { form, answer } = await proposeAgain(`/proposal/${id}/again`);
    expect(form.status).toBe(200);
    expect(readText(form)).toContain(says);
    expect(readText(form)).toContain('say which invoice');
    expect(form.text).toContain('the vendor asked</textarea>');
    expect(readText(answer)).toContain('Proposed: ');
    const [before, after] = [await rig.store.proposal(id), await rig.store.proposal(id + 1)];
    expect(after).toMatchObject({ status: 'proposed', note: 'the vendor asked', evidence: before?.evidence });
    expect(after?.totalSatang).toBe(before?.totalSatang);
    const named = (await itemsOf(id)).map(({ kind, key, version, correction }) => ({
      kind,
      key,
      version,
      correction,
    }));
    expect(await itemsOf(id + 1)).toMatchObject(
      named.map((one) => (one.correction === undefined ? { key: one.key, version: one.version } : one)),
    );
    const shown = await checker.get(`/proposal/${id + 1}`);
    const approved = await checker.post(`/proposal/${id + 1}/approve`, { seen: digestIn(shown.text) });
    expect(readText(approved)).toContain('applied');
  });
});

test('what the checker wants left out is ticked, and the sum is counted without it before anything is proposed', async () => {
  await ingestAs(rig.store, ['failed', 'failed', 'failed'], makeRows(3));
  const targets = await targetsOf('INV-1', 'INV-2', 'INV-3');
  const id = await sendBack({ decision: 'retry', targets }, targets.slice(1, 2));
  const path = `/proposal/${id}/again`;
  const form = await maker.get(path);
  expect(fieldsIn(form.text)).toMatchObject({ 'out-2': '1', said: '2' });
  expect(readText(form)).toContain('Propose to retry 2 payouts, 200.04 baht');
  // A box that is ticked by hand changes the sum: nothing is proposed before it was read.
  const counted = await maker.post(path, { ...fieldsIn(form.text), 'out-3': '1' });
  expect(readText(counted)).toContain('what is left out has changed');
  expect(readText(counted)).toContain('Propose to retry 1 payout, 100.01 baht');
  expect(await rig.store.proposal(id + 1)).toBeUndefined();
  await maker.post(path, fieldsIn(counted.text));
  expect((await itemsOf(id + 1)).map(({ key }) => key)).toEqual([targets[0]?.key]);
  expect((await rig.store.proposal(id + 1))?.totalSatang).toBe(baht('100.01'));
});

test('a row that was paid meanwhile is left out with the reason, and cannot come back', async () => {
  await ingestAs(rig.store, ['failed', 'failed'], makeRows(2));
  const targets = await targetsOf('INV-1', 'INV-2');
  const id = await sendBack({ decision: 'retry', targets });
  const review = await pageOptionsOf(rig.store, rig.users).readReview();
  const { personId, name } = await rig.users.find('mali');
  await propose(
    { ...review, people: 1 },
    { decision: 'retry', targets: targets.slice(0, 1), note: 'x', evidence: null },
    { personId, name },
  );
  const { form, answer } = await proposeAgain(`/proposal/${id}/again`);
  expect(readText(form)).toContain('Propose to retry 1 payout, 100.02 baht');
  expect(readText(form)).toMatch(/since|meanwhile|tried again/);
  expect(readText(answer)).toContain('Proposed: ');
  expect((await itemsOf(id + 2)).map(({ key }) => key)).toEqual([targets[1]?.key]);
});

test('is for its maker alone, while it is sent back', async () => {
  await ingestAs(rig.store, ['failed'], makeRows(1));
  const id = await sendBack({ decision: 'retry', targets: await targetsOf('INV-1') });
  const mali = await rig.open('mali');
  expect((await mali.get(`/proposal/${id}/again`)).status).toBe(404);
  expect((await mali.post(`/proposal/${id}/again`, { said: '', note: 'x', decision: 'retry' })).status).toBe(
    404,
  );
  expect((await checker.get(`/proposal/${id}/again`)).status).toBe(403);
  expect((await maker.get('/proposal/99/again')).status).toBe(404);
});

describe('a batch', () => {
  const approval = { when: 'always', aboveSatang: zeroSatang, people: 2 } as const;
  const path = `/batch/${firstBatchId}/decide/approve-batch`;

  async function proposeBatch(): Promise<void> {
    const form = await maker.get(path);
    await maker.post(path, { version: versionIn(form.text), note: 'checked with HR' });
  }

  test('is sent back without a row: its maker leaves it out by one button, and proposes the others', async () => {
    await ingest(rig.store, makeRows(3), { approval });
    await proposeBatch();
    const [, second] = await targetsOf('INV-1', 'INV-2');
    await checker.post('/proposal/1/send-back', { note: 'Without INV-2', [`without-${second?.key}`]: '1' });
    const back = await maker.get('/proposal/1');
    const [, again = ''] = /href="([^"]+\/again\/1)"/.exec(back.text) ?? [];
    const form = await maker.get(again);
    expect(readText(form)).toContain('Leave out INV-2, 100.02 baht');
    expect(readText(form)).toContain('Pay 3 people 300.06 baht');
    // A row that was not named is not left out here.
    const [first] = await targetsOf('INV-1');
    const wrong = await maker.post('/proposal/1/leave-out', {
      key: first?.key ?? '',
      version: first?.version ?? '',
    });
    expect(wrong.status).toBe(404);
    const left = await maker.post('/proposal/1/leave-out', {
      key: second?.key ?? '',
      version: second?.version ?? '',
    });
    expect(readText(left)).toContain('Pay 2 people 200.04 baht');
    expect(left.text).toContain('checked with HR</textarea>');
    expect(left.text).not.toContain('/leave-out"');
    await maker.post(path, { version: versionIn(left.text), note: 'checked with HR', again: '1' });
    const shown = await checker.get('/proposal/3');
    await checker.post('/proposal/3/approve', { seen: digestIn(shown.text) });
    expect((await rig.store.findPayouts('INV-2'))[0]?.row.status).toBe('cancelled');
    expect((await rig.store.findPayouts('INV-1'))[0]?.row.status).toBe('ready');
  });

  test('is not approved by a person who left a row out of it', async () => {
    await ingest(rig.store, makeRows(3), { approval });
    const mali = await rig.open('mali');
    const [second] = await targetsOf('INV-2');
    await mali.post(`/payout/${second?.key}/decide`, {
      version: second?.version ?? '',
      decision: 'cancel',
      note: 'paid by hand',
    });
    await proposeBatch();
    const shown = await mali.get('/proposal/2');
    expect(digestIn(shown.text)).toBe('');
    const { digest = '' } = (await rig.store.proposal(2)) ?? {};
    expect((await mali.post('/proposal/2/approve', { seen: digest })).status).toBe(409);
    const daos = await checker.get('/proposal/2');
    await checker.post('/proposal/2/approve', { seen: digestIn(daos.text) });
    expect((await rig.store.proposal(2))?.status).toBe('applied');
  });
});
