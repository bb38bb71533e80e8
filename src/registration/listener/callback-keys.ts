/** The keys that the bank may call with, compared in constant time. */
import { hash, timingSafeEqual } from 'node:crypto';

/** A digest has one length for every key, so that no comparison reveals the length of a key. */
const digest = (key: string): Buffer => hash('sha256', key, 'buffer');

export class CallbackKeys {
  #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digest);
  }

  /** Replaces the keys: only these are accepted from now on. */
  replace(keys: readonly string[]): void {
    this.#digests = keys.map(digest);
  }

  /** True for any of the keys; all of them are compared each time. */
  has(given: string): boolean {
    const givenDigest = digest(given);
    let isOne = false;
    for (const known of this.#digests) {
      const isSame = timingSafeEqual(known, givenDigest);
      isOne ||= isSame;
    }
    return isOne;
  }
}
