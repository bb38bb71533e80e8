/** Chained histories of people and proposals, and the heads of days. */
export const chainTables = `
create table day_head (
  number integer primary key,
  date text not null unique,
  text text not null,
  hash text not null unique check (length(hash) = 64),
  is_published integer not null
) strict;

create table person_event (
  seq integer primary key,
  subject integer not null,
  kind text not null,
  at_ms integer not null,
  by_person integer,
  proof text,
  text text not null,
  previous_hash text,
  hash text not null unique check (length(hash) = 64),
  cells text
) strict;
create index person_event_of on person_event (subject, seq);

create table proposal_event (
  seq integer primary key,
  subject integer not null references proposal,
  kind text not null,
  at_ms integer not null,
  by_person integer,
  proof text,
  text text not null,
  previous_hash text,
  hash text not null unique check (length(hash) = 64),
  cells text
) strict;
create index proposal_event_of on proposal_event (subject, seq);

create trigger day_head_follows before insert on day_head
when new.number is not 1 + (select coalesce(max(number), 0) from day_head)
  or exists (select 1 from day_head where date >= new.date)
begin
  select raise(abort, 'a head of a day follows the one before it');
end;
create trigger day_head_never_changes before update of number, date, text, hash on day_head begin
  select raise(abort, 'a head of a day is never changed');
end;
create trigger day_head_never_goes before delete on day_head begin
  select raise(abort, 'a head of a day is never removed');
end;
create trigger person_event_follows before insert on person_event
when new.seq is not 1 + (select coalesce(max(seq), 0) from person_event)
  or new.previous_hash is not (select hash from person_event where subject = new.subject order by seq desc limit 1)
begin
  select raise(abort, 'an event of a person follows the one before it');
end;
create trigger person_event_never_changes before update on person_event
when new.cells is not null or new.seq is not old.seq or new.subject is not old.subject or new.kind is not old.kind
  or new.at_ms is not old.at_ms or new.by_person is not old.by_person or new.proof is not old.proof
  or new.text is not old.text or new.previous_hash is not old.previous_hash or new.hash is not old.hash
begin
  select raise(abort, 'an event of a person is never changed');
end;
create trigger person_event_never_goes before delete on person_event begin
  select raise(abort, 'an event of a person is never removed');
end;
create trigger proposal_event_follows before insert on proposal_event
when new.seq is not 1 + (select coalesce(max(seq), 0) from proposal_event)
  or new.previous_hash is not (select hash from proposal_event where subject = new.subject order by seq desc limit 1)
begin
  select raise(abort, 'an event of a proposal follows the one before it');
end;
create trigger proposal_event_never_changes before update on proposal_event
when new.cells is not null or new.seq is not old.seq or new.subject is not old.subject or new.kind is not old.kind
  or new.at_ms is not old.at_ms or new.by_person is not old.by_person or new.proof is not old.proof
  or new.text is not old.text or new.previous_hash is not old.previous_hash or new.hash is not old.hash
begin
  select raise(abort, 'an event of a proposal is never changed');
end;
create trigger proposal_event_never_goes before delete on proposal_event begin
  select raise(abort, 'an event of a proposal is never removed');
end;
`;
