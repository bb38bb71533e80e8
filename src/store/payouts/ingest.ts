/** Takes the rows of a file in, chunk by chunk, and seals the batch that they are: nothing of it can be sent before. */
import { sql } from 'kysely';
import { encodeMessage, message, type Message } from '../../core/message.ts';
import { dayMs } from '../../core/bangkok-time.ts';
import { showCell } from '../../core/cell-text.ts';
import { countOf, showBaht } from '../../core/figures.ts';
import { sumSatang, toSatang } from '../../core/money.ts';
import type { Issue, SealTotals, StagedRow } from '../../core/payout-file.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { Batch } from '../../core/ports.ts';
import { computeInstructionDigest } from '../../core/reference.ts';
import type { BatchStart } from '../../intake/ports.ts';
import { computeSimilarKey, describeClaimed, describePlace } from '../../payout/rules/similar.ts';
import type { ApprovalPolicy } from '../../review/rules/approval.ts';
import { decideAtSeal } from '../review/approvals.ts';
import { appendJournalFact } from '../review/person-chain.ts';
import { beginningOf, clearForReading, rejectReading, requireReading } from '../batch-steps.ts';
import { addBits, decodeHolds, encodeHolds, holdBits, isArchivedSeq, literal } from '../schema.ts';
import type { StagedPayout, Tables } from '../schema.ts';
import {
  type Body,
  change,
  define,
  query,
  type Reading,
  select,
  selectFirst,
  type Statement,
} from '../statements.ts';
import { batchReads } from './batches.ts';
import { moveAll } from './bulk.ts';
import { appendEvent, makeSalt, makeSalts } from './chain.ts';
import { takeClaims } from './claims.ts';
import { readSealedDigest } from './digests.ts';
import { findLikeFileOf, holdAll, type LikeFile } from './like-file.ts';
import { recordOpen } from './open-payouts.ts';
import { encodeCells, encodeList, readLatestEventSeq, toStaged } from './rows.ts';
import { clearTables, makeTables, type Sealing, sealingQuery, sealingTables } from './sealing-tables.ts';

/** The batch whose file is being read. @throws Error when it is not */
function* requireIngesting(batchId: string): Reading<Batch> {
  return requireReading(batchId, yield* batchReads.batch(batchId));
}

/** Begins the reading of a file, or begins it again. @throws Error when the batch was sealed before */
export function* startIngest(start: BatchStart): Body<void> {
  yield* clearForReading('batch', start, yield* batchReads.batch(start.batchId));
  const batch = {
    ...beginningOf(start),
    payer_account: start.payerAccount,
    total_satang: '0',
    unreadable_amounts: 0,
    age_from_ms: start.droppedAtMs ?? start.nowMs,
  };
  const insert = query.insertInto('batch').values({ batch_id: start.batchId, ...batch });
  yield* change(insert.onConflict((conflict) => conflict.column('batch_id').doUpdateSet(batch)));
}

/** Ends the reading of a file that is rejected as a whole. */
export function* rejectBatch(batchId: string, code: string, reason: Message, nowMs: number): Body<void> {
  yield* requireIngesting(batchId);
  yield* rejectReading('batch', batchId, code, reason, nowMs);
}

/** Columns that are the same in every new row, in the text of the statement: values that are bound cost more. */
const newPayout = {
  version: sql.lit(1),
  attempt_no: sql.lit(0),
  bank_payee_name: sql.lit(null),
  bank_payee_name_th: sql.lit(null),
  submitted_at_ms: sql.lit(null),
  last_event_seq: sql.lit(0),
};

const toStagedPayout = (
  seq: number,
  batch: Batch,
  row: StagedRow,
): Omit<StagedPayout, keyof typeof newPayout> => ({
  seq,
  amount_satang: row.amountSatang,
  ...toStaged(batch, row, encodeHolds(row.holds)),
});

type NewRow = Omit<Tables['payout_row'], 'commitment'>;

function toPayoutRow(seq: number, { companyId, batchId }: Batch, row: StagedRow, salt: string): NewRow {
  const { rowNo, instruction } = row;
  const payoutId = instruction?.payoutId ?? row.cells.payoutId.trim();
  return {
    seq,
    payout_id: payoutId === '' ? null : payoutId,
    similar_key: payoutId === '' ? null : computeSimilarKey(payoutId),
    line: row.line,
    cells: encodeCells(row.cells),
    extras: encodeList(row.extras),
    proxy_type: instruction?.proxyType ?? null,
    proxy_no: instruction?.proxyNo ?? null,
    payee_name: instruction?.payeeName ?? null,
    reference1: instruction?.reference1 ?? null,
    reference2: instruction?.reference2 ?? null,
    digest: instruction && computeInstructionDigest({ companyId, batchId, rowNo }, instruction),
    salt: instruction && salt,
  };
}

