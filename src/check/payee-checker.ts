/** Asks the bank about payees for a dry run: like a run, but without a brake and without records. */
import pLimit from 'p-limit';
import type { LimitFunction } from 'p-limit';
import { message } from '../core/message.ts';
import type { Bank } from '../core/bank-port.ts';
import type { BatchReason, Clock } from '../core/ports.ts';
import type { Progress } from '../core/progress.ts';
import { BankClock } from '../payout/bank-clock.ts';
import { BreakerGate } from '../payout/circuit-breaker.ts';
import type { BrakePolicy } from '../payout/rules/brake.ts';
import type { PayeeVerdict } from '../payout/rules/payee.ts';
import { decideWait } from '../payout/rules/wait.ts';
import { askAboutPayee, type AskContext, type AskedPayee } from '../payout/verify-payee.ts';

/** The only question of a dry run to the bank: no money can move. */
type PayeeBank = Pick<Bank, 'checkPayee'>;

interface PayeeCheckerOptions {
  readonly bank: PayeeBank;
  readonly clock: Clock;
  /** Payees asked about at once. */
  readonly concurrency: number;
  /** Time in ms to wait for a service in trouble, after the last answer. */
  readonly waitMs: number;
  /** Payees in a row without an answer that end the questions. */
  readonly unansweredMax: number;
  /** Aborted by a signal of the operating system. */
  readonly interrupted: AbortSignal;
  /** Called now and then with the present wait; left out without a display. */
  readonly reportWait?: Progress['showWait'];
}

/** Reason why the questions ended. */
export interface CheckerStop extends BatchReason {
  readonly kind: 'halted' | 'wait-over' | 'no-answers' | 'interrupted';
}

/** Turns the brake off: a dry run looks for payees that cannot be paid. */
const noBrake: BrakePolicy = {
  consecutiveFailures: Infinity,
  failureShare: Infinity,
  window: 1,
  inDoubtMax: Infinity,
};

const waitPollMs = 200;
const reportEveryMs = 1_000;

export class PayeeChecker {
  readonly #options: PayeeCheckerOptions;
  readonly #gate: BreakerGate;
  readonly #context: AskContext;
  readonly #limit: LimitFunction;
  /** Aborted when further waiting is useless. */
  readonly #givenUp = new AbortController();
  #lastAnswerAtMs: number;
  #unanswered = 0;
  /** Payee checks that the bank answered. */
  answers = 0;
  #elapsedMs = 0;

  constructor(options: PayeeCheckerOptions) {
    const { clock, concurrency } = options;
    const stop = AbortSignal.any([options.interrupted, this.#givenUp.signal]);
    this.#options = options;
    this.#gate = new BreakerGate({ clock, brake: noBrake, stop });
    this.#limit = pLimit(concurrency);
    this.#lastAnswerAtMs = clock.now();
    const bank: PayeeBank = { checkPayee: (...asked) => this.#checkPayee(...asked) };
    this.#context = { bank, bankClock: new BankClock(clock), clock, gate: this.#gate, stop };
  }

  /** Mean time of an answer in ms; undefined before the first. */
  get latencyMs(): number | undefined {
    return this.answers === 0 ? undefined : this.#elapsedMs / this.answers;
  }

  /** Set once the questions have ended, for this file and any other. */
  get stop(): CheckerStop | undefined {
    const { status, why } = this.#gate.state;
    if (status === 'halted' && why !== null) return { kind: 'halted', ...why };
    if (this.#options.interrupted.aborted) return interrupted;
    if (!this.#givenUp.signal.aborted) return undefined;
    return this.#unanswered >= this.#options.unansweredMax
      ? noAnswers
      : { kind: 'wait-over', ...(why ?? waitOver) };
  }

  /**
   * The bank's answers about these payees, in order.
   * @param onVerdict called with each answer as it comes
   */
  async ask(
    payees: readonly AskedPayee[],
    onVerdict: (verdict: PayeeVerdict) => void = () => {},
  ): Promise<readonly PayeeVerdict[]> {
    const end = new AbortController();
    this.#lastAnswerAtMs = this.#options.clock.now();
    const watching = Promise.all([this.#watchTheWait(end.signal), this.#reportWaits(end.signal)]);
    const askOne = async (payee: AskedPayee): Promise<PayeeVerdict> => {
      const verdict = await this.#askOne(payee);
      onVerdict(verdict);
      return verdict;
    };
    try {
      return await Promise.all(payees.map((payee) => this.#limit(() => askOne(payee))));
    } finally {
      end.abort();
      await watching;
    }
  }

  async #askOne(payee: AskedPayee): Promise<PayeeVerdict> {
    const verdict = await askAboutPayee(this.#context, payee);
    if (verdict.kind === 'stopped') return verdict;
    this.#lastAnswerAtMs = this.#options.clock.now();
    this.#unanswered = verdict.kind === 'unavailable' ? this.#unanswered + 1 : 0;
    if (this.#unanswered >= this.#options.unansweredMax) this.#givenUp.abort();
    return verdict;
  }

  async #checkPayee(...asked: Parameters<Bank['checkPayee']>): ReturnType<Bank['checkPayee']> {
    const reply = await this.#options.bank.checkPayee(...asked);
    if (reply.kind === 'answered') {
      this.answers += 1;
      this.#elapsedMs += reply.elapsedMs;
    }
    return reply;
  }

  async #reportWaits(end: AbortSignal): Promise<void> {
    const { clock, waitMs, reportWait } = this.#options;
    if (reportWait === undefined) return;
    while (!end.aborted) {
      const lastProgressAtMs = this.#lastAnswerAtMs;
      const times = { nowMs: clock.now(), lastProgressAtMs, givesUpAtMs: lastProgressAtMs + waitMs };
      const underWay = this.#limit.activeCount;
      reportWait(decideWait({ ...times, breaker: this.#gate.state, isSending: true, underWay }));
      await clock.sleep(reportEveryMs, end);
    }
    reportWait(undefined);
  }

  async #watchTheWait(end: AbortSignal): Promise<void> {
    const { clock, waitMs } = this.#options;
    while (!end.aborted) {
      const leftMs = this.#lastAnswerAtMs + waitMs - clock.now();
      if (leftMs <= 0 && this.#gate.state.status === 'paused') {
        this.#givenUp.abort();
        return;
      }
      await clock.sleep(Math.max(leftMs, waitPollMs), end);
    }
  }
}

const interrupted: CheckerStop = {
  kind: 'interrupted',
  code: 'interrupted',
  reason: message('check.interrupted'),
  remedy: message('check.check-the-rest'),
};

const waitOver: BatchReason = {
  code: 'wait-over',
  reason: message('check.wait-over'),
  remedy: message('check.check-later'),
};

const noAnswers: CheckerStop = {
  kind: 'no-answers',
  code: 'no-answers',
  reason: message('check.no-answers'),
  remedy: message('check.correct-bank'),
};
