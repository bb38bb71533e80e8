/** The chain of each registration's events, hashed as those of payouts are; and registrations as an audit reads them. */
import { isDeepStrictEqual } from 'node:util';
import { type Expression, type Selectable, sql } from 'kysely';
import type { KeptRegistration } from '../../evidence/rules/audit.ts';
import { type KeptCall, startOf } from '../../evidence/rules/registration-audit.ts';
import {
  callbackKey,
  identityKey,
  parseCallback,
  type RegistrationCallback,
} from '../../registration/rules/callback.ts';
import { type ChainedEvent, type KeptEvent, textOf } from '../../review/rules/payout-chain.ts';
import {
  type RegistrationCause,
  type RegistrationInstruction,
  type RegistrationStatus,
} from '../../registration/rules/registration.ts';
import type { Reader } from '../engine.ts';
import type { Tables } from '../schema.ts';
import { type Body, define, query, type Reading, textStatement } from '../statements.ts';
import { computeRegistrationDigest } from './rows.ts';

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

type EventRow = Omit<Tables['registration_event'], 'hash'> & { readonly text: string };

const insertEvent = define(({ text, ...row }: EventRow) =>
  query
    .insertInto('registration_event')
    .values({ ...row, hash: nextRegistrationHashOf(row.registration_seq, text) }),
);

/** Appends the next event of a registration; inside the caller's transaction. */
export function appendRegistrationEvent(
  registrationSeq: number,
  event: AppendedRegistrationEvent,
): Body<number> {
  const { seq, from, to, cause, atMs, attemptNo, detail } = event;
  const moved = { registration_seq: registrationSeq, from_status: from, to_status: to, cause };
  return insertEvent.run({ seq, ...moved, at_ms: atMs, attempt_no: attemptNo, detail, text: textOf(event) });
}

const latestEvent = define((_values: object) =>
  query.selectFrom('registration_event').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
);

/** Returns the number of the latest event of a registration; 0 before the first. */
export function* readLatestRegistrationEventSeq(): Reading<number> {
  return (yield* latestEvent.get({}))?.seq ?? 0;
}

// ---------------------------------------------------------------- for an audit

/** Registrations that are read at a time. */
const pageRegistrations = 1_000;
const pageCalls = 1_000;

interface Page {
  readonly after: number;
  readonly upTo: number;
}

/** The bounds stand for each table: PostgreSQL would go through the others whole for each page. */
const eventsOf = define(({ after, upTo }: Page) =>
  textStatement<ReadEvent>(sql`
select p.seq, p.status, p.last_event_seq as "lastEventSeq", r.digest, r.salt, r.registration_id as "registrationId",
  p.resp_code as "respCode", p.resp_desc as "respDesc", p.apply_dtm as "applyDtm", r.instruction,
  b.company_id as "companyId", p.batch_id as "batchId", p.row_no as "rowNo", e.seq as "eventSeq",
  e.from_status as "from", e.to_status as "to", e.cause, e.at_ms as "atMs", e.attempt_no as "attemptNo", e.detail, e.hash
from registration p join registration_row r on r.seq = p.seq join registration_batch b on b.batch_id = p.batch_id
  left join registration_event e on e.registration_seq = p.seq and e.registration_seq > ${after} and e.registration_seq <= ${upTo}
where p.seq > ${after} and p.seq <= ${upTo} and r.seq > ${after} and r.seq <= ${upTo} order by p.seq, e.seq`),
);

type ReadEvent = Pick<
  KeptRegistration,
  | 'seq'
  | 'status'
  | 'lastEventSeq'
  | 'digest'
  | 'salt'
  | 'registrationId'
  | 'respCode'
  | 'respDesc'
  | 'applyDtm'
  | 'batchId'
  | 'rowNo'
> &
  Omit<KeptEvent, 'seq'> & { readonly instruction: string | null; readonly eventSeq: number | null };

const askedOf = define(({ after, upTo }: Page) =>
  query.selectFrom('registration_asked').selectAll().where('seq', '>', after).where('seq', '<=', upTo),
);
const versionsOf = define(({ after, upTo }: Page) =>
  query
    .selectFrom('registration_version')
    .select(['registration_seq as seq', 'instruction', 'digest'])
    .where('registration_seq', '>', after)
    .where('registration_seq', '<=', upTo)
    .orderBy('registration_seq')
    .orderBy('version'),
);
const attemptsOf = define(({ after, upTo }: Page) =>
  query
    .selectFrom('registration_attempt')
    .select(['registration_seq as seq', 'attempt_no as attemptNo', 'instruction'])
    .where('registration_seq', '>', after)
    .where('registration_seq', '<=', upTo),
);
const callsOf = define(({ after, upTo }: Page) =>
  query
    .selectFrom('registration_callback')
    .selectAll()
    .where('registration_seq', '>', after)
    .where('registration_seq', '<=', upTo),
);

