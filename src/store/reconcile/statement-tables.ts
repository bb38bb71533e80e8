/** The tables of reconciliation: what became of each statement, its breaks, and lines that belong to other days. */
import { type Generated, type Selectable, sql, type SqlBool } from 'kysely';
import { toSatang } from '../../core/money.ts';
import type { AcceptedStatement, DueReport, StatementRun, StatementTotals } from '../../reconcile/ports.ts';
import type { BreakMove } from '../../reconcile/rules/breaks.ts';
import { decodeLine, encodeLine, type LineStatus } from '../../reconcile/rules/statement.ts';
import type { Provenance } from '../../reconcile/rules/custody.ts';
import type { BreakRecord } from '../../reconcile/rules/types.ts';
import { makeRowMapping, type RowOf } from '../../platform/record-rows.ts';

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

/**
 * One slim row for each line of a statement, in place of the notes of what days said of each other's transfers. What is
 * kept of the present versions is carried over: from one break of each key, and from notes, the lines with their
 * cells, and of what a day agreed on, of which nothing was kept, that it did: of attempts that were proved paid by then.
 */
export const statementLineTables = `
-- A line that agrees in everything has its attempt and no cells; any other has its key and, if it may be ours, its cells.
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

-- A version that has begun to be recorded and was not accepted, with the last event and the last break before.
create table statement_reading (
  date text primary key,
  event_seq integer not null,
  break_id integer not null
) strict, without rowid;

create temp table present as
  select date, max(version) as version from statement_version group by date;

insert or ignore into statement_line
  select s.date, v.version, 0, 0, s.line_no, json_extract(s.line, '$[18]'), s.key, s.line
  from statement_stray s
  join statement_version v on v.date = s.date and v.run_id = s.run_id
  where s.line_no > 0;

insert or ignore into statement_line
  select b.date, v.version, 0, 0, json_extract(l.value, '$[0]'), json_extract(l.value, '$[18]'), b.key, l.value
  from statement_break b
  join present v on v.date = b.date
  join json_each(b.lines) l
  where b.id = (select one.id from statement_break one
    where one.key = b.key and one.date = b.date and one.version >= v.version
    order by one.version, one.id desc limit 1);

insert into statement_line
  select v.date, v.version, a.payout_seq, a.attempt_no, 0, 'complete', null, null
  from present p
  join statement_version v on v.date = p.date and v.version = p.version
  join attempt a on a.tran_date = v.date and a.status = 'paid'
  where exists (select 1 from event e
      where e.payout_seq = a.payout_seq and e.to_status = 'paid' and e.at_ms <= v.accepted_at_ms
        and (e.from_status <> 'paid' or e.cause = 'second-proof')
        and iif(json_extract(e.detail, '$.transRefNo') is null, e.attempt_no = a.attempt_no,
          json_extract(e.detail, '$.transRefNo') = a.trans_ref_no))
    and not exists (select 1 from statement_line l
      where l.key = a.trans_ref_no and l.cells is not null and l.date = v.date)
    and not exists (select 1 from statement_stray s
      where s.key = a.trans_ref_no and s.date = v.date and s.run_id = v.run_id)
    and not exists (select 1 from statement_break b
      where b.key = a.trans_ref_no and b.date = v.date and b.version >= v.version);

insert into statement_reading
  select date, min(json_extract(line, '$[0]')), min(json_extract(line, '$[1]'))
  from statement_stray where key = '' group by date;

drop table present;
drop table statement_stray;
`;

/**
 * Today's words for kinds of breaks, their severity and what settled a payout. Only names change: no event does, nor
 * what a notice says that is still to be delivered.
 */
