/** Reads about batches of registrations and their rows: each is bounded by an index, or by the order of the rows. */
import { type Expression, sql, type SqlBool } from 'kysely';
import type {
  RegistrationBatch,
  RegistrationFilter,
  RegistrationHistory,
  RegistrationHoldTotal,
  RegistrationRow,
  RegistrationsByCause,
  RegistrationStore,
  RegistrationTotal,
} from '../../registration/ports.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationHold,
  RegistrationStatus,
} from '../../registration/rules/registration.ts';
import { readDetail } from '../../review/rules/payout-chain.ts';
import { type ClaimKey, claimKeyOf } from '../schema.ts';
import { type BodiesOf, define, inDialect, query, type Reading, select, selectFirst } from '../statements.ts';
import { registrationCallbackReads } from './callbacks.ts';
import {
  decodeHolds,
  encodeHolds,
  isAwaited,
  selectRegistrations,
  selectResultRows,
  statusLiteral,
  toAttempt,
  toBatch,
  toCallback,
  toRegistration,
  toResultRow,
} from './rows.ts';

const batchById = define((values: { batchId: string }) =>
  query.selectFrom('registration_batch').selectAll().where('batch_id', '=', values.batchId),
);

const totalsOfBatch = define((values: { batchId: string }) =>
  query
    .selectFrom('registration')
    .select(['status', (eb) => eb.fn.countAll<number>().as('rows')])
    .select([
      sql<number>`sum(is_alarm)`.as('alarmRows'),
      sql<number>`sum(is_acknowledged)`.as('acknowledgedRows'),
    ])
    .where('batch_id', '=', values.batchId)
    .groupBy('status')
    .orderBy('status'),
);

const holdsOfBatch = define((values: { batchId: string }) =>
  query
    .selectFrom('registration')
    .select(['holds', (eb) => eb.fn.countAll<number>().as('rows')])
    .where('batch_id', '=', values.batchId)
    .where('holds', '<>', 0)
    .groupBy('holds')
    .orderBy('holds'),
);

const countByStatus = define((_values: object) =>
  query
    .selectFrom('registration')
    .select(['status', (eb) => eb.fn.countAll<number>().as('rows')])
    .groupBy('status'),
);

const newestFirst = define((_values: object) =>
  query
    .selectFrom('registration_batch')
    .selectAll()
    .orderBy('started_at_ms', 'desc')
    .orderBy(sql`rowid`, 'desc'),
);

/** The condition of the index registration_batch_open, word for word. */
const isOpenBatch = sql<boolean>`b.status in ('sealed', 'running', 'paused')`;

/** The index that SQLite is told to use: by itself it would go through all rows that are ready. */
const byReady = inDialect({ sqlite: sql`indexed by registration_ready`, postgres: sql`` });

/** True of done batches with ready rows, found by one step in an index each, however many rows are ready. */
const isDoneWithReady = sql<boolean>`b.status = 'done' and b.batch_id in (
  with recursive ready (batch_id) as (
    select min(batch_id) from registration ${byReady} where status = 'ready'
    union all
    select (select min(r.batch_id) from registration as r ${byReady}
      where r.status = 'ready' and r.batch_id > ready.batch_id)
      from ready where ready.batch_id is not null)
  select batch_id from ready)`;

const oldestFirst = () =>
  query
    .selectFrom('registration_batch as b')
    .selectAll('b')
    .orderBy('b.dropped_at_ms')
    .orderBy(sql`b.rowid`);

const openBatches = define((_values: object) => oldestFirst().where(isOpenBatch));
const doneWithReady = define((_values: object) => oldestFirst().where(isDoneWithReady));

/** The conditions of the index registration_batch_unreported, word for word. */
const isUnreported = sql<boolean>`b.status in ('done', 'paused', 'halted') and b.reported_event_seq < b.latest_news_seq`;

const unreported = define((_values: object) =>
  oldestFirst().clearSelect().select('b.batch_id').where(isUnreported),
);

const awaitedRows = () =>
  query
    .selectFrom('registration as p')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where(isAwaited);

const countAwaited = define((_values: object) => awaitedRows());
const countAwaitedOf = define((values: { batchId: string }) =>
  awaitedRows().where('p.batch_id', '=', values.batchId),
);

