import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { backUpJournal } from '../../src/app/backup.ts';
import { toSatang } from '../../src/core/money.ts';
import type { StagedRow } from '../../src/core/payout-file.ts';
import { retryBatch } from '../../src/payout/operator.ts';
import { readTimeLimits } from '../../src/payout/rules/limits.ts';
import { approveBatch, readApprovalFigures } from '../../src/review/approve-batch.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check } from '../../src/review/review.ts';
import { versionOfBatch } from '../../src/review/rules/batch-decisions.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import type { Person } from '../../src/review/rules/people.ts';
import type { Decider, Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import { lost, noonMs, payer } from '../support/core-fixtures.ts';
import {
  firstBatchId,
  ingest,
  intentOf,
  makeBadRow,
  makeRow,
  makeRows,
  readyOf,
  secondBatchId,
} from '../support/journal-fixtures.ts';
import { makePerson } from '../support/persons.ts';
import { propose } from '../support/review.ts';
import { archiveAll, settled, tamper } from '../support/store-fixtures.ts';
import { openTheatre, type StoreTheatre } from '../support/theatre.ts';
import { inWords } from '../support/in-words.ts';

const mali: Decider = { personId: 1, name: 'Mali' };
const nok: Decider = { personId: 2, name: 'Nok' };
const somchai: Decider = { personId: 3, name: 'Somchai' };
const nobody: Decider = { personId: null, name: 'root' };

const byTwo: ApprovalPolicy = { when: 'always', aboveSatang: toSatang(0n), people: 2 };
const byOne: ApprovalPolicy = { ...byTwo, people: 1 };

const rules = { payoutSatangMax: null };

const contextOf = ({ journal, time }: StoreTheatre, people: 1 | 2 = 2): ReviewContext => ({
  journal,
  clock: time,
  rules,
  payerAccount: payer.payerAccount,
  people,
  expireDays: 7,
});

/** A file whose batch needs approval. */
async function stageWaiting(policy = byTwo, rows = makeRows(3)) {
  const theatre = await openTheatre();
  const { batchId } = await ingest(theatre.journal, rows, { approval: policy });
  return { theatre, batchId, [Symbol.asyncDispose]: () => theatre[Symbol.asyncDispose]() };
}

async function targetOf({ journal }: StoreTheatre, batchId: string): Promise<Target> {
  const waiting = await journal.approvalOf(batchId);
  return { kind: 'batch', key: batchId, version: waiting?.version ?? 'none' };
}

const note = 'seen';

async function proposeApproval(theatre: StoreTheatre, batchId: string, maker = mali) {
  const targets = [await targetOf(theatre, batchId)];
  return propose(contextOf(theatre), { decision: 'approve-batch', targets, note, evidence: null }, maker);
}

/** Of the latest proposal. */
const checkLatest = async (theatre: StoreTheatre, checker = nok) => {
  const [latest] = await theatre.journal.proposals(['proposed'], 1_000, 1);
  return check(contextOf(theatre), latest?.proposalId ?? 0, 'approve', checker);
};

async function approve(theatre: StoreTheatre, batchId: string): Promise<void> {
  await proposeApproval(theatre, batchId);
  expect(await checkLatest(theatre)).toMatchObject({ kind: 'applied', applied: { applied: 1 } });
}

async function payoutTarget({ journal }: StoreTheatre, payoutId: string): Promise<Target> {
  const [found] = await journal.findPayouts(payoutId);
  return { kind: 'payout', key: String(found?.row.seq), version: String(found?.row.version) };
}

/** Proposed by one and approved by another. */
async function decide(theatre: StoreTheatre, decision: Decision, target: Target, people: 1 | 2 = 2) {
  const context = contextOf(theatre, people);
  const proposed = await propose(context, { decision, targets: [target], note, evidence: null }, somchai);
  return people === 1 ? proposed : checkLatest(theatre);
}

const correction = { proxyNo: null, amount: '77.00' };

describe('a batch that needs approval', () => {
  test('is held at its seal, rests as waiting, and is paid once two people have approved it', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    expect(await theatre.statuses(batchId)).toEqual({ held: 3 });
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'paused', reasonCode: 'approval' });
    expect(await theatre.exitCode(batchId)).toBe(6);
    await approve(theatre, batchId);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'running', reasonCode: null });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
    expect(await theatre.exitCode(batchId)).toBe(0);
    const [history] = await theatre.journal.findPayouts('INV-1');
    const lifted = history?.events.find(({ cause }) => cause === 'hold-lifted');
    expect(lifted?.detail).toMatchObject({ lifted: ['approval'], by: 'Mali', checkedBy: 'Nok', proposal: 1 });
  });

  test.each([
    { name: 'never', policy: { ...byTwo, when: 'never' }, waits: false },
    {
      name: 'above, and it is not',
      policy: { ...byTwo, when: 'above', aboveSatang: toSatang(10_000_000n) },
      waits: false,
    },
    {
      name: 'above, and it is',
      policy: { ...byTwo, when: 'above', aboveSatang: toSatang(100n) },
      waits: true,
    },
  ] as const)('waits or not: $name', async ({ policy, waits }) => {
    await using one = await stageWaiting(policy);
    expect(await one.theatre.statuses(one.batchId)).toEqual(waits ? { held: 3 } : { ready: 3 });
    expect((await one.theatre.journal.approvalOf(one.batchId)) !== undefined).toBe(waits);
  });

  test('one person is enough where the settings say so, who has proved who he is', async () => {
    await using one = await stageWaiting(byOne);
    const { theatre, batchId } = one;
    const words = { why: 'who approves must have proved who he is' };
    expect(inWords(await proposeApproval(theatre, batchId, nobody))).toMatchObject({ objections: [words] });
    expect(await proposeApproval(theatre, batchId)).toMatchObject({
      kind: 'applied',
      applied: { applied: 1 },
    });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('nobody approves what he has proposed, or a row of which he has corrected', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    await decide(theatre, 'retry-corrected', { ...(await payoutTarget(theatre, 'INV-1')), correction });
    await proposeApproval(theatre, batchId);
    expect(inWords(await checkLatest(theatre, mali))).toMatchObject({
      why: 'you proposed this and cannot approve it',
    });
    const words = 'you uploaded the file, or corrected a row in it, and cannot approve it';
    expect(inWords(await checkLatest(theatre, somchai))).toMatchObject({ why: words });
    expect(await checkLatest(theatre)).toMatchObject({ applied: { applied: 1 } });
  });
});

