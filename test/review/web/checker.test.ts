/** The figures of a decision on the page: over all rows, before it is proposed, when it is checked, and afterwards. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import type { HoldReason } from '../../../src/core/payout.ts';
import { toSatang, zeroSatang } from '../../../src/core/money.ts';
import { findChangedProposal } from '../../../src/review/rules/proposal-chain.ts';
import { readMatter } from '../../../src/review/signed-approval.ts';
import { figureWhole } from '../../../src/review/freeze.ts';
import type { Browser } from '../../support/browser.ts';
import {
  firstBatchId,
  ingest,
  ingestRunning,
  makeBadRow,
  makeRow,
  makeRows,
  noonMs,
  payer,
  secondBatchId,
  statusesOf,
  why,
} from '../../support/journal-fixtures.ts';
import { type OpenTestPage, openTestPage, pageOptionsOf } from '../../support/review-page.ts';

let rig: OpenTestPage;
let maker: Browser;
let checker: Browser;

beforeEach(async () => {
  rig = await openTestPage({}, { nok: 'maker', dao: 'checker' });
  [maker, checker] = [await rig.open('nok'), await rig.open('dao')];
});
afterEach(async () => rig[Symbol.asyncDispose]());

const digestIn = (text: string): string => /name="seen" value="(\w+)"/.exec(text)?.[1] ?? '';
const versionIn = (text: string): string => /name="version" value="([^"]*)"/.exec(text)?.[1] ?? '';
const readText = (page: string): string => page.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ');

const account = `${payer.companyId}/${payer.payerAccount}`;
const halt = async () => rig.store.recordPayerHalt({ ...payer, ...why, sinceMs: noonMs });

const heldFor = (hold: HoldReason, rows: readonly StagedRow[]): StagedRow[] =>
  rows.map((row) => ({ ...row, holds: [hold] }));

const rowsFrom = (count: number, from: number): StagedRow[] => makeRows(count, from);

async function resumeAccount(): Promise<string> {
  const wish = { kind: 'payer', key: account, version: `${noonMs} `, decision: 'resume-payer' };
  const form = await maker.post('/queue/item', wish);
  await maker.post('/queue/item', { ...wish, note: 'the balance is there' });
  return readText(form.text);
}

async function decideBatch(batchId: string, decision: string): Promise<string> {
  const path = `/batch/${batchId}/decide/${decision}`;
  const form = await maker.get(path);
  await maker.post(path, { version: versionIn(form.text), note: 'looked at it' });
  return readText(form.text);
}

/** The figures of one decision, as its maker and its checker read them. */
interface Told {
  readonly name: string;
  /** @returns what the maker's form says */
  readonly propose: () => Promise<string>;
  readonly says: string;
  /** The sentence above the figures, for maker and checker. */
  readonly sentence: string;
  readonly files: readonly (readonly [fileName: string, rows: number])[];
}

const approval = { when: 'always', aboveSatang: zeroSatang, people: 2 } as const;

