/** The tables' history: each entry is run once, in one transaction, and never changed after a release. */
import type { DatabaseSync } from 'node:sqlite';
import { computeSimilarKey } from '../payout/rules/similar.ts';
import { archiveTables, usedReferencesByRow } from './archive/archive-tables.ts';
import { JournalRefusedError } from './connection.ts';
import { addChains } from './payouts/chain.ts';
import { limitTables } from './payouts/day-use.ts';
import { addDigests, correctionTables } from './payouts/digests.ts';
import { openPayoutTables } from './payouts/open-payouts.ts';
import {
  acceptedBreakIndex,
  provenanceTables,
  statementLineTables,
  statementTables,
  wordTables,
} from './reconcile/statement-tables.ts';
import {
  attemptAnswerColumns,
  attemptTakenColumn,
  registrationTables,
} from './registration/registration-tables.ts';
import { approvalBound, approvalTables, approvedRows, handsBeforeBatch } from './review/approval-tables.ts';
import { dayHeadTables } from './evidence/day-head-tables.ts';
import { erasableFileName, erasureTables, rowNeverChanges } from './evidence/erasure-tables.ts';
import { addProposalChain } from './review/proposal-chain.ts';
import {
  evidenceFileColumn,
  figuresColumn,
  itemNoteColumn,
  proposalTables,
} from './review/proposal-tables.ts';
import { personTables } from './review/people-tables.ts';
import { passkeyTables } from './review/passkey-tables.ts';
import { queueTables } from './review/queue-tables.ts';
import { sessionTables } from './review/session-tables.ts';
import { query, readFirst, write } from './statements.ts';
import { fileKindColumns, takenFileTables } from './watch/taken-files.ts';

const firstTables = `
create table meta (
  key text primary key,
  value text not null
) strict, without rowid;

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
  rested_at_ms integer
) strict;

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
  last_event_seq integer not null
) strict;
create unique index payout_in_batch on payout (batch_id, row_no);
create index payout_ready on payout (batch_id, row_no) where status = 'ready';
create index payout_in_doubt on payout (seq) where status in ('submitted', 'unresolved');

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
  reference2 text
) strict;

-- Where a payoutId occurs. Filled at the seal, in its own order: as an index of payout_row it would slow the reading
-- of a file, whose payoutIds come in any order.
create table payout_place (
  payout_id text not null,
  payout_seq integer not null,
  primary key (payout_id, payout_seq)
) strict, without rowid;

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
  contested integer not null,
  inquiries integer not null,
  last_inquiry_at_ms integer,
  last_finding text,
  next_inquiry_at_ms integer,
  sys_ref_no text,
  fee_text text,
  primary key (payout_seq, attempt_no)
) strict, without rowid;
create unique index attempt_by_trans_ref_no on attempt (trans_ref_no);
create index attempt_to_inquire on attempt (next_inquiry_at_ms) where next_inquiry_at_ms is not null;

-- payout_seq names a payout without a foreign key: dropping a half-read file would have to search every claim.
create table claim (
  company_id text not null,
  similar_key text not null check (similar_key = ltrim(lower(payout_id), '0')),
  payout_id text not null,
  payout_seq integer,
  attempts_recorded integer not null,
  primary key (company_id, similar_key, payout_id)
) strict, without rowid;

create table event (
  seq integer primary key,
  payout_seq integer not null references payout,
  from_status text not null,
  to_status text not null,
  cause text not null,
  at_ms integer not null,
  attempt_no integer not null,
  detail text not null
) strict;
create index event_of_payout on event (payout_seq);

create table line_stop (
  company_id text not null,
  payer_account text not null,
  code text not null,
  reason text not null,
  remedy text not null,
  since_ms integer not null,
  lifted_at_ms integer
) strict;
create unique index line_stop_in_force on line_stop (company_id, payer_account) where lifted_at_ms is null;

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

create trigger event_never_changes before update on event begin
  select raise(abort, 'an event is never changed');
end;
create trigger event_never_goes before delete on event begin
  select raise(abort, 'an event is never removed');
end;
create trigger attempt_never_goes before delete on attempt begin
  select raise(abort, 'an attempt is never removed');
end;
create trigger claim_never_goes before delete on claim begin
  select raise(abort, 'a claim is never removed');
end;
create trigger payout_row_never_changes before update on payout_row begin
  select raise(abort, 'a row as its file has it is never changed');
end;
-- Sending an attempt again uses exactly what was stored.
create trigger order_never_changes before update of
  trans_ref_no, channel_id, term_id, company_id, payer_account, tran_date, tran_time, proxy_type, proxy_no, proxy_name,
  amount_text, reference1, reference2, order_hash, intent_at_ms
on attempt begin
  select raise(abort, 'what an attempt sends is never changed');
end;
`;

