/** How many connections of the page one person has at once: the others find some left. */
import type { Socket } from 'node:net';

/** What one holder has. */
interface Held {
  /** Requests that are not answered to their end. */
  requests: number;
  /** Connections on which the holder asked last, idle ones too. */
  readonly sockets: Set<Socket>;
}

/** `close`: the connection ends with the answer; `refuse`: there is no answer but that there are too many. */
export type Admission = 'keep' | 'close' | 'refuse';

/** Counts connections by who asks on them. */
export class ConnectionShares {
  readonly #max: number;
  readonly #holders = new Map<string, Held>();
  readonly #holderOf = new WeakMap<Socket, string>();

  /** @param max of one holder */
  constructor(max: number) {
    this.#max = max;
  }

  /** A request begins; `end` is called once, when it is over. */
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

  /** A connection belongs to the one who asked on it last: behind a proxy it carries requests of many. */
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
