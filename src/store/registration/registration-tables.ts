/** The tables of registrations. State stands apart from what the file says, so that a change rewrites few bytes. */
import type { ColumnType, Generated } from 'kysely';
import type { Report } from '../../core/ports.ts';
import type { RegistrationBatch, RegistrationEvent } from '../../registration/ports.ts';
import type { RegistrationOutcome } from '../../registration/rules/callback.ts';
import type {
  Registration,
  RegistrationAttempt,
  RegistrationInstruction,
  RegistrationStatus,
} from '../../registration/rules/registration.ts';
import type { RowOf } from '../../platform/record-rows.ts';

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
  -- The latest event of its rows that a result shows, and the latest that its reports show; -1 before any.
  latest_news_seq integer not null default 0,
  reported_event_seq integer not null default -1
) strict;
create index registration_batch_unreported on registration_batch (dropped_at_ms)
  where status in ('done', 'paused', 'halted') and reported_event_seq < latest_news_seq;
create index registration_batch_open on registration_batch (dropped_at_ms) where status in ('sealed', 'running', 'paused');

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
  -- The latest event that a result shows.
  last_news_seq integer not null default 0,
  -- For a person who has not taken note of it.
  waits integer not null as (is_acknowledged = 0 and (is_alarm = 1 or status in
    ('held', 'rejected', 'refused', 'failed', 'unanswered', 'contradicted'))) virtual
) strict;
create unique index registration_in_batch on registration (batch_id, row_no);
create index registration_ready on registration (batch_id, row_no) where status = 'ready';
create index registration_by_status on registration (status);
-- Everything that the totals of a batch take.
create index registration_totals on registration (batch_id, status, is_alarm, is_acknowledged);
create index registration_waiting on registration (seq) where waits = 1;
create index registration_waiting_in on registration (batch_id, seq) where waits = 1;
create index registration_alarm on registration (seq) where is_alarm = 1;
create index registration_awaited on registration (batch_id) where status in ('submitted', 'in-doubt', 'acknowledged');
create index registration_overdue on registration (awaited_until_ms) where status in ('in-doubt', 'acknowledged');

-- As its file has it; instruction is JSON, null of a row that asks for nothing that could be read.
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

-- What it asks for now.
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
  identity_key text not null
) strict;
create index registration_asked_identity on registration_asked (identity_key);

-- JSON, of a correction: what it asks for from then on, and what it asked for before.
create table registration_version (
  registration_seq integer not null references registration,
  version integer not null,
  instruction text not null,
  replaced text,
  digest text not null,
  at_ms integer not null,
  primary key (registration_seq, version)
) strict, without rowid;

-- Where a registrationId, a customer, a reference or an account occurs. Filled at the seal, in its own order.
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
  primary key (registration_seq, attempt_no)
) strict, without rowid;
create unique index registration_attempt_by_request_uid on registration_attempt (request_uid);
create index registration_attempt_by_identity on registration_attempt (identity_key);
create index registration_attempt_by_seq_id on registration_attempt (ddr_oapi_seq_id) where ddr_oapi_seq_id is not null;

-- registration_seq names a row without a foreign key, as a payout's claim does.
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
create trigger registration_report_of_batch after insert on registration_report begin
  update registration_batch set reported_event_seq = max(reported_event_seq, new.event_seq)
    where batch_id = new.batch_id;
end;

create trigger registration_event_never_changes before update on registration_event begin
  select raise(abort, 'an event is never changed');
end;
create trigger registration_event_never_goes before delete on registration_event begin
  select raise(abort, 'an event is never removed');
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
create trigger registration_claim_never_goes before delete on registration_claim begin
  select raise(abort, 'a claim is never removed');
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

/**
 * The requestUID under which a request went again with a renewed token, and the bank's clock less ours as its answer
 * showed it; null where there was neither.
 */
export const attemptAnswerColumns = `
alter table registration_attempt add column renewed_uid text;
alter table registration_attempt add column bank_offset_ms integer;
create unique index registration_attempt_by_renewed_uid on registration_attempt (renewed_uid)
  where renewed_uid is not null;
create trigger registration_renewed_uid_never_changes before update of renewed_uid on registration_attempt
when old.renewed_uid is not null and new.renewed_uid is not old.renewed_uid
begin
  select raise(abort, 'what an attempt sends is never changed');
end;
`;

