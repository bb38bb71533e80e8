/** A disk that takes nothing more: the run says so, sends nothing, and goes on when there is space again. */
import { existsSync } from 'node:fs';
import { mkdir, symlink, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { planGoodRows, writeRows } from '../chaos/plan.ts';
import { findBrokenPromises, gatherEvidence } from '../chaos/verdict.ts';
import { Dice } from '../support/dice.ts';
import { openScene } from './harness.ts';

/** Writing to it fails as on a full disk. */
const fullDevice = '/dev/full';

describe.skipIf(!existsSync(fullDevice))('a full disk', () => {
  test.each(['sender.json', 'journal.mark.tmp'])(
    'under %s ends the run with the place and the cure',
    async (name) => {
      await using scene = await openScene({ ownProcesses: true });
      const planned = planGoodRows(8, 'F', new Dice(1));
      const file = await scene.addFile('payouts.csv', writeRows(planned));
      await mkdir(scene.dataDir);
      await symlink(fullDevice, join(scene.dataDir, name));
      const first = await scene.run('run', file);
      expect(first).toMatchObject({ code: 1, stdout: '' });
      expect(first.stderr).toMatch(
        /^paydrop: \S+\/data\/(sender\.json|journal\.mark) cannot be written: the disk is full: free some space, then run it again\n$/,
      );
      expect((await scene.bank.ledger()).requests.transfer).toBe(0);
      await unlink(join(scene.dataDir, name));
      const second = await scene.run('run', file, '--json');
      expect(findBrokenPromises(await gatherEvidence(scene, planned, second.code))).toEqual([]);
    },
  );
});
