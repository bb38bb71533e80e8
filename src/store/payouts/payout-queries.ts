/** Reads about payouts, each an index lookup however many rows the journal has. */
import { sql, type SqlBool } from 'kysely';
import { formatBaht } from '../../core/money.ts';
import type { Attempt, PayoutStatus } from '../../core/payout.ts';
import type { AttemptKey, ClaimOwner, EarlierPayment, PaymentLikeness } from '../../core/ports.ts';
import type { HistoryReader, InDoubt, PayoutHistory, PayoutStore, ReadyPayout } from '../../payout/ports.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import { readDetail } from '../../review/rules/payout-chain.ts';
import { type ClaimKey, claimKeyOf, isArchivedSeq, isInDoubt, literal } from '../schema.ts';
import { type BodiesOf, define, inDialect, query, type Reading, select, selectFirst } from '../statements.ts';
import { batchReads } from './batches.ts';
import {
  type PayoutRecord,
  selectPayouts,
  selectResultRows,
  toAttempt,
  toPayout,
  requirePayout,
  toResultRow,
} from './rows.ts';

/** A batch id that is not given matches every batch. */
interface Page {
  readonly limit: number;
  readonly batchId: string | null;
}

/** A condition on the batch that only counts when a batch is given. */
const inBatch = (batchId: string | null) =>
  sql<boolean>`(cast(${batchId} as text) is null or p.batch_id = ${batchId})`;

/** The digest of the latest version of a row's instruction, else of the one that was sealed. */
const digestInForce = sql<
  string | null
>`coalesce((select v.digest from instruction_version as v where v.payout_seq = p.seq order by v.version desc limit 1), r.digest)`;

/** True of rows on a page. The server finds them first: else it would look up the claims of all ready rows each time. */
const isOfReadyPage = ({
  batchId,
  afterRowNo,
  limit,
}: {
  batchId: string;
  afterRowNo: number;
  limit: number;
}) =>
  inDialect<SqlBool>({
    sqlite: sql`true`,
    postgres: sql`p.seq in (select seq from payout where batch_id = ${batchId} and status = 'ready' and row_no > ${afterRowNo}
      order by row_no limit ${limit})`,
  });

/** @forTests */
export const readyPage = define((values: { batchId: string; afterRowNo: number; limit: number }) =>
  selectPayouts()
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .leftJoin('claim as c', (join) =>
      join
        .onRef('c.company_id', '=', 'b.company_id')
        .onRef('c.similar_key', '=', 'r.similar_key')
        .onRef('c.payout_id', '=', 'r.payout_id'),
    )
    .select(sql<number>`coalesce(c.attempts_recorded, 0)`.as('attempts_recorded'))
    .select(digestInForce.as('digest'))
    .where('p.batch_id', '=', values.batchId)
    .where('p.status', '=', literal('ready'))
    .where('p.row_no', '>', values.afterRowNo)
    .where(isOfReadyPage(values))
    .orderBy('p.row_no')
    .limit(values.limit),
);

/** @forTests */
export const inDoubt = define((values: Page & { afterSeq: number }) =>
  selectPayouts()
    .where(({ ref }) => isInDoubt(ref('p.status')))
    .where('p.seq', '>', values.afterSeq)
    .where(inBatch(values.batchId))
    .orderBy('p.seq')
    .limit(values.limit),
);

/** The latest attempts of submitted rows that are to be inquired. */
function selectToInquire(batchId: string | null) {
  return (
    selectPayouts()
      .innerJoin('attempt as a', (join) =>
        join.onRef('a.payout_seq', '=', 'p.seq').onRef('a.attempt_no', '=', 'p.attempt_no'),
      )
      .where('a.next_inquiry_at_ms', 'is not', null)
      // A paid row counts: late proof for an earlier attempt paid it, and what became of the latest is not known yet.
      .where('p.status', 'in', [literal('submitted'), literal('paid')])
      .where(inBatch(batchId))
      .orderBy('a.next_inquiry_at_ms')
  );
}

/** @forTests */
export const dueInquiries = define((values: Page & { nowMs: number }) =>
  selectToInquire(values.batchId).where('a.next_inquiry_at_ms', '<=', values.nowMs).limit(values.limit),
);

