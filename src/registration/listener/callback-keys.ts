/** The keys that the bank may call with. They are compared in constant time, whatever is given. */
import { hash, timingSafeEqual } from 'node:crypto';

/** Of one length for every key, so that no comparison tells how long one is. */
const digest = (key: string): Buffer => hash('sha256', key, 'buffer');

export class CallbackKeys {
  #digests: readonly Buffer[];

  constructor(keys: readonly string[]) {
    this.#digests = keys.map(digest);
  }

  /** From now on these are taken, and no others. */
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
