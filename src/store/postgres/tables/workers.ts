/** Who works the journal, which rows each of them pays, and who has sent what lately; all by the database's clock. */
import { counted, inByteOrder } from './ddl.ts';

/** When the bank may be called next, and what each process has written last. */
export const requestSlotTables = inByteOrder(`
create table request_slot (
  name text primary key, next_us bigint not null,
  -- How many turns were taken since a moment, and within a window of time before it.
  window_ms bigint not null, taken bigint not null, taken_before bigint not null
);
-- The number of the latest transaction of each process that writes.
create table write_mark (writer text primary key, mark bigint not null, at_ms bigint not null);
-- The access token that machines share, which none can read without the secret of the bank.
create table shared_token (
  name text primary key, generation bigint not null, sealed text not null, since_ms bigint not null,
  claimed_until_ms bigint not null
);
`);

/**
 * The latest ends of a payer account, counted by all machines, oldest first, as `formatBlocks` writes them; and the worker
 * that tries whether its pause is over.
 */
export const payerBreakerTables = inByteOrder(`
create table payer_breaker (
  company_id text not null, payer_account text not null, consecutive_failures bigint not null default 0,
  ends text not null default '', probe_worker_id bigint, probe_until_ms bigint, is_answered bigint not null default 0,
  primary key (company_id, payer_account)
);
`);

/** How many requests of a kind the bank bears at once, of all machines together, while that is less than they may make. */
export const bankLimitTables = inByteOrder(`
create table bank_limit (
  kind text primary key, places bigint not null, ceiling bigint not null, answers bigint not null, round bigint not null,
  why text, heard_at_ms bigint not null
);
`);

export const workerTables = inByteOrder(`
create table worker (
  worker_id ${counted}, machine text not null, pid bigint not null, command text not null,
  role text not null check (role in ('sender', 'helper')), epoch bigint not null, since_ms bigint not null,
  lease_until_ms bigint not null, ended_at_ms bigint, superseded_at_ms bigint,
  tables_version bigint not null default 0, -- That its program knows.
  -- It has a mark by which nothing is missing in the journal, or has joined another that has.
  is_witness boolean not null default false
);
create unique index one_sender on worker (role)
  where role = 'sender' and ended_at_ms is null and superseded_at_ms is null;

create table shard (
  shard_id ${counted}, batch_id text not null references batch, from_row bigint not null, to_row bigint not null,
  worker_id bigint not null references worker, epoch bigint not null, taken_at_ms bigint not null, ended_at_ms bigint
);
create index shard_of_batch on shard (batch_id, to_row);
create index shard_not_ended on shard (batch_id) where ended_at_ms is null;

-- Which process works a file that was taken in, and in which folder that stands; the worker may be long forgotten.
create table file_claim (
  item_id text primary key, file_name text not null, folder_id text not null,
  worker_id bigint not null, machine text not null, claimed_at_ms bigint not null
);

create table latest_send (
  payout_seq bigint not null, attempt_no bigint not null, worker_id bigint not null references worker,
  sent_at_ms bigint not null,
  primary key (payout_seq, attempt_no, worker_id)
);
create index latest_send_when on latest_send (sent_at_ms);
`);
