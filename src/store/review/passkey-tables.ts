/** Keys by which people sign approvals, and what they have signed. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { Passkey } from '../../review/rules/passkey.ts';
import type { ApprovalSignature } from '../../review/rules/signature.ts';

/** Bytes as base64url. confirmed_by: JSON. */
export const passkeyTables = `
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
create trigger approval_signature_never_goes before delete on approval_signature begin
  select raise(abort, 'a signature is never removed');
end;
create trigger approval_signature_never_changes before update on approval_signature begin
  select raise(abort, 'a signature is never changed');
end;
`;

/** As statements of Kysely's see them. */
export interface PasskeyTables {
  passkey: RowOf<Passkey>;
  approval_signature: RowOf<ApprovalSignature>;
}
