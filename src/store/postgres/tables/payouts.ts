/** Batches, their payouts, what was sent for them, and the history of each. */
import {
  areAsBefore,
  areChanged,
  areGone,
  condition,
  consequence,
  counted,
  inByteOrder,
  refuse,
} from './ddl.ts';

const batches = `
create table batch (
  batch_id text primary key, sha256 text not null, file_name text not null, company_id text not null,
  payer_account text not null, status text not null, reason_code text, reason text, remedy text,
  rows bigint not null, total_satang text not null, unreadable_amounts bigint not null, extra_columns text not null,
  started_at_ms bigint not null, sealed_at_ms bigint, rested_at_ms bigint, age_from_ms bigint not null default 0,
  rested_event_seq bigint not null default 0, reported_event_seq bigint not null default -1,
  noticed_event_seq bigint not null default -1, digest text, versions_digest text, like_reason text,
  recalled_at_ms bigint not null default 0, approval_people bigint check (approval_people in (1, 2)),
  approved_digest text, approved_payer text, approval_bound_satang text,
  approval_bound_people bigint check (approval_bound_people in (1, 2)),
  rowid bigint generated always as identity
);
create index batch_open on batch (age_from_ms) where status not in ('done', 'rejected');
create index batch_unreported on batch (age_from_ms)
  where status in ('done', 'paused', 'halted') and reported_event_seq < rested_event_seq;
create index batch_rested on batch (rested_at_ms);

create table report (
  batch_id text not null references batch, kind text not null, number bigint not null, path text not null,
  temporary_path text not null, sha256 text not null, event_seq bigint not null, at_ms bigint not null,
  primary key (batch_id, kind, number)
);
`;

const payouts = `
create table payout (
  seq bigint primary key, batch_id text not null references batch, row_no bigint not null, amount_satang bigint,
  status text not null, holds bigint not null, reason_code text, reason text, issues text, version bigint not null,
  attempt_no bigint not null, bank_payee_name text, bank_payee_name_th text, submitted_at_ms bigint,
  settled_at_ms bigint, settled_by text, last_event_seq bigint not null, accepted_holds bigint not null default 0,
  is_alarm bigint not null default 0, is_acknowledged bigint not null default 0, sealed_satang bigint
);
create unique index payout_in_batch on payout (batch_id, row_no);
create index payout_ready on payout (batch_id, row_no) where status = 'ready';
create index payout_in_doubt on payout (seq) where status in ('submitted', 'unresolved');
create index payout_alarm on payout (batch_id) where is_alarm = 1;
create index payout_paused on payout (batch_id) where holds & 16 <> 0;

create table payout_row (
  seq bigint primary key references payout on delete cascade, payout_id text, line bigint not null,
  cells text not null, extras text, proxy_type text, proxy_no text, payee_name text, reference1 text,
  reference2 text, digest text, salt text, commitment text, similar_key text
);
create index payout_row_erased on payout_row (seq) where commitment is not null;

create table payout_place (
  payout_id text not null, payout_seq bigint not null,
  primary key (payout_id, payout_seq)
);

create table payee_place (
  proxy_no text not null, amount_satang bigint not null, payout_seq bigint not null,
  primary key (proxy_no, amount_satang, payout_seq)
);

create table open_payout (
  seq bigint primary key references payout on delete cascade, batch_id text not null, status text not null,
  amount_satang bigint, holds bigint not null, is_alarm bigint not null, is_acknowledged bigint not null,
  placed_at_ms bigint not null, payout_id text, reference1 text, reference2 text, proxy_no text, unread_no text,
  names text not null
);

create table instruction_version (
  id ${counted}, batch_id text not null references batch, payout_seq bigint not null references payout,
  version bigint not null, digest text not null, at_ms bigint not null, instruction text, replaced text, salt text
);
create unique index version_of_instruction on instruction_version (payout_seq, version);
`;

