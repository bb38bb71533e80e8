/** The chain of each registration's events: hashed as those of payouts are. */
import { type Expression, sql } from 'kysely';
import { type ChainedEvent, textOf } from '../../review/rules/payout-chain.ts';
import type { RegistrationCause, RegistrationStatus } from '../../registration/rules/registration.ts';
import { type Body, define, query, type Reading } from '../statements.ts';

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

interface AppendedRegistrationEvent extends ChainedEvent {
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

/** Returns the number of the latest event of a registration; 0 before the first. */
export function* readLatestRegistrationEventSeq(): Reading<number> {
  return (yield* latestEvent.get({}))?.seq ?? 0;
}
