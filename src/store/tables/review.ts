/** What people propose, check, sign and note. */
export const reviewTables = `
create table proposal (
  proposal_id integer primary key,
  decision text not null,
  status text not null,
  note text not null,
  evidence text,
  maker_id integer,
  maker text not null,
  people integer not null check (people in (1, 2)),
  made_at_ms integer not null,
  expires_at_ms integer not null,
  checker_id integer,
  checker text,
  checked_at_ms integer,
  check_note text,
  ended_at_ms integer,
  items integer not null,
  total_satang text not null,
  digest text not null check (length(digest) = 64),
  evidence_file text,
  figures text
) strict;
create index proposal_open on proposal (status, expires_at_ms) where status in ('proposed', 'approved');

create table proposal_item (
  proposal_id integer not null references proposal,
  item_no integer not null,
  kind text not null,
  key text not null,
  version text not null,
  correction text,
  status text not null,
  why text,
  note text,
  salt text,
  commitment text,
  primary key (proposal_id, item_no)
) strict, without rowid;
create unique index proposal_item_open on proposal_item (kind, key) where status = 'open';

create table review_note (
  seq integer primary key,
  kind text not null,
  key text not null,
  version text not null,
  what text not null check (what in ('taken', 'given-back', 'noted')),
  person_id integer,
  person text not null,
  note text not null,
  at_ms integer not null,
  event_seq integer
) strict;
create index review_note_of on review_note (kind, key, seq);

create table contributor (
  batch_id text not null,
  person_id integer not null,
  part text not null check (part in ('uploaded', 'corrected')),
  primary key (batch_id, person_id, part)
) strict, without rowid;

create table approved_row (
  batch_id text not null,
  proposal_id integer not null references proposal,
  row_no integer not null,
  amount_satang text not null,
  digest text,
  primary key (batch_id, proposal_id, row_no)
) strict, without rowid;

create table approval_signature (
  signature_id integer primary key,
  proposal_id integer not null references proposal,
  person_id integer not null references person,
  signed_at_ms integer not null,
  text text not null unique,
  credential_id text not null references passkey,
  public_key text not null,
  authenticator_data text not null,
  client_data_json text not null,
  signature text not null,
  rp_id text not null,
  origin text not null,
  backup text not null,
  enrolled_by integer not null,
  confirmed_by text not null
) strict;
create index approval_signature_of on approval_signature (proposal_id);

create trigger proposal_never_goes before delete on proposal begin
  select raise(abort, 'a proposal is never removed');
end;
create trigger proposal_checked_by_another before update of status on proposal
when new.status = 'approved' and new.people > 1
  and (new.checker_id is null or new.maker_id is null or new.checker_id = new.maker_id)
begin
  select raise(abort, 'nobody checks what he has proposed');
end;
create trigger proposal_never_changes before update on proposal
when not (new.decision is old.decision and new.maker_id is old.maker_id and new.people is old.people
  and new.items is old.items and new.digest is old.digest and new.made_at_ms is old.made_at_ms)
  or (old.checked_at_ms is not null and new.checker_id is not old.checker_id)
  or (not (new.note is old.note and new.evidence is old.evidence) and not (new.note = '' and new.evidence is null and old.items = 1
    and exists (select 1 from proposal_item i where i.proposal_id = old.proposal_id and i.kind = 'payout'
      and exists (select 1 from payout_row e where e.seq = cast(i.key as integer) and e.commitment is not null))))
begin
  select raise(abort, 'what was proposed is never changed');
end;
create trigger proposal_file_never_changes before update on proposal
when new.evidence_file is not old.evidence_file
  and not (old.items = 1
    and exists (select 1 from proposal_item i where i.proposal_id = old.proposal_id and i.kind = 'payout'
      and exists (select 1 from payout_row e where e.seq = cast(i.key as integer) and e.commitment is not null))
        and new.evidence_file is json_set(old.evidence_file, '$.name', 'erased'))
begin
  select raise(abort, 'what was proposed is never changed');
end;
create trigger proposal_figures_never_change before update on proposal
when new.figures is not old.figures
begin
  select raise(abort, 'what was proposed is never changed');
end;
create trigger proposal_item_never_goes before delete on proposal_item begin
  select raise(abort, 'an item of a proposal is never removed');
end;
create trigger proposal_item_never_changes before update on proposal_item
when not (new.kind is old.kind and new.key is old.key and new.version is old.version)
  or (old.status <> 'open' and not (new.status is old.status and new.why is old.why))
  or (not (new.correction is old.correction and new.note is old.note and new.salt is old.salt
    and new.commitment is old.commitment) and not (old.kind = 'payout'
    and exists (select 1 from payout_row e where e.seq = cast(old.key as integer) and e.commitment is not null)
      and new.correction is null and new.note is null and new.salt is null and new.commitment is not null))
  or (old.status <> 'open' and new.correction is old.correction and new.note is old.note and new.salt is old.salt
    and new.commitment is old.commitment)
begin
  select raise(abort, 'what was proposed is never changed');
end;
create trigger review_note_never_goes before delete on review_note begin
  select raise(abort, 'a note is never removed');
end;
create trigger review_note_never_changes before update on review_note
when not (old.kind = 'payout' and exists (select 1 from payout_row e where e.seq = cast(old.key as integer)
  and e.commitment is not null) and new.note = ''
  and new.seq is old.seq and new.kind is old.kind and new.key is old.key and new.version is old.version
    and new.what is old.what and new.person_id is old.person_id and new.person is old.person
    and new.at_ms is old.at_ms and new.event_seq is old.event_seq)
begin
  select raise(abort, 'a note is never changed');
end;
create trigger contributor_never_goes before delete on contributor begin
  select raise(abort, 'who had a part in a batch is never forgotten');
end;
create trigger contributor_never_changes before update on contributor begin
  select raise(abort, 'who had a part in a batch is never changed');
end;
create trigger approved_row_never_goes before delete on approved_row begin
  select raise(abort, 'what was approved is never forgotten');
end;
create trigger approved_row_never_changes before update on approved_row begin
  select raise(abort, 'what was approved is never changed');
end;
create trigger approval_signature_never_goes before delete on approval_signature begin
  select raise(abort, 'a signature is never removed');
end;
create trigger approval_signature_never_changes before update on approval_signature begin
  select raise(abort, 'a signature is never changed');
end;
`;