const attempts = `
create table attempt (
  payout_seq bigint not null references payout, attempt_no bigint not null, status text not null,
  trans_ref_no text not null, channel_id text not null, term_id text not null, company_id text not null,
  payer_account text not null, tran_date text not null, tran_time text not null, proxy_type text not null,
  proxy_no text not null, proxy_name text, amount_text text not null, reference1 text, reference2 text,
  order_hash text not null, intent_at_ms bigint not null, sends bigint not null, last_sent_at_ms bigint,
  acknowledged bigint not null, reference_conflict bigint not null, inquiries bigint not null, last_inquiry_at_ms bigint,
  last_finding text, next_inquiry_at_ms bigint, sys_ref_no text, fee_text text, last_sent_bank_ms bigint,
  refusals bigint not null default 0, uncounted_sends bigint not null default 0,
  unproven_refusals bigint not null default 0, refusal_code text, has_failed_item bigint not null default 0,
  primary key (payout_seq, attempt_no)
);
create index attempt_by_trans_ref_no on attempt (trans_ref_no);
create index attempt_to_inquire on attempt (next_inquiry_at_ms) where next_inquiry_at_ms is not null;
create index attempt_to_payee on attempt (proxy_no, amount_text, intent_at_ms);
create index attempt_by_tran_date on attempt (tran_date, payout_seq, attempt_no);

create table claim (
  company_id text not null, similar_key text not null, payout_id text not null, payout_seq bigint,
  attempts_recorded bigint not null,
  primary key (company_id, similar_key, payout_id)
);
create index claim_tried_again on claim (company_id, payout_id) where attempts_recorded > 1;

create table event (
  seq bigint primary key, payout_seq bigint not null references payout, from_status text not null,
  to_status text not null, cause text not null, at_ms bigint not null, attempt_no bigint not null,
  detail text not null, hash text
);
create index event_of_payout on event (payout_seq, seq);
`;

const payers = `
create table payer_halt (
  company_id text not null, payer_account text not null, code text not null, reason text not null,
  remedy text not null, since_ms bigint not null, lifted_at_ms bigint
);
create unique index payer_halt_in_force on payer_halt (company_id, payer_account) where lifted_at_ms is null;

create table payer_pause (
  company_id text not null, payer_account text not null, code text not null, reason text not null,
  remedy text not null, troubles bigint not null, is_transfer bigint not null, since_ms bigint not null,
  until_ms bigint not null,
  primary key (company_id, payer_account)
);

create table day_use (
  company_id text not null, date text not null, kind text not null check (kind in ('day', 'payee', 'file')),
  key text not null, rows bigint not null, high bigint not null, low bigint not null,
  primary key (company_id, date, kind, key)
);

create table paid_payee (
  company_id text not null, proxy_no text not null,
  primary key (company_id, proxy_no)
);
`;

export const payoutTables = inByteOrder([batches, payouts, attempts, payers].join(''));

/** In byte order `lower` knows the letters of ASCII alone, as SQLite's does. */
export const selectListed = (payout: string, payoutRow: string): string => `
select p.seq, p.batch_id, p.status, p.amount_satang, p.holds, p.is_alarm, p.is_acknowledged,
  coalesce(p.submitted_at_ms, (select b.started_at_ms from batch b where b.batch_id = p.batch_id)) as placed_at_ms,
  r.payout_id, r.reference1, r.reference2, r.proxy_no,
  case when r.proxy_type is null then replace(replace(json_extract(r.cells, '$[2]'), '-', ''), ' ', '') end as unread_no,
  lower(concat_ws(chr(10), r.payee_name, p.bank_payee_name, p.bank_payee_name_th,
    case when r.proxy_type is null then json_extract(r.cells, '$[3]') end) collate "C") as names
from ${payout} p join ${payoutRow} r on r.seq = p.seq`;

export const payoutView = `create view payout_listed as ${selectListed('payout', 'payout_row')};`;

const conditions = [
  condition(
    'is_sealed',
    'text',
    'exists (select 1 from batch where batch_id = $1 and sealed_at_ms is not null)',
  ),
  condition(
    'is_erased',
    'bigint',
    'exists (select 1 from payout_row where seq = $1 and commitment is not null)',
  ),
  condition(
    'is_corrected_to',
    'bigint, bigint',
    `exists (select 1 from instruction_version v where v.payout_seq = $1
      and v.version = (select max(version) from instruction_version where payout_seq = $1)
      and json_extract(v.instruction, '$.amountSatang') = $2::text)`,
  ),
  condition(
    'is_corrected_to',
    'bigint, text, text, text, text, text',
    `exists (select 1 from instruction_version v where v.payout_seq = $1
      and v.version = (select max(version) from instruction_version where payout_seq = $1)
      and json_extract(v.instruction, '$.proxyType') is not distinct from $2
      and json_extract(v.instruction, '$.proxyNo') is not distinct from $3
      and json_extract(v.instruction, '$.payeeName') is not distinct from $4
      and json_extract(v.instruction, '$.reference1') is not distinct from $5
      and json_extract(v.instruction, '$.reference2') is not distinct from $6)`,
  ),
];

