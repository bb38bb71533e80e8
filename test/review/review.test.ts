import { inEnglish, isMessage, message, verbatim } from '../../src/core/message.ts';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { summariseBatch } from '../../src/reports/rules/summary.ts';
import { tamper } from '../support/store-fixtures.ts';
import { applyApproved, check, sweepProposals, withdraw } from '../../src/review/review.ts';
import {
  computeProposalDigest,
  type Correction,
  type Decider,
  type Target,
} from '../../src/review/rules/proposal.ts';
import { readBatchVersion } from '../../src/review/batch-target.ts';
import { payerKeyOf, versionOfBatch, versionOfPayer } from '../../src/review/rules/batch-decisions.ts';
import type { Decision, PayoutDecision } from '../../src/review/rules/terms.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { readOptions } from '../../src/review/payout-target.ts';
import { settleOnce } from '../../src/payout/settle.ts';
import { askBeforeCancel } from '../../src/payout/superseded.ts';
import { lost, payer } from '../support/core-fixtures.ts';
import { ingest, makeBadRow, makeRow, makeRows, secondBatchId } from '../support/journal-fixtures.ts';
import { propose } from '../support/review.ts';
import { dayMs, openTheatre, stage, type StoreTheatre } from '../support/theatre.ts';
import { inWords } from '../support/in-words.ts';

const mali: Decider = { personId: 1, name: 'Mali' };
const nok: Decider = { personId: 2, name: 'Nok' };
const evidence = 'letter of the bank, 22 Nov, folder 7';

const contextOf = (theatre: StoreTheatre, people: 1 | 2 = 2): ReviewContext => ({
  journal: theatre.journal,
  clock: theatre.time,
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people,
  expireDays: 7,
});

async function targetOf(theatre: StoreTheatre, payoutId: string, batchId?: string): Promise<Target> {
  const found = await theatre.journal.findPayouts(payoutId);
  const one = found.find(({ batch }) => batchId === undefined || batch.batchId === batchId);
  if (one === undefined) throw new Error(`no payout ${payoutId}`);
  return { kind: 'payout', key: String(one.row.seq), version: String(one.row.version) };
}

async function wish(theatre: StoreTheatre, decision: PayoutDecision, ...payoutIds: readonly string[]) {
  const targets: Target[] = [];
  for (const payoutId of payoutIds) targets.push(await targetOf(theatre, payoutId));
  return { decision, targets, note: 'seen with the bank', evidence };
}

/** Proposed by one and approved by another. */
async function decide(theatre: StoreTheatre, decision: PayoutDecision, ...payoutIds: readonly string[]) {
  const context = contextOf(theatre);
  const proposed = await propose(context, await wish(theatre, decision, ...payoutIds), mali);
  if (proposed.kind !== 'waiting') return proposed;
  return check(context, proposed.proposal.proposalId, 'approve', nok, { seen: proposed.proposal.digest });
}

/** A row whose transfer is unresolved: the bank has answered nothing, and inquiries are used up. */
const stageUnresolved = () =>
  stage(2, () => ({ transfer: (order) => (order.reference1 === 'ref 1' ? lost : undefined) }));

