/** The chain of each registration's events: hashed as those of payouts are. */
import { type Expression, sql } from 'kysely';
import type { KeptRegistration } from '../../evidence/rules/audit.ts';
import { type ChainedEvent, commitTo, type KeptEvent, textOf } from '../../review/rules/payout-chain.ts';
import type { RegistrationCause, RegistrationStatus } from '../../registration/rules/registration.ts';
import type { Reader } from '../engine.ts';
import { type Body, define, query, type Reading, textStatement } from '../statements.ts';

/**
 * `hashEvent` of the next event of a registration.
 * @param text `textOf` the event
 */
export function nextRegistrationHashOf(
  registrationSeq: Expression<number> | number,
  text: Expression<string> | string,
) {
  return sql<string>`event_hash_of(coalesce(
    (select h.hash from registration_event as h where h.registration_seq = ${registrationSeq} order by h.seq desc limit 1),
    (select coalesce(h.digest || ' ' || h.salt, h.digest) from registration_row as h where h.seq = ${registrationSeq})), ${text})`;
}

export interface AppendedRegistrationEvent extends ChainedEvent {
  readonly from: RegistrationStatus;
  readonly to: RegistrationStatus;
  readonly cause: RegistrationCause;
}

const insertEvent = define((values: AppendedRegistrationEvent & { registrationSeq: number; text: string }) =>
  query.insertInto('registration_event').values({
    seq: values.seq,
    registration_seq: values.registrationSeq,
    from_status: values.from,
    to_status: values.to,
    cause: values.cause,
    at_ms: values.atMs,
    attempt_no: values.attemptNo,
    detail: values.detail,
    hash: nextRegistrationHashOf(values.registrationSeq, values.text),
  }),
);

/** Appends the next event of a registration; inside the caller's transaction. */
export const appendRegistrationEvent = (
  registrationSeq: number,
  event: AppendedRegistrationEvent,
): Body<number> => insertEvent.run({ ...event, registrationSeq, text: textOf(event) });

const latestEvent = define((_values: object) =>
  query.selectFrom('registration_event').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
);

/** Number of the latest event of a registration; 0 before the first. */
export function* readLatestRegistrationEventSeq(): Reading<number> {
  return (yield* latestEvent.get({}))?.seq ?? 0;
}

/** Registrations whose events are read at a time. */
const pageRegistrations = 1_000;

/** The bounds stand for each table: PostgreSQL would go through the others whole for each page. */
const eventsOfRegistrations = define(({ after, upTo }: { after: number; upTo: number }) =>
  textStatement<ReadEvent>(sql`
select p.seq, p.status, p.last_event_seq as "lastEventSeq", r.digest, r.salt, r.registration_id as "registrationId",
  b.company_id as "companyId", p.batch_id as "batchId", p.row_no as "rowNo", e.seq as "eventSeq",
  e.from_status as "from", e.to_status as "to", e.cause, e.at_ms as "atMs", e.attempt_no as "attemptNo", e.detail, e.hash
from registration p join registration_row r on r.seq = p.seq join registration_batch b on b.batch_id = p.batch_id
  left join registration_event e on e.registration_seq = p.seq and e.registration_seq > ${after} and e.registration_seq <= ${upTo}
where p.seq > ${after} and p.seq <= ${upTo} and r.seq > ${after} and r.seq <= ${upTo} order by p.seq, e.seq`),
);

const lastRegistration = define((_values: object) =>
  query.selectFrom('registration').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
);

type ReadEvent = Omit<KeptRegistration, 'events' | 'start'> &
  Omit<KeptEvent, 'seq'> & {
    readonly digest: string | null;
    readonly salt: string | null;
    readonly eventSeq: number | null;
  };

function toChain([first, ...others]: readonly ReadEvent[]): readonly KeptRegistration[] {
  if (first === undefined) return [];
  const events = [first, ...others].flatMap(({ eventSeq, ...event }) =>
    eventSeq === null ? [] : [{ ...event, seq: eventSeq }],
  );
  return [{ ...first, start: commitTo(first.digest, first.salt), events }];
}

/** Every registration with its history, in their order; pages of them at a time, so memory stays flat. */
export async function* readRegistrationChains(reader: Reader): AsyncGenerator<readonly KeptRegistration[]> {
  const last = (await reader.read(() => lastRegistration.get({})))?.seq ?? 0;
  for (let after = 0; after < last; after += pageRegistrations) {
    const page = { after, upTo: after + pageRegistrations };
    const rows = await reader.read(() => eventsOfRegistrations.all(page));
    yield [...Map.groupBy(rows, ({ seq }) => seq).values()].flatMap(toChain);
  }
}
