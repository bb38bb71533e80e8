/** The short form of `npm run register-soak`: real processes, real kills, and a verdict from the bank's own ledger. */
import { expect, test } from 'vitest';
import { planRegistrations } from '../chaos/register-plan.ts';
import { besiegeRegistrations, describeRegistrationScene } from '../chaos/register-siege.ts';
import {
  findBrokenRegistrations,
  gatherRegistrationEvidence,
  type RegistrationEvidence,
} from '../chaos/register-verdict.ts';
import { Dice } from '../support/dice.ts';
import { openScene } from './harness.ts';

const seed = 20_261_123;
const counts = { rows: 60, files: 2 } as const;
/** Long enough for what comes late, an end that is waited for. */
const answerWithinMs = 3_000;
const waitMs = 60_000;

/** The same with something wrong that the verdict is there to find. */
function spoil(evidence: RegistrationEvidence): Readonly<Record<string, RegistrationEvidence>> {
  const { reported, ledger, names } = evidence;
  const [first, ...others] = reported;
  const [entry] = ledger.entries;
  if (first === undefined || entry === undefined) throw new Error('nothing was registered');
  const relabel = (from: string, to: string): RegistrationEvidence => {
    const place = first.present.findIndex(({ status }) => status === from);
    const present = first.present.map((line, at) => (at === place ? { ...line, status: to } : line));
    return { ...evidence, reported: [{ ...first, present }, ...others] };
  };
  return {
    'taken twice': { ...evidence, ledger: { ...ledger, entries: [...ledger.entries, entry] } },
    'sent though the bank had it': { ...evidence, ledger: { ...ledger, duplicatesRefused: 1 } },
    'a number used twice': { ...evidence, ledger: { ...ledger, repeatedRequestUids: 1 } },
    'a call that nobody heard': {
      ...evidence,
      ledger: { ...ledger, callbacks: { ...ledger.callbacks, owed: 1 } },
    },
    'registered and called refused': relabel('registered', 'refused'),
    'registered and left awaited': relabel('registered', 'in-doubt'),
    'rejected and called registered': relabel('rejected', 'registered'),
    'a row lost': {
      ...evidence,
      reported: [{ ...first, first: first.first.slice(1), present: first.present.slice(1) }, ...others],
    },
    'a sum that is wrong': {
      ...evidence,
      reported: [{ ...first, summary: { ...first.summary, rows: 1 } }, ...others],
    },
    'a report left over': { ...evidence, names: [...names, '.x.result.csv.000000000000.tmp'] },
  };
}

test('whoever sends and whoever listens are killed, and every outcome that the bank sent is in a result once', async () => {
  const dice = new Dice(seed);
  const files = planRegistrations(counts, 'K', dice);
  await using scene = await openScene({
    ...(await describeRegistrationScene(answerWithinMs)),
    ownProcesses: true,
  });
  const siege = { scene, files, sender: 'register', kills: 2, dice, say: () => {}, waitMs } as const;
  const { senderKills } = await besiegeRegistrations(siege);
  expect(senderKills).toBeGreaterThan(0);
  const evidence = await gatherRegistrationEvidence(scene, files);
  expect(findBrokenRegistrations(evidence)).toEqual([]);
  expect(evidence.ledger.entries.length).toBeGreaterThan(counts.rows * 0.7);
  const unseen = Object.entries(spoil(evidence)).filter(
    ([, spoiled]) => findBrokenRegistrations(spoiled).length === 0,
  );
  expect(unseen.map(([what]) => what)).toEqual([]);
});