/** Alarms, what a person has accepted, both clocks of a send, the age of a batch, pauses and losses that outlive a run. */
const faultTables = `
alter table payout add column accepted_holds integer not null default 0;
alter table payout add column is_alarm integer not null default 0;
create index payout_alarm on payout (batch_id) where is_alarm = 1;

alter table attempt add column last_sent_bank_ms integer;
alter table attempt add column turned_away integer not null default 0;

alter table batch add column age_from_ms integer not null default 0;
update batch set age_from_ms = started_at_ms;

create index attempt_to_payee on attempt (proxy_no, amount_text, intent_at_ms);

create index claim_tried_again on claim (company_id, payout_id) where attempts_recorded > 1;

create table line_pause (
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

create table journal_loss (
  recovered_at_ms integer primary key,
  since_date text not null,
  until_date text not null
) strict;

-- A rejected row that is validated anew gets the instruction that it never had; nothing else ever changes.
drop trigger payout_row_never_changes;
create trigger payout_row_never_changes before update on payout_row
when old.proxy_type is not null
  or new.seq is not old.seq or new.payout_id is not old.payout_id or new.line is not old.line
  or new.cells is not old.cells or new.extras is not old.extras
begin
  select raise(abort, 'a row as its file has it is never changed');
end;
`;

/** Of a process that works a drop folder: its files, its daily jobs, its notices. */
const watchTables = `
-- Number of the latest event when the batch last came to rest: a report that shows it was made after that.
alter table batch add column rested_event_seq integer not null default 0;
create index batch_open on batch (age_from_ms) where status not in ('done', 'rejected');

-- batch_id names a batch that may not be there yet: the file is known before anything of it is read in.
create table intake_item (
  item_id text primary key,
  batch_id text not null,
  file_name text not null,
  dropped_at_ms integer not null,
  started_at_ms integer not null,
  owns_batch integer not null,
  outcome text,
  ended_at_ms integer,
  check (outcome is null or outcome = 'archived' or owns_batch = 0)
) strict, without rowid;
create unique index intake_owner on intake_item (batch_id) where owns_batch = 1;
create index intake_by_outcome on intake_item (outcome);

create table daily_round (
  name text primary key,
  date text not null
) strict, without rowid;

create table notice (
  seq integer primary key,
  key text not null unique,
  kind text not null,
  batch_id text,
  at_ms integer not null,
  body text not null
) strict;

create table notice_delivery (
  notice_seq integer not null references notice,
  channel text not null,
  status text not null,
  tries integer not null,
  next_at_ms integer,
  delivered_at_ms integer,
  why text,
  primary key (notice_seq, channel),
  check ((status = 'due') = (next_at_ms is not null))
) strict, without rowid;
create index notice_due on notice_delivery (channel, next_at_ms) where status = 'due';
`;

/** Why files were turned away, and which batches are reported and told of, without searching all that are done. */
const watchEndTables = `
-- JSON, of a file that was turned away.
alter table intake_item add column refusal text;

-- Latest event that the reports of the batch show, and the latest of those that a notice tells of; -1 before any.
alter table batch add column reported_event_seq integer not null default -1;
alter table batch add column told_event_seq integer not null default -1;
update batch set reported_event_seq =
  coalesce((select max(event_seq) from report where report.batch_id = batch.batch_id), -1);
update batch set told_event_seq = reported_event_seq
  where batch_id in (select batch_id from notice where kind in ('batch-done', 'batch-halted'));
create trigger report_of_batch after insert on report begin
  update batch set reported_event_seq = max(reported_event_seq, new.event_seq) where batch_id = new.batch_id;
end;
create index batch_unreported on batch (age_from_ms)
  where status in ('done', 'paused', 'halted') and reported_event_seq < rested_event_seq;

create index payout_paused on payout (batch_id) where holds & 16 <> 0;
`;

