/**
 * The owner of an inbox: `.paydrop/journal.json` in it names the journal and the process that work it. Also the
 * identity of `work/`, by whatever path a machine has it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { joinCommand } from '../../core/command-line.ts';
import { lookAt } from '../../platform/disk.ts';
import {
  AtomicFile,
  errorCode,
  failWith,
  OutputFileError,
  publishFile,
  readTextIfThere,
  replaceFile,
} from '../../platform/durable-file.ts';
import type { InboxState } from '../rules/drop-folder.ts';

/** Another journal works the inbox, or its ownership is unproved. The message names the inbox and the cure. */
export class InboxRefusedError extends Error {
  override readonly name = 'InboxRefusedError';
}

/** The folder of paydrop in an inbox; never taken as a payout file. */
const ownFolderName = '.paydrop';
/** The random bytes of a process's name; two processes with one name would both work an inbox. */
const holderBytes = 12;
const fullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** The folder of files that were claimed and are not in work/ yet, on the inbox's own file system. */
export function claimedFolderOf(inbox: string): string {
  return join(inbox, ownFolderName, 'claimed');
}

/** The folder of originals of files that are worked as copies. */
export function originalsFolderOf(inbox: string): string {
  return join(inbox, ownFolderName, 'originals');
}

/** The content of a stamp. `holder`: the process that works the inbox; earlier versions wrote none. */
const stampSchema = z.object({ journalId: z.string(), holder: z.string().optional().catch(undefined) });

/** Another process of the same journal takes the files of this inbox. */
export class InboxOfAnotherError extends InboxRefusedError {}

/** The right of a process to take files in, where several processes work one journal. */
export interface InboxOwner {
  /** The present name of this process in stamps; a process that joins the others again gets another name. */
  readonly name: string;
  /** Tells whether this process takes the inbox now from the holder in the stamp. */
  mayTake(holder: string): Promise<boolean>;
}

export class InboxBinding {
  readonly #inbox: string;
  readonly #work: string;
  readonly #journalId: string;
  /** Undefined where the journal is a file, which may have copies. */
  readonly #owner: InboxOwner | undefined;
  /** The name of a process without an owner's name. Two that work copies of one journal differ in it alone. */
  readonly #randomName = randomBytes(holderBytes).toString('hex');
  /** The holder in the stamp while the inbox is this process's; another's name where a full share took no stamp. */
  #stamped: string | undefined;
  /** The name of this process when it last wrote the stamp. */
  #boundAs: string | undefined;
  /** The identity of the bound folder; undefined while unbound. */
  #identity: string | undefined;
  /** The number of bindings: a change means another folder, or the same one back again. */
  count = 0;

  /** @param folders absolute paths; `work` remembers which inboxes were bound */
  constructor(
    { inbox, work }: Readonly<Record<'inbox' | 'work', string>>,
    journalId: string,
    owner?: InboxOwner,
  ) {
    this.#inbox = inbox;
    this.#work = work;
    this.#journalId = journalId;
    this.#owner = owner;
  }

