/**
 * Whose inbox it is: `.paydrop/journal.json` in it names the journal that works it, and the process. And which `work/` it
 * is, by whatever path a machine has it.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { lookAt } from '../../platform/disk.ts';
import {
  AtomicFile,
  errorCode,
  OutputFileError,
  publishFile,
  replaceFile,
} from '../../platform/durable-file.ts';

/** The inbox is worked by another journal, or cannot be told to be ours. The message names it and the cure. */
export class InboxRefusedError extends Error {
  override readonly name = 'InboxRefusedError';
}

/** What belongs to paydrop in an inbox; never taken for a payout file. */
const ownFolderName = '.paydrop';
/** Of the name of a process; one that two processes share would let both work one inbox. */
const holderBytes = 12;
const fullCodes: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);

/** Where files stand that were claimed and are not in work/ yet: on the inbox's own file system. */
export function claimedFolderOf(inbox: string): string {
  return join(inbox, ownFolderName, 'claimed');
}

/** Where the originals of files stand that are worked as copies. */
export function originalsFolderOf(inbox: string): string {
  return join(inbox, ownFolderName, 'originals');
}

/** What a stamp says. `holder`: the process that works the inbox; stamps of earlier versions have none. */
const stampSchema = z.object({ journalId: z.string(), holder: z.string().optional().catch(undefined) });

/** Another process of the same journal takes the files of this inbox in: they are taken. */
export class InboxOfAnotherError extends InboxRefusedError {}

/** Who takes files in, where several processes work one journal. */
export interface InboxOwner {
  /** Names this process now, as stamps have it: one that has joined the others anew has another name. */
  readonly name: string;
  /** Whether this process takes the inbox now from the one that the stamp names. */
  mayTake(holder: string): Promise<boolean>;
}

export class InboxBinding {
  readonly #inbox: string;
  readonly #work: string;
  readonly #journalId: string;
  /** Undefined where the journal is a file, of which there can be copies. */
  readonly #owner: InboxOwner | undefined;
  /** Names a process that has no owner's name. Two that work copies of one journal differ in it alone. */
  readonly #randomName = randomBytes(holderBytes).toString('hex');
  /** The holder that the stamp names while the inbox is ours: another's where a full share took no stamp. */
  #stamped: string | undefined;
  /** The name of this process when the stamp was last written. */
  #boundAs: string | undefined;
  /** Of the folder that is bound; undefined while it is not. */
  #identity: string | undefined;
  /** How often the folder was bound: another number means another folder, or the same come back. */
  count = 0;

  /** @param work remembers which inboxes were bound; both absolute */
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

  /** The folder is gone: another one, or the same, is bound anew. */
  release(): void {
    this.#identity = undefined;
  }

