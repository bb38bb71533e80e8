/**
 * How the machines that work a journal share the bank, by the database's clock: turns to call one after the other, the
 * requests that it bears at once, and the access token; and how fast they have worked lately.
 */
import { sql } from 'kysely';
import type { SharedToken, TokenPlace } from '../../core/bank-port.ts';
import type { SharedLimits, WorkerStore, WorkRates } from '../../payout/ports.ts';
import {
  clampLimit,
  decideWhole,
  limitStaleAfterMs,
  type SharedKind,
  type SharedLimit,
} from '../../payout/rules/shared-limit.ts';
import { type BodiesOf, define, type Reading, textStatement } from '../statements.ts';
import type { Store } from '../store.ts';
import type { PostgresEngine } from './engine.ts';
import { thereNow } from './lease-conditions.ts';
import { databaseNowMs } from './prune.ts';

/** The time in microseconds, finer than in the other tables: each of hundreds of calls a second has a moment of its own. */
const nowUs = sql<number>`(extract(epoch from clock_timestamp()) * 1000000)::bigint`;

/** The longest wait: a clock that was ahead, and was put right, has left moments that are far off. */
const aheadMaxUs = sql.lit(60_000_000);

/** The span over which turns are counted. */
const requestWindowMs = 5_000;

interface Wanted {
  readonly count: number;
  readonly spanUs: number;
}

const nowMs = sql<number>`(${nowUs} / 1000)`;
const isWithin = (windows: number) => sql`${nowMs} - t.window_ms < ${sql.lit(windows * requestWindowMs)}`;

const reserve = define(({ count, spanUs }: Wanted) =>
  textStatement<{ readonly nextUs: number; readonly nowUs: number }>(sql`
    insert into request_slot as t (name, next_us, window_ms, taken, taken_before)
    values ('bank', ${nowUs} + ${spanUs}::bigint, ${nowMs}, ${count}, 0)
    on conflict (name) do update
      set next_us = greatest(least(t.next_us, ${nowUs} + ${aheadMaxUs}), ${nowUs}) + ${spanUs}::bigint,
        window_ms = case when ${isWithin(1)} then t.window_ms else ${nowMs} end,
        taken = case when ${isWithin(1)} then t.taken else 0 end + ${count}::bigint,
        taken_before = case when ${isWithin(1)} then t.taken_before when ${isWithin(2)} then t.taken else 0 end
    returning next_us as "nextUs", ${nowUs} as "nowUs"`),
);

/**
 * Reserves turns that no other caller has.
 * @param intervalMs between two of them
 */
export async function reserveRequestSlots(
  engine: PostgresEngine,
  count: number,
  intervalMs: number,
): ReturnType<NonNullable<Store['reserveRequestSlots']>> {
  const spanUs = Math.round(count * intervalMs * 1_000);
  const reserved = await engine.writeAside(() => reserve.get({ count, spanUs }));
  if (reserved === undefined) throw new Error('turns were asked for, and none are told of');
  const { nextUs, nowUs: atUs } = reserved;
  return { firstMs: (nextUs - spanUs) / 1_000, intervalMs, count, nowMs: atUs / 1_000 };
}

// ---------------------------------------------------------------- how fast the machines have worked

const minuteMs = 60_000;

const transfers = define((_values: object) =>
  textStatement<{ readonly workerId: number; readonly sends: number }>(sql`
    select worker_id as "workerId", count(*) as sends from latest_send
    where sent_at_ms > ${databaseNowMs} - ${sql.lit(minuteMs)} group by worker_id`),
);

const requests = define((_values: object) =>
  textStatement<{ readonly ageMs: number; readonly taken: number; readonly takenBefore: number }>(sql`
    select ${databaseNowMs} - window_ms as "ageMs", taken, taken_before as "takenBefore"
    from request_slot where name = 'bank'`),
);

/** Requests of the last whole window; null where no turns have been taken lately. */
function* readRequests(): Reading<number | null> {
  const found = yield* requests.get({});
  if (found === undefined || found.ageMs >= 2 * requestWindowMs) return null;
  const taken = found.ageMs < requestWindowMs ? found.takenBefore : found.taken;
  return (taken * 1_000) / requestWindowMs;
}

export function* readWorkRates(): Reading<WorkRates> {
  const sent = yield* transfers.all({});
  return {
    transfersOf: new Map(sent.map(({ workerId, sends }) => [workerId, sends])),
    requestsPerSecond: yield* readRequests(),
  };
}

/** The sender, and each worker with rows to pay. */
const activeWorkers = define((_values: object) =>
  textStatement<{ readonly workerId: number }>(sql`
    select w.worker_id as "workerId" from worker w
    where ${thereNow} and (w.role = 'sender' or exists (
        select from shard s where s.worker_id = w.worker_id and s.ended_at_ms is null))
    order by w.worker_id`),
);