/** Likeness: payoutIds that differ in punctuation, and files that pay the same people the same amounts again. */
const likenessTables = `
alter table claim rename to claim_before;
drop index claim_tried_again;
drop trigger claim_never_goes;
-- similar_key: similar_key_of(payout_id).
create table claim (
  company_id text not null,
  similar_key text not null,
  payout_id text not null,
  payout_seq integer,
  attempts_recorded integer not null,
  primary key (company_id, similar_key, payout_id)
) strict, without rowid;
insert into claim
  select company_id, similar_key_of(payout_id), payout_id, payout_seq, attempts_recorded from claim_before
  order by 1, 2, 3;
drop table claim_before;
create index claim_tried_again on claim (company_id, payout_id) where attempts_recorded > 1;
create trigger claim_never_goes before delete on claim begin
  select raise(abort, 'a claim is never removed');
end;

-- Where a payee is paid an amount. Filled at the seal, in its own order, as payout_place is.
create table payee_place (
  proxy_no text not null,
  amount_satang integer not null,
  payout_seq integer not null,
  primary key (proxy_no, amount_satang, payout_seq)
) strict, without rowid;
insert into payee_place
  select r.proxy_no, p.amount_satang, p.seq from payout p
  join payout_row r on r.seq = p.seq join batch b on b.batch_id = p.batch_id
  where b.sealed_at_ms is not null and r.proxy_no is not null and p.amount_satang is not null
  order by 1, 2, 3;
create trigger payee_of_validated after update of proxy_no on payout_row
when old.proxy_no is null and new.proxy_no is not null
begin
  insert or ignore into payee_place
    select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null;
end;
create index batch_rested on batch (rested_at_ms);
`;

/** Repetitions of an attempt that count for no limit: they have only tried whether transfers are answered again. */
const trialColumn = 'alter table attempt add column unanswered_trials integer not null default 0;';

/** What a person has to look at is few among many: found and listed without the rest. */
const searchIndex = `
create index payout_not_paid on payout (status)
  where status = 'held' or status = 'rejected' or status = 'unpayable' or status = 'failed' or status = 'disputed';
`;

/** Tables in SQL, or what else it takes; inside the transaction of the migration. */
type Migration = string | ((db: DatabaseSync) => void);

/** The reason that all rows of a file share: in each of them it would take more than all else of a row's state. */
const likeReasonColumn = 'alter table batch add column like_reason text;';

/** What was proposed is chained, and every chain hangs on the heads of days. */
function addHeads(db: DatabaseSync): void {
  db.exec(dayHeadTables);
  addProposalChain(db);
}

/** Rows and claims have the similar key of their id as `computeSimilarKey` has it by now. */
const similarKeys = `
alter table payout_row add column similar_key text;
drop trigger payout_row_never_changes;
update payout_row set similar_key = similar_key_of(payout_id) where payout_id is not null;
${rowNeverChanges('seq payout_id similar_key line')}
update claim set similar_key = similar_key_of(payout_id);
alter table registration_asked add column similar_key text not null default '';
update registration_asked set similar_key = similar_key_of(registration_id);
update registration_claim set similar_key = similar_key_of(registration_id);
`;

/** A refused reference goes again: several attempts, of one row or of several, bear it. */
const resentReferences = `
alter table attempt rename column turned_away to refusals;
alter table attempt rename column unanswered_trials to uncounted_sends;
update attempt set uncounted_sends = uncounted_sends + refusals where refusals > 0;
alter table attempt add column unproven_refusals integer not null default 0;
alter table attempt add column refusal_code text;
alter table attempt add column has_failed_item integer not null default 0;
update attempt set has_failed_item = 1 where last_finding = 'failed';
drop index attempt_by_trans_ref_no;
create index attempt_by_trans_ref_no on attempt (trans_ref_no);
${usedReferencesByRow}
`;