/** Inquiries that are due later than any delay reaches: our clock has gone back since. */
const beyondHorizon = define((values: Page & { horizonMs: number }) =>
  selectToInquire(values.batchId).where('a.next_inquiry_at_ms', '>', values.horizonMs).limit(values.limit),
);

/** Every attempt but those that are paid, or that their payout is in doubt about, of payoutIds tried more than once. @forTests */
export const superseded = define((values: AttemptKey & { sinceMs: number; limit: number }) =>
  query
    .selectFrom('claim as c')
    // SQLite keeps the order of a cross join: few claims were tried again, many attempts were made.
    .crossJoin('payout_place as o')
    .crossJoin('payout as p')
    .crossJoin('attempt as a')
    .selectAll('a')
    .whereRef('o.payout_id', '=', 'c.payout_id')
    .whereRef('p.seq', '=', 'o.payout_seq')
    .whereRef('a.payout_seq', '=', 'p.seq')
    .whereRef('a.company_id', '=', 'c.company_id')
    .where('c.attempts_recorded', '>', sql.lit(1))
    .where('a.status', '<>', 'paid')
    .where('a.sends', '>', 0)
    .where('a.intent_at_ms', '>=', values.sinceMs)
    .where((eb) =>
      eb.or([
        eb('a.attempt_no', '<', eb.ref('c.attempts_recorded')),
        eb.and([eb('p.status', '=', literal('paid')), eb('a.next_inquiry_at_ms', 'is', null)]),
      ]),
    )
    // One inquiry tells of all attempts under a reference; while the latest is in doubt, that one is asked about.
    .where(
      sql<boolean>`not exists (select 1 from attempt as later
        where later.trans_ref_no = a.trans_ref_no and later.attempt_no > a.attempt_no
          and later.status in ('recorded', 'sent', 'unresolved'))`,
    )
    .where(sql<boolean>`(a.payout_seq, a.attempt_no) > (${values.payoutSeq}, ${values.attemptNo})`)
    .orderBy('a.payout_seq')
    .orderBy('a.attempt_no')
    .limit(values.limit),
);

/** @forTests */
export const nextInquiry = define((values: { batchId: string | null }) =>
  selectToInquire(values.batchId).clearSelect().select('a.next_inquiry_at_ms').limit(1),
);

/** @forTests */
export const countInDoubt = define((values: { status: 'submitted' | 'unresolved' | null }) =>
  query
    .selectFrom('payout as p')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where(({ ref }) => isInDoubt(ref('p.status')))
    .where(sql<boolean>`(cast(${values.status} as text) is null or p.status = ${values.status})`),
);

/** Rows that hold the claim on a payoutId, or on one that is like it, archived ones too. */
function selectHolders(values: ClaimKey) {
  return query
    .selectFrom('claim as c')
    .leftJoin('payout as p', 'p.seq', 'c.payout_seq')
    .leftJoin('archived_rows as g', (join) => join.on(isArchivedSeq(sql.ref('c.payout_seq'))))
    .innerJoin('batch as b', (join) =>
      join.on('b.batch_id', '=', ({ fn }) => fn.coalesce('p.batch_id', 'g.batch_id')),
    )
    .select(['c.payout_id as payoutId', 'b.batch_id as batchId', 'b.file_name as fileName'])
    .select(sql<number>`coalesce(p.row_no, g.first_row_no + c.payout_seq - g.first_seq)`.as('rowNo'))
    .select(sql<PayoutStatus>`coalesce(p.status, g.status)`.as('status'))
    .where('c.company_id', '=', values.companyId)
    .where('c.similar_key', '=', values.similarKey);
}

const claimHolder = define((values: ClaimKey) => selectHolders(values).where('c.payout_id', '=', values.id));

const similarHolders = define((values: ClaimKey) =>
  selectHolders(values)
    .where('c.payout_id', '<>', values.id)
    .orderBy('b.sealed_at_ms')
    .orderBy('c.payout_seq'),
);

