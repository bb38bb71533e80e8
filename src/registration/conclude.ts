/** Concludes a batch of registrations: no row is to be sent or awaited, or it waits for a person or the next run. */
import { countRows } from '../core/exit-code.ts';
import { message } from '../core/message.ts';
import type { BatchReason } from '../core/ports.ts';
import { cancelledReason } from '../payout/operator.ts';
import { interruptedReason, waitOverReason } from '../payout/conclude.ts';
import { describePause } from '../payout/rules/circuit-breaker.ts';
import type { RegistrationContext, RegistrationJournal } from './context.ts';
import type { RegistrationBatch, RegistrationStore } from './ports.ts';
import { companyPayer } from './rules/intent.ts';
import { awaitedStatuses, type RegistrationHold } from './rules/registration.ts';
import { isHeldAsAWhole } from './rules/summary.ts';

type Concluded = Pick<
  RegistrationStore,
  | 'registrationBatch'
  | 'registrationHoldTotals'
  | 'registrationTotals'
  | 'moveRegistrationBatch'
  | 'holdReadyRegistrations'
  | 'cancelUnsentRegistrations'
  | 'countAwaitedRegistrations'
  | 'readyRegistrations'
  | 'runnableRegistrationBatches'
  | 'unreportedRegistrationBatches'
  | 'registrationReports'
>;

/** True when rows of the batch bear the hold. */
export async function hasHeld(
  journal: Pick<RegistrationStore, 'registrationHoldTotals'>,
  batchId: string,
  wanted: RegistrationHold,
): Promise<boolean> {
  const holds = await journal.registrationHoldTotals(batchId);
  return holds.some(({ hold, rows }) => hold === wanted && rows > 0);
}

/** True when no row of the batch is to be sent or awaited: another run would find nothing to do. */
export async function isNothingLeft(journal: Concluded, batch: RegistrationBatch): Promise<boolean> {
  if (batch.status !== 'done') return false;
  const [ready] = await journal.readyRegistrations(batch.batchId, 0, 1);
  return ready === undefined && !(await hasHeld(journal, batch.batchId, 'paused'));
}

/** Records the standing of a run's batch, and why. */
export async function conclude(
  { journal, clock, service }: RegistrationContext,
  { batchId }: RegistrationBatch,
  isInterrupted: boolean,
): Promise<void> {
  const nowMs = clock.now();
  if (isCancelled(await journal.registrationBatch(batchId))) {
    await endCancelled(journal, batchId, nowMs);
    return;
  }
  const { status, why: halt } = service.state;
  if (status === 'halted' && halt !== null) {
    await journal.holdReadyRegistrations(batchId, 'halted', halt, nowMs);
    if (await hasHeld(journal, batchId, 'halted')) {
      await journal.moveRegistrationBatch(batchId, 'halted', halt, nowMs);
      return;
    }
  }
  if (isInterrupted) {
    await journal.moveRegistrationBatch(batchId, 'paused', interruptedReason, nowMs);
    return;
  }
  const why = describePause(service.state) ?? waitOverReason;
  await journal.holdReadyRegistrations(batchId, 'paused', why, nowMs);
  if (await hasHeld(journal, batchId, 'halted'))
    await journal.moveRegistrationBatch(batchId, 'halted', await describeHeld(journal, batchId), nowMs);
  else if (await hasHeld(journal, batchId, 'paused'))
    await journal.moveRegistrationBatch(batchId, 'paused', why, nowMs);
  else await endWithoutAwaited(journal, batchId, nowMs);
}

/** Why rows of a company wait although others may have gone on: the company's halt, where that still stands. */
async function describeHeld(journal: RegistrationJournal, batchId: string): Promise<BatchReason> {
  const filter = { batchId, hold: 'halted' } as const;
  const [row] = await journal.searchRegistrations(filter, Number.MAX_SAFE_INTEGER, 1);
  const batch = await journal.registrationBatch(batchId);
  const asked = row?.currentInstruction;
  const payer = asked && batch && companyPayer(batch.companyId, asked);
  const halt = payer && (await journal.payerHalt(payer.companyId, payer.payerAccount));
  if (halt) return { code: halt.code, reason: halt.reason, remedy: halt.remedy };
  return {
    code: row?.reasonCode ?? 'halted',
    reason: row?.reason ?? message('batch.company-held'),
    remedy: message('batch.look-at-company'),
  };
}

async function endWithoutAwaited(journal: Concluded, batchId: string, nowMs: number): Promise<void> {
  if ((await journal.countAwaitedRegistrations(batchId)) === 0)
    await journal.moveRegistrationBatch(batchId, 'done', null, nowMs);
}

// ---------------------------------------------------------------- after the last run

const isCancelled = (batch: RegistrationBatch | undefined): boolean =>
  batch?.status === 'halted' && batch.reasonCode === cancelledReason.code;

/** Cancels rows of a cancelled batch that came back unsent; the batch is done once no row is awaited. */
async function endCancelled(journal: Concluded, batchId: string, nowMs: number): Promise<boolean> {
  await journal.cancelUnsentRegistrations(batchId, nowMs);
  if ((await journal.countAwaitedRegistrations(batchId)) > 0) return false;
  // Rows that have come back since the first cancelling.
  await journal.cancelUnsentRegistrations(batchId, nowMs);
  return journal.moveRegistrationBatch(batchId, 'done', null, nowMs);
}

/** True when no row of a batch is to be sent or awaited, or waits for the bank or a person to release the batch. */
async function isAllEnded(journal: Concluded, batchId: string): Promise<boolean> {
  if ((await journal.countAwaitedRegistrations(batchId)) > 0) return false;
  // A snapshot, since a row that comes back unsent is awaited at one moment and held the next.
  await using snapshot = await journal.registrationReports.snapshot();
  if (isHeldAsAWhole(await snapshot.holdTotals(batchId))) return false;
  return countRows(await snapshot.totals(batchId), ['ready', ...awaitedStatuses]) === 0;
}

/**
 * Ends a batch whose rows have all ended since its last run: there may be no further run, so the process that receives the
 * outcomes ends it. @returns true when this call has ended it
 */
export async function endIfAnswered(journal: Concluded, batchId: string, nowMs: number): Promise<boolean> {
  const batch = await journal.registrationBatch(batchId);
  if (isCancelled(batch)) return endCancelled(journal, batchId, nowMs);
  if (batch?.status !== 'running' && batch?.status !== 'paused') return false;
  return (
    (await isAllEnded(journal, batchId)) && journal.moveRegistrationBatch(batchId, 'done', null, nowMs, batch)
  );
}

/** The same for every batch; a cancelled batch counts as one with unreported events. */
export async function endAnswered(journal: Concluded, nowMs: number): Promise<void> {
  const runnable = (await journal.runnableRegistrationBatches()).map(({ batchId }) => batchId);
  const batchIds = new Set([...runnable, ...(await journal.unreportedRegistrationBatches())]);
  for (const batchId of batchIds) await endIfAnswered(journal, batchId, nowMs);
}
