/**
 * Sharing the rows of a batch with other machines: each takes shards of rows that are ready and pays them, one settles
 * what is in doubt. What another has under way is left alone.
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
import type { WholeLimit } from './rules/shared-limit.ts';

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

/** Some of them may come while its lease is over, and be told of nothing. */
const unsureAsks = 10;

/** The shards of this process, and what it sees of those of others. */
export class Share {
  readonly #workers: SharedRows;
  readonly #workerId: () => number;
  readonly #workerIds: () => readonly number[];
  /** Whose rows are being paid. */
  readonly #open = new Map<number, Shard>();
  readonly #turns = new KeyedMutex();
  readonly #ends = new KeyedMutex();
  /** Whose end could not be recorded. */
  readonly #unended = new Set<number>();
  /** Batches of which it may have one that it has not heard of, with how often they are still asked about. */
  readonly #unsure = new Map<string, number>();

  /**
   * @param workerId as which this process works now
   * @param workerIds as which it has rows under way: as a helper, too, for a while after it has become the sender
   */
  constructor(workers: SharedRows, workerId: () => number, workerIds = () => [workerId()]) {
    this.#workers = workers;
    this.#workerId = workerId;
    this.#workerIds = workerIds;
  }

  /** @param asked `afterRow`: where rows that became ready again are looked for; undefined: rows that nobody has had yet */
  async claim(batchId: string, asked: Omit<AskedShard, 'held'>): Promise<Shard | undefined> {
    await this.tidy(batchId);
    // One after the other: what is on its way to one is not unheard of.
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
      // None is given to whose lease is over, as after a time without the database: that tells nothing.
      if (shard !== undefined) this.#unsure.delete(batchId);
      return shard;
    } catch (error) {
      this.#unsure.set(batchId, unsureAsks);
      throw error;
    }
  }

  /** It is tried again later where that cannot be recorded: its rows have been paid. */
  async end({ shardId }: Shard): Promise<void> {
    this.#unended.add(shardId);
    this.#open.delete(shardId);
    await this.tidy();
  }

  /**
   * Ends what could not be ended before, and what it has not heard of: the rows would be taken for rows that are being paid.
   * @param asksFor of which one is asked for next: what was unheard of is given then
   */
  async tidy(asksFor?: string): Promise<void> {
    try {
      // Whoever takes the next shard meanwhile would end them again.
      await this.#ends.run('all', async () => {
        for (const shardId of this.#unended) {
          await this.#workers.endShard(shardId);
          this.#unended.delete(shardId);
        }
      });
      for (const batchId of this.#unsure.keys()) if (batchId !== asksFor) await this.#letGo(batchId);
    } catch {
      // Whoever needs the database for more says what is wrong with it.
    }
  }

  /** Nobody may want rows of the batch any more, and so be given what was unheard of. */
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

  /** Batches of which machines that are gone have left rows that are ready; the one that has waited longest first. */
  abandoned(): Promise<readonly string[]> {
    return this.#workers.abandonedBatches();
  }

  /** What other machines have of a batch. */
  elsewhere(batchId: string): Promise<readonly Shard[]> {
    return this.#workers.shardsElsewhere(batchId, this.#workerId());
  }

  /** What other machines have of a batch and may still send; who stands still for too long may not any more from now on. */
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

  tellLimit(...told: Parameters<WorkerStore['tellLimit']>): Promise<WholeLimit> {
    return this.#workers.tellLimit(...told);
  }

  /** Rows of all batches whose request other machines have under way. */
  countUnderWayElsewhere(): Promise<number> {
    return this.#workers.countUnderWayElsewhere(this.#workerIds());
  }
}

/** A ready row that is handed out. */
export interface HandedRow {
  readonly ready: ReadyPayout;
  /** Somebody has had it before: it has waited, for the end of a lease perhaps. */
  readonly isLate: boolean;
  /**
   * Told when nothing of it is under way any more.
   * @param isLeft nothing was begun with it: it is looked for again
   */
  readonly done: (isLeft?: boolean) => Promise<void>;
}

/** What reading rows takes. */
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

/** The ready rows of a batch after one, in input order, up to another. */
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

/** All ready rows of a batch, for the one process that works the journal. */
export async function* handOutRows(reading: Reading): AsyncGenerator<HandedRow> {
  for await (const ready of readRows(reading, 0, Number.MAX_SAFE_INTEGER))
    yield { ready, isLate: false, done: nothingToDo };
}

/** Counts who works on a shard, and ends it when nobody does any more. */
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

/** How many rows this process is to take at a time, and to have under way, by those that it has lately done with. */
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

  /** At a time. */
  get rows(): number {
    this.#measure();
    return this.#rows;
  }

  /** Under way, and made ready ahead: whoever is slow leaves to others what it does not come to soon. */
  get ahead(): number {
    this.#measure();
    return this.#ahead;
  }

  /** Rows end in groups, one commit for each: what a shorter time shows is chance. */
  #measure(): void {
    const nowMs = this.#clock.elapsedMs();
    const elapsedMs = nowMs - this.#sinceMs;
    if (elapsedMs < measureMs) return;
    this.#rows = computeShardRows(this.#done, elapsedMs);
    this.#ahead = computeRowsAhead(this.#done, elapsedMs, this.#places);
    [this.#done, this.#sinceMs] = [0, nowMs];
  }
}

/** How often rows are looked for that somebody has had and left: whoever had them has died, or has other work now. */
const sweepEveryMs = 5_000;

/**
 * The ready rows of a batch that no other machine has, shard by shard: those that nobody has had yet, now and then those
 * before them that have been left, and in the end all that are ready again, each once.
 */
export async function* handOutShards(
  reading: Reading,
  share: Share,
  rate: RowRate,
): AsyncGenerator<HandedRow> {
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

/** What settling and counting of doubt takes. */
interface Beside {
  readonly share?: Share | undefined;
}

/** True of an attempt whose outcome nobody has recorded: whoever sends it may have its request under way. */
const mayBeUnderWay = ({ attempt }: InDoubt): boolean => attempt.status === 'recorded';

/** Those of these that no other machine has under way, or may send from now on. */
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
