/** The context of every step of paying. */
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

/** Limits beyond which an operator must look before money moves; 0 turns a limit off. */
interface ReviewLimits {
  /** Longest wait of a batch in hours, from its drop or its last resume. */
  readonly batchMaxAgeHours: number;
  /** Days to search back for a payout of the same amount to the same payee. */
  readonly similarDays: number;
  /** Left out when no limit over time is set. */
  readonly overTime?: TimeLimits | undefined;
}

/** Identifies a payoutId of a company, in all its rows. */
export const idOf = (companyId: string, { instruction }: Pick<Payout, 'instruction'>): string =>
  `${companyId} ${instruction.payoutId}`;

/** Facts of every log line about an attempt, so that one payout can be followed through the log. */
export const logFactsOf = (
  { batchId, rowNo }: Pick<Payout, 'batchId' | 'rowNo'>,
  { order }: Pick<Attempt, 'order'>,
): object => ({ batchId, rowNo, transRefNo: order.transRefNo });

/** State shared by the runs of one process. */
export interface ProcessState {
  /** Serialises the comparison of like payouts. */
  readonly likeness: KeyedMutex;
  /** Rows with an inquiry under way. */
  readonly asking: Set<number>;
  /** Payouts (`idOf`) with a closed attempt that has come alive: nothing recorded before that is sent for them. */
  readonly reopened: Set<string>;
  /** Runs under way. */
  readonly runs: Set<RunState>;
  /** Limits on this process's requests at once. */
  readonly adaptiveLimits: AdaptiveLimits;
}

export interface WorkerContext extends CallContext, ProcessState {
  readonly journal: PayoutJournal;
  readonly bank: Bank;
  readonly clock: Clock;
  readonly verify: VerifyPolicy;
  readonly settle: SettlePolicy;
  readonly limits: ReviewLimits;
  readonly transferConcurrency: number;
  readonly channelId: string;
  readonly termId: string;
  readonly log: Log;
  /** Called for each row that makes progress, for display. */
  readonly count: (payout: Payout | undefined) => void;
  /** Called now and then with what the run waits for; left out when there is no display. */
  readonly reportWait?: ((wait: Wait | undefined) => void) | undefined;
  /** Aborted when no new work may begin: the process is asked to stop, or the wait is over. */
  readonly stop: AbortSignal;
  readonly run: RunState;
  /** Returns the gate of a payer account, each with its own breaker. */
  readonly gateOf: (payer: Payer) => BreakerGate;
  /** Decides whether the bank is asked about the next reference before each new attempt; left out: never. */
  readonly asksFirst?: (() => Promise<boolean>) | undefined;
  /** Start of the time in which an adopted journal may lack sends of its original. */
  readonly missesSince?: (() => number | undefined) | undefined;
  /** True while nothing new may be sent for reasons other than the bank; left out: never. */
  readonly isPaused?: () => boolean;
  /**
   * Asked just before bytes leave: false once this process may have lost the right to send, which another process then
   * has. Left out: always true.
   */
  readonly mayTransmit?: (() => boolean) | undefined;
  /** Rows shared with other machines that pay the same batches; left out when only this process pays. */
  readonly share?: Share | undefined;
  /** Limits by which the journal counts the ends of all machines; left out when only this process sends. */
  readonly brakeOfAll?: BrakeLimits | undefined;
  /** The rows that signed approvals name; undefined when the settings ask for no signature. */
  readonly provedRows?: ProvedRows | undefined;
  /** True when another part of this process asks about superseded attempts. */
  readonly isWatchedByAnother?: boolean;
}

/**
 * The context with the gate of an order's payer: the payer account may have been corrected since the order was made.
 */
export const contextFor = (context: WorkerContext, payer: Payer): WorkerContext => ({
  ...context,
  gate: context.gateOf(payer),
});

/** Number of rows with a request under way in this process; `own` counts even when it is not among the runs. */
export function countUnderWay({ runs }: Pick<ProcessState, 'runs'>, own?: RunState): number {
  let rows = own === undefined || runs.has(own) ? 0 : own.inFlight.size;
  for (const { inFlight } of runs) rows += inFlight.size;
  return rows;
}

