/** Processes that can be killed at any step, in the process of the test. */
import type { PayoutFileReader, ReadPart } from '../../src/intake/ports.ts';

/** Whether a process is still there. */
export class Mortality {
  isDead = false;
  readonly #readings = new Set<AsyncIterator<ReadPart>>();

  /** The same reader, whose open files `bury` closes. */
  wrapReader(reader: PayoutFileReader): PayoutFileReader {
    return {
      inspect: (path) => reader.inspect(path),
      read: (inspection) => {
        const reading = reader.read(inspection)[Symbol.asyncIterator]();
        this.#readings.add(reading);
        return { [Symbol.asyncIterator]: () => reading };
      },
    };
  }

  /** What a system does with the open files of a process that was killed. */
  async bury(): Promise<void> {
    this.isDead = true;
    for (const reading of this.#readings) await reading.return?.();
  }

  /** The same object, whose methods never end once the process is dead. */
  wrap<T extends object>(whole: T, before: () => object = () => ({})): T {
    return new Proxy(whole, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (!isMethod(value) || typeof key === 'symbol') return value;
        return (...args: unknown[]): unknown => {
          const step: unknown = Reflect.get(before(), key);
          const work = (): unknown => Reflect.apply(value, target, args);
          if (isMethod(step)) return this.#doBoth(() => step(...args), work);
          const result = this.isDead ? never() : work();
          return result instanceof Promise ? this.#whileAlive(result) : result;
        };
      },
    });
  }

  async #doBoth(step: () => unknown, work: () => unknown): Promise<unknown> {
    await this.#whileAlive(Promise.resolve().then(step));
    return this.#whileAlive(Promise.resolve().then(work));
  }

  async #whileAlive(work: Promise<unknown>): Promise<unknown> {
    if (this.isDead) return never();
    try {
      const result = await work;
      return this.isDead ? await never() : result;
    } catch (error) {
      if (this.isDead) return never();
      throw error;
    }
  }
}

type Method = (...args: unknown[]) => unknown;
const isMethod = (value: unknown): value is Method => typeof value === 'function';

const never = (): Promise<never> => new Promise<never>(() => undefined);
