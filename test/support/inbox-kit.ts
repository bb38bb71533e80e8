/** A drop folder with real folders and the real watcher, and a disk that can be stopped at any step. */
import { mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { performance } from 'node:perf_hooks';
import { systemClock } from '../../src/platform/clock.ts';
import { type Disk, realDisk } from '../../src/platform/disk.ts';
import type { FoldersContext } from '../../src/watch/folders/context.ts';
import { type Intake, openIntake } from '../../src/watch/folders/drop-folder.ts';
import type { WorkItem } from '../../src/watch/ports.ts';

type IntakeOptions = Parameters<typeof openIntake>[0];

type IntakeSettings = FoldersContext['watch'];

export const stillMs = 60;
/** A writer's pauses are far below it, on a busy machine too. */
export const longStillMs = 500;
/** How often the inbox is read anew where a test sets nothing else. */
export const rescanMs = 60_000;

type Line = { readonly level: string; readonly message: string; readonly file?: string };

export interface Kit extends AsyncDisposable {
  readonly root: string;
  readonly inbox: string;
  readonly folders: IntakeOptions['folders'];
  readonly lines: Line[];
  open(changes?: OpeningChanges): Promise<Intake>;
  /** Takes until so many files have come, waiting for news in between. */
  collect(intake: Intake, count: number, timeoutMs?: number): Promise<WorkItem[]>;
  /** What stands in work/, without what is paydrop's own. */
  workNames(): Promise<string[]>;
  /** Names in the claimed folder. */
  claimedNames(): Promise<string[]>;
  /** Every file below the root (links too), as path → text; what is paydrop's own left out. */
  files(): Promise<Record<string, string>>;
}

export interface OpeningChanges extends Partial<Omit<IntakeOptions, 'watch'>> {
  readonly watch?: Partial<IntakeSettings>;
}

/** @param elsewhere folders on another file system */
export async function makeKit(elsewhere: Partial<IntakeOptions['folders']> = {}): Promise<Kit> {
  const root = await mkdtemp(join(tmpdir(), 'paydrop-intake-'));
  const folders = Object.fromEntries(
    (['inbox', 'work', 'archive', 'rejected'] as const).map((name) => [
      name,
      elsewhere[name] ?? join(root, name),
    ]),
  ) as IntakeOptions['folders'];
  const lines: Line[] = [];
  const opened: Intake[] = [];
  await mkdir(folders.inbox, { recursive: true });
  return {
    root,
    inbox: folders.inbox,
    folders,
    lines,
    async open({ watch, ...changes } = {}) {
      const intake = await openIntake({
        folders,
        watch: { stillMs, marker: 'none', polling: false, pollMs: 50, rescanMs, ...watch },
        isSidecarExpected: false,
        journalId: 'J1',
        clock: systemClock,
        log: (level, message, facts) => lines.push({ level, message, ...facts }),
        ...changes,
      });
      opened.push(intake);
      return intake;
    },
    collect,
    workNames: async () =>
      (await readdir(folders.work)).filter((name) => !ownNames.includes(name)).toSorted(),
    claimedNames: () => readdir(join(folders.inbox, '.paydrop', 'claimed')),
    files: () => readTree(root, Object.values(folders)),
    async [Symbol.asyncDispose]() {
      for (const intake of opened) await intake[Symbol.asyncDispose]();
      await rm(root, { recursive: true, force: true });
    },
  };
}

/** A folder on another file system than this one; undefined where the machine has none at hand. */
export async function makeFolderElsewhere(path: string): Promise<string | undefined> {
  const { dev } = await stat(path);
  for (const place of ['/dev/shm', '/tmp', '/var/tmp']) {
    const found = await stat(place).catch(() => undefined);
    if (found !== undefined && found.dev !== dev) return mkdtemp(join(place, 'paydrop-'));
  }
  return undefined;
}

async function collect(intake: Intake, count: number, timeoutMs = 60_000): Promise<WorkItem[]> {
  const stop = AbortSignal.timeout(timeoutMs);
  const items: WorkItem[] = [];
  for (;;) {
    items.push(...(await intake.take(count - items.length)));
    if (items.length >= count || stop.aborted) return items;
    await intake.waitForNews(stop);
  }
}

const ownNames = ['journal.json', '.paydrop-inboxes.json'];

async function readTree(root: string, folders: readonly string[]): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const folder of folders) {
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory() || ownNames.includes(entry.name)) continue;
      const path = join(entry.parentPath, entry.name);
      found[relative(root, path)] = entry.isFile() ? await readFile(path, 'utf8') : 'no file';
    }
  }
  return found;
}

export const pause = (ms: number) => systemClock.sleep(ms);

/** Waits until something holds. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + 120_000;
  while (!(await isSo())) {
    if (performance.now() > end) throw new Error('it never came to be');
    await pause(5);
  }
}

/** Fails as a system call does. */
export const fail = (code: string): never => {
  throw Object.assign(new Error(`${code}: injected`), { code });
};

/** A file system without hard links. */
export const linklessDisk: Disk = { ...realDisk, link: async () => fail('EPERM') };

/** Folders that are on file systems of their own: neither renames nor links lead from one to another. */
export function splitDisk(folders: IntakeOptions['folders'], disk: Disk = realDisk): Disk {
  const deviceOf = (path: string | Buffer) =>
    Object.values(folders).findIndex((folder) => String(path).startsWith(`${folder}/`));
  const cross =
    (step: 'rename' | 'link'): Disk['rename'] =>
    async (from, to) => {
      if (deviceOf(from) !== deviceOf(to)) fail('EXDEV');
      await disk[step](from, to);
    };
  return { ...disk, rename: cross('rename'), link: cross('link') };
}

/**
 * A machine that stops before its step number `steps`, or in the midst of it where it writes; nothing happens after,
 * or, where only so many steps are `refused`, the rest.
 */
export function stoppingDisk(
  disk: Disk,
  steps: number,
  refused = Infinity,
): { disk: Disk; hasStopped: () => boolean } {
  let left = steps;
  const guard =
    <Args extends unknown[]>(
      step: (...args: Args) => Promise<void>,
      torn?: (...args: Args) => Promise<void>,
    ) =>
    async (...args: Args): Promise<void> => {
      left -= 1;
      if (left === -1) await torn?.(...args);
      if (left < 0 && left >= -refused) fail('EIO');
      await step(...args);
    };
  const stopping: Disk = {
    makeFolder: guard(disk.makeFolder),
    rename: guard(disk.rename),
    link: guard(disk.link),
    reserve: guard(disk.reserve),
    remove: guard(disk.remove),
    removeFolder: guard(disk.removeFolder),
    copy: guard(disk.copy, (_source, to) => realDisk.write(to, 'ha')),
    write: guard(disk.write, (to) => realDisk.write(to, 'ha')),
    sync: guard(disk.sync),
    freeBytes: disk.freeBytes,
  };
  return { disk: stopping, hasStopped: () => left < 0 };
}
