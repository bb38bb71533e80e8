/** The list of a file's states, and what the two folders say of one. */
import { expect, test } from 'vitest';
import {
  decideRecovery,
  fileStates,
  type FolderHolds,
  readFileState,
} from '../../../src/watch/folders/states.ts';

const names = fileStates.map(({ state }) => state);

test('each state is there once, and leads to such as are in the list', () => {
  expect(new Set(names).size).toBe(names.length);
  for (const { next } of fileStates) for (const name of next) expect(names).toContain(name);
});

test('each state but the first is led to, but what is not ours; each leads to an end', () => {
  const led = new Set<string>(fileStates.flatMap(({ next }) => [...next]));
  expect(names.filter((name) => !led.has(name))).toEqual(['foreign']);
  const ends = (name: string, seen: readonly string[] = []): boolean => {
    const next = fileStates.find(({ state }) => state === name)?.next ?? [];
    return name === 'ended' || next.some((one) => !seen.includes(one) && ends(one, [...seen, name]));
  };
  expect(names.filter((name) => !ends(name))).toEqual(['foreign']);
});

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
