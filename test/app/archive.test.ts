/** What is archived while others work the same journal. */
import { expect, test } from 'vitest';
import { moveDue } from '../../src/app/archive.ts';
import type { ArchiveFacts } from '../../src/payout/rules/archive.ts';

const done = (batchId: string, rows: number): ArchiveFacts => ({
  batchId,
  fileName: `${batchId}.csv`,
  rows,
  isDone: true,
  latestMs: 1,
  openRows: 0,
  alarmRows: 0,
  openAttempts: 0,
  isReported: true,
  isFileOpen: false,
  openDecisions: 0,
  days: [],
});

test.each([
  ['nobody', [], []],
  ['one that is gone', [{ isThere: false }], []],
  ['a watcher', [{ isThere: true }], ['large']],
])('a batch whose move takes long goes with the others beside %s, or stays', async (_who, workers, stays) => {
  const moved: string[] = [];
  const journal = {
    workers: async () => workers,
    archiveFacts: async () => [done('SMALL', 30_000), done('LARGE', 30_001)],
    makeArchive: async () => 'database',
    archiveBatch: async (batchId: string) => moved.push(batchId) > 0,
    giveSpaceBack: async () => 0,
  };
  const policy = { beforeMs: 10, quietSinceMs: 10 };
  const asked = { policy, isDryRun: false, stop: new AbortController().signal, clock: { now: () => 20 } };
  const archived = await moveDue(journal as never, asked);
  expect(archived.stays.map(({ obstacle }) => obstacle.code)).toEqual(stays);
  expect(moved).toEqual(stays.length === 0 ? ['SMALL', 'LARGE'] : ['SMALL']);
});
