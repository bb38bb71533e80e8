/** The bank’s statements, what they say of each payout, and where they differ from the journal. */
export const statementTables = `
create table statement_run (
  date text primary key,
  run_id text not null
) strict, without rowid;

create table statement_version (
  date text not null,
  version integer not null,
  run_id text not null,
  sha256 text not null,
  original_sha256 text not null,
  original_path text not null,
  reading text not null,
  statement text not null,
  totals text not null,
  changes text not null,
  files text not null,
  accepted_at_ms integer not null,
  provenance text,
  primary key (date, version)
) strict, without rowid;

create table statement_break (
  id integer primary key,
  date text not null,
  key text not null,
  kind text not null,
  state text not null check (state in ('open', 'closed')),
  version integer not null,
  severity text not null,
  line_at integer,
  reason text not null,
  attempt text,
  lines text not null,
  opened_at_ms integer not null,
  closed_at_ms integer,
  closed_by text,
  moved_by text not null,
  check ((state = 'closed') = (closed_at_ms is not null))
) strict;
create unique index statement_break_open on statement_break (date, key, kind) where state = 'open';
create index statement_break_by_key on statement_break (key);
create index statement_break_moved on statement_break (moved_by, date, state, severity);
create index statement_break_by_severity on statement_break (date, severity, id, opened_at_ms) where state = 'open';
create index statement_break_accepted on statement_break (date, severity, key) where closed_by ->> '$.kind' = 'accepted';

create table statement_report (
  batch_id text not null,
  date text not null,
  run_id text not null,
  is_due integer not null,
  primary key (batch_id, date)
) strict, without rowid;

create table statement_line (
  date text not null,
  version integer not null,
  payout_seq integer not null,
  attempt_no integer not null,
  line integer not null,
  status text not null,
  key text,
  cells text,
  primary key (date, version, payout_seq, attempt_no, line)
) strict, without rowid;
create index statement_line_by_key on statement_line (key) where cells is not null;

create table statement_reading (
  date text primary key,
  event_seq integer not null,
  break_id integer not null
) strict, without rowid;
`;
