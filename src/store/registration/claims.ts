/** Claims: the right to register under a registrationId, held by one row at a time. */
import { type Expression, sql } from 'kysely';
import type { ChangedClaim } from '../../evidence/rules/state-audit.ts';
import type { RegistrationBatch } from '../../registration/ports.ts';
import type { RegistrationChange } from '../../registration/rules/change.ts';
import { keepsClaim } from '../../registration/rules/claim.ts';
import {
  isOpenRegistration,
  type RegistrationStatus,
  registrationStatuses,
} from '../../registration/rules/registration.ts';
import type { ClaimOfRow } from '../schema.ts';
import { type Body, change, define, query, type Reading, select, textStatement } from '../statements.ts';
import { statusLiteral } from './rows.ts';

const claimOf = define((values: ClaimOfRow) =>
  query
    .selectFrom('registration_claim as c')
    .leftJoin('registration as p', 'p.seq', 'c.registration_seq')
    .select(['c.registration_seq', 'p.status'])
    .where('c.company_id', '=', values.companyId)
    .where('c.similar_key', '=', values.similarKey)
    .where('c.registration_id', '=', values.id),
);

const takeClaim = define((values: ClaimOfRow) =>
  query
    .insertInto('registration_claim')
    .values({
      company_id: values.companyId,
      similar_key: values.similarKey,
      registration_id: values.id,
      registration_seq: values.seq,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'similar_key', 'registration_id'])
        .doUpdateSet((eb) => ({ registration_seq: eb.ref('excluded.registration_seq') })),
    ),
);

/** Leaves the registrationId free, if the row has it. */
export const giveClaimBack = define((values: ClaimOfRow) =>
  query
    .updateTable('registration_claim')
    .set({ registration_seq: null })
    .where('company_id', '=', values.companyId)
    .where('similar_key', '=', values.similarKey)
    .where('registration_id', '=', values.id)
    .where('registration_seq', '=', values.seq),
);

const provenStatuses: readonly RegistrationStatus[] = ['registered', 'contradicted'];

/** True when the claim is as the change needs it. */
export function* isClaimMeet(
  { before, event, intent }: RegistrationChange,
  ofRow: ClaimOfRow,
): Reading<boolean> {
  const mustHold = intent !== undefined || event.cause === 'released';
  const takesItBack = event.cause === 'tried-again';
  if (!mustHold && !takesItBack) return true;
  const holder = (yield* claimOf.get(ofRow))?.registration_seq ?? null;
  return holder === before.seq || (takesItBack && holder === null);
}

/** Takes the registrationId for a proven row from the one that has claimed it since, if that may still be sent. */
function* takeForProven(ofRow: ClaimOfRow): Body<void> {
  const { registration_seq: holder = null, status = null } = (yield* claimOf.get(ofRow)) ?? {};
  const stays = status !== null && (isOpenRegistration(status) || provenStatuses.includes(status));
  if (holder !== ofRow.seq && !stays) yield* takeClaim.run(ofRow);
}

/** Takes or gives back the claim of a row with a change of it. */
export function* moveClaim({ before, after, event }: RegistrationChange, ofRow: ClaimOfRow): Body<void> {
  if (event.cause === 'released') yield* giveClaimBack.run(ofRow);
  else if (event.cause === 'tried-again') yield* takeClaim.run(ofRow);
  else if (keepsClaim(before.status) && !keepsClaim(after.status)) yield* giveClaimBack.run(ofRow);
  else if (provenStatuses.includes(after.status) && !isOpenRegistration(before.status))
    yield* takeForProven(ofRow);
}

// ---------------------------------------------------------------- the seal

/** Takes every claim that is free, each for the first row of the file that wants it. */
export function takeClaims({
  batchId,
  companyId,
}: Pick<RegistrationBatch, 'batchId' | 'companyId'>): Body<number> {
  const wanted = query
    .selectFrom('registration as p')
    .innerJoin('registration_asked as a', 'a.seq', 'p.seq')
    .select((eb) => [
      sql<string>`cast(${companyId} as text)`.as('company_id'),
      'a.similar_key',
      'a.registration_id',
      eb.fn.min('p.seq').as('seq'),
    ])
    .where('p.batch_id', '=', batchId)
    .where('p.status', '=', statusLiteral('staged'))
    .groupBy(['a.similar_key', 'a.registration_id'])
    .orderBy('a.similar_key')
    .orderBy('a.registration_id');
  const take = query
    .insertInto('registration_claim')
    .columns(['company_id', 'similar_key', 'registration_id', 'registration_seq'])
    .expression(wanted)
    .onConflict((conflict) =>
      conflict
        .columns(['company_id', 'similar_key', 'registration_id'])
        .doUpdateSet((eb) => ({ registration_seq: eb.ref('excluded.registration_seq') }))
        .where('registration_claim.registration_seq', 'is', null),
    );
  return change(take);
}

/** The claims of others on the very registrationId, or on those that are similar to it. */
export const selectClaims = (
  companyId: string,
  registrationId: Expression<string> | string,
  similarKey: Expression<string> | string,
  isSame: boolean,
) =>
  query
    .selectFrom('registration_claim as c')
    .select('c.registration_seq')
    .where('c.company_id', '=', companyId)
    .where('c.similar_key', '=', similarKey)
    .where('c.registration_id', isSame ? '=' : '<>', registrationId)
    .where('c.registration_seq', 'is not', null);

// ---------------------------------------------------------------- the audit

const keeping = sql.join(registrationStatuses.filter(keepsClaim).map((status) => sql.lit(status)));

const isReleased = sql`exists (select 1 from registration_event e where e.registration_seq = p.seq and e.cause = 'released')`;

/** Rows without their claim; a claim that another proven row has by now is that one's. */
const unclaimed = textStatement<ChangedClaim>(sql`
select r.registration_id as id, case when c.registration_id is null then 'gone' else 'free' end as fault
from registration p join registration_row r on r.seq = p.seq join registration_batch b on b.batch_id = p.batch_id
  left join registration_claim c on c.company_id = b.company_id and c.registration_id = r.registration_id
where b.sealed_at_ms is not null and r.registration_id is not null and p.status in (${keeping})
  and c.registration_seq is null and not ${isReleased}
order by r.registration_id limit 1000`);

const foreign = textStatement<ChangedClaim>(sql`
select c.registration_id as id, 'foreign' as fault
from registration_claim c left join registration_row r on r.seq = c.registration_seq
where c.registration_seq is not null and (r.seq is null or r.registration_id <> c.registration_id)
order by c.registration_id limit 1000`);

/** Reads claims that are not what the histories of their rows make of them. */
export function* readChangedRegistrationClaims(): Reading<readonly ChangedClaim[]> {
  return [...(yield* select(unclaimed)), ...(yield* select(foreign))];
}
