/** What the journal keeps of batches that stand in an archive. */
import type { PayoutStatus } from '../../core/payout.ts';

/** The condition of the triggers: rows go only in the transaction that names the archive which has their copy. */
const ofMovingBatch = `exists (
  select 1 from payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = old.payout_seq and a.is_moving = 1)`;

export const archiveTables = `
-- archive: the file. is_moving: 1 only inside the transaction that moves its rows. totals: JSON, by status.
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

-- Rows in the order of their file that stand in one status.
create table archived_rows (
  first_seq integer primary key,
  last_seq integer not null,
  batch_id text not null,
  first_row_no integer not null,
  status text not null
) strict;
create index archived_rows_of_batch on archived_rows (batch_id);

create table used_reference (
  trans_ref_no text primary key,
  payout_seq integer not null
) strict, without rowid;

alter table batch add column recalled_at_ms integer not null default 0;

create trigger reference_used_once before insert on attempt
when exists (select 1 from used_reference where trans_ref_no = new.trans_ref_no)
begin
  select raise(abort, 'a reference is never used again');
end;
create trigger used_reference_never_goes before delete on used_reference
when not exists (select 1 from archived_batch where is_moving = 1) begin
  select raise(abort, 'a used reference is never removed');
end;
create trigger used_reference_never_changes before update on used_reference begin
  select raise(abort, 'a used reference is never changed');
end;
create trigger archived_batch_never_goes before delete on archived_batch when old.is_moving = 0 begin
  select raise(abort, 'what names an archive is never removed');
end;
create trigger archived_rows_never_go before delete on archived_rows
when not exists (select 1 from archived_batch a where a.batch_id = old.batch_id and a.is_moving = 1) begin
  select raise(abort, 'what names an archive is never removed');
end;
create trigger payout_never_goes before delete on payout
when exists (select 1 from batch b where b.batch_id = old.batch_id and b.sealed_at_ms is not null)
  and not exists (select 1 from archived_batch a where a.batch_id = old.batch_id and a.is_moving = 1)
begin
  select raise(abort, 'a payout that was sealed is never removed');
end;

drop trigger event_never_goes;
create trigger event_never_goes before delete on event when not ${ofMovingBatch} begin
  select raise(abort, 'an event is never removed');
end;
drop trigger attempt_never_goes;
create trigger attempt_never_goes before delete on attempt when not ${ofMovingBatch} begin
  select raise(abort, 'an attempt is never removed');
end;
drop trigger instruction_version_never_goes;
create trigger instruction_version_never_goes before delete on instruction_version when not ${ofMovingBatch} begin
  select raise(abort, 'a version of an instruction is never removed');
end;
`;

/** References by row: rows with one payoutId bear the same one where the first was refused. */
export const usedReferencesByRow = `
create table used_reference_by_row (
  trans_ref_no text not null,
  payout_seq integer not null,
  primary key (trans_ref_no, payout_seq)
) strict, without rowid;
insert into used_reference_by_row select * from used_reference;
drop trigger reference_used_once;
drop table used_reference;
alter table used_reference_by_row rename to used_reference;
create trigger reference_used_once before insert on attempt
when exists (select 1 from used_reference where trans_ref_no = new.trans_ref_no)
begin
  select raise(abort, 'a reference of an archived batch is not used before the batch is back');
end;
create trigger used_reference_never_goes before delete on used_reference
when not exists (select 1 from archived_batch where is_moving = 1) begin
  select raise(abort, 'a used reference is never removed');
end;
create trigger used_reference_never_changes before update on used_reference begin
  select raise(abort, 'a used reference is never changed');
end;
`;

/** As statements of Kysely's see them. */
export interface ArchiveTables {
  archived_batch: {
    readonly batch_id: string;
    readonly archive: string;
    readonly digest: string;
    readonly totals: string;
  };
  archived_rows: {
    readonly first_seq: number;
    readonly batch_id: string;
    readonly status: PayoutStatus;
  };
  used_reference: { readonly trans_ref_no: string; readonly payout_seq: number };
}
