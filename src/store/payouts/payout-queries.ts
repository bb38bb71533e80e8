/** Reads about payouts, each an index lookup however many rows the journal has. */
import type { DatabaseSync } from 'node:sqlite';
import { type InferResult, sql } from 'kysely';
import type { Attempt, Payout } from '../../core/payout.ts';
import type { AttemptKey, ClaimHolder } from '../../core/ports.ts';
import type { InDoubt, PayoutHistory, ReadyPayout } from '../../payout/ports.ts';
import { isInDoubt, literal, similarKeyOf } from '../schema.ts';
import { prepare, query, readAll, readFirst } from '../statements.ts';
import type { Journal } from '../store.ts';
import { readBatch } from './batch-queries.ts';
import {
  type PayoutRecord,
  selectPayouts,
  selectResultRows,
  toAttempt,
  toEvent,
  toPayout,
  toPayoutSurely,
  toResultRow,
} from './rows.ts';

/** SQLite's largest number of rows; a batch id that is not given matches every batch. */
interface Page {
  readonly limit: number;
  readonly batchId: string | null;
}

/** A condition on the batch that only counts when a batch is given. */
const inBatch = (batchId: string | null) => sql<boolean>`(${batchId} is null or p.batch_id = ${batchId})`;

export function prepareReadyPage(db: DatabaseSync) {
  return prepare(db, (values: { batchId: string; afterRowNo: number; limit: number }) =>
    selectPayouts()
      .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
      .leftJoin('claim as c', (join) =>
        join
          .onRef('c.company_id', '=', 'b.company_id')
          .on((eb) => eb('c.similar_key', '=', similarKeyOf(eb.ref('r.payout_id'))))
          .onRef('c.payout_id', '=', 'r.payout_id'),
      )
      .select(sql<number>`coalesce(c.attempts_recorded, 0)`.as('attempts_recorded'))
      .where('p.batch_id', '=', values.batchId)
      .where('p.status', '=', literal('ready'))
      .where('p.row_no', '>', values.afterRowNo)
      .orderBy('p.row_no')
      .limit(values.limit),
  );
}

export function prepareInDoubt(db: DatabaseSync) {
  return prepare(db, (values: Page & { afterSeq: number }) =>
    selectPayouts()
      .where(({ ref }) => isInDoubt(ref('p.status')))
      .where('p.seq', '>', values.afterSeq)
      .where(inBatch(values.batchId))
      .orderBy('p.seq')
      .limit(values.limit),
  );
}

/** The latest attempts of submitted rows that are to be inquired. */
function selectToInquire(batchId: string | null) {
  return (
    selectPayouts()
      .innerJoin('attempt as a', (join) =>
        join.onRef('a.payout_seq', '=', 'p.seq').onRef('a.attempt_no', '=', 'p.attempt_no'),
      )
      .where('a.next_inquiry_at_ms', 'is not', null)
      // Paid: by late proof for an earlier attempt, and what became of the latest is not known yet.
      .where('p.status', 'in', [literal('submitted'), literal('paid')])
      .where(inBatch(batchId))
      .orderBy('a.next_inquiry_at_ms')
  );
}

export function prepareDueInquiries(db: DatabaseSync) {
  return prepare(db, (values: Page & { nowMs: number }) =>
    selectToInquire(values.batchId).where('a.next_inquiry_at_ms', '<=', values.nowMs).limit(values.limit),
  );
}

/** Due later than any delay reaches: our clock has gone back since. */
function prepareBeyondHorizon(db: DatabaseSync) {
  return prepare(db, (values: Page & { horizonMs: number }) =>
    selectToInquire(values.batchId).where('a.next_inquiry_at_ms', '>', values.horizonMs).limit(values.limit),
  );
}

/** Every attempt but those that are paid, or that their payout is in doubt about, of payoutIds tried more than once. */
export function prepareSuperseded(db: DatabaseSync) {
  return prepare(db, (values: AttemptKey & { sinceMs: number; limit: number }) =>
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
      .where(sql<boolean>`(a.payout_seq, a.attempt_no) > (${values.payoutSeq}, ${values.attemptNo})`)
      .orderBy('a.payout_seq')
      .orderBy('a.attempt_no')
      .limit(values.limit),
  );
}

