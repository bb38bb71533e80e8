/** What every step of the worker is handed. */
import type { PayerSetup } from '../core/decide.ts';
import type { Bank, Clock, Journal } from '../core/ports.ts';
import type { Payout } from '../core/payout.ts';
import type { ClockReading, SettlePolicy } from '../core/sending-rule.ts';
import type { LineGate } from './line-gate.ts';

export interface VerifyPolicy {
  readonly enabled: boolean;
  readonly concurrency: number;
  /** What becomes of a payout whose payee check gives no answer. */
  readonly whenUnavailable: 'hold' | 'pay';
  readonly onThaiNameMismatch: 'hold' | 'pay';
}

/** Something to be logged; `facts` are free of secrets and of full numbers. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', message: string, facts: object) => void;

export interface WorkerContext {
  readonly journal: Journal;
  readonly bank: Bank;
  readonly clock: Clock;
  readonly gate: LineGate;
  readonly bankClock: BankClock;
  readonly verify: VerifyPolicy;
  readonly settle: SettlePolicy;
  readonly transferConcurrency: number;
  readonly channelId: string;
  readonly termId: string;
  readonly log: Log;
  /** Told of each row that has got on, for whoever watches. */
  readonly count: (payout: Payout | undefined) => void;
  /** Aborted when nothing new is to be begun: the process is asked to stop, or the wait is over. */
  readonly stop: AbortSignal;
  readonly run: RunState;
}

/** What the steps of one run tell one another; nothing here outlives the process. */
export class RunState {
  /** Rows whose request is under way in this process: nobody inquires about them meanwhile. */
  readonly inFlight = new Set<number>();
  /** True while ready rows are being handed out; the wait for what is in doubt has not begun then. */
  isSending = true;
  /** The stop of the line is known to the journal: a person may lift it there, so it is not recorded again. */
  isStopRecorded = false;
  /** Aborted when a part of the run has broken: nothing new is begun by any other. */
  readonly broken = new AbortController();
  readonly #clock: Clock;
  #lastProgressAtMs: number;
  #bell = new AbortController();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastProgressAtMs = clock.now();
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
    this.#bell.abort();
    this.#bell = new AbortController();
  }

  /** Waits until somebody rings, the time is over, or the signal aborts. */
  async waitForBell(ms: number, stop: AbortSignal): Promise<void> {
    const until = AbortSignal.any([this.#bell.signal, stop]);
    if (!until.aborted) await this.#clock.sleep(ms, until);
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

/** The bank's time as its latest `Date` header told it, carried on by our own clock. */
export class BankClock {
  #offsetMs: number | undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of a reply's `Date` header. */
  see(reply: { readonly kind: string; readonly bankDateMs?: number | undefined }): void {
    if (reply.bankDateMs !== undefined) this.#offsetMs = reply.bankDateMs - this.#clock.now();
  }

  /** Both clocks, now. */
  read(): ClockReading {
    const nowMs = this.#clock.now();
    return { nowMs, bankNowMs: this.#offsetMs === undefined ? undefined : nowMs + this.#offsetMs };
  }
}
