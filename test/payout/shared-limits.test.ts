/** What a machine makes ready ahead depends on what others, and it itself in an earlier life, have left in doubt. */
import { expect, test } from 'vitest';
import { makeAdaptiveLimits } from '../../src/payout/adaptive-limit.ts';
import { RunState } from '../../src/payout/context.ts';
import { Share } from '../../src/payout/share.ts';
import { keepLimitsShared } from '../../src/payout/shared-limits.ts';
import { stageInMemory } from '../support/theatre.ts';

/** Rows that have a place of those that are made ready ahead, when nobody gives his back. */
async function countAhead(inDoubt: { own: number; elsewhere: number; left: number }): Promise<number> {
  const { theatre } = await stageInMemory(1, () => ({}));
  await using _ = theatre;
  const { time: clock } = theatre;
  const adaptiveLimits = makeAdaptiveLimits(32, 8, 200);
  const { transfers } = adaptiveLimits;
  transfers.noteTime('commitMs', 90);
  transfers.noteTime('sendMs', 10);
  const run = new RunState(clock);
  for (let seq = 1; seq <= inDoubt.own; seq += 1) run.inFlight.add(seq);
  const workers = {
    readLimits: async () => ({ atWork: { machines: 1, place: 0 }, wholes: {} }),
    countUnderWayElsewhere: async () => inDoubt.elsewhere,
  } as unknown as ConstructorParameters<typeof Share>[0];
  const journal = {
    ...theatre.journal,
    countInDoubt: async () => inDoubt.own + inDoubt.elsewhere + inDoubt.left,
  };
  const end = new AbortController();
  const share = new Share(workers, () => 1);
  const sharing = { adaptiveLimits, clock, log: () => {}, share, journal, run, runs: new Set([run]) };
  const keeping = keepLimitsShared(sharing, end.signal);
  await clock.advance(100);
  end.abort();
  await clock.drive(keeping);
  const ahead = transfers.openLane('ahead');
  let begun = 0;
  for (let row = 0; row < 400; row += 1)
    void ahead(async () => {
      begun += 1;
      await new Promise(() => {});
    });
  await clock.advance(1);
  return begun;
}

test.each([
  { own: 0, elsewhere: 0, left: 0, places: 128 },
  { own: 120, elsewhere: 40, left: 0, places: 128 },
  { own: 20, elsewhere: 0, left: 100, places: 50 },
  { own: 0, elsewhere: 0, left: 180, places: 40 },
])(
  'of $left rows that nobody has under way $places places are left, whatever is under way',
  async ({ places, ...inDoubt }) => {
    expect(await countAhead(inDoubt)).toBe(places);
  },
);
