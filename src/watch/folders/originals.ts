/**
 * Originals of files that others may still change (of a foreign owner, or with a second link). Such files are worked as
 * copies; the originals stay in `inbox/.paydrop/originals/ID/`, where additions are noticed, until they are not needed.
 */
import { mkdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { lookAt, removeFilledFolder } from '../../platform/disk.ts';
import { errorCode } from '../../platform/durable-file.ts';
import { sidecarName } from '../rules/drop-folder.ts';
import { isHeldByOthers } from '../rules/file-growth.ts';
import { originalsFolderOf } from './binding.ts';
import { type Contents, listItems, lookInto } from './claim.ts';
import type { FoldersContext } from './context.ts';

/** True where another user may write to a file of this folder, or to its sidecar. */
export async function isFolderHeldByOthers(
  folder: string,
  { fileName, hasSidecar }: Contents,
): Promise<boolean> {
  const path = join(folder, fileName);
  for (const one of hasSidecar ? [path, sidecarName(path)] : [path]) {
    const stats = await lookAt(one);
    if (stats !== undefined && isHeldByOthers(stats, process.geteuid?.())) return true;
  }
  return false;
}

export class Originals {
  readonly #context: FoldersContext;
  readonly #root: string;
  /** Items with kept originals. For all others the inbox, which may be a hanging share, is not accessed. */
  #kept: Set<string> | undefined;

  constructor(context: FoldersContext) {
    this.#context = context;
    this.#root = originalsFolderOf(context.folders.inbox);
  }

  /** Moves a claimed folder here, once its copy is in work/. */
  async keep(claimed: string): Promise<void> {
    const { disk } = this.#context;
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    (await this.#load()).add(basename(claimed));
    await disk.rename(claimed, join(this.#root, basename(claimed)));
    await disk.sync(this.#root);
  }

  /** Loads the items; none where the inbox is away, and the next call tries again. */
  async #load(): Promise<Set<string>> {
    if (this.#kept !== undefined) return this.#kept;
    let found: readonly string[] = [];
    try {
      found = await listItems(this.#root);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
      if ((await lookAt(dirname(this.#root))) === undefined) return new Set();
    }
    this.#kept = new Set(found);
    return this.#kept;
  }

  /** Items with kept originals. */
  async list(): Promise<readonly string[]> {
    return [...(await this.#load())];
  }

  /** The absolute path of an item's original; undefined where none is kept. */
  async find(itemId: string): Promise<string | undefined> {
    if (!(await this.#load()).has(itemId)) return undefined;
    const folder = join(this.#root, itemId);
    const { contents } = await lookInto(folder);
    return contents && join(folder, contents.fileName);
  }

  async remove(itemId: string): Promise<void> {
    await removeFilledFolder(this.#context.disk, join(this.#root, itemId));
    this.#kept?.delete(itemId);
  }
}
