/** What every step of registering is handed. */
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
  /** Of `msg-hdr`. */
  readonly ipAddress: string;
  /** `registration.answerWithinMs` */
  readonly answerWithinMs: number;
  /** How many are with the bank at once, as far as it bears them. */
  readonly limit: AdaptiveLimit;
  /** The way through what concerns every registration. */
  readonly service: BreakerGate;
  /** The way through the breaker of one registering company. */
  readonly gateOf: (payer: Payer) => BreakerGate;
  readonly run: RunState;
  /** Rows that this run has left in doubt. */
  readonly doubts: Set<number>;
  /** Aborted when nothing new is to be begun: the process is asked to stop, or the wait is over. */
  readonly stop: AbortSignal;
  /** Rows that this process is sending now, over all its runs: nobody takes them for abandoned. */
  readonly inFlight: Set<number>;
  /** `brake.inDoubtMax` */
  readonly inDoubtMax: number;
  /** `brake.consecutiveFailures`, of rejections by callback. */
  readonly consecutiveRefusalsMax: number;
  /** Binds callbacks that came before their registrations; they wait when left out. */
  readonly bindKept?: (() => Promise<void>) | undefined;
  /** Told of where the rows stand, whenever that has changed. */
  readonly report: (totals: readonly RegistrationTotal[]) => void;
  /** Told now and then of what the run waits for. */
  readonly reportWait?: ((wait: Wait | undefined) => void) | undefined;
  /** True while nothing new may be sent for reasons that are not the bank's; never when left out. */
  readonly isHeldUp?: () => boolean;
  /**
   * Asked right before bytes leave: false once another machine may have this process's place. Left out where one process
   * alone sends.
   */
  readonly mayLeave?: (() => boolean) | undefined;
}

/** What the log calls whatever is halted or paused. */
const subject = 'direct debit';

const batchForBreaker = (batch: RegistrationBatch): HaltedBatch => ({
  ...batch,
  ...servicePayer(batch.companyId),
});

/** The breaker of the service, as the breaker of payouts knows a payer account and a batch of it. */
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
 * Why a company may register nothing; undefined when it may. What another process has halted, or a person has resumed,
 * holds here, too.
 */
export async function findCompanyHalt(
  { journal, clock, log, gateOf }: RegistrationContext,
  payer: Payer,
): Promise<BatchReason | undefined> {
  const gate = gateOf(payer);
  // What has just been halted here would else look like what a person has resumed since.
  await recordHalt({ journal, clock, log, gate, subject }, payer);
  const halt = await journal.payerHalt(payer.companyId, payer.payerAccount);
  if (halt !== undefined) gate.haltFor(halt);
  else if (gate.state.status === 'halted') gate.reopen();
  return halt;
}
