/** What is no payout on the page: shown with what can be decided, taken, and decided on; nobody else's action is taken. */
import { verbatim } from '../../../src/core/message.ts';
import { expect, test } from 'vitest';
import { ingest, makeBadRow, noonMs, payer, why } from '../../support/journal-fixtures.ts';
import { openTestPage, type OpenTestPage } from '../../support/review-page.ts';

/** A refusal that is of the whole file. */
const noPlace = { line: null, column: null };

const script = '<script>alert(1)</script>';

/** A refused file with a hostile name, a halted account, and a row that waits. */
async function openWaiting(): Promise<OpenTestPage> {
  const page = await openTestPage({}, { somchai: 'maker', nok: 'checker', som: 'viewer' });
  const { store } = page;
  const refusal = {
    ...noPlace,
    code: 'no-header',
    message: verbatim(`there is no header ${script}`),
    reason: 'x',
    batchId: null,
  };
  await store.endIntake('item-1', 'rejected', noonMs, {
    fileName: `${script}.csv`,
    droppedAtMs: noonMs,
    refusal,
  });
  await store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });
  await ingest(store, [makeBadRow(1)]);
  return page;
}

const file = { kind: 'file', key: 'item-1', version: String(noonMs), decision: 'acknowledge' };

test('a refused file is shown, taken, and leaves with a note', async () => {
  await using page = await openWaiting();
  const { store } = page;
  const browser = await page.open('somchai');
  const queue = await browser.get('/queue');
  expect(queue.text).toContain('Batches <small>2</small>');
  const [, back = ''] = /href="(\/queue\/file-refused[^"]*)"/.exec(queue.text) ?? [];
  expect(queue.text).not.toContain(script);
  // An account's number stands nowhere but in the forms.
  expect(queue.text.replaceAll(/<input[^>]*>/g, '')).not.toContain(payer.payerAccount);
  expect(queue.text).toContain('it is halted already');
  // Nothing waits for the account: no sum and no number is shown.
  const [halted = ''] = /<li[^>]*>\s*<span class="sg bad".*?<\/li>/s.exec(queue.text) ?? [];
  expect(halted).toContain('is halted');
  expect(halted).toContain('nothing waits for it alone');
  const [, group = ''] = /href="(\/queue\/payer-halted[^"]*)"/.exec(queue.text) ?? [];
  const alone = await browser.get(group);
  expect(alone.text).toContain('<p>nothing waits for it alone</p>');
  expect(`${queue.text}${alone.text}`).not.toMatch(/\b0(?:\.00|\s+payouts)/);

  for (const taken of [
    { kind: 'file', key: 'item-1', back },
    { kind: 'payout', key: '1', back: '/queue/rejected.amount' },
    { kind: 'group', key: 'rejected.amount', back: '/queue/rejected.amount' },
  ]) {
    const shown = await browser.post('/queue/take', { ...taken, what: 'taken' });
    expect(shown.text).toContain('Owner: somchai');
    expect(shown.text).toContain('Give it back');
  }
  expect((await browser.post('/queue/take', { kind: 'group', key: 'no.such', what: 'taken' })).status).toBe(
    404,
  );
  const nok = await page.open('nok');
  expect((await nok.post('/queue/take', { kind: 'file', key: 'item-1', what: 'given-back' })).status).toBe(
    409,
  );

  const form = await browser.post('/queue/item', file);
  expect([form.status, form.text.includes('name="note"')]).toEqual([200, true]);
  expect((await browser.post('/queue/item', { ...file, note: ' ' })).status).toBe(422);
  await browser.post('/queue/item', { ...file, note: 'a test file' });
  expect(await store.refusedFiles(9)).toEqual([]);
  expect(await store.reviewNotes('file', ['item-1'])).toMatchObject([
    { what: 'taken' },
    { what: 'noted', person: 'somchai' },
  ]);
  expect((await browser.post('/queue/item', { ...file, note: 'again' })).status).toBe(404);
});