describe('who had a part in a file', () => {
  const words = 'you uploaded the file, or corrected a row in it, and cannot approve it';

  test('and is known to have dropped it before there is a batch, does not approve it', async () => {
    const theatre = await openTheatre();
    await using _ = theatre;
    await theatre.journal.keepUpload(firstBatchId, nok.personId ?? 0, noonMs);
    await theatre.journal.keepUpload(firstBatchId, nok.personId ?? 0, noonMs);
    await ingest(theatre.journal, makeRows(2), { approval: byTwo });
    await proposeApproval(theatre, firstBatchId);
    expect(inWords(await checkLatest(theatre))).toMatchObject({ why: words });
    expect(await checkLatest(theatre, somchai)).toMatchObject({ applied: { applied: 1 } });
  });

  test('does not approve it alone, either; nor behind the rules', async () => {
    const theatre = await openTheatre();
    await using _ = theatre;
    await theatre.journal.keepUpload(firstBatchId, mali.personId ?? 0, noonMs);
    await ingest(theatre.journal, makeRows(2), { approval: byOne });
    expect(inWords(await proposeApproval(theatre, firstBatchId))).toMatchObject({
      objections: [{ why: words }],
    });
    const { version = '' } = (await theatre.journal.approvalOf(firstBatchId)) ?? {};
    const item = { proposalId: 1, itemNo: 1 };
    await proposeApproval(theatre, firstBatchId, nok);
    expect(await theatre.journal.approveBatch(firstBatchId, item, version, null, theatre.now())).toBe(false);
  });

  test('does not check that a rejected row is validated anew', async () => {
    const theatre = await openTheatre();
    await using _ = theatre;
    await theatre.journal.keepUpload(firstBatchId, nok.personId ?? 0, noonMs);
    const rejected = makeRow(2, { instruction: null, issues: [tooMuch] });
    await ingest(theatre.journal, [makeRow(1), rejected], { approval: byTwo });
    expect(inWords(await decide(theatre, 'retry', await payoutTarget(theatre, 'INV-2')))).toMatchObject({
      why: words,
    });
  });

  test('alone corrects nothing that one person approves: it waits for another', async () => {
    await using one = await stageWaiting(byOne, makeRows(1));
    const { theatre, batchId } = one;
    await proposeApproval(theatre, batchId);
    tamper(join(theatre.folder, 'journal.db'), `update payout set status = 'unpayable' where row_no = 1`);
    const corrected = { ...(await payoutTarget(theatre, 'INV-1')), correction };
    expect(await decide(theatre, 'retry-corrected', corrected, 1)).toMatchObject({ kind: 'applied' });
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    expect(inWords(await proposeApproval(theatre, batchId, somchai))).toMatchObject({
      objections: [{ why: words }],
    });
    expect(await proposeApproval(theatre, batchId, nok)).toMatchObject({ applied: { applied: 1 } });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });

  test.each(['go-on', 'retry-corrected'] as const)('does not check its %s', async (decision) => {
    const theatre = await openTheatre();
    await using _ = theatre;
    await theatre.journal.keepUpload(firstBatchId, nok.personId ?? 0, noonMs);
    await ingest(theatre.journal, [makeRow(1, { holds: ['limit'] })]);
    const corrected = decision === 'retry-corrected' ? { correction } : {};
    const target = { ...(await payoutTarget(theatre, 'INV-1')), ...corrected };
    expect(inWords(await decide(theatre, decision, target))).toMatchObject({ why: words });
    expect(await checkLatest(theatre, mali)).toMatchObject({ applied: { applied: 1 } });
  });
});

