/** What the page shows of many payouts at once. */
import { sql } from 'kysely';
import type { OverviewReader } from '../../review/ports.ts';
import type { SendsSeen } from '../../review/rules/today.ts';
import { literal } from '../schema.ts';
import { type BodiesOf, query, type Reading, select } from '../statements.ts';

export const overviewReads = {
  *latestSends(eventsMax): Reading<SendsSeen[]> {
    const latest = query
      .selectFrom('event')
      .select(['payout_seq', 'at_ms'])
      .where('seq', '>', sql<number>`(select coalesce(max(seq), 0) from event) - ${eventsMax}`)
      .where('to_status', '=', literal('submitted'))
      .where('from_status', '=', literal('ready'));
    const byBatch = query
      .selectFrom(latest.as('e'))
      .innerJoin('payout as p', 'p.seq', 'e.payout_seq')
      .select(['p.batch_id as batchId', (eb) => eb.fn.countAll<number>().as('sends')])
      .select([sql<number>`min(e.at_ms)`.as('firstMs'), sql<number>`max(e.at_ms)`.as('lastMs')])
      .groupBy('p.batch_id');
    return yield* select(byBatch);
  },
} satisfies BodiesOf<OverviewReader>;
