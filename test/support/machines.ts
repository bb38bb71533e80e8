/** Machines that pay one batch with a journal in memory and a clock that tests drive. */
import type { PayoutJournal, Shard } from '../../src/payout/ports.ts';
import { mayProbe } from '../../src/payout/rules/shared-pause.ts';
import {
  decideWhole,
  clampLimit,
  type SharedKind,
  type SharedLimit,
} from '../../src/payout/rules/shared-limit.ts';
import { listGaps } from '../../src/payout/rules/lease.ts';
import { PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import type { RunState, WorkerContext } from '../../src/payout/context.ts';
import { help } from '../../src/payout/help.ts';
import { Share } from '../../src/payout/share.ts';
import { KeyedMutex } from '../../src/platform/keyed-mutex.ts';
import { stageInMemory, type Script, type Theatre } from './theatre.ts';

interface Taken extends Shard {
  readonly workerId: number;
}

/** More than any test has. */
const allRows = 10_000;

/** Shards of a journal that one process has in memory: what several machines are to one another, without a server. */
class MemoryWorkers {
  readonly #journal: PayoutJournal;
  readonly #open = new Set<Taken>();
  #shards = 0;
  readonly #highestRows = new Map<string, number>();
  /** Workers whose lease is over, in this order. */
  readonly gone = new Set<number>();
  /** Workers that are gone and whose rows others settle: no lease of theirs may be renewed. */
  readonly superseded = new Set<number>();
  /** The limit of the bank over all workers together, of each kind. */
  readonly wholes: Partial<Record<SharedKind, SharedLimit>> = {};
  /** Workers that had the turn to try whether a pause was over, in this order. */
  readonly probes: number[] = [];
  #probing: number | undefined;
  #isAnswered = false;
  /** Claimed rows of each worker. */
  readonly claims: number[] = [];

  constructor(journal: PayoutJournal) {
    this.#journal = journal;
  }

  get openShards(): number {
    return this.#open.size;
  }

  #atWork(): number[] {
    return [...new Set([...this.#open].map(({ workerId }) => workerId))].toSorted((a, b) => a - b);
  }

  #elsewhere(batchId: string, ...workerIds: readonly number[]): Taken[] {
    return [...this.#open].filter(
      (one) => one.batchId === batchId && !workerIds.includes(one.workerId) && !this.gone.has(one.workerId),
    );
  }

  async #readyRows(batchId: string): Promise<number[]> {
    return (await this.#journal.readyPage(batchId, 0, allRows)).map(({ payout }) => payout.rowNo);
  }

  #take(batchId: string, workerId: number, fromRow: number, toRow: number): Shard {
    const shard = { shardId: (this.#shards += 1), batchId, fromRow, toRow, workerId };
    this.#open.add(shard);
    const highestRow = this.#highestRows.get(batchId) ?? 0;
    this.#highestRows.set(batchId, Math.max(highestRow, toRow));
    this.claims[workerId] = (this.claims[workerId] ?? 0) + 1;
    return { ...shard, isLeft: fromRow <= highestRow };
  }

  store: ConstructorParameters<typeof Share>[0] = {
    takeProbe: async ({ companyId, payerAccount }, workerId) => {
      const pause = await this.#journal.payerPause(companyId, payerAccount);
      if (pause === undefined && this.#isAnswered) return 'answered';
      const isThere = this.#probing !== undefined && !this.gone.has(this.#probing);
      const present =
        this.#probing === undefined ? undefined : { workerId: this.#probing, untilMs: 1, isThere };
      if (!mayProbe(present, workerId, 0)) return 'held';
      this.#probing = workerId;
      this.#isAnswered = false;
      this.probes.push(workerId);
      return 'taken';
    },
    endProbe: async (_payer, workerId, isAnswered) => {
      if (this.#probing === workerId) this.#probing = undefined;
      this.#isAnswered = isAnswered;
    },
    wasAnswered: async () => this.#isAnswered,
    readLimits: async (workerId) => {
      const working = this.#atWork();
      const place = working.indexOf(workerId);
      const machines = Math.max(1, working.length);
      return { wholes: this.wholes, atWork: { machines, place: Math.max(0, place) } };
    },
    tellLimit: async (kind, heard, ceilingOfOne) => {
      const machines = Math.max(1, this.#atWork().length);
      return (this.wholes[kind] = decideWhole(
        clampLimit(this.wholes[kind], ceilingOfOne, machines, heard.round),
        heard,
        machines,
      ));
    },
    claimShard: async (batchId, workerId, { rowsMax, afterRow, held }) => {
      const unheard = [...this.#open].find(
        (one) =>
          one.batchId === batchId && one.workerId === workerId && held?.includes(one.shardId) === false,
      );
      if (unheard !== undefined) return unheard;
      const ready = await this.#readyRows(batchId);
      for (const one of this.#open) {
        if (one.batchId !== batchId || !this.gone.has(one.workerId)) continue;
        this.#open.delete(one);
        const isAny = ready.some((rowNo) => one.fromRow <= rowNo && rowNo <= one.toRow);
        if (isAny) return this.#take(batchId, workerId, one.fromRow, one.toRow);
      }
      const taken = [...this.#open]
        .filter((one) => one.batchId === batchId)
        .toSorted((one, other) => one.fromRow - other.fromRow);
      for (const gap of listGaps(taken, afterRow ?? this.#highestRows.get(batchId) ?? 0)) {
        const rows = ready.filter((rowNo) => gap.afterRow < rowNo && rowNo < gap.beforeRow).slice(0, rowsMax);
        const [first] = rows;
        if (first !== undefined) return this.#take(batchId, workerId, first, rows.at(-1) ?? first);
      }
      return undefined;
    },
    endShard: async (shardId) => {
      for (const one of this.#open) if (one.shardId === shardId) this.#open.delete(one);
    },
    abandonedBatches: async () => {
      const left: string[] = [];
      const inTurn = [...this.gone];
      const placeOf = ({ workerId }: Taken): number => inTurn.indexOf(workerId);
      const open = [...this.#open].toSorted((before, after) => placeOf(before) - placeOf(after));
      for (const one of open) {
        if (!this.gone.has(one.workerId)) continue;
        const ready = await this.#readyRows(one.batchId);
        if (ready.some((rowNo) => one.fromRow <= rowNo && rowNo <= one.toRow)) left.push(one.batchId);
      }
      return [...new Set(left)];
    },
    shardsElsewhere: async (batchId, workerId) => this.#elsewhere(batchId, workerId),
    shardsThatMaySend: async (batchId, workerId) => {
      for (const one of this.#open)
        if (one.batchId === batchId && this.gone.has(one.workerId)) this.superseded.add(one.workerId);
      return this.#elsewhere(batchId, workerId);
    },
    countUnderWayElsewhere: async (workerIds) => {
      const inDoubt = await this.#journal.inDoubt(0, allRows);
      return inDoubt.filter(
        ({ payout, attempt }) =>
          attempt.status === 'recorded' &&
          this.#elsewhere(payout.batchId, ...workerIds).some(
            ({ fromRow, toRow }) => fromRow <= payout.rowNo && payout.rowNo <= toRow,
          ),
      ).length;
    },
  };
}

/** What the processes of one machine have for themselves. */
class Machine {
  readonly workerId: number;
  readonly share: Share;
  readonly #theatre: Theatre;
  readonly #stop = new AbortController();
  readonly #own: Partial<WorkerContext> & { readonly breaker: PayerBreaker };
  /** Rows that have got on here. */
  rows = 0;

  constructor(theatre: Theatre, workers: MemoryWorkers, workerId: number) {
    this.#theatre = theatre;
    this.workerId = workerId;
    this.share = new Share(workers.store, () => workerId);
    const runs = new Set<RunState>();
    const process = {
      runs,
      asking: new Set<number>(),
      reopened: new Set<string>(),
      likeness: new KeyedMutex(),
    };
    const count = (): void => void (this.rows += 1);
    this.#own = { ...process, share: this.share, count, breaker: new PayerBreaker() };
  }

  /** Sends as the one that has the right to. */
  send(batchId: string, options: Parameters<Theatre['start']>[1] = {}): Promise<void> {
    return this.#theatre.start(batchId, { ...this.#own, ...options });
  }

  /** Helps until it is stopped. */
  help(options: Partial<WorkerContext> = {}): Promise<void> {
    const { journal = this.#theatre.journal } = options;
    const { time: clock } = this.#theatre;
    return help({
      journal,
      clock,
      log: () => {},
      share: this.share,
      runs: this.#own.runs ?? new Set(),
      isHeld: () => true,
      runningBatches: async () =>
        (await journal.batches()).filter(({ status }) => status === 'running').toReversed(),
      openContext: (stop, count) => this.#theatre.context({ ...this.#own, ...options, count }, stop),
      count: () => void (this.rows += 1),
      stop: this.#stop.signal,
    });
  }

  stop(): void {
    this.#stop.abort();
  }
}

/** A batch of so many rows, one machine that sends and two that help; none has begun. */
export async function openMachines(rows: number, write: (theatre: Theatre) => Script = () => ({})) {
  const one = await stageInMemory(rows, write);
  const workers = new MemoryWorkers(one.theatre.journal);
  const machines = [1, 2, 3].map((workerId) => new Machine(one.theatre, workers, workerId));
  const [sender, second, third] = machines as [Machine, Machine, Machine];
  return { ...one, workers, sender, second, third };
}

/** Rows that nobody has had. */
export const firstShard = { rowsMax: 50, afterRow: undefined };

/** The bank takes its time. */
export const slowly = (theatre: Theatre, ms: number, script: Script = {}): Script => ({
  ...script,
  transfer: async (order, no) => {
    await theatre.time.sleep(ms);
    return script.transfer?.(order, no);
  },
});

export const paidOnce = ({ sent }: Theatre): boolean =>
  new Set(sent.map(({ payoutId }) => payoutId)).size === sent.length;
