/** The simulation can fail: deliberate bugs are found. `npm run simulate -- --mutations` tries them all. */
import { describe, expect, test } from 'vitest';
import { catchMutation, seedsFor } from './catch-mutations.ts';
import { mutations } from './mutations.ts';

/**
 * Some of each kind, tried each time, each from a seed on that has found it once; the others when the simulation is asked to. A change of
 * the simulation may need other seeds: the search goes on to all of them.
 */
const alwaysTried = [
  ['sent before the intent is durable', 1],
  ['sent again on another day', 25],
  ['a number is burnt by each refusal', 2],
  ['simply sent again after a restart', 94],
  ['a timeout called failed', 2],
  ['EM001 taken for success', 20],
  ['IC000 without our references believed', 40],
  ['a failed item is believed whatever its own code', 488],
  ['the HTTP status is read before the body', 11],
  ['a refusal without our requestUID is believed', 38],
  ['a row that was sent is cancelled without asking the bank', 77],
  ['a new attempt without inquiring about the earlier ones', 2],
  ['what was sealed and what is paid are not compared', 1],
  ['zeros behind the point of a payoutId make another one', 36],
  ['a limit of the day looked at before the intent alone', 1],
  ['a statement fails what is under way', 16],
  ['a proof thrown away when a statement was read meanwhile', 57],
  ['a line failed by its STATUS alone', 128],
  ['somebody checks his own proposal', 3],
  ['the number of what is paid is released', 3],
  ['the intent does not look for the approval', 45],
  ['a registration is sent before its intent is durable', 2],
  ['a callback is answered before it is durable', 1],
  ['the search asks under the terminal of today alone', 4],
  ['a refused send of an older journal has moved nothing', 773_645],
] as const;

describe('a deliberate bug is found', () => {
  test.each(alwaysTried)('%s', async (name, first) => {
    const mutation = mutations.find((one) => one.name === name);
    expect(mutation).toBeDefined();
    if (mutation === undefined) return;
    const { seed, broken } = await catchMutation(mutation, seedsFor(mutation), first);
    expect(seed, 'no seed has found it').toBeDefined();
    expect(broken).not.toBe('');
  });
});

test('the code as it is is not', async () => {
  expect(await catchMutation(undefined, 40)).toMatchObject({ seed: undefined, broken: '' });
});
