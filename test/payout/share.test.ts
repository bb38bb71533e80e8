/** What a machine tells the others of the shards that it has. */
import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Share } from '../../src/payout/share.ts';

const shardOf = (shardId: number) => ({
  shardId,
  batchId: 'ABCDEFGHJK',
  fromRow: shardId,
  toRow: shardId,
  isLeft: false,
});

/** A journal that is done with an end when it is told to, and what it was asked for. */
function makeSlowJournal() {
  const [ended, finish]: [number[], (() => void)[]] = [[], []];
  let shards = 0;
  const store = {
    claimShard: async () => shardOf((shards += 1)),
    endShard: async (shardId: number) => {
      ended.push(shardId);
      await new Promise<void>((end) => void finish.push(end));
    },
  };
  return { ended, finish, store: store as unknown as ConstructorParameters<typeof Share>[0] };
}

test('a shard is ended once, though the next one is asked for meanwhile', async () => {
  const { ended, finish, store } = makeSlowJournal();
  const share = new Share(store, () => 1);
  const asked = { rowsMax: 10, afterRow: undefined };
  const first = await share.claim('ABCDEFGHJK', asked);
  if (first === undefined) throw new Error('there is no shard');
  const ending = share.end(first);
  const claiming = share.claim('ABCDEFGHJK', asked);
  await turn();
  expect(ended).toEqual([1]);
  finish.shift()?.();
  expect(await claiming).toMatchObject({ shardId: 2 });
  await ending;
  expect(ended).toEqual([1]);
});
