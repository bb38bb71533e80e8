/**
 * Shares the rows of a batch with other machines: each takes shards of ready rows and pays them, and one settles what
 * is in doubt. Rows that another machine has under way are left alone.
 */
import type { Clock } from '../core/ports.ts';
import { KeyedMutex } from '../platform/keyed-mutex.ts';
import type {
  AskedShard,
  InDoubt,
  PayerKey,
  PayoutStore,
  ProbeTurn,
  ReadyPayout,
  Shard,
  WorkerStore,
  SharedLimits,
} from './ports.ts';
import { computeRowsAhead, computeShardRows, measureMs, rowsMin } from './rules/shard-rows.ts';
import type { SharedLimit } from './rules/shared-limit.ts';

type SharedRows = Pick<
  WorkerStore,
  | 'claimShard'
  | 'endShard'
  | 'abandonedBatches'
  | 'shardsElsewhere'
  | 'shardsThatMaySend'
  | 'countUnderWayElsewhere'
  | 'takeProbe'
  | 'endProbe'
  | 'wasAnswered'
  | 'readLimits'
  | 'tellLimit'
>;

/** Tries to learn of an unknown shard. While the lease has expired, tries yield nothing. */
const unsureAsks = 10;

/** The shards of this process, and its view of others' shards. */
export class Share {
  readonly #workers: SharedRows;
  readonly #workerId: () => number;
  readonly #workerIds: () => readonly number[];
  /** Shards whose rows are being paid. */
  readonly #open = new Map<number, Shard>();
  readonly #turns = new KeyedMutex();
  readonly #ends = new KeyedMutex();
  /** Shards whose end could not be recorded. */
  readonly #unended = new Set<number>();
  /** Batches that may have a shard unknown to this process, with the number of tries left. */
  readonly #unsure = new Map<string, number>();

  /**
   * @param workerId present workerId of this process
   * @param workerIds its workerIds with rows under way: for a while also that as a helper, after it has become the
   * sender
   */
  constructor(workers: SharedRows, workerId: () => number, workerIds = () => [workerId()]) {
    this.#workers = workers;
    this.#workerId = workerId;
    this.#workerIds = workerIds;
  }

