/** Looks for registrations, the newest first, page by page: what bounds a page is an index or the order of the rows. */
import { type Expression, sql, type SqlBool } from 'kysely';
import type { RegistrationFilter, RegistrationRow, RegistrationStore } from '../../registration/ports.ts';
import { type BodiesOf, inDialect, query, type Reading, select, selectFirst } from '../statements.ts';
import { encodeHolds, selectResultRows, statusLiteral, toResultRow } from './rows.ts';

type Condition = Expression<SqlBool>;

/** The rows with an attempt of this name. */
const selectRequests = (request: string) => sql`
  select registration_seq from registration_attempt where request_uid = ${request}
  union select registration_seq from registration_attempt where renewed_uid = ${request}
  union select registration_seq from registration_attempt where ddr_oapi_seq_id = ${request}`;

/** The rows with this name, in cells of these kinds or by their attempts. */
const hasReference = (reference: string, kinds: readonly ('registrationId' | 'customerId' | 'ref')[]) =>
  sql<SqlBool>`p.seq in (
  select registration_seq from registration_place where text = ${reference} and kind in (${sql.join(kinds.map((kind) => sql.lit(kind)))})
  union ${selectRequests(reference)})`;

const hasRequest = (request: string) => sql<SqlBool>`p.seq in (${selectRequests(request)})`;

const hasAccount = (accountNo: string): Condition => sql`p.seq in (
  select registration_seq from registration_place where text = ${accountNo} and kind = 'accountNo')`;

const accountEndOf = (length: number) =>
  inDialect({
    sqlite: sql`substr(account_no, -${sql.lit(length)})`,
    postgres: sql`right(account_no, ${sql.lit(length)})`,
  });

const hasAccountEnd = (end: string): Condition =>
  sql`p.seq in (select seq from registration_asked where ${accountEndOf(end.length)} = ${end})`;

/** The time of the submission, or, without one, of the intake. */
const placedAtMs = sql`coalesce(p.submitted_at_ms,
  (select b.started_at_ms from registration_batch as b where b.batch_id = p.batch_id))`;

/** The statuses that are searched: a held row alone bears a hold. */
const statusesOf = ({ statuses = [], hold }: RegistrationFilter) =>
  statuses.length === 0 && hold !== undefined ? (['held'] as const) : statuses;

function listConditions(filter: RegistrationFilter): readonly Condition[] {
  const { hold, batchId, reference, shownReference, request, accountNo, accountEnd } = filter;
  const { sinceMs, untilMs } = filter;
  const statuses = statusesOf(filter);
  return [
    statuses.length > 0 && sql<SqlBool>`p.status in (${sql.join(statuses.map(statusLiteral))})`,
    hold !== undefined && sql<SqlBool>`(p.holds & ${sql.lit(encodeHolds([hold]))}) <> 0`,
    batchId !== undefined && sql<SqlBool>`p.batch_id = ${batchId}`,
    reference !== undefined && hasReference(reference, ['registrationId', 'customerId', 'ref']),
    shownReference !== undefined && hasReference(shownReference, ['registrationId', 'ref']),
    request !== undefined && hasRequest(request),
    accountNo !== undefined && hasAccount(accountNo),
    accountEnd !== undefined && hasAccountEnd(accountEnd),
    filter.isAlarm === true && sql<SqlBool>`p.is_alarm = 1`,
    filter.isWaiting === true && sql<SqlBool>`p.waits = 1`,
    sinceMs !== undefined && sql<SqlBool>`${placedAtMs} >= ${sinceMs}`,
    untilMs !== undefined && sql<SqlBool>`${placedAtMs} < ${untilMs}`,
    // No row of a file is shown before the file was read to its end.
    sql<SqlBool>`p.status <> 'staged'`,
  ].filter((condition) => condition !== false);
}

/** The columns that a list shows are read of the rows that are found alone. */
function selectPage(filter: RegistrationFilter, beforeSeq: number, limit: number) {
  const found = query
    .selectFrom('registration as p')
    .select('p.seq')
    .where((eb) => eb.and([...listConditions(filter)]))
    .where('p.seq', '<', beforeSeq)
    .orderBy('p.seq', 'desc')
    .limit(limit);
  return selectResultRows().where('p.seq', 'in', found).orderBy('p.seq', 'desc');
}

export const registrationSearchReads = {
  *searchRegistrations(filter, beforeSeq, limit): Reading<RegistrationRow[]> {
    return (yield* select(selectPage(filter, beforeSeq, limit))).map(toResultRow);
  },
  *countFoundRegistrations(filter): Reading<number> {
    const counted = query
      .selectFrom('registration as p')
      .select((eb) => eb.fn.countAll<number>().as('rows'))
      .where((eb) => eb.and([...listConditions(filter)]));
    return (yield* selectFirst(counted))?.rows ?? 0;
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;
