/** Statements that nobody means well with: none ends the program, calls a payout paid that is not, or fills the memory. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { type HostilePart, hostileParts } from './hostile/statements.ts';

const play = fileURLToPath(new URL('hostile/play.ts', import.meta.url));

interface Played {
  readonly name: string;
  readonly outcome: string;
  readonly falselyPaid: readonly number[];
  readonly isChanged: boolean;
}

interface PartEnd {
  readonly part: HostilePart;
  readonly maxMemoryMb: number;
}

interface PlayedPart {
  readonly played: readonly Played[];
  readonly maxMemoryMb: number;
}

const memoryMbMax = 300;
const tooLong = 300_000;

/** What a process has said of each part that it played. */
async function playAll(...parts: readonly HostilePart[]): Promise<ReadonlyMap<HostilePart, PlayedPart>> {
  const { stdout } = await promisify(execFile)(process.execPath, [play, ...parts], { maxBuffer: 64_000_000 });
  const found = new Map<HostilePart, PlayedPart>();
  let played: Played[] = [];
  for (const line of stdout.trim().split('\n')) {
    const said = JSON.parse(line) as Played | PartEnd;
    if ('outcome' in said) played.push(said);
    else {
      found.set(said.part, { played, maxMemoryMb: said.maxMemoryMb });
      played = [];
    }
  }
  return found;
}

/** To load the program takes as long as most parts; those of great size have a process for the memory that they take. */
let smallOnes: ReturnType<typeof playAll> | undefined;
const playSmallOnes = () => (smallOnes ??= playAll('content', 'form', 'bytes', 'archives'));

test.each([
  ['content', 33],
  ['form', 20],
  ['bytes', 30],
  ['archives', 14],
  ['size', 5],
] as const)(
  'hostile statements, %s: at least %i',
  async (part, count) => {
    const parts = await (part === 'size' ? playAll(part) : playSmallOnes());
    const { played, maxMemoryMb } = parts.get(part) ?? { played: [], maxMemoryMb: NaN };
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