const selectWholes = define((_values: object) =>
  textStatement<SharedLimit & { readonly kind: SharedKind }>(sql`
    select kind, places as "limit", ceiling, answers, round, why from bank_limit
    where heard_at_ms > ${databaseNowMs} - ${sql.lit(limitStaleAfterMs)}`),
);

const keepLimit = define(
  ({ kind, limit, ceiling, answers, round, why }: SharedLimit & { kind: SharedKind }) =>
    textStatement(sql`
    insert into bank_limit (kind, places, ceiling, answers, round, why, heard_at_ms)
    values (${kind}, ${limit}, ${ceiling}, ${answers}, ${round}, ${why}, ${databaseNowMs})
    on conflict (kind) do update set places = excluded.places, ceiling = excluded.ceiling,
      answers = excluded.answers, round = excluded.round, why = excluded.why, heard_at_ms = excluded.heard_at_ms`),
);

export const limitReads = {
  *readLimits(workerId) {
    const working = yield* activeWorkers.all({});
    const rows = yield* selectWholes.all({});
    const wholes: SharedLimits['wholes'] = Object.fromEntries(
      rows.map(({ kind, ...whole }) => [kind, whole]),
    );
    const place = working.findIndex((worker) => worker.workerId === workerId);
    // A worker that is about to begin is not among them yet.
    const isAmong = place >= 0;
    const machines = working.length + (isAmong ? 0 : 1);
    return { wholes, atWork: { machines, place: isAmong ? place : machines - 1 } };
  },
} satisfies Partial<BodiesOf<WorkerStore>>;

/** Writes that exclude all other writers. */
export const limitWrites = {
  *tellLimit(kind, heard, ceilingOfOne) {
    const machines = Math.max(1, (yield* activeWorkers.all({})).length);
    const found = (yield* selectWholes.all({})).find((whole) => whole.kind === kind);
    const whole = decideWhole(clampLimit(found, ceilingOfOne, machines, heard.round), heard, machines);
    const { limit, ceiling, answers, round, why } = whole;
    yield* keepLimit.run({ kind, limit, ceiling, answers, round, why });
    return whole;
  },
} satisfies Partial<BodiesOf<WorkerStore>>;

// ---------------------------------------------------------------- the access token

/**
 * True while a row named `t` is claimed. As with leases, a claim that ends much later than one of now is void: the clock
 * of the database was put back since. Twice as much, since it may have been put right by a little.
 */
const isClaimedNow = (forMs: number) => sql<boolean>`(t.claimed_until_ms > ${databaseNowMs}
  and t.claimed_until_ms <= ${databaseNowMs} + 2 * ${forMs}::bigint)`;

const readToken = define(({ name, forMs }: { name: string; forMs: number }) =>
  textStatement<SharedToken & { readonly ageMs: number; readonly isClaimed: number }>(sql`
    select generation, sealed, ${databaseNowMs} - since_ms as "ageMs", ${isClaimedNow(forMs)} as "isClaimed"
    from shared_token t where name = ${name}`),
);

const claimToken = define(
  ({ name, generation, forMs }: { name: string; generation: number; forMs: number }) =>
    textStatement<{ readonly claimedUntilMs: number }>(sql`
    insert into shared_token as t (name, generation, sealed, since_ms, claimed_until_ms)
    values (${name}, 0, '', 0, ${databaseNowMs} + ${forMs}::bigint)
    on conflict (name) do update set claimed_until_ms = excluded.claimed_until_ms
      where t.generation = ${generation} and not ${isClaimedNow(forMs)}
    returning claimed_until_ms as "claimedUntilMs"`),
);

const putToken = define(
  ({ name, generation, sealed, sinceMs }: { name: string; sinceMs: number } & SharedToken) =>
    textStatement(sql`
    update shared_token
    set generation = ${generation}, sealed = ${sealed}, since_ms = ${sinceMs}, claimed_until_ms = 0
    where name = ${name} and generation = ${generation}::bigint - 1`),
);

const releaseToken = define(({ name, claimedUntilMs }: { name: string; claimedUntilMs: number }) =>
  textStatement(sql`
    update shared_token set claimed_until_ms = 0 where name = ${name} and claimed_until_ms = ${claimedUntilMs}`),
);

/** Runs each as one statement that waits for no writer, and fails when it is not answered soon. */
export const makeTokenPlace = (engine: Pick<PostgresEngine, 'writeAside'>): TokenPlace => ({
  read: async (name, forMs) => {
    const found = await engine.writeAside(() => readToken.get({ name, forMs }));
    return found && { ...found, isClaimed: found.isClaimed === 1 };
  },
  claim: async (name, generation, forMs) =>
    (await engine.writeAside(() => claimToken.get({ name, generation, forMs })))?.claimedUntilMs,
  put: async (name, token) => (await engine.writeAside(() => putToken.run({ name, ...token }))) === 1,
  release: async (name, claimedUntilMs) => {
    await engine.writeAside(() => releaseToken.run({ name, claimedUntilMs }));
  },
});
