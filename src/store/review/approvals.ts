/** Approvals: what of a batch waits for one, and what one lets go on. */
import type { DatabaseSync } from 'node:sqlite';
import { sql, type SqlBool } from 'kysely';
import { formatBangkokDate } from '../../core/bangkok-time.ts';
import { toSatang, zeroSatang } from '../../core/money.ts';
import type { PayoutStatus } from '../../core/payout.ts';
import type { BatchReason, DecisionItem } from '../../core/ports.ts';
import { LimitForecast } from '../../payout/rules/limits.ts';
import { mayBePaidStatuses } from '../../payout/rules/similar.ts';
import {
  approvalCode,
  type ApprovalState,
  areEnough,
  type ApprovalPolicy,
  boundOf,
  computeWaiting,
  decideApproval,
  decideApprovalNow,
  isApproved,
  type WaitingRow,
} from '../../review/rules/approval.ts';
import {
  computeApprovalFigures,
  type FiguredRow,
  type ForeseeLimits,
} from '../../review/rules/approval-figures.ts';
import type { ApprovalStore, BatchApproval, LimitsNow } from '../../review/ports.ts';
import { inTransaction } from '../connection.ts';
import { batchReads } from '../payouts/batches.ts';
import { moveAll } from '../payouts/bulk.ts';
import { limitReads } from '../payouts/day-use.ts';
import { recordOpen } from '../payouts/open-payouts.ts';
import { readLatestEventSeq } from '../payouts/rows.ts';
import { addBits, decodeHolds, hasBits, holdBits, removeBits } from '../schema.ts';
import {
  type BodiesOf,
  type Body,
  change,
  define,
  drive,
  query,
  readFirst,
  type Reading,
  select,
  write,
} from '../statements.ts';
import type { TargetKind } from '../../review/rules/proposal.ts';
import { isDecided, markDecided, proposalReads, readHands } from './proposals.ts';

/** What an approval is compared with, of a batch that needs one. */
const approvalColumns = [
  'batch_id as batchId',
  'approval_people as people',
  'digest',
  'versions_digest as versionsDigest',
  'payer_account as payerAccount',
  'approved_digest as approvedDigest',
  'approved_payer as approvedPayer',
] as const;

type ApprovalRecord = ApprovalState & { readonly batchId: string; readonly versionsDigest: string | null };

const selectApproval = (batchId: string) =>
  query.selectFrom('batch').select(approvalColumns).where('batch_id', '=', batchId);

/** Not approved yet as it is, and to be paid. */
const isWaiting = (isAnyApproved: boolean) =>
  isAnyApproved ? sql<SqlBool>`(accepted_holds & ${sql.lit(holdBits.approval)}) = 0` : sql<SqlBool>`true`;

/** True of a row that an approval of its batch lets go on. */
const waitsFor = (batch: ApprovalRecord): string =>
  `p.status in ('ready', 'held')${isApproved(batch) ? ` and (p.accepted_holds & ${holdBits.approval}) = 0` : ''}`;

/** The rows that an approval lets go on, in the order of the file. */
function* waitingRows(db: DatabaseSync, batch: ApprovalRecord): Generator<WaitingRow> {
  const rows = db.prepare(
    `select p.row_no, p.amount_satang, r.digest from payout p join payout_row r on r.seq = p.seq
     where p.batch_id = ? and ${waitsFor(batch)} order by p.row_no`,
  );
  rows.setReadBigInts(true);
  for (const row of rows.iterate(batch.batchId))
    yield {
      rowNo: row['row_no'] as bigint,
      amountSatang: row['amount_satang'] as bigint,
      digest: row['digest'] as string | null,
    };
}

/** What the seal of a batch keeps of its approval, by what is still staged. */
export function decideAtSeal(db: DatabaseSync, batchId: string, policy: ApprovalPolicy | undefined) {
  if (policy === undefined || policy.when === 'never') return {};
  const staged = drive(db, batchReads.totals(batchId)).find(({ status }) => status === 'staged');
  const people = decideApproval(policy, staged ?? { amountSatang: zeroSatang });
  if (people !== undefined) return { approval_people: people };
  const bound = boundOf(policy);
  if (bound === undefined) return {};
  return {
    approval_bound_satang: String(bound.aboveSatang),
    approval_bound_people: bound.people,
  };
}

const boundColumns = define((values: { batchId: string }) =>
  query
    .selectFrom('batch')
    .select(['approval_bound_satang as above', 'approval_bound_people as people'])
    .where('batch_id', '=', values.batchId)
    .where('approval_people', 'is', null)
    .where('approval_bound_satang', 'is not', null),
);

/** A batch that has come to more than its bound waits from now on: in the transaction of what makes it more. */
export function* keepToBound(batchId: string): Body<void> {
  const bound = yield* boundColumns.get({ batchId });
  if (bound === undefined || bound.above === null || bound.people === null) return;
  const { above, people } = bound;
  const aboveSatang = toSatang(BigInt(above));
  const needed = decideApprovalNow({ aboveSatang, people }, yield* batchReads.totals(batchId));
  if (needed === undefined) return;
  yield* change(query.updateTable('batch').set({ approval_people: needed }).where('batch_id', '=', batchId));
}

