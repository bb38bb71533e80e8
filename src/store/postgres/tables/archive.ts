/** What the journal keeps of batches that stand in an archive. */
import { condition, inByteOrder, refuse } from './ddl.ts';

export const archiveTables = inByteOrder(`
create table archived_batch (
  batch_id text primary key references batch, archive text not null, digest text not null check (length(digest) = 64),
  totals text not null, first_date text, last_date text, latest_event_seq bigint not null,
  archived_at_ms bigint not null, is_moving bigint not null
);
create index archived_batch_event on archived_batch (latest_event_seq);
create index archived_batch_moving on archived_batch (batch_id) where is_moving = 1;

create table archived_rows (
  first_seq bigint primary key, last_seq bigint not null, batch_id text not null, first_row_no bigint not null,
  status text not null
);
create index archived_rows_of_batch on archived_rows (batch_id);

create table used_reference (
  trans_ref_no text not null, payout_seq bigint not null,
  primary key (trans_ref_no, payout_seq)
);
`);

/** Rows go only in the transaction that names the archive which has their copy. */
const conditions = [
  condition(
    'is_moving',
    'text',
    'exists (select 1 from archived_batch where batch_id = $1 and is_moving = 1)',
  ),
  condition(
    'is_moving',
    'bigint',
    `exists (select 1 from payout p join archived_batch a on a.batch_id = p.batch_id where p.seq = $1 and a.is_moving = 1)`,
  ),
  condition('is_any_moving', '', 'exists (select 1 from archived_batch where is_moving = 1)'),
  condition('is_used_reference', 'text', 'exists (select 1 from used_reference where trans_ref_no = $1)'),
];

const namesArchive = 'what names an archive is never removed';

/** Before those of payouts, which ask the same. */
export const archiveTriggers = [
  ...conditions,
  refuse(
    'used_reference_never_goes',
    'delete on used_reference',
    'a used reference is never removed',
    'not is_any_moving()',
  ),
  refuse('used_reference_never_changes', 'update on used_reference', 'a used reference is never changed'),
  refuse('archived_batch_never_goes', 'delete on archived_batch', namesArchive, 'old.is_moving = 0'),
  refuse('archived_rows_never_go', 'delete on archived_rows', namesArchive, 'not is_moving(old.batch_id)'),
].join('\n');