const told: readonly Told[] = [
  {
    name: 'a halted account sends what is ready on it, and what a run lifts by itself',
    propose: async () => {
      await ingest(rig.store, makeRows(3), { fileName: 'a.csv' });
      await ingest(
        rig.store,
        [...heldFor('paused', rowsFrom(2, 11)), ...heldFor('name', rowsFrom(1, 21)), makeBadRow(31)].map(
          (row, place) => ({ ...row, rowNo: place + 1 }),
        ),
        { batchId: secondBatchId, fileName: 'b.csv' },
      );
      await halt();
      return resumeAccount();
    },
    says: '5 payouts, 500.29 baht',
    sentence: '5 payouts, 500.29 baht of 2 files are sent at once',
    files: [
      ['a.csv', 3],
      ['b.csv', 2],
    ],
  },
  {
    name: 'a halted account sends nothing that waits for its approval',
    propose: async () => {
      await ingest(rig.store, makeRows(3), { fileName: 'a.csv' });
      await ingest(rig.store, rowsFrom(2, 11), { batchId: secondBatchId, fileName: 'b.csv', approval });
      await halt();
      return resumeAccount();
    },
    says: '3 payouts, 300.06 baht',
    sentence: '3 payouts, 300.06 baht of 1 file are sent at once',
    files: [['a.csv', 3]],
  },
  {
    name: 'a halted batch sends what is held with it, and lets its account go on with what waits there',
    propose: async () => {
      await ingestRunning(
        rig.store,
        [...heldFor('halted', makeRows(2)), ...heldFor('name', rowsFrom(1, 3))],
        {
          fileName: 'a.csv',
        },
      );
      await rig.store.moveBatch(firstBatchId, 'halted', why, noonMs + 5);
      await ingest(rig.store, rowsFrom(4, 11), { batchId: secondBatchId, fileName: 'b.csv' });
      await halt();
      return decideBatch(firstBatchId, 'resume-batch');
    },
    says: '6 payouts, 600.53 baht',
    sentence: '6 payouts, 600.53 baht of 2 files are sent at once',
    files: [
      ['b.csv', 4],
      ['a.csv', 2],
    ],
  },
  {
    name: 'a halted batch whose account is well sends its own rows alone',
    propose: async () => {
      await ingestRunning(rig.store, heldFor('halted', makeRows(2)), { fileName: 'a.csv' });
      await rig.store.moveBatch(firstBatchId, 'halted', why, noonMs + 5);
      await ingest(rig.store, rowsFrom(4, 11), { batchId: secondBatchId, fileName: 'b.csv' });
      return decideBatch(firstBatchId, 'resume-batch');
    },
    says: '2 payouts, 200.03 baht',
    sentence: '2 payouts, 200.03 baht of 1 file are sent at once',
    files: [['a.csv', 2]],
  },
  {
    name: 'a batch is approved with all that waits of it',
    propose: async () => {
      await ingest(rig.store, [...makeRows(2), ...heldFor('limit', rowsFrom(1, 3))], {
        fileName: 'a.csv',
        approval,
      });
      return decideBatch(firstBatchId, 'approve-batch');
    },
    says: '3 payouts, 300.06 baht',
    sentence:
      'Approve 3 payouts, 300.06 baht: pay 2 payouts, 200.03 baht from ••5924; 1 payout, 100.03 baht stays held',
    files: [['a.csv', 3]],
  },
];

test.each(told)('$name: told alike to the maker, the checker, and whoever signs', async (one) => {
  const form = await one.propose();
  const page = await checker.get('/proposal/1');
  for (const said of [one.says, one.sentence]) {
    expect(form).toContain(said);
    expect(readText(page.text)).toContain(said);
  }
  expect(readText(page.text)).toContain(one.says);
  const proposal = await rig.store.proposal(1);
  if (proposal === undefined) throw new Error('nothing was proposed');
  const { files, rows } = proposal.figures;
  expect(files.map((file) => [file.fileName, file.rows])).toEqual(one.files);
  const total = files.reduce((sum, file) => sum + file.amountSatang, 0n);
  expect(proposal.totalSatang).toBe(total);
  for (const [fileName] of one.files) expect(page.text).toContain(fileName);
  const scene = { isSandbox: true, companyId: payer.companyId, journalId: 'j' };
  expect(await readMatter({ journal: rig.store }, scene, proposal)).toMatchObject({
    rows,
    totalSatang: total,
  });
  const done = await checker.post('/proposal/1/approve', { seen: digestIn(page.text) });
  expect(done.text).toContain('<b>Applied.</b>');
  expect(readText(done.text)).toContain(one.says);
});

test('the button that approves names what is then paid, without a row that stays held', async () => {
  const rows = [...makeRows(2), ...heldFor('limit', rowsFrom(1, 3))];
  await ingestRunning(rig.store, rows, { fileName: 'a.csv', approval });
  await rig.store.moveBatch(firstBatchId, 'paused', { ...why, code: 'approval' }, noonMs + 5);
  const lists = await maker.get('/batches');
  expect(readText(lists.text)).toContain('Waits for approval · ');
  expect(readText((await maker.get('/queue')).text)).toContain('Propose to pay it');
  expect(readText((await maker.get('/proposals')).text)).toContain('300.06');
  await decideBatch(firstBatchId, 'approve-batch');
  const page = readText((await checker.get('/proposal/1')).text);
  expect(page).toContain('Approve and pay 200.03 baht');
  expect(page).toContain('Held even after the approval: 1 row, its amount is above the limit of a payout');
});

test('a checker reads why a row is held, and why an account or a batch is halted', async () => {
  await ingest(rig.store, [makeRow(1, { holds: ['limit'] }), makeRow(2)], { fileName: 'a.csv' });
  const form = await maker.get('/payout/1');
  await maker.post('/payout/1/decide', {
    decision: 'go-on',
    version: versionIn(form.text),
    note: 'the order was compared',
  });
  expect(readText((await checker.get('/proposal/1')).text)).toContain(
    'its amount is above the limit of a payout',
  );
  await halt();
  await resumeAccount();
  expect(readText((await checker.get('/proposal/2')).text)).toContain(
    'Why it is halted Insufficient funds (EM053)',
  );
  await ingestRunning(rig.store, rowsFrom(1, 11), { batchId: secondBatchId, fileName: 'b.csv' });
  await rig.store.moveBatch(secondBatchId, 'halted', { ...why, code: 'EM999' }, noonMs + 5);
  await decideBatch(secondBatchId, 'resume-batch');
  expect(readText((await checker.get('/proposal/3')).text)).toContain(
    'Why it is halted Insufficient funds (EM999)',
  );
});