test('an account goes on by two people, and nobody else', async () => {
  await using page = await openWaiting();
  const wish = {
    kind: 'payer',
    key: `${payer.companyId}/${payer.payerAccount}`,
    version: `${noonMs} `,
    decision: 'resume-payer',
    note: 'the balance is there',
  };
  for (const name of ['som', 'nok']) {
    const other = await page.open(name);
    expect((await other.post('/queue/item', wish)).status).toBe(403);
  }
  expect((await (await page.open('som')).post('/queue/take', { kind: 'file', key: 'item-1' })).status).toBe(
    403,
  );
  const maker = await page.open('somchai');
  expect((await maker.post('/queue/item', { ...wish, decision: 'halt-payer' })).status).toBe(409);
  expect((await maker.post('/queue/item', { ...wish, version: '1 ' })).status).toBe(409);
  const { note, ...asked } = wish;
  const form = (await maker.post('/queue/item', asked)).text.replaceAll(/\s+/g, ' ');
  expect(form).toContain('Propose to resume the account (nothing waits to be sent now)');
  await maker.post('/queue/item', { ...asked, note });
  expect(await page.store.payerHalts()).toHaveLength(1);
  expect((await maker.get('/queue')).text).toContain('proposal 1 is about it');
  expect(await page.store.proposals(['proposed'], 99, 9)).toMatchObject([
    { decision: 'resume-payer', maker: 'somchai' },
  ]);
});

const pauseOf = (sinceMs: number) => ({
  ...payer,
  ...why,
  troubles: 2,
  isTransfer: true,
  sinceMs,
  untilMs: sinceMs + 60_000,
});

// A run records a pause, then halts the account; and what it had asked the bank may pause it anew, or find it well.
test.each([
  { name: 'stays', meanwhile: async () => {} },
  {
    name: 'is met anew',
    meanwhile: async ({ store }: OpenTestPage) => store.recordPayerPause(pauseOf(noonMs + 9_000)),
  },
  {
    name: 'ends meanwhile',
    meanwhile: async ({ store }: OpenTestPage) => store.clearPayerPause(payer.companyId, payer.payerAccount),
  },
])('a halted account goes on whose pause $name', async ({ meanwhile }) => {
  await using page = await openWaiting();
  await page.store.recordPayerPause(pauseOf(noonMs - 5_000));
  const [maker, checker] = [await page.open('somchai'), await page.open('nok')];
  const queue = await maker.get('/queue');
  const [, version = 'none'] =
    /name="kind" value="payer"[^]*?name="version" value="([^"]*)"/.exec(queue.text) ?? [];
  const key = `${payer.companyId}/${payer.payerAccount}`;
  const wish = { kind: 'payer', key, version, decision: 'resume-payer', note: 'the balance is there' };
  const proposed = await maker.post('/queue/item', wish);
  expect([proposed.status, proposed.text.includes('it has changed since')]).toEqual([200, false]);
  await meanwhile(page);
  const [, seen = ''] = /name="seen" value="(\w+)"/.exec((await checker.get('/proposal/1')).text) ?? [];
  const applied = await checker.post('/proposal/1/approve', { seen });
  expect(applied.text).toContain('<b>Applied.</b>');
  expect(await page.store.payerHalts()).toEqual([]);
  expect(await page.store.payerPause(payer.companyId, payer.payerAccount)).toBeUndefined();
});

test('a halt that takes the place of the one that was looked at is looked at anew', async () => {
  await using page = await openWaiting();
  const [maker, checker] = [await page.open('somchai'), await page.open('nok')];
  const key = `${payer.companyId}/${payer.payerAccount}`;
  const wish = { kind: 'payer', key, version: `${noonMs} `, decision: 'resume-payer', note: 'it is funded' };
  await maker.post('/queue/item', wish);
  await page.store.liftPayerHalt(payer.companyId, payer.payerAccount, noonMs + 1_000);
  await page.store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs + 2_000 });
  const [, seen = ''] = /name="seen" value="(\w+)"/.exec((await checker.get('/proposal/1')).text) ?? [];
  expect((await checker.post('/proposal/1/approve', { seen })).text).toContain('it has changed since');
  expect(await page.store.payerHalts()).toHaveLength(1);
});
