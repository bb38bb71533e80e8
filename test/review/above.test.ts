/** `approval: above`: what a batch would pay is held against the bound when it is sealed, and whenever it comes to more. */
import { verbatim } from '../../src/core/message.ts';
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import type { Issue } from '../../src/core/payout-file.ts';
import { retryBatch } from '../../src/payout/operator.ts';
import type { ReviewContext } from '../../src/review/context.ts';
import { check } from '../../src/review/review.ts';
import type { ApprovalPolicy } from '../../src/review/rules/approval.ts';
import type { Decider, Target } from '../../src/review/rules/proposal.ts';
import type { Decision } from '../../src/review/rules/terms.ts';
import { payer } from '../support/core-fixtures.ts';
import { ingest, makeRow } from '../support/journal-fixtures.ts';
import { propose } from '../support/review.ts';
import { openTheatre, type StoreTheatre } from '../support/theatre.ts';

const mali: Decider = { personId: 1, name: 'Mali' };
const nok: Decider = { personId: 2, name: 'Nok' };
const dao: Decider = { personId: 3, name: 'Dao' };
const kwan: Decider = { personId: 4, name: 'Kwan' };

const rules = { payoutSatangMax: null };

const contextOf = ({ journal, time }: StoreTheatre, people: 1 | 2): ReviewContext => ({
  journal,
  clock: time,
  rules,
  payerAccount: payer.payerAccount,
  people,
  expireDays: 7,
});

const above = (people: 1 | 2, baht: bigint): ApprovalPolicy => ({
  when: 'above',
  aboveSatang: toSatang(baht * 100n),
  people,
});

const tooMuch: Issue = {
  line: 3,
  column: 'amount',
  code: 'amount-too-large',
  value: null,
  message: verbatim('too much'),
};
const pays = (rowNo: number, baht: bigint, changes: Parameters<typeof makeRow>[1] = {}) =>
  makeRow(rowNo, { amountSatang: toSatang(baht * 100n), ...changes });

async function decide(
  theatre: StoreTheatre,
  people: 1 | 2,
  { decision, payoutId, amount }: { decision: Decision; payoutId: string; amount?: string },
  [maker, checker]: readonly [Decider, Decider] = [mali, nok],
) {
  const [found] = await theatre.journal.findPayouts(payoutId);
  const place = { kind: 'payout', key: String(found?.row.seq), version: String(found?.row.version) } as const;
  const target: Target = amount === undefined ? place : { ...place, correction: { proxyNo: null, amount } };
  const context = contextOf(theatre, people);
  const proposed = await propose(
    context,
    { decision, targets: [target], note: 'seen', evidence: null },
    maker,
  );
  if (proposed.kind !== 'waiting') return proposed;
  return check(context, proposed.proposal.proposalId, 'approve', checker);
}

async function approve(theatre: StoreTheatre, batchId: string, people: 1 | 2): Promise<void> {
  const { version = '' } = (await theatre.journal.approvalOf(batchId)) ?? {};
  const targets = [{ kind: 'batch', key: batchId, version } as const];
  const wish = { decision: 'approve-batch', targets, note: 'seen', evidence: null } as const;
  const proposed = await propose(contextOf(theatre, people), wish, dao);
  if (proposed.kind === 'waiting')
    await check(contextOf(theatre, people), proposed.proposal.proposalId, 'approve', kwan);
}

describe('a batch below the bound that comes to more', () => {
  test.each([1, 2] as const)('by corrections waits for %s, once they lift it above', async (people) => {
    await using theatre = await openTheatre();
    const held = [1, 2].map((rowNo) => pays(rowNo, 100n, { holds: ['name'] }));
    const rows = [...held, pays(3, 100n)];
    const { batchId } = await ingest(theatre.journal, rows, { approval: above(people, 1_000n) });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ held: 2, paid: 1 });
    // The first leaves it below.
    await decide(theatre, people, { decision: 'retry-corrected', payoutId: 'INV-1', amount: '800.00' });
    expect(await theatre.journal.approvalOf(batchId)).toBeUndefined();
    await decide(theatre, people, { decision: 'retry-corrected', payoutId: 'INV-2', amount: '100.01' }, [
      nok,
      dao,
    ]);
    await theatre.run(batchId);
    expect(theatre.sent).toHaveLength(1);
    expect(await theatre.batch(batchId)).toMatchObject({ status: 'paused', reasonCode: 'approval' });
    expect(await theatre.journal.approvalOf(batchId)).toMatchObject({
      people,
      rows: 2,
      amountSatang: 90_001n,
    });
    await approve(theatre, batchId, people);
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 3 });
  });

  test('by rejected rows that are validated anew waits, too', async () => {
    await using theatre = await openTheatre();
    const rejected = pays(2, 950n, { instruction: null, issues: [tooMuch] });
    const cells = { ...rejected.cells, amount: '950.00' };
    const rows = [pays(1, 100n), { ...rejected, cells }];
    const { batchId } = await ingest(theatre.journal, rows, { approval: above(1, 1_000n) });
    await theatre.run(batchId);
    await retryBatch(theatre.journal, await theatre.batch(batchId), rules, theatre.now());
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1, held: 1 });
    expect(await theatre.exitCode(batchId)).toBe(6);
  });

  test('does not wait where others are cancelled for it', async () => {
    await using theatre = await openTheatre();
    const rows = [pays(1, 500n, { holds: ['name'] }), pays(2, 500n, { holds: ['name'] })];
    const { batchId } = await ingest(theatre.journal, rows, { approval: above(1, 1_000n) });
    await decide(theatre, 1, { decision: 'cancel', payoutId: 'INV-1' });
    await decide(theatre, 1, { decision: 'retry-corrected', payoutId: 'INV-2', amount: '1000.00' });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ cancelled: 1, paid: 1 });
  });

  test('nor does a bound that was none when it was sealed', async () => {
    await using theatre = await openTheatre();
    const { batchId } = await ingest(theatre.journal, [pays(1, 500n, { holds: ['name'] })], {
      approval: { ...above(2, 1_000n), when: 'never' },
    });
    await decide(theatre, 1, { decision: 'retry-corrected', payoutId: 'INV-1', amount: '5000.00' });
    await theatre.run(batchId);
    expect(await theatre.statuses(batchId)).toEqual({ paid: 1 });
  });
});
