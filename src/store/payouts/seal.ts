/**
 * The seal: one transaction that turns the staged rows of a file into ready, held or rejected ones and takes the
 * claims. What all rows share is done by one statement each; only rows that clash with another are taken singly.
 */
import type { DatabaseSync } from 'node:sqlite';
import { type ColumnType, type Expression, sql } from 'kysely';
import { dayMs } from '../../core/bangkok-time.ts';
import { showCell } from '../../core/cell-text.ts';
import { countOf, showBaht } from '../../core/figures.ts';
import { sumSatang, toSatang } from '../../core/money.ts';
import type { Issue, SealTotals } from '../../core/payout-file.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import {
  describeClaimed,
  describePlace,
  findLikeFile,
  likeFileCodes,
  mayBePaidStatuses,
  similarIdWords,
} from '../../payout/rules/similar.ts';
import type { ApprovalPolicy } from '../../review/rules/approval.ts';
import { inTransaction } from '../connection.ts';
import { decideAtSeal } from '../review/approvals.ts';
import { addBits, holdBits, isArchivedSeq, literal, similarKeyOf } from '../schema.ts';
import { drive, prepare, query, readAll, write } from '../statements.ts';
import { batchReads } from './batches.ts';
import { type BulkMove, moveAll } from './bulk.ts';
import { appendEvent } from './chain.ts';
import { readSealedDigest } from './digests.ts';
import { requireIngesting } from './ingest.ts';
import { recordOpen } from './open-payouts.ts';
import { readLastRowNo, readLatestEventSeq } from './rows.ts';

/** Clashing rows that are read at a time. */
const clashPageRows = 1_000;

/** Rows whose keys one statement computes: what each call of a function of ours takes of memory is free at its end. */
const keyPageRows = 1_000;

/**
 * The rows of the file that name a payoutId, in the order of their claims: sorted once, for all that follows. In that
 * order a million claims are appended, and those of others looked up, page after page instead of all over the table.
 */
const sealingTables = `
create temp table if not exists sealing_key (
  seq integer primary key,
  similar_key text not null
) strict;
create temp table if not exists sealing_row (
  place integer primary key,
  similar_key text not null,
  payout_id text not null,
  seq integer not null,
  is_staged integer not null
) strict`;

interface SealingRowTable {
  readonly place: ColumnType<number, never, never>;
  readonly similar_key: string;
  readonly payout_id: string;
  readonly seq: number;
  readonly is_staged: number;
}

interface SealingKeyTable {
  readonly seq: number;
  readonly similar_key: string;
}

const sealingQuery = query.$extendTables<{
  sealing_key: SealingKeyTable;
  sealing_row: SealingRowTable;
}>();

interface Sealing {
  readonly db: DatabaseSync;
  readonly batchId: string;
  readonly companyId: string;
  readonly nowMs: number;
  /** The event of a row is `eventBase` + its row number: one statement can number them all. */
  readonly eventBase: number;
}

/**
 * Seals a batch whose file has been read to its end.
 * @param likeFileDays how long ago rows of other files count as like; 0 means never
 * @throws Error when what was staged is not what was read: a row or a satang would be lost
 */
export function seal(
  db: DatabaseSync,
  batchId: string,
  totals: SealTotals,
  nowMs: number,
  likeFileDays: number,
  approval?: ApprovalPolicy,
): void {
  inTransaction(db, () => {
    const { companyId } = requireIngesting(db, batchId);
    requireTotals(db, batchId, totals);
    const sealing: Sealing = { db, batchId, companyId, nowMs, eventBase: drive(db, readLatestEventSeq()) };
    rejectConflicts(sealing, totals.conflictingRowNos);
    sortRows(sealing);
    recordPlaces(sealing);
    takeClaims(sealing);
    settleClashes(sealing);
    for (const table of ['sealing_key', 'sealing_row'] as const) write(db, sealingQuery.deleteFrom(table));
    const like = findLikeFileOf(sealing, likeFileDays > 0 ? nowMs - likeFileDays * dayMs : undefined);
    const approvals = decideAtSeal(db, batchId, approval);
    releaseStaged(sealing, like, 'approval_people' in approvals ? holdBits.approval : 0);
    for (const table of ['sealing_payment', 'sealing_other'] as const)
      write(db, paymentQuery.deleteFrom(table));
    const sealed = {
      status: 'sealed',
      rows: totals.rows,
      total_satang: String(totals.totalSatang),
      unreadable_amounts: totals.unreadableAmounts,
      sealed_at_ms: nowMs,
      digest: readSealedDigest(db, batchId),
      ...(like === undefined ? {} : { like_reason: like.reason }),
      ...approvals,
    } as const;
    write(db, query.updateTable('batch').set(sealed).where('batch_id', '=', batchId));
    recordOpen(db, batchId);
  });
}

