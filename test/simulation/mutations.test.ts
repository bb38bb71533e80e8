/** The simulation can fail: deliberate bugs are found. `npm run simulate -- --mutations` tries them all. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catchMutation, seedsFor } from './catch-mutations.ts';
import { mutations } from './mutations.ts';

/**
 * Tried each time, each from a seed on that has found it once; the others when the simulation is asked to. A change of
 * the simulation may need other seeds: the search goes on to all of them.
 */
const alwaysTried = [
  ['sent before the intent is durable', 1],
  ['sent again on another day', 245],
  ['sent again although acknowledged', 486],
  ['sent again before a not-found can be trusted', 81],
  ['simply sent again after a restart', 27],
  ['a timeout called failed', 10],
  ['EM001 taken for success', 70],
  ['IC000 without our references believed', 249],
  ['failed although one item alone is', 138],
  ['a new attempt without inquiring about the earlier ones', 24],
  ['a stop of the line ignored', 61],
  ['trouble of transfers silences questions', 5],
  ['settling waits at the gate of the transfers', 4],
  ['a transfer tries again before what got no answer is asked about', 3],
  ['a repetition that only tries counts for the limit', 5],
  ['what was sealed and what is paid are not compared', 1],
  ['a limit of the day looked at before the intent alone', 13],
  ['a statement fails what is under way', 71],
  ['a proof thrown away when a statement was read meanwhile', 538],
  ['a statement cut short takes the place of a whole one', 33],
  ['somebody checks his own proposal', 3],
  ['what has changed since is decided on all the same', 7],
  ['the number of what is paid is released', 8],
  ['an item is not ended with its change', 3],
  ['the intent does not look for the approval', 45],
] as const;

test.each(mutations.flatMap(({ name, patches }) => patches.map((patch) => ({ name, ...patch }))))(
  '"$name" fits its place in $file',
  ({ file, find, replace }) => {
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  },
);

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
