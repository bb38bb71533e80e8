/** What the look for a like payment costs SQLite: an index lookup, whatever the journal holds. */
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { payoutReads } from '../../../src/store/payouts/payout-queries.ts';
import { drive } from '../../../src/store/statements.ts';
import { payer, satang } from '../../support/journal-fixtures.ts';
import { makeSqliteStore } from '../../support/sqlite-store.ts';

test('a like payment is looked for by payee, amount and time, the latest first, without sorting', async () => {
  await using store = await makeSqliteStore();
  using db = new DatabaseSync(store.path);
  let statement = '';
  const prepare = (sql: string) => {
    statement = sql;
    return db.prepare(sql);
  };
  const { companyId } = payer;
  const payee = { proxyType: 'MSISDN', proxyNo: '0810000001', amountSatang: satang(1n) } as const;
  const likeness = { companyId, payoutId: 'A', ...payee, reference1: null, sinceMs: 0 };
  drive({ prepare } as DatabaseSync, payoutReads.similarPayment(likeness));
  const plan = db.prepare(`explain query plan ${statement.replaceAll('?', '1')}`).all();
  const steps = plan.map((step) => String(step['detail']));
  expect(steps[0]).toMatch(/attempt_to_payee \(proxy_no=\? AND amount_text=\? AND intent_at_ms>\?\)$/);
  expect(steps.filter((step) => step.startsWith('SCAN') || step.includes('TEMP B-TREE'))).toEqual([]);
});
