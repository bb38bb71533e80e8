/** Registrations of direct debits, what was sent for them, and what the bank has called back. */
import { areChanged, condition, consequence, counted, inByteOrder, refuse } from './ddl.ts';

const batches = `
create table registration_batch (
  batch_id text primary key, sha256 text not null, file_name text not null, company_id text not null,
  status text not null, reason_code text, reason text, remedy text, rows bigint not null, extra_columns text not null,
  started_at_ms bigint not null, dropped_at_ms bigint not null, sealed_at_ms bigint, rested_at_ms bigint,
  latest_news_seq bigint not null default 0, reported_event_seq bigint not null default -1,
  rowid bigint generated always as identity
);
create index registration_batch_unreported on registration_batch (dropped_at_ms)
  where status in ('done', 'paused', 'halted') and reported_event_seq < latest_news_seq;
create index registration_batch_open on registration_batch (dropped_at_ms)
  where status in ('sealed', 'running', 'paused');

create table registration_report (
  batch_id text not null references registration_batch, kind text not null, number bigint not null,
  path text not null, temporary_path text not null, sha256 text not null, event_seq bigint not null,
  at_ms bigint not null,
  primary key (batch_id, kind, number)
);
`;

const rows = `
create table registration (
  seq bigint primary key, batch_id text not null references registration_batch, row_no bigint not null,
  status text not null, holds bigint not null, accepted_holds bigint not null default 0, reason_code text,
  reason text, issues text, version bigint not null default 1, attempt_no bigint not null default 0,
  submitted_at_ms bigint, settled_at_ms bigint, settled_by text, awaited_until_ms bigint, resp_code text,
  resp_desc text, apply_dtm text, is_alarm bigint not null default 0, is_acknowledged bigint not null default 0,
  last_event_seq bigint not null default 0, last_news_seq bigint not null default 0,
  waits bigint not null generated always as (case when is_acknowledged = 0 and (is_alarm = 1 or status in
    ('held', 'rejected', 'refused', 'failed', 'unanswered', 'contradicted')) then 1 else 0 end) stored
);
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
  seq bigint primary key references registration on delete cascade, registration_id text, line bigint not null,
  cells text not null, extras text, instruction text, digest text, salt text
);

create table registration_asked (
  seq bigint primary key references registration on delete cascade, registration_id text not null,
  customer_id text not null, vendor_id text not null, company_id text not null, account_no text not null,
  ref1 text, ref2 text, ref3 text, ref4 text, identity_key text not null,
  similar_key text not null default ''
);
create index registration_asked_identity on registration_asked (identity_key);

create table registration_version (
  registration_seq bigint not null references registration, version bigint not null, instruction text not null,
  replaced text, digest text not null, at_ms bigint not null,
  primary key (registration_seq, version)
);

create table registration_place (
  text text not null, kind text not null, registration_seq bigint not null,
  primary key (text, kind, registration_seq)
);
`;

const attempts = `
create table registration_attempt (
  registration_seq bigint not null references registration, attempt_no bigint not null, identity_key text not null,
  instruction text not null, request_uid text not null, ip_address text not null, intent_at_ms bigint not null,
  http_status bigint, status_code text, status_desc text, severity text, ddr_oapi_seq_id text, elapsed_ms bigint,
  primary key (registration_seq, attempt_no)
);
create unique index registration_attempt_by_request_uid on registration_attempt (request_uid);
create index registration_attempt_by_identity on registration_attempt (identity_key);
create index registration_attempt_by_seq_id on registration_attempt (ddr_oapi_seq_id)
  where ddr_oapi_seq_id is not null;

create table registration_claim (
  company_id text not null, similar_key text not null, registration_id text not null, registration_seq bigint,
  primary key (company_id, similar_key, registration_id)
);

create table registration_event (
  seq bigint primary key, registration_seq bigint not null references registration, from_status text not null,
  to_status text not null, cause text not null, at_ms bigint not null, attempt_no bigint not null,
  detail text not null, hash text not null
);
create index registration_event_of on registration_event (registration_seq, seq);

create table registration_callback (
  id ${counted}, key text not null unique, identity_key text not null,
  registration_seq bigint references registration, outcome text not null, applied_at_ms bigint not null,
  callback text not null, body text not null, header text not null, from_address text not null,
  received_at_ms bigint not null, repeats bigint not null default 0
);
create index registration_callback_of on registration_callback (registration_seq)
  where registration_seq is not null;
create index registration_callback_unbound on registration_callback (id) where registration_seq is null;
create index registration_callback_identity on registration_callback (identity_key);
`;

export const registrationTables = inByteOrder([batches, rows, attempts].join(''));

const reportOfBatch = `
${consequence(
  'registration_report_of_batch',
  `update registration_batch set reported_event_seq = greatest(reported_event_seq, new.event_seq)
    where batch_id = new.batch_id`,
)}
create trigger registration_report_of_batch after insert on registration_report for each row
  execute function registration_report_of_batch();`;

const requestColumns =
  'registration_seq, attempt_no, identity_key, instruction, request_uid, ip_address, intent_at_ms';
const receivedColumns =
  'id key identity_key outcome applied_at_ms callback body header from_address received_at_ms';

/** See SQLite's. */
export const attemptAnswerColumns = `
${inByteOrder('alter table registration_attempt add column renewed_uid text, add column bank_offset_ms bigint;')}
create unique index registration_attempt_by_renewed_uid on registration_attempt (renewed_uid)
  where renewed_uid is not null;
${refuse(
  'registration_renewed_uid_never_changes',
  'update of renewed_uid on registration_attempt',
  'what an attempt sends is never changed',
  `old.renewed_uid is not null and ${areChanged('renewed_uid')}`,
)}
`;

/** See SQLite's. */
export const attemptTakenColumn = `
${inByteOrder('alter table registration_attempt add column taken text;')}
create index registration_attempt_offset on registration_attempt (intent_at_ms) where bank_offset_ms is not null;
`;

/** Made after all tables. */
export const registrationTriggers = [
  reportOfBatch,
  refuse('registration_event_never_changes', 'update on registration_event', 'an event is never changed'),
  refuse('registration_event_never_goes', 'delete on registration_event', 'an event is never removed'),
  condition(
    'is_sealed_registration',
    'text',
    '(select sealed_at_ms is not null from registration_batch where batch_id = $1)',
  ),
  refuse(
    'registration_never_goes',
    'delete on registration',
    'a registration is never removed',
    'is_sealed_registration(old.batch_id)',
  ),
  refuse(
    'registration_row_never_changes',
    'update on registration_row',
    'a row as its file has it is never changed',
  ),
  refuse(
    'registration_version_never_changes',
    'update on registration_version',
    'what was corrected is never changed',
  ),
  refuse(
    'registration_version_never_goes',
    'delete on registration_version',
    'what was corrected is never removed',
  ),
  refuse('registration_attempt_never_goes', 'delete on registration_attempt', 'an attempt is never removed'),
  refuse(
    'registration_request_never_changes',
    `update of ${requestColumns} on registration_attempt`,
    'what an attempt sends is never changed',
  ),
  refuse('registration_claim_never_goes', 'delete on registration_claim', 'a claim is never removed'),
  refuse(
    'registration_callback_never_changes',
    'update on registration_callback',
    'a callback is kept as it was received',
    `${areChanged(receivedColumns)} or new.repeats < old.repeats
    or (old.registration_seq is not null and ${areChanged('registration_seq')})`,
  ),
  refuse(
    'registration_callback_never_goes',
    'delete on registration_callback',
    'a callback is never removed',
  ),
].join('\n');
