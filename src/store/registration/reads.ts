/** Reads about registrations, each an index lookup however many rows the journal has. */
import { sql } from 'kysely';
import type { RegistrationHistory, RegistrationRow, RegistrationStore } from '../../registration/ports.ts';
import type { Registration, RegistrationAttempt } from '../../registration/rules/registration.ts';
import { readDetail } from '../../review/rules/payout-chain.ts';
import { type ClaimKey, claimKeyOf } from '../schema.ts';
import { type BodiesOf, define, query, type Reading, select } from '../statements.ts';
import { registrationBatchReads } from './batches.ts';
import { registrationCallbackReads } from './callbacks.ts';
import { registrationSearchReads } from './search.ts';
import {
  selectRegistrations,
  selectResultRows,
  statusLiteral,
  toAttempt,
  toCallback,
  toRegistration,
  toResultRow,
} from './rows.ts';

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
