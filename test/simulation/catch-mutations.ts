/** Plays seeds with a deliberate bug, each in a process of its own, until one of them finds it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { findMemoryFolder } from '../support/quick-folder.ts';
import { findPostgresFault } from './machines/server.ts';
import { type Mutation, mutations } from './mutations.ts';

export interface Catch {
  readonly name: string;
  /** The seed that has found it; undefined when none has. */
  readonly seed: number | undefined;
  readonly broken: string;
  readonly elapsedMs: number;
}

/**
 * Plays seeds 1 to `seeds` with this bug; without one, the code as it is. Plays seed `first` before them, where a caller
 * knows one that has found the bug.
 */
export async function catchMutation(
  mutation: Mutation | undefined,
  seeds: number,
  first = 1,
): Promise<Catch> {
  const startedAt = performance.now();
  const { name, playedOn = 'memory' } = mutation ?? { name: 'none' };
  const hook = mutation === undefined ? [] : ['--import', new URL('mutate-on-load.ts', import.meta.url).href];
  const script = fileURLToPath(new URL('play-until-broken.ts', import.meta.url));
  const child = spawn(process.execPath, [...hook, script, String(seeds), playedOn, String(first)], {
    // The real journal syncs each commit.
    env: { TMPDIR: findMemoryFolder(), ...process.env, SIMULATED_MUTATION: name },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => void child.once('close', resolve));
  if (code !== 0) throw new Error(`seeds with "${name}" could not be played: ${said.slice(0, 2_000)}`);
  const { seed, broken } = JSON.parse(said) as { seed?: number; broken: string };
  return { name, seed, broken, elapsedMs: performance.now() - startedAt };
}

/** Seeds that are played before a bug counts as not found; each of those on the real journal takes a hundred times as long. */
export function seedsFor({ playedOn }: Pick<Mutation, 'playedOn'>): number {
  if (playedOn === 'machines-postgres') return 600;
  if (playedOn === 'registrations' || playedOn === 'machines') return 1_000;
  return playedOn === undefined || ['clocks', 'limits', 'statements', 'decisions'].includes(playedOn)
    ? 8_000
    : 800;
}

/** Seeds that have found one of these, which few find. */
const rareSeeds: Readonly<Record<string, number>> = {
  'sent again and again': 3_796,
  'a backup opens like the journal itself': 8_823,
  'an empty statement of the morning closes the day when it comes again': 498,
  'what a line contradicts stays failed': 2_475,
  'a refused send of an older journal has moved nothing': 773_645,
};

/** Tries every mutation, two at a time. @returns true when all were found */
export async function catchAll(): Promise<boolean> {
  let isAllCaught = true;
  const fault = await findPostgresFault();
  const waiting = [...mutations];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      if (next.playedOn === 'machines-postgres' && fault !== undefined) {
        console.log(`skipped ${next.name}: no PostgreSQL: ${fault}`);
        continue;
      }
      const { name, seed, broken, elapsedMs } = await catchMutation(
        next,
        seedsFor(next),
        next.first ?? rareSeeds[next.name],
      );
      const where = seed === undefined ? 'NOT FOUND' : `seed ${seed}: ${broken}`;
      console.log(`${(elapsedMs / 1_000).toFixed(1).padStart(5)} s  ${name}: ${where}`);
      if (seed === undefined) isAllCaught = false;
    }
  };
  await Promise.all([work(), work()]);
  return isAllCaught;
}
