/** Random bytes are drawn for many at once, and nobody is given those of another. */
import { expect, test } from 'vitest';
import { makeRandomDraws } from '../../src/platform/random-draws.ts';

test('each draw has bytes of its own, over many fills', () => {
  const draw = makeRandomDraws(16);
  const drawn = Array.from({ length: 1_000 }, () => draw().toString('hex'));
  expect(new Set(drawn).size).toBe(drawn.length);
  expect(drawn.every((text) => /^[0-9a-f]{32}$/.test(text))).toBe(true);
  // No two in a row have a part in common.
  const halves = drawn.flatMap((text) => [text.slice(0, 16), text.slice(16)]);
  expect(new Set(halves).size).toBe(halves.length);
});
