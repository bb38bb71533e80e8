/** Batches, their payouts, what was sent for them, and the history of each. */
export const payoutTables = `
create table meta (
  key text primary key,
  value text not null
) strict, without rowid;

create table journal_loss (
  recovered_at_ms integer primary key,
  since_date text not null,
  until_date text not null
) strict;

create table batch (
  batch_id text primary key,
  sha256 text not null,
  file_name text not null,
  company_id text not null,
  payer_account text not null,
  status text not null,
  reason_code text,
  reason text,
  remedy text,
  rows integer not null,
  total_satang text not null,
  unreadable_amounts integer not null,
  extra_columns text not null,
  started_at_ms integer not null,
  sealed_at_ms integer,
  rested_at_ms integer,
  age_from_ms integer not null default 0,
  rested_event_seq integer not null default 0,
  reported_event_seq integer not null default -1,
  noticed_event_seq integer not null default -1,
  digest text,
  versions_digest text,
  like_reason text,
  recalled_at_ms integer not null default 0,
  approval_people integer check (approval_people in (1, 2)),
  approved_digest text,
  approved_payer text,
  approval_bound_satang text,
  approval_bound_people integer check (approval_bound_people in (1, 2))
) strict;
create index batch_open on batch (age_from_ms) where status not in ('done', 'rejected');
create index batch_unreported on batch (age_from_ms)
  where status in ('done', 'paused', 'halted') and reported_event_seq < rested_event_seq;
create index batch_rested on batch (rested_at_ms);

create table report (
  batch_id text not null references batch,
  kind text not null,
  number integer not null,
  path text not null,
  temporary_path text not null,
  sha256 text not null,
  event_seq integer not null,
  at_ms integer not null,
  primary key (batch_id, kind, number)
) strict, without rowid;

create table payout (
  seq integer primary key,
  batch_id text not null references batch,
  row_no integer not null,
  amount_satang integer,
  status text not null,
  holds integer not null,
  reason_code text,
  reason text,
  issues text,
  version integer not null,
  attempt_no integer not null,
  bank_payee_name text,
  bank_payee_name_th text,
  submitted_at_ms integer,
  settled_at_ms integer,
  settled_by text,
  last_event_seq integer not null,
  accepted_holds integer not null default 0,
  is_alarm integer not null default 0,
  is_acknowledged integer not null default 0,
  sealed_satang integer
) strict;
create unique index payout_in_batch on payout (batch_id, row_no);
create index payout_ready on payout (batch_id, row_no) where status = 'ready';
create index payout_in_doubt on payout (seq) where status in ('submitted', 'unresolved');
create index payout_alarm on payout (batch_id) where is_alarm = 1;
create index payout_paused on payout (batch_id) where holds & 16 <> 0;

create table payout_row (
  seq integer primary key references payout on delete cascade,
  payout_id text,
  line integer not null,
  cells text not null,
  extras text,
  proxy_type text,
  proxy_no text,
  payee_name text,
  reference1 text,
  reference2 text,
  digest text,
  salt text,
  commitment text,
  similar_key text
) strict;
create index payout_row_erased on payout_row (seq) where commitment is not null;

create table payout_place (
  payout_id text not null,
  payout_seq integer not null,
  primary key (payout_id, payout_seq)
) strict, without rowid;

create table payee_place (
  proxy_no text not null,
  amount_satang integer not null,
  payout_seq integer not null,
  primary key (proxy_no, amount_satang, payout_seq)
) strict, without rowid;

create view payout_listed as
select p.seq, p.batch_id, p.status, p.amount_satang, p.holds, p.is_alarm, p.is_acknowledged,
  coalesce(p.submitted_at_ms, (select b.started_at_ms from batch b where b.batch_id = p.batch_id)) as placed_at_ms,
  r.payout_id, r.reference1, r.reference2, r.proxy_no,
  iif(r.proxy_type is null, replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', ''), null) as unread_no,
  lower(concat_ws(char(10), r.payee_name, p.bank_payee_name, p.bank_payee_name_th,
    iif(r.proxy_type is null, json_extract(r.cells, '$[3]'), null))) as names
from payout p cross join payout_row r on r.seq = p.seq;

create table open_payout (
  seq integer primary key references payout on delete cascade,
  batch_id text not null,
  status text not null,
  amount_satang integer,
  holds integer not null,
  is_alarm integer not null,
  is_acknowledged integer not null,
  placed_at_ms integer not null,
  payout_id text,
  reference1 text,
  reference2 text,
  proxy_no text,
  unread_no text,
  names text not null
) strict;

create table instruction_version (
  id integer primary key,
  batch_id text not null references batch,
  payout_seq integer not null references payout,
  version integer not null,
  digest text not null,
  at_ms integer not null,
  instruction text,
  replaced text,
  salt text
) strict;
create unique index version_of_instruction on instruction_version (payout_seq, version);

create table attempt (
  payout_seq integer not null references payout,
  attempt_no integer not null,
  status text not null,
  trans_ref_no text not null,
  channel_id text not null,
  term_id text not null,
  company_id text not null,
  payer_account text not null,
  tran_date text not null,
  tran_time text not null,
  proxy_type text not null,
  proxy_no text not null,
  proxy_name text,
  amount_text text not null,
  reference1 text,
  reference2 text,
  order_hash text not null,
  intent_at_ms integer not null,
  sends integer not null,
  last_sent_at_ms integer,
  acknowledged integer not null,
  reference_conflict integer not null,
  inquiries integer not null,
  last_inquiry_at_ms integer,
  last_finding text,
  next_inquiry_at_ms integer,
  sys_ref_no text,
  fee_text text,
  last_sent_bank_ms integer,
  refusals integer not null default 0,
  uncounted_sends integer not null default 0,
  unproven_refusals integer not null default 0,
  refusal_code text,
  has_failed_item integer not null default 0,
  primary key (payout_seq, attempt_no)
) strict, without rowid;
create index attempt_to_inquire on attempt (next_inquiry_at_ms) where next_inquiry_at_ms is not null;
create index attempt_to_payee on attempt (proxy_no, amount_text, intent_at_ms);
create index attempt_by_tran_date on attempt (tran_date);
create index attempt_by_trans_ref_no on attempt (trans_ref_no);

create table claim (
  company_id text not null,
  similar_key text not null,
  payout_id text not null,
  payout_seq integer,
  attempts_recorded integer not null,
  primary key (company_id, similar_key, payout_id)
) strict, without rowid;
create index claim_tried_again on claim (company_id, payout_id) where attempts_recorded > 1;

create table event (
  seq integer primary key,
  payout_seq integer not null references payout,
  from_status text not null,
  to_status text not null,
  cause text not null,
  at_ms integer not null,
  attempt_no integer not null,
  detail text not null,
  hash text
) strict;
create index event_of_payout on event (payout_seq);

create table payer_halt (
  company_id text not null,
  payer_account text not null,
  code text not null,
  reason text not null,
  remedy text not null,
  since_ms integer not null,
  lifted_at_ms integer
) strict;
create unique index payer_halt_in_force on payer_halt (company_id, payer_account) where lifted_at_ms is null;

create table payer_pause (
  company_id text not null,
  payer_account text not null,
  code text not null,
  reason text not null,
  remedy text not null,
  troubles integer not null,
  is_transfer integer not null,
  since_ms integer not null,
  until_ms integer not null,
  primary key (company_id, payer_account)
) strict, without rowid;

create table day_use (
  company_id text not null,
  date text not null,
  kind text not null check (kind in ('day', 'payee', 'file')),
  key text not null,
  rows integer not null,
  high integer not null,
  low integer not null,
  primary key (company_id, date, kind, key)
) strict, without rowid;

create table paid_payee (
  company_id text not null,
  proxy_no text not null,
  primary key (company_id, proxy_no)
) strict, without rowid;

create trigger batch_digest_never_changes before update of digest on batch when old.digest is not null begin
  select raise(abort, 'what was sealed is never changed');
end;
create trigger approval_never_lessened before update of approval_people on batch
when old.approval_people is not null and new.approval_people is not old.approval_people begin
  select raise(abort, 'how many people must approve a batch is never changed');
end;
create trigger approval_bound_never_changes before update of approval_bound_satang, approval_bound_people on batch
when old.approval_bound_satang is not null and (new.approval_bound_satang is not old.approval_bound_satang
  or new.approval_bound_people is not old.approval_bound_people) begin
  select raise(abort, 'what a batch may come to without an approval is never changed');
end;
create trigger report_of_batch after insert on report begin
  update batch set reported_event_seq = max(reported_event_seq, new.event_seq) where batch_id = new.batch_id;
end;
create trigger payout_never_goes before delete on payout
when exists (select 1 from batch b where b.batch_id = old.batch_id and b.sealed_at_ms is not null)
  and not exists (select 1 from archived_batch a where a.batch_id = old.batch_id and a.is_moving = 1)
begin
  select raise(abort, 'a payout that was sealed is never removed');
end;
create trigger payout_amount_never_changes before update of amount_satang on payout
when new.amount_satang is not old.amount_satang and not exists (
  select 1 from instruction_version v
  where v.payout_seq = old.seq
    and v.version = (select max(version) from instruction_version where payout_seq = old.seq)
    and json_extract(v.instruction, '$.amountSatang') = cast(new.amount_satang as text))
begin
  select raise(abort, 'an amount is changed by a correction alone');
end;
create trigger payee_of_validated after update of proxy_no on payout_row
when old.proxy_no is null and new.proxy_no is not null
begin
  insert or ignore into payee_place
    select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null;
end;
create trigger payee_of_corrected after update of proxy_no on payout_row
when old.proxy_no is not null and new.proxy_no is not null
begin
  insert or ignore into payee_place
    select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null;
end;
create trigger payout_row_never_changes before update on payout_row
when not (new.seq is old.seq and new.payout_id is old.payout_id and new.similar_key is old.similar_key
  and new.line is old.line) or old.commitment is not null
  or (new.commitment is null and (
    not (new.cells is old.cells and new.extras is old.extras and new.digest is old.digest and new.salt is old.salt)
    or (old.proxy_type is not null and not exists (
      select 1 from instruction_version v
      where v.payout_seq = old.seq
        and v.version = (select max(version) from instruction_version where payout_seq = old.seq)
        and json_extract(v.instruction, '$.proxyType') is new.proxy_type
        and json_extract(v.instruction, '$.proxyNo') is new.proxy_no
        and json_extract(v.instruction, '$.payeeName') is new.payee_name
        and json_extract(v.instruction, '$.reference1') is new.reference1
        and json_extract(v.instruction, '$.reference2') is new.reference2))))
  or (new.commitment is not null and not (new.cells = '[]'
    and new.extras is null and new.proxy_type is null and new.proxy_no is null and new.payee_name is null
      and new.reference1 is null and new.reference2 is null and new.digest is null and new.salt is null))
begin
  select raise(abort, 'a row as its file has it is never changed');
end;
create trigger instruction_version_never_goes before delete on instruction_version when not exists (
  select 1 from payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = old.payout_seq and a.is_moving = 1) begin
  select raise(abort, 'a version of an instruction is never removed');
end;
create trigger instruction_version_never_changes before update on instruction_version
when not (exists (select 1 from payout_row e where e.seq = old.payout_seq and e.commitment is not null)
  and new.instruction is null and new.replaced is null and new.salt is null
  and new.id is old.id and new.batch_id is old.batch_id and new.payout_seq is old.payout_seq
    and new.version is old.version and new.at_ms is old.at_ms)
begin
  select raise(abort, 'a version of an instruction is never changed');
end;
create trigger attempt_never_goes before delete on attempt when not exists (
  select 1 from payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = old.payout_seq and a.is_moving = 1) begin
  select raise(abort, 'an attempt is never removed');
end;
create trigger order_never_changes before update of
  trans_ref_no, channel_id, term_id, company_id, payer_account, tran_date, tran_time, proxy_type, proxy_no, proxy_name,
  amount_text, reference1, reference2, order_hash, intent_at_ms
on attempt
when not (exists (select 1 from payout_row e where e.seq = old.payout_seq and e.commitment is not null)
  and new.proxy_no = '' and new.proxy_name is null and new.reference1 is null and new.reference2 is null
  and new.trans_ref_no is old.trans_ref_no and new.channel_id is old.channel_id and new.term_id is old.term_id
    and new.company_id is old.company_id and new.payer_account is old.payer_account
    and new.tran_date is old.tran_date and new.tran_time is old.tran_time and new.proxy_type is old.proxy_type
    and new.amount_text is old.amount_text and new.intent_at_ms is old.intent_at_ms)
begin
  select raise(abort, 'what an attempt sends is never changed');
end;
create trigger reference_used_once before insert on attempt
when exists (select 1 from used_reference where trans_ref_no = new.trans_ref_no)
begin
  select raise(abort, 'a reference of an archived batch is not used before the batch is back');
end;
create trigger claim_never_goes before delete on claim begin
  select raise(abort, 'a claim is never removed');
end;
create trigger event_never_goes before delete on event when not exists (
  select 1 from payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = old.payout_seq and a.is_moving = 1) begin
  select raise(abort, 'an event is never removed');
end;
create trigger event_never_changes before update on event
when not (exists (select 1 from payout_row e where e.seq = old.payout_seq and e.commitment is not null)
  and new.seq is old.seq and new.payout_seq is old.payout_seq and new.from_status is old.from_status
    and new.to_status is old.to_status and new.cause is old.cause and new.at_ms is old.at_ms
    and new.attempt_no is old.attempt_no and new.hash is old.hash)
begin
  select raise(abort, 'an event is never changed');
end;
`;
