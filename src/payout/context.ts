/** What every step of paying is handed. */
import type { Bank } from '../core/bank-port.ts';
import type { Attempt, Payout } from '../core/payout.ts';
import type { BrakeLimits, Clock, Log } from '../core/ports.ts';
import type { Wait } from '../core/progress.ts';
import type { KeyedMutex } from '../platform/keyed-mutex.ts';
import { Signal, waitForAny } from '../platform/signal.ts';
import type { AdaptiveLimits, CallContext } from './adaptive-limit.ts';
import type { Payer, BreakerGate } from './circuit-breaker.ts';
import type { PayoutJournal, ProvedRows } from './ports.ts';
import type { Case } from './rules/case.ts';
import type { TimeLimits } from './rules/limits.ts';
import type { PayerSetup } from './rules/intent.ts';
import type { Share } from './share.ts';
import type { VerifyPolicy } from './rules/payee.ts';
import type { SettlePolicy } from './rules/resend.ts';

/** When an operator must look before money moves; 0 means never. */
export interface LookLimits {
  /** How long a batch may wait, from its drop or from when it was last resumed. */
  readonly batchMaxAgeHours: number;
  /** How many days are looked back on for a payout to the same payee over the same amount. */
  readonly similarDays: number;
  /** Left out where there is none. */
  readonly overTime?: TimeLimits | undefined;
}

/** One payoutId of one company, in all its rows. */
export const idOf = (companyId: string, { instruction }: Pick<Payout, 'instruction'>): string =>
  `${companyId} ${instruction.payoutId}`;

/** What every log line about an attempt bears, so that one payout can be followed through the log. */
export const logFactsOf = (
  { batchId, rowNo }: Pick<Payout, 'batchId' | 'rowNo'>,
  { order }: Pick<Attempt, 'order'>,
): object => ({ batchId, rowNo, transRefNo: order.transRefNo });

/** What the runs of one process have in common. */
export interface ProcessState {
  /** Like payouts are compared one by one. */
  readonly likeness: KeyedMutex;
  /** Rows that are being inquired about. */
  readonly asking: Set<number>;
  /** Payouts (`idOf`) of which a closed attempt has come alive: nothing leaves for them that was recorded before that. */
  readonly reopened: Set<string>;
  /** Runs that are under way at once. */
  readonly runs: Set<RunState>;
  /** How many requests the bank lets this process have at once. */
  readonly adaptiveLimits: AdaptiveLimits;
}

export interface WorkerContext extends CallContext, ProcessState {
  readonly journal: PayoutJournal;
  readonly bank: Bank;
  readonly clock: Clock;
  readonly verify: VerifyPolicy;
  readonly settle: SettlePolicy;
  readonly limits: LookLimits;
  readonly transferConcurrency: number;
  readonly channelId: string;
  readonly termId: string;
  readonly log: Log;
  /** Told of each row that has got on, for whoever watches. */
  readonly count: (payout: Payout | undefined) => void;
  /** Told now and then of what the run waits for; left out where nobody watches. */
  readonly reportWait?: ((wait: Wait | undefined) => void) | undefined;
  /** Aborted when nothing new is to be begun: the process is asked to stop, or the wait is over. */
  readonly stop: AbortSignal;
  readonly run: RunState;
  /** The gate of a payer account, which has a breaker of its own. */
  readonly gateOf: (payer: Payer) => BreakerGate;
  /** Whether the bank is asked about the next reference before each new attempt; never when left out. */
  readonly asksFirst?: (() => Promise<boolean>) | undefined;
  /** Since when an adopted journal may miss what its original has sent. */
  readonly missesSince?: (() => number | undefined) | undefined;
  /** True while nothing new may be sent for reasons that are not the bank's; never when left out. */
  readonly isHeldUp?: () => boolean;
  /**
   * Asked where bytes are about to leave: false once this process may have lost the right to send, which another then
   * has. Always true when left out.
   */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Other machines pay rows of the same batches; left out where this process alone does. */
  readonly share?: Share | undefined;
  /** By which the journal counts the ends of all machines; left out where this process alone sends. */
  readonly brakeOfAll?: BrakeLimits | undefined;
  /** The rows that signed approvals name; undefined where the settings ask for no signature. */
  readonly provedRows?: ProvedRows | undefined;
  /** Superseded attempts are asked about elsewhere in this process. */
  readonly isWatchedByAnother?: boolean;
}

/** The context with the gate by which an order goes: the payer account may have been corrected since it was made. */
export const contextFor = (context: WorkerContext, payer: Payer): WorkerContext => ({
  ...context,
  gate: context.gateOf(payer),
});

/** Rows whose request is under way in this process; `own` counts though it may not be one of the runs. */
export function countUnderWay({ runs }: Pick<ProcessState, 'runs'>, own?: RunState): number {
  let rows = own === undefined || runs.has(own) ? 0 : own.inFlight.size;
  for (const { inFlight } of runs) rows += inFlight.size;
  return rows;
}

