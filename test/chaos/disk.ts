/**
 * The disk under a data directory that can be made full, and a journal that can be made read-only, while programs use
 * them. Where this user may mount, it is a file system of its own that is really full; elsewhere the running program
 * meets a limit on the size of its files, as the operating system's `prlimit` sets it.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Disk extends AsyncDisposable {
  /** For the settings: the folder is not there yet. */
  readonly dataDir: string;
  /** What stands behind `fill` and `protect` on this machine; undefined where it cannot be done. */
  readonly means: { readonly full: string | undefined; readonly readOnly: string | undefined };
  /** Leaves no byte free. @param pid the program under way */
  fill(pid: number | undefined): void;
  free(pid: number | undefined): void;
  /** Makes the journal read-only: under a running program where the means allow it, else for the next one. */
  protect(): void;
  unprotect(): void;
}

function canRun(command: string, ...args: string[]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const imageSize = '2G';
const probeFile = 'probe';

/** A file system of its own in a file, with nothing reserved; false where that is not allowed. */
function mountOwn(folder: string, mountPoint: string): boolean {
  const image = join(folder, 'image');
  return (
    canRun('truncate', '-s', imageSize, image) &&
    canRun('mkfs.ext4', '-q', '-m', '0', '-O', '^has_journal', image) &&
    canRun('mount', '-o', 'loop', image, mountPoint)
  );
}

/** True where the attribute `i` of a file keeps even its owner, and who has it open, from writing. */
function canProtectOpenFiles(folder: string): boolean {
  const probe = join(folder, probeFile);
  const can = canRun('touch', probe) && canRun('chattr', '+i', probe) && canRun('chattr', '-i', probe);
  rmSync(probe, { force: true });
  return can;
}

const fillerName = 'filler';

/** Takes all that is left, in ever smaller files. */
function fillUp(mountPoint: string): void {
  const { bsize } = statfsSync(mountPoint);
  let size = statfsSync(mountPoint).bavail * bsize;
  for (let number = 0; size >= bsize; number += 1) {
    const hasFit = canRun('fallocate', '-l', String(size), join(mountPoint, `${fillerName}${number}`));
    const left = statfsSync(mountPoint).bavail * bsize;
    size = Math.min(hasFit ? size : Math.floor(size / 2), left);
  }
}

function emptyAgain(mountPoint: string): void {
  for (const name of readdirSync(mountPoint))
    if (name.startsWith(fillerName)) rmSync(join(mountPoint, name), { force: true });
}

const smallestFile = '4096';

function limitFiles(pid: number | undefined, size: string): void {
  if (pid !== undefined) canRun('prlimit', '--pid', String(pid), `--fsize=${size}:unlimited`);
}

const journalFiles = ['journal.db', 'journal.db-wal'];
const ownerOnly = 0o600;
const readOnly = 0o400;

function changeJournal(dataDir: string, hasAttribute: boolean, isProtected: boolean): void {
  for (const path of journalFiles.map((name) => join(dataDir, name)).filter((one) => existsSync(one))) {
    if (hasAttribute) canRun('chattr', isProtected ? '+i' : '-i', path);
    else chmodSync(path, isProtected ? readOnly : ownerOnly);
  }
}

/**
 * Starts a process that unmounts and removes everything when this one wants it, or is no more: however it ends, a mount
 * must not outlive it.
 * @returns what asks it to, and waits until it is done
 */
function startCaretaker(mountPoint: string | undefined, folder: string): () => Promise<void> {
  const unmount = mountPoint === undefined ? '' : 'umount -l "$1";';
  const script = `read -r _; ${unmount} rm -rf "$0"`;
  const args = ['-c', script, folder, ...(mountPoint === undefined ? [] : [mountPoint])];
  const caretaker = spawn('sh', args, { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  return async () => {
    const closed = once(caretaker, 'close');
    caretaker.stdin.end();
    await closed;
  };
}

/** Opens the disk. Everything is unmounted and removed with it, once no program uses it any more. */
export async function openDisk(): Promise<Disk> {
  const folder = await mkdtemp(join(tmpdir(), 'paydrop-disk-'));
  const mountPoint = join(folder, 'disk');
  await mkdir(mountPoint);
  const isOwn = mountOwn(folder, mountPoint);
  const hasAttribute = canProtectOpenFiles(mountPoint);
  const dataDir = join(mountPoint, 'data');
  const clearAway = startCaretaker(isOwn ? mountPoint : undefined, folder);
  // Whoever may do everything is not kept from writing by a file's mode.
  const isKeptByMode = process.getuid?.() !== 0;
  return {
    dataDir,
    means: {
      full: isOwn ? 'a file system filled up' : canRun('prlimit') ? 'a limit on file sizes' : undefined,
      readOnly: hasAttribute ? 'chattr +i' : isKeptByMode ? 'chmod, for the next run' : undefined,
    },
    fill: (pid) => (isOwn ? fillUp(mountPoint) : limitFiles(pid, smallestFile)),
    free: (pid) => (isOwn ? emptyAgain(mountPoint) : limitFiles(pid, 'unlimited')),
    protect: () => changeJournal(dataDir, hasAttribute, true),
    unprotect: () => changeJournal(dataDir, hasAttribute, false),
    [Symbol.asyncDispose]: async () => {
      changeJournal(dataDir, hasAttribute, false);
      await clearAway();
    },
  };
}
