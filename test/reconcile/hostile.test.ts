/** Statements that nobody means well with: none ends the program, calls a payout paid that is not, or fills the memory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { hostileParts } from './hostile/statements.ts';

const play = fileURLToPath(new URL('hostile/play.ts', import.meta.url));

interface Played {
  readonly name: string;
  readonly outcome: string;
  readonly falselyPaid: readonly number[];
  readonly isChanged: boolean;
}

const memoryMbMax = 300;
const tooLong = 300_000;

test.each([
  ['content', 33],
  ['form', 20],
  ['bytes', 30],
  ['archives', 14],
  ['size', 5],
] as const)(
  'hostile statements, %s: at least %i',
  async (part, count) => {
    const { stdout } = await promisify(execFile)(process.execPath, [play, part], { maxBuffer: 64_000_000 });
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    const { maxMemoryMb } = lines.pop() as { readonly maxMemoryMb: number };
    const played = lines as Played[];
    expect(new Set(played.map(({ name }) => name)).size).toBeGreaterThanOrEqual(count);
    expect(played.filter(({ outcome }) => outcome.startsWith('CRASH'))).toEqual([]);
    expect(played.filter(({ falselyPaid }) => falselyPaid.length > 0)).toEqual([]);
    expect(played.filter(({ outcome, isChanged }) => isChanged && outcome !== 'reconciled')).toEqual([]);
    expect(maxMemoryMb).toBeLessThanOrEqual(memoryMbMax);
  },
  tooLong,
);

test('every part of them is played', () => {
  expect(hostileParts).toHaveLength(5);
});
