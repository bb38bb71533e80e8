/** What people have written beside what waits for them. */
import type { Generated } from 'kysely';
import type { RowOf } from '../../platform/record-rows.ts';
import type { ReviewNote } from '../../review/rules/queue.ts';

/** What was refused before there was a queue is taken note of: nobody waits for it any more. */
export const queueTables = `
create table review_note (
  seq integer primary key,
  kind text not null,
  key text not null,
  version text not null,
  what text not null check (what in ('taken', 'given-back', 'noted')),
  person_id integer,
  person text not null,
  note text not null,
  at_ms integer not null
) strict;
create index review_note_of on review_note (kind, key, seq);
create index intake_refused on intake_item (ended_at_ms) where outcome = 'rejected';
create trigger review_note_never_changes before update on review_note begin
  select raise(abort, 'a note is never changed');
end;
create trigger review_note_never_goes before delete on review_note begin
  select raise(abort, 'a note is never removed');
end;
insert into review_note (kind, key, version, what, person_id, person, note, at_ms)
  select 'file', item_id, ended_at_ms, 'noted', null, 'paydrop', 'refused before there was a queue', ended_at_ms
  from intake_item where outcome = 'rejected';
`;

/** As statements of Kysely's see it. */
export interface QueueTables {
  review_note: RowOf<ReviewNote> & {
    readonly seq: Generated<number>;
    /** Of the event of people that says the same; null of an older program's. */
    readonly event_seq: number | null;
  };
}
