/** How long somebody who has signed in on the page stays so. */
import { isBeforeRestore, type Person, type Role } from './people.ts';

/** Somebody signed in. */
export interface PersonSession {
  /** SHA-256 (hex) of what the browser keeps. */
  readonly sessionHash: string;
  readonly personId: number;
  /** As it was then: with another role one signs in anew. */
  readonly role: Role;
  readonly madeAtMs: number;
  /** When the person last asked for a page; pages that ask by themselves do not count. */
  readonly usedAtMs: number;
}

const minuteMs = 60_000;
/** Without a page asked for. */
export const sessionIdleMs = 30 * minuteMs;
/** After which one signs in anew, whatever one does. */
export const sessionLongestMs = 10 * 60 * minuteMs;
/** A use is noted once in a while: it is no reason to write to the journal each time. */
const useNotedEveryMs = minuteMs;

export const isUseNoted = ({ usedAtMs }: PersonSession, nowMs: number): boolean =>
  nowMs - usedAtMs >= useNotedEveryMs;

/** True while the session is its person's, as he is now. A clock that was set back ends it, too. */
export function isSessionOpen(
  { role, madeAtMs, usedAtMs }: PersonSession,
  person: Person,
  nowMs: number,
  restoredAtMs: number | undefined,
): boolean {
  return (
    !person.isDisabled &&
    person.role === role &&
    // A password handed out, or the person enabled, after it began.
    Math.max(person.standsSinceMs, person.handedAtMs) <= madeAtMs &&
    !isBeforeRestore(madeAtMs, restoredAtMs) &&
    madeAtMs <= nowMs &&
    nowMs - madeAtMs < sessionLongestMs &&
    nowMs - usedAtMs < sessionIdleMs
  );
}