  /**
   * Takes a shard.
   * @param asked `afterRow`: row after which rows that became ready again are searched; undefined: rows that no worker
   * has had yet
   */
  async claim(batchId: string, asked: Omit<AskedShard, 'held'>): Promise<Shard | undefined> {
    await this.tidy(batchId);
    // One claim at a time: a shard whose answer is on its way is not unknown.
    return this.#turns.run(batchId, async () => {
      const held = [...this.#open.keys(), ...this.#unended];
      const shard = await this.#take(batchId, { ...asked, held });
      if (shard !== undefined) this.#open.set(shard.shardId, shard);
      return shard;
    });
  }

  async #take(batchId: string, asked: AskedShard): Promise<Shard | undefined> {
    try {
      const shard = await this.#workers.claimShard(batchId, this.#workerId(), asked);
      // No shard is given while the lease has expired, for example after a time without the database, so its absence
      // proves nothing.
      if (shard !== undefined) this.#unsure.delete(batchId);
      return shard;
    } catch (error) {
      this.#unsure.set(batchId, unsureAsks);
      throw error;
    }
  }

  /** Ends a shard. If that cannot be recorded, it is tried again later; its rows have been paid. */
  async end({ shardId }: Shard): Promise<void> {
    this.#unended.add(shardId);
    this.#open.delete(shardId);
    await this.tidy();
  }

  /**
   * Ends shards whose end could not be recorded, and unknown ones: their rows would count as being paid.
   * @param asksFor batch of the next claim, which returns its unknown shard
   */
  async tidy(asksFor?: string): Promise<void> {
    try {
      // Serialised: the next claim would otherwise end them a second time.
      await this.#ends.run('all', async () => {
        for (const shardId of this.#unended) {
          await this.#workers.endShard(shardId);
          this.#unended.delete(shardId);
        }
      });
      for (const batchId of this.#unsure.keys()) if (batchId !== asksFor) await this.#letGo(batchId);
    } catch {
      // Other uses of the database report its failure.
    }
  }

  /** Learns of an unknown shard of a batch and ends it; there may be no further claim for the batch. */
  async #letGo(batchId: string): Promise<void> {
    await this.#turns.run(batchId, async () => {
      const asksLeft = this.#unsure.get(batchId);
      if (asksLeft === undefined) return;
      const held = [...this.#open.keys(), ...this.#unended];
      const shard = await this.#take(batchId, { rowsMax: 1, afterRow: undefined, held });
      if (shard === undefined) {
        if (asksLeft > 1) this.#unsure.set(batchId, asksLeft - 1);
        else this.#unsure.delete(batchId);
        return;
      }
      this.#unended.add(shard.shardId);
      await this.#workers.endShard(shard.shardId);
      this.#unended.delete(shard.shardId);
    });
  }

  /** True while it pays rows of a batch that others have left. */
  paysLeft(batchId: string): boolean {
    return this.#open.values().some((shard) => shard.batchId === batchId && shard.isLeft === true);
  }

  /** Batches with ready rows left by machines that are gone; the longest wait first. */
  abandoned(): Promise<readonly string[]> {
    return this.#workers.abandonedBatches();
  }

  /** Shards of a batch held by other machines. */
  elsewhere(batchId: string): Promise<readonly Shard[]> {
    return this.#workers.shardsElsewhere(batchId, this.#workerId());
  }

  /**
   * Shards of a batch that other machines hold and may still send. A machine that has stood still for too long loses
   * its right by this call.
   */
  mayBeSent(batchId: string): Promise<readonly Shard[]> {
    return this.#workers.shardsThatMaySend(batchId, this.#workerId());
  }

  takeProbe(payer: PayerKey): Promise<ProbeTurn> {
    return this.#workers.takeProbe(payer, this.#workerId());
  }

  endProbe(payer: PayerKey, isAnswered: boolean): Promise<void> {
    return this.#workers.endProbe(payer, this.#workerId(), isAnswered);
  }

  wasAnswered(payer: PayerKey): Promise<boolean> {
    return this.#workers.wasAnswered(payer);
  }

  readLimits(): Promise<SharedLimits> {
    return this.#workers.readLimits(this.#workerId());
  }

  tellLimit(...told: Parameters<WorkerStore['tellLimit']>): Promise<SharedLimit> {
    return this.#workers.tellLimit(...told);
  }

  /** Rows of all batches with a request of other machines under way. */
  countUnderWayElsewhere(): Promise<number> {
    return this.#workers.countUnderWayElsewhere(this.#workerIds());
  }
}

/** A ready row that is handed out. */
export interface AssignedRow {
  readonly ready: ReadyPayout;
  /** True when a worker had it before: it has waited, for example for the end of a lease. */
  readonly isLate: boolean;
  /**
   * Called when none of its work is under way any more.
   * @param isLeft true: no work on it was begun, and it is handed out again
   */
  readonly done: (isLeft?: boolean) => Promise<void>;
}

/** Dependencies of reading rows. */
interface Reading {
  readonly journal: Pick<PayoutStore, 'readyPage'>;
  readonly clock: Pick<Clock, 'elapsedMs'>;
  readonly batchId: string;
  /** Asked before each row. */
  readonly isToEnd: () => boolean;
  /** Asked before each shard. */
  readonly isToTakeNoMore?: (() => boolean) | undefined;
}

const pageRows = 500;

/** The ready rows of a batch after one row, up to another, in input order. */
async function* readRows({ journal, batchId, isToEnd }: Reading, afterRow: number, toRow: number) {
  let afterRowNo = afterRow;
  for (;;) {
    const page = await journal.readyPage(batchId, afterRowNo, Math.min(pageRows, toRow - afterRowNo));
    for (const ready of page) {
      if (isToEnd() || ready.payout.rowNo > toRow) return;
      yield ready;
      afterRowNo = ready.payout.rowNo;
    }
    if (page.length < pageRows) return;
  }
}

const nothingToDo = async (): Promise<void> => {};

/** All ready rows of a batch, when only one process works on the journal. */
export async function* handOutRows(reading: Reading): AsyncGenerator<AssignedRow> {
  for await (const ready of readRows(reading, 0, Number.MAX_SAFE_INTEGER))
    yield { ready, isLate: false, done: nothingToDo };
}

/** Counts the rows of a shard under way, and ends the shard when there are none. */
class OpenShard {
  #working = 1;
  readonly #share: Share;
  readonly #shard: Shard;

  constructor(share: Share, shard: Shard) {
    this.#share = share;
    this.#shard = shard;
  }

