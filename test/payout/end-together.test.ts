/** How the parts of a run end. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { endTogether, RunState } from '../../src/payout/context.ts';
import { systemClock } from '../../src/platform/clock.ts';

test('what has broken a run first is told, once all its parts have ended', async () => {
  const run = new RunState(systemClock);
  const ended: string[] = [];
  const isBroken = once(run.broken.signal, 'abort');
  const dependent = async (): Promise<void> => {
    await isBroken;
    await new Promise(setImmediate);
    ended.push('dependent');
    throw new Error('nothing more can be asked');
  };
  const sound = async (): Promise<void> => {
    await isBroken;
    for (let turn = 0; turn < 5; turn += 1) await new Promise(setImmediate);
    ended.push('sound');
  };
  const first = async (): Promise<void> => {
    await new Promise(setImmediate);
    throw new Error('the disk is full');
  };
  await expect(endTogether({ run }, [dependent(), sound(), first()])).rejects.toThrow('the disk is full');
  expect(ended).toEqual(['dependent', 'sound']);
});

test('a run of which no part has failed ends without a word, even where it is broken from outside', async () => {
  const run = new RunState(systemClock);
  run.broken.abort();
  await endTogether({ run }, [Promise.resolve(), Promise.resolve()]);
});
