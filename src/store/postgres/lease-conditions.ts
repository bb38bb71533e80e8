/** Conditions on a lease within a statement, of a row of `worker` that is named `w`; by the clock of the database. */
import { sql } from 'kysely';
import { leaseAheadMaxMs } from '../../payout/rules/lease.ts';
import { databaseNowMs } from './prune.ts';

/** True while no other worker has taken the place, and this one has not given it back. */
export const notEnded = sql<boolean>`(w.ended_at_ms is null and w.superseded_at_ms is null)`;

/** True while its rows are not another's; so of a lease that lies ahead, too, until it is made a whole one. */
export const isNotOver = sql<boolean>`(${notEnded} and w.lease_until_ms > ${databaseNowMs})`;

/** True while the worker is heard of. */
export const thereNow = sql<boolean>`(${isNotOver}
  and w.lease_until_ms <= ${databaseNowMs} + ${sql.lit(leaseAheadMaxMs)})`;
