/** Runs work one at a time for each key, in order of request; keys do not wait for one another. */
export class KeyedMutex {
  /** End of the latest turn of each key with turns under way or waiting. */
  readonly #ends = new Map<string, Promise<void>>();

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#ends.get(key);
    const { promise: ended, resolve: end } = Promise.withResolvers<void>();
    this.#ends.set(key, ended);
    try {
      await before;
      return await work();
    } finally {
      if (this.#ends.get(key) === ended) this.#ends.delete(key);
      end();
    }
  }
}
