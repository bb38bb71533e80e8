/** The number of requests that the bank bears at once of all machines together, as they have told one another. */
import { sql } from 'kysely';
import type { SharedLimits, WorkerStore } from '../../payout/ports.ts';
import {
  decideWhole,
  clampLimit,
  limitStaleAfterMs,
  type SharedKind,
  type SharedLimit,
} from '../../payout/rules/shared-limit.ts';
import { type BodiesOf, define, textStatement } from '../statements.ts';
import { databaseNowMs } from './prune.ts';
import { thereNow } from './lease-conditions.ts';

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
