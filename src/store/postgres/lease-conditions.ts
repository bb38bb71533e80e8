/** What is asked of a lease within a statement, of a row of `worker` that is named `w`; by the clock of the database. */
import { sql } from 'kysely';
import { leaseAheadMaxMs } from '../../payout/rules/lease.ts';
import { databaseNowMs } from './prune.ts';

/** Nobody has taken its place, and it has not given it back. */
export const notEnded = sql<boolean>`(w.ended_at_ms is null and w.superseded_at_ms is null)`;

/** What it has is not another's; so of one that lies ahead, too, until it is made a whole one. */
export const isNotOver = sql<boolean>`(${notEnded} and w.lease_until_ms > ${databaseNowMs})`;

/** It is heard of. */
export const thereNow = sql<boolean>`(${isNotOver}
  and w.lease_until_ms <= ${databaseNowMs} + ${sql.lit(leaseAheadMaxMs)})`;