function requireTotals(db: DatabaseSync, batchId: string, totals: SealTotals): void {
  const staged = { rows: 0, totalSatang: toSatang(0n), unreadableAmounts: 0 };
  for (const total of drive(db, batchReads.totals(batchId))) {
    staged.rows += total.rows;
    staged.totalSatang = sumSatang([staged.totalSatang, total.amountSatang]);
    staged.unreadableAmounts += total.unreadableAmounts;
  }
  const describe = ({ rows, totalSatang, unreadableAmounts }: typeof staged): string =>
    `${countOf(rows, 'row')}, ${showBaht(totalSatang)} baht and ${countOf(unreadableAmounts, 'unreadable amount')}`;
  if (describe(staged) === describe(totals)) return;
  throw new Error(`batch ${batchId}: ${describe(staged)} were staged, ${describe(totals)} were read`);
}

/** A function that rejects one staged row for an issue that only the seal could find. */
function makeReject({
  db,
  batchId,
  companyId,
  nowMs,
  eventBase,
}: Sealing): (row: { seq: number; row_no: number }, issue: Issue) => void {
  const rejected = {
    status: 'rejected',
    holds: 0,
    settled_by: 'rules',
    settled_at_ms: nowMs,
    version: 2,
  } as const;
  type Values = { seq: number; code: string; message: string; issues: string; eventSeq: number };
  const update = prepare(db, (values: Values) =>
    query
      .updateTable('payout')
      .set({ ...rejected, reason_code: values.code, reason: values.message })
      .set({ issues: values.issues, last_event_seq: values.eventSeq })
      .where('seq', '=', values.seq)
      .where('status', '=', literal('staged')),
  );
  const moved = { from: 'staged', to: 'rejected', cause: 'sealed' } as const;
  const shared = { companyId, batchId, ...moved, atMs: nowMs, attemptNo: 0 };
  return (row, issue) => {
    const { code, message } = issue;
    const eventSeq = eventBase + row.row_no;
    if (update.run({ seq: row.seq, code, message, issues: JSON.stringify([issue]), eventSeq }) === 0) return;
    const event = { ...shared, rowNo: row.row_no, seq: eventSeq, detail: JSON.stringify({ code }) };
    drive(db, appendEvent(row.seq, event));
  };
}

function rejectConflicts(sealing: Sealing, rowNos: readonly number[]): void {
  const reject = makeReject(sealing);
  const find = prepare(sealing.db, (values: { rowNo: number }) =>
    query
      .selectFrom('payout as p')
      .innerJoin('payout_row as r', 'r.seq', 'p.seq')
      .select(['p.seq', 'p.row_no', 'r.line', 'r.payout_id'])
      .where('p.batch_id', '=', sealing.batchId)
      .where('p.row_no', '=', values.rowNo),
  );
  const message =
    'a later row has the same payoutId with other contents: neither is paid; give each payout a payoutId of its own';
  for (const rowNo of rowNos) {
    const row = find.get({ rowNo });
    if (row === undefined) throw new Error(`batch ${sealing.batchId} has no row ${rowNo}`);
    reject(row, makeIssue('duplicate-differs', row.line, row.payout_id, message));
  }
}

function makeIssue(code: string, line: number, payoutId: string | null, message: string): Issue {
  return { line, column: 'payoutId', code, value: payoutId === null ? null : showCell(payoutId), message };
}

/** Fills the table of the rows; those that are rejected already take no claim. */
function sortRows(sealing: Sealing): void {
  const { db, batchId } = sealing;
  db.exec(sealingTables);
  computeKeys(sealing);
  const columns = ['similar_key', 'payout_id', 'seq', 'is_staged'] as const;
  const rows = sealingQuery
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .innerJoin('sealing_key as k', 'k.seq', 'p.seq')
    .select((eb) => [
      'k.similar_key',
      sql<string>`r.payout_id`.as('payout_id'),
      'p.seq',
      sql<number>`${eb('p.status', '=', literal('staged'))}`.as('is_staged'),
    ])
    .where('p.batch_id', '=', batchId)
    .orderBy('similar_key')
    .orderBy('payout_id')
    .orderBy('p.row_no');
  write(db, sealingQuery.insertInto('sealing_row').columns(columns).expression(rows));
}

