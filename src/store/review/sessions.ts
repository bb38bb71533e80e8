/** Sessions in SQL: a row while a person is signed in. */
import { makeRowMapping } from '../../platform/record-rows.ts';
import type { SessionStore } from '../../review/ports.ts';
import type { PersonSession } from '../../review/rules/session.ts';
import { type BodiesOf, type Body, change, query, select, selectFirst } from '../statements.ts';

const records = makeRowMapping({ json: [], own: [] });

const removeSessions = () => query.deleteFrom('person_session');

export const sessionReads = {
  *session(sessionHash) {
    const row = yield* selectFirst(
      query.selectFrom('person_session').selectAll().where('session_hash', '=', sessionHash),
    );
    return row && records.toRecord<PersonSession>(row);
  },
  *sessionsOf(personId) {
    const rows = query.selectFrom('person_session').selectAll().where('person_id', '=', personId);
    const latestFirst = rows.orderBy('made_at_ms', 'desc').orderBy('session_hash');
    return (yield* select(latestFirst)).map((row) => records.toRecord<PersonSession>(row));
  },
} satisfies Partial<BodiesOf<SessionStore>>;

/** Ends all sessions of a person; inside the caller's transaction. */
export function* endSessionsOf(personId: number): Body<readonly string[]> {
  const ended = query.selectFrom('person_session').select('session_hash').where('person_id', '=', personId);
  const hashes = (yield* select(ended)).map((row) => row.session_hash);
  yield* change(removeSessions().where('person_id', '=', personId));
  return hashes;
}

/** Writes that are one transaction each. */
export const sessionWrites = {
  *startSession(session, endedBeforeMs, passwordHash) {
    yield* change(removeSessions().where('made_at_ms', '<', endedBeforeMs));
    if (passwordHash !== null) {
      const kept = query.selectFrom('person').select('password_hash');
      const row = yield* selectFirst(kept.where('person_id', '=', session.personId));
      if (row?.password_hash !== passwordHash) return false;
    }
    yield* change(query.insertInto('person_session').values(records.toRow(session)));
    return true;
  },
  *noteSessionUse(sessionHash, atMs) {
    const used = query.updateTable('person_session').set({ used_at_ms: atMs });
    yield* change(used.where('session_hash', '=', sessionHash));
  },
  *endSession(sessionHash) {
    yield* change(removeSessions().where('session_hash', '=', sessionHash));
  },
  endSessionsOf,
} satisfies Partial<BodiesOf<SessionStore>>;
