/** A payer account that is resumed: its proposal counts exactly what is then sent, and nothing else goes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { verbatim } from '../../src/core/message.ts';
import type { TransferOrder } from '../../src/core/payout.ts';
import { type Satang, sumSatang, toSatang, zeroSatang } from '../../src/core/money.ts';
import { haltUnsent } from '../../src/payout/conclude.ts';
import { cancelBatch } from '../../src/payout/operator.ts';
import { readBatchVersion } from '../../src/review/batch-target.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { figureWhole } from '../../src/review/freeze.ts';
import { applyApproved, check, sweepProposals } from '../../src/review/review.ts';
import { payerKeyOf, versionOfPayer } from '../../src/review/rules/batch-decisions.ts';
import type { Decider } from '../../src/review/rules/proposal.ts';
import { countedOf } from '../../src/review/rules/proposal-figures.ts';
import type { Store } from '../../src/store/store.ts';
import { lost, noonMs, payer } from '../support/core-fixtures.ts';
import { describeOnEngines, type MakeStore } from '../support/engines.ts';
import { inWords } from '../support/in-words.ts';
import { ingest, makeRow, makeRows, resultRows } from '../support/journal-fixtures.ts';
import { propose } from '../support/review.ts';
import { minuteMs, Theatre } from '../support/theatre.ts';

const boon: Decider = { personId: 1, name: 'Boon' };
const nok: Decider = { personId: 2, name: 'Nok' };
const approval = { when: 'always', aboveSatang: zeroSatang, people: 2 } as const;
const grown = { code: 'file-grown', reason: verbatim('its file has grown'), remedy: verbatim('look') };

type OfStore = Theatre & { readonly journal: Store };

const contextOf = ({ journal, time }: OfStore): ReviewContext => ({
  journal,
  clock: time,
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

/** The names of the files, in the order in which they come to the account. */
const ids = {
  halting: 'A000000000',
  behind: 'B000000000',
  unbegun: 'C000000000',
  grown: 'D000000000',
  unapproved: 'E000000000',
  cancelled: 'F000000000',
  joined: 'G000000000',
} as const;

/** A run; its clock goes on while the journal answers in its own time, as a server does. */
async function run(theatre: OfStore, batchId: string, options: Parameters<Theatre['start']>[1] = {}) {
  const over = new AbortController();
  const running = theatre
    .start(batchId, { waitMs: minuteMs, transferConcurrency: 1, ...options })
    .finally(() => over.abort());
  while (!over.signal.aborted) {
    await sleep(10);
    await theatre.time.advance(1_000);
  }
  await running;
}

/** Runs whatever can run, as a watcher does, until nothing is left to. */
async function work(theatre: OfStore): Promise<void> {
  for (let rounds = 0; rounds < 4; rounds += 1)
    for (const { batch } of await theatre.journal.runnableBatches())
      if ((await theatre.journal.payerHalt(payer.companyId, payer.payerAccount)) === undefined)
        await run(theatre, batch.batchId);
}

/** An account that the bank refuses at the fourth transfer, with batches that wait for it and for other things. */
async function haltAccount(theatre: OfStore): Promise<void> {
  const { journal } = theatre;
  await ingest(journal, [...makeRows(6), makeRow(7, { holds: ['limit'] })], { batchId: ids.halting });
  await ingest(journal, [...makeRows(3, 11), makeRow(14, { holds: ['name'] })], { batchId: ids.behind });
  await ingest(journal, makeRows(2, 21), { batchId: ids.unbegun });
  const { batchId } = await ingest(journal, makeRows(2, 31), { batchId: ids.grown });
  await haltUnsent(journal, await theatre.batch(batchId), grown, theatre.now());
  await ingest(journal, makeRows(2, 41), { batchId: ids.unapproved, approval });
  await ingest(journal, makeRows(3, 51), { batchId: ids.cancelled });
  const inDoubt = new Set<string>();
  const lose = ({ transRefNo }: TransferOrder) => {
    inDoubt.add(transRefNo);
    return lost;
  };
  const inquire: Theatre['script']['inquire'] = (inquiry) =>
    theatre.found(inquiry, inDoubt.has(inquiry.transRefNo) ? '010003' : undefined);
  const interrupted = new AbortController();
  const loseAndStop = (order: TransferOrder) => {
    interrupted.abort();
    return lose(order);
  };
  theatre.script = { inquire, transfer: loseAndStop };
  await run(theatre, ids.cancelled, { interrupted: interrupted.signal });
  await cancelBatch(journal, await theatre.batch(ids.cancelled), theatre.now());
  const lostNo = theatre.sent.length + 3;
  theatre.script = {
    inquire,
    transfer: (order, no) => (no === lostNo ? lose(order) : no > lostNo ? theatre.code('EM053') : undefined),
  };
  await run(theatre, ids.halting);
  await run(theatre, ids.behind);
  theatre.script = { inquire };
}