/** Every attempt for a payoutId, over all files. */
const attemptsOf = define((values: { companyId: string; payoutId: string }) =>
  query
    .selectFrom('payout_place as o')
    .innerJoin('attempt as a', 'a.payout_seq', 'o.payout_seq')
    .innerJoin('payout as p', 'p.seq', 'o.payout_seq')
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .selectAll('a')
    .where('o.payout_id', '=', values.payoutId)
    .where('b.company_id', '=', values.companyId)
    .orderBy('a.attempt_no'),
);

const bySeq = define((values: { seq: number }) => selectPayouts().where('p.seq', '=', values.seq));

/**
 * The attempt that is in doubt of a row that must have one: the latest, or, of a row that is unresolved, an earlier one
 * that was reopened. Of a submitted row the latest is asked about; the watch asks about the others.
 */
const doubtfulAttempt = define((values: { seq: number; isUnresolved: number }) =>
  query
    .selectFrom('attempt')
    .selectAll()
    .where('payout_seq', '=', values.seq)
    .where('status', '<>', 'paid')
    .orderBy(
      (eb) => eb.and([sql<boolean>`${values.isUnresolved} = 1`, eb('status', '=', 'unresolved')]),
      'desc',
    )
    .orderBy('attempt_no', 'desc')
    .limit(1),
);

/** The latest attempt that sent a like payment; sorted, so that the search ends with the first that counts. */
const similarPayment = define(
  (values: Omit<PaymentLikeness, 'amountSatang'> & { readonly amountText: string }) =>
    query
      .selectFrom('attempt as a')
      .innerJoin('payout as p', 'p.seq', 'a.payout_seq')
      .innerJoin('payout_row as r', 'r.seq', 'a.payout_seq')
      .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
      .select([sql<string>`r.payout_id`.as('payoutId'), 'p.batch_id as batchId', 'p.row_no as rowNo'])
      .select(['b.file_name as fileName', 'p.status', 'a.intent_at_ms as submittedAtMs'])
      .where('a.proxy_no', '=', values.proxyNo)
      .where('a.amount_text', '=', values.amountText)
      .where('a.intent_at_ms', '>=', values.sinceMs)
      .where('a.proxy_type', '=', values.proxyType)
      .where('a.company_id', '=', values.companyId)
      .where('r.payout_id', '<>', values.payoutId)
      .where((eb) =>
        eb.or([
          sql<boolean>`cast(${values.reference1} as text) is null`,
          eb('a.reference1', 'is', null),
          eb('a.reference1', '=', values.reference1),
        ]),
      )
      .where('p.status', 'in', mayBePaidStatuses.map(literal))
      .orderBy('a.intent_at_ms', 'desc')
      .limit(1),
);

/** Rows with this payoutId, and the row that made the attempt with this transRefNo, archived ones too; the latest first. */
export function* readNamed(name: string): Reading<number[]> {
  const named = query
    .selectFrom('payout_place')
    .select('payout_seq as seq')
    .where('payout_id', '=', name)
    .union(query.selectFrom('attempt').select('payout_seq as seq').where('trans_ref_no', '=', name))
    .union(query.selectFrom('used_reference').select('payout_seq as seq').where('trans_ref_no', '=', name))
    .orderBy('seq', 'desc');
  return (yield* select(named)).map(({ seq }) => seq);
}

const attemptsOfRow = define((values: { seq: number }) =>
  query.selectFrom('attempt').selectAll().where('payout_seq', '=', values.seq).orderBy('attempt_no'),
);

const eventsOfRow = define((values: { seq: number }) =>
  query
    .selectFrom('event')
    .select(['seq', 'payout_seq as payoutSeq', 'from_status as from', 'to_status as to', 'cause'])
    .select(['at_ms as atMs', 'attempt_no as attemptNo', 'detail'])
    .where('payout_seq', '=', values.seq)
    .orderBy('seq'),
);

const resultRowBySeq = define((values: { seq: number }) =>
  selectResultRows().where('p.seq', '=', values.seq),
);

