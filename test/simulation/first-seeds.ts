/** The first seeds of each shape, as tests play them. */
import type { Shape } from './plan.ts';
import type { PlayJournal } from './registrations/journal.ts';
import { playRegistrations } from './registrations/play.ts';
import { runSeed } from './run-seed.ts';

/** The last seed that `npm test` plays, and the last one of the long tests. */
interface Seeds {
  readonly short: number;
  readonly long: number;
}

const seedsOf: Readonly<Record<Shape, Seeds>> = {
  simple: { short: 15, long: 60 },
  mixed: { short: 15, long: 60 },
  people: { short: 10, long: 40 },
  wild: { short: 5, long: 20 },
  lying: { short: 8, long: 30 },
  outage: { short: 5, long: 20 },
  edited: { short: 5, long: 20 },
  clocks: { short: 5, long: 20 },
  limits: { short: 5, long: 20 },
  statements: { short: 8, long: 30 },
  decisions: { short: 10, long: 40 },
};

export const shapes = Object.entries(seedsOf) as [Shape, Seeds][];

/** Plays seeds of a shape. @returns the command that replays each one that broke an invariant */
export async function playSeeds(shape: Shape, from: number, to: number): Promise<string[]> {
  const broken: string[] = [];
  for (let seed = from; seed <= to; seed += 1) {
    const outcome = await runSeed(seed, { shape });
    if (outcome.broken !== undefined)
      broken.push(`npm run simulate -- --seed ${seed} --shape ${shape} --trace: ${outcome.broken}`);
  }
  return broken;
}

/** Plays losses of the journal. @returns the command that replays each seed that broke an invariant, or sent nothing */
export async function playJournals(seeds: readonly number[]): Promise<string[]> {
  const broken: string[] = [];
  for (const seed of seeds) {
    const outcome = await runSeed(seed, { shape: 'journals' });
    const why = outcome.broken ?? ((outcome.figures['first-send'] ?? 0) > 0 ? undefined : 'nothing was sent');
    if (why !== undefined) broken.push(`npm run simulate -- --seed ${seed} --shape journals --trace: ${why}`);
  }
  return broken;
}

/** Plays registrations on a journal. @returns the command that replays each broken seed, and how many were sent */
export async function playRegistrationSeeds(from: number, to: number, journal: PlayJournal) {
  const broken: string[] = [];
  let sent = 0;
  for (let seed = from; seed <= to; seed += 1) {
    const outcome = await playRegistrations(seed, { journal });
    sent += outcome.figures['sent'] ?? 0;
    if (outcome.broken !== undefined)
      broken.push(`npm run simulate -- --seed ${seed} --shape registrations --trace: ${outcome.broken}`);
  }
  return { broken, sent };
}

/** Seeds that the simulated journal and the real one live through alike. */
export const livedThrough: Readonly<Record<keyof Seeds, readonly (readonly [shape: Shape, seed: number])[]>> =
  {
    short: [
      ['mixed', 5],
      ['people', 2],
      ['decisions', 7],
    ],
    long: [
      ['people', 3],
      ['statements', 48],
      ['decisions', 10],
    ],
  };