  begin(): void {
    this.#working += 1;
  }

  readonly done = async (): Promise<void> => {
    this.#working -= 1;
    if (this.#working === 0) await this.#share.end(this.#shard);
  };
}

/** Number of rows for this process to take at a time, and to have under way, by its latest speed. */
export class RowRate {
  readonly #clock: Pick<Clock, 'elapsedMs'>;
  readonly #places: number;
  #done = 0;
  #sinceMs: number;
  #rows = rowsMin;
  #ahead: number;

  /** @param places for rows that are checked and sent */
  constructor(clock: Pick<Clock, 'elapsedMs'>, places: number) {
    this.#clock = clock;
    this.#places = places;
    this.#ahead = places;
    this.#sinceMs = clock.elapsedMs();
  }

  noteDone(): void {
    this.#done += 1;
  }

  /** Rows to take at a time. */
  get rows(): number {
    this.#measure();
    return this.#rows;
  }

  /** Rows under way and ready ahead: a slow process leaves the rest to others. */
  get ahead(): number {
    this.#measure();
    return this.#ahead;
  }

  /** Rows end in groups, one commit for each: a measurement over a shorter time is chance. */
  #measure(): void {
    const nowMs = this.#clock.elapsedMs();
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < measureMs) return;
    this.#rows = computeShardRows(this.#done, elapsedMs);
    this.#ahead = computeRowsAhead(this.#done, elapsedMs, this.#places);
    [this.#done, this.#sinceMs] = [0, nowMs];
  }
}

/** Interval in ms of searches for rows that a worker has had and left: it has died, or has other work now. */
const sweepEveryMs = 5_000;

/**
 * Hands out the ready rows of a batch that no other machine has, shard by shard: rows that no worker has had yet; now
 * and then earlier rows that were left; and at the end all that are ready again, each once.
 */
export async function* handOutShards(
  reading: Reading,
  share: Share,
  rate: RowRate,
): AsyncGenerator<AssignedRow> {
  const { clock, batchId, isToEnd, isToTakeNoMore = () => false } = reading;
  let sweptAtMs = -Infinity;
  let afterRow: number | undefined;
  let isLastSweep = false;
  while (!isToEnd() && !isToTakeNoMore()) {
    if (!isLastSweep && clock.elapsedMs() - sweptAtMs >= sweepEveryMs)
      [sweptAtMs, afterRow] = [clock.elapsedMs(), 0];
    const shard = await share.claim(batchId, { rowsMax: rate.rows, afterRow });
    if (shard === undefined) {
      if (isLastSweep) return;
      isLastSweep = afterRow === undefined;
      afterRow = isLastSweep ? 0 : undefined;
      continue;
    }
    if (afterRow !== undefined) afterRow = Math.max(afterRow, shard.toRow);
    const open = new OpenShard(share, shard);
    try {
      for await (const ready of readRows(reading, shard.fromRow - 1, shard.toRow)) {
        open.begin();
        const done = (isLeft = false): Promise<void> => {
          if (!isLeft) rate.noteDone();
          return open.done();
        };
        yield { ready, isLate: shard.isLeft === true, done };
      }
    } finally {
      await open.done();
    }
  }
}

/** Dependencies of settling and of counting doubts. */
interface Beside {
  readonly share?: Share | undefined;
}

/** True for an attempt without a recorded outcome: its sender may have its request under way. */
const mayBeUnderWay = ({ attempt }: InDoubt): boolean => attempt.status === 'recorded';

/** The doubts of the list that no other machine has under way, or may still send. */
export async function leaveOthersAlone(
  { share }: Beside,
  inDoubt: readonly InDoubt[],
): Promise<readonly InDoubt[]> {
  if (share === undefined || !inDoubt.some(mayBeUnderWay)) return inDoubt;
  const elsewhere = new Map<string, readonly Shard[]>();
  const left: InDoubt[] = [];
  for (const one of inDoubt) {
    const { batchId, rowNo } = one.payout;
    if (mayBeUnderWay(one) && !elsewhere.has(batchId)) elsewhere.set(batchId, await share.mayBeSent(batchId));
    const shards = mayBeUnderWay(one) ? (elsewhere.get(batchId) ?? []) : [];
    if (!shards.some(({ fromRow, toRow }) => fromRow <= rowNo && rowNo <= toRow)) left.push(one);
  }
  return left;
}
