/** The short form of `npm run soak`: real files, real watchers, a kill, and a verdict from the bank's own ledger. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { brokenLimits } from '../chaos/drop-broken.ts';
import type { DropEvidence } from '../chaos/drop-evidence.ts';
import { leftInInbox } from '../chaos/drop-hand.ts';
import { planDrops } from '../chaos/drop-plan.ts';
import { type Besieged, besiegeInbox } from '../chaos/drop-siege.ts';
import { findBrokenDrops } from '../chaos/drop-verdict.ts';
import { faultyBehaviours } from '../chaos/plan.ts';
import { Dice } from '../support/dice.ts';
import { openScene } from './harness.ts';

const seed = 20_261_123;
const stillMs = 600;
const rowsMax = 30;
const counts = { files: 26, broken: 6, duplicates: 3, slow: 1, late: 1, rowsMax, control: 'none' } as const;

/** The same with something wrong that the verdict is there to find. */
function spoil(evidence: DropEvidence): Readonly<Record<string, DropEvidence>> {
  const { archived, rejected, ledger, inbox, reports } = evidence;
  const [firstArchived] = archived;
  const [firstRejected, ...otherRejected] = rejected;
  const [entry] = ledger.entries;
  const isCopy = (reason: string | undefined): boolean => reason?.includes('duplicate-file') === true;
  if (firstArchived === undefined || firstRejected === undefined || entry === undefined)
    throw new Error('there is nothing to spoil');
  const withEntries = (entries: typeof ledger.entries): DropEvidence => ({
    ...evidence,
    ledger: { ...ledger, entries },
    entriesByPayout: Map.groupBy(entries, ({ reference1 }) => reference1),
  });
  return {
    'a file archived twice': { ...evidence, archived: [...archived, firstArchived] },
    'a file lost': { ...evidence, archived: archived.slice(1) },
    'a file that is both worked and rejected': { ...evidence, rejected: [...rejected, firstArchived] },
    'a file nobody has dropped': { ...evidence, archived: [...archived, { ...firstArchived, hash: 'x' }] },
    'no reason': { ...evidence, rejected: [{ ...firstRejected, reason: undefined }, ...otherRejected] },
    'a reason without a cure': {
      ...evidence,
      rejected: rejected.map((one) => ({ ...one, reason: one.reason?.replace('drop the file again', '') })),
    },
    'a duplicate that names no batch': {
      ...evidence,
      rejected: rejected.map((one) =>
        isCopy(one.reason) ? { ...one, reason: one.reason?.replace(/as batch \w+/, 'as batch X') } : one,
      ),
    },
    'a file left in the inbox': { ...evidence, inbox: [...inbox, 'payouts 1.csv'] },
    'a hidden file taken': { ...evidence, inbox: inbox.filter((name) => name !== '..x.csv') },
    'a file left in work/': { ...evidence, work: ['x'] },
    'a file left in claimed/': { ...evidence, claimed: ['x'] },
    'a report half written': { ...evidence, reports: [...reports, '.x.result.csv.000000000000.tmp'] },
    'a payout made twice': withEntries([...ledger.entries, entry]),
    'a payout not made': withEntries(ledger.entries.slice(1)),
    'a payout of nobody': withEntries([...ledger.entries, { ...entry, reference1: 'NOBODY' }]),
  };
}

async function soak(kills: number): Promise<Besieged> {
  await using scene = await openScene({
    sandbox: { latencyMs: 5, behaviours: faultyBehaviours },
    limits: { ...brokenLimits, rowsPerFile: rowsMax },
    watch: { stillMs, rescanMs: 2_000 },
  });
  const inbox = join(scene.dataDir, 'inbox');
  await mkdir(inbox, { recursive: true });
  const dice = new Dice(seed);
  const plan = planDrops(counts, 'D', dice);
  const moods = { stillMs, kills, isBrief: true, dice, say: () => undefined, waitMs: 120_000 };
  const besieged = await besiegeInbox({ scene, plan, inbox, ...moods });
  expect(besieged.complaints).toEqual([]);
  for (const [what, spoilt] of Object.entries(spoil(besieged.evidence)))
    expect({ what, found: (await findBrokenDrops(spoilt, leftInInbox)).length > 0 }).toEqual({
      what,
      found: true,
    });
  return besieged;
}

describe('files of all kinds before a watcher that is killed, and its standby', () => {
  test('are worked once each, or rejected with a reason', async () => {
    const { takeovers, manners, evidence } = await soak(1);
    expect(takeovers).toHaveLength(1);
    expect(manners.wroteLate).toBe(counts.late);
    expect(evidence.archived.length + evidence.rejected.length).toBe(counts.files);
  });
});
