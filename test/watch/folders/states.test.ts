/** What the two folders say of a file, and what follows. */
import { expect, test } from 'vitest';
import { decideRecovery, type FolderHolds, readFileState } from '../../../src/watch/folders/states.ts';

/** By what work/ID/ holds: nothing, empty, part, file, several. */
const byClaimed: readonly [FolderHolds, readonly string[]][] = [
  ['nothing', ['ended', 'spent', 'foreign', 'working', 'foreign']],
  ['empty', ['spent', 'spent', 'spent', 'spent', 'spent']],
  ['part', ['claiming', 'claiming', 'claiming', 'claiming', 'claiming']],
  ['file', ['claimed', 'copied', 'copied', 'copied', 'copied']],
  ['several', ['foreign', 'foreign', 'foreign', 'foreign', 'foreign']],
];
const holds: readonly FolderHolds[] = ['nothing', 'empty', 'part', 'file', 'several'];

test.each(byClaimed)('claimed/ID/ holds %s', (claimed, states) => {
  expect(holds.map((work) => readFileState(claimed, work))).toEqual(states);
});

test.each([
  ['part', 'nothing', 'put back'],
  ['file', 'nothing', 'bring in'],
  ['file', 'file', 'drop source'],
  ['nothing', 'file', 'hand out'],
  ['empty', 'nothing', 'remove'],
  ['nothing', 'empty', 'remove'],
  ['several', 'nothing', 'leave'],
  ['nothing', 'several', 'leave'],
  ['nothing', 'nothing', 'nothing'],
] as const)('claimed/ID/ with %s and work/ID/ with %s: %s', (claimed, work, recovery) => {
  expect(decideRecovery(claimed, work)).toBe(recovery);
});