/** Read at one moment. */
export function readApproval(db: DatabaseSync, batchId: string): BatchApproval | undefined {
  return inTransaction(db, () => {
    const batch = readFirst(db, selectApproval(batchId));
    return batch === undefined ? undefined : readWaiting(db, batch);
  });
}

function readWaiting(db: DatabaseSync, batch: ApprovalRecord): BatchApproval | undefined {
  const { people } = batch;
  return people === null ? undefined : { people, ...computeWaiting(batch, waitingRows(db, batch)) };
}

const mayBePaid = mayBePaidStatuses.map((status) => `'${status}'`).join(', ');

/** All rows of the batch, each with what is known of its payee from before. */
function* figuredRows(db: DatabaseSync, batch: ApprovalRecord, likeSinceMs: number): Generator<FiguredRow> {
  const waits = waitsFor(batch);
  const paidBefore = (also: string) =>
    `exists (select 1 from payee_place o join payout q on q.seq = o.payout_seq
       where o.proxy_no = r.proxy_no and ${also})`;
  const rows = db.prepare(
    `select p.seq, p.row_no, r.payout_id, r.proxy_no, r.payee_name, p.amount_satang, r.digest, p.status, p.holds, p.accepted_holds,
       ${waits} as waits, ${waits} and not ${paidBefore("q.status = 'paid'")}
         and not exists (select 1 from paid_payee g where g.proxy_no = r.proxy_no) as is_new,
       ${waits} and ${paidBefore(`o.amount_satang = p.amount_satang and q.batch_id <> p.batch_id
         and q.status in (${mayBePaid}) and q.submitted_at_ms >= :since`)} as is_like
     from payout p join payout_row r on r.seq = p.seq where p.batch_id = :batch order by p.row_no`,
  );
  rows.setReadBigInts(true);
  for (const row of rows.iterate({ batch: batch.batchId, since: likeSinceMs }))
    yield {
      seq: Number(row['seq']),
      rowNo: row['row_no'] as bigint,
      payoutId: row['payout_id'] as string | null,
      proxyNo: row['proxy_no'] as string | null,
      payeeName: row['payee_name'] as string | null,
      amountSatang: row['amount_satang'] as bigint | null,
      digest: row['digest'] as string | null,
      status: row['status'] as PayoutStatus,
      holds: decodeHolds(Number(row['holds'])),
      acceptedHolds: decodeHolds(Number(row['accepted_holds'])),
      isWaiting: row['waits'] === 1n,
      isNewPayee: row['is_new'] === 1n,
      isLike: row['is_like'] === 1n,
    };
}

/** Read at one moment. */
export function readFigures(db: DatabaseSync, batchId: string, likeSinceMs: number, ahead?: LimitsNow) {
  return inTransaction(db, () => {
    const selected = selectApproval(batchId).select(['file_name as fileName', 'like_reason as likeReason']);
    const batch = readFirst(db, selected.select('company_id as companyId'));
    const foresee = batch && ahead && foreseeLimits(db, batch, ahead);
    return batch && computeApprovalFigures(batch, figuredRows(db, batch, likeSinceMs), foresee);
  });
}

function foreseeLimits(
  db: DatabaseSync,
  { companyId, batchId }: { readonly companyId: string; readonly batchId: string },
  { limits, nowMs }: LimitsNow,
): ForeseeLimits {
  const date = formatBangkokDate(nowMs);
  const forecast = new LimitForecast(limits, drive(db, limitReads.dayUse(companyId, date, batchId)), nowMs);
  const isOfPayee = limits.satangPerPayeePerDay !== null;
  return ({ proxyNo, amountSatang, acceptedHolds, isNewPayee }) => {
    if (proxyNo === null || amountSatang === null) return [];
    const payeeSatang = isOfPayee ? drive(db, limitReads.payeeUse(companyId, date, proxyNo)) : zeroSatang;
    const instruction = { proxyNo, amountSatang: toSatang(amountSatang) };
    return forecast.add({ instruction, acceptedHolds }, { payeeSatang, isPayeeKnown: !isNewPayee });
  };
}

const shared = (db: DatabaseSync, batchId: string, nowMs: number) => ({
  batchId,
  nowMs,
  eventBase: drive(db, readLatestEventSeq()),
});

/** Rows that are ready and were not approved as they are wait for it; inside the caller's transaction. */
function holdWaiting(db: DatabaseSync, batch: ApprovalRecord, why: BatchReason, nowMs: number): number {
  return moveAll(db, {
    ...shared(db, batch.batchId, nowMs),
    from: 'ready',
    to: 'held',
    cause: 'hold-added',
    which: (payout) => payout.and([isWaiting(isApproved(batch))]),
    set: (payout) => ({
      holds: addBits(payout.ref('holds'), holdBits.approval),
      reason_code: why.code,
      reason: why.reason,
    }),
    detail: { hold: 'approval', ...why },
  });
}

