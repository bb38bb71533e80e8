/** Approvals signed on the page: by the passkey of whoever may check it, under exactly what was proposed. */
import { expect, test } from 'vitest';
import { zeroSatang } from '../../../src/core/money.ts';
import { decide } from '../../../src/review/review.ts';
import { findSignatureFault } from '../../../src/review/rules/signature.ts';
import { Authenticator } from '../../support/authenticator.ts';
import type { Browser, Shown } from '../../support/browser.ts';
import { ingest, makeRow } from '../../support/journal-fixtures.ts';
import { openTestPage, type OpenTestPage, pageOptionsOf } from '../../support/review-page.ts';

const people = { boon: 'maker', nok: 'checker', dao: 'checker' } as const;

/** A page on which approvals have to be signed, and a proposal of boon's about a held row. */
async function openSigned(rule: 'optional' | 'required' = 'required') {
  const signingOf = ({ journalId }: OpenTestPage['store']) =>
    rule === 'required' ? { signing: { companyId: '', journalId, isSandbox: true, keys: [] } } : {};
  await using stack = new AsyncDisposableStack();
  const page: OpenTestPage = stack.use(
    await openTestPage(
      {
        readReview: async () => ({
          ...(await pageOptionsOf(page.store, page.users).readReview()),
          ...signingOf(page.store),
        }),
      },
      people,
    ),
  );
  await ingest(page.store, [makeRow(1, { holds: ['name'] })]);
  const review = { ...(await pageOptionsOf(page.store, page.users).readReview()), ...signingOf(page.store) };
  const boon = await page.users.find('boon');
  const [found] = await page.store.findPayouts('INV-1');
  if (found === undefined) throw new Error('the row is not there');
  const target = { kind: 'payout', key: String(found.row.seq), version: String(found.row.version) } as const;
  const wish = { decision: 'go-on', targets: [target], note: 'seen', evidence: null } as const;
  const proposed = await decide(review, { personId: boon.personId, name: 'boon' }, [wish]);
  if (proposed.kind === 'refused') throw new Error('it was refused');
  const owned = stack.move();
  return { page, review, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const optionsIn = ({ text }: Shown): { readonly challenge: string } =>
  JSON.parse(/data-options="([^"]*)"/.exec(text)?.[1]?.replaceAll('&quot;', '"') ?? '{}');

const textIn = ({ text }: Shown): string => /<pre[^>]*>([^<]*)<\/pre\s*>/.exec(text)?.[1] ?? '';

async function giveKey({ origin, open, users }: OpenTestPage, browser: Browser, owner: string) {
  const key = new Authenticator(origin.replace('127.0.0.1', 'localhost'));
  users.clock.ms += 1;
  const answer = JSON.stringify(key.create(optionsIn(await browser.get('/passkeys')).challenge));
  await browser.post('/passkeys/enrol', { answer, label: `of ${owner}` });
  expect((await (await open('mali')).post('/passkeys/confirm', { key: key.credentialId })).text).toContain(
    'Counts',
  );
  return key;
}

test('where it is required, nothing is approved without a signature, and the page says what to do', async () => {
  await using scene = await openSigned();
  const { page } = scene;
  const nok = await page.open('nok');
  const shown = await nok.get('/proposal/1');
  expect(shown.text).toContain('Approvals have to be signed with a passkey');
  expect(shown.text).not.toContain('action="/proposal/1/approve"');
  expect((await nok.get('/proposal/1/sign')).text).toContain('no passkey that counts');
  const digest = (await page.store.proposal(1))?.digest ?? '';
  const forced = await nok.post('/proposal/1/approve', { seen: digest });
  expect([forced.status, forced.text.includes('approval.signed is required')]).toEqual([409, true]);
  expect(await page.store.proposal(1)).toMatchObject({ status: 'proposed' });
});

test('a checker signs exactly what was proposed; text and signature are kept, and hold without the journal', async () => {
  await using scene = await openSigned();
  const { page } = scene;
  const nok = await page.open('nok');
  const key = await giveKey(page, nok, 'nok');
  expect((await nok.get('/proposal/1')).text).toContain('href="/proposal/1/sign"');
  const asked = await nok.get('/proposal/1/sign');
  const digest = (await page.store.proposal(1))?.digest ?? '?';
  for (const line of [
    'paydrop approval v1',
    'decision: go-on',
    'total: 100.01 baht',
    `digest: ${digest}`,
    'person: 3 nok',
  ])
    expect(asked.text).toContain(line);
  const answer = JSON.stringify(key.get(optionsIn(asked).challenge));
  // Not in another session, nor by another person, and then not again.
  const dao = await page.open('dao');
  expect((await dao.post('/proposal/1/sign', { answer })).status).toBe(409);
  expect((await nok.post('/proposal/1/sign', { answer })).status).toBe(409);
  const last = await nok.get('/proposal/1/sign');
  const again = JSON.stringify(key.get(optionsIn(last).challenge));
  const done = await nok.post('/proposal/1/sign', { answer: again });
  expect(done.text).toContain('Applied');
  expect(done.text).toContain('Signed by');
  const kept = await page.store.signaturesOf(1);
  expect(kept.map(findSignatureFault)).toEqual([undefined]);
  // What was shown is what was signed, to the last line end; nothing in it needs an entity.
  expect(textIn(last)).toBe(kept[0]?.text);
  expect(await page.store.proposal(1)).toMatchObject({ status: 'applied', checker: 'nok' });
  expect((await nok.post('/proposal/1/sign', { answer: again })).status).toBe(409);
});

test('a signature under one proposal approves no other, and none that reads otherwise', async () => {
  await using scene = await openSigned();
  const { page, review } = scene;
  await ingest(page.store, [makeRow(7, { holds: ['name'] })], { batchId: 'ZZZZZZZZZZ' });
  const [found] = await page.store.findPayouts('INV-7');
  const row = { key: String(found?.row.seq), version: String(found?.row.version) };
  const wish = {
    decision: 'go-on',
    targets: [{ kind: 'payout', ...row }],
    note: 'x',
    evidence: null,
  } as const;
  const { personId } = await page.users.find('boon');
  await decide(review, { personId, name: 'boon' }, [wish]);
  const nok = await page.open('nok');
  const key = await giveKey(page, nok, 'nok');
  const { challenge } = optionsIn(await nok.get('/proposal/1/sign'));
  const ofOther = JSON.stringify(key.get(challenge));
  expect((await nok.post('/proposal/2/sign', { answer: ofOther })).status).toBe(409);
  await nok.get('/proposal/1/sign');
  const madeUp = JSON.stringify(key.get(Buffer.from('another digest'.padEnd(32)).toString('base64url')));
  expect((await nok.post('/proposal/1/sign', { answer: madeUp })).status).toBe(409);
  for (const id of [1, 2]) expect(await page.store.proposal(id)).toMatchObject({ status: 'proposed' });
});

test('whoever proposed it cannot sign it, and a maker not at all', async () => {
  await using scene = await openSigned('optional');
  const { page, review } = scene;
  const boon = await page.open('boon');
  expect((await boon.get('/proposal/1/sign')).status).toBe(403);
  expect((await boon.post('/proposal/1/sign', { answer: '{}' })).status).toBe(403);
  const mali = await page.open('mali');
  await giveKey(page, mali, 'mali');
  await ingest(page.store, [makeRow(7, { holds: ['name'] })], { batchId: 'ZZZZZZZZZZ' });
  const [found] = await page.store.findPayouts('INV-7');
  const target = {
    kind: 'payout',
    key: String(found?.row.seq),
    version: String(found?.row.version),
  } as const;
  const wish = { decision: 'go-on', targets: [target], note: 'seen', evidence: null } as const;
  await decide(review, { personId: 1, name: 'mali' }, [wish]);
  expect((await mali.get('/proposal/2/sign')).text).toContain('you proposed this and cannot approve it');
  // Where a signature is optional she may do without under boon's.
  const other = await mali.get('/proposal/1');
  expect(other.text).toContain('href="/proposal/1/sign"');
  expect(other.text).toContain('Approve and pay 100.01 baht without a signature');
});

test('one who approves a batch alone signs it, too', async () => {
  await using scene = await openSigned();
  const { page, review } = scene;
  const approval = { when: 'always', aboveSatang: zeroSatang, people: 1 } as const;
  await ingest(page.store, [makeRow(3)], { batchId: 'YYYYYYYYYY', approval });
  const waiting = await page.store.approvalOf('YYYYYYYYYY');
  if (waiting === undefined) throw new Error('it does not wait');
  const nok = await page.users.find('nok');
  const target = { kind: 'batch', key: 'YYYYYYYYYY', version: waiting.version } as const;
  const wish = { decision: 'approve-batch', targets: [target], note: 'seen', evidence: null } as const;
  const proposed = await decide(review, { personId: nok.personId, name: 'nok' }, [wish]);
  expect(proposed).toMatchObject({
    ends: [{ kind: 'waiting', proposal: { people: 1, status: 'proposed' } }],
  });
  const dao = await page.open('dao');
  await giveKey(page, dao, 'dao');
  expect((await dao.get('/proposal/2/sign')).text).toContain('only nok, who proposed it, can sign it');
  const browser = await page.open('nok');
  const key = await giveKey(page, browser, 'nok');
  const asked = await browser.get('/proposal/2/sign');
  for (const line of [
    'purpose: pay these rows',
    'batch: YYYYYYYYYY',
    `digest of its rows: ${waiting.version}`,
    'rows: 1',
  ])
    expect(asked.text).toContain(line);
  const answer = JSON.stringify(key.get(optionsIn(asked).challenge));
  expect((await browser.post('/proposal/2/sign', { answer })).text).toContain('Applied');
  expect(await page.store.approvalOf('YYYYYYYYYY')).toMatchObject({ rows: 0 });
});
