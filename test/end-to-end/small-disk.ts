/** A disk that is soon full. */
import { spawnSync } from 'node:child_process';
import { appendFile, mkdtemp, rm, stat, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const mebibyte = 1_048_576;

/** A small disk of memory; where none can be mounted, a folder that never fills. */
export async function openSmallDisk() {
  const path = await mkdtemp(join(tmpdir(), 'paydrop-disk-'));
  const filler = join(path, 'filler');
  const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=12m,mode=700', 'tmpfs', path]);
  const isMounted = mount.status === 0;
  return {
    path,
    isMounted,
    fill: async () => {
      try {
        for (;;) await appendFile(filler, Buffer.alloc(mebibyte / 4));
      } catch {
        // Full.
      }
    },
    empty: () => rm(filler),
    /** Gives some of what was filled back. */
    free: async (bytes: number) => truncate(filler, Math.max(0, (await stat(filler)).size - bytes)),
    async [Symbol.asyncDispose]() {
      if (isMounted) spawnSync('umount', ['-l', path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}
