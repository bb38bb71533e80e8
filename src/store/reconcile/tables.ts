/** The tables of reconciliation: what became of each statement, its breaks, and lines that belong to other days. */
import type { Generated } from 'kysely';
import type { BreakKind, Loudness } from '../../reconcile/rules/types.ts';

/** As they are made; the types below are the same tables as Kysely sees them. */
export const statementTables = `
create index attempt_by_tran_date on attempt (tran_date);

-- Who judges statements, of whichever day: the last to begin does. Its date is empty.
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
  primary key (date, version)
) strict, without rowid;

create table statement_break (
  id integer primary key,
  date text not null,
  key text not null,
  kind text not null,
  state text not null check (state in ('open', 'closed')),
  version integer not null,
  loudness text not null,
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
create index statement_break_loudest on statement_break (date, loudness, id, opened_at_ms) where state = 'open';
create index statement_break_moved on statement_break (moved_by, date, state, loudness);

create table statement_stray (
  key text not null,
  date text not null,
  line_no integer not null,
  run_id text not null,
  line text not null,
  primary key (key, date, run_id, line_no)
) strict, without rowid;
create index statement_stray_of_day on statement_stray (date);

-- batch_id names a batch whose rows a statement has changed; reported once the statement is accepted.
create table statement_report (
  batch_id text not null,
  date text not null,
  run_id text not null,
  is_due integer not null,
  primary key (batch_id, date)
) strict, without rowid;
`;

interface StatementRunTable {
  /** YYYYMMDD, here and below. */
  readonly date: string;
  readonly run_id: string;
}

export interface StatementVersionTable extends StatementRunTable {
  readonly version: number;
  readonly sha256: string;
  readonly original_sha256: string;
  readonly original_path: string;
  readonly reading: string;
  readonly statement: string;
  readonly totals: string;
  readonly changes: string;
  readonly files: string;
  readonly accepted_at_ms: number;
}

export interface StatementBreakTable {
  readonly id: Generated<number>;
  readonly date: string;
  readonly key: string;
  readonly kind: BreakKind;
  readonly state: 'open' | 'closed';
  readonly version: number;
  readonly loudness: Loudness;
  readonly line_at: number | null;
  readonly reason: string;
  readonly attempt: string | null;
  readonly lines: string;
  readonly opened_at_ms: number;
  readonly closed_at_ms: number | null;
  readonly closed_by: string | null;
  /** The judging that last moved it. */
  readonly moved_by: string;
}

interface StatementStrayTable extends StatementRunTable {
  readonly key: string;
  readonly line_no: number;
  readonly line: string;
}

interface StatementReportTable extends StatementRunTable {
  readonly batch_id: string;
  readonly is_due: number;
}

export interface StatementTables {
  statement_run: StatementRunTable;
  statement_version: StatementVersionTable;
  statement_break: StatementBreakTable;
  statement_stray: StatementStrayTable;
  statement_report: StatementReportTable;
}
