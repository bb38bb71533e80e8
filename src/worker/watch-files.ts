/** Takes dropped files in: each is read into the journal once, and ends in the archive or among the rejected. */
import pLimit from 'p-limit';
import { formatBangkokStamp } from '../core/bangkok-time.ts';
import type { IntakeOutcome, WorkItem } from '../core/intake-port.ts';
import type { Batch } from '../core/ports.ts';
import {
  describeDuplicateFile,
  describeLateWriting,
  describeRejectedFile,
  describeUnfinishedFile,
} from '../core/rejection-reason.ts';
import type { IntakeVerdict } from '../core/store-port.ts';
import { ingestFile, type IngestContext, type Ingested } from './ingest.ts';
import { computeBackoffMs, isAhead, noteFailure, type WatchSetup } from './watch-setup.ts';

/** Files that are read at once: a big one does not keep a small one waiting. */
const readingsAtOnce = 2;
/** Files in work/ at most; the others wait in the inbox. */
const workItemsMax = 500;
/** How soon a sick disk is looked at again. */
const sickLookMs = 1_000;

/** A file whose reading has failed for the machine's sake. */
interface Unread {
  readonly item: WorkItem;
  readonly failures: number;
  readonly notBeforeMs: number;
}

export class FileDesk {
  readonly #setup: WatchSetup;
  readonly #onBatch: (batch: Batch) => void;
  readonly #readings = pLimit(readingsAtOnce);
  /** Files in work/ whose batch is being worked. */
  readonly #owners = new Map<string, WorkItem>();
  /** What an earlier process has left in work/. */
  #found: readonly WorkItem[] | undefined;
  #unread: Unread[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #reading = 0;

  /** @param onBatch told of every batch that a file in work/ waits for */
  constructor(setup: WatchSetup, onBatch: (batch: Batch) => void) {
    this.#setup = setup;
    this.#onBatch = onBatch;
  }

  /** Files in work/. */
  get inWork(): number {
    return this.#owners.size + this.#unread.length + this.#reading;
  }

  /** Takes up what an earlier process has left in work/, before anything new is taken. */
  async recover(): Promise<void> {
    const { intake, store, clock } = this.#setup;
    this.#found ??= await intake.recover();
    const items = this.#found;
    const known = new Set(items.map(({ itemId }) => itemId));
    for (const { itemId, batchStatus } of await store.openIntake()) {
      // Its file had reached its end when the process died.
      if (!known.has(itemId)) await store.endIntake(itemId, endOf(batchStatus), clock.now());
    }
    await this.#takeUpAll(items);
  }

  /** One look at the inbox, and the wait for the next. */
  async step(): Promise<void> {
    const { intake, stop, disk, clock } = this.#setup;
    if (disk.trouble !== undefined) {
      await clock.sleep(sickLookMs, stop);
      return;
    }
    const nowMs = clock.now();
    const again = this.#unread.filter(({ notBeforeMs }) => !isAhead(notBeforeMs, nowMs));
    this.#unread = this.#unread.filter((one) => !again.includes(one));
    const room = Math.max(0, workItemsMax - this.inWork);
    const items = await intake.take(room);
    for (const item of items) this.#keepReading(item, 0);
    for (const { item, failures } of again) this.#keepReading(item, failures);
    if (items.length < room || room === 0) await intake.waitForNews(stop);
  }

  /** Resolves when every file that was being taken in has been, or has been left. */
  async ended(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
  }

