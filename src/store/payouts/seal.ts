/**
 * The seal: one transaction that turns the staged rows of a file into ready, held or rejected ones and takes the
 * claims. What all rows share is done by one statement each; only rows that clash with another are taken singly.
 */
import { encodeMessage, message, type Message } from '../../core/message.ts';
import { sql, type SqlBool } from 'kysely';
import { dayMs } from '../../core/bangkok-time.ts';
import { showCell } from '../../core/cell-text.ts';
import { countOf, showBaht } from '../../core/figures.ts';
import { sumSatang, toSatang } from '../../core/money.ts';
import type { Issue, SealTotals } from '../../core/payout-file.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { Batch } from '../../core/ports.ts';
import { describeClaimed, describePlace } from '../../payout/rules/similar.ts';
import type { ApprovalPolicy } from '../../review/rules/approval.ts';
import { decideAtSeal } from '../review/approvals.ts';
import { appendJournalFact } from '../review/person-chain.ts';
import { addBits, decodeHolds, holdBits, isArchivedSeq, literal } from '../schema.ts';
import {
  type Body,
  change,
  define,
  inDialect,
  query,
  type Reading,
  select,
  selectFirst,
  type Statement,
} from '../statements.ts';
import { batchReads } from './batches.ts';
import { moveAll } from './bulk.ts';
import { appendEvent } from './chain.ts';
import { readSealedDigest } from './digests.ts';
import { requireIngesting } from './ingest.ts';
import { findLikeFileOf, holdAll, type LikeFile } from './like-file.ts';
import { recordOpen } from './open-payouts.ts';
import { readLatestEventSeq } from './rows.ts';
import { clearTables, makeTables, type Sealing, sealingQuery, sealingTables } from './sealing-tables.ts';

/** Clashing rows that are read at a time. */
const clashPageRows = 1_000;

/**
 * Seals a batch whose file has been read to its end.
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

/** PostgreSQL takes no claim for two rows at once; SQLite lets the first have it. */
const isFirstOfFile = inDialect<SqlBool>({
  sqlite: sql`true`,
  postgres: sql`place in (select min(place) from sealing_row where is_staged = 1 group by similar_key, payout_id)`,
});

/** Takes every claim that is free; those given back keep their count of attempts. */
function* takeClaims({ companyId }: Sealing): Body<void> {
  const wanted = sealingQuery
    .selectFrom('sealing_row')
    .select([
      sql<string>`cast(${companyId} as text)`.as('company_id'),
      'similar_key',
      'payout_id',
      'seq as payout_seq',
    ])
    .select(sql<number>`0`.as('attempts_recorded'))
    .where('is_staged', '=', 1)
    .where(isFirstOfFile)
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
  yield* change(take);
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
