/** A way from a program to a server that can be cut: a TCP proxy, which a network is at its worst. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface CuttableLink extends AsyncDisposable {
  readonly port: number;
  /** Breaks all connections that there are; new ones are let through. */
  cut(): void;
  /** What the server says is kept back for a while, what it is told still comes through; then all connections break. */
  loseAnswers(forMs: number): Promise<void>;
  /** Nothing comes through in either direction for a while, as on a dead network; then it goes on. */
  stall(forMs: number): Promise<void>;
  /** All connections break, and none is taken for a while. */
  close(forMs: number): Promise<void>;
  /** The same until it is disposed of. */
  shut(): Disposable;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
}

/**
 * Resets a connection. Node cannot while the connection is being shut down: the attempt fails (EINVAL), leaves the handle
 * open for good, and has the process spin when it is to end.
 */
function breakConnection(socket: Socket): void {
  const isShuttingDown = socket.writableEnded && socket.writableLength === 0 && !socket.writableFinished;
  if (isShuttingDown) socket.once('finish', () => socket.resetAndDestroy());
  else socket.resetAndDestroy();
}

const breakPair = ({ near, far }: Pair): void => {
  breakConnection(near);
  breakConnection(far);
};

function join({ near, far }: Pair): void {
  near.pipe(far);
  far.pipe(near);
}

function part({ near, far }: Pair): void {
  near.unpipe(far);
  far.unpipe(near);
}

/** @param to the server's port on this machine */
export async function openCuttableLink(to: number): Promise<CuttableLink> {
  const pairs = new Set<Pair>();
  let isClosed = false;
  /** Resolves when what is stalled goes on. */
  let going: Promise<unknown> = Promise.resolve();
  const proxy = createServer({ noDelay: true }, (near) => {
    if (isClosed) {
      near.on('error', () => {});
      breakConnection(near);
      return;
    }
    const far = connect({ port: to, host: '127.0.0.1', noDelay: true });
    const pair = { near, far };
    pairs.add(pair);
    for (const socket of [near, far]) {
      socket.on('error', () => breakPair(pair));
      socket.on('close', () => {
        pairs.delete(pair);
        breakPair(pair);
      });
    }
    void going.then(() => join(pair));
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  if (address === null || typeof address === 'string') throw new Error('no port is free');
  const cut = (): void => {
    for (const pair of pairs) breakPair(pair);
  };
  const shut = (): Disposable => {
    isClosed = true;
    cut();
    return { [Symbol.dispose]: () => void (isClosed = false) };
  };
  return {
    port: address.port,
    cut,
    loseAnswers: async (forMs) => {
      const silent = [...pairs];
      for (const { far, near } of silent) far.unpipe(near);
      await sleep(forMs);
      for (const pair of silent) breakPair(pair);
    },
    stall: async (forMs) => {
      const stalled = [...pairs];
      for (const pair of stalled) part(pair);
      going = sleep(forMs);
      await going;
      for (const pair of stalled) join(pair);
    },
    shut,
    close: async (forMs) => {
      using _ = shut();
      await sleep(forMs);
    },
    [Symbol.asyncDispose]: async () => {
      isClosed = true;
      cut();
      proxy.close();
      await once(proxy, 'close');
    },
  };
}
