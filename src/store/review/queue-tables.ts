/** What people have written beside what waits for them. */
import type { Generated } from 'kysely';
import type { RowOf } from '../../platform/record-rows.ts';
import type { ReviewNote } from '../../review/rules/queue.ts';

/** As statements of Kysely's see it. */
export interface QueueTables {
  review_note: RowOf<ReviewNote> & {
    readonly seq: Generated<number>;
    /** Of the event of people that says the same; null of an older program's. */
    readonly event_seq: number | null;
  };
}