export const wordTables = `
alter table statement_break rename column loudness to severity;
drop index statement_break_loudest;
create index statement_break_by_severity on statement_break (date, severity, id, opened_at_ms) where state = 'open';

create temp table word (
  before text primary key,
  now text not null
) strict, without rowid;
insert into word values
  ('loudest', 'critical'),
  ('loud', 'high'),
  ('plain', 'medium'),
  ('quiet', 'low'),
  ('twice', 'duplicate-line'),
  ('unknown-to-us', 'unmatched-bank-line'),
  ('status-differs', 'status-mismatch'),
  ('payee-differs', 'payee-mismatch'),
  ('amount-differs', 'amount-mismatch'),
  ('fee-differs', 'fee-mismatch'),
  ('net-differs', 'net-mismatch'),
  ('other-payer', 'payer-mismatch'),
  ('wrong-day', 'date-mismatch'),
  ('still-in-process', 'pending-at-bank'),
  ('in-doubt-absent', 'pending-not-in-statement');

update statement_break set
  kind = coalesce((select now from word where before = kind), kind),
  severity = coalesce((select now from word where before = severity), severity);
update statement_break set attempt = json_set(attempt, '$.settledBy', 'decision')
  where json_extract(attempt, '$.settledBy') = 'people';

-- Kinds are keys of what is counted by place, and places of what a version changed.
update statement_version set totals = (
  select json_group_object(part.key, json((
    select json_group_object(coalesce(word.now, one.key), json(one.value))
    from json_each(part.value) one left join word on word.before = one.key)))
  from json_each(totals) part);
update statement_version set changes = json_set(changes, '$.figures', json((
  select json_group_array(
    json_set(one.value, '$.place', coalesce(word.now, one.value ->> 'place')) order by one.key)
  from json_each(changes, '$.figures') one left join word on word.before = one.value ->> 'place')))
  where json_array_length(changes, '$.figures') > 0;

update payout set settled_by = 'decision' where settled_by = 'people';

drop table word;
`;

/** Where each version of a statement came from; what an older program accepted has none. */
export const provenanceTables = `
alter table statement_version add column provenance text;
`;

/** What people have accepted is judged with each statement of its day, and shown with it. */
export const acceptedBreakIndex = `
create index statement_break_accepted on statement_break (date, severity, key) where closed_by ->> '$.kind' = 'accepted';
`;

/** As the index has it. */
export const isAcceptedBreak = sql<SqlBool>`closed_by ->> '$.kind' = 'accepted'`;

/** `moved_by` is the matching that last moved it. */
export type StatementBreakTable = RowOf<BreakRecord> & {
  readonly id: Generated<number>;
  readonly moved_by: string;
};

export type StatementVersionTable = RowOf<AcceptedStatement> & { readonly run_id: string };

/** A line with its day's version, as it is kept. */
export interface StatementLineTable {
  /** YYYYMMDD, as in all tables. */
  readonly date: string;
  readonly version: number;
  /** Of the attempt that the line agrees with; 0 for any other line, as its attempt's number. */
  readonly payout_seq: number;
  readonly attempt_no: number;
  /** Where it stands in the original; 0 where an older program did not note it. */
  readonly line: number;
  readonly status: LineStatus;
  readonly key: string | null;
  readonly cells: string | null;
}

export interface StatementTables {
  statement_run: RowOf<StatementRun>;
  statement_version: StatementVersionTable;
  statement_break: StatementBreakTable;
  statement_line: StatementLineTable;
  statement_reading: RowOf<{ readonly date: string; readonly eventSeq: number; readonly breakId: number }>;
  statement_report: RowOf<DueReport & { readonly isDue: number }>;
}

// ---------------------------------------------------------------- rows as records

const { toRow, toRecord } = makeRowMapping({
  json: ['attempt', 'closed_by', 'totals', 'changes', 'files', 'provenance'],
  // What the store alone wants to know.
  own: ['id', 'moved_by', 'run_id'],
});

/** A break as a row of its table; `id` is not known yet. */
export const toBreakColumns = ({ record }: BreakMove, { runId }: StatementRun) => ({
  ...toRow({ ...record, lines: record.lines.map(encodeLine) }),
  moved_by: runId,
});

export const toBreakRecord = (row: Selectable<StatementBreakTable>): BreakRecord => ({
  ...toRecord<BreakRecord>(row),
  lines: (JSON.parse(row.lines) as string[]).map(decodeLine),
});

export function toVersionColumns(
  accepted: AcceptedStatement,
  { runId }: StatementRun,
): StatementVersionTable {
  const statement = JSON.stringify(accepted.statement, (_name, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  );
  return { ...toRow({ ...accepted, statement }), run_id: runId };
}

/** Where a version came from, as its row has it. */
export const decodeProvenance = (text: string | null) => JSON.parse(text ?? 'null') as Provenance | null;

export function toAcceptedStatement(row: StatementVersionTable): AcceptedStatement {
  const statement = JSON.parse(row.statement, (name, value: unknown) =>
    name.endsWith('Satang') ? toSatang(BigInt(value as string)) : value,
  ) as StatementTotals;
  return { ...toRecord<AcceptedStatement>(row), statement };
}