/** Whether the bank has taken an attempt, as the reading of its answer has found; the latest known offset by an index. */
export const attemptTakenColumn = `
alter table registration_attempt add column taken text;
create index registration_attempt_offset on registration_attempt (intent_at_ms) where bank_offset_ms is not null;
`;

interface RegistrationBatchTable extends RowOf<Omit<RegistrationBatch, 'extraColumns'>> {
  readonly extra_columns: string;
  readonly latest_news_seq: Generated<number>;
  /** Kept by the trigger registration_report_of_batch. */
  readonly reported_event_seq: ColumnType<number, undefined, never>;
}

/** The present state of a row. */
interface RegistrationTable extends RowOf<
  Omit<
    Registration,
    | 'instruction'
    | 'holds'
    | 'acceptedHolds'
    | 'isAlarm'
    | 'isAcknowledged'
    | 'version'
    | 'attemptNo'
    | 'submittedAtMs'
    | 'awaitedUntilMs'
    | 'respCode'
    | 'respDesc'
    | 'applyDtm'
  >
> {
  /** A set as bits (`encodeHolds`), and so are the accepted ones. */
  readonly holds: number;
  readonly accepted_holds: Generated<number>;
  readonly issues: string | null;
  readonly version: Generated<number>;
  readonly attempt_no: Generated<number>;
  readonly submitted_at_ms: Generated<number | null>;
  readonly awaited_until_ms: Generated<number | null>;
  readonly resp_code: Generated<string | null>;
  readonly resp_desc: Generated<string | null>;
  readonly apply_dtm: Generated<string | null>;
  readonly is_alarm: Generated<number>;
  readonly is_acknowledged: Generated<number>;
  readonly last_event_seq: Generated<number>;
  readonly last_news_seq: Generated<number>;
  readonly waits: ColumnType<number, never, never>;
}

interface RegistrationRowTable {
  readonly seq: number;
  /** Trimmed; null when the cell is empty. */
  readonly registration_id: string | null;
  readonly line: number;
  readonly cells: string;
  readonly extras: string | null;
  readonly instruction: string | null;
  readonly digest: string | null;
  readonly salt: string | null;
}

interface RegistrationAskedTable extends RowOf<Omit<RegistrationInstruction, 'refs'>> {
  readonly seq: number;
  readonly ref1: string | null;
  readonly ref2: string | null;
  readonly ref3: string | null;
  readonly ref4: string | null;
  readonly identity_key: string;
  /** `computeSimilarKey` of the registrationId. */
  readonly similar_key: string;
}

interface RegistrationVersionTable {
  readonly registration_seq: number;
  readonly version: number;
  readonly instruction: string;
  readonly replaced: string | null;
  readonly digest: string;
  readonly at_ms: number;
}

export type RegistrationPlaceKind = 'registrationId' | 'customerId' | 'ref' | 'accountNo';

interface RegistrationAttemptTable extends RowOf<Omit<RegistrationAttempt, 'instruction'>> {
  readonly instruction: string;
  readonly identity_key: string;
}

interface RegistrationEventTable extends RowOf<Omit<RegistrationEvent, 'from' | 'to' | 'detail'>> {
  readonly from_status: RegistrationStatus;
  readonly to_status: RegistrationStatus;
  readonly detail: string;
  readonly hash: string;
}

interface RegistrationCallbackTable {
  readonly id: Generated<number>;
  readonly key: string;
  readonly identity_key: string;
  readonly registration_seq: number | null;
  readonly outcome: RegistrationOutcome;
  readonly applied_at_ms: number;
  readonly callback: string;
  readonly body: string;
  readonly header: string;
  readonly from_address: string;
  readonly received_at_ms: number;
  readonly repeats: Generated<number>;
}

export interface RegistrationTables {
  registration_batch: RegistrationBatchTable;
  registration: RegistrationTable;
  registration_row: RegistrationRowTable;
  registration_asked: RegistrationAskedTable;
  registration_version: RegistrationVersionTable;
  registration_place: {
    readonly text: string;
    readonly kind: RegistrationPlaceKind;
    readonly registration_seq: number;
  };
  registration_attempt: RegistrationAttemptTable;
  registration_claim: {
    readonly company_id: string;
    readonly similar_key: string;
    readonly registration_id: string;
    /** The row that holds it; null when it was given back. */
    readonly registration_seq: number | null;
  };
  registration_event: RegistrationEventTable;
  registration_callback: RegistrationCallbackTable;
  registration_report: RowOf<Report>;
}
