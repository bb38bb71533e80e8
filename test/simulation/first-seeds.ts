/** The first seeds of each shape, as tests play them. */
import type { Shape } from './plan.ts';
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