const latestSeq = define((_values: object) =>
  query.selectNoFrom(
    sql<number>`max(
      coalesce((select max(seq) from payout), 0),
      coalesce((select last_seq from archived_rows order by first_seq desc limit 1), 0))`.as('seq'),
  ),
);

/** A row of a file as the tables have it. */
interface NewRecords {
  readonly payout: ReturnType<typeof toStagedPayout>;
  readonly row: NewRow;
}

/** Returns a function that makes the records of rows, by their places, of a batch that is being read. */
export function* makeRecorder(
  batchId: string,
  rows: number,
): Reading<(row: StagedRow, place: number) => NewRecords> {
  const batch = yield* requireIngesting(batchId);
  const last = (yield* latestSeq.get({}))?.seq ?? 0;
  const salts = makeSalts(rows);
  return (row, place) => {
    const seq = last + 1 + place;
    return {
      payout: toStagedPayout(seq, batch, row),
      row: toPayoutRow(seq, batch, row, salts[place] ?? makeSalt()),
    };
  };
}

const insertPayout = define((values: NewRecords['payout']) =>
  query.insertInto('payout').values({ ...values, ...newPayout }),
);

const insertRow = define((values: NewRow) => query.insertInto('payout_row').values(values));

/** Adds rows to a batch that is being read. */
export function* stage(batchId: string, rows: readonly StagedRow[]): Body<void> {
  const recordsOf = yield* makeRecorder(batchId, rows.length);
  for (const [place, staged] of rows.entries()) {
    const { payout, row } = recordsOf(staged, place);
    yield* insertPayout.run(payout);
    yield* insertRow.run(row);
  }
}

// ---------------------------------------------------------------- the seal

/** Clashing rows that are read at a time. */
const clashPageRows = 1_000;

/**
 * Seals a batch whose file has been read to its end: one transaction that turns the staged rows into ready, held or
 * rejected ones and takes the claims. What all rows share is done by one statement each; only rows that clash with another
 * are taken singly.
 * @param likeFileDays how long ago rows of other files count as like; 0 means never
 * @throws Error when what was staged is not what was read: a row or a satang would be lost
 */
export function* seal(
  batchId: string,
  totals: SealTotals,
  nowMs: number,
  likeFileDays: number,
  approval?: ApprovalPolicy,
): Body<Batch> {
  const { companyId } = yield* requireIngesting(batchId);
  yield* requireTotals(batchId, totals);
  const sealing: Sealing = { batchId, companyId, nowMs, eventBase: yield* readLatestEventSeq() };
  yield* rejectConflicts(sealing, totals.conflictingRowNos);
  yield* sortRows(sealing);
  yield* recordPlaces();
  yield* takeClaims(sealing);
  yield* settleClashes(sealing);
  yield* clearTables(sealingTables.rows);
  const like = yield* findLikeFileOf(sealing, likeFileDays > 0 ? nowMs - likeFileDays * dayMs : undefined);
  const approvals = yield* decideAtSeal(batchId, approval);
  yield* releaseStaged(sealing, like, 'approval_people' in approvals ? holdBits.approval : 0);
  yield* clearTables(sealingTables.payments);
  const sealed = {
    status: 'sealed',
    rows: totals.rows,
    total_satang: String(totals.totalSatang),
    unreadable_amounts: totals.unreadableAmounts,
    sealed_at_ms: nowMs,
    digest: yield* readSealedDigest(batchId),
    ...(like === undefined ? {} : { like_reason: encodeMessage(like.reason) }),
    ...approvals,
  } as const;
  yield* change(query.updateTable('batch').set(sealed).where('batch_id', '=', batchId));
  yield* tellSeal(batchId, nowMs);
  yield* recordOpen(batchId);
  const batch = yield* batchReads.batch(batchId);
  if (batch === undefined) throw new Error(`batch ${batchId} was sealed and is not there`);
  return batch;
}

