/** Sessions in SQL: a row while somebody is signed in. */
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { SessionStore } from '../../review/ports.ts';
import type { PersonSession } from '../../review/rules/session.ts';
import { type BodiesOf, change, query, selectFirst } from '../statements.ts';

const records = makeRowMapping({ json: [], own: [] });

const removeSessions = () => query.deleteFrom('person_session');

export const sessionReads = {
  *session(sessionHash) {
    const row = yield* selectFirst(
      query.selectFrom('person_session').selectAll().where('session_hash', '=', sessionHash),
    );
    return row && records.toRecord<PersonSession>(row);
  },
} satisfies Partial<BodiesOf<SessionStore>>;

/** Each in one transaction. */
export const sessionWrites = {
  *startSession(session, endedBeforeMs) {
    yield* change(removeSessions().where('made_at_ms', '<', endedBeforeMs));
    yield* change(query.insertInto('person_session').values(records.toRow(session)));
  },
  *noteSessionUse(sessionHash, atMs) {
    const used = query.updateTable('person_session').set({ used_at_ms: atMs });
    yield* change(used.where('session_hash', '=', sessionHash));
  },
  *endSession(sessionHash) {
    yield* change(removeSessions().where('session_hash', '=', sessionHash));
  },
  *endSessionsOf(personId) {
    yield* change(removeSessions().where('person_id', '=', personId));
  },
} satisfies Partial<BodiesOf<SessionStore>>;
