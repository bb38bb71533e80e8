/** Makes a stop of the line known to every other run and process. */
import type { Batch, BatchReason } from '../core/ports.ts';
import type { WorkerContext } from './context.ts';

/** Whose line it is: a batch, or an order of it. */
export type Payer = Pick<Batch, 'companyId' | 'payerAccount'>;

/**
 * Records that the line is halted for the payer account, if this process has halted it: no intent is recorded for
 * that account any more until a person resumes. Resolves when it is recorded, whoever does so.
 */
export async function recordLineStop(context: WorkerContext, payer: Payer): Promise<void> {
  const { line } = context.gate;
  const { status, why } = line.state;
  if (status !== 'halted' || why === null) return;
  line.stopRecorded ??= record(context, payer, why).catch((error: unknown) => {
    // The next to look records it.
    line.stopRecorded = undefined;
    throw error;
  });
  await line.stopRecorded;
}

async function record({ journal, clock, log }: WorkerContext, payer: Payer, why: BatchReason): Promise<void> {
  const { companyId, payerAccount } = payer;
  if ((await journal.lineStop(companyId, payerAccount)) !== undefined) return;
  await journal.recordLineStop({ companyId, payerAccount, ...why, sinceMs: clock.now() });
  log('error', 'the line is halted', { code: why.code, reason: why.reason, remedy: why.remedy });
}

/** True when a person has let the batch go on since: the stop is lifted and the batch is not halted. */
export async function isStopLifted(context: WorkerContext, batch: Batch): Promise<boolean> {
  const { journal } = context;
  if ((await journal.lineStop(batch.companyId, batch.payerAccount)) !== undefined) return false;
  return (await journal.batch(batch.batchId))?.status === 'running';
}

/** After an intent was refused: when somebody else has stopped the batch or its line, this run stops sending too. */
export async function noticeStop(context: WorkerContext, batch: Batch): Promise<void> {
  const { journal, gate } = context;
  const stop = await journal.lineStop(batch.companyId, batch.payerAccount);
  const current = await journal.batch(batch.batchId);
  if (stop === undefined && current?.status === 'running') return;
  gate.haltFor(stop ?? haltOf(current ?? batch));
}

/** Why the batch itself was halted, by a person or by a stop that has since been lifted for another batch. */
export function haltOf(batch: Batch): BatchReason {
  return {
    code: batch.reasonCode ?? 'halted',
    reason: batch.reason ?? 'the batch was halted',
    remedy: batch.remedy ?? 'Resume the batch when the cause is mended',
  };
}