describe('a lifted limit, a corrected payee and a changed payer account', () => {
  const two = (theatre: StoreTheatre): ReviewContext => ({ ...contextOf(theatre, 1), approvers: 2 });
  const wish = { note, evidence: null };

  test.each([
    { decision: 'go-on', holds: ['limit'], kind: 'waiting' },
    { decision: 'go-on', holds: ['new-payee'], kind: 'waiting' },
    { decision: 'go-on', holds: ['name'], kind: 'applied' },
    { decision: 'retry-corrected', holds: ['name'], kind: 'waiting' },
    { decision: 'cancel', holds: ['limit'], kind: 'applied' },
  ] as const)(
    '$decision of a row held for $holds: $kind, where an approval takes two',
    async ({ decision, holds, kind }) => {
      const theatre = await openTheatre();
      await using _ = theatre;
      await ingest(theatre.journal, [makeRow(1, { holds })]);
      const corrected = decision === 'retry-corrected' ? { correction } : {};
      const targets = [{ ...(await payoutTarget(theatre, 'INV-1')), ...corrected }];
      expect(await propose(two(theatre), { decision, targets, ...wish }, mali)).toMatchObject({ kind });
    },
  );

  test.each([
    { account: '0000999999', kind: 'waiting' },
    { account: payer.payerAccount, kind: 'applied' },
  ])('a batch that is resumed from account $account: $kind', async ({ account, kind }) => {
    const theatre = await openTheatre();
    await using _ = theatre;
    const { batchId } = await ingest(theatre.journal, makeRows(1));
    const why = { code: 'by-hand', reason: verbatim('by hand'), remedy: verbatim('') };
    await theatre.journal.moveBatch(batchId, 'running', null, theatre.now());
    await theatre.journal.holdReady(batchId, 'halted', why, theatre.now());
    await theatre.journal.moveBatch(batchId, 'halted', why, theatre.now());
    const batch = await theatre.batch(batchId);
    const targets = [{ kind: 'batch', key: batchId, version: versionOfBatch(batch, account) }] as const;
    const context = { ...two(theatre), payerAccount: account };
    expect(await propose(context, { decision: 'resume-batch', targets, ...wish }, mali)).toMatchObject({
      kind,
    });
  });
});

