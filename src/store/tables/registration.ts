/** Registrations of direct debits, what was sent for them, and what the bank has called back. */
export const registrationTables = `
create table registration_batch (
  batch_id text primary key,
  sha256 text not null,
  file_name text not null,
  company_id text not null,
  status text not null,
  reason_code text,
  reason text,
  remedy text,
  rows integer not null,
  extra_columns text not null,
  started_at_ms integer not null,
  dropped_at_ms integer not null,
  sealed_at_ms integer,
  rested_at_ms integer,
  latest_news_seq integer not null default 0,
  reported_event_seq integer not null default -1
) strict;
create index registration_batch_unreported on registration_batch (dropped_at_ms)
  where status in ('done', 'paused', 'halted') and reported_event_seq < latest_news_seq;
create index registration_batch_open on registration_batch (dropped_at_ms) where status in ('sealed', 'running', 'paused');

create table registration_report (
  batch_id text not null references registration_batch,
  kind text not null,
  number integer not null,
  path text not null,
  temporary_path text not null,
  sha256 text not null,
  event_seq integer not null,
  at_ms integer not null,
  primary key (batch_id, kind, number)
) strict, without rowid;

create table registration (
  seq integer primary key,
  batch_id text not null references registration_batch,
  row_no integer not null,
  status text not null,
  holds integer not null,
  accepted_holds integer not null default 0,
  reason_code text,
  reason text,
  issues text,
  version integer not null default 1,
  attempt_no integer not null default 0,
  submitted_at_ms integer,
  settled_at_ms integer,
  settled_by text,
  awaited_until_ms integer,
  resp_code text,
  resp_desc text,
  apply_dtm text,
  is_alarm integer not null default 0,
  is_acknowledged integer not null default 0,
  last_event_seq integer not null default 0,
  last_news_seq integer not null default 0,
  waits integer not null as (is_acknowledged = 0
    and (is_alarm = 1 or status in ('held', 'rejected', 'refused', 'failed', 'unanswered', 'contradicted'))) virtual
) strict;
create unique index registration_in_batch on registration (batch_id, row_no);
create index registration_ready on registration (batch_id, row_no) where status = 'ready';
create index registration_by_status on registration (status);
create index registration_totals on registration (batch_id, status, is_alarm, is_acknowledged);
create index registration_waiting on registration (seq) where waits = 1;
create index registration_waiting_in on registration (batch_id, seq) where waits = 1;
create index registration_alarm on registration (seq) where is_alarm = 1;
create index registration_awaited on registration (batch_id) where status in ('submitted', 'in-doubt', 'acknowledged');
create index registration_overdue on registration (awaited_until_ms) where status in ('in-doubt', 'acknowledged');

create table registration_row (
  seq integer primary key references registration on delete cascade,
  registration_id text,
  line integer not null,
  cells text not null,
  extras text,
  instruction text,
  digest text,
  salt text
) strict;

create table registration_asked (
  seq integer primary key references registration on delete cascade,
  registration_id text not null,
  customer_id text not null,
  vendor_id text not null,
  company_id text not null,
  account_no text not null,
  ref1 text,
  ref2 text,
  ref3 text,
  ref4 text,
  identity_key text not null,
  similar_key text not null default ''
) strict;
create index registration_asked_identity on registration_asked (identity_key);

create table registration_version (
  registration_seq integer not null references registration,
  version integer not null,
  instruction text not null,
  replaced text,
  digest text not null,
  at_ms integer not null,
  primary key (registration_seq, version)
) strict, without rowid;

create table registration_place (
  text text not null,
  kind text not null,
  registration_seq integer not null,
  primary key (text, kind, registration_seq)
) strict, without rowid;

create table registration_attempt (
  registration_seq integer not null references registration,
  attempt_no integer not null,
  identity_key text not null,
  instruction text not null,
  request_uid text not null,
  ip_address text not null,
  intent_at_ms integer not null,
  http_status integer,
  status_code text,
  status_desc text,
  severity text,
  ddr_oapi_seq_id text,
  elapsed_ms integer,
  renewed_uid text,
  bank_offset_ms integer,
  primary key (registration_seq, attempt_no)
) strict, without rowid;
create unique index registration_attempt_by_request_uid on registration_attempt (request_uid);
create unique index registration_attempt_by_renewed_uid on registration_attempt (renewed_uid)
  where renewed_uid is not null;
create index registration_attempt_by_identity on registration_attempt (identity_key);
create index registration_attempt_by_seq_id on registration_attempt (ddr_oapi_seq_id) where ddr_oapi_seq_id is not null;

create table registration_claim (
  company_id text not null,
  similar_key text not null,
  registration_id text not null,
  registration_seq integer,
  primary key (company_id, similar_key, registration_id)
) strict, without rowid;

create table registration_event (
  seq integer primary key,
  registration_seq integer not null references registration,
  from_status text not null,
  to_status text not null,
  cause text not null,
  at_ms integer not null,
  attempt_no integer not null,
  detail text not null,
  hash text not null
) strict;
create index registration_event_of on registration_event (registration_seq);

create table registration_callback (
  id integer primary key,
  key text not null unique,
  identity_key text not null,
  registration_seq integer references registration,
  outcome text not null,
  applied_at_ms integer not null,
  callback text not null,
  body text not null,
  header text not null,
  from_address text not null,
  received_at_ms integer not null,
  repeats integer not null default 0
) strict;
create index registration_callback_of on registration_callback (registration_seq) where registration_seq is not null;
create index registration_callback_unbound on registration_callback (id) where registration_seq is null;
create index registration_callback_identity on registration_callback (identity_key);

create trigger registration_report_of_batch after insert on registration_report begin
  update registration_batch set reported_event_seq = max(reported_event_seq, new.event_seq)
    where batch_id = new.batch_id;
end;
create trigger registration_never_goes before delete on registration
when (select sealed_at_ms from registration_batch where batch_id = old.batch_id) is not null begin
  select raise(abort, 'a registration is never removed');
end;
create trigger registration_row_never_changes before update on registration_row begin
  select raise(abort, 'a row as its file has it is never changed');
end;
create trigger registration_version_never_changes before update on registration_version begin
  select raise(abort, 'what was corrected is never changed');
end;
create trigger registration_version_never_goes before delete on registration_version begin
  select raise(abort, 'what was corrected is never removed');
end;
create trigger registration_attempt_never_goes before delete on registration_attempt begin
  select raise(abort, 'an attempt is never removed');
end;
create trigger registration_request_never_changes before update of
  registration_seq, attempt_no, identity_key, instruction, request_uid, ip_address, intent_at_ms
on registration_attempt begin
  select raise(abort, 'what an attempt sends is never changed');
end;
create trigger registration_renewed_uid_never_changes before update of renewed_uid on registration_attempt
when old.renewed_uid is not null and new.renewed_uid is not old.renewed_uid
begin
  select raise(abort, 'what an attempt sends is never changed');
end;
create trigger registration_claim_never_goes before delete on registration_claim begin
  select raise(abort, 'a claim is never removed');
end;
create trigger registration_event_never_changes before update on registration_event begin
  select raise(abort, 'an event is never changed');
end;
create trigger registration_event_never_goes before delete on registration_event begin
  select raise(abort, 'an event is never removed');
end;
create trigger registration_callback_never_changes before update on registration_callback
when new.id is not old.id or new.key is not old.key or new.identity_key is not old.identity_key
  or new.outcome is not old.outcome or new.applied_at_ms is not old.applied_at_ms or new.callback is not old.callback
  or new.body is not old.body or new.header is not old.header or new.from_address is not old.from_address
  or new.received_at_ms is not old.received_at_ms or new.repeats < old.repeats
  or (old.registration_seq is not null and new.registration_seq is not old.registration_seq)
begin
  select raise(abort, 'a callback is kept as it was received');
end;
create trigger registration_callback_never_goes before delete on registration_callback begin
  select raise(abort, 'a callback is never removed');
end;
`;
