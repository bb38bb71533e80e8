/** The tables of a process that works a drop folder: its files, its daily rounds, its notices. */
import type { Generated } from 'kysely';
import type { NoticeChannel, NoticeKind } from '../../notify/rules/notice.ts';
import type { IntakeOutcome } from '../../watch/ports.ts';

/** As they are made; the types below are the same tables as Kysely sees them. */
export const watchTables = `
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
export const watchEndTables = `
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

/** A file that was taken in, and the batch that its bytes are. */
export interface IntakeItemTable {
  readonly item_id: string;
  readonly batch_id: string;
  readonly file_name: string;
  readonly dropped_at_ms: number;
  readonly started_at_ms: number;
  /** 1 for the one file that is or was worked for its batch. */
  readonly owns_batch: number;
  /** Null while the file is being worked. */
  readonly outcome: IntakeOutcome | null;
  readonly ended_at_ms: number | null;
  /** JSON of why it was turned away; null unless it was. */
  readonly refusal: string | null;
}

/** The last day for which a round was made. */
interface DailyRoundTable {
  readonly name: string;
  /** YYYYMMDD in Bangkok. */
  readonly date: string;
}

/** Something that happened and is told to people outside. */
interface NoticeTable {
  readonly seq: Generated<number>;
  readonly key: string;
  readonly kind: NoticeKind;
  readonly batch_id: string | null;
  readonly at_ms: number;
  readonly body: string;
}

/** How far one channel has come with a notice. */
interface NoticeDeliveryTable {
  readonly notice_seq: number;
  readonly channel: NoticeChannel;
  readonly status: 'due' | 'delivered' | 'given-up';
  /** Tries that have failed. */
  readonly tries: number;
  /** Null when it is not tried any more. */
  readonly next_at_ms: number | null;
  readonly delivered_at_ms: number | null;
  /** Why the last failed try did. */
  readonly why: string | null;
}

export interface WatchTables {
  intake_item: IntakeItemTable;
  daily_round: DailyRoundTable;
  notice: NoticeTable;
  notice_delivery: NoticeDeliveryTable;
}
