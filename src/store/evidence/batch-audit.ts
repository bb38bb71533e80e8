/** Batches and claims, as an audit compares them with the histories. */
import { sql } from 'kysely';
import type {
  AppliedApproval,
  KeptBatches,
  KeptReport,
  KeptTerms,
} from '../../evidence/rules/batch-audit.ts';
import type { ChangedClaim } from '../../evidence/rules/state-audit.ts';
import { isArchivedSeq } from '../schema.ts';
import { type Reading, select, textStatement } from '../statements.ts';

const terms = textStatement<Omit<KeptTerms, 'sentFrom' | 'isOfArchive'> & { readonly archived: number }>(sql`
select batch_id as "batchId", company_id as "companyId", payer_account as "payerAccount", sha256 as "fileSha256",
  sealed_at_ms as "sealedAtMs", digest, approval_people as "approvalPeople", approval_bound_satang as "boundSatang",
  approval_bound_people as "boundPeople", approved_digest as "approvedDigest", approved_payer as "approvedPayer",
  case when recalled_at_ms > 0 or exists (select 1 from archived_batch a where a.batch_id = b.batch_id) then 1 else 0 end as archived
from batch b where sealed_at_ms is not null order by sealed_at_ms`);

const sentFrom = textStatement<{ readonly batchId: string; readonly account: string }>(sql`
select distinct p.batch_id as "batchId", a.payer_account as account
from attempt a join payout p on p.seq = a.payout_seq`);

const reports = textStatement<KeptReport>(sql`
select batch_id as "batchId", kind, number, sha256 from report order by batch_id, kind, number`);

const approvals = textStatement<AppliedApproval>(sql`
select i.key as "batchId", p.ended_at_ms as "atMs"
from proposal_item i join proposal p on p.proposal_id = i.proposal_id
where i.kind = 'batch' and i.status = 'applied' and p.decision = 'approve-batch'`);

export function* readKeptBatches(): Reading<KeptBatches> {
  const accounts = Map.groupBy(yield* select(sentFrom), ({ batchId }) => batchId);
  return {
    batches: (yield* select(terms)).map(({ archived, ...one }) => ({
      ...one,
      isOfArchive: archived === 1,
      sentFrom: (accounts.get(one.batchId) ?? []).map(({ account }) => account),
    })),
    reports: yield* select(reports),
    approvals: yield* select(approvals),
  };
}

/** Rows that may have been without the claim for a while: another may hold it since. */
const hasBeenReleased = sql`exists (select 1 from event e where e.payout_seq = p.seq
  and (e.from_status in ('failed', 'unpayable', 'rejected') or e.cause = 'released'))`;

/** Rows that hold their payoutId, and whose claim says otherwise. */
const unclaimed = textStatement<ChangedClaim>(sql`
select r.payout_id as id, case when c.payout_id is null then 'gone' when c.payout_seq is null then 'free' else 'other' end as fault
from payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
  left join claim c on c.company_id = b.company_id and c.similar_key = r.similar_key and c.payout_id = r.payout_id
where b.sealed_at_ms is not null and r.payout_id is not null
  and p.status not in ('staged', 'rejected', 'failed', 'unpayable')
  and (c.payout_seq is null or c.payout_seq <> p.seq)
  and not (p.status = 'cancelled' and ${hasBeenReleased})
  and not (c.payout_seq is not null and ${hasBeenReleased})
order by r.payout_id limit 1000`);

/** Claims of a row that does not hold the payoutId. */
const foreign = textStatement<ChangedClaim>(sql`
select c.payout_id as id, 'foreign' as fault
from claim c left join payout p on p.seq = c.payout_seq left join payout_row r on r.seq = c.payout_seq
  left join batch b on b.batch_id = p.batch_id
where c.payout_seq is not null
  and (p.seq is null or p.status in ('staged', 'rejected', 'failed', 'unpayable') or r.payout_id <> c.payout_id
    or b.company_id <> c.company_id)
  and not (p.seq is null and exists (select 1 from archived_rows g where ${isArchivedSeq(sql.ref('c.payout_seq'))}))
order by c.payout_id limit 1000`);

/** Claims that have counted another number of attempts than there are; where rows are archived, only fewer are told. */
const miscounted = textStatement<ChangedClaim>(sql`
select c.payout_id as id, 'attempts' as fault
from claim c left join (
  select b.company_id, r.payout_id, max(a.attempt_no) as latest
  from attempt a join payout p on p.seq = a.payout_seq join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
  group by b.company_id, r.payout_id) m on m.company_id = c.company_id and m.payout_id = c.payout_id
where c.attempts_recorded < coalesce(m.latest, 0)
  or (c.attempts_recorded > coalesce(m.latest, 0) and not exists (
    select 1 from payout_place l join archived_rows g on ${isArchivedSeq(sql.ref('l.payout_seq'))} where l.payout_id = c.payout_id))
order by c.payout_id limit 1000`);

export function* readChangedClaims(): Reading<readonly ChangedClaim[]> {
  const found: ChangedClaim[] = [];
  for (const statement of [unclaimed, foreign, miscounted]) found.push(...(yield* select(statement)));
  return found;
}
