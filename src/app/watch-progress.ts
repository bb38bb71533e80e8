/** Progress of a watcher's batches: a bar on a terminal, else a line now and then. */
import type { Payout } from '../core/payout.ts';
import type { Batch, Clock, StatusTotal } from '../core/ports.ts';
import { makeRowCounter, type Progress, type ProgressFigures, type Wait } from '../core/progress.ts';
import type { RunObserver } from '../watch/context.ts';
import type { WatchState } from '../watch/rules/health.ts';

/** The watcher's present activity. */
export type WatchActivity =
  /** Rows of the batch are sent from now on; `rowsDone` had ended before, `rowsRejected` of them as the file was read. */
  | {
      readonly kind: 'batch-begun';
      readonly batch: Batch;
      readonly rowsDone: number;
      readonly rowsRejected: number;
    }
  | {
      readonly kind: 'in-work';
      readonly figures: ProgressFigures;
      readonly wait: Wait | undefined;
      /** Files that wait for their turn, or are being read. */
      readonly filesWaiting: number;
    }
  /** Nothing is left to send; rows in doubt are asked about. */
  | {
      readonly kind: 'idle';
      readonly last: { readonly fileName: string; readonly atMs: number } | undefined;
      readonly rowsInDoubt: number;
    };

/** Time between two lines while a file is in work. */
const inWorkEveryMs = 60_000;
/** Time between two lines while none is: they show that the watcher runs. */
const idleEveryMs = 3_600_000;

interface Running {
  readonly batch: Batch;
  readonly count: ReturnType<typeof makeRowCounter>;
  counts: ReturnType<ReturnType<typeof makeRowCounter>>;
  wait: Wait | undefined;
}

interface WatchProgressOptions {
  readonly clock: Clock;
  readonly report: (activity: WatchActivity) => void;
  /** Shows the batches in work all the time; without it, lines are reported. */
  readonly progress?: Progress | undefined;
}

export class WatchProgress implements RunObserver {
  readonly #options: WatchProgressOptions;
  readonly #running = new Map<string, Running>();
  /** Batches whose beginning was reported. */
  readonly #begun = new Set<string>();
  #last: { readonly fileName: string; readonly atMs: number } | undefined;
  #reportedAtMs: number;
  #wasBusy = false;

  constructor(options: WatchProgressOptions) {
    this.#options = options;
    this.#reportedAtMs = options.clock.elapsedMs();
  }

  begin(batch: Batch, totals: readonly StatusTotal[]): void {
    const { batchId, rows } = batch;
    const count = makeRowCounter(rows, totals);
    const counts = count();
    this.#running.set(batchId, { batch, count, counts, wait: undefined });
    if (!this.#begun.has(batchId)) {
      this.#begun.add(batchId);
      const rowsRejected = totals.find(({ status }) => status === 'rejected')?.rows ?? 0;
      this.#report({ kind: 'batch-begun', batch, rowsDone: counts.rowsDone, rowsRejected });
    }
    this.#show();
  }

  count(payout: Payout): void {
    const running = this.#running.get(payout.batchId);
    if (running === undefined) return;
    running.counts = running.count(payout);
    this.#show();
  }

  reportWait(batchId: string, wait: Wait | undefined): void {
    const running = this.#running.get(batchId);
    if (running !== undefined) running.wait = wait;
    this.#options.progress?.showWait?.(this.#wait);
  }

  end(batchId: string): void {
    this.#running.delete(batchId);
    this.#options.progress?.showWait?.(this.#wait);
    this.#show();
  }

  /** A file has ended, taken or not. */
  noteFile(fileName: string): void {
    this.#last = { fileName, atMs: this.#options.clock.now() };
    this.#wasBusy = true;
  }

  /** Reports the present state, if a line is due. */
  reportNow({ filesInWork = 0, rowsInDoubt = 0 }: Pick<WatchState, 'filesInWork' | 'rowsInDoubt'>): void {
    const sinceMs = this.#options.clock.elapsedMs() - this.#reportedAtMs;
    const filesWaiting = Math.max(0, filesInWork - this.#running.size);
    const figures = this.#figures;
    if (figures !== undefined) {
      const isShown = this.#options.progress !== undefined;
      if (!isShown && sinceMs >= inWorkEveryMs)
        this.#report({ kind: 'in-work', figures, wait: this.#wait, filesWaiting });
    } else if (filesInWork === 0 && (this.#wasBusy || sinceMs >= idleEveryMs)) {
      this.#wasBusy = false;
      this.#report({ kind: 'idle', last: this.#last, rowsInDoubt });
    }
  }

  #report(activity: WatchActivity): void {
    this.#reportedAtMs = this.#options.clock.elapsedMs();
    this.#options.report(activity);
  }

  #show(): void {
    if (this.#running.size > 0) this.#wasBusy = true;
    this.#options.progress?.show(this.#figures);
  }

  /** Figures of all batches in work together; undefined when there is none. */
  get #figures(): ProgressFigures | undefined {
    const all = [...this.#running.values()];
    const [first] = all;
    if (first === undefined) return undefined;
    const sum = (read: (one: Running) => number): number => all.reduce((rows, one) => rows + read(one), 0);
    return {
      phase: all.length === 1 ? `paying ${first.batch.fileName}` : `paying ${all.length} files`,
      rowsTotal: sum(({ batch }) => batch.rows),
      rowsDone: sum(({ counts }) => counts.rowsDone),
      paid: sum(({ counts }) => counts.paid),
      inDoubt: sum(({ counts }) => counts.inDoubt),
    };
  }

  /** The first wait to end, while no batch progresses. */
  get #wait(): Wait | undefined {
    const waits = [...this.#running.values()].map(({ wait }) => wait);
    if (waits.includes(undefined)) return undefined;
    return waits.toSorted((one, two) => (one?.dueInMs ?? Infinity) - (two?.dueInMs ?? Infinity))[0];
  }
}