describe('an approval stays with its batch', () => {
  test('in an archive and back: what was approved and failed is paid, and nobody is forgotten', async () => {
    await using one = await stageWaiting(byTwo, makeRows(2));
    const { theatre, batchId } = one;
    const { journal } = theatre;
    await journal.keepUpload(batchId, somchai.personId ?? 0, noonMs);
    await approve(theatre, batchId);
    theatre.script = {
      transfer: (order, no) =>
        no === 1 ? theatre.code('EV042', { transRefNo: order.transRefNo }) : undefined,
    };
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1, paid: 1 });
    tamper(join(theatre.folder, 'journal.db'), settled);
    expect(await archiveAll(journal)).toEqual([true]);
    expect(await journal.handsOf(batchId)).toEqual([somchai.personId]);
    await journal.recall('batch', [batchId], theatre.now());
    await retryBatch(journal, await theatre.batch(batchId), rules, theatre.now());
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });

  test('and what waits is still waiting in a copy of the journal that is put back', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    const copy = await mkdtemp(join(tmpdir(), 'paydrop-approval-'));
    backUpJournal(theatre.folder, join(copy, 'backup.db'), theatre.now());
    await approve(theatre, batchId);
    await rename(join(copy, 'backup.db'), join(copy, 'journal.db'));
    using db = new DatabaseSync(join(copy, 'journal.db'));
    expect(db.prepare('select distinct holds, accepted_holds from payout').all()).toEqual([
      { holds: 1, accepted_holds: 0 },
    ]);
    expect(db.prepare('select approval_people, approved_digest from batch').get()).toEqual({
      approval_people: 2,
      approved_digest: null,
    });
    await rm(copy, { recursive: true });
  });

  test('and is never lessened, whatever the settings say later', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    const path = join(theatre.folder, 'journal.db');
    for (const people of ['1', 'null'])
      expect(() => tamper(path, `update batch set approval_people = ${people}`)).toThrow('never changed');
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
  });
});

describe('nothing that was not approved is paid', () => {
  test.each(['resume', 'run again', 'go-on', 'retry'] as const)('%s lifts no approval', async (way) => {
    await using one = await stageWaiting(byTwo, [...makeRows(2), makeBadRow(3)]);
    const { theatre, batchId } = one;
    await theatre.run(batchId);
    const batch = await theatre.batch(batchId);
    if (way === 'resume') await theatre.resume(batchId);
    if (way === 'retry') await retryBatch(theatre.journal, batch, rules, theatre.now());
    if (way === 'go-on')
      expect(inWords(await decide(theatre, 'go-on', await payoutTarget(theatre, 'INV-1')))).toMatchObject({
        why: 'there is no proposal 0',
      });
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    expect(await theatre.exitCode(batchId)).toBe(6);
  });

  test('the transaction of an intent refuses a row that was made ready behind the program', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    await theatre.journal.moveBatch(batchId, 'running', null, theatre.now());
    tamper(join(theatre.folder, 'journal.db'), `update payout set status = 'ready', holds = 0`);
    const [ready] = await readyOf(theatre.journal, batchId);
    if (ready === undefined) throw new Error('no row is ready');
    expect(await theatre.journal.apply([intentOf(ready).change])).toEqual([false]);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    expect(await theatre.statuses(batchId)).toEqual({ held: 3 });
  });

  test.each([
    { name: 'a row is cancelled', change: (theatre: StoreTheatre) => decideAlone(theatre, 'cancel') },
    {
      name: 'a row is corrected',
      change: async (theatre: StoreTheatre) =>
        void (await decide(theatre, 'retry-corrected', {
          ...(await payoutTarget(theatre, 'INV-2')),
          correction,
        })),
    },
    {
      name: 'it is to be paid from another account',
      change: async (theatre: StoreTheatre) =>
        void (await theatre.journal.movePayer(firstBatchId, '0000999999', noonMs)),
    },
  ])('an approval of what has changed since it was proposed is refused: $name', async ({ change }) => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    await proposeApproval(theatre, batchId);
    await change(theatre);
    const proposal = await check(contextOf(theatre), 1, 'approve', nok);
    expect(inWords(proposal)).toMatchObject({
      applied: { applied: 0, refused: [{ why: expect.stringContaining('changed since') }] },
    });
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
  });

  test('what was approved is paid from the account that it was approved for', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    await approve(theatre, batchId);
    await theatre.journal.movePayer(batchId, '0000999999', noonMs);
    await theatre.run(batchId);
    expect(theatre.sent).toEqual([]);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'paused', reasonCode: 'approval' });
    await approve(theatre, batchId);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('a rejected row that is tried again after the approval waits for one of its own', async () => {
    await using one = await stageWaiting(byTwo, [
      makeRow(1),
      makeRow(2, { instruction: null, issues: [tooMuch] }),
    ]);
    const { theatre, batchId } = one;
    await approve(theatre, batchId);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1, rejected: 1 });
    await retryBatch(theatre.journal, await theatre.batch(batchId), rules, theatre.now());
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1, held: 1 });
    expect(await theatre.journal.approvalOf(batchId)).toMatchObject({ rows: 1 });
    await approve(theatre, batchId);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 2 });
  });

  test.each([
    { name: 'one person alone has it tried again', policy: byOne, good: [makeRow(1)] },
    { name: 'every row of its file was rejected when it was sealed', policy: byTwo, good: [] },
  ])('nor does a rejected row go on unapproved where $name', async ({ policy, good }) => {
    const rejected = makeRow(good.length + 1, { instruction: null, issues: [tooMuch] });
    await using one = await stageWaiting(policy, [...good, rejected]);
    const { theatre, batchId } = one;
    if (good.length > 0) await proposeApproval(theatre, batchId);
    await theatre.run(batchId);
    await decide(theatre, 'retry', await payoutTarget(theatre, `INV-${good.length + 1}`), 1);
    await theatre.run(batchId);
    expect(theatre.sent).toHaveLength(good.length);
    expect(await theatre.exitCode(batchId)).toBe(6);
    await proposeApproval(theatre, batchId);
    if (policy.people === 2) await checkLatest(theatre);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: good.length + 1 });
  });

  test('what was approved and failed is tried again without another approval', async () => {
    await using one = await stageWaiting(byTwo, makeRows(1));
    const { theatre, batchId } = one;
    await approve(theatre, batchId);
    theatre.script = { transfer: () => lost, inquire: (inquiry) => theatre.found(inquiry, '030003') };
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ failed: 1 });
    theatre.script = {};
    await decide(theatre, 'retry', await payoutTarget(theatre, 'INV-1'));
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });

  test.each([
    { people: 2, end: { paid: 2 } },
    { people: 1, end: { paid: 1, held: 1 } },
  ] as const)('a row corrected after the approval by $people: $end', async ({ people, end }) => {
    await using one = await stageWaiting(byTwo, makeRows(2));
    const { theatre, batchId } = one;
    await approve(theatre, batchId);
    const corrected = { ...(await payoutTarget(theatre, 'INV-1')), correction };
    tamper(join(theatre.folder, 'journal.db'), `update payout set status = 'unpayable' where row_no = 1`);
    await decide(theatre, 'retry-corrected', corrected, people);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual(end);
  });
});

