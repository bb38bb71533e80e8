/** The seeds that follow those of `simulation.test.ts`. */
import { expect, test } from 'vitest';
import { playSeeds, shapes } from './first-seeds.ts';

test.each(shapes)('no invariant is broken by further %s seeds', async (shape, { short, long }) => {
  expect(await playSeeds(shape, short + 1, long)).toEqual([]);
});