function computeKeys({ db, batchId }: Sealing): void {
  const keep = prepare(db, (values: { afterRowNo: number; lastRowNo: number }) =>
    sealingQuery
      .insertInto('sealing_key')
      .columns(['seq', 'similar_key'])
      .expression(
        query
          .selectFrom('payout as p')
          .innerJoin('payout_row as r', 'r.seq', 'p.seq')
          .select((eb) => ['p.seq', similarKeyOf(eb.ref('r.payout_id')).as('similar_key')])
          .where('p.batch_id', '=', batchId)
          .where('p.row_no', '>', values.afterRowNo)
          .where('p.row_no', '<=', values.lastRowNo)
          .where('r.payout_id', 'is not', null),
      ),
  );
  const lastRowNo = drive(db, readLastRowNo(batchId));
  for (let afterRowNo = 0; afterRowNo < lastRowNo; afterRowNo += keyPageRows)
    keep.run({ afterRowNo, lastRowNo: afterRowNo + keyPageRows });
}

/** Makes every row findable by its payoutId, the rejected ones too. */
function recordPlaces({ db }: Sealing): void {
  const places = sealingQuery
    .selectFrom('sealing_row')
    .select(['payout_id', 'seq as payout_seq'])
    .orderBy('payout_id')
    .orderBy('payout_seq');
  write(db, query.insertInto('payout_place').columns(['payout_id', 'payout_seq']).expression(places));
}

/** Takes every claim that is free; those given back keep their count of attempts. */
function takeClaims({ db, companyId }: Sealing): void {
  const wanted = sealingQuery
    .selectFrom('sealing_row')
    .select([sql<string>`${companyId}`.as('company_id'), 'similar_key', 'payout_id', 'seq as payout_seq'])
    .select(sql<number>`0`.as('attempts_recorded'))
    .where('is_staged', '=', 1)
    .orderBy('place');
  const take = query
    .insertInto('claim')
    .columns(['company_id', 'similar_key', 'payout_id', 'payout_seq', 'attempts_recorded'])
    .expression(wanted)
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'similar_key', 'payout_id'])
        .doUpdateSet((eb) => ({ payout_seq: eb.ref('excluded.payout_seq') }))
        .where('claim.payout_seq', 'is', null),
    );
  write(db, take);
}

/** Rows whose claim, or one that is similar, another row holds. */
function selectClashing({ companyId }: Sealing, afterPlace: number) {
  return sealingQuery
    .selectFrom('sealing_row as s')
    .select(['s.place', 's.seq'])
    .where('s.place', '>', afterPlace)
    .where('s.is_staged', '=', 1)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('claim as c')
          .select('c.payout_seq')
          .where('c.company_id', '=', companyId)
          .whereRef('c.similar_key', '=', 's.similar_key')
          .whereRef('c.payout_seq', '<>', 's.seq'),
      ),
    )
    .orderBy('s.place')
    .limit(clashPageRows);
}

/**
 * What a row clashes with; of several, the one with the very same payoutId first, then in the order of the seals,
 * whichever file was read first; the file's own rows last.
 */
function prepareFirstClash({ db, companyId }: Sealing) {
  return prepare(db, (values: { seq: number }) =>
    query
      .selectFrom('payout as p')
      .innerJoin('payout_row as r', 'r.seq', 'p.seq')
      .innerJoin('claim as c', (join) =>
        join
          .on('c.company_id', '=', companyId)
          .on((eb) => eb('c.similar_key', '=', similarKeyOf(eb.ref('r.payout_id'))))
          .onRef('c.payout_seq', '<>', 'p.seq'),
      )
      .leftJoin('payout as o', 'o.seq', 'c.payout_seq')
      .leftJoin('archived_rows as g', (join) => join.on(isArchivedSeq(sql.ref('c.payout_seq'))))
      .innerJoin('batch as b', (join) =>
        join.on('b.batch_id', '=', ({ fn }) => fn.coalesce('o.batch_id', 'g.batch_id')),
      )
      .select([
        'p.seq',
        'p.row_no',
        'r.line',
        'c.payout_id as other_payout_id',
        'b.batch_id as other_batch_id',
      ])
      .select(sql<number>`coalesce(o.row_no, g.first_row_no + c.payout_seq - g.first_seq)`.as('other_row_no'))
      .select(sql<PayoutStatus>`coalesce(o.status, g.status)`.as('other_status'))
      .select(['b.file_name as other_file_name', sql<string>`r.payout_id`.as('payout_id')])
      .where('p.seq', '=', values.seq)
      .where('p.status', '=', literal('staged'))
      .orderBy((eb) => eb('c.payout_id', '=', eb.ref('r.payout_id')), 'desc')
      .orderBy('b.sealed_at_ms', (order) => order.asc().nullsLast())
      .orderBy('c.payout_seq')
      .limit(1),
  );
}

