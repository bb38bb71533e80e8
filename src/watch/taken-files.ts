/** Watches files after they were taken: a writer that has one open may go on writing, wherever the file has moved. */
import { formatBaht, type Satang, toSatang } from '../core/money.ts';
import type { Inspection } from '../core/payout-file.ts';
import type { BatchReason } from '../core/ports.ts';
import { computeBatchId } from '../core/reference.ts';
import type { PayoutFileReader } from '../intake/ports.ts';
import { lookAt, printFile } from '../platform/disk.ts';
import { hashWithStart } from '../platform/durable-file.ts';
import type { FileKind, WatchSetup } from './context.ts';
import type { AddedRowReader, FileBatch, TakenFileStore, WorkItem } from './ports.ts';
import { grownReason, isLookDue, isWatchOver, stillForMs, watchedForMs } from './rules/file-growth.ts';
import type { FileGrowth, TakenFile } from './rules/file-growth.ts';

/** The interval between checks for files that are due. */
const stepMs = 2_000;
const idleMs = 10_000;
/** The number of payoutIds that a message names. */
const namedMax = 20;

/** The result of a look at a file. */
interface Seen {
  /** See printFile: while the print stays, so do the bytes. */
  readonly print: string;
  readonly sha256: string;
  readonly startSha256: string;
  readonly bytes: number;
  readonly path: string;
  readonly sinceMs: number;
}

/** Reads rows of payouts. */
export const readAddedPayouts = ({ inspect, read }: PayoutFileReader): AddedRowReader => ({
  inspect,
  async *readRows(inspection) {
    for await (const part of read(inspection)) {
      if (part.kind === 'rejected') yield null;
      if (part.kind !== 'rows') continue;
      yield part.rows.map(({ rowNo, cells, amountSatang }) => ({ rowNo, id: cells.payoutId, amountSatang }));
    }
  },
});

type Setup = Pick<WatchSetup, 'intake' | 'clock' | 'log' | 'notify' | 'reportEvent' | 'stop'> & {
  readonly store: TakenFileStore;
  readonly claims?: { isElsewhere(itemId: string): Promise<boolean> } | undefined;
};

export class TakenFiles {
  readonly #setup: Setup;
  readonly #kind: Pick<FileKind<FileBatch>, 'name' | 'findBatch' | 'reader'>;
  readonly #seen = new Map<string, Seen>();
  readonly #lookedAtMs = new Map<string, number>();

  constructor(setup: Setup, kind: Pick<FileKind<FileBatch>, 'name' | 'findBatch' | 'reader'>) {
    this.#setup = setup;
    this.#kind = kind;
  }

  /** Records a file before its rows are read into a batch. */
  async note({ itemId, fileName, path }: WorkItem, batchId: string, read: Inspection): Promise<void> {
    const { store } = this.#setup;
    const { sizeBytes: bytes, sha256 } = read;
    const stats = await lookAt(path);
    if (stats === undefined || (await store.takenFile(itemId))?.sha256 === sha256) return;
    const file = { itemId, batchId, fileName, path, inode: String(stats.ino), bytes, sha256 };
    const kind = this.#kind.name === 'registration' ? this.#kind.name : undefined;
    await store.putTakenFile({ ...file, kind, untilMs: null, isWatched: true, growth: null });
  }

