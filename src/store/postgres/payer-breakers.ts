/** What all machines have counted of a payer account, in the transactions that record how payouts have ended. */
import { sql } from 'kysely';
import type { PayoutEnd } from '../../core/ports.ts';
import type { PayerHalt } from '../../payout/ports.ts';
import { type CountedEnds, countEnd, isSameCount, noEnds } from '../../payout/rules/brake.ts';
import type { PayerCount, SendGuards } from '../payouts/apply.ts';
import { payerBreakerWrites } from '../payouts/batches.ts';
import { type Body, define, type Reading, textStatement } from '../statements.ts';

type PayerKey = PayerCount['payer'];

const selectCounted = define(({ companyId, payerAccount }: PayerKey) =>
  textStatement<{ readonly failures: number; readonly ends: string }>(sql`
    select consecutive_failures as failures, ends from payer_breaker
    where company_id = ${companyId} and payer_account = ${payerAccount}`),
);

const keepCounted = define((values: PayerKey & { failures: number; ends: string }) =>
  textStatement(sql`
    insert into payer_breaker (company_id, payer_account, consecutive_failures, ends)
    values (${values.companyId}, ${values.payerAccount}, ${values.failures}, ${values.ends})
    on conflict (company_id, payer_account)
    do update set consecutive_failures = excluded.consecutive_failures, ends = excluded.ends`),
);

const toText = (ends: readonly boolean[]): string => ends.map(Number).join('');

/** What was counted of an account until now. */
export function* readCounted(payer: PayerKey): Reading<CountedEnds> {
  const found = yield* selectCounted.get(payer);
  if (found === undefined) return noEnds;
  return { consecutiveFailures: found.failures, ends: Array.from(found.ends, (end) => end === '1') };
}

/** The first halt of a transaction is the one that is recorded. */
function addEnd(count: PayerCount, end: PayoutEnd, sinceMs: number): PayerCount {
  const { payer, halt: former } = count;
  const haltFor = (why: Omit<PayerHalt, keyof PayerKey | 'sinceMs'>): PayerHalt => ({
    ...payer,
    ...why,
    sinceMs,
  });
  switch (end.kind) {
    case 'halts':
      return { ...count, halt: former ?? haltFor(end.why) };
    case 'counted': {
      const { counted, why } = countEnd(count.counted, end.isPaid, end.limits);
      return { ...count, counted, halt: former ?? (why && haltFor(why)) };
    }
  }
}

const keyOf = ({ companyId, payerAccount }: PayerKey): string => `${companyId} ${payerAccount}`;

/** Counts within a transaction of the journal's writes, which excludes all others. */
export const endCounting: Pick<SendGuards, 'countEnd' | 'keepCounts'> = {
  *countEnd(counts, end, payer, atMs) {
    const key = keyOf(payer);
    if (!counts.has(key)) {
      const before = yield* readCounted(payer);
      // Another change of the same transaction may have read it meanwhile.
      if (!counts.has(key)) counts.set(key, { payer, before, counted: before, halt: undefined });
    }
    const count = addEnd(counts.get(key) as PayerCount, end, atMs);
    counts.set(key, count);
    return count.halt !== undefined;
  },
  *keepCounts(counts) {
    for (const { payer, before, counted, halt } of counts.values()) {
      if (!isSameCount(before, counted)) {
        const { consecutiveFailures: failures, ends } = counted;
        yield* keepCounted.run({ ...payer, failures, ends: toText(ends) });
      }
      if (halt !== undefined) yield* payerBreakerWrites.recordPayerHalt(halt);
    }
  },
};

/** An operator lifts a halt: what was counted before it is forgotten. */
export function* liftPayerHalt(companyId: string, payerAccount: string, nowMs: number): Body<boolean> {
  yield* keepCounted.run({ companyId, payerAccount, failures: 0, ends: '' });
  return yield* payerBreakerWrites.liftPayerHalt(companyId, payerAccount, nowMs);
}
