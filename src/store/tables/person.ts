/** Users, their tokens, sessions and keys. */
export const personTables = `
create table person (
  person_id integer primary key,
  name_key text not null unique,
  name text not null,
  display_name text not null,
  role text not null check (role in ('viewer', 'maker', 'checker', 'admin')),
  is_disabled integer not null,
  made_by integer references person,
  made_at_ms integer not null,
  handed_by integer references person,
  handed_at_ms integer not null,
  confirmed_by integer references person,
  admin_since_ms integer,
  stands_since_ms integer not null,
  last_sign_in_at_ms integer,
  password_hash text not null default '',
  must_change integer not null default 1,
  failed_tries integer not null default 0,
  locked_until_ms integer not null default 0
) strict;

create table person_token (
  token_id integer primary key,
  person_id integer not null references person,
  token_hash text not null unique check (length(token_hash) = 64),
  label text not null,
  made_at_ms integer not null,
  expires_at_ms integer not null,
  revoked_at_ms integer,
  last_used_at_ms integer
) strict;

create table person_change (
  change_id integer primary key,
  request text not null,
  status text not null,
  proposed_by integer not null references person,
  proposed_at_ms integer not null,
  seen text not null,
  ended_by integer references person,
  ended_at_ms integer,
  why text,
  first_half text
) strict;

create table person_session (
  session_hash text primary key check (length(session_hash) = 64),
  person_id integer not null references person,
  role text not null,
  made_at_ms integer not null,
  used_at_ms integer not null
) strict, without rowid;

create table passkey (
  credential_id text primary key,
  person_id integer not null references person,
  label text not null,
  public_key text not null,
  cose_key text not null,
  key_hash text not null unique check (length(key_hash) = 64),
  rp_id text not null,
  origin text not null,
  backup text not null check (backup in ('none', 'possible', 'done')),
  transports text not null,
  sign_count integer not null,
  enrolled_at_ms integer not null,
  confirmed_by text,
  confirmed_at_ms integer,
  revoked_by integer references person,
  revoked_at_ms integer,
  last_used_at_ms integer
) strict;

create trigger person_never_goes before delete on person begin
  select raise(abort, 'a person is never removed');
end;
create trigger person_token_never_goes before delete on person_token begin
  select raise(abort, 'a token is never removed');
end;
create trigger person_token_stays_revoked before update on person_token
when old.revoked_at_ms is not null and new.revoked_at_ms is not old.revoked_at_ms
  or new.token_hash is not old.token_hash or new.person_id is not old.person_id
  or new.expires_at_ms is not old.expires_at_ms
begin
  select raise(abort, 'a token that was revoked stays so');
end;
create trigger person_change_ends_once before update on person_change when old.status <> 'waiting' begin
  select raise(abort, 'a change that has ended is never changed');
end;
create trigger person_change_never_goes before delete on person_change begin
  select raise(abort, 'a change is never removed');
end;
create trigger passkey_never_goes before delete on passkey begin
  select raise(abort, 'a passkey is never removed');
end;
create trigger passkey_stays before update on passkey
when new.credential_id is not old.credential_id or new.person_id is not old.person_id
  or new.public_key is not old.public_key or new.cose_key is not old.cose_key or new.key_hash is not old.key_hash
  or new.rp_id is not old.rp_id or new.origin is not old.origin or new.enrolled_at_ms is not old.enrolled_at_ms
  or (old.confirmed_at_ms is not null
    and (new.confirmed_at_ms is not old.confirmed_at_ms or new.confirmed_by is not old.confirmed_by))
  or (old.revoked_at_ms is not null
    and (new.revoked_at_ms is not old.revoked_at_ms or new.revoked_by is not old.revoked_by))
begin
  select raise(abort, 'a passkey is what it was when it was enrolled, and one that was revoked stays so');
end;
`;