  get #name(): string {
    return this.#owner?.name ?? this.#randomName;
  }

  /** Releases a folder that is gone, so that its successor, or the same one, is bound again. */
  release(): void {
    this.#identity = undefined;
  }

  /**
   * Binds the inbox to this process, or checks the binding. The folder itself must exist. A process that works its
   * journal alone writes its name into the stamp at its first binding; later it only checks, because another process
   * may have taken the inbox over. One of several processes writes the stamp whenever it may take the inbox.
   * @returns false when the inbox was bound before and this process alone still works it
   * @throws InboxRefusedError when another journal, or another holder of this one, works the inbox
   * @throws OutputFileError when it is not the folder that was bound before
   */
  async bind(): Promise<boolean> {
    if (this.#identity !== undefined && (await this.#isStillOurs(this.#identity))) return false;
    this.release();
    const identity = await identifyFolder(this.#inbox).catch((error: unknown) => this.#explainMissing(error));
    await this.#requireSameInbox();
    await requireFolder(join(this.#inbox, ownFolderName), this.#inbox);
    await requireFolder(claimedFolderOf(this.#inbox), this.#inbox);
    await rememberInbox(this.#work, this.#inbox);
    await this.#stamp();
    this.#identity = identity;
    this.count += 1;
    return true;
  }

  /** Reads, for another process, what would keep this inbox from being bound; undefined for one that was never bound. */
  async findObstacle(): Promise<unknown> {
    const isKnown = (await readMemory(this.#work).catch(() => [])).some(({ path }) => path === this.#inbox);
    if (!isKnown) return undefined;
    try {
      await identifyFolder(this.#inbox).catch((error: unknown) => this.#explainMissing(error));
      await this.#requireSameInbox();
      const found = await readTextIfThere(this.#stampPath);
      if (found !== undefined) this.#requireOurs(found, parseStamp(found)?.holder);
    } catch (error) {
      return error;
    }
    return undefined;
  }

  /** @returns false when the folder is another one */
  async #isStillOurs(identity: string): Promise<boolean> {
    if ((await identifyFolder(this.#inbox).catch(() => undefined)) !== identity) return false;
    const found = await readTextIfThere(this.#stampPath);
    if (found !== undefined) this.#requireOurs(found, this.#stamped);
    return found !== undefined && this.#boundAs === this.#name;
  }

  get #stampPath(): string {
    return join(this.#inbox, ownFolderName, 'journal.json');
  }

  async #stamp(): Promise<void> {
    const [path, journalId] = [this.#stampPath, this.#journalId];
    const before = await readTextIfThere(path);
    const known = parseStamp(before ?? '');
    const name = this.#name;
    let holder: string | undefined = name;
    const stamp = `${JSON.stringify({ journalId, holder })}\n`;
    if (before === undefined) await writeFirst(path, stamp);
    else if (known?.journalId === journalId && (await this.#mayTake(known.holder)))
      if (!(await isWritten(path, stamp))) holder = known.holder;
    // Another watcher may have written its stamp at the same moment; the stamp that remains counts.
    const found = await readTextIfThere(path);
    if (found === undefined) throw missingStamp(this.#inbox);
    this.#requireOurs(found, holder);
    this.#stamped = holder;
    this.#boundAs = name;
  }

  /** Tells whether this process may take the inbox; a process alone takes it at its first binding. */
  async #mayTake(holder: string | undefined): Promise<boolean> {
    if (this.#owner === undefined) return this.count === 0;
    const isOurs = holder === undefined || holder === this.#stamped || holder === this.#name;
    return isOurs || this.#owner.mayTake(holder);
  }

  /** Refuses an empty mount point in place of the inbox whose share is away. */
  async #requireSameInbox(): Promise<void> {
    const isNew = (await lookAt(join(this.#inbox, ownFolderName))) === undefined;
    if (isNew && (await mayBeAway(this.#work, this.#inbox))) throw missingStamp(this.#inbox);
  }

  async #explainMissing(error: unknown): Promise<never> {
    if (errorCode(error) !== 'ENOENT' || !(await mayBeAway(this.#work, this.#inbox))) throw error;
    throw new OutputFileError(
      `cannot use the inbox ${this.#inbox}: the folder is not there. If a share or a disk belongs there, mount it. ` +
        `If the folder was removed on purpose, make it anew: ${joinCommand('mkdir', '-p', join(this.#inbox, ownFolderName))}`,
      { cause: error },
    );
  }

  #requireOurs(text: string, holder: string | undefined): void {
    const [inbox, path, journalId] = [this.#inbox, this.#stampPath, this.#journalId];
    const found = parseStamp(text);
    if (found?.journalId !== journalId) {
      const whose = found === undefined ? 'names no journal' : `names the journal ${found.journalId}`;
      throw new InboxRefusedError(
        `the inbox ${inbox} is not this journal's: ${path} ${whose}, and this one is ${journalId}. ` +
          'Set another folders.inbox, or the dataDir that this inbox belongs to; ' +
          'remove the file only if no other journal works this inbox any more',
      );
    }
    if (found.holder === holder) return;
    if (this.#owner !== undefined)
      throw new InboxOfAnotherError(
        `the inbox ${inbox} is worked by another process of this journal, which takes its files in`,
      );
    throw new InboxRefusedError(
      `the inbox ${inbox} is worked by another watcher since: ${path} names another holder of the journal ${journalId}. ` +
        'If it works a copy of this dataDir, payouts may be made twice: stop one of the two, for good. ' +
        'Then start the other again, which takes the inbox back',
    );
  }
}

/** The state of an inbox that could not be bound or read. */
export function describeGone(inbox: string, error: unknown): Extract<InboxState, { kind: 'gone' }> {
  const why = error instanceof InboxRefusedError ? error.message : failWith('use', inbox, error).message;
  return { kind: 'gone', why, isMissing: errorCode(error) === 'ENOENT' };
}

/** The identity of a folder, which a successor of the same name lacks; links are followed. */
async function identifyFolder(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}-${ino}`;
}

/** Makes sure that paydrop's folder is an ordinary one: a link might lead the files out of the inbox. */
async function requireFolder(path: string, inbox: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
    if ((await lookAt(path))?.isDirectory() === true) return;
    throw new InboxRefusedError(`the inbox ${inbox} cannot be used: ${path} is no folder: move it away`, {
      cause: error,
    });
  }
}

/** Reads a stamp; undefined when it is unreadable. */
function parseStamp(text: string): z.infer<typeof stampSchema> | undefined {
  try {
    return stampSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Writes the stamp. False where a share is full: it keeps its old stamp, because taking files out makes room. */
async function isWritten(path: string, stamp: string): Promise<boolean> {
  try {
    await replaceFile(path, stamp);
    return true;
  } catch (error) {
    const { cause } = error as Error;
    if (fullCodes.has(errorCode(error)) || fullCodes.has(errorCode(cause ?? {}))) return false;
    throw error;
  }
}

/** Writes a file that must not exist. A stamp written at the same moment stays, and the next reader finds it. */
async function writeFirst(path: string, text: string): Promise<void> {
  await using file = await AtomicFile.open(path);
  await file.write(text);
  const prepared = await file.finish();
  try {
    await publishFile(prepared);
  } catch (error) {
    await rm(prepared.temporaryPath, { force: true });
    if ((await readTextIfThere(path)) === undefined) throw error;
  }
}

const missingStamp = (inbox: string): OutputFileError =>
  new OutputFileError(
    `the folder ${inbox} is not the inbox that was worked before: ${ownFolderName} is missing in it. ` +
      'If a share or a disk belongs there, mount it. ' +
      `If the folder was made anew on purpose, say so: ${joinCommand('mkdir', join(inbox, ownFolderName))}`,
  );

// ---------------------------------------------------------------- identity of work/

/** The name of the file in work/ with its id, beside the memory of inboxes. */
const folderIdName = '.paydrop-folder.json';

const folderIdSchema = z.object({ folderId: z.string() });

/** The id of a `work/`, the same on all machines that mount it; made where missing. */
export async function readFolderId(work: string): Promise<string> {
  const path = join(work, folderIdName);
  const known = await readTextIfThere(path);
  if (known === undefined)
    await writeFirst(path, `${JSON.stringify({ folderId: randomBytes(holderBytes).toString('hex') })}\n`);
  return folderIdSchema.parse(JSON.parse((await readTextIfThere(path)) ?? '{}')).folderId;
}

// ---------------------------------------------------------------- inboxes bound before

/** The file in work/ with bound inboxes. An inbox that was bound before and lacks the stamp is another folder. */
const memoryName = '.paydrop-inboxes.json';

/** An inbox that was bound before. */
interface KnownInbox {
  /** The absolute path. */
  readonly path: string;
  /** The inbox was on the file system of work/, not on a share or disk that may be away. */
  readonly isBesideWork: boolean;
}

const isKnownInbox = (entry: unknown): entry is KnownInbox =>
  typeof (entry as KnownInbox | null)?.path === 'string' &&
  typeof (entry as KnownInbox).isBesideWork === 'boolean';

/** Reads the bound inboxes; empty where nothing is known (any more). */
async function readMemory(work: string): Promise<readonly KnownInbox[]> {
  const text = await readTextIfThere(join(work, memoryName));
  try {
    const { inboxes } = JSON.parse(text ?? '{}') as { readonly inboxes?: unknown };
    return Array.isArray(inboxes) ? inboxes.filter(isKnownInbox) : [];
  } catch {
    // The next binding writes the file again.
    return [];
  }
}

/** True where the folder, or its parent before it exists, is on the file system of work/. */
async function isBesideWork(work: string, inbox: string): Promise<boolean> {
  const own = await stat(inbox).catch(() => stat(dirname(inbox)));
  return own.dev === (await stat(work)).dev;
}

/**
 * True when the inbox at this path may be away, so that another folder there, or none, is not it: it was bound before,
 * and was or would be on another file system than work/. A missing inbox beside work/ was removed.
 */
export async function mayBeAway(work: string, inbox: string): Promise<boolean> {
  const known = (await readMemory(work)).find(({ path }) => path === inbox);
  return known !== undefined && !(known.isBesideWork && (await isBesideWork(work, inbox)));
}

/** Records for later processes that an inbox at this path was bound. */
async function rememberInbox(work: string, inbox: string): Promise<void> {
  const known = await readMemory(work);
  const entry: KnownInbox = { path: inbox, isBesideWork: await isBesideWork(work, inbox) };
  const others = known.filter(({ path }) => path !== inbox);
  if (known.some((one) => one.path === inbox && one.isBesideWork === entry.isBesideWork)) return;
  await replaceFile(join(work, memoryName), `${JSON.stringify({ inboxes: [...others, entry] })}\n`);
}
