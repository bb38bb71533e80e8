/** Batches of registrations: reads of them, their life once they are sealed, and their reports. */
import { encodeMessage } from '../../core/message.ts';
import { sql } from 'kysely';
import { type BatchStatus, canMoveBatch } from '../../core/payout.ts';
import type { BatchStanding } from '../../payout/ports.ts';
import type {
  RegistrationBatch,
  RegistrationStore,
  RegistrationHoldTotal,
  RegistrationTotal,
} from '../../registration/ports.ts';
import type { RegistrationHold, RegistrationStatus } from '../../registration/rules/registration.ts';
import { standsAs } from '../payouts/batches.ts';
import { type BodiesOf, change, define, inDialect, query, type Reading } from '../statements.ts';
import { decodeHolds, isAwaited, toBatch } from './rows.ts';

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

const reportsOfBatch = define((values: { batchId: string }) =>
  query
    .selectFrom('registration_report')
    .select(['batch_id as batchId', 'kind', 'number', 'path', 'temporary_path as temporaryPath', 'sha256'])
    .select(['event_seq as eventSeq', 'at_ms as atMs'])
    .where('batch_id', '=', values.batchId)
    .orderBy('number')
    .orderBy('kind'),
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
  *registrationReports(batchId) {
    return yield* reportsOfBatch.all({ batchId });
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;

/** Statuses that only reading a file leads to; each has a function of its own. */
const readingStatuses: readonly BatchStatus[] = ['ingesting', 'sealed', 'rejected'];

/** Statuses in which a batch has come to rest. */
const restingStatuses: readonly BatchStatus[] = ['done', 'halted', 'paused'];

/** Writes that are one transaction each. */
export const registrationBatchWrites = {
  *moveRegistrationBatch(batchId, to, why, nowMs, seen?: BatchStanding) {
    if (readingStatuses.includes(to)) throw new Error(`a batch becomes ${to} only when its file is read`);
    const record = yield* batchById.get({ batchId });
    const found = record && toBatch(record);
    if (found === undefined || !canMoveBatch(found.status, to) || !standsAs(found, seen)) return false;
    const reason = {
      reason_code: why?.code ?? null,
      reason: why && encodeMessage(why.reason),
      remedy: why && encodeMessage(why.remedy),
    };
    const rest = restingStatuses.includes(to) ? { rested_at_ms: nowMs } : {};
    const moved = query.updateTable('registration_batch').set({ status: to, ...reason, ...rest });
    yield* change(moved.where('batch_id', '=', batchId));
    return true;
  },
  *recordRegistrationReports(reports) {
    for (const report of reports) {
      const record = {
        batch_id: report.batchId,
        kind: report.kind,
        number: report.number,
        path: report.path,
        temporary_path: report.temporaryPath,
        sha256: report.sha256,
        event_seq: report.eventSeq,
        at_ms: report.atMs,
      };
      yield* change(query.insertInto('registration_report').values(record));
    }
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;