/** A row, and another whose payoutId is the same, or like it. */
type Clash = NonNullable<ReturnType<ReturnType<typeof prepareFirstClash>['get']>>;

function settleClashes(sealing: Sealing): void {
  const reject = makeReject(sealing);
  const hold = makeHoldSimilar(sealing);
  const firstClash = prepareFirstClash(sealing);
  let place = 0;
  for (;;) {
    const page = readAll(sealing.db, selectClashing(sealing, place));
    for (const { seq } of page) {
      const clash = firstClash.get({ seq });
      if (clash === undefined) throw new Error(`payout ${seq} clashes with nothing`);
      if (clash.other_payout_id === clash.payout_id) {
        const message = describeClaimed(clash, sealing.batchId);
        reject(clash, makeIssue('payout-id-claimed', clash.line, clash.payout_id, message));
      } else {
        hold(clash);
      }
    }
    place = page.at(-1)?.place ?? place;
    if (page.length < clashPageRows) return;
  }
}

/** A function that adds the hold `similar` to a row that is still staged. */
function makeHoldSimilar(sealing: Sealing): (clash: Clash) => void {
  const update = prepare(sealing.db, (values: { seq: number; reason: string }) =>
    query
      .updateTable('payout')
      .set((eb) => ({
        holds: addBits(eb.ref('holds'), holdBits.similar),
        reason_code: 'similar',
        reason: values.reason,
      }))
      .where('seq', '=', values.seq),
  );
  return (clash) => {
    const other = `${showCell(clash.other_payout_id)} (${describePlace(clash, sealing.batchId)})`;
    update.run({ seq: clash.seq, reason: `differs from payoutId ${other} ${similarIdWords}` });
  };
}

/**
 * What is still staged goes on as ready, or as held when it has a hold.
 * @param like why the whole file is held; by `added`, bits of holds, it is besides
 */
function releaseStaged(sealing: Sealing, like: LikeFile | undefined, added: number): void {
  const shared = { ...sealing, from: 'staged', cause: 'sealed', detail: {} } as const;
  if (like !== undefined || added !== 0) {
    moveAll(sealing.db, { ...shared, to: 'held', set: holdAll(like, added) });
    return;
  }
  for (const to of ['ready', 'held'] as const) {
    const isHeld: BulkMove['which'] = (payout) => payout('holds', to === 'ready' ? '=' : '<>', 0);
    moveAll(sealing.db, { ...shared, to, which: isHeld, set: () => ({}) });
  }
}

/**
 * The rows of the file that would be paid, in the order of payee and amount: what others of the company pay the same.
 * The others are looked up in the order of their own table: in that of the payees each would be on another page.
 */
const paymentTables = `
create temp table if not exists sealing_payment (
  place integer primary key,
  proxy_no text not null,
  amount_satang integer not null,
  seq integer not null,
  other_seq integer
) strict;
create temp table if not exists sealing_other (
  seq integer primary key,
  batch_id text not null
) strict`;

interface SealingPaymentTable {
  readonly place: ColumnType<number, never, never>;
  readonly proxy_no: string;
  readonly amount_satang: ColumnType<never, unknown, never>;
  readonly seq: number;
  /** The latest row of another file that is like it; null when there is none. */
  readonly other_seq: number | null;
}

/** Rows of other files that are paid, or may yet be. */
interface SealingOtherTable {
  readonly seq: number;
  readonly batch_id: string;
}

const paymentQuery = query.$extendTables<{
  sealing_payment: SealingPaymentTable;
  sealing_other: SealingOtherTable;
}>();

