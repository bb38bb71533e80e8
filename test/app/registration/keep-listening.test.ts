/** Listening beside the work of a watcher: it waits for the port, and never ends the rest. */
import { expect, test } from 'vitest';
import { keepListening } from '../../../src/app/registration/watch.ts';
import { makeVirtualClock } from '../../support/virtual-clock.ts';

type Listening = Parameters<typeof keepListening>[0];

test('while nobody can listen it is tried again, said once for each reason, and the watcher lives on', async () => {
  const clock = makeVirtualClock();
  const stop = new AbortController();
  const said: string[] = [];
  let disposed = 0;
  const listening = {
    kind: 'listening',
    url: 'http://127.0.0.1:8090/callbacks',
    counts: { applied: 0, 'nothing-new': 0, repeated: 0, unknown: 0 },
    refused: {},
    [Symbol.asyncDispose]: async () => void (disposed += 1),
  } as const;
  const busy = { kind: 'busy', address: '127.0.0.1', port: 8090 } as const;
  const taken = { ...busy, kind: 'taken' } as const;
  const gone = new Error('registration.callbacks.keysFile keys.txt cannot be read (ENOENT)');
  const ways: (Awaited<ReturnType<Listening['open']>> | Error)[] = [
    busy,
    busy,
    taken,
    taken,
    gone,
    gone,
    listening,
  ];
  const work = keepListening({
    open: async () => {
      const way = ways.shift();
      if (way === undefined) throw new Error('it was asked once more');
      if (way instanceof Error) throw way;
      return way;
    },
    clock,
    stop: stop.signal,
    log: (level, message) => void said.push(`${level} ${message}`),
    onListening: ({ url }) => void said.push(url),
  });
  await clock.until(() => said.includes(listening.url), 60_000);
  expect(said).toEqual([
    'warn another process of this journal takes the callbacks: tried again until it ends',
    'error callbacks cannot be listened for: tried again',
    'error callbacks cannot be listened for: tried again',
    listening.url,
  ]);
  expect(disposed).toBe(0);
  stop.abort();
  await work;
  expect(disposed).toBe(1);
});
