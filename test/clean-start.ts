/**
 * Before each file of tests: takes back what the last test of the file before has put in the place of something, where
 * one process runs both. vitest does so before each test, which is too late for what a file does before its first.
 */
import { vi } from 'vitest';

/** Nothing is left of what `vi` has put in the place of something. */
export function startClean(): void {
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  vi.useRealTimers();
}

startClean();