const tooMuch = {
  line: 3,
  column: 'amount',
  code: 'amount-too-large',
  value: null,
  message: verbatim('too much'),
};

async function decideAlone(theatre: StoreTheatre, decision: Decision): Promise<void> {
  const targets = [await payoutTarget(theatre, 'INV-1')];
  await propose(contextOf(theatre), { decision, targets, note, evidence: null }, somchai);
}

describe('whoever types "paydrop approve --batch"', () => {
  const [maker, checker] = [
    makePerson({ personId: 1, name: 'mali', role: 'maker' }),
    makePerson({ personId: 2, name: 'nok', role: 'checker' }),
  ];
  const type = (theatre: StoreTheatre, person: Person, seen?: string) =>
    approveBatch(
      { ...contextOf(theatre), journal: theatre.journal },
      { person, proof: 'token' },
      firstBatchId,
      { note, seen },
    );

  test('proposes it first, and approves it as the next one', async () => {
    await using one = await stageWaiting();
    const { theatre } = one;
    expect(inWords(await type(theatre, checker))).toMatchObject({
      why: expect.stringContaining('may not propose'),
    });
    const { version = '' } = (await theatre.journal.approvalOf(firstBatchId)) ?? {};
    const words = { why: expect.stringContaining(`not what you have looked at: its digest is ${version}`) };
    for (const seen of ['', version.slice(0, 11), `0${version.slice(1)}`])
      expect(inWords(await type(theatre, maker, seen))).toMatchObject(words);
    expect(await type(theatre, maker, version.slice(0, 12).toUpperCase())).toMatchObject({ kind: 'waiting' });
    expect(inWords(await type(theatre, maker))).toMatchObject({
      why: 'you have proposed it (proposal 1): another person approves it',
    });
    expect(await type(theatre, checker, version)).toMatchObject({ kind: 'applied', applied: { applied: 1 } });
    expect(inWords(await type(theatre, checker))).toMatchObject({ why: 'nothing of it waits for approval' });
  });

  test('approves it alone where one person is enough, who may check', async () => {
    await using one = await stageWaiting(byOne);
    expect(inWords(await type(one.theatre, maker))).toMatchObject({
      why: expect.stringContaining('may not check'),
    });
    expect(await type(one.theatre, checker)).toMatchObject({ kind: 'applied' });
  });

  test('approves nothing by a proposal about what it was before', async () => {
    await using one = await stageWaiting();
    const { theatre } = one;
    await type(theatre, maker);
    await decideAlone(theatre, 'cancel');
    expect(inWords(await type(theatre, checker))).toMatchObject({
      why: expect.stringContaining('it has changed since proposal 1 was made'),
    });
  });

  test('is told what is in the way', async () => {
    await using one = await stageWaiting({ ...byTwo, when: 'never' });
    expect(inWords(await type(one.theatre, checker))).toMatchObject({ why: 'it needs no approval' });
  });
});