export const registrationBatchReads = {
  *registrationBatches(): Reading<RegistrationBatch[]> {
    return (yield* newestFirst.all({})).map(toBatch);
  },
  *registrationBatch(batchId): Reading<RegistrationBatch | undefined> {
    const record = yield* batchById.get({ batchId });
    return record === undefined ? undefined : toBatch(record);
  },
  registrationTotals: (batchId): Reading<RegistrationTotal[]> => totalsOfBatch.all({ batchId }),
  *registrationHoldTotals(batchId): Reading<RegistrationHoldTotal[]> {
    const totals = new Map<RegistrationHold, number>();
    for (const { holds, rows } of yield* holdsOfBatch.all({ batchId }))
      for (const hold of decodeHolds(holds)) totals.set(hold, (totals.get(hold) ?? 0) + rows);
    return Array.from(totals, ([hold, rows]) => ({ hold, rows }));
  },
  *countRegistrations(): Reading<ReadonlyMap<RegistrationStatus, number>> {
    return new Map((yield* countByStatus.all({})).map(({ status, rows }) => [status, rows]));
  },
  *runnableRegistrationBatches(): Reading<RegistrationBatch[]> {
    const found = [...(yield* openBatches.all({})), ...(yield* doneWithReady.all({}))].map(toBatch);
    return found.toSorted(
      (one, other) => one.droppedAtMs - other.droppedAtMs || one.startedAtMs - other.startedAtMs,
    );
  },
  *unreportedRegistrationBatches(): Reading<string[]> {
    return (yield* unreported.all({})).map(({ batch_id: batchId }) => batchId);
  },
  *countAwaitedRegistrations(batchId): Reading<number> {
    const counted =
      batchId === undefined ? yield* countAwaited.get({}) : yield* countAwaitedOf.get({ batchId });
    return counted?.rows ?? 0;
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;

const bySeq = define((values: { seq: number }) => selectRegistrations().where('p.seq', '=', values.seq));

const readyPage = define((values: { batchId: string; afterRowNo: number; limit: number }) =>
  selectRegistrations()
    .where('p.batch_id', '=', values.batchId)
    .where('p.status', '=', statusLiteral('ready'))
    .where('p.row_no', '>', values.afterRowNo)
    .orderBy('p.row_no')
    .limit(values.limit),
);

const submittedPage = define((values: { beforeMs: number; afterSeq: number; limit: number }) =>
  selectRegistrations()
    .innerJoin('registration_attempt as t', (join) =>
      join.onRef('t.registration_seq', '=', 'p.seq').onRef('t.attempt_no', '=', 'p.attempt_no'),
    )
    .where('p.status', '=', statusLiteral('submitted'))
    .where('t.intent_at_ms', '<', values.beforeMs)
    .where('p.seq', '>', values.afterSeq)
    .orderBy('p.seq')
    .limit(values.limit),
);

/** The condition of the index registration_overdue, word for word. */
const isOverdueKind = sql<boolean>`p.status in ('in-doubt', 'acknowledged')`;

const overdue = define((values: { nowMs: number; limit: number }) =>
  selectRegistrations()
    .where(isOverdueKind)
    .where('p.awaited_until_ms', '<=', values.nowMs)
    .orderBy('p.awaited_until_ms')
    .orderBy('p.seq')
    .limit(values.limit),
);

const nextOverdue = define((_values: object) =>
  query
    .selectFrom('registration as p')
    .select('p.awaited_until_ms')
    .where(isOverdueKind)
    .where('p.awaited_until_ms', 'is not', null)
    .orderBy('p.awaited_until_ms')
    .limit(1),
);

const claims = (values: ClaimKey) =>
  selectRegistrations()
    .innerJoin('registration_claim as c', 'c.registration_seq', 'p.seq')
    .where('c.company_id', '=', values.companyId)
    .where('c.similar_key', '=', values.similarKey);

const holder = define((values: ClaimKey) => claims(values).where('c.registration_id', '=', values.id));

const similarHolders = define((values: ClaimKey) =>
  claims(values).where('c.registration_id', '<>', values.id).orderBy('p.seq'),
);

const attempts = define((values: { seq: number }) =>
  query
    .selectFrom('registration_attempt')
    .selectAll()
    .where('registration_seq', '=', values.seq)
    .orderBy('attempt_no'),
);

const attempt = define((values: { seq: number; attemptNo: number }) =>
  query
    .selectFrom('registration_attempt')
    .selectAll()
    .where('registration_seq', '=', values.seq)
    .where('attempt_no', '=', values.attemptNo),
);

const events = define((values: { seq: number }) =>
  query
    .selectFrom('registration_event')
    .select(['seq', 'registration_seq as registrationSeq', 'from_status as from', 'to_status as to', 'cause'])
    .select(['at_ms as atMs', 'attempt_no as attemptNo', 'detail'])
    .where('registration_seq', '=', values.seq)
    .orderBy('seq'),
);

const callbacks = define((values: { seq: number }) =>
  query
    .selectFrom('registration_callback')
    .selectAll()
    .where('registration_seq', '=', values.seq)
    .orderBy('id'),
);

const resultRow = define((values: { seq: number }) => selectResultRows().where('p.seq', '=', values.seq));

const named = (reference: string) =>
  query
    .selectFrom('registration_place')
    .select('registration_seq as seq')
    .where('text', '=', reference)
    .where('kind', '=', 'registrationId')
    .union(
      query
        .selectFrom('registration_attempt')
        .select('registration_seq as seq')
        .where('request_uid', '=', reference),
    )
    .union(
      query
        .selectFrom('registration_attempt')
        .select('registration_seq as seq')
        .where('renewed_uid', '=', reference),
    )
    .union(
      query
        .selectFrom('registration_attempt')
        .select('registration_seq as seq')
        .where('ddr_oapi_seq_id', '=', reference),
    )
    .orderBy('seq', 'desc');

function* readHistory(row: RegistrationRow, batchId: string): Reading<RegistrationHistory> {
  const { seq } = row;
  const batch = yield* registrationBatchReads.registrationBatch(batchId);
  if (batch === undefined) throw new Error(`registration ${seq} has no batch`);
  return {
    row,
    batch,
    attempts: (yield* attempts.all({ seq })).map(toAttempt),
    events: (yield* events.all({ seq })).map((event) => ({ ...event, detail: readDetail(event.detail) })),
    callbacks: (yield* callbacks.all({ seq })).map(toCallback),
  };
}

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

/** As in the table of waiting payouts. */
const causeOf = sql<string>`coalesce(
  case when p.status = 'rejected' then json_extract(p.issues, '$[0].code') end, p.reason_code, '')`;

const selectByCause = () =>
  query
    .selectFrom('registration as p')
    .select(['p.status', 'p.is_alarm', 'p.holds', causeOf.as('cause')])
    .select([sql<number>`count(*)`.as('rows'), sql<number>`min(${placedAtMs})`.as('oldestMs')])
    .groupBy(['p.status', 'p.is_alarm', 'p.holds', causeOf]);

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
    filter.isAlarm !== undefined && sql<SqlBool>`p.is_alarm = ${sql.lit(filter.isAlarm ? 1 : 0)}`,
    filter.causes !== undefined &&
      sql<SqlBool>`${causeOf} in (${sql.join(filter.causes.map((cause) => sql`${cause}`))})`,
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

const registrationSearchReads = {
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
  *registrationsByCause(inDoubtBeforeMs): Reading<RegistrationsByCause[]> {
    const waiting = yield* select(selectByCause().where('p.waits', '=', sql.lit(1)));
    const inDoubt = selectByCause()
      .where('p.status', '=', statusLiteral('in-doubt'))
      .where('p.waits', '=', sql.lit(0))
      .where('p.submitted_at_ms', '<', inDoubtBeforeMs);
    return [...waiting, ...(yield* select(inDoubt))].map(({ is_alarm, holds, ...sum }) => ({
      ...sum,
      isAlarm: is_alarm === 1,
      holds: decodeHolds(holds),
    }));
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;

export const registrationReads = {
  ...registrationBatchReads,
  ...registrationCallbackReads,
  ...registrationSearchReads,
  *readyRegistrations(batchId, afterRowNo, limit): Reading<Registration[]> {
    return (yield* readyPage.all({ batchId, afterRowNo, limit })).map(toRegistration);
  },
  *registration(seq): Reading<Registration | undefined> {
    const record = yield* bySeq.get({ seq });
    return record === undefined ? undefined : toRegistration(record);
  },
  *registrationAttempt(seq, attemptNo): Reading<RegistrationAttempt | undefined> {
    const record = yield* attempt.get({ seq, attemptNo });
    return record === undefined ? undefined : toAttempt(record);
  },
  *registrationHistory(seq): Reading<RegistrationHistory | undefined> {
    const record = yield* resultRow.get({ seq });
    return record === undefined ? undefined : yield* readHistory(toResultRow(record), record.batch_id);
  },
  *findRegistrations(reference): Reading<RegistrationHistory[]> {
    const found: RegistrationHistory[] = [];
    for (const { seq } of yield* select(named(reference))) {
      const history = yield* registrationReads.registrationHistory(seq);
      if (history !== undefined) found.push(history);
    }
    return found;
  },
  *submittedRegistrations(beforeMs, afterSeq, limit): Reading<Registration[]> {
    return (yield* submittedPage.all({ beforeMs, afterSeq, limit })).map(toRegistration);
  },
  *overdueRegistrations(nowMs, limit): Reading<Registration[]> {
    return (yield* overdue.all({ nowMs, limit })).map(toRegistration);
  },
  *nextOverdueAtMs(): Reading<number | undefined> {
    return (yield* nextOverdue.get({}))?.awaited_until_ms ?? undefined;
  },
  *registrationHolder(companyId, registrationId): Reading<Registration | undefined> {
    const record = yield* holder.get(claimKeyOf(companyId, registrationId));
    return record === undefined ? undefined : toRegistration(record);
  },
  *similarRegistrationHolders(companyId, registrationId): Reading<Registration[]> {
    return (yield* similarHolders.all(claimKeyOf(companyId, registrationId))).map(toRegistration);
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;