  /** Records that a file has left work/. */
  async noteEnd(itemId: string, path: string): Promise<void> {
    const { store, clock } = this.#setup;
    const [file, stats] = [await store.takenFile(itemId), await lookAt(path)];
    if (file === undefined || file.untilMs !== null) return;
    const inode = String(stats?.ino ?? file.inode);
    const sealed = (await this.#kind.findBatch(file.batchId))?.sealedAtMs ?? null;
    // A file rejected as a whole has paid nothing, so its later changes do no harm.
    const isWatched = sealed !== null;
    await store.putTakenFile({ ...file, path, inode, isWatched, untilMs: clock.now() + watchedForMs });
  }

  /** The reason why a batch may not begin: one of its files has changed since it was read. */
  async findGrowth(batch: FileBatch): Promise<BatchReason | undefined> {
    for (const file of await this.#setup.store.takenFilesOf(batch.batchId)) {
      const hasGrown = file.isWatched ? (await this.#look(file)) === 'grown' : file.growth !== null;
      if (hasGrown) return grownReason(batch);
    }
    return undefined;
  }

  /** Looks at all watched files once, and waits for the next look. */
  async step(): Promise<void> {
    const { store, clock, log, stop } = this.#setup;
    const watched = await store.watchedFiles(this.#kind.name);
    for (const file of watched) {
      if (!isLookDue(file, this.#lookedAtMs.get(file.itemId), clock.now())) continue;
      this.#lookedAtMs.set(file.itemId, clock.now());
      // The machine that has the file in its work/ looks at it.
      if ((await this.#setup.claims?.isElsewhere(file.itemId)) === true) continue;
      await this.#follow(file).catch((error: unknown) => {
        log('warn', 'a file that was taken cannot be looked at', { itemId: file.itemId, err: error });
      });
    }
    const known = new Set(watched.map(({ itemId }) => itemId));
    for (const itemId of this.#lookedAtMs.keys()) if (!known.has(itemId)) this.#forget(itemId);
    await this.#closeTaken();
    await this.#clearOriginals(known);
    await clock.sleep(watched.length === 0 ? idleMs : stepMs, stop);
  }

  #forget(itemId: string): void {
    this.#lookedAtMs.delete(itemId);
    this.#seen.delete(itemId);
  }

  /** Closes the growth of files that were dropped again whole and taken: every row is in a batch. */
  async #closeTaken(): Promise<void> {
    const { store } = this.#setup;
    for (const { itemId, batchId, growth } of await store.grownFiles()) {
      if (growth === null) continue;
      const whole = await this.#kind.findBatch(computeBatchId(growth.sha256));
      const isTaken =
        whole?.sha256 === growth.sha256 && whole.sealedAtMs !== null && whole.batchId !== batchId;
      if (isTaken) await store.closeGrowth(itemId, growth.sha256);
    }
  }

  /** Removes originals that are no longer watched, each after a last look, because the inbox may have been away. */
  async #clearOriginals(watched: ReadonlySet<string>): Promise<void> {
    const { intake, store, log } = this.#setup;
    const unwatched = (await intake.listOriginals()).filter((itemId) => !watched.has(itemId));
    for (const itemId of unwatched) {
      try {
        const file = await store.takenFile(itemId);
        if (file?.isWatched === true || (file !== undefined && (await this.#isAlarm(file)))) continue;
        await intake.removeOriginal(itemId);
      } catch (error) {
        log('warn', 'the original of a file that was taken cannot be removed', { itemId, err: error });
      }
    }
  }

  /** True while rows of a paid file stand only in its original. */
  async #isAlarm(file: TakenFile): Promise<boolean> {
    const { store } = this.#setup;
    const { itemId, batchId } = file;
    if (((await this.#kind.findBatch(batchId))?.sealedAtMs ?? null) === null) return false;
    if ((await this.#look(file)) === 'grown') await this.#tell((await store.takenFile(itemId)) ?? file, true);
    this.#seen.delete(itemId);
    return (await store.grownFiles()).some((grown) => grown.itemId === itemId);
  }

  async #follow(file: TakenFile): Promise<void> {
    const { store, clock, log } = this.#setup;
    const isOver = isWatchOver(file, clock.now());
    // The last look ignores times and reads the bytes.
    if (isOver) this.#seen.delete(file.itemId);
    const found = await this.#look(file);
    const now = (await store.takenFile(file.itemId)) ?? file;
    if (found === 'grown') await this.#tell(now, isOver);
    // A file without a recorded end may still be on its way.
    const isGone = found === 'gone' && now.untilMs !== null;
    if (isGone)
      log('warn', 'a file that was taken is not there any more', { itemId: now.itemId, path: now.path });
    if (!isOver && !isGone) return;
    const last = (await store.takenFile(file.itemId)) ?? now;
    await store.putTakenFile({ ...last, isWatched: false });
  }

  /** Reads the bytes where anything about the file or its original has changed since the last look. */
  async #look(file: TakenFile): Promise<'still' | 'grown' | 'gone'> {
    const { itemId, sha256, bytes } = file;
    const own = await this.#find(file);
    const path = (await this.#setup.intake.findOriginal(itemId)) ?? own;
    const stats = path === undefined ? undefined : await lookAt(path);
    if (path === undefined || stats === undefined) return 'gone';
    const print = printFile(stats);
    let seen = this.#seen.get(itemId);
    if (seen?.print !== print) {
      const hashed = await hashWithStart(path, bytes);
      const isSame = hashed.sha256 === seen?.sha256;
      seen = { print, path, ...hashed, sinceMs: isSame && seen ? seen.sinceMs : this.#setup.clock.now() };
      this.#seen.set(itemId, seen);
    }
    seen = { ...seen, path };
    if (seen.sha256 === sha256) return 'still';
    await this.#noteGrowth(file, seen);
    return 'grown';
  }

  /** Finds the file, which may have been moved without a record before a crash. */
  async #find(file: TakenFile): Promise<string | undefined> {
    const stats = await lookAt(file.path);
    if (String(stats?.ino) === file.inode && stats?.isFile() === true) return file.path;
    const path = await this.#setup.intake.findEnded(file.inode, file.fileName);
    if (path !== undefined) await this.noteEnd(file.itemId, path);
    return path;
  }

  async #noteGrowth(file: TakenFile, { sha256, bytes, path }: Seen): Promise<void> {
    const { store, clock, log } = this.#setup;
    const { itemId, batchId, fileName } = file;
    const known = await store.takenFile(itemId);
    if (known?.growth?.sha256 === sha256) return;
    const unread = { rows: null, amount: null, payoutIds: [], isTold: false };
    const original = path === (await this.#setup.intake.findOriginal(itemId)) ? { original: path } : {};
    await store.putTakenFile({
      ...(known ?? file),
      growth: { sha256, bytes, ...unread, ...original, seenAtMs: clock.now() },
    });
    log('error', 'a file was written to after its rows had been read', { itemId, batchId, file: fileName });
  }

  /** Sends the notice once writing has paused for a while. @param isLast no later look follows */
  async #tell(file: TakenFile, isLast: boolean): Promise<void> {
    const { store, clock, notify, reportEvent } = this.#setup;
    const { itemId, growth } = file;
    const seen = this.#seen.get(itemId);
    if (growth === null || growth.isTold || seen === undefined) return;
    if (!isLast && clock.now() - seen.sinceMs < stillForMs) return;
    const added = await readAdded(
      this.#kind.reader,
      await this.#kind.findBatch(file.batchId),
      seen.path,
      seen,
    );
    const reported = { ...growth, ...added, isTold: true };
    const event = { kind: 'file-grown', file, growth: reported } as const;
    await notify(event);
    await store.putTakenFile({ ...file, growth: reported });
    reportEvent(event);
  }
}

/** Reads the rows after those that were read before. @param path the present path of the file */
async function readAdded(
  reader: AddedRowReader,
  batch: Pick<FileBatch, 'rows' | 'sha256'> | undefined,
  path: string,
  { startSha256 }: Pick<Seen, 'startSha256'>,
): Promise<Pick<FileGrowth, 'rows' | 'amount' | 'payoutIds'>> {
  const unknown = { rows: null, amount: null, payoutIds: [] };
  if (batch === undefined || startSha256 !== batch.sha256) return unknown;
  const inspected = await reader.inspect(path);
  if (inspected.kind === 'rejected') return unknown;
  const payoutIds: string[] = [];
  let rows = 0;
  let satang: Satang | undefined;
  for await (const page of reader.readRows(inspected.inspection)) {
    if (page === null) return unknown;
    for (const row of page.filter(({ rowNo }) => rowNo > batch.rows)) {
      rows += 1;
      if (row.amountSatang !== undefined) satang = toSatang((satang ?? 0n) + (row.amountSatang ?? 0n));
      if (payoutIds.length < namedMax) payoutIds.push(row.id);
    }
  }
  return { rows, amount: satang === undefined ? null : formatBaht(satang), payoutIds };
}

/**
 * The change of a file since it was read into its batch; undefined where its bytes are the same, or the file is gone.
 * @param bytes the number of bytes that were read
 */
export async function findGrowth(
  reader: AddedRowReader,
  batch: Pick<FileBatch, 'rows' | 'sha256'>,
  { path, bytes }: Pick<TakenFile, 'path' | 'bytes'>,
  nowMs: number,
): Promise<FileGrowth | undefined> {
  if ((await lookAt(path).catch(() => undefined))?.isFile() !== true) return undefined;
  const now = await hashWithStart(path, bytes).catch(() => undefined);
  if (now === undefined || now.sha256 === batch.sha256) return undefined;
  const added = await readAdded(reader, batch, path, now);
  return { sha256: now.sha256, bytes: now.bytes, ...added, seenAtMs: nowMs, isTold: true };
}
