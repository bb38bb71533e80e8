/** Claims: the right to pay a payoutId, held by one row at a time, with how many attempts were ever recorded for it. */
import {
  type Expression,
  type ExpressionBuilder,
  type OnConflictDatabase,
  type OnConflictTables,
  sql,
  type SqlBool,
} from 'kysely';
import { ForbiddenChangeError } from '../../core/change.ts';
import { claimReleasingStatuses, type PayoutStatus } from '../../core/payout.ts';
import type { Change } from '../../core/ports.ts';
import type { ChangedClaim } from '../../evidence/rules/state-audit.ts';
import { type ClaimOfRow, isArchivedSeq, literal, type Tables } from '../schema.ts';
import {
  type Body,
  change,
  define,
  inDialect,
  query,
  type Reading,
  select,
  textStatement,
} from '../statements.ts';
import { type Sealing, sealingQuery } from './sealing-tables.ts';

const keyOfClaim = ({ companyId, id, similarKey }: ClaimOfRow) => ({
  company_id: companyId,
  similar_key: similarKey,
  payout_id: id,
});

const ofClaim = (values: ClaimOfRow) =>
  query.updateTable('claim').where(({ and }) => and(keyOfClaim(values)));

type OnTakenClaim = ExpressionBuilder<OnConflictDatabase<Tables, 'claim'>, OnConflictTables<'claim'>>;

/** Takes the claim, a new one or one that `isFree`. */
const defineTake = (isFree: (eb: OnTakenClaim) => Expression<SqlBool>) =>
  define((values: ClaimOfRow) =>
    query
      .insertInto('claim')
      .values({ ...keyOfClaim(values), payout_seq: values.seq, attempts_recorded: 0 })
      .onConflict((conflict) =>
        conflict
          .columns(['company_id', 'similar_key', 'payout_id'])
          .doUpdateSet((eb) => ({ payout_seq: eb.ref('excluded.payout_seq') }))
          .where(isFree),
      ),
  );

const claim = {
  /** Counts one more intent; changes nothing when the attempt is not the next one. */
  count: define((values: ClaimOfRow & { attemptNo: number; attemptsBefore: number }) =>
    ofClaim(values)
      .set({ attempts_recorded: values.attemptNo })
      .where('attempts_recorded', '=', values.attemptsBefore),
  ),
  /** Skips the numbers of attempts that were found after a loss; changes nothing when one of them is known. */
  raise: define((values: ClaimOfRow & { attemptNo: number; attemptsBelow: number }) =>
    ofClaim(values)
      .set({ attempts_recorded: values.attemptNo })
      .where('attempts_recorded', '<', values.attemptsBelow),
  ),
  giveBack: define((values: ClaimOfRow) =>
    ofClaim(values).set({ payout_seq: null }).where('payout_seq', '=', values.seq),
  ),
  takeIfFree: defineTake((eb) => eb('claim.payout_seq', 'is', null)),
  /** Takes the claim from any row that is not paid itself; one in an archive keeps it. */
  takeForPaid: defineTake(({ not, or, exists, selectFrom }) =>
    not(
      or([
        exists(
          selectFrom('payout')
            .select('payout.seq')
            .whereRef('payout.seq', '=', 'claim.payout_seq')
            .where('payout.status', 'in', [literal('paid'), literal('disputed')]),
        ),
        exists(
          selectFrom('archived_rows as g')
            .select('g.batch_id')
            .where(isArchivedSeq(sql.ref('claim.payout_seq'))),
        ),
      ]),
    ),
  ),
};

/** True when a row in this status gives the claim back. */
const isReleased = (status: PayoutStatus): boolean => claimReleasingStatuses.includes(status);

/** The state of the claim without which a payout may not change. */
export type ClaimGuard = 'none' | 'held-by-row' | 'not-held-by-another';

/** The claim of a row's payoutId. */
export function selectClaim(eb: ExpressionBuilder<Tables, 'payout'>, values: ClaimOfRow) {
  return eb
    .selectFrom('claim')
    .select('claim.payout_seq')
    .where(({ and }) => and(keyOfClaim(values)));
}

/** The state of the claim that a change needs. */
export function claimGuardOf({ before, after, event, isIntent, adopts }: Change): ClaimGuard {
  if (isIntent === true || adopts !== undefined || event.cause === 'released') return 'held-by-row';
  const takesItBack = isReleased(before.status) && !isReleased(after.status) && after.status !== 'paid';
  return takesItBack ? 'not-held-by-another' : 'none';
}

/** Takes, counts or gives back the claim of a row with a change of it. */
export function* moveClaim(
  { before, after, event, attempt, isIntent, adopts = [] }: Change,
  ofRow: ClaimOfRow,
): Body<void> {
  const [lowest] = adopts;
  if (lowest !== undefined) {
    const raised = { ...ofRow, attemptNo: after.attemptNo, attemptsBelow: lowest.attemptNo };
    if ((yield* claim.raise.run(raised)) === 0)
      throw new ForbiddenChangeError(`payout ${before.seq}: attempt ${lowest.attemptNo} is known already`);
  }
  if (isIntent === true && attempt !== undefined) {
    const { attemptNo } = attempt;
    const counted = yield* claim.count.assumeOne({ ...ofRow, attemptNo, attemptsBefore: attemptNo - 1 });
    if (counted === 0)
      throw new ForbiddenChangeError(`payout ${before.seq}: attempt ${attemptNo} is not the next one`);
  } else if (event.cause === 'late-proof') {
    yield* claim.takeForPaid.note(ofRow);
  } else if (isReleased(after.status) || event.cause === 'released') {
    yield* claim.giveBack.note(ofRow);
  } else if (isReleased(before.status)) {
    yield* claim.takeIfFree.note(ofRow);
  }
}

// ---------------------------------------------------------------- the seal, and the audit

/** PostgreSQL takes no claim for two rows at once; SQLite lets the first have it. */
const isFirstOfFile = inDialect<SqlBool>({
  sqlite: sql`true`,
  postgres: sql`place in (select min(place) from sealing_row where is_staged = 1 group by similar_key, payout_id)`,
});

/** Takes every claim that is free for the rows of a file at its seal; those given back keep their count of attempts. */
export function* takeClaims({ companyId }: Sealing): Body<void> {
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

/** Reads claims that are not what the histories of their rows make of them. */
export function* readChangedClaims(): Reading<readonly ChangedClaim[]> {
  const found: ChangedClaim[] = [];
  for (const statement of [unclaimed, foreign, miscounted]) found.push(...(yield* select(statement)));
  return found;
}
