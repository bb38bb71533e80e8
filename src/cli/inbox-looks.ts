/** How long the watcher has been waiting for its inbox: a share that hangs throws no error, it just never answers. */
import type { Intake } from '../watch/ports.ts';

export class InboxLooks {
  readonly #elapsedMs: () => number;
  #sinceMs: number | undefined;

  /** @param elapsedMs milliseconds of a clock that nobody sets */
  constructor(elapsedMs: () => number = () => performance.now()) {
    this.#elapsedMs = elapsedMs;
  }

  /** How long the look that is under way has taken; undefined when none is. */
  get underWayMs(): number | undefined {
    return this.#sinceMs === undefined ? undefined : this.#elapsedMs() - this.#sinceMs;
  }

  /** Looks, and counts the time. One look at a time. */
  async time<T>(look: () => Promise<T>): Promise<T> {
    this.#sinceMs = this.#elapsedMs();
    try {
      return await look();
    } finally {
      this.#sinceMs = undefined;
    }
  }

  /** The same folders, with the time of each look counted. */
  watch(intake: Intake): Intake {
    return {
      recover: () => this.time(() => intake.recover()),
      take: (max) => this.time(() => intake.take(max)),
      get view() {
        return intake.view;
      },
      waitForNews: (stop) => intake.waitForNews(stop),
      isUntouched: (item) => intake.isUntouched(item),
      end: (item, end) => intake.end(item, end),
      [Symbol.asyncDispose]: () => intake[Symbol.asyncDispose](),
    };
  }
}
