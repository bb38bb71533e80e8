/** Reads about payouts, each an index lookup however many rows the journal has. */
import type { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import type { Attempt, Payout } from '../core/payout.ts';
import type { ClaimHolder, InDoubt, Journal, PayoutHistory, ReadyPayout } from '../core/ports.ts';
import { readBatch } from './batch-queries.ts';
import { query } from './dialect.ts';
import {
  selectPayouts,
  selectResultRows,
  toAttempt,
  toEvent,
  toPayout,
  toPayoutSurely,
  toResultRow,
  type PayoutRecord,
} from './rows.ts';
import { isInDoubt, literal, similarKeyOf } from './schema.ts';
import { prepare, readAll, readFirst } from './statements.ts';

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
  return selectPayouts()
    .innerJoin('attempt as a', (join) =>
      join.onRef('a.payout_seq', '=', 'p.seq').onRef('a.attempt_no', '=', 'p.attempt_no'),
    )
    .where('a.next_inquiry_at_ms', 'is not', null)
    .where('p.status', '=', literal('submitted'))
    .where(inBatch(batchId))
    .orderBy('a.next_inquiry_at_ms');
}

export function prepareDueInquiries(db: DatabaseSync) {
  return prepare(db, (values: Page & { nowMs: number }) =>
    selectToInquire(values.batchId).where('a.next_inquiry_at_ms', '<=', values.nowMs).limit(values.limit),
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

function prepareClaimHolder(db: DatabaseSync) {
  return prepare(db, (values: { companyId: string; payoutId: string }) =>
    query
      .selectFrom('claim as c')
      .innerJoin('payout as p', 'p.seq', 'c.payout_seq')
      .innerJoin('batch as b', 'b.batch_id', 'p.batch_id')
      .select(['c.payout_id', 'p.batch_id', 'p.row_no', 'b.file_name', 'p.status'])
      .where('c.company_id', '=', values.companyId)
      .where('c.similar_key', '=', similarKeyOf(values.payoutId))
      .where('c.payout_id', '=', values.payoutId),
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
  | 'attemptsOf'
  | 'payout'
  | 'findPayouts'
  | 'claimHolders'
>;

/** Adds the attempt that is in doubt to rows that must have one: the latest, or an earlier one that came alive again. */
function makeInDoubt(db: DatabaseSync): (record: PayoutRecord) => InDoubt {
  const doubtfulAttempt = prepare(db, (values: { seq: number }) =>
    query
      .selectFrom('attempt')
      .selectAll()
      .where('payout_seq', '=', values.seq)
      .orderBy((eb) => eb('status', '=', 'unresolved'), 'desc')
      .orderBy('attempt_no', 'desc')
      .limit(1),
  );
  return (record) => {
    const attempt = doubtfulAttempt.get({ seq: record.seq });
    if (attempt === undefined) throw new Error(`payout ${record.seq} is ${record.status} without an attempt`);
    return { payout: toPayoutSurely(record), attempt: toAttempt(attempt) };
  };
}

/** The reads of one connection, those that are run often prepared once. */
export function makePayoutQueries(db: DatabaseSync): PayoutQueries {
  const readyPage = prepareReadyPage(db);
  const dueInquiries = prepareDueInquiries(db);
  const nextInquiry = prepareNextInquiry(db);
  const inDoubt = prepareInDoubt(db);
  const countInDoubt = prepareCountInDoubt(db);
  const claimHolder = prepareClaimHolder(db);
  const withAttempt = makeInDoubt(db);
  const bySeq = prepare(db, (values: { seq: number }) => selectPayouts().where('p.seq', '=', values.seq));

  return {
    readyPage: async (batchId, afterRowNo, limit) =>
      readyPage.all({ batchId, afterRowNo, limit }).map((record): ReadyPayout => ({
        payout: toPayoutSurely(record),
        attemptsRecorded: record.attempts_recorded,
      })),
    dueInquiries: async (nowMs, limit, batchId) =>
      dueInquiries.all({ nowMs, limit, batchId: batchId ?? null }).map(withAttempt),
    nextInquiryAtMs: async (batchId) =>
      nextInquiry.get({ batchId: batchId ?? null })?.next_inquiry_at_ms ?? undefined,
    inDoubt: async (afterSeq, limit, batchId) =>
      inDoubt.all({ afterSeq, limit, batchId: batchId ?? null }).map(withAttempt),
    countInDoubt: async (status) => countInDoubt.get({ status: status ?? null })?.rows ?? 0,
    attemptsOf: async (companyId, payoutId) => readAttemptsOf(db, companyId, payoutId),
    payout: async (seq): Promise<Payout | undefined> => {
      const record = bySeq.get({ seq });
      return record === undefined ? undefined : toPayout(record);
    },
    findPayouts: async (name) =>
      findSeqs(db, name)
        .map((seq) => readHistory(db, seq))
        .toSorted(latestFirst),
    claimHolders: async (companyId, payoutIds) =>
      payoutIds.flatMap((payoutId): ClaimHolder[] => {
        const holder = claimHolder.get({ companyId, payoutId });
        if (holder === undefined) return [];
        const { batch_id: batchId, row_no: rowNo, file_name: fileName, status } = holder;
        return [{ payoutId, batchId, rowNo, fileName, status }];
      }),
  };
}