describe('the figures that whoever approves looks at', () => {
  const figuresOf = ({ journal, time }: StoreTheatre, batchId: string) =>
    readApprovalFigures({ journal, clock: time }, batchId);
  const payTo = (proxyNo: string, rowNo: number, payoutId: string, satang: bigint): StagedRow => {
    const row = makeRow(rowNo, { payoutId, amountSatang: toSatang(satang) });
    const { cells, instruction } = row;
    return {
      ...row,
      cells: { ...cells, proxyNo },
      instruction: instruction && { ...instruction, proxyNo },
    };
  };

  test('count each row of the file once, and name payees, likeness and the largest', async () => {
    const theatre = await openTheatre();
    await using _ = theatre;
    await ingest(theatre.journal, [payTo('0811111111', 1, 'A1', 500n)]);
    await theatre.run(firstBatchId);
    const rows: StagedRow[] = [
      payTo('0811111111', 1, 'B1', 500n),
      payTo('0811111111', 2, 'B2', 700n),
      payTo('0822222222', 3, 'B3', 900n),
      { ...payTo('0822222222', 4, 'B4', 100n), holds: ['limit'] },
      makeBadRow(5),
    ];
    const file = { batchId: secondBatchId, approval: byTwo, sealedAtMs: theatre.now() };
    await ingest(theatre.journal, rows, file);
    const figures = await figuresOf(theatre, secondBatchId);
    const { version } = (await theatre.journal.approvalOf(secondBatchId)) ?? {};
    expect(figures).toMatchObject({
      batchId: secondBatchId,
      people: 2,
      digest: version,
      approved: { rows: 4, amountSatang: 2_200n },
      toPay: { rows: 3, amountSatang: 2_100n },
      held: { rows: 1, amountSatang: 100n },
      holds: [['limit', 1]],
      refused: { rows: 1 },
      before: { rows: 0 },
      newPayees: { rows: 2, payees: 1, amountSatang: 1_000n },
      like: { rows: 1, amountSatang: 500n },
      leftOut: { rows: 0, firstRowNos: [] },
      isCorrected: false,
    });
    expect(figures?.payerAccount).not.toContain(payer.payerAccount);
    // What limits over time would hold is foreseen of what would be paid, with what counts already.
    const limits = { bahtPerDay: '15', bahtPerPayeePerDay: '11', newPayeeBaht: '8', filesPerDay: 0 };
    const overTime = readTimeLimits({ ...limits, serviceDays: [], closedDates: [] });
    const { journal, time } = theatre;
    expect(await readApprovalFigures({ journal, clock: time, overTime }, secondBatchId)).toMatchObject({
      toPay: { rows: 3 },
      limited: { rows: 2, amountSatang: 1_600n },
      limitedBy: [
        ['limits.bahtPerDay', 2],
        ['limits.bahtPerPayeePerDay', 1],
        ['limits.newPayeeBaht', 1],
      ],
    });
    const large = figures?.largest.map(({ payoutId, amountSatang, isNewPayee }) => [
      payoutId,
      amountSatang,
      isNewPayee,
    ]);
    expect(large).toEqual([
      ['B3', 900n, true],
      ['B2', 700n, false],
      ['B1', 500n, false],
      ['B4', 100n, true],
    ]);
    expect(JSON.stringify(figures?.largest.map(({ proxyNo }) => proxyNo))).not.toContain('0811111111');
  });

  test('are of what is left, once some of it was approved or cancelled', async () => {
    await using one = await stageWaiting();
    const { theatre, batchId } = one;
    await decideAlone(theatre, 'cancel');
    expect(await figuresOf(theatre, batchId)).toMatchObject({
      toPay: { rows: 2 },
      refused: { rows: 1 },
      leftOut: { rows: 1, firstRowNos: [1] },
    });
    await approve(theatre, batchId);
    expect(await figuresOf(theatre, batchId)).toMatchObject({ toPay: { rows: 0 }, before: { rows: 2 } });
    expect(await figuresOf(theatre, 'NOSUCHONE0')).toBeUndefined();
  });
});