const targetOf = async ({ journal }: OfStore) => {
  const halt = await journal.payerHalt(payer.companyId, payer.payerAccount);
  const pause = await journal.payerPause(payer.companyId, payer.payerAccount);
  return { kind: 'payer', key: payerKeyOf(payer), version: versionOfPayer(halt, pause) } as const;
};

async function proposeResume(theatre: OfStore) {
  const targets = [await targetOf(theatre)];
  const wish = { decision: 'resume-payer', targets, note: 'funded', evidence: null } as const;
  const proposed = await propose(contextOf(theatre), wish, boon);
  if (proposed.kind !== 'waiting') throw new Error(JSON.stringify(inWords(proposed)));
  return proposed.proposal;
}

async function proposeBatch(theatre: OfStore, batchId: string, context: ReviewContext) {
  const version = await readBatchVersion(context, await theatre.batch(batchId));
  const targets = [{ kind: 'batch', key: batchId, version }] as const;
  const wish = { decision: 'resume-batch', targets, note: 'funded', evidence: null } as const;
  const proposed = await propose(context, wish, boon);
  if (proposed.kind !== 'waiting') throw new Error(JSON.stringify(inWords(proposed)));
  return proposed.proposal;
}

/** The rows that are sent while something is done: how many, their sum, and how often each. */
async function sentBy(theatre: OfStore, act: () => Promise<void>) {
  const before = theatre.sent.length;
  await act();
  const references = theatre.sent.slice(before).map(({ payoutId }) => payoutId);
  const amounts: Satang[] = [];
  for (const batchId of Object.values(ids))
    for (const row of await resultRows(theatre.journal, batchId))
      if (references.includes(row.instruction?.reference1 ?? ''))
        amounts.push(toSatang(row.amountSatang ?? 0n));
  return { references, rows: amounts.length, amountSatang: sumSatang(amounts) };
}

