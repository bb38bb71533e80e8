import { setTimeout as wait } from 'node:timers/promises';
import type { Clock } from '../core/ports.ts';

/** Longest wait of the platform's timers; a longer one would end at once. Whoever waits looks again anyway. */
const timerMaxMs = 2_147_483_647;

/** The machine's own clock. */
export const systemClock: Clock = {
  now: () => Date.now(),
  sleep: async (ms, signal) => {
    try {
      await wait(Math.min(Math.max(0, ms), timerMaxMs), undefined, signal === undefined ? {} : { signal });
    } catch (error) {
      if (!(error instanceof Error && error.name === 'AbortError')) throw error;
    }
  },
};
