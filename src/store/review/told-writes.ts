/** Writes that the history of people records, in the same transaction: an audit holds their tables against it. */
import type { ApprovalStore, SessionStore } from '../../review/ports.ts';
import { digestSecret } from '../../review/rules/chain.ts';
import { type BodiesOf, query, selectFirst } from '../statements.ts';
import { approvalWrites } from './approvals.ts';
import { appendPersonEvent } from './person-chain.ts';
import { sessionWrites } from './sessions.ts';

/** Writes that are one transaction each. */
export const reportedWrites = {
  *keepUpload(batchId, personId, nowMs) {
    const hand = { batch_id: batchId, person_id: personId, part: 'uploaded' } as const;
    const known = query.selectFrom('contributor').select('person_id');
    if ((yield* selectFirst(known.where(({ and }) => and(hand)))) !== undefined) return;
    yield* approvalWrites.keepUpload(batchId, personId);
    const who = { subject: personId, byPerson: personId, proof: null };
    yield* appendPersonEvent({ ...who, kind: 'uploaded', atMs: nowMs, facts: { batchId }, cells: {} });
  },
  *startSession(session, endedBeforeMs, passwordHash) {
    if (!(yield* sessionWrites.startSession(session, endedBeforeMs, passwordHash))) return false;
    const { personId, role, madeAtMs, sessionHash } = session;
    const who = { subject: personId, byPerson: personId, proof: null };
    const facts = { sessionDigest: digestSecret(sessionHash), role };
    yield* appendPersonEvent({ ...who, kind: 'session-begun', atMs: madeAtMs, facts, cells: {} });
    return true;
  },
} satisfies Partial<BodiesOf<ApprovalStore & SessionStore>>;
