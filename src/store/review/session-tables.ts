/** Who is signed in on the page. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { PersonSession } from '../../review/rules/session.ts';

export const sessionTables = `
create table person_session (
  session_hash text primary key check (length(session_hash) = 64),
  person_id integer not null references person,
  role text not null,
  made_at_ms integer not null,
  used_at_ms integer not null
) strict, without rowid;
`;

/** As statements of Kysely's see it. */
export interface SessionTables {
  person_session: RowOf<PersonSession>;
}
