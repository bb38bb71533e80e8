/** Limits the connections of one person to the page, so that others find some free. */
import type { Socket } from 'node:net';

/** The connections and requests of one holder. */
interface Held {
  /** The requests that are not yet answered. */
  requests: number;
  /** The connections on which the holder asked last, idle ones included. */
  readonly sockets: Set<Socket>;
}

/** `close`: the connection ends with the answer; `refuse`: the only answer is that there are too many. */
type Admission = 'keep' | 'close' | 'refuse';

/** Counts connections by their holders. */
export class ConnectionShares {
  readonly #max: number;
  readonly #holders = new Map<string, Held>();
  readonly #holderOf = new WeakMap<Socket, string>();

  /** @param max the limit for one holder */
  constructor(max: number) {
    this.#max = max;
  }

  /** Begins a request. The caller calls `end` once, when the request is over. */
  begin(holder: string, socket: Socket): { readonly admission: Admission; readonly end: () => void } {
    const held = this.#take(holder, socket);
    held.requests += 1;
    const end = (): void => {
      held.requests -= 1;
      this.#drop(holder, held);
    };
    if (held.requests > this.#max) return { admission: 'refuse', end };
    return { admission: held.sockets.size > this.#max ? 'close' : 'keep', end };
  }

  /** Assigns a connection to its latest holder: behind a proxy, a connection carries requests of many. */
  #take(holder: string, socket: Socket): Held {
    const before = this.#holderOf.get(socket);
    if (before !== holder) {
      if (before === undefined) socket.once('close', () => this.#release(socket));
      else this.#release(socket);
      this.#holderOf.set(socket, holder);
    }
    const held = this.#holders.get(holder) ?? { requests: 0, sockets: new Set() };
    held.sockets.add(socket);
    this.#holders.set(holder, held);
    return held;
  }

  #release(socket: Socket): void {
    const holder = this.#holderOf.get(socket) ?? '';
    const held = this.#holders.get(holder);
    if (held === undefined) return;
    held.sockets.delete(socket);
    this.#drop(holder, held);
  }

  #drop(holder: string, held: Held): void {
    if (held.requests === 0 && held.sockets.size === 0) this.#holders.delete(holder);
  }
}
