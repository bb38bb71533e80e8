/** What the journal keeps of batches that stand in an archive. */
export const archiveTables = `
create table archived_batch (
  batch_id text primary key references batch,
  archive text not null,
  digest text not null check (length(digest) = 64),
  totals text not null,
  first_date text,
  last_date text,
  latest_event_seq integer not null,
  archived_at_ms integer not null,
  is_moving integer not null
) strict, without rowid;
create index archived_batch_event on archived_batch (latest_event_seq);

create table archived_rows (
  first_seq integer primary key,
  last_seq integer not null,
  batch_id text not null,
  first_row_no integer not null,
  status text not null
) strict;
create index archived_rows_of_batch on archived_rows (batch_id);

create table used_reference (
  trans_ref_no text not null,
  payout_seq integer not null,
  primary key (trans_ref_no, payout_seq)
) strict, without rowid;

create trigger archived_batch_never_goes before delete on archived_batch when old.is_moving = 0 begin
  select raise(abort, 'what names an archive is never removed');
end;
create trigger archived_rows_never_go before delete on archived_rows
when not exists (select 1 from archived_batch a where a.batch_id = old.batch_id and a.is_moving = 1) begin
  select raise(abort, 'what names an archive is never removed');
end;
create trigger used_reference_never_goes before delete on used_reference
when not exists (select 1 from archived_batch where is_moving = 1) begin
  select raise(abort, 'a used reference is never removed');
end;
create trigger used_reference_never_changes before update on used_reference begin
  select raise(abort, 'a used reference is never changed');
end;
`;
