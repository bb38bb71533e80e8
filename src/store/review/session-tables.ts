/** Who is signed in on the page. */
import type { RowOf } from '../../platform/record-rows.ts';
import type { PersonSession } from '../../review/rules/session.ts';

/** As statements of Kysely's see it. */
export interface SessionTables {
  person_session: RowOf<PersonSession>;
}
