/**
 * In which order the files of tests are begun. What takes long is begun first: begun last, it would run alone at the end,
 * with idle cores beside it. The size of a file, by which vitest orders what it has never run, says nothing of that.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those of 20 s and more, the longest first. */
const longest = [
  'end-to-end/machines.long',
  'store/postgres/suite.long',
  'simulation/machines/machines.long',
  'end-to-end/archive.long',
  'simulation/mutations.long',
  'simulation/simulation.long',
  'end-to-end/machines-brake.long',
  'end-to-end/machines-in-storm.long',
  'app/move/carry-over.long',
  'end-to-end/postgres.long',
  'end-to-end/bad-days.long',
  'payout/faults.long',
  'end-to-end/move-midway.long',
  'reconcile/hostile.long',
  'end-to-end/kill.long',
  'browser/review.long',
  'store/postgres/send-guards',
  'end-to-end/watch',
  'simulation/simulation',
  'reconcile/rules',
  'end-to-end/move',
].map((name) => `/test/${name}.test.ts`);

function rankOf({ moduleId }: TestSpecification): number {
  const rank = longest.findIndex((ending) => moduleId.endsWith(ending));
  return rank === -1 ? longest.length : rank;
}

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- it is the sequencer's, and makes a new array
    const sorted = await super.sort(files);
    return sorted.toSorted((one, other) => rankOf(one) - rankOf(other));
  }
}
