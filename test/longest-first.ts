/**
 * In which order the files of tests are begun. What takes long is begun first: begun last, it would run alone at the end,
 * with idle cores beside it. The size of a file, by which vitest orders what it has never run, says nothing of that.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Those of 20 s and more, the longest first. */
const longest = [
  'end-to-end/machines',
  'end-to-end/machines-brake',
  'app/move/carry-over',
  'simulation/simulation',
  'simulation/machines/machines',
  'store/postgres/suite',
  'end-to-end/machines-in-storm',
  'end-to-end/postgres',
  'end-to-end/move-midway',
  'reconcile/hostile',
  'simulation/mutations',
  'reconcile/rules',
  'browser/review',
  'end-to-end/archive',
  'end-to-end/watch',
  'payout/faults',
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
