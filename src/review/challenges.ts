/**
 * Challenges that wait for a signature: each valid once, for five minutes, for one session of one person. They live in
 * memory: another process, or this one after a restart, asks again.
 */
import { randomBytes } from 'node:crypto';

const lifeMs = 300_000;
/** The limit for one session: one challenge for each open tab. */
const ofSessionMax = 8;
const atOnceMax = 10_000;
const nonceBytes = 32;

/** The session and the person of a challenge. */
export interface ChallengeOwner {
  readonly sessionHash: string;
  readonly personId: number;
}

interface Kept<Matter> extends ChallengeOwner {
  readonly matter: Matter;
  readonly untilMs: number;
}

export const makeNonce = (): string => randomBytes(nonceBytes).toString('base64url');

export class Challenges<Matter> {
  readonly #kept = new Map<string, Kept<Matter>>();

  /** @param challenge base64url, as the browser returns it */
  keep(challenge: string, matter: Matter, { sessionHash, personId }: ChallengeOwner, nowMs: number): void {
    const all = [...this.#kept];
    const over = all.filter(([, one]) => one.untilMs <= nowMs);
    const own = all.filter(([, one]) => one.sessionHash === sessionHash);
    // A map keeps its order, so the oldest go first.
    const tooMany = own.slice(0, Math.max(0, own.length - ofSessionMax + 1));
    const surplus = all.slice(0, Math.max(0, all.length - atOnceMax + 1));
    for (const [old] of [...over, ...tooMany, ...surplus]) this.#kept.delete(old);
    this.#kept.set(challenge, { matter, sessionHash, personId, untilMs: nowMs + lifeMs });
  }

  /** Takes the matter of a challenge, which any attempt uses up; undefined when it is over or another person's. */
  take(challenge: string, { sessionHash, personId }: ChallengeOwner, nowMs: number): Matter | undefined {
    const kept = this.#kept.get(challenge);
    this.#kept.delete(challenge);
    if (kept === undefined || kept.sessionHash !== sessionHash || kept.personId !== personId)
      return undefined;
    return nowMs < kept.untilMs ? kept.matter : undefined;
  }
}
