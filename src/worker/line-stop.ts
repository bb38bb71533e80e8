/** Makes a stop of the line known to every other run and process. */
import type { Batch } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';

/**
 * Records that the line is halted for the batch's payer account, if this run has halted it: no intent is recorded for
 * that account any more until a person resumes.
 */
export async function recordLineStop(context: WorkerContext, batch: Batch): Promise<void> {
  const { status, why } = context.gate.state;
  if (status !== 'halted' || why === null || context.run.isStopRecorded) return;
  context.run.isStopRecorded = true;
  const { companyId, payerAccount } = batch;
  if ((await context.journal.lineStop(companyId, payerAccount)) !== undefined) return;
  await context.journal.recordLineStop({ companyId, payerAccount, ...why, sinceMs: context.clock.now() });
  context.log('error', 'the line is halted', { code: why.code, reason: why.reason, remedy: why.remedy });
}

/** True when a person has let the batch go on since: the stop is lifted and the batch is not halted. */
export async function isStopLifted(context: WorkerContext, batch: Batch): Promise<boolean> {
  const { journal } = context;
  if ((await journal.lineStop(batch.companyId, batch.payerAccount)) !== undefined) return false;
  return (await journal.batch(batch.batchId))?.status === 'running';
}