/** What is not sent yet and may be: a like row of it counts, too. */
const waitingStatuses = ['ready', 'held'] as const;

/** Why all rows are held: they are so like those of other files that it may be one of these again. */
interface LikeFile {
  readonly reason: string;
  /** Every row is like one of another file. */
  readonly isWhole: boolean;
}

/**
 * Finds what the file is like, and makes its rows findable by payee and amount, for the files that come after.
 * @param sinceMs rows of other files that were sent before are not like; undefined when none is looked for
 */
function findLikeFileOf(sealing: Sealing, sinceMs: number | undefined): LikeFile | undefined {
  const { db, batchId } = sealing;
  db.exec(paymentTables);
  const firstSeq = sinceMs === undefined ? null : findFirstSeq(sealing, sinceMs);
  if (firstSeq === null || sinceMs === undefined) {
    recordPayees(db, selectStaged(batchId));
    return undefined;
  }
  sortPayments(sealing, firstSeq);
  confirmOthers(sealing, firstSeq, sinceMs);
  const sorted = paymentQuery.selectFrom('sealing_payment').orderBy('place');
  recordPayees(db, sorted.select(['proxy_no', 'amount_satang', 'seq']));
  const [other] = readAll(sealing.db, selectMostLike());
  if (other === undefined) return undefined;
  const counted = paymentQuery
    .selectFrom('sealing_payment')
    .select((eb) => [eb.fn.countAll<number>().as('rows'), eb.fn.count<number>('other_seq').as('likeRows')]);
  const [counts = { rows: 0, likeRows: 0 }] = readAll(sealing.db, counted);
  const reason = findLikeFile({ ...counts, other });
  return reason === undefined ? undefined : { reason, isWhole: counts.rows === counts.likeRows };
}

/** The first row of the batches that were worked since, or are: rows before it are of no interest. */
function findFirstSeq({ db, batchId, companyId }: Sealing, sinceMs: number): number | null {
  const selectFirst = () =>
    query
      .selectFrom('batch as b')
      .innerJoin('payout as p', 'p.batch_id', 'b.batch_id')
      .select((eb) => eb.fn.min<number | null>('p.seq').as('seq'))
      .where('p.row_no', '=', 1)
      .where('b.batch_id', '<>', batchId)
      .where('b.company_id', '=', companyId);
  // As two statements, each has an index of its own.
  const open = selectFirst().where('b.status', 'not in', [sql.lit('done'), sql.lit('rejected')] as never);
  const rested = selectFirst().where('b.rested_at_ms', '>=', sinceMs);
  const seqs = [...readAll(db, open), ...readAll(db, rested)].flatMap(({ seq }) => seq ?? []);
  return seqs.length === 0 ? null : Math.min(...seqs);
}

/** The latest row of another file, from `firstSeq` on, that pays the payee of `of` as much; whatever became of it. */
const selectOther = (of: string, firstSeq: number) =>
  query
    .selectFrom('payee_place as o')
    .select('o.payout_seq')
    .where(sql<boolean>`o.proxy_no = ${sql.ref(`${of}.proxy_no`)}`)
    .where(sql<boolean>`o.amount_satang = ${sql.ref(`${of}.amount_satang`)}`)
    .where('o.payout_seq', '>=', firstSeq)
    .orderBy('o.payout_seq', 'desc')
    .limit(1);

/** The rows that are still staged, by payee and amount. */
const selectStaged = (batchId: string) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .select([sql<string>`r.proxy_no`.as('proxy_no'), 'p.amount_satang', 'p.seq'])
    .where('p.batch_id', '=', batchId)
    .where('p.status', '=', literal('staged'))
    .orderBy('r.proxy_no')
    .orderBy('p.amount_satang')
    .orderBy('p.seq');

/** Fills the table of the rows that are still staged, each with what may be like it. */
function sortPayments({ db, batchId }: Sealing, firstSeq: number): void {
  // With a limit SQLite sorts before it looks up, so that neighbours are looked up one after the other.
  const staged = selectStaged(batchId).limit(sql.lit(-1));
  const rows = query
    .selectFrom(staged.as('s'))
    .select(['s.proxy_no', 's.amount_satang', 's.seq', selectOther('s', firstSeq).as('other_seq')]);
  const columns = ['proxy_no', 'amount_satang', 'seq', 'other_seq'] as const;
  write(db, paymentQuery.insertInto('sealing_payment').columns(columns).expression(rows));
}

