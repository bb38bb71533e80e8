/** The short form of `npm run chaos` with its whole storm, and what a run may say when the machine fails it. */
import { describe, expect, test } from 'vitest';
import { openDisk } from '../chaos/disk.ts';
import { judgeEnd } from '../chaos/ends.ts';
import { faultyBehaviours, planGoodRows, planRows, writeRows } from '../chaos/plan.ts';
import { besiege } from '../chaos/siege.ts';
import { findBrokenPromises, gatherEvidence } from '../chaos/verdict.ts';
import { Dice } from '../support/dice.ts';
import { openScene, type ProgramEnd } from './harness.ts';

const seed = 20_261_122;

const storm = {
  kills: 2,
  bankKills: 1,
  stops: 1,
  fullDisks: 1,
  readOnlys: 1,
  clockJumps: 1,
  rivalStarts: 1,
  commands: 2,
  signal: 'SIGKILL',
  seed,
} as const;

describe('a run in a storm', () => {
  test('pays every row once, loses none, and calls paid only what the ledger has', async () => {
    await using disk = await openDisk();
    const settings = {
      sandbox: { latencyMs: 20, behaviours: faultyBehaviours },
      transfer: { concurrency: 4 },
    };
    await using scene = await openScene({ ...settings, ownProcesses: true, dataDir: disk.dataDir });
    const planned = planRows(100, 'W', new Dice(seed));
    const said: string[] = [];
    const { exitCode, came } = await besiege(scene, disk, planned, storm, (line) => said.push(line));
    const evidence = await gatherEvidence(scene, planned, exitCode, true);
    const broken = findBrokenPromises(evidence);
    expect({ broken, said: broken.length > 0 ? said : [] }).toEqual({ broken: [], said: [] });
    expect(evidence.ledger.totals.count).toBeGreaterThan(planned.length * 0.85);
    // The first start has rivals, whom the one that wins turns away.
    expect(came.get('turned-away')).toBeGreaterThan(0);
    expect(came.get('killed')).toBeGreaterThan(0);
  });
});

describe('two or three runs started at once', () => {
  test('one wins and the others end with exit 6 and say who it is, where there is not even a data directory', async () => {
    await using scene = await openScene({ sandbox: { latencyMs: 120 } });
    const planned = planGoodRows(50, 'T', new Dice(seed));
    const file = await scene.addFile('payouts.csv', writeRows(planned));
    const runs = [1, 2, 3].map(() => scene.start('run', file, '--json'));
    const ends = await Promise.all(runs.map(({ ended }) => ended));
    // One that starts when the first has ended already wins, too, and finds nothing to do.
    const winners = runs.filter((_, place) => ends[place]?.code !== 6).map(({ pid }) => pid);
    const losers = ends.filter(({ code }) => code === 6);
    for (const loser of losers) {
      expect(loser.stdout).toBe('');
      const [, pid] = /"paydrop run" \(process (\d+),/.exec(JSON.parse(loser.stderr).msg) ?? [];
      expect(winners).toContain(Number(pid));
      expect(judgeEnd(['run'], loser, false)).toBe('turned-away');
    }
    const end = ends.find(({ code }) => code !== 6);
    expect(losers.length).toBeGreaterThan(0);
    expect(findBrokenPromises(await gatherEvidence(scene, planned, end?.code ?? null))).toEqual([]);
  });
});

const end = (code: number, stderr: string, stdout = ''): ProgramEnd => ({
  code,
  signal: null,
  stdout,
  stderr,
});

describe('the judgement of an end', () => {
  test.each([
    ['a bug', ['run'], end(1, 'paydrop: internal error, logged above.'), true],
    ['a disk that had no trouble', ['run'], end(1, 'paydrop: /x cannot be written: the disk is full'), false],
    ['a stop without a word', ['run'], end(6, ''), false],
    ['an exit code that nothing has', ['settle'], end(7, ''), false],
    ['refused settings', ['status'], end(2, 'paydrop: no settings'), false],
  ])('finds %s', (_, args, wrong, hadDiskTrouble) => {
    expect(judgeEnd(args, wrong, hadDiskTrouble)).toBe('wrong');
  });

  test('lets pass what a broken machine excuses', () => {
    const full = end(1, 'paydrop: the journal cannot be written: the disk is full: free some space\n');
    expect(judgeEnd(['run'], full, true)).toBe('machine');
    const short = end(6, '', JSON.stringify({ status: 'paused', exitCode: 6 }));
    expect(judgeEnd(['run'], short, false)).toBe('stopped-short');
  });
});
