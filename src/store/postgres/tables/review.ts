/** What people propose, check, sign and note; the people themselves; and the heads of days, on which all chains hang. */
import { erasedFileName } from '../../../evidence/rules/erasure.ts';
import { areAsBefore, areChanged, areGone, condition, counted, inByteOrder, refuse } from './ddl.ts';

const proposals = `
create table proposal (
  proposal_id ${counted}, decision text not null, status text not null, note text not null, evidence text,
  maker_id bigint, maker text not null, people bigint not null check (people in (1, 2)), made_at_ms bigint not null,
  expires_at_ms bigint not null, checker_id bigint, checker text, checked_at_ms bigint, check_note text,
  ended_at_ms bigint, items bigint not null, total_satang text not null,
  digest text not null check (length(digest) = 64), evidence_file text, figures text
);
create index proposal_open on proposal (status, expires_at_ms) where status in ('proposed', 'approved');

create table proposal_item (
  proposal_id bigint not null references proposal, item_no bigint not null, kind text not null, key text not null,
  version text not null, correction text, status text not null, why text, note text, salt text, commitment text,
  primary key (proposal_id, item_no)
);
create unique index proposal_item_open on proposal_item (kind, key) where status = 'open';

create table review_note (
  seq ${counted}, kind text not null, key text not null, version text not null,
  what text not null check (what in ('taken', 'given-back', 'noted')), person_id bigint, person text not null,
  note text not null, at_ms bigint not null, event_seq bigint
);
create index review_note_of on review_note (kind, key, seq);

create table approved_row (
  batch_id text not null, proposal_id bigint not null references proposal, row_no bigint not null,
  amount_satang text not null, digest text, primary key (batch_id, proposal_id, row_no)
);

create table contributor (
  batch_id text not null, person_id bigint not null, part text not null check (part in ('uploaded', 'corrected')),
  primary key (batch_id, person_id, part)
);
`;

const persons = `
create table person (
  person_id ${counted}, name_key text not null unique, name text not null, display_name text not null,
  role text not null check (role in ('viewer', 'maker', 'checker', 'admin')), is_disabled bigint not null,
  made_by bigint references person, made_at_ms bigint not null, handed_by bigint references person,
  handed_at_ms bigint not null, confirmed_by bigint references person, admin_since_ms bigint,
  stands_since_ms bigint not null, last_sign_in_at_ms bigint, password_hash text not null default '',
  must_change bigint not null default 1, failed_tries bigint not null default 0,
  locked_until_ms bigint not null default 0
);

create table person_token (
  token_id ${counted}, person_id bigint not null references person,
  token_hash text not null unique check (length(token_hash) = 64), label text not null, made_at_ms bigint not null,
  expires_at_ms bigint not null, revoked_at_ms bigint, last_used_at_ms bigint
);

create table person_change (
  change_id ${counted}, request text not null, status text not null,
  proposed_by bigint not null references person, proposed_at_ms bigint not null, seen text not null,
  ended_by bigint references person, ended_at_ms bigint, why text, first_half text
);

create table person_session (
  session_hash text primary key check (length(session_hash) = 64), person_id bigint not null references person,
  role text not null, made_at_ms bigint not null, used_at_ms bigint not null
);

create table passkey (
  credential_id text primary key, person_id bigint not null references person, label text not null,
  public_key text not null, cose_key text not null, key_hash text not null unique check (length(key_hash) = 64),
  rp_id text not null, origin text not null, backup text not null check (backup in ('none', 'possible', 'done')),
  transports text not null, sign_count bigint not null, enrolled_at_ms bigint not null, confirmed_by text,
  confirmed_at_ms bigint, revoked_by bigint references person, revoked_at_ms bigint, last_used_at_ms bigint
);

create table approval_signature (
  signature_id ${counted}, proposal_id bigint not null references proposal,
  person_id bigint not null references person, signed_at_ms bigint not null, text text not null unique,
  credential_id text not null references passkey, public_key text not null, authenticator_data text not null,
  client_data_json text not null, signature text not null, rp_id text not null, origin text not null,
  backup text not null, enrolled_by bigint not null, confirmed_by text not null
);
create index approval_signature_of on approval_signature (proposal_id);
`;

/** @param subject the type of what its events are about */
const chainedHistory = (table: string, subject: string): string => `
create table ${table} (
  seq bigint primary key, subject ${subject}, kind text not null, at_ms bigint not null, by_person bigint, proof text,
  text text not null, previous_hash text, hash text not null unique check (length(hash) = 64), cells text
);
create index ${table}_of on ${table} (subject, seq);
`;

const chains = `
create table day_head (
  number bigint primary key, date text not null unique, text text not null,
  hash text not null unique check (length(hash) = 64), is_published bigint not null
);
${chainedHistory('person_event', 'bigint not null')}
${chainedHistory('proposal_event', 'bigint not null references proposal')}`;

export const reviewTables = inByteOrder([proposals, persons, chains].join(''));

/** Of a payout that was erased, what people have written may go, too. */
const conditions = [
  condition(
    'is_about_erased',
    'text, text',
    `$1 = 'payout' and exists (select 1 from payout_row
      where seq = case when $1 = 'payout' then $2::bigint end and commitment is not null)`,
  ),
  condition(
    'is_about_erased',
    'bigint',
    'exists (select 1 from proposal_item where proposal_id = $1 and is_about_erased(kind, key))',
  ),
];

const proposed = 'what was proposed is never changed';
const itemCells = 'correction note salt commitment';

