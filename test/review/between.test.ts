/** What happens between a proposal, its approval and the payment: nothing is paid of what is not the same any more. */
import { verbatim } from '../../src/core/message.ts';
import { expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import { resumeBatch } from '../../src/payout/operator.ts';
import { readTimeLimits } from '../../src/payout/rules/limits.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check, sweepProposals } from '../../src/review/review.ts';
import { versionOfBatch } from '../../src/review/rules/batch-decisions.ts';
import type { Decider, Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import { lost, payer } from '../support/core-fixtures.ts';
import { ingest, makeRow, makeRows } from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import { propose } from '../support/review.ts';
import { dayMs, openTheatre, stage, type StoreTheatre } from '../support/theatre.ts';
import { inWords } from '../support/in-words.ts';

const mali: Decider = { personId: 1, name: 'Mali' };
const nok: Decider = { personId: 2, name: 'Nok' };

const contextAt = ({ journal }: StoreTheatre, nowMs: number): ReviewContext => ({
  journal,
  clock: { now: () => nowMs },
  rules: { payoutSatangMax: null },
  payerAccount: payer.payerAccount,
  people: 2,
  expireDays: 7,
});

const wishFor = (decision: Decision, target: Target) => ({
  decision,
  targets: [target],
  note: 'seen',
  evidence: 'letter, folder 7',
});

async function rowTarget({ journal }: StoreTheatre, payoutId: string): Promise<Target> {
  const [found] = await journal.findPayouts(payoutId);
  return { kind: 'payout', key: String(found?.row.seq), version: String(found?.row.version) };
}

/** Proposed by one and approved by the other. */
async function decide(theatre: StoreTheatre, decision: Decision, target: Target) {
  const context = contextAt(theatre, theatre.now());
  const proposed = await propose(context, wishFor(decision, target), mali);
  if (proposed.kind !== 'waiting') throw new Error(`${decision}: ${JSON.stringify(proposed)}`);
  return check(context, proposed.proposal.proposalId, 'approve', nok);
}

test('who agreed to resume after one halt has agreed to nothing after the next', async () => {
  await using theatre = await openTheatre();
  const { journal } = theatre;
  const { batchId } = await ingest(journal, makeRows(2));
  const why = { code: 'brake', reason: verbatim('too many failed'), remedy: verbatim('') };
  const halt = async (nowMs: number): Promise<void> => {
    await journal.moveBatch(batchId, 'running', null, nowMs);
    await journal.holdReady(batchId, 'halted', why, nowMs);
    await journal.moveBatch(batchId, 'halted', why, nowMs);
  };
  const nowMs = theatre.now();
  await halt(nowMs);
  const target = {
    kind: 'batch',
    key: batchId,
    version: versionOfBatch(await theatre.batch(batchId)),
  } as const;
  const context = contextAt(theatre, nowMs);
  expect(await propose(context, wishFor('resume-batch', target), mali)).toMatchObject({ kind: 'waiting' });
  await resumeBatch(journal, await theatre.batch(batchId), nowMs + 1);
  await halt(nowMs + 2);
  expect(inWords(await check(context, 1, 'approve', nok))).toMatchObject({
    applied: { applied: 0, refused: [{ why: 'it has changed since: look again' }] },
  });
  expect(await theatre.batch(batchId)).toMatchObject({ status: 'halted' });
});

test('what has lapsed stays so, though the clock is set back', async () => {
  await using theatre = await openTheatre();
  await ingest(theatre.journal, [makeRow(1, { holds: ['limit'] })]);
  const nowMs = theatre.now();
  await propose(contextAt(theatre, nowMs), wishFor('go-on', await rowTarget(theatre, 'INV-1')), mali);
  expect(await sweepProposals(contextAt(theatre, nowMs + 8 * dayMs))).toEqual([1]);
  expect(inWords(await check(contextAt(theatre, nowMs), 1, 'approve', nok))).toMatchObject({
    why: 'it has lapsed: it was not checked in time',
  });
});

test('a change of people lapses in the same sweep as a proposal', async () => {
  await using theatre = await openTheatre();
  const users = new Users(theatre.journal);
  await users.add('mali', 'admin', null);
  await users.add('anan', 'admin', await users.find('mali'));
  await users.add('dao', 'checker', await users.find('mali'));
  await sweepProposals(contextAt(theatre, users.clock.now() + 6 * dayMs));
  expect(await users.changes()).toMatchObject([{ status: 'proposed' }]);
  await sweepProposals(contextAt(theatre, users.clock.now() + 7 * dayMs));
  expect(await users.changes()).toMatchObject([{ status: 'expired' }]);
  expect(await theatre.journal.firstHalf(1)).toBeNull();
});

test('a limit that is set after the approval holds what was approved', async () => {
  await using theatre = await openTheatre();
  const approval = { when: 'always', aboveSatang: toSatang(0n), people: 2 } as const;
  const { batchId } = await ingest(theatre.journal, makeRows(3), { approval });
  const { version = '' } = (await theatre.journal.approvalOf(batchId)) ?? {};
  await decide(theatre, 'approve-batch', { kind: 'batch', key: batchId, version });
  const settings = { bahtPerDay: '150', bahtPerPayeePerDay: '0', filesPerDay: 0, newPayeeBaht: '0' };
  const overTime = readTimeLimits({ ...settings, serviceDays: [], closedDates: [] });
  await theatre.run(batchId, { limits: { batchMaxAgeHours: 0, similarDays: 0, overTime } });
  expect(await theatre.statuses(batchId)).toEqual({ paid: 1, held: 2 });
});

test('what two people have called failed, and the bank completes before the next attempt, is paid once', async () => {
  await using one = await stage(1, () => ({ transfer: () => lost }));
  const { theatre, batchId } = one;
  await theatre.run(batchId, { waitMs: 2 * dayMs });
  await decide(theatre, 'confirm-failed', await rowTarget(theatre, 'INV-1'));
  await decide(theatre, 'retry', await rowTarget(theatre, 'INV-1'));
  expect(await theatre.statuses(batchId)).toEqual({ ready: 1 });
  const sent = theatre.sent.length;
  theatre.script = { inquire: (inquiry) => theatre.found(inquiry, '010004') };
  await theatre.run(batchId);
  expect(theatre.sent).toHaveLength(sent);
  const [history] = await theatre.journal.findPayouts('INV-1');
  expect(history?.row).toMatchObject({ status: 'paid', isAlarm: true, attemptNo: 1 });
});