/** Number of submitted rows of all batches, without those that only wait for the answer to another machine. */
export async function countDoubt({
  journal,
  share,
}: Pick<WorkerContext, 'journal' | 'share'>): Promise<number> {
  const elsewhere = (await share?.countUnderWayElsewhere()) ?? 0;
  return (await journal.countInDoubt('submitted')) - elsewhere;
}

/** True for a row with a request or inquiry under way in any part of this process. */
export function isInProgress({ run, runs, asking }: WorkerContext, seq: number): boolean {
  return asking.has(seq) || [run, ...runs].some(({ inFlight }) => inFlight.has(seq));
}

/** The present policy: which sends the journal may lack is determined anew while the process works. */
export const settlePolicyOf = ({
  settle,
  missesSince,
}: Pick<WorkerContext, 'settle' | 'missesSince'>): SettlePolicy => ({
  ...settle,
  missesSinceMs: missesSince?.(),
});

/**
 * The present facts for a decision on an attempt.
 * @param sameReference other attempts under its transRefNo
 * @param facts part of the reply that the history stores
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

/** State shared by the steps of one run; it does not outlive the process. */
export class RunState {
  /** Rows with a request under way in this process; they are not inquired meanwhile. */
  readonly inFlight = new Set<number>();
  /** Unsent rows that the bank, asked after a loss of the journal, does not know. */
  readonly probed = new Set<number>();
  /** True while ready rows are being handed out; the wait for rows in doubt has not begun. */
  isSending = true;
  /** True once the doubts of earlier runs have been inquired. */
  hasAsked = false;
  /** True once an intent was recorded: bytes may have left. */
  hasSent = false;
  /** Number of inquiries that showed something about their transfer. */
  answers = 0;
  /** Time of the latest such inquiry; the start of the run before the first. */
  lastToldAtMs: number;
  /** Fulfilled when every row that can be sent was sent, so that the run only waits for rows in doubt. */
  readonly allSent = Promise.withResolvers<void>();
  /** Aborted when a part of the run fails: no other part begins new work. */
  readonly broken = new AbortController();
  /** Time at which a payout last made progress by an answer of the bank; `--wait` counts from it. */
  lastProgressAtMs: number;
  readonly #clock: Clock;
  readonly #news = new Signal();
  #failure: { readonly error: unknown } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.lastProgressAtMs = clock.now();
    this.lastToldAtMs = this.lastProgressAtMs;
  }

  /** Records a failure of a part of the run, to be thrown when the rest of that part has ended. */
  noteFailure(error: unknown): void {
    this.#failure ??= { error };
  }

  /** @throws the failure recorded first */
  throwFailure(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  noteProgress(): void {
    this.lastProgressAtMs = this.#clock.now();
  }

  noteAnswer(): void {
    this.answers += 1;
    this.lastToldAtMs = this.#clock.now();
  }

  /** Wakes the parts that wait for work. */
  notify(): void {
    this.#news.notify();
  }

  /** Waits for `notify`, for the time to end, or for the signal. */
  waitForWork(ms: number, stop: AbortSignal): Promise<void> {
    return waitForAny(this.#clock, ms, this.#news.next, stop);
  }
}

/**
 * Waits for the work of a run and for its background tasks, which end once the work has. When one of them fails, no
 * other begins new work.
 * @param backgroundEnd aborted when the work has ended
 * @throws the first failure (`noteFailure`): later ones may follow from it
 */
export async function runWithBackground(
  { run }: Pick<WorkerContext, 'run'>,
  work: Promise<unknown>,
  backgroundEnd: AbortController,
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
  const working = breakOff(work).finally(() => backgroundEnd.abort());
  await Promise.all([working, ...beside.map(breakOff)]);
  run.throwFailure();
}

/** The bank's identifiers for the payer of a batch: its company and account as of the day it was read. */
export function payerOf(
  { channelId, termId }: Pick<WorkerContext, 'channelId' | 'termId'>,
  { companyId, payerAccount }: Payer,
): PayerSetup {
  return { channelId, termId, companyId, payerAccount };
}
