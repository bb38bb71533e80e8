/**
 * Live pages: a stream says "changed" with the number of the latest change, and nothing else. Whoever hears it asks for
 * what he looks at again, as himself. A stream ends with its session.
 */
import { Readable } from 'node:stream';
import type { ChangeReader } from '../ports.ts';

export interface LiveTimes {
  /** Between two looks at the journal, while anybody listens. */
  readonly pollMs: number;
  /** Between two signs of life; the session is looked at as often. */
  readonly heartbeatMs: number;
}

export const usualTimes: LiveTimes = { pollMs: 1_000, heartbeatMs: 15_000 };

/** Of all people; further ones are refused. */
const streamsMax = 64;
/** Of one session: each is a tab that is looked at. */
const streamsOfSessionMax = 6;

interface Listener {
  readonly session: string;
  readonly stream: Readable;
  /** False once the session has ended. */
  readonly isOpen: () => Promise<boolean>;
  heardAtMs: number;
  /** The latest that it was told. */
  mark: string | undefined;
}

/** Those who listen, over one look at the journal for all of them. */
export class LiveFeed implements Disposable {
  readonly #store: ChangeReader;
  readonly #times: LiveTimes;
  readonly #onTrouble: (error: unknown) => void;
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(store: ChangeReader, times: LiveTimes, onTrouble: (error: unknown) => void) {
    this.#store = store;
    this.#times = times;
    this.#onTrouble = onTrouble;
  }

  /** @returns undefined where too many listen already */
  listen(session: string, isOpen: Listener['isOpen']): Readable | undefined {
    const ofSession = [...this.#listeners].filter((one) => one.session === session);
    if (this.#listeners.size >= streamsMax || ofSession.length >= streamsOfSessionMax) return undefined;
    const stream = new Readable({ read: () => {} });
    const listener: Listener = { session, stream, isOpen, heardAtMs: performance.now(), mark: undefined };
    this.#listeners.add(listener);
    stream.once('close', () => this.#forget(listener));
    stream.push(`retry: ${this.#times.pollMs * 5}\n\n`);
    this.#timer ??= setInterval(() => void this.#look(), this.#times.pollMs).unref();
    return stream;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    for (const { stream } of this.#listeners) stream.push(null);
  }

  #forget(listener: Listener): void {
    this.#listeners.delete(listener);
    if (this.#listeners.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const mark = await this.#store.changeMark();
      for (const listener of this.#listeners) await this.#speak(listener, mark);
    } catch (error) {
      // A page that is not live is a page all the same: the next look may succeed.
      this.#onTrouble(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** At first, and whenever it is another, the mark: whoever listens knows which one his page was made with. */
  async #speak(listener: Listener, mark: string): Promise<void> {
    const nowMs = performance.now();
    const isChanged = mark !== listener.mark;
    if (!isChanged && nowMs - listener.heardAtMs < this.#times.heartbeatMs) return;
    listener.heardAtMs = nowMs;
    if (!(await listener.isOpen())) {
      listener.stream.push(null);
      return;
    }
    listener.mark = mark;
    listener.stream.push(isChanged ? `event: changed\nid: ${mark}\ndata: ${mark}\n\n` : ': alive\n\n');
  }
}
