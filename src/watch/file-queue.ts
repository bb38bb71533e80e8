/** Takes dropped files in: each is read into the journal once, and ends in the archive or among the rejected. */
import pLimit from 'p-limit';
import { computeBackoffMs } from '../core/backoff.ts';
import { formatBangkokDateTime } from '../core/bangkok-time.ts';
import type { Inspection } from '../core/payout-file.ts';
import { type BatchStatus, isSealed } from '../core/payout.ts';
import { lookAt } from '../platform/disk.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import {
  type FileKind,
  isAhead,
  noteFailure,
  type ReadIn,
  retryBackoff,
  type WatchEvent,
  type WatchSetup,
} from './context.ts';
import type {
  FileBatch,
  FileClaims,
  FileQueueStore,
  IntakeOutcome,
  IntakeVerdict,
  TakenFileStore,
  WorkItem,
} from './ports.ts';
import { computeRoom } from './rules/drop-folder.ts';
import {
  type FirstFile,
  type IntakeRefusal,
  refuseDuplicateFile,
  refuseRejectedFile,
  refuseVanishedFile,
  refuseWrittenFile,
} from './rules/rejection-reason.ts';
import { TakenFiles } from './taken-files.ts';

/** The number of files that are read at once, so that a big one does not block a small one. */
const readingsAtOnce = 2;
/** The interval between looks at a faulty disk. */
const sickPollMs = 1_000;
/** The interval between looks at a file that another process works. */
const heldPollMs = 2_000;
/** The interval between looks at a file whose bytes are those of one that is still being read. */
const copyPollMs = 1_000;
/** The interval between looks at the inbox while there is no room for its files. */
const fullPollMs = 10_000;
/** The reader's code for a missing file. */
const missingCode = 'file-missing';

/** A file whose reading has failed because of the machine, or that waits for another one with the same bytes. */
interface Unread {
  readonly item: WorkItem;
  readonly failures: number;
  readonly notBeforeMs: number;
}

/** The setup of a queue of files. */
export type FileQueueSetup = Pick<
  WatchSetup,
  'intake' | 'clock' | 'log' | 'stop' | 'disk' | 'notify' | 'reportEvent'
> & {
  readonly store: FileQueueStore & TakenFileStore;
  /** Left out where no other process can work the same files. */
  readonly claims?: FileClaims | undefined;
};

export class FileQueue<Read extends FileBatch> {
  readonly #setup: FileQueueSetup;
  readonly #kind: FileKind<Read>;
  readonly #onBatch: (batch: Read) => void;
  /** The taken files, which are watched wherever they stand. */
  readonly taken: TakenFiles;
  readonly #readings = pLimit(readingsAtOnce);
  /** Files in work/ whose batch is being worked. */
  readonly #owners = new Map<string, WorkItem>();
  /** Files that an earlier process has left in work/. */
  #found: readonly WorkItem[] | undefined;
  /** Files that the journal had as open before that. */
  #leftOpen: Awaited<ReturnType<FileQueueStore['openIntake']>> | undefined;
  #unread: Unread[] = [];
  readonly #underWay = new Set<Promise<void>>();
  /** A file was read or has ended: there may be room for another. */
  readonly #room = new Signal();

  /** @param onBatch called with every batch for which a file in work/ waits */
  constructor(setup: FileQueueSetup, kind: FileKind<Read>, onBatch: (batch: Read) => void) {
    this.#setup = setup;
    this.#kind = kind;
    this.#onBatch = onBatch;
    this.taken = new TakenFiles(setup, kind);
  }

  /** The number of files in work/. */
  get inWork(): number {
    return this.#owners.size + this.#unread.length + this.#beingRead;
  }