/** Holds what is ready and was not approved. @returns how many rows changed */
export function holdUnapproved(db: DatabaseSync, batchId: string, why: BatchReason, nowMs: number): number {
  return inTransaction(db, () => {
    const batch = readFirst(db, selectApproval(batchId));
    if (batch === undefined || batch.people === null) return 0;
    const moved = holdWaiting(db, batch, why, nowMs);
    if (moved > 0) recordOpen(db, batchId);
    return moved;
  });
}

/** Lifts the hold of every row that waits, and marks it as approved; inside the caller's transaction. */
function letGoOn(db: DatabaseSync, batch: ApprovalRecord, detail: object, nowMs: number): void {
  const why = { code: approvalCode, reason: 'approved', remedy: '' };
  holdWaiting(db, batch, why, nowMs);
  const bit = holdBits.approval;
  const accepted = sql<number>`accepted_holds | ${sql.lit(bit)}`;
  const move = {
    ...shared(db, batch.batchId, nowMs),
    from: 'held',
    cause: 'hold-lifted',
    detail: { lifted: ['approval'], ...detail },
  } as const;
  moveAll(db, {
    ...move,
    to: 'ready',
    which: (payout) => payout('holds', '=', bit),
    set: () => ({ holds: 0, accepted_holds: accepted, reason_code: null, reason: null }),
  });
  moveAll(db, {
    ...move,
    to: 'held',
    which: (payout) => payout.and([hasBits(payout.ref('holds'), bit)]),
    set: (payout) => ({ holds: removeBits(payout.ref('holds'), bit), accepted_holds: accepted }),
  });
  // Held for something else alone, since before it had to be approved again.
  const isHeldOnly = query
    .updateTable('payout')
    .set({ accepted_holds: accepted })
    .where('batch_id', '=', batch.batchId)
    .where('status', '=', 'held');
  write(db, isHeldOnly);
}

/**
 * Lets what waits of a batch go on, if it is what was looked at and enough people have approved it.
 * @returns false, with nothing changed, when it is not
 */
export function approveBatch(
  db: DatabaseSync,
  batchId: string,
  item: DecisionItem,
  version: string,
  nowMs: number,
): boolean {
  return inTransaction(db, () => {
    const proposal = drive(db, proposalReads.proposal(item.proposalId));
    const batch = readFirst(db, selectApproval(batchId));
    if (proposal === undefined || batch === undefined || batch.people === null) return false;
    if (proposal.decision !== 'approve-batch' || !drive(db, isDecided(item))) return false;
    const involved = drive(db, readHands(batchId));
    if (!areEnough(proposal, batch.people, involved)) return false;
    if (readWaiting(db, batch)?.version !== version) return false;
    const { maker: by, checker, proposalId } = proposal;
    const detail = { by, ...(checker === null ? {} : { checkedBy: checker }), proposal: proposalId };
    letGoOn(db, batch, detail, nowMs);
    const update = () => query.updateTable('batch').where('batch_id', '=', batchId);
    const approved = {
      approved_digest: batch.digest,
      approved_payer: batch.payerAccount,
      age_from_ms: nowMs,
    };
    write(db, update().set(approved));
    const running = { status: 'running', reason_code: null, reason: null, remedy: null } as const;
    write(db, update().set(running).where('status', '=', 'paused').where('reason_code', '=', approvalCode));
    drive(db, markDecided(item));
    recordOpen(db, batchId);
    return true;
  });
}

export const approvalReads = {
  *involvedIn(proposalId): Reading<number[]> {
    const ofKind = (kind: TargetKind) =>
      query
        .selectFrom('proposal_item as i')
        .where('i.proposal_id', '=', proposalId)
        .where('i.kind', '=', kind);
    const batches = ofKind('batch').select('i.key as batch_id');
    const ofRows = ofKind('payout')
      .innerJoin('payout as p', (join) => join.on(sql<SqlBool>`p.seq = cast(i.key as integer)`))
      .select('p.batch_id');
    const registrations = ofKind('registration-batch').select('i.key as batch_id');
    const ofRegistrations = ofKind('registration')
      .innerJoin('registration as r', (join) => join.on(sql<SqlBool>`r.seq = cast(i.key as integer)`))
      .select('r.batch_id');
    const hands = query
      .selectFrom('batch_hand')
      .select('person_id')
      .distinct()
      .where('batch_id', 'in', batches.union(ofRows).union(registrations).union(ofRegistrations));
    return (yield* select(hands)).map(({ person_id: personId }) => personId);
  },
  handsOf: readHands,
} satisfies Partial<BodiesOf<ApprovalStore>>;

export const approvalWrites = {
  *keepUpload(batchId, personId): Body<void> {
    const hand = { batch_id: batchId, person_id: personId, part: 'uploaded' } as const;
    yield* change(
      query
        .insertInto('batch_hand')
        .values(hand)
        .onConflict((conflict) => conflict.doNothing()),
    );
  },
} satisfies Partial<BodiesOf<ApprovalStore>>;
