/** Who decides, by what the journal knows of people: whoever proposed it, whoever checks it, and whoever had a part in it. */
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import { decide } from '../../src/review/review.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { approveBatch } from '../../src/review/approve-batch.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import type { Role } from '../../src/review/rules/people.ts';
import type { Correction, Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import { deciderOf, giveVerdict } from '../../src/review/verdict.ts';
import { noonMs, payer } from '../support/core-fixtures.ts';
import { firstBatchId, ingest, makeRow, makeRows } from '../support/journal-fixtures.ts';
import { Users } from '../support/persons.ts';
import { openTheatre } from '../support/theatre.ts';
import { inWords } from '../support/in-words.ts';

const byTwo: ApprovalPolicy = { when: 'always', aboveSatang: toSatang(0n), people: 2 };
const byOne: ApprovalPolicy = { ...byTwo, people: 1 };

/** ann and ben are admins; mali and kwan are makers, to whom ben alone gave the first password. */
async function openOffice(people: 1 | 2 = 2) {
  const theatre = await openTheatre();
  const { journal } = theatre;
  const users = new Users(journal);
  const ann = async () => users.find('ann');
  await users.add('ann', 'admin', null);
  await users.add('ben', 'admin', await ann());
  for (const name of ['mali', 'kwan']) await users.add(name, 'maker', await users.find('ben'));
  const context: ReviewContext = {
    journal,
    clock: users.clock,
    rules: { payoutSatangMax: null },
    payerAccount: payer.payerAccount,
    people,
    approvers: people,
    expireDays: 7,
  };
  const prove = async (name: string) => users.prove(name);
  const target = async (payoutId: string): Promise<Target> => {
    const [found] = await journal.findPayouts(payoutId);
    return { kind: 'payout', key: String(found?.row.seq), version: String(found?.row.version) };
  };
  return {
    theatre,
    users,
    prove,
    target,
    propose: async (name: string, decision: Decision, targets: readonly Target[]) => {
      const wish = { decision, targets, note: 'seen', evidence: null };
      const proposed = await decide(context, deciderOf(await prove(name)), [wish]);
      return proposed.kind === 'refused' ? proposed : (proposed.ends[0] ?? proposed);
    },
    verdict: async (name: string, verdict: 'approve' | 'send-back') =>
      giveVerdict(context, 1, verdict, await prove(name), { note: 'looked at' }),
    approve: async (name: string) => approveBatch(context, await prove(name), firstBatchId, { note: 'seen' }),
    /** By one admin, about another user. */
    change: async (name: string, kind: 'disable' | 'enable' | Role) => {
      const { personId } = await users.find(name);
      const request =
        kind === 'disable' || kind === 'enable'
          ? ({ kind, personId } as const)
          : ({ kind: 'role', personId, role: kind } as const);
      expect(await users.ask(request, await users.find('ben'))).toMatchObject({ kind: 'done' });
    },
    [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose](),
  };
}

type Office = Awaited<ReturnType<typeof openOffice>>;

const correction: Correction = { proxyNo: null, amount: '77.00' };

describe('what was proposed by somebody who may propose no more', () => {
  const ways: readonly (readonly [string, (office: Office) => Promise<void>, string])[] = [
    ['was disabled', ({ change }) => change('mali', 'disable'), 'mali, who proposed it, is disabled'],
    [
      'was disabled, and enabled again',
      async ({ change, users }) => {
        users.clock.ms += 1;
        for (const kind of ['disable', 'enable'] as const) await change('mali', kind);
      },
      'mali, who proposed it, was enabled anew since',
    ],
    ['has another role', ({ change }) => change('mali', 'viewer'), 'a viewer may not propose decisions'],
  ];

  test.each(ways)('%s is not approved, and can be sent back', async (_name, happen, words) => {
    await using office = await openOffice();
    await ingest(office.theatre.journal, [makeRow(1, { holds: ['limit'] })]);
    expect(await office.propose('mali', 'go-on', [await office.target('INV-1')])).toMatchObject({
      kind: 'waiting',
    });
    await happen(office);
    expect(inWords(await office.verdict('ann', 'approve'))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining(words),
    });
    expect(await office.theatre.statuses(firstBatchId)).toEqual({ held: 1 });
    expect(await office.verdict('ann', 'send-back')).toMatchObject({ kind: 'sent-back' });
  });

  test('is no approval of a batch, either: the first of the two has gone', async () => {
    await using office = await openOffice();
    await ingest(office.theatre.journal, makeRows(2), { approval: byTwo });
    expect(await office.approve('mali')).toMatchObject({ kind: 'waiting' });
    await office.change('mali', 'disable');
    expect(inWords(await office.approve('ann'))).toMatchObject({
      why: expect.stringContaining('is disabled'),
    });
    expect(await office.theatre.statuses(firstBatchId)).toEqual({ held: 2 });
  });
});

describe('whoever may be the one who had a part in a file', () => {
  const words = 'you alone gave mali the first password';

  test.each([1, 2] as const)('does not approve its batch, where it takes %s', async (people) => {
    await using office = await openOffice(people);
    const { theatre, users, approve } = office;
    await theatre.journal.keepUpload(firstBatchId, (await users.find('mali')).personId, noonMs);
    await ingest(theatre.journal, makeRows(2), { approval: people === 1 ? byOne : byTwo });
    if (people === 2) expect(await approve('ann')).toMatchObject({ kind: 'waiting' });
    expect(inWords(await approve('ben'))).toMatchObject({
      kind: 'refused',
      why: expect.stringContaining(words),
    });
    expect(await theatre.statuses(firstBatchId)).toEqual({ held: 2 });
  });

  test('nor that a row of it goes on in spite of a limit, which another one may', async () => {
    await using office = await openOffice();
    const { theatre, users } = office;
    await theatre.journal.keepUpload(firstBatchId, (await users.find('mali')).personId, noonMs);
    await ingest(theatre.journal, [makeRow(1, { holds: ['limit'] })]);
    await office.propose('ann', 'go-on', [await office.target('INV-1')]);
    expect(inWords(await office.verdict('ben', 'approve'))).toMatchObject({
      why: expect.stringContaining(words),
    });
  });
});

describe('where one person is enough', () => {
  test.each(['go-on', 'retry-corrected'] as const)('a maker alone does not %s', async (decision) => {
    await using office = await openOffice(1);
    const { theatre } = office;
    await ingest(theatre.journal, [makeRow(1, { holds: ['limit'] })]);
    const corrected = decision === 'retry-corrected' ? { correction } : {};
    const targets = [{ ...(await office.target('INV-1')), ...corrected }];
    expect(await office.propose('mali', decision, targets)).toMatchObject({ kind: 'waiting' });
    expect(await theatre.statuses(firstBatchId)).toEqual({ held: 1 });
    expect(await office.verdict('ann', 'approve')).toMatchObject({ applied: { applied: 1 } });
    expect(await theatre.statuses(firstBatchId)).toEqual({ ready: 1 });
  });

  test('whoever may check does, and what is no limit goes on with a maker', async () => {
    await using office = await openOffice(1);
    await ingest(office.theatre.journal, [makeRow(1, { holds: ['limit'] }), makeRow(2, { holds: ['name'] })]);
    expect(await office.propose('ann', 'go-on', [await office.target('INV-1')])).toMatchObject({
      kind: 'applied',
    });
    expect(await office.propose('mali', 'go-on', [await office.target('INV-2')])).toMatchObject({
      kind: 'applied',
    });
  });
});
