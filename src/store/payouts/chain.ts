/** The chain of each payout's events in the tables: a column of the event, written with it in the same statement. */
import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { type Expression, type RawBuilder, sql } from 'kysely';
import type { PayoutCause, PayoutStatus } from '../../core/payout.ts';
import { makeRandomDraws } from '../../platform/random-draws.ts';
import {
  type ChainedEvent,
  commitTo,
  hashEvent,
  type KeptEvent,
  partEnd,
  partsOf,
  textOf,
} from '../../review/rules/payout-chain.ts';
import type { Opening, RowName } from '../../evidence/rules/audit.ts';
import type { KeptPayout } from '../../evidence/rules/state-audit.ts';
import { decodeHolds, type Tables } from '../schema.ts';
import { type Body, define, query, type Reading, selectFirst, textStatement } from '../statements.ts';

const saltBytes = 16;

const drawSalt = makeRandomDraws(saltBytes);

/** Makes a salt: 128 bits of chance, as hex. */
export const makeSalt = (): string => drawSalt().toString('hex');

/** Makes many salts (base64url), with one call for chance. */
export function makeSalts(count: number): readonly string[] {
  const chance = randomBytes(count * saltBytes);
  return Array.from({ length: count }, (_one, place) =>
    chance.toString('base64url', place * saltBytes, (place + 1) * saltBytes),
  );
}

/**
 * `hashEvent` of the next event of a payout: each connection has it as a function of its own.
 * @param text `textOf` the event
 */
export function nextHashOf(payoutSeq: Expression<number> | number, text: Expression<string> | string) {
  return sql<string>`event_hash_of(coalesce(
    (select h.hash from event as h where h.payout_seq = ${payoutSeq} order by h.seq desc limit 1),
    (select coalesce(h.commitment, h.digest || ' ' || h.salt, h.digest) from payout_row as h where h.seq = ${payoutSeq})), ${text})`;
}

/** `textOf` an event of which a statement knows some parts only as columns. Numbers that are bound would be fractions. */
export function textOfColumns(event: ChainedEvent<string, number | Expression<number>>): RawBuilder<string> {
  const parts = partsOf(event).map((part) =>
    typeof part === 'object' ? part : sql<string>`cast(${String(part)} as text)`,
  );
  return sql`concat_ws(${partEnd}, ${sql.join(parts)})`;
}

type EventRow = Omit<Tables['event'], 'hash'> & { readonly text: string };

const insertEvent = define(({ text, ...row }: EventRow) =>
  query.insertInto('event').values({ ...row, hash: nextHashOf(row.payout_seq, text) }),
);

export interface AppendedEvent extends ChainedEvent {
  readonly from: PayoutStatus;
  readonly to: PayoutStatus;
  readonly cause: PayoutCause;
}

/** Appends the next event of a payout; inside the caller's transaction. */
export function appendEvent(payoutSeq: number, event: AppendedEvent): Body<void> {
  const { seq, from, to, cause, atMs, attemptNo, detail } = event;
  const moved = { payout_seq: payoutSeq, from_status: from, to_status: to, cause };
  const text = textOf(event);
  return insertEvent.note({ seq, ...moved, at_ms: atMs, attempt_no: attemptNo, detail, text });
}

/** A row's digest and salt come as one: a call of its own for the commitment would cost more than the hash. */
function readPrevious(previous: string | null): string | null {
  if (previous?.includes(' ') !== true) return previous;
  const [digest = '', salt = ''] = previous.split(' ');
  return commitTo(digest, salt);
}

/** Gives a connection the function that `nextHashOf` calls. */
export function addHashFunction(db: DatabaseSync): void {
  db.function('event_hash_of', { deterministic: true }, (previous, text) =>
    hashEvent(readPrevious(previous as string | null), text as string),
  );
}

/** Payouts whose events are read at a time. */
const pagePayouts = 1_000;

type ReadChain = KeptPayout & RowName & Opening;

type ReadEvent = Omit<ReadChain, 'events' | 'start' | 'holds' | 'acceptedHolds'> &
  Omit<KeptEvent, 'seq'> & {
    readonly commitment: string | null;
    readonly eventSeq: number | null;
    readonly holdBits: number;
    readonly acceptedBits: number;
  };

/** The bounds stand for each table: PostgreSQL would go through the others whole for each page. */
const eventsOfPayouts = define(({ afterSeq, lastSeq }: { afterSeq: number; lastSeq: number }) =>
  textStatement<ReadEvent>(sql`
select p.seq, p.status, p.last_event_seq as "lastEventSeq", r.digest, r.payout_id as "payoutId",
  p.holds as "holdBits", p.accepted_holds as "acceptedBits", p.bank_payee_name as "bankPayeeName",
  p.bank_payee_name_th as "bankPayeeNameTh", b.company_id as "companyId", p.batch_id as "batchId", p.row_no as "rowNo", e.seq as "eventSeq",
  e.from_status as "from", e.to_status as "to", e.cause, e.at_ms as "atMs", e.attempt_no as "attemptNo", e.detail,
  e.hash, r.salt, r.commitment
from payout p join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
  left join event e on e.payout_seq = p.seq and e.payout_seq > ${afterSeq} and e.payout_seq <= ${lastSeq}
where p.seq > ${afterSeq} and p.seq <= ${lastSeq} and r.seq > ${afterSeq} and r.seq <= ${lastSeq} order by p.seq, e.seq`),
);

function toChains(rows: readonly ReadEvent[]): readonly ReadChain[] {
  return [...Map.groupBy(rows, ({ seq }) => seq).values()].flatMap((ofPayout) => {
    const [first] = ofPayout;
    if (first === undefined) return [];
    const events = ofPayout.flatMap(({ eventSeq, ...event }) =>
      eventSeq === null ? [] : [{ ...event, seq: eventSeq }],
    );
    const holds = decodeHolds(first.holdBits);
    const acceptedHolds = decodeHolds(first.acceptedBits);
    return [
      {
        ...first,
        holds,
        acceptedHolds,
        start: first.commitment ?? commitTo(first.digest, first.salt),
        events,
      },
    ];
  });
}

/** A page of payouts with their histories, in their order, and where the next one begins; undefined after the last. */
export function* readChainPage(
  afterSeq: number,
): Reading<{ readonly chains: readonly ReadChain[]; readonly lastSeq: number } | undefined> {
  const latest = yield* selectFirst(
    query.selectFrom('payout').select(({ fn }) => fn.max<number | null>('seq').as('seq')),
  );
  if (afterSeq >= (latest?.seq ?? 0)) return undefined;
  const lastSeq = afterSeq + pagePayouts;
  return { chains: toChains(yield* eventsOfPayouts.all({ afterSeq, lastSeq })), lastSeq };
}

/** Reads one payout; undefined when it is not there. */
export function* readChain(payoutSeq: number): Reading<ReadChain | undefined> {
  const asked = { afterSeq: payoutSeq - 1, lastSeq: payoutSeq };
  return toChains(yield* eventsOfPayouts.all(asked))[0];
}
