/** The simulation can fail: deliberate bugs are found. `npm run simulate -- --mutations` tries them all. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { catchMutation, seedsFor } from './catch-mutations.ts';
import { mutations } from './mutations.ts';

/** Tried each time; the others when the simulation is asked to. */
const alwaysTried = [
  'sent before the intent is durable',
  'sent again on another day',
  'sent again although acknowledged',
  'sent again before a not-found can be trusted',
  'simply sent again after a restart',
  'a timeout called failed',
  'EM001 taken for success',
  'IC000 without our references believed',
  'failed although one item alone is',
  'a new attempt without inquiring about the earlier ones',
  'a stop of the line ignored',
];

test.each(mutations.flatMap(({ name, patches }) => patches.map((patch) => ({ name, ...patch }))))(
  '"$name" fits its place in $file',
  ({ file, find, replace }) => {
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  },
);

describe('a deliberate bug is found', () => {
  test.each(alwaysTried)('%s', async (name) => {
    const mutation = mutations.find((one) => one.name === name);
    expect(mutation).toBeDefined();
    if (mutation === undefined) return;
    const { seed, broken } = await catchMutation(mutation, seedsFor(mutation));
    expect(seed, 'no seed has found it').toBeDefined();
    expect(broken).not.toBe('');
  });
});

test('the code as it is is not', async () => {
  expect(await catchMutation(undefined, 150)).toMatchObject({ seed: undefined, broken: '' });
});
