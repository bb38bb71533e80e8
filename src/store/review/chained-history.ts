/** Tables of histories whose events are chained, each over the one before it of the same subject. */

/** What an event is written as, after its `seq` and `subject`; cells: JSON of what names somebody, null once it was erased. */
const columns = `
  kind text not null,
  at_ms integer not null,
  by_person integer,
  proof text,
  text text not null,
  previous_hash text,
  hash text not null unique check (length(hash) = 64),
  cells text`;

/** @param subject type of the column that says what an event is about */
export const chainedHistoryTable = (table: string, subject: string): string => `
create table ${table} (
  seq integer primary key,
  subject ${subject},${columns}
) strict;
create index ${table}_of on ${table} (subject, seq);
`;

/** Nothing of it is changed or removed, but what names somebody. @param whose in words: "a person" */
export const chainedHistoryTriggers = (table: string, whose: string): string => `
create trigger ${table}_follows before insert on ${table}
when new.seq is not 1 + (select coalesce(max(seq), 0) from ${table})
  or new.previous_hash is not (select hash from ${table} where subject = new.subject order by seq desc limit 1)
begin
  select raise(abort, 'an event of ${whose} follows the one before it');
end;
create trigger ${table}_never_changes before update on ${table}
when new.cells is not null or new.seq is not old.seq or new.subject is not old.subject or new.kind is not old.kind
  or new.at_ms is not old.at_ms or new.by_person is not old.by_person or new.proof is not old.proof
  or new.text is not old.text or new.previous_hash is not old.previous_hash or new.hash is not old.hash
begin
  select raise(abort, 'an event of ${whose} is never changed');
end;
create trigger ${table}_never_goes before delete on ${table} begin
  select raise(abort, 'an event of ${whose} is never removed');
end;
`;