  #keepReading(item: WorkItem, failures: number): void {
    const reading = this.#readOrKeep(item, failures).finally(() => this.#underWay.delete(reading));
    this.#underWay.add(reading);
  }

  async #takeUpAll(items: readonly WorkItem[]): Promise<void> {
    await Promise.all(items.map((item) => this.#readOrKeep(item, 0)));
  }

  async #readOrKeep(item: WorkItem, failures: number): Promise<void> {
    this.#reading += 1;
    try {
      await this.#readings(() => this.#read(item));
    } catch (error) {
      const notBeforeMs = this.#setup.clock.now() + computeBackoffMs(failures);
      this.#unread.push({ item, failures: failures + 1, notBeforeMs });
      await noteFailure(this.#setup, 'taking a file in', error, { itemId: item.itemId }).catch(
        () => undefined,
      );
    } finally {
      this.#reading -= 1;
    }
  }

  async #read(item: WorkItem): Promise<void> {
    const { intake, log, stop } = this.#setup;
    if (stop.aborted) return;
    log('info', 'a file was taken', { itemId: item.itemId, file: item.fileName, bytes: item.bytes });
    const before = await this.#findReadBefore(item);
    if (!(await intake.isUntouched(item))) {
      await (before === undefined ? this.#endUnfinished(item) : this.#endLateWriting(item, before));
      return;
    }
    let verdict: IntakeVerdict | undefined;
    const context = this.#ingestContext(item, before, (found) => {
      verdict = found;
    });
    const ingested = await ingestFile(context, item.path, item.fileName);
    const isOther =
      ingested.kind === 'rejected' || (ingested.kind === 'turned-away' && verdict === undefined);
    if (before !== undefined && isOther) await this.#endLateWriting(item, before);
    else await this.#take(item, ingested, verdict);
  }

  /** The batch that the rows of this file were read into before the process ended, whatever its bytes are now. */
  async #findReadBefore({ itemId }: WorkItem): Promise<Batch | undefined> {
    const { store } = this.#setup;
    const record = await store.intakeRecord(itemId);
    if (record?.outcome !== null) return undefined;
    const batch = await store.batch(record.batchId);
    return batch?.status === 'ingesting' || batch?.status === 'rejected' ? undefined : batch;
  }

  #ingestContext(
    item: WorkItem,
    before: Batch | undefined,
    onVerdict: (verdict: IntakeVerdict) => void,
  ): IngestContext {
    const { store, reader, clock, payer, stop } = this.#setup;
    const { itemId, fileName, droppedAtMs } = item;
    return {
      journal: store,
      reader,
      clock,
      ...payer,
      droppedAtMs,
      mayRead: async (batchId, sha256) => {
        if (before !== undefined && before.batchId !== batchId) return false;
        const verdict = await store.startIntake({
          itemId,
          batchId,
          fileName,
          droppedAtMs,
          nowMs: clock.now(),
        });
        requireSameBytes(verdict, sha256);
        onVerdict(verdict);
        return verdict.kind === 'owner';
      },
      stop,
      onRows: () => undefined,
    };
  }

  async #take(item: WorkItem, ingested: Ingested, verdict: IntakeVerdict | undefined): Promise<void> {
    switch (ingested.kind) {
      case 'stopped':
        return;
      case 'batch': {
        const { batch } = ingested;
        this.#owners.set(batch.batchId, item);
        this.#setup.log('info', 'a file was read', {
          batchId: batch.batchId,
          itemId: item.itemId,
          rows: batch.rows,
        });
        this.#onBatch(batch);
        return;
      }
      case 'rejected':
        await this.#turnAway(
          item,
          'rejected',
          describeRejectedFile(this.#describe(item), ingested.rejection),
          ingested.rejection,
        );
        return;
      case 'turned-away':
        if (verdict?.kind !== 'duplicate') throw new Error(`${item.itemId} was turned away for no reason`);
        await this.#endDuplicate(item, verdict);
    }
  }

  async #endDuplicate(
    item: WorkItem,
    { first }: Extract<IntakeVerdict, { kind: 'duplicate' }>,
  ): Promise<void> {
    const { fileName, batchId, batch } = first;
    const isWorked = batch?.status === 'done';
    const reason = describeDuplicateFile(this.#describe(item), { fileName, batchId, isWorked });
    const message = `the same bytes as ${fileName}, batch ${batchId}`;
    await this.#turnAway(item, 'duplicate', reason, { code: 'duplicate-file', message });
  }

  /** The batch of a file has come to rest and its reports are written: the file ends. */
  async endFor(batch: Batch): Promise<void> {
    const item = this.#owners.get(batch.batchId);
    if (item === undefined) return;
    const { intake, store, clock } = this.#setup;
    if (!(await intake.isUntouched(item))) {
      await this.#endLateWriting(item, batch);
    } else {
      const date = formatBangkokStamp(clock.now()).slice(0, 10);
      const path = await intake.end(item, { kind: 'archive', date, batchId: batch.batchId });
      await store.endIntake(item.itemId, 'archived', clock.now());
      this.#tell(item, 'archived', path, undefined, batch.batchId);
    }
    this.#owners.delete(batch.batchId);
  }

  async #endUnfinished(item: WorkItem): Promise<void> {
    const reason = describeUnfinishedFile(this.#describe(item));
    const message = 'the file was still being written when it was taken';
    await this.#turnAway(item, 'rejected', reason, { code: 'changed-while-read', message });
  }

  /** Somebody wrote to the file after its rows had been read: the batch is what it held then. */
  async #endLateWriting(item: WorkItem, { batchId, rows }: Batch): Promise<void> {
    const reason = describeLateWriting(this.#describe(item), batchId, rows);
    const message = `written to after its ${rows} rows had been read`;
    await this.#turnAway(item, 'rejected', reason, { code: 'changed-after-reading', message }, batchId);
  }

  async #turnAway(
    item: WorkItem,
    outcome: 'rejected' | 'duplicate',
    reason: string,
    why: { readonly code: string; readonly message: string },
    batchId?: string,
  ): Promise<void> {
    const { intake, store, clock, notify } = this.#setup;
    // First: until then the file would own its batch, though it is worked no more. A crash in between judges it again.
    await store.endIntake(item.itemId, outcome, clock.now());
    await notify({ kind: 'file-ended', item, outcome, path: undefined, why, batchId });
    const path = await intake.end(item, { kind: 'reject', reason });
    this.#tell(item, outcome, path, why, batchId);
  }

  #tell(
    item: WorkItem,
    outcome: IntakeOutcome,
    path: string,
    why: { readonly code: string; readonly message: string } | undefined,
    batchId: string | undefined,
  ): void {
    const { log, tell } = this.#setup;
    const facts = { itemId: item.itemId, file: item.fileName, outcome, path, batchId, code: why?.code };
    log(outcome === 'archived' ? 'info' : 'warn', 'a file has ended', facts);
    tell({ kind: 'file-ended', item, outcome, path, why, batchId });
  }

  #describe({ fileName, droppedAtMs }: WorkItem) {
    return { fileName, droppedAtMs, nowMs: this.#setup.clock.now() };
  }
}

/** How a file has ended whose process died before it could record that. */
const endOf = (batchStatus: string | undefined): IntakeOutcome =>
  batchStatus === undefined || batchStatus === 'rejected' || batchStatus === 'ingesting'
    ? 'rejected'
    : 'archived';

/** A batch id is a part of the hash: two files that share it and not their bytes are no duplicates. */
function requireSameBytes(verdict: IntakeVerdict, sha256: string): void {
  if (verdict.kind !== 'duplicate' || verdict.first.batch === undefined) return;
  const { batchId, batch } = verdict.first;
  if (batch.sha256 !== sha256) throw new Error(`two files share the batch id ${batchId}: nothing is sent`);
}