/** Those of some rows that are paid, or may yet be, for the same company. */
function selectStanding({ companyId }: Sealing, seqs: Expression<unknown>, sinceMs: number) {
  const sentAtMs = sql`coalesce(p.submitted_at_ms, p.settled_at_ms)`;
  return (
    query
      .selectFrom(sql<{ seq: number }>`(${seqs})`.as('c'))
      // SQLite keeps the order of a cross join.
      .crossJoin('payout as p')
      .crossJoin('batch as b')
      .select(['p.seq', 'p.batch_id'])
      .whereRef('p.seq', '=', 'c.seq')
      .whereRef('b.batch_id', '=', 'p.batch_id')
      .where('b.company_id', '=', companyId)
      .where((eb) =>
        eb.or([
          eb.and([
            eb('p.status', 'in', mayBePaidStatuses.map(literal)),
            sql<boolean>`${sentAtMs} >= ${sinceMs}`,
          ]),
          eb.and([eb('p.status', 'in', waitingStatuses.map(literal)), eb('b.sealed_at_ms', '>=', sinceMs)]),
        ]),
      )
  );
}

/** Leaves each row with the latest one that is like it and stands; nothing may have come of the one found first. */
function confirmOthers(sealing: Sealing, firstSeq: number, sinceMs: number): void {
  const { db } = sealing;
  const found = sql`select distinct other_seq as seq from sealing_payment where other_seq is not null order by 1`;
  const keep = paymentQuery.insertInto('sealing_other').columns(['seq', 'batch_id']);
  write(db, keep.expression(selectStanding(sealing, found, sinceMs)));
  const earlier = sql`select o.payout_seq as seq from payee_place as o
    where o.proxy_no = sealing_payment.proxy_no and o.amount_satang = sealing_payment.amount_satang
      and o.payout_seq >= ${firstSeq} and o.payout_seq < sealing_payment.other_seq
    order by o.payout_seq desc limit -1`;
  const latest = selectStanding(sealing, earlier, sinceMs).clearSelect().select('p.seq').limit(1);
  const isUnconfirmed = sql<boolean>`other_seq is not null and other_seq not in (select seq from sealing_other)`;
  write(db, paymentQuery.updateTable('sealing_payment').set({ other_seq: latest }).where(isUnconfirmed));
  const rest = paymentQuery
    .selectFrom('sealing_payment as s')
    .innerJoin('payout as p', 'p.seq', 's.other_seq')
    .select(['p.seq', 'p.batch_id'])
    .distinct()
    .where(isUnconfirmed);
  write(db, keep.expression(rest));
}

/** @param places payee, amount and row, in this order */
function recordPayees(db: DatabaseSync, places: Expression<unknown>): void {
  const columns = ['proxy_no', 'amount_satang', 'payout_seq'] as const;
  write(db, query.insertInto('payee_place').columns(columns).expression(places));
}

/** The file that has the most like rows. */
const selectMostLike = () =>
  paymentQuery
    .selectFrom('sealing_payment as s')
    .innerJoin('sealing_other as o', 'o.seq', 's.other_seq')
    .innerJoin('batch as b', 'b.batch_id', 'o.batch_id')
    .select(['b.batch_id as batchId', 'b.file_name as fileName', (eb) => eb.fn.countAll<number>().as('rows')])
    .groupBy('o.batch_id')
    .orderBy('rows', 'desc')
    .limit(1);

/** The reason stands with the batch: in each row it would double what a file of many rows takes. */
function holdAll(like: LikeFile | undefined, added: number): BulkMove['set'] {
  if (like === undefined) return (payout) => ({ holds: addBits(payout.ref('holds'), added) });
  const { reason, isWhole } = like;
  const liked = paymentQuery.selectFrom('sealing_payment').select('seq').where('other_seq', 'is not', null);
  const code = isWhole
    ? sql<string>`${likeFileCodes.like}`
    : sql<string>`case when seq in (${liked}) then ${likeFileCodes.like} else ${likeFileCodes.other} end`;
  return (payout) => ({
    holds: addBits(payout.ref('holds'), holdBits.similar | added),
    // What holds a row by itself is to be looked at by itself.
    reason_code: sql<string>`coalesce(reason_code, ${code})`,
    reason: sql<string>`case when reason_code is null then reason else coalesce(reason, ${reason}) end`,
  });
}