describe('what two people decide', () => {
  test('a doubt that an outage has left ends: confirmed as failed, it is paid with the next attempt, once', async () => {
    await using one = await stageUnresolved();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 2 * dayMs });
    expect(await theatre.statuses(batchId)).toEqual({ unresolved: 1, paid: 1 });
    expect(await decide(theatre, 'confirm-failed', 'INV-1')).toMatchObject({
      kind: 'applied',
      applied: { applied: 1, refused: [] },
      proposal: { status: 'applied', maker: 'Mali', checker: 'Nok' },
    });
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1, paid: 1 });
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ settledBy: 'decision', reasonCode: 'confirmed-failed' });
    expect(history?.events.at(-1)).toMatchObject({
      cause: 'decided-failed',
      detail: { by: 'Mali', checkedBy: 'Nok', proposal: 1 },
    });
    expect(await decide(theatre, 'retry', 'INV-1')).toMatchObject({ applied: { applied: 1 } });
    theatre.script = {};
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });

  test('a doubt ends as paid, by proof that people have', async () => {
    await using one = await stageUnresolved();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 2 * dayMs });
    await decide(theatre, 'confirm-paid', 'INV-1');
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.attempts).toMatchObject([{ status: 'paid', nextInquiryAtMs: null }]);
  });

  test('nothing is called failed of which the bank says that it is in process', async () => {
    await using one = await stageUnresolved();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { waitMs: 2 * dayMs });
    theatre.script = { inquire: (inquiry) => theatre.found(inquiry, '010003') };
    await theatre.time.drive(settleOnce(theatre.context(), 'all', batchId));
    const refused = (words: string) => ({
      kind: 'refused',
      objections: [{ why: expect.stringContaining(words) }],
    });
    expect(inWords(await decide(theatre, 'confirm-failed', 'INV-1'))).toMatchObject(refused('in process'));
    // The bank has known it: its word of today is not enough, the statements are to be without a trace of it.
    theatre.script = {};
    await theatre.time.drive(settleOnce(theatre.context(), 'all', batchId));
    expect(inWords(await decide(theatre, 'confirm-failed', 'INV-1'))).toMatchObject(
      refused('must be read first'),
    );
  });

  test('a cancelled payoutId is released, and another file pays it, once', async () => {
    await using one = await stage(1, () => ({}));
    const { theatre, batchId } = one;
    expect(await decide(theatre, 'cancel', 'INV-1')).toMatchObject({ kind: 'applied' });
    const second = await ingest(theatre.journal, [makeRow(1)], { batchId: secondBatchId, fileName: 'b.csv' });
    expect(await theatre.statuses(second.batchId)).toEqual({ rejected: 1 });
    const released = await wishOf(theatre, 'release', batchId);
    const proposed = await propose(contextOf(theatre), released, mali);
    expect(proposed.kind).toBe('waiting');
    await check(contextOf(theatre), 2, 'approve', nok);
    const third = await ingest(theatre.journal, [makeRow(1)], { batchId: '99999ZZZZZ', fileName: 'c.csv' });
    await theatre.run(third.batchId);
    expect(await theatre.statuses(third.batchId)).toEqual({ paid: 1 });
    const again = await propose(contextOf(theatre), await wishOf(theatre, 'release', batchId), mali);
    expect(inWords(again)).toMatchObject({ objections: [{ why: 'its number was released before' }] });
  });
});

const wishOf = async (theatre: StoreTheatre, decision: PayoutDecision, batchId: string) => ({
  decision,
  targets: [await targetOf(theatre, 'INV-1', batchId)],
  note: 'the file is corrected',
  evidence: null,
});