const callPage = define(({ after }: Pick<Page, 'after'>) =>
  query
    .selectFrom('registration_callback')
    .selectAll()
    .where('id', '>', after)
    .orderBy('id')
    .limit(pageCalls),
);

type CallRow = Selectable<Tables['registration_callback']>;

function* readParts(page: Page) {
  const bySeq = <One extends { readonly seq: number }>(all: readonly One[]) =>
    Map.groupBy(all, ({ seq }) => seq);
  const calls = yield* callsOf.all(page);
  return {
    asked: bySeq(yield* askedOf.all(page)),
    versions: bySeq(yield* versionsOf.all(page)),
    attempts: bySeq(yield* attemptsOf.all(page)),
    calls: Map.groupBy(calls, (call) => call.registration_seq ?? 0),
  };
}

/** A callback is found by its key and its identity, and taken by its outcome and moment: all are what its body says. */
function toCall(row: CallRow): KeptCall {
  const callback = JSON.parse(row.callback) as RegistrationCallback;
  const header = JSON.parse(row.header) as { readonly requestUID?: unknown };
  const reading = parseCallback(row.body, String(header.requestUID));
  const isAsRead =
    reading.ok &&
    isDeepStrictEqual(reading.callback, callback) &&
    row.key === callbackKey(callback) &&
    row.identity_key === identityKey(callback.identity) &&
    row.outcome === callback.outcome &&
    row.applied_at_ms === callback.appliedAtMs;
  return { id: row.id, body: row.body, isAsRead };
}

type AskedRow = Selectable<Tables['registration_asked']>;

const toInstruction = (asked: AskedRow): RegistrationInstruction => ({
  registrationId: asked.registration_id,
  customerId: asked.customer_id,
  vendorId: asked.vendor_id,
  companyId: asked.company_id,
  accountNo: asked.account_no,
  refs: [asked.ref1, asked.ref2, asked.ref3, asked.ref4],
});

type Parts = ReturnType<typeof readParts> extends Reading<infer Read> ? Read : never;

function toKept(rows: readonly ReadEvent[], parts: Parts): readonly KeptRegistration[] {
  const [first] = rows;
  if (first === undefined) return [];
  const { seq } = first;
  const digestOf = (asked: RegistrationInstruction): string => computeRegistrationDigest(first, asked);
  const digestText = (text: string): string => digestOf(JSON.parse(text) as RegistrationInstruction);
  const asked = parts.asked.get(seq)?.[0];
  return [
    {
      ...first,
      start: startOf(first),
      events: rows.flatMap(({ eventSeq, ...event }) =>
        eventSeq === null ? [] : [{ ...event, seq: eventSeq }],
      ),
      fileDigest: first.instruction === null ? null : digestText(first.instruction),
      askedDigest: asked === undefined ? null : digestOf(toInstruction(asked)),
      corrections: (parts.versions.get(seq) ?? []).map(({ digest, instruction }) => ({
        digest,
        present: digestText(instruction),
      })),
      attempts: (parts.attempts.get(seq) ?? []).map(({ attemptNo, instruction }) => ({
        attemptNo,
        digest: digestText(instruction),
      })),
      calls: (parts.calls.get(seq) ?? []).map(toCall),
    },
  ];
}

const lastRegistration = define((_values: object) =>
  query.selectFrom('registration').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
);

/** Every registration with its history, in their order; pages of them at a time, so memory stays flat. */
export async function* readRegistrationChains(reader: Reader): AsyncGenerator<readonly KeptRegistration[]> {
  const last = (await reader.read(() => lastRegistration.get({})))?.seq ?? 0;
  for (let after = 0; after < last; after += pageRegistrations) {
    const page = { after, upTo: after + pageRegistrations };
    const rows = await reader.read(() => eventsOf.all(page));
    const parts = await reader.read(() => readParts(page));
    yield [...Map.groupBy(rows, ({ seq }) => seq).values()].flatMap((ofOne) => toKept(ofOne, parts));
  }
}

/** Every callback, in the order in which they came. */
export async function* readCallPages(reader: Reader): AsyncGenerator<readonly KeptCall[]> {
  for (let after = 0; ;) {
    const from = after;
    const rows: readonly CallRow[] = await reader.read(() => callPage.all({ after: from }));
    yield rows.map(toCall);
    if (rows.length < pageCalls) return;
    after = rows.at(-1)?.id ?? after;
  }
}