  get #beingRead(): number {
    const { activeCount, pendingCount } = this.#readings;
    return activeCount + pendingCount;
  }

  /** Takes up files that an earlier process has left in work/, before anything new is taken. */
  async recover(): Promise<void> {
    const { intake, store, clock } = this.#setup;
    // Read before the files: a file that another process takes in later is not among those asked about.
    this.#leftOpen ??= await store.openIntake(this.#kind.name);
    this.#found ??= await intake.recover();
    const items = this.#found;
    const known = new Set(items.map(({ itemId }) => itemId));
    for (const { itemId, batchStatus } of this.#leftOpen) {
      // The file had reached its end when its process died; for a file of another machine, nothing is known here.
      if (known.has(itemId) || (await this.#setup.claims?.isElsewhere(itemId)) === true) continue;
      await store.endIntake(itemId, endOf(batchStatus), clock.now());
    }
    await Promise.all(items.map((item) => this.#takeUp(item)));
  }

  /** Looks at the inbox once, and waits for the next look. */
  async step(): Promise<void> {
    const { intake, stop, disk, clock } = this.#setup;
    if (disk.trouble !== undefined) {
      await clock.sleep(sickPollMs, stop);
      return;
    }
    this.#readAgain(clock.now());
    const room = computeRoom(this.inWork, this.#beingRead);
    const items = await intake.take(room);
    for (const item of items) this.#keep(this.#takeUp(item));
    if (items.length < room) await intake.waitForNews(stop);
    else await this.#waitForRoom();
  }

  /** Waits until files can be taken, or the inbox is to be looked at anyway. */
  async #waitForRoom(): Promise<void> {
    const { clock, stop } = this.#setup;
    for (;;) {
      const change = this.#room.next;
      if (computeRoom(this.inWork, this.#beingRead) > 0) return;
      await waitForAny(clock, fullPollMs, change, stop);
      if (!change.aborted || stop.aborted) return;
    }
  }

  /** Runs before new files are taken: if that fails, none of these is forgotten. */
  #readAgain(nowMs: number): void {
    const due = this.#unread.filter(({ notBeforeMs }) => !isAhead(notBeforeMs, nowMs));
    this.#unread = this.#unread.filter((one) => !due.includes(one));
    for (const { item, failures } of due) this.#keep(this.#readOrKeep(item, failures));
  }

  /** Resolves when every file that was being taken in has ended or was left. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #keep(work: Promise<void>): void {
    const kept = work.finally(() => {
      this.#underWay.delete(kept);
      this.#room.notify();
    });
    this.#underWay.add(kept);
  }

  async #takeUp(item: WorkItem): Promise<void> {
    const { log, stop } = this.#setup;
    const { itemId, fileName: file, bytes } = item;
    if (!stop.aborted) log('info', 'a file was taken', { itemId, file, bytes });
    await this.#readOrKeep(item, 0);
  }

  async #readOrKeep(item: WorkItem, failures: number): Promise<void> {
    try {
      await this.#readings(() => this.#read(item));
    } catch (error) {
      const notBeforeMs = this.#setup.clock.now() + computeBackoffMs(retryBackoff, failures);
      this.#unread.push({ item, failures: failures + 1, notBeforeMs });
      await noteFailure(this.#setup, 'taking a file in', error, { itemId: item.itemId }).catch(
        () => undefined,
      );
    }
  }

  async #read(item: WorkItem): Promise<void> {
    const { intake, store, clock, stop } = this.#setup;
    const { itemId, fileName, droppedAtMs } = item;
    if (stop.aborted || !(await this.#mayRead(item)) || (await this.#finishRefusal(item))) return;
    const before = await this.#findReadBefore(item);
    if (!(await intake.isUntouched(item))) return this.#endTouched(item, before);
    let verdict: IntakeVerdict | undefined;
    const mayRead = async (batchId: string, inspection: Inspection): Promise<boolean> => {
      if (before !== undefined && before.batchId !== batchId) return false;
      const { name: kind } = this.#kind;
      verdict = await store.startIntake({ itemId, batchId, fileName, droppedAtMs, kind, nowMs: clock.now() });
      requireSameBytes(verdict, inspection.sha256);
      // The note precedes the reading: the batch may begin as soon as it is sealed, and after any crash.
      if (verdict.kind === 'owner') await this.taken.note(item, batchId, inspection);
      return verdict.kind === 'owner';
    };
    const ingested = await this.#kind.ingest(item, mayRead);
    const isOther =
      ingested.kind === 'rejected' || (ingested.kind === 'turned-away' && verdict === undefined);
    if (before !== undefined && isOther) await this.#endTouched(item, before);
    else await this.#take(item, ingested, verdict);
  }

  /** False for a file that another process works, which is checked again, or that has reached its end there. */
  async #mayRead(item: WorkItem): Promise<boolean> {
    const { claims, store, clock } = this.#setup;
    if (claims === undefined) return true;
    const claiming = await claims.claim(item);
    const hasEnded = ((await store.intakeRecord(item.itemId))?.outcome ?? null) !== null;
    if (hasEnded && (await lookAt(item.path)) === undefined) return false;
    if (claiming === 'claimed') return true;
    this.#unread.push({ item, failures: 0, notBeforeMs: clock.now() + heldPollMs });
    return false;
  }

  /** False when another process now works the file: it took this process for gone, and the file is left to it. */
  async #isStillOurs(item: WorkItem): Promise<boolean> {
    const claiming = (await this.#setup.claims?.claim(item)) ?? 'claimed';
    if (claiming === 'refused') throw new Error('the place of this process among those that work is gone');
    const { itemId } = item;
    if (claiming === 'held')
      this.#setup.log('warn', 'a file is worked by another process by now', { itemId });
    return claiming === 'claimed';
  }

  /**
   * Ends a file that was refused and not moved yet. People were told of the refusal, so it stands whatever its bytes
   * are now.
   * @returns false for any other file
   */
  async #finishRefusal(item: WorkItem): Promise<boolean> {
    const record = await this.#setup.store.intakeRecord(item.itemId);
    if (record?.outcome !== 'rejected' && record?.outcome !== 'duplicate') return false;
    const { outcome, refusal, batchId } = record;
    if (refusal !== null) {
      await this.#turnAway(item, outcome, refusal);
      return true;
    }
    // An older version kept no reason, and released its accepted batch for one alone.
    const batch = await this.#findSealed(batchId);
    if (outcome !== 'rejected' || batch === undefined) return false;
    await this.#endTouched(item, batch);
    return true;
  }

  /** The batch that the rows of this file were read into before the process ended, whatever its bytes are now. */
  async #findReadBefore({ itemId }: WorkItem): Promise<Read | undefined> {
    const record = await this.#setup.store.intakeRecord(itemId);
    return record?.outcome === null ? this.#findSealed(record.batchId) : undefined;
  }

  async #findSealed(batchId: string): Promise<Read | undefined> {
    const batch = await this.#kind.findBatch(batchId);
    return batch !== undefined && isSealed(batch.status) ? batch : undefined;
  }

  async #take(item: WorkItem, ingested: ReadIn<Read>, verdict: IntakeVerdict | undefined): Promise<void> {
    switch (ingested.kind) {
      case 'stopped':
        return;
      case 'batch': {
        const { batchId, rows } = ingested.batch;
        this.#owners.set(batchId, item);
        this.#setup.log('info', 'a file was read', { batchId, itemId: item.itemId, rows });
        this.#onBatch(ingested.batch);
        return;
      }
      case 'rejected':
        await this.#turnAway(item, 'rejected', refuseRejectedFile(this.#describe(item), ingested.rejection));
        return;
      case 'turned-away':
        if (verdict?.kind !== 'duplicate') throw new Error(`${item.itemId} was turned away for no reason`);
        await this.#endDuplicate(item, verdict);
    }
  }

  /** Ends a duplicate once the first file is accepted; if the first is refused, this one is judged for itself. */
  async #endDuplicate(
    item: WorkItem,
    { first }: Extract<IntakeVerdict, { kind: 'duplicate' }>,
  ): Promise<void> {
    const { fileName, batchId, batch, takenAs } = first;
    const status = statusOfFirst(batch);
    if (status === undefined) {
      await this.#setup.claims?.freeBatch(batchId);
      this.#unread.push({ item, failures: 0, notBeforeMs: this.#setup.clock.now() + copyPollMs });
      return;
    }
    const refusal = refuseDuplicateFile(this.#describe(item), { fileName, batchId, status, takenAs });
    await this.#turnAway(item, 'duplicate', refusal);
  }

  /** Ends the file of a batch that is at rest, with its reports written. */
  async endFor(batch: Read): Promise<void> {
    const item = this.#owners.get(batch.batchId);
    if (item === undefined) return;
    if ((await this.#isStillOurs(item)) && !(await this.#finishRefusal(item)))
      await this.#endOne(item, batch);
    this.#owners.delete(batch.batchId);
    this.#room.notify();
  }

  async #endOne(item: WorkItem, batch: Read): Promise<void> {
    const { intake, clock } = this.#setup;
    if (await intake.isUntouched(item)) {
      const date = formatBangkokDateTime(clock.now()).slice(0, 10);
      const path = await intake.end(item, { kind: 'archive', date, batchId: batch.batchId });
      await this.#noteArchived(item, batch, path);
      return;
    }
    const path = await this.#findEndedElsewhere(item);
    await (path === undefined ? this.#endTouched(item, batch) : this.#noteArchived(item, batch, path));
  }

  async #noteArchived(item: WorkItem, { batchId }: Read, path: string): Promise<void> {
    const { store, clock } = this.#setup;
    await store.endIntake(item.itemId, 'archived', clock.now());
    await this.taken.noteEnd(item.itemId, path);
    const dropped = this.#kind.name;
    this.#report({ kind: 'file-ended', item, dropped, outcome: 'archived', path, why: undefined, batchId });
  }

  /** The path to which a process that was frozen during the move has moved the file after it woke up. */
  async #findEndedElsewhere({ itemId, path }: WorkItem): Promise<string | undefined> {
    const { claims, intake, store } = this.#setup;
    if (claims === undefined || (await lookAt(path)) !== undefined) return undefined;
    const taken = await store.takenFile(itemId);
    return taken && intake.findEnded(taken.inode, taken.fileName);
  }

  /**
   * Ends a file that was written to or removed after it was claimed.
   * @param read the batch that its rows were read into before, which is its earlier content
   */
  async #endTouched(item: WorkItem, read: Read | undefined): Promise<void> {
    const inspected = await this.#kind.reader.inspect(item.path);
    const isGone = inspected.kind === 'rejected' && inspected.rejection.code === missingCode;
    const refuse = isGone ? refuseVanishedFile : refuseWrittenFile;
    await this.#turnAway(item, 'rejected', refuse(this.#describe(item), read));
  }

  async #turnAway(item: WorkItem, outcome: 'rejected' | 'duplicate', refusal: IntakeRefusal): Promise<void> {
    const { intake, store, clock, notify } = this.#setup;
    if (!(await this.#isStillOurs(item))) return;
    const { itemId, fileName, droppedAtMs } = item;
    const { code, message, line, column, reason } = refusal;
    const batchId = refusal.batchId ?? undefined;
    const why = { code, message, line, column };
    const dropped = this.#kind.name;
    // Recorded first: until then the file would own its batch, though it is worked no more. After a crash it is only
    // moved.
    await store.endIntake(itemId, outcome, clock.now(), {
      fileName,
      droppedAtMs,
      kind: this.#kind.name,
      refusal,
    });
    const foreseen = await intake.findRejectedPath(item);
    const event = { kind: 'file-ended', item, dropped, outcome, path: foreseen, why, batchId } as const;
    // The notice precedes the move: a file that has left work/ is not taken up again after a crash.
    await notify(event);
    const path = await intake.end(item, { kind: 'reject', reason });
    await this.taken.noteEnd(itemId, path);
    this.#report({ ...event, path });
  }

  #report(event: Extract<WatchEvent, { kind: 'file-ended' }>): void {
    const { log, reportEvent } = this.#setup;
    const { item, outcome, path, batchId, why } = event;
    const facts = { itemId: item.itemId, file: item.fileName, outcome, path, batchId, code: why?.code };
    log(outcome === 'archived' ? 'info' : 'warn', 'a file has ended', facts);
    reportEvent(event);
  }

  #describe({ fileName, droppedAtMs }: WorkItem) {
    return { kind: this.#kind.name, fileName, droppedAtMs, nowMs: this.#setup.clock.now() };
  }
}

/** The end of a file whose process died before it could record it. */
const endOf = (batchStatus: BatchStatus | undefined): IntakeOutcome =>
  batchStatus !== undefined && isSealed(batchStatus) ? 'archived' : 'rejected';

/** Undefined while the first file is being read, or is about to be refused. */
const statusOfFirst = (batch: FileBatch | undefined): FirstFile['status'] | undefined =>
  batch === undefined || batch.status === 'ingesting' || batch.status === 'rejected'
    ? undefined
    : batch.status;

/** Refuses a duplicate with other bytes: a batch id is only a part of the hash. */
function requireSameBytes(verdict: IntakeVerdict, sha256: string): void {
  if (verdict.kind !== 'duplicate' || verdict.first.batch === undefined) return;
  const { batchId, batch } = verdict.first;
  if (batch.sha256 !== sha256) throw new Error(`two files share the batch id ${batchId}: nothing is sent`);
}
