import { expect } from 'vitest';
import type { StagedRow } from '../../../src/core/payout-file.ts';
import { moneyMoved } from '../../../src/core/payout.ts';
import type { PayoutStatus } from '../../../src/core/payout.ts';
import type { EarlierPayment, PaymentLikeness } from '../../../src/core/ports.ts';
import type { Journal } from '../../../src/store/store.ts';
import * as fixtures from '../../support/journal-fixtures.ts';
import type { ReachableStatus } from '../../support/journal-fixtures.ts';
import type { StoreCase } from './suite.ts';

const { applied, bringTo, firstBatchId, ingest, ingestAs, ingestRunning, intentOf, makeRow, noonMs, payer } =
  fixtures;
const { readyOf, satang, secondBatchId } = fixtures;

const proxyNo = '0810000001';
const amountSatang = satang(12_345n);

/** A row that pays the one payee the one amount, unless it is changed. */
function likeRow(rowNo: number, changes: Partial<NonNullable<StagedRow['instruction']>> = {}): StagedRow {
  const row = makeRow(rowNo, { amountSatang: changes.amountSatang ?? amountSatang });
  if (row.instruction === null) throw new Error('a valid row has an instruction');
  return { ...row, instruction: { ...row.instruction, proxyNo, ...changes } };
}

const likeness: PaymentLikeness = {
  companyId: payer.companyId,
  payoutId: 'NEW',
  proxyType: 'MSISDN',
  proxyNo,
  amountSatang,
  reference1: null,
  sinceMs: noonMs,
};

const earlier: EarlierPayment = {
  payoutId: 'INV-1',
  batchId: firstBatchId,
  rowNo: 1,
  fileName: 'payouts.csv',
  status: 'submitted',
  submittedAtMs: noonMs,
};

/** Brings the first row of a file into a status and looks for what is like it. */
const found = (status: ReachableStatus, moved: PayoutStatus): StoreCase => ({
  name: `an earlier payment that is ${status} is ${moneyMoved(moved) === 'no' ? 'not found' : 'found'}`,
  run: async (journal) => {
    await ingestRunning(journal, [likeRow(1)]);
    await bringTo(journal, status);
    const expected = moneyMoved(moved) === 'no' ? undefined : { ...earlier, status };
    expect(await journal.similarPayment(likeness)).toEqual(expected);
  },
});

/** Looks for a payment when one was submitted at noon. */
const lookedFor = (name: string, changes: Partial<PaymentLikeness>, isFound: boolean): StoreCase => ({
  name: `an earlier payment is ${isFound ? 'found' : 'not found'} ${name}`,
  run: async (journal) => {
    await ingestAs(journal, ['submitted'], [likeRow(1)]);
    expect(await journal.similarPayment({ ...likeness, ...changes })).toEqual(isFound ? earlier : undefined);
  },
});

/** Records the intent of each ready row of a batch, some time after noon. */
async function submitAt(journal: Journal, batchId: string, afterMs: number): Promise<void> {
  for (const payout of await readyOf(journal, batchId)) {
    const { change, attempt } = intentOf(payout);
    const atMs = noonMs + afterMs;
    const after = { ...change.after, submittedAtMs: atMs };
    await applied(journal, { ...change, after, attempt: { ...attempt, intentAtMs: atMs } });
  }
}

export const lookCases: readonly StoreCase[] = [
  found('ready', 'ready'),
  found('cancelled', 'cancelled'),
  found('unpayable', 'unpayable'),
  found('failed', 'failed'),
  found('submitted', 'submitted'),
  found('unresolved', 'unresolved'),
  found('paid', 'paid'),
  lookedFor('with the same reference1', { reference1: 'ref 1' }, true),
  lookedFor('with another reference1', { reference1: 'ref 2' }, false),
  lookedFor('at the first moment that counts', { sinceMs: noonMs }, true),
  lookedFor('before the first moment that counts', { sinceMs: noonMs + 1 }, false),
  lookedFor('for the very same payoutId', { payoutId: 'INV-1' }, false),
  lookedFor('for a payoutId that differs in case', { payoutId: 'inv-1' }, true),
  lookedFor('for another payee', { proxyNo: '0810000002' }, false),
  lookedFor('for the same digits of another kind', { proxyType: 'NATID' }, false),
  lookedFor('for another amount', { amountSatang: satang(12_346n) }, false),
  lookedFor('for another company', { companyId: 'COMP000002' }, false),
  {
    name: 'of several earlier payments the latest is named',
    run: async (journal) => {
      await ingestRunning(journal, [likeRow(1), likeRow(2)], { batchId: secondBatchId });
      await ingestRunning(journal, [likeRow(3)]);
      await submitAt(journal, firstBatchId, 500);
      await submitAt(journal, secondBatchId, 100);
      const latest = await journal.similarPayment(likeness);
      expect(latest).toEqual({ ...earlier, payoutId: 'INV-3', rowNo: 3, submittedAtMs: noonMs + 500 });
      const before = await journal.similarPayment({ ...likeness, payoutId: 'INV-3' });
      expect(before).toMatchObject({ batchId: secondBatchId, submittedAtMs: noonMs + 100 });
    },
  },
  {
    name: 'the age of a batch is counted anew, and of no other',
    run: async (journal) => {
      await ingest(journal, [likeRow(1)]);
      await ingest(journal, [likeRow(2)], { batchId: secondBatchId });
      await journal.renewAge(firstBatchId, noonMs + 77);
      expect(await journal.batch(firstBatchId)).toMatchObject({
        ageFromMs: noonMs + 77,
        startedAtMs: noonMs,
      });
      expect(await journal.batch(secondBatchId)).toMatchObject({ ageFromMs: noonMs });
      await expect(journal.renewAge('no batch', noonMs)).rejects.toThrow('no batch');
    },
  },
];
