/** Heads of days: one row for each day that had events, for ever. */
export const dayHeadTables = `
create table day_head (
  number integer primary key,
  date text not null unique,
  text text not null,
  hash text not null unique check (length(hash) = 64),
  is_published integer not null
) strict;
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
`;

/** As statements of Kysely's see it. */
export interface DayHeadTables {
  day_head: {
    readonly number: number;
    readonly date: string;
    readonly text: string;
    readonly hash: string;
    readonly is_published: number;
  };
}
