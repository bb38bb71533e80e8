/**
 * Live pages: a stream says "changed" with the number of the latest change, and nothing else. The listening page then
 * requests its content again, with its own session. A stream ends with its session.
 */
import { Readable } from 'node:stream';
import type { Log } from '../../core/ports.ts';
import type { ChangeReader } from '../ports.ts';

interface LiveTimes {
  /** The interval in milliseconds between reads of the journal, while any page listens. */
  readonly pollMs: number;
  /** The interval in milliseconds between heartbeats and checks of the session. */
  readonly heartbeatMs: number;
}

const usualTimes: LiveTimes = { pollMs: 1_000, heartbeatMs: 15_000 };

/** The limit over all people; further streams are refused. */
const streamsMax = 64;
/** The limit for one session, one for each open tab. */
const streamsOfSessionMax = 6;

interface Listener {
  readonly session: string;
  readonly stream: Readable;
  /** False once the session has ended. */
  readonly isOpen: () => Promise<boolean>;
  heardAtMs: number;
  /** The latest mark that was sent. */
  mark: string | undefined;
}

/** The listeners, served by one read of the journal for all. */
export class LiveFeed implements Disposable {
  readonly #store: ChangeReader;
  readonly #times: LiveTimes;
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  #timer: NodeJS.Timeout | undefined;
  #isLooking = false;

  constructor(store: ChangeReader, log: Log, times = usualTimes) {
    this.#store = store;
    this.#log = log;
    this.#times = times;
  }

  /** @returns undefined at the limit of listeners */
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
      // A page works without live updates; the next read may succeed.
      this.#log('error', 'the review page could not look for changes', { err: error });
    } finally {
      this.#isLooking = false;
    }
  }

  /** Sends the mark at first and after each change; the listener compares it with the mark of its page. */
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
