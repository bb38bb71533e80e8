/** A thread beside the program is small, whatever the program's own heap may grow to. */
import { once } from 'node:events';
import { setFlagsFromString } from 'node:v8';
import { expect, test } from 'vitest';
import { startThread } from '../../src/platform/thread.ts';

/** Lets many small things live on, which has a young generation grow as far as it may, and says how far that was. */
const source = `
const kept = [];
for (let place = 0; place < 300_000; place += 1) kept.push({ place });
const { getHeapSpaceStatistics } = require('node:v8');
const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
require('node:worker_threads').parentPort.postMessage(young.physical_space_size);`;

test("a thread's young generation stays small beside a program that was started with a large one", async () => {
  setFlagsFromString('--max-semi-space-size=16');
  const [bytes] = (await once(startThread(source, { eval: true }), 'message')) as [number];
  expect(bytes).toBeLessThan(4_000_000);
});
