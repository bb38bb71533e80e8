/** The life of a person's session on the page. */
import { isBeforeRestore, type Person, type Role } from './people.ts';

/** A session of a person. */
export interface PersonSession {
  /** SHA-256 (hex) of the secret in the browser. */
  readonly sessionHash: string;
  readonly personId: number;
  /** The role at the start; a change of role requires a new sign-in. */
  readonly role: Role;
  readonly madeAtMs: number;
  /** The moment at which the person last asked for a page; a page's own polling does not count. */
  readonly usedAtMs: number;
}

const minuteMs = 60_000;
/** The limit without a page asked for. @forTests */
export const sessionIdleMs = 30 * minuteMs;
/** The limit after which a new sign-in is required, despite use. */
export const sessionLongestMs = 10 * 60 * minuteMs;
/** The least time between two recorded uses, so that not every use writes to the journal. */
const useNotedEveryMs = minuteMs;

export const isUseNoted = ({ usedAtMs }: PersonSession, nowMs: number): boolean =>
  nowMs - usedAtMs >= useNotedEveryMs;

/** True while the session is valid for the person's present state. A clock that was set back ends it, too. */
export function isSessionOpen(
  { role, madeAtMs, usedAtMs }: PersonSession,
  person: Person,
  nowMs: number,
  restoredAtMs: number | undefined,
): boolean {
  return (
    !person.isDisabled &&
    person.role === role &&
    // The session ends when a password is handed out, or the person enabled, after its start.
    Math.max(person.standsSinceMs, person.handedAtMs) <= madeAtMs &&
    !isBeforeRestore(madeAtMs, restoredAtMs) &&
    madeAtMs <= nowMs &&
    nowMs - madeAtMs < sessionLongestMs &&
    nowMs - usedAtMs < sessionIdleMs
  );
}