const openStage = async (makeStore: MakeStore) => {
  const opened = await makeStore();
  const theatre = new Theatre(opened.store, 'of its own', noonMs) as OfStore;
  await haltAccount(theatre);
  return { theatre, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
};

const statusesOf = async (theatre: OfStore) =>
  Object.fromEntries(
    await Promise.all(
      (await theatre.journal.batches()).map(async ({ batchId, status }) => [batchId, status] as const),
    ),
  );

describeOnEngines('an account that is resumed', (makeStore) => {
  test('sends what its proposal counts, of the batches that it alone has halted', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    expect(await statusesOf(theatre)).toMatchObject({
      [ids.halting]: 'halted',
      [ids.behind]: 'halted',
      [ids.unbegun]: 'sealed',
      [ids.grown]: 'halted',
      [ids.cancelled]: 'halted',
    });
    const proposal = await proposeResume(theatre);
    expect(Object.fromEntries(proposal.figures.files.map(({ batchId, rows }) => [batchId, rows]))).toEqual({
      [ids.halting]: 3,
      [ids.behind]: 3,
      [ids.unbegun]: 2,
    });
    const sent = await sentBy(theatre, async () => {
      expect(await check(contextOf(theatre), proposal.proposalId, 'approve', nok)).toMatchObject({
        applied: { applied: 1 },
      });
      await work(theatre);
    });
    const { rows, amountSatang } = countedOf(proposal);
    expect(sent).toMatchObject({ rows, amountSatang });
    expect(new Set(sent.references).size).toBe(sent.references.length);
    expect(sent.references).toHaveLength(rows);
    // The one in doubt, and what waits for something else.
    expect(await theatre.statuses(ids.halting)).toEqual({ paid: 5, submitted: 1, held: 1 });
    expect(await theatre.statuses(ids.behind)).toEqual({ paid: 3, held: 1 });
    expect(await theatre.statuses(ids.grown)).toEqual({ held: 2 });
    expect(await theatre.statuses(ids.unapproved)).toEqual({ held: 2 });
    expect(Object.keys(await theatre.statuses(ids.cancelled)).toSorted()).toEqual(['cancelled', 'submitted']);
    expect(await statusesOf(theatre)).toMatchObject({ [ids.grown]: 'halted', [ids.cancelled]: 'halted' });
    // The evidence of a row tells who let its file go on.
    await using reader = await theatre.journal.openAudit();
    const about = async (batchId: string) =>
      (await reader.proposalsAbout([], [batchId])).map(({ proposalId }) => proposalId);
    expect(await about(ids.behind)).toContain(proposal.proposalId);
    expect(await about(ids.grown)).not.toContain(proposal.proposalId);
  });

  test('counts the age of its batches anew, so that none of them is too old to go', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    await theatre.time.advance(3 * 24 * 60 * minuteMs);
    const proposal = await proposeResume(theatre);
    const sent = await sentBy(theatre, async () => {
      await check(contextOf(theatre), proposal.proposalId, 'approve', nok);
      await work(theatre);
    });
    expect(sent.rows).toBe(proposal.figures.rows);
  });

  test('is not resumed when a file has joined since, at the check or after it, until it is counted', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    const { journal } = theatre;
    const context = contextOf(theatre);
    const { proposalId } = await proposeResume(theatre);
    await ingest(journal, makeRows(4, 61), { batchId: ids.joined });
    const refused = await check(context, proposalId, 'approve', nok);
    expect(inWords(refused)).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining('more') as string,
    });
    // Killed between the check and its effect; the file joins then.
    await journal.moveProposal(proposalId, { to: 'approved', by: nok, note: null, nowMs: theatre.now() });
    const sent = await sentBy(theatre, async () => {
      await sweepProposals(context);
      await work(theatre);
    });
    expect(sent.rows).toBe(0);
    expect(await journal.payerHalt(payer.companyId, payer.payerAccount)).toBeDefined();
    const again = await proposeResume(theatre);
    expect(again.figures.files).toHaveLength(4);
    await check(context, again.proposalId, 'approve', nok);
    expect((await sentBy(theatre, () => work(theatre))).rows).toBe(again.figures.rows);
  });

  test('counts less, and sends that, when a batch was cancelled since', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    const { proposalId, figures } = await proposeResume(theatre);
    await cancelBatch(theatre.journal, await theatre.batch(ids.behind), theatre.now());
    await cancelBatch(theatre.journal, await theatre.batch(ids.halting), theatre.now());
    const sent = await sentBy(theatre, async () => {
      await check(contextOf(theatre), proposalId, 'approve', nok);
      await work(theatre);
    });
    const left = figures.files.filter(({ batchId }) => batchId === ids.unbegun);
    expect([sent.rows, sent.amountSatang]).toEqual([left[0]?.rows, left[0]?.amountSatang]);
    // With a row in doubt: what comes back unsent is not sent again.
    expect(await theatre.batch(ids.halting)).toMatchObject({ status: 'halted', reasonCode: 'cancelled' });
  });

  test('is resumed once, though two processes apply it and it halts again in between', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    const { journal } = theatre;
    const { proposalId } = await proposeResume(theatre);
    await journal.moveProposal(proposalId, { to: 'approved', by: nok, note: null, nowMs: theatre.now() });
    const again = { ...payer, code: 'EM053', reason: verbatim('empty'), remedy: verbatim('fund it') };
    let lifts = 0;
    const slow = {
      ...journal,
      resumePayer: async (...asked: Parameters<Store['resumePayer']>) => {
        lifts += 1;
        if (lifts === 1) {
          // The other process is quicker, and what it sends halts the account again.
          await applyApproved(contextOf(theatre), proposalId);
          await journal.recordPayerHalt({ ...again, sinceMs: theatre.now() + 5 });
        }
        return journal.resumePayer(...asked);
      },
    };
    await applyApproved({ ...contextOf(theatre), journal: slow }, proposalId);
    expect(await journal.payerHalt(payer.companyId, payer.payerAccount)).toMatchObject({
      sinceMs: theatre.now() + 5,
    });
    expect(await journal.proposalItems(proposalId, 0, 5)).toMatchObject([{ status: 'applied' }]);
  });

  test('is counted alike when it halts again before a batch with a row in doubt has gone on', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    const { journal } = theatre;
    const told = {
      batchId: ids.halting,
      kind: 'result',
      number: 0,
      path: '/r',
      temporaryPath: '/t',
    } as const;
    await using snapshot = await journal.snapshot();
    const { eventSeq } = snapshot;
    await journal.recordReports([{ ...told, sha256: '0'.repeat(64), eventSeq, atMs: theatre.now() }]);
    const first = await proposeResume(theatre);
    await check(contextOf(theatre), first.proposalId, 'approve', nok);
    const again = { ...payer, code: 'EM053', reason: verbatim('empty'), remedy: verbatim('fund it') };
    await journal.recordPayerHalt({ ...again, sinceMs: theatre.now() + 5 });
    const second = await proposeResume(theatre);
    expect(second.figures.rows).toBe(first.figures.rows);
    const sent = await sentBy(theatre, async () => {
      await check(contextOf(theatre), second.proposalId, 'approve', nok);
      await work(theatre);
    });
    expect(sent.rows).toBe(second.figures.rows);
  });

  test('is checked by no one who had a part in a file that goes on', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    await theatre.journal.keepUpload(ids.behind, nok.personId ?? 0, theatre.now());
    const { proposalId } = await proposeResume(theatre);
    expect(inWords(await check(contextOf(theatre), proposalId, 'approve', nok))).toMatchObject({
      kind: 'refused',
    });
    const dao: Decider = { personId: 3, name: 'Dao' };
    expect(await check(contextOf(theatre), proposalId, 'approve', dao)).toMatchObject({ kind: 'applied' });
  });

  test('goes on with a batch of it that is resumed, as that proposal counts', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    const context = contextOf(theatre);
    const proposal = await proposeBatch(theatre, ids.behind, context);
    const { rows, amountSatang } = countedOf(proposal);
    const sent = await sentBy(theatre, async () => {
      await check(context, proposal.proposalId, 'approve', nok);
      await work(theatre);
    });
    expect([sent.rows, sent.amountSatang]).toEqual([rows, amountSatang]);
    expect(rows).toBe(8);
  });

  test('stays halted when it was halted after a batch of it was proposed', async () => {
    const opened = await makeStore();
    await using _ = opened;
    const theatre = new Theatre(opened.store, 'of its own', noonMs) as OfStore;
    const { batchId } = await ingest(theatre.journal, makeRows(2), { batchId: ids.behind });
    await theatre.journal.moveBatch(batchId, 'running', null, theatre.now());
    await theatre.journal.holdReady(batchId, 'paused', grown, theatre.now());
    await theatre.journal.moveBatch(batchId, 'paused', grown, theatre.now());
    const { proposalId } = await proposeBatch(theatre, batchId, contextOf(theatre));
    await theatre.journal.recordPayerHalt({ ...payer, ...grown, sinceMs: theatre.now() });
    expect(await check(contextOf(theatre), proposalId, 'approve', nok)).toMatchObject({
      applied: { applied: 0 },
    });
    expect((await sentBy(theatre, () => work(theatre))).rows).toBe(0);
    expect(await theatre.journal.payerHalt(payer.companyId, payer.payerAccount)).toBeDefined();
  });

  test('stays halted when a batch of it is resumed from another account, and counts its files by itself', async () => {
    await using staged = await openStage(makeStore);
    const { theatre } = staged;
    const later = { ...contextOf(theatre), payerAccount: '0000999999' };
    const { proposalId, figures } = await proposeBatch(theatre, ids.behind, later);
    expect(figures.files.map(({ batchId }) => batchId)).toEqual([ids.behind]);
    expect(await check(later, proposalId, 'approve', nok)).toMatchObject({ applied: { applied: 1 } });
    expect(await theatre.journal.payerHalt(payer.companyId, payer.payerAccount)).toBeDefined();
    expect(await theatre.batch(ids.halting)).toMatchObject({ status: 'halted' });
    const ofLater = await figureWhole(later, 'resume-payer', await targetOf(theatre));
    expect(ofLater.files.map(({ batchId }) => batchId).toSorted()).toEqual([ids.halting, ids.unbegun]);
  });
});
