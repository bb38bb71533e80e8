/** Reads by which pages that keep themselves fresh see that something of the journal has changed. */
import { sql } from 'kysely';
import type { ChangeReader } from '../../review/ports.ts';
import { personDecision } from '../../review/rules/person-request.ts';
import { type BodiesOf, define, query, type Reading } from '../statements.ts';

/** Batches are few; the others are each a step or few in an index. Proposals about people are for admins, and leave no mark. */
const latestChanges = define((_values: object) =>
  query.selectNoFrom([
    sql<number | null>`(select max(seq) from event)`.as('events'),
    sql<number | null>`(select e.seq from proposal_event e join proposal p on p.proposal_id = e.subject
      where p.decision <> ${sql.lit(personDecision)} order by e.seq desc limit 1)`.as('proposals'),
    sql<string>`(select count(*) || '.' || coalesce(max(rested_at_ms), 0) || '.' || coalesce(sum(instr('ingesting sealed running paused halted done rejected', status)), 0) from batch)`.as(
      'batches',
    ),
  ]),
);

export const changeReads = {
  *changeMark(): Reading<string> {
    const { events = 0, proposals = 0, batches = '' } = (yield* latestChanges.get({})) ?? {};
    return `${events ?? 0}.${proposals ?? 0}.${batches}`;
  },
} satisfies BodiesOf<ChangeReader>;
