/** The context that every step of registering gets. */
import type { RegistrationBank } from '../core/bank-port.ts';
import type { BatchReason, Clock, Log } from '../core/ports.ts';
import type { Wait } from '../core/progress.ts';
import type { AdaptiveLimit } from '../payout/adaptive-limit.ts';
import {
  type BreakerContext,
  type BreakerGate,
  type HaltedBatch,
  type Payer,
  recordHalt,
} from '../payout/circuit-breaker.ts';
import type { RunState } from '../payout/context.ts';
import type { PayerBreakerStore, PayerHaltHistory, PayoutStore } from '../payout/ports.ts';
import type { RegistrationBatch, RegistrationStore, RegistrationTotal } from './ports.ts';
import { servicePayer } from './rules/intent.ts';

export type RegistrationJournal = RegistrationStore &
  PayerBreakerStore &
  PayerHaltHistory &
  Pick<PayoutStore, 'loss'>;

export interface RegistrationContext {
  readonly journal: RegistrationJournal;
  readonly bank: RegistrationBank;
  readonly clock: Clock;
  readonly log: Log;
  /** `bank.companyId` */
  readonly companyId: string;
  /** IP address in `msg-hdr`. */
  readonly ipAddress: string;
  /** `registration.answerWithinMs` */
  readonly answerWithinMs: number;
  /** Limit of concurrent requests, adapted to what the bank bears. */
  readonly limit: AdaptiveLimit;
  /** Gate of the service, which every registration passes. */
  readonly service: BreakerGate;
  /** Gate of one registering company. */
  readonly gateOf: (payer: Payer) => BreakerGate;
  readonly run: RunState;
  /** Rows that this run has left in doubt. */
  readonly doubts: Set<number>;
  /** Aborted when nothing new may begin: a stop was requested, or the wait is over. */
  readonly stop: AbortSignal;
  /** Rows that this process is sending now, in all its runs: no sweep takes them for abandoned. */
  readonly inFlight: Set<number>;
  /** `brake.inDoubtMax` */
  readonly inDoubtMax: number;
  /** `brake.consecutiveFailures`, applied to rejections by callback. */
  readonly consecutiveRefusalsMax: number;
  /** Binds callbacks that came before their registrations; these wait when left out. */
  readonly bindKept?: (() => Promise<void>) | undefined;
  /** Called with the rows' standing whenever that has changed. */
  readonly report: (totals: readonly RegistrationTotal[]) => void;
  /** Called at intervals with what the run waits for. */
  readonly reportWait?: ((wait: Wait | undefined) => void) | undefined;
  /** True while nothing new may be sent for reasons other than the bank's; never when left out. */
  readonly isPaused?: () => boolean;
  /**
   * Called right before bytes leave: false once another machine may have this process's place. Left out where one process
   * alone sends.
   */
  readonly mayTransmit?: (() => boolean) | undefined;
}

/** Subject of halts and pauses in the log. */
const subject = 'direct debit';

const batchForBreaker = (batch: RegistrationBatch): HaltedBatch => ({
  ...batch,
  ...servicePayer(batch.companyId),
});

/** The breaker of the service, in the form of a payer account's breaker with a batch. */
export function serviceBreaker(
  { journal, clock, log, service }: RegistrationContext,
  batch: RegistrationBatch,
): { readonly context: BreakerContext; readonly batch: HaltedBatch } {
  const kept: BreakerContext['journal'] = {
    payerHalt: (...named) => journal.payerHalt(...named),
    payerPause: (...named) => journal.payerPause(...named),
    recordPayerHalt: (halt) => journal.recordPayerHalt(halt),
    liftPayerHalt: (...named) => journal.liftPayerHalt(...named),
    recordPayerPause: (pause) => journal.recordPayerPause(pause),
    clearPayerPause: (...named) => journal.clearPayerPause(...named),
    async batch(batchId) {
      const found = await journal.registrationBatch(batchId);
      return found && batchForBreaker(found);
    },
  };
  return {
    context: { journal: kept, clock, log, gate: service, subject },
    batch: batchForBreaker(batch),
  };
}

/**
 * Why a company may register nothing; undefined when it may. A halt by another process, or a person's resume, counts here,
 * too.
 */
export async function findCompanyHalt(
  { journal, clock, log, gateOf }: RegistrationContext,
  payer: Payer,
): Promise<BatchReason | undefined> {
  const gate = gateOf(payer);
  // Recorded first: a halt made just now in this process would otherwise look like one that a person has lifted.
  await recordHalt({ journal, clock, log, gate, subject }, payer);
  const halt = await journal.payerHalt(payer.companyId, payer.payerAccount);
  if (halt !== undefined) gate.haltFor(halt);
  else if (gate.state.status === 'halted') gate.reopen();
  return halt;
}
