/**
 * The breaker of a payer account that several machines use: the journal counts the ends of their payouts, and halts the
 * account for all in the transaction that records the last of too many.
 */
import { stopInEnglish } from '../core/message.ts';
import type { PayoutEnd } from '../core/ports.ts';
import type { BreakerGate, Payer } from './circuit-breaker.ts';
import type { WorkerContext } from './context.ts';
import { mayHalt } from './rules/brake.ts';
import { endOf } from './rules/circuit-breaker.ts';
import type { BreakerSignal } from './rules/read-reply.ts';

/** Meaning of a signal for the rows that follow, for the journal; undefined when only this process sends. */
export const toBrakeCount = (
  { brakeOfAll }: Pick<WorkerContext, 'brakeOfAll'>,
  signal: BreakerSignal | undefined,
): PayoutEnd | undefined =>
  brakeOfAll === undefined || signal === undefined ? undefined : endOf(signal, brakeOfAll);

/** Checks for a halt after the end of a payout was recorded: an unpaid one may have halted the account. */
export async function noticeHaltByEnd(
  context: Pick<WorkerContext, 'journal' | 'log'> & { readonly gate: BreakerGate },
  payer: Payer,
  end: PayoutEnd | undefined,
): Promise<void> {
  if (end !== undefined && mayHalt(end)) await noticePayerHalt(context, payer);
}

/** Notices a halt of the account by any machine. */
async function noticePayerHalt(
  { journal, gate, log }: Pick<WorkerContext, 'journal' | 'log'> & { readonly gate: BreakerGate },
  { companyId, payerAccount }: Payer,
): Promise<void> {
  const { breaker } = gate;
  const halt = await journal.payerHalt(companyId, payerAccount);
  if (halt === undefined) return;
  if (gate.state.status !== 'halted') log('error', 'payer account halted', stopInEnglish(halt));
  breaker.isHaltedForAll = true;
  gate.haltFor(halt);
}