const proposalGuards = [
  refuse(
    'proposal_never_changes',
    'update on proposal',
    proposed,
    `${areChanged('decision maker_id people items digest made_at_ms')}
    or (old.checked_at_ms is not null and ${areChanged('checker_id')})
    or (${areChanged('note evidence')}
      and not (new.note = '' and new.evidence is null and old.items = 1 and is_about_erased(old.proposal_id)))`,
  ),
  refuse(
    'proposal_file_never_changes',
    'update on proposal',
    proposed,
    `${areChanged('evidence_file')} and not (old.items = 1 and is_about_erased(old.proposal_id)
      and new.evidence_file is not distinct from json_set(old.evidence_file, '$.name', '${erasedFileName}'))`,
  ),
  refuse('proposal_figures_never_change', 'update on proposal', proposed, areChanged('figures')),
  refuse(
    'proposal_checked_by_another',
    'update of status on proposal',
    'nobody checks what he has proposed',
    `new.status = 'approved' and new.people > 1
    and (new.checker_id is null or new.maker_id is null or new.checker_id = new.maker_id)`,
  ),
  refuse('proposal_never_goes', 'delete on proposal', 'a proposal is never removed'),
  refuse(
    'proposal_item_never_changes',
    'update on proposal_item',
    proposed,
    `${areChanged('kind key version')}
    or (old.status <> 'open' and ${areChanged('status why')})
    or (${areChanged(itemCells)} and not (is_about_erased(old.kind, old.key)
      and ${areGone('correction note salt')} and new.commitment is not null))
    or (old.status <> 'open' and ${areAsBefore(itemCells)})`,
  ),
  refuse('proposal_item_never_goes', 'delete on proposal_item', 'an item of a proposal is never removed'),
  refuse(
    'review_note_never_changes',
    'update on review_note',
    'a note is never changed',
    `not (is_about_erased(old.kind, old.key) and new.note = ''
    and ${areAsBefore('seq kind key version what person_id person at_ms event_seq')})`,
  ),
  refuse('review_note_never_goes', 'delete on review_note', 'a note is never removed'),
  refuse('contributor_never_goes', 'delete on contributor', 'who had a part in a batch is never forgotten'),
  refuse('contributor_never_changes', 'update on contributor', 'who had a part in a batch is never changed'),
  refuse('approved_row_never_goes', 'delete on approved_row', 'what was approved is never forgotten'),
  refuse('approved_row_never_changes', 'update on approved_row', 'what was approved is never changed'),
  refuse('approval_signature_never_goes', 'delete on approval_signature', 'a signature is never removed'),
  refuse('approval_signature_never_changes', 'update on approval_signature', 'a signature is never changed'),
];

const personGuards = [
  refuse('person_never_goes', 'delete on person', 'a person is never removed'),
  refuse('person_token_never_goes', 'delete on person_token', 'a token is never removed'),
  refuse(
    'person_token_stays_revoked',
    'update on person_token',
    'a token that was revoked stays so',
    `(old.revoked_at_ms is not null and ${areChanged('revoked_at_ms')})
    or ${areChanged('token_hash person_id expires_at_ms')}`,
  ),
  refuse(
    'person_change_ends_once',
    'update on person_change',
    'a change that has ended is never changed',
    `old.status <> 'waiting'`,
  ),
  refuse('person_change_never_goes', 'delete on person_change', 'a change is never removed'),
  refuse('passkey_never_goes', 'delete on passkey', 'a passkey is never removed'),
  refuse(
    'passkey_stays',
    'update on passkey',
    'a passkey is what it was when it was enrolled, and one that was revoked stays so',
    `${areChanged('credential_id person_id public_key cose_key key_hash rp_id origin enrolled_at_ms')}
    or (old.confirmed_at_ms is not null and ${areChanged('confirmed_at_ms confirmed_by')})
    or (old.revoked_at_ms is not null and ${areChanged('revoked_at_ms revoked_by')})`,
  ),
];

/** @param whose in words: "a person" */
const chainGuards = (table: string, whose: string): readonly string[] => [
  condition(
    `follows_${table}`,
    'bigint, bigint, text',
    `$1 = 1 + (select coalesce(max(seq), 0) from ${table}) and $3 is not distinct from
      (select hash from ${table} where subject = $2 order by seq desc limit 1)`,
  ),
  refuse(
    `${table}_follows`,
    `insert on ${table}`,
    `an event of ${whose} follows the one before it`,
    `follows_${table}(new.seq, new.subject, new.previous_hash) is not true`,
  ),
  refuse(
    `${table}_never_changes`,
    `update on ${table}`,
    `an event of ${whose} is never changed`,
    `new.cells is not null or ${areChanged('seq subject kind at_ms by_person proof text previous_hash hash')}`,
  ),
  refuse(`${table}_never_goes`, `delete on ${table}`, `an event of ${whose} is never removed`),
];

const headGuards = [
  condition(
    'follows_day_head',
    'bigint, text',
    `$1 = 1 + (select coalesce(max(number), 0) from day_head) and not exists (select 1 from day_head where date >= $2)`,
  ),
  refuse(
    'day_head_follows',
    'insert on day_head',
    'a head of a day follows the one before it',
    'follows_day_head(new.number, new.date) is not true',
  ),
  refuse(
    'day_head_never_changes',
    'update of number, date, text, hash on day_head',
    'a head of a day is never changed',
  ),
  refuse('day_head_never_goes', 'delete on day_head', 'a head of a day is never removed'),
];

/** Made after all tables. */
export const reviewTriggers = [
  ...conditions,
  ...proposalGuards,
  ...personGuards,
  ...chainGuards('person_event', 'a person'),
  ...chainGuards('proposal_event', 'a proposal'),
  ...headGuards,
].join('\n');