test('a decision that pays nothing says nothing of new payees', async () => {
  await ingestRunning(rig.store, makeRows(1), { fileName: 'a.csv' });
  expect(await decideBatch(firstBatchId, 'cancel-batch')).not.toContain('To new payees');
  expect(readText((await maker.get('/proposal/1')).text)).not.toContain('To new payees');
});

test('more than was proposed is never approved: it is sent back, and proposed anew', async () => {
  await ingest(rig.store, makeRows(3), { fileName: 'a.csv' });
  await halt();
  await resumeAccount();
  const before = await checker.get('/proposal/1');
  await ingest(rig.store, rowsFrom(1, 11), { batchId: secondBatchId, fileName: 'late.csv' });
  const shown = await checker.get('/proposal/1');
  const said = `more would be sent by it now than was proposed, of late.csv (batch ${secondBatchId})`;
  expect(readText(shown.text)).toContain(`You cannot approve it ${said}`);
  const refused = await checker.post('/proposal/1/approve', { seen: digestIn(before.text) });
  expect([refused.status, readText(refused.text).includes(said)]).toEqual([409, true]);
  expect(await rig.store.payerHalts()).toHaveLength(1);
  await checker.post('/proposal/1/send-back', { note: 'another file has come' });
  expect(await resumeAccount()).toContain('4 payouts, 400.17 baht');
  const anew = await checker.get('/proposal/2');
  expect((await checker.post('/proposal/2/approve', { seen: digestIn(anew.text) })).text).toContain(
    '<b>Applied.</b>',
  );
  expect(await rig.store.payerHalts()).toEqual([]);
});

test('less than was proposed may be approved: what was cancelled meanwhile is nobody’s loss', async () => {
  await ingest(rig.store, makeRows(3), { fileName: 'a.csv' });
  await ingest(rig.store, rowsFrom(2, 11), { batchId: secondBatchId, fileName: 'b.csv' });
  await halt();
  await resumeAccount();
  await decideBatch(secondBatchId, 'cancel-batch');
  const page = await checker.get('/proposal/1');
  expect(readText(page.text)).toContain('5 payouts, 500.29 baht');
  const done = await checker.post('/proposal/1/approve', { seen: digestIn(page.text) });
  expect(done.text).toContain('<b>Applied.</b>');
  expect(await statusesOf(rig.store, secondBatchId)).toEqual(['cancelled', 'cancelled']);
});

/** More than one page of a list is read. */
const [goingOn, notGoingOn] = [510, 90];

describe('a list of 600 rows of which 90 cannot go on', () => {
  test('says so to its maker, over all rows, and proposes those that can', async () => {
    await ingest(rig.store, [
      ...heldFor('name', makeRows(goingOn)),
      ...Array.from({ length: notGoingOn }, (_, place) => makeBadRow(goingOn + place + 1)),
    ]);
    const list = await maker.post('/decide', { search: '' });
    const [, path = ''] = /action="(\/decide\/[\w-]+)"/.exec(list.text) ?? [];
    const sum = '52,303.05';
    expect(readText(list.text)).toContain(`Possible for 510 of 600 , ${sum} baht`);
    expect(readText(list.text)).toContain('90 × ');
    const form = await maker.get(path);
    expect(readText(form.text)).toContain(
      `510 payouts, ${sum} baht. It takes effect after another person approves`,
    );
    expect(readText(form.text)).toContain('Left out, because it is not possible for them: 90');
    const proposed = await maker.post(path, { decision: 'go-on', note: 'names compared' });
    expect(proposed.status).toBe(200);
    expect(await rig.store.proposal(1)).toMatchObject({ items: goingOn, figures: { rows: goingOn } });
    const page = readText((await checker.get('/proposal/1')).text);
    expect(page).toContain(`510 payouts, ${sum} baht`);
    expect(page).toContain(`Can go on now: 510 of 510 , ${sum} baht`);
  });

  test('says so to its checker, over all rows, when 90 of them were cancelled meanwhile', async () => {
    await ingest(rig.store, heldFor('name', makeRows(goingOn)), { fileName: 'a.csv' });
    const others = heldFor('name', rowsFrom(notGoingOn, 5_001)).map((row, place) => ({
      ...row,
      rowNo: place + 1,
    }));
    await ingest(rig.store, others, { batchId: secondBatchId, fileName: 'b.csv' });
    const list = await maker.post('/decide', { search: '' });
    const [, path = ''] = /action="(\/decide\/[\w-]+)"/.exec(list.text) ?? [];
    await maker.post(path, { decision: 'go-on', note: 'names compared' });
    await decideBatch(secondBatchId, 'cancel-batch');
    const page = await checker.get('/proposal/1');
    const text = readText(page.text);
    expect(text).toContain('600 payouts, ');
    expect(text).toContain('Can go on now: 510 of 600 , 52,303.05 baht');
    expect(text).toContain('Cannot go on: 90 90 × it was held then, and is cancelled now');
    const done = await checker.post('/proposal/1/approve', { seen: digestIn(page.text) });
    expect(readText(done.text)).toContain('510 of 600 applied; refused: 90');
  });
});

