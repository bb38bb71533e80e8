/**
 * Before the tests: their temporary folders go into memory, where the machine has room there. The journal syncs each
 * commit, and half of what most tests took was waiting for the disk; none of them can see a power cut.
 */
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memoryFolder = '/dev/shm';
/** Many times what the tests hold at any moment. */
const bytesMin = 2 ** 30;

/** A folder in memory with room for tests; undefined where the machine has none. */
export function findMemoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(memoryFolder);
    return bavail * bsize >= bytesMin ? memoryFolder : undefined;
  } catch {
    return undefined;
  }
}

/** Called by vitest. The processes of the tests, and those that they start, inherit it. */
export function setup(): (() => void) | undefined {
  const memory = findMemoryFolder();
  if (memory === undefined) return undefined;
  const folder = mkdtempSync(join(memory, 'paydrop-tests-'));
  process.env['TMPDIR'] = folder;
  const clearAway = (): void => rmSync(folder, { recursive: true, force: true });
  process.once('exit', clearAway);
  return clearAway;
}