/** Rows of all batches that are submitted, but for those that merely wait for the answer to another machine. */
export async function countDoubt({
  journal,
  share,
}: Pick<WorkerContext, 'journal' | 'share'>): Promise<number> {
  const elsewhere = (await share?.countUnderWayElsewhere()) ?? 0;
  return (await journal.countInDoubt('submitted')) - elsewhere;
}

/** True for a row whose request is under way, or that is being asked about, in any part of this process. */
export function isSeenTo({ run, runs, asking }: WorkerContext, seq: number): boolean {
  return asking.has(seq) || [run, ...runs].some(({ inFlight }) => inFlight.has(seq));
}

/** The policy as of now: what the journal may miss is told anew while the process works. */
export const settlePolicyOf = ({
  settle,
  missesSince,
}: Pick<WorkerContext, 'settle' | 'missesSince'>): SettlePolicy => ({
  ...settle,
  missesSinceMs: missesSince?.(),
});

/**
 * The facts, as of now, for a decision on an attempt.
 * @param sameReference other attempts under its transRefNo
 * @param facts what the history keeps of the reply
 */
export const caseOf = (
  { settle, bankClock, missesSince }: Pick<WorkerContext, 'settle' | 'bankClock' | 'missesSince'>,
  payout: Payout,
  attempt: Attempt,
  sameReference: readonly Attempt[],
  facts: object = {},
): Case => ({
  payout,
  attempt,
  sameReference,
  facts,
  policy: settlePolicyOf({ settle, missesSince }),
  ...bankClock.read(),
});

/** What the steps of one run tell one another; nothing here outlives the process. */
export class RunState {
  /** Rows whose request is under way in this process: nobody inquires about them meanwhile. */
  readonly inFlight = new Set<number>();
  /** Rows that the bank knows nothing of, asked after a loss of the journal, and that were not sent yet. */
  readonly probed = new Set<number>();
  /** True while ready rows are being handed out; the wait for what is in doubt has not begun then. */
  isSending = true;
  /** True when what earlier runs have left in doubt has been asked about once. */
  hasAsked = false;
  /** True when an intent was recorded: bytes may have left. */
  hasSent = false;
  /** Inquiries that told something about their transfer. */
  told = 0;
  /** When the latest of them did; the start before the first. */
  lastToldAtMs: number;
  /** Fulfilled when every row that could be sent has been, and the run only waits for what is in doubt. */
  readonly allSent = Promise.withResolvers<void>();
  /** Aborted when a part of the run has broken: nothing new is begun by any other. */
  readonly broken = new AbortController();
  /** When a payout last got on, the bank answering; what `--wait` counts from. */
  lastProgressAtMs: number;
  readonly #clock: Clock;
  readonly #news = new Signal();
  #failure: { readonly error: unknown } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastProgressAtMs = clock.now();
    this.lastToldAtMs = this.lastProgressAtMs;
  }

  /** Takes note of what a part of the run has met, which may be told only when the rest of the part has ended. */
  noteFailure(error: unknown): void {
    this.#failure ??= { error };
  }

  /** @throws the failure that was noted first */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  noteProgress(): void {
    this.lastProgressAtMs = this.#clock.now();
  }

  noteTold(): void {
    this.told += 1;
    this.lastToldAtMs = this.#clock.now();
  }

  /** Wakes whoever waits for something to do. */
  notify(): void {
    this.#news.notify();
  }

  /** Waits until somebody notifies, the time is over, or the signal aborts. */
  waitForWork(ms: number, stop: AbortSignal): Promise<void> {
    return waitForAny(this.#clock, ms, this.#news.next, stop);
  }
}

/**
 * Waits for the work of a run and for what goes on beside it, which ends once the work has. When one of them breaks, no
 * other begins anything new.
 * @param besideEnds aborted when the work has ended
 * @throws what has failed first (`noteFailure`): what another met later may have come of that
 */
export async function endTogether(
  { run }: Pick<WorkerContext, 'run'>,
  work: Promise<unknown>,
  besideEnds: AbortController,
  beside: readonly Promise<unknown>[],
): Promise<void> {
  const breakOff = async (part: Promise<unknown>): Promise<void> => {
    try {
      await part;
    } catch (error) {
      run.noteFailure(error);
      run.broken.abort();
    }
  };
  const working = breakOff(work).finally(() => besideEnds.abort());
  await Promise.all([working, ...beside.map(breakOff)]);
  run.throwFailure();
}

/** The bank's names for the payer of a batch: its company and account are those of the day it was read. */
export function payerOf(
  { channelId, termId }: Pick<WorkerContext, 'channelId' | 'termId'>,
  { companyId, payerAccount }: Payer,
): PayerSetup {
  return { channelId, termId, companyId, payerAccount };
}