function* findHistory(seq: number): Reading<PayoutHistory | undefined> {
  const record = yield* resultRowBySeq.get({ seq });
  if (record === undefined) return undefined;
  const batch = yield* batchReads.batch(record.batch_id);
  if (batch === undefined) throw new Error(`payout ${seq} has no batch`);
  const attempts = (yield* attemptsOfRow.all({ seq })).map(toAttempt);
  const events = (yield* eventsOfRow.all({ seq })).map((event) => ({
    ...event,
    detail: readDetail(event.detail),
  }));
  return { row: toResultRow(record), batch, attempts, events };
}

/** The history of a payout that is there. */
export function* readHistory(seq: number): Reading<PayoutHistory> {
  const found = yield* findHistory(seq);
  if (found === undefined) throw new Error(`payout ${seq} has no row`);
  return found;
}

/** Another process may have settled a row between two reads: then there is nothing to ask about it. */
function* requireSettledSince({ seq, status }: PayoutRecord): Reading<void> {
  const now = yield* selectFirst(query.selectFrom('payout').select('status').where('seq', '=', seq));
  if (now?.status === status) throw new Error(`payout ${seq} is ${status} without an attempt`);
}

function* withAttempts(records: readonly PayoutRecord[]): Reading<InDoubt[]> {
  const found: InDoubt[] = [];
  for (const record of records) {
    const isUnresolved = record.status === 'unresolved' ? 1 : 0;
    const attempt = yield* doubtfulAttempt.get({ seq: record.seq, isUnresolved });
    if (attempt !== undefined) found.push({ payout: requirePayout(record), attempt: toAttempt(attempt) });
    else yield* requireSettledSince(record);
  }
  return found;
}

export const payoutReads = {
  history: findHistory,
  *readyPage(batchId, afterRowNo, limit) {
    const records = yield* readyPage.all({ batchId, afterRowNo, limit });
    return records.map((record): ReadyPayout => ({
      payout: requirePayout(record),
      attemptsRecorded: record.attempts_recorded,
      digest: record.digest,
    }));
  },
  *dueInquiries(nowMs, limit, inBatchId, horizonMs = Number.MAX_SAFE_INTEGER) {
    const page = { limit, batchId: inBatchId ?? null };
    const due = yield* dueInquiries.all({ ...page, nowMs });
    const rest = due.length < limit ? yield* beyondHorizon.all({ ...page, horizonMs }) : [];
    return yield* withAttempts([...due, ...rest].slice(0, limit));
  },
  *nextInquiryAtMs(batchId) {
    return (yield* nextInquiry.get({ batchId: batchId ?? null }))?.next_inquiry_at_ms ?? undefined;
  },
  *inDoubt(afterSeq, limit, batchId) {
    return yield* withAttempts(yield* inDoubt.all({ afterSeq, limit, batchId: batchId ?? null }));
  },
  *countInDoubt(status) {
    return (yield* countInDoubt.get({ status: status ?? null }))?.rows ?? 0;
  },
  *superseded(sinceMs, after, limit) {
    const found: InDoubt[] = [];
    for (const record of yield* superseded.all({ sinceMs, ...after, limit })) {
      const owner = yield* bySeq.get({ seq: record.payout_seq });
      if (owner === undefined) throw new Error(`attempt ${record.trans_ref_no} belongs to no payout`);
      found.push({ payout: requirePayout(owner), attempt: toAttempt(record) });
    }
    return found;
  },
  *attemptsOf(companyId, payoutId): Reading<Attempt[]> {
    return (yield* attemptsOf.all({ companyId, payoutId })).map(toAttempt);
  },
  *payout(seq) {
    const record = yield* bySeq.get({ seq });
    return record === undefined ? undefined : toPayout(record);
  },
  similarHolders: (companyId, payoutId) => similarHolders.all(claimKeyOf(companyId, payoutId)),
  *claimHolders(companyId, payoutIds) {
    const holders: ClaimOwner[] = [];
    for (const payoutId of payoutIds) {
      const holder = yield* claimHolder.get(claimKeyOf(companyId, payoutId));
      if (holder !== undefined) holders.push(holder);
    }
    return holders;
  },
  similarPayment: ({ amountSatang, ...likeness }): Reading<EarlierPayment | undefined> =>
    similarPayment.get({ ...likeness, amountText: formatBaht(amountSatang) }),
} satisfies Partial<BodiesOf<PayoutStore & HistoryReader>>;