export function prepareNextInquiry(db: DatabaseSync) {
  return prepare(db, (values: { batchId: string | null }) =>
    selectToInquire(values.batchId).clearSelect().select('a.next_inquiry_at_ms').limit(1),
  );
}

export function prepareCountInDoubt(db: DatabaseSync) {
  return prepare(db, (values: { status: 'submitted' | 'unresolved' | null }) =>
    query
      .selectFrom('payout as p')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where(({ ref }) => isInDoubt(ref('p.status')))
      .where(sql<boolean>`(${values.status} is null or p.status = ${values.status})`),
  );
}

/** Rows that hold a claim. */
function selectHolders() {
  return query
    .selectFrom('claim as c')
    .innerJoin('payout as p', 'p.seq', 'c.payout_seq')
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .select(['c.payout_id', 'p.batch_id', 'p.row_no', 'b.file_name', 'p.status']);
}

function prepareClaimHolder(db: DatabaseSync) {
  return prepare(db, (values: { companyId: string; payoutId: string }) =>
    selectHolders()
      .where('c.company_id', '=', values.companyId)
      .where('c.similar_key', '=', similarKeyOf(values.payoutId))
      .where('c.payout_id', '=', values.payoutId),
  );
}

/** Who holds a payoutId that differs from this one only in case or leading zeros. */
function prepareSimilarHolders(db: DatabaseSync) {
  return prepare(db, (values: { companyId: string; payoutId: string }) =>
    selectHolders()
      .where('c.company_id', '=', values.companyId)
      .where('c.similar_key', '=', similarKeyOf(values.payoutId))
      .where('c.payout_id', '<>', values.payoutId)
      .orderBy('b.sealed_at_ms')
      .orderBy('p.seq'),
  );
}

function readAttempts(db: DatabaseSync, payoutSeq: number): Attempt[] {
  const ofPayout = query
    .selectFrom('attempt')
    .selectAll()
    .where('payout_seq', '=', payoutSeq)
    .orderBy('attempt_no');
  return readAll(db, ofPayout).map(toAttempt);
}

/** Every attempt for a payoutId, over all files. */
function readAttemptsOf(db: DatabaseSync, companyId: string, payoutId: string): Attempt[] {
  const ofPayoutId = query
    .selectFrom('payout_place as o')
    .innerJoin('attempt as a', 'a.payout_seq', 'o.payout_seq')
    .innerJoin('payout as p', 'p.seq', 'o.payout_seq')
    .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
    .selectAll('a')
    .where('o.payout_id', '=', payoutId)
    .where('b.company_id', '=', companyId)
    .orderBy('a.attempt_no');
  return readAll(db, ofPayoutId).map(toAttempt);
}

/** Rows with this payoutId, and the row that made the attempt with this transRefNo. */
function findSeqs(db: DatabaseSync, name: string): number[] {
  const named = query
    .selectFrom('payout_place')
    .select('payout_seq as seq')
    .where('payout_id', '=', name)
    .union(query.selectFrom('attempt').select('payout_seq as seq').where('trans_ref_no', '=', name))
    .orderBy('seq');
  return readAll(db, named).map(({ seq }) => seq);
}

function readHistory(db: DatabaseSync, seq: number): PayoutHistory {
  const record = readFirst(db, selectResultRows().where('p.seq', '=', seq));
  const batch = record === undefined ? undefined : readBatch(db, record.batch_id);
  if (record === undefined || batch === undefined) throw new Error(`payout ${seq} has no row or no batch`);
  const ofPayout = query.selectFrom('event').selectAll().where('payout_seq', '=', seq).orderBy('seq');
  const events = readAll(db, ofPayout).map(toEvent);
  return { row: toResultRow(record), batch, attempts: readAttempts(db, seq), events };
}

const latestFirst = (left: PayoutHistory, right: PayoutHistory): number => right.row.seq - left.row.seq;

type PayoutQueries = Pick<
  Journal,
  | 'readyPage'
  | 'dueInquiries'
  | 'nextInquiryAtMs'
  | 'inDoubt'
  | 'countInDoubt'
  | 'superseded'
  | 'attemptsOf'
  | 'payout'
  | 'findPayouts'
  | 'similarHolders'
  | 'claimHolders'