  /**
   * Makes the inbox ours, or sees that it still is. The folder itself must be there. A process that works its journal
   * alone writes into the stamp who it is at its first binding; later ones only look, for another process may have taken
   * the inbox over since. One of several writes it whenever it may take the inbox.
   * @returns false when it was bound before and is worked by this process alone still
   * @throws InboxRefusedError when another journal, or another holder of this one, works it
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

  /** @returns false when it is another folder */
  async #isStillOurs(identity: string): Promise<boolean> {
    if ((await identifyFolder(this.#inbox).catch(() => undefined)) !== identity) return false;
    const found = await readText(this.#stampPath);
    if (found !== undefined) this.#requireOurs(found, this.#stamped);
    return found !== undefined && this.#boundAs === this.#name;
  }

  get #stampPath(): string {
    return join(this.#inbox, ownFolderName, 'journal.json');
  }

  async #stamp(): Promise<void> {
    const [path, journalId] = [this.#stampPath, this.#journalId];
    const before = await readText(path);
    const known = parseStamp(before ?? '');
    const name = this.#name;
    let holder: string | undefined = name;
    const stamp = `${JSON.stringify({ journalId, holder })}\n`;
    if (before === undefined) await writeFirst(path, stamp);
    else if (known?.journalId === journalId && (await this.#mayTake(known.holder)))
      if (!(await isWritten(path, stamp))) holder = known.holder;
    // Another watcher may have written its own at this very moment: whose is there in the end counts.
    const found = await readText(path);
    if (found === undefined) throw missingStamp(this.#inbox);
    this.#requireOurs(found, holder);
    this.#stamped = holder;
    this.#boundAs = name;
  }

  /** Alone, a process takes an inbox over at its first binding. */
  async #mayTake(holder: string | undefined): Promise<boolean> {
    if (this.#owner === undefined) return this.count === 0;
    const isOurs = holder === undefined || holder === this.#stamped || holder === this.#name;
    return isOurs || this.#owner.mayTake(holder);
  }

  /** An empty mount point must not be taken for the inbox whose share is away. */
  async #requireSameInbox(): Promise<void> {
    const isNew = (await lookAt(join(this.#inbox, ownFolderName))) === undefined;
    if (isNew && (await mayBeAway(this.#work, this.#inbox))) throw missingStamp(this.#inbox);
  }

  async #explainMissing(error: unknown): Promise<never> {
    if (errorCode(error) !== 'ENOENT' || !(await mayBeAway(this.#work, this.#inbox))) throw error;
    throw new OutputFileError(
      `cannot use the inbox ${this.#inbox}: the folder is not there. If a share or a disk belongs there, mount it. ` +
        `If the folder was removed on purpose, make it anew: mkdir -p ${join(this.#inbox, ownFolderName)}`,
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

/** Tells one folder from another that takes its name later; links are followed. */
async function identifyFolder(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  return `${dev}-${ino}`;
}

/** Makes sure that an ordinary folder of ours stands there: a link might lead the files out of the inbox. */
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

/** undefined when there is no such file. */
async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** undefined when there is none to be read. */
function parseStamp(text: string): z.infer<typeof stampSchema> | undefined {
  try {
    return stampSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** False where a share is full: it keeps the stamp that it has, since taking files out of it is what makes room. */
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

/** Never over another's: one that has come at this very moment is found by whoever reads the stamp next. */
async function writeFirst(path: string, text: string): Promise<void> {
  await using file = await AtomicFile.open(path);
  await file.write(text);
  const prepared = await file.finish();
  try {
    await publishFile(prepared);
  } catch (error) {
    await rm(prepared.temporaryPath, { force: true });
    if ((await readText(path)) === undefined) throw error;
  }
}

const missingStamp = (inbox: string): OutputFileError =>
  new OutputFileError(
    `the folder ${inbox} is not the inbox that was worked before: ${ownFolderName} is missing in it. ` +
      'If a share or a disk belongs there, mount it. ' +
      `If the folder was made anew on purpose, say so: mkdir ${join(inbox, ownFolderName)}`,
  );

// ---------------------------------------------------------------- which work/ it is

/** In work/, beside the memory of inboxes. */
const folderIdName = '.paydrop-folder.json';

const folderIdSchema = z.object({ folderId: z.string() });

/** The id of a `work/` for all who have it mounted; it gets one where it has none. */
export async function readFolderId(work: string): Promise<string> {
  const path = join(work, folderIdName);
  const known = await readText(path);
  if (known === undefined)
    await writeFirst(path, `${JSON.stringify({ folderId: randomBytes(holderBytes).toString('hex') })}\n`);
  return folderIdSchema.parse(JSON.parse((await readText(path)) ?? '{}')).folderId;
}

// ---------------------------------------------------------------- inboxes that were bound before

/** In work/: an inbox that lacks our stamp though it was bound before is another folder. */
const memoryName = '.paydrop-inboxes.json';

/** An inbox that has been bound. */
interface KnownInbox {
  /** Absolute. */
  readonly path: string;
  /** It was on the file system of work/: no share or disk of its own that may be away. */
  readonly isBesideWork: boolean;
}

const isKnownInbox = (entry: unknown): entry is KnownInbox =>
  typeof (entry as KnownInbox | null)?.path === 'string' &&
  typeof (entry as KnownInbox).isBesideWork === 'boolean';

/** None where nothing is known (any more). */
async function readMemory(work: string): Promise<readonly KnownInbox[]> {
  const text = await readText(join(work, memoryName));
  try {
    const { inboxes } = JSON.parse(text ?? '{}') as { readonly inboxes?: unknown };
    return Array.isArray(inboxes) ? inboxes.filter(isKnownInbox) : [];
  } catch {
    // Written anew at the next binding.
    return [];
  }
}

/** True where the folder, or the one that it would be made in, is on the file system of work/. */
async function isBesideWork(work: string, inbox: string): Promise<boolean> {
  const own = await stat(inbox).catch(() => stat(dirname(inbox)));
  return own.dev === (await stat(work)).dev;
}

/**
 * True when the inbox at this path may be away, so that another folder there, or none, is not it: it has been bound
 * before, and was or would be on another file system than work/. One beside work/ was removed by somebody.
 */
export async function mayBeAway(work: string, inbox: string): Promise<boolean> {
  const known = (await readMemory(work)).find(({ path }) => path === inbox);
  return known !== undefined && !(known.isBesideWork && (await isBesideWork(work, inbox)));
}

/** Keeps for later processes that an inbox at this path has been bound. */
async function rememberInbox(work: string, inbox: string): Promise<void> {
  const known = await readMemory(work);
  const entry: KnownInbox = { path: inbox, isBesideWork: await isBesideWork(work, inbox) };
  const others = known.filter(({ path }) => path !== inbox);
  if (known.some((one) => one.path === inbox && one.isBesideWork === entry.isBesideWork)) return;
  await replaceFile(join(work, memoryName), `${JSON.stringify({ inboxes: [...others, entry] })}\n`);
}
