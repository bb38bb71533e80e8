/** What a drop folder's files have become, what is told of them, and what was done once a day; what a journal has lost. */
import { counted, inByteOrder } from './ddl.ts';

export const watchTables = inByteOrder(`
create table meta (key text primary key, value text not null);

create table journal_loss (recovered_at_ms bigint primary key, since_date text not null, until_date text not null);

create table intake_item (
  item_id text primary key, batch_id text not null, file_name text not null, dropped_at_ms bigint not null,
  started_at_ms bigint not null, owns_batch bigint not null, outcome text, ended_at_ms bigint, refusal text,
  kind text not null default 'payout',
  check (outcome is null or outcome = 'archived' or owns_batch = 0)
);
create unique index intake_owner on intake_item (batch_id) where owns_batch = 1;
create index intake_by_outcome on intake_item (outcome);
create index intake_refused on intake_item (ended_at_ms) where outcome = 'rejected';

create table taken_file (
  item_id text primary key, batch_id text not null, file_name text not null, path text not null,
  inode text not null, bytes bigint not null, sha256 text not null, until_ms bigint, is_watched bigint not null,
  growth text, growth_sha256 text, closed_sha256 text, kind text not null default 'payout'
);
create index taken_file_of_batch on taken_file (batch_id);
create index taken_file_watched on taken_file (item_id) where is_watched = 1;
create index taken_file_grown on taken_file (growth_sha256) where growth_sha256 is not null;

create table daily_job (name text primary key, date text not null);

create table notice (
  seq ${counted}, key text not null unique, kind text not null, batch_id text, at_ms bigint not null,
  body text not null
);

create table notice_delivery (
  notice_seq bigint not null references notice, channel text not null, status text not null, tries bigint not null,
  next_at_ms bigint, delivered_at_ms bigint, why text,
  primary key (notice_seq, channel),
  check ((status = 'due') = (next_at_ms is not null))
);
create index notice_due on notice_delivery (channel, next_at_ms) where status = 'due';
`);