describe('what one person decides', () => {
  test('an alarm ends, and does not come again by itself', async () => {
    await using one = await stage(1, (theatre) => ({
      transfer: () => theatre.code('EV042'),
      inquire: (inquiry) => theatre.found(inquiry, '030002'),
    }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const [before] = await theatre.journal.findPayouts('INV-1');
    expect(before?.row.status).toBe('failed');
    expect(await decide(theatre, 'acknowledge', 'INV-1')).toMatchObject({
      kind: 'applied',
      proposal: { people: 1, checker: null },
    });
    const [after] = await theatre.journal.findPayouts('INV-1');
    expect(after?.row).toMatchObject({ status: 'failed', isAcknowledged: true, isAlarm: false });
    expect(await decide(theatre, 'acknowledge', 'INV-1')).toMatchObject({ kind: 'refused' });
    // Tried again it is somebody's matter once more.
    await decide(theatre, 'retry', 'INV-1');
    expect((await theatre.journal.findPayouts('INV-1'))[0]?.row.isAcknowledged).toBe(false);
  });

  test('a row that asks for nothing can be taken note of', async () => {
    await using theatre = await openTheatre();
    await ingest(theatre.journal, [makeBadRow(1), makeRow(2)]);
    const acknowledged = await decide(theatre, 'acknowledge', 'INV-1');
    expect(acknowledged).toMatchObject({ kind: 'applied', applied: { applied: 1 } });
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ status: 'rejected', instruction: null, isAcknowledged: true });
  });

  test('needs a second one where money may move, and nobody is his own', async () => {
    await using one = await stage(2, (theatre) => ({ transfer: () => theatre.code('EV042') }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const context = contextOf(theatre);
    const proposed = await propose(context, await wish(theatre, 'retry', 'INV-1', 'INV-2'), mali);
    expect(proposed).toMatchObject({ kind: 'waiting', proposal: { items: 2, status: 'proposed' } });
    expect(inWords(await check(context, 1, 'approve', mali))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('cannot approve'),
    });
    expect(await check(context, 1, 'approve', nok, { involved: [2] })).toMatchObject({ kind: 'refused' });
    expect(await check(context, 1, 'approve', nok, { seen: 'something else' })).toMatchObject({
      kind: 'refused',
    });
    expect(await theatre.statuses(batchId)).toEqual({ failed: 2 });
    expect(inWords(await propose(context, await wish(theatre, 'acknowledge', 'INV-2'), nok))).toMatchObject({
      objections: [{ why: expect.stringContaining('proposal 1 is about it') }],
    });
    expect(await withdraw(context, 1, nok)).toMatchObject({ kind: 'refused' });
    expect(await withdraw(context, 1, mali)).toMatchObject({ kind: 'withdrawn' });
    expect(inWords(await check(context, 1, 'approve', nok))).toMatchObject({
      kind: 'refused',
      why: 'it was withdrawn',
    });
    expect(await propose(context, await wish(theatre, 'acknowledge', 'INV-2'), nok)).toMatchObject({
      kind: 'applied',
    });
  });

  test('is enough where the settings say so', async () => {
    await using one = await stage(1, (theatre) => ({ transfer: () => theatre.code('EV042') }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const proposed = await propose(contextOf(theatre, 1), await wish(theatre, 'retry', 'INV-1'), mali);
    expect(proposed).toMatchObject({ kind: 'applied' });
  });
});

describe('what was proposed', () => {
  test('is refused row by row where the row has changed since, with what has changed', async () => {
    await using one = await stage(2, (theatre) => ({ transfer: () => theatre.code('EV042') }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const context = contextOf(theatre);
    await propose(context, await wish(theatre, 'retry', 'INV-1', 'INV-2'), mali);
    const { key } = await targetOf(theatre, 'INV-1');
    await theatre.journal.apply(await retryChange(theatre, Number(key)));
    const checked = await check(context, 1, 'approve', nok);
    expect(inWords(checked)).toMatchObject({
      kind: 'applied',
      applied: {
        applied: 1,
        refused: [{ why: 'it was failed then, and is ready now (to be tried again)' }],
      },
    });
  });

  test('lapses when nobody checks it', async () => {
    await using one = await stage(1, (theatre) => ({ transfer: () => theatre.code('EV042') }));
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const context = contextOf(theatre);
    await propose(context, await wish(theatre, 'retry', 'INV-1'), mali);
    const later = { ...context, clock: { now: () => theatre.now() + 7 * dayMs } };
    expect(inWords(await check(later, 1, 'approve', nok))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('lapsed'),
    });
    expect(await theatre.journal.expireProposals(later.clock.now())).toEqual([1]);
    expect(await theatre.journal.proposal(1)).toMatchObject({ status: 'expired' });
  });

  test('is applied once, however many apply it, also after one of them was killed', async () => {
    await using theatre = await openTheatre();
    theatre.script = { transfer: () => theatre.code('EV042') };
    const { batchId } = await ingest(theatre.journal, makeRows(30));
    await theatre.run(batchId, {
      brake: { consecutiveFailures: 999, failureShare: 1, window: 999, inDoubtMax: 999 },
    });
    const ids = Array.from({ length: 30 }, (_, index) => `INV-${index + 1}`);
    const context = contextOf(theatre);
    await propose(context, await wish(theatre, 'retry', ...ids), mali);
    // Approved, and killed before anything of it was applied.
    await theatre.journal.moveProposal(1, { to: 'approved', by: nok, note: null, nowMs: theatre.now() });
    const [one, two] = await Promise.all([
      applyApproved(context, 1),
      applyApproved(context, 1),
      sweepProposals(context),
    ]);
    expect([one.applied, two.applied]).toEqual([30, 30]);
    expect(await theatre.statuses(batchId)).toEqual({ ready: 30 });
    for (const id of ids) {
      const [history] = await theatre.journal.findPayouts(id);
      expect(history?.events.filter(({ cause }) => cause === 'tried-again')).toHaveLength(1);
    }
  });

  test('says for every row what is possible, and why the rest is not', async () => {
    await using one = await stage(1, () => ({}));
    const { theatre } = one;
    const { key } = await targetOf(theatre, 'INV-1');
    const options = await readOptions(contextOf(theatre), Number(key));
    expect(options?.filter(({ whyNot }) => whyNot === undefined).map(({ decision }) => decision)).toEqual([
      'cancel',
    ]);
  });
});

async function retryChange(theatre: StoreTheatre, seq: number) {
  const { decideRetry } = await import('../../src/payout/rules/operator.ts');
  const payout = await theatre.journal.payout(seq);
  if (payout === undefined) throw new Error(`no payout ${seq}`);
  const changes = decideRetry(payout, [], theatre.now());
  if (isMessage(changes)) throw new Error(inEnglish(changes));
  return changes;
}

describe('a row that is corrected', () => {
  const correct = async (theatre: StoreTheatre, payoutId: string, correction: Correction) => {
    const context = contextOf(theatre);
    const target = { ...(await targetOf(theatre, payoutId)), correction };
    const wanted = {
      decision: 'retry-corrected',
      targets: [target],
      note: 'the payee has told',
      evidence: null,
    } as const;
    const proposed = await propose(context, wanted, mali);
    return proposed.kind === 'waiting'
      ? check(context, proposed.proposal.proposalId, 'approve', nok)
      : proposed;
  };
  const stageWrong = () =>
    stage(3, (theatre) => ({
      transfer: (order, no) =>
        no <= 2 && order.proxyNo !== '0899999999' ? theatre.code('EV042') : undefined,
      inquire: (inquiry) => theatre.found(inquiry, inquiry.transRefNo.endsWith('01') ? '030002' : undefined),
    }));

  test('is paid once, to the new payee, with the amount that was approved; the file still adds up', async () => {
    await using one = await stageWrong();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    expect(await theatre.statuses(batchId)).toEqual({ failed: 2, paid: 1 });
    await expect(
      correct(theatre, 'INV-1', { proxyNo: '0899999999', amount: '70.50' }),
    ).resolves.toMatchObject({
      applied: { applied: 1 },
    });
    const [before] = await theatre.journal.findPayouts('INV-1');
    expect(before?.row).toMatchObject({
      status: 'ready',
      instruction: { proxyNo: '0899999999', amountSatang: 7050n },
    });
    expect(before?.events.at(-1)).toMatchObject({
      cause: 'corrected',
      detail: { by: 'Mali', checkedBy: 'Nok', was: 'failed', amount: ['100.01', '70.50'] },
    });
    await theatre.run(batchId);
    const [history] = await theatre.journal.findPayouts('INV-1');
    expect(history?.row).toMatchObject({ status: 'paid', attemptNo: 2 });
    expect(history?.attempts.at(-1)?.order).toMatchObject({ proxyNo: '0899999999', amountText: '70.50' });
    const totals = await theatre.journal.totals(batchId);
    const summary = summariseBatch(await theatre.batch(batchId), totals, [], { exceptionsOk: false });
    expect(summary).toMatchObject({ addsUp: true, correctionSatang: 7050n - 10001n });
  });

  test('enters the digest of its proposal salted: no number is found from it by trial', async () => {
    await using one = await stageWrong();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    await correct(theatre, 'INV-1', { proxyNo: '0899999999', amount: null });
    const { digest } = (await theatre.journal.proposal(1)) ?? {};
    const items = await theatre.journal.proposalItems(1, 0, 10);
    expect(items[0]?.correction?.proxyNo).toBe('0899999999');
    expect(computeProposalDigest('retry-corrected', items)).toBe(digest);
    const { salt, ...unsalted } = items[0]!;
    expect(salt).toMatch(/^[\da-f]{32}$/v);
    expect(computeProposalDigest('retry-corrected', [unsalted])).not.toBe(digest);
  });

  test('keeps what it was, and nothing but a decision changes it', async () => {
    await using one = await stageWrong();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    await correct(theatre, 'INV-1', { proxyNo: null, amount: '70.50' });
    const path = join(theatre.folder, 'journal.db');
    expect(() => tamper(path, "update payout_row set proxy_no = '0800000000'")).toThrow('never changed');
    expect(() => tamper(path, 'update payout set amount_satang = 1')).toThrow('by a correction alone');
    using db = new DatabaseSync(path, { readOnly: true });
    const [kept] = db.prepare('select replaced from instruction_version').all();
    expect(JSON.parse(String(kept?.['replaced']))).toMatchObject({
      amountSatang: '10001',
      proxyNo: '0810000001',
    });
    expect(db.prepare('select sealed_satang from payout where row_no = 1').get()).toEqual({
      sealed_satang: 10_001,
    });
  });

  test.for<[string, Correction, string]>([
    ['the number of nobody', { proxyNo: '0812', amount: null }, 'still wrong'],
    ['no amount', { proxyNo: null, amount: '1,000' }, 'still wrong'],
    ['what it is already', { proxyNo: '081-000-0001', amount: '100.01' }, 'changes nothing'],
  ])('is not corrected to %s', async ([, correction, words]) => {
    await using one = await stageWrong();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    expect(inWords(await correct(theatre, 'INV-1', correction))).toMatchObject({
      objections: [{ why: expect.stringContaining(words) }],
    });
    expect(inWords(await correct(theatre, 'INV-3', { proxyNo: '0899999999', amount: null }))).toMatchObject({
      objections: [{ why: expect.stringContaining('it is paid') }],
    });
  });

  test('that its file had wrong is paid after all', async () => {
    await using theatre = await openTheatre();
    const bad = {
      ...makeRow(1),
      instruction: null,
      issues: [
        { line: 2, column: 'proxyNo', code: 'proxy-letters', value: 'x', message: verbatim('no number') },
      ],
    } as const;
    const { batchId } = await ingest(theatre.journal, [bad, makeRow(2)]);
    expect(await correct(theatre, 'INV-1', { proxyNo: '0899999999', amount: '1.00' })).toMatchObject({
      kind: 'applied',
    });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
    expect(theatre.sent.map(({ payoutId }) => payoutId).toSorted()).toEqual(['ref 1', 'ref 2']);
  });
});

describe('a batch and an account as a whole', () => {
  const wanted = (decision: Decision, target: Target) => ({
    decision,
    targets: [target],
    note: 'asked for',
    evidence: null,
  });
  const batchTarget = async (theatre: StoreTheatre, batchId: string): Promise<Target> => ({
    kind: 'batch',
    key: batchId,
    version: await readBatchVersion(contextOf(theatre), await theatre.batch(batchId)),
  });

  /** A batch of which one row is held after its request has left, and the bank's word about it. */
  const stageRefused = () =>
    stage(3, (theatre) => ({
      transfer: (_order, no) => (no === 1 ? theatre.code('EM053') : undefined),
      inquire: (inquiry) => theatre.found(inquiry, '030002'),
    }));
  /** The same, where the bank can be asked. */
  const asking = (theatre: StoreTheatre): ReviewContext => ({
    ...contextOf(theatre),
    openCancelQuestions: () => ({
      ask: (...asked) => askBeforeCancel(theatre.context(), ...asked),
      [Symbol.asyncDispose]: async () => {},
    }),
  });

  test.each([
    ['refused where the bank cannot be asked', contextOf, 0, { held: 3 }],
    ['cancelled once the bank was asked', asking, 1, { cancelled: 1, held: 2 }],
  ])('a row that was sent is %s', async (_name, contextFor, applied, statuses) => {
    await using one = await stageRefused();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    const proposed = await theatre.time.drive(
      propose(contextFor(theatre), await wish(theatre, 'cancel', 'INV-1'), mali),
    );
    expect(proposed).toMatchObject({ kind: 'applied', applied: { applied } });
    if (applied === 0)
      expect(inWords(proposed)).toMatchObject({
        applied: { refused: [{ why: expect.stringMatching(/was sent as PD.*cannot be asked/) }] },
      });
    expect(await theatre.statuses(batchId)).toEqual(statuses);
  });

  test.each([
    ['but for what was sent, where the bank cannot be asked', contextOf, { cancelled: 2, held: 1 }],
    ['whole, once the bank was asked', asking, { cancelled: 3 }],
  ])('is cancelled %s', async (_name, contextFor, statuses) => {
    await using one = await stageRefused();
    const { theatre, batchId } = one;
    await theatre.run(batchId, { transferConcurrency: 1 });
    const target = await batchTarget(theatre, batchId);
    await theatre.time.drive(propose(contextFor(theatre), wanted('cancel-batch', target), mali));
    expect(await theatre.statuses(batchId)).toEqual(statuses);
  });

  test('is cancelled by one person, and not twice', async () => {
    await using one = await stage(3, () => ({}));
    const { theatre, batchId } = one;
    const target = await batchTarget(theatre, batchId);
    expect(await propose(contextOf(theatre), wanted('cancel-batch', target), mali)).toMatchObject({
      kind: 'applied',
      proposal: { totalSatang: 30_006n },
    });
    expect(await theatre.statuses(batchId)).toEqual({ cancelled: 3 });
    const again = await propose(
      contextOf(theatre),
      wanted('cancel-batch', await batchTarget(theatre, batchId)),
      mali,
    );
    expect(inWords(again)).toMatchObject({
      objections: [{ why: 'all of it is with the bank, or has ended' }],
    });
  });

  test.each([
    { seen: payer.payerAccount, now: '0000999999' },
    { seen: '0000999999', now: '0000888888' },
    { seen: '0000999999', now: payer.payerAccount },
  ])('is not resumed from account $now where two people looked at $seen', async ({ seen, now }) => {
    await using one = await stage(2, () => ({}));
    const { theatre, batchId } = one;
    const why = { code: 'by-hand', reason: verbatim('by hand'), remedy: verbatim('') };
    await theatre.journal.moveBatch(batchId, 'running', null, theatre.now());
    await theatre.journal.holdReady(batchId, 'halted', why, theatre.now());
    await theatre.journal.moveBatch(batchId, 'halted', why, theatre.now());
    const before = { ...contextOf(theatre), payerAccount: seen };
    const version = versionOfBatch(await theatre.batch(batchId), seen);
    const resume = wanted('resume-batch', { kind: 'batch', key: batchId, version });
    expect(await propose(before, resume, mali)).toMatchObject({ kind: 'waiting' });
    const checked = await check({ ...before, payerAccount: now }, 1, 'approve', nok);
    expect(checked).toMatchObject({ applied: { applied: 0, refused: [{ status: 'refused' }] } });
    expect((await theatre.batch(batchId)).payerAccount).toBe(payer.payerAccount);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
  });

  test('an account is halted by one, and goes on by two', async () => {
    await using one = await stage(2, () => ({}));
    const { theatre, batchId } = one;
    const key = payerKeyOf(payer);
    const halt = wanted('halt-payer', { kind: 'payer', key, version: versionOfPayer(undefined, undefined) });
    expect(await propose(contextOf(theatre), halt, mali)).toMatchObject({ kind: 'applied' });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ held: 2 });
    expect(theatre.sent).toEqual([]);
    const inForce = await theatre.journal.payerHalt(payer.companyId, payer.payerAccount);
    expect(inForce).toMatchObject({
      code: 'halted-by-operator',
      reason: message('payer.halted-by', { person: 'Mali', note: 'asked for' }),
    });

    const resume = wanted('resume-batch', await batchTarget(theatre, batchId));
    const proposed = await propose(contextOf(theatre), resume, mali);
    expect(proposed).toMatchObject({ kind: 'waiting' });
    expect(await check(contextOf(theatre), 2, 'approve', nok)).toMatchObject({
      applied: { applied: 1, refused: [] },
    });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });
});
