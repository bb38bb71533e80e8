/** The short form of `npm run chaos`: real processes, real kills, and a verdict from the bank's own ledger. */
import { describe, expect, test } from 'vitest';
import { toSatang } from '../../src/core/money.ts';
import type { Ledger } from '../../src/sandbox/book.ts';
import { type Moment, TransferCount, waitForMoment } from '../chaos/moments.ts';
import { faultyBehaviours, type PlannedRow, planRows, writeRows } from '../chaos/plan.ts';
import { findBrokenPromises, gatherEvidence } from '../chaos/verdict.ts';
import { Dice } from '../support/dice.ts';
import { type Line, openScene, type Scene } from './harness.ts';

const rowCount = 120;
const seed = 20_261_121;

const openFaultyScene = (): Promise<Scene> =>
  openScene({
    ownProcesses: true,
    sandbox: { latencyMs: 12, behaviours: faultyBehaviours },
    transfer: { concurrency: 6 },
  });

const moments: readonly Moment[] = [
  { after: 'journal', waitMs: 0 },
  { after: 'transfers', transfers: 5, waitMs: 3 },
  { after: 'transfers', transfers: 60, waitMs: 0 },
  { after: 'transfers', transfers: 105, waitMs: 7 },
  { after: 'report', waitMs: 0 },
];

async function killAt(
  scene: Scene,
  file: string,
  moment: Moment,
  count: TransferCount,
): Promise<NodeJS.Signals | null> {
  const program = scene.start('run', file, '--json');
  await waitForMoment(scene, program, moment, count);
  program.kill('SIGKILL');
  return (await program.ended).signal;
}

describe('a run that is killed again and again', () => {
  test('pays every row once, loses none, and calls paid only what the ledger has', async () => {
    await using scene = await openFaultyScene();
    const planned = planRows(rowCount, 'K', new Dice(seed));
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const count = new TransferCount(scene);
    let kills = 0;
    for (const moment of moments) if ((await killAt(scene, file, moment, count)) === 'SIGKILL') kills += 1;
    // The report of so small a file may be out before its moment is seen.
    expect(kills).toBeGreaterThanOrEqual(moments.length - 1);
    const end = await scene.run('run', file, '--json');
    const evidence = await gatherEvidence(scene, planned, end.code);
    expect(findBrokenPromises(evidence)).toEqual([]);
    expect(evidence.ledger.totals.count).toBeGreaterThan(rowCount * 0.9);
  });
});

describe('the verdict', () => {
  test('finds what it is there to find', async () => {
    await using scene = await openFaultyScene();
    const planned = planRows(60, 'K', new Dice(seed));
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const end = await scene.run('run', file, '--json');
    const evidence = await gatherEvidence(scene, planned, end.code);
    expect(findBrokenPromises(evidence)).toEqual([]);
    const { present, first, ledger } = evidence;
    const entry = ledger.entries.find(({ reference1 }) => reference1 === present[0]?.['payoutId']);
    if (entry === undefined) throw new Error('the first row was not paid');
    const without = { ...ledger, entries: ledger.entries.filter((one) => one !== entry) };
    const relabel = (status: string): Line[] =>
      present.map((line, at) => (at === 0 ? { ...line, status } : line));
    const swapped = [first[1], first[0], ...first.slice(2)].filter((line) => line !== undefined);
    const broken = {
      'paid twice': { ...evidence, ledger: { ...ledger, entries: [...ledger.entries, entry] } },
      'sent although the bank had it': { ...evidence, ledger: withRequests(ledger, 2) },
      'called paid and never moved': { ...evidence, ledger: without },
      'moved and called failed': { ...evidence, present: relabel('failed') },
      'moved and left in doubt': { ...evidence, hasJumped: true, present: relabel('unresolved') },
      'another amount': { ...evidence, planned: withOtherAmount(planned) },
      'rows out of order': { ...evidence, first: swapped },
      'a row lost': { ...evidence, first: first.slice(1), present: present.slice(1) },
      'a file left over': { ...evidence, names: [...evidence.names, '.x.result.csv.000000000000.tmp'] },
      'a wrong exit code': { ...evidence, exitCode: 0 },
      'a report twice': { ...evidence, names: [...evidence.names, 'again.result.csv'] },
    };
    const unseen = Object.entries(broken).filter(([, changed]) => findBrokenPromises(changed).length === 0);
    expect(unseen.map(([what]) => what)).toEqual([]);
  });
});

const withOtherAmount = (rows: readonly PlannedRow[]): PlannedRow[] =>
  rows.map((row, at) => (at === 0 ? { ...row, amountSatang: toSatang(row.amountSatang + 1n) } : row));

const withRequests = (ledger: Ledger, requests: number): Ledger => ({
  ...ledger,
  entries: ledger.entries.map((entry, at) => (at === 0 ? { ...entry, requests } : entry)),
});