>;

function toHolder(record: InferResult<ReturnType<typeof selectHolders>>[number]): ClaimHolder {
  const { payout_id: payoutId, batch_id: batchId, row_no: rowNo, file_name: fileName, status } = record;
  return { payoutId, batchId, rowNo, fileName, status };
}

/**
 * Adds the attempt that is in doubt to rows that must have one: the latest, or, of a row that is unresolved, an earlier
 * one that came alive again. Of a submitted row the latest is asked about; the watch asks about the others.
 */
function makeInDoubt(db: DatabaseSync): (record: PayoutRecord) => InDoubt {
  const doubtfulAttempt = prepare(db, (values: { seq: number; isUnresolved: number }) =>
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
  return (record) => {
    const isUnresolved = record.status === 'unresolved' ? 1 : 0;
    const attempt = doubtfulAttempt.get({ seq: record.seq, isUnresolved });
    if (attempt === undefined) throw new Error(`payout ${record.seq} is ${record.status} without an attempt`);
    return { payout: toPayoutSurely(record), attempt: toAttempt(attempt) };
  };
}

/** The reads of one connection, those that are run often prepared once. */
export function makePayoutQueries(db: DatabaseSync): PayoutQueries {
  const readyPage = prepareReadyPage(db);
  const dueInquiries = prepareDueInquiries(db);
  const beyondHorizon = prepareBeyondHorizon(db);
  const nextInquiry = prepareNextInquiry(db);
  const inDoubt = prepareInDoubt(db);
  const countInDoubt = prepareCountInDoubt(db);
  const claimHolder = prepareClaimHolder(db);
  const similarHolders = prepareSimilarHolders(db);
  const superseded = prepareSuperseded(db);
  const withAttempt = makeInDoubt(db);
  const bySeq = prepare(db, (values: { seq: number }) => selectPayouts().where('p.seq', '=', values.seq));

  return {
    readyPage: async (batchId, afterRowNo, limit) =>
      readyPage.all({ batchId, afterRowNo, limit }).map((record): ReadyPayout => ({
        payout: toPayoutSurely(record),
        attemptsRecorded: record.attempts_recorded,
      })),
    dueInquiries: async (nowMs, limit, inBatchId, horizonMs = Number.MAX_SAFE_INTEGER) => {
      const page = { limit, batchId: inBatchId ?? null };
      const due = dueInquiries.all({ ...page, nowMs });
      const rest = due.length < limit ? beyondHorizon.all({ ...page, horizonMs }) : [];
      return [...due, ...rest].slice(0, limit).map(withAttempt);
    },
    nextInquiryAtMs: async (batchId) =>
      nextInquiry.get({ batchId: batchId ?? null })?.next_inquiry_at_ms ?? undefined,
    inDoubt: async (afterSeq, limit, batchId) =>
      inDoubt.all({ afterSeq, limit, batchId: batchId ?? null }).map(withAttempt),
    countInDoubt: async (status) => countInDoubt.get({ status: status ?? null })?.rows ?? 0,
    superseded: async (sinceMs, after, limit) =>
      superseded.all({ sinceMs, ...after, limit }).map((record): InDoubt => {
        const owner = bySeq.get({ seq: record.payout_seq });
        if (owner === undefined) throw new Error(`attempt ${record.trans_ref_no} belongs to no payout`);
        return { payout: toPayoutSurely(owner), attempt: toAttempt(record) };
      }),
    attemptsOf: async (companyId, payoutId) => readAttemptsOf(db, companyId, payoutId),
    payout: async (seq): Promise<Payout | undefined> => {
      const record = bySeq.get({ seq });
      return record === undefined ? undefined : toPayout(record);
    },
    findPayouts: async (name) =>
      findSeqs(db, name)
        .map((seq) => readHistory(db, seq))
        .toSorted(latestFirst),
    similarHolders: async (companyId, payoutId) => similarHolders.all({ companyId, payoutId }).map(toHolder),
    claimHolders: async (companyId, payoutIds) =>
      payoutIds.flatMap((payoutId): ClaimHolder[] => {
        const holder = claimHolder.get({ companyId, payoutId });
        return holder === undefined ? [] : [toHolder(holder)];
      }),
  };
}
