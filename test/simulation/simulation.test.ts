/** The first seeds of every shape; `simulation.long.test.ts` plays more, and `npm run simulate` many. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { bankStatuses } from '../../src/core/status-codes.ts';
import { playApprovals } from './approvals.ts';
import { allCodes, refusals, successCode } from './bank-codes.ts';
import { livedThrough, playJournals, playRegistrationSeeds, playSeeds, shapes } from './first-seeds.ts';
import { mutations } from './mutations.ts';
import { openPlayJournal } from './registrations/journal.ts';
import { playRegistrations } from './registrations/play.ts';
import { runSeed } from './run-seed.ts';
import { makeSqliteDisk } from './sqlite-disk.ts';

describe('no invariant is broken', () => {
  test.each(shapes)('by the first %s seeds', async (shape, { short }) => {
    expect(await playSeeds(shape, 1, short)).toEqual([]);
  });
});

/** Seeds of a lost and of a restored journal; the long tests play more, `--shape journals` many. */
test('no payout is paid twice when the journal is lost, put back or copied over a night', async () => {
  expect(await playJournals([9, 5])).toEqual([]);
});

test('no payout is paid twice when batches are archived between two lives, and come back', async () => {
  let archived = 0;
  for (const seed of [1, 4]) {
    const { broken, figures } = await runSeed(seed, { shape: 'archives' });
    expect([seed, broken]).toEqual([seed, undefined]);
    archived += figures['batch-archived'] ?? 0;
  }
  // Which seeds come to archive at all changes with the program.
  expect(archived).toBeGreaterThan(0);
});

test('nothing is paid that was not approved as it is, by people who had no part in it', async () => {
  for (const seed of [19, 26, 45]) {
    const { broken, figures } = await playApprovals(seed);
    expect([seed, broken]).toEqual([seed, undefined]);
    expect(figures['sent']).toBeGreaterThan(0);
  }
});

/** The long tests play more, `--shape registrations` many. */
const registrationSeeds = 5;

test('nothing is registered twice while one is open, and no callback that was taken is lost', async () => {
  await using journal = await openPlayJournal();
  const { broken, sent } = await playRegistrationSeeds(1, registrationSeeds, journal);
  expect(broken).toEqual([]);
  expect(sent).toBeGreaterThan(registrationSeeds);
  const [first, second] = [await playRegistrations(3, { journal }), await playRegistrations(3)];
  expect(second).toEqual(first);
});

test('a seed reproduces its run exactly', async () => {
  const hashes = new Set<number>();
  for (const seed of [1, 2, 3, 4, 5]) {
    const [first, second] = [await runSeed(seed), await runSeed(seed)];
    expect(second).toEqual(first);
    hashes.add(first.hash);
  }
  expect(hashes.size).toBe(5);
});

test('a trace changes nothing and tells everything', async () => {
  const lines: string[] = [];
  const traced = await runSeed(7, { trace: (line) => lines.push(line) });
  expect(traced).toEqual(await runSeed(7));
  expect(lines.length).toBeGreaterThan(traced.steps);
});

test('the simulated journal and the real one live through the same', async () => {
  for (const [shape, seed] of livedThrough.short) {
    const real = await runSeed(seed, { shape, makeDisk: makeSqliteDisk });
    expect(real).toEqual(await runSeed(seed, { shape }));
  }
});

test('the simulated bank means by its codes what the interface says', () => {
  const meant = (code: string): string => {
    if (code === successCode) return 'paid payout';
    const scope = (['payout', 'payer', 'service'] as const).find((one) => refusals[one].includes(code));
    return scope === undefined ? 'unknown' : `failed ${scope}`;
  };
  expect(allCodes.toSorted()).toEqual(bankStatuses.map(({ code }) => code).toSorted());
  for (const { code, outcome, scope } of bankStatuses)
    expect([code, meant(code)]).toEqual([code, outcome === 'unknown' ? 'unknown' : `${outcome} ${scope}`]);
});

/** Elsewhere than in the long tests: a change of the code shows at once which bugs have to be written anew. */
test.each(mutations.flatMap(({ name, patches }) => patches.map((patch) => ({ name, ...patch }))))(
  '"$name" fits its place in $file',
  ({ file, find, replace }) => {
    const source = readFileSync(new URL(`../../src/${file}`, import.meta.url), 'utf8');
    expect(source.split(find)).toHaveLength(2);
    expect(replace).not.toBe(find);
  },
);
