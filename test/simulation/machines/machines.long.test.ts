/** Several machines on one journal: a few seeds; `npm run simulate -- --shape machines` plays many more. */
import { describe, expect, test } from 'vitest';
import { describePostgres } from '../../support/postgres.ts';
import { catchMutation } from '../catch-mutations.ts';
import { ofMachines } from './mutations.ts';
import { playCluster } from './play.ts';
import { makePostgresDatabase } from './postgres.ts';

const seeds = 80;

test('no invariant is broken while machines die, stand still and lose the way to their database', async () => {
  const broken: string[] = [];
  const met = new Map<string, number>();
  for (let seed = 1; seed <= seeds; seed += 1) {
    const outcome = await playCluster(seed);
    for (const [kind, times] of Object.entries(outcome.figures)) met.set(kind, (met.get(kind) ?? 0) + times);
    if (outcome.broken !== undefined)
      broken.push(`npm run simulate -- --shape machines --seed ${seed} --trace: ${outcome.broken}`);
  }
  expect(broken).toEqual([]);
  // What they are there to meet.
  const wanted = [
    'takes-over',
    'place-lost',
    'kill',
    'freeze-stopped',
    'freeze-asleep',
    'commit-answer-lost',
  ];
  const ofPutBack = ['put-back snapshot', 'put-back another timeline', 'journal-refused'];
  const ofSends = ['first-send', 'repeated-send', 'intent-cancelled'];
  for (const kind of [...wanted, ...ofPutBack, ...ofSends, 'helps'])
    expect([kind, met.get(kind) ?? 0]).not.toEqual([kind, 0]);
});

test('a seed of several machines reproduces its run exactly', async () => {
  for (const seed of [3, 15]) expect(await playCluster(seed)).toEqual(await playCluster(seed));
});

/** Of few steps: each of them asks a real server. */
const postgresSeeds = [3];

describePostgres('on a real PostgreSQL', () => {
  test('no invariant is broken', async () => {
    for (const seed of postgresSeeds) {
      const { broken, figures } = await playCluster(seed, { makeDatabase: makePostgresDatabase });
      expect([seed, broken]).toEqual([seed, undefined]);
      expect(figures['first-send']).toBeGreaterThan(0);
    }
  });
});

/** Each from a seed on that has found it once; all others are tried by `npm run simulate -- --mutations`. */
const alwaysTried = [
  ['bytes leave whoever has the lease', 21],
  ['a lease never ends', 2],
  ['a shard is handed out twice', 1],
  ['the loss is not noticed after a snapshot', 91],
] as const;

describe('a deliberate bug of several machines is found', () => {
  test.each(alwaysTried)('%s', async (name, first) => {
    const mutation = ofMachines.find((one) => one.name === name);
    const { seed, broken } = await catchMutation(mutation, 400, first);
    expect([seed !== undefined, broken === '']).toEqual([true, false]);
  });
});
