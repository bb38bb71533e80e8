/** How the parts of a run end. */
import { once } from 'node:events';
import { expect, test } from 'vitest';
import type { Clock } from '../../src/core/ports.ts';
import { runWithBackground, RunState, type WorkerContext } from '../../src/payout/context.ts';
import { Repetitions } from '../../src/payout/settle.ts';
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
  const ends = new AbortController();
  const ending = runWithBackground({ run }, dependent(), ends, [sound(), first()]);
  await expect(ending).rejects.toThrow('the disk is full');
  expect(ended).toEqual(['dependent', 'sound']);
});

test('a failure that was noted while others were under way comes before what failed because of it', async () => {
  const run = new RunState(systemClock);
  const first = async (): Promise<void> => {
    run.noteFailure(new Error('the disk is full'));
    await once(run.broken.signal, 'abort');
    throw new Error('the disk is full, as all know by now');
  };
  const ending = runWithBackground({ run }, first(), new AbortController(), [
    Promise.reject(new Error('nothing more can be asked')),
  ]);
  await expect(ending).rejects.toThrow(/^the disk is full$/);
});

test('what goes on beside the work is told to end when the work has, and knows by then that it has failed', async () => {
  for (const isFailing of [false, true]) {
    const run = new RunState(systemClock);
    const ends = new AbortController();
    let wasBroken: boolean | undefined;
    ends.signal.addEventListener('abort', () => (wasBroken = run.broken.signal.aborted));
    const work = async (): Promise<void> => {
      await new Promise(setImmediate);
      if (isFailing) throw new Error('the disk is full');
    };
    const ending = runWithBackground({ run }, work(), ends, [once(ends.signal, 'abort')]);
    if (isFailing) await expect(ending).rejects.toThrow('the disk is full');
    else await ending;
    expect(wasBroken).toBe(isFailing);
  }
});

test('what a repetition has met is noted at once, and wakes whoever has begun it', async () => {
  // What is waited for is the word, and never the time.
  const sleep: Clock['sleep'] = async (_ms, signal) => {
    if (signal?.aborted === false) await once(signal, 'abort');
  };
  const run = new RunState({ ...systemClock, sleep });
  const transfers = { openLane: () => (work: () => Promise<void>) => work() };
  const adaptiveLimits = { transfers } as unknown as WorkerContext['adaptiveLimits'];
  const repetitions = new Repetitions({ adaptiveLimits, run });
  const waiting = run.waitForWork(60_000, new AbortController().signal);
  repetitions.begin(async () => Promise.reject(new Error('the disk is full')));
  await waiting;
  const later = runWithBackground(
    { run },
    Promise.reject(new Error('as all know by now')),
    new AbortController(),
    [],
  );
  await expect(later).rejects.toThrow('the disk is full');
  await expect(repetitions.end()).rejects.toThrow('the disk is full');
});
