/** What every step of the worker is handed. */
import type { Bank } from '../core/bank-port.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { Clock, Log } from '../core/ports.ts';
import type { Turns } from '../platform/keyed-mutex.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import type { Paces } from './adaptive-limit.ts';
import type { BankClock } from './bank-clock.ts';
import type { Payer } from './breaker-stop.ts';
import type { LineGate } from './circuit-breaker.ts';
import type { PayoutJournal } from './ports.ts';
import type { PayerSetup } from './rules/intent.ts';
import type { SettlePolicy } from './rules/resend.ts';

export interface VerifyPolicy {
  readonly enabled: boolean;
  readonly concurrency: number;
  /** What becomes of a payout whose payee check gives no answer. */
  readonly whenUnavailable: 'hold' | 'pay';
  readonly onThaiNameMismatch: 'hold' | 'pay';
}

/** When a person must look before money moves; 0 means never. */
export interface LookLimits {
  /** How long a batch may wait, from its drop or from when a person last let it go on. */
  readonly batchMaxAgeHours: number;
  /** How many days are looked back on for a payout to the same payee over the same amount. */
  readonly similarDays: number;
}

export type { Log } from '../core/ports.ts';

/** What every line about an attempt bears, so that one payout can be followed through the log. */
export const logFactsOf = (
  { batchId, rowNo }: Pick<Payout, 'batchId' | 'rowNo'>,
  { order }: Pick<Attempt, 'order'>,
): object => ({ batchId, rowNo, transRefNo: order.transRefNo });

export interface WorkerContext {
  readonly journal: PayoutJournal;
  readonly bank: Bank;
  readonly clock: Clock;
  readonly gate: LineGate;
  readonly bankClock: BankClock;
  readonly verify: VerifyPolicy;
  readonly settle: SettlePolicy;
  readonly limits: LookLimits;
  readonly transferConcurrency: number;
  readonly channelId: string;
  readonly termId: string;
  readonly log: Log;
  /** Told of each row that has got on, for whoever watches. */
  readonly count: (payout: Payout | undefined) => void;
  /** Aborted when nothing new is to be begun: the process is asked to stop, or the wait is over. */
  readonly stop: AbortSignal;
  readonly run: RunState;
  /** Of everything that this process sends: like payouts look for one another one by one. */
  readonly payeeTurns: Turns;
  /** Rows whose request is under way in this process, over all its runs; those of this run when left out. */
  readonly countUnderWay?: () => number;
  /** True while nothing new may be sent for reasons that are not the bank's; never when left out. */
  readonly isHeldUp?: () => boolean;
  /** True for a row whose request is under way in any run of this process; of this run alone when left out. */
  readonly isUnderWay?: (seq: number) => boolean;
  /** Rows that are being inquired about in this process; nobody else asks when left out. */
  readonly asking?: Set<number>;
  /** Attempts that a later one has followed are asked about elsewhere in this process. */
  readonly isWatchedElsewhere?: boolean;
  /** How fast the bank lets this process go; of this run alone when left out. */
  readonly paces?: Paces;
  /** The gate of a payer account, whose line is its own; `gate` serves all when left out. */
  readonly gateOf?: (payer: Payer) => LineGate;
}

/** The context with the gate by which an order goes: the payer account may have been corrected since it was made. */
export const contextFor = (context: WorkerContext, payer: Payer): WorkerContext =>
  context.gateOf === undefined ? context : { ...context, gate: context.gateOf(payer) };

/** What the steps of one run tell one another; nothing here outlives the process. */
export class RunState {
  /** Rows whose request is under way in this process: nobody inquires about them meanwhile. */
  readonly inFlight = new Set<number>();
  /** Rows that the bank knows nothing of, asked after a loss of the journal, and that were not sent yet. */
  readonly lookedUp = new Set<number>();
  /** True while ready rows are being handed out; the wait for what is in doubt has not begun then. */
  isSending = true;
  /** True when what earlier runs have left in doubt has been asked about once. */
  hasAsked = false;
  /** Fulfilled when every row that could be sent has been, and the run only waits for what is in doubt. */
  readonly allSent: Promise<void>;
  /** Aborted when a part of the run has broken: nothing new is begun by any other. */
  readonly broken = new AbortController();
  readonly noteAllSent: () => void;
  readonly #clock: Clock;
  #lastProgressAtMs: number;
  readonly #news = new Signal();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastProgressAtMs = clock.now();
    const { promise, resolve } = Promise.withResolvers<void>();
    this.allSent = promise;
    this.noteAllSent = resolve;
  }

  /** When a payout last got on, the bank answering; what `--wait` counts from. */
  get lastProgressAtMs(): number {
    return this.#lastProgressAtMs;
  }

  noteProgress(): void {
    this.#lastProgressAtMs = this.#clock.now();
  }

  /** Wakes whoever waits for something to do. */
  ring(): void {
    this.#news.notify();
  }

  /** Waits until somebody rings, the time is over, or the signal aborts. */
  waitForBell(ms: number, stop: AbortSignal): Promise<void> {
    return waitForAny(this.#clock, ms, this.#news.next, stop);
  }
}

/** The bank's names for the payer of a batch: its company and account are those of the day it was read. */
export function payerOf(
  context: Pick<WorkerContext, 'channelId' | 'termId'>,
  batch: { readonly companyId: string; readonly payerAccount: string },
): PayerSetup {
  return {
    channelId: context.channelId,
    termId: context.termId,
    companyId: batch.companyId,
    payerAccount: batch.payerAccount,
  };
}