const migrations: readonly Migration[] = [
  firstTables,
  faultTables,
  watchTables,
  statementTables,
  watchEndTables,
  statementLineTables,
  wordTables,
  provenanceTables,
  takenFileTables,
  addDigests,
  likenessTables,
  trialColumn,
  searchIndex,
  likeReasonColumn,
  archiveTables,
  proposalTables,
  openPayoutTables,
  personTables,
  correctionTables,
  acceptedBreakIndex,
  itemNoteColumn,
  sessionTables,
  addChains,
  approvalTables,
  passkeyTables,
  limitTables,
  addHeads,
  handsBeforeBatch,
  queueTables,
  erasureTables,
  approvalBound,
  evidenceFileColumn,
  erasableFileName,
  registrationTables,
  fileKindColumns,
  similarKeys,
  resentReferences,
  approvedRows,
  figuresColumn,
  attemptAnswerColumns,
  attemptTakenColumn,
];

/** The version of the tables that this program writes. */
export const schemaVersion = migrations.length;

const versionTable =
  'create table if not exists schema_version (version integer primary key, applied_at_ms integer not null) strict';

/**
 * The version of the tables in the file; 0 when it has none.
 * @throws JournalRefusedError when the file holds something else
 */
export function readSchemaVersion(db: DatabaseSync): number {
  const tables = db
    .prepare("select name from sqlite_master where type = 'table'")
    .all()
    .map((row) => row['name']);
  if (tables.length === 0) return 0;
  if (!tables.includes('schema_version')) {
    throw new JournalRefusedError(
      'journal.db is another program’s file: move it away or set another dataDir',
    );
  }
  const latest = query
    .selectFrom('schema_version')
    .select((eb) => eb.fn.max<number | null>('version').as('version'));
  return readFirst(db, latest)?.version ?? 0;
}

/** What the migrations make of an empty file, once this process has made one; null where they leave rows in it, too. */
let wholeTables: string | null | undefined;

function describeTables(db: DatabaseSync): string | null {
  const made = db
    .prepare("select type, name, sql from sqlite_master where name not like 'sqlite_%' order by rowid")
    .all();
  const hasRows = made.some(
    ({ type, name }) =>
      type === 'table' &&
      name !== 'schema_version' &&
      db.prepare(`select 1 from "${String(name)}" limit 1`).get() !== undefined,
  );
  return hasRows ? null : made.map(({ sql }) => `${String(sql)};`).join('\n');
}

function noteVersions(db: DatabaseSync, versions: readonly number[], nowMs: number): void {
  const rows = versions.map((version) => ({ version, applied_at_ms: nowMs }));
  write(db, query.insertInto('schema_version').values(rows));
}

/**
 * Brings the tables up to this program's version, or an older one; inside the caller's transaction. The second empty file
 * of a process, such as another archive, gets at once what the first has become: each change of a table has SQLite read all
 * tables anew.
 */
export function migrate(db: DatabaseSync, nowMs: number, target: number = schemaVersion): void {
  const present = readSchemaVersion(db);
  const isWhole = present === 0 && target === schemaVersion;
  if (isWhole && typeof wholeTables === 'string') {
    const versions = Array.from(migrations, (_, index) => index + 1);
    db.exec(wholeTables);
    noteVersions(db, versions, nowMs);
    return;
  }
  db.exec(versionTable);
  db.function('similar_key_of', { deterministic: true }, (id) => computeSimilarKey(String(id)));
  for (const [index, tables] of migrations.entries()) {
    const version = index + 1;
    if (version <= present || version > target) continue;
    if (typeof tables === 'string') db.exec(tables);
    else tables(db);
    noteVersions(db, [version], nowMs);
  }
  if (isWhole) wholeTables = describeTables(db);
}
