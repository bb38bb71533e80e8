/** How long the parts of the watcher wait after a failure. */
import { expect, test } from 'vitest';
import { DiskWatch, keepGoing } from '../../src/watch/context.ts';
import { makeVirtualClock } from '../support/virtual-clock.ts';

test('what has failed for long is tried again as soon as the trouble is over', async () => {
  const clock = makeVirtualClock();
  let why: string | undefined = 'the database is away';
  const disk = new DiskWatch(
    clock,
    () => {},
    async () => why,
  );
  const triedAtMs: number[] = [];
  const working = keepGoing(
    { clock, disk, log: () => {}, stop: new AbortController().signal },
    'work',
    async () => {
      triedAtMs.push(clock.elapsedMs());
      if (why !== undefined) throw new Error(why);
      return 'done';
    },
  );
  await clock.advance(100_000);
  why = undefined;
  const before = triedAtMs.length;
  await disk.look();
  await clock.quieten();
  expect(triedAtMs.slice(before)).toEqual([100_000]);
  await working;
});

test('a sick journal is looked at again soon, however rarely a sound one is', async () => {
  const clock = makeVirtualClock();
  const stop = new AbortController();
  let why: string | undefined;
  const lookedAtMs: number[] = [];
  const disk = new DiskWatch(
    clock,
    () => {},
    async () => {
      lookedAtMs.push(clock.elapsedMs());
      return why;
    },
  );
  const looking = keepGoing({ clock, disk, log: () => {}, stop: stop.signal }, 'looking', () =>
    disk.lookLater(600_000, stop.signal),
  );
  why = 'the database is away';
  await clock.advance(604_000);
  why = undefined;
  await clock.advance(602_000);
  expect(lookedAtMs).toEqual([600_000, 602_000, 604_000, 606_000, 1_206_000]);
  stop.abort();
  await clock.drive(looking);
});
