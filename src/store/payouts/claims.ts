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
import { type ClaimOfRow, isArchivedSeq, literal, type Tables } from '../schema.ts';
import { type Body, define, query } from '../statements.ts';

export const keyOfClaim = ({ companyId, id, similarKey }: ClaimOfRow) => ({
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
export const isReleased = (status: PayoutStatus): boolean => claimReleasingStatuses.includes(status);

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