/** The terms of a batch as they are sealed: an audit holds the batch against them. */
function* tellSeal(batchId: string, nowMs: number): Body<void> {
  const columns = query
    .selectFrom('batch')
    .select(['company_id as companyId', 'payer_account as payerAccount', 'sha256 as fileSha256'])
    .select(['approval_people as approvalPeople', 'approval_bound_satang as boundSatang'])
    .select('approval_bound_people as boundPeople');
  const found = yield* selectFirst(columns.where('batch_id', '=', batchId));
  if (found === undefined) throw new Error(`there is no batch ${batchId}`);
  const { payerAccount, ...terms } = found;
  yield* appendJournalFact('batch-sealed', nowMs, { batchId, ...terms }, { payerAccount });
}

function* requireTotals(batchId: string, totals: SealTotals): Reading<void> {
  const staged = { rows: 0, totalSatang: toSatang(0n), unreadableAmounts: 0 };
  for (const total of yield* batchReads.totals(batchId)) {
    staged.rows += total.rows;
    staged.totalSatang = sumSatang([staged.totalSatang, total.amountSatang]);
    staged.unreadableAmounts += total.unreadableAmounts;
  }
  const describe = ({ rows, totalSatang, unreadableAmounts }: typeof staged): string =>
    `${countOf(rows, 'row')}, ${showBaht(totalSatang)} baht and ${countOf(unreadableAmounts, 'unreadable amount')}`;
  if (describe(staged) === describe(totals)) return;
  throw new Error(`batch ${batchId}: ${describe(staged)} were staged, ${describe(totals)} were read`);
}

const rejected = { status: 'rejected', holds: 0, settled_by: 'rules', version: 2 } as const;

interface Rejected {
  readonly seq: number;
  readonly code: string;
  readonly reason: string;
  readonly issues: string;
  readonly nowMs: number;
  readonly eventSeq: number;
}

const rejectRow = define((values: Rejected) =>
  query
    .updateTable('payout')
    .set({ ...rejected, reason_code: values.code, reason: values.reason, settled_at_ms: values.nowMs })
    .set({ issues: values.issues, last_event_seq: values.eventSeq })
    .where('seq', '=', values.seq)
    .where('status', '=', literal('staged')),
);

/** Rejects one staged row for an issue that only the seal could find. */
function* reject(
  { batchId, companyId, nowMs, eventBase }: Sealing,
  { seq, row_no: rowNo }: { readonly seq: number; readonly row_no: number },
  issue: Issue,
): Body<void> {
  const { code } = issue;
  const eventSeq = eventBase + rowNo;
  const issues = JSON.stringify([issue]);
  if (
    (yield* rejectRow.run({ seq, code, reason: encodeMessage(issue.message), issues, nowMs, eventSeq })) === 0
  )
    return;
  const moved = { from: 'staged', to: 'rejected', cause: 'sealed' } as const;
  const shared = { companyId, batchId, ...moved, atMs: nowMs, attemptNo: 0 };
  yield* appendEvent(seq, { ...shared, rowNo, seq: eventSeq, detail: JSON.stringify({ code }) });
}

const rowOfFile = define((values: { batchId: string; rowNo: number }) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .select(['p.seq', 'p.row_no', 'r.line', 'r.payout_id'])
    .where('p.batch_id', '=', values.batchId)
    .where('p.row_no', '=', values.rowNo),
);

function* rejectConflicts(sealing: Sealing, rowNos: readonly number[]): Body<void> {
  const { batchId } = sealing;
  const why = message('reason.later-row-differs');
  for (const rowNo of rowNos) {
    const row = yield* rowOfFile.get({ batchId, rowNo });
    if (row === undefined) throw new Error(`batch ${batchId} has no row ${rowNo}`);
    yield* reject(sealing, row, makeIssue('duplicate-differs', row.line, row.payout_id, why));
  }
}

function makeIssue(code: string, line: number, payoutId: string | null, why: Message): Issue {
  const value = payoutId === null ? null : showCell(payoutId);
  return { line, column: 'payoutId', code, value, message: why };
}

/** Fills the table of the rows; those that are rejected already take no claim. */
function* sortRows({ batchId }: Sealing): Body<void> {
  yield* makeTables(sealingTables.rows);
  const columns = ['similar_key', 'payout_id', 'seq', 'is_staged'] as const;
  const rows = sealingQuery
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .select([
      sql<string>`r.similar_key`.as('similar_key'),
      sql<string>`r.payout_id`.as('payout_id'),
      'p.seq',
      sql<number>`case when p.status = 'staged' then 1 else 0 end`.as('is_staged'),
    ])
    .where('p.batch_id', '=', batchId)
    .where('r.payout_id', 'is not', null)
    .orderBy('similar_key')
    .orderBy('payout_id')
    .orderBy('p.row_no');
  yield* change(sealingQuery.insertInto('sealing_row').columns(columns).expression(rows));
}