const consequences = `
${consequence('report_of_batch', 'update batch set reported_event_seq = greatest(reported_event_seq, new.event_seq) where batch_id = new.batch_id')}
create trigger report_of_batch after insert on report for each row execute function report_of_batch();
${consequence(
  'payee_of_row',
  `insert into payee_place
    select new.proxy_no, amount_satang, seq from payout where seq = new.seq and amount_satang is not null
    on conflict do nothing`,
)}
create trigger payee_of_validated after update of proxy_no on payout_row for each row
  when (old.proxy_no is null and new.proxy_no is not null) execute function payee_of_row();
create trigger payee_of_corrected after update of proxy_no on payout_row for each row
  when (old.proxy_no is not null and new.proxy_no is not null) execute function payee_of_row();`;

const batchGuards = [
  refuse(
    'batch_digest_never_changes',
    'update of digest on batch',
    'what was sealed is never changed',
    'old.digest is not null',
  ),
  refuse(
    'approval_never_lessened',
    'update of approval_people on batch',
    'how many people must approve a batch is never changed',
    `old.approval_people is not null and ${areChanged('approval_people')}`,
  ),
  refuse(
    'approval_bound_never_changes',
    'update of approval_bound_satang, approval_bound_people on batch',
    'what a batch may come to without an approval is never changed',
    `old.approval_bound_satang is not null and ${areChanged('approval_bound_satang approval_bound_people')}`,
  ),
];

/** As its file has it, corrected, validated anew, or erased. */
const rowGuard = refuse(
  'payout_row_never_changes',
  'update on payout_row',
  'a row as its file has it is never changed',
  `${areChanged('seq payout_id similar_key line')} or old.commitment is not null
    or (new.commitment is null and (${areChanged('cells extras digest salt')}
      or (old.proxy_type is not null and not is_corrected_to(
        old.seq, new.proxy_type, new.proxy_no, new.payee_name, new.reference1, new.reference2))))
    or (new.commitment is not null and not (new.cells = '[]'
      and ${areGone('extras proxy_type proxy_no payee_name reference1 reference2 digest salt')}))`,
);

const payoutGuards = [
  rowGuard,
  refuse(
    'payout_amount_never_changes',
    'update of amount_satang on payout',
    'an amount is changed by a correction alone',
    `${areChanged('amount_satang')} and not is_corrected_to(old.seq, new.amount_satang)`,
  ),
  refuse(
    'payout_never_goes',
    'delete on payout',
    'a payout that was sealed is never removed',
    'is_sealed(old.batch_id) and not is_moving(old.batch_id)',
  ),
  refuse(
    'instruction_version_never_changes',
    'update on instruction_version',
    'a version of an instruction is never changed',
    `not (is_erased(old.payout_seq) and ${areGone('instruction replaced salt')}
    and ${areAsBefore('id batch_id payout_seq version at_ms')})`,
  ),
  refuse(
    'instruction_version_never_goes',
    'delete on instruction_version',
    'a version of an instruction is never removed',
    'not is_moving(old.payout_seq)',
  ),
];

const sentColumns =
  'trans_ref_no channel_id term_id company_id payer_account tran_date tran_time proxy_type amount_text intent_at_ms';
const personalColumns = 'proxy_name reference1 reference2';

const attemptGuards = [
  refuse(
    'order_never_changes',
    `update of ${`${sentColumns} ${personalColumns} proxy_no order_hash`.replaceAll(' ', ', ')} on attempt`,
    'what an attempt sends is never changed',
    `not (is_erased(old.payout_seq) and new.proxy_no = '' and ${areGone(personalColumns)} and ${areAsBefore(sentColumns)})`,
  ),
  refuse(
    'reference_used_once',
    'insert on attempt',
    'a reference of an archived batch is not used before the batch is back',
    'is_used_reference(new.trans_ref_no)',
  ),
  refuse(
    'attempt_never_goes',
    'delete on attempt',
    'an attempt is never removed',
    'not is_moving(old.payout_seq)',
  ),
  refuse('claim_never_goes', 'delete on claim', 'a claim is never removed'),
  refuse(
    'event_never_changes',
    'update on event',
    'an event is never changed',
    `not (is_erased(old.payout_seq)
    and ${areAsBefore('seq payout_seq from_status to_status cause at_ms attempt_no hash')})`,
  ),
  refuse('event_never_goes', 'delete on event', 'an event is never removed', 'not is_moving(old.payout_seq)'),
];

/** Made after all tables. */
export const payoutTriggers = [
  ...conditions,
  consequences,
  ...batchGuards,
  ...payoutGuards,
  ...attemptGuards,
].join('\n');
