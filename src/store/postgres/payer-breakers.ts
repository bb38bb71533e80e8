/**
 * The breaker of a payer account as all machines have it: the counts of its payouts, in the transactions that record
 * their ends, and the machine whose turn it is to try whether its pause is over.
 */
import { sql } from 'kysely';
import type { PayoutEnd } from '../../core/ports.ts';
import type { PayerHalt, PayerKey, WorkerStore } from '../../payout/ports.ts';
import {
  type CountedEnds,
  countEnd,
  formatBlocks,
  isSameCount,
  noEnds,
  parseCounted,
} from '../../payout/rules/brake.ts';
import { isLeaseRunning, type Lease } from '../../payout/rules/lease.ts';
import { mayProbe, probeMaxMs } from '../../payout/rules/shared-pause.ts';
import type { SendGuards } from '../payouts/apply.ts';
import { payerBreakerReads, payerBreakerWrites } from '../payouts/batches.ts';
import type { PayerCount, PayerCounts } from '../payouts/payer-counts.ts';
import { queueWrites } from '../review/queue.ts';
import { type BodiesOf, type Body, define, type Reading, textStatement } from '../statements.ts';
import { databaseNowMs } from './prune.ts';

interface CountedRow extends PayerKey {
  readonly failures: number;
  readonly ends: string;
}

const selectCounted = define((_values: object) =>
  textStatement<CountedRow>(sql`
    select company_id as "companyId", payer_account as "payerAccount", consecutive_failures as failures, ends
    from payer_breaker`),
);

const keepCounted = define((values: PayerKey & { failures: number; ends: string }) =>
  textStatement(sql`
    insert into payer_breaker (company_id, payer_account, consecutive_failures, ends)
    values (${values.companyId}, ${values.payerAccount}, ${values.failures}, ${values.ends})
    on conflict (company_id, payer_account)
    do update set consecutive_failures = excluded.consecutive_failures, ends = excluded.ends`),
);

const keyOf = ({ companyId, payerAccount }: PayerKey): string => `${companyId} ${payerAccount}`;

const beginCount = ({ companyId, payerAccount }: PayerKey, counted: CountedEnds): PayerCount => ({
  payer: { companyId, payerAccount },
  before: counted,
  counted,
  halt: undefined,
});

/** Reads the counts of every account until now: there are few. @forTests */
export function* readCounts(): Reading<PayerCounts> {
  const counts: PayerCounts = new Map();
  for (const row of yield* selectCounted.all({}))
    counts.set(keyOf(row), beginCount(row, parseCounted(row.failures, row.ends)));
  return counts;
}

/** Adds an end; the first halt of a transaction is the one that is recorded. */
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

/** Counts within a transaction of the journal's writes, which excludes all others. */
export const endCounting: Pick<SendGuards, 'openCounts' | 'countEnd' | 'keepCounts'> = {
  openCounts: readCounts,
  countEnd(counts, end, payer, atMs) {
    const key = keyOf(payer);
    const count = addEnd(counts.get(key) ?? beginCount(payer, noEnds), end, atMs);
    counts.set(key, count);
    return count.halt !== undefined;
  },
  *keepCounts(counts) {
    for (const { payer, before, counted, halt } of counts.values()) {
      if (!isSameCount(before, counted)) {
        const { consecutiveFailures: failures, blocks } = counted;
        yield* keepCounted.note({ ...payer, failures, ends: formatBlocks(blocks) });
      }
      if (halt !== undefined) yield* payerBreakerWrites.recordPayerHalt(halt);
    }
  },
};

/** Lifts a halt for an operator: the counts before it are forgotten. */
export function* liftPayerHalt(companyId: string, payerAccount: string, nowMs: number): Body<boolean> {
  yield* keepCounted.run({ companyId, payerAccount, failures: 0, ends: '' });
  return yield* payerBreakerWrites.liftPayerHalt(companyId, payerAccount, nowMs);
}

/** Resumes an account by a proposal, and counts its failures anew. */
export const resumePayer: typeof queueWrites.resumePayer = function* (item, payer, version, nowMs) {
  const isResumed = yield* queueWrites.resumePayer(item, payer, version, nowMs);
  const { companyId, payerAccount } = payer;
  if (isResumed) yield* keepCounted.run({ companyId, payerAccount, failures: 0, ends: '' });
  return isResumed;
};

// ---------------------------------------------------------------- probes

interface ProbeRow extends Lease {
  readonly workerId: number;
  readonly untilMs: number;
  readonly nowMs: number;
}

const presentProbe = define(({ companyId, payerAccount }: PayerKey) =>
  textStatement<ProbeRow>(sql`
    select w.worker_id as "workerId", b.probe_until_ms as "untilMs", w.lease_until_ms as "leaseUntilMs",
      w.ended_at_ms as "endedAtMs", w.superseded_at_ms as "supersededAtMs", ${databaseNowMs} as "nowMs"
    from payer_breaker b join worker w on w.worker_id = b.probe_worker_id
    where b.company_id = ${companyId} and b.payer_account = ${payerAccount}`),
);

const answered = define(({ companyId, payerAccount }: PayerKey) =>
  textStatement<{ readonly isAnswered: number }>(sql`
    select is_answered as "isAnswered" from payer_breaker
    where company_id = ${companyId} and payer_account = ${payerAccount}`),
);

const beginProbe = define(({ companyId, payerAccount, workerId }: PayerKey & { workerId: number }) =>
  textStatement(sql`
    insert into payer_breaker as b (company_id, payer_account, probe_worker_id, probe_until_ms)
    values (${companyId}, ${payerAccount}, ${workerId}, ${databaseNowMs} + ${sql.lit(probeMaxMs)})
    on conflict (company_id, payer_account) do update set probe_worker_id = excluded.probe_worker_id,
      probe_until_ms = excluded.probe_until_ms, is_answered = 0`),
);

const endProbe = define((values: PayerKey & { workerId: number; isAnswered: boolean }) =>
  textStatement(sql`
    insert into payer_breaker as b (company_id, payer_account, is_answered)
    values (${values.companyId}, ${values.payerAccount}, ${values.isAnswered})
    on conflict (company_id, payer_account) do update set is_answered = excluded.is_answered,
      probe_worker_id = nullif(b.probe_worker_id, ${values.workerId})`),
);

function* wasAnswered(payer: PayerKey): Reading<boolean> {
  return (yield* answered.get(payer))?.isAnswered === 1;
}

export const probeReads = { wasAnswered } satisfies Partial<BodiesOf<WorkerStore>>;

/** Writes that each exclude every other writer. */
export const probeWrites = {
  *takeProbe(payer, workerId) {
    const pause = yield* payerBreakerReads.payerPause(payer.companyId, payer.payerAccount);
    if (pause === undefined && (yield* wasAnswered(payer))) return 'answered';
    const found = yield* presentProbe.get(payer);
    const present = found && { ...found, isThere: isLeaseRunning(found, found.nowMs) };
    if (!mayProbe(present, workerId, found?.nowMs ?? 0)) return 'held';
    yield* beginProbe.run({ ...payer, workerId });
    return 'taken';
  },
} satisfies Partial<BodiesOf<WorkerStore>>;

/** Writes to one row, which another writer holds for a moment only. */
export const probeAsides = {
  *endProbe(payer, workerId, isAnswered) {
    yield* endProbe.run({ ...payer, workerId, isAnswered });
  },
} satisfies Partial<BodiesOf<WorkerStore>>;
