/** Machines that pay one batch with a journal in memory and a clock that tests drive. */
import { PayerBreaker } from '../../src/payout/circuit-breaker.ts';
import type { RunState, WorkerContext } from '../../src/payout/context.ts';
import { help } from '../../src/payout/help.ts';
import { Share } from '../../src/payout/share.ts';
import { KeyedMutex } from '../../src/platform/keyed-mutex.ts';
import { MemoryWorkers } from './memory-workers.ts';
import { stageInMemory, type Script, type Theatre } from './theatre.ts';

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