/** Makes every row findable by its payoutId, the rejected ones too. */
function* recordPlaces(): Body<void> {
  const places = sealingQuery
    .selectFrom('sealing_row')
    .select(['payout_id', 'seq as payout_seq'])
    .orderBy('payout_id')
    .orderBy('payout_seq');
  yield* change(query.insertInto('payout_place').columns(['payout_id', 'payout_seq']).expression(places));
}

/** Rows whose claim, or one that is similar, another row holds. */
const selectClashing = (companyId: string, afterPlace: number) =>
  sealingQuery
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

/**
 * The row that a row clashes with; of several, the one with the very same payoutId first, then in the order of the seals,
 * whichever file was read first; the file's own rows last.
 */
const firstClash = define((values: { seq: number; companyId: string }) =>
  query
    .selectFrom('payout as p')
    .innerJoin('payout_row as r', 'r.seq', 'p.seq')
    .innerJoin('claim as c', (join) =>
      join
        .on('c.company_id', '=', values.companyId)
        .onRef('c.similar_key', '=', 'r.similar_key')
        .onRef('c.payout_seq', '<>', 'p.seq'),
    )
    .leftJoin('payout as o', 'o.seq', 'c.payout_seq')
    .leftJoin('archived_rows as g', (join) => join.on(isArchivedSeq(sql.ref('c.payout_seq'))))
    .innerJoin('batch as b', (join) =>
      join.on('b.batch_id', '=', ({ fn }) => fn.coalesce('o.batch_id', 'g.batch_id')),
    )
    .select(['p.seq', 'p.row_no', 'r.line', 'c.payout_id as other_payout_id', 'b.batch_id as other_batch_id'])
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

/** A row, and another whose payoutId is the same, or like it. */
type Clash = typeof firstClash extends Statement<never, infer Row> ? Row : never;

function* settleClashes(sealing: Sealing): Body<void> {
  const { batchId, companyId } = sealing;
  for (let place = 0; ;) {
    const page = yield* select(selectClashing(companyId, place));
    for (const { seq } of page) {
      const clash = yield* firstClash.get({ seq, companyId });
      if (clash === undefined) throw new Error(`payout ${seq} clashes with nothing`);
      if (clash.other_payout_id === clash.payout_id) {
        const why = describeClaimed(clash, batchId);
        yield* reject(sealing, clash, makeIssue('payout-id-claimed', clash.line, clash.payout_id, why));
      } else {
        yield* holdSimilar(batchId, clash);
      }
    }
    place = page.at(-1)?.place ?? place;
    if (page.length < clashPageRows) return;
  }
}

const addSimilar = define((values: { seq: number; reason: string }) =>
  query
    .updateTable('payout')
    .set((eb) => ({
      holds: addBits(eb.ref('holds'), holdBits.similar),
      reason_code: 'similar',
      reason: values.reason,
    }))
    .where('seq', '=', values.seq),
);

/** Adds the hold `similar` to a row that is still staged. */
function* holdSimilar(batchId: string, clash: Clash): Body<void> {
  const facts = { payoutId: showCell(clash.other_payout_id), place: describePlace(clash, batchId) };
  const reason = encodeMessage(message('reason.similar-id', facts));
  yield* addSimilar.run({ seq: clash.seq, reason });
}

/**
 * Releases the rows that are still staged as ready, or as held when they have a hold.
 * @param like why the whole file is held; by `added`, bits of holds, it is besides
 */
function* releaseStaged(sealing: Sealing, like: LikeFile | undefined, added: number): Body<void> {
  const isForAll = like !== undefined || added !== 0;
  const ofAll = added | (like === undefined ? 0 : holdBits.similar);
  for (const { holds } of yield* stagedHolds.all(sealing)) {
    const all = holds | ofAll;
    yield* moveAll({
      ...sealing,
      from: 'staged',
      to: all === 0 ? 'ready' : 'held',
      cause: 'sealed',
      detail: { holds: decodeHolds(all) },
      which: (payout) => payout('holds', '=', holds),
      set: isForAll ? holdAll(like, added) : () => ({}),
    });
  }
}

/** Each set of holds that staged rows have: the events of such rows say the same. */
const stagedHolds = define(({ batchId }: Pick<Sealing, 'batchId'>) =>
  query
    .selectFrom('payout')
    .select('holds')
    .distinct()
    .where('batch_id', '=', batchId)
    .where('status', '=', literal('staged'))
    .orderBy('holds'),
);