test('what is corrected is told as it was, before and after, for ever', async () => {
  const amountSatang = toSatang(52_795_531n);
  await ingest(rig.store, heldFor('limit', [makeRow(1, { amountSatang })]), { fileName: 'a.csv' });
  const correct = async (proposalId: number, was: string, amount: string): Promise<void> => {
    const form = await maker.get('/payout/1');
    const [version, decision] = [versionIn(form.text), 'retry-corrected'];
    await maker.post('/payout/1/decide', { version, decision, note: 'told by phone', proxyNo: '', amount });
    const before = await checker.get(`/proposal/${proposalId}`);
    const after = await checker.post(`/proposal/${proposalId}/approve`, { seen: digestIn(before.text) });
    expect(after.text).toContain('<b>Applied.</b>');
    for (const { text } of [before, after]) {
      expect(readText(text)).toContain(`Amount ${was} becomes ${amount}`);
      expect(readText(text)).toContain(`Correct and retry 1 payout, was ${was}, becomes ${amount} baht`);
      expect(readText(text)).toContain(`it was 1 payout, ${was} baht`);
    }
  };
  await correct(1, '527,955.31', '527,955.29');
  rig.users.clock.ms += 1_000;
  const [found] = await rig.store.findPayouts('INV-1');
  expect(found?.row.amountSatang).toBe(52_795_529n);
  // A later correction does not change what the earlier one says.
  await maker.get('/payout/1');
  const first = await checker.get('/proposal/1');
  expect(readText(first.text)).toContain('Amount 527,955.31 becomes 527,955.29');
});

test('what no rows are counted of is counted as items, and never as payouts', async () => {
  const review = await pageOptionsOf(rig.store, rig.users).readReview();
  for (const kind of ['break', 'day', 'file', 'callback', 'statement'] as const)
    expect(await figureWhole(review, 'acknowledge', { kind, key: 'x' })).toMatchObject({
      of: 'others',
      rows: 1,
    });
});

test('a batch of which more waits than was proposed says so beside the button', async () => {
  await ingest(rig.store, [...makeRows(2), ...heldFor('name', rowsFrom(1, 3))], {
    fileName: 'a.csv',
    approval,
  });
  await decideBatch(firstBatchId, 'approve-batch');
  const form = await maker.get('/payout/3');
  const [version, decision] = [versionIn(form.text), 'cancel'];
  await maker.post('/payout/3/decide', { version, decision, note: 'not any more' });
  const page = await checker.get('/proposal/1');
  expect(readText(page.text)).toContain('Cannot go on: 1 1 × it has changed since: look again');
  const done = await checker.post('/proposal/1/approve', { seen: digestIn(page.text) });
  expect(done.text).toContain('Out of date');
  expect(await statusesOf(rig.store)).toEqual(['held', 'held', 'cancelled']);
});

test('figures that were changed are found by the history of the proposal', async () => {
  await ingest(rig.store, makeRows(3), { fileName: 'a.csv' });
  await halt();
  await resumeAccount();
  const proposal = await rig.store.proposal(1);
  if (proposal === undefined) throw new Error('nothing was proposed');
  const events = await rig.store.proposalEvents(0, 9);
  const { figures, digest } = proposal;
  const items = await rig.store.proposalItems(1, 0, 9);
  expect(findChangedProposal(proposal, events, digest, items)).toBeUndefined();
  for (const changed of [
    { ...figures, rows: 1 },
    { ...figures, files: [] },
  ])
    expect(findChangedProposal({ ...proposal, figures: changed }, events, digest, items)).toContain(
      'what it lets happen is not what was counted',
    );
});
