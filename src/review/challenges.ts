/**
 * What people are asked to sign, until they have: each good once, for five minutes, for one session of one person. It is
 * kept in memory: whoever asks another process, or after a restart, is asked anew.
 */
import { randomBytes } from 'node:crypto';

const lifeMs = 300_000;
/** Of one session: tabs that are open at once. */
const ofSessionMax = 8;
const atOnceMax = 10_000;
const nonceBytes = 32;

/** Who is asked. */
export interface Asked {
  readonly sessionHash: string;
  readonly personId: number;
}

interface Kept<Matter> extends Asked {
  readonly matter: Matter;
  readonly untilMs: number;
}

export const makeNonce = (): string => randomBytes(nonceBytes).toString('base64url');

export class Challenges<Matter> {
  readonly #kept = new Map<string, Kept<Matter>>();

  /** @param challenge as the browser will hand it back: base64url */
  keep(challenge: string, matter: Matter, { sessionHash, personId }: Asked, nowMs: number): void {
    const all = [...this.#kept];
    const over = all.filter(([, one]) => one.untilMs <= nowMs);
    const own = all.filter(([, one]) => one.sessionHash === sessionHash);
    // A map keeps its order: the oldest go first.
    const tooMany = own.slice(0, Math.max(0, own.length - ofSessionMax + 1));
    const surplus = all.slice(0, Math.max(0, all.length - atOnceMax + 1));
    for (const [old] of [...over, ...tooMany, ...surplus]) this.#kept.delete(old);
    this.#kept.set(challenge, { matter, sessionHash, personId, untilMs: nowMs + lifeMs });
  }

  /** What was asked by a challenge, which is used up whoever brings it; undefined when it is not for this person, or over. */
  take(challenge: string, { sessionHash, personId }: Asked, nowMs: number): Matter | undefined {
    const kept = this.#kept.get(challenge);
    this.#kept.delete(challenge);
    if (kept === undefined || kept.sessionHash !== sessionHash || kept.personId !== personId)
      return undefined;
    return nowMs < kept.untilMs ? kept.matter : undefined;
  }
}
