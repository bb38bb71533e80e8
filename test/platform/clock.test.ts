/** Time that nobody sets: it goes on while the machine sleeps, and asks the system only when two clocks disagree. */
import { expect, test } from 'vitest';
import { makeElapsedTime, systemClock } from '../../src/platform/clock.ts';

const hourMs = 3_600_000;

test.each([
  // What happens, then what wall clock, timer and uptime show of it, and how much time has passed.
  ['an hour passes', hourMs, hourMs, hourMs, hourMs, 1],
  ['the machine sleeps for an hour', hourMs, 5, hourMs, hourMs, 2],
  ['the clock is set an hour ahead', hourMs, 5, 5, 5, 2],
  ['the clock is set an hour back', -hourMs, 5, 5, 5, 2],
  ['it sleeps, and wakes with the clock of before', 5, 5, hourMs, 5, 1],
  ['it sleeps where nothing tells of it', hourMs, 5, 0, 5, 2],
])('%s', (_, wallMs, awakeMs, upMs, elapsedMs, looks) => {
  let isOver = false;
  let asked = 0;
  const time = makeElapsedTime(
    () =>
      isOver ? { wallMs: 7 * hourMs + wallMs, awakeMs: 100 + awakeMs } : { wallMs: 7 * hourMs, awakeMs: 100 },
    () => {
      asked += 1;
      return isOver ? 9 * hourMs + upMs : 9 * hourMs;
    },
  );
  expect(time()).toBe(0);
  isOver = true;
  expect([time(), time(), asked]).toEqual([elapsedMs, elapsedMs, looks]);
});

test('the machine has it', () => {
  const before = systemClock.elapsedMs();
  expect(systemClock.elapsedMs()).toBeGreaterThanOrEqual(before);
});
