/** The seeds that follow those of `simulation.test.ts`. */
import { expect, test } from 'vitest';
import { livedThrough, playJournals, playRegistrationSeeds, playSeeds, shapes } from './first-seeds.ts';
import { openPlayJournal } from './registrations/journal.ts';
import { runSeed } from './run-seed.ts';
import { makeSqliteDisk } from './sqlite-disk.ts';

test.each(shapes)('no invariant is broken by further %s seeds', async (shape, { short, long }) => {
  expect(await playSeeds(shape, short + 1, long)).toEqual([]);
});

/** Seeds of an adopted journal, and of one that only a report gives away. */
test('no payout is paid twice when further journals are lost', async () => {
  expect(await playJournals([3, 12])).toEqual([]);
});

test('nothing is registered twice by further seeds', async () => {
  await using journal = await openPlayJournal();
  const { broken } = await playRegistrationSeeds(6, 24, journal);
  expect(broken).toEqual([]);
});

test.each(livedThrough.long)(
  'the simulated journal and the real one live through the same: %s %i',
  async (shape, seed) => {
    const real = await runSeed(seed, { shape, makeDisk: makeSqliteDisk });
    expect(real).toEqual(await runSeed(seed, { shape }));
  },
);
