/** Waiting for what another task of this process brings about. */
import { vi } from 'vitest';

/** Ends what hangs, and says nothing of speed. */
const patienceMs = 120_000;

/** Tries until it does not throw any more, on a busy machine, too. */
export const eventually = <Found>(look: () => Found | Promise<Found>): Promise<Found> =>
  vi.waitFor(look, { timeout: patienceMs, interval: 5 });
