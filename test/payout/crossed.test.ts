/** What an operator cancels at the very moment at which a run decides about the same batch. */
import { expect, test } from 'vitest';
import { cancelBatch, cancelledReason } from '../../src/payout/operator.ts';
import { followPayer } from '../../src/payout/run-batch.ts';
import type { Journal } from '../../src/store/store.ts';
import { lost } from '../support/core-fixtures.ts';
import { firstReady, intentOf } from '../support/journal-fixtures.ts';
import { minuteMs, stage, type Theatre } from '../support/theatre.ts';

const cancel = async (theatre: Theatre, batchId: string) =>
  cancelBatch(theatre.journal, await theatre.batch(batchId), theatre.now());

/** The journal of a theatre; before the first move to `running` something else is done. */
function crossedBy({ journal }: Theatre, cross: () => Promise<unknown>): Journal {
  let isCrossed = false;
  const moveBatch: Journal['moveBatch'] = async (...asked) => {
    if (!isCrossed && asked[1] === 'running') {
      isCrossed = true;
      await cross();
    }
    return journal.moveBatch(...asked);
  };
  return new Proxy(journal, {
    get: (target, name) => (name === 'moveBatch' ? moveBatch : (Reflect.get(target, name) as unknown)),
  });
}

/** A batch that was interrupted: some of it is in doubt and unknown to the bank, the rest was never sent. */
async function interruptOnce(theatre: Theatre, batchId: string): Promise<void> {
  const interrupted = new AbortController();
  theatre.script.transfer = () => {
    interrupted.abort();
    return lost;
  };
  await theatre.run(batchId, { interrupted: interrupted.signal, transferConcurrency: 1 });
  expect(await theatre.batch(batchId)).toMatchObject({ status: 'paused', reasonCode: 'interrupted' });
  expect(Object.keys(await theatre.statuses(batchId)).toSorted()).toEqual(['ready', 'submitted']);
}

test('a batch that is cancelled as its next run begins stays so: nothing of it is sent again', async () => {
  await using one = await stage(8, () => ({}));
  const { theatre, batchId } = one;
  await interruptOnce(theatre, batchId);
  const sentBefore = theatre.sent.length;
  const journal = crossedBy(theatre, () => cancel(theatre, batchId));
  await theatre.run(batchId, { journal, waitMs: 60 * minuteMs });
  expect(theatre.sent).toHaveLength(sentBefore);
  expect((await theatre.batch(batchId)).status).not.toBe('running');
  expect((await theatre.statuses(batchId))['cancelled']).toBe(8 - sentBefore);
});

test('a batch that is cancelled as another payer account halts it stays so', async () => {
  await using one = await stage(8, () => ({}));
  const { theatre, batchId } = one;
  await interruptOnce(theatre, batchId);
  const journal = crossedBy(theatre, () => cancel(theatre, batchId));
  const seen = await theatre.batch(batchId);
  const followed = await followPayer(journal, seen, '0000999999', () => {}, theatre.now());
  expect(followed).toMatchObject({ status: 'halted', reasonCode: cancelledReason.code });
  expect(await theatre.batch(batchId)).toEqual(followed);
});

test('a batch that begins as it is cancelled sends nothing more, also of what comes back unsent', async () => {
  await using one = await stage(2, () => ({}));
  const { theatre, batchId } = one;
  const { journal } = theatre;
  const begin = async (): Promise<void> => {
    await journal.moveBatch(batchId, 'running', null, theatre.now());
    await journal.apply([intentOf(await firstReady(journal, batchId)).change]);
  };
  const moveBatch: Journal['moveBatch'] = async (...asked) => {
    if ((await theatre.batch(batchId)).status === 'sealed') await begin();
    return journal.moveBatch(...asked);
  };
  const crossed = new Proxy(journal, {
    get: (target, name) => (name === 'moveBatch' ? moveBatch : (Reflect.get(target, name) as unknown)),
  });
  await cancelBatch(crossed, await theatre.batch(batchId), theatre.now());
  expect(await theatre.batch(batchId)).toMatchObject({
    status: 'halted',
    reasonCode: cancelledReason.code,
  });
  expect(await theatre.statuses(batchId)).toEqual({ cancelled: 1, submitted: 1 });
});
