/** The speed of the machines that work a journal, as the last minute shows it. */
import { sql } from 'kysely';
import type { WorkRates } from '../../payout/ports.ts';
import { define, type Reading, textStatement } from '../statements.ts';
import { databaseNowMs } from './prune.ts';
import { requestWindowMs } from './request-slots.ts';

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
