/** Sessions of the page: the browser keeps a secret of chance, the journal its hash. */
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../core/ports.ts';
import type { PersonStore, SessionStore } from './ports.ts';
import { computeMomentAfterRestore, type Person } from './rules/people.ts';
import { isSessionOpen, isUseNoted, sessionLongestMs } from './rules/session.ts';
import type { Identified, PersonSource } from './tokens.ts';

export interface SessionContext {
  readonly store: Pick<PersonStore, 'persons'> & SessionStore;
  readonly clock: Pick<Clock, 'now'>;
  /** When the journal was last restored or lost. */
  readonly restoredAtMs: number | undefined;
}

const secretBytes = 32;

export const hashSession = (secret: string): string => createHash('sha256').update(secret).digest('hex');

/**
 * Somebody has proved who he is.
 * @param sinceMs when he began to: who replaced his password since then ends this
 * @returns the secret for his browser, which nobody knew before (no fixation)
 */
export async function startSession(
  { store, clock, restoredAtMs }: SessionContext,
  { personId, role }: Person,
  sinceMs: number,
): Promise<string> {
  const secret = randomBytes(secretBytes).toString('base64url');
  const nowMs = clock.now();
  const madeAtMs = computeMomentAfterRestore(sinceMs, restoredAtMs);
  const session = { sessionHash: hashSession(secret), personId, role, madeAtMs, usedAtMs: madeAtMs };
  await store.startSession(session, nowMs - sessionLongestMs);
  return secret;
}

const ended: Identified = { ok: false, why: 'sign in first' };

/**
 * Knows people by the secret of their session.
 * @param isUse false where a page asks by itself: that lengthens no session
 */
export const makeSessionSource = (
  { store, clock, restoredAtMs }: SessionContext,
  isUse = true,
): PersonSource<string | undefined> => ({
  async identify(secret) {
    if (secret === undefined || secret === '') return ended;
    const sessionHash = hashSession(secret);
    const session = await store.session(sessionHash);
    if (session === undefined) return ended;
    const { people } = await store.persons();
    const person = people.find(({ personId }) => personId === session.personId);
    const nowMs = clock.now();
    if (person === undefined || !isSessionOpen(session, person, nowMs, restoredAtMs)) {
      await store.endSession(sessionHash);
      return ended;
    }
    if (isUse && isUseNoted(session, nowMs)) await store.noteSessionUse(sessionHash, nowMs);
    return { ok: true, person, proof: 'session' };
  },
});
