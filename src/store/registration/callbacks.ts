/** Callbacks as they were received: kept for ever, each bound to a registration at most once. */
import { type Insertable, sql } from 'kysely';
import { toColumns } from '../../platform/record-rows.ts';
import type { KeptCallback, RegistrationStore, SentRegistrationRow } from '../../registration/ports.ts';
import type { CallbackRecord } from '../../registration/rules/change.ts';
import { identityKey, receiverToleranceMs } from '../../registration/rules/callback.ts';
import type { Tables } from '../schema.ts';
import { type BodiesOf, type Body, define, query, type Reading } from '../statements.ts';
import { selectRegistrations, toCallback, toRegistration } from './rows.ts';

const keptOfKey = define((values: { key: string }) =>
  query
    .selectFrom('registration_callback')
    .select(['id', 'registration_seq', 'received_at_ms'])
    .where('key', '=', values.key),
);

const insertCallback = define((values: Insertable<Tables['registration_callback']>) =>
  query.insertInto('registration_callback').values(values),
);

const bindCallback = define((values: { id: number; registrationSeq: number }) =>
  query
    .updateTable('registration_callback')
    .set({ registration_seq: values.registrationSeq })
    .where('id', '=', values.id)
    .where('registration_seq', 'is', null),
);

const countRepeat = define((values: { id: number }) =>
  query
    .updateTable('registration_callback')
    .set((eb) => ({ repeats: eb('repeats', '+', 1) }))
    .where('id', '=', values.id),
);

function insert(record: CallbackRecord, registrationSeq: number | null): Body<number> {
  const { key, callback, body, fromAddress, receivedAtMs } = record;
  const { outcome, appliedAtMs, identity } = callback;
  const texts = { callback: JSON.stringify(callback), header: JSON.stringify(record.header) };
  const kept = toColumns({ outcome, appliedAtMs, registrationSeq, fromAddress, receivedAtMs });
  return insertCallback.run({ key, body, ...texts, ...kept, identity_key: identityKey(identity) });
}

/** True unless the callback was kept, and bound, before. */
export function* isUnbound({ key }: CallbackRecord): Reading<boolean> {
  const kept = yield* keptOfKey.get({ key });
  return kept === undefined || kept.registration_seq === null;
}

/** Keeps a callback of which `isUnbound` is true as this registration's; inside the caller's transaction. */
export function* bind(record: CallbackRecord, registrationSeq: number): Body<void> {
  const kept = yield* keptOfKey.get({ key: record.key });
  if (kept === undefined) yield* insert(record, registrationSeq);
  else yield* bindCallback.run({ id: kept.id, registrationSeq });
}

/** Keeps a callback, or counts it once more. False when it was told before. */
export function* keep(record: CallbackRecord, registrationSeq: number | null): Body<boolean> {
  const kept = yield* keptOfKey.get({ key: record.key });
  if (kept === undefined) {
    yield* insert(record, registrationSeq);
    return true;
  }
  // A callback that was kept before its registration was known is not told again: it is found to be that one's.
  if (kept.registration_seq === null && registrationSeq !== null)
    yield* bindCallback.run({ id: kept.id, registrationSeq });
  else yield* countRepeat.run({ id: kept.id });
  return false;
}

/**
 * True for an attempt `t` beside which no other of its identity may have been taken; attempts of rows that ask for
 * something else by now count.
 */
const isOnly = sql<number>`case when exists (
  select 1 from registration_attempt as o where o.identity_key = t.identity_key
    and (o.registration_seq <> t.registration_seq or o.attempt_no <> t.attempt_no)
    and coalesce(o.taken, 'yes') <> 'no'
) then 0 else 1 end`;

/** By the answer to an attempt `t`, else by the latest answer of all. */
const bankOffsetMs = sql<number | null>`coalesce(t.bank_offset_ms, (
  select o.bank_offset_ms from registration_attempt as o
    where o.bank_offset_ms is not null order by o.intent_at_ms desc limit 1))`;

const sentOfIdentity = define((values: { identity: string }) =>
  selectRegistrations()
    .innerJoin('registration_attempt as t', 't.registration_seq', 'p.seq')
    // A row that asks for something else by now is not the one that the callback is about.
    .innerJoin('registration_attempt as l', (join) =>
      join
        .onRef('l.registration_seq', '=', 'p.seq')
        .onRef('l.attempt_no', '=', 'p.attempt_no')
        .onRef('l.identity_key', '=', 't.identity_key'),
    )
    .select(['t.intent_at_ms', 't.attempt_no as sent_attempt_no', 't.taken'])
    .select([isOnly.as('is_only'), bankOffsetMs.as('bank_offset_ms')])
    .where('t.identity_key', '=', values.identity)
    .orderBy('t.intent_at_ms')
    .orderBy('p.seq'),
);

const unbound = () =>
  query.selectFrom('registration_callback as k').selectAll('k').where('k.registration_seq', 'is', null);

/** Callbacks after an intent of their identity: `findMeant` may find an attempt for them, once clocks are known. */
const unboundMeant = define((values: { limit: number }) =>
  unbound()
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('registration_attempt as t')
          .innerJoin('registration as p', 'p.seq', 't.registration_seq')
          .innerJoin('registration_attempt as l', (join) =>
            join
              .onRef('l.registration_seq', '=', 'p.seq')
              .onRef('l.attempt_no', '=', 'p.attempt_no')
              .onRef('l.identity_key', '=', 't.identity_key'),
          )
          .select('t.registration_seq')
          .whereRef('t.identity_key', '=', 'k.identity_key')
          .where(sql<boolean>`t.intent_at_ms <= k.received_at_ms + ${sql.lit(receiverToleranceMs)}`),
      ),
    )
    .orderBy('k.id')
    .limit(values.limit),
);

const unknown = define((values: { limit: number }) => unbound().orderBy('k.id', 'desc').limit(values.limit));

const countUnknown = define((_values: object) =>
  query
    .selectFrom('registration_callback')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('registration_seq', 'is', null),
);

export const registrationCallbackReads = {
  *sentRegistrations(identity): Reading<SentRegistrationRow[]> {
    return (yield* sentOfIdentity.all({ identity })).map((record) => {
      const registration = toRegistration(record);
      const { status, attemptNo } = registration;
      return {
        registration,
        status,
        intentAtMs: record.intent_at_ms,
        isLatest: record.sent_attempt_no === attemptNo,
        taken: record.taken,
        isOnly: record.is_only === 1,
        bankOffsetMs: record.bank_offset_ms,
      };
    });
  },
  *unboundCallbacks(limit): Reading<KeptCallback[]> {
    return (yield* unboundMeant.all({ limit })).map(toCallback);
  },
  *unknownCallbacks(limit): Reading<KeptCallback[]> {
    return (yield* unknown.all({ limit })).map(toCallback);
  },
  *countUnknownCallbacks(): Reading<number> {
    return (yield* countUnknown.get({}))?.rows ?? 0;
  },
  *callbackReceivedAtMs(key): Reading<number | undefined> {
    return (yield* keptOfKey.get({ key }))?.received_at_ms;
  },
} satisfies Partial<BodiesOf<RegistrationStore>>;
