/** Users, their tokens, and the chained history of both. */
import type { PersonChange } from '../../review/rules/person-request.ts';
import type { PersonEvent } from '../../review/rules/chain.ts';
import type { PasswordTries } from '../../review/rules/password.ts';
import type { Person } from '../../review/rules/people.ts';
import type { PersonToken } from '../../review/ports.ts';
import type { RowOf } from '../../platform/record-rows.ts';
import { chainedHistoryTable, chainedHistoryTriggers } from './chained-history.ts';

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

-- subject: a person, or 0.
${chainedHistoryTable('person_event', 'integer not null')}
-- request: JSON. first_half: of a one-time password, while it waits.
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

${chainedHistoryTriggers('person_event', 'a person')}
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
`;

/** As statements of Kysely's see them. */
export interface PersonTables {
  person: Omit<RowOf<Person & PasswordTries>, 'is_disabled'> & {
    readonly is_disabled: number;
    readonly name_key: string;
    readonly password_hash: string;
    readonly must_change: number;
  };
  person_token: RowOf<PersonToken> & { readonly token_hash: string };
  person_event: RowOf<PersonEvent>;
  person_change: RowOf<PersonChange>;
}
